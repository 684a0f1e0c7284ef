"""Points of slaves on rigid shapes: where they are, their gaps and normals.

Along the slave the place is that of an integration point, or the lowest one of the
distance: ``n . x' = 0``, by Newton's method within a bracket that the sign gives.
"""

from __future__ import annotations

from .._jit import inline, routine
from ..elements._scatter import load3
from ..lie import _kernels as lie
from . import _layout as layout
from ._closest import BEYOND, IS_FIXED, IS_FREE, OVERHANG, SAME, clip
from ._gap import put3
from ._layout import POINT_WIDTH, is_line
from ._segments import origin_of, place_on, point_on, section, segment
from ._shapes import BORE, HOLLOW, SHARP, Z, kind_of
from ._triangles import to_shape

MOST_STEPS = 60
SETTLED = 1e-15
# a place on an edge of a body is one contact where the gap opens on both sides, by this
# part of its length at least
LEAST_BEND = 1e-4
# the gap of edges of bodies that touch with an end, or lie flat: their ends bear
NO_GAP = 1e30
# normals that turn by more than 120 degrees at once have come through a thin shape
TURNED = -0.5
GUESSES = 5


@inline
def is_shape(codes, i):
    """Whether the master of a row is a rigid shape."""
    return codes[i, layout.SHAPE] != 0


@inline
def table_of(codes, i):
    """Where the shape of a row stands in the table."""
    return codes[i, layout.SHAPE] - 1


@inline
def shape_frame(poses, block, i, origin):
    """Place and turn of the shape of a row, seen from a pose."""
    column = layout.MASTER_OFFSETS
    return section(poses, block.frames[i, 2], block, i, column, origin)


@inline
def seen_from(body, point):
    """A point in the axes of a shape."""
    back = lie.quaternion_conjugate(body[1])
    return lie.quaternion_rotate(back, lie.subtract(point, body[0]))


@routine
def distance_to(block, i, body, point):
    """Distance of a point, and its gradient in the axes of the point."""
    at = table_of(block.codes, i)
    d, n, _, feature = to_shape(block.parameters, at, seen_from(body, point))
    return d, lie.quaternion_rotate(body[1], n), feature


@routine
def slopes_along(block, i, body, slave, xi):
    """First and second derivative of the distance along the slave."""
    point, along, bow = place_on(slave, xi)
    at = table_of(block.codes, i)
    _, n, bend, _ = to_shape(block.parameters, at, seen_from(body, point))
    back = lie.quaternion_conjugate(body[1])
    t, bow = lie.quaternion_rotate(back, along), lie.quaternion_rotate(back, bow)
    return lie.dot(n, t), lie.dot(n, bow) + lie.dot(t, lie.apply(bend, t))


@routine
def lowest(block, i, body, slave, xi):
    """The lowest place of the distance along a segment, which may be continued."""
    low, high = -BEYOND, 1.0 + BEYOND
    for _ in range(MOST_STEPS):
        slope, bend = slopes_along(block, i, body, slave, xi)
        if slope == 0.0:
            break
        if slope > 0.0:
            high = xi
        else:
            low = xi
        new = xi - slope / bend if bend > 0.0 else 2.0
        if not low < new < high:
            new = 0.5 * (low + high)
        change = abs(new - xi)
        xi = new
        if change < SETTLED or high - low < SETTLED:
            break
    return xi


@routine
def meet_shape(poses, block, row, xi, origin):
    """Lowest place near a guess: row of the slave segment, place, whether it is held.

    It walks along the slave as `_closest.meet` does.
    """
    codes = block.codes
    if codes[row, layout.FORM] == layout.SPHERE:
        return row, xi, IS_FIXED
    body = shape_frame(poses, block, row, origin)
    for _ in range(12):
        slave = segment(poses, block, row, 0, origin)
        xi = lowest(block, row, body, slave, xi)
        if 0.0 <= xi <= 1.0:
            return row, xi, IS_FREE
        end = 1 if xi > 1.0 else 0
        there = codes[row, layout.NEXT + end]
        if there == layout.NOT_LISTED:
            return row, xi, IS_FREE
        if there == layout.CHAIN_END:
            return row, float(end), IS_FIXED
        shared = 0 if codes[there, layout.NEXT] == row else 1
        other = segment(poses, block, there, 0, origin)
        x = lowest(block, there, body, other, float(shared))
        is_node = x < 0.0 if shared == 0 else x > 1.0
        if is_node:
            x = float(shared)
        here, _, _ = distance_to(block, row, body, point_on(slave, xi))
        near, _, _ = distance_to(block, row, body, point_on(other, clip(x, 0.0, 1.0)))
        is_near = -OVERHANG <= xi <= 1.0 + OVERHANG
        radius = block.parameters[row, layout.RADII]
        if is_near and abs(here - near) <= SAME * radius:
            return row, xi, IS_FREE
        if is_node:
            return row, float(end), IS_FIXED
        row, xi = there, x
    return row, clip(xi, 0.0, 1.0), IS_FIXED


