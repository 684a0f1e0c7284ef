"""Relative coordinates of two joint frames, straight from their definitions.

Frames are 4x4 matrices. Every function takes complex matrices too, so that first
derivatives are imaginary parts at a step of 1e-30 and exact to rounding.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from femlie.elements.joint import (
    JointElement,
)
from femlie.elements.joint_row import (
    Row,
    RowAction,
    RowKind,
)

STEP = 1e-30


def hat(twist: Any) -> Any:
    u, w = twist[:3], twist[3:]
    return np.array(
        [
            [0, -w[2], w[1], u[0]],
            [w[2], 0, -w[0], u[1]],
            [-w[1], w[0], 0, u[2]],
            [0, 0, 0, 0],
        ]
    )


def exp(twist: Any) -> Any:
    """Sum of the power series."""
    matrix = hat(np.asarray(twist))
    term = total = np.eye(4)
    for k in range(1, 40):
        term = term @ matrix / k
        total = total + term
    return total


def frame(pose: Any) -> Any:
    """4x4 matrix of place and unit quaternion."""
    w, v = pose[3], np.asarray(pose[4:])
    cross = hat(np.concatenate((np.zeros(3), v)))[:3, :3]
    matrix = np.eye(4)
    matrix[:3, :3] = np.eye(3) + 2 * w * cross + 2 * cross @ cross
    matrix[:3, 3] = pose[:3]
    return matrix


def inverse(matrix: Any) -> Any:
    turn = matrix[:3, :3].T
    back = np.zeros_like(matrix)
    back[:3, :3] = turn
    back[:3, 3] = -turn @ matrix[:3, 3]
    back[3, 3] = 1
    return back


def relative(element: JointElement, parent: Any, child: Any) -> Any:
    """Child's joint frame seen from the parent's."""
    return inverse(parent @ frame(element.parent_offset)) @ (
        child @ frame(element.child_offset)
    )


def angle(turn: Any, near: float) -> Any:
    sine, cosine = turn[1, 0] - turn[0, 1], turn[0, 0] + turn[1, 1]
    if abs(cosine) > abs(sine):
        found = np.arctan(sine / cosine) + (math.pi if cosine.real < 0 else 0.0)
    else:
        found = math.copysign(math.pi / 2, sine.real) - np.arctan(cosine / sine)
    return found + 2 * math.pi * round((near - found.real) / (2 * math.pi))


def coordinate(row: Row, place_and_turn: Any, near: float) -> Any:
    """Value of a row."""
    turn, place = place_and_turn[:3, :3], place_and_turn[:3, 3]
    if row.kind is RowKind.COMPONENT:
        return place[row.i]
    if row.kind is RowKind.DIRECTION:
        return turn[row.i, row.j]
    if row.kind is RowKind.TURN:
        j, k = (row.i + 1) % 3, (row.i + 2) % 3
        return (turn[k, j] - turn[j, k]) / 2
    if row.kind is RowKind.DISTANCE:
        return np.sqrt(np.sum(place**2))
    if row.kind is RowKind.ANGLE:
        return angle(turn, near)
    return place[2] - row.pitch * angle(turn, near)


def gradient(element: JointElement, row: Row, parent: Any, child: Any) -> Any:
    """Derivative of a row by the local increments of both nodes, (12,)."""
    slopes = np.zeros(12)
    for k in range(12):
        twist = np.zeros(12, dtype=complex)
        twist[k] = STEP * 1j
        moved = relative(element, parent @ exp(twist[:6]), child @ exp(twist[6:]))
        slopes[k] = coordinate(row, moved, element.initial_angle).imag / STEP
    return slopes


def law(row: Row, value: float, rate: float, signals: Any) -> float:
    """Force of a row: spring, damper, motor and stops."""
    rest, motor = row.rest, row.torque
    if row.rest_signal >= 0:
        rest += row.rest_amplitude * signals[row.rest_signal, 0]
    if row.torque_signal >= 0:
        motor *= signals[row.torque_signal, 0]
    force = row.stiffness * (value - rest) + row.damping * rate - motor
    if value > row.upper:
        depth = value - row.upper
        force += max(0, row.stop_stiffness * depth * (1 + row.stop_damping * rate))
    if value < row.lower:
        depth = row.lower - value
        force -= max(0, row.stop_stiffness * depth * (1 - row.stop_damping * rate))
    return force


def wrenches(
    element: JointElement, frames: Any, velocities: Any, multipliers: Any, signals: Any
) -> Any:
    """Sum of ``B^T s`` over held rows and laws, (12,)."""
    total = np.zeros(12)
    held = iter(multipliers)
    for row in element.rows:
        slope = gradient(element, row, *frames)
        if row.action is RowAction.HOLD:
            total += slope * next(held)
        elif row.action is RowAction.LAW:
            place = relative(element, *frames)
            value = coordinate(row, place, element.initial_angle)
            total += slope * law(row, value, slope @ velocities, signals)
    return total


def rate(
    element: JointElement,
    row: Row,
    frames: Any,
    velocities: Any,
    accelerations: Any,
    time: float,
) -> float:
    """Rate of a row at `time` on the path ``H exp(t v + t^2/2 a)`` of both nodes."""
    t = time + STEP * 1j
    moved = [
        start @ exp(t * v + t**2 / 2 * a)
        for start, v, a in zip(frames, velocities, accelerations, strict=True)
    ]
    value = coordinate(row, relative(element, *moved), element.initial_angle)
    return float(value.imag / STEP)


def second_rate(
    element: JointElement, row: Row, frames: Any, velocities: Any, accelerations: Any
) -> float:
    """Second rate of a row: fourth-order differences of the first, error about 1e-11.

    On the path, velocities start at v with the rate a, since ``[v, v] = 0``.
    """
    step = 1e-3

    def at(time: float) -> float:
        return rate(element, row, frames, velocities, accelerations, time)

    near, far = at(step) - at(-step), at(2 * step) - at(-2 * step)
    return (8 * near - far) / (12 * step)
