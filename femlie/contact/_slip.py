"""How surfaces of two segments have slipped on each other since the step began.

The common point ``c = x_M + a_M n = x_S - a_S n`` leaves a path on both surfaces. In
the axes of the sections, with the normal ``m = R^T n`` there, its rate on the master
is ``x' (u + a w x m) + a m'``; on the slave with ``-a``. What the paths differ by is
the slip. Over a step

    slip = dx_M (x_M' + a_M k_M x n) - a_M K (m_M - (m_M . n) n)
         - dx_S (x_S' - a_S k_S x n) - a_S K (m_S - (m_S . n) n)

with the old normals m carried by each rod, curvatures k = R w, ways dx, and
``K(y) = arccos(y) / sqrt(1 - y^2)``, ``y = m . n``: the arc on the round surface.
Rolling of round rods, ``r_S dphi_S = -r_M dphi_M``, is no slip, whatever the step.
Nothing refers to space: nothing has to be transported from step to step. Both formulas
are derived here.
"""

from __future__ import annotations

import math

from .._jit import inline, routine
from ..elements._scatter import load3
from ..lie import _kernels as lie
from . import _friction_layout as layout
from . import _layout as plain
from ._gap import put3
from ._segments import load4, origin_of, place_on, segment
from ._spots import SPOT_ETA, SPOT_ROW, SPOT_XI, radii_of

# normals that turn by more than this have no arc: cosine of 154 degrees
LEAST_COSINE = -0.9
SERIES_BELOW = 0.2
TERMS = 18
# tips: the axis of the slave is no tangent where its cosine with the normal is larger
END_ON = 0.8


@inline
def arc_ratio(y):
    """``K = arccos(y) / sqrt(1 - y^2)`` and its derivative.

    Near one by ``sum n! / (2 n + 1)!! z^n`` with ``z = 1 - y``.
    """
    y = max(y, LEAST_COSINE)
    z = 1.0 - y
    if z > SERIES_BELOW:
        square = 1.0 - y * y
        ratio = math.acos(y) / math.sqrt(square)
        return ratio, (y * ratio - 1.0) / square
    # term is c_n z^(n - 1)
    ratio, slope, term = 1.0, 0.0, 1.0
    for n in range(1, TERMS):
        term *= n / (2.0 * n + 1.0)
        slope -= n * term
        term *= z
        ratio += term
    return ratio, slope


@routine
def surface(poses, block, i, side, x, origin):
    """Segment; place, derivative, curvature there; axes that go on along the rod."""
    one = segment(poses, block, i, side, origin)
    place, along, _ = place_on(one, x)
    q = lie.quaternion_multiply(one[1], lie.quaternion_exp(lie.scale(x, one[3])))
    bend = lie.quaternion_rotate(q, one[3])
    column = layout.SLAVE_TURN if side == 0 else layout.MASTER_TURN
    axes = lie.quaternion_multiply(q, load4(block.parameters, i, column))
    return one, place, along, bend, axes


@inline
def axis_of(axes, number):
    """One of the unit vectors of a turn."""
    unit = (1.0, 0.0, 0.0)
    if number == 1.0:
        unit = (0.0, 1.0, 0.0)
    return lie.quaternion_rotate(axes, unit)


@inline
def across_normal(n, t):
    """Unit vectors across the normal, the first along t; cosine and sine of t."""
    cosine = lie.dot(n, t)
    first = lie.add_scaled(t, -cosine, n)
    sine = lie.norm(first)
    first = lie.scale(1.0 / sine, first)
    return first, lie.cross(first, n), cosine, sine


@routine
def way_on(parameters, i, side, x, start):
    """Way since the start of the step, in lengths of this segment."""
    at = layout.SLAVE_ARC if side == 0 else layout.MASTER_ARC
    length = parameters[i, at + layout.LENGTH]
    if length == 0.0:
        return 0.0
    way = parameters[i, at + layout.ARC] + x * length - start
    ring = parameters[i, at + layout.RING]
    if way > 0.5 * ring > 0.0:
        way -= ring
    elif way < -0.5 * ring < 0.0:
        way += ring
    return way / length


@inline
def was_marked(iterates, i, at):
    """Whether a point was known when the step began."""
    return lie.norm(load3(iterates, i, at + layout.SLAVE_NORMAL)) > 0.0


