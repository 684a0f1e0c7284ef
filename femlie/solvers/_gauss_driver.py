"""The stepping of Gauss-Legendre methods in index-1 form, on Lie groups or in R^4.

Stage i of s: ``v_i = v_n + h sum a_ij dv_j``, ``phi_i = h sum a_ij T^-1(phi_j) v_j``,
and accelerations that solve ``[[M, B^T], [B, 0]]`` there. In the ambient form places
and quaternions are stepped as vectors, ``dp/dt = R u`` and ``dq/dt = q (0, w) / 2``:
the length of q is a quadratic invariant, which these methods keep unnormalized.

Stages are solved one after another, again and again (Gauss-Seidel). In Newton's
iteration stage i takes ``M + h e_i C + h^2 d_i^2 K`` instead of the coupled matrix of
all stages; with the numbers d and e below the error of an oscillation of any frequency
falls at least by 0.18 (two stages) or 0.34 (three), of a decay by 0.04 or 0.09.
In the fixed-point form the matrix is M alone.

Butcher 2008, section 342; Hairer, Lubich and Wanner 2006, theorem IV.2.1.
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
from .._groups import (
    EXACT,
    SO3_R3,
    body_rates,
    group_rates,
    increment_rate,
    local_rows,
)
from .._jit import routine, shared
from ..elements._scatter import load3
from ..elements.base import Array, IntArray
from ..lie import _kernels as lie
from ..linear import NEEDS_NEW_PIVOTS, SOLVED, refactor, solve
from ..newton import LARGEST_TURN, largest_turn
from ._step_state import (
    DONE,
    NOT_CONVERGED,
    NOT_FINITE,
    SINGULAR,
    START_TIME,
    STEP,
    TIME_STEP,
    TURNED_TOO_FAR,
    WANTS_PIVOTS,
    keep_state,
    restore,
    take_rates,
)
from .march import finish_step

SOLVES, HAS_PAST, N_LOG = range(1, 4)
TOLERANCE = 2
OUTPUT_EVERY, SWEEP_LIMIT, IS_NEWTON, IS_AMBIENT = range(4)
# sweeps that bring no more than this count as rounding, if the size says so too
STAGNATION, ROUNDING_SIZE = 0.8, 1e-9
SLOW, SMALL_SIZE = 0.5, 1e-12
# the same in model sizes or radians: at rest the pace itself is rounding
ROUNDING_MOVE = 1e-12


class Memory(NamedTuple):
    """What the driver carries from step to step."""

    old_poses: Array
    old_velocities: Array
    old_accelerations: Array
    old_multipliers: Array
    first_speeds: Array  # (n_frames, 6) velocities of the groups when the step starts
    speeds: Array  # (n_frames, 6) in a stage
    now: Array  # (n_frames, 6) rates of a stage before it is solved again
    phi: Array  # (n_frames, 7) increment of a stage, or change of a pose
    increments: Array  # (n_frames, 6) the same on the group
    slope: Array  # (n_frames, 6)
    phis: Array  # (n_stages, n_frames, 7) increments of the stages
    slopes: Array  # (n_stages, n_frames, 7) rates of phi
    rates: Array  # (n_stages, n_frames, 6) rates of the velocities of the groups
    past: Array  # (n_stages, n_frames, 6) those of the last step
    forces: Array  # (n_stages, n_multipliers)
    row: Array
    rhs: Array
    weights: Array  # (n_stages + 1, n_stages); the last row gives the step
    nodes: Array  # (n_stages + 1,)
    onward: Array  # (n_stages, n_stages) from stages of one step to those of the next
    diagonals: Array  # (2, n_stages) e and d
    counts: IntArray  # (4,)
    values: Array  # (3,)
    options: IntArray  # (4,)
    book: Array  # energy ledger, see `march`
    log: Array  # sizes of the corrections of the last step


@routine
def copy_frames(target, source):
    """The first six columns, of arrays with six or seven."""
    for i in range(target.shape[0]):
        for k in range(6):
            target[i, k] = source[i, k]


@routine
def combine(weights, h, slopes, first, out):
    """``first + h sum a_j k_j``."""
    for i in range(out.shape[0]):
        for k in range(out.shape[1]):
            change = 0.0
            for j in range(weights.shape[0]):
                change += weights[j] * slopes[j, i, k]
            out[i, k] = first[i, k] + h * change


@routine
def pose_rate(groups, old_poses, change, speeds, slope):
    """``dp/dt = R u`` and ``dq/dt = q (0, w) / 2`` at a pose of any length."""
    for i in range(groups.shape[0]):
        q = (
            old_poses[i, 3] + change[i, 3],
            old_poses[i, 4] + change[i, 4],
            old_poses[i, 5] + change[i, 5],
            old_poses[i, 6] + change[i, 6],
        )
        w = load3(speeds, i, 3)
        u = load3(speeds, i, 0)
        if groups[i] != SO3_R3:
            u = lie.quaternion_rotate(lie.quaternion_normalize(q), u)
        turning = lie.quaternion_multiply(q, (0.0, 0.5 * w[0], 0.5 * w[1], 0.5 * w[2]))
        for k in range(3):
            slope[i, k] = u[k]
        for k in range(4):
            slope[i, 3 + k] = turning[k]


@routine
def place_poses(old_poses, change, poses, is_normalized):
    """Poses moved as vectors; kernels want unit quaternions within a step."""
    for i in range(1, poses.shape[0]):
        square = 0.0
        for k in range(7):
            poses[i, k] = old_poses[i, k] + change[i, k]
            if k > 2:
                square += poses[i, k] * poses[i, k]
        if is_normalized:
            factor = 1.0 / math.sqrt(square)
            for k in range(3, 7):
                poses[i, k] *= factor


@routine
def change_size(first, second, pace, length, factor):
    """``factor |first - second|`` over the pace of the fastest frame."""
    worst = 0.0
    for i in range(first.shape[0]):
        for part in range(2):
            square = 0.0
            for k in range(3 * part, 3 * part + 3):
                square += (first[i, k] - second[i, k]) ** 2
            size = math.sqrt(square)
            if part == 0:
                size /= length
            if not math.isfinite(size):
                return math.inf
            worst = max(worst, size)
    worst *= factor
    return worst / pace if pace > 0.0 else worst


@routine
def is_rounding(size, last, move):
    """Whether sweeps only shuffle rounding.

    ``size`` and ``last`` are changes over the pace, ``move`` what the change moves in
    one step.
    """
    is_small = size <= ROUNDING_SIZE or move <= ROUNDING_MOVE
    is_stuck = is_small and size > STAGNATION * last
    return is_stuck or (size <= SMALL_SIZE and size > SLOW * last)


@routine
def pace_of(speeds, rates, h, length):
    """Speed of the fastest frame within a step, in model sizes or radians a second."""
    pace = 0.0
    for i in range(speeds.shape[0]):
        for k in range(6):
            size = abs(speeds[i, k]) + h * abs(rates[i, k])
            pace = max(pace, size / length if k < 3 else size)
    return pace


@routine
def set_slopes(groups, memory, h):
    """Rates of all increments at the present rates of the velocities."""
    for stage in range(memory.slopes.shape[0]):
        combine(
            memory.weights[stage], h, memory.rates, memory.first_speeds, memory.speeds
        )
        if memory.options[IS_AMBIENT] != 0:
            pose_rate(
                groups, memory.old_poses, memory.phis[stage], memory.speeds,
                memory.slopes[stage],
            )  # fmt: skip
        else:
            copy_frames(memory.increments, memory.phis[stage])
            increment_rate(
                groups, memory.increments, memory.speeds, EXACT, memory.slope
            )
            copy_frames(memory.slopes[stage], memory.slope)


@shared
def place_stage(equations, motion, memory, stage):
    """Frames moved by ``phi``."""
    phi, increments = memory.phi, memory.increments
    groups, numbers, n_rows = equations.groups, equations.numbers, equations.sizes[1]
    copy_rows(motion.poses, memory.old_poses)
    copy_rows(motion.bases, memory.old_poses)
    motion.increments[:] = 0.0
    if memory.options[IS_AMBIENT] != 0:
        is_within = stage < memory.slopes.shape[0]
        place_poses(memory.old_poses, phi, motion.poses, is_within)
        return DONE
    copy_frames(increments, phi)
    turn = largest_turn(increments)
    if not turn <= LARGEST_TURN:
        return TURNED_TOO_FAR if math.isfinite(turn) else NOT_FINITE
    local_rows(groups, motion.bases, increments, numbers, n_rows, memory.row)
    move_frames(equations, motion, memory.row, 1.0)
    return DONE


@shared
def march_on(equations, motion, target, factorization, memory, buffer, n_steps):
    """Steps until ``n_steps`` are done in all, the buffer is full, or one fails.

    The place after the last stage is the end of the step: its accelerations are for
    results, and for the first guess of the first step.
    """
    values, counts, options = memory.values, memory.counts, memory.options
    rhs, row, rates, slopes = memory.rhs, memory.row, memory.rates, memory.slopes
    speeds, phi, now = memory.speeds, memory.phi, memory.now
    increments, slope = memory.increments, memory.slope
    groups, numbers, length = equations.groups, equations.numbers, equations.length[0]
    first, n_rows = equations.sizes[0], equations.sizes[1]
    n_stages = memory.weights.shape[1]
    h = values[TIME_STEP]
    code = DONE
    while (
        code == DONE and counts[STEP] < n_steps and buffer.n[0] < buffer.times.shape[0]
    ):
        keep_state(memory, motion)
        start = values[START_TIME] + counts[STEP] * h
        group_rates(
            groups, motion.poses, motion.velocities, motion.accelerations,
            memory.first_speeds, now,
        )  # fmt: skip
        pace = pace_of(memory.first_speeds, now, h, length)
        for stage in range(n_stages):
            if counts[HAS_PAST] != 0:
                rates[stage][:] = 0.0
                combine(
                    memory.onward[stage], 1.0, memory.past, rates[stage], rates[stage]
                )
            else:
                copy_rows(rates[stage], now)
                copy(memory.forces[stage], motion.multipliers)
            memory.phis[stage][:] = 0.0
        last_size = math.inf
        sweep = 0
        counts[N_LOG] = 0
        is_settled = False
        while code == DONE:
            size = 0.0
            n_places = 1 if is_settled else n_stages
            for place in range(n_places):
                stage = n_stages if is_settled else place
                set_slopes(groups, memory, h)
                combine(memory.weights[stage], h, rates, memory.first_speeds, speeds)
                phi[:] = 0.0
                combine(memory.weights[stage], h, slopes, phi, phi)
                code = place_stage(equations, motion, memory, stage)
                if code != DONE:
                    break
                copy_rows(motion.bases, motion.poses)
                motion.increments[:] = 0.0
                if is_settled:
                    copy_rows(now, rates[n_stages - 1])
                    copy(motion.multipliers, memory.forces[n_stages - 1])
                else:
                    copy_frames(increments, memory.phis[stage])
                    copy_frames(slope, phi)
                    copy_rows(memory.phis[stage], phi)
                    moved = change_size(increments, slope, pace, length, 1.0 / h)
                    size = max(size, moved)
                    copy_rows(now, rates[stage])
                    copy(motion.multipliers, memory.forces[stage])
                body_rates(
                    groups, motion.poses, speeds, now, motion.velocities,
                    motion.accelerations,
                )  # fmt: skip
                motion.time[0] = start + memory.nodes[stage] * h
                update_signals(equations, motion)
                damping = stiffness = 0.0
                if options[IS_NEWTON] != 0 and not is_settled:
                    damping = h * memory.diagonals[0, stage]
                    stiffness = (h * memory.diagonals[1, stage]) ** 2
                evaluate_blocks(equations, motion, target, 2, 1.0, damping, stiffness)
                negate(rhs, target.residual)
                outcome = refactor(factorization, target.data)
                if outcome != SOLVED:
                    code = WANTS_PIVOTS if outcome == NEEDS_NEW_PIVOTS else SINGULAR
                    break
                counts[SOLVES] += 1
                solve(factorization, target.data, rhs, row)
                take_rates(
                    row, numbers, n_rows, motion.accelerations, motion.multipliers,
                    first,
                )  # fmt: skip
                if is_settled:
                    break
                copy(memory.forces[stage], motion.multipliers)
                group_rates(
                    groups, motion.poses, motion.velocities, motion.accelerations,
                    speeds, rates[stage],
                )  # fmt: skip
                size = max(size, change_size(rates[stage], now, pace, length, h))
            if code != DONE or is_settled:
                break
            memory.log[min(sweep, memory.log.shape[0] - 1)] = size
            sweep += 1
            counts[N_LOG] = min(sweep, memory.log.shape[0])
            move = size * h * (pace if pace > 0.0 else 1.0)
            is_settled = size <= values[TOLERANCE] or is_rounding(size, last_size, move)
            last_size = size
            if not math.isfinite(size):
                code = NOT_FINITE
            elif sweep == options[SWEEP_LIMIT] and not is_settled:
                code = NOT_CONVERGED
        if code != DONE:
            restore(motion, memory, start)
            return code
        for stage in range(n_stages):
            copy_rows(memory.past[stage], rates[stage])
        counts[HAS_PAST] = 1
        counts[STEP] += 1
        finish_step(
            equations, motion, target, buffer, memory.book,
            counts[STEP] % options[OUTPUT_EVERY] == 0 or counts[STEP] == n_steps,
        )  # fmt: skip
    return code
