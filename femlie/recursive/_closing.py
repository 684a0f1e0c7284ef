"""Constraints that close loops: their multipliers from what they do along the tree.

With ``w_k = L^-1 S^T B_k^T`` carried to the root, ``A = w w^T`` is the matrix of the
constraints' accelerations under their own multipliers; the mass matrix of the tree is
never formed. Redundant rows leave it singular: the multipliers are those of least norm.
"""

from __future__ import annotations

import math

from .._jit import inline, kernel, routine
from ..elements._scatter import load3, load9
from ._data import FIRST, N_FREE
from ._motion import add_to_parent
from ._problem import FACTOR_LOOPS, N_FRAME_ROWS, SOLVE_MOVED_LOOPS
from ._ties import add_to_ties

# a pivot below this share of the largest belongs to a redundant row
RANK_TOLERANCE = 1e-11
# squares: rows of lengths and of angles may differ by the square of the model's size
NOTHING = 1e-22


@kernel
def close_loops(problem, task):
    """The loops' own matrix, or multipliers that take the gaps away as wrenches.

    Gaps are those of the residual, and of the accelerations that changed since.
    """
    closing, data = problem.closing, problem.target.data
    if task == FACTOR_LOOPS:
        factor_closing(
            problem.tree, problem.geometry, problem.factors, closing, data,
            problem.wrenches,
        )  # fmt: skip
    else:
        for k in range(problem.gaps.shape[0]):
            problem.gaps[k] = problem.target.residual[problem.sizes[N_FRAME_ROWS] + k]
        if task == SOLVE_MOVED_LOOPS:
            add_rows(closing, data, problem.changes, problem.gaps)
        solve_closing(closing, problem.gaps, problem.multipliers, problem.work)
        if task == SOLVE_MOVED_LOOPS:
            for k in range(problem.gaps.shape[0]):
                problem.motion.multipliers[k] = problem.multipliers[k]
        problem.wrenches[:] = 0.0
        add_columns(closing, data, problem.multipliers, 1.0, problem.wrenches)


@routine
def add_columns(closing, data, multipliers, factor, wrenches):
    """``wrenches += factor B^T multipliers``."""
    for k in range(closing.starts.shape[0] - 1):
        size = factor * multipliers[k]
        for i in range(closing.starts[k], closing.starts[k + 1]):
            b, j = closing.entries[i, 0], closing.entries[i, 1]
            wrenches[b, j] += size * data[closing.entries[i, 2]]


@routine
def add_rows(closing, data, changes, gaps):
    """``gaps += B changes``."""
    for k in range(closing.starts.shape[0] - 1):
        for i in range(closing.starts[k], closing.starts[k + 1]):
            b, j = closing.entries[i, 0], closing.entries[i, 1]
            gaps[k] += changes[b, j] * data[closing.entries[i, 2]]


@inline
def touch(touched, b, wrenches):
    """Let a body take part, without a wrench as yet."""
    if touched[b] == 0:
        touched[b] = 1
        for j in range(6):
            wrenches[b, j] = 0.0


@routine
def carry_column(tree, geometry, factors, closing, data, k, wrenches):
    """``w_k``: only the bodies between the constraint and the root are visited."""
    touched = closing.touched
    touched[:] = 0
    row = closing.carried[k]
    row[:] = 0.0
    last = -1
    for i in range(closing.starts[k], closing.starts[k + 1]):
        b = closing.entries[i, 0]
        touch(touched, b, wrenches)
        wrenches[b, closing.entries[i, 1]] += data[closing.entries[i, 2]]
        last = max(last, b)
    for b in range(last, -1, -1):
        if touched[b] == 0:
            continue
        first, n = tree.kinds[b, FIRST], tree.kinds[b, N_FREE]
        for c in range(n):
            value = 0.0
            for j in range(6):
                value -= geometry.directions[b, c, j] * wrenches[b, j]
            for j in range(c):
                value -= factors.pivots[b, c, j] * row[first + j]
            row[first + c] = value
        for t in range(factors.tie_starts[b], factors.tie_starts[b + 1]):
            touch(touched, factors.tie_bodies[t], wrenches)
        add_to_ties(factors, b, n, row, first, wrenches)
        for c in range(n):
            # y L^-T over the root of D: squares of it are entries of the matrix
            size = math.sqrt(factors.pivots[b, c, c])
            row[first + c] *= size
            for j in range(6):
                wrenches[b, j] += factors.carried[b, c, j] * row[first + c] * size
        parent = tree.parents[b]
        if parent < 0:
            continue
        touch(touched, parent, wrenches)
        add_to_parent(
            wrenches,
            parent,
            load3(wrenches, b, 0),
            load3(wrenches, b, 3),
            load9(geometry.rotations, b, 0),
            load3(geometry.places, b, 0),
        )


