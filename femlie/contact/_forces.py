"""Rows of contact multipliers, and the forces of points with their stiffness."""

from __future__ import annotations

from typing import Any, NamedTuple

from .._jit import inline, routine
from ..elements._scatter import load3
from ..elements.base import FORCE_FLOOR, GAP_FLOOR
from ..lie import _kernels as lie
from . import _layout as layout
from ._closest import IS_FREE
from ._gap import (
    ACROSS,
    MASTER_SLOPE,
    SLAVE_SLOPE,
    TANGENT,
    add3,
    add9,
    bends_of,
    load9,
    maps_of,
    pull,
    set_curvature,
    slope,
    to_nodes,
    two_across,
    variation,
)
from ._layout import POINT_WIDTH, n_points
from ._segments import place_on, rounding_of
from ._spots import (
    HELD_MASTER,
    HELD_SLAVE,
    SPOT_ETA,
    SPOT_GAP,
    SPOT_NORMAL,
    SPOT_ROW,
    SPOT_XI,
    kept_segments,
)


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
            floor = rounding_of(motion.poses, block, i) / unit
            target.scales[GAP_FLOOR] = max(target.scales[GAP_FLOOR], floor)
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


class Work(NamedTuple):
    """Scratch arrays of the points of one row.

    Points add what they do over reduced coordinates; it is taken to the nodes once.
    """

    share: Any  # (3,) force of a point, its weights in gaps of one unit
    gathered: Any  # (3, 24) forces, then columns of both multipliers, reduced
    bends: Any  # (2, 54) second derivatives of both sides, reduced
    stiffness: Any  # (24, 24) the rest of the stiffness, of nodes
    mapped: Any  # (N_VECTORS, 24) vectors over motions of nodes
    curves: Any  # (24, 12)


@inline
def set_share(share, forces, block, i, k):
    """Force of point k and its weights in gaps of one unit; whether it bears any."""
    codes, iterates = block.codes, block.iterates
    at = POINT_WIDTH * k
    if iterates[i, at + layout.ROW] < 0.0:
        return False
    bears = False
    share[0] = 0.0
    for j in range(layout.N_MULTIPLIERS):
        share[1 + j] = 0.0
        number = codes[i, layout.MULTIPLIER + j]
        if number >= 0 and forces[number] != 0.0:
            weight = iterates[i, at + layout.WEIGHT + j]
            share[0] += forces[number] * weight
            share[1 + j] = weight / block.parameters[i, layout.UNIT]
            bears = True
    return bears


@inline
def gather(gathered, k, at, weight, vector):
    """Add a multiple of a vector over the reduced coordinates of one side."""
    add3(gathered, k, at, weight, vector[0])
    add3(gathered, k, at + 3, weight, vector[1])
    add3(gathered, k, at + 6, weight, vector[2])
    add3(gathered, k, at + 9, weight, vector[3])


@inline
def gathered_vector(gathered, k, at):
    return (
        load3(gathered, k, at),
        load3(gathered, k, at + 3),
        load3(gathered, k, at + 6),
        load3(gathered, k, at + 9),
    )


@inline
def gather_bends(bends, side, weight, blocks):
    add9(bends, side, 0, weight, blocks[0])
    add9(bends, side, 9, weight, blocks[1])
    add9(bends, side, 18, weight, blocks[2])
    add9(bends, side, 27, weight, blocks[3])
    add9(bends, side, 36, weight, blocks[4])
    add9(bends, side, 45, weight, blocks[5])


@inline
def gathered_bends(bends, side):
    return (
        load9(bends, side, 0),
        load9(bends, side, 9),
        load9(bends, side, 18),
        load9(bends, side, 27),
        load9(bends, side, 36),
        load9(bends, side, 45),
    )


@inline
def clear(work, wants_tangent):
    for k in range(3 if wants_tangent else 1):
        for j in range(24):
            work.gathered[k, j] = 0.0
    if wants_tangent:
        for k in range(2):
            for j in range(54):
                work.bends[k, j] = 0.0
        for k in range(24):
            for j in range(24):
                work.stiffness[k, j] = 0.0


