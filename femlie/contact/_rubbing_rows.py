"""Sliding velocities of contacts as covectors, and what friction leaves for results.

The velocity with which the surface of the slave slides on that of the master, at their
common point, along both tangents: over local motions of four frames, weighted as gaps
are. A force along the tangents acts as these covectors say, so that action and reaction
are in balance in force and moment.
"""

from __future__ import annotations

import numpy as np

from .._jit import allocating_kernel, kernel, routine, rows_of, scratch
from ..lie import _kernels as lie
from . import _friction_layout as layout
from . import _layout as plain
from ._friction import N_VECTORS, PUSH, set_pushes, set_spin_push, sides_of
from ._kernel import observe_normal
from ._layout import POINT_WIDTH, n_points
from ._rows import is_wanted
from ._shape_friction import (
    carried_by,
    set_pushes_on_shape,
    set_spin_push_on_shape,
)
from ._shape_slip import choose_axis_at, directions_at, touching_shape
from ._shape_spots import is_shape
from ._slip import touching
from ._spin import spins
from ._spots import SPOT_ETA, SPOT_ROW, SPOT_SHAPE, SPOT_XI

# columns of what `observe_rubbing` is given of each multiplier: impulses along both
# tangents [N s], that of spin over its radius, way since the step began [m], spin times
# the radius, state
FIRST, SECOND, THIRD, WAY, SPUN, STATE = range(6)
N_COLUMNS = 6


@kernel
def choose_axes(motion, block, spots):
    """Choose what tangents are counted from, for the step that begins."""
    for i in range(block.codes.shape[0]):
        if block.codes[i, plain.FIRST] != i or block.iterates[i, plain.ROW] < 0.0:
            continue
        choose_axis_at(motion, block, i, spots[i, 0])


@routine
def set_tangents(mapped, motion, block, i, spot):
    """Covectors of the sliding velocity of one point along both tangents.

    And of its spin times the radius, where it resists that.
    """
    row, has_spin = int(spot[SPOT_ROW]), spins(block, i)
    radius = block.parameters[i, layout.SPIN_RADIUS]
    if is_shape(block.codes, i):
        slave, gap, tangents = touching_shape(motion, block, i, spot)
        carried = carried_by(block, row, slave)
        x = spot[SPOT_XI]
        set_pushes_on_shape(mapped, slave, x, gap[0], tangents, carried)
        if has_spin:
            set_spin_push_on_shape(mapped, slave, x, gap[1], carried, radius)
        return
    slave, master, normal, tangents = touching(motion, block, i, spot)
    sides = sides_of(block, row, slave, master)
    places = (spot[SPOT_XI], spot[SPOT_ETA])
    set_pushes(mapped, sides, places, tangents, normal[2])
    if has_spin:
        set_spin_push(mapped, sides, places, normal[0], radius)


@kernel
def find_tangents(motion, block, spots, columns, places, tangents):
    """Sliding velocities, added to the rows of each multiplier that is wanted.

    Parameters
    ----------
    columns : (n_frames, 6) int array
        Column of each direction of each frame; the last one takes what is locked.
    places : (n_multipliers,) int array
        Number of each multiplier among those wanted, -1 where it is not.
    tangents : (n_wanted, 2 or 3, n_columns) array
        With three, the last one is the spin about the normal times its radius, zero
        where nothing resists that.
    """
    codes, iterates = block.codes, block.iterates
    work = scratch(N_VECTORS * 24)
    mapped = rows_of(work, 0, N_VECTORS, 24)
    for i in range(codes.shape[0]):
        if codes[i, plain.FIRST] != i or not is_wanted(codes, places, i):
            continue
        for k in range(n_points(codes, i)):
            if iterates[i, POINT_WIDTH * k + plain.ROW] < 0.0:
                continue
            set_tangents(mapped, motion, block, i, spots[i, k])
            add_tangents(tangents, mapped, columns, places, block, i, k, spots[i, k])


