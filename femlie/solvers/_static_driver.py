"""The load stepping of the static solver, compiled as one function.

Two ways are tried within a load step: whole Newton steps; then steps capped where a
frame would turn by more than one radian or move by more than the model's size, with a
load-scaled shift of the diagonal that decays. Where both fail: a smaller load step.

Capped steps without a shift are not tried in between: they cost up to five iterations,
and what they solve the shift solves as well, more often on the stable branch.

With contact, an attempt begins with rounds of penalty (stages of `Motion.time`), each
solved roughly, where nothing touched before or where the iteration without them has
failed; a correction by which rods would pass through each other is halved, and
a solution is looked at from Python before it is accepted.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from .._equations import (
    carry_blocks,
    copy,
    copy_rows,
    evaluate_blocks,
    move_frames,
    negate,
    spread,
    start_step,
    update_signals,
)
from .._jit import routine, shared
from ..contact._layout import STAGE
from ..elements.base import ACCEPT, EVENT, MOVE, NEXT_STAGE, Array, IntArray
from ..linear import NEEDS_NEW_PIVOTS, OUTSIDE, SOLVED, refactor, solve
from ..newton import (
    has_moved,
    largest_move,
    load_size,
    reaction_size,
    relative_residual,
    stagnates,
)
from ._static_matrix import add_shift, add_turns

WHOLE, SHIFTED = range(2)
# what `advance` returns
LOAD_STEP_DONE, WANTS_PIVOTS, STOPPED, WANTS_SOLUTION, WANTS_CHECK = range(5)
# what the caller says about a solution
UNCHECKED, GOOD, BAD = range(3)
# how one attempt ended
CONVERGED, FAILED, GOES_ON = range(3)
# integers of Memory.counts
(
    MODE, ITERATION, IS_LOOKING, TOTAL_ITERATIONS, REFUSED, STEP_ITERATIONS,
    IS_RESUMED, N_PIVOTS, WORST_ROW, LOG, IS_MOVED, CHECK, HALVINGS, IN_ROUND,
    HAS_ROUNDS,
) = range(15)  # fmt: skip
N_COUNTS = 15
# IS_MOVED before the first residual of a load step is known
UNKNOWN = 2
# numbers of Memory.values
FACTOR, LOAD_STEP, SHIFT, FIRST_SIZE, LAST_SIZE, LOAD_SIZE, FRACTION = range(7)
N_VALUES = 7
# numbers of Memory.settings
TOLERANCE, TOTAL_LIMIT, LARGEST_LOAD_STEP, N_ROUNDS, IN_SPACE = range(5)
ITERATION_LIMIT = 20
# residual, as a part of the load of the step, that ends a round of penalty
ROUND_TOLERANCE = 1e-2
MOST_HALVINGS = 6
FEW_ITERATIONS = 6
SMALLEST_LOAD_STEP = 1e-6
# a load step that would end closer than this to the full load ends there
LAST_LOAD_STEP = 1e-9
FIRST_SHIFT = 2.0
SHIFT_DECAY = 0.25
SMALLEST_SHIFT = 1e-8
# a move counts as large above this; a closing roll-up corrects by exactly one length
LARGE = 1.001
# below this Newton's next correction is rounding: then the rounding floor may end it
SMALL = 1e-6


class Memory(NamedTuple):
    """What the driver carries between calls."""

    poses: Array  # at the start of the load step
    multipliers: Array
    iterates: Array
    step: Array  # (n_rows,)
    rhs: Array  # (n_rows,)
    shift: Array  # (n_rows,) diagonal of the shift for a load of one
    diagonal: IntArray  # (n_rows,) places of the diagonal in the CSC data
    counts: IntArray  # (15,)
    values: Array  # (7,)
    log: Array  # (n,) relative residual of each iteration
    settings: Array  # (5,)


@routine
def choose_fraction(counts, values, big):
    """How much of a correction to take; zero gives the attempt up."""
    if not math.isfinite(big):
        return 0.0
    if counts[MODE] == WHOLE:
        if counts[IS_LOOKING] == 1:
            # the look-ahead: the correction after a large one must be much smaller
            if big > LARGE or big >= 0.5 * values[FIRST_SIZE]:
                return 0.0
            counts[IS_LOOKING] = 2
        elif big > LARGE:
            if counts[IS_LOOKING] == 2:
                return 0.0
            counts[IS_LOOKING] = 1
            values[FIRST_SIZE] = big
        return 1.0
    fraction = 1.0 / big if big > LARGE else 1.0
    if values[SHIFT] > 0.0:
        if fraction < 1.0:
            values[SHIFT] *= 2.0
        else:
            ratio = SHIFT_DECAY
            if values[LAST_SIZE] > 0.0:
                ratio = min(ratio, big / values[LAST_SIZE])
            values[SHIFT] *= ratio
            if values[SHIFT] < SMALLEST_SHIFT:
                values[SHIFT] = 0.0
    return fraction


@routine
def begin_attempt(motion, settings, counts, values, mode):
    """Start Newton's iteration in a mode."""
    motion.time[STAGE] = settings[N_ROUNDS] if counts[HAS_ROUNDS] != 0 else 0.0
    counts[CHECK] = UNCHECKED
    counts[HALVINGS] = 0
    counts[IN_ROUND] = 0
    counts[MODE] = mode
    counts[ITERATION] = 0
    counts[IS_LOOKING] = 0
    values[SHIFT] = FIRST_SHIFT if mode == SHIFTED else 0.0
    values[LAST_SIZE] = 0.0


