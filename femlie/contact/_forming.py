"""Kernels that look at the gaps along runs: samples, certain lines, narrow windows.

Gaps are sampled at both ends and the middle of each slave segment: the closest master
by chords, the place on it by Newton's method where the chord is not near enough.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from .._jit import inline, kernel, routine, rows_of, scratch
from ..elements._scatter import load3
from ..lie import _kernels as lie
from ._chords import section_in_space
from ._closest import clip, project
from ._gap import put3
from ._grouping import next_barrier
from ._search import row3
from ._segments import between, load4, point_on

# numbers of an axis
AXIS_WIDTH = 13
# axes that are off their chords by less than this part of the radius are straight
STRAIGHT = 1e-3


class Axes(NamedTuple):
    """Axes of segments in space, as `_segments.segment` has them."""

    poses: Any  # (n_frames, 7)
    sections: Any  # what `_chords.section_in_space` takes
    found: Any  # (n, 13) place and turn of the first end, logarithm of the other in it
    is_found: Any  # (n,) bool


@routine
def find_axis(axes, i):
    """Put down an axis, and that it is found."""
    first = section_in_space(axes.poses, axes.sections, i, 0)
    last = section_in_space(axes.poses, axes.sections, i, 1)
    p, q, u, w = between(first, last)
    put3(axes.found, i, 0, p)
    for k in range(4):
        axes.found[i, 3 + k] = q[k]
    put3(axes.found, i, 7, u)
    put3(axes.found, i, 10, w)
    axes.is_found[i] = True


@inline
def axis_of(axes, i):
    """An axis, found when it is asked for: most segments are straight."""
    if not axes.is_found[i]:
        find_axis(axes, i)
    one = axes.found
    return load3(one, i, 0), load4(one, i, 3), load3(one, i, 7), load3(one, i, 10)


@inline
def on_chord(ends, i, point):
    """Closest place on a chord."""
    first = row3(ends, i, 0)
    u = lie.subtract(row3(ends, i, 1), first)
    square = lie.dot(u, u)
    x = lie.dot(lie.subtract(point, first), u) / square if square > 0.0 else 0.0
    return clip(x, 0.0, 1.0)


@routine
def on_axis(axes, i, point, x):
    """Closest place on an axis, unclipped, and the distance there."""
    one = axis_of(axes, i)
    x = project(one, point, x)
    place = point_on(one, clip(x, 0.0, 1.0))
    return x, lie.norm(lie.subtract(point, place))


@routine
def nearest_chords(ends, masters, begin, end, points, nearest):
    """Place of the master whose chord is closest to each of three points.

    Into the rows of ``points`` go, behind the point, the place on that chord and the
    square of the distance.
    """
    for j in range(begin, end):
        first = row3(ends, masters[j], 0)
        u = lie.subtract(row3(ends, masters[j], 1), first)
        square = lie.dot(u, u)
        inverse = 1.0 / square if square > 0.0 else 0.0
        for k in range(3):
            r = lie.subtract(load3(points, k, 0), first)
            x = clip(lie.dot(r, u) * inverse, 0.0, 1.0)
            r = lie.add_scaled(r, -x, u)
            distance = lie.dot(r, r)
            if j == begin or distance < points[k, 4]:
                nearest[k], points[k, 3], points[k, 4] = j, x, distance


@routine
def nearest_axis(axes, ends, neighbors, masters, window, point, guess):
    """Place of the master closest to a point, and the distance, both of axes.

    ``window``: place of the closest chord, and of the first and last master.
    """
    best, begin, end = window
    x, distance = on_axis(axes, masters[best], point, guess)
    if 0.0 <= x <= 1.0:
        return best, distance
    there = neighbors[masters[best], 1 if x > 1.0 else 0]
    for j in range(max(best - 1, begin), min(best + 2, end)):
        if masters[j] == there:
            _, other = on_axis(axes, there, point, on_chord(ends, there, point))
            return (j, other) if other < distance else (best, distance)
    return best, distance


@routine
def set_points(points, axes, ends, slave, is_bowed):
    """Both ends and the middle of a slave segment."""
    first, last = row3(ends, slave, 0), row3(ends, slave, 1)
    put3(points, 0, 0, first)
    put3(points, 2, 0, last)
    middle = lie.scale(0.5, lie.add(first, last))
    if is_bowed:
        middle = point_on(axis_of(axes, slave), 0.5)
    put3(points, 1, 0, middle)


@kernel
def sample_runs(axes, chords, radii, neighbors, runs, gaps, places):
    """Gaps (n_runs, 3) at three places of each slave, and the place of the master.

    Distances are those of chords, where axes are not away from them by more than is
    allowed.

    Parameters
    ----------
    axes : Axes
        None of which is found before.
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
    points = rows_of(scratch(3 * 5), 0, 3, 5)
    for g in range(slaves.shape[0]):
        slave, begin, end = slaves[g], starts[g], starts[g + 1]
        allowed = STRAIGHT * radii[slave] - bows[slave]
        set_points(points, axes, ends, slave, allowed < 0.0)
        nearest_chords(ends, masters, begin, end, points, places[g])
        for k in range(3):
            best, distance = places[g, k], math.sqrt(points[k, 4])
            if bows[masters[best]] > max(allowed, 0.0):
                point, window = load3(points, k, 0), (best, begin, end)
                best, distance = nearest_axis(
                    axes, ends, neighbors, masters, window, point, points[k, 3]
                )
                places[g, k] = best
            gaps[g, k] = distance - radii[slave] - radii[masters[best]]


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
