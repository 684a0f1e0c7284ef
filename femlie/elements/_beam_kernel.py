"""Kernels of the two-node SE(3) beam, also used for 6x6 bushings.

With ``d = log(H_A^-1 H_B)``, ``P = [-T^-1(-d), T^-1(d)]`` and ``x = d - d_0 - L f(t)``:

- internal forces ``P^T s`` with ``s = (S/L) x + (D/L) P v``
- tangent ``P^T (S/L) P + d(P^T s)/dq`` where, in statics, the last term reads the
  stress that the last linear solve predicted (the iterate, 6 numbers an element)
- inertia: translation of the line of mass centers interpolated linearly in the world,
  rotary inertia shared by the two ends.

Sources: Sonneville, Cardona, Bruels 2014 (interpolation, P); Magisano, Leonetti, Garcea
2017 (stress as an iterate).
"""

from __future__ import annotations

import numpy as np

from .._jit import inline, kernel
from ..lie import _kernels as lie
from . import _scatter as scatter
from . import _small as small

# columns of the integer codes
HAS_OFFSETS, HAS_INERTIA_OFFSETS, HAS_DAMPING, HAS_INERTIA, REST_SIGNAL = range(5)
N_CODES = 5
# first columns of the parameters
LENGTH = 0
REFERENCE = 1  # d_0 (6)
STIFFNESS = 7  # S/L (36)
MASS = 43  # mass of the element
ROTARY = 44  # rotary inertia of one end about the mass center, section axes (9)
DRAG = 53  # translational drag of the element, N s/m
ROTARY_DRAG = 54  # 1/s, times the rotary inertia
FLOOR = 55  # largest stiffness of a translation: force per rounding of a place
REST = 56  # L f, times a signal (6)
OFFSET_A = 62  # pose of the section at the first end in its node's frame (7)
OFFSET_B = 69
CENTER = 76  # mass center in the section frame (3)
DAMPING = 79  # D/L (36)
N_PARAMETERS = 115
N_ITERATES = 6
N_OUTPUTS = 18  # section forces at the first end, the middle and the second end
# matrices in the scratch array
PA, PB, XA, XB, SECTION, VISCOUS, ADJOINT, TEMPORARY, CENTER_A, CENTER_B = range(
    0, 10 * small.SIZE, small.SIZE
)
N_MATRICES = 10
ROUNDING = 2.220446049250313e-16


@inline
def end_pose(poses, frame, parameters, i, j, has_offset):
    """Place and quaternion of an element's end."""
    p = scatter.load_position(poses, frame)
    q = scatter.load_quaternion(poses, frame)
    if has_offset:
        offset = scatter.load3(parameters, i, j)
        turn = (
            parameters[i, j + 3],
            parameters[i, j + 4],
            parameters[i, j + 5],
            parameters[i, j + 6],
        )
        p = lie.add(p, lie.quaternion_rotate(q, offset))
        q = lie.quaternion_multiply(q, turn)
    return p, q


@inline
def offset_rotation(parameters, i, j):
    return lie.rotation_matrix(
        (
            parameters[i, j + 3],
            parameters[i, j + 4],
            parameters[i, j + 5],
            parameters[i, j + 6],
        )
    )


@inline
def transported(p, r, u, w):
    """Twist of a frame at constant offset ``(p, r)``: ``Ad^-1 (u, w)``."""
    return lie.apply_transposed(r, lie.add(u, lie.cross(w, p))), lie.apply_transposed(
        r, w
    )


@inline
def relative(pa, qa, pb, qb):
    """``u, w`` of ``log(H_A^-1 H_B)`` and its coefficients ``c, e, f``."""
    q = lie.quaternion_multiply(lie.quaternion_conjugate(qa), qb)
    w = lie.quaternion_log(q)
    p = lie.quaternion_rotate(lie.quaternion_conjugate(qa), lie.subtract(pb, pa))
    c, e, f = lie.inverse_coefficients(lie.dot(w, w))
    return lie.log_translation(p, w, c), w, c, e, f


