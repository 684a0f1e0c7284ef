"""Inertia and drag of the beam: residual, tangent and kinetic energy.

The line of mass centers follows the bent element,

    x(z) = (1 - z) x_A + z x_B + z (1 - z) (L/2) (t_A - t_B),    t = R e_1,

so that kinetic energy is a constant quadratic form in the world velocities of x_A,
(L/2) t_A, x_B and -(L/2) t_B, with the weights below: exact for rigid motions, and the
same for every observer at constant speed. Rotary inertia about the mass centers is
averaged over the element (five sixths own, one sixth of the other end's spin).
"""

from __future__ import annotations

from .._jit import inline, routine
from ..lie import _kernels as lie
from . import _scatter as scatter
from . import _small as small
from ._beam_geometry import (
    CENTER,
    CENTER_A,
    CENTER_B,
    DRAG,
    HAS_INERTIA_OFFSETS,
    HAS_OFFSETS,
    LENGTH,
    MASS,
    OFFSET_A,
    OFFSET_B,
    PA,
    PB,
    ROTARY,
    ROTARY_DRAG,
    SECTION,
    TEMPORARY,
    XA,
    XB,
    offset_rotation,
    set_end_map,
    set_increment_map,
    transported,
)

# integrals over the element of z (1 - z), z^2 (1 - z) and z^2 (1 - z)^2; that of z^2 is
# twice the first
OTHER, MIXED, BOW = 1.0 / 6.0, 1.0 / 12.0, 1.0 / 30.0
SPIN_OWN, SPIN_OTHER = 5.0 / 6.0, 1.0 / 6.0


@inline
def center_offset(parameters, i, j, has_offset):
    """Place and rotation of the mass-center frame of an end in its node's frame."""
    center = scatter.load3(parameters, i, CENTER)
    if has_offset:
        r = offset_rotation(parameters, i, j)
        return lie.add(scatter.load3(parameters, i, j), lie.apply(r, center)), r
    return center, lie.IDENTITY33


@inline
def end_kinematics(
    velocities, accelerations, frames, codes, parameters, i, side, moved
):
    """Velocity ``u, w``, acceleration ``a`` and ``dw/dt`` of a mass-center frame."""
    frame = frames[i, side]
    u = scatter.load3(velocities, frame, 0)
    w = scatter.load3(velocities, frame, 3)
    du = scatter.load3(accelerations, frame, 0)
    dw = scatter.load3(accelerations, frame, 3)
    if moved:
        p, r = center_offset(
            parameters, i, OFFSET_A + 7 * side, codes[i, HAS_OFFSETS] != 0
        )
        u, w = transported(p, r, u, w)
        du, dw = transported(p, r, du, dw)
    return u, w, lie.add(du, lie.cross(w, u)), dw


@inline
def add_center_wrench(
    residual, scales, rows, codes, parameters, i, side, moved, force, moment
):
    if moved:
        p, r = center_offset(
            parameters, i, OFFSET_A + 7 * side, codes[i, HAS_OFFSETS] != 0
        )
        force = lie.apply(r, force)
        moment = lie.add(lie.apply(r, moment), lie.cross(p, force))
    scatter.add_wrench(residual, scales, rows, i, 6 * side, force, moment)


@inline
def lever(w):
    """``w x e_1``."""
    return (0.0, w[2], -w[1])


@inline
def axis_cross(factor, a):
    """``factor e_1 x a``."""
    return (0.0, -factor * a[2], factor * a[1])


@inline
def axis_times(factor, m):
    """``factor e_1^ m`` for a 3x3."""
    return (
        0.0, 0.0, 0.0,
        -factor * m[6], -factor * m[7], -factor * m[8],
        factor * m[3], factor * m[4], factor * m[5],
    )  # fmt: skip


@inline
def world_parts(parameters, i, half, u, w, a, dw):
    """``m`` times the accelerations of ``x`` and ``half t``, with drag."""
    mass = parameters[i, MASS]
    drag = parameters[i, DRAG]
    arm = lever(w)
    turning = lie.add(lever(dw), lie.cross(w, arm))
    x = lie.add_scaled(lie.scale(mass, a), drag, u)
    y = lie.add_scaled(lie.scale(mass, turning), drag, arm)
    return x, lie.scale(half, y)


