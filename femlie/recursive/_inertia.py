"""Inertias of 6x6 numbers by their blocks, and how they are carried to a parent.

Featherstone 2008.
"""

from __future__ import annotations

from .._jit import inline, routine
from ..elements._scatter import load3, load9
from ..lie import _kernels as lie


@inline
def load_block(matrices, b, i, j):
    """3x3 block of a 6x6 matrix as a tuple."""
    return (
        matrices[b, i, j], matrices[b, i, j + 1], matrices[b, i, j + 2],
        matrices[b, i + 1, j], matrices[b, i + 1, j + 1], matrices[b, i + 1, j + 2],
        matrices[b, i + 2, j], matrices[b, i + 2, j + 1], matrices[b, i + 2, j + 2],
    )  # fmt: skip


@inline
def load_symmetric(matrices, b, i):
    """Symmetric 3x3 block on the diagonal: xx, xy, xz, yy, yz, zz."""
    return (
        matrices[b, i, i], matrices[b, i, i + 1], matrices[b, i, i + 2],
        matrices[b, i + 1, i + 1], matrices[b, i + 1, i + 2],
        matrices[b, i + 2, i + 2],
    )  # fmt: skip


@inline
def load_row(rows, b, i):
    return (
        rows[b, i, 0], rows[b, i, 1], rows[b, i, 2],
        rows[b, i, 3], rows[b, i, 4], rows[b, i, 5],
    )  # fmt: skip


@inline
def load_axes(directions, b):
    """Axes of the three turns of a ball joint, one a row."""
    return (
        directions[b, 0, 3], directions[b, 0, 4], directions[b, 0, 5],
        directions[b, 1, 3], directions[b, 1, 4], directions[b, 1, 5],
        directions[b, 2, 3], directions[b, 2, 4], directions[b, 2, 5],
    )  # fmt: skip


@inline
def store_row(rows, b, i, row):
    for k in range(6):
        rows[b, i, k] = row[k]


@inline
def whole(s):
    """A symmetric matrix with all its entries."""
    return (s[0], s[1], s[2], s[1], s[3], s[4], s[2], s[4], s[5])


@inline
def apply_symmetric(s, x):
    return (
        s[0] * x[0] + s[1] * x[1] + s[2] * x[2],
        s[1] * x[0] + s[3] * x[1] + s[4] * x[2],
        s[2] * x[0] + s[4] * x[1] + s[5] * x[2],
    )


@inline
def add_square(s, factor, x):
    """``S + factor x x^T``."""
    fx, fy, fz = factor * x[0], factor * x[1], factor * x[2]
    return (
        s[0] + fx * x[0], s[1] + fx * x[1], s[2] + fx * x[2],
        s[3] + fy * x[1], s[4] + fy * x[2], s[5] + fz * x[2],
    )  # fmt: skip


@inline
def rotate_symmetric(r, s):
    """``R S R^T``."""
    return times_symmetric(lie.multiply(r, whole(s)), r)


@inline
def times_symmetric(m, r):
    """``M R^T`` where that is symmetric."""
    return (
        m[0] * r[0] + m[1] * r[1] + m[2] * r[2],
        m[0] * r[3] + m[1] * r[4] + m[2] * r[5],
        m[0] * r[6] + m[1] * r[7] + m[2] * r[8],
        m[3] * r[3] + m[4] * r[4] + m[5] * r[5],
        m[3] * r[6] + m[4] * r[7] + m[5] * r[8],
        m[6] * r[6] + m[7] * r[7] + m[8] * r[8],
    )  # fmt: skip


@inline
def carried_inertia(a, d, e, r, p):
    """Blocks A, D, E of ``X^T M X`` for ``M = [[A, D], [D^T, E]]``, M symmetric."""
    a = rotate_symmetric(r, a)
    d = lie.times_transposed(lie.multiply(r, d), r)
    return shifted_inertia(a, d, rotate_symmetric(r, e), p)


@inline
def shifted_inertia(a, d, e, p):
    """The same without a rotation: about a point from which the frame is at p."""
    # with D before the shift and D - A p^ after it: E + p^ (D - A p^) + (p^ D)^T
    f = lie.hat_times(p, d)
    d = lie.matrix_subtract(d, lie.times_hat(whole(a), p))
    g = lie.hat_times(p, d)
    e = (
        e[0] + g[0] + f[0], e[1] + g[1] + f[3], e[2] + g[2] + f[6],
        e[3] + g[4] + f[4], e[4] + g[5] + f[7], e[5] + g[8] + f[8],
    )  # fmt: skip
    return a, d, e


@inline
def add_blocks(a, d, e, source, target, b):
    """``target_b = source_b + M`` of the upper half of 6x6 matrices."""
    for i in range(3):
        for j in range(3):
            target[b, i, 3 + j] = source[b, i, 3 + j] + d[3 * i + j]
    k = 0
    for i in range(3):
        for j in range(i, 3):
            target[b, i, j] = source[b, i, j] + a[k]
            target[b, 3 + i, 3 + j] = source[b, 3 + i, 3 + j] + e[k]
            k += 1


@routine
def add_carried_inertia(matrices, b, parent, r, p):
    """``M_P += X^T M X`` of symmetric matrices, all of which is kept."""
    a, d, e = carried_inertia(
        load_symmetric(matrices, b, 0), load_block(matrices, b, 0, 3),
        load_symmetric(matrices, b, 3), r, p,
    )  # fmt: skip
    add_blocks(a, d, e, matrices, matrices, parent)
    for i in range(6):
        for j in range(i):
            matrices[parent, i, j] = matrices[parent, j, i]


@routine
def add_coupling(geometry, coupling, articulated, b, parent):
    """``M_P += C X + (C X)^T`` with rows of C as wrenches at the parent."""
    r = load9(geometry.rotations, b, 0)
    p = load3(geometry.places, b, 0)
    for i in range(6):
        # row i of C X: X^T applied to row i of C
        u = lie.apply(r, load3(coupling, i, 0))
        w = lie.add(lie.apply(r, load3(coupling, i, 3)), lie.cross(p, u))
        for j in range(3):
            articulated[parent, i, j] += u[j]
            articulated[parent, j, i] += u[j]
            articulated[parent, i, 3 + j] += w[j]
            articulated[parent, 3 + j, i] += w[j]


@inline
def dot6(x, y):
    return (x[0] * y[0] + x[1] * y[1] + x[2] * y[2]) + (
        x[3] * y[3] + x[4] * y[4] + x[5] * y[5]
    )


@inline
def add_scaled6(x, factor, y):
    return (
        x[0] + factor * y[0], x[1] + factor * y[1], x[2] + factor * y[2],
        x[3] + factor * y[3], x[4] + factor * y[4], x[5] + factor * y[5],
    )  # fmt: skip


@routine
def copy_matrices(source, target):
    for b in range(source.shape[0]):
        for i in range(6):
            for j in range(6):
                target[b, i, j] = source[b, i, j]
