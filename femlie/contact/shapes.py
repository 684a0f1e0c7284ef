"""Rigid shapes that slaves may touch: what they are, and who is near."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..elements.base import Array, IntArray
from ..lie import se3
from . import _layout as layout
from . import _near
from . import _shapes as kinds
from .surfaces import tree_of, triangle_numbers


@dataclass(frozen=True)
class RigidShape:
    """A shape on a frame.

    Attributes
    ----------
    kind : int
        See `_shapes`.
    dimensions : (3,)
        Radius; radius and half length; half sides of a box [m].
    frame : int
        That carries it, zero for the ground.
    offset : (7,) array
        Pose of its axes in the frame.
    owner : str
        Part that it came from.
    points, triangles : arrays or None
        Of a closed surface or a part of it, in the axes of the shape.
    """

    kind: int
    dimensions: tuple[float, float, float]
    frame: int
    offset: Array
    owner: str
    points: Array | None = None
    triangles: IntArray | None = None

    def numbers(self, start: int) -> Array:
        """What stands in the table, which has ``start`` numbers before it."""
        head = np.array([float(self.kind), *self.dimensions])
        if self.points is None or self.triangles is None:
            return head
        branches, order = tree_of(self.points[self.triangles])
        rows = triangle_numbers(self.points, self.triangles)[order]
        first = start + head.size
        head[1:3] = first, first + branches.size
        return np.concatenate([head, branches.ravel(), rows.ravel()])

    @property
    def reach(self) -> float:
        """Radius of the sphere about its origin that holds it [m]; may be infinite."""
        radius, length, width = self.dimensions
        if self.points is not None:
            return float(np.linalg.norm(self.points, axis=1).max(initial=0.0))
        if self.kind == kinds.BALL:
            return radius
        if self.kind == kinds.CYLINDER:
            return float(np.hypot(radius, length))
        if self.kind == kinds.CAPSULE:
            return radius + length
        if self.kind == kinds.BOX:
            return float(np.linalg.norm([radius, length, width]))
        return float("inf")

    @property
    def thickness(self) -> float:
        """How deep something may be inside before its way out is another one [m]."""
        if self.points is not None:
            # of the whole surface, whose points these are
            return 0.5 * float(np.ptp(self.points, axis=0).min())
        if self.kind in (kinds.PLANE, kinds.HOLLOW):
            return float("inf")
        if self.kind == kinds.BOX:
            return min(self.dimensions)
        if self.kind == kinds.CYLINDER:
            return min(self.dimensions[:2])
        return self.dimensions[1] if self.kind == kinds.BORE else self.dimensions[0]

    def depth_in_hollow(self, points: Array) -> Array:
        """(...) way [m] from points (..., 3) in its axes to the wall of its hollow.

        Negative in the wall, and out of the ends of a bore.
        """
        radius, half, _ = self.dimensions
        if self.kind == kinds.HOLLOW:
            return np.asarray(radius - np.linalg.norm(points, axis=-1))
        inner = radius - np.linalg.norm(points[..., :2], axis=-1)
        return np.asarray(np.minimum(inner, half - np.abs(points[..., 2])))


@dataclass(frozen=True)
class Shapes:
    """All rigid shapes of a model, and the segments that stand for them.

    Attributes
    ----------
    items : tuple of RigidShape
    segments : (n,) int array
        Number of the segment that stands for each.
    """

    items: tuple[RigidShape, ...]
    segments: IntArray

    @cached_property
    def _table(self) -> tuple[Array, IntArray]:
        rows: list[Array] = []
        starts, n = [], 0
        for item in self.items:
            starts.append(n)
            rows.append(item.numbers(n))
            n += rows[-1].size
        return np.concatenate([np.zeros(0), *rows]), np.array(starts, dtype=np.int64)

    @property
    def table(self) -> Array:
        """All numbers, one after another."""
        return self._table[0]

    @property
    def starts(self) -> IntArray:
        """(n,) places of the shapes in the table."""
        return self._table[1]

    @cached_property
    def parameters(self) -> Array:
        """One row of a contact block with the table behind it."""
        return np.concatenate([np.zeros(layout.TABLE), self.table])[None]

    @cached_property
    def _places(self) -> tuple[IntArray, Array]:
        """Frames (n,) that carry shapes, and their poses (n, 7) in these."""
        frames = np.array([item.frame for item in self.items], dtype=np.int64)
        return frames, np.array([item.offset for item in self.items]).reshape(-1, 7)

    def poses(self, poses: Array) -> Array:
        """(n, 7) poses of the axes of all shapes."""
        frames, offsets = self._places
        return se3.compose_poses(poses[frames], offsets)

    def seen(self, k: int, poses: Array, points: Array) -> Array:
        """Points (..., 3) in the axes of one shape."""
        flat = np.ascontiguousarray(points.reshape(-1, 3))
        found = np.empty_like(flat)
        frames, offsets = self._places
        _near.see(poses, int(frames[k]), offsets, k, flat, found)
        return found.reshape(points.shape)

    def local_distances(self, k: int, points: Array) -> Array:
        """(...) signed distances [m] of points (..., 3) in its axes to one shape."""
        flat = np.ascontiguousarray(points.reshape(-1, 3))
        found = np.zeros(len(flat))
        _near.distances(self.parameters, int(self.starts[k]), flat, found)
        return found.reshape(points.shape[:-1])

    def distances(self, k: int, poses: Array, points: Array) -> Array:
        """(...) signed distances [m] of points (..., 3) in space to one shape."""
        return self.local_distances(k, self.seen(k, poses, points))
