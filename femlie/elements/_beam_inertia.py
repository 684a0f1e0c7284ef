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
from . import _blocks as blocks
from . import _scatter as scatter
from ._beam_geometry import (
    CENTER,
    DRAG,
    HAS_INERTIA_OFFSETS,
    HAS_OFFSETS,
    LENGTH,
    MASS,
    OFFSET_A,
    OFFSET_B,
    ROTARY,
    ROTARY_DRAG,
    move_wrench,
    offset_rotation,
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
def inertia_wrenches(velocities, accelerations, frames, codes, parameters, i, turn):
    """Wrenches of inertia and drag on both nodes, and what the tangent needs of them.

    ``turn`` takes vectors of the second section to the first.
    """
    has_offset = codes[i, HAS_OFFSETS] != 0
    moved = has_offset or codes[i, HAS_INERTIA_OFFSETS] != 0
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
    if moved:
        p, r = center_offset(parameters, i, OFFSET_A, has_offset)
        fa, ma = move_wrench(p, r, fa, ma)
        p, r = center_offset(parameters, i, OFFSET_B, has_offset)
        fb, mb = move_wrench(p, r, fb, mb)
    return (fa, ma), (fb, mb), ((ua, wa, pa, qa, ja), (ub, wb, pb, qb, jb))


@inline
def world_columns(parameters, i, half, u, w, increment, mass, damping):
    """Columns of one end in `world_parts`: ``dx`` by both motions, ``dy`` by turning.

    ``increment`` is the triangle that takes unknowns to motions of the mass center.
    """
    a, b = increment
    m = damping * parameters[i, MASS]
    scalar = mass * parameters[i, MASS] + damping * parameters[i, DRAG]
    x = lie.matrix_add_scaled(lie.matrix_scale(scalar, a), m, lie.hat_times(w, a))
    z = lie.matrix_subtract(lie.hat_times(w, b), lie.hat_times(u, a))
    z = lie.matrix_add_scaled(lie.matrix_scale(scalar, b), m, z)
    # -(s e^ + m ((w x e)^ + w^ e^)), where w^ e^ = e w^T - (w.e) I
    y = (
        0.0, -2.0 * m * w[1], -2.0 * m * w[2],
        m * w[1], m * w[0], scalar,
        m * w[2], -scalar, m * w[0],
    )  # fmt: skip
    return x, z, lie.multiply(lie.matrix_scale(half, y), a)


@inline
def rotary_matrix(rotary, w, mass, damping, drag):
    """Derivative of ``J dw + w x J w + drag J w`` by dw, and by the last w."""
    return lie.matrix_add_scaled(
        lie.matrix_scale(mass + damping * drag, rotary),
        damping,
        lie.hat_times(w, rotary),
    )


@inline
def with_bow(half, force, bow, rotary):
    """Rows of an end: forces, and ``half e x`` what bends the line of centers."""
    return (
        force[0],
        force[1],
        axis_times(half, bow[0]),
        lie.matrix_add(axis_times(half, bow[1]), rotary),
    )


@routine
def add_inertia_side(s, parameters, i, side, turn, end, other, moves, weights):
    """Columns of one end of ``(mass M + damping C) T^-1 + stiffness K``.

    ``turn`` takes vectors of this end to the other. An end is ``u, w`` of its mass
    center, the sums ``p, q`` of its world parts, and ``J w``. ``moves`` are the
    triangle of the unknowns, and places and rotations of the mass centers.
    """
    mass, damping, stiffness = weights
    increment, center, other_center, moved = moves
    u, w, p, q, j = end
    half = parameters[i, LENGTH] * (0.5 if side == 0 else -0.5)
    rotary = scatter.load9(parameters, i, ROTARY)
    drag = parameters[i, ROTARY_DRAG]
    if moved:
        to_center = lie.adjoint_inverse_blocks(center[0], center[1])
        increment = blocks.multiply_triangles(to_center, increment)
    x, z, y = world_columns(parameters, i, half, u, w, increment, mass, damping)
    # its own rows: what is its own counts double in the first weight
    spin = rotary_matrix(rotary, w, mass, damping, drag)
    spin = lie.matrix_scale(SPIN_OWN, spin)
    spin = lie.matrix_add_scaled(spin, -damping, lie.hat(j))
    force = (
        lie.matrix_scale(2.0 * OTHER, x),
        lie.matrix_add_scaled(lie.matrix_scale(2.0 * OTHER, z), MIXED, y),
    )
    bow = (
        lie.matrix_scale(MIXED, x),
        lie.matrix_add_scaled(lie.matrix_scale(MIXED, z), BOW, y),
    )
    own = with_bow(half, force, bow, lie.multiply(spin, increment[0]))
    # rows of the other end
    x = lie.multiply(turn, x)
    z = lie.multiply(turn, z)
    y = lie.multiply(turn, y)
    spin = rotary_matrix(rotary, other[1], mass, damping, drag)
    spin = lie.multiply(lie.matrix_scale(SPIN_OTHER, spin), increment[0])
    force = (
        lie.matrix_scale(OTHER, x),
        lie.matrix_add_scaled(lie.matrix_scale(OTHER, z), MIXED, y),
    )
    bow = (
        lie.matrix_scale(MIXED, x),
        lie.matrix_add_scaled(lie.matrix_scale(MIXED, z), BOW, y),
    )
    rest = with_bow(-half, force, bow, spin)
    # what comes from one end turns with it, and against the other
    force = lie.hat(lie.apply(turn, p))
    bow = axis_times(-half, lie.hat(lie.apply(turn, q)))
    leaving = (
        lie.matrix_scale(-stiffness, lie.multiply(force, turn)),
        lie.matrix_scale(-stiffness, lie.multiply(bow, turn)),
    )
    force = lie.hat(lie.apply_transposed(turn, other[2]))
    bow = axis_times(half, lie.hat(lie.apply_transposed(turn, other[3])))
    arriving = (lie.matrix_scale(stiffness, force), lie.matrix_scale(stiffness, bow))
    if moved:
        r = center[1]
        leaving = (
            lie.times_transposed(leaving[0], r),
            lie.times_transposed(leaving[1], r),
        )
        arriving = (
            lie.times_transposed(arriving[0], r),
            lie.times_transposed(arriving[1], r),
        )
    own = (
        own[0],
        lie.matrix_add(own[1], arriving[0]),
        own[2],
        lie.matrix_add(own[3], arriving[1]),
    )
    rest = (
        rest[0],
        lie.matrix_add(rest[1], leaving[0]),
        rest[2],
        lie.matrix_add(rest[3], leaving[1]),
    )
    if moved:
        own = blocks.move_rows(own, center[0], center[1])
        rest = blocks.move_rows(rest, other_center[0], other_center[1])
    blocks.accumulate(s, 6 * side, 6 * side, own)
    blocks.accumulate(s, 6 - 6 * side, 6 * side, rest)


@inline
def add_inertia_tangent(s, parameters, codes, i, turn, ends, increments, weights):
    """``(mass M + damping C) T^-1 + stiffness K`` of the inertia of one element."""
    has_offset = codes[i, HAS_OFFSETS] != 0
    moved = has_offset or codes[i, HAS_INERTIA_OFFSETS] != 0
    first = center_offset(parameters, i, OFFSET_A, has_offset)
    second = center_offset(parameters, i, OFFSET_B, has_offset)
    add_inertia_side(
        s,
        parameters,
        i,
        0,
        lie.transpose(turn),
        ends[0],
        ends[1],
        (increments[0], first, second, moved),
        weights,
    )
    add_inertia_side(
        s,
        parameters,
        i,
        1,
        turn,
        ends[1],
        ends[0],
        (increments[1], second, first, moved),
        weights,
    )


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
