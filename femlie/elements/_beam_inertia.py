"""Inertia and drag of the beam: residual, tangent and kinetic energy.

Translation of the line of mass centers is interpolated linearly in the world, which is
exact for rigid motions and Galilean; the rotary inertia is shared by the two ends.
"""

from __future__ import annotations

from .._jit import inline, kernel
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
    third = parameters[i, MASS] / 3.0
    drag = parameters[i, DRAG] / 3.0
    rotary = scatter.load9(parameters, i, ROTARY)
    rotary_drag = parameters[i, ROTARY_DRAG]
    ua, wa, aa, dwa = end_kinematics(
        velocities, accelerations, frames, codes, parameters, i, 0, moved
    )
    ub, wb, ab, dwb = end_kinematics(
        velocities, accelerations, frames, codes, parameters, i, 1, moved
    )
    xa = lie.add_scaled(lie.scale(third, aa), drag, ua)
    xb = lie.add_scaled(lie.scale(third, ab), drag, ub)
    ja = lie.apply(rotary, wa)
    jb = lie.apply(rotary, wb)
    fa = lie.add_scaled(xa, 0.5, lie.apply(turn, xb))
    fb = lie.add_scaled(xb, 0.5, lie.apply_transposed(turn, xa))
    ma = lie.add(
        lie.apply(rotary, lie.add_scaled(dwa, rotary_drag, wa)), lie.cross(wa, ja)
    )
    mb = lie.add(
        lie.apply(rotary, lie.add_scaled(dwb, rotary_drag, wb)), lie.cross(wb, jb)
    )
    add_center_wrench(residual, scales, rows, codes, parameters, i, 0, moved, fa, ma)
    add_center_wrench(residual, scales, rows, codes, parameters, i, 1, moved, fb, mb)
    return ua, wa, xa, ja, ub, wb, xb, jb


@inline
def set_inertia_matrix(s, out, parameters, i, u, w, j, mass, damping):
    """Weighted M and C of one end in its mass-center frame: all but the coupling."""
    third = parameters[i, MASS] / 3.0
    rotary = scatter.load9(parameters, i, ROTARY)
    scalar = mass * third + damping * parameters[i, DRAG] / 3.0
    small.clear(s, out)
    small.add_block(s, out, 0, 0, scalar, lie.IDENTITY33)
    small.add_block(s, out, 0, 0, damping * third, lie.hat(w))
    small.add_block(s, out, 0, 3, -damping * third, lie.hat(u))
    factor = mass + damping * parameters[i, ROTARY_DRAG]
    small.add_block(s, out, 3, 3, factor, rotary)
    small.add_block(s, out, 3, 3, damping, lie.multiply(lie.hat(w), rotary))
    small.add_block(s, out, 3, 3, -damping, lie.hat(j))


@inline
def set_turn_matrix(s, out, half):
    """Rows of the world part of the other end: ``[[R/2, 0], [0, 0]]``."""
    small.clear(s, out)
    small.set_block(s, out, 0, 0, half)


@inline
def scatter_inertia(s, data, slots, i, row, column, moved):
    """Scatter what stands in XB, moved from mass centers to nodes."""
    if moved:
        center = CENTER_A if row == 0 else CENTER_B
        small.multiply_transposed(s, TEMPORARY, center, XB)
        small.scatter(s, TEMPORARY, data, slots, i, 12, row, column, 1.0)
    else:
        small.scatter(s, XB, data, slots, i, 12, row, column, 1.0)


@kernel
def inertia_side(
    s, increments, frames, parameters, data, slots, i, side, moved, pair, weights
):
    """Columns of one end of ``(mass M + damping C) T^-1 + stiffness K``."""
    mass, damping, stiffness = weights
    turn, u, w, x, j = pair
    center = CENTER_A if side == 0 else CENTER_B
    set_increment_map(s, TEMPORARY, increments, frames[i, side])
    if moved:
        small.multiply(s, PA, center, TEMPORARY)
    else:
        small.clear(s, PA)
        small.add_scaled(s, PA, 1.0, TEMPORARY)
    set_inertia_matrix(s, XA, parameters, i, u, w, j, mass, damping)
    small.multiply(s, PB, XA, PA)
    # own rows: the other's world part turns with this end
    row = 6 * side
    half = 0.5 * stiffness
    geometric = lie.multiply(turn, lie.hat(x))
    small.clear(s, XA)
    small.add_block(s, XA, 0, 3, -half, geometric)
    set_turn_matrix(s, SECTION, lie.matrix_scale(0.5, turn))
    small.multiply(s, XB, SECTION, PB)
    add_moved(s, XB, XA, center, moved)
    scatter_inertia(s, data, slots, i, 6 - row, row, moved)
    small.clear(s, XB)
    small.add_scaled(s, XB, 1.0, PB)
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
    ua, wa, xa, ja, ub, wb, xb, jb = ends
    back = lie.transpose(turn)
    half = 0.5 * weights[2]
    if moved:
        has_offset = codes[i, HAS_OFFSETS] != 0
        p, r = center_offset(parameters, i, OFFSET_A, has_offset)
        set_end_map(s, CENTER_A, p, r)
        p, r = center_offset(parameters, i, OFFSET_B, has_offset)
        set_end_map(s, CENTER_B, p, r)
    inertia_side(
        s,
        increments,
        frames,
        parameters,
        data,
        slots,
        i,
        0,
        moved,
        (back, ua, wa, xa, ja),
        weights,
    )
    inertia_side(
        s,
        increments,
        frames,
        parameters,
        data,
        slots,
        i,
        1,
        moved,
        (turn, ub, wb, xb, jb),
        weights,
    )
    for side in range(2):
        center = CENTER_A if side == 0 else CENTER_B
        arm = lie.apply(turn, xb) if side == 0 else lie.apply(back, xa)
        small.clear(s, XA)
        small.add_block(s, XA, 0, 3, half, lie.hat(arm))
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
    coupling = lie.dot(ua, lie.quaternion_rotate(turn, ub))
    square = (lie.dot(ua, ua) + lie.dot(ub, ub) + coupling) / 3.0
    spin = lie.dot(wa, lie.apply(rotary, wa)) + lie.dot(wb, lie.apply(rotary, wb))
    energies[0] += 0.5 * (parameters[i, MASS] * square + spin)
    energies[5] += parameters[i, DRAG] * square + parameters[i, ROTARY_DRAG] * spin