@inline
def inertia_residual(
    velocities,
    accelerations,
    residual,
    scales,
    frames,
    rows,
    codes,
    parameters,
    i,
    turn,
    moved,
):
    """Inertia and drag forces; returns what the tangent needs of each end."""
    half = 0.5 * parameters[i, LENGTH]
    rotary = scatter.load9(parameters, i, ROTARY)
    rotary_drag = parameters[i, ROTARY_DRAG]
    ua, wa, aa, dwa = end_kinematics(
        velocities, accelerations, frames, codes, parameters, i, 0, moved
    )
    ub, wb, ab, dwb = end_kinematics(
        velocities, accelerations, frames, codes, parameters, i, 1, moved
    )
    xa, ya = world_parts(parameters, i, half, ua, wa, aa, dwa)
    xb, yb = world_parts(parameters, i, -half, ub, wb, ab, dwb)
    pa = lie.add_scaled(lie.scale(OTHER, xa), MIXED, ya)
    qa = lie.add_scaled(lie.scale(MIXED, xa), BOW, ya)
    pb = lie.add_scaled(lie.scale(OTHER, xb), MIXED, yb)
    qb = lie.add_scaled(lie.scale(MIXED, xb), BOW, yb)
    # what is its own counts double in the first weight
    fa = lie.add(lie.add_scaled(pa, OTHER, xa), lie.apply(turn, pb))
    fb = lie.add(lie.add_scaled(pb, OTHER, xb), lie.apply_transposed(turn, pa))
    ga = lie.add(qa, lie.apply(turn, qb))
    gb = lie.add(qb, lie.apply_transposed(turn, qa))
    ja = lie.apply(rotary, lie.add_scaled(lie.scale(SPIN_OWN, wa), SPIN_OTHER, wb))
    jb = lie.apply(rotary, lie.add_scaled(lie.scale(SPIN_OWN, wb), SPIN_OTHER, wa))
    ka = lie.apply(rotary, lie.add_scaled(lie.scale(SPIN_OWN, dwa), SPIN_OTHER, dwb))
    kb = lie.apply(rotary, lie.add_scaled(lie.scale(SPIN_OWN, dwb), SPIN_OTHER, dwa))
    ma = lie.add(lie.add_scaled(ka, rotary_drag, ja), lie.cross(wa, ja))
    mb = lie.add(lie.add_scaled(kb, rotary_drag, jb), lie.cross(wb, jb))
    ma = lie.add(ma, axis_cross(half, ga))
    mb = lie.add(mb, axis_cross(-half, gb))
    add_center_wrench(residual, scales, rows, codes, parameters, i, 0, moved, fa, ma)
    add_center_wrench(residual, scales, rows, codes, parameters, i, 1, moved, fb, mb)
    return (ua, wa, pa, qa, ja), (ub, wb, pb, qb, jb)


@inline
def set_world_matrix(s, out, parameters, i, half, u, w, mass, damping):
    """Derivatives of `world_parts` by acceleration and velocity of one end."""
    m = parameters[i, MASS]
    scalar = mass * m + damping * parameters[i, DRAG]
    small.clear(s, out)
    small.add_block(s, out, 0, 0, scalar, lie.IDENTITY33)
    small.add_block(s, out, 0, 0, damping * m, lie.hat(w))
    small.add_block(s, out, 0, 3, -damping * m, lie.hat(u))
    axis = lie.hat((1.0, 0.0, 0.0))
    small.add_block(s, out, 3, 3, -half * scalar, axis)
    small.add_block(s, out, 3, 3, -half * damping * m, lie.hat(lever(w)))
    small.add_block(s, out, 3, 3, -half * damping * m, lie.multiply(lie.hat(w), axis))


@inline
def set_weights(s, out, half, first, turn):
    """``[[first R, R/12], [half/12 e^ R, half/30 e^ R]]``."""
    small.clear(s, out)
    small.add_block(s, out, 0, 0, first, turn)
    small.add_block(s, out, 0, 3, MIXED, turn)
    small.add_block(s, out, 3, 0, 1.0, axis_times(half * MIXED, turn))
    small.add_block(s, out, 3, 3, 1.0, axis_times(half * BOW, turn))


@inline
def set_rotary_matrix(s, out, parameters, i, share, w, mass, damping):
    """Derivative of ``share (J dw + w x J w + drag J w)`` by dw, and by the last w."""
    rotary = scatter.load9(parameters, i, ROTARY)
    factor = share * (mass + damping * parameters[i, ROTARY_DRAG])
    small.clear(s, out)
    small.add_block(s, out, 3, 3, factor, rotary)
    small.add_block(s, out, 3, 3, share * damping, lie.multiply(lie.hat(w), rotary))


@inline
def scatter_inertia(s, data, slots, i, row, column, moved):
    """Scatter what stands in XB, moved from mass centers to nodes."""
    if moved:
        center = CENTER_A if row == 0 else CENTER_B
        small.multiply_transposed(s, TEMPORARY, center, XB)
        small.scatter(s, TEMPORARY, data, slots, i, 12, row, column, 1.0)
    else:
        small.scatter(s, XB, data, slots, i, 12, row, column, 1.0)


