"""What may become a branch of a tree: joints, supports, beams, free frames."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..elements.base import Array, IntArray
from ..elements.joint_motion import DrivenRow, JointMotion, Turning, joint_motion
from ..lie.subgroup import is_subgroup
from ..system import System
from ._data import SEPARATE, SUBGROUP, UNIVERSAL

IDENTITY = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
ANGLE = 5


@dataclass(frozen=True)
class Edge:
    """A possible branch between two frames.

    Attributes
    ----------
    name : str
        The part that it came from; empty for what holds nothing.
    parent, child : int
        Frames, as the joint has them.
    parent_offset, child_offset : (7,) arrays
        Joint frames in them.
    motion : int
        ``SUBGROUP``, ``SEPARATE`` or ``UNIVERSAL``.
    directions : tuple of int
        Unit direction of each coordinate: free ones, then driven ones.
    axes : (n, 6) array
        Twist of each coordinate in the child's joint frame.
    driven : tuple of DrivenRow
        In the order of the driven coordinates.
    weight : int
        Rows that it holds; what holds more is cut later.
    element : tuple of two int or None
        Block and element of a joint.
    lock : int or None
        Frame whose locked directions it stands for.
    """

    name: str
    parent: int
    child: int
    parent_offset: Array
    child_offset: Array
    motion: int
    directions: tuple[int, ...]
    axes: Array
    driven: tuple[DrivenRow, ...] = ()
    weight: int = 0
    element: tuple[int, int] | None = None
    lock: int | None = None

    @property
    def n_free(self) -> int:
        """Coordinates without a motion of their own."""
        return len(self.directions) - len(self.driven)


def joint_edges(system: System) -> list[Edge]:
    """Joints that hold a relative frame in a subgroup, or nearly so."""
    edges = []
    for b, block in enumerate(system.blocks):
        if block.kind != "joint" or block.n_multipliers == 0:
            continue
        for k in range(block.n_elements):
            motion = joint_motion(block, k)
            if motion is None:
                continue
            kind, directions, axes = _coordinates(motion)
            parent, child = (int(f) for f in block.frames[k])
            edges.append(
                Edge(
                    block.names[k],
                    parent,
                    child,
                    block.parameters[k, :7].copy(),
                    block.parameters[k, 7:14].copy(),
                    kind,
                    directions,
                    axes,
                    motion.driven,
                    motion.n_held,
                    (b, k),
                )
            )
    return edges


@functools.cache
def _is_closed(mask: tuple[bool, ...]) -> bool:
    return is_subgroup(mask)


def _coordinates(motion: JointMotion) -> tuple[int, tuple[int, ...], Array]:
    """Kind of motion, directions with the driven ones behind, and twists."""
    driven = [3 + 2 if d.component == 3 else d.component for d in motion.driven]
    if motion.turning is Turning.UNIVERSAL:
        order = [i for i in (5, 3) if i not in driven] + driven
        axes = np.eye(6)[order]
        return UNIVERSAL, tuple(order), axes
    turns = {Turning.NONE: (), Turning.AXIS: (5,), Turning.ALL: (3, 4, 5)}
    places = [i for i in range(3) if motion.places[i]]
    if motion.pitch is not None:
        axes = np.array([[0.0, 0.0, motion.pitch, 0.0, 0.0, 1.0]])
        return SUBGROUP, (ANGLE,), axes
    chosen = [*places, *turns[motion.turning]]
    order = [i for i in chosen if i not in driven] + driven
    mask = tuple(i in chosen for i in range(6))
    mixes = bool(places) and motion.turning is not Turning.NONE and places != [2]
    if motion.turning is Turning.ALL and places:
        mixes = True
    is_closed = _is_closed(mask) and not (driven and mixes)
    kind = SUBGROUP if is_closed else SEPARATE
    return kind, tuple(order), np.eye(6)[order].reshape(-1, 6)


def support_edges(system: System) -> list[Edge]:
    """Frames with some directions locked: a subgroup about where they start."""
    numbers = system.dofs.numbers
    locked = np.any(numbers < 0, axis=1) & np.any(numbers >= 0, axis=1)
    names = {
        int(frame): name
        for name, pairs in system.catalog.locked.items()
        for frame in np.asarray(pairs).reshape(-1, 2)[:, 0]
    }
    edges = []
    for frame in np.flatnonzero(locked).tolist():
        free = np.flatnonzero(numbers[frame] >= 0).tolist()
        edges.append(
            Edge(
                names.get(frame, ""),
                0,
                frame,
                system.state.poses[frame].copy(),
                IDENTITY.copy(),
                SUBGROUP,
                tuple(free),
                np.eye(6)[free],
                weight=6 - len(free),
                lock=frame,
            )
        )
    return edges


def free_edge(parent: int, child: int) -> Edge:
    """A branch that holds nothing: all of SE(3), between two frames."""
    return Edge(
        "",
        parent,
        child,
        IDENTITY.copy(),
        IDENTITY.copy(),
        SUBGROUP,
        (0, 1, 2, 3, 4, 5),
        np.eye(6),
    )


def coupled_frames(
    matrix: Array, rows: IntArray, columns: IntArray, owner: IntArray
) -> list[tuple[int, int]]:
    """Pairs of frames that share inertia, from the entries of a mass matrix."""
    first, second = owner[rows], owner[columns]
    chosen = (first < second) & (matrix != 0.0)
    pairs = np.unique(np.column_stack([first[chosen], second[chosen]]), axis=0)
    return [(int(a), int(b)) for a, b in pairs]


def stars_of(cliques: Sequence[IntArray], system: System) -> list[tuple[int, int]]:
    """Branches within cliques: from their first interface that moves to the others."""
    can_move = np.any(system.dofs.numbers >= 0, axis=1)
    can_move[system.catalog.amplitude_frames] = False
    pairs = []
    for clique in cliques:
        moving = [int(frame) for frame in clique if can_move[frame]]
        pairs += [(moving[0], frame) for frame in moving[1:]]
    return pairs
