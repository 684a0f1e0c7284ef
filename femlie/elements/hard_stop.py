"""Hard stops of joints: limits of a coordinate, one side each, and their blocks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from . import _joint_kernel as joint_kernels
from . import _joint_rows as layout
from . import _stop_kernel as kernels
from .base import Array, Block, IntArray, no_carry
from .joint import JointElement, joint_blocks
from .joint_coordinate import joint_coordinate
from .joint_row import Row, RowAction, RowKind


@dataclass(frozen=True)
class HardStop:
    """One limit of a coordinate of a joint.

    Attributes
    ----------
    name : str
        The joint.
    element : JointElement
    kind : RowKind
        ``COMPONENT`` or ``ANGLE``.
    axis : int
        Of a component, counted from 0.
    side : int
        1: an upper limit, -1: a lower one.
    limit : float [m or rad]
    restitution : float
    place : tuple of int
        Block and element of the joint, whose history holds the angle it has counted.
    """

    name: str
    element: JointElement
    kind: RowKind
    axis: int
    side: int
    limit: float
    restitution: float
    place: tuple[int, int] = (-1, -1)

    @property
    def is_angle(self) -> bool:
        """Whether the limit is an angle."""
        return self.kind is RowKind.ANGLE

    def depth(self, poses: Array, near: float) -> tuple[float, Array]:
        """How far the coordinate is beyond the limit, and the gradient of that.

        Parameters
        ----------
        poses : (n_frames, 7) array
        near : float
            An angle is within half a turn of this one [rad].

        Returns
        -------
        depth : float [m or rad]
        gradient : (12,) array
            Over local motions of parent and child.
        """
        element = self.element
        value, gradient = joint_coordinate(
            poses[[element.parent_frame, element.child_frame]],
            np.array([element.parent_offset, element.child_offset], dtype=float),
            self.kind,
            self.axis,
            near,
        )
        return self.side * (value - self.limit), self.side * gradient


def counted_angles(stops: Sequence[HardStop], history: Sequence[Array]) -> Array:
    """(n,) angles that the joints of stops have counted [rad]."""
    places = [history[b][k, layout.ANGLE_HISTORY] for b, k in _places(stops)]
    return np.array(places, dtype=float)


def _places(stops: Sequence[HardStop]) -> list[tuple[int, int]]:
    return [stop.place for stop in stops]


def stop_blocks(
    stops: Sequence[HardStop], angles: Array, first_multiplier: int
) -> tuple[list[Block], list[int]]:
    """Blocks of stops with their multipliers, for statics.

    Parameters
    ----------
    stops : sequence of HardStop
    angles : (n,) array
        That their joints have counted.
    first_multiplier : int
        Number of the first multiplier of the stops.

    Returns
    -------
    blocks : list of Block
    order : list of int
        Numbers of the stops, in the order of the blocks and their elements.
    """
    groups: dict[tuple[RowKind, int, int], list[int]] = {}
    for k, stop in enumerate(stops):
        groups.setdefault((stop.kind, stop.axis, stop.side), []).append(k)
    blocks = []
    order: list[int] = []
    for (_, _, side), members in groups.items():
        block = _block([stops[k] for k in members], angles[members], side)
        codes = block.codes.copy()
        codes[:, layout.FIRST_MULTIPLIER] += first_multiplier + len(order)
        blocks.append(replace(block, codes=codes))
        order += members
    return blocks, order


def _block(stops: Sequence[HardStop], angles: Array, side: int) -> Block:
    """A block of stops on one side of equal coordinates."""
    elements = [
        replace(
            stop.element,
            rows=(
                Row(
                    stop.kind,
                    stop.axis,
                    action=RowAction.HOLD,
                    value=side * stop.limit,
                    stiffness=1.0,
                ),
            ),
            initial_angle=float(angle),
        )
        for stop, angle in zip(stops, angles, strict=True)
    ]
    (block,) = joint_blocks(elements)
    parameters = block.parameters.copy()
    parameters[:, layout.ROW_PARAMETERS + layout.FACTOR] *= side
    return replace(
        block,
        kind="stop",
        kernels=(kernels.evaluate, joint_kernels.carry, kernels.observe),
        parameters=parameters,
        multipliers=np.arange(len(stops), dtype=np.int64)[:, None],
        n_outputs=kernels.N_OUTPUTS,
        does_work=False,
    )


def record_block(stops: Sequence[HardStop]) -> Block:
    """A block that holds what stops did in motion, for the results."""
    n = len(stops)
    return Block(
        kind="stop",
        kernels=(kernels.evaluate_nothing, no_carry, kernels.observe_recorded),
        frames=np.zeros((n, 1), dtype=np.int64),
        codes=np.array([(stop.kind, stop.axis) for stop in stops], dtype=np.int64),
        parameters=np.zeros((n, kernels.N_OUTPUTS)),
        names=tuple(stop.name for stop in stops),
        n_outputs=kernels.N_OUTPUTS,
        does_work=False,
    )


def stop_columns(
    blocks: Sequence[Block], starts: IntArray
) -> dict[str, tuple[IntArray, ...]]:
    """Where forces of stops stand among the outputs of all blocks.

    Parameters
    ----------
    blocks : sequence of Block
    starts : (n_blocks + 1,) int array
        First output of each block.

    Returns
    -------
    dict of joint name -> tuple of int arrays
        Columns of forces along each coordinate; the depth stands behind each.
    """
    found: dict[str, dict[tuple[int, ...], list[int]]] = {}
    for start, block in zip(starts.tolist(), blocks, strict=False):
        if block.kind != "stop":
            continue
        has_rows = block.n_multipliers > 0
        own = layout.ROW_CODES + np.array([layout.KIND, layout.COORDINATE])
        for k, name in enumerate(block.names):
            key = tuple(block.codes[k, own if has_rows else slice(None)].tolist())
            columns = found.setdefault(name, {}).setdefault(key, [])
            columns.append(start + k * block.n_outputs)
    return {
        name: tuple(np.array(columns, dtype=np.int64) for columns in groups.values())
        for name, groups in found.items()
    }
