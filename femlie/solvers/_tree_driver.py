"""The stepping of Runge-Kutta methods on a tree, explicit ones and collocation."""

from __future__ import annotations

from .._equations import accept_step, copy, observe_blocks
from .._jit import routine, shared
from ..elements.base import MOTOR_POWER
from ._munthe_kaas_driver import DONE, SINGULAR
from ._tree_collocation import solve_stages
from ._tree_dynamics import accelerate, balance, recover
from ._tree_stages import (
    EVERY,
    SOLVES,
    START_TIME,
    STEP,
    SWEEPS,
    TIME_STEP,
    end_step,
    go_back,
    keep_start,
    move_to_stage,
    put_slopes,
)
from .march import BEFORE, NOW, add_to_book, record


@shared
def march_on(equations, motion, target, factorization, memory, buffer, n_steps):
    """Steps until ``n_steps`` are done in all, the buffer is full, or one fails."""
    work, counts = memory.work, memory.counts
    while counts[STEP] < n_steps and buffer.n[0] < buffer.times.shape[0]:
        code = take_step(work, counts)
        if code != DONE:
            return code
        counts[STEP] += 1
        is_recorded = counts[STEP] % work.options[EVERY] == 0 or counts[STEP] == n_steps
        finish_tree_step(work, buffer, is_recorded)
    return DONE


@shared
def take_step(work, counts):
    """One step; where it fails the state is what it was."""
    start = work.values[START_TIME] + counts[STEP] * work.values[TIME_STEP]
    keep_start(work)
    if work.options[SWEEPS] > 0:
        code = solve_stages(work, counts, start)
    else:
        code = take_stages(work, counts, start)
    if code == DONE:
        code = end_step(work)
    if code != DONE:
        go_back(work, start)
    return code


@shared
def take_stages(work, counts, start):
    """Stages of an explicit method; the last row of its weights is moved to."""
    problem = work.problem
    n_stages = work.slopes.shape[0]
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
