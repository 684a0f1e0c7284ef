"""Points of integration of line contacts, and point contacts: places and gaps.

Gaps are taken where a point is nearest to the master, which the step began with and
follows (see `_closest`).
"""

from __future__ import annotations

from .._jit import inline, routine
from ..elements._scatter import load3
from ..lie import _kernels as lie
from . import _layout as layout
from ._closest import IS_FIXED, meet, walk
from ._gap import put3
from ._layout import POINT_WIDTH, is_line, n_points
from ._segments import origin_of, place_on, segment

# Gauss's rule of three points on [0, 1]
GAUSS_PLACES = (0.1127016653792583, 0.5, 0.8872983346207417)
GAUSS_WEIGHTS = (0.2777777777777778, 0.4444444444444444, 0.2777777777777778)
# what is known of a point: row, places, which are held, gap, normal
SPOT_ROW, SPOT_XI, SPOT_ETA, HELD_SLAVE, HELD_MASTER, SPOT_GAP, SPOT_NORMAL = range(7)
SPOT_WIDTH = 9
# rods may come as close as this part of their radii in one iteration
CLOSEST = 0.5


@inline
def radii_of(parameters, i, time):
    """Sum of the radii, which grow to it where rods overlap at the start."""
    growth = parameters[i, layout.GROWTH]
    return parameters[i, layout.RADII] * (1.0 - growth * max(1.0 - time, 0.0))


@routine
def find_spot(spots, motion, block, i, k):
    """Point k of the run that begins in row i: where it is nearest, and its gap."""
    poses, iterates = motion.poses, block.iterates
    at = POINT_WIDTH * k
    origin = origin_of(poses, block.frames[i, 0])
    row = int(iterates[i, at + layout.ROW])
    eta = iterates[i, at + layout.ETA]
    if is_line(block.codes, i):
        xi, held_slave = GAUSS_PLACES[k], IS_FIXED
        point = place_on(segment(poses, block, i, 0, origin), xi)[0]
        row, eta, held_master, _ = walk(poses, block, row, eta, point, origin)
    else:
        xi = iterates[i, layout.XI]
        row, xi, eta, held_slave, held_master, _ = meet(
            poses, block, row, xi, eta, origin
        )
        point = place_on(segment(poses, block, row, 0, origin), xi)[0]
    other = place_on(segment(poses, block, row, 1, origin), eta)[0]
    r = lie.subtract(point, other)
    distance = lie.norm(r)
    spots[i, k, SPOT_ROW] = row
    spots[i, k, SPOT_XI] = xi
    spots[i, k, SPOT_ETA] = eta
    spots[i, k, HELD_SLAVE] = held_slave
    spots[i, k, HELD_MASTER] = held_master
    radii = radii_of(block.parameters, row, motion.time[0])
    spots[i, k, SPOT_GAP] = distance - radii
    n = lie.scale(1.0 / max(distance, 1e-300), r)
    put3(spots[i], k, SPOT_NORMAL, n)


@routine
def passes(spots, block, i, k):
    """Whether rods have passed through each other here, or nearly so."""
    at = POINT_WIDTH * k
    n = load3(spots[i], k, SPOT_NORMAL)
    if lie.dot(n, load3(block.iterates, i, at + layout.NORMAL)) <= 0.0:
        return True
    row = int(spots[i, k, SPOT_ROW])
    radii = block.parameters[row, layout.RADII]
    least = min(CLOSEST * radii, 0.9 * block.iterates[i, at + layout.DISTANCE])
    return spots[i, k, SPOT_GAP] + radii < least


@routine
def find_spots(spots, gaps, motion, block):
    """All points and the weighted gaps; whether rods have passed."""
    codes, iterates = block.codes, block.iterates
    event = layout.NO_EVENT
    for i in range(codes.shape[0]):
        if codes[i, layout.FIRST] != i:
            continue
        for k in range(n_points(codes, i)):
            at = POINT_WIDTH * k
            if iterates[i, at + layout.ROW] < 0.0:
                continue
            find_spot(spots, motion, block, i, k)
            if passes(spots, block, i, k):
                event = layout.PASSES
            for j in range(layout.N_MULTIPLIERS):
                number = codes[i, layout.MULTIPLIER + j]
                if number >= 0:
                    weight = iterates[i, at + layout.WEIGHT + j]
                    gaps[number] += weight * spots[i, k, SPOT_GAP]
    return event
