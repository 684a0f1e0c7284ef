"""Pairs of segments closer than a distance, by a grid of cells.

Segments are sorted by the cell of their middle; partners stand in the own and the 26
neighboring cells, since a cell is as wide as two capsules can reach. The grid has about
as many cells as there are segments and is repeated in space where that is larger, so
that costs grow with the number of segments only.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from .._jit import allocating_kernel, inline, kernel, routine, scratch
from ..lie import _kernels as lie
from ._closest import between_chords

# columns of the identities of a segment
CHAIN, PLACE, FIRST_GROUPS, SECOND_GROUPS, START_JOINT, END_JOINT = range(6)
N_IDENTITIES = 6
# columns of its sizes: radius, how far its axis is from its chord, arc length along
# its chain of both ends, what is left of the chain behind it
RADIUS, BOW, ARC, REST = 0, 1, 2, 4
N_SIZES = 5
# parts of one rod may touch once its axis has turned by half a turn between them
TURNED_WITHIN = 10.0


# the own cell, then half of the others: the rest have the own among theirs
FORWARD = (
    (0, 0, 0), (0, 0, 1), (0, 1, -1), (0, 1, 0), (0, 1, 1), (1, -1, -1), (1, -1, 0),
    (1, -1, 1), (1, 0, -1), (1, 0, 0), (1, 0, 1), (1, 1, -1), (1, 1, 0), (1, 1, 1),
)  # fmt: skip
N_FORWARD = 14
# cells of the grid for each segment
CELLS = 2.0


@inline
def row3(array, i, j):
    return (array[i, j, 0], array[i, j, 1], array[i, j, 2])


@routine
def may_touch(ends, sizes, identities, i, j):
    """Whether a contact part asks for the pair, and it is no pair of neighbors.

    Parts of one rod can touch only where its axis, of curvature up to 1/r, has turned
    by half a turn in between: from an arc length of ``pi r`` on.
    """
    first = identities[i, FIRST_GROUPS] & identities[j, SECOND_GROUPS]
    if first == 0 and identities[i, SECOND_GROUPS] & identities[j, FIRST_GROUPS] == 0:
        return False
    radius = 0.5 * (sizes[i, RADIUS] + sizes[j, RADIUS])
    long = max(sizes[i, ARC + 1] - sizes[i, ARC], sizes[j, ARC + 1] - sizes[j, ARC])
    limit = max(math.pi * radius, 2.0 * long)
    if identities[i, CHAIN] == identities[j, CHAIN]:
        here = 0.5 * (sizes[i, ARC] + sizes[i, ARC + 1])
        there = 0.5 * (sizes[j, ARC] + sizes[j, ARC + 1])
        way = abs(here - there)
        if identities[i, START_JOINT] == identities[i, END_JOINT] >= 0:
            # a ring: the shorter of both ways
            way = min(way, sizes[i, REST] + sizes[i, ARC + 1] - way)
        if way < limit:
            return False
        if way < TURNED_WITHIN * radius:
            u = lie.subtract(row3(ends, i, 1), row3(ends, i, 0))
            v = lie.subtract(row3(ends, j, 1), row3(ends, j, 0))
            return lie.dot(u, v) < 0.0
        return True
    for a in range(2):
        joint = identities[i, START_JOINT + a]
        if joint < 0:
            continue
        way = sizes[i, ARC] if a == 0 else sizes[i, REST]
        for b in range(2):
            if identities[j, START_JOINT + b] == joint:
                other = sizes[j, ARC] if b == 0 else sizes[j, REST]
                if way + other < limit:
                    return False
    return True


@inline
def chord_distance(ends, i, j):
    """Distance of two chords."""
    a, c = row3(ends, i, 0), row3(ends, j, 0)
    u = lie.subtract(row3(ends, i, 1), a)
    v = lie.subtract(row3(ends, j, 1), c)
    _, _, square = between_chords(a, u, c, v)
    return math.sqrt(square)


@routine
def chord_gap(ends, sizes, i, j):
    """Distance of two chords less radii and bows."""
    away = sizes[i, RADIUS] + sizes[i, BOW] + sizes[j, RADIUS] + sizes[j, BOW]
    return chord_distance(ends, i, j) - away


@routine
def grid_shape(middles, size, shape):
    """Cells in each direction, three at least, in the proportions of the whole."""
    n = middles.shape[0]
    left = CELLS * n
    wanted = scratch(3)
    for k in range(3):
        low = high = middles[0, k]
        for i in range(1, n):
            low, high = min(low, middles[i, k]), max(high, middles[i, k])
        wanted[k] = max(3.0, math.ceil((high - low) / size) + 1.0)
    total = wanted[0] * wanted[1] * wanted[2]
    while total > max(left, 27.0):
        # the longest side is repeated
        k = 0
        for other in range(1, 3):
            if wanted[other] > wanted[k]:
                k = other
        wanted[k] = max(3.0, math.floor(wanted[k] / 2.0))
        total = wanted[0] * wanted[1] * wanted[2]
    for k in range(3):
        shape[k] = int(wanted[k])


@routine
def set_middles(middles, ends, sizes, reach):
    """Middle of each segment, and what reaches out from there; the largest of these."""
    widest = 0.0
    for i in range(ends.shape[0]):
        square = 0.0
        for k in range(3):
            middles[i, k] = 0.5 * (ends[i, 0, k] + ends[i, 1, k])
            x = 0.5 * (ends[i, 1, k] - ends[i, 0, k])
            square += x * x
        half = math.sqrt(square) + sizes[i, RADIUS] + sizes[i, BOW] + 0.5 * reach
        middles[i, 3] = half
        widest = max(widest, half)
    return widest


@routine
def sort_into_cells(grid, middles, size, shape):
    """Cell of each segment, where cells begin, and segments in the order of cells.

    Cell c holds the segments from ``grid.starts[c]`` to ``grid.starts[c + 1]``.
    """
    starts, cells, keys = grid.starts, grid.cells, grid.keys
    n = middles.shape[0]
    for i in range(n):
        for k in range(3):
            cells[i, k] = math.floor(middles[i, k] / size) % shape[k]
        keys[i] = (cells[i, 0] * shape[1] + cells[i, 1]) * shape[2] + cells[i, 2]
        starts[keys[i] + 2] += 1
    for key in range(starts.shape[0] - 1):
        starts[key + 1] += starts[key]
    # starts[key + 1] is where a cell begins, and in the end where it has ended
    for i in range(n):
        at = starts[keys[i] + 1]
        starts[keys[i] + 1] = at + 1
        grid.order[at] = i
        for k in range(4):
            grid.middles[at, k] = middles[i, k]


@inline
def wrapped(x, n):
    """A number of a cell in [0, n), from one beyond either end: cheaper than ``%``."""
    if x < 0:
        return x + n
    return x - n if x >= n else x


@inline
def collect(grid, shape, ends, sizes, identities, reach, pairs):
    """Pairs of segments in the same or in neighboring cells; how many there are."""
    starts, cells, middles = grid.starts, grid.cells, grid.middles
    found = 0
    for at in range(grid.order.shape[0]):
        i = grid.order[at]
        for k in range(N_FORWARD):
            dx, dy, dz = FORWARD[k]
            x = wrapped(cells[i, 0] + dx, shape[0])
            y = wrapped(cells[i, 1] + dy, shape[1])
            z = wrapped(cells[i, 2] + dz, shape[2])
            key = (x * shape[1] + y) * shape[2] + z
            first = starts[key] if k > 0 else at + 1
            for there in range(first, starts[key + 1]):
                a = middles[at, 0] - middles[there, 0]
                b = middles[at, 1] - middles[there, 1]
                c = middles[at, 2] - middles[there, 2]
                far = middles[at, 3] + middles[there, 3]
                if a * a + b * b + c * c >= far * far:
                    continue
                j = grid.order[there]
                if not may_touch(ends, sizes, identities, i, j):
                    continue
                if chord_gap(ends, sizes, i, j) >= reach:
                    continue
                if found < pairs.shape[0]:
                    pairs[found, 0] = min(i, j)
                    pairs[found, 1] = max(i, j)
                found += 1
    return found


class Grid(NamedTuple):
    """Segments in the order of cells."""

    starts: Any  # (n_cells + 2,) int
    cells: Any  # (n, 3) int
    keys: Any  # (n,) int
    order: Any  # (n,) int
    middles: Any  # (n, 4) in that order


@allocating_kernel
def find_pairs(ends, sizes, identities, reach, pairs):
    """Pairs with a `chord_gap` below ``reach``, as many as ``pairs`` has room for.

    Parameters
    ----------
    ends : (n, 2, 3) array
        Places of both ends of each segment.
    sizes : (n, 5) array
    identities : (n, 6) int array
    reach : float
    pairs : (m, 2) int array
        Smaller number first.

    Returns
    -------
    int
        How many there are.
    """
    n = ends.shape[0]
    middles = np.empty((n, 4))
    widest = set_middles(middles, ends, sizes, reach)
    if n == 0 or widest <= 0.0:
        return 0
    size = 2.0 * widest * (1.0 + 1e-12)
    shape = np.empty(3, np.int64)
    grid_shape(middles, size, shape)
    grid = Grid(
        np.zeros(shape[0] * shape[1] * shape[2] + 2, np.int64),
        np.empty((n, 3), np.int64),
        np.empty(n, np.int64),
        np.empty(n, np.int64),
        np.empty((n, 4)),
    )
    sort_into_cells(grid, middles, size, shape)
    return collect(grid, shape, ends, sizes, identities, reach, pairs)


@kernel
def chord_gaps(ends, sizes, pairs, gaps):
    """Distances of chords less what reaches out from them (n,): radii and bows."""
    for k in range(pairs.shape[0]):
        i, j = pairs[k, 0], pairs[k, 1]
        gaps[k] = chord_distance(ends, i, j) - (sizes[i] + sizes[j])


@kernel
def near_pairs(ends, sizes, pairs, limit, found, gaps):
    """Pairs with such a gap below a limit, and their gaps; how many there are."""
    n = 0
    for k in range(pairs.shape[0]):
        i, j = pairs[k, 0], pairs[k, 1]
        gap = chord_distance(ends, i, j) - (sizes[i] + sizes[j])
        if gap < limit:
            found[n, 0], found[n, 1], gaps[n] = i, j, gap
            n += 1
    return n