@inline
def add_row(work, spots, forces, motion, block, target, i, k, factor):
    """Forces of points k and on that are on one row, and ``factor`` of the tangent.

    The run begins in row i. Returns the first point that is not on that row.
    """
    row = int(spots[i, k, SPOT_ROW])
    parameters = block.parameters
    pair = kept_segments(spots, row)
    has_offsets = block.codes[row, layout.HAS_OFFSETS] != 0
    maps = (
        maps_of(pair[0], parameters, row, layout.SLAVE_OFFSETS, has_offsets),
        maps_of(pair[1], parameters, row, layout.MASTER_OFFSETS, has_offsets),
    )
    clear(work, factor != 0.0)
    is_stiff = False
    turned = 0.0
    n = n_points(block.codes, i)
    while k < n:
        if set_share(work.share, forces, block, i, k):
            if int(spots[i, k, SPOT_ROW]) != row:
                break
            gather_point(work, pair, maps, spots[i, k], factor, has_offsets)
            size = abs(work.share[0])
            target.scales[0] += 2.0 * size
            distance = spots[i, k, SPOT_GAP] + parameters[row, layout.RADII]
            turned = max(turned, size / max(distance, 1e-300))
            is_stiff = is_stiff or abs(work.share[0]) >= layout.NO_FORCE
        k += 1
    # normals turn by the rounding of places over the distance
    turned *= rounding_of(motion.poses, block, row)
    target.scales[FORCE_FLOOR] = max(target.scales[FORCE_FLOOR], turned)
    for one in range(3 if factor != 0.0 else 1):
        for side in range(2):
            vector = gathered_vector(work.gathered, one, 12 * side)
            pull(work.mapped, one, 12 * side, maps[side], vector, has_offsets)
    for j in range(24):
        target.residual[block.rows[row, j]] -= work.mapped[0, j]
    if factor != 0.0:
        add_columns(work, forces, block, target, row, factor)
        if is_stiff:
            add_stiffness(work, pair, maps, block, target, row, factor, has_offsets)
    return k


@inline
def gather_point(work, pair, maps, spot, factor, has_offsets):
    """Add what one point does, to both sides."""
    share, force = work.share, work.share[0]
    xi, eta = spot[SPOT_XI], spot[SPOT_ETA]
    n = (spot[SPOT_NORMAL], spot[SPOT_NORMAL + 1], spot[SPOT_NORMAL + 2])
    own, opposite = variation(pair[0], xi, 1.0, n), variation(pair[1], eta, -1.0, n)
    for k in range(3 if factor != 0.0 else 1):
        gather(work.gathered, k, 0, share[k], own)
        gather(work.gathered, k, 12, share[k], opposite)
    if factor == 0.0 or abs(force) < layout.NO_FORCE:
        return
    gather_bends(work.bends, 0, force, bends_of(pair[0], xi, 1.0, n))
    gather_bends(work.bends, 1, force, bends_of(pair[1], eta, -1.0, n))
    mapped = work.mapped
    a, b, c = set_across(mapped, pair[0], pair[1], xi, eta, maps, has_offsets)
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
        across, tangent = force * mapped[ACROSS, row], force * mapped[TANGENT, row]
        f = xx * mapped[SLAVE_SLOPE, row] + xy * mapped[MASTER_SLOPE, row]
        g = xy * mapped[SLAVE_SLOPE, row] + yy * mapped[MASTER_SLOPE, row]
        f, g = force * f, force * g
        for column in range(24):
            x = across * mapped[ACROSS, column] + tangent * mapped[TANGENT, column]
            x -= f * mapped[SLAVE_SLOPE, column] + g * mapped[MASTER_SLOPE, column]
            work.stiffness[row, column] += x


@inline
def add_columns(work, forces, block, target, row, factor):
    """Columns of the multipliers that are active, and their rows."""
    slots, data, width = block.slots, target.data, block.rows.shape[1]
    for m in range(layout.N_MULTIPLIERS):
        number = block.codes[row, layout.MULTIPLIER + m]
        if number < 0 or forces[number] == 0.0:
            continue
        for j in range(24):
            x = work.mapped[1 + m, j]
            data[slots[row, width * j + 24 + m]] -= x
            data[slots[row, width * (24 + m) + j]] -= factor * x


@inline
def add_stiffness(work, pair, maps, block, target, row, factor, has_offsets):
    """Take the second derivatives to the nodes, and all to the matrix."""
    out = work.curves[0:12]
    for side in range(2):
        at = 12 * side
        covector = gathered_vector(work.gathered, 0, at)
        bends = gathered_bends(work.bends, side)
        set_curvature(out, pair[side], bends, maps[side], (covector[2], covector[3]))
        if has_offsets:
            to_nodes(out, work.curves[12:24], maps[side])
        for j in range(12):
            for k in range(12):
                work.stiffness[at + j, at + k] += out[j, k]
    slots, data, width = block.slots, target.data, block.rows.shape[1]
    for j in range(24):
        for k in range(24):
            data[slots[row, width * j + k]] -= factor * work.stiffness[j, k]


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
