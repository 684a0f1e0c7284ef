"""Kernel of everything between two frames: joints, supports, springs, motors, stops.

With ``H = (p, R)`` the child's joint frame seen from the parent's, a local increment of
``H`` is ``x = Y_P x_P + Y_C x_C`` in the nodes' increments: ``Y_C = Ad(offset_C)^-1``
and ``Y_P = -Ad(K)^-1``, where K is the child's joint frame in the parent's node. Each
row is a scalar ``phi(H)`` with gradient ``g``:

- rate ``g . nu`` with ``nu = Y_P v_P + Y_C v_C``
- wrenches ``Y^T f`` with ``f = sum g s``, s the row's multiplier or force
- tangent: see `_joint_tangent`; multiplier columns are ``B^T`` with
  ``B = g^T [Y_P, Y_C]``.

Forces of all rows are summed up as forces on the fourteen coordinates that rows are
made of (see `_joint_rows`), which then give f at once. Elements are worked on several
at a time, see `_lanes`.

Source: Sonneville and Bruels 2014 (joints by relative frames).
"""

from __future__ import annotations

from .._jit import inline, kernel, routine, scratch
from ..lie import _kernels as lie
from . import _lanes as lanes
from . import _scatter as scatter
from ._joint_friction import keep_anchors, number_of_rubbing, row_friction
from ._joint_rows import (
    ACTION,
    AMPLITUDE,
    ANGLE_CHANGE,
    ANGLE_HISTORY,
    COLUMN,
    DAMPING,
    FIRST_MULTIPLIER,
    FORCES,
    GRADIENT,
    HOLD,
    LAW,
    LOWER,
    MULTIPLIERS,
    N_COORDINATES,
    N_ROW_CODES,
    N_ROW_PARAMETERS,
    N_SCRATCH,
    OBSERVE,
    RATES,
    REST,
    REST_AMPLITUDE,
    REST_SIGNAL,
    ROUNDING,
    ROW_CODES,
    ROW_PARAMETERS,
    RUB,
    SIGNAL,
    SIZES,
    STIFFNESS,
    STOP_DAMPING,
    STOP_STIFFNESS,
    THE_ANGLE,
    THE_DISTANCE,
    THE_ROTATION,
    TORQUE,
    TORQUE_SIGNAL,
    VALUE,
    VALUES,
    WRENCH,
    gather_frames,
    number_of_rows,
    row_place,
    row_sum,
    set_angle,
    set_coordinates,
    set_frames,
    set_wrenches,
    survey,
)
from ._joint_tangent import N_ROW_SCRATCH, ROW_SCRATCH, add_tangent
from ._lanes import LANES
from .base import ACCEPT


@inline
def row_target(signals, codes, parameters, i, row, order):
    """What a held row is held at, or its first or second rate."""
    j = ROW_PARAMETERS + N_ROW_PARAMETERS * row
    signal = codes[i, ROW_CODES + N_ROW_CODES * row + SIGNAL]
    target = parameters[i, j + VALUE] if order == 0 else 0.0
    if signal >= 0:
        target += parameters[i, j + AMPLITUDE] * signals[signal, order]
    return target


@routine
def row_law(signals, codes, parameters, i, row, value, rate):
    """Force of a row and its derivatives by value and rate; then energy and powers.

    ``k (phi - rest) + c dphi/dt - torque``, and stops ``k_s d (1 + d_s dd/dt) >= 0``
    at depth d. Stored energy, power of the motor and of the moving rest value,
    dissipated power.
    """
    at = ROW_CODES + N_ROW_CODES * row
    j = ROW_PARAMETERS + N_ROW_PARAMETERS * row
    stiffness, damping = parameters[i, j + STIFFNESS], parameters[i, j + DAMPING]
    stretch = value - parameters[i, j + REST]
    motor = parameters[i, j + TORQUE]
    moved = 0.0
    signal = codes[i, at + REST_SIGNAL]
    if signal >= 0:
        stretch -= parameters[i, j + REST_AMPLITUDE] * signals[signal, 0]
        moved = parameters[i, j + REST_AMPLITUDE] * signals[signal, 1]
    signal = codes[i, at + TORQUE_SIGNAL]
    if signal >= 0:
        motor *= signals[signal, 0]
    force = stiffness * stretch + damping * rate - motor
    stored = 0.5 * stiffness * stretch * stretch
    driven = motor * rate - stiffness * stretch * moved
    lost = damping * rate * rate
    for side in range(2):
        sign = 1.0 if side == 1 else -1.0
        depth = sign * (value - parameters[i, j + LOWER + side])
        if depth <= 0.0:
            continue
        elastic = parameters[i, j + STOP_STIFFNESS] * depth
        loss = parameters[i, j + STOP_DAMPING]
        push = max(0.0, elastic * (1.0 + loss * sign * rate))
        force += sign * push
        stored += 0.5 * elastic * depth
        lost += (push - elastic) * sign * rate
        if push > 0.0:
            stiffness += push / depth
            damping += elastic * loss
    return force, stiffness, damping, stored, driven, lost


