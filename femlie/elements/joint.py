"""Joints, moving supports, springs, motors and stops between two frames, as blocks.

An element joins a joint frame on its parent to one on its child; ground is a frame like
any other. The third axis of the joint frames is the joint's axis. Each of its rows is
one relative coordinate that is held, that has a force law, or that is only observed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np
import numpy.typing as npt

from ..errors import ModelError
from . import _joint_kernel as kernels
from . import _joint_rows as layout
from .base import Array, Block
from .joint_row import Row, RowAction, RowKind, codes_of, coordinates_of, parameters_of

X, Y, Z = range(3)


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
        equal = tuple((*coordinates_of(row), row.action) for row in element.rows)
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
            codes[k, first : first + layout.N_ROW_CODES] = codes_of(row)
            first = layout.ROW_PARAMETERS + layout.N_ROW_PARAMETERS * i
            parameters[k, first : first + layout.N_ROW_PARAMETERS] = parameters_of(row)
    history = np.array([_history(element) for element in elements])
    return Block(
        kind="joint",
        kernels=(kernels.evaluate, kernels.carry, kernels.observe),
        frames=np.array([(e.parent_frame, e.child_frame) for e in elements], np.int64),
        codes=codes,
        parameters=parameters,
        names=tuple(element.name for element in elements),
        n_multipliers=n_multipliers,
        n_history=history.shape[1],
        n_outputs=row_column(n_multipliers, n_rows),
        initial_history=history,
        does_work=any(
            row.action >= layout.LAW or row.signal >= 0
            for element in elements
            for row in element.rows
        ),
    )


def _history(element: JointElement) -> Array:
    """Angle at the start, then what each row with friction carries."""
    rubbing = [row for row in element.rows if row.action is RowAction.RUB]
    history = np.zeros(layout.N_HISTORY + layout.N_RUB_HISTORY * len(rubbing))
    history[layout.ANGLE_HISTORY] = element.initial_angle
    history[layout.N_HISTORY :: layout.N_RUB_HISTORY] = [row.rest for row in rubbing]
    return history
