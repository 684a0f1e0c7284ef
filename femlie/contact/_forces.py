"""Rows of contact multipliers, and the forces of points with their stiffness."""

from __future__ import annotations

from .._jit import inline, routine
from ..elements._scatter import load3
from ..lie import _kernels as lie
from . import _layout as layout
from ._closest import IS_FREE
from ._gap import (
    ACROSS,
    ALONG,
    MASTER_SLOPE,
    N_VECTORS,
    SLAVE_SLOPE,
    TANGENT,
    map_curvature,
    map_vector,
    set_curvature,
    set_gradient,
    set_map,
    set_variations,
)
from ._layout import WIDTH
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
            slot = block.slots[i, (WIDTH + 1) * (24 + j)]
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
def add_spot(vectors, mapped, curves, motion, block, target, spot, share, factor):
    """Forces of one point, its columns, and the stiffness of ``share[0]``.

    ``share``: force, then the weights of both multipliers in gaps of one unit.
    """
    i = int(spot[SPOT_ROW])
    xi, eta = spot[SPOT_XI], spot[SPOT_ETA]
    origin = origin_of(motion.poses, block.frames[i, 0])
    slave = segment(motion.poses, block, i, 0, origin)
    master = segment(motion.poses, block, i, 1, origin)
    has_offsets = block.codes[i, layout.HAS_OFFSETS] != 0
    force = share[0]
    z, zz = curves[0:18], curves[18:36]
    set_map(z, slave, block.parameters, i, layout.SLAVE_OFFSETS, has_offsets)
    set_map(zz, master, block.parameters, i, layout.MASTER_OFFSETS, has_offsets)
    needs_curves = factor != 0.0 and force != 0.0
    a, b, c = 1.0, 0.0, 1.0
    distance = 1.0
    last = ALONG + 1
    if needs_curves:
        last = N_VECTORS
        distance, a, b, c = set_variations(vectors, slave, master, xi, eta)
    else:
        set_gradient(vectors, slave, master, xi, eta)
    for k in range(last):
        map_vector(mapped, k, 0, z, vectors)
        map_vector(mapped, k, 12, zz, vectors)
    for j in range(24):
        target.residual[block.rows[i, j]] -= force * mapped[ALONG, j]
    target.scales[0] += 2.0 * abs(force)
    slots, data = block.slots, target.data
    for m in range(layout.N_MULTIPLIERS):
        weight = share[1 + m]
        if factor != 0.0 and weight != 0.0:
            for j in range(24):
                x = weight * mapped[ALONG, j]
                data[slots[i, WIDTH * j + 24 + m]] -= x
                data[slots[i, WIDTH * (24 + m) + j]] -= factor * x
    if not needs_curves:
        return
    scale = -force * factor
    n = lie.subtract(place_on(slave, xi)[0], place_on(master, eta)[0])
    n = lie.scale(1.0 / distance, n)
    matrix, out, work = curves[36:48], curves[48:60], curves[60:72]
    for side in range(2):
        sign = 1.0 - 2.0 * side
        one = slave if side == 0 else master
        set_curvature(matrix, sign, one, xi if side == 0 else eta, n)
        covector = (
            load3(vectors, ALONG, 12 * side + 6),
            load3(vectors, ALONG, 12 * side + 9),
        )
        map_curvature(
            out, matrix, z if side == 0 else zz, covector, (one[2], one[3]), work
        )
        for row in range(12):
            for column in range(12):
                at = WIDTH * (12 * side + row) + 12 * side + column
                data[slots[i, at]] += scale * out[row, column]
    free_slave = spot[HELD_SLAVE] == IS_FREE
    free_master = spot[HELD_MASTER] == IS_FREE
    xx = xy = yy = 0.0
    if free_slave and free_master:
        size = a * c - b * b
        xx, xy, yy = c / size, -b / size, a / size
    elif free_slave:
        xx = 1.0 / a
    elif free_master:
        yy = 1.0 / c
    for row in range(24):
        across = mapped[ACROSS, row] / distance
        tangent = mapped[TANGENT, row] / distance
        f = xx * mapped[SLAVE_SLOPE, row] + xy * mapped[MASTER_SLOPE, row]
        g = xy * mapped[SLAVE_SLOPE, row] + yy * mapped[MASTER_SLOPE, row]
        for column in range(24):
            x = across * mapped[ACROSS, column] + tangent * mapped[TANGENT, column]
            x -= f * mapped[SLAVE_SLOPE, column] + g * mapped[MASTER_SLOPE, column]
            data[slots[i, WIDTH * row + column]] += scale * x
