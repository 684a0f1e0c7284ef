"""Kernels of contact with Coulomb friction; what acts along the normal is `_kernel`'s.

Each multiplier of the normal has two tangential ones with forces ``F_T`` on the slave
along the tangents of each point, and weighted slips ``u_j = sum_p W_pj u(p)`` since the
step began. With ``s_N = F_N - c g``, ``s_T = F_T - c_T u`` and ``b = mu max(s_N, 0)``:

- sticks, ``|s_T| <= b``: row ``-u``
- slides: row ``-(F_T - b s_T / |s_T|) / c_T``
- open: row ``-F_T / c_T``
- rounds of penalty on the normal forces: between rods ``F_T`` stays what it was; on
  rigid shapes, and where nothing else holds rods, ``-u - (F_T - F_T,old) / c_T`` where
  it sticks, with ``b = mu F_N``

(Alart and Curnier 1991). The limit b has ``s_N``, not ``F_N``, and the matrix is not
symmetric. On what contacts hold altogether b has ``F_N`` and c_T is small: their rows
have a small diagonal more (`linear.analysis`), beside which that of forces must count.
A contact that closes within a step has no friction until its end: its slip counts from
there.

Points whose part has a radius R of the contact bear a moment M about the normal as a
third component ``M / R`` with the slip ``R spin`` (`_spin`), in one cone with the
others,

    |F_T|^2 + (M / R)^2 <= (mu F_N)^2

the ellipsoid that is near to what pressed areas bear in sliding, spinning and both
(Howe and Cutkosky 1996): it has no corners, and slips are along its normal, so that
friction takes the most that it can. Two limits apart would let what slides hold its
pivot as at rest. Lines bear such moments by slips that differ along them.
"""

from __future__ import annotations

import numpy as np

from .._jit import allocating_kernel, routine, rows_of, scratch
from ..elements.base import ACCEPT, EVENT, MOVE, NEXT_STAGE
from ..lie import _kernels as lie
from . import _friction_layout as layout
from . import _layout as plain
from ._forces import add_multiplier_rows
from ._friction import N_ALL, add_friction
from ._friction_rows import add_friction_rows, limit_of
from ._kernel import add_forces, add_weak_springs, follow, observe_normal
from ._layout import n_points
from ._settling import settle_all
from ._shape_friction import add_shape_friction
from ._shape_slip import directions_at, mark_at, slip_at
from ._shape_spots import is_shape
from ._spin import mark_spin, numbers_of, spin_at, spins, three_of
from ._spots import SPOT_ROW, SPOT_SHAPE, find_spots


@routine
def find_slips(slips, spots, motion, block):
    """Weighted slips, by number of the tangential multipliers."""
    codes, iterates = block.codes, block.iterates
    for i in range(codes.shape[0]):
        if codes[i, plain.FIRST] != i or not may_rub(block, i):
            continue
        for k in range(n_points(codes, i)):
            at = plain.POINT_WIDTH * k
            if iterates[i, at + plain.ROW] < 0.0:
                continue
            x, y = slip_at(motion, block, i, k, spots[i, k])
            for j in range(plain.N_MULTIPLIERS):
                first = codes[i, layout.TANGENT + 2 * j]
                if first >= 0:
                    weight = iterates[i, at + plain.WEIGHT + j]
                    slips[first] += weight * x
                    slips[first + 1] += weight * y
        if spins(block, i) and iterates[i, plain.ROW] >= 0.0:
            radius = block.parameters[i, layout.SPIN_RADIUS]
            weight = iterates[i, plain.WEIGHT]
            spin = radius * spin_at(motion, block, i, spots[i, 0])
            slips[codes[i, layout.SPIN]] += weight * spin


@routine
def may_rub(block, i):
    """Whether the run in row i has friction, and touched when the step began."""
    if block.parameters[i, layout.COEFFICIENT] == 0.0:
        return False
    closed = block.iterates[i, layout.CLOSED]
    return closed != 0.0 or block.iterates[i, layout.CLOSED + 1] != 0.0


