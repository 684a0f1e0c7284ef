"""Elimination of a tree from the leaves to the root, O(n).

This is block Gauss elimination of ``[[M, B^T], [B, 0]]`` in leaf order. With
``X = Ad(K)^-1`` of a body in its parent, the coordinates' twists as columns of S and
the coupling C of parent and body in the mass matrix (beams):
``D = S^T M S``, ``U = X^T M S + C S``, ``M_P += X^T M X + X^T C^T + C X - U D^-1 U^T``.

All frames of a modal body share inertia. What a body shares with earlier ones but its
parent are ties: with ``U_t = C_t S`` they change by ``-U_t D^-1 U^T`` likewise, and
``C_t X`` adds to what the earlier body shares with the parent.

Featherstone 2008.
"""

from __future__ import annotations

import math

from .._jit import inline, routine
from ..elements._scatter import load3, load9
from ..lie import _kernels as lie
from ._data import FIRST, N_FREE
from ._motion import add_to_parent


@inline
def load_block(matrices, b, i, j):
    """3x3 block of a 6x6 matrix as a tuple."""
    return (
        matrices[b, i, j], matrices[b, i, j + 1], matrices[b, i, j + 2],
        matrices[b, i + 1, j], matrices[b, i + 1, j + 1], matrices[b, i + 1, j + 2],
        matrices[b, i + 2, j], matrices[b, i + 2, j + 1], matrices[b, i + 2, j + 2],
    )  # fmt: skip


@inline
def cross_rows(a, p):
    """``A p^``: each row of A crossed with p from the right."""
    x, y, z = p
    return (
        a[1] * z - a[2] * y, a[2] * x - a[0] * z, a[0] * y - a[1] * x,
        a[4] * z - a[5] * y, a[5] * x - a[3] * z, a[3] * y - a[4] * x,
        a[7] * z - a[8] * y, a[8] * x - a[6] * z, a[6] * y - a[7] * x,
    )  # fmt: skip


@routine
def add_carried_inertia(matrices, b, parent, r, p):
    """``M_P += X^T M X`` for a symmetric M."""
    rt = lie.transpose(r)
    a = lie.multiply(r, lie.multiply(load_block(matrices, b, 0, 0), rt))
    d = lie.multiply(r, lie.multiply(load_block(matrices, b, 0, 3), rt))
    e = lie.multiply(r, lie.multiply(load_block(matrices, b, 3, 3), rt))
    d = lie.matrix_add_scaled(d, -1.0, cross_rows(a, p))
    # p^ (B - A p^) + C - B^T p^ with B before the shift
    before = lie.matrix_add(d, cross_rows(a, p))
    low = lie.multiply(lie.hat(p), d)
    e = lie.matrix_add(e, low)
    e = lie.matrix_add_scaled(e, -1.0, cross_rows(lie.transpose(before), p))
    for i in range(3):
        for j in range(3):
            matrices[parent, i, j] += a[3 * i + j]
            matrices[parent, i, 3 + j] += d[3 * i + j]
            matrices[parent, 3 + j, i] += d[3 * i + j]
            matrices[parent, 3 + i, 3 + j] += e[3 * i + j]


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
def set_pivots(matrix, directions, is_held, first, n, rows, pivots):
    """``M S`` into rows and the triangle of ``S^T M S``; False if not positive."""
    for c in range(n):
        for i in range(6):
            value = 0.0
            for j in range(6):
                value += matrix[i, j] * directions[c, j]
            rows[c, i] = value
    for c in range(n):
        whole = 0.0
        for k in range(c + 1):
            value = 0.0
            for j in range(6):
                value += directions[k, j] * rows[c, j]
            if is_held[first + c] != 0 or is_held[first + k] != 0:
                value = 1.0 if c == k else 0.0
            whole = value
            for j in range(k):
                value -= pivots[c, j] * pivots[k, j]
            if c == k:
                if not value > 1e-15 * whole:
                    return False
                value = math.sqrt(value)
            else:
                value /= pivots[k, k]
            pivots[c, k] = value
    return True


