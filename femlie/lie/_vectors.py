"""Scalar building blocks of all kernels: 3-tuples, 3x3 tuples (row-major), quaternions.

Everything here is inlined into compiled loops and also runs as plain Python. Vectors
are 3-tuples, matrices 9-tuples in row-major order, quaternions 4-tuples (w first).
"""

from __future__ import annotations

import math

from .._jit import inline

ZERO3 = (0.0, 0.0, 0.0)
ZERO33 = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
IDENTITY33 = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


@inline
def add(a, b):
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


@inline
def subtract(a, b):
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@inline
def scale(factor, a):
    return (factor * a[0], factor * a[1], factor * a[2])


@inline
def add_scaled(a, factor, b):
    return (a[0] + factor * b[0], a[1] + factor * b[1], a[2] + factor * b[2])


@inline
def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inline
def norm(a):
    return math.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])


@inline
def cross(a, b):
    a0, a1, a2 = a
    b0, b1, b2 = b
    return (
        a1 * b2 - a2 * b1,
        a2 * b0 - a0 * b2,
        a0 * b1 - a1 * b0,
    )


@inline
def hat(a):
    """Matrix of ``x -> a x x``."""
    a0, a1, a2 = a
    return (0.0, -a2, a1, a2, 0.0, -a0, -a1, a0, 0.0)


@inline
def outer(a, b):
    a0, a1, a2 = a
    b0, b1, b2 = b
    return (
        a0 * b0, a0 * b1, a0 * b2,
        a1 * b0, a1 * b1, a1 * b2,
        a2 * b0, a2 * b1, a2 * b2,
    )  # fmt: skip


@inline
def matrix_add(a, b):
    a0, a1, a2, a3, a4, a5, a6, a7, a8 = a
    b0, b1, b2, b3, b4, b5, b6, b7, b8 = b
    return (
        a0 + b0, a1 + b1, a2 + b2,
        a3 + b3, a4 + b4, a5 + b5,
        a6 + b6, a7 + b7, a8 + b8,
    )  # fmt: skip


@inline
def matrix_scale(factor, a):
    a0, a1, a2, a3, a4, a5, a6, a7, a8 = a
    return (
        factor * a0, factor * a1, factor * a2,
        factor * a3, factor * a4, factor * a5,
        factor * a6, factor * a7, factor * a8,
    )  # fmt: skip


@inline
def matrix_add_scaled(a, factor, b):
    a0, a1, a2, a3, a4, a5, a6, a7, a8 = a
    b0, b1, b2, b3, b4, b5, b6, b7, b8 = b
    return (
        a0 + factor * b0, a1 + factor * b1, a2 + factor * b2,
        a3 + factor * b3, a4 + factor * b4, a5 + factor * b5,
        a6 + factor * b6, a7 + factor * b7, a8 + factor * b8,
    )  # fmt: skip


@inline
def transpose(a):
    a0, a1, a2, a3, a4, a5, a6, a7, a8 = a
    return (a0, a3, a6, a1, a4, a7, a2, a5, a8)


@inline
def multiply(a, b):
    a0, a1, a2, a3, a4, a5, a6, a7, a8 = a
    b0, b1, b2, b3, b4, b5, b6, b7, b8 = b
    return (
        a0 * b0 + a1 * b3 + a2 * b6,
        a0 * b1 + a1 * b4 + a2 * b7,
        a0 * b2 + a1 * b5 + a2 * b8,
        a3 * b0 + a4 * b3 + a5 * b6,
        a3 * b1 + a4 * b4 + a5 * b7,
        a3 * b2 + a4 * b5 + a5 * b8,
        a6 * b0 + a7 * b3 + a8 * b6,
        a6 * b1 + a7 * b4 + a8 * b7,
        a6 * b2 + a7 * b5 + a8 * b8,
    )


@inline
def multiply_transposed(a, b):
    """``a.T @ b``."""
    a0, a1, a2, a3, a4, a5, a6, a7, a8 = a
    b0, b1, b2, b3, b4, b5, b6, b7, b8 = b
    return (
        a0 * b0 + a3 * b3 + a6 * b6,
        a0 * b1 + a3 * b4 + a6 * b7,
        a0 * b2 + a3 * b5 + a6 * b8,
        a1 * b0 + a4 * b3 + a7 * b6,
        a1 * b1 + a4 * b4 + a7 * b7,
        a1 * b2 + a4 * b5 + a7 * b8,
        a2 * b0 + a5 * b3 + a8 * b6,
        a2 * b1 + a5 * b4 + a8 * b7,
        a2 * b2 + a5 * b5 + a8 * b8,
    )


@inline
def times_transposed(a, b):
    """``a @ b.T``."""
    a0, a1, a2, a3, a4, a5, a6, a7, a8 = a
    b0, b1, b2, b3, b4, b5, b6, b7, b8 = b
    return (
        a0 * b0 + a1 * b1 + a2 * b2,
        a0 * b3 + a1 * b4 + a2 * b5,
        a0 * b6 + a1 * b7 + a2 * b8,
        a3 * b0 + a4 * b1 + a5 * b2,
        a3 * b3 + a4 * b4 + a5 * b5,
        a3 * b6 + a4 * b7 + a5 * b8,
        a6 * b0 + a7 * b1 + a8 * b2,
        a6 * b3 + a7 * b4 + a8 * b5,
        a6 * b6 + a7 * b7 + a8 * b8,
    )


