"""Elimination of a tree from the leaves to the root, O(n).

This is block Gauss elimination of ``[[M, B^T], [B, 0]]`` in leaf order. With
``X = Ad(K)^-1`` of a body in its parent, the coordinates' twists as columns of S and
the coupling C of parent and body in the mass matrix (beams):
``W = L^-1 (S^T M + S^T C^T X^-1)`` with ``S^T M S = L D L^T``, and
``M_P += X^T (M - W^T D^-1 W) X + X^T C^T + C X``. All of W is in the body's frame, so
that nothing but the inertia itself is carried to the parent. What bodies share beyond
that is in `_ties`.

Featherstone 2008.
"""

from __future__ import annotations

from .._jit import inline, routine
from ..elements._scatter import load3, load9
from ..lie import _kernels as lie
from ._balls import eliminate_ball, factor_ball, is_free_ball, substitute_ball
from ._data import FIRST, IS_LAST_CHILD, IS_LEAF, N_FREE
from ._inertia import (
    add_blocks,
    add_coupling,
    add_scaled6,
    add_square,
    apply_symmetric,
    carried_inertia,
    dot6,
    load_block,
    load_row,
    load_symmetric,
    store_row,
)
from ._motion import add_to_parent
from ._ties import add_to_ties, begin_ties, factor_ties


@inline
def set_rows(a, d, e, directions, b, n, rows):
    """``S^T M`` of a symmetric M from its blocks."""
    for c in range(n):
        s = load_row(directions, b, c)
        u, w = (s[0], s[1], s[2]), (s[3], s[4], s[5])
        force = lie.add(apply_symmetric(a, u), lie.apply(d, w))
        moment = lie.add(lie.apply_transposed(d, u), apply_symmetric(e, w))
        store_row(rows, b, c, (*force, *moment))


@inline
def set_pivots(directions, rows, is_held, b, first, n, pivots):
    """L and ``D^-1`` of ``S^T M S``; False if it is not positive.

    ``D^-1`` is zero for coordinates whose acceleration is given.
    """
    for c in range(n):
        row = load_row(rows, b, c)
        first_value = value = dot6(load_row(directions, b, c), row)
        for k in range(c):
            product = dot6(load_row(directions, b, k), row)
            for j in range(k):
                product -= pivots[b, c, j] * pivots[b, k, j]
            pivots[b, c, k] = product
        for k in range(c):
            lower = pivots[b, c, k] * pivots[b, k, k]
            value -= lower * pivots[b, c, k]
            pivots[b, c, k] = lower
        pivots[b, c, c] = 0.0
        if is_held[first + c] == 0:
            # a sum of squares less others: what is left of it may be rounding
            if not value > 1e-15 * first_value:
                return False
            pivots[b, c, c] = 1.0 / value
        else:
            for k in range(c):
                pivots[b, c, k] = 0.0
    return True


@routine
def couple_rows(geometry, couplings, b, n, rows):
    """``rows += S^T C^T X^-1``: wrenches at the parent, seen from the body."""
    r = load9(geometry.rotations, b, 0)
    p = load3(geometry.places, b, 0)
    for c in range(n):
        force = moment = lie.ZERO3
        for j in range(6):
            s = geometry.directions[b, c, j]
            column = (couplings[b, 0, j], couplings[b, 1, j], couplings[b, 2, j])
            force = lie.add_scaled(force, s, column)
            column = (couplings[b, 3, j], couplings[b, 4, j], couplings[b, 5, j])
            moment = lie.add_scaled(moment, s, column)
        moment = lie.apply_transposed(r, lie.subtract(moment, lie.cross(p, force)))
        force = lie.apply_transposed(r, force)
        for j in range(3):
            rows[b, c, j] += force[j]
            rows[b, c, 3 + j] += moment[j]


