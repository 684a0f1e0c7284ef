"""Relative frames and their coordinates: steps, slopes and driven values."""

from __future__ import annotations

import math

from .._jit import inline, routine
from ..elements._scatter import load3, load_position, load_quaternion
from ..lie import _kernels as lie
from ._data import (
    AMPLITUDE,
    BODY,
    COMPONENT,
    COORDINATE,
    FIRST,
    IS_ABELIAN,
    IS_BALL,
    IS_ROTATION,
    MOTION,
    N_COORDINATES,
    N_FREE,
    SEPARATE,
    SIGNAL,
    SUBGROUP,
    UNIVERSAL,
    VALUE,
)


@inline
def store_pose(poses, i, place, turn):
    for k in range(3):
        poses[i, k] = place[k]
    for k in range(4):
        poses[i, 3 + k] = turn[k]


@inline
def nearly_normalized(q):
    """A quaternion whose size is one but for rounding, made one to second order."""
    factor = 1.5 - 0.5 * (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    return (factor * q[0], factor * q[1], factor * q[2], factor * q[3])


@routine
def coordinate_twist(tree, b, values, twist):
    """``sum axis_k q_k`` over the free coordinates of a body's joint."""
    first = tree.kinds[b, FIRST]
    for j in range(6):
        twist[j] = 0.0
    for c in range(tree.kinds[b, N_FREE]):
        for j in range(6):
            twist[j] += tree.axes[b, c, j] * values[first + c]


@inline
def coordinate_turn(tree, b, values):
    """Rotation vector of the free coordinates of a joint that only turns."""
    first = tree.kinds[b, FIRST]
    if tree.kinds[b, IS_BALL] != 0:
        return (values[first], values[first + 1], values[first + 2])
    w = lie.ZERO3
    for c in range(tree.kinds[b, N_FREE]):
        axis = (tree.axes[b, c, 3], tree.axes[b, c, 4], tree.axes[b, c, 5])
        w = lie.add_scaled(w, values[first + c], axis)
    return w


@routine
def move_relative(tree, bases, steps, relatives, twist):
    """Relative frames moved from ``bases`` by steps of the free coordinates.

    Returns the largest rotation of a joint; not a number where a step is none.
    """
    largest = 0.0
    is_finite = True
    for b in range(tree.frames.shape[0]):
        place = load_position(bases, b)
        turn = load_quaternion(bases, b)
        motion = tree.kinds[b, MOTION]
        if tree.kinds[b, IS_ROTATION] != 0 and motion != UNIVERSAL:
            u, w = lie.ZERO3, coordinate_turn(tree, b, steps)
        else:
            coordinate_twist(tree, b, steps, twist)
            u, w = (twist[0], twist[1], twist[2]), (twist[3], twist[4], twist[5])
            if motion == SUBGROUP:
                moved = lie.exp_translation(u, w)
                place = lie.add(place, lie.quaternion_rotate(turn, moved))
            elif motion == SEPARATE:
                place = lie.add(place, u)
        square = lie.dot(w, w)
        largest = max(largest, square)
        is_finite = is_finite and math.isfinite(square + u[0] + u[1] + u[2])
        if motion == UNIVERSAL:
            first = lie.quaternion_exp((0.0, 0.0, w[2]))
            second = lie.quaternion_exp((w[0], 0.0, 0.0))
            turn = lie.quaternion_multiply(first, turn)
            turn = lie.quaternion_multiply(turn, second)
        else:
            turn = lie.quaternion_multiply(turn, lie.quaternion_exp(w))
        store_pose(relatives, b, place, nearly_normalized(turn))
    return math.sqrt(largest) if is_finite else math.nan


@routine
def set_slopes(tree, steps, rates, slopes, twist, speed):
    """``dq/dt = T^-1(q) rate`` of increments that started from zero."""
    for b in range(tree.frames.shape[0]):
        first = tree.kinds[b, FIRST]
        n = tree.kinds[b, N_FREE]
        if tree.kinds[b, IS_ABELIAN] != 0:
            for c in range(n):
                slopes[first + c] = rates[first + c]
            continue
        if tree.kinds[b, IS_ROTATION] != 0:
            w, dw = coordinate_turn(tree, b, steps), coordinate_turn(tree, b, rates)
            c, _ = lie.inverse_coefficients(lie.dot(w, w))
            change = lie.cross(w, dw)
            dw = lie.add_scaled(dw, 0.5, change)
            dw = lie.add_scaled(dw, c, lie.cross(w, change))
            for k in range(n):
                slopes[first + k] = dw[tree.directions[b, k] - 3]
            continue
        coordinate_twist(tree, b, steps, twist)
        coordinate_twist(tree, b, rates, speed)
        u = (twist[0], twist[1], twist[2])
        w = (twist[3], twist[4], twist[5])
        du = (speed[0], speed[1], speed[2])
        dw = (speed[3], speed[4], speed[5])
        c, e = lie.inverse_coefficients(lie.dot(w, w))
        a, d = lie.tangent_inverse_blocks(u, w, c, e)
        if tree.kinds[b, MOTION] == SUBGROUP:
            du = lie.add(lie.apply(a, du), lie.apply(d, dw))
        dw = lie.apply(a, dw)
        for k in range(n):
            j = tree.directions[b, k]
            slopes[first + k] = du[j] if j < 3 else dw[j - 3]


@routine
def set_driven(tree, signals, relatives, driven_rates):
    """Driven coordinates at the time of the signals, and their rates."""
    for d in range(tree.driven.shape[0]):
        b = tree.driven[d, BODY]
        signal = tree.driven[d, SIGNAL]
        component = tree.driven[d, COMPONENT]
        value = tree.driven_values[d, VALUE]
        driven_rates[d, 0] = 0.0
        driven_rates[d, 1] = 0.0
        if signal >= 0:
            amplitude = tree.driven_values[d, AMPLITUDE]
            value += amplitude * signals[signal, 0]
            driven_rates[d, 0] = amplitude * signals[signal, 1]
            driven_rates[d, 1] = amplitude * signals[signal, 2]
        if component < 3:
            relatives[b, component] = value
        elif tree.kinds[b, MOTION] == UNIVERSAL:
            set_first_angle(relatives, b, value)
        else:
            relatives[b, 3] = math.cos(0.5 * value)
            relatives[b, 4] = relatives[b, 5] = 0.0
            relatives[b, 6] = math.sin(0.5 * value)
            # a screw advances with its angle
            pitch = tree.axes[b, tree.driven[d, COORDINATE], 2]
            if pitch != 0.0:
                relatives[b, 2] = pitch * value


@routine
def set_first_angle(relatives, b, angle):
    """Rotation ``exp(angle e_z) exp(b e_x)`` with the second angle kept."""
    q = load_quaternion(relatives, b)
    # third row of R is (0, sin b, cos b)
    sine = 2.0 * (q[2] * q[3] + q[0] * q[1])
    cosine = 1.0 - 2.0 * (q[1] * q[1] + q[2] * q[2])
    second = math.atan2(sine, cosine)
    turn = lie.quaternion_multiply(
        lie.quaternion_exp((0.0, 0.0, angle)), lie.quaternion_exp((second, 0.0, 0.0))
    )
    for k in range(4):
        relatives[b, 3 + k] = turn[k]


@routine
def set_joint_axes(tree, relatives, b, axes):
    """Twist of each coordinate in the child's joint frame."""
    motion = tree.kinds[b, MOTION]
    for c in range(tree.kinds[b, N_COORDINATES]):
        for j in range(6):
            axes[c, j] = tree.axes[b, c, j]
        i = tree.directions[b, c]
        turns = motion == UNIVERSAL and i == 5
        if turns or (motion == SEPARATE and i < 3):
            # a row of R: an axis of the parent's joint frame seen from the child's
            r = lie.rotation_matrix(load_quaternion(relatives, b))
            first = 3 if turns else 0
            row = 2 if turns else i
            for j in range(3):
                axes[c, first + j] = r[3 * row + j]


@routine
def set_drift(tree, b, axes, speeds, drift):
    """``dS/dt q'``: axes of the parent's joint frame turn as seen from the child's."""
    motion = tree.kinds[b, MOTION]
    spin = lie.ZERO3
    moved = lie.ZERO3
    for c in range(tree.kinds[b, N_COORDINATES]):
        i = tree.directions[b, c]
        if motion == UNIVERSAL and i == 5:
            moved = lie.add_scaled(moved, speeds[c], load3(axes, c, 3))
        elif i < 3:
            moved = lie.add_scaled(moved, speeds[c], load3(axes, c, 0))
        else:
            spin = lie.add_scaled(spin, speeds[c], load3(axes, c, 3))
    change = lie.cross(moved, spin)
    first = 3 if motion == UNIVERSAL else 0
    for j in range(6):
        drift[j] = 0.0
    for j in range(3):
        drift[first + j] = change[j]
