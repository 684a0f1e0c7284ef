"""Kernels of frictionless contact between beams with multipliers.

Each multiplier j has a weighted mean gap ``g_j = sum_p W_pj g(p)`` over points of
integration, a force ``F_j`` on the slave, and in units of a length l the unknown
``F_j l`` and the gap ``g_j / l``. With a stiffness ``c`` and ``s_j = F_j - c g_j``:

- frames: ``-F_j dg_j`` where s_j > 0
- row of j: ``-g_j`` where s_j > 0, else ``-F_j / c``
- rounds of penalty: ``-g_j - (F_j - F_j,old) / c`` where ``F_j,old - c g_j > 0``

An augmented Lagrangian with a semismooth Newton method (Alart and Curnier 1991): the
converged answer does not depend on c. The penalty is written with the multiplier as an
unknown of its own, so that all stages have one tangent.

Line contact: W are dual shape functions (Wohlmuth 2000) of the slave, integrated where
the closest point lies on the master (Bosten et al. 2021). Point contact: W = 1.
"""

from __future__ import annotations

import numpy as np

from .._jit import allocating_kernel, routine, rows_of, scratch
from ..elements.base import ACCEPT, EVENT, MOVE, NEXT_STAGE
from ..lie import _kernels as lie
from . import _layout as layout
from ._closest import clip
from ._forces import Work, add_multiplier_rows, add_row, set_share
from ._gap import N_VECTORS
from ._layout import POINT_WIDTH, is_line, n_points
from ._segments import origin_of
from ._settling import settle_all
from ._shape_forces import add_shape_spot
from ._shape_spots import is_shape
from ._spots import (
    SPOT_ETA,
    SPOT_GAP,
    SPOT_NORMAL,
    SPOT_ROW,
    SPOT_SHAPE,
    SPOT_XI,
    find_all_of,
    find_spots,
)


@routine
def add_forces(spots, forces, motion, block, target, factor):
    """Forces of all points whose multipliers are active, and ``factor`` of the tangent.

    Column j of a point stands for its multiplier j.
    """
    codes = block.codes
    work = Work(
        scratch(1 + layout.N_MULTIPLIERS),
        rows_of(scratch(3 * 24), 0, 3, 24),
        rows_of(scratch(2 * 54), 0, 2, 54),
        rows_of(scratch(24 * 24), 0, 24, 24),
        rows_of(scratch(N_VECTORS * 24), 0, N_VECTORS, 24),
        rows_of(scratch(24 * 12), 0, 24, 12),
    )
    for i in range(codes.shape[0]):
        if codes[i, layout.FIRST] != i:
            continue
        k = 0
        while k < n_points(codes, i):
            if not set_share(work.share, forces, block, i, k):
                k += 1
            elif is_shape(codes, i):
                add_shape_spot(
                    work.mapped, work.curves, motion, block, target, spots[i, k],
                    work.share, factor,
                )  # fmt: skip
                k += 1
            else:
                k = add_row(
                    work, spots, forces, motion, block, target, i, k, factor
                )  # fmt: skip


@routine
def add_weak_springs(block, target):
    """Stiffness of bodies in directions that only contact holds, in the matrix alone.

    What is in balance does not feel it; without it rounding would be all that there is.
    """
    parameters, slots = block.parameters, block.slots
    width = block.rows.shape[1]
    for i in range(block.codes.shape[0]):
        if parameters[i, layout.WEAK] == 0.0:
            continue
        for side in range(2):
            for j in range(6):
                weak = parameters[i, layout.WEAK + (1 if j > 2 else 0)]
                row = 12 * side + j
                target.data[slots[i, (width + 1) * row]] += weak


@allocating_kernel
def evaluate(motion, block, target, level, mass, damping, stiffness):
    """Residual and tangent (see the head of this file)."""
    n = block.codes.shape[0]
    if n == 0:
        return
    wants_tangent = mass != 0.0 or damping != 0.0 or stiffness != 0.0
    is_off = motion.time[layout.STAGE] == layout.OFF
    # as long as there are contacts: the stack has no room for them
    spots = np.empty((n, *SPOT_SHAPE))
    gaps = np.zeros(motion.multipliers.shape[0])
    forces = np.zeros(motion.multipliers.shape[0])
    if not is_off:
        event = find_spots(spots, gaps, motion, block)
        target.scales[EVENT] = max(target.scales[EVENT], event)
    add_multiplier_rows(forces, gaps, motion, block, target, wants_tangent)
    if wants_tangent:
        add_weak_springs(block, target)
    if not is_off:
        factor = stiffness if wants_tangent else 0.0
        add_forces(spots, forces, motion, block, target, factor)


