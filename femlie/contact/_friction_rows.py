"""Rows of tangential multipliers: what sticks, slides, is open (`_friction_kernel`)."""

from __future__ import annotations

from .._jit import inline, routine
from ..lie import _kernels as lie
from . import _friction_layout as layout
from . import _layout as plain
from ._forces import penalty_of
from ._shape_spots import is_shape
from ._spin import numbers_of, row_of, three_of


@routine
def limit_of(block, motion, gaps, i, j):
    """What multiplier j of row i may bear by friction, and its stiffness; -1: nothing.

    In units of multiplier and gap.
    """
    parameters, iterates = block.parameters, block.iterates
    number = block.codes[i, plain.MULTIPLIER + j]
    stage = motion.time[plain.STAGE]
    stiffness = penalty_of(parameters, i, j, stage)
    if stiffness == 0.0 or stage == plain.OFF:
        return -1.0, 1.0
    if iterates[i, plain.SIZE + j] == 0.0 or iterates[i, layout.CLOSED + j] == 0.0:
        return -1.0, layout.SHARE * stiffness
    if stage > 0.0:
        limit = parameters[i, layout.COEFFICIENT] * motion.multipliers[number]
        return max(limit, 0.0), layout.SHARE_IN_ROUNDS * stiffness
    force = motion.multipliers[number]
    s = force - stiffness * gaps[number] / parameters[i, plain.UNIT]
    share = layout.SHARE
    if is_on_body(parameters, i) and s > 0.0:
        s, share = force, layout.SHARE_ON_BODIES
    limit = parameters[i, layout.COEFFICIENT] * s
    return limit if limit > 0.0 else -1.0, share * stiffness


@inline
def damped(force, direction, limit):
    """``beta F_T / max(b, |F_T|)``, which takes the place of ``s_T / |s_T|``.

    At the solution they are the same; on the way the derivative of ``|s_T|`` times the
    row stays regular where that of the row does not (Hueeber, Stadler, Wohlmuth 2008,
    section 4.2).
    """
    size = lie.norm(force)
    if size == 0.0:
        return lie.ZERO3
    cosine = lie.dot(force, direction) / size
    factor = 1.0 / max(limit, size)
    if cosine < 0.0:
        factor /= 1.0 - cosine * min(size / limit, 1.0)
    return lie.scale(factor, force)


@inline
def is_on_body(parameters, i):
    """Whether a row belongs to what contact alone holds, by more than it may need."""
    return parameters[i, plain.WEAK] > 0.0


@routine
def row_in_rounds(force, slip, before, limit, c, rubs):
    """What rows are missing in rounds of penalty, their slopes by slips and forces.

    And the direction of sliding over c, by which they depend on the normal force.
    """
    held = lie.subtract(force, before)
    if limit < 0.0 or not rubs:
        by_force = lie.matrix_scale(-1.0, lie.IDENTITY33)
        return held, lie.ZERO33, by_force, lie.ZERO3
    s = lie.add_scaled(force, -layout.TRIAL, lie.add_scaled(held, c, slip))
    size = lie.norm(s)
    if size <= limit or lie.norm(force) == 0.0:
        missing = lie.add_scaled(slip, 1.0 / c, held)
        by_slip = lie.matrix_scale(-1.0, lie.IDENTITY33)
        return missing, by_slip, lie.matrix_scale(1.0 / c, by_slip), lie.ZERO3
    direction = lie.scale(1.0 / size, s)
    missing = lie.scale(1.0 / c, lie.add_scaled(force, -limit, direction))
    across = lie.outer(direction, direction)
    across = lie.matrix_add_scaled(lie.IDENTITY33, -1.0, across)
    across = lie.matrix_scale(limit / size, across)
    by_slip = lie.matrix_scale(-layout.TRIAL, across)
    by_slip = lie.matrix_add_scaled(by_slip, -layout.HOLD, lie.IDENTITY33)
    by_force = lie.matrix_scale((1.0 - layout.TRIAL) / c, across)
    by_force = lie.matrix_add_scaled(by_force, -1.0 / c, lie.IDENTITY33)
    return missing, by_slip, by_force, lie.scale(1.0 / c, direction)