@routine
def hold(s, motion, block, residual, place, coordinates, level):
    """Residual of a held row, and its multipliers as forces.

    ``place``: first element, number of elements, number of the row and among the held.
    """
    first, n, row, held = place
    at = N_COORDINATES * level
    for k in range(n):
        i = first + k
        multiplier = motion.multipliers[block.codes[i, FIRST_MULTIPLIER] + held]
        value = row_sum(s, coordinates, at, k)
        value -= row_target(
            motion.signals, block.codes, block.parameters, i, row, level
        )
        residual[block.rows[i, 12 + held]] += value
        add_force(s, coordinates, k, multiplier)


@inline
def add_force(s, coordinates, k, force):
    """Force of a row on the coordinates that it is made of."""
    one, other, factor, other_factor = coordinates
    s[(FORCES + one) * LANES + k] += factor * force
    s[(FORCES + other) * LANES + k] += other_factor * force


@inline
def add_rounding(scales, poses, frame, value, slope, is_force):
    """What rounding of places, or of angles, makes of a stiffness."""
    if is_force:
        reach = abs(value) + scatter.reach(poses, frame)
        scales[2] = max(scales[2], ROUNDING * slope * reach)
    else:
        scales[3] = max(scales[3], ROUNDING * slope)


@routine
def push(s, motion, block, scales, place, coordinates):
    """Forces of a row with a law; its slopes are kept for the tangent."""
    first, n, row, _ = place
    at = ROW_SCRATCH + N_ROW_SCRATCH * row
    is_force = coordinates[0] < THE_ROTATION or coordinates[0] == THE_DISTANCE
    lanes.clear(s, at, 2)
    for k in range(n):
        i = first + k
        value = row_sum(s, coordinates, VALUES, k)
        rate = row_sum(s, coordinates, RATES, k)
        force, slope, resistance, _, _, _ = row_law(
            motion.signals, block.codes, block.parameters, i, row, value, rate
        )
        add_force(s, coordinates, k, force)
        lanes.put(s, at, k, slope)
        lanes.put(s, at + 1, k, resistance)
        frame = block.frames[i, 1]
        add_rounding(scales, motion.poses, frame, value, slope, is_force)


@routine
def rub(s, motion, block, scales, place, coordinates):
    """Forces of a row with friction; its slopes are kept for the tangent."""
    first, n, row, rubbing = place
    at = ROW_SCRATCH + N_ROW_SCRATCH * row
    is_force = coordinates[0] < THE_ROTATION
    lanes.clear(s, at, 2)
    for k in range(n):
        i = first + k
        value = row_sum(s, coordinates, VALUES, k)
        rate = row_sum(s, coordinates, RATES, k)
        force, slope, resistance, _, _, _ = row_friction(
            block.parameters, block.history, (i, row, rubbing), value, rate
        )
        add_force(s, coordinates, k, force)
        lanes.put(s, at, k, slope)
        lanes.put(s, at + 1, k, resistance)
        frame = block.frames[i, 1]
        add_rounding(scales, motion.poses, frame, value, slope, is_force)


@inline
def add_rows(s, motion, block, target, first, n, level):
    """Residuals of held rows, and forces on the coordinates."""
    codes = block.codes
    held = rubbing = 0
    for row in range(number_of_rows(codes)):
        action = codes[first, ROW_CODES + N_ROW_CODES * row + ACTION]
        coordinates = row_place(codes, block.parameters, first, row)
        place = (first, n, row, held)
        if action == HOLD:
            hold(s, motion, block, target.residual, place, coordinates, level)
            held += 1
        elif action == LAW:
            push(s, motion, block, target.scales, place, coordinates)
        elif action == RUB:
            place = (first, n, row, rubbing)
            rub(s, motion, block, target.scales, place, coordinates)
            rubbing += 1


@routine
def scatter_wrenches(s, rows, residual, scales, first, n):
    """Add the wrenches on both nodes, and their sizes."""
    # see `lanes.copy` on the length; forces are as large on both nodes as `f`
    for k in range(min(LANES, s.shape[0])):
        size = 2.0 * lie.norm(lanes.get3(s, GRADIENT, k))
        lanes.put(s, SIZES, k, size)
        size = lie.norm(lanes.get3(s, COLUMN + 3, k))
        lanes.put(s, SIZES + 1, k, size + lie.norm(lanes.get3(s, COLUMN + 9, k)))
    lanes.add_sixes(s, COLUMN, residual, rows, first, n, 0, 1)
    lanes.add_sixes(s, COLUMN + 6, residual, rows, first, n, 6, 1)
    for k in range(n):
        for j in range(2):
            scales[j] += lanes.get(s, SIZES + j, k)


