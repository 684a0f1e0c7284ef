"""Rows of contact multipliers, and the forces of points with their stiffness."""

from __future__ import annotations

from .._jit import inline, routine
from ..lie import _kernels as lie
from . import _layout as layout
from ._closest import IS_FREE
from ._gap import (
    ACROSS,
    ALONG,
    MASTER_SLOPE,
    SLAVE_SLOPE,
    TANGENT,
    maps_of,
    pull,
    set_curvature,
    slope,
    to_nodes,
    two_across,
    variation,
)
from ._segments import origin_of, place_on, segment
from ._spots import HELD_MASTER, HELD_SLAVE, SPOT_ETA, SPOT_ROW, SPOT_XI


@inline
def penalty_of(parameters, i, j, stage):
    """Stiffness of a stage in units of multiplier and gap."""
    factor = layout.LAST
    if stage > 0.0:
        factor = layout.SOFTEST * layout.STEP_UP ** (layout.ROUNDS - stage)
    return factor * parameters[i, layout.PENALTY + j]


@routine
def add_multiplier_rows(forces, gaps, motion, block, target, wants_tangent):
    """Rows of all multipliers; forces of those that are active, else zero."""
    codes, parameters = block.codes, block.parameters
    stage = motion.time[layout.STAGE]
    for i in range(codes.shape[0]):
        for j in range(layout.N_MULTIPLIERS):
            if codes[i, layout.OWNS + j] == 0:
                continue
            number = codes[i, layout.MULTIPLIER + j]
            value = motion.multipliers[number]
            unit = parameters[i, layout.UNIT]
            gap = gaps[number] / unit
            c = penalty_of(parameters, i, j, stage)
            old = block.iterates[i, layout.OLD + j]
            is_held = c == 0.0 or block.iterates[i, layout.SIZE + j] == 0.0
            c = max(c, 1e-300)
            if stage > 0.0:
                is_active = old - c * gap > -c * layout.TOUCHING
            else:
                is_active = value - c * gap > 0.0
            row = block.rows[i, 24 + j]
            slot = block.slots[i, (block.rows.shape[1] + 1) * (24 + j)]
            if is_held or stage == layout.OFF:
                c = c if c > 1e-300 else 1.0
                is_active = False
            forces[number] = 0.0
            if not is_active:
                target.residual[row] -= value / c
                diagonal = -1.0 / c
            else:
                forces[number] = value / unit
                diagonal = 0.0
                target.residual[row] -= gap
                if stage > 0.0:
                    target.residual[row] -= (value - old) / c
                    diagonal = -1.0 / c
            if forces[number] == 0.0 and is_active:
                # a force of zero still has its columns
                forces[number] = 1e-300
            if wants_tangent:
                target.data[slot] += diagonal


