"""Kernels that look at the gaps along runs: samples, certain lines, narrow windows.

Gaps are sampled at both ends and the middle of each slave segment: the closest master
by chords, the place on it by Newton's method where the chord is not near enough.
"""

from __future__ import annotations

import math

from .._jit import inline, kernel, routine
from ..elements._scatter import load3
from ..lie import _kernels as lie
from ._chords import section_in_space
from ._closest import clip, project
from ._grouping import next_barrier
from ._search import row3
from ._segments import between, load4, point_on

# numbers of an axis: place and turn of its first end, logarithm of the other one in it
AXIS_WIDTH = 13
# axes that are off their chords by less than this part of the radius are straight
STRAIGHT = 1e-3


@kernel
def set_axes(poses, frames, offsets, axes):
    """Axes (n, 13) of segments, as `_segments.segment` has them, in space."""
    for i in range(frames.shape[0]):
        first = section_in_space(poses, frames[i, 0], offsets, i, 0)
        last = section_in_space(poses, frames[i, 1], offsets, i, 1)
        p, q, u, w = between(first, last)
        for k in range(3):
            axes[i, k] = p[k]
            axes[i, 7 + k] = u[k]
            axes[i, 10 + k] = w[k]
        for k in range(4):
            axes[i, 3 + k] = q[k]


@inline
def axis_of(axes, i):
    return load3(axes, i, 0), load4(axes, i, 3), load3(axes, i, 7), load3(axes, i, 10)


@inline
def on_chord(ends, i, point):
    """Closest place on a chord, and the square of the distance."""
    first = row3(ends, i, 0)
    u = lie.subtract(row3(ends, i, 1), first)
    r = lie.subtract(point, first)
    square = lie.dot(u, u)
    x = clip(lie.dot(r, u) / square, 0.0, 1.0) if square > 0.0 else 0.0
    r = lie.add_scaled(r, -x, u)
    return x, lie.dot(r, r)


@routine
def on_axis(axes, i, point, x):
    """Closest place on an axis, unclipped, and the distance there."""
    one = axis_of(axes, i)
    x = project(one, point, x)
    place = point_on(one, clip(x, 0.0, 1.0))
    return x, lie.norm(lie.subtract(point, place))


@inline
def nearest_of(axes, chords, neighbors, masters, begin, end, point, allowed):
    """Place of the master closest to a point, and the distance.

    Of a chord, where its axis is away from it by no more than is ``allowed``.
    """
    ends, bows = chords
    best, guess, smallest = begin, 0.0, -1.0
    for j in range(begin, end):
        x, square = on_chord(ends, masters[j], point)
        if smallest < 0.0 or square < smallest:
            best, guess, smallest = j, x, square
    if bows[masters[best]] <= allowed:
        return best, math.sqrt(smallest)
    x, distance = on_axis(axes, masters[best], point, guess)
    if 0.0 <= x <= 1.0:
        return best, distance
    there = neighbors[masters[best], 1 if x > 1.0 else 0]
    for j in range(max(best - 1, begin), min(best + 2, end)):
        if masters[j] == there:
            guess = on_chord(ends, there, point)[0]
            _, other = on_axis(axes, there, point, guess)
            return (j, other) if other < distance else (best, distance)
    return best, distance


