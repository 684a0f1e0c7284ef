"""How a surface has slipped on a rigid shape since the step began.

All is seen in the axes of the shape. The common point is ``c = y - d n`` on the surface
below the place y on the slave's axis by the distance d. The path on the slave is that
of `_slip` with the arm d. On the shape the point began at c_0 with the normal m there;
with ``delta = c - c_0`` and ``z = m . n`` its path is

    p = delta - ((1 / (1 + z) - w) delta . n + w delta . m) m

but for multiples of n: the arc on round shapes, with ``w = (1 - K (1 + z) / 2) /
(1 - z^2)``, exact on planes, balls, cylinders and in hollows; and what the surface is
when it is unfolded, with ``w = 0``, on faces and round sharp edges. The slip is p less
the path on the slave. Derived here.
"""

from __future__ import annotations

from .._jit import inline, routine
from ..elements._scatter import load3
from ..lie import _kernels as lie
from . import _friction_layout as layout
from ._gap import put3
from ._segments import origin_of
from ._shape_spots import is_shape, shape_frame, table_of
from ._shapes import BOX, TRIANGLES, kind_of
from ._slip import (
    LEAST_COSINE,
    SERIES_BELOW,
    TERMS,
    across_normal,
    arc_ratio,
    axis_of,
    choose_axis,
    mark,
    slip_of,
    surface,
    touching,
    was_marked,
    way_on,
)
from ._spots import SPOT_ROW, SPOT_XI
from ._triangles import to_shape

# the pose that everything is seen from: that of space, or of a shape in its own axes
AT_ORIGIN = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0)


@inline
def arc_excess(y):
    """``(K - 1) / z`` with the ratio K of arc and chord, ``z = 1 - y``; derivative."""
    y = max(y, LEAST_COSINE)
    z = 1.0 - y
    if z > SERIES_BELOW:
        ratio, slope = arc_ratio(y)
        return (ratio - 1.0) / z, (slope + (ratio - 1.0) / z) / z
    excess, slope, term, power, last = 0.0, 0.0, 1.0, 1.0, 0.0
    for n in range(1, TERMS):
        term *= n / (2.0 * n + 1.0)
        excess += term * power
        slope -= (n - 1.0) * term * last
        last = power
        power *= z
    return excess, slope


@inline
def path_factors(y, is_round):
    """Factors of ``delta . n`` and ``delta . m`` in the path, and their derivatives."""
    y = max(y, LEAST_COSINE)
    flat = 1.0 / (1.0 + y)
    if not is_round:
        return flat, 0.0, -flat * flat, 0.0
    z = 1.0 - y
    excess, slope = arc_excess(y)
    top = 0.5 - excess + 0.5 * z * excess
    change = -slope - 0.5 * excess + 0.5 * z * slope
    w = top * flat
    bend = (change - w) * flat
    return flat - w, w, -flat * flat - bend, bend


@routine
def touching_shape(motion, block, i, spot):
    """Geometry of a point of the run or contact that begins in row i, on a shape.

    Surface of the slave; distance, normal and second derivatives; tangents.
    """
    row = int(spot[SPOT_ROW])
    origin = shape_frame(motion.poses, block, row, AT_ORIGIN)
    slave = surface(motion.poses, block, row, 0, spot[SPOT_XI], origin)
    d, n, bend, _ = to_shape(block.parameters, table_of(block.codes, row), slave[1])
    axis = axis_of(slave[4], block.iterates[i, layout.AXIS])
    return slave, (d, n, bend), across_normal(n, axis)