@routine
def touching(motion, block, i, spot):
    """Geometry of a point of the run or point contact that begins in row i.

    Both surfaces; normal, distance, arms ``a_S, a_M``; tangents.
    """
    row = int(spot[SPOT_ROW])
    parameters = block.parameters
    origin = origin_of(motion.poses, block.frames[row, 0])
    slave = surface(motion.poses, block, row, 0, spot[SPOT_XI], origin)
    master = surface(motion.poses, block, row, 1, spot[SPOT_ETA], origin)
    r = lie.subtract(slave[1], master[1])
    distance = lie.norm(r)
    n = lie.scale(1.0 / distance, r)
    radii = parameters[row, plain.RADII]
    growth = radii_of(parameters, row, motion.time[0]) / radii
    offset = growth * parameters[row, layout.OFFSET]
    arms = (0.5 * distance - offset, 0.5 * distance + offset)
    tangents = across_normal(n, axis_of(slave[4], block.iterates[i, layout.AXIS]))
    return slave, master, (n, distance, arms), tangents


@routine
def meeting(motion, block, i, k, spot):
    """The same of point k, with ways and old normals."""
    slave, master, normal, tangents = touching(motion, block, i, spot)
    row = int(spot[SPOT_ROW])
    parameters, iterates = block.parameters, block.iterates
    at = layout.POINTS + layout.POINT_WIDTH * k
    ways = (
        way_on(parameters, row, 0, spot[SPOT_XI], iterates[i, at + layout.ARCS]),
        way_on(parameters, row, 1, spot[SPOT_ETA], iterates[i, at + layout.ARCS + 1]),
    )
    if not was_marked(iterates, i, at):
        # cut when the step began: as if it began now
        n = normal[0]
        return slave, master, normal, tangents, (0.0, 0.0), (n, n)
    olds = (
        lie.quaternion_rotate(slave[4], load3(iterates, i, at + layout.SLAVE_NORMAL)),
        lie.quaternion_rotate(master[4], load3(iterates, i, at + layout.MASTER_NORMAL)),
    )
    return slave, master, normal, tangents, ways, olds


@routine
def paths(slave, master, normal, ways, olds):
    """Slip (see the head of this file), but for multiples of the normal."""
    n, _, arms = normal
    ratio, _ = arc_ratio(lie.dot(n, olds[0]))
    slip = lie.scale(-arms[0] * ratio, olds[0])
    ratio, _ = arc_ratio(lie.dot(n, olds[1]))
    slip = lie.add_scaled(slip, -arms[1] * ratio, olds[1])
    along = lie.add_scaled(master[2], arms[1], lie.cross(master[3], n))
    slip = lie.add_scaled(slip, ways[1], along)
    along = lie.add_scaled(slave[2], -arms[0], lie.cross(slave[3], n))
    return lie.add_scaled(slip, -ways[0], along)


@routine
def slip_of(motion, block, i, k, spot):
    """Slip of a point along both tangents."""
    slave, master, normal, tangents, ways, olds = meeting(motion, block, i, k, spot)
    slip = paths(slave, master, normal, ways, olds)
    return lie.dot(tangents[0], slip), lie.dot(tangents[1], slip)


@routine
def mark(motion, block, i, k, spot):
    """Keep where both surfaces touch at the start of a step."""
    row = int(spot[SPOT_ROW])
    parameters, iterates = block.parameters, block.iterates
    origin = origin_of(motion.poses, block.frames[row, 0])
    xi, eta = spot[SPOT_XI], spot[SPOT_ETA]
    slave = surface(motion.poses, block, row, 0, xi, origin)
    master = surface(motion.poses, block, row, 1, eta, origin)
    r = lie.subtract(slave[1], master[1])
    n = lie.scale(1.0 / max(lie.norm(r), 1e-300), r)
    at = layout.POINTS + layout.POINT_WIDTH * k
    for side, own, x in ((0, slave, xi), (1, master, eta)):
        column = at + (layout.SLAVE_NORMAL if side == 0 else layout.MASTER_NORMAL)
        back = lie.quaternion_conjugate(own[4])
        put3(iterates, i, column, lie.quaternion_rotate(back, n))
        arc = layout.SLAVE_ARC if side == 0 else layout.MASTER_ARC
        start = parameters[row, arc + layout.ARC]
        iterates[i, at + layout.ARCS + side] = (
            start + x * parameters[row, arc + layout.LENGTH]
        )
    if k == 0:
        choose_axis(iterates, i, n, slave[4])


@routine
def choose_axis(iterates, i, n, axes):
    """The axis of the slave that tangents are counted from in this step."""
    is_end_on = abs(lie.dot(n, axis_of(axes, 0.0))) > END_ON
    iterates[i, layout.AXIS] = 1.0 if is_end_on else 0.0
