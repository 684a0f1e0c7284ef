"""6x6 matrices as four 3x3 tuples: upper left, upper right, lower left, lower right.

Scalar code without arrays: what is zero is never multiplied. A triangle ``(a, b)``
stands for ``[[a, b], [0, a]]``, the shape of adjoints and of tangent operators.
"""

from __future__ import annotations

from .._jit import inline
from ..lie import _kernels as lie


@inline
def scale(factor, m):
    return (
        lie.matrix_scale(factor, m[0]),
        lie.matrix_scale(factor, m[1]),
        lie.matrix_scale(factor, m[2]),
        lie.matrix_scale(factor, m[3]),
    )


@inline
def add(m, n):
    return (
        lie.matrix_add(m[0], n[0]),
        lie.matrix_add(m[1], n[1]),
        lie.matrix_add(m[2], n[2]),
        lie.matrix_add(m[3], n[3]),
    )


@inline
def times_triangle(m, triangle):
    """``m [[a, b], [0, a]]``."""
    a, b = triangle
    return (
        lie.multiply(m[0], a),
        lie.matrix_add(lie.multiply(m[0], b), lie.multiply(m[1], a)),
        lie.multiply(m[2], a),
        lie.matrix_add(lie.multiply(m[2], b), lie.multiply(m[3], a)),
    )


@inline
def triangle_transposed_times(triangle, m):
    """``[[a, b], [0, a]]^T m``."""
    a, b = triangle
    return (
        lie.multiply_transposed(a, m[0]),
        lie.multiply_transposed(a, m[1]),
        lie.matrix_add(
            lie.multiply_transposed(b, m[0]), lie.multiply_transposed(a, m[2])
        ),
        lie.matrix_add(
            lie.multiply_transposed(b, m[1]), lie.multiply_transposed(a, m[3])
        ),
    )


@inline
def multiply_triangles(first, second):
    """The triangle ``first second``."""
    a, b = first
    c, d = second
    return lie.multiply(a, c), lie.matrix_add(lie.multiply(a, d), lie.multiply(b, c))


@inline
def move_columns(m, p, r):
    """``m Ad^-1`` of the frame ``(p, r)``."""
    first = lie.times_transposed(m[0], r)
    second = lie.times_transposed(m[2], r)
    return (
        first,
        lie.matrix_subtract(lie.times_transposed(m[1], r), lie.times_hat(first, p)),
        second,
        lie.matrix_subtract(lie.times_transposed(m[3], r), lie.times_hat(second, p)),
    )


@inline
def move_rows(m, p, r):
    """``Ad^-T m`` of the frame ``(p, r)``."""
    first = lie.multiply(r, m[0])
    second = lie.multiply(r, m[1])
    return (
        first,
        second,
        lie.matrix_add(lie.multiply(r, m[2]), lie.hat_times(p, first)),
        lie.matrix_add(lie.multiply(r, m[3]), lie.hat_times(p, second)),
    )
