"""Kernel of hard stops in statics: a force where a coordinate is at its limit.

A stop is a row like those of joints (see `_joint_kernel`), of the depth d by which the
coordinate is beyond the limit, with a multiplier f, the force that pushes back:

- shut, where ``f + r d > 0``: the row is ``d = 0``
- open: the row is ``f = 0``

with r small, so that signs decide: f where the stop was shut, d where it was open.
Newton's iteration on these rows is an active set method (Hintermueller, Ito, Kunisch
2002, eq. (2.4)).
"""

from __future__ import annotations

from .._jit import inline, kernel, routine, scratch
from . import _lanes as lanes
from ._joint_kernel import add_force, scatter_wrenches
from ._joint_rows import (
    COLUMN,
    ENTRIES,
    FIRST_MULTIPLIER,
    FORCES,
    HOLD,
    N_COORDINATES,
    N_SCRATCH,
    ROW_PARAMETERS,
    STIFFNESS,
    VALUE,
    VALUES,
    row_place,
    row_sum,
    set_coordinates,
    set_wrenches,
    survey,
)
from ._joint_tangent import (
    MATRIX,
    N_ROW_SCRATCH,
    ROW_SCRATCH,
    SIDE,
    add_bent_part,
    scatter_held,
    scatter_matrix,
    set_linear_part,
    set_row,
)
from ._lanes import LANES

# r over the stiffness of a row, by which only forces are measured in lengths
SOFT = 1e-6
# outputs: force on the child along the coordinate, depth
FORCE, DEPTH, N_OUTPUTS = 0, 1, 2


@inline
def depth_of(s, parameters, coordinates, i, k):
    """How far the coordinate is beyond the limit."""
    return row_sum(s, coordinates, VALUES, k) - parameters[i, ROW_PARAMETERS + VALUE]


@inline
def is_shut(parameters, i, force, depth):
    """Whether a stop bears a force, as far as the last iteration knows."""
    return force + SOFT * parameters[i, ROW_PARAMETERS + STIFFNESS] * depth > 0.0


@routine
def add_stops(s, motion, block, residual, coordinates, first, n):
    """Rows of stops, and their forces on the coordinates."""
    for k in range(n):
        i = first + k
        force = motion.multipliers[block.codes[i, FIRST_MULTIPLIER]]
        row = depth_of(s, block.parameters, coordinates, i, k)
        if not is_shut(block.parameters, i, force, row):
            row = -force / block.parameters[i, ROW_PARAMETERS + STIFFNESS]
        residual[block.rows[i, 12]] += row
        add_force(s, coordinates, k, force)


@routine
def add_switches(s, motion, block, data, coordinates, place, stiffness):
    """Rows and columns of the multipliers; what is open and bears nothing has none."""
    first, n = place
    width = block.rows.shape[1]
    for k in range(n):
        i = first + k
        force = motion.multipliers[block.codes[i, FIRST_MULTIPLIER]]
        depth = depth_of(s, block.parameters, coordinates, i, k)
        if is_shut(block.parameters, i, force, depth):
            continue
        for j in range(SIDE):
            lanes.put(s, ENTRIES + j, k, 0.0)
            if force == 0.0:
                lanes.put(s, COLUMN + j, k, 0.0)
        at = int(block.slots[i, 12 * width + 12])
        data[at] -= stiffness / block.parameters[i, ROW_PARAMETERS + STIFFNESS]
    scatter_held(s, data, block.slots, first, n, width, 0)


@kernel
def evaluate(motion, block, target, level, mass, damping, stiffness):
    """Residual and tangent of all stops (see the head of this file)."""
    codes = block.codes
    s = scratch((ROW_SCRATCH + N_ROW_SCRATCH) * LANES)
    for first in range(0, codes.shape[0], LANES):
        n = min(LANES, codes.shape[0] - first)
        found = survey(codes, first, HOLD)
        has_angle = found[0]
        coordinates = row_place(codes, block.parameters, first, 0)
        set_coordinates(s, motion, block, first, n, 1 if has_angle else 0, found)
        add_stops(s, motion, block, target.residual, coordinates, first, n)
        set_wrenches(s, 0.0)
        scatter_wrenches(s, block.rows, target.residual, target.scales, first, n)
        if stiffness == 0.0:
            continue
        if has_angle:
            lanes.clear(s, MATRIX, SIDE * SIDE)
        set_linear_part(s, stiffness)
        if has_angle:
            add_bent_part(s, has_angle, found[1], stiffness)
        lanes.clear(s, FORCES, N_COORDINATES)
        set_row(s, coordinates, stiffness)
        width = block.rows.shape[1]
        add_switches(s, motion, block, target.data, coordinates, (first, n), stiffness)
        scatter_matrix(s, target.data, block.slots, first, n, width, has_angle)


@kernel
def observe(motion, block, output, energies):
    """Force on the child, and depth."""
    codes = block.codes
    s = scratch(N_SCRATCH * LANES)
    for first in range(0, codes.shape[0], LANES):
        n = min(LANES, codes.shape[0] - first)
        found = survey(codes, first, HOLD)
        coordinates = row_place(codes, block.parameters, first, 0)
        set_coordinates(s, motion, block, first, n, 1, found)
        for k in range(n):
            i = first + k
            force = motion.multipliers[codes[i, FIRST_MULTIPLIER]]
            output[i, FORCE] = -coordinates[2] * force
            output[i, DEPTH] = depth_of(s, block.parameters, coordinates, i, k)


@kernel
def evaluate_nothing(motion, block, target, level, mass, damping, stiffness):
    """What stands for recorded stops adds nothing to the equations."""


@kernel
def observe_recorded(motion, block, output, energies):
    """Hand on what a method with impacts has put down for the results."""
    for i in range(output.shape[0]):
        for k in range(N_OUTPUTS):
            output[i, k] = block.parameters[i, k]
