"""Layout of a joint's numbers, and the coordinates that its rows are made of.

Fourteen numbers of the child's joint frame ``(p, R)`` seen from the parent's: p, R, the
angle about the third axis and ``|p|``. Each row is a sum of two of them, with the same
factors for its rates. Stages over lanes (see `_lanes`); all elements of a block have
the same rows.
"""

from __future__ import annotations

import math

from .._jit import inline, routine
from ..lie import _kernels as lie
from . import _lanes as lanes
from ._beam_geometry import move_wrench, transported
from ._lanes import LANES

# kinds of rows; axes are counted from 0
COMPONENT, DIRECTION, TURN, ANGLE, DISTANCE, SCREW = range(1, 7)
# what a row does
OBSERVE, HOLD, LAW, RUB = range(4)
# codes: first multiplier of the element, then those of each row
FIRST_MULTIPLIER, ROW_CODES = 0, 1
KIND, COORDINATE, OTHER, ACTION, SIGNAL, REST_SIGNAL, TORQUE_SIGNAL = range(7)
N_ROW_CODES = 7
# parameters: offset poses of parent and child (7 each), then those of each row
OFFSETS, ROW_PARAMETERS = 0, 14
VALUE, AMPLITUDE, STIFFNESS, DAMPING, REST, REST_AMPLITUDE, TORQUE = range(7)
LOWER, UPPER, STOP_STIFFNESS, STOP_DAMPING, FACTOR, OTHER_FACTOR = range(7, 13)
N_ROW_PARAMETERS = 13
# the same of rows with friction
LIMIT, BREAKAWAY, STRIBECK_SPEED, STICK_STIFFNESS = range(4)
# history: angle about the joint's axis at the last accepted step; then of each row with
# friction the coordinate where it sticks without force, and the energy lost so far
ANGLE_HISTORY, N_HISTORY = 0, 1
ANCHOR, LOSS, N_RUB_HISTORY = 0, 1, 2
# output: wrench on the child in its joint frame, change of the angle since the last
# accepted step, multipliers, then value and rate of each row; of a row with friction
# its force on the child and the energy lost
WRENCH, ANGLE_CHANGE, MULTIPLIERS = 0, 6, 7

# the coordinates: place, rotation, angle, distance
THE_PLACE, THE_ROTATION, THE_ANGLE, THE_DISTANCE = 0, 3, 12, 13
N_COORDINATES = 14
FULL_TURN = 6.283185307179586
SMALLEST = 1e-300  # of what is divided by
ROUNDING = 2.220446049250313e-16

# rows of the scratch array
VALUES, RATES, SECOND_RATES, FORCES = 0, 14, 28, 42  # of and on the coordinates
PLACE, ROTATION = VALUES + THE_PLACE, VALUES + THE_ROTATION
PARENT, CHILD = 56, 68  # child's joint frame in both nodes: place, rotation (12 each)
N_FRAME = 12
OFFSET_P, OFFSET_C, POSE_P, POSE_C = 80, 87, 94, 101
TWISTS = 108  # of the nodes: velocities, accelerations or increments (12)
TWIST = 120  # -Y_P v_P, then Y_P v_P + Y_C v_C, of velocities or accelerations
CARRIED, NU = 132, 138  # of velocities
ARRAY = 144  # A (9)
GRADIENT, COLUMN = 153, 159  # f, and Y^T f on parent and child (12), or of one row
ENTRIES = 171  # of the row of a multiplier (12)
SIZES = 183  # of forces and moments
SINE, COSINE, SPREAD, INVERSE = 185, 186, 187, 189  # see `set_angle`, `set_distance`
N_SCRATCH = 190


@inline
def number_of_rows(codes):
    return (codes.shape[1] - ROW_CODES) // N_ROW_CODES


