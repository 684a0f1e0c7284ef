"""Corners, edges and centers by which a rigid shape touches another one.

A ball is its center, a capsule its ends and what is between them. Boxes and cylinders
touch with corners and edges, which are rounded by a small part of their size: so their
axes stay outside of the other shape, where its distance is smooth. Faces are exact.

Rods touch a shape with their nodes, and sharp edges and corners of it between these:
there these are lines and points without a radius.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..elements.base import Array
from ..lie import se3
from . import _shapes as kinds
from ._triangles import CORNER_SHARP, EDGE_NORMALS, EDGE_SHARP
from .shapes import RigidShape
from .surfaces import triangle_numbers

# radius of edges over the smallest half side
ROUNDING = 2e-3
# pieces of the edge of a cylinder
N_ARCS = 8


@dataclass(frozen=True)
class Feature:
    """A ball or a piece of an edge on a shape.

    Attributes
    ----------
    ends : (2, 7) array
        Poses of the sections at both ends in the axes of the shape; the same twice for
        a ball.
    length, radius : float [m]
    may_cross : bool
        Edges that may meet edges of others.
    """

    ends: Array
    length: float
    radius: float
    may_cross: bool = False

    @property
    def is_ball(self) -> bool:
        return self.length == 0.0


def is_complete(shape: RigidShape) -> bool:
    """Whether the features are all of the surface."""
    return shape.kind in (kinds.BALL, kinds.CAPSULE)


def features_of(shape: RigidShape) -> list[Feature]:
    """By what a shape touches others; nothing for planes and hollows."""
    radius, half, _ = shape.dimensions
    up = np.array([0.0, 0.0, half])
    if shape.kind == kinds.BALL:
        return [_ball(np.zeros(3), radius)]
    if shape.kind == kinds.CAPSULE:
        return [_ball(-up, radius), _ball(up, radius), _edge(-up, up, radius)]
    if shape.kind == kinds.BOX:
        sides = np.array(shape.dimensions)
        return _of_box(sides, ROUNDING * float(sides.min()))
    if shape.kind == kinds.CYLINDER and np.isfinite(half):
        return _of_cylinder(radius, half)
    if shape.points is not None:
        return _of_triangles(shape)
    return []


def crests_of(shape: RigidShape) -> list[Feature]:
    """Sharp edges and corners of a shape, which rods may touch between their nodes."""
    radius, half, _ = shape.dimensions
    if shape.kind == kinds.BOX:
        return _of_box(np.array(shape.dimensions), 0.0)
    if shape.kind == kinds.CYLINDER and np.isfinite(half):
        return [one for one in _rims(radius, half, 0.0) if not one.is_ball]
    if shape.points is not None:
        return _of_triangles(shape)
    return []


def _ball(place: Array, radius: float) -> Feature:
    pose = np.array([*place, 1.0, 0.0, 0.0, 0.0])
    return Feature(np.stack([pose, pose]), 0.0, radius)


def _edge(
    start: Array, end: Array, radius: float, *, may_cross: bool = False
) -> Feature:
    along = end - start
    length = float(np.linalg.norm(along))
    first = along / length
    second = np.cross(np.eye(3)[int(np.argmin(np.abs(first)))], first)
    second /= np.linalg.norm(second)
    frames = np.tile(np.eye(4), (2, 1, 1))
    frames[:, :3, :3] = np.column_stack([first, second, np.cross(first, second)])
    frames[:, :3, 3] = start, end
    ends = np.asarray(se3.pose_from_frame(frames))
    return Feature(ends, length, radius, may_cross)


def _of_box(sides: Array, rounding: float) -> list[Feature]:
    corners = np.stack(np.meshgrid(*([[-1, 1]] * 3), indexing="ij"), axis=-1)
    corners = corners.reshape(-1, 3)
    places = corners * (sides - rounding)
    found = [_ball(place, rounding) for place in places]
    for i in range(8):
        for j in range(i + 1, 8):
            if np.abs(corners[i] - corners[j]).sum() == 2:
                found.append(_edge(places[i], places[j], rounding, may_cross=True))
    return found


def _of_cylinder(radius: float, half: float) -> list[Feature]:
    """Its edges and corners between pieces of these, and its axis for the mantle."""
    rounding = ROUNDING * min(radius, half)
    # what stands on an end face is beside the mantle, even where it is pressed in
    end = np.array([0.0, 0.0, half - rounding])
    return [_edge(-end, end, radius), *_rims(radius, half, rounding)]


def _rims(radius: float, half: float, rounding: float) -> list[Feature]:
    """Both edges of a cylinder in pieces, and corners between these."""
    way = radius - rounding
    found = []
    for height in (rounding - half, half - rounding):
        poses = []
        for k in range(N_ARCS):
            angle = 2.0 * np.pi * k / N_ARCS
            c, s = np.cos(angle), np.sin(angle)
            frame = np.eye(4)
            frame[:3, :3] = [[-s, -c, 0.0], [c, -s, 0.0], [0.0, 0.0, 1.0]]
            frame[:3, 3] = way * c, way * s, height
            poses.append(np.asarray(se3.pose_from_frame(frame)))
            found.append(_ball(frame[:3, 3], rounding))
        long = way * 2.0 * np.pi / N_ARCS
        for k in range(N_ARCS):
            ends = np.stack([poses[k], poses[(k + 1) % N_ARCS]])
            found.append(Feature(ends, long, rounding, may_cross=True))
    return found


def _of_triangles(shape: RigidShape) -> list[Feature]:
    """All corners, and sharp edges, without rounding."""
    assert shape.points is not None
    assert shape.triangles is not None
    used = np.unique(shape.points[shape.triangles].reshape(-1, 3), axis=0)
    found = [_ball(place, 0.0) for place in used]
    numbers = triangle_numbers(shape.points, shape.triangles)
    corners = numbers[:, :9].reshape(-1, 3, 3)
    known = set()
    for row, k in np.argwhere(numbers[:, EDGE_SHARP:CORNER_SHARP] > 0.0).tolist():
        at = EDGE_NORMALS + 3 * k
        if not numbers[row, at : at + 3].any():
            # in a hollow
            continue
        ends = corners[row, k], corners[row, (k + 1) % 3]
        key = tuple(sorted(tuple(end.tolist()) for end in ends))
        if key not in known:
            known.add(key)
            found.append(_edge(*ends, 0.0))
    return found