@kernel
def evaluate(motion, block, target, level, mass, damping, stiffness):
    """Residual and tangent of all elements (see the head of this file)."""
    codes = block.codes
    wants_tangent = mass != 0.0 or damping != 0.0 or stiffness != 0.0
    s = scratch((ROW_SCRATCH + N_ROW_SCRATCH * number_of_rows(codes)) * LANES)
    for first in range(0, codes.shape[0], LANES):
        n = min(LANES, codes.shape[0] - first)
        found = survey(codes, first, HOLD)
        has_angle, has_distance, has_law = found
        order = level
        if has_angle or has_distance or has_law:
            order = max(level, 1)
        set_coordinates(s, motion, block, first, n, order, found)
        add_rows(s, motion, block, target, first, n, level)
        set_wrenches(s, 0.0)
        scatter_wrenches(s, block.rows, target.residual, target.scales, first, n)
        if wants_tangent:
            weights = (level, mass, damping, stiffness)
            add_tangent(s, motion, block, target.data, (first, n), found, weights)


@kernel
def carry(motion, block, moves, fraction, mode):
    """Keep angles about the joints' axes, and friction, when a step is accepted."""
    codes = block.codes
    if mode != ACCEPT or codes.shape[0] == 0:
        return
    found = survey(codes, 0, OBSERVE)
    n_rubbing = number_of_rubbing(codes)
    if not found[0] and n_rubbing == 0:
        return
    s = scratch(N_SCRATCH * LANES)
    for first in range(0, codes.shape[0], LANES):
        n = min(LANES, codes.shape[0] - first)
        if n_rubbing > 0:
            set_coordinates(s, motion, block, first, n, 1, found)
            keep_anchors(s, block, first, n)
        else:
            gather_frames(s, motion.poses, block.frames, block.parameters, first, n)
            set_frames(s)
            lanes.clear(s, RATES, 2 * N_COORDINATES)
            set_angle(s, block.history, first, n)
        if found[0]:
            for k in range(n):
                block.history[first + k, ANGLE_HISTORY] = lanes.get(s, THE_ANGLE, k)


@inline
def observe_row(s, motion, block, place, coordinates, output, energies):
    """Value, rate and force of a row; stored energy, powers of motors and dampers.

    ``place`` as in `hold`; of rows with friction the number among these.
    """
    first, n, row, own = place
    codes, parameters, signals = block.codes, block.parameters, motion.signals
    action = codes[first, ROW_CODES + N_ROW_CODES * row + ACTION]
    column = MULTIPLIERS + block.rows.shape[1] - 12 + 2 * row
    for k in range(n):
        i = first + k
        value = row_sum(s, coordinates, VALUES, k)
        rate = row_sum(s, coordinates, RATES, k)
        output[i, column] = value
        output[i, column + 1] = rate
        if action == HOLD:
            force = motion.multipliers[codes[i, FIRST_MULTIPLIER] + own]
            output[i, MULTIPLIERS + own] = force
            energies[4] -= force * row_target(signals, codes, parameters, i, row, 1)
            add_force(s, coordinates, k, force)
        elif action == LAW:
            force, _, _, stored, driven, lost = row_law(
                signals, codes, parameters, i, row, value, rate
            )
            energies[1] += stored
            energies[4] += driven
            energies[5] += lost
            add_force(s, coordinates, k, force)
        elif action == RUB:
            force, _, _, stored, _, loss = row_friction(
                parameters, block.history, (i, row, own), value, rate
            )
            output[i, column] = -force
            output[i, column + 1] = loss
            energies[1] += stored
            energies[6] += loss
            add_force(s, coordinates, k, force)


@kernel
def observe(motion, block, output, energies):
    """Wrench on the child, change of angle, multipliers, rows; energies and powers."""
    codes = block.codes
    s = scratch(N_SCRATCH * LANES)
    for first in range(0, codes.shape[0], LANES):
        n = min(LANES, codes.shape[0] - first)
        found = survey(codes, first, OBSERVE)
        set_coordinates(s, motion, block, first, n, 1, found)
        held = rubbing = 0
        for row in range(number_of_rows(codes)):
            action = codes[first, ROW_CODES + N_ROW_CODES * row + ACTION]
            coordinates = row_place(codes, block.parameters, first, row)
            place = (first, n, row, rubbing if action == RUB else held)
            observe_row(s, motion, block, place, coordinates, output, energies)
            held += action == HOLD
            rubbing += action == RUB
        set_wrenches(s, 0.0)
        for k in range(n):
            i = first + k
            for j in range(6):
                output[i, WRENCH + j] = -lanes.get(s, GRADIENT + j, k)
            output[i, ANGLE_CHANGE] = 0.0
            if found[0]:
                angle = lanes.get(s, THE_ANGLE, k)
                output[i, ANGLE_CHANGE] = angle - block.history[i, ANGLE_HISTORY]