@inline
def reduce_rows(a, d, e, b, n, rows, pivots):
    """``W = L^-1 rows``, and the blocks of ``M - W^T D^-1 W``."""
    for c in range(n):
        row = load_row(rows, b, c)
        for k in range(c):
            row = add_scaled6(row, -pivots[b, c, k], load_row(rows, b, k))
        store_row(rows, b, c, row)
        u, w = (row[0], row[1], row[2]), (row[3], row[4], row[5])
        factor = -pivots[b, c, c]
        a = add_square(a, factor, u)
        d = lie.matrix_add(d, lie.outer(lie.scale(factor, u), w))
        e = add_square(e, factor, w)
    return a, d, e


@inline
def factor_body(tree, geometry, factors, b, n):
    """One step of `factor`; the parent's inertia begins with its last child."""
    kinds, is_held, articulated = tree.kinds, factors.is_held, factors.articulated
    first, parent = kinds[b, FIRST], tree.parents[b]
    rows, pivots, directions = factors.carried, factors.pivots, geometry.directions
    source = articulated if kinds[b, IS_LEAF] == 0 else factors.inertias
    a, d = load_symmetric(source, b, 0), load_block(source, b, 0, 3)
    e = load_symmetric(source, b, 3)
    set_rows(a, d, e, directions, b, n, rows)
    if not set_pivots(directions, rows, is_held, b, first, n, pivots):
        return False
    has_ties = factors.tie_starts[b + 1] > factors.tie_starts[b]
    if parent < 0:
        if has_ties:
            factor_ties(tree, geometry, factors, b)
        return True
    couplings = factors.filled_couplings
    if factors.has_coupling[b] != 0:
        couple_rows(geometry, couplings, b, n, rows)
    a, d, e = reduce_rows(a, d, e, b, n, rows, pivots)
    r, p = load9(geometry.rotations, b, 0), load3(geometry.places, b, 0)
    a, d, e = carried_inertia(a, d, e, r, p)
    if kinds[b, IS_LAST_CHILD] != 0:
        add_blocks(a, d, e, factors.inertias, articulated, parent)
    else:
        add_blocks(a, d, e, articulated, articulated, parent)
    if factors.has_coupling[b] != 0:
        add_coupling(geometry, couplings[b], articulated, b, parent)
    if has_ties:
        factor_ties(tree, geometry, factors, b)
    return True


@inline
def factor_any(tree, geometry, factors, b):
    """`factor_body` where numbers of coordinates that are common are constants."""
    if is_free_ball(tree, factors, b):
        return factor_ball(tree, geometry, factors, b)
    n = tree.kinds[b, N_FREE]
    if n == 1:
        return factor_body(tree, geometry, factors, b, 1)
    return factor_body(tree, geometry, factors, b, n)


@inline
def eliminate_any(tree, geometry, factors, b, wrenches, forces):
    """`eliminate_body` likewise."""
    n = tree.kinds[b, N_FREE]
    if is_free_ball(tree, factors, b):
        eliminate_ball(tree, geometry, factors, b, wrenches, forces)
    elif n == 1:
        eliminate_body(tree, geometry, factors, b, 1, wrenches, forces)
    else:
        eliminate_body(tree, geometry, factors, b, n, wrenches, forces)


@routine
def factor(tree, geometry, factors):
    """Articulated inertias and pivots; False where a pivot is not positive."""
    begin_ties(factors)
    for b in range(tree.frames.shape[0] - 1, -1, -1):
        if not factor_any(tree, geometry, factors, b):
            return False
    return True


