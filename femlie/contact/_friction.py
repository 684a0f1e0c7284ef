"""Friction forces of points, which act on both rods at one common point.

With tangents ``e_1, e_2 = e_1 x n`` and ``f = l_1 e_1 + l_2 e_2``, the slave bears f at
its axis and the moment ``-a_S n x f``, the master ``-f`` and ``-a_M n x f``: force and
moment balance whatever the gap. With changes across the normal ``p, q = e_i . dn``, of
the distance D, and the spin ``s`` of the tangents about the normal,

- ``df = -(l_1 p + l_2 q) n + s n x f``
- ``d(a n x f) = dD/2 n x f - a (l_2 p - l_1 q) n - a s f``

so that the stiffness is a sum of four products of vectors, beside the changes of the
directions in which both nodes of a segment feel a force (`_gap`, `_turning`). A moment
``l_3 R n`` of the slave, and ``-l_3 R n`` of the master, changes by ``l_3 R (p e_1 + q
e_2)``.
"""

from __future__ import annotations

from .._jit import inline, routine
from ..lie import _kernels as lie
from . import _friction_layout as layout
from . import _layout as plain
from ._closest import IS_FREE
from ._gap import bends_of, maps_of, pull, set_curvature, slope, to_nodes, variation
from ._segments import place_on
from ._slip import arc_ratio, axis_of, meeting, paths
from ._spin import own_spin, row_of, spins
from ._spots import HELD_MASTER, HELD_SLAVE, SPOT_ETA, SPOT_ROW, SPOT_XI
from ._turning import add_turning, turning, wrench, wrench_slope

# vectors over the 24 coordinates of a row: along the normal, across it, ways on both
# axes, spin of the tangents, changes of the normal, slips (3)
NORMAL, FIRST, SECOND, XI, ETA, SPIN, P, Q, SLIP = range(9)
# then wrenches: friction along both tangents and about the normal (3), moments along
# the normal, moments across, changes with the ways, couples about both tangents (2)
PUSH, TWIST, LEVER, WAY, ROLL = 11, 14, 15, 16, 17
N_VECTORS = 19
# friction on rigid shapes has more of its own (`_shape_friction`)
N_ALL = N_VECTORS + 8


@inline
def line(mapped, out, factor, k):
    """Add a multiple of one vector to another one."""
    for j in range(24):
        mapped[out, j] += factor * mapped[k, j]


@routine
def set_pair(mapped, k, sides, places, force, moments):
    """A force on the slave and its opposite on the master, with moments on both."""
    own = wrench(sides[0][0][0], places[0], 1.0, force, moments[0])
    pull(mapped, k, 0, sides[0][1], own, sides[0][2])
    own = wrench(sides[1][0][0], places[1], -1.0, force, moments[1])
    pull(mapped, k, 12, sides[1][1], own, sides[1][2])


@routine
def set_ways(mapped, sides, places, normal, tangents, held):
    """How closest points move: derivatives of both places."""
    n, distance, _ = normal
    slave, master = sides[0][0], sides[1][0]
    pull(mapped, XI, 0, sides[0][1], slope(slave[0], places[0], 1.0, n), sides[0][2])
    pull(mapped, ETA, 12, sides[1][1], slope(master[0], places[1], -1.0, n),
         sides[1][2])  # fmt: skip
    for j in range(12):
        mapped[XI, 12 + j] = 0.0
        mapped[ETA, j] = 0.0
    s1, s2 = lie.dot(slave[2], tangents[0]), lie.dot(slave[2], tangents[1])
    t1, t2 = lie.dot(master[2], tangents[0]), lie.dot(master[2], tangents[1])
    for j in range(24):
        x, y = mapped[FIRST, j] / distance, mapped[SECOND, j] / distance
        mapped[XI, j] += s1 * x + s2 * y
        mapped[ETA, j] -= t1 * x + t2 * y
    _, _, bend = place_on(slave[0], places[0])
    _, _, curve = place_on(master[0], places[1])
    a = lie.dot(n, bend) + (s1 * s1 + s2 * s2) / distance
    b = -(s1 * t1 + s2 * t2) / distance
    c = (t1 * t1 + t2 * t2) / distance - lie.dot(n, curve)
    xx = xy = yy = 0.0
    if held[0] == IS_FREE and held[1] == IS_FREE:
        size = a * c - b * b
        xx, xy, yy = c / size, -b / size, a / size
    elif held[0] == IS_FREE:
        xx = 1.0 / a
    elif held[1] == IS_FREE:
        yy = 1.0 / c
    for j in range(24):
        x, y = mapped[XI, j], mapped[ETA, j]
        mapped[XI, j] = -(xx * x + xy * y)
        mapped[ETA, j] = -(xy * x + yy * y)
        x, y = mapped[FIRST, j] / distance, mapped[SECOND, j] / distance
        mapped[P, j] = (
            x + s1 / distance * mapped[XI, j] - t1 / distance * mapped[ETA, j]
        )
        mapped[Q, j] = (
            y + s2 / distance * mapped[XI, j] - t2 / distance * mapped[ETA, j]
        )


