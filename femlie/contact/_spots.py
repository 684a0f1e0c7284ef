"""Points of integration of line contacts, and point contacts: places and gaps.

Gaps are taken where a point is nearest to the master, which the step began with and
follows (see `_closest`).
"""

from __future__ import annotations

from .._jit import inline, routine
from ..elements._scatter import load3
from ..lie import _kernels as lie
from . import _layout as layout
from ._closest import IS_FIXED, IS_FREE, closest, meet, walk
from ._gap import put3
from ._layout import N_POINTS, POINT_WIDTH, is_line, n_points, place_of
from ._segments import load4, origin_of, place_on, point_on, segment
from ._shape_spots import NO_GAP, TURNED, gap_on_shape, is_shape, is_through

# what is known of a point: row, places, which are held, gap, normal
SPOT_ROW, SPOT_XI, SPOT_ETA, HELD_SLAVE, HELD_MASTER, SPOT_GAP, SPOT_NORMAL = range(7)
SPOT_WIDTH = 9
# behind the points of the run that begins in a row, both segments of the row where some
# point is on it: place and logarithm of the slave, of the master, and both turns
SLAVE_AXIS, MASTER_AXIS, TURNS = N_POINTS, N_POINTS + 1, N_POINTS + 2
SPOT_SHAPE = (N_POINTS + 3, SPOT_WIDTH)
# rods may come as close as this part of their radii in one iteration
CLOSEST = 0.5
# edges of bodies at a smaller angle than this do not cross: their ends bear
LEAST_CROSSING = 0.05


@inline
def radii_of(parameters, i, time):
    """Sum of the radii, which grow to it where rods overlap at the start."""
    growth = parameters[i, layout.GROWTH]
    return parameters[i, layout.RADII] * (1.0 - growth * max(1.0 - time, 0.0))


@inline
def put_segments(spots, row, slave, master):
    """Keep both segments of a row, which forces want again."""
    own = spots[row]
    for at, one, turn in ((SLAVE_AXIS, slave, 0), (MASTER_AXIS, master, 4)):
        put3(own, at, 0, one[0])
        put3(own, at, 3, one[2])
        put3(own, at, 6, one[3])
        for k in range(4):
            own[TURNS, turn + k] = one[1][k]


@inline
def kept_segment(spots, row, at, turn):
    own = spots[row]
    q = load4(own, TURNS, turn)
    return load3(own, at, 0), q, load3(own, at, 3), load3(own, at, 6)


@inline
def kept_segments(spots, row):
    """Both of them."""
    slave = kept_segment(spots, row, SLAVE_AXIS, 0)
    return slave, kept_segment(spots, row, MASTER_AXIS, 4)


@inline
def find_line_spots(spots, motion, block, i, origin):
    """Points of the run that begins in row i: where they are nearest, and gaps."""
    poses, iterates = motion.poses, block.iterates
    slave = segment(poses, block, i, 0, origin)
    known, master = -1, slave
    kept = -1
    for k in range(n_points(block.codes, i)):
        at = POINT_WIDTH * k
        row, eta = int(iterates[i, at + layout.ROW]), iterates[i, at + layout.ETA]
        if row < 0:
            continue
        if row != known:
            master = segment(poses, block, row, 1, origin)
        place = place_of(block.codes, i, k)
        point = point_on(slave, place)
        known, held = row, IS_FREE
        eta, r = closest(master, point, eta)
        if not 0.0 <= eta <= 1.0:
            known, eta, held, _, master = walk(
                poses, block, row, eta, point, origin, master
            )
            r = lie.subtract(point, point_on(master, eta))
        if known != kept:
            put_segments(spots, known, slave, master)
            kept = known
        spots[i, k, SPOT_XI] = place
        spots[i, k, HELD_SLAVE], spots[i, k, HELD_MASTER] = IS_FIXED, held
        put_gap(spots, motion, block, i, k, known, eta, r)