@routine
def factor_closing(tree, geometry, factors, closing, data, wrenches):
    """``A = w w^T``, scaled to a unit diagonal, as ``P^T A P = L L^T`` of its rank."""
    m = closing.starts.shape[0] - 1
    a, scale, order = closing.matrix, closing.scale, closing.order
    n = closing.carried.shape[1]
    largest = 0.0
    for k in range(m):
        carry_column(tree, geometry, factors, closing, data, k, wrenches)
        total = 0.0
        for j in range(n):
            total += closing.carried[k, j] * closing.carried[k, j]
        scale[k] = total
        largest = max(largest, total)
    for k in range(m):
        # a row across all motions is left with the rounding of its entries
        holds = scale[k] > NOTHING * largest
        scale[k] = 1.0 / math.sqrt(scale[k]) if holds else 0.0
        order[k] = k
        for i in range(k + 1):
            total = 0.0
            for j in range(n):
                total += closing.carried[k, j] * closing.carried[i, j]
            a[k, i] = a[i, k] = total * scale[k] * scale[i]
    low = closing.triangle
    low[:] = 0.0
    rank = 0
    for k in range(m):
        best = k
        for i in range(k, m):
            if a[order[i], order[i]] > a[order[best], order[best]]:
                best = i
        order[k], order[best] = order[best], order[k]
        p = order[k]
        if not a[p, p] > RANK_TOLERANCE:
            break
        pivot = math.sqrt(a[p, p])
        low[p, k] = pivot
        for i in range(k + 1, m):
            q = order[i]
            low[q, k] = a[q, p] / pivot
        for i in range(k + 1, m):
            q = order[i]
            for j in range(k + 1, m):
                a[q, order[j]] -= low[q, k] * low[order[j], k]
        rank += 1
    closing.rank[0] = rank
    if rank < m:
        factor_normal(closing, rank)


@routine
def factor_normal(closing, rank):
    """Cholesky triangle of ``L^T L``, for multipliers of least norm."""
    low, normal = closing.triangle, closing.normal
    for i in range(rank):
        for j in range(i + 1):
            value = 0.0
            for k in range(low.shape[0]):
                value += low[k, i] * low[k, j]
            for k in range(j):
                value -= normal[i, k] * normal[j, k]
            normal[i, j] = math.sqrt(value) if i == j else value / normal[j, j]


@routine
def solve_closing(closing, gaps, multipliers, work):
    """Multipliers with ``A multipliers = gaps``."""
    m = gaps.shape[0]
    low, order, scale, rank = (
        closing.triangle,
        closing.order,
        closing.scale,
        closing.rank[0],
    )
    if rank == m:
        for k in range(m):
            value = gaps[order[k]] * scale[order[k]]
            for j in range(k):
                value -= low[order[k], j] * work[j]
            work[k] = value / low[order[k], k]
        for k in range(m - 1, -1, -1):
            value = work[k]
            for j in range(k + 1, m):
                value -= low[order[j], k] * work[j]
            work[k] = value / low[order[k], k]
        for k in range(m):
            multipliers[order[k]] = work[k] * scale[order[k]]
        return
    # x = L (L^T L)^-2 L^T b
    for k in range(rank):
        value = 0.0
        for i in range(m):
            value += low[i, k] * gaps[i] * scale[i]
        work[k] = value
    for _ in range(2):
        for k in range(rank):
            value = work[k]
            for j in range(k):
                value -= closing.normal[k, j] * work[j]
            work[k] = value / closing.normal[k, k]
        for k in range(rank - 1, -1, -1):
            value = work[k]
            for j in range(k + 1, rank):
                value -= closing.normal[j, k] * work[j]
            work[k] = value / closing.normal[k, k]
    for i in range(m):
        value = 0.0
        for k in range(rank):
            value += low[i, k] * work[k]
        multipliers[i] = value * scale[i]
