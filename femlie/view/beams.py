"""Surfaces of deformed beams: real outlines swept along the curve of each element.

The curve of an element is ``H(s) = H_A exp(s log(H_A^-1 H_B))``, as its mechanics say.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..elements.base import Array, IntArray
from ..lie import se3
from ..system import BeamShapes
from .outlines import BoolArray, Loops, Profile, make_of, opened, profile_of, thinned
from .shapes import Patch, unit

TURN_OF_A_PIECE = 0.15  # a bent element is drawn in straight pieces of this turn [rad]
MOST_PIECES = 64
SHARPEST_COSINE = 0.3  # of the turn at which two elements are still mitered
LEAST_PIXELS = 1.5  # thickness below which a member could not be seen


class Sizes(NamedTuple):
    """How large sections are drawn."""

    section_scale: float  # of outlines
    round_radius: float  # of elements without outline
    pixel: float  # length of a pixel; 0 for all points and the true size


class Sweep(NamedTuple):
    """Elements whose outlines are of one make and that have as many pieces."""

    rows: IntArray  # (g,) elements
    first: IntArray  # (g,) outline of the profile at the first end
    last: IntArray  # (g,) at the second end
    stations: Array  # (s,) from 0 to 1
    profile: Profile


def end_poses(beams: BeamShapes, poses: Array) -> Array:
    """Poses (n, 2, 7) of the sections at both ends of each element."""
    return se3.compose_poses(poses[beams.frames], beams.offsets)


def curve(ends: Array, stations: Array) -> Array:
    """Frames along elements.

    Parameters
    ----------
    ends : (n, 2, 7) array
        Poses of both ends.
    stations : (s,) array
        From 0 at the first end to 1 at the second.

    Returns
    -------
    (n, s, 4, 4) array
    """
    twists = se3.relative_log(ends[:, 0], ends[:, 1])
    steps = se3.exp(stations[:, None] * twists[:, None])
    frames: Array = se3.frame_from_pose(ends[:, 0])[:, None] @ steps
    return frames


def pieces_of(ends: Array, least: int) -> IntArray:
    """Straight pieces (n,) that each element needs to look bent, powers of two."""
    turns = np.linalg.norm(se3.relative_log(ends[:, 0], ends[:, 1])[:, 3:], axis=-1)
    wanted = np.clip(turns / TURN_OF_A_PIECE, least, MOST_PIECES)
    return (2 ** np.ceil(np.log2(wanted))).astype(np.int64)


def plan(beams: BeamShapes, pieces: IntArray, sizes: Sizes) -> list[Sweep]:
    """Group elements that are swept in one go.

    Parameters
    ----------
    beams : BeamShapes
    pieces : (n,) int array
        Straight pieces of each element.
    sizes : Sizes
    """
    outlines = _drawn_outlines(beams, sizes)
    makes = [make_of(loops) for loops in outlines]
    kinds = {make: number for number, make in enumerate(dict.fromkeys(makes))}
    kind = np.array([kinds[make] for make in makes])
    first, last = beams.outlines.T
    last = np.where(kind[last] == kind[first], last, first)
    labels = np.column_stack((kind[first], pieces))
    groups, member = np.unique(labels, axis=0, return_inverse=True)
    sweeps = []
    for number, (this, n_pieces) in enumerate(groups):
        rows = np.flatnonzero(member.reshape(-1) == number)
        alike = np.flatnonzero(kind == this)
        profile = profile_of([outlines[i] for i in alike])
        a, b = (np.searchsorted(alike, x[rows] % len(kind)) for x in (first, last))
        sweeps.append(Sweep(rows, a, b, np.linspace(0.0, 1.0, n_pieces + 1), profile))
    return sweeps


def _drawn_outlines(beams: BeamShapes, sizes: Sizes) -> list[Loops]:
    """Open outlines at the size of the picture; the last is for elements without."""
    outlines = []
    for loops in beams.loops:
        box = np.array([loops[0].min(axis=0), loops[0].max(axis=0)])
        middle, radius = 0.5 * (box[0] + box[1]), 0.5 * np.max(box[1] - box[0])
        # nothing is so thin that it vanishes
        scale = max(sizes.section_scale, 0.5 * LEAST_PIXELS * sizes.pixel / radius)
        scaled = tuple(middle + scale * (loop - middle) for loop in opened(loops))
        pixels = scale * radius / sizes.pixel if sizes.pixel else np.inf
        outlines.append(thinned(scaled, pixels))
    angles = np.arange(12) * (2.0 * np.pi / 12)
    circle = np.column_stack((np.cos(angles), np.sin(angles)))
    return [*outlines, (sizes.round_radius * circle,)]


def radii(beams: BeamShapes) -> Array:
    """Half the larger side (n,) of each element's outline [m]; 0 where it has none."""
    sides = [max(np.ptp(p, axis=0).max() for p in loops) for loops in beams.loops]
    half = np.array([*(0.5 * side for side in sides), 0.0])
    return np.asarray(half[beams.outlines].max(axis=1))


