"""The stepping of BLieDF, backward differences on Lie groups, in index-3 form.

With ``x_n = log(q_n-1^-1 q_n)`` the mean velocity of a step is, to fourth order,
``m_n = x_n / h - h/12 [v_n-1, v_n]``. Backward differences of k steps give

- ``v_n = sum g_j m_n-j`` with ``g_j = a_0 + ... + a_j``
- ``dv_n/dt = (1/h) sum a_i v_n-i``

and x_n and the multipliers solve the equations of motion and the constraints on places.
Wieloch and Arnold 2021; without the brackets the order would stay at two.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from .._equations import (
    copy_rows,
    evaluate_blocks,
    move_frames,
    negate,
    update_signals,
)
from .._groups import SE3, body_rates, local_rows, read_increments
from .._jit import kernel, routine, shared
from ..elements._scatter import load3
from ..elements.base import Array, IntArray
from ..lie import _kernels as lie
from ..linear import NEEDS_NEW_PIVOTS, SOLVED, refactor, solve
from ..newton import (
    LARGEST_TURN,
    is_within,
    largest_move,
    largest_turn,
    relative_residual,
    rounding_move,
)
from ._rattle_momentum import extrapolate
from ._step_state import (
    DONE,
    NOT_CONVERGED,
    NOT_FINITE,
    START_TIME,
    STEP,
    TIME_STEP,
    TURNED_TOO_FAR,
    WANTS_PIVOTS,
    keep_state,
    restore,
)
from .march import finish_step

# within a step
GOES_ON = -1
ITERATIONS, WORST_ROW, N_LOG = range(1, 4)
TOLERANCE = 2
OUTPUT_EVERY, ITERATION_LIMIT = range(2)
# the velocity in its own bracket: changes shrink by a twelfth of the step's turn
BRACKET_SWEEPS = 12


class Memory(NamedTuple):
    """What the driver carries from step to step."""

    old_poses: Array
    old_velocities: Array
    old_accelerations: Array
    old_multipliers: Array
    past: Array  # (k, n_frames, 6) v_n-1, v_n-2, ... in the frames' groups
    means: Array  # (k, n_frames, 6) m_n-1, m_n-2, ...
    speeds: Array  # (n_frames, 6) v_n
    rates: Array  # (n_frames, 6)
    mean: Array  # (n_frames, 6) m_n
    increments: Array  # (n_frames, 6) x_n
    row: Array
    rhs: Array
    differences: Array  # (k + 1,) a_0, a_1, ...
    sums: Array  # (k,) g_0, g_1, ...
    first_steps: IntArray  # (1,) steps of another method that come next
    counts: IntArray  # (4,)
    values: Array  # (3,)
    options: IntArray  # (2,)
    book: Array  # energy ledger, see `march`
    log: Array  # residual of each iteration of the last step


@kernel
def mean_velocity(groups, increments, before, after, h, mean):
    """``m_n = x_n / h - h/12 [v_n-1, v_n]``."""
    for i in range(groups.shape[0]):
        u, w = load3(before, i, 0), load3(before, i, 3)
        y, z = load3(after, i, 0), load3(after, i, 3)
        turning = lie.cross(w, z)
        moving = lie.ZERO3
        if groups[i] == SE3:
            moving = lie.add(lie.cross(w, y), lie.cross(u, z))
        for k in range(3):
            mean[i, k] = increments[i, k] / h - h / 12.0 * moving[k]
            mean[i, 3 + k] = increments[i, 3 + k] / h - h / 12.0 * turning[k]


@routine
def weigh(weights, factor, now, past, out):
    """``factor sum w_j x_n-j``."""
    for i in range(out.shape[0]):
        for k in range(6):
            total = weights[0] * now[i, k]
            for j in range(1, weights.shape[0]):
                total += weights[j] * past[j - 1, i, k]
            out[i, k] = factor * total


@routine
def differentiate(groups, memory, h):
    """Velocities and their rates that belong to the increments."""
    speeds, rates = memory.speeds, memory.rates
    for _ in range(BRACKET_SWEEPS):
        mean_velocity(groups, memory.increments, memory.past[0], speeds, h, memory.mean)
        weigh(memory.sums, 1.0, memory.mean, memory.means, speeds)
    weigh(memory.differences, 1.0 / h, speeds, memory.past, rates)


@shared
def march_on(equations, motion, target, factorization, memory, buffer, n_steps):
    """Steps until ``n_steps`` are done in all, the buffer is full, or one fails."""
    values, counts, options = memory.values, memory.counts, memory.options
    rhs, row, log = memory.rhs, memory.row, memory.log
    residual, data = target.residual, target.data
    groups, numbers, length = equations.groups, equations.numbers, equations.length[0]
    first, n_rows = equations.sizes[0], equations.sizes[1]
    h = values[TIME_STEP]
    to_speed = memory.sums[0] / h
    to_rate = memory.differences[0] / h * to_speed
    n_past = memory.past.shape[0]
    while counts[STEP] < n_steps and buffer.n[0] < buffer.times.shape[0]:
        keep_state(memory, motion)
        start = values[START_TIME] + counts[STEP] * h
        motion.time[0] = values[START_TIME] + (counts[STEP] + 1) * h
        update_signals(equations, motion)
        extrapolate(memory.past[0], memory.rates, h, memory.increments)
        copy_rows(memory.speeds, memory.past[0])
        local_rows(groups, motion.bases, memory.increments, numbers, n_rows, row)
        row[first:] = 0.0
        iteration = 0
        is_settled = False
        code = GOES_ON
        while code == GOES_ON:
            move_frames(equations, motion, row, 1.0)
            turn = largest_turn(motion.increments)
            if not turn <= LARGEST_TURN:
                code = TURNED_TOO_FAR if math.isfinite(turn) else NOT_FINITE
                break
            read_increments(
                groups, motion.bases, motion.poses, motion.increments,
                memory.increments,
            )  # fmt: skip
            differentiate(groups, memory, h)
            body_rates(
                groups, motion.poses, memory.speeds, memory.rates, motion.velocities,
                motion.accelerations,
            )  # fmt: skip
            evaluate_blocks(equations, motion, target, 0, to_rate, to_speed, 1.0)
            ratio, place = relative_residual(
                residual, equations.row_kinds, target.scales, length
            )
            counts[WORST_ROW] = place
            log[min(iteration, log.shape[0] - 1)] = ratio
            counts[N_LOG] = min(iteration + 1, log.shape[0])
            if math.isnan(ratio):
                code = NOT_FINITE
            elif is_settled or is_within(ratio, values[TOLERANCE], iteration):
                code = DONE
            elif iteration == options[ITERATION_LIMIT]:
                code = NOT_CONVERGED
            if code != GOES_ON:
                break
            negate(rhs, residual)
            outcome = refactor(factorization, data)
            if outcome != SOLVED:
                code = WANTS_PIVOTS if outcome == NEEDS_NEW_PIVOTS else NOT_CONVERGED
                break
            counts[ITERATIONS] += 1
            iteration += 1
            solve(factorization, data, rhs, row)
            size = largest_move(row, numbers, n_rows, length)
            is_settled = size <= rounding_move(motion.poses, length)
        if code != DONE:
            restore(motion, memory, start)
            # the first guess of the step needs them
            memory.rates[:] = 0.0
            return code
        for j in range(n_past - 1, 0, -1):
            copy_rows(memory.past[j], memory.past[j - 1])
            copy_rows(memory.means[j], memory.means[j - 1])
        copy_rows(memory.past[0], memory.speeds)
        copy_rows(memory.means[0], memory.mean)
        counts[STEP] += 1
        finish_step(
            equations, motion, target, buffer, memory.book,
            counts[STEP] % options[OUTPUT_EVERY] == 0 or counts[STEP] == n_steps,
        )  # fmt: skip
    return DONE
