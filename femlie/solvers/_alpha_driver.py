"""The stepping of the Lie-group generalized-alpha method, compiled as one function.

Bruels, Cardona, Arnold 2012. The default is the stabilized index-2 form: positions and
velocities both satisfy the constraints. Its cheap variant needs the index-3 matrix only
and solves with it twice an iteration: ``(-r; -(B v + c_t)/gamma')`` moves velocities,
accelerations, multipliers and the increment, then ``(0; -(Phi + B x))`` the increment
alone.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from .._equations import (
    copy,
    copy_rows,
    evaluate_blocks,
    move_frames,
    negate,
    update_signals,
)
from .._groups import body_rates, group_rates, local_rows
from .._jit import shared
from ..elements.base import Array, IntArray
from ..linear import NEEDS_NEW_PIVOTS, SOLVED, refactor, solve
from ..newton import (
    LARGEST_TURN,
    is_within,
    largest_move,
    largest_turn,
    relative_residual,
    rounding_move,
)
from ._alpha_moves import correct, keep_places, scale, second_rhs, watch_multipliers
from ._alpha_scheme import (
    COST_OF_FACTORS,
    END_TIME,
    ERROR_TOLERANCE,
    IS_STABILIZED,
    ITERATION_LIMIT,
    ITERATIONS,
    LAST_ATTEMPT,
    N_LOG,
    OUTPUT_EVERY,
    PROJECTS_VELOCITIES,
    REFUSED,
    SMALLEST_STEP,
    TOLERANCE,
    WORST_ROW,
    local_error,
    next_step,
    predict,
    update_alpha,
    way_of,
    weights_of,
)
from ._modified_newton import MARGIN, wants_factors
from ._step_state import (
    DONE,
    ERROR_TOO_LARGE,
    NOT_CONVERGED,
    NOT_FINITE,
    START_TIME,
    STEP,
    TIME_STEP,
    TURNED_TOO_FAR,
    WANTS_PIVOTS,
    add_frames,
    is_last_step,
    keep_state,
    restore,
    step_behind,
)
from .march import BOOK_STEP, finish_step

# relative residuals above this may not rise from one iteration to the next
LARGE = 1e-3


class Memory(NamedTuple):
    """What the driver carries from step to step."""

    alpha: Array  # (n_frames, 6) algorithmic accelerations, in the frames' groups
    speeds: Array  # (n_frames, 6) velocities of the groups
    rates: Array  # (n_frames, 6) their rates
    old_rates: Array  # (n_frames, 6)
    after: Array  # (n_frames, 6) increments in the groups
    old_poses: Array
    old_velocities: Array
    old_accelerations: Array
    old_multipliers: Array
    before: Array  # (n_frames, 6) increments or places before a move
    row: Array  # (n_rows,)
    rhs: Array  # (n_rows,)
    place: Array  # (n_multipliers,) constraints on level 0
    counts: IntArray  # (5,)
    values: Array  # (11,)
    options: IntArray  # (5,)
    book: Array  # energy ledger, see `march`
    log: Array  # (n,) residual of each iteration of the last step
    alternation: Array  # (2, n_multipliers) last change of each; times it alternated


@shared
def refactor_step(equations, motion, target, factorization, values):
    """Factors of the matrix of a step here."""
    to_rate, to_speed = weights_of(values)
    evaluate_blocks(equations, motion, target, 0, to_rate, to_speed, 1.0)
    outcome = refactor(factorization, target.data)
    if outcome == SOLVED:
        return DONE
    return WANTS_PIVOTS if outcome == NEEDS_NEW_PIVOTS else NOT_CONVERGED


@shared
def project_velocities(equations, motion, target, factorization, memory):
    """Move velocities onto the constraints, in the metric of the step's own matrix."""
    rhs, row = memory.rhs, memory.row
    first, n_rows = equations.sizes[0], equations.sizes[1]
    copy_rows(motion.bases, motion.poses)
    motion.increments[:] = 0.0
    evaluate_blocks(equations, motion, target, 1, 0.0, 0.0, 0.0)
    negate(rhs, target.residual)
    rhs[:first] = 0.0
    code = refactor_step(equations, motion, target, factorization, memory.values)
    if code == DONE:
        solve(factorization, target.data, rhs, row)
        add_frames(row, equations.numbers, n_rows, motion.velocities)
    return code


