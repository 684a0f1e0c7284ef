"""Joints, moving supports, springs, motors and stops between two frames, as blocks.

An element joins a joint frame on its parent to one on its child; ground is a frame like
any other. The third axis of the joint frames is the joint's axis. Each of its rows is
one relative coordinate that is held, that has a force law, or that is only observed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum, IntEnum

import numpy as np
import numpy.typing as npt

from ..errors import ModelError
from . import _joint_kernel as kernels
from . import _joint_rows as layout
from .base import Block

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
    """What a row does: nothing, hold its coordinate, or act by a force law."""

    OBSERVE = layout.OBSERVE
    HOLD = layout.HOLD
    LAW = layout.LAW


class JointKind(Enum):
    """Kinds of joints; ``held_rows`` gives their equations."""

    FIXED = "fixed"
    REVOLUTE = "revolute"
    PRISMATIC = "prismatic"
    SCREW = "screw"
    CYLINDRICAL = "cylindrical"
    UNIVERSAL = "universal"
    SPHERICAL = "spherical"
    PLANAR = "planar"
    POINT_ON_LINE = "point on line"
    POINT_ON_PLANE = "point on plane"
    DISTANCE = "distance"


@dataclass(frozen=True)
class Row:
    """One relative coordinate and what acts on it.

    Held: ``phi = value + amplitude signal``. Law: the force (moment for angles)
    ``stiffness (phi - rest - rest_amplitude rest_signal) + damping dphi/dt`` minus
    ``torque torque_signal``, and stops that push back with
    ``stop_stiffness d (1 + stop_damping dd/dt)``, never pulling, at a depth d below
    `lower` or above `upper`.

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


@dataclass(frozen=True)
class JointElement:
    """One connection of two frames.

    Attributes
    ----------
    name : str
        The part that it came from.
    parent_frame, child_frame : int
        Rows of the poses.
    parent_offset, child_offset : sequence of 7 floats
        Pose of the joint frame in its node's frame: place [m], unit quaternion.
    rows : tuple of Row
        All rows of kinds ``ANGLE`` and ``SCREW`` read the same angle.
    initial_angle : float
        Angle about the joint's axis at the start, right to half a turn [rad].
    """

    name: str
    parent_frame: int
    child_frame: int
    parent_offset: Sequence[float] | npt.NDArray[np.float64]
    child_offset: Sequence[float] | npt.NDArray[np.float64]
    rows: tuple[Row, ...]
    initial_angle: float = 0.0

    @property
    def n_multipliers(self) -> int:
        """Number of held rows."""
        return sum(row.action is RowAction.HOLD for row in self.rows)


PLACES = tuple(Row(RowKind.COMPONENT, axis) for axis in (X, Y, Z))
TURNS = tuple(Row(RowKind.TURN, axis) for axis in (X, Y, Z))
# the child's axis stays on the parent's
PARALLEL_AXES = (Row(RowKind.DIRECTION, X, Z), Row(RowKind.DIRECTION, Y, Z))
ANGLE = Row(RowKind.ANGLE)
HELD: dict[JointKind, tuple[Row, ...]] = {
    JointKind.FIXED: PLACES + TURNS,
    JointKind.REVOLUTE: PLACES + PARALLEL_AXES,
    JointKind.PRISMATIC: PLACES[:2] + TURNS,
    JointKind.SCREW: PLACES[:2] + PARALLEL_AXES + (Row(RowKind.SCREW),),
    JointKind.CYLINDRICAL: PLACES[:2] + PARALLEL_AXES,
    JointKind.UNIVERSAL: (*PLACES, Row(RowKind.DIRECTION, Z, X)),
    JointKind.SPHERICAL: PLACES,
    JointKind.PLANAR: PLACES[2:] + PARALLEL_AXES,
    JointKind.POINT_ON_LINE: PLACES[:2],
    JointKind.POINT_ON_PLANE: PLACES[2:],
    JointKind.DISTANCE: (Row(RowKind.DISTANCE),),
}
FREE: dict[JointKind, tuple[Row, ...]] = {
    JointKind.FIXED: (),
    JointKind.REVOLUTE: (ANGLE,),
    JointKind.PRISMATIC: PLACES[2:],
    JointKind.SCREW: (ANGLE,),
    JointKind.CYLINDRICAL: (*PLACES[2:], ANGLE),
    JointKind.UNIVERSAL: (ANGLE, Row(RowKind.DIRECTION, Z, Y)),
    JointKind.SPHERICAL: (),
    JointKind.PLANAR: (*PLACES[:2], ANGLE),
    JointKind.POINT_ON_LINE: PLACES[2:],
    JointKind.POINT_ON_PLANE: PLACES[:2],
    JointKind.DISTANCE: (),
}