@routine
def set_spin(mapped, sides, places, tangents, axis):
    """Turn of the tangents about the normal, ``-(e_2 . dt - (n . t) q) / sin``."""
    _, second, cosine, sine = tangents
    slave = sides[0][0]
    moment = lie.scale(-1.0 / sine, lie.cross(axis, second))
    own = wrench(slave[0], places[0], 1.0, lie.ZERO3, moment)
    pull(mapped, SPIN, 0, sides[0][1], own, sides[0][2])
    for j in range(12):
        mapped[SPIN, 12 + j] = 0.0
    line(mapped, SPIN, lie.dot(moment, slave[3]), XI)
    line(mapped, SPIN, cosine / sine, Q)


@routine
def set_slip(mapped, k, sides, places, normal, tangents, ways, olds):
    """Derivative of the slip along tangent k."""
    n, _, arms = normal
    e = tangents[0] if k == 0 else tangents[1]
    slip = paths(sides[0][0], sides[1][0], normal, ways, olds)
    by_normal = lie.ZERO3
    lever = by_xi = by_eta = 0.0
    for side in range(2):
        sign = -1.0 if side == 0 else 1.0
        step = sign, arms[side], sign * ways[side], olds[side]
        vector, _, rate, more, by_arm = own_path(
            sides[side][0], places[side], step, n, e
        )
        pull(mapped, SLIP + k, 12 * side, sides[side][1], vector, sides[side][2])
        by_xi, by_eta = (rate, by_eta) if side == 0 else (by_xi, rate)
        by_normal = lie.add(by_normal, more)
        lever += 0.5 * by_arm
    line(mapped, SLIP + k, by_xi, XI)
    line(mapped, SLIP + k, by_eta, ETA)
    line(mapped, SLIP + k, lever, NORMAL)
    add_turn_of_axes(mapped, k, n, tangents, slip, by_normal)


@routine
def own_path(side, x, step, n, e):
    """How the path on one surface, seen along e, changes as its own rod moves.

    ``step``: sign of the path in the slip, arm, signed way and old normal. Returned
    are the reduced vector, the moment that turns of the section have in it, and the
    derivatives in the place, in the normal and in the arm.
    """
    one, along, bend = side[0], side[2], side[3]
    sign, arm, way, old = step
    across = lie.cross(n, e)
    ratio, change = arc_ratio(lie.dot(n, old))
    height = lie.dot(e, old)
    # the old normal turns with the section, and is seen along e and along n
    seen = lie.scale(-arm * ratio, e)
    seen = lie.add_scaled(seen, -arm * change * height, n)
    moment = lie.cross(old, seen)
    moment = lie.add_scaled(moment, way, lie.cross(along, e))
    moment = lie.add_scaled(moment, sign * arm * way, lie.cross(bend, across))
    _, m, _, last = turning(one, x, moment)
    back = lie.quaternion_conjugate(
        lie.quaternion_multiply(one[1], lie.quaternion_exp(lie.scale(x, one[3])))
    )
    by_u = lie.quaternion_rotate(back, lie.scale(way, e))
    by_w = lie.quaternion_rotate(back, lie.scale(sign * arm * way, across))
    vector = lie.ZERO3, m, by_u, lie.add(last, by_w)
    rate = lie.dot(e, along) + sign * arm * lie.dot(across, bend)
    rate = sign * rate + lie.dot(moment, bend)
    by_normal = lie.scale(-arm * change * height, old)
    by_normal = lie.add_scaled(by_normal, sign * arm * way, lie.cross(e, bend))
    by_arm = sign * way * lie.dot(across, bend) - ratio * height
    return vector, moment, rate, by_normal, by_arm


