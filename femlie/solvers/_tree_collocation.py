"""Stages of Gauss-Legendre methods on a tree, solved by fixed-point iteration.

Stages ``q_i = exp(h sum a_ij k_j)``, ``v_i = v_n + h sum a_ij w_j`` with
``k_i = T^-1(q_i) v_i`` and w_i the second rates there. They are solved one after the
other, again and again, with the newest of all others; the start is the polynomial of
the last step. No matrix is formed: it converges for steps well below the shortest
period (Hairer, Lubich and Wanner 2006, section VIII.6).
"""

from __future__ import annotations

import math

from .._equations import copy_rows
from .._jit import routine, shared
from ._munthe_kaas_driver import DONE, SINGULAR
from ._tree_dynamics import accelerate
from ._tree_stages import (
    SOLVES,
    SWEEPS,
    TIME_STEP,
    TOLERANCE,
    combine,
    combine_stage,
    move_to_stage,
    put_slopes,
)

NO_CONVERGENCE = 5
# below this a change that no longer shrinks is rounding
ROUNDING = 1e-11


@routine
def extrapolate(matrix, old, new):
    """Stage values that the polynomial of the last step has in this one."""
    for i in range(new.shape[0]):
        for k in range(new.shape[1]):
            value = 0.0
            for j in range(old.shape[0]):
                value += matrix[i, j] * old[j, k]
            new[i, k] = value


@routine
def take_change(second_rates, stage_rates, rates, time_step):
    """Put second rates into their stage; change of rates over a step, largest rate."""
    change = 0.0
    largest = 0.0
    for k in range(second_rates.shape[0]):
        change = max(change, time_step * abs(second_rates[k] - stage_rates[k]))
        largest = max(largest, time_step * abs(second_rates[k]), abs(rates[k]))
        stage_rates[k] = second_rates[k]
    return change, largest


@routine
def has_settled(change, before, largest, tolerance):
    """Whether what later sweeps would change counts no more.

    Changes shrink by the same factor q from sweep to sweep, so that all later ones
    together are q / (1 - q) of the last.
    """
    if change <= tolerance * largest:
        return True
    if before == math.inf:
        return False
    if change >= before:
        return change <= ROUNDING * largest
    return change * change <= tolerance * largest * (before - change)


@shared
def set_all_slopes(work):
    """Slopes of all stages under the newest second rates.

    Places then follow velocities within a sweep, so that the error of a swing of
    period T shrinks by about (h / T)^2 instead of h / T.
    """
    for i in range(work.slopes.shape[0]):
        combine(work, i)
        put_slopes(work, i)


@shared
def start_stages(work):
    """First guesses of all stages."""
    n_stages = work.slopes.shape[0]
    extrapolate(work.extrapolation, work.last_rates, work.rates)
    for i in range(n_stages):
        combine_stage(
            work.rates, work.rates, work.weights[i], work.values[TIME_STEP],
            work.old_rates, work.problem.steps, work.slopes[i],
        )  # fmt: skip
    for _ in range(2):
        set_all_slopes(work)


@shared
def solve_stages(work, counts, start):
    """Sweeps over the stages until they stand still; the last one is moved to."""
    problem = work.problem
    n_stages = work.slopes.shape[0]
    start_stages(work)
    before = math.inf
    is_settled = False
    for _ in range(work.options[SWEEPS]):
        change = 0.0
        largest = 0.0
        for i in range(n_stages):
            code = move_to_stage(work, i, start)
            if code == DONE and not accelerate(work.reduced, problem):
                code = SINGULAR
            if code != DONE:
                return code
            own, size = take_change(
                problem.second_rates, work.rates[i], work.old_rates,
                work.values[TIME_STEP],
            )  # fmt: skip
            change, largest = max(change, own), max(largest, size)
            set_all_slopes(work)
        counts[SOLVES] += n_stages
        if has_settled(change, before, largest, work.values[TOLERANCE]):
            is_settled = True
            break
        before = change
    if not is_settled:
        return NO_CONVERGENCE
    copy_rows(work.last_rates, work.rates)
    return move_to_stage(work, n_stages, start)