@routine
def add_tangents(tangents, mapped, columns, places, block, i, k, spot):
    """Add the covectors of point k of the run that begins in row i."""
    row = int(spot[SPOT_ROW])
    for j in range(plain.N_MULTIPLIERS):
        number = block.codes[i, plain.MULTIPLIER + j]
        if number < 0 or places[number] < 0:
            continue
        weight = block.iterates[i, POINT_WIDTH * k + plain.WEIGHT + j]
        at = places[number]
        n = tangents.shape[1] if spins(block, i) else 2
        for m in range(24):
            column = columns[block.frames[row, m // 6], m % 6]
            for t in range(n):
                tangents[at, t, column] += weight * mapped[PUSH + t, m]


@routine
def share_of_point(share, friction, block, i, k):
    """Friction along both tangents of a point, its way and state."""
    for m in range(N_COLUMNS):
        share[m] = 0.0
    for j in range(plain.N_MULTIPLIERS):
        number = block.codes[i, plain.MULTIPLIER + j]
        if number < 0 or friction[number, STATE] == layout.OPEN:
            continue
        weight = block.iterates[i, POINT_WIDTH * k + plain.WEIGHT + j]
        for m in range(WAY):
            share[m] += weight * friction[number, m]
        for m in range(WAY, N_COLUMNS):
            share[m] = max(share[m], friction[number, m])


@routine
def add_point(output, share, motion, block, i, spot):
    """Friction of one point on both segments and their part."""
    codes = block.codes
    row = int(spot[SPOT_ROW])
    slave, master = codes[row, plain.SLAVE], codes[row, plain.MASTER]
    total = codes[row, plain.TOTAL]
    first, second = directions_at(motion, block, i, spot)
    force = lie.scale(share[FIRST], first)
    force = lie.add_scaled(force, share[SECOND], second)
    sign = 1.0 if codes[row, plain.IS_FIRST] != 0 else -1.0
    for m, factor in ((slave, 1.0), (master, -1.0), (total, sign)):
        for c in range(3):
            output[m, plain.FORCE + c] += factor * force[c]
            output[m, layout.FRICTION + c] += factor * force[c]
        output[m, layout.SLIP] = max(output[m, layout.SLIP], share[WAY])
        output[m, layout.STATE] = max(output[m, layout.STATE], share[STATE])
    if not spins(block, i):
        return
    radius = block.parameters[i, layout.SPIN_RADIUS]
    moment, spin = abs(share[THIRD]) * radius, share[SPUN] / radius
    for m in (slave, master, total):
        output[m, layout.SPIN_MOMENT] = max(output[m, layout.SPIN_MOMENT], moment)
        output[m, layout.SPIN_ANGLE] = max(output[m, layout.SPIN_ANGLE], spin)


@allocating_kernel
def observe_rubbing(motion, block, friction, output):
    """Impulses along normals and surfaces, ways and states of segments and parts.

    ``motion.multipliers`` are normal impulses, in units of gaps; ``friction`` has the
    columns of this module.
    """
    codes = block.codes
    spots = np.empty((codes.shape[0], *SPOT_SHAPE))
    gaps = np.zeros(motion.multipliers.shape[0])
    output[:, :] = 0.0
    observe_normal(spots, gaps, motion, block, output)
    share = scratch(N_COLUMNS)
    for i in range(codes.shape[0]):
        for j in range(plain.N_MULTIPLIERS):
            if codes[i, plain.OWNS + j] != 0:
                number = codes[i, plain.MULTIPLIER + j]
                x, y = friction[number, FIRST], friction[number, SECOND]
                total = codes[i, plain.TOTAL]
                output[total, layout.FRICTION_SUM] += (x * x + y * y) ** 0.5
        if codes[i, plain.FIRST] != i:
            continue
        for k in range(n_points(codes, i)):
            if block.iterates[i, POINT_WIDTH * k + plain.ROW] < 0.0:
                continue
            share_of_point(share, friction, block, i, k)
            if share[STATE] != layout.OPEN:
                add_point(output, share, motion, block, i, spots[i, k])
