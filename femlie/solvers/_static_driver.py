"""The load stepping of the static solver, compiled as one function.

Two ways are tried within a load step: whole Newton steps; then steps capped where a
frame would turn by more than one radian or move by more than the model's size, with a
load-scaled shift of the diagonal that decays. Where both fail: a smaller load step.

Capped steps without a shift are not tried in between: they cost up to five iterations,
and what they solve the shift solves as well, more often on the stable branch.
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
from ..elements.base import ACCEPT, MOVE, Array, IntArray
from ..linear import NEEDS_NEW_PIVOTS, OUTSIDE, SOLVED, refactor, solve
from ..newton import largest_move, relative_residual
from ..system import PLACE_ROW

WHOLE, SHIFTED = range(2)
# what `advance` returns
LOAD_STEP_DONE, WANTS_PIVOTS, STOPPED, WANTS_SOLUTION = range(4)
# how one attempt ended
CONVERGED, FAILED, GOES_ON = range(3)
# integers of Memory.counts
(
    MODE, ITERATION, IS_LOOKING, TOTAL_ITERATIONS, REFUSED, STEP_ITERATIONS,
    IS_RESUMED, N_PIVOTS, WORST_ROW, LOG, IS_MOVED,
) = range(11)  # fmt: skip
# IS_MOVED before the first residual of a load step is known
UNKNOWN = 2
# numbers of Memory.values
FACTOR, LOAD_STEP, SHIFT, FIRST_SIZE, LAST_SIZE, LOAD_SIZE = range(6)
# numbers of Memory.settings
TOLERANCE, TOTAL_LIMIT, LARGEST_LOAD_STEP = range(3)
ITERATION_LIMIT = 20
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
    counts: IntArray  # (11,)
    values: Array  # (6,)
    log: Array  # (n,) relative residual of each iteration
    settings: Array  # tolerance, iterations of the whole run, largest load step


@routine
def load_size(residual, numbers, n_rows, length):
    """Sum over frames of forces, and moments over length, that are not in balance."""
    total = 0.0
    for i in range(numbers.shape[0]):
        for part in range(2):
            square = 0.0
            for k in range(3 * part, 3 * part + 3):
                row = numbers[i, k]
                if row < n_rows:
                    square += residual[row] * residual[row]
            total += math.sqrt(square) / (length if part == 1 else 1.0)
    return total


@routine
def has_moved(residual, row_kinds, n_frame_rows, length):
    """Whether prescribed motions have left the frames behind."""
    for i in range(n_frame_rows, row_kinds.shape[0]):
        if abs(residual[i]) > 1e-9 * (length if row_kinds[i] == PLACE_ROW else 1.0):
            return True
    return False


@routine
def reaction_size(step, row_kinds, n_frame_rows, length):
    """Sum of the reactions that a correction adds, moments over length."""
    total = 0.0
    for i in range(n_frame_rows, row_kinds.shape[0]):
        total += abs(step[i]) / (1.0 if row_kinds[i] == PLACE_ROW else length)
    return total


@routine
def add_shift(data, diagonal, shift, size):
    """``mu D`` on the diagonal, in the size of the load of this step."""
    for i in range(shift.shape[0]):
        data[diagonal[i]] += size * shift[i]


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
def begin_attempt(counts, values, mode):
    """Start Newton's iteration in a mode."""
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
            motion.time[0] = next_factor(values, settings)
            update_signals(equations, motion)
            start_step(equations, motion)
            copy_rows(memory.poses, motion.poses)
            copy(memory.multipliers, motion.multipliers)
            copy(memory.iterates, equations.iterates)
            counts[STEP_ITERATIONS] = 0
            counts[LOG] = 0
            counts[IS_MOVED] = UNKNOWN
            begin_attempt(counts, values, WHOLE)
        counts[IS_RESUMED] = 1
        outcome = GOES_ON
        while outcome == GOES_ON:
            evaluate_blocks(equations, motion, target, 0, 0.0, 0.0, 0.0)
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
            if ratio <= settings[TOLERANCE]:
                outcome = CONVERGED
            elif counts[ITERATION] >= ITERATION_LIMIT or is_over:
                outcome = FAILED
                break
            else:
                evaluate_blocks(equations, motion, target, 0, 0.0, 0.0, 1.0)
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
                if counts[ITERATION] <= 6:
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
            move_frames(equations, motion, step, fraction)
        if outcome == CONVERGED:
            counts[IS_RESUMED] = 0
            return LOAD_STEP_DONE
        copy_rows(motion.poses, memory.poses)
        copy_rows(motion.bases, memory.poses)
        motion.increments[:] = 0.0
        copy(motion.multipliers, memory.multipliers)
        copy(equations.iterates, memory.iterates)
        is_over = counts[TOTAL_ITERATIONS] >= settings[TOTAL_LIMIT]
        if counts[MODE] == WHOLE and not is_over:
            begin_attempt(counts, values, SHIFTED)
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
    counts = np.zeros(11, dtype=np.int64)
    values = np.zeros(6)
    return Memory(
        poses=motion.poses.copy(),
        multipliers=motion.multipliers.copy(),
        iterates=equations.iterates.copy(),
        step=np.zeros(n),
        rhs=np.zeros(n),
        shift=shift,
        diagonal=diagonal,
        counts=counts,
        values=values,
        log=np.zeros(400),
        settings=settings,
    )
