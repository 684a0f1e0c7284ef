"""Stages of Gauss-Legendre methods on a tree.

Stages ``q_i = exp(h sum a_ij k_j)``, ``v_i = v_n + h sum a_ij w_j`` with
``k_i = T^-1(q_i) v_i`` and w_i the second rates there. They are solved one after the
other, again and again, with the newest of all others; the start is the polynomial of
the last step. Newton's iteration takes ``M + h e_i C + h^2 d_i^2 K`` in each stage, as
in `_gauss_driver`. The fixed-point form takes the recursions and no matrix: it
converges for steps well below the shortest period (Hairer, Lubich and Wanner 2006,
section VIII.6). A sweep of it takes about a tenth of the time of one of Newton's: left
to itself, each step tries it first, and goes on with Newton's where the changes shrink
too slowly.
"""

from __future__ import annotations

import math

from .._equations import copy, copy_rows
from .._jit import routine, shared
from ..linear import NEEDS_NEW_PIVOTS, SOLVED, refactor
from ._gauss_driver import ROUNDING_MOVE, is_rounding
from ._step_state import (
    DONE,
    NOT_CONVERGED,
    NOT_FINITE,
    SINGULAR,
    TIME_STEP,
    WANTS_PIVOTS,
)
from ._tree_dynamics import accelerate
from ._tree_newton import (
    add_multipliers,
    add_scaled,
    balance_coordinates,
    set_rhs,
    set_tangent,
    solve_tree_step,
)
from ._tree_stages import (
    AUTOMATIC,
    ITERATION,
    N_LOG,
    NEWTON,
    SOLVES,
    SWEEPS,
    TOLERANCE,
    combine,
    combine_stage,
    move_to_stage,
    put_slopes,
)

# below this a change that no longer shrinks is rounding
ROUNDING = 1e-11
# changes that shrink less from sweep to sweep make Newton's iteration the faster one
SLOWEST = 0.4


@routine
def extrapolate(matrix, old, new):
    """Stage values that the polynomial of the last step has in this one."""
    for i in range(old.shape[0]):
        for k in range(new.shape[1]):
            value = 0.0
            for j in range(old.shape[0]):
                value += matrix[i, j] * old[j, k]
            new[i, k] = value


@routine
def take_change(second_rates, stage_rates, rates, time_step, kinds, length):
    """Put second rates into their stage; change of rates over a step, largest rate.

    Translations count relative to the model's size.
    """
    change = 0.0
    largest = 0.0
    for k in range(second_rates.shape[0]):
        size = length if kinds[k] == 0 else 1.0
        change = max(change, time_step * abs(second_rates[k] - stage_rates[k]) / size)
        largest = max(
            largest, time_step * abs(second_rates[k]) / size, abs(rates[k]) / size
        )
        stage_rates[k] = second_rates[k]
    return change, largest


@routine
def has_settled(change, before, largest, tolerance, time_step):
    """Whether what later sweeps would change counts no more.

    Changes shrink by the same factor q from sweep to sweep, so that all later ones
    together are q / (1 - q) of the last.
    """
    if change <= tolerance * largest:
        return True
    if before == math.inf:
        return False
    if change >= before:
        return change <= ROUNDING * largest or time_step * change <= ROUNDING_MOVE
    return change * change <= tolerance * largest * (before - change)


@routine
def newton_has_settled(change, before, largest, tolerance, time_step):
    """The same where changes need not shrink by the same factor, as `_gauss_driver`."""
    size = change / largest if largest > 0.0 else change
    last = before / largest if largest > 0.0 else before
    return size <= tolerance or is_rounding(size, last, time_step * change)


@shared
def set_all_slopes(work):
    """Slopes of all stages under the newest second rates.

    Places then follow velocities within a sweep, so that the error of a swing of
    period T shrinks by about (h / T)^2 instead of h / T.
    """
    for i in range(work.weights.shape[1]):
        combine(work, i)
        put_slopes(work, i)


@shared
def start_stages(work):
    """First guesses of all stages."""
    extrapolate(work.extrapolation, work.last_rates, work.rates)
    for i in range(work.weights.shape[1]):
        combine_stage(
            work.rates, work.rates, work.weights[i], work.values[TIME_STEP],
            work.old_rates, work.problem.steps, work.slopes[i],
        )  # fmt: skip
    for _ in range(2):
        set_all_slopes(work)