def held_rows(
    kind: JointKind, *, pitch: float = 0.0, distance: float = 0.0
) -> tuple[Row, ...]:
    """Equations of a joint.

    Parameters
    ----------
    kind : JointKind
    pitch : float
        Advance of a screw per radian [m/rad].
    distance : float
        Length that a joint of kind ``DISTANCE`` holds [m].

    Returns
    -------
    tuple of Row
        Fixed 6; revolute, prismatic, screw 5; cylindrical, universal 4; spherical,
        planar 3; point on line 2; point on plane, distance 1.

    Raises
    ------
    ModelError
        If a distance is not positive.

    Notes
    -----
    Directions of space: a line is the parent's axis, a plane has the parent's axis as
    its normal. A universal joint turns about the parent's third axis, then about the
    child's first, which stay at right angles.
    """
    if kind is JointKind.DISTANCE and not distance > 0.0:
        message = (
            f"A distance joint was given the distance {distance:g}, expected a "
            "positive length; hold two points together by a spherical joint."
        )
        raise ModelError(message)
    return tuple(
        replace(
            row,
            action=RowAction.HOLD,
            value=distance if row.kind is RowKind.DISTANCE else 0.0,
            pitch=pitch if row.kind is RowKind.SCREW else 0.0,
        )
        for row in HELD[kind]
    )


def free_rows(kind: JointKind) -> tuple[Row, ...]:
    """Coordinates that a joint leaves free and that results show.

    Parameters
    ----------
    kind : JointKind

    Returns
    -------
    tuple of Row
        Revolute, screw: the angle; prismatic, point on line: the place along the axis;
        cylindrical: place and angle; planar: two places and the angle; point on plane:
        two places; universal: the angle about the parent's axis and the sine of that
        about the child's first axis; none for fixed, spherical and distance.
    """
    return FREE[kind]


def row_column(n_multipliers: int, row: int) -> int:
    """Column of the output with the value of a row; its rate stands behind it.

    Parameters
    ----------
    n_multipliers : int
        Multipliers of one element of the block.
    row : int
        Place of the row in ``JointElement.rows``.

    Returns
    -------
    int
    """
    return layout.MULTIPLIERS + n_multipliers + 2 * row


def joint_blocks(elements: Sequence[JointElement]) -> list[Block]:
    """Blocks of elements with equal rows, in the order of first use.

    Rows are equal when they hold or observe the same coordinates, or give them a law.

    Parameters
    ----------
    elements : sequence of JointElement

    Returns
    -------
    list of Block
        Elements keep their order. Column ``FIRST_MULTIPLIER`` of the codes numbers the
        multipliers of one block from zero: add the number of the block's first one.
    """
    groups: dict[tuple[tuple[float, ...], ...], list[JointElement]] = {}
    for element in elements:
        # kernels read these of the first element only
        equal = tuple((*_coordinates(row), row.action) for row in element.rows)
        groups.setdefault(equal, []).append(element)
    return [_block(group) for group in groups.values()]


def _block(elements: Sequence[JointElement]) -> Block:
    n = len(elements)
    n_rows = len(elements[0].rows)
    n_multipliers = elements[0].n_multipliers
    codes = np.zeros(
        (n, layout.ROW_CODES + layout.N_ROW_CODES * n_rows), dtype=np.int64
    )
    parameters = np.zeros((n, layout.ROW_PARAMETERS + layout.N_ROW_PARAMETERS * n_rows))
    codes[:, layout.FIRST_MULTIPLIER] = n_multipliers * np.arange(n)
    for k, element in enumerate(elements):
        parameters[k, :7] = element.parent_offset
        parameters[k, 7:14] = element.child_offset
        for i, row in enumerate(element.rows):
            first = layout.ROW_CODES + layout.N_ROW_CODES * i
            codes[k, first : first + layout.N_ROW_CODES] = _codes(row)
            first = layout.ROW_PARAMETERS + layout.N_ROW_PARAMETERS * i
            parameters[k, first : first + layout.N_ROW_PARAMETERS] = _parameters(row)
    return Block(
        kind="joint",
        kernels=(kernels.evaluate, kernels.carry, kernels.observe),
        frames=np.array([(e.parent_frame, e.child_frame) for e in elements], np.int64),
        codes=codes,
        parameters=parameters,
        names=tuple(element.name for element in elements),
        n_multipliers=n_multipliers,
        n_history=layout.N_HISTORY,
        n_outputs=row_column(n_multipliers, n_rows),
        initial_history=np.array([[e.initial_angle] for e in elements]),
        does_work=any(
            row.action == layout.LAW or row.signal >= 0
            for element in elements
            for row in element.rows
        ),
    )


def _coordinates(row: Row) -> tuple[int, int, float, float]:
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


def _codes(row: Row) -> tuple[int, ...]:
    return (
        row.kind,
        *_coordinates(row)[:2],
        row.action,
        row.signal,
        row.rest_signal,
        row.torque_signal,
    )


def _parameters(row: Row) -> tuple[float, ...]:
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
        *_coordinates(row)[2:],
    )