@routine
def share_of(share, laws, law, motion, block, i, k):
    """Weights, forces and law of point k; whether it bears friction."""
    codes, iterates = block.codes, block.iterates
    unit = block.parameters[i, plain.UNIT]
    at = plain.POINT_WIDTH * k + plain.WEIGHT
    share[0] = share[1] = share[2] = share[3] = share[4] = 0.0
    if iterates[i, at - plain.WEIGHT + plain.ROW] < 0.0:
        return False
    rubs = False
    for j in range(plain.N_MULTIPLIERS):
        number = codes[i, plain.MULTIPLIER + j]
        if number < 0 or laws[number, layout.LAW_STATE] == layout.OPEN:
            continue
        rubs = True
        first, spin = numbers_of(codes, i, j)
        share[j] = iterates[i, at + j] / unit
        force = three_of(motion.multipliers, first, spin)
        for m in range(3):
            share[2 + m] += share[j] * force[m]
        for m in range(layout.LAW_STATE):
            law[j, m] = laws[number, m]
    return rubs


@routine
def add_all_friction(spots, laws, motion, block, target, factor):
    """Friction of all points that bear some."""
    work = scratch(N_ALL * 24 + 24 * 12 + 2 * layout.LAW_STATE)
    mapped = rows_of(work, 0, N_ALL, 24)
    curves = rows_of(work, N_ALL * 24, 24, 12)
    share = scratch(5)
    law = rows_of(work, N_ALL * 24 + 24 * 12, 2, layout.LAW_STATE)
    for i in range(block.codes.shape[0]):
        if block.codes[i, plain.FIRST] != i or not may_rub(block, i):
            continue
        for k in range(n_points(block.codes, i)):
            if not share_of(share, laws, law, motion, block, i, k):
                continue
            if is_shape(block.codes, i):
                add_shape_friction(
                    mapped, curves, motion, block, target, i, k, spots[i, k],
                    share, law, factor,
                )  # fmt: skip
            else:
                add_friction(
                    mapped, curves, motion, block, target, i, k, spots[i, k],
                    share, law, factor,
                )  # fmt: skip


@allocating_kernel
def evaluate(motion, block, target, level, mass, damping, stiffness):
    """Residual and tangent (see the head of this file)."""
    n = block.codes.shape[0]
    if n == 0:
        return
    wants_tangent = mass != 0.0 or damping != 0.0 or stiffness != 0.0
    factor = stiffness if wants_tangent else 0.0
    stage = motion.time[plain.STAGE]
    spots = np.empty((n, *SPOT_SHAPE))
    gaps = np.zeros(motion.multipliers.shape[0])
    forces = np.zeros(motion.multipliers.shape[0])
    slips = np.zeros(motion.multipliers.shape[0])
    laws = np.zeros((motion.multipliers.shape[0], layout.N_LAW))
    if stage != plain.OFF:
        event = find_spots(spots, gaps, motion, block)
        target.scales[EVENT] = max(target.scales[EVENT], event)
    add_multiplier_rows(forces, gaps, motion, block, target, wants_tangent)
    if stage != plain.OFF:
        find_slips(slips, spots, motion, block)
    add_friction_rows(laws, forces, gaps, slips, motion, block, target, wants_tangent)
    if wants_tangent:
        add_weak_springs(block, target)
    if stage == plain.OFF:
        return
    add_forces(spots, forces, motion, block, target, factor)
    add_all_friction(spots, laws, motion, block, target, factor)


@allocating_kernel
def carry(motion, block, moves, fraction, mode):
    """As without friction; at the start of a step, what slip counts from."""
    if mode == ACCEPT:
        return
    spots = np.empty((block.codes.shape[0], *SPOT_SHAPE))
    if mode == MOVE:
        follow(spots, motion, block)
        return
    sizes = np.zeros(motion.multipliers.shape[0])
    settle_all(motion, block, mode == NEXT_STAGE, sizes)
    keep_friction(motion, block)
    if mode != NEXT_STAGE:
        begin_slips(spots, sizes, motion, block)


@routine
def keep_friction(motion, block):
    """What rounds of penalty hold friction at."""
    codes, iterates = block.codes, block.iterates
    for i in range(codes.shape[0]):
        for m in range(5):
            number = codes[i, layout.TANGENT + m]
            if number >= 0:
                iterates[i, layout.OLD + m] = motion.multipliers[number]