@inline
def carry_rows(r, p, n, rows):
    """``X^T`` applied to each row."""
    for c in range(n):
        u = lie.apply(r, load3(rows, c, 0))
        w = lie.add(lie.apply(r, load3(rows, c, 3)), lie.cross(p, u))
        for j in range(3):
            rows[c, j] = u[j]
            rows[c, 3 + j] = w[j]


@routine
def couple_rows(coupling, directions, n, rows):
    """``rows += (C S)^T``."""
    for c in range(n):
        for i in range(6):
            value = rows[c, i]
            for j in range(6):
                value += coupling[i, j] * directions[c, j]
            rows[c, i] = value


@inline
def divide_rows(pivots, is_held, first, n, rows):
    """``L^-1`` applied from the left; zero where the acceleration is given."""
    for c in range(n):
        scale = 0.0 if is_held[first + c] != 0 else 1.0 / pivots[c, c]
        for k in range(c):
            for j in range(6):
                rows[c, j] -= pivots[c, k] * rows[k, j]
        for j in range(6):
            rows[c, j] *= scale


@inline
def subtract_squares(n, rows, matrix):
    """``M -= rows^T rows``."""
    for c in range(n):
        for i in range(6):
            factor = rows[c, i]
            for j in range(6):
                matrix[i, j] -= factor * rows[c, j]


@inline
def product_rows(coupling, directions, n, rows):
    """``rows = (C S)^T``."""
    for c in range(n):
        for i in range(6):
            value = 0.0
            for j in range(6):
                value += coupling[i, j] * directions[c, j]
            rows[c, i] = value


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
def subtract_pair(tree, factors, first, second, n, rows, other_rows):
    """``-U_first D^-1 U_second^T`` on what two bodies share."""
    early, late = rows, other_rows
    if first > second:
        first, second = second, first
        early, late = other_rows, rows
    k = tie_of(tree, factors, first, second)
    matrix = factors.filled_couplings[second] if k < 0 else factors.filled_ties[k]
    for c in range(n):
        for i in range(6):
            for j in range(6):
                matrix[i, j] -= early[c, i] * late[c, j]


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
def factor_ties(tree, geometry, factors, b, n):
    """What a body's elimination does to those that it is tied to."""
    parent = tree.parents[b]
    first = tree.kinds[b, FIRST]
    start, stop = factors.tie_starts[b], factors.tie_starts[b + 1]
    for k in range(start, stop):
        rows = factors.carried_ties[k]
        product_rows(factors.filled_ties[k], geometry.directions[b], n, rows)
        divide_rows(factors.pivots[b], factors.is_held, first, n, rows)
    for k in range(start, stop):
        early = factors.tie_bodies[k]
        rows = factors.carried_ties[k]
        subtract_squares(n, rows, factors.articulated[early])
        if parent >= 0:
            pass_tie_on(tree, geometry, factors, k, b)
            subtract_pair(tree, factors, early, parent, n, rows, factors.carried[b])
        for other in range(k + 1, stop):
            subtract_pair(
                tree, factors, early, factors.tie_bodies[other], n, rows,
                factors.carried_ties[other],
            )  # fmt: skip


@inline
def factor_body(tree, geometry, factors, b, n):
    """One step of `factor`, for a body with ``n`` free coordinates."""
    articulated, is_held = factors.articulated, factors.is_held
    first = tree.kinds[b, FIRST]
    directions = geometry.directions[b]
    rows, pivots = factors.carried[b], factors.pivots[b]
    if not set_pivots(articulated[b], directions, is_held, first, n, rows, pivots):
        return False
    parent = tree.parents[b]
    if parent < 0:
        factor_ties(tree, geometry, factors, b, n)
        return True
    r = load9(geometry.rotations, b, 0)
    p = load3(geometry.places, b, 0)
    carry_rows(r, p, n, rows)
    if factors.has_coupling[b] != 0:
        couple_rows(factors.filled_couplings[b], directions, n, rows)
        add_coupling(geometry, factors.filled_couplings[b], articulated, b, parent)
    divide_rows(pivots, is_held, first, n, rows)
    add_carried_inertia(articulated, b, parent, r, p)
    subtract_squares(n, rows, articulated[parent])
    factor_ties(tree, geometry, factors, b, n)
    return True


