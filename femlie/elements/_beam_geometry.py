"""Layout of a beam element's numbers, and the geometry that its kernels share."""

from __future__ import annotations

from .._jit import inline
from ..lie import _kernels as lie
from . import _scatter as scatter

# columns of the integer codes
HAS_OFFSETS, HAS_INERTIA_OFFSETS, HAS_DAMPING, HAS_INERTIA, REST_SIGNAL = range(5)
IS_DIAGONAL = 5  # the stiffness has no entry off the diagonal
N_CODES = 6
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
ROUNDING = 2.220446049250313e-16


@inline
def load_turn(parameters, i, j):
    """Quaternion of the offset at column ``j``."""
    return (
        parameters[i, j + 3],
        parameters[i, j + 4],
        parameters[i, j + 5],
        parameters[i, j + 6],
    )


@inline
def offset_rotation(parameters, i, j):
    return lie.rotation_matrix(load_turn(parameters, i, j))


@inline
def between_nodes(poses, frames, i):
    """Place and quaternion of the second node in the frame of the first."""
    pa = scatter.load_position(poses, frames[i, 0])
    pb = scatter.load_position(poses, frames[i, 1])
    back = lie.quaternion_conjugate(scatter.load_quaternion(poses, frames[i, 0]))
    return lie.quaternion_rotate(back, lie.subtract(pb, pa)), lie.quaternion_multiply(
        back, scatter.load_quaternion(poses, frames[i, 1])
    )


@inline
def between_ends(parameters, i, p, q, has_offset):
    """The same for the two sections, from ``(p, q)`` of the nodes."""
    if has_offset:
        first = scatter.load3(parameters, i, OFFSET_A)
        second = scatter.load3(parameters, i, OFFSET_B)
        back = lie.quaternion_conjugate(load_turn(parameters, i, OFFSET_A))
        p = lie.add(p, lie.quaternion_rotate(q, second))
        p = lie.quaternion_rotate(back, lie.subtract(p, first))
        q = lie.quaternion_multiply(q, load_turn(parameters, i, OFFSET_B))
        q = lie.quaternion_multiply(back, q)
    return p, q


@inline
def logarithm(p, q):
    """``u, w`` of the frame ``(p, q)``, and the coefficients ``c, e`` at ``w``."""
    w = lie.quaternion_log(q)
    c, e = lie.inverse_coefficients(lie.dot(w, w))
    return lie.log_translation(p, w, c), w, c, e


@inline
def transported(p, r, u, w):
    """Twist of a frame at constant offset ``(p, r)``: ``Ad^-1 (u, w)``."""
    return lie.apply_transposed(r, lie.add(u, lie.cross(w, p))), lie.apply_transposed(
        r, w
    )


@inline
def section_force(parameters, codes, i, x, y):
    """``(S/L) (x, y)``."""
    if codes[i, IS_DIAGONAL] != 0:
        j = STIFFNESS
        n = (
            parameters[i, j] * x[0],
            parameters[i, j + 7] * x[1],
            parameters[i, j + 14] * x[2],
        )
        m = (
            parameters[i, j + 21] * y[0],
            parameters[i, j + 28] * y[1],
            parameters[i, j + 35] * y[2],
        )
    else:
        n, m = section_product(parameters, i, STIFFNESS, x, y)
    return n, m


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
def move_wrench(p, r, force, moment):
    """Wrench on the frame ``(p, r)`` seen from the frame it is given in: ``Ad^-T``."""
    f = lie.apply(r, force)
    return f, lie.add(lie.apply(r, moment), lie.cross(p, f))


@inline
def end_wrench(parameters, i, triangle, n, m, has_offset):
    """Internal wrench on the second node: ``T^-T`` of the stress, moved to the node."""
    a, b = triangle
    force = lie.apply_transposed(a, n)
    moment = lie.add(lie.apply_transposed(b, n), lie.apply_transposed(a, m))
    if has_offset:
        p = scatter.load3(parameters, i, OFFSET_B)
        r = offset_rotation(parameters, i, OFFSET_B)
        force, moment = move_wrench(p, r, force, moment)
    return force, moment