@routine
def next_factor(values, settings):
    """Load factor that the next step goes to.

    Multiples of the largest step are never passed, so that all of them are reached
    where steps were cut in between.
    """
    largest = settings[LARGEST_LOAD_STEP]
    values[LOAD_STEP] = min(values[LOAD_STEP], largest)
    n_done = math.floor(values[FACTOR] / largest + LAST_LOAD_STEP)
    mark = min(1.0, (n_done + 1.0) * largest)
    if mark > 1.0 - LAST_LOAD_STEP:
        mark = 1.0
    factor = values[FACTOR] + values[LOAD_STEP]
    return factor if factor < mark - LAST_LOAD_STEP * largest else mark


@shared
def begin_load_step(equations, motion, memory):
    """Go to the next load factor, and keep what the step begins with."""
    counts = memory.counts
    motion.time[0] = next_factor(memory.values, memory.settings)
    update_signals(equations, motion)
    start_step(equations, motion)
    copy_rows(memory.poses, motion.poses)
    copy(memory.multipliers, motion.multipliers)
    copy(memory.iterates, equations.iterates)
    counts[STEP_ITERATIONS] = 0
    counts[LOG] = 0
    counts[IS_MOVED] = UNKNOWN
    begin_attempt(motion, memory.settings, counts, memory.values, WHOLE)


@shared
def go_back(equations, motion, memory):
    """Return to where the load step began."""
    copy_rows(motion.poses, memory.poses)
    copy_rows(motion.bases, memory.poses)
    motion.increments[:] = 0.0
    copy(motion.multipliers, memory.multipliers)
    copy(equations.iterates, memory.iterates)
    if memory.settings[N_ROUNDS] > 0.0:
        # contacts may have been listed anew since the step began
        start_step(equations, motion)


@shared
def has_passed(equations, motion, target, memory):
    """Whether the last correction lets rods pass; half of it is taken back then.

    The count of halvings goes beyond the limit where that does not help.
    """
    counts, values = memory.counts, memory.values
    if target.scales[EVENT] == 0.0 or counts[ITERATION] == 0:
        return False
    counts[HALVINGS] += 1
    if counts[HALVINGS] <= MOST_HALVINGS:
        values[FRACTION] *= 0.5
        move_frames(equations, motion, memory.step, -values[FRACTION])
    return True


