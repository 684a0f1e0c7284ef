"""Which segments are near rigid shapes, and whether one has gone through a shape."""

from __future__ import annotations

import numpy as np

from ..elements.base import Array, IntArray
from .model import ContactModel, chord_gaps

# places along a chord where its distance is taken
PLACES = np.linspace(0.0, 1.0, 5)
# steps in which a way is looked at, at most
MOST_STEPS = 200
# so many pairs of bodies are all looked at, however far apart: what nothing else holds
# may fall far within a load step
MOST_PAIRS = 2000
# and so many in motion, where steps are short and each pair is looked at in each step
MOST_MOVING_PAIRS = 200


def partners(model: ContactModel, k: int) -> IntArray:
    """Segments that may touch shape k.

    Not those of its own carrier; of two bodies that are known by their features
    altogether, those of the first one only.
    """
    found = model.partners.get(k)
    if found is None:
        segments = model.segments
        own = int(model.shapes.segments[k])
        is_asked = segments.first & segments.second[own]
        is_asked |= segments.second & segments.first[own]
        is_one = (is_asked != 0) & (segments.shapes < 0) & ~segments.is_crest
        carrier = int(segments.frames[own, 0])
        # beams may be built into a body that they touch elsewhere
        is_one &= ~np.any(segments.frames == carrier, axis=1)
        if model.is_complete[k]:
            earlier = segments.carriers < segments.carriers[own]
            is_other = segments.carriers >= 0
            is_one &= ~is_other | (segments.is_complete & earlier)
        found = model.partners[k] = np.flatnonzero(is_one)
    return found


def near_shapes(
    model: ContactModel,
    poses: Array,
    chords: tuple[Array, Array],
    reach: float,
    most_pairs: int = MOST_PAIRS,
) -> tuple[IntArray, Array]:
    """Pairs (m, 2) of segments and of those that stand for shapes, and their gaps.

    And pairs of edges of bodies that may cross.

    Parameters
    ----------
    model : ContactModel
    poses : (n_frames, 7) array
    chords : (n, 2, 3) and (n,) arrays
        Ends of all chords, and how far each axis is from its chord [m].
    reach : float
        Largest gap [m].
    most_pairs : int
        Pairs of bodies that are listed however far apart.
    """
    segments, shapes = model.segments, model.shapes
    ends, bows = chords
    pairs, gaps = [np.zeros((0, 2), np.int64)], [np.zeros(0)]
    reaches = np.full(segments.n, reach)
    if reach > 0.0 and lists_all_bodies(model, most_pairs):
        reaches[segments.carriers >= 0] = np.inf
    for k in range(len(shapes.items)):
        own = partners(model, k)
        middles = ends[own].mean(axis=1)
        half = 0.5 * np.linalg.norm(ends[own, 1] - ends[own, 0], axis=1)
        size = half + bows[own] + segments.radii[own]
        own = own[shapes.distances(k, poses, middles) - size < reaches[own]]
        found = _gaps(model, k, poses, ends, own)
        is_near = found - bows[own] < reaches[own]
        others = np.full(int(is_near.sum()), shapes.segments[k])
        pairs.append(np.stack([own[is_near], others], axis=1))
        gaps.append(found[is_near])
    if len(model.crossings):
        found = chord_gaps(segments, ends, bows, model.crossings)
        is_near = found < reaches[model.crossings[:, 0]]
        pairs.append(model.crossings[is_near])
        gaps.append(found[is_near])
    return np.concatenate(pairs), np.concatenate(gaps)


def lists_all_bodies(model: ContactModel, most_pairs: int = MOST_PAIRS) -> bool:
    """Whether corners and edges of bodies are listed however far apart."""
    is_corner = model.segments.carriers >= 0
    numbers = range(len(model.shapes.items))
    own = sum(int(is_corner[partners(model, k)].sum()) for k in numbers)
    return own + len(model.crossings) <= most_pairs


def _gaps(
    model: ContactModel, k: int, poses: Array, ends: Array, own: IntArray
) -> Array:
    """(n,) smallest gaps of some places on chords to a shape [m]."""
    places = ends[own, :1] + PLACES[:, None] * (ends[own, 1:] - ends[own, :1])
    distances = model.shapes.distances(k, poses, places)
    return np.asarray(distances.min(axis=1, initial=np.inf)) - model.segments.radii[own]


def gaps_to_shapes(
    model: ContactModel, poses: Array, ends: Array, pairs: IntArray
) -> Array:
    """(m,) gaps of pairs of segments and of those that stand for shapes [m]."""
    gaps = np.zeros(len(pairs))
    numbers = model.segments.shapes[pairs[:, 1]]
    for k in np.unique(numbers).tolist():
        is_one = numbers == k
        gaps[is_one] = _gaps(model, k, poses, ends, pairs[is_one, 0])
    return gaps


def through_shape(
    model: ContactModel, starts: Array, stops: Array, ends: tuple[Array, Array]
) -> tuple[int, int] | None:
    """A segment, and that of a shape that it has come through, between two poses.

    Nodes move on straight lines as seen from the shape; a step along the line is the
    distance, which nothing is nearer than.
    """
    segments, shapes = model.segments, model.shapes
    for k, item in enumerate(shapes.items):
        own = partners(model, k)
        own = own[segments.radii[own] > 0.0]
        if not own.size or not np.isfinite(item.thickness):
            continue
        is_corner = segments.carriers[own] >= 0
        a = shapes.seen(k, starts, ends[0][own]).reshape(-1, 3)
        b = shapes.seen(k, stops, ends[1][own]).reshape(-1, 3)
        way = np.linalg.norm(b - a, axis=1)
        radii = np.repeat(segments.radii[own], 2)
        # corners move along shapes, and have no radius to speak of
        allowed = np.repeat(np.where(is_corner, 0.5 * item.thickness, 0.0), 2)
        moved = np.flatnonzero(way > 0.5 * radii)
        hit = _first_hit(model, k, (a, b), allowed, moved)
        if hit >= 0:
            return int(own[hit // 2]), int(shapes.segments[k])
    return None


def _first_hit(
    model: ContactModel,
    k: int,
    ways: tuple[Array, Array],
    allowed: Array,
    own: IntArray,
) -> int:
    """First of some points whose way leads into a shape deeper than allowed, or -1."""
    a, b = ways
    t = np.zeros(own.size)
    for _ in range(MOST_STEPS):
        if not own.size:
            return -1
        points = a[own] + t[:, None] * (b[own] - a[own])
        d = model.shapes.local_distances(k, points)
        is_in = (d < -allowed[own]) & (t > 0.0)
        if is_in.any():
            return int(own[np.argmax(is_in)])
        way = np.linalg.norm(b[own] - a[own], axis=1)
        t = t + np.maximum(d + allowed[own], 1e-3 * way) / way
        own, t = own[t < 1.0], t[t < 1.0]
    return -1