@shared
def begin_step(equations, motion, memory, attempt):
    """Keep the state, go to the end of the step and predict it there.

    Returns the step that was wanted, which a near end makes shorter, and the old time.
    """
    values, numbers, n_rows = memory.values, equations.numbers, equations.sizes[1]
    speeds, rates = memory.speeds, memory.rates
    old_time, wanted, end = motion.time[0], values[TIME_STEP], values[END_TIME]
    new_time = values[START_TIME] + (memory.counts[STEP] + 1) * wanted
    if values[ERROR_TOLERANCE] > 0.0:
        new_time = end if is_last_step(old_time, wanted, end) else old_time + wanted
        values[TIME_STEP] = new_time - old_time
    keep_state(memory, motion)
    motion.time[0] = new_time
    update_signals(equations, motion)
    group_rates(
        equations.groups, motion.poses, motion.velocities, motion.accelerations,
        speeds, rates,
    )  # fmt: skip
    copy_rows(memory.old_rates, rates)
    way = way_of(memory.options, attempt)
    predict(rates, speeds, memory.alpha, memory.after, values, numbers, n_rows, way)
    local_rows(
        equations.groups, motion.bases, memory.after, numbers, n_rows, memory.row
    )
    move_frames(equations, motion, memory.row, 1.0)
    body_rates(
        equations.groups, motion.poses, speeds, rates, motion.velocities,
        motion.accelerations,
    )  # fmt: skip
    return wanted, old_time


@shared
def measure(equations, motion, target, memory, n_levels):
    """Largest relative residual of all levels; the last one stays in the target."""
    residual, first, n_rows = target.residual, equations.sizes[0], equations.sizes[1]
    ratio = 0.0
    for level in range(n_levels):
        evaluate_blocks(equations, motion, target, level, 0.0, 0.0, 0.0)
        if level == 1:
            # velocities count by what they move in one step
            scale(residual, first, n_rows, memory.values[TIME_STEP], 1.0)
        elif n_levels > 1:
            copy(memory.place, residual[first:])
        part, place = relative_residual(
            residual, equations.row_kinds, target.scales, equations.length[0]
        )
        if not part <= ratio:
            ratio = part
            memory.counts[WORST_ROW] = place
    return ratio


@shared
def correct_step(equations, motion, target, factorization, memory, n_levels):
    """Solve with the factors here and move; whether only rounding is left.

    ``rhs`` holds ``(-r; -(B v + c_t)/gamma')``, or ``(-r; -Phi)`` in index 3.
    """
    to_rate, to_speed = weights_of(memory.values)
    rhs, row, groups = memory.rhs, memory.row, equations.groups
    numbers, length = equations.numbers, equations.length[0]
    first, n_rows = equations.sizes[0], equations.sizes[1]
    speeds, rates = memory.speeds, memory.rates
    is_settled = False
    for phase in range(n_levels):
        if phase == 1:
            second_rhs(
                rhs, memory.place, row, target.data, factorization.indptr,
                factorization.indices, first,
            )  # fmt: skip
        solve(factorization, target.data, rhs, row)
        if phase == 1:
            row[first:] = 0.0
        else:
            # at rest forces vanish and their rounding counts: then corrections say
            # that nothing is left to do
            size = largest_move(row, numbers, n_rows, length)
            is_settled = size <= rounding_move(motion.poses, length)
        keep_places(groups, motion.poses, motion.increments, memory.before)
        move_frames(equations, motion, row, 1.0)
        if phase == 0:
            correct(groups, motion, memory.before, speeds, rates, to_speed, to_rate)
        body_rates(
            groups, motion.poses, speeds, rates, motion.velocities,
            motion.accelerations,
        )  # fmt: skip
    return is_settled


