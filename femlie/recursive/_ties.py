"""Elimination of bodies that share inertia beyond parent and child.

All frames of a modal body share inertia. What a body shares with earlier ones but its
parent are ties: with ``U_t = C_t S`` they change by ``-U_t (L D L^T)^-1 U^T`` likewise,
and ``C_t X`` adds to what the earlier body shares with the parent.
"""

from __future__ import annotations

from .._jit import inline, routine
from ..elements._scatter import load3, load9
from ..lie import _kernels as lie
from ._data import N_FREE
from ._inertia import copy_matrices


@inline
def begin_ties(factors):
    """Where bodies are tied, all that elimination fills begins with a copy."""
    if factors.tie_bodies.shape[0] > 0:
        copy_matrices(factors.inertias, factors.articulated)
        copy_matrices(factors.couplings, factors.filled_couplings)
        copy_matrices(factors.ties, factors.filled_ties)


@inline
def product_rows(coupling, directions, n, rows):
    """``rows = (C S)^T``."""
    for c in range(n):
        for i in range(6):
            value = 0.0
            for j in range(6):
                value += coupling[i, j] * directions[c, j]
            rows[c, i] = value


@inline
def divide_rows(pivots, b, n, rows):
    """``L^-1`` applied from the left."""
    for c in range(n):
        for k in range(c):
            for j in range(6):
                rows[c, j] -= pivots[b, c, k] * rows[k, j]


@inline
def subtract_squares(pivots, b, n, rows, matrix):
    """``M -= rows^T D^-1 rows``."""
    for c in range(n):
        for i in range(6):
            factor = pivots[b, c, c] * rows[c, i]
            for j in range(6):
                matrix[i, j] -= factor * rows[c, j]


@inline
def rows_at_parent(geometry, carried, b, n, rows):
    """Rows of W as wrenches at the parent."""
    r = load9(geometry.rotations, b, 0)
    p = load3(geometry.places, b, 0)
    for c in range(n):
        u = lie.apply(r, load3(carried[b], c, 0))
        w = lie.add(lie.apply(r, load3(carried[b], c, 3)), lie.cross(p, u))
        for j in range(3):
            rows[c, j] = u[j]
            rows[c, 3 + j] = w[j]


@routine
def tie_of(tree, factors, early, late):
    """Number of the tie of two bodies; -1 where it is the coupling with a parent."""
    if tree.parents[late] == early:
        return -1
    k = factors.tie_starts[late]
    while factors.tie_bodies[k] != early:
        k += 1
    return k


@routine
def subtract_pair(tree, factors, b, first, second, n, rows, other_rows):
    """``-U_first (L D L^T)^-1 U_second^T`` of body b on what two others share."""
    early, late = rows, other_rows
    if first > second:
        first, second = second, first
        early, late = other_rows, rows
    k = tie_of(tree, factors, first, second)
    matrix = factors.filled_couplings[second] if k < 0 else factors.filled_ties[k]
    for c in range(n):
        for i in range(6):
            factor = factors.pivots[b, c, c] * early[c, i]
            for j in range(6):
                matrix[i, j] -= factor * late[c, j]


@routine
def pass_tie_on(tree, geometry, factors, k, b):
    """``C_t X`` on what the earlier body of a tie shares with the parent."""
    early, parent = factors.tie_bodies[k], tree.parents[b]
    tie = factors.filled_ties[k]
    r = load9(geometry.rotations, b, 0)
    p = load3(geometry.places, b, 0)
    is_before = early < parent
    late = max(early, parent)
    place = tie_of(tree, factors, min(early, parent), late)
    matrix = factors.filled_couplings[late]
    if place >= 0:
        matrix = factors.filled_ties[place]
    for i in range(6):
        u = lie.apply(r, load3(tie, i, 0))
        w = lie.add(lie.apply(r, load3(tie, i, 3)), lie.cross(p, u))
        for j in range(3):
            if is_before:
                matrix[i, j] += u[j]
                matrix[i, 3 + j] += w[j]
            else:
                matrix[j, i] += u[j]
                matrix[3 + j, i] += w[j]


@routine
def factor_ties(tree, geometry, factors, b):
    """What a body's elimination does to those that it is tied to."""
    parent, n, pivots = tree.parents[b], tree.kinds[b, N_FREE], factors.pivots
    start, stop = factors.tie_starts[b], factors.tie_starts[b + 1]
    # a place of its own behind those of all ties
    at_parent = factors.carried_ties[factors.carried_ties.shape[0] - 1]
    if parent >= 0:
        rows_at_parent(geometry, factors.carried, b, n, at_parent)
    for k in range(start, stop):
        rows = factors.carried_ties[k]
        product_rows(factors.filled_ties[k], geometry.directions[b], n, rows)
        divide_rows(pivots, b, n, rows)
    for k in range(start, stop):
        early = factors.tie_bodies[k]
        rows = factors.carried_ties[k]
        subtract_squares(pivots, b, n, rows, factors.articulated[early])
        if parent >= 0:
            pass_tie_on(tree, geometry, factors, k, b)
            subtract_pair(tree, factors, b, early, parent, n, rows, at_parent)
        for other in range(k + 1, stop):
            subtract_pair(
                tree, factors, b, early, factors.tie_bodies[other], n, rows,
                factors.carried_ties[other],
            )  # fmt: skip


@routine
def add_to_ties(factors, b, n, steps, first, wrenches):
    """Wrenches that a body's steps leave on the earlier bodies of its ties."""
    for k in range(factors.tie_starts[b], factors.tie_starts[b + 1]):
        early = factors.tie_bodies[k]
        for c in range(n):
            factor = factors.pivots[b, c, c] * steps[first + c]
            for j in range(6):
                wrenches[early, j] += factors.carried_ties[k, c, j] * factor
