"""The compiled side of assembly: all blocks in flat arrays, and what a solver calls.

Everything here is numba-able Python on plain arrays. `Assembly` is its public face.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ._groups import SO3_R3
from ._jit import call, kernel, routine, rows_of, shared
from .elements._scatter import increment_map, load3, load_position, load_quaternion
from .elements._section_forces import add_spread_loads
from .elements.base import ACCEPT, MOVE, RESET, Array, BlockData, IntArray, Target
from .lie import _kernels as lie

EVALUATE, CARRY, OBSERVE = range(3)
# columns of Equations.table, one row a block
(
    N_ELEMENTS,
    N_FRAMES,
    N_CODES,
    N_PARAMETERS,
    N_HISTORY,
    N_ITERATES,
    N_ROWS,
    N_OUTPUTS,
    FRAMES_AT,
    CODES_AT,
    PARAMETERS_AT,
    HISTORY_AT,
    ITERATES_AT,
    ROWS_AT,
    SLOTS_AT,
    OUTPUTS_AT,
    DOES_WORK,
    OUTPUT_ROWS,
) = range(18)
N_COLUMNS = 18
CONSTANT, PIECEWISE, FUNCTION = range(3)


class Equations(NamedTuple):
    """All blocks, numbered: what the three calls of a solver work on."""

    functions: Any  # (n_blocks, 3) addresses, or callables when interpreted
    signal_functions: Any  # (n_functions, 1) likewise
    table: IntArray  # (n_blocks, N_COLUMNS)
    frames: IntArray
    codes: IntArray
    parameters: Array
    history: Array
    iterates: Array
    rows: IntArray
    all_rows: IntArray  # rows with no direction locked, for reactions
    slots: npt.NDArray[np.uint32]
    numbers: IntArray  # (n_frames, 6) row of each direction; n_rows where locked
    groups: IntArray  # (n_frames,) group that each frame moves in, see `_groups`
    row_kinds: IntArray  # (n_rows,)
    sizes: IntArray  # n_frame_rows, n_rows, n_nonzeros
    signal_table: IntArray  # (n_signals, 3)
    signal_data: Array
    spread_codes: (
        IntArray  # (n, N_SPREAD_CODES) loads along beams, see `_section_forces`
    )
    spread_loads: Array  # (n, N_LOAD_PARAMETERS)
    moves: Array  # (n_frames, 6) work
    reactions: Array  # (6 n_frames + n_multipliers + 1,) work
    length: Array  # (1,) size of the model


@routine
def copy(target, source):
    """``target[:] = source``; the built-in one takes Numba a second to compile."""
    for i in range(target.shape[0]):
        target[i] = source[i]


@routine
def copy_rows(target, source):
    """As `copy`, for arrays of two dimensions."""
    for i in range(target.shape[0]):
        for j in range(target.shape[1]):
            target[i, j] = source[i, j]


@routine
def negate(target, source):
    """``target = -source``, of which there may be more."""
    for i in range(target.shape[0]):
        target[i] = -source[i]


@shared
def block_of(equations, rows, b):
    """Block ``b`` as kernels see it."""
    t = equations.table
    n = t[b, N_ELEMENTS]
    width = t[b, N_ROWS]
    return BlockData(
        rows_of(equations.frames, t[b, FRAMES_AT], n, t[b, N_FRAMES]),
        rows_of(equations.codes, t[b, CODES_AT], n, t[b, N_CODES]),
        rows_of(equations.parameters, t[b, PARAMETERS_AT], n, t[b, N_PARAMETERS]),
        rows_of(equations.history, t[b, HISTORY_AT], n, t[b, N_HISTORY]),
        rows_of(equations.iterates, t[b, ITERATES_AT], n, t[b, N_ITERATES]),
        rows_of(rows, t[b, ROWS_AT], n, width),
        rows_of(equations.slots, t[b, SLOTS_AT], n, width * width),
    )


@shared
def update_signals(equations, motion):
    """Signals at the time of ``motion``: value, rate, second rate."""
    table = equations.signal_table
    data = equations.signal_data
    signals = motion.signals
    time = motion.time[0]
    for k in range(table.shape[0]):
        first = table[k, 1]
        if table[k, 0] == CONSTANT:
            # constant loads ramp with the load factor in statics
            signals[k, 0] = time if motion.time[1] != 0.0 else 1.0
            signals[k, 1] = 0.0
            signals[k, 2] = 0.0
        elif table[k, 0] == FUNCTION:
            call(equations.signal_functions, first, 0, (time, signals[k]))
        else:
            piecewise(data, first, table[k, 2], time, signals[k])


@kernel
def piecewise(data, first, n, time, signal):
    """Piecewise cubic of ``n`` pieces, held at its end values outside."""
    breaks = data[first : first + n + 1]
    is_outside = time < breaks[0] or time > breaks[n]
    t = min(max(time, breaks[0]), breaks[n])
    piece, end = 0, n
    while end - piece > 1:
        middle = (piece + end) // 2
        if breaks[middle] <= t:
            piece = middle
        else:
            end = middle
    at = first + n + 1 + 4 * piece
    x = t - breaks[piece]
    a, b, c, d = data[at], data[at + 1], data[at + 2], data[at + 3]
    signal[0] = ((a * x + b) * x + c) * x + d
    signal[1] = 0.0
    signal[2] = 0.0
    if not is_outside:
        signal[1] = (3.0 * a * x + 2.0 * b) * x + c
        signal[2] = 6.0 * a * x + 2.0 * b


@shared
def evaluate_blocks(equations, motion, target, level, mass, damping, stiffness):
    """Residual, and the tangent where a weight is not zero."""
    target.residual[:] = 0.0
    target.scales[:] = 0.0
    if mass != 0.0 or damping != 0.0 or stiffness != 0.0:
        target.data[:] = 0.0
    for b in range(equations.table.shape[0]):
        block = block_of(equations, equations.rows, b)
        call(
            equations.functions,
            b,
            EVALUATE,
            (motion, block, target, level, mass, damping, stiffness),
        )


@shared
def carry_blocks(equations, motion, fraction, mode):
    for b in range(equations.table.shape[0]):
        t = equations.table
        if t[b, N_HISTORY] + t[b, N_ITERATES] > 0:
            block = block_of(equations, equations.rows, b)
            call(
                equations.functions,
                b,
                CARRY,
                (motion, block, equations.moves, fraction, mode),
            )


@shared
def observe_blocks(equations, motion, outputs, energies, everything):
    """What results want: ``outputs`` flat, one block after another.

    Without ``everything`` only blocks that do work, for their powers.
    """
    energies[:] = 0.0
    for b in range(equations.table.shape[0]):
        t = equations.table
        if not everything and t[b, DOES_WORK] == 0:
            continue
        block = block_of(equations, equations.rows, b)
        n = t[b, OUTPUT_ROWS]
        output = rows_of(outputs, t[b, OUTPUTS_AT], n, t[b, N_OUTPUTS])
        call(equations.functions, b, OBSERVE, (motion, block, output, energies))
    if everything:
        add_spread_loads(
            motion,
            equations.spread_codes,
            equations.spread_loads,
            equations.parameters,
            outputs,
        )


@shared
def wrenches_on_frames(equations, motion, target):
    """All wrenches that must be carried by locked directions, into `reactions`."""
    equations.reactions[:] = 0.0
    add_wrenches(equations, motion, target, equations.all_rows, equations.reactions)


@shared
def add_wrenches(equations, motion, target, rows, residual):
    """Add the residual of all blocks to one with rows of its own."""
    everywhere = Target(residual, target.data, target.scales)
    for b in range(equations.table.shape[0]):
        block = block_of(equations, rows, b)
        call(
            equations.functions,
            b,
            EVALUATE,
            (motion, block, everywhere, 0, 0.0, 0.0, 0.0),
        )


@shared
def move_frames(equations, motion, step, fraction):
    """``increment += fraction T^-1 step``, poses and multipliers with it.

    In statics every move starts a new increment, so that ``T`` is the identity.
    """
    spread(equations.numbers, equations.sizes[1], step, equations.moves)
    if motion.time[1] != 0.0:
        carry_blocks(equations, motion, fraction, MOVE)
    move_poses(
        equations.groups,
        motion.bases,
        motion.poses,
        motion.increments,
        equations.moves,
        fraction,
        motion.time[1] != 0.0,
    )
    first = equations.sizes[0]
    for k in range(motion.multipliers.shape[0]):
        motion.multipliers[k] += fraction * step[first + k]


@kernel
def spread(numbers, n_rows, step, moves):
    """Frame rows of a vector of unknowns as (n_frames, 6), zero where locked."""
    for i in range(numbers.shape[0]):
        for k in range(6):
            row = numbers[i, k]
            moves[i, k] = step[row] if row < n_rows else 0.0


@kernel
def move_poses(groups, bases, poses, increments, moves, fraction, is_static):
    """``pose = base exp(increment)`` with the moved increment.

    Of a frame on SO(3) x R^3 the increment holds the rotation only.
    """
    for i in range(1, poses.shape[0]):
        before = load3(increments, i, 0)
        turned = load3(increments, i, 3)
        u = load3(moves, i, 0)
        w = load3(moves, i, 3)
        du, dw = u, w
        if lie.dot(before, before) + lie.dot(turned, turned) > 0.0:
            a, b = increment_map(increments, i)
            du = lie.add(lie.apply(a, u), lie.apply(b, w))
            dw = lie.apply(a, w)
        turn = load_quaternion(bases, i)
        if groups[i] == SO3_R3:
            way = lie.quaternion_rotate(load_quaternion(poses, i), u)
            place = lie.add_scaled(load_position(poses, i), fraction, way)
            u = lie.ZERO3
            w = lie.add_scaled(turned, fraction, dw)
        else:
            u = lie.add_scaled(before, fraction, du)
            w = lie.add_scaled(turned, fraction, dw)
            way = lie.quaternion_rotate(turn, lie.exp_translation(u, w))
            place = lie.add(load_position(bases, i), way)
        turn = lie.quaternion_normalize(
            lie.quaternion_multiply(turn, lie.quaternion_exp(w))
        )
        for k in range(3):
            poses[i, k] = place[k]
            increments[i, k] = u[k]
            increments[i, 3 + k] = w[k]
        for k in range(4):
            poses[i, 3 + k] = turn[k]
    if is_static:
        copy_rows(bases, poses)
        increments[:] = 0.0


@shared
def start_step(equations, motion):
    """A new step from here: increments zero; in statics iterates from the shape."""
    copy_rows(motion.bases, motion.poses)
    motion.increments[:] = 0.0
    if motion.time[1] != 0.0:
        carry_blocks(equations, motion, 1.0, RESET)


@shared
def accept_step(equations, motion):
    """History takes over what the step reached; then a new step starts."""
    carry_blocks(equations, motion, 1.0, ACCEPT)
    start_step(equations, motion)