@routine
def find_point_spot(spots, motion, block, i, origin):
    """The same of the point contact that begins in row i."""
    poses, iterates = motion.poses, block.iterates
    row, eta = int(iterates[i, layout.ROW]), iterates[i, layout.ETA]
    row, xi, eta, held_slave, held_master, _ = meet(
        poses, block, row, iterates[i, layout.XI], eta, origin
    )
    slave = segment(poses, block, row, 0, origin)
    master = segment(poses, block, row, 1, origin)
    put_segments(spots, row, slave, master)
    r = lie.subtract(point_on(slave, xi), point_on(master, eta))
    spots[i, 0, SPOT_XI] = xi
    spots[i, 0, HELD_SLAVE], spots[i, 0, HELD_MASTER] = held_slave, held_master
    put_gap(spots, motion, block, i, 0, row, eta, r)
    if block.codes[i, layout.FORM] == layout.EDGE:
        # rods have round ends, where bodies have corners of their own
        is_rod = block.codes[i, layout.AT_NODES] != 0
        is_held = held_slave == IS_FIXED or xi <= 0.0 or xi >= 1.0
        is_at_end = held_master == IS_FIXED
        is_along = not is_at_end and are_parallel(slave, xi, master, eta)
        if is_held or is_along or (is_at_end and not is_rod):
            spots[i, 0, SPOT_GAP] = NO_GAP


@routine
def are_parallel(slave, xi, master, eta):
    """Whether two edges run so nearly in one direction that they do not cross."""
    s, t = place_on(slave, xi)[1], place_on(master, eta)[1]
    across = lie.norm(lie.cross(s, t))
    return across < LEAST_CROSSING * lie.norm(s) * lie.norm(t)


@inline
def put_gap(spots, motion, block, i, k, row, eta, r):
    """Where a point is on the master, its gap and normal."""
    distance = lie.norm(r)
    spots[i, k, SPOT_ROW], spots[i, k, SPOT_ETA] = row, eta
    radii = radii_of(block.parameters, row, motion.time[0])
    spots[i, k, SPOT_GAP] = distance - radii
    n = lie.scale(1.0 / max(distance, 1e-300), r)
    put3(spots[i], k, SPOT_NORMAL, n)


@routine
def find_shape_spot(spots, motion, block, i, k, origin):
    """The same on a rigid shape."""
    place = place_of(block.codes, i, k)
    row, xi, held, d, n = gap_on_shape(motion, block, i, k, place, origin)
    spots[i, k, SPOT_ROW], spots[i, k, SPOT_XI], spots[i, k, SPOT_ETA] = row, xi, 0.5
    spots[i, k, HELD_SLAVE], spots[i, k, HELD_MASTER] = held, IS_FIXED
    spots[i, k, SPOT_GAP] = d - radii_of(block.parameters, row, motion.time[0])
    put3(spots[i], k, SPOT_NORMAL, n)


@inline
def find_all_of(spots, motion, block, i):
    """Points of the run or of the point contact that begins in row i."""
    poses = motion.poses
    origin = origin_of(poses, block.frames[i, 0])
    if is_shape(block.codes, i):
        for k in range(n_points(block.codes, i)):
            if block.iterates[i, POINT_WIDTH * k + layout.ROW] >= 0.0:
                find_shape_spot(spots, motion, block, i, k, origin)
        return
    if not is_line(block.codes, i):
        find_point_spot(spots, motion, block, i, origin)
        return
    find_line_spots(spots, motion, block, i, origin)


@inline
def passes(spots, motion, block, i, k):
    """Whether rods have passed through each other here, or nearly so."""
    at = POINT_WIDTH * k
    n = load3(spots[i], k, SPOT_NORMAL)
    turn = lie.dot(n, load3(block.iterates, i, at + layout.NORMAL))
    if spots[i, k, SPOT_GAP] > 0.5 * NO_GAP:
        return False
    if is_shape(block.codes, i):
        return turn < TURNED and is_through(motion.poses, block, i, at, n)
    if turn <= 0.0:
        return True
    is_rod = block.codes[i, layout.AT_NODES] != 0
    if block.codes[i, layout.FORM] == layout.EDGE and not is_rod:
        return False
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
        find_all_of(spots, motion, block, i)
        for k in range(n_points(codes, i)):
            at = POINT_WIDTH * k
            if iterates[i, at + layout.ROW] < 0.0:
                continue
            if passes(spots, motion, block, i, k):
                event = layout.PASSES
            for j in range(layout.N_MULTIPLIERS):
                number = codes[i, layout.MULTIPLIER + j]
                if number >= 0:
                    weight = iterates[i, at + layout.WEIGHT + j]
                    gaps[number] += weight * spots[i, k, SPOT_GAP]
    return event
