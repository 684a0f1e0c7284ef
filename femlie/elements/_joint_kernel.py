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

import numpy as np

from .._jit import kernel
from . import _scatter as scatter
from . import _small as small

# kinds of rows; axes are counted from 0
NONE, COMPONENT, DIRECTION, TURN, ANGLE, DISTANCE, SCREW = range(7)
# what a row does
OBSERVE, HOLD, LAW = range(3)
# codes: first multiplier of the element, then those of each row
FIRST_MULTIPLIER, ROW_CODES = 0, 1
KIND, FIRST, SECOND, ACTION, SIGNAL, REST_SIGNAL, TORQUE_SIGNAL = range(7)
N_ROW_CODES = 7
# parameters: offset poses of parent and child (7 each), then those of each row
OFFSETS, ROW_PARAMETERS = 0, 14
VALUE, AMPLITUDE, STIFFNESS, DAMPING, REST, REST_AMPLITUDE, TORQUE = range(7)
LOWER, UPPER, STOP_STIFFNESS, STOP_DAMPING, PITCH = range(7, 12)
N_ROW_PARAMETERS = 12
N_HISTORY = 1  # angle about the joint's axis at the last accepted step
# output: wrench on the child in its joint frame, change of the angle since the last
# accepted step, multipliers, then value and rate of each row
WRENCH, ANGLE_CHANGE, MULTIPLIERS = 0, 6, 7

# vectors in the scratch array
PLACE, ROTATION, NU, CARRIED, NU_RATE, GRADIENT, SLOPE, FORCE, SPREAD = (
    0, 3, 12, 18, 24, 30, 36, 42, 48,
)  # fmt: skip
CENTER, ARRAY, PRODUCT, POSE, STEPS = 54, 57, 66, 75, 82
# then matrices; those of parent and child lie side by side
MAP, MOVED, STIFF, VISCOUS, CURVATURE, TEMPORARY, OTHER = (
    104, 200, 296, 392, 440, 488, 536,
)  # fmt: skip
N_SCRATCH = 584
FULL_TURN = 6.283185307179586
ROUNDING = 2.220446049250313e-16


@kernel
def set_geometry(s, poses, parameters, i, parent, child):
    """Relative place and rotation, and the maps ``Y_C`` and ``Y_P``.

    The child's offset pose is taken from the child's node to the world, to the parent's
    node and to the parent's joint frame. Row k of the upper right block of
    ``Ad(p, R)^-1`` is p times column k of R.
    """
    for k in range(7):
        s[POSE + k] = parameters[i, OFFSETS + 7 + k]
        s[STEPS + k] = poses[child, k]
        s[STEPS + 7 + k] = poses[parent, k]
        s[STEPS + 14 + k] = parameters[i, OFFSETS + k]
    for step in range(4):
        w, x, y, z = s[POSE + 3], s[POSE + 4], s[POSE + 5], s[POSE + 6]
        s[ROTATION] = 1.0 - 2.0 * (y * y + z * z)
        s[ROTATION + 1] = 2.0 * (x * y - w * z)
        s[ROTATION + 2] = 2.0 * (x * z + w * y)
        s[ROTATION + 3] = 2.0 * (x * y + w * z)
        s[ROTATION + 4] = 1.0 - 2.0 * (x * x + z * z)
        s[ROTATION + 5] = 2.0 * (y * z - w * x)
        s[ROTATION + 6] = 2.0 * (x * z - w * y)
        s[ROTATION + 7] = 2.0 * (y * z + w * x)
        s[ROTATION + 8] = 1.0 - 2.0 * (x * x + y * y)
        p, q, r = s[POSE], s[POSE + 1], s[POSE + 2]
        if step == 3:
            s[PLACE], s[PLACE + 1], s[PLACE + 2] = p, q, r
            break
        sign = 1.0
        if step != 1:
            out = MAP + small.SIZE
            if step == 2:
                sign, out = -1.0, MAP
            for k in range(3):
                a = sign * s[ROTATION + k]
                b = sign * s[ROTATION + 3 + k]
                c = sign * s[ROTATION + 6 + k]
                row = out + small.STRIDE * k
                s[row], s[row + 1], s[row + 2] = a, b, c
                s[row + 3] = q * c - r * b
                s[row + 4] = r * a - p * c
                s[row + 5] = p * b - q * a
                s[row + 27], s[row + 28], s[row + 29] = a, b, c
        # the pose becomes step^(+-1) pose
        sign = 1.0 if step == 0 else -1.0
        first = STEPS + 7 * step
        d, a, b, c = s[first + 3], s[first + 4], s[first + 5], s[first + 6]
        a, b, c = sign * a, sign * b, sign * c
        if step != 0:
            p, q, r = p - s[first], q - s[first + 1], r - s[first + 2]
        e, f, g = 2.0 * (b * r - c * q), 2.0 * (c * p - a * r), 2.0 * (a * q - b * p)
        s[POSE] = p + d * e + b * g - c * f
        s[POSE + 1] = q + d * f + c * e - a * g
        s[POSE + 2] = r + d * g + a * f - b * e
        if step == 0:
            for k in range(3):
                s[POSE + k] += s[first + k]
        s[POSE + 3] = d * w - a * x - b * y - c * z
        s[POSE + 4] = d * x + a * w + b * z - c * y
        s[POSE + 5] = d * y - a * z + b * w + c * x
        s[POSE + 6] = d * z + a * y - b * x + c * w


