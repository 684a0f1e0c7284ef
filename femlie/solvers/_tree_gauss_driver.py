"""The stepping of Gauss-Legendre methods on a tree, by fixed-point iteration.

Stages ``q_i = exp(h sum a_ij k_j)``, ``v_i = v_n + h sum a_ij w_j`` with
``k_i = T^-1(q_i) v_i`` and w_i the second rates there. They are solved one after the
other, again and again, with the newest of all others; the start is the polynomial of
the last step. No matrix is formed: it converges for steps well below the shortest
period (Hairer, Lubich and Wanner 2006, section VIII.6).
"""

from __future__ import annotations

import math

from .._equations import update_signals
from .._jit import kernel, shared
from ..newton import LARGEST_TURN
from ..recursive._joints import move_relative, set_slopes
from ._munthe_kaas_driver import DONE, NOT_FINITE, SINGULAR, TURNED_TOO_FAR
from ._tree_driver import (
    START_TIME,
    STEP,
    TIME_STEP,
    close_loops,
    combine_stage,
    finish_tree_step,
    go_back,
    largest_joint_turn,
)
from ._tree_dynamics import accelerate

NO_CONVERGENCE = 5
SOLVES = 1
TOLERANCE = 2
# below this a change that no longer shrinks is rounding
ROUNDING = 1e-11


@kernel
def extrapolate(matrix, old, new):
    """Stage values that the polynomial of the last step has in this one."""
    for i in range(new.shape[0]):
        for k in range(new.shape[1]):
            value = 0.0
            for j in range(old.shape[0]):
                value += matrix[i, j] * old[j, k]
            new[i, k] = value


@kernel
def take_change(second_rates, stage_rates, rates, time_step):
    """Put second rates into their stage; change of rates over a step, largest rate."""
    change = 0.0
    largest = 0.0
    for k in range(second_rates.shape[0]):
        change = max(change, time_step * abs(second_rates[k] - stage_rates[k]))
        largest = max(largest, time_step * abs(second_rates[k]), abs(rates[k]))
        stage_rates[k] = second_rates[k]
    return change, largest


@kernel
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
def march_on(equations, motion, target, factorization, memory, buffer, n_steps):
    """Steps until ``n_steps`` are done in all, the buffer is full, or one fails."""
    work, counts = memory.work, memory.counts
    while counts[STEP] < n_steps and buffer.n[0] < buffer.times.shape[0]:
        code = take_step(work, counts)
        if code != DONE:
            return code
        counts[STEP] += 1
        is_recorded = counts[STEP] % work.options[0] == 0 or counts[STEP] == n_steps
        finish_tree_step(work, buffer, is_recorded)
    return DONE


@shared
def move_to_stage(work, weights, time):
    """Relative state of a stage, and whether its joints turn too far."""
    problem, twist = work.problem, work.twist
    relative = problem.relative
    combine_stage(
        work.slopes, work.rates, weights, work.values[TIME_STEP], work.old_rates,
        work.phi, relative.rates,
    )  # fmt: skip
    turn = largest_joint_turn(problem.tree, work.phi, twist[0])
    if not turn <= LARGEST_TURN:
        return TURNED_TOO_FAR if math.isfinite(turn) else NOT_FINITE
    move_relative(problem.tree, work.old_frames, work.phi, relative.frames, twist[0])
    work.motion.time[0] = time
    update_signals(problem.equations, problem.motion)
    return DONE


@shared
def set_all_slopes(work):
    """Slopes of all stages under the newest second rates.

    Places then follow velocities within a sweep, so that the error of a swing of
    period T shrinks by about (h / T)^2 instead of h / T.
    """
    problem, twist = work.problem, work.twist
    for i in range(work.slopes.shape[0]):
        combine_stage(
            work.slopes, work.rates, work.weights[i], work.values[TIME_STEP],
            work.old_rates, work.phi, problem.relative.rates,
        )  # fmt: skip
        set_slopes(
            problem.tree, work.phi, problem.relative.rates, work.slopes[i], twist[0],
            twist[1],
        )  # fmt: skip


@shared
def start_stages(work, step):
    """First guesses of all stages."""
    problem = work.problem
    n_stages = work.slopes.shape[0]
    if step == 0:
        for i in range(n_stages):
            work.rates[i] = problem.second_rates
    else:
        extrapolate(work.extrapolation, work.last_rates, work.rates)
    for i in range(n_stages):
        combine_stage(
            work.rates, work.rates, work.weights[i], work.values[TIME_STEP],
            work.old_rates, work.phi, work.slopes[i],
        )  # fmt: skip
    for _ in range(2):
        set_all_slopes(work)


@shared
def take_step(work, counts):
    """One step; where it fails the state is what it was."""
    problem = work.problem
    h = work.values[TIME_STEP]
    start = work.values[START_TIME] + counts[STEP] * h
    n_stages = work.slopes.shape[0]
    work.old_frames[:] = problem.relative.frames
    work.old_rates[:] = problem.relative.rates
    work.old_second_rates[:] = problem.second_rates
    start_stages(work, counts[STEP])
    before = math.inf
    code = NO_CONVERGENCE
    for _ in range(work.options[1]):
        change = 0.0
        largest = 0.0
        for i in range(n_stages):
            code = move_to_stage(work, work.weights[i], start + work.nodes[i] * h)
            if code == DONE and not accelerate(problem):
                code = SINGULAR
            if code != DONE:
                go_back(work, start)
                return code
            own, size = take_change(
                problem.second_rates, work.rates[i], work.old_rates, h
            )
            change, largest = max(change, own), max(largest, size)
            set_all_slopes(work)
        counts[SOLVES] += n_stages
        code = NO_CONVERGENCE
        if has_settled(change, before, largest, work.values[TOLERANCE]):
            code = DONE
            break
        before = change
    if code == DONE:
        code = move_to_stage(work, work.weights[n_stages], start + h)
    if code == DONE:
        is_solved = True
        if problem.gaps.shape[0] > 0:
            is_solved = close_loops(problem, work.before, work.twist[0])
        if not (is_solved and accelerate(problem)):
            code = SINGULAR
    if code != DONE:
        go_back(work, start)
        return code
    work.last_rates[:] = work.rates
    return DONE
