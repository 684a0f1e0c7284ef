"""Kernel of everything between two frames: joints, supports, springs, motors, stops.

With ``H = (p, R)`` the child's joint frame seen from the parent's, a local increment of
``H`` is ``x = Y_P x_P + Y_C x_C`` in the nodes' increments: ``Y_C = Ad(offset_C)^-1``
and ``Y_P = -Ad(K)^-1``, where K is the child's joint frame in the parent's node. Each
row is a scalar ``phi(H)`` with gradient ``g`` and ``D = dg/dx``:

- rate ``g . nu`` with ``nu = Y_P v_P + Y_C v_C``; with ``y = -Y_P v_P`` its derivative
  by x is ``z = D^T nu - ad(y)^T g``
- second rate ``g . (Y_P a_P + Y_C a_C + ad(nu) y) + nu . D nu``
- wrenches ``Y^T f`` with ``f = sum g s``, s the row's multiplier or force
- tangent ``[Y_P^T (E - G); Y_C^T E] [Y_P, Y_C]`` with ``G x = ad(x)^T f`` and
  ``E = sum s D + g (ds/dphi g + ds/drate z)^T``; damping from ``g ds/drate g^T``.

The matrix is ``(mass M + damping C) T^-1 + stiffness K`` with T of the nodes'
increments; multiplier columns are ``B^T`` with ``B = g^T [Y_P, Y_C]``. Multiplier rows:
level 0 ``stiffness B``, level 1 ``damping B T^-1 + stiffness d(Bv)/dq``, level 2
``mass B T^-1`` (its damping and stiffness parts are used by no solver and left out).

Source: Sonneville and Bruels 2014 (joints by relative frames).
"""

from __future__ import annotations

import math

from .._jit import kernel, routine, scratch
from . import _scatter as scatter
from . import _small as small
from ._joint_rows import (
    ACTION,
    AMPLITUDE,
    ANGLE,
    ANGLE_CHANGE,
    COMPONENT,
    CURVATURE,
    DAMPING,
    DISTANCE,
    FIRST_MULTIPLIER,
    FORCE,
    GRADIENT,
    HOLD,
    LAW,
    LOWER,
    MAP,
    MOVED,
    MULTIPLIERS,
    N_ROW_CODES,
    N_ROW_PARAMETERS,
    N_SCRATCH,
    NONE,
    OBSERVE,
    OTHER,
    REST,
    REST_AMPLITUDE,
    REST_SIGNAL,
    ROUNDING,
    ROW_CODES,
    ROW_PARAMETERS,
    SCREW,
    SIGNAL,
    SLOPE,
    STIFF,
    STIFFNESS,
    STOP_DAMPING,
    STOP_STIFFNESS,
    TEMPORARY,
    TORQUE,
    TORQUE_SIGNAL,
    VALUE,
    VISCOUS,
    WRENCH,
    set_geometry,
    set_relative_twist,
    set_row,
    set_row_rates,
    unwrapped_angle,
)


@routine
def row_target(signals, codes, parameters, i, row, order):
    """What a held row is held at, or its first or second rate."""
    j = ROW_PARAMETERS + N_ROW_PARAMETERS * row
    signal = codes[i, ROW_CODES + N_ROW_CODES * row + SIGNAL]
    target = parameters[i, j + VALUE] if order == 0 else 0.0
    if signal >= 0:
        target += parameters[i, j + AMPLITUDE] * signals[signal, order]
    return target


@routine
def row_law(signals, codes, parameters, i, row, value, rate, powers):
    """Force of a row and its derivatives by value and rate.

    ``k (phi - rest) + c dphi/dt - torque``, and stops ``k_s d (1 + d_s dd/dt) >= 0``
    at depth d. ``powers``: stored energy, power of the motor and of the moving rest
    value, dissipated power.
    """
    first = ROW_CODES + N_ROW_CODES * row
    j = ROW_PARAMETERS + N_ROW_PARAMETERS * row
    stiffness, damping = parameters[i, j + STIFFNESS], parameters[i, j + DAMPING]
    stretch = value - parameters[i, j + REST]
    motor = parameters[i, j + TORQUE]
    moved = 0.0
    signal = codes[i, first + REST_SIGNAL]
    if signal >= 0:
        stretch -= parameters[i, j + REST_AMPLITUDE] * signals[signal, 0]
        moved = parameters[i, j + REST_AMPLITUDE] * signals[signal, 1]
    signal = codes[i, first + TORQUE_SIGNAL]
    if signal >= 0:
        motor *= signals[signal, 0]
    force = stiffness * stretch + damping * rate - motor
    powers[0] = 0.5 * stiffness * stretch * stretch
    powers[1] = motor * rate - stiffness * stretch * moved
    powers[2] = damping * rate * rate
    for side in range(2):
        sign = 1.0 if side == 1 else -1.0
        depth = sign * (value - parameters[i, j + LOWER + side])
        if depth <= 0.0:
            continue
        elastic = parameters[i, j + STOP_STIFFNESS] * depth
        loss = parameters[i, j + STOP_DAMPING]
        push = max(0.0, elastic * (1.0 + loss * sign * rate))
        force += sign * push
        powers[0] += 0.5 * elastic * depth
        powers[2] += (push - elastic) * sign * rate
        if push > 0.0:
            stiffness += push / depth
            damping += elastic * loss
    return force, stiffness, damping