@routine
def copy_matrices(source, target):
    for b in range(source.shape[0]):
        for i in range(6):
            for j in range(6):
                target[b, i, j] = source[b, i, j]


@routine
def factor(tree, geometry, factors):
    """Articulated inertias and pivots; False where a pivot is not positive."""
    copy_matrices(factors.inertias, factors.articulated)
    copy_matrices(factors.couplings, factors.filled_couplings)
    copy_matrices(factors.ties, factors.filled_ties)
    for b in range(tree.frames.shape[0] - 1, -1, -1):
        is_regular = factor_body(tree, geometry, factors, b, tree.kinds[b, N_FREE])
        if not is_regular:
            return False
    return True


@routine
def add_to_ties(factors, b, n, steps, first, wrenches):
    """Wrenches that a body's steps leave on the earlier bodies of its ties."""
    for k in range(factors.tie_starts[b], factors.tie_starts[b + 1]):
        early = factors.tie_bodies[k]
        for c in range(n):
            for j in range(6):
                wrenches[early, j] += factors.carried_ties[k, c, j] * steps[first + c]


@routine
def eliminate(tree, geometry, factors, wrenches, forces):
    """Inward half of a solution: ``wrenches`` on the bodies are replaced."""
    for b in range(tree.frames.shape[0] - 1, -1, -1):
        first, n = tree.kinds[b, FIRST], tree.kinds[b, N_FREE]
        pivots, steps = factors.pivots[b], factors.steps
        for c in range(n):
            if factors.is_held[first + c] != 0:
                steps[first + c] = 0.0
                continue
            value = forces[first + c]
            for j in range(6):
                value -= geometry.directions[b, c, j] * wrenches[b, j]
            for k in range(c):
                value -= pivots[c, k] * steps[first + k]
            steps[first + c] = value / pivots[c, c]
        add_to_ties(factors, b, n, steps, first, wrenches)
        parent = tree.parents[b]
        if parent < 0:
            continue
        add_to_parent(
            wrenches,
            parent,
            load3(wrenches, b, 0),
            load3(wrenches, b, 3),
            load9(geometry.rotations, b, 0),
            load3(geometry.places, b, 0),
        )
        for c in range(n):
            for j in range(6):
                wrenches[parent, j] += factors.carried[b, c, j] * steps[first + c]


@routine
def substitute(tree, geometry, factors, second_rates, changes):
    """Outward half: second rates and the accelerations (n, 6) that they cause."""
    for b in range(tree.frames.shape[0]):
        first, n = tree.kinds[b, FIRST], tree.kinds[b, N_FREE]
        parent = tree.parents[b]
        u = w = lie.ZERO3
        if parent >= 0:
            r = load9(geometry.rotations, b, 0)
            p = load3(geometry.places, b, 0)
            pu, pw = load3(changes, parent, 0), load3(changes, parent, 3)
            u = lie.apply_transposed(r, lie.add(pu, lie.cross(pw, p)))
            w = lie.apply_transposed(r, pw)
        for c in range(n - 1, -1, -1):
            value = factors.steps[first + c]
            if parent >= 0:
                for j in range(6):
                    value -= factors.carried[b, c, j] * changes[parent, j]
            for t in range(factors.tie_starts[b], factors.tie_starts[b + 1]):
                early = factors.tie_bodies[t]
                for j in range(6):
                    value -= factors.carried_ties[t, c, j] * changes[early, j]
            for k in range(c + 1, n):
                value -= factors.pivots[b, k, c] * second_rates[first + k]
            value /= factors.pivots[b, c, c]
            if factors.is_held[first + c] != 0:
                value = 0.0
            second_rates[first + c] = value
            u = lie.add_scaled(u, value, load3(geometry.directions[b], c, 0))
            w = lie.add_scaled(w, value, load3(geometry.directions[b], c, 3))
        for j in range(3):
            changes[b, j] = u[j]
            changes[b, 3 + j] = w[j]
