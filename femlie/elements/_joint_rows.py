"""Layout of a joint's numbers, and its relative coordinates with their gradients."""

from __future__ import annotations

import math

from .._jit import routine
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


@routine
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


@routine
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


@routine
def unwrapped_angle(s, accepted):
    """Angle about the joint's axis, within half a turn of the accepted one."""
    angle = math.atan2(s[ROTATION + 3] - s[ROTATION + 1], s[ROTATION] + s[ROTATION + 4])
    turns = math.floor((accepted - angle) / FULL_TURN + 0.5)
    return angle + FULL_TURN * turns


@routine
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


@routine
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