@kernel
def sample_runs(axes, chords, radii, neighbors, runs, gaps, places):
    """Gaps (n_runs, 3) at three places of each slave, and the place of the master.

    Parameters
    ----------
    axes : (n, 13) array
    chords : tuple
        Ends (n, 2, 3) of segments, and how far axes are from them (n,).
    radii : (n,) array
    neighbors : (n, 2) int array
    runs : tuple
        Slaves, starts and masters.
    gaps : (n_runs, 3) array
    places : (n_runs, 3) int array
        Among all masters.
    """
    slaves, starts, masters = runs
    ends, bows = chords
    for g in range(slaves.shape[0]):
        slave = slaves[g]
        allowed = STRAIGHT * radii[slave] - bows[slave]
        for k in range(3):
            if k == 1 and allowed < 0.0:
                point = point_on(axis_of(axes, slave), 0.5)
            else:
                point = row3(ends, slave, k // 2)
                if k == 1:
                    point = lie.add(point, row3(ends, slave, 1))
                    point = lie.scale(0.5, point)
            best, distance = nearest_of(
                axes, chords, neighbors, masters, starts[g], starts[g + 1], point,
                max(allowed, 0.0),
            )  # fmt: skip
            gaps[g, k] = distance - radii[slave] - radii[masters[best]]
            places[g, k] = best


@kernel
def beyond_reach(gap, reach):
    """How much a gap opens at least from its lowest sample to where it is out of reach.

    What is listed is nearer than half the reach. Where the lowest sample is farther,
    the lowest place is between samples.
    """
    return max(reach - gap, gap - 0.5 * reach)


@routine
def opening(arcs, gaps, n, at, h, total, reach):
    """Twice what a gap opens within ``h`` of its lowest place, to either side."""
    least = -1.0
    for side in range(2):
        way = 1 if side == 1 else -1
        k = at
        while 0 <= k < n and way * (arcs[k] - arcs[at]) < 0.999 * h:
            k += way
        if 0 <= k < n:
            opened = gaps[k] - gaps[at]
        else:
            last = n - 1 if side == 1 else 0
            edge = total if side == 1 else 0.0
            if abs(arcs[last] - edge) <= 1e-6 * h:
                continue
            opened = beyond_reach(gaps[at], reach)
        if least < 0.0 or opened < least:
            least = opened
    if least < 0.0:
        for k in range(n):
            least = max(least, gaps[k] - gaps[at])
    return 2.0 * least


@routine
def has_shallow_hollow(arcs, gaps, owners, n, lengths, totals, limits):
    """Whether some hollow of a patch opens so little that the patch is a line.

    ``limits``: barrier between hollows, largest opening, reach.
    """
    height, sharp, reach = limits
    first = 0
    while first < n:
        _, first, low = next_barrier(gaps, first, n, height)
        one = owners[low]
        if opening(arcs, gaps, n, low, lengths[one], totals[one], reach) <= sharp:
            return True
    return False


@kernel
def find_lines(slaves, patches, samples, sizes, special, work, counts, is_line):
    """Patches that are lines whatever was before; others are left to be looked at.

    Parameters
    ----------
    slaves, patches : (n,) int arrays
    samples : (n, 3) array
        Gaps.
    sizes : tuple
        Arc lengths (m, 2) of segments, radii, lengths, what is left of the rod, part
        of the radius of barriers and of the opening of a sharp hollow, reach.
    special : (m,) bool array
        Segments that are no lines.
    work : (2, 3 n) array
    counts : (2, 3 n + 1) int array
        Memory; the first row holds owners, the second the next run of the patch.
    is_line : (n,) bool array
        Received by the first run of each patch.
    """
    arcs, radii, lengths, rests, height, sharp, reach = sizes
    n = slaves.shape[0]
    following = counts[1]
    last = counts[0]
    for g in range(n):
        following[g] = -1
    for g in range(n):
        if patches[g] != g:
            following[last[patches[g]]] = g
        last[patches[g]] = g
    # what is needed of `last` is over: the row holds owners now
    owners = counts[0]
    for g in range(n):
        is_line[g] = False
        if patches[g] != g or special[slaves[g]]:
            continue
        k = 0
        one = g
        is_sorted = True
        radius = radii[slaves[g]]
        while one >= 0:
            slave = slaves[one]
            radius = min(radius, radii[slave])
            for j in range(3):
                work[0, k] = arcs[slave, 0] + 0.5 * j * (
                    arcs[slave, 1] - arcs[slave, 0]
                )
                work[1, k] = samples[one, j]
                owners[k] = slave
                # samples at one node may differ by rounding
                least = work[0, max(k - 1, 0)] - 1e-9 * lengths[slave]
                is_sorted = is_sorted and work[0, k] >= least
                k += 1
            one = following[one]
        limits = (height * radius, sharp * radius, reach)
        totals = rests
        if is_sorted:
            is_line[g] = has_shallow_hollow(
                work[0], work[1], owners, k, lengths, totals, limits
            )


@kernel
def narrow(kept, starts, masters, places, radii, lengths, margin, windows, core):
    """Masters that closest places are on, and a margin, as first and last place.

    Parameters
    ----------
    kept : (k,) int array
        Runs that are lines.
    places : (n, 3) int array
        Places of the closest masters.
    margin : float
        Length on either side over the radius; one segment at least.
    windows, core : (k, 2) int arrays
        Received.
    """
    for i in range(kept.shape[0]):
        g = kept[i]
        low = min(places[g, 0], places[g, 1], places[g, 2])
        high = max(places[g, 0], places[g, 1], places[g, 2])
        core[i, 0], core[i, 1] = low, high
        left = margin * radii[masters[low]]
        while left > 0.0 and low > starts[g]:
            low -= 1
            left -= lengths[masters[low]]
        left = margin * radii[masters[high]]
        while left > 0.0 and high + 1 < starts[g + 1]:
            high += 1
            left -= lengths[masters[high]]
        windows[i, 0], windows[i, 1] = low, high
