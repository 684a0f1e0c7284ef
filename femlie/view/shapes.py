"""Triangulated shapes as arrays, and copies of them placed by frames."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from ..elements.base import Array, IntArray

SIDES = 24  # of a round shape; its chords are off by 1 % of the radius
CREASE_COSINE = 0.8  # edges sharper than 37 degrees stay sharp


class Patch(NamedTuple):
    """A triangulated surface with a normal at each point."""

    points: Array  # (n, 3)
    triangles: IntArray  # (m, 3)
    normals: Array  # (n, 3) unit vectors


def joined(patches: Sequence[Patch]) -> Patch:
    """One patch of several."""
    starts = np.cumsum([0] + [len(patch.points) for patch in patches[:-1]])
    return Patch(
        np.concatenate([patch.points for patch in patches]),
        np.concatenate([p.triangles + s for p, s in zip(patches, starts, strict=True)]),
        np.concatenate([patch.normals for patch in patches]),
    )


def placed(patch: Patch, maps: Array) -> Patch:
    """Copies of a patch, one for each affine map.

    Parameters
    ----------
    patch : Patch
    maps : (n, 4, 4) array
        Frames, possibly with scaled axes.

    Returns
    -------
    Patch
    """
    linear = maps[:, None, :3, :3]
    points = (linear @ patch.points[..., None])[..., 0] + maps[:, None, :3, 3]
    turned = np.swapaxes(np.linalg.inv(maps[:, :3, :3]), -1, -2)[:, None]
    normals = (turned @ patch.normals[..., None])[..., 0]
    starts = len(patch.points) * np.arange(len(maps))
    triangles = patch.triangles + starts[:, None, None]
    return Patch(
        points.reshape(-1, 3), triangles.reshape(-1, 3), unit(normals.reshape(-1, 3))
    )


def unit(vectors: Array) -> Array:
    """Vectors (..., 3) of length one; zero stays zero."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(vectors / np.where(lengths > 0.0, lengths, 1.0))


def axes_along(direction: Array, hint: Array | None = None) -> Array:
    """Rotation (3, 3) whose first axis is a direction.

    The second axis is as near to ``hint`` as it can be, else to the world axis that is
    most across.
    """
    first = unit(np.asarray(direction, dtype=float))
    if hint is None or np.linalg.norm(np.cross(first, hint)) < 1e-6:
        hint = np.eye(3)[np.argmin(np.abs(first))]
    second = unit(hint - (hint @ first) * first)
    return np.column_stack((first, second, np.cross(first, second)))


def grid_triangles(n_rows: int, n_columns: int) -> IntArray:
    """Triangles of a grid of points, row by row."""
    corner = np.arange(n_rows - 1)[:, None] * n_columns + np.arange(n_columns - 1)
    right, above = corner + 1, corner + n_columns
    lower = np.stack((corner, right, above), axis=-1)
    upper = np.stack((right, above + 1, above), axis=-1)
    return np.concatenate((lower, upper)).reshape(-1, 3)


def revolved(radii: Sequence[float], places: Sequence[float]) -> Patch:
    """Surface of revolution about the first axis, sharp at each given ring.

    Parameters
    ----------
    radii, places : sequences of k floats
        Radius of each ring and its place along the axis.
    """
    angles = np.linspace(0.0, 2.0 * np.pi, SIDES + 1)
    around = np.stack((0.0 * angles, np.cos(angles), np.sin(angles)), axis=-1)
    axis = np.array([1.0, 0.0, 0.0])
    strips = []
    for i in range(len(radii) - 1):
        ring = np.stack([radii[j] * around + places[j] * axis for j in (i, i + 1)])
        slope = (places[i + 1] - places[i]) * around - (radii[i + 1] - radii[i]) * axis
        normals = np.broadcast_to(unit(slope), ring.shape)
        triangles = grid_triangles(2, SIDES + 1)
        strips.append(Patch(ring.reshape(-1, 3), triangles, normals.reshape(-1, 3)))
    return joined(strips)


def sphere(radius: float = 1.0) -> Patch:
    """Sphere about the origin."""
    polar = np.linspace(0.0, np.pi, SIDES // 2 + 1)[:, None]
    turn = np.linspace(0.0, 2.0 * np.pi, SIDES + 1)
    cosine = np.cos(polar) * np.ones_like(turn)
    normals = np.stack(
        (np.sin(polar) * np.cos(turn), np.sin(polar) * np.sin(turn), cosine), axis=-1
    )
    triangles = grid_triangles(len(polar), len(turn))[:, ::-1]
    flat = normals.reshape(-1, 3)
    return Patch(radius * flat, triangles, flat)


def cylinder(radius: float, length: float) -> Patch:
    """Cylinder along the first axis, its middle in the origin."""
    half = 0.5 * length
    return revolved((0.0, radius, radius, 0.0), (-half, -half, half, half))


def cone(radius: float, length: float) -> Patch:
    """Cone with its tip in the origin and its base at ``length`` on the first axis."""
    return revolved((0.0, radius, 0.0), (0.0, length, length))


def arrow() -> Patch:
    """Arrow of unit length along the first axis, from the origin."""
    return revolved((0.0, 0.035, 0.035, 0.11, 0.0), (0.0, 0.0, 0.66, 0.66, 1.0))


@cache
def box(sides: tuple[float, float, float]) -> Patch:
    """Box with its middle in the origin; made once, as supports come in hundreds."""
    corners = np.stack(np.meshgrid([-1, 1], [-1, 1], [-1, 1], indexing="ij"), axis=-1)
    quads = [
        (0, 1, 3, 2),
        (4, 6, 7, 5),
        (0, 4, 5, 1),
        (2, 3, 7, 6),
        (0, 2, 6, 4),
        (1, 5, 7, 3),
    ]
    triangles = [t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))]
    return creased(0.5 * corners.reshape(-1, 3) * sides, np.array(triangles))