@inline
def row_place(codes, parameters, first, row):
    """Both coordinates of a row, and their factors."""
    at = ROW_CODES + N_ROW_CODES * row
    j = ROW_PARAMETERS + N_ROW_PARAMETERS * row
    one, other = codes[first, at + COORDINATE], codes[first, at + OTHER]
    return (
        one,
        other,
        parameters[first, j + FACTOR],
        parameters[first, j + OTHER_FACTOR],
    )


@inline
def row_sum(s, coordinates, at, k):
    """Value of a row, or one of its rates, from where all values or rates begin."""
    one, other, factor, other_factor = coordinates
    return (
        factor * s[(at + one) * LANES + k] + other_factor * s[(at + other) * LANES + k]
    )


@routine
def survey(codes, i, smallest_action):
    """Whether rows with such actions have an angle, a distance, a law or friction."""
    has_angle = has_distance = has_law = False
    for row in range(number_of_rows(codes)):
        at = ROW_CODES + N_ROW_CODES * row
        if codes[i, at + ACTION] >= smallest_action:
            one, other = codes[i, at + COORDINATE], codes[i, at + OTHER]
            has_angle |= one == THE_ANGLE or other == THE_ANGLE
            has_distance |= one == THE_DISTANCE
            has_law |= codes[i, at + ACTION] >= LAW
    return has_angle, has_distance, has_law


@routine
def gather_frames(s, poses, frames, parameters, first, n):
    if n < LANES:
        lanes.clear(s, OFFSET_P, 28)
    lanes.gather_elements(s, OFFSET_P, parameters, first, n, OFFSETS, 14)
    lanes.gather_frames(s, POSE_P, poses, frames, 0, first, n, 0, 7)
    lanes.gather_frames(s, POSE_C, poses, frames, 1, first, n, 0, 7)


@routine
def set_frames(s):
    """Relative place and rotation, and where the child's joint frame is."""
    for k in range(LANES):
        arm = lanes.get3(s, OFFSET_C, k)
        own = lanes.get4(s, OFFSET_C + 3, k)
        child = lanes.get4(s, POSE_C + 3, k)
        back = lie.quaternion_conjugate(lanes.get4(s, POSE_P + 3, k))
        p = lie.subtract(lanes.get3(s, POSE_C, k), lanes.get3(s, POSE_P, k))
        p = lie.quaternion_rotate(back, lie.add(p, lie.quaternion_rotate(child, arm)))
        q = lie.quaternion_multiply(back, lie.quaternion_multiply(child, own))
        lanes.put3(s, CHILD, k, arm)
        lanes.put33(s, CHILD + 3, k, lie.rotation_matrix(own))
        lanes.put3(s, PARENT, k, p)
        lanes.put33(s, PARENT + 3, k, lie.rotation_matrix(q))
        back = lie.quaternion_conjugate(lanes.get4(s, OFFSET_P + 3, k))
        p = lie.subtract(p, lanes.get3(s, OFFSET_P, k))
        lanes.put3(s, PLACE, k, lie.quaternion_rotate(back, p))
        r = lie.rotation_matrix(lie.quaternion_multiply(back, q))
        lanes.put33(s, ROTATION, k, r)


@routine
def gather_twists(s, array, frames, first, n):
    """Numbers of both nodes from an array (n_frames, 6)."""
    if n < LANES:
        lanes.clear(s, TWISTS, 12)
    lanes.gather_frames(s, TWISTS, array, frames, 0, first, n, 0, 6)
    lanes.gather_frames(s, TWISTS + 6, array, frames, 1, first, n, 0, 6)


@inline
def set_twist(s, at):
    """``-Y_P v_P``, then ``Y_P v_P + Y_C v_C``, of the twists of the nodes."""
    for k in range(LANES):
        du, dw = lie.ZERO3, lie.ZERO3
        for side in range(2):
            p = lanes.get3(s, PARENT + N_FRAME * side, k)
            r = lanes.get33(s, PARENT + N_FRAME * side + 3, k)
            u = lanes.get3(s, TWISTS + 6 * side, k)
            w = lanes.get3(s, TWISTS + 6 * side + 3, k)
            u, w = transported(p, r, u, w)
            du, dw = lie.subtract(u, du), lie.subtract(w, dw)
            lanes.put3(s, at + 6 * side, k, du)
            lanes.put3(s, at + 6 * side + 3, k, dw)


