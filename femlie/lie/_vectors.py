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
    return (
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    )


@inline
def hat(a):
    """Matrix of ``x -> a x x``."""
    return (0.0, -a[2], a[1], a[2], 0.0, -a[0], -a[1], a[0], 0.0)


@inline
def outer(a, b):
    return (
        a[0] * b[0], a[0] * b[1], a[0] * b[2],
        a[1] * b[0], a[1] * b[1], a[1] * b[2],
        a[2] * b[0], a[2] * b[1], a[2] * b[2],
    )  # fmt: skip


@inline
def matrix_add(a, b):
    return (
        a[0] + b[0], a[1] + b[1], a[2] + b[2],
        a[3] + b[3], a[4] + b[4], a[5] + b[5],
        a[6] + b[6], a[7] + b[7], a[8] + b[8],
    )  # fmt: skip


@inline
def matrix_scale(factor, a):
    return (
        factor * a[0], factor * a[1], factor * a[2],
        factor * a[3], factor * a[4], factor * a[5],
        factor * a[6], factor * a[7], factor * a[8],
    )  # fmt: skip


@inline
def matrix_add_scaled(a, factor, b):
    return (
        a[0] + factor * b[0], a[1] + factor * b[1], a[2] + factor * b[2],
        a[3] + factor * b[3], a[4] + factor * b[4], a[5] + factor * b[5],
        a[6] + factor * b[6], a[7] + factor * b[7], a[8] + factor * b[8],
    )  # fmt: skip


@inline
def transpose(a):
    return (a[0], a[3], a[6], a[1], a[4], a[7], a[2], a[5], a[8])


@inline
def multiply(a, b):
    return (
        a[0] * b[0] + a[1] * b[3] + a[2] * b[6],
        a[0] * b[1] + a[1] * b[4] + a[2] * b[7],
        a[0] * b[2] + a[1] * b[5] + a[2] * b[8],
        a[3] * b[0] + a[4] * b[3] + a[5] * b[6],
        a[3] * b[1] + a[4] * b[4] + a[5] * b[7],
        a[3] * b[2] + a[4] * b[5] + a[5] * b[8],
        a[6] * b[0] + a[7] * b[3] + a[8] * b[6],
        a[6] * b[1] + a[7] * b[4] + a[8] * b[7],
        a[6] * b[2] + a[7] * b[5] + a[8] * b[8],
    )


@inline
def multiply_transposed(a, b):
    """``a.T @ b``."""
    return (
        a[0] * b[0] + a[3] * b[3] + a[6] * b[6],
        a[0] * b[1] + a[3] * b[4] + a[6] * b[7],
        a[0] * b[2] + a[3] * b[5] + a[6] * b[8],
        a[1] * b[0] + a[4] * b[3] + a[7] * b[6],
        a[1] * b[1] + a[4] * b[4] + a[7] * b[7],
        a[1] * b[2] + a[4] * b[5] + a[7] * b[8],
        a[2] * b[0] + a[5] * b[3] + a[8] * b[6],
        a[2] * b[1] + a[5] * b[4] + a[8] * b[7],
        a[2] * b[2] + a[5] * b[5] + a[8] * b[8],
    )


@inline
def times_transposed(a, b):
    """``a @ b.T``."""
    return (
        a[0] * b[0] + a[1] * b[1] + a[2] * b[2],
        a[0] * b[3] + a[1] * b[4] + a[2] * b[5],
        a[0] * b[6] + a[1] * b[7] + a[2] * b[8],
        a[3] * b[0] + a[4] * b[1] + a[5] * b[2],
        a[3] * b[3] + a[4] * b[4] + a[5] * b[5],
        a[3] * b[6] + a[4] * b[7] + a[5] * b[8],
        a[6] * b[0] + a[7] * b[1] + a[8] * b[2],
        a[6] * b[3] + a[7] * b[4] + a[8] * b[5],
        a[6] * b[6] + a[7] * b[7] + a[8] * b[8],
    )


@inline
def hat_times(p, m):
    """``hat(p) @ m``."""
    return (
        p[1] * m[6] - p[2] * m[3], p[1] * m[7] - p[2] * m[4], p[1] * m[8] - p[2] * m[5],
        p[2] * m[0] - p[0] * m[6], p[2] * m[1] - p[0] * m[7], p[2] * m[2] - p[0] * m[8],
        p[0] * m[3] - p[1] * m[0], p[0] * m[4] - p[1] * m[1], p[0] * m[5] - p[1] * m[2],
    )  # fmt: skip


@inline
def times_hat(m, p):
    """``m @ hat(p)``."""
    return (
        m[1] * p[2] - m[2] * p[1], m[2] * p[0] - m[0] * p[2], m[0] * p[1] - m[1] * p[0],
        m[4] * p[2] - m[5] * p[1], m[5] * p[0] - m[3] * p[2], m[3] * p[1] - m[4] * p[0],
        m[7] * p[2] - m[8] * p[1], m[8] * p[0] - m[6] * p[2], m[6] * p[1] - m[7] * p[0],
    )  # fmt: skip


@inline
def matrix_subtract(a, b):
    return (
        a[0] - b[0], a[1] - b[1], a[2] - b[2],
        a[3] - b[3], a[4] - b[4], a[5] - b[5],
        a[6] - b[6], a[7] - b[7], a[8] - b[8],
    )  # fmt: skip


@inline
def scale_columns(a, x):
    """``a @ diag(x)``."""
    return (
        a[0] * x[0], a[1] * x[1], a[2] * x[2],
        a[3] * x[0], a[4] * x[1], a[5] * x[2],
        a[6] * x[0], a[7] * x[1], a[8] * x[2],
    )  # fmt: skip


@inline
def apply(a, x):
    """``a @ x``."""
    return (
        a[0] * x[0] + a[1] * x[1] + a[2] * x[2],
        a[3] * x[0] + a[4] * x[1] + a[5] * x[2],
        a[6] * x[0] + a[7] * x[1] + a[8] * x[2],
    )


@inline
def apply_transposed(a, x):
    """``a.T @ x``."""
    return (
        a[0] * x[0] + a[3] * x[1] + a[6] * x[2],
        a[1] * x[0] + a[4] * x[1] + a[7] * x[2],
        a[2] * x[0] + a[5] * x[1] + a[8] * x[2],
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
    return (
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    )


@inline
def quaternion_conjugate(a):
    return (a[0], -a[1], -a[2], -a[3])


@inline
def quaternion_normalize(a):
    size = math.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2] + a[3] * a[3])
    return (a[0] / size, a[1] / size, a[2] / size, a[3] / size)


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