@inline
def eliminate_body(tree, geometry, factors, b, n, wrenches, forces):
    """One step of `eliminate`."""
    first, parent = tree.kinds[b, FIRST], tree.parents[b]
    directions = geometry.directions
    pivots, steps, rows = factors.pivots, factors.steps, factors.carried
    force, moment = load3(wrenches, b, 0), load3(wrenches, b, 3)
    for c in range(n):
        value = forces[first + c]
        value -= dot6(load_row(directions, b, c), (*force, *moment))
        for k in range(c):
            value -= pivots[b, c, k] * steps[first + k]
        steps[first + c] = value
    add_to_ties(factors, b, n, steps, first, wrenches)
    if parent < 0:
        return
    for c in range(n):
        factor = steps[first + c] * pivots[b, c, c]
        row = load_row(rows, b, c)
        force = lie.add_scaled(force, factor, (row[0], row[1], row[2]))
        moment = lie.add_scaled(moment, factor, (row[3], row[4], row[5]))
    r, p = load9(geometry.rotations, b, 0), load3(geometry.places, b, 0)
    add_to_parent(wrenches, parent, force, moment, r, p)


@routine
def eliminate(tree, geometry, factors, wrenches, forces):
    """Inward half of a solution: ``wrenches`` on the bodies are replaced."""
    for b in range(tree.frames.shape[0] - 1, -1, -1):
        eliminate_any(tree, geometry, factors, b, wrenches, forces)


@routine
def factor_and_eliminate(tree, geometry, factors, wrenches, forces):
    """`factor` and `eliminate` in one pass; False where a pivot is not positive."""
    begin_ties(factors)
    for b in range(tree.frames.shape[0] - 1, -1, -1):
        n = tree.kinds[b, N_FREE]
        if is_free_ball(tree, factors, b):
            if not factor_ball(tree, geometry, factors, b):
                return False
            eliminate_ball(tree, geometry, factors, b, wrenches, forces)
        elif n == 1:
            if not factor_body(tree, geometry, factors, b, 1):
                return False
            eliminate_body(tree, geometry, factors, b, 1, wrenches, forces)
        else:
            if not factor_body(tree, geometry, factors, b, n):
                return False
            eliminate_body(tree, geometry, factors, b, n, wrenches, forces)
    return True


@inline
def substitute_body(tree, geometry, factors, b, n, second_rates, changes):
    """One step of `substitute`."""
    first, parent = tree.kinds[b, FIRST], tree.parents[b]
    rows, pivots, steps = factors.carried, factors.pivots, factors.steps
    directions = geometry.directions
    u = w = lie.ZERO3
    if parent >= 0:
        r, p = load9(geometry.rotations, b, 0), load3(geometry.places, b, 0)
        pu, pw = load3(changes, parent, 0), load3(changes, parent, 3)
        u = lie.apply_transposed(r, lie.add(pu, lie.cross(pw, p)))
        w = lie.apply_transposed(r, pw)
    carried = (*u, *w)
    for c in range(n - 1, -1, -1):
        value = steps[first + c]
        if parent >= 0:
            value -= dot6(load_row(rows, b, c), carried)
        for t in range(factors.tie_starts[b], factors.tie_starts[b + 1]):
            early = factors.tie_bodies[t]
            for j in range(6):
                value -= factors.carried_ties[t, c, j] * changes[early, j]
        value *= pivots[b, c, c]
        for k in range(c + 1, n):
            value -= pivots[b, k, c] * second_rates[first + k]
        second_rates[first + c] = value
        s = load_row(directions, b, c)
        u = lie.add_scaled(u, value, (s[0], s[1], s[2]))
        w = lie.add_scaled(w, value, (s[3], s[4], s[5]))
    for j in range(3):
        changes[b, j] = u[j]
        changes[b, 3 + j] = w[j]


@routine
def substitute(tree, geometry, factors, second_rates, changes):
    """Outward half: second rates and the accelerations (n, 6) that they cause."""
    for b in range(tree.frames.shape[0]):
        n = tree.kinds[b, N_FREE]
        if is_free_ball(tree, factors, b):
            substitute_ball(tree, geometry, factors, b, second_rates, changes)
        elif n == 1:
            substitute_body(tree, geometry, factors, b, 1, second_rates, changes)
        else:
            substitute_body(tree, geometry, factors, b, n, second_rates, changes)
