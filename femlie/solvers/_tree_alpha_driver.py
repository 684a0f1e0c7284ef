"""The stepping of generalized-alpha in the coordinates of a tree.

The formulas are those of `_alpha_scheme`, with the joints' own groups in place of the
frames': rates and second rates of the coordinates are stepped, their steps are
increments on each joint's group. Only constraints that close loops are left; they are
met in the same stabilized index-2 form, by two solutions with the matrix of index 3.
Bruels, Cardona, Arnold 2012.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from .._equations import copy, copy_rows, update_signals
from .._jit import routine, shared
from ..elements.base import Array, IntArray, Motion, Target
from ..linear import NEEDS_NEW_PIVOTS, SOLVED, refactor
from ..newton import LARGEST_TURN, relative_residual, rounding_move
from ..recursive._problem import MOVE, N_FRAME_ROWS, STEPS, do
from ._alpha_moves import scale, second_rhs, watch_multipliers
from ._alpha_scheme import (
    BETA,
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
    algorithmic,
    next_step,
    predicted,
    scheme_of,
    way_of,
    weights_of,
)
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
    is_last_step,
    step_behind,
)
from ._tree_driver import finish_tree_step
from ._tree_dynamics import evaluate
from ._tree_newton import (
    add_multipliers,
    add_scaled,
    balance_coordinates,
    largest_size,
    set_rhs,
    set_tangent,
    solve_tree_step,
    take_gap,
)
from ._tree_stages import go_back, keep_start
from .march import BOOK_STEP


class Work(NamedTuple):
    """Arrays of a run, held by reference when compiled."""

    equations: Any  # of the whole model
    reduced: Any  # without the tree's joints
    motion: Motion
    target: Target
    problem: Any
    old_frames: Array  # (n, 7)
    old_rates: Array  # (n_coordinates,)
    old_second_rates: Array
    old_multipliers: Array  # (m,) of the loops
    alpha: Array  # (n_coordinates,) algorithmic second rates
    residual: Array  # (n_coordinates + m,)
    row_kinds: IntArray  # (n_coordinates + m,)
    places: Array  # (m,) constraints on level 0
    gap: Array  # (m,) those that the step is corrected by
    outputs: Array  # what the blocks of the reduced equations observe
    values: Array  # (10,) as in `_alpha_scheme`
    options: IntArray  # (5,)
    book: Array  # energy ledger, see `march`
    log: Array  # (n,) residual of each iteration of the last step
    alternation: Array  # (2, m)


@routine
def predict(rates, second_rates, alpha, steps, values, attempt):
    """Rates and steps if the second rates stay; attempts as in `_alpha_scheme`."""
    scheme = scheme_of(values)
    for k in range(rates.shape[0]):
        steps[k], rates[k], second_rates[k] = predicted(
            scheme, alpha[k], rates[k], second_rates[k], attempt
        )


@routine
def new_alpha(alpha, second_rates, old_second_rates, values, out):
    """Algorithmic second rates at the end of a step."""
    scheme = scheme_of(values)
    for k in range(alpha.shape[0]):
        out[k] = algorithmic(scheme, alpha[k], second_rates[k], old_second_rates[k])


@shared
def measure(work, counts):
    """Relative size of what is missing; the residual is that of the first solution."""
    problem, residual = work.problem, work.residual
    length = work.equations.length[0]
    h = work.values[TIME_STEP]
    n = problem.joint_forces.shape[0]
    balance_coordinates(work.reduced, problem, 0, work.places)
    copy(residual[:n], problem.joint_forces)
    copy(residual[n:], work.places)
    copy(work.gap, work.places)
    ratio, row = relative_residual(
        residual, work.row_kinds, problem.target.scales, length
    )
    if work.gap.shape[0] > 0 and work.options[IS_STABILIZED] != 0:
        evaluate(work.reduced, problem, 1, 0.0)
        take_gap(problem.target.residual, problem.sizes[N_FRAME_ROWS], work.gap)
        copy(residual[n:], work.gap)
        # velocities count by what they move in one step
        scale(residual, n, residual.shape[0], h, 1.0)
        part, place = relative_residual(
            residual, work.row_kinds, problem.target.scales, length
        )
        if not part <= ratio:
            ratio, row = part, place
    counts[WORST_ROW] = row
    return ratio


@shared
def move(work, to_speed, to_rate):
    """Steps moved by the last solution, and rates with them."""
    problem = work.problem
    add_scaled(problem.steps, 1.0, problem.slopes)
    add_scaled(problem.relative.rates, to_speed, problem.slopes)
    add_scaled(problem.second_rates, to_rate, problem.slopes)
    do(problem, STEPS, MOVE)


@shared
def correct(work, factorization, to_speed, to_rate):
    """One Newton correction; whether it was only rounding."""
    problem, newton = work.problem, work.problem.newton
    m = work.gap.shape[0]
    length = work.equations.length[0]
    is_stabilized = m > 0 and work.options[IS_STABILIZED] != 0
    factor = 1.0 / to_speed if is_stabilized else 1.0
    set_rhs(newton.rhs, problem.joint_forces, work.gap, factor)
    solve_tree_step(problem, factorization)
    size = largest_size(problem.extra, work.row_kinds, length)
    is_rounding = size <= rounding_move(work.motion.poses, length)
    add_multipliers(newton.row, problem.motion.multipliers, m)
    if is_stabilized:
        second_rhs(
            newton.rhs, work.places, newton.row, newton.data, factorization.indptr,
            factorization.indices, newton.row.shape[0] - m,
        )  # fmt: skip
    move(work, to_speed, to_rate)
    if is_stabilized:
        solve_tree_step(problem, factorization)
        move(work, 0.0, 0.0)
    return is_rounding


@shared
def factorize(work, factorization, to_speed, to_rate):
    """Factors of the matrix of a step here."""
    set_tangent(work.reduced, work.problem, 0, to_rate, to_speed, 1.0)
    outcome = refactor(factorization, work.problem.newton.data)
    if outcome == SOLVED:
        return DONE
    return WANTS_PIVOTS if outcome == NEEDS_NEW_PIVOTS else NOT_CONVERGED


@shared
def solve_step(work, counts, factorization, new_time, attempt):
    """Newton's iteration of one step."""
    problem, values, log = work.problem, work.values, work.log
    to_rate, to_speed = weights_of(values)
    work.motion.time[0] = new_time
    update_signals(work.reduced, problem.motion)
    predict(
        problem.relative.rates, problem.second_rates, work.alpha, problem.steps, values,
        way_of(work.options, attempt),
    )  # fmt: skip
    do(problem, STEPS, MOVE)
    iteration = 0
    is_settled = False
    while True:
        turn = problem.turn[0]
        if not turn <= LARGEST_TURN:
            return TURNED_TOO_FAR if math.isfinite(turn) else NOT_FINITE
        ratio = measure(work, counts)
        log[min(iteration, log.shape[0] - 1)] = ratio
        counts[N_LOG] = min(iteration + 1, log.shape[0])
        if math.isnan(ratio):
            return NOT_FINITE
        if ratio <= values[TOLERANCE] or is_settled:
            return DONE
        if iteration == work.options[ITERATION_LIMIT]:
            return NOT_CONVERGED
        code = factorize(work, factorization, to_speed, to_rate)
        if code != DONE:
            return code
        counts[ITERATIONS] += 1
        iteration += 1
        is_settled = correct(work, factorization, to_speed, to_rate)