@routine
def set_rates(s):
    """``dp/dt = R nu_u`` and ``dR/dt = R nu_w^``."""
    set_twist(s, CARRIED)
    for k in range(LANES):
        r = lanes.get33(s, ROTATION, k)
        lanes.put3(s, RATES, k, lie.apply(r, lanes.get3(s, NU, k)))
        x = lie.times_hat(r, lanes.get3(s, NU + 3, k))
        lanes.put33(s, RATES + THE_ROTATION, k, x)


@routine
def set_second_rates(s):
    """``R (dnu_u + nu_w x nu_u)``, ``R (dnu_w^ + nu_w^ nu_w^)``.

    ``dnu = Y_P a_P + Y_C a_C + ad(nu) y``, the first two of which are in `TWIST`.
    """
    set_twist(s, TWIST)
    for k in range(LANES):
        u, w = lanes.get3(s, NU, k), lanes.get3(s, NU + 3, k)
        y = lanes.get3(s, CARRIED + 3, k)
        x = lie.add(u, lanes.get3(s, CARRIED, k))
        x = lie.add(lie.cross(w, x), lie.cross(u, y))
        x = lie.add(x, lanes.get3(s, TWIST + 6, k))
        r = lanes.get33(s, ROTATION, k)
        lanes.put3(s, SECOND_RATES, k, lie.apply(r, x))
        x = lie.add(lie.cross(w, y), lanes.get3(s, TWIST + 9, k))
        turning = lie.times_hat(lanes.get33(s, RATES + THE_ROTATION, k), w)
        x = lie.matrix_add(lie.times_hat(r, x), turning)
        lanes.put33(s, SECOND_RATES + THE_ROTATION, k, x)


@inline
def tilt(s, at, k):
    """``S = R21 - R12`` and ``C = R11 + R22`` (counted from 1), or their rates."""
    sine = lanes.get(s, at + 6, k) - lanes.get(s, at + 4, k)
    return sine, lanes.get(s, at + 3, k) + lanes.get(s, at + 7, k)


@routine
def set_angle(s, history, first, n):
    """``atan2(S, C)`` within half a turn of the accepted one, and its rates.

    ``S/(S^2 + C^2)`` and ``C/(S^2 + C^2)`` are kept, and the rotation part of the
    gradient of ``log(S^2 + C^2)/2``, whose third component is zero.
    """
    for k in range(n):
        sine, cosine = tilt(s, VALUES, k)
        angle = math.atan2(sine, cosine)
        turns = math.floor((history[first + k, 0] - angle) / FULL_TURN + 0.5)
        lanes.put(s, THE_ANGLE, k, angle + FULL_TURN * turns)
    for k in range(LANES):
        sine, cosine = tilt(s, VALUES, k)
        inverse = 1.0 / (sine * sine + cosine * cosine)
        sine, cosine = inverse * sine, inverse * cosine
        lanes.put(s, SINE, k, sine)
        lanes.put(s, COSINE, k, cosine)
        x, y = lanes.get(s, ROTATION + 2, k), lanes.get(s, ROTATION + 5, k)
        lanes.put(s, SPREAD, k, cosine * y - sine * x)
        lanes.put(s, SPREAD + 1, k, -cosine * x - sine * y)
        ds, dc = tilt(s, RATES, k)
        rate = cosine * ds - sine * dc
        lanes.put(s, RATES + THE_ANGLE, k, rate)
        x, y = tilt(s, SECOND_RATES, k)
        x = cosine * x - sine * y - 2.0 * rate * (sine * ds + cosine * dc)
        lanes.put(s, SECOND_RATES + THE_ANGLE, k, x)