@allocating_kernel
def carry(motion, block, moves, fraction, mode):
    """Where points are on the masters: chosen at the start of a step, then followed."""
    codes = block.codes
    if mode == ACCEPT:
        return
    if mode != MOVE:
        sizes = np.zeros(motion.multipliers.shape[0])
        settle_all(motion, block, mode == NEXT_STAGE, sizes)
        return
    spots = np.empty((codes.shape[0], *SPOT_SHAPE))
    follow(spots, motion, block)


@routine
def follow(spots, motion, block):
    """Keep where points are on the masters."""
    codes, iterates = block.codes, block.iterates
    for i in range(codes.shape[0]):
        if codes[i, layout.FIRST] != i:
            continue
        find_all_of(spots, motion, block, i)
        for k in range(n_points(codes, i)):
            at = POINT_WIDTH * k
            if iterates[i, at + layout.ROW] < 0.0:
                continue
            iterates[i, at + layout.ROW] = spots[i, k, SPOT_ROW]
            iterates[i, at + layout.ETA] = spots[i, k, SPOT_ETA]
            if not is_line(codes, i):
                iterates[i, layout.XI] = spots[i, k, SPOT_XI]


@routine
def observe_spot(output, motion, block, i, spot, force):
    """Forces, and how close it is, of one point on both segments and their part."""
    codes, parameters = block.codes, block.parameters
    row = int(spot[SPOT_ROW])
    slave, master = codes[row, layout.SLAVE], codes[row, layout.MASTER]
    total = codes[row, layout.TOTAL]
    close = parameters[row, layout.REACH] - spot[SPOT_GAP]
    for m in (slave, master, total):
        output[m, layout.CLOSENESS] = max(output[m, layout.CLOSENESS], close)
    if force == 0.0:
        return
    q = origin_of(motion.poses, block.frames[i, 0])[1]
    n = lie.quaternion_rotate(
        q, (spot[SPOT_NORMAL], spot[SPOT_NORMAL + 1], spot[SPOT_NORMAL + 2])
    )
    sign = 1.0 if codes[row, layout.IS_FIRST] != 0 else -1.0
    for k in range(3):
        output[slave, layout.FORCE + k] += force * n[k]
        output[master, layout.FORCE + k] -= force * n[k]
        output[total, layout.FORCE + k] += sign * force * n[k]
    output[total, layout.FORCE_SUM] += force
    # places may lie a little beyond the ends
    eta = clip(spot[SPOT_ETA], 0.0, 1.0)
    half = 0.5 * parameters[row, layout.MASTER_LENGTH]
    if half > 0.0:
        output[master, layout.PRESSURE] += force * (1.0 - eta) / half
        output[master, layout.PRESSURE + 1] += force * eta / half
    if not is_line(codes, i):
        xi = clip(spot[SPOT_XI], 0.0, 1.0)
        half = 0.5 * parameters[row, layout.LENGTH]
        if half > 0.0:
            output[slave, layout.PRESSURE] += force * (1.0 - xi) / half
            output[slave, layout.PRESSURE + 1] += force * xi / half


@allocating_kernel
def observe(motion, block, output, energies):
    """Forces and pressures of segments, and sums of contact parts."""
    output[:, :] = 0.0
    spots = np.empty((block.codes.shape[0], *SPOT_SHAPE))
    gaps = np.zeros(motion.multipliers.shape[0])
    observe_normal(spots, gaps, motion, block, output)


@routine
def observe_normal(spots, gaps, motion, block, output):
    """What acts along the normals; points and weighted gaps are left behind."""
    codes, iterates = block.codes, block.iterates
    find_spots(spots, gaps, motion, block)
    for i in range(codes.shape[0]):
        if codes[i, layout.FIRST] != i:
            continue
        unit = block.parameters[i, layout.UNIT]
        for j in range(layout.N_MULTIPLIERS):
            number = codes[i, layout.MULTIPLIER + j]
            size = iterates[i, layout.SIZE + j]
            if number >= 0 and size > 0.0 and is_line(codes, i):
                pressure = motion.multipliers[number] / (unit * size)
                output[codes[i, layout.SLAVE], layout.PRESSURE + j] += pressure
        for k in range(n_points(codes, i)):
            at = POINT_WIDTH * k
            if iterates[i, at + layout.ROW] < 0.0:
                continue
            force = 0.0
            for j in range(layout.N_MULTIPLIERS):
                number = codes[i, layout.MULTIPLIER + j]
                if number >= 0 and iterates[i, layout.SIZE + j] > 0.0:
                    weight = iterates[i, at + layout.WEIGHT + j]
                    force += motion.multipliers[number] / unit * weight
            observe_spot(output, motion, block, i, spots[i, k], force)
