"""Layout of a beam element's numbers, and the geometry that its kernels share."""

from __future__ import annotations

from .._jit import inline
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
