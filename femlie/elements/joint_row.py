"""One relative coordinate of two joint frames, what acts on it, and its numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import IntEnum

from . import _joint_rows as layout

X, Y, Z = range(3)


class RowKind(IntEnum):
    """Relative coordinate ``phi(p, R)`` of the child's joint frame in the parent's.

    ``COMPONENT``: ``e_i . p``. ``DIRECTION``: ``e_i . R e_j``. ``TURN``: component i of
    the vector of ``(R - R^T)/2``, for small or held rotations. ``DISTANCE``: ``|p|``.
    ``ANGLE``: rotation about the axis, ``atan2(R21 - R12, R11 + R22)``, counted through
    all turns. ``SCREW``: ``e_z . p - pitch ANGLE``.
    """

    COMPONENT = layout.COMPONENT
    DIRECTION = layout.DIRECTION
    TURN = layout.TURN
    ANGLE = layout.ANGLE
    DISTANCE = layout.DISTANCE
    SCREW = layout.SCREW


class RowAction(IntEnum):
    """What a row does: nothing, hold its coordinate, act by a force law, or rub."""

    OBSERVE = layout.OBSERVE
    HOLD = layout.HOLD
    LAW = layout.LAW
    RUB = layout.RUB


@dataclass(frozen=True)
class Row:
    """One relative coordinate and what acts on it.

    Held: ``phi = value + amplitude signal``. Law: the force (moment for angles)
    ``stiffness (phi - rest - rest_amplitude rest_signal) + damping dphi/dt`` minus
    ``torque torque_signal``, and stops that push back with
    ``stop_stiffness d (1 + stop_damping dd/dt)``, never pulling, at a depth d below
    `lower` or above `upper`. Friction: see `_joint_friction`; it needs a `limit`, a
    `stiffness` of what sticks, and sticks without force at `rest`.

    Attributes
    ----------
    kind : RowKind
    i, j : int
        Axes, counted from 0: of the parent's joint frame, and for a direction of the
        child's.
    action : RowAction
    value, amplitude : float
        Of the held value [m or rad].
    signal, rest_signal, torque_signal : int
        Number of a signal; -1: none, so that the value, the rest value, the torque are
        constant (amplitudes then mean nothing).
    stiffness, damping : float
        [N/m, N s/m] or [N m/rad, N m s/rad].
    rest, rest_amplitude : float
        Of the coordinate at which the spring is free of force [m or rad].
    torque : float
        Force or torque of a motor [N or N m], times its signal.
    lower, upper : float
        Where stops begin [m or rad].
    stop_stiffness, stop_damping : float
        [N/m or N m/rad]; [s/m or s/rad].
    pitch : float
        Advance of a screw per radian [m/rad]: the advance per turn over 2 pi.
    limit, breakaway : float
        Largest force of friction in motion and at rest [N or N m].
    stribeck_speed : float
        Rate over which friction falls from `breakaway` to `limit` [m/s or rad/s].
    """

    kind: RowKind
    i: int = Z
    j: int = Z
    action: RowAction = RowAction.OBSERVE
    value: float = 0.0
    amplitude: float = 0.0
    signal: int = -1
    stiffness: float = 0.0
    damping: float = 0.0
    rest: float = 0.0
    rest_amplitude: float = 0.0
    rest_signal: int = -1
    torque: float = 0.0
    torque_signal: int = -1
    lower: float = -math.inf
    upper: float = math.inf
    stop_stiffness: float = 0.0
    stop_damping: float = 0.0
    pitch: float = 0.0
    limit: float = 0.0
    breakaway: float = 0.0
    stribeck_speed: float = 1.0


def coordinates_of(row: Row) -> tuple[int, int, float, float]:
    """The coordinates of the kernel that a row is made of, and their factors."""
    place, rotation = layout.THE_PLACE, layout.THE_ROTATION
    angle, distance = layout.THE_ANGLE, layout.THE_DISTANCE
    after, last = (row.i + 1) % 3, (row.i + 2) % 3
    return {
        RowKind.COMPONENT: (place + row.i, place, 1.0, 0.0),
        RowKind.DIRECTION: (rotation + 3 * row.i + row.j, place, 1.0, 0.0),
        RowKind.TURN: (
            rotation + 3 * last + after,
            rotation + 3 * after + last,
            0.5,
            -0.5,
        ),
        RowKind.ANGLE: (angle, place, 1.0, 0.0),
        RowKind.DISTANCE: (distance, place, 1.0, 0.0),
        RowKind.SCREW: (place + Z, angle, 1.0, -row.pitch),
    }[row.kind]


def axes_of(kind: RowKind, coordinate: int) -> tuple[int, int]:
    """Axes i and j of a row by its first coordinate in the kernel; z where it has none.

    Parameters
    ----------
    kind : RowKind
    coordinate : int

    Returns
    -------
    i, j : int
    """
    if kind is RowKind.COMPONENT:
        return coordinate - layout.THE_PLACE, Z
    i, j = divmod(coordinate - layout.THE_ROTATION, 3)
    if kind is RowKind.DIRECTION:
        return i, j
    return ((j + 2) % 3, Z) if kind is RowKind.TURN else (Z, Z)


def codes_of(row: Row) -> tuple[int, ...]:
    """What a row is and does, as kernels read it."""
    return (
        row.kind,
        *coordinates_of(row)[:2],
        row.action,
        row.signal,
        row.rest_signal,
        row.torque_signal,
    )


def parameters_of(row: Row) -> tuple[float, ...]:
    """What kernels read of a row; rows with friction have numbers of their own."""
    factors = coordinates_of(row)[2:]
    if row.action is RowAction.RUB:
        own = (row.limit, row.breakaway, row.stribeck_speed, row.stiffness)
        return (*own, *(0.0,) * (layout.FACTOR - len(own)), *factors)
    return (
        row.value,
        row.amplitude,
        row.stiffness,
        row.damping,
        row.rest,
        row.rest_amplitude,
        row.torque,
        row.lower,
        row.upper,
        row.stop_stiffness,
        row.stop_damping,
        *factors,
    )