@routine
def set_distance(s):
    """``|p|`` and ``1/|p|`` (zero where points meet), and its rates."""
    for k in range(LANES):
        p, dp = lanes.get3(s, PLACE, k), lanes.get3(s, RATES, k)
        square = lie.dot(p, p)
        length = math.sqrt(square)
        inverse = length / (square + SMALLEST)
        rate = inverse * lie.dot(p, dp)
        lanes.put(s, THE_DISTANCE, k, length)
        lanes.put(s, INVERSE, k, inverse)
        lanes.put(s, RATES + THE_DISTANCE, k, rate)
        x = lie.dot(p, lanes.get3(s, SECOND_RATES, k)) + lie.dot(dp, dp)
        x = inverse * (x - rate * rate)
        lanes.put(s, SECOND_RATES + THE_DISTANCE, k, x)


@inline
def set_coordinates(s, motion, block, first, n, order, found):
    """All that the rows need (see `survey`), with rates up to `order`; no force yet."""
    has_angle, has_distance, _ = found
    gather_frames(s, motion.poses, block.frames, block.parameters, first, n)
    set_frames(s)
    # forces, and what the distance and the angle leave behind where there are none
    lanes.clear(s, FORCES, N_COORDINATES)
    lanes.clear(s, SINE, 5)
    if order > 0:
        gather_twists(s, motion.velocities, block.frames, first, n)
        set_rates(s)
    if order > 1:
        gather_twists(s, motion.accelerations, block.frames, first, n)
        set_second_rates(s)
    elif has_angle or has_distance:
        lanes.clear(s, SECOND_RATES, N_COORDINATES)
    if has_angle:
        set_angle(s, block.history, first, n)
    if has_distance:
        set_distance(s)


@routine
def set_wrenches(s, factor):
    """``f`` of the forces on the coordinates, and ``Y^T f``; see `move`.

    With c and W the forces on p and R: ``f = (R^T c, A - A^T)``, ``A = R^T W``. A force
    on the angle is one on R, a force on the distance one on p.
    """
    for k in range(LANES):
        force = lanes.get(s, FORCES + THE_ANGLE, k)
        sine = force * lanes.get(s, SINE, k)
        cosine = force * lanes.get(s, COSINE, k)
        x = lanes.get33(s, FORCES + THE_ROTATION, k)
        x = (
            x[0] - sine, x[1] - cosine, x[2],
            x[3] + cosine, x[4] - sine, x[5],
            x[6], x[7], x[8],
        )  # fmt: skip
        force = lanes.get(s, FORCES + THE_DISTANCE, k) * lanes.get(s, INVERSE, k)
        y = lie.add_scaled(lanes.get3(s, FORCES, k), force, lanes.get3(s, PLACE, k))
        r = lanes.get33(s, ROTATION, k)
        a = lie.multiply_transposed(r, x)
        lanes.put33(s, ARRAY, k, a)
        lanes.put3(s, GRADIENT, k, lie.apply_transposed(r, y))
        lanes.put3(s, GRADIENT + 3, k, (a[7] - a[5], a[2] - a[6], a[3] - a[1]))
    move(s, factor)


@routine
def move(s, factor):
    """``Y^T`` times what is in `GRADIENT`, and this times a factor as entries."""
    for k in range(LANES):
        f, m = lanes.get3(s, GRADIENT, k), lanes.get3(s, GRADIENT + 3, k)
        for side in range(2):
            p = lanes.get3(s, PARENT + N_FRAME * side, k)
            r = lanes.get33(s, PARENT + N_FRAME * side + 3, k)
            force, moment = move_wrench(p, r, f, m)
            force = lie.scale(2.0 * side - 1.0, force)
            moment = lie.scale(2.0 * side - 1.0, moment)
            lanes.put3(s, COLUMN + 6 * side, k, force)
            lanes.put3(s, COLUMN + 6 * side + 3, k, moment)
            lanes.put3(s, ENTRIES + 6 * side, k, lie.scale(factor, force))
            lanes.put3(s, ENTRIES + 6 * side + 3, k, lie.scale(factor, moment))