@shared
def correct_stage(work, stage, factorization):
    """Newton correction of the second rates and multipliers of a stage."""
    problem, m = work.problem, work.gap.shape[0]
    h, newton = work.values[TIME_STEP], work.problem.newton
    copy(problem.second_rates, work.rates[stage])
    multipliers = problem.motion.multipliers
    for k in range(m):
        multipliers[k] = work.forces[stage, k]
    balance_coordinates(work.reduced, problem, 2, work.gap)
    set_tangent(
        work.reduced, problem, 2, 1.0, h * work.diagonals[0, stage],
        (h * work.diagonals[1, stage]) ** 2,
    )  # fmt: skip
    if factorization.bounds.shape[0] == 0:
        return WANTS_PIVOTS  # the first time that they are needed
    outcome = refactor(factorization, newton.data)
    if outcome != SOLVED:
        return WANTS_PIVOTS if outcome == NEEDS_NEW_PIVOTS else SINGULAR
    set_rhs(newton.rhs, problem.joint_forces, work.gap, 1.0)
    solve_tree_step(problem, factorization)
    add_scaled(problem.second_rates, 1.0, problem.slopes)
    add_multipliers(newton.row, multipliers, m)
    for k in range(m):
        work.forces[stage, k] = multipliers[k]
    return DONE


@shared
def solve_stage(work, stage, factorization, start, is_newton):
    """Second rates of a stage under the newest ones of all others."""
    code = move_to_stage(work, stage, start)
    if code != DONE:
        return code
    if is_newton:
        return correct_stage(work, stage, factorization)
    return DONE if accelerate(work.reduced, work.problem) else SINGULAR


@shared
def sweep_stages(work, factorization, start, is_newton):
    """All stages once; how it went, largest change of rates, and largest rate."""
    problem = work.problem
    change = 0.0
    largest = 0.0
    for i in range(work.weights.shape[1]):
        code = solve_stage(work, i, factorization, start, is_newton)
        if code != DONE:
            return code, change, largest
        own, size = take_change(
            problem.second_rates, work.rates[i], work.old_rates,
            work.values[TIME_STEP], work.row_kinds, work.equations.length[0],
        )  # fmt: skip
        if not math.isfinite(own):
            return NOT_FINITE, change, largest
        change, largest = max(change, own), max(largest, size)
        set_all_slopes(work)
    return DONE, change, largest


@shared
def iterate_stages(work, counts, factorization, start, way):
    """Sweeps over the stages until they stand still, or shrink too slowly."""
    values = work.values
    is_newton = way == NEWTON
    start_stages(work)
    before = math.inf
    counts[N_LOG] = 0
    for sweep in range(work.options[SWEEPS]):
        code, change, largest = sweep_stages(work, factorization, start, is_newton)
        if code != DONE:
            return code
        counts[SOLVES] += work.weights.shape[1]
        work.log[min(sweep, work.log.shape[0] - 1)] = (
            change / largest if largest > 0.0 else change
        )
        counts[N_LOG] = min(sweep + 1, work.log.shape[0])
        if is_newton:
            is_settled = newton_has_settled(
                change, before, largest, values[TOLERANCE], values[TIME_STEP]
            )
        else:
            is_settled = has_settled(
                change, before, largest, values[TOLERANCE], values[TIME_STEP]
            )
        if is_settled:
            return DONE
        is_slow = sweep > 1 and change > max(SLOWEST * before, ROUNDING * largest)
        if way == AUTOMATIC and is_slow:
            return NOT_CONVERGED
        before = change
    return NOT_CONVERGED


@shared
def solve_stages(work, counts, factorization, start):
    """All stages; the end of the step is moved to."""
    way = work.options[ITERATION]
    code = iterate_stages(work, counts, factorization, start, way)
    if way == AUTOMATIC and code != DONE:
        code = iterate_stages(work, counts, factorization, start, NEWTON)
    if code != DONE:
        return code
    copy_rows(work.last_rates, work.rates)
    return move_to_stage(work, work.weights.shape[1], start)