@routine
def add_turn_of_axes(mapped, k, n, tangents, slip, by_normal):
    """What slip k changes by as the normal and the tangents turn."""
    p, q = lie.dot(tangents[0], by_normal), lie.dot(tangents[1], by_normal)
    if k == 0:
        p -= lie.dot(n, slip)
        spin = -lie.dot(tangents[1], slip)
    else:
        q -= lie.dot(n, slip)
        spin = lie.dot(tangents[0], slip)
    line(mapped, SLIP + k, p, P)
    line(mapped, SLIP + k, q, Q)
    line(mapped, SLIP + k, spin, SPIN)


@routine
def sides_of(block, row, slave, master):
    """Both surfaces of a row with the maps to their nodes."""
    has_offsets = block.codes[row, plain.HAS_OFFSETS] != 0
    parameters = block.parameters
    maps = maps_of(slave[0], parameters, row, plain.SLAVE_OFFSETS, has_offsets)
    others = maps_of(master[0], parameters, row, plain.MASTER_OFFSETS, has_offsets)
    return ((slave, maps, has_offsets), (master, others, has_offsets))


@routine
def set_pushes(mapped, sides, places, tangents, arms):
    """What a force of one along either tangent does to all nodes."""
    first, second = tangents[0], tangents[1]
    # n x e_1 = -e_2, n x e_2 = e_1
    set_pair(mapped, PUSH, sides, places, first,
             (lie.scale(arms[0], second), lie.scale(arms[1], second)))  # fmt: skip
    set_pair(mapped, PUSH + 1, sides, places, second,
             (lie.scale(-arms[0], first), lie.scale(-arms[1], first)))  # fmt: skip


@routine
def set_spin_push(mapped, sides, places, n, radius):
    """What a force of one about the normal does to all nodes."""
    moments = lie.scale(radius, n), lie.scale(-radius, n)
    set_pair(mapped, PUSH + 2, sides, places, lie.ZERO3, moments)


@routine
def set_spin_slip(mapped, sides, places, n, tangents, ways, olds, radius):
    """Derivative of the slip of spin, and couples about both tangents."""
    by_normal = lie.ZERO3
    by_xi = by_eta = 0.0
    for side in range(2):
        factor = radius if side == 0 else -radius
        vector, _, rate, more = own_spin(
            sides[side][0], places[side], factor, ways[side], n, olds[side]
        )
        pull(mapped, SLIP + 2, 12 * side, sides[side][1], vector, sides[side][2])
        by_normal = lie.add(by_normal, more)
        by_xi, by_eta = (rate, by_eta) if side == 0 else (by_xi, rate)
    line(mapped, SLIP + 2, by_xi, XI)
    line(mapped, SLIP + 2, by_eta, ETA)
    add_spin_of_normal(mapped, tangents, by_normal)
    for k in range(2):
        e = tangents[0] if k == 0 else tangents[1]
        moments = lie.scale(radius, e), lie.scale(-radius, e)
        set_pair(mapped, ROLL + k, sides, places, lie.ZERO3, moments)


@inline
def add_spin_of_normal(mapped, tangents, by_normal):
    """What the slip of spin changes by as the normal turns."""
    line(mapped, SLIP + 2, lie.dot(tangents[0], by_normal), P)
    line(mapped, SLIP + 2, lie.dot(tangents[1], by_normal), Q)


@routine
def add_pushes(mapped, block, target, row, share, n_columns):
    """Forces of friction on all nodes; their size."""
    x, y, z = share[2], share[3], share[4]
    for j in range(n_columns):
        push = x * mapped[PUSH, j] + y * mapped[PUSH + 1, j]
        if z != 0.0:
            push += z * mapped[PUSH + 2, j]
        target.residual[block.rows[row, j]] -= push
    size = (x * x + y * y + z * z) ** 0.5
    target.scales[0] += 2.0 * size
    return size