@routine
def add_row(s, force, stiffness, damping):
    """Add a row's share of f, E and of the damping matrix."""
    for j in range(6):
        g = s[GRADIENT + j]
        s[FORCE + j] += force * g
        row = small.STRIDE * j
        for k in range(6):
            s[STIFF + small.SIZE + row + k] += force * s[CURVATURE + row + k] + g * (
                stiffness * s[GRADIENT + k] + damping * s[SLOPE + k]
            )
            s[VISCOUS + row + k] += damping * g * s[GRADIENT + k]


@routine
def add_held_row(s, data, slots, i, width, row, level, mass, damping, stiffness):
    """Column ``B^T`` and the row of a multiplier."""
    for side in range(2):
        for j in range(6):
            b = moved = slope = 0.0
            for k in range(6):
                place = MAP + small.SIZE * side + small.STRIDE * k + j
                b += s[GRADIENT + k] * s[place]
                moved += s[GRADIENT + k] * s[place + MOVED - MAP]
                slope += s[SLOPE + k] * s[place]
            if level == 0:
                entry = stiffness * b
            elif level == 1:
                entry = damping * moved + stiffness * slope
            else:
                entry = mass * moved
            column = 6 * side + j
            data[slots[i, column * width + row]] += b
            data[slots[i, row * width + column]] += entry


@routine
def set_moved_maps(s, increments, parent, child):
    """``Y T^-1`` of both nodes."""
    for side in range(2):
        frame = parent if side == 0 else child
        a, b = scatter.increment_map(increments, frame)
        for j in range(3):
            row = TEMPORARY + small.STRIDE * j
            for k in range(3):
                s[row + k] = s[row + 27 + k] = a[3 * j + k]
                s[row + 3 + k] = b[3 * j + k]
                s[row + 24 + k] = 0.0
        small.multiply(s, MOVED + small.SIZE * side, MAP + small.SIZE * side, TEMPORARY)