def neighbors(beams: BeamShapes, poses: Array) -> IntArray:
    """The end that continues each end of an element, where exactly two ends meet.

    Returns
    -------
    (n, 2) int array
        Twice the number of the other element plus 0 or 1 for its end; -1 for none.
    """
    ends = beams.frames.reshape(-1)
    order = np.argsort(ends, kind="stable")
    _, first, count = np.unique(ends[order], return_index=True, return_counts=True)
    a, b = order[first[count == 2]], order[first[count == 2] + 1]
    places = end_poses(beams, poses)[..., :3].reshape(-1, 3)
    gaps = np.linalg.norm(places[a] - places[b], axis=1)
    meets = gaps <= 1e-3 * np.minimum(beams.lengths[a // 2], beams.lengths[b // 2])
    result = np.full(len(ends), -1)
    result[a[meets]], result[b[meets]] = b[meets], a[meets]
    return result.reshape(-1, 2)


def miters(ends: Array, following: IntArray) -> tuple[Array, BoolArray]:
    """Planes in which elements meet.

    Parameters
    ----------
    ends : (n, 2, 7) array
        Poses of both ends.
    following : (n, 2) int array
        From `neighbors`.

    Returns
    -------
    (n, 2, 3) array
        Normals: the bisector where two elements meet at an angle that is not too
        sharp, else the axis of the element.
    (n, 2) bool array
        Whether the end meets no other, so that its face can be seen.
    """
    axes = se3.frame_from_pose(ends)[..., :3, 0]
    others = axes.reshape(-1, 3)[following]
    # an element that meets another start to start runs against it
    sides = np.array([0, 1])
    others = np.where((following % 2 == sides)[..., None], -others, others)
    cosines = np.sum(axes * others, axis=-1)
    meets = (following >= 0) & (cosines > SHARPEST_COSINE)
    return unit(np.where(meets[..., None], axes + others, axes)), ~meets


class Ends(NamedTuple):
    """How the elements of a sweep end."""

    normals: Array  # (g, 2, 3) of the planes in which they are cut
    is_open: BoolArray  # (g, 2) whether the face can be seen


def swept(sweep: Sweep, frames: Array, ends: Ends) -> Patch:
    """Walls and visible end faces of the elements of a sweep.

    Parameters
    ----------
    sweep : Sweep
    frames : (g, s, 4, 4) array
        Frames of the sections, from `curve`.
    ends : Ends
    """
    profile = sweep.profile
    walls = _in_space(frames, _along(sweep, profile.points))
    normals = _in_space(frames, _along(sweep, profile.normals))
    for end, place in enumerate((0, -1)):
        cut = ends.normals[:, end, None]
        axis = frames[:, place, None, :3, 0]
        depth = np.sum(walls[:, place] * cut, axis=-1, keepdims=True)
        walls[:, place] -= axis * (depth / np.sum(axis * cut, axis=-1, keepdims=True))
        depth = np.sum(normals[:, place] * cut, axis=-1, keepdims=True)
        normals[:, place] = unit(normals[:, place] - depth * cut)
    walls += frames[:, :, None, :3, 3]
    closing = frames[:, [0, -1]]
    rims = _in_space(closing, _along(sweep, profile.rims)[:, [0, -1]])
    rims += closing[:, :, None, :3, 3]
    axes = closing[:, :, None, :3, 0] * np.array([-1.0, 1.0])[:, None, None]
    faces = np.broadcast_to(axes, rims.shape)
    return Patch(
        np.concatenate((walls.reshape(-1, 3), rims.reshape(-1, 3))),
        _triangles(sweep, ends.is_open),
        np.concatenate((normals.reshape(-1, 3), faces.reshape(-1, 3))),
    )


def _along(sweep: Sweep, values: Array) -> Array:
    """Blend of what the profiles at both ends have, (g, s, k, 2)."""
    first, last = values[sweep.first][:, None], values[sweep.last][:, None]
    return np.asarray(first + sweep.stations[:, None, None] * (last - first))


def _in_space(frames: Array, pairs: Array) -> Array:
    """Vectors (..., k, 3) of pairs (..., k, 2) along the section axes of frames."""
    return np.asarray(pairs @ np.swapaxes(frames[..., :3, 1:3], -1, -2))


def _triangles(sweep: Sweep, is_open: BoolArray) -> IntArray:
    """Triangles of `swept`, counterclockwise from outside."""
    profile = sweep.profile
    n, s = len(sweep.rows), len(sweep.stations)
    k, c = profile.points.shape[1], profile.rims.shape[1]
    a, b = profile.edges.T
    quads = np.concatenate(
        (np.column_stack((a, b, a + k)), np.column_stack((b, b + k, a + k)))
    )
    rings = k * np.arange(n * s).reshape(n, s)[:, :-1].reshape(-1)
    walls = quads + rings[:, None, None]
    starts = n * s * k + c * np.arange(2 * n).reshape(n, 2)
    parts = [walls.reshape(-1, 3)]
    for end, caps in enumerate((profile.caps[:, ::-1], profile.caps)):
        faces = caps + starts[is_open[:, end], end, None, None]
        parts.append(faces.reshape(-1, 3))
    return np.concatenate(parts)


def spread(sweep: Sweep, values: Array) -> Array:
    """Values (n,) at the points of `swept`, from values (g, s) at the stations."""
    k, c = sweep.profile.points.shape[1], sweep.profile.rims.shape[1]
    ends = values[:, [0, -1]]
    return np.concatenate(
        (np.repeat(values.reshape(-1), k), np.repeat(ends.reshape(-1), c))
    )