@shared
def project_rates(work, factorization):
    """Move rates onto the constraints, in the metric of the step's own matrix."""
    problem, values, newton = work.problem, work.values, work.problem.newton
    to_rate, to_speed = weights_of(values)
    copy_rows(problem.bases, problem.relative.frames)
    problem.steps[:] = 0.0
    balance_coordinates(work.reduced, problem, 1, work.gap)
    code = factorize(work, factorization, to_speed, to_rate)
    if code == DONE:
        set_rhs(newton.rhs, problem.joint_forces, work.gap, 1.0)
        scale(newton.rhs, 0, newton.rhs.shape[0] - work.gap.shape[0], 0.0, 1.0)
        solve_tree_step(problem, factorization)
        add_scaled(problem.relative.rates, 1.0, problem.slopes)
        balance_coordinates(work.reduced, problem, 1, work.gap)
    return code


@shared
def error_of(work):
    """Error of a step as in `_alpha_scheme`, in the coordinates of the joints."""
    problem, values = work.problem, work.values
    new_alpha(
        work.alpha, problem.second_rates, work.old_second_rates, values, problem.extra
    )
    add_scaled(problem.extra, -1.0, work.alpha)
    factor = values[TIME_STEP] ** 2 * abs(values[BETA] - 1.0 / 6.0)
    return factor * largest_size(
        problem.extra, work.row_kinds, work.equations.length[0]
    )