@routine
def meeting_shape(motion, block, i, k, spot):
    """The same of point k, with its path.

    Way and old normal on the slave; on the shape whether it is round, old normal, way
    in space.
    """
    row, xi = int(spot[SPOT_ROW]), spot[SPOT_XI]
    parameters, iterates = block.parameters, block.iterates
    slave, gap, tangents = touching_shape(motion, block, i, spot)
    d, n, _ = gap
    kind = kind_of(parameters, table_of(block.codes, row))
    is_round = kind != BOX and kind != TRIANGLES
    at = layout.POINTS + layout.POINT_WIDTH * k
    if not was_marked(iterates, i, at):
        # cut when the step began: as if it began now
        return slave, gap, tangents, (0.0, n), (is_round, n, lie.ZERO3)
    way = way_on(parameters, row, 0, xi, iterates[i, at + layout.ARCS])
    old = lie.quaternion_rotate(slave[4], load3(iterates, i, at + layout.SLAVE_NORMAL))
    before = load3(iterates, i, at + layout.MASTER_NORMAL)
    foot = lie.add_scaled(slave[1], -d, n)
    moved = lie.subtract(foot, load3(iterates, i, at + layout.FOOT))
    return slave, gap, tangents, (way, old), (is_round, before, moved)


@routine
def paths_on_shape(slave, gap, own, other):
    """Slip (see the head of this file), but for multiples of the normal."""
    d, n, _ = gap
    way, old = own
    is_round, before, moved = other
    by_n, by_old, _, _ = path_factors(lie.dot(n, before), is_round)
    back = by_n * lie.dot(moved, n) + by_old * lie.dot(moved, before)
    slip = lie.add_scaled(moved, -back, before)
    along = lie.add_scaled(slave[2], -d, lie.cross(slave[3], n))
    slip = lie.add_scaled(slip, -way, along)
    ratio, _ = arc_ratio(lie.dot(n, old))
    return lie.add_scaled(slip, -d * ratio, old)


@routine
def slip_at(motion, block, i, k, spot):
    """Slip of a point along both tangents, on a rod or a shape."""
    if not is_shape(block.codes, i):
        return slip_of(motion, block, i, k, spot)
    slave, gap, tangents, own, other = meeting_shape(motion, block, i, k, spot)
    slip = paths_on_shape(slave, gap, own, other)
    return lie.dot(tangents[0], slip), lie.dot(tangents[1], slip)


@routine
def directions_at(motion, block, i, spot):
    """Tangents in space, of a point on a rod or a shape."""
    row = int(spot[SPOT_ROW])
    if is_shape(block.codes, i):
        tangents = touching_shape(motion, block, i, spot)[2]
        q = shape_frame(motion.poses, block, row, AT_ORIGIN)[1]
    else:
        tangents = touching(motion, block, i, spot)[3]
        q = origin_of(motion.poses, block.frames[row, 0])[1]
    first = lie.quaternion_rotate(q, tangents[0])
    return first, lie.quaternion_rotate(q, tangents[1])


@routine
def choose_axis_at(motion, block, i, spot):
    """Choose what the tangents of a contact are counted from."""
    if is_shape(block.codes, i):
        slave, gap, _ = touching_shape(motion, block, i, spot)
        choose_axis(block.iterates, i, gap[1], slave[4])
        return
    slave, _, normal, _ = touching(motion, block, i, spot)
    choose_axis(block.iterates, i, normal[0], slave[4])


@routine
def mark_at(motion, block, i, k, spot):
    """Keep where a surface touches a rod or a shape at the start of a step."""
    if not is_shape(block.codes, i):
        mark(motion, block, i, k, spot)
        return
    row, xi = int(spot[SPOT_ROW]), spot[SPOT_XI]
    parameters, iterates = block.parameters, block.iterates
    origin = shape_frame(motion.poses, block, row, AT_ORIGIN)
    slave = surface(motion.poses, block, row, 0, xi, origin)
    d, n, _, _ = to_shape(parameters, table_of(block.codes, row), slave[1])
    at = layout.POINTS + layout.POINT_WIDTH * k
    back = lie.quaternion_conjugate(slave[4])
    put3(iterates, i, at + layout.SLAVE_NORMAL, lie.quaternion_rotate(back, n))
    put3(iterates, i, at + layout.MASTER_NORMAL, n)
    put3(iterates, i, at + layout.FOOT, lie.add_scaled(slave[1], -d, n))
    arc = layout.SLAVE_ARC
    start, length = (
        parameters[row, arc + layout.ARC],
        parameters[row, arc + layout.LENGTH],
    )
    iterates[i, at + layout.ARCS] = start + xi * length
    if k == 0:
        choose_axis(iterates, i, n, slave[4])