@routine
def begin_slips(spots, gaps, motion, block):
    """What touches now rubs in this step: its slip counts from here."""
    codes, iterates = block.codes, block.iterates
    for k in range(gaps.shape[0]):
        gaps[k] = 0.0
    find_spots(spots, gaps, motion, block)
    for i in range(codes.shape[0]):
        if codes[i, plain.FIRST] != i:
            continue
        unit = block.parameters[i, plain.UNIT]
        for j in range(plain.N_MULTIPLIERS):
            number = codes[i, plain.MULTIPLIER + j]
            is_closed = number >= 0 and (
                motion.multipliers[number] > 0.0 or gaps[number] < plain.TOUCHING * unit
            )
            iterates[i, layout.CLOSED + j] = 1.0 if is_closed else 0.0
        for k in range(n_points(codes, i)):
            at = layout.POINTS + layout.POINT_WIDTH * k
            for m in range(layout.POINT_WIDTH):
                iterates[i, at + m] = 0.0
            if iterates[i, plain.POINT_WIDTH * k + plain.ROW] >= 0.0:
                mark_at(motion, block, i, k, spots[i, k])
        if spins(block, i) and iterates[i, plain.ROW] >= 0.0:
            mark_spin(motion, block, i, spots[i, 0])


@routine
def observe_friction(output, motion, block, i, k, spot, share, state):
    """Force of friction of one point on both segments and their part."""
    codes = block.codes
    row = int(spot[SPOT_ROW])
    slave, master = codes[row, plain.SLAVE], codes[row, plain.MASTER]
    total = codes[row, plain.TOTAL]
    first, second = directions_at(motion, block, i, spot)
    x, y = slip_at(motion, block, i, k, spot)
    slip = (x * x + y * y) ** 0.5
    force = lie.add_scaled(lie.scale(share[2], first), share[3], second)
    sign = 1.0 if codes[row, plain.IS_FIRST] != 0 else -1.0
    for m, factor in ((slave, 1.0), (master, -1.0), (total, sign)):
        for c in range(3):
            output[m, plain.FORCE + c] += factor * force[c]
            output[m, layout.FRICTION + c] += factor * force[c]
        output[m, layout.SLIP] = max(output[m, layout.SLIP], slip)
        output[m, layout.STATE] = max(output[m, layout.STATE], state)
    if not spins(block, i):
        return
    moment = abs(share[4]) * block.parameters[i, layout.SPIN_RADIUS]
    spin = abs(spin_at(motion, block, i, spot))
    for m in (slave, master, total):
        output[m, layout.SPIN_MOMENT] = max(output[m, layout.SPIN_MOMENT], moment)
        output[m, layout.SPIN_ANGLE] = max(output[m, layout.SPIN_ANGLE], spin)


@allocating_kernel
def observe(motion, block, output, energies):
    """Forces, pressures, friction and slip of segments, and sums of contact parts."""
    codes = block.codes
    spots = np.empty((codes.shape[0], *SPOT_SHAPE))
    gaps = np.zeros(motion.multipliers.shape[0])
    output[:, :] = 0.0
    observe_normal(spots, gaps, motion, block, output)
    slips = np.zeros(motion.multipliers.shape[0])
    laws = np.zeros((motion.multipliers.shape[0], layout.N_LAW))
    find_slips(slips, spots, motion, block)
    find_states(laws, output, gaps, slips, motion, block)
    share = scratch(5)
    law = np.zeros((2, layout.LAW_STATE))
    for i in range(codes.shape[0]):
        if codes[i, plain.FIRST] != i or not may_rub(block, i):
            continue
        state = layout.OPEN
        for j in range(plain.N_MULTIPLIERS):
            number = codes[i, plain.MULTIPLIER + j]
            if number >= 0:
                state = max(state, laws[number, layout.LAW_STATE])
        for k in range(n_points(codes, i)):
            if share_of(share, laws, law, motion, block, i, k):
                observe_friction(output, motion, block, i, k, spots[i, k], share, state)


@routine
def find_states(laws, output, gaps, slips, motion, block):
    """Whether each multiplier sticks or slides, and sums of friction by part."""
    codes = block.codes
    for i in range(codes.shape[0]):
        for j in range(plain.N_MULTIPLIERS):
            if codes[i, plain.OWNS + j] == 0:
                continue
            number = codes[i, plain.MULTIPLIER + j]
            first, spin = numbers_of(codes, i, j)
            unit = block.parameters[i, plain.UNIT]
            limit, c = limit_of(block, motion, gaps, i, j)
            if limit < 0.0:
                continue
            force = three_of(motion.multipliers, first, spin)
            slip = three_of(slips, first, spin)
            total = codes[i, plain.TOTAL]
            size = (force[0] * force[0] + force[1] * force[1]) ** 0.5
            output[total, layout.FRICTION_SUM] += size / unit
            trial = lie.norm(lie.add_scaled(force, -c / unit, slip))
            sticks = trial <= limit
            laws[number, layout.LAW_STATE] = layout.STICKS if sticks else layout.SLIDES