@shared
def iterate(equations, motion, target, factorization, memory, n_levels, attempt):
    """Newton's iteration of one step.

    One whose residual rises is broken off as long as there is another way to begin: the
    end that it came to might be a solution far from the motion.
    """
    values, counts, log = memory.values, memory.counts, memory.log
    to_rate, to_speed = weights_of(values)
    first, n_rows = equations.sizes[0], equations.sizes[1]
    tolerance = values[TOLERANCE]
    iteration = 0
    is_settled = is_new = False
    last = fresh = 0.0
    while True:
        turn = largest_turn(motion.increments)
        if not turn <= LARGEST_TURN:
            return TURNED_TOO_FAR if math.isfinite(turn) else NOT_FINITE
        ratio = measure(equations, motion, target, memory, n_levels)
        log[min(iteration, log.shape[0] - 1)] = ratio
        counts[N_LOG] = min(iteration + 1, log.shape[0])
        if math.isnan(ratio):
            return NOT_FINITE
        if is_new:
            fresh = ratio / (last * last)
        allowed = tolerance if is_new else MARGIN * tolerance
        if is_settled or is_within(ratio, allowed, iteration):
            return DONE
        strays = iteration > 0 and ratio > last and ratio > LARGE
        is_at_limit = iteration == memory.options[ITERATION_LIMIT]
        if is_at_limit or (strays and attempt < LAST_ATTEMPT):
            return NOT_CONVERGED
        negate(memory.rhs, target.residual)
        if n_levels > 1:
            scale(memory.rhs, first, n_rows, 1.0, values[TIME_STEP] * to_speed)
        is_new = wants_factors(ratio, last, fresh, tolerance, values[COST_OF_FACTORS])
        last = ratio
        if is_new:
            code = refactor_step(equations, motion, target, factorization, values)
            if code != DONE:
                return code
        counts[ITERATIONS] += 1
        iteration += 1
        is_settled = correct_step(
            equations, motion, target, factorization, memory, n_levels
        )


@shared
def march_on(equations, motion, target, factorization, memory, buffer, n_steps):
    """Steps until ``n_steps`` are done in all, the buffer is full, or one fails.

    A step that fails leaves the motion as it was before it.
    """
    values, counts, options = memory.values, memory.counts, memory.options
    first, n_rows = equations.sizes[0], equations.sizes[1]
    is_held = n_rows > first
    n_levels = 2 if options[IS_STABILIZED] != 0 and is_held else 1
    is_adaptive = values[ERROR_TOLERANCE] > 0.0
    attempt = 0
    while (
        counts[STEP] < n_steps
        and buffer.n[0] < buffer.times.shape[0]
        and motion.time[0] < values[END_TIME]
    ):
        wanted, old_time = begin_step(equations, motion, memory, attempt)
        h = values[TIME_STEP]
        code = iterate(
            equations, motion, target, factorization, memory, n_levels, attempt
        )
        factor = 0.5
        if is_adaptive and code == DONE:
            error = local_error(
                memory.rates, memory.old_rates, memory.alpha, values,
                equations.length[0],
            )  # fmt: skip
            factor = next_step(values, error)
            if error > values[ERROR_TOLERANCE] and h > values[SMALLEST_STEP]:
                code = ERROR_TOO_LARGE
        if code == DONE and options[PROJECTS_VELOCITIES] != 0 and is_held:
            code = project_velocities(equations, motion, target, factorization, memory)
        if code != DONE:
            restore(motion, memory, old_time)
            is_failure = code != WANTS_PIVOTS and code != ERROR_TOO_LARGE
            if is_failure and attempt < LAST_ATTEMPT:
                attempt += 1
                values[TIME_STEP] = wanted
                continue
            attempt = 0
            can_shorten = is_adaptive and factor * h > values[SMALLEST_STEP]
            if not can_shorten or code == WANTS_PIVOTS:
                return code
            values[TIME_STEP] = factor * h
            counts[REFUSED] += 1
            continue
        attempt = 0
        update_alpha(memory.alpha, memory.rates, memory.old_rates, values)
        watch_multipliers(
            motion.multipliers, memory.old_multipliers, memory.alternation
        )
        counts[STEP] += 1
        memory.book[BOOK_STEP] = h
        if is_adaptive:
            is_at_end = motion.time[0] >= values[END_TIME]
            values[TIME_STEP] = step_behind(h, wanted, factor, is_at_end)
        finish_step(
            equations, motion, target, buffer, memory.book,
            counts[STEP] % options[OUTPUT_EVERY] == 0
            or counts[STEP] == n_steps
            or motion.time[0] >= values[END_TIME],
        )  # fmt: skip
    return DONE