@shared
def is_round_over(equations, motion, target, memory, ratio):
    """Whether a round of penalty is solved well enough.

    Motions without resistance have no load that the residual could be compared with:
    there the ``ratio`` decides.
    """
    if motion.time[STAGE] <= 0.0 or memory.counts[IN_ROUND] == 0:
        return False
    if ratio <= memory.settings[TOLERANCE]:
        return True
    n_rows, length = equations.sizes[1], equations.length[0]
    size = load_size(target.residual, equations.numbers, n_rows, length)
    return size <= ROUND_TOLERANCE * memory.values[LOAD_SIZE]


@routine
def is_given_up(memory):
    """Whether enough was tried; stick and slip spread along rods bit by bit."""
    counts = memory.counts
    if counts[ITERATION] < ITERATION_LIMIT * (1 + counts[HAS_ROUNDS]):
        return False
    return memory.settings[N_ROUNDS] == 0.0 or stagnates(memory.log, counts[LOG])


@routine
def tries_again(motion, memory):
    """Begin another attempt at the load step: with rounds of penalty, with a shift."""
    counts, values, settings = memory.counts, memory.values, memory.settings
    if settings[N_ROUNDS] > 0.0 and counts[HAS_ROUNDS] == 0:
        counts[HAS_ROUNDS] = 1
        begin_attempt(motion, settings, counts, values, WHOLE)
        return True
    if counts[MODE] == WHOLE:
        begin_attempt(motion, settings, counts, values, SHIFTED)
        return True
    return False


