"""Surfaces of triangles as numbers for the distance: parts, normals and a tree."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components

from ..elements.base import Array, IntArray
from . import _triangles as triangles

# edges whose faces turn by more than this are sharp, as those in pictures
SHARP_COSINE = 0.8
MOST_IN_LEAF = 4


def convex_parts(points: Array, corners: IntArray) -> list[IntArray]:
    """Parts of a closed surface between sharp hollow edges.

    What lies in a hollow touches the surface on both sides of its edge, so that each
    side is a shape of its own.

    Parameters
    ----------
    points : (m, 3) array
    corners : (n, 3) int array

    Returns
    -------
    list of (k, 3) int arrays
        Corners of the triangles of each part.
    """
    edge, meeting, normals = _edges(points, corners)
    order = np.argsort(edge, kind="stable")
    first = order[np.flatnonzero(np.diff(edge[order], prepend=-1))]
    counts = np.bincount(edge)
    starts = np.cumsum(counts) - counts
    # edges of a closed surface have two faces; what else there is stays together
    last = order[starts + counts - 1]
    f, g = first // 3, last // 3
    far = points[corners[g, (last % 3 + 2) % 3]] - points[corners[f, first % 3]]
    is_hollow = np.sum(far * normals[f], axis=1) > 0.0
    is_sharp = np.sum(normals[f] * normals[g], axis=1) < SHARP_COSINE
    joined = ~(is_hollow & is_sharp)
    n = len(meeting)
    links = csr_matrix((np.ones(joined.sum()), (f[joined], g[joined])), shape=(n, n))
    n_parts, part = connected_components(links, directed=False)
    return [corners[part == k] for k in range(n_parts)]


def _edges(points: Array, corners: IntArray) -> tuple[IntArray, IntArray, Array]:
    """Number of the edge at each corner of each triangle (3 n,), and two others.

    Numbers of places (n, 3), and normals (n, 3).
    """
    _, shared = np.unique(points, axis=0, return_inverse=True)
    meeting = shared.reshape(-1)[corners]
    pairs = np.sort(np.stack([meeting, np.roll(meeting, -1, axis=1)], axis=2), axis=2)
    _, edge = np.unique(pairs.reshape(-1, 2), axis=0, return_inverse=True)
    places = points[corners]
    normals = _unit(np.cross(places[:, 1] - places[:, 0], places[:, 2] - places[:, 0]))
    return np.asarray(edge.reshape(-1)), meeting, normals


def triangle_numbers(points: Array, corners: IntArray) -> Array:
    """(n, `TRIANGLE_WIDTH`) numbers of each triangle of a surface.

    Where it is not closed, its edges are sharp and have no normals: what is next to
    them is outside.

    Parameters
    ----------
    points : (m, 3) array
        Points in one place count as one.
    corners : (n, 3) int array
        Counterclockwise, seen from outside.
    """
    edge, meeting, normals = _edges(points, corners)
    places = points[corners]
    sides = np.roll(places, -1, axis=1) - places
    edges, edge_sharp = _edge_normals(edge, normals)
    vertices, vertex_sharp = _corner_normals(meeting, sides, normals, edge_sharp)
    is_open = (np.bincount(edge)[edge] < 2).reshape(-1, 3)
    ends = np.zeros(meeting.max() + 1, dtype=bool)
    ends[meeting[is_open]] = ends[np.roll(meeting, -1, axis=1)[is_open]] = True
    edges[is_open], vertices[ends[meeting]] = 0.0, 0.0
    edge_sharp[is_open], vertex_sharp[ends[meeting]] = 1.0, 1.0
    n = len(corners)
    return np.hstack(
        [
            places.reshape(n, 9),
            normals,
            edges.reshape(n, 9),
            vertices.reshape(n, 9),
            edge_sharp,
            vertex_sharp,
        ]
    )


def _unit(vectors: Array) -> Array:
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(vectors / np.where(lengths > 0.0, lengths, 1.0))


def _edge_normals(edge: IntArray, normals: Array) -> tuple[Array, Array]:
    """Mean normals at the edges of each triangle, and which of these are sharp."""
    n = len(normals)
    own = np.repeat(np.arange(n), 3)
    sums = np.zeros((edge.max() + 1, 3))
    np.add.at(sums, edge, normals[own])
    mean = _unit(sums[edge])
    # the cosine of half of the angle between both faces
    half = np.sum(mean * normals[own], axis=1)
    is_sharp = 2.0 * half**2 - 1.0 < SHARP_COSINE
    return mean.reshape(n, 3, 3), is_sharp.reshape(n, 3).astype(float)


def _corner_normals(
    meeting: IntArray, sides: Array, normals: Array, edge_sharp: Array
) -> tuple[Array, Array]:
    """Normals at corners, weighted by the angles of their triangles; which are sharp.

    A corner is sharp where one of its edges is.
    """
    n = len(meeting)
    out, back = _unit(sides), -np.roll(_unit(sides), 1, axis=1)
    angles = np.arccos(np.clip(np.sum(out * back, axis=2), -1.0, 1.0))
    m = meeting.max() + 1
    sums = np.zeros((m, 3))
    np.add.at(
        sums,
        meeting.reshape(-1),
        (angles[:, :, None] * normals[:, None]).reshape(-1, 3),
    )
    is_sharp = np.zeros(m)
    np.maximum.at(is_sharp, meeting.reshape(-1), edge_sharp.reshape(-1))
    np.maximum.at(
        is_sharp, np.roll(meeting, -1, axis=1).reshape(-1), edge_sharp.reshape(-1)
    )
    return _unit(sums)[meeting].reshape(n, 3, 3), is_sharp[meeting]


def tree_of(places: Array) -> tuple[Array, IntArray]:
    """Branches of a tree of boxes, and the order of triangles in it.

    Parameters
    ----------
    places : (n, 3, 3) array
        Corners of triangles.

    Returns
    -------
    (m, `BRANCH_WIDTH`) array
        A branch is followed by its first half; a leaf has a count.
    (n,) int array
    """
    low, high = places.min(axis=1), places.max(axis=1)
    middles = 0.5 * (low + high)
    branches: list[Array] = []
    order: list[int] = []
    waiting = [(np.arange(len(places)), -1)]
    while waiting:
        own, parent = waiting.pop()
        here = len(branches)
        if parent >= 0:
            branches[parent][triangles.OTHER] = here
        branch = np.zeros(triangles.BRANCH_WIDTH)
        branch[triangles.LOW : triangles.LOW + 3] = low[own].min(axis=0)
        branch[triangles.HIGH : triangles.HIGH + 3] = high[own].max(axis=0)
        branches.append(branch)
        if own.size <= MOST_IN_LEAF:
            branch[triangles.FIRST], branch[triangles.COUNT] = len(order), own.size
            order += own.tolist()
            continue
        axis = int(np.argmax(np.ptp(middles[own], axis=0)))
        split = own[np.argsort(middles[own, axis], kind="stable")]
        half = own.size // 2
        # the last one comes next: the first half follows its branch
        waiting += [(split[half:], here), (split[:half], -1)]
    return np.array(branches), np.array(order, dtype=np.int64)