@routine
def add_spot(mapped, curves, motion, block, target, spot, share, factor):
    """Forces of one point, its columns, and the stiffness of ``share[0]``.

    ``share``: force, then the weights of both multipliers in gaps of one unit.
    """
    i = int(spot[SPOT_ROW])
    xi, eta = spot[SPOT_XI], spot[SPOT_ETA]
    origin = origin_of(motion.poses, block.frames[i, 0])
    slave = segment(motion.poses, block, i, 0, origin)
    master = segment(motion.poses, block, i, 1, origin)
    has_offsets = block.codes[i, layout.HAS_OFFSETS] != 0
    parameters = block.parameters
    maps = maps_of(slave, parameters, i, layout.SLAVE_OFFSETS, has_offsets)
    others = maps_of(master, parameters, i, layout.MASTER_OFFSETS, has_offsets)
    # the normal of the spot is seen from the first slave of a point contact
    n = lie.subtract(place_on(slave, xi)[0], place_on(master, eta)[0])
    n = lie.scale(1.0 / lie.norm(n), n)
    own, opposite = variation(slave, xi, 1.0, n), variation(master, eta, -1.0, n)
    pull(mapped, ALONG, 0, maps, own, has_offsets)
    pull(mapped, ALONG, 12, others, opposite, has_offsets)
    force = share[0]
    for j in range(24):
        target.residual[block.rows[i, j]] -= force * mapped[ALONG, j]
    target.scales[0] += 2.0 * abs(force)
    if factor == 0.0:
        return
    slots, data, width = block.slots, target.data, block.rows.shape[1]
    for m in range(layout.N_MULTIPLIERS):
        weight = share[1 + m]
        if weight != 0.0:
            for j in range(24):
                x = weight * mapped[ALONG, j]
                data[slots[i, width * j + 24 + m]] -= x
                data[slots[i, width * (24 + m) + j]] -= factor * x
    if abs(force) < layout.NO_FORCE:
        return
    scale = -force * factor
    out, work = curves[0:12], curves[12:24]
    for side in range(2):
        one, x, sign = (slave, xi, 1.0) if side == 0 else (master, eta, -1.0)
        vector = own if side == 0 else opposite
        map_ = maps if side == 0 else others
        set_curvature(out, one, x, sign, n, map_, (vector[2], vector[3]))
        if has_offsets:
            to_nodes(out, work, map_)
        for row in range(12):
            at = width * (12 * side + row) + 12 * side
            for column in range(12):
                data[slots[i, at + column]] += scale * out[row, column]
    a, b, c = set_across(mapped, slave, master, xi, eta, (maps, others), has_offsets)
    free_slave = spot[HELD_SLAVE] == IS_FREE
    free_master = spot[HELD_MASTER] == IS_FREE
    xx = xy = yy = 0.0
    if free_slave and free_master:
        size = a * c - b * b
        # parallel edges of bodies bear no force, but their rows are asked for
        if size != 0.0:
            xx, xy, yy = c / size, -b / size, a / size
    elif free_slave:
        xx = 1.0 / a
    elif free_master:
        yy = 1.0 / c
    for row in range(24):
        across, tangent = mapped[ACROSS, row], mapped[TANGENT, row]
        f = xx * mapped[SLAVE_SLOPE, row] + xy * mapped[MASTER_SLOPE, row]
        g = xy * mapped[SLAVE_SLOPE, row] + yy * mapped[MASTER_SLOPE, row]
        for column in range(24):
            x = across * mapped[ACROSS, column] + tangent * mapped[TANGENT, column]
            x -= f * mapped[SLAVE_SLOPE, column] + g * mapped[MASTER_SLOPE, column]
            data[slots[i, width * row + column]] += scale * x


@routine
def set_across(mapped, slave, master, xi, eta, maps, has_offsets):
    """Variations across the normal over the root of the distance, and of the slopes.

    Second derivatives of the distance in both places are returned.
    """
    p, s, bend = place_on(slave, xi)
    q, t, curve = place_on(master, eta)
    r = lie.subtract(p, q)
    distance = lie.norm(r)
    n = lie.scale(1.0 / distance, r)
    first, second = two_across(n)
    first = lie.scale(1.0 / distance**0.5, first)
    second = lie.scale(1.0 / distance**0.5, second)
    for k, across in ((ACROSS, first), (TANGENT, second)):
        pull(mapped, k, 0, maps[0], variation(slave, xi, 1.0, across), has_offsets)
        other = variation(master, eta, -1.0, across)
        pull(mapped, k, 12, maps[1], other, has_offsets)
    own, other = slope(slave, xi, 1.0, n), slope(master, eta, -1.0, n)
    pull(mapped, SLAVE_SLOPE, 0, maps[0], own, has_offsets)
    pull(mapped, MASTER_SLOPE, 12, maps[1], other, has_offsets)
    for j in range(12):
        mapped[SLAVE_SLOPE, 12 + j] = 0.0
        mapped[MASTER_SLOPE, j] = 0.0
    s1, s2 = lie.dot(s, first), lie.dot(s, second)
    t1, t2 = lie.dot(t, first), lie.dot(t, second)
    for k in range(24):
        x, y = mapped[ACROSS, k], mapped[TANGENT, k]
        mapped[SLAVE_SLOPE, k] += s1 * x + s2 * y
        mapped[MASTER_SLOPE, k] -= t1 * x + t2 * y
    return (
        lie.dot(n, bend) + s1 * s1 + s2 * s2,
        -(s1 * t1 + s2 * t2),
        t1 * t1 + t2 * t2 - lie.dot(n, curve),
    )