def tube(path: Array, across: Array, radius: float, sides: int = 10) -> Patch:
    """Round tube along a path.

    Parameters
    ----------
    path : (n, 3) array
    across : (n, 3) array
        A direction across the path at each point.
    radius : float
    sides : int
    """
    tangents = np.gradient(path, axis=0)
    second = unit(np.cross(tangents, across))
    first = unit(np.cross(second, tangents))
    angles = np.linspace(0.0, 2.0 * np.pi, sides + 1)[:, None]
    normals = np.cos(angles) * first[:, None] + np.sin(angles) * second[:, None]
    points = path[:, None] + radius * normals
    triangles = grid_triangles(len(path), sides + 1)
    return Patch(points.reshape(-1, 3), triangles, normals.reshape(-1, 3))


def moment_arrow() -> Patch:
    """Arrow around the first axis, right-handed, of unit radius."""
    angles = np.linspace(0.0, 1.45 * np.pi, 40)
    radial = np.stack((0.0 * angles, np.cos(angles), np.sin(angles)), axis=-1)
    shaft = tube(radial, radial, 0.07)
    last = angles[-1]
    frame = np.eye(4)
    frame[:3, :3] = axes_along(np.array([0.0, -np.sin(last), np.cos(last)]))
    frame[:3, 3] = radial[-1]
    head = placed(revolved((0.0, 0.24, 0.0), (0.0, 0.0, 0.7)), frame[None])
    return joined([shaft, head])


def ring(thickness: float) -> Patch:
    """Ring around the first axis, of unit radius."""
    angles = np.linspace(0.0, 2.0 * np.pi, 49)
    radial = np.stack((0.0 * angles, np.cos(angles), np.sin(angles)), axis=-1)
    return tube(radial, radial, thickness)


def coil(length: float, radius: float, turns: int = 7) -> Patch:
    """Spring along the first axis from the origin, with a straight end on each side."""
    lead = 0.15
    parameter = np.linspace(0.0, 1.0, 16 * turns + 1)
    angles = 2.0 * np.pi * turns * parameter
    rise = np.clip(8.0 * np.minimum(parameter, 1.0 - parameter), 0.0, 1.0)
    radial = np.stack((0.0 * angles, np.cos(angles), np.sin(angles)), axis=-1)
    middle = radius * rise[:, None] * radial
    middle[:, 0] = length * (lead + (1.0 - 2.0 * lead) * parameter)
    ends = np.array([[0.0, 0.0, 0.0], [length, 0.0, 0.0]])
    path = np.concatenate((ends[:1], middle, ends[1:]))
    across = np.concatenate((radial[:1], radial, radial[-1:]))
    return tube(path, across, 0.14 * radius, sides=8)


def creased(points: Array, triangles: IntArray) -> Patch:
    """Patch whose normals are smooth but for sharp edges.

    Parameters
    ----------
    points : (n, 3) array
        Points at the same place count as one.
    triangles : (m, 3) int array

    Returns
    -------
    Patch
        With three points of its own for each triangle.
    """
    corners = points[triangles]
    areas = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    faces = unit(areas)
    _, shared = np.unique(points, axis=0, return_inverse=True)
    meeting = shared.reshape(-1)[triangles].reshape(-1)
    order = np.argsort(meeting, kind="stable")
    counts = np.bincount(meeting)[meeting[order]]
    starts = np.searchsorted(meeting[order], meeting[order])
    own = np.repeat(order, counts)
    offsets = np.arange(len(own)) - np.repeat(np.cumsum(counts) - counts, counts)
    other = order[np.repeat(starts, counts) + offsets]
    is_smooth = np.sum(faces[own // 3] * faces[other // 3], axis=1) > CREASE_COSINE
    normals = np.zeros((3 * len(triangles), 3))
    np.add.at(normals, own[is_smooth], areas[other[is_smooth] // 3])
    numbers = np.arange(3 * len(triangles)).reshape(-1, 3)
    return Patch(corners.reshape(-1, 3), numbers, unit(normals))
