"""The stepping of Runge-Kutta methods on a tree, explicit ones and collocation."""

from __future__ import annotations

import math

from .._equations import accept_step, copy, observe_blocks
from .._jit import routine, shared
from ..elements.base import MOTOR_POWER
from ._munthe_kaas_driver import next_step
from ._step_state import (
    DONE,
    ERROR_TOO_LARGE,
    SINGULAR,
    START_TIME,
    STEP,
    TIME_STEP,
    WANTS_PIVOTS,
    is_last_step,
    step_behind,
)
from ._tree_collocation import solve_stages
from ._tree_dynamics import accelerate, balance, recover
from ._tree_stages import (
    END_TIME,
    ERROR_POWER,
    ERROR_TOLERANCE,
    EVERY,
    REFUSED,
    SMALLEST_STEP,
    SOLVES,
    SWEEPS,
    end_step,
    go_back,
    keep_start,
    move_to_stage,
    put_slopes,
)
from .march import BEFORE, BOOK_STEP, NOW, add_to_book, record


@shared
def march_on(equations, motion, target, factorization, memory, buffer, n_steps):
    """Steps until ``n_steps`` are done in all, the buffer is full, or one fails."""
    work, counts = memory.work, memory.counts
    values = work.values
    is_adaptive = values[ERROR_TOLERANCE] > 0.0
    end = values[END_TIME]
    while (
        counts[STEP] < n_steps
        and buffer.n[0] < buffer.times.shape[0]
        and motion.time[0] < end
    ):
        start = values[START_TIME] + counts[STEP] * values[TIME_STEP]
        wanted = values[TIME_STEP]
        is_last = False
        if is_adaptive:
            start = motion.time[0]
            is_last = is_last_step(start, wanted, end)
            if is_last:
                values[TIME_STEP] = end - start
        h = values[TIME_STEP]
        code = take_step(work, counts, factorization, start)
        factor = 0.5
        if is_adaptive and code == DONE:
            error = local_error(
                work.slopes, work.rates, work.error_weights, h, work.old_rates,
                work.row_kinds, work.equations.length[0],
            )  # fmt: skip
            factor = next_step(error, values[ERROR_TOLERANCE], values[ERROR_POWER])
            if not error <= values[ERROR_TOLERANCE]:
                code = ERROR_TOO_LARGE
        if code != DONE:
            go_back(work, start)
            values[TIME_STEP] = wanted
            if (
                is_adaptive
                and code != WANTS_PIVOTS
                and factor * h > values[SMALLEST_STEP]
            ):
                values[TIME_STEP] = factor * h
                counts[REFUSED] += 1
                continue
            return code
        counts[STEP] += 1
        work.book[BOOK_STEP] = h
        if is_adaptive:
            if is_last:
                motion.time[0] = end
            values[TIME_STEP] = step_behind(h, wanted, factor, is_last)
        is_recorded = counts[STEP] % work.options[EVERY] == 0 or counts[STEP] == n_steps
        finish_tree_step(work, buffer, is_recorded or motion.time[0] >= end)
    return DONE


@routine
def local_error(slopes, rates, weights, h, speeds, kinds, length):
    """Largest difference of the two steps over all coordinates.

    Translations count relative to the model's size, rates relative to the fastest.
    """
    pace = 0.0
    worst = 0.0
    fastest = 0.0
    for k in range(speeds.shape[0]):
        size = length if kinds[k] == 0 else 1.0
        moved = changed = 0.0
        for j in range(weights.shape[0]):
            moved += weights[j] * slopes[j, k]
            changed += weights[j] * rates[j, k]
        pace = max(pace, abs(speeds[k]) / size)
        worst = max(worst, h * abs(moved) / size)
        fastest = max(fastest, h * abs(changed) / size)
        if not math.isfinite(moved + changed):
            return math.inf
    return max(worst, fastest / pace) if pace > 0.0 else worst


@shared
def take_step(work, counts, factorization, start):
    """One step; where it fails the caller goes back."""
    keep_start(work)
    if work.options[SWEEPS] > 0:
        code = solve_stages(work, counts, factorization, start)
    else:
        code = take_stages(work, counts, start)
    if code != DONE:
        return code
    n_stages = work.weights.shape[1]
    put_slopes(work, n_stages)
    code = end_step(work)
    copy(work.rates[n_stages], work.problem.second_rates)
    return code


@shared
def take_stages(work, counts, start):
    """Stages of an explicit method; the last row of its weights is moved to."""
    problem = work.problem
    n_stages = work.weights.shape[1]
    copy(work.slopes[0], problem.relative.rates)
    copy(work.rates[0], problem.second_rates)
    for stage in range(1, n_stages):
        code = move_to_stage(work, stage, start)
        if code == DONE and not accelerate(work.reduced, problem):
            code = SINGULAR
        if code != DONE:
            return code
        put_slopes(work, stage)
        copy(work.rates[stage], problem.second_rates)
    counts[SOLVES] += n_stages
    return move_to_stage(work, n_stages, start)


@shared
def finish_tree_step(work, buffer, is_recorded):
    """Accept a step, keep the ledger, and record a row where one is due."""
    problem, motion, book = work.problem, work.motion, work.book
    accept_step(work.reduced, problem.motion)
    accept_step(work.equations, motion)
    equations, outputs = work.reduced, work.outputs
    if is_recorded:
        recover(work.equations, motion, work.target, work.reduced, problem)
        equations, outputs = work.equations, buffer.outputs[buffer.n[0]]
    observe_blocks(equations, motion, outputs, book[NOW:BEFORE], is_recorded)
    if not is_recorded and problem.driven_forces.shape[0] > 0:
        balance(work.reduced, problem)
        book[NOW + MOTOR_POWER] += driven_power(
            problem.driven_forces, problem.relative.driven_rates
        )
    add_to_book(book, is_recorded)
    if is_recorded:
        record(work.equations, motion, work.target, buffer, book)


@routine
def driven_power(forces, driven_rates):
    power = 0.0
    for d in range(forces.shape[0]):
        power += forces[d] * driven_rates[d, 0]
    return power