@routine
def add_friction(mapped, curves, motion, block, target, i, k, spot, share, law, factor):
    """Friction at point k of the run in row i: forces, columns, rows, stiffness.

    ``share``: weights of both multipliers in gaps of one unit, then the force along
    both tangents and about the normal. ``law`` (2, 12): see `_friction_kernel`.
    """
    row = int(spot[SPOT_ROW])
    slave, master, normal, tangents, ways, olds = meeting(motion, block, i, k, spot)
    n, _, arms = normal
    sides = sides_of(block, row, slave, master)
    places = (spot[SPOT_XI], spot[SPOT_ETA])
    set_pushes(mapped, sides, places, tangents, arms)
    has_spin, radius = spins(block, i), block.parameters[i, layout.SPIN_RADIUS]
    if has_spin:
        set_spin_push(mapped, sides, places, n, radius)
    first, second = tangents[0], tangents[1]
    x, y, z = share[2], share[3], share[4]
    size = add_pushes(mapped, block, target, row, share, 24)
    if factor == 0.0:
        return
    axis = axis_of(slave[4], block.iterates[i, layout.AXIS])
    still = (lie.ZERO3, lie.ZERO3)
    set_pair(mapped, NORMAL, sides, places, n, still)
    set_pair(mapped, FIRST, sides, places, first, still)
    set_pair(mapped, SECOND, sides, places, second, still)
    held = (spot[HELD_SLAVE], spot[HELD_MASTER])
    set_ways(mapped, sides, places, normal, tangents, held)
    set_spin(mapped, sides, places, tangents, axis)
    for m in range(2):
        set_slip(mapped, m, sides, places, normal, tangents, ways, olds)
    if has_spin:
        set_spin_slip(mapped, sides, places, n, tangents, ways, olds, radius)
    add_rows(mapped, block, target, row, share, law, factor)
    if size == 0.0:
        return
    force = lie.add_scaled(lie.scale(x, first), y, second)
    turn = lie.add_scaled(lie.scale(-x, second), y, first)
    set_pair(mapped, TWIST, sides, places, lie.ZERO3,
             (lie.scale(arms[0], n), lie.scale(arms[1], n)))  # fmt: skip
    half = lie.scale(-0.5, turn)
    set_pair(mapped, LEVER, sides, places, lie.ZERO3, (half, half))
    scale = -factor
    slots, data, width = block.slots, target.data, block.rows.shape[1]
    out, work = curves[0:12], curves[12:24]
    for side in range(2):
        own, map_, has_offsets = sides[0] if side == 0 else sides[1]
        sign = 1.0 if side == 0 else -1.0
        moment = lie.scale(-arms[side], turn)
        moment = lie.add_scaled(moment, sign * z * radius, n)
        bends = bends_of(own[0], places[side], sign, force)
        bow = only_bow(own[0], places[side], sign, force)
        set_curvature(out, own[0], bends, map_, bow)
        add_turning(out, own[0], places[side], moment, map_)
        if has_offsets:
            to_nodes(out, work, map_)
        for a in range(12):
            at = width * (12 * side + a) + 12 * side
            for b in range(12):
                data[slots[row, at + b]] += scale * out[a, b]
        change = wrench_slope(own[0], places[side], sign, force, moment)
        pull(mapped, WAY, 12 * side, map_, change, has_offsets)
    add_products(mapped, block, target, row, share, scale)


@routine
def add_products(mapped, block, target, row, share, scale):
    """Stiffness of forces that turn with the normal and the tangents.

    And of the places where they act, which move along the axes.
    """
    x, y, z = share[2], share[3], share[4]
    slots, data, width = block.slots, target.data, block.rows.shape[1]
    for a in range(24):
        along = mapped[NORMAL, a]
        spun = y * mapped[PUSH, a] - x * mapped[PUSH + 1, a]
        twist, lever = mapped[TWIST, a], mapped[LEVER, a]
        way = XI if a < 12 else ETA
        by_p = -x * along + y * twist
        by_q = -y * along - x * twist
        if z != 0.0:
            by_p += z * mapped[ROLL, a]
            by_q += z * mapped[ROLL + 1, a]
        for b in range(24):
            s = by_p * mapped[P, b] + by_q * mapped[Q, b] + spun * mapped[SPIN, b]
            s += lever * mapped[NORMAL, b] + mapped[WAY, a] * mapped[way, b]
            data[slots[row, width * a + b]] += scale * s


@inline
def only_bow(one, x, sign, v):
    """The part of a first variation that acts on ``dd``."""
    _, _, first, second = variation(one, x, sign, v)
    return first, second


@routine
def add_rows(mapped, block, target, row, share, law, factor):
    """Columns of the tangential multipliers, and their rows."""
    slots, data, width = block.slots, target.data, block.rows.shape[1]
    for j in range(plain.N_MULTIPLIERS):
        weight = share[j]
        if weight == 0.0:
            continue
        n = 3 if j == 0 and spins(block, row) else 2
        for k in range(n):
            at = row_of(j, k)
            for b in range(24):
                push = weight * mapped[PUSH + k, b]
                data[slots[row, width * b + at]] -= push
                z = law[j, layout.BY_GAP + k] * mapped[NORMAL, b]
                for m in range(n):
                    z += law[j, 3 * k + m] * mapped[SLIP + m, b]
                data[slots[row, width * at + b]] += factor * weight * z
