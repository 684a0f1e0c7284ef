"""Rows of tangential multipliers: what sticks, slides, is open (`_friction_kernel`)."""

from __future__ import annotations

from .._jit import inline, routine
from . import _friction_layout as layout
from . import _layout as plain
from ._forces import penalty_of
from ._shape_spots import is_shape


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
def damped(x, y, s, t, limit):
    """``beta F_T / max(b, |F_T|)``, which takes the place of ``s_T / |s_T|``.

    At the solution they are the same; on the way the derivative of ``|s_T|`` times the
    row stays regular where that of the row does not (Hueeber, Stadler, Wohlmuth 2008,
    section 4.2).
    """
    size = (x * x + y * y) ** 0.5
    if size == 0.0:
        return 0.0, 0.0
    cosine = (x * s + y * t) / size
    factor = 1.0 / max(limit, size)
    if cosine < 0.0:
        factor /= 1.0 - cosine * min(size / limit, 1.0)
    return factor * x, factor * y


@inline
def is_on_body(parameters, i):
    """Whether a row belongs to a body, which may stand on more points than it needs."""
    return parameters[i, plain.WEAK] > 0.0


@routine
def add_friction_rows(laws, forces, gaps, slips, motion, block, target, wants_tangent):
    """Rows of the tangential multipliers, and what their columns will be.

    ``laws[number]``: derivatives of both rows by both slips, of both by the gap, state.
    """
    codes, parameters = block.codes, block.parameters
    width = block.rows.shape[1]
    for i in range(codes.shape[0]):
        for j in range(plain.N_MULTIPLIERS):
            if codes[i, plain.OWNS + j] == 0:
                continue
            number = codes[i, plain.MULTIPLIER + j]
            first = codes[i, layout.TANGENT + 2 * j]
            unit = parameters[i, plain.UNIT]
            x, y = motion.multipliers[first], motion.multipliers[first + 1]
            limit, c = limit_of(block, motion, gaps, i, j)
            is_round = motion.time[plain.STAGE] > 0.0 and forces[number] != 0.0
            at = layout.FIRST_ROW + 2 * j
            row, other = block.rows[i, at], block.rows[i, at + 1]
            u, v = slips[first] / unit, slips[first + 1] / unit
            s, t = x - c * u, y - c * v
            xx = xy = yx = yy = 0.0
            by_s, by_t = 0.0, 0.0
            old = layout.OLD + 2 * j
            before, across = block.iterates[i, old], block.iterates[i, old + 1]
            if is_round:
                s = x - layout.TRIAL * (c * u + x - before)
                t = y - layout.TRIAL * (c * v + y - across)
            size = (s * s + t * t) ** 0.5
            if is_round and (limit < 0.0 or not is_shape(codes, i)):
                laws[number, 6] = layout.STAYS
                target.residual[row] -= x - before
                target.residual[other] -= y - across
                xx, yy = -1.0, -1.0
            elif is_round and (size <= limit or (x == 0.0 and y == 0.0)):
                laws[number, 6] = layout.STAYS
                target.residual[row] -= u + (x - before) / c
                target.residual[other] -= v + (y - across) / c
                laws[number, 0], laws[number, 3] = -1.0, -1.0
                xx, yy = -1.0 / c, -1.0 / c
            elif is_round:
                laws[number, 6] = layout.STAYS
                s, t = s / size, t / size
                target.residual[row] -= (x - limit * s) / c
                target.residual[other] -= (y - limit * t) / c
                ratio = limit / size
                m00, m01, m11 = ratio * t * t, -ratio * s * t, ratio * s * s
                laws[number, 0] = -layout.TRIAL * m00 - layout.HOLD
                laws[number, 1] = laws[number, 2] = -layout.TRIAL * m01
                laws[number, 3] = -layout.TRIAL * m11 - layout.HOLD
                rest = 1.0 - layout.TRIAL
                xx, xy = (rest * m00 - 1.0) / c, rest * m01 / c
                yx, yy = xy, (rest * m11 - 1.0) / c
                coefficient = parameters[i, layout.COEFFICIENT]
                by_s, by_t = coefficient * s / c, coefficient * t / c
            elif limit < 0.0 or motion.time[plain.STAGE] > 0.0:
                laws[number, 6] = layout.OPEN
                target.residual[row] -= x / c
                target.residual[other] -= y / c
                xx, yy = -1.0 / c, -1.0 / c
            elif size <= limit:
                laws[number, 6] = layout.STICKS
                target.residual[row] -= u
                target.residual[other] -= v
                laws[number, 0], laws[number, 3] = -1.0, -1.0
            else:
                laws[number, 6] = layout.SLIDES
                s, t = s / size, t / size
                target.residual[row] -= (x - limit * s) / c
                target.residual[other] -= (y - limit * t) / c
                ratio = limit / size
                f, g = damped(x, y, s, t, limit)
                m00, m01 = ratio * (1.0 - f * s), -ratio * f * t
                m10, m11 = -ratio * g * s, ratio * (1.0 - g * t)
                laws[number, 0], laws[number, 1] = -m00, -m01
                laws[number, 2], laws[number, 3] = -m10, -m11
                xx, xy, yx, yy = (m00 - 1.0) / c, m01 / c, m10 / c, (m11 - 1.0) / c
                coefficient = parameters[i, layout.COEFFICIENT]
                by_s, by_t = coefficient * s / c, coefficient * t / c
                if not is_on_body(parameters, i):
                    # c_T = SHARE c: the gap has c
                    laws[number, 4] = -by_s * c / layout.SHARE
                    laws[number, 5] = -by_t * c / layout.SHARE
            if wants_tangent:
                slots, data = block.slots, target.data
                data[slots[i, width * at + at]] += xx
                data[slots[i, width * at + at + 1]] += xy
                data[slots[i, width * (at + 1) + at]] += yx
                data[slots[i, width * (at + 1) + at + 1]] += yy
                data[slots[i, width * at + 24 + j]] += by_s
                data[slots[i, width * (at + 1) + 24 + j]] += by_t