@shared
def advance(equations, motion, target, factorization, memory):
    """One accepted load step, or the reason why not.

    One function, because calls with all these arrays are what takes long to compile.
    After a return for new pivots, or for a solution from outside, the iteration goes
    on where it was.
    """
    counts, values, settings = memory.counts, memory.values, memory.settings
    step, rhs = memory.step, memory.rhs
    residual, data = target.residual, target.data
    numbers, row_kinds = equations.numbers, equations.row_kinds
    length = equations.length[0]
    first, n_rows = equations.sizes[0], equations.sizes[1]
    while True:
        if counts[IS_RESUMED] == 0:
            begin_load_step(equations, motion, memory)
        counts[IS_RESUMED] = 1
        outcome = GOES_ON
        while outcome == GOES_ON:
            evaluate_blocks(equations, motion, target, 0, 0.0, 0.0, 0.0)
            if has_passed(equations, motion, target, memory):
                if counts[HALVINGS] > MOST_HALVINGS:
                    outcome = FAILED
                continue
            if counts[IS_MOVED] == UNKNOWN:
                values[LOAD_SIZE] = load_size(residual, numbers, n_rows, length)
                counts[IS_MOVED] = int(has_moved(residual, row_kinds, first, length))
            if counts[ITERATION] == 0 or values[LAST_SIZE] > SMALL:
                # a load below the rounding of stiff elements still moves soft ones
                target.scales[2:] = 0.0
            ratio, counts[WORST_ROW] = relative_residual(
                residual, row_kinds, target.scales, length
            )
            if counts[LOG] < memory.log.shape[0]:
                memory.log[counts[LOG]] = ratio
            is_over = counts[TOTAL_ITERATIONS] >= settings[TOTAL_LIMIT]
            if math.isnan(ratio):
                outcome = FAILED
                break
            if is_round_over(equations, motion, target, memory, ratio):
                counts[IN_ROUND] = 0
                motion.time[STAGE] -= 1.0
                carry_blocks(equations, motion, 1.0, NEXT_STAGE)
                continue
            is_solved = ratio <= settings[TOLERANCE] and motion.time[STAGE] == 0.0
            if is_solved and settings[N_ROUNDS] > 0.0 and counts[CHECK] == UNCHECKED:
                return WANTS_CHECK
            if is_solved and counts[CHECK] == BAD:
                counts[MODE] = SHIFTED
                outcome = FAILED
                break
            if is_solved:
                outcome = CONVERGED
            elif is_over or is_given_up(memory):
                outcome = FAILED
                break
            else:
                evaluate_blocks(equations, motion, target, 0, 0.0, 0.0, 1.0)
                if settings[IN_SPACE] != 0.0:
                    add_turns(data, residual, memory.diagonal, numbers, n_rows)
                if values[SHIFT] > 0.0:
                    size = values[SHIFT] * values[LOAD_SIZE]
                    add_shift(data, memory.diagonal, memory.shift, size)
                code = refactor(factorization, data)
                if code == OUTSIDE:
                    return WANTS_SOLUTION
                if code == NEEDS_NEW_PIVOTS and counts[N_PIVOTS] < 4:
                    counts[N_PIVOTS] += 1
                    return WANTS_PIVOTS
                if code != SOLVED:
                    outcome = FAILED
                    break
            if outcome == GOES_ON or counts[ITERATION] > 0:
                negate(rhs, residual)
                if solve(factorization, data, rhs, step) == OUTSIDE:
                    return WANTS_SOLUTION
            if outcome == CONVERGED:
                values[FACTOR] = motion.time[0]
                if counts[ITERATION] <= FEW_ITERATIONS * (1 + counts[HAS_ROUNDS]):
                    values[LOAD_STEP] *= 2.0
                carry_blocks(equations, motion, 1.0, ACCEPT)
                if counts[ITERATION] == 0:
                    break
            big = largest_move(step, numbers, n_rows, length)
            if outcome == CONVERGED:
                # Places are rounded to their last digit, which stiff elements take for
                # stress, of the order of 1e-9 of the section forces in a frame of
                # tubes. One more solve predicts the stress without this rounding.
                if big < SMALL:
                    spread(numbers, n_rows, step, equations.moves)
                    carry_blocks(equations, motion, 1.0, MOVE)
                break
            counts[N_PIVOTS] = 0
            counts[ITERATION] += 1
            counts[IN_ROUND] += 1
            counts[STEP_ITERATIONS] += 1
            counts[TOTAL_ITERATIONS] += 1
            counts[LOG] += 1
            if counts[IS_MOVED] == 1:
                # prescribed motions load the model by their reactions
                values[LOAD_SIZE] += reaction_size(step, row_kinds, first, length)
                counts[IS_MOVED] = 0
            fraction = choose_fraction(counts, values, big)
            values[LAST_SIZE] = big
            if fraction == 0.0:
                outcome = FAILED
                break
            values[FRACTION] = fraction
            counts[HALVINGS] = 0
            move_frames(equations, motion, step, fraction)
        if outcome == CONVERGED:
            counts[IS_RESUMED] = 0
            return LOAD_STEP_DONE
        go_back(equations, motion, memory)
        is_over = counts[TOTAL_ITERATIONS] >= settings[TOTAL_LIMIT]
        if not is_over and tries_again(motion, memory):
            continue
        counts[REFUSED] += 1
        counts[IS_RESUMED] = 0
        # a quarter of the step tried, which the largest one or the end had made shorter
        tried = next_factor(values, settings) - values[FACTOR]
        values[LOAD_STEP] = 0.25 * tried
        if is_over or values[LOAD_STEP] < SMALLEST_LOAD_STEP:
            # the caller brings the signals back to this load factor
            motion.time[0] = values[FACTOR]
            return STOPPED


def new_memory(
    equations: Any, motion: Any, diagonal: IntArray, shift: Array, *, settings: Array
) -> Memory:
    """Memory for a run that starts at the state of ``motion``."""
    n = int(equations.sizes[1])
    return Memory(
        poses=motion.poses.copy(),
        multipliers=motion.multipliers.copy(),
        iterates=equations.iterates.copy(),
        step=np.zeros(n),
        rhs=np.zeros(n),
        shift=shift,
        diagonal=diagonal,
        counts=np.zeros(N_COUNTS, dtype=np.int64),
        values=np.zeros(N_VALUES),
        log=np.zeros(400),
        settings=settings,
    )
