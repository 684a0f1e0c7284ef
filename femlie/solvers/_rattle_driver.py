"""The stepping of RATTLE on Lie groups: variational, second order, for constraints.

The discrete Lagrangian of a step ``q_1 = q_0 exp(x)`` with ``V = x / h`` is
``h/2 (L(q_0, V) + L(q_1, V))``; p is the body momentum ``M v`` of the frames:

- ``W_0^T P - h/2 G_0 = p_0 - h/2 (F_0 + B_0^T l_0)`` and ``Phi(q_1) = 0`` for x and l_0
- ``p_1 = W_1^T P + h/2 (G_1 - F_1 - B_1^T l_1)`` and ``B_1 v_1 + c_t = 0`` for v_1, l_1

with ``dx = W_1 eta_1 - W_0 eta_0`` (on SE(3) ``W_1 = T^-1(x)``, ``W_0 = T^-1(-x)``), P
the mean of ``M V`` at both ends, and G the slope of the kinetic energy at a given V: of
beams, whose inertia moves with their shape. Linear and angular momentum of models that
no place in space acts on are kept to rounding.

The terms come from the three calls: ``M V`` from the residual at accelerations ``s V``
with a scale s that leaves nothing of all other forces, G from the stiffness there, F
from the residual at rest, and of dampers the part that changes sign with the velocity.

Marsden and West 2001; Hante and Arnold 2021 (RATTLE on Lie groups).
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
    spread,
    update_signals,
)
from .._groups import body_rates, group_rates, local_rows, read_increments
from .._jit import shared
from ..elements.base import Array, IntArray
from ..linear import NEEDS_NEW_PIVOTS, SOLVED, refactor, solve
from ..newton import LARGEST_TURN, largest_move, largest_turn
from ._rattle_momentum import (
    AT_END,
    AT_START,
    SCALE,
    add_group_momentum,
    add_pushes,
    add_turning_slope,
    carry_momentum,
    extrapolate,
    half_slope,
    has_any,
    local_momentum,
    multiply_frames,
    rows_of,
    scale_rows,
    subtract_rows,
)
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
    add_frames,
    keep_state,
    restore,
    take_rates,
)
from .march import finish_step

ITERATIONS, N_LOG = range(1, 3)
TOLERANCE = 2
OUTPUT_EVERY, ITERATION_LIMIT, HAS_MOVING_INERTIA = range(3)
# corrections that shrink by less than this are rounding, if they are that small
STAGNATION, ROUNDING_SIZE = 0.5, 1e-11
# times that the velocity at the end is solved with the dampers' forces at it
DAMPED_SOLVES = 3


class Memory(NamedTuple):
    """What the driver carries from step to step."""

    old_poses: Array
    old_velocities: Array
    old_accelerations: Array
    old_multipliers: Array
    new_poses: Array
    speeds: Array  # (n_frames, 6) V
    rates: Array  # (n_frames, 6)
    increments: Array  # (n_frames, 6) x
    before: Array  # (n_frames, 6) V as a body twist when the step starts
    after: Array  # (n_frames, 6) and at its end
    mean: Array  # (n_frames, 6) P
    momentum: Array  # (n_rows,) p_0
    forces: Array  # (n_rows,) F_0
    push: Array  # (n_rows,) l_0
    slope: Array  # (n_rows,) G
    first_part: Array  # (n_rows,) M V when the step starts
    last_part: Array  # (n_rows,) and at its end
    row: Array
    rhs: Array
    data: Array  # (n_nonzeros + 1,) matrix when the step starts
    counts: IntArray  # (3,)
    values: Array  # (3,)
    options: IntArray  # (3,)
    book: Array  # energy ledger, see `march`
    log: Array  # sizes of the corrections of the last step


@shared
def applied_forces(equations, motion, target, velocities, first, out):
    """``F``: forces at rest, and the part that changes sign with the velocity.

    ``target.residual`` keeps the constraints on level 1 at rest, ``c_t``.
    """
    motion.accelerations[:] = 0.0
    motion.multipliers[:] = 0.0
    out[:] = 0.0
    for sign in range(2):
        factor = 0.5 if sign == 0 else -0.5
        scale_rows(motion.velocities, velocities, 2.0 * factor)
        evaluate_blocks(equations, motion, target, 1, 0.0, 0.0, 0.0)
        for k in range(first):
            out[k] += factor * target.residual[k]
    motion.velocities[:] = 0.0
    evaluate_blocks(equations, motion, target, 1, 0.0, 0.0, 0.0)


@shared
def march_on(equations, motion, target, factorization, memory, buffer, n_steps):
    """Steps until ``n_steps`` are done in all, the buffer is full, or one fails."""
    values, counts, options = memory.values, memory.counts, memory.options
    rhs, row, residual, data = memory.rhs, memory.row, target.residual, target.data
    push, slope, moves = memory.push, memory.slope, equations.moves
    groups, numbers, length = equations.groups, equations.numbers, equations.length[0]
    first, n_rows = equations.sizes[0], equations.sizes[1]
    indptr, indices = factorization.indptr, factorization.indices
    is_moving = options[HAS_MOVING_INERTIA] != 0
    h = values[TIME_STEP]
    evaluate_blocks(equations, motion, target, 2, 1.0, 0.0, 0.0)
    copy(memory.data, data)
    outcome = refactor(factorization, data)
    if outcome != SOLVED:
        return WANTS_PIVOTS if outcome == NEEDS_NEW_PIVOTS else SINGULAR
    code = DONE
    while counts[STEP] < n_steps and buffer.n[0] < buffer.times.shape[0]:
        keep_state(memory, motion)
        start = values[START_TIME] + counts[STEP] * h
        group_rates(
            groups, motion.poses, motion.velocities, motion.accelerations,
            memory.speeds, memory.rates,
        )  # fmt: skip
        push[:first] = 0.0
        copy(push[first:], motion.multipliers)
        extrapolate(memory.speeds, memory.rates, h, memory.increments)
        motion.time[0] = start + h
        update_signals(equations, motion)
        local_rows(groups, motion.bases, memory.increments, numbers, n_rows, row)
        row[first:] = 0.0
        move_frames(equations, motion, row, 1.0)
        motion.multipliers[:] = 0.0
        motion.velocities[:] = 0.0
        memory.rates[:] = 0.0
        iteration = 0
        last_size = math.inf
        counts[N_LOG] = 0
        is_settled = False
        while code == DONE:
            turn = largest_turn(motion.increments)
            if not turn <= LARGEST_TURN:
                code = TURNED_TOO_FAR if math.isfinite(turn) else NOT_FINITE
                break
            read_increments(
                groups, motion.bases, motion.poses, motion.increments,
                memory.increments,
            )  # fmt: skip
            scale_rows(memory.speeds, memory.increments, 1.0 / h)
            body_rates(
                groups, memory.old_poses, memory.speeds, memory.rates, memory.before,
                motion.accelerations,
            )  # fmt: skip
            body_rates(
                groups, motion.poses, memory.speeds, memory.rates, memory.after,
                motion.accelerations,
            )  # fmt: skip
            rows_of(memory.before, numbers, n_rows, row)
            multiply_frames(indptr, indices, memory.data, first, row, memory.first_part)
            slope[:] = 0.0
            motion.accelerations[:] = 0.0
            if is_moving:
                copy_rows(memory.new_poses, motion.poses)
                copy_rows(motion.poses, memory.old_poses)
                scale_rows(motion.accelerations, memory.before, SCALE)
                evaluate_blocks(equations, motion, target, 0, 0.0, 0.0, 1.0)
                half_slope(indptr, indices, data, first, row, slope)
                copy_rows(motion.poses, memory.new_poses)
                scale_rows(motion.accelerations, memory.after, SCALE)
            evaluate_blocks(equations, motion, target, 0, 0.0, 0.0, 0.0)
            if is_moving:
                for k in range(n_rows):
                    memory.last_part[k] = residual[k] / SCALE
            else:
                rows_of(memory.after, numbers, n_rows, row)
                multiply_frames(
                    indptr, indices, memory.data, first, row, memory.last_part
                )
            add_turning_slope(
                groups, numbers, n_rows, memory.first_part, memory.before, slope
            )
            memory.mean[:] = 0.0
            spread(numbers, first, memory.first_part, moves)
            add_group_momentum(groups, memory.old_poses, moves, 0.5, memory.mean)
            spread(numbers, first, memory.last_part, moves)
            add_group_momentum(groups, motion.poses, moves, 0.5, memory.mean)
            local_momentum(
                groups,
                memory.old_poses,
                motion.increments,
                memory.mean,
                AT_START,
                moves,
            )
            rows_of(moves, numbers, n_rows, rhs)
            for k in range(n_rows):
                rhs[k] += 0.5 * h * (memory.forces[k] - slope[k]) - memory.momentum[k]
            add_pushes(indptr, indices, memory.data, first, push, 0.5 * h, rhs)
            if is_settled:
                break
            for k in range(first):
                rhs[k] *= -h
            negate(rhs[first:], residual[first:])
            solve(factorization, memory.data, rhs, row)
            for k in range(first, n_rows):
                push[k] += row[k] * (2.0 / (h * h))
            row[first:] = 0.0
            move_frames(equations, motion, row, 1.0)
            size = largest_move(row, numbers, n_rows, length)
            memory.log[min(iteration, memory.log.shape[0] - 1)] = size
            iteration += 1
            counts[ITERATIONS] += 1
            counts[N_LOG] = min(iteration, memory.log.shape[0])
            is_rounding = size <= ROUNDING_SIZE and size > STAGNATION * last_size
            is_settled = size <= values[TOLERANCE] or is_rounding
            last_size = size
            if not math.isfinite(size):
                code = NOT_FINITE
            elif iteration == options[ITERATION_LIMIT] and not is_settled:
                code = NOT_CONVERGED
        if code != DONE:
            restore(motion, memory, start)
            return code
        # what rounding left of the balance at the start goes on to the end
        spread(numbers, first, rhs, moves)
        carry_momentum(groups, memory.old_poses, motion.poses, moves, memory.before)
        local_momentum(
            groups, motion.poses, motion.increments, memory.mean, AT_END, moves
        )
        subtract_rows(moves, memory.before)
        rows_of(moves, numbers, n_rows, push)
        slope[:] = 0.0
        if is_moving:
            rows_of(memory.after, numbers, n_rows, row)
            scale_rows(motion.accelerations, memory.after, SCALE)
            evaluate_blocks(equations, motion, target, 0, 0.0, 0.0, 1.0)
            half_slope(indptr, indices, data, first, row, slope)
        add_turning_slope(
            groups, numbers, n_rows, memory.last_part, memory.after, slope
        )
        for k in range(first):
            push[k] += 0.5 * h * slope[k]
        # from here on the increment is history
        copy_rows(motion.bases, motion.poses)
        motion.increments[:] = 0.0
        motion.accelerations[:] = 0.0
        evaluate_blocks(equations, motion, target, 2, 1.0, 0.0, 0.0)
        outcome = refactor(factorization, data)
        if outcome != SOLVED:
            restore(motion, memory, start)
            return WANTS_PIVOTS if outcome == NEEDS_NEW_PIVOTS else SINGULAR
        copy(memory.data, data)
        for _ in range(DAMPED_SOLVES):
            applied_forces(
                equations, motion, target, memory.after, first, memory.forces
            )
            is_damped = has_any(memory.forces, first)
            negate(rhs, residual)
            for k in range(first):
                memory.forces[k] += residual[k]
                rhs[k] = push[k] - 0.5 * h * memory.forces[k]
            solve(factorization, memory.data, rhs, row)
            memory.after[:] = 0.0
            add_frames(row, numbers, n_rows, memory.after)
            if not is_damped:
                break
        for k in range(first):
            memory.momentum[k] = rhs[k]
        add_pushes(indptr, indices, memory.data, first, row, -1.0, memory.momentum)
        copy_rows(motion.velocities, memory.after)
        # accelerations and forces of constraints at this time, for results
        evaluate_blocks(equations, motion, target, 2, 0.0, 0.0, 0.0)
        negate(rhs, residual)
        solve(factorization, memory.data, rhs, row)
        take_rates(
            row, numbers, n_rows, motion.accelerations, motion.multipliers, first
        )
        counts[STEP] += 1
        finish_step(
            equations, motion, target, buffer, memory.book,
            counts[STEP] % options[OUTPUT_EVERY] == 0 or counts[STEP] == n_steps,
        )  # fmt: skip
    return code