@inline
def section_product(parameters, i, j, x, y):
    """Product of the 6x6 at column ``j`` with ``(x, y)``."""
    n0 = n1 = n2 = m0 = m1 = m2 = 0.0
    z = (x[0], x[1], x[2], y[0], y[1], y[2])
    for k in range(6):
        n0 += parameters[i, j + k] * z[k]
        n1 += parameters[i, j + 6 + k] * z[k]
        n2 += parameters[i, j + 12 + k] * z[k]
        m0 += parameters[i, j + 18 + k] * z[k]
        m1 += parameters[i, j + 24 + k] * z[k]
        m2 += parameters[i, j + 30 + k] * z[k]
    return (n0, n1, n2), (m0, m1, m2)


@inline
def strain_gap(signals, codes, parameters, i, u, w):
    """``d - d_0 - L f(t)``."""
    x = lie.subtract(u, scatter.load3(parameters, i, REFERENCE))
    y = lie.subtract(w, scatter.load3(parameters, i, REFERENCE + 3))
    signal = codes[i, REST_SIGNAL]
    if signal >= 0:
        factor = -signals[signal, 0]
        x = lie.add_scaled(x, factor, scatter.load3(parameters, i, REST))
        y = lie.add_scaled(y, factor, scatter.load3(parameters, i, REST + 3))
    return x, y


@inline
def end_twist(array, frame, parameters, i, j, has_offset):
    u = scatter.load3(array, frame, 0)
    w = scatter.load3(array, frame, 3)
    if has_offset:
        u, w = transported(
            scatter.load3(parameters, i, j), offset_rotation(parameters, i, j), u, w
        )
    return u, w


@inline
def strain_rate(a, b, va, wa, vb, wb):
    """``P v``."""
    at = lie.transpose(a)
    bt = lie.transpose(b)
    x = lie.subtract(
        lie.add(lie.apply(a, vb), lie.apply(b, wb)),
        lie.add(lie.apply(at, va), lie.apply(bt, wa)),
    )
    return x, lie.subtract(lie.apply(a, wb), lie.apply(at, wa))


@inline
def add_stress_matrix(s, out, sign, u, w, n, m, c, e, f):
    """Add the derivative of ``T^-1(d)^T s`` at fixed ``s`` (sign -1; mirror: +1)."""
    q = lie.rotation_derivative(sign, w, n, c, e)
    small.add_block(s, out, 0, 3, 1.0, q)
    small.add_block(s, out, 3, 0, 1.0, q)
    small.add_block(s, out, 3, 3, 1.0, lie.rotation_derivative(sign, w, m, c, e))
    small.add_block(s, out, 3, 3, 1.0, lie.second_rotation_derivative(w, n, u, c, e, f))


@inline
def set_rate_matrix(s, out, u, w, rates, c, e, f):
    """``d(P v)/dd``."""
    va, wa, vb, wb = rates
    small.clear(s, out)
    q = lie.rotation_derivative(1.0, w, wb, c, e)
    small.add_block(s, out, 0, 0, 1.0, q)
    small.add_block(s, out, 3, 3, 1.0, q)
    q = lie.rotation_derivative(-1.0, w, wa, c, e)
    small.add_block(s, out, 0, 0, -1.0, q)
    small.add_block(s, out, 3, 3, -1.0, q)
    small.add_block(s, out, 0, 3, 1.0, lie.rotation_derivative(1.0, w, vb, c, e))
    small.add_block(s, out, 0, 3, -1.0, lie.rotation_derivative(-1.0, w, va, c, e))
    dw = lie.subtract(wb, wa)
    small.add_block(
        s, out, 0, 3, 1.0, lie.second_rotation_derivative(w, dw, u, c, e, f)
    )


@inline
def end_wrench_to_node(parameters, i, j, force, moment):
    """Wrench at an end, seen from its node: ``Ad^-T``."""
    r = offset_rotation(parameters, i, j)
    f = lie.apply(r, force)
    return f, lie.add(
        lie.apply(r, moment), lie.cross(scatter.load3(parameters, i, j), f)
    )


@inline
def set_end_map(s, out, p, r):
    """Map from node increments to those of a frame at constant offset ``(p, r)``."""
    a, b = lie.adjoint_inverse_blocks(p, r)
    small.set_triangle(s, out, a, b)


@inline
def set_increment_map(s, out, increments, frame):
    a, b = scatter.increment_map(increments, frame)
    small.set_triangle(s, out, a, b)