@routine
def nearest_on(poses, block, first, origin):
    """Row and place of the lowest of some places on all segments of a contact.

    On edges from the lowest one between two of which the gap has a hollow.
    """
    best, at, smallest = first, 0.5, 1e300
    is_edge = block.codes[first, layout.FORM] == layout.EDGE
    has_hollow = False
    for row in range(first, first + block.codes[first, layout.COUNT]):
        body = shape_frame(poses, block, row, origin)
        slave = segment(poses, block, row, 0, origin)
        last = 0.0
        for k in range(GUESSES):
            x = k / (GUESSES - 1.0)
            d, _, _ = distance_to(block, row, body, point_on(slave, x))
            if not has_hollow and d < smallest:
                best, at, smallest = row, x, d
            if not is_edge:
                continue
            slope, _ = slopes_along(block, row, body, slave, x)
            if last < 0.0 <= slope:
                middle = x - 0.5 / (GUESSES - 1.0)
                d, _, _ = distance_to(block, row, body, point_on(slave, middle))
                if not has_hollow or d < smallest:
                    best, at, smallest, has_hollow = row, middle, d, True
            last = slope
    return best, at


@routine
def settle_on_shape(motion, block, i, k, place, origin, keeps_normals):
    """Where a point is at the start of a step; cut where a sharp edge is next to it.

    ``place`` is that of an integration point.
    """
    poses, iterates = motion.poses, block.iterates
    at = POINT_WIDTH * k
    was_known = iterates[i, at + layout.ROW] >= 0.0
    row, xi = i, place
    if not is_line(block.codes, i):
        row, xi = nearest_on(poses, block, i, origin)
        row, xi, _ = meet_shape(poses, block, row, xi, origin)
        iterates[i, layout.XI] = xi
    body = shape_frame(poses, block, row, origin)
    point = point_on(segment(poses, block, row, 0, origin), xi)
    d, n, feature = distance_to(block, row, body, point)
    at_node = block.codes[i, layout.AT_NODES] != 0
    is_cut = is_line(block.codes, i) and feature == SHARP and not at_node
    iterates[i, at + layout.ROW] = -1.0 if is_cut else row
    iterates[i, at + layout.ETA] = 0.5
    if keeps_normals and was_known:
        return
    put3(iterates, i, at + layout.NORMAL, n)
    iterates[i, at + layout.DISTANCE] = d


@routine
def gap_on_shape(motion, block, i, k, place, origin):
    """Row, place, whether it is held, distance and normal of a point of the slave."""
    poses = motion.poses
    row, xi, held = i, place, IS_FIXED
    if not is_line(block.codes, i):
        row = int(block.iterates[i, layout.ROW])
        xi = block.iterates[i, layout.XI]
        row, xi, held = meet_shape(poses, block, row, xi, origin)
    body = shape_frame(poses, block, row, origin)
    slave = segment(poses, block, row, 0, origin)
    d, n, feature = distance_to(block, row, body, point_on(slave, xi))
    if block.codes[i, layout.FORM] == layout.EDGE:
        # sharp edges that rods touch have contacts of their own
        is_rod = block.codes[i, layout.AT_NODES] != 0
        _, bend = slopes_along(block, row, body, slave, xi)
        is_flat = bend < LEAST_BEND * lie.norm(place_on(slave, xi)[1])
        is_outside = xi <= 0.0 or xi >= 1.0
        is_crest = is_rod and feature == SHARP
        if is_flat or is_crest or is_outside or held == IS_FIXED:
            d = NO_GAP
    return row, xi, held, d, n


@routine
def is_through(poses, block, i, at, n):
    """Whether a normal that has turned since the step began tells of a passing.

    Around the middle of a hollow shape normals turn in free space; what goes through
    the plate of a bore comes out at its other face.

    Parameters
    ----------
    at : int
        Where the point stands among the iterates.
    n : tuple
        Normal, in the axes of the slave's first frame.
    """
    kind = kind_of(block.parameters, table_of(block.codes, i))
    if kind == HOLLOW:
        return False
    if kind != BORE:
        return True
    body = shape_frame(poses, block, i, origin_of(poses, block.frames[i, 0]))
    axis = lie.quaternion_rotate(body[1], Z)
    before = load3(block.iterates, i, at + layout.NORMAL)
    return lie.dot(n, axis) * lie.dot(before, axis) < TURNED