@inline
def hat_times(p, m):
    """``hat(p) @ m``."""
    p0, p1, p2 = p
    m0, m1, m2, m3, m4, m5, m6, m7, m8 = m
    return (
        p1 * m6 - p2 * m3, p1 * m7 - p2 * m4, p1 * m8 - p2 * m5,
        p2 * m0 - p0 * m6, p2 * m1 - p0 * m7, p2 * m2 - p0 * m8,
        p0 * m3 - p1 * m0, p0 * m4 - p1 * m1, p0 * m5 - p1 * m2,
    )  # fmt: skip


@inline
def times_hat(m, p):
    """``m @ hat(p)``."""
    m0, m1, m2, m3, m4, m5, m6, m7, m8 = m
    p0, p1, p2 = p
    return (
        m1 * p2 - m2 * p1, m2 * p0 - m0 * p2, m0 * p1 - m1 * p0,
        m4 * p2 - m5 * p1, m5 * p0 - m3 * p2, m3 * p1 - m4 * p0,
        m7 * p2 - m8 * p1, m8 * p0 - m6 * p2, m6 * p1 - m7 * p0,
    )  # fmt: skip


@inline
def matrix_subtract(a, b):
    a0, a1, a2, a3, a4, a5, a6, a7, a8 = a
    b0, b1, b2, b3, b4, b5, b6, b7, b8 = b
    return (
        a0 - b0, a1 - b1, a2 - b2,
        a3 - b3, a4 - b4, a5 - b5,
        a6 - b6, a7 - b7, a8 - b8,
    )  # fmt: skip


@inline
def scale_columns(a, x):
    """``a @ diag(x)``."""
    a0, a1, a2, a3, a4, a5, a6, a7, a8 = a
    x0, x1, x2 = x
    return (
        a0 * x0, a1 * x1, a2 * x2,
        a3 * x0, a4 * x1, a5 * x2,
        a6 * x0, a7 * x1, a8 * x2,
    )  # fmt: skip


@inline
def apply(a, x):
    """``a @ x``."""
    a0, a1, a2, a3, a4, a5, a6, a7, a8 = a
    x0, x1, x2 = x
    return (
        a0 * x0 + a1 * x1 + a2 * x2,
        a3 * x0 + a4 * x1 + a5 * x2,
        a6 * x0 + a7 * x1 + a8 * x2,
    )


@inline
def apply_transposed(a, x):
    """``a.T @ x``."""
    a0, a1, a2, a3, a4, a5, a6, a7, a8 = a
    x0, x1, x2 = x
    return (
        a0 * x0 + a3 * x1 + a6 * x2,
        a1 * x0 + a4 * x1 + a7 * x2,
        a2 * x0 + a5 * x1 + a8 * x2,
    )


@inline
def rotation_matrix(q):
    """Rotation matrix of a unit quaternion (w first)."""
    w, x, y, z = q
    return (
        1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y),
        2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x),
        2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y),
    )  # fmt: skip


@inline
def quaternion_multiply(a, b):
    a0, a1, a2, a3 = a
    b0, b1, b2, b3 = b
    return (
        a0 * b0 - a1 * b1 - a2 * b2 - a3 * b3,
        a0 * b1 + a1 * b0 + a2 * b3 - a3 * b2,
        a0 * b2 - a1 * b3 + a2 * b0 + a3 * b1,
        a0 * b3 + a1 * b2 - a2 * b1 + a3 * b0,
    )


@inline
def quaternion_conjugate(a):
    return (a[0], -a[1], -a[2], -a[3])


@inline
def quaternion_normalize(a):
    a0, a1, a2, a3 = a
    size = math.sqrt(a0 * a0 + a1 * a1 + a2 * a2 + a3 * a3)
    return (a0 / size, a1 / size, a2 / size, a3 / size)


@inline
def quaternion_rotate(q, x):
    """``R(q) @ x``."""
    v = (q[1], q[2], q[3])
    t = scale(2.0, cross(v, x))
    return add(add_scaled(x, q[0], t), cross(v, t))


@inline
def quaternion_from_matrix(r):
    """Unit quaternion with ``w >= 0`` of a rotation matrix (Shepperd's method).

    The largest component is the pivot, so that no difference of close numbers is
    divided by: exact to rounding at half a turn, and for a trace a little out of range.
    """
    trace = r[0] + r[4] + r[8]
    if trace >= r[0] and trace >= r[4] and trace >= r[8]:
        q = (1.0 + trace, r[7] - r[5], r[2] - r[6], r[3] - r[1])
    elif r[0] >= r[4] and r[0] >= r[8]:
        q = (r[7] - r[5], 1.0 + r[0] - r[4] - r[8], r[1] + r[3], r[2] + r[6])
    elif r[4] >= r[8]:
        q = (r[2] - r[6], r[1] + r[3], 1.0 + r[4] - r[0] - r[8], r[5] + r[7])
    else:
        q = (r[3] - r[1], r[2] + r[6], r[5] + r[7], 1.0 + r[8] - r[0] - r[4])
    q = quaternion_normalize(q)
    if q[0] < 0.0:
        q = (-q[0], -q[1], -q[2], -q[3])
    return q