@inline
def internal_tangent(
    s,
    increments,
    frames,
    codes,
    parameters,
    data,
    slots,
    i,
    geometry,
    rates,
    stress,
    weights,
):
    """``P^T (S/L) P + d(P^T s)/dq``, and the damping term, of one element."""
    u, w, c, e, f, a, b = geometry
    damping, stiffness = weights
    small.set_triangle(s, PA, lie.transpose(a), lie.transpose(b))
    small.set_triangle(s, PB, a, b)
    small.load_matrix(s, SECTION, parameters, i, STIFFNESS)
    has_damping = codes[i, HAS_DAMPING] != 0
    if has_damping:
        small.load_matrix(s, VISCOUS, parameters, i, DAMPING)
        set_rate_matrix(s, XA, u, w, rates, c, e, f)
        small.multiply(s, XB, VISCOUS, XA)
        small.add_scaled(s, SECTION, 1.0, XB)
    small.multiply_transposed(s, XA, PA, SECTION)
    small.multiply_transposed(s, XB, PB, SECTION)
    add_stress_matrix(s, XA, 1.0, u, w, stress[0], stress[1], c, e, f)
    add_stress_matrix(s, XB, -1.0, u, w, stress[0], stress[1], c, e, f)
    if codes[i, HAS_OFFSETS] != 0:
        move_to_node(s, parameters, i, OFFSET_A, PA, XA)
        move_to_node(s, parameters, i, OFFSET_B, PB, XB)
    scatter_products(s, data, slots, i, stiffness)
    if has_damping and damping != 0.0:
        small.multiply_transposed(s, XA, PA, VISCOUS)
        small.multiply_transposed(s, XB, PB, VISCOUS)
        set_increment_map(s, TEMPORARY, increments, frames[i, 0])
        small.multiply(s, SECTION, PA, TEMPORARY)
        small.clear(s, PA)
        small.add_scaled(s, PA, 1.0, SECTION)
        set_increment_map(s, TEMPORARY, increments, frames[i, 1])
        small.multiply(s, SECTION, PB, TEMPORARY)
        small.clear(s, PB)
        small.add_scaled(s, PB, 1.0, SECTION)
        scatter_products(s, data, slots, i, damping)


@inline
def move_to_node(s, parameters, i, j, p, x):
    """``p <- p Ad^-1`` and ``x <- Ad^-T x`` for the offset at column ``j``."""
    set_end_map(
        s, ADJOINT, scatter.load3(parameters, i, j), offset_rotation(parameters, i, j)
    )
    small.multiply(s, TEMPORARY, p, ADJOINT)
    small.clear(s, p)
    small.add_scaled(s, p, 1.0, TEMPORARY)
    small.multiply_transposed(s, TEMPORARY, ADJOINT, x)
    small.clear(s, x)
    small.add_scaled(s, x, 1.0, TEMPORARY)


@kernel
def scatter_products(s, data, slots, i, weight):
    """``weight [[XA PA, -XA PB], [-XB PA, XB PB]]``."""
    small.multiply(s, TEMPORARY, XA, PA)
    small.scatter(s, TEMPORARY, data, slots, i, 12, 0, 0, weight)
    small.multiply(s, TEMPORARY, XA, PB)
    small.scatter(s, TEMPORARY, data, slots, i, 12, 0, 6, -weight)
    small.multiply(s, TEMPORARY, XB, PA)
    small.scatter(s, TEMPORARY, data, slots, i, 12, 6, 0, -weight)
    small.multiply(s, TEMPORARY, XB, PB)
    small.scatter(s, TEMPORARY, data, slots, i, 12, 6, 6, weight)


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


