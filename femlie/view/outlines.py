"""Outlines of cross-sections prepared for sweeping: normals, sharp corners, caps."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..elements.base import Array, IntArray

BoolArray = npt.NDArray[np.bool_]
Loops = tuple[Array, ...]
Make = tuple[tuple[int, bytes], ...]
CORNER_COSINE = 0.8  # sharper turns of an outline are corners: 37 degrees
ROUNDNESS = 0.2  # pixels by which chords may stand off a circle


class Profile(NamedTuple):
    """Outlines of one make: as many points, corners at the same ones."""

    points: Array  # (n_outlines, k, 2), a corner twice
    normals: Array  # (n_outlines, k, 2) out of the material
    edges: IntArray  # (e, 2) pairs of points that bound a wall
    rims: Array  # (n_outlines, c, 2) points of the end faces
    caps: IntArray  # (t, 3) triangles of an end face


def is_corner(loop: Array) -> BoolArray:
    """(n,) flags of the points of an open loop (n, 2) where it turns sharply."""
    after = np.roll(loop, -1, axis=0) - loop
    before = np.roll(after, 1, axis=0)
    product = np.sum(after * before, axis=1)
    sizes = np.linalg.norm(after, axis=1) * np.linalg.norm(before, axis=1)
    return np.asarray(product < CORNER_COSINE * sizes)


def make_of(loops: Loops) -> Make:
    """What two outlines must share to be blended point by point."""
    return tuple((len(loop), is_corner(loop).tobytes()) for loop in loops)


def opened(loops: Loops) -> Loops:
    """Loops without their last point where it repeats the first."""
    return tuple(
        loop[:-1] if np.array_equal(loop[0], loop[-1]) else loop for loop in loops
    )


def thinned(loops: Loops, radius: float) -> Loops:
    """Open loops with as many points as a section of ``radius`` pixels shows."""
    return tuple(_thinned(loop, radius) for loop in loops)


def _thinned(loop: Array, radius: float) -> Array:
    if is_corner(loop).any():
        return loop
    wanted = np.pi * np.sqrt(max(radius, 1.0) / (2.0 * ROUNDNESS))
    strides = [n for n in (6, 4, 3, 2) if len(loop) % n == 0]
    fitting = [n for n in strides if len(loop) // n >= max(wanted, 6)]
    return loop[:: fitting[0]] if fitting else loop


def profile_of(outlines: list[Loops]) -> Profile:
    """Profile of open loops of one make."""
    points, normals, edges = [], [], []
    start = 0
    for number, first in enumerate(outlines[0]):
        loops = np.stack([loops[number] for loops in outlines])
        source, before, after, pairs = _copies(is_corner(first))
        sides = np.roll(loops, -1, axis=1) - loops
        outward = np.stack((sides[..., 1], -sides[..., 0]), axis=-1)
        lengths = np.linalg.norm(outward, axis=-1, keepdims=True)
        outward = outward / np.where(lengths > 0.0, lengths, 1.0)
        sums = outward[:, before] + outward[:, after]
        lengths = np.linalg.norm(sums, axis=-1, keepdims=True)
        points.append(loops[:, source])
        normals.append(sums / np.where(lengths > 0.0, lengths, 1.0))
        edges.append(pairs + start)
        start += len(source)
    rims = np.stack([np.concatenate(loops) for loops in outlines])
    return Profile(
        np.concatenate(points, axis=1),
        np.concatenate(normals, axis=1),
        np.concatenate(edges),
        rims,
        end_face(outlines[0]),
    )


def _copies(corners: BoolArray) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Points with corners twice: source, side before, side after; and the walls."""
    n = len(corners)
    source = np.repeat(np.arange(n), 1 + corners)
    is_second = np.concatenate(([False], source[1:] == source[:-1]))
    is_first = np.concatenate((source[1:] == source[:-1], [False]))
    before = np.where(is_second, source, source - 1) % n
    after = np.where(is_first, source - 1, source) % n
    leaving = np.flatnonzero(~is_first)
    arriving = np.roll(np.flatnonzero(~is_second), -1)
    return source, before, after, np.column_stack((leaving, arriving))


def end_face(loops: Loops) -> IntArray:
    """Triangles (t, 3) of the face between open loops, numbered through.

    An outer loop and a hole of as many points give a ring; else holes are closed.
    """
    n = len(loops[0])
    if len(loops) == 2 and len(loops[1]) == n:
        return _ring(loops[0], loops[1])
    return _ears(loops[0])


def _ring(outer: Array, hole: Array) -> IntArray:
    n = len(outer)
    nearest = int(np.argmin(np.linalg.norm(hole - outer[0], axis=1)))
    i = np.arange(n)
    j = (i + 1) % n
    inner_i, inner_j = n + (nearest - i) % n, n + (nearest - j) % n
    return np.concatenate(
        (np.column_stack((i, j, inner_i)), np.column_stack((j, inner_j, inner_i)))
    )


def _ears(loop: Array) -> IntArray:
    """Triangles of a simple polygon, by cutting off one ear after the other."""
    left = list(range(len(loop)))
    triangles = []
    while len(left) > 3:
        ear = next((i for i in range(len(left)) if _is_ear(loop, left, i)), 0)
        triangles.append((left[ear - 1], left[ear], left[(ear + 1) % len(left)]))
        del left[ear]
    return np.array([*triangles, tuple(left)])


def _is_ear(loop: Array, left: list[int], i: int) -> bool:
    a, b, c = left[i - 1], left[i], left[(i + 1) % len(left)]
    if _turn(loop[a], loop[b], loop[c]) <= 0.0:
        return False
    others = loop[[k for k in left if k not in (a, b, c)]]
    sides = [_turn(loop[p], loop[q], others) for p, q in ((a, b), (b, c), (c, a))]
    return not np.any(np.all(np.array(sides) >= 0.0, axis=0))


def _turn(p: Array, q: Array, r: Array) -> Array:
    """Twice the signed area of the triangles p, q, r."""
    return np.asarray(
        (q[0] - p[0]) * (r[..., 1] - p[1]) - (q[1] - p[1]) * (r[..., 0] - p[0])
    )
