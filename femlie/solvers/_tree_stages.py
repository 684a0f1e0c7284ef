"""What Runge-Kutta methods on a tree share: stages, closed loops, the way back.

Increments of the joint coordinates from the start of a step follow
``dq/dt = T^-1(q) rate`` in the subgroup of each joint (Munthe-Kaas 1998); second rates
come from the recursions. Loops are closed again at the end of each step: places and
velocities are moved along ``H^-1 J^T``, H the inertia and J the loops' Jacobian.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from .._equations import copy, copy_rows, update_signals
from .._jit import routine, shared
from ..elements.base import Array, IntArray, Motion, Target
from ..newton import LARGEST_TURN
from ..recursive._dynamics import add_all
from ..recursive._problem import CLOSE, DYNAMICS, MOVE, PLACE, SET_SLOPES, STEPS, do
from ._step_state import (
    DONE,
    NOT_FINITE,
    SINGULAR,
    TIME_STEP,
    TURNED_TOO_FAR,
)
from ._tree_dynamics import accelerate, factor_inertia, measure_gaps

SOLVES, REFUSED, N_LOG = range(1, 4)
# columns of Work.values and of Work.options
(
    TOLERANCE,
    ERROR_TOLERANCE,
    ERROR_POWER,
    END_TIME,
    SMALLEST_STEP,
) = range(2, 7)
EVERY, SWEEPS, ITERATION = range(3)
# how stages of collocation are solved
FIXED_POINT, NEWTON, AUTOMATIC = range(3)


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
    slopes: Array  # (n_stages + 1, n_coordinates)
    rates: Array  # (n_stages + 1, n_coordinates)
    weights: Array  # (n_stages + 1, n_stages) the last row gives the step
    nodes: Array  # (n_stages + 1,)
    extrapolation: Array  # (n_stages, n_stages) of collocation, from the last step
    error_weights: Array  # (n_stages + 1,) of an embedded method
    diagonals: Array  # (2, n_stages) shares of C and K in the matrix of each stage
    last_rates: Array  # (n_stages, n_coordinates) second rates of the last step
    forces: Array  # (n_stages, m) multipliers of the loops in each stage
    gap: Array  # (m,) what is missing there
    row_kinds: IntArray  # (n_coordinates + m,) kinds of the coordinates' forces
    outputs: Array  # what the blocks of the reduced equations observe
    values: Array  # (7,)
    options: IntArray  # (3,) output every, most sweeps (none: explicit), Newton
    book: Array  # energy ledger, see `march`
    log: Array  # changes of the stages in each sweep of the last step


class Memory(NamedTuple):
    """What the driver carries from step to step."""

    counts: IntArray
    book: Array
    work: Any  # Work


@routine
def combine_stage(slopes, rates, weights, h, old_rates, steps, new_rates):
    """``q = h sum w_j k_j`` and ``v = v_n + h sum w_j dv_j``."""
    steps[:] = 0.0
    new_rates[:] = 0.0
    for j in range(weights.shape[0]):
        factor = weights[j]
        if factor != 0.0:
            for k in range(steps.shape[0]):
                steps[k] += factor * slopes[j, k]
                new_rates[k] += factor * rates[j, k]
    for k in range(steps.shape[0]):
        steps[k] *= h
        new_rates[k] = old_rates[k] + h * new_rates[k]


@shared
def combine(work, stage):
    """Steps and rates of a stage from the slopes of all."""
    problem = work.problem
    combine_stage(
        work.slopes, work.rates, work.weights[stage], work.values[TIME_STEP],
        work.old_rates, problem.steps, problem.relative.rates,
    )  # fmt: skip


@shared
def keep_start(work):
    """The state at the start of a step."""
    problem = work.problem
    copy_rows(work.old_frames, problem.relative.frames)
    copy_rows(problem.bases, problem.relative.frames)
    copy(work.old_rates, problem.relative.rates)
    copy(work.old_second_rates, problem.second_rates)


@shared
def move_to_stage(work, stage, start):
    """Relative state of a stage, and whether its joints turn too far."""
    problem = work.problem
    combine(work, stage)
    do(problem, STEPS, MOVE)
    turn = problem.turn[0]
    if not turn <= LARGEST_TURN:
        return TURNED_TOO_FAR if math.isfinite(turn) else NOT_FINITE
    work.motion.time[0] = start + work.nodes[stage] * work.values[TIME_STEP]
    update_signals(work.reduced, problem.motion)
    return DONE


@shared
def put_slopes(work, stage):
    """Slopes at the steps and rates of a stage."""
    do(work.problem, STEPS, SET_SLOPES)
    copy(work.slopes[stage], work.problem.slopes)


@shared
def end_step(work):
    """Loops closed and accelerations at the end of a step."""
    problem = work.problem
    if problem.gaps.shape[0] > 0 and not close_loops(work.reduced, problem):
        return SINGULAR
    return DONE if accelerate(work.reduced, problem) else SINGULAR


@shared
def close_loops(reduced, problem):
    """Move places, then velocities, back onto the constraints; False if singular."""
    do(problem, DYNAMICS, PLACE)
    if not factor_inertia(reduced, problem, 0):
        return False
    do(problem, DYNAMICS, CLOSE)
    copy_rows(problem.bases, problem.relative.frames)
    copy(problem.steps, problem.extra)
    do(problem, STEPS, MOVE)
    do(problem, DYNAMICS, PLACE)
    measure_gaps(reduced, problem, 1)
    do(problem, DYNAMICS, CLOSE)
    add_all(problem.relative.rates, problem.extra)
    return True


@shared
def go_back(work, start):
    """The state at the start of a step that failed."""
    problem = work.problem
    copy_rows(problem.relative.frames, work.old_frames)
    copy(problem.relative.rates, work.old_rates)
    copy(problem.second_rates, work.old_second_rates)
    work.motion.time[0] = start
    update_signals(work.reduced, problem.motion)
    copy(problem.given, problem.second_rates)
    do(problem, DYNAMICS, PLACE)
    problem.given[:] = 0.0
