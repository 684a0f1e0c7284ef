"""The stepping of explicit Munthe-Kaas Runge-Kutta methods in index-1 form.

In each stage ``[[M, B^T], [B, 0]]`` gives accelerations and multipliers; the increment
``phi`` from the start of the step follows ``dphi/dt = T^-1(phi) v`` (Munthe-Kaas 1998;
Mueller and Terze 2013, with body-fixed velocities and right multiplication).
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
from .._jit import routine, shared
from ..elements._scatter import increment_map, load3
from ..elements.base import Array, IntArray
from ..lie import _kernels as lie
from ..linear import NEEDS_NEW_PIVOTS, SOLVED, refactor, solve
from ..newton import LARGEST_TURN, largest_turn
from .march import finish_step

DONE, WANTS_PIVOTS, SINGULAR, TURNED_TOO_FAR, NOT_FINITE = range(5)
STEP, SOLVES = range(2)
TIME_STEP, START_TIME = range(2)


class Memory(NamedTuple):
    """What the driver carries from step to step."""

    old_poses: Array
    old_velocities: Array
    old_accelerations: Array
    old_multipliers: Array
    phi: Array  # (n_frames, 6) increment of a stage
    slopes: Array  # (n_stages, n_frames, 6) dphi/dt
    rates: Array  # (n_stages, n_frames, 6) dv/dt
    row: Array  # (n_rows,)
    rhs: Array  # (n_rows,)
    weights: Array  # (n_stages + 1, n_stages) tableau; the last row gives the step
    nodes: Array  # (n_stages + 1,)
    counts: IntArray  # (2,)
    values: Array  # (2,)
    options: IntArray  # (1,) output every
    book: Array  # energy ledger, see `march`


@routine
def gather_stage(memory_slopes, memory_rates, weights, h, phi, velocities, old):
    """``phi = h sum a_j k_j`` and ``v = v_n + h sum a_j dv_j``."""
    for i in range(phi.shape[0]):
        for k in range(6):
            increment = 0.0
            change = 0.0
            for j in range(weights.shape[0]):
                increment += weights[j] * memory_slopes[j, i, k]
                change += weights[j] * memory_rates[j, i, k]
            phi[i, k] = h * increment
            velocities[i, k] = old[i, k] + h * change


@routine
def slope_of(phi, velocities, slope):
    """``dphi/dt = T^-1(phi) v``."""
    for i in range(phi.shape[0]):
        a, b = increment_map(phi, i)
        u = load3(velocities, i, 0)
        w = load3(velocities, i, 3)
        du = lie.add(lie.apply(a, u), lie.apply(b, w))
        dw = lie.apply(a, w)
        for k in range(3):
            slope[i, k] = du[k]
            slope[i, 3 + k] = dw[k]


@routine
def rows_of(array, numbers, n_rows, row):
    """(n_frames, 6) values as a vector of unknowns, multipliers zero."""
    row[:] = 0.0
    for i in range(numbers.shape[0]):
        for k in range(6):
            if numbers[i, k] < n_rows:
                row[numbers[i, k]] = array[i, k]


@routine
def take_rates(row, numbers, n_rows, accelerations, multipliers, first):
    for i in range(numbers.shape[0]):
        for k in range(6):
            if numbers[i, k] < n_rows:
                accelerations[i, k] += row[numbers[i, k]]
    for k in range(multipliers.shape[0]):
        multipliers[k] += row[first + k]


@shared
def march_on(equations, motion, target, factorization, memory, buffer, n_steps):
    """Steps until ``n_steps`` are done in all, the buffer is full, or one fails.

    The last stage sits at the end of the step, where accelerations and multipliers are
    computed for the next one: they serve as its first stage.
    """
    values, counts = memory.values, memory.counts
    rhs, row = memory.rhs, memory.row
    numbers = equations.numbers
    h = values[TIME_STEP]
    first, n_rows = equations.sizes[0], equations.sizes[1]
    n_stages = memory.slopes.shape[0]
    while counts[STEP] < n_steps and buffer.n[0] < buffer.times.shape[0]:
        copy_rows(memory.old_poses, motion.poses)
        copy_rows(memory.old_velocities, motion.velocities)
        copy_rows(memory.old_accelerations, motion.accelerations)
        copy(memory.old_multipliers, motion.multipliers)
        start = values[START_TIME] + counts[STEP] * h
        copy_rows(memory.slopes[0], motion.velocities)
        copy_rows(memory.rates[0], motion.accelerations)
        code = DONE
        for stage in range(1, n_stages + 1):
            gather_stage(
                memory.slopes, memory.rates, memory.weights[stage], h, memory.phi,
                motion.velocities, memory.old_velocities,
            )  # fmt: skip
            turn = largest_turn(memory.phi)
            if not turn <= LARGEST_TURN:
                code = TURNED_TOO_FAR if math.isfinite(turn) else NOT_FINITE
                break
            copy_rows(motion.bases, memory.old_poses)
            motion.increments[:] = 0.0
            rows_of(memory.phi, numbers, n_rows, row)
            move_frames(equations, motion, row, 1.0)
            # the accelerations are asked for at a step that starts here
            copy_rows(motion.bases, motion.poses)
            motion.increments[:] = 0.0
            motion.accelerations[:] = 0.0
            motion.multipliers[:] = 0.0
            motion.time[0] = start + memory.nodes[stage] * h
            update_signals(equations, motion)
            evaluate_blocks(equations, motion, target, 2, 1.0, 0.0, 0.0)
            negate(rhs, target.residual)
            outcome = refactor(factorization, target.data)
            if outcome != SOLVED:
                code = WANTS_PIVOTS if outcome == NEEDS_NEW_PIVOTS else SINGULAR
                break
            counts[SOLVES] += 1
            solve(factorization, target.data, rhs, row)
            take_rates(
                row, numbers, n_rows, motion.accelerations, motion.multipliers, first
            )
            if stage < n_stages:
                slope_of(memory.phi, motion.velocities, memory.slopes[stage])
                copy_rows(memory.rates[stage], motion.accelerations)
        if code != DONE:
            copy_rows(motion.poses, memory.old_poses)
            copy_rows(motion.bases, memory.old_poses)
            motion.increments[:] = 0.0
            copy_rows(motion.velocities, memory.old_velocities)
            copy_rows(motion.accelerations, memory.old_accelerations)
            copy(motion.multipliers, memory.old_multipliers)
            motion.time[0] = start
            return code
        counts[STEP] += 1
        finish_step(
            equations, motion, target, buffer, memory.book,
            counts[STEP] % memory.options[0] == 0 or counts[STEP] == n_steps,
        )  # fmt: skip
    return DONE