@routine
def row_of_law(force, slip, limit, c):
    """State, what rows are missing, and the same slopes, of the conditions."""
    if limit < 0.0:
        by_force = lie.matrix_scale(-1.0 / c, lie.IDENTITY33)
        missing = lie.scale(1.0 / c, force)
        return layout.OPEN, missing, lie.ZERO33, by_force, lie.ZERO3
    s = lie.add_scaled(force, -c, slip)
    size = lie.norm(s)
    if size <= limit:
        by_slip = lie.matrix_scale(-1.0, lie.IDENTITY33)
        return layout.STICKS, slip, by_slip, lie.ZERO33, lie.ZERO3
    direction = lie.scale(1.0 / size, s)
    missing = lie.scale(1.0 / c, lie.add_scaled(force, -limit, direction))
    slope = lie.outer(damped(force, direction, limit), direction)
    slope = lie.matrix_add_scaled(lie.IDENTITY33, -1.0, slope)
    by_slip = lie.matrix_scale(-limit / size, slope)
    by_force = lie.matrix_add_scaled(by_slip, 1.0, lie.IDENTITY33)
    by_force = lie.matrix_scale(-1.0 / c, by_force)
    return layout.SLIDES, missing, by_slip, by_force, lie.scale(1.0 / c, direction)


@routine
def add_friction_rows(laws, forces, gaps, slips, motion, block, target, wants_tangent):
    """Rows of the tangential multipliers, and what their columns will be.

    ``laws[number]``: derivatives of three rows by three slips, of these by the gap,
    state; the third one is that of spin.
    """
    codes, parameters = block.codes, block.parameters
    stage = motion.time[plain.STAGE]
    for i in range(codes.shape[0]):
        for j in range(plain.N_MULTIPLIERS):
            if codes[i, plain.OWNS + j] == 0:
                continue
            number = codes[i, plain.MULTIPLIER + j]
            first, spin = numbers_of(codes, i, j)
            unit = parameters[i, plain.UNIT]
            force = three_of(motion.multipliers, first, spin)
            slip = lie.scale(1.0 / unit, three_of(slips, first, spin))
            limit, c = limit_of(block, motion, gaps, i, j)
            if stage > 0.0 and forces[number] != 0.0:
                old = block.iterates[i]
                at = layout.OLD + 2 * j
                before = three_of(old, at, layout.OLD + 4 if spin >= 0 else -1)
                rubs = is_shape(codes, i) or is_on_body(parameters, i)
                missing, by_slip, by_force, by_normal = row_in_rounds(
                    force, slip, before, limit, c, rubs
                )
                state = layout.STAYS
            else:
                state, missing, by_slip, by_force, by_normal = row_of_law(
                    force, slip, -1.0 if stage > 0.0 else limit, c
                )
            by_normal = lie.scale(parameters[i, layout.COEFFICIENT], by_normal)
            # c_T = SHARE c: the gap has c
            by_gap = 0.0 if is_on_body(parameters, i) else -c / layout.SHARE
            if state == layout.STAYS:
                by_gap = 0.0
            law = laws[number]
            law[layout.LAW_STATE] = state
            n = 3 if spin >= 0 else 2
            put_rows(block, target, law, (i, j, n), missing, by_slip)
            for k in range(n):
                law[layout.BY_GAP + k] = by_gap * by_normal[k]
            if wants_tangent:
                put_slopes(block, target, (i, j, n), by_force, by_normal)


@routine
def put_rows(block, target, law, place, missing, by_slip):
    """What n rows of multiplier j of row i are missing, and their slopes by slips."""
    i, j, n = place
    for k in range(n):
        target.residual[block.rows[i, row_of(j, k)]] -= missing[k]
        for m in range(n):
            law[3 * k + m] = by_slip[3 * k + m]


@routine
def put_slopes(block, target, place, by_force, by_normal):
    """The same rows' slopes by forces along the surface and the normal."""
    i, j, n = place
    slots, data, width = block.slots, target.data, block.rows.shape[1]
    for k in range(n):
        at = width * row_of(j, k)
        for m in range(n):
            data[slots[i, at + row_of(j, m)]] += by_force[3 * k + m]
        data[slots[i, at + 24 + j]] += by_normal[k]