@kernel
def evaluate(motion, block, target, level, mass, damping, stiffness):
    """Residual and tangent of all elements (see the head of this file)."""
    frames = block.frames
    parameters = block.parameters
    codes = block.codes
    rows = block.rows
    slots = block.slots
    residual = target.residual
    data = target.data
    scales = target.scales
    velocities = motion.velocities
    accelerations = motion.accelerations
    increments = motion.increments
    wants_tangent = mass != 0.0 or damping != 0.0 or stiffness != 0.0
    is_static = motion.time[1] != 0.0
    s = np.zeros(N_MATRICES * small.SIZE)
    for i in range(frames.shape[0]):
        has_offset = codes[i, HAS_OFFSETS] != 0
        pa, qa = end_pose(
            motion.poses, frames[i, 0], parameters, i, OFFSET_A, has_offset
        )
        pb, qb = end_pose(
            motion.poses, frames[i, 1], parameters, i, OFFSET_B, has_offset
        )
        u, w, c, e, f = relative(pa, qa, pb, qb)
        a, b = lie.tangent_inverse_blocks(u, w, c, e)
        x, y = strain_gap(motion.signals, block.codes, parameters, i, u, w)
        n, m = section_product(parameters, i, STIFFNESS, x, y)
        rates = (lie.ZERO3, lie.ZERO3, lie.ZERO3, lie.ZERO3)
        if codes[i, HAS_DAMPING] != 0:
            va, wa = end_twist(
                motion.velocities, frames[i, 0], parameters, i, OFFSET_A, has_offset
            )
            vb, wb = end_twist(
                motion.velocities, frames[i, 1], parameters, i, OFFSET_B, has_offset
            )
            rates = (va, wa, vb, wb)
            x, y = strain_rate(a, b, va, wa, vb, wb)
            x, y = section_product(parameters, i, DAMPING, x, y)
            n = lie.add(n, x)
            m = lie.add(m, y)
        fa = lie.scale(-1.0, lie.apply(a, n))
        ma = lie.scale(-1.0, lie.add(lie.apply(b, n), lie.apply(a, m)))
        fb = lie.apply_transposed(a, n)
        mb = lie.add(lie.apply_transposed(b, n), lie.apply_transposed(a, m))
        if has_offset:
            fa, ma = end_wrench_to_node(parameters, i, OFFSET_A, fa, ma)
            fb, mb = end_wrench_to_node(parameters, i, OFFSET_B, fb, mb)
        scatter.add_wrench(residual, scales, rows, i, 0, fa, ma)
        scatter.add_wrench(residual, scales, rows, i, 6, fb, mb)
        length = parameters[i, LENGTH]
        reach = abs(pa[0]) + abs(pa[1]) + abs(pa[2]) + length
        floor = ROUNDING * parameters[i, FLOOR] * reach
        scales[2] = max(scales[2], floor)
        scales[3] = max(scales[3], floor * length)
        if wants_tangent and (stiffness != 0.0 or codes[i, HAS_DAMPING] != 0):
            if is_static:
                n = scatter.load3(block.iterates, i, 0)
                m = scatter.load3(block.iterates, i, 3)
            internal_tangent(
                s,
                increments,
                frames,
                codes,
                parameters,
                data,
                slots,
                i,
                (u, w, c, e, f, a, b),
                rates,
                (n, m),
                (damping, stiffness),
            )
        if codes[i, HAS_INERTIA] != 0 and not is_static:
            turn = lie.rotation_matrix(
                lie.quaternion_multiply(lie.quaternion_conjugate(qa), qb)
            )
            moved = has_offset or codes[i, HAS_INERTIA_OFFSETS] != 0
            ends = inertia_residual(
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
            )
            if wants_tangent:
                weights = (mass, damping, stiffness)
                inertia_tangent(
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
                )


@kernel
def carry(motion, block, moves, fraction, mode):
    """Stress iterate: from the shape (mode RESET), or as the linear solve predicts.

    ``s += fraction ((S/L)(x + P dq) - s)`` with P and x of the old place.
    """
    frames = block.frames
    parameters = block.parameters
    for i in range(frames.shape[0]):
        if mode == 2:
            continue
        has_offset = block.codes[i, HAS_OFFSETS] != 0
        pa, qa = end_pose(
            motion.poses, frames[i, 0], parameters, i, OFFSET_A, has_offset
        )
        pb, qb = end_pose(
            motion.poses, frames[i, 1], parameters, i, OFFSET_B, has_offset
        )
        u, w, c, e, f = relative(pa, qa, pb, qb)
        x, y = strain_gap(motion.signals, block.codes, parameters, i, u, w)
        share = 1.0
        if mode == 1:
            a, b = lie.tangent_inverse_blocks(u, w, c, e)
            va, wa = end_twist(moves, frames[i, 0], parameters, i, OFFSET_A, has_offset)
            vb, wb = end_twist(moves, frames[i, 1], parameters, i, OFFSET_B, has_offset)
            dx, dy = strain_rate(a, b, va, wa, vb, wb)
            x = lie.add(x, dx)
            y = lie.add(y, dy)
            share = fraction
        n, m = section_product(parameters, i, STIFFNESS, x, y)
        for k in range(3):
            block.iterates[i, k] += share * (n[k] - block.iterates[i, k])
            block.iterates[i, k + 3] += share * (m[k] - block.iterates[i, k + 3])