@shared
def accept(work):
    """Algorithmic second rates and multipliers of a step that is done."""
    problem = work.problem
    new_alpha(
        work.alpha, problem.second_rates, work.old_second_rates, work.values, work.alpha
    )
    copy(problem.multipliers, problem.motion.multipliers)
    watch_multipliers(problem.multipliers, work.old_multipliers, work.alternation)


@shared
def undo(work, old_time):
    """The state at the start of a step that failed."""
    go_back(work, old_time)
    multipliers = work.problem.motion.multipliers
    for k in range(work.old_multipliers.shape[0]):
        multipliers[k] = work.old_multipliers[k]


@shared
def march_on(equations, motion, target, factorization, memory, buffer, n_steps):
    """Steps until ``n_steps`` are done in all, the buffer is full, or one fails.

    A step that fails leaves the motion as it was before it.
    """
    work, counts = memory.work, memory.counts
    values, options, problem = work.values, work.options, work.problem
    is_adaptive = values[ERROR_TOLERANCE] > 0.0
    end = values[END_TIME]
    m = work.gap.shape[0]
    attempt = 0
    code = DONE
    while (
        counts[STEP] < n_steps
        and buffer.n[0] < buffer.times.shape[0]
        and motion.time[0] < end
    ):
        old_time = motion.time[0]
        new_time = values[START_TIME] + (counts[STEP] + 1) * values[TIME_STEP]
        wanted = values[TIME_STEP]
        if is_adaptive:
            new_time = end if is_last_step(old_time, wanted, end) else old_time + wanted
            values[TIME_STEP] = new_time - old_time
        h = values[TIME_STEP]
        keep_start(work)
        copy(work.old_multipliers, problem.motion.multipliers)
        code = solve_step(work, counts, factorization, new_time, attempt)
        factor = 0.5
        if is_adaptive and code == DONE:
            error = error_of(work)
            factor = next_step(values, error)
            if error > values[ERROR_TOLERANCE] and h > values[SMALLEST_STEP]:
                code = ERROR_TOO_LARGE
        if code == DONE and options[PROJECTS_VELOCITIES] != 0 and m > 0:
            code = project_rates(work, factorization)
        if code != DONE:
            undo(work, old_time)
            is_failure = code not in (WANTS_PIVOTS, ERROR_TOO_LARGE)
            if is_failure and attempt < LAST_ATTEMPT:
                attempt += 1
                values[TIME_STEP] = wanted
                code = DONE
                continue
            attempt = 0
            if (
                is_adaptive
                and code != WANTS_PIVOTS
                and factor * h > values[SMALLEST_STEP]
            ):
                values[TIME_STEP] = factor * h
                counts[REFUSED] += 1
                code = DONE
                continue
            return code
        attempt = 0
        accept(work)
        counts[STEP] += 1
        work.book[BOOK_STEP] = h
        if is_adaptive:
            is_at_end = motion.time[0] >= end
            values[TIME_STEP] = step_behind(h, wanted, factor, is_at_end)
        finish_tree_step(
            work, buffer,
            counts[STEP] % options[OUTPUT_EVERY] == 0
            or counts[STEP] == n_steps
            or motion.time[0] >= end,
        )  # fmt: skip
    return code