@routine
def inertia_side(
    s,
    increments,
    frames,
    parameters,
    data,
    slots,
    i,
    side,
    moved,
    turn,
    end,
    w,
    weights,
):
    """Columns of one end of ``(mass M + damping C) T^-1 + stiffness K``.

    ``turn`` takes vectors of this end to the other, whose spin is ``w``.
    """
    mass, damping, stiffness = weights
    u, spin, p, q, j = end
    center = CENTER_A if side == 0 else CENTER_B
    half = 0.5 * parameters[i, LENGTH]
    if side == 1:
        half = -half
    set_increment_map(s, TEMPORARY, increments, frames[i, side])
    if moved:
        small.multiply(s, PA, center, TEMPORARY)
    else:
        small.clear(s, PA)
        small.add_scaled(s, PA, 1.0, TEMPORARY)
    set_world_matrix(s, XA, parameters, i, half, u, spin, mass, damping)
    small.multiply(s, PB, XA, PA)
    row = 6 * side
    # rows of the other end
    set_weights(s, SECTION, -half, OTHER, turn)
    small.multiply(s, XB, SECTION, PB)
    set_rotary_matrix(s, XA, parameters, i, SPIN_OTHER, w, mass, damping)
    small.multiply(s, SECTION, XA, PA)
    small.add_scaled(s, XB, 1.0, SECTION)
    small.clear(s, XA)
    small.add_block(s, XA, 0, 3, -stiffness, lie.multiply(turn, lie.hat(p)))
    bow = axis_times(-half, lie.multiply(turn, lie.hat(q)))
    small.add_block(s, XA, 3, 3, -stiffness, bow)
    add_moved(s, XB, XA, center, moved)
    scatter_inertia(s, data, slots, i, 6 - row, row, moved)
    # its own rows
    set_weights(s, SECTION, half, 2.0 * OTHER, lie.IDENTITY33)
    small.multiply(s, XB, SECTION, PB)
    set_rotary_matrix(s, XA, parameters, i, SPIN_OWN, spin, mass, damping)
    small.add_block(s, XA, 3, 3, -damping, lie.hat(j))
    small.multiply(s, SECTION, XA, PA)
    small.add_scaled(s, XB, 1.0, SECTION)
    scatter_inertia(s, data, slots, i, row, row, moved)


@inline
def add_moved(s, out, a, center, moved):
    """``out += a Ad^-1`` for a mass-center frame off its node."""
    if moved:
        small.multiply(s, TEMPORARY, a, center)
        small.add_scaled(s, out, 1.0, TEMPORARY)
    else:
        small.add_scaled(s, out, 1.0, a)


@inline
def inertia_tangent(
    s,
    increments,
    frames,
    codes,
    parameters,
    data,
    slots,
    i,
    turn,
    moved,
    ends,
    weights,
):
    """``(mass M + damping C) T^-1 + stiffness K`` of the inertia of one element."""
    first, second = ends
    back = lie.transpose(turn)
    half = 0.5 * parameters[i, LENGTH]
    if moved:
        has_offset = codes[i, HAS_OFFSETS] != 0
        p, r = center_offset(parameters, i, OFFSET_A, has_offset)
        set_end_map(s, CENTER_A, p, r)
        p, r = center_offset(parameters, i, OFFSET_B, has_offset)
        set_end_map(s, CENTER_B, p, r)
    for side in range(2):
        end, other, to_other = first, second, back
        if side == 1:
            end, other, to_other = second, first, turn
        inertia_side(
            s,
            increments,
            frames,
            parameters,
            data,
            slots,
            i,
            side,
            moved,
            to_other,
            end,
            other[1],
            weights,
        )
        # the other's world part turns with this end
        center = CENTER_A if side == 0 else CENTER_B
        reach = half if side == 0 else -half
        p = lie.apply_transposed(to_other, other[2])
        q = lie.apply_transposed(to_other, other[3])
        small.clear(s, XA)
        small.add_block(s, XA, 0, 3, weights[2], lie.hat(p))
        small.add_block(s, XA, 3, 3, weights[2], axis_times(reach, lie.hat(q)))
        small.clear(s, XB)
        add_moved(s, XB, XA, center, moved)
        scatter_inertia(s, data, slots, i, 6 * side, 6 * side, moved)


@inline
def observe_inertia(
    velocities, accelerations, frames, codes, parameters, i, turn, energies
):
    """Kinetic energy and the power of drag of one element."""
    moved = codes[i, HAS_OFFSETS] != 0 or codes[i, HAS_INERTIA_OFFSETS] != 0
    ua, wa, _, _ = end_kinematics(
        velocities, accelerations, frames, codes, parameters, i, 0, moved
    )
    ub, wb, _, _ = end_kinematics(
        velocities, accelerations, frames, codes, parameters, i, 1, moved
    )
    rotary = scatter.load9(parameters, i, ROTARY)
    half = 0.5 * parameters[i, LENGTH]
    ya = lie.scale(half, lever(wa))
    ub = lie.quaternion_rotate(turn, ub)
    yb = lie.quaternion_rotate(turn, lie.scale(-half, lever(wb)))
    ends = lie.add(ua, ub)
    bows = lie.add(ya, yb)
    square = (
        OTHER * (lie.dot(ends, ends) + lie.dot(ua, ua) + lie.dot(ub, ub))
        + 2.0 * MIXED * lie.dot(ends, bows)
        + BOW * lie.dot(bows, bows)
    )
    ja = lie.apply(rotary, wa)
    jb = lie.apply(rotary, wb)
    spin = SPIN_OWN * (lie.dot(wa, ja) + lie.dot(wb, jb))
    spin += 2.0 * SPIN_OTHER * lie.dot(wa, jb)
    energies[0] += 0.5 * (parameters[i, MASS] * square + spin)
    energies[5] += parameters[i, DRAG] * square + parameters[i, ROTARY_DRAG] * spin
