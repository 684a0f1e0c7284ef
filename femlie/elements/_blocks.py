"""6x6 matrices as four 3x3 tuples: upper left, upper right, lower left, lower right.

Scalar code without arrays: what is zero is never multiplied. A triangle ``(a, b)``
stands for ``[[a, b], [0, a]]``, the shape of adjoints and of tangent operators.
"""

from __future__ import annotations

import numpy as np

from .._jit import inline
from ..lie import _kernels as lie

WIDTH = 12  # of the matrix of an element with two frames, kept column by column


@inline
def load_block(array, i, j):
    """3x3 part of a 6x6 that is stored row by row and begins at column ``j``."""
    return (
        array[i, j], array[i, j + 1], array[i, j + 2],
        array[i, j + 6], array[i, j + 7], array[i, j + 8],
        array[i, j + 12], array[i, j + 13], array[i, j + 14],
    )  # fmt: skip


@inline
def load(array, i, j):
    """The 6x6 at column ``j``."""
    return (
        load_block(array, i, j),
        load_block(array, i, j + 3),
        load_block(array, i, j + 18),
        load_block(array, i, j + 21),
    )


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


@inline
def set_block(s, first, m):
    s[first], s[first + 1], s[first + 2] = m[0], m[3], m[6]
    s[first + 12], s[first + 13], s[first + 14] = m[1], m[4], m[7]
    s[first + 24], s[first + 25], s[first + 26] = m[2], m[5], m[8]


@inline
def store(s, row, column, factor, m):
    """Write ``factor m`` at ``(row, column)`` of the element matrix ``s``."""
    first = WIDTH * column + row
    set_block(s, first, lie.matrix_scale(factor, m[0]))
    set_block(s, first + 36, lie.matrix_scale(factor, m[1]))
    set_block(s, first + 3, lie.matrix_scale(factor, m[2]))
    set_block(s, first + 39, lie.matrix_scale(factor, m[3]))


@inline
def add_block(s, first, m):
    s[first] += m[0]
    s[first + 1] += m[3]
    s[first + 2] += m[6]
    s[first + 12] += m[1]
    s[first + 13] += m[4]
    s[first + 14] += m[7]
    s[first + 24] += m[2]
    s[first + 25] += m[5]
    s[first + 26] += m[8]


@inline
def accumulate(s, row, column, m):
    """Add ``m`` at ``(row, column)`` of the element matrix ``s``."""
    first = WIDTH * column + row
    add_block(s, first, m[0])
    add_block(s, first + 36, m[1])
    add_block(s, first + 3, m[2])
    add_block(s, first + 39, m[3])


@inline
def scatter(s, data, slots, i):
    """Add the element matrix, column by column, to the CSC data.

    The rows of a free frame lie one after another in each column.
    """
    for column in range(WIDTH):
        for row in range(0, WIDTH, 6):
            place = WIDTH * row + column
            entry = WIDTH * column + row
            first = np.int64(slots[i, place])
            if np.int64(slots[i, place + 5 * WIDTH]) == first + 5:
                for k in range(6):
                    data[first + k] += s[entry + k]
            else:
                for k in range(6):
                    data[slots[i, place + WIDTH * k]] += s[entry + k]