@routine
def add_products(s, data, slots, i, width, damping, stiffness):
    """``Y^T [E - G; E] Y`` and ``Y^T V Y T^-1`` of all pairs of nodes.

    ``G = [[0, f_u^], [f_u^, f_w^]]``.
    """
    for k in range(small.SIZE):
        s[STIFF + k] = s[STIFF + small.SIZE + k]
    for j in range(3):
        k, n = (j + 1) % 3, (j + 2) % 3
        row = STIFF + small.STRIDE * j
        s[row + 3 + k] += s[FORCE + n]
        s[row + 3 + n] -= s[FORCE + k]
        s[row + 24 + k] += s[FORCE + n]
        s[row + 24 + n] -= s[FORCE + k]
        s[row + 27 + k] += s[FORCE + 3 + n]
        s[row + 27 + n] -= s[FORCE + 3 + k]
    for pair in range(8):
        side, other = (pair // 2) % 2, pair % 2
        weight, center, right = stiffness, STIFF + small.SIZE * side, MAP
        if pair >= 4:
            weight, center, right = damping, VISCOUS, MOVED
        if weight == 0.0:
            continue
        if other == 0:
            small.multiply_transposed(s, TEMPORARY, MAP + small.SIZE * side, center)
        small.multiply(s, OTHER, TEMPORARY, right + small.SIZE * other)
        small.scatter(s, OTHER, data, slots, i, width, 6 * side, 6 * other, weight)


@routine
def add_wrenches(s, residual, scales, rows, i):
    """``Y^T f`` at both nodes."""
    for side in range(2):
        force = moment = 0.0
        for j in range(6):
            entry = 0.0
            for k in range(6):
                place = MAP + small.SIZE * side + small.STRIDE * k + j
                entry += s[place] * s[FORCE + k]
            residual[rows[i, 6 * side + j]] += entry
            if j < 3:
                force += entry * entry
            else:
                moment += entry * entry
        scales[0] += math.sqrt(force)
        scales[1] += math.sqrt(moment)


@routine
def clear(numbers):
    for k in range(numbers.shape[0]):
        numbers[k] = 0.0


@kernel
def evaluate(motion, block, target, level, mass, damping, stiffness):
    """Residual and tangent of all elements (see the head of this file)."""
    frames, codes, parameters = block.frames, block.codes, block.parameters
    rows, slots, history = block.rows, block.slots, block.history
    residual, data, scales = target.residual, target.data, target.scales
    signals, multipliers = motion.signals, motion.multipliers
    wants_tangent = mass != 0.0 or damping != 0.0 or stiffness != 0.0
    width = rows.shape[1]
    n_rows = (codes.shape[1] - ROW_CODES) // N_ROW_CODES
    s = scratch(N_SCRATCH)
    clear(s)
    powers = scratch(3)
    clear(powers)
    for i in range(frames.shape[0]):
        parent, child = frames[i, 0], frames[i, 1]
        set_geometry(s, motion.poses, parameters, i, parent, child)
        set_relative_twist(s, motion.velocities, motion.accelerations, parent, child)
        if mass != 0.0 or damping != 0.0:
            set_moved_maps(s, motion.increments, parent, child)
        for k in range(6):
            s[FORCE + k] = 0.0
        for k in range(small.SIZE):
            s[STIFF + small.SIZE + k] = s[VISCOUS + k] = 0.0
        held = 0
        is_damped = False
        for row in range(n_rows):
            kind = codes[i, ROW_CODES + N_ROW_CODES * row]
            action = codes[i, ROW_CODES + N_ROW_CODES * row + ACTION]
            if kind == NONE:
                break
            if action == OBSERVE:
                continue
            value = set_row(s, codes, parameters, i, row, history[i, 0])
            rate, second = set_row_rates(s)
            if action == HOLD:
                if level == 2:
                    value = second
                elif level == 1:
                    value = rate
                value -= row_target(signals, codes, parameters, i, row, level)
                place = 12 + held
                residual[rows[i, place]] += value
                if wants_tangent:
                    add_held_row(
                        s, data, slots, i, width, place, level, mass, damping, stiffness
                    )
                add_row(s, multipliers[codes[i, FIRST_MULTIPLIER] + held], 0.0, 0.0)
                held += 1
            else:
                force, slope, resistance = row_law(
                    signals, codes, parameters, i, row, value, rate, powers
                )
                add_row(s, force, slope, resistance)
                is_damped = is_damped or resistance != 0.0
                reach = abs(value)
                for k in range(3):
                    reach += abs(motion.poses[child, k])
                if kind == COMPONENT or kind == DISTANCE or kind == SCREW:
                    scales[2] = max(scales[2], ROUNDING * slope * reach)
                else:
                    scales[3] = max(scales[3], ROUNDING * slope)
        add_wrenches(s, residual, scales, rows, i)
        resisting = damping if is_damped else 0.0
        if stiffness != 0.0 or resisting != 0.0:
            add_products(s, data, slots, i, width, resisting, stiffness)


@kernel
def carry(motion, block, moves, fraction, mode):
    """Keep the angles about the joints' axes when a step is accepted (mode 2)."""
    if mode != 2:
        return
    frames, codes = block.frames, block.codes
    s = scratch(N_SCRATCH)
    clear(s)
    for i in range(frames.shape[0]):
        for row in range((codes.shape[1] - ROW_CODES) // N_ROW_CODES):
            kind = codes[i, ROW_CODES + N_ROW_CODES * row]
            if kind == ANGLE or kind == SCREW:
                set_geometry(
                    s, motion.poses, block.parameters, i, frames[i, 0], frames[i, 1]
                )
                block.history[i, 0] = unwrapped_angle(s, block.history[i, 0])
                break


@kernel
def observe(motion, block, output, energies):
    """Wrench on the child, change of angle, multipliers, rows; energies and powers."""
    frames, codes, parameters = block.frames, block.codes, block.parameters
    n_multipliers = block.rows.shape[1] - 12
    s = scratch(N_SCRATCH)
    clear(s)
    powers = scratch(3)
    clear(powers)
    for i in range(frames.shape[0]):
        parent, child = frames[i, 0], frames[i, 1]
        accepted = block.history[i, 0]
        set_geometry(s, motion.poses, parameters, i, parent, child)
        set_relative_twist(s, motion.velocities, motion.accelerations, parent, child)
        for k in range(6):
            s[FORCE + k] = 0.0
        output[i, ANGLE_CHANGE] = 0.0
        held = 0
        for row in range((codes.shape[1] - ROW_CODES) // N_ROW_CODES):
            first = ROW_CODES + N_ROW_CODES * row
            kind, action = codes[i, first], codes[i, first + ACTION]
            place = MULTIPLIERS + n_multipliers + 2 * row
            output[i, place] = output[i, place + 1] = 0.0
            if kind == NONE:
                continue
            value = set_row(s, codes, parameters, i, row, accepted)
            rate, _ = set_row_rates(s)
            output[i, place] = value
            output[i, place + 1] = rate
            if kind == ANGLE or kind == SCREW:
                output[i, ANGLE_CHANGE] = unwrapped_angle(s, accepted) - accepted
            force = 0.0
            if action == HOLD:
                force = motion.multipliers[codes[i, FIRST_MULTIPLIER] + held]
                output[i, MULTIPLIERS + held] = force
                held += 1
                signal = codes[i, first + SIGNAL]
                if signal >= 0:
                    amplitude = parameters[
                        i, ROW_PARAMETERS + N_ROW_PARAMETERS * row + AMPLITUDE
                    ]
                    energies[4] -= force * amplitude * motion.signals[signal, 1]
            elif action == LAW:
                force, _, _ = row_law(
                    motion.signals, codes, parameters, i, row, value, rate, powers
                )
                energies[1] += powers[0]
                energies[4] += powers[1]
                energies[5] += powers[2]
            for k in range(6):
                s[FORCE + k] += force * s[GRADIENT + k]
        for k in range(6):
            output[i, WRENCH + k] = -s[FORCE + k]