@kernel
def set_relative_twist(s, velocities, accelerations, parent, child):
    """``nu = Y_P v_P + Y_C v_C``, ``y = -Y_P v_P`` and ``Y_P a_P + Y_C a_C``."""
    for k in range(6):
        first = MAP + small.STRIDE * k
        own = carried = rate = 0.0
        for j in range(6):
            a, b = s[first + j], s[first + small.SIZE + j]
            carried -= a * velocities[parent, j]
            own += b * velocities[child, j]
            rate += a * accelerations[parent, j] + b * accelerations[child, j]
        s[CARRIED + k] = carried
        s[NU + k] = own - carried
        s[NU_RATE + k] = rate


@kernel
def unwrapped_angle(s, accepted):
    """Angle about the joint's axis, within half a turn of the accepted one."""
    angle = math.atan2(s[ROTATION + 3] - s[ROTATION + 1], s[ROTATION] + s[ROTATION + 4])
    turns = math.floor((accepted - angle) / FULL_TURN + 0.5)
    return angle + FULL_TURN * turns


@kernel
def set_row(s, codes, parameters, i, row, accepted):
    """Value of a row; its gradient and the gradient's derivative go to the scratch.

    A row is ``c . p + sum W R`` with ``g = (a, A - A^T)`` (as a vector) and
    ``dg/dx = [[0, a^], [0, A - tr(A) I]]``, where ``a = R^T c`` and ``A = R^T W``.
    A distance has ``c = p/|p|`` and ``(I - a a^T)/|p|`` besides. The angle
    ``atan2(S, C)`` has ``W = (C dS - S dC)/(S^2 + C^2)`` and ``-(g r^T + r g^T)``
    besides, r the gradient of ``log(S^2 + C^2)/2``.
    """
    first = ROW_CODES + N_ROW_CODES * row
    kind, axis, other = codes[i, first], codes[i, first + 1], codes[i, first + 2]
    for k in range(12):
        s[CENTER + k] = 0.0
    for k in range(small.SIZE):
        s[CURVATURE + k] = 0.0
    value = inverse = spread_x = spread_y = 0.0
    has_angle = kind == ANGLE or kind == SCREW
    if kind == COMPONENT:
        s[CENTER + axis] = 1.0
    elif kind == DISTANCE:
        x, y, z = s[PLACE], s[PLACE + 1], s[PLACE + 2]
        length = math.sqrt(x * x + y * y + z * z)
        if length > 0.0:
            inverse = 1.0 / length
        for k in range(3):
            s[CENTER + k] = inverse * s[PLACE + k]
    elif kind == DIRECTION:
        s[ARRAY + 3 * axis + other] = 1.0
    elif kind == TURN:
        k, j = (axis + 1) % 3, (axis + 2) % 3
        s[ARRAY + 3 * j + k] = 0.5
        s[ARRAY + 3 * k + j] = -0.5
    elif has_angle:
        factor = 1.0
        if kind == SCREW:
            s[CENTER + 2] = 1.0
            factor = -parameters[i, ROW_PARAMETERS + N_ROW_PARAMETERS * row + PITCH]
        value = factor * unwrapped_angle(s, accepted)
        sine = s[ROTATION + 3] - s[ROTATION + 1]
        cosine = s[ROTATION] + s[ROTATION + 4]
        square = sine * sine + cosine * cosine
        sine, cosine = sine / square, cosine / square
        s[ARRAY] = s[ARRAY + 4] = -factor * sine
        s[ARRAY + 3] = factor * cosine
        s[ARRAY + 1] = -factor * cosine
        spread_x = cosine * s[ROTATION + 5] - sine * s[ROTATION + 2]
        spread_y = -cosine * s[ROTATION + 2] - sine * s[ROTATION + 5]
    for j in range(3):
        a = 0.0
        for k in range(3):
            b = 0.0
            for n in range(3):
                b += s[ROTATION + 3 * n + j] * s[ARRAY + 3 * n + k]
            s[PRODUCT + 3 * j + k] = b
            a += s[ROTATION + 3 * k + j] * s[CENTER + k]
            if not has_angle:
                value += s[ROTATION + 3 * j + k] * s[ARRAY + 3 * j + k]
        s[GRADIENT + j] = a
        value += s[CENTER + j] * s[PLACE + j]
    s[GRADIENT + 3] = s[PRODUCT + 7] - s[PRODUCT + 5]
    s[GRADIENT + 4] = s[PRODUCT + 2] - s[PRODUCT + 6]
    s[GRADIENT + 5] = s[PRODUCT + 3] - s[PRODUCT + 1]
    trace = s[PRODUCT] + s[PRODUCT + 4] + s[PRODUCT + 8]
    s[SPREAD], s[SPREAD + 1], s[SPREAD + 2] = spread_x, spread_y, 0.0
    for j in range(3):
        upper = CURVATURE + small.STRIDE * j
        lower = upper + 27
        for k in range(3):
            s[upper + k] = -inverse * s[GRADIENT + j] * s[GRADIENT + k]
            s[lower + k] = (
                s[PRODUCT + 3 * j + k]
                - s[GRADIENT + 3 + j] * s[SPREAD + k]
                - s[SPREAD + j] * s[GRADIENT + 3 + k]
            )
        s[upper + j] += inverse
        s[lower + j] -= trace
        k, n = (j + 1) % 3, (j + 2) % 3
        s[upper + 3 + k] = -s[GRADIENT + n]
        s[upper + 3 + n] = s[GRADIENT + k]
    return value