@kernel
def observe(motion, block, output, energies):
    """Section forces (N, Vy, Vz, T, My, Mz) at both ends and the middle; energies."""
    frames = block.frames
    parameters = block.parameters
    codes = block.codes
    for i in range(frames.shape[0]):
        has_offset = codes[i, HAS_OFFSETS] != 0
        pa, qa = end_pose(
            motion.poses, frames[i, 0], parameters, i, OFFSET_A, has_offset
        )
        pb, qb = end_pose(
            motion.poses, frames[i, 1], parameters, i, OFFSET_B, has_offset
        )
        u, w, c, e, f = relative(pa, qa, pb, qb)
        a, b = lie.tangent_inverse_blocks(u, w, c, e)
        x, y = strain_gap(motion.signals, block.codes, parameters, i, u, w)
        n, m = section_product(parameters, i, STIFFNESS, x, y)
        energies[1] += 0.5 * (lie.dot(n, x) + lie.dot(m, y))
        signal = codes[i, REST_SIGNAL]
        if signal >= 0:
            # what drives the rest strain works like a motor
            work = lie.dot(n, scatter.load3(parameters, i, REST)) + lie.dot(
                m, scatter.load3(parameters, i, REST + 3)
            )
            energies[4] -= motion.signals[signal, 1] * work
        if codes[i, HAS_DAMPING] != 0:
            va, wa = end_twist(
                motion.velocities, frames[i, 0], parameters, i, OFFSET_A, has_offset
            )
            vb, wb = end_twist(
                motion.velocities, frames[i, 1], parameters, i, OFFSET_B, has_offset
            )
            x, y = strain_rate(a, b, va, wa, vb, wb)
            dn, dm = section_product(parameters, i, DAMPING, x, y)
            energies[5] += lie.dot(dn, x) + lie.dot(dm, y)
            n = lie.add(n, dn)
            m = lie.add(m, dm)
        force = lie.apply(a, n)
        moment = lie.add(lie.apply(b, n), lie.apply(a, m))
        half = lie.scale(0.5, w)
        arm = lie.exp_translation(lie.scale(0.5, u), half)
        turn = lie.quaternion_conjugate(lie.quaternion_exp(half))
        middle = lie.quaternion_rotate(turn, force)
        bending = lie.quaternion_rotate(
            turn, lie.subtract(moment, lie.cross(arm, force))
        )
        end = lie.apply_transposed(a, n)
        twist = lie.add(lie.apply_transposed(b, n), lie.apply_transposed(a, m))
        for k in range(3):
            output[i, k] = force[k]
            output[i, 3 + k] = moment[k]
            output[i, 6 + k] = middle[k]
            output[i, 9 + k] = bending[k]
            output[i, 12 + k] = end[k]
            output[i, 15 + k] = twist[k]
        if codes[i, HAS_INERTIA] != 0:
            turn = lie.quaternion_multiply(lie.quaternion_conjugate(qa), qb)
            observe_inertia(
                motion.velocities,
                motion.accelerations,
                frames,
                codes,
                parameters,
                i,
                turn,
                energies,
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
    coupling = lie.dot(ua, lie.quaternion_rotate(turn, ub))
    square = (lie.dot(ua, ua) + lie.dot(ub, ub) + coupling) / 3.0
    spin = lie.dot(wa, lie.apply(rotary, wa)) + lie.dot(wb, lie.apply(rotary, wb))
    energies[0] += 0.5 * (parameters[i, MASS] * square + spin)
    energies[5] += parameters[i, DRAG] * square + parameters[i, ROTARY_DRAG] * spin
