"""6x6 matrices in one scratch array: rows of eight numbers, so that loops vectorize.

A matrix is the place of its first entry in the scratch array ``s``; matrices lie
``SIZE`` numbers apart. The two spare numbers of each row carry no meaning.
"""

from __future__ import annotations

from .._jit import inline

STRIDE = 8
SIZE = 48


@inline
def multiply(s, out, a, b):
    """``out = a @ b``; ``out`` is neither ``a`` nor ``b``."""
    for i in range(6):
        row = a + STRIDE * i
        for j in range(STRIDE):
            s[out + STRIDE * i + j] = (
                s[row] * s[b + j]
                + s[row + 1] * s[b + 8 + j]
                + s[row + 2] * s[b + 16 + j]
                + s[row + 3] * s[b + 24 + j]
                + s[row + 4] * s[b + 32 + j]
                + s[row + 5] * s[b + 40 + j]
            )


@inline
def multiply_transposed(s, out, a, b):
    """``out = a.T @ b``; ``out`` is neither ``a`` nor ``b``."""
    for i in range(6):
        column = a + i
        for j in range(STRIDE):
            s[out + STRIDE * i + j] = (
                s[column] * s[b + j]
                + s[column + 8] * s[b + 8 + j]
                + s[column + 16] * s[b + 16 + j]
                + s[column + 24] * s[b + 24 + j]
                + s[column + 32] * s[b + 32 + j]
                + s[column + 40] * s[b + 40 + j]
            )


@inline
def add_scaled(s, out, factor, a):
    """``out += factor a``."""
    for j in range(SIZE):
        s[out + j] += factor * s[a + j]


@inline
def clear(s, out):
    for j in range(SIZE):
        s[out + j] = 0.0


@inline
def set_block(s, out, row, column, m):
    """Write a 3x3 tuple at ``(row, column)``."""
    first = out + STRIDE * row + column
    s[first], s[first + 1], s[first + 2] = m[0], m[1], m[2]
    s[first + 8], s[first + 9], s[first + 10] = m[3], m[4], m[5]
    s[first + 16], s[first + 17], s[first + 18] = m[6], m[7], m[8]


@inline
def add_block(s, out, row, column, factor, m):
    """Add ``factor`` times a 3x3 tuple at ``(row, column)``."""
    first = out + STRIDE * row + column
    s[first] += factor * m[0]
    s[first + 1] += factor * m[1]
    s[first + 2] += factor * m[2]
    s[first + 8] += factor * m[3]
    s[first + 9] += factor * m[4]
    s[first + 10] += factor * m[5]
    s[first + 16] += factor * m[6]
    s[first + 17] += factor * m[7]
    s[first + 18] += factor * m[8]


@inline
def set_triangle(s, out, a, b):
    """``[[a, b], [0, a]]``: adjoints and tangent operators."""
    clear(s, out)
    set_block(s, out, 0, 0, a)
    set_block(s, out, 0, 3, b)
    set_block(s, out, 3, 3, a)


@inline
def load_matrix(s, out, array, i, j):
    """The 36 numbers of ``array[i, j:]``, row by row."""
    for row in range(6):
        for column in range(6):
            s[out + STRIDE * row + column] = array[i, j + 6 * row + column]


@inline
def scatter(s, a, data, slots, i, width, row, column, factor):
    """Add ``factor a`` to the CSC data at ``(row, column)`` of the element matrix."""
    for k in range(6):
        first = (row + k) * width + column
        for j in range(6):
            data[slots[i, first + j]] += factor * s[a + STRIDE * k + j]