@kernel
def set_row_rates(s):
    """First and second rate of a row; the derivative of the first in the scratch."""
    rate = second = 0.0
    for j in range(6):
        slope = 0.0
        for k in range(6):
            slope += s[CURVATURE + small.STRIDE * k + j] * s[NU + k]
        s[SLOPE + j] = slope
        rate += s[GRADIENT + j] * s[NU + j]
        second += s[GRADIENT + j] * s[NU_RATE + j] + slope * s[NU + j]
    # what is left is -ad(y)^T g, whose product with nu is g . ad(nu) y
    for j in range(3):
        k, n = (j + 1) % 3, (j + 2) % 3
        a, b = s[CARRIED + k], s[CARRIED + n]
        c, d = s[CARRIED + 3 + k], s[CARRIED + 3 + n]
        e, f = s[GRADIENT + k], s[GRADIENT + n]
        force = c * f - d * e
        moment = a * f - b * e + c * s[GRADIENT + 3 + n] - d * s[GRADIENT + 3 + k]
        s[SLOPE + j] += force
        s[SLOPE + 3 + j] += moment
        second += force * s[NU + j] + moment * s[NU + 3 + j]
    return rate, second


@kernel
def row_target(signals, codes, parameters, i, row, order):
    """What a held row is held at, or its first or second rate."""
    j = ROW_PARAMETERS + N_ROW_PARAMETERS * row
    signal = codes[i, ROW_CODES + N_ROW_CODES * row + SIGNAL]
    target = parameters[i, j + VALUE] if order == 0 else 0.0
    if signal >= 0:
        target += parameters[i, j + AMPLITUDE] * signals[signal, order]
    return target


@kernel
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


@kernel
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


@kernel
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


@kernel
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


@kernel
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


@kernel
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
    s = np.zeros(N_SCRATCH)
    powers = np.zeros(3)
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
    s = np.zeros(N_SCRATCH)
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
    s = np.zeros(N_SCRATCH)
    powers = np.zeros(3)
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
