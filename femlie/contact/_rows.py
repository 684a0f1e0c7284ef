"""Gaps of contacts and their gradients, for methods that keep no contact matrix.

The gradient of a gap is a covector over local motions of four frames: both ends of the
segment that bears the multiplier, then both of the other one (see `_gap`). A rigid
shape has one frame, the third.
"""

from __future__ import annotations

from .._jit import kernel, routine, rows_of, scratch
from ..lie import _kernels as lie
from . import _layout as layout
from ._gap import ALONG, N_VECTORS, maps_of, pull, variation
from ._layout import POINT_WIDTH, n_points
from ._segments import origin_of, point_on, segment
from ._shape_forces import set_gradient
from ._shape_spots import is_shape
from ._spots import SPOT_ETA, SPOT_ROW, SPOT_XI, find_spots


@kernel
def find_gaps(motion, block, spots, gaps):
    """Points of contact, weighted gaps added to ``gaps``; whether rods have passed."""
    return find_spots(spots, gaps, motion, block)


@routine
def set_rod_gradient(mapped, poses, block, row, xi, eta):
    """The gradient of the gap of a point between two segments."""
    parameters = block.parameters
    origin = origin_of(poses, block.frames[row, 0])
    slave = segment(poses, block, row, 0, origin)
    master = segment(poses, block, row, 1, origin)
    has_offsets = block.codes[row, layout.HAS_OFFSETS] != 0
    n = lie.subtract(point_on(slave, xi), point_on(master, eta))
    n = lie.scale(1.0 / lie.norm(n), n)
    maps = maps_of(slave, parameters, row, layout.SLAVE_OFFSETS, has_offsets)
    pull(mapped, ALONG, 0, maps, variation(slave, xi, 1.0, n), has_offsets)
    maps = maps_of(master, parameters, row, layout.MASTER_OFFSETS, has_offsets)
    pull(mapped, ALONG, 12, maps, variation(master, eta, -1.0, n), has_offsets)


@routine
def add_row(gradients, mapped, columns, places, block, i, k, row):
    """Add the gradient of point k of the run that begins in row i."""
    for j in range(layout.N_MULTIPLIERS):
        number = block.codes[i, layout.MULTIPLIER + j]
        if number < 0 or places[number] < 0:
            continue
        weight = block.iterates[i, POINT_WIDTH * k + layout.WEIGHT + j]
        at = places[number]
        for m in range(24):
            column = columns[block.frames[row, m // 6], m % 6]
            gradients[at, column] += weight * mapped[ALONG, m]


@routine
def is_wanted(codes, places, i):
    """Whether a multiplier of the run that begins in row i is asked for."""
    for j in range(layout.N_MULTIPLIERS):
        number = codes[i, layout.MULTIPLIER + j]
        if number >= 0 and places[number] >= 0:
            return True
    return False


@kernel
def find_gradients(motion, block, spots, columns, places, gradients):
    """Gradients of weighted gaps, added to one row for each multiplier that is wanted.

    Parameters
    ----------
    columns : (n_frames, 6) int array
        Column of each direction of each frame; the last one takes what is locked.
    places : (n_multipliers,) int array
        Row of each multiplier, -1 where it is not wanted.
    gradients : (n_wanted, n_columns) array
    """
    codes = block.codes
    work = scratch(N_VECTORS * 24)
    mapped = rows_of(work, 0, N_VECTORS, 24)
    for i in range(codes.shape[0]):
        if codes[i, layout.FIRST] != i or not is_wanted(codes, places, i):
            continue
        for k in range(n_points(codes, i)):
            if block.iterates[i, POINT_WIDTH * k + layout.ROW] < 0.0:
                continue
            row = int(spots[i, k, SPOT_ROW])
            xi, eta = spots[i, k, SPOT_XI], spots[i, k, SPOT_ETA]
            if is_shape(codes, row):
                set_gradient(mapped, motion.poses, block, row, xi)
            else:
                set_rod_gradient(mapped, motion.poses, block, row, xi, eta)
            add_row(gradients, mapped, columns, places, block, i, k, row)


@kernel
def evaluate_nothing(motion, block, target, level, mass, damping, stiffness):
    """What stands for recorded contacts adds nothing to the equations."""


@kernel
def evaluate_wrenches(motion, block, target, level, mass, damping, stiffness):
    """Mean wrenches of contacts on frames, while a row of results is taken."""
    for i in range(block.rows.shape[0]):
        for j in range(6):
            target.residual[block.rows[i, j]] -= block.parameters[i, j]


@kernel
def observe_no_wrenches(motion, block, output, energies):
    """They are in what is recorded of contacts."""


@kernel
def observe_recorded(motion, block, output, energies):
    """Hand on what a method with impacts has put down for the results."""
    for i in range(output.shape[0]):
        for k in range(output.shape[1]):
            output[i, k] = block.parameters[i, k]
