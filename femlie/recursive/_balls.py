"""Elimination of bodies on ball joints, in closed form about the joint's point.

With A, D, E the blocks of the articulated inertia about that point and Q the axes of
the coordinates, the three turns take all moments: ``Q^T E Q = L Delta L^T`` and
``U = L^-1 Q^T D^T`` leave ``A - U^T Delta^-1 U`` on forces, and nothing else. Arrays
hold the same numbers as `_elimination` leaves there, about the body's frame.

Featherstone 2008.
"""

from __future__ import annotations

from .._jit import inline
from ..elements._scatter import load3, load9
from ..lie import _kernels as lie
from ._data import FIRST, IS_BALL, IS_LAST_CHILD, IS_LEAF
from ._inertia import (
    add_blocks,
    add_square,
    load_axes,
    load_block,
    load_symmetric,
    rotate_symmetric,
    shifted_inertia,
    times_symmetric,
    whole,
)


@inline
def is_free_ball(tree, factors, b):
    """Whether a body turns freely about a point, and shares no inertia."""
    if tree.kinds[b, IS_BALL] == 0 or factors.has_coupling[b] != 0:
        return False
    first, held = tree.kinds[b, FIRST], factors.is_held
    n_ties = factors.tie_starts[b + 1] - factors.tie_starts[b]
    return n_ties + held[first] + held[first + 1] + held[first + 2] == 0


@inline
def row_of(m, i):
    return (m[3 * i], m[3 * i + 1], m[3 * i + 2])


@inline
def store_ball(factors, b, pivots, forces, moments, q):
    """L and ``Delta^-1``, and the rows of W about the body's frame."""
    low, rows = factors.pivots, factors.carried
    low[b, 0, 0], low[b, 1, 1], low[b, 2, 2] = pivots[0], pivots[1], pivots[2]
    low[b, 1, 0], low[b, 2, 0], low[b, 2, 1] = pivots[3], pivots[4], pivots[5]
    for c in range(3):
        u = row_of(forces, c)
        w = lie.add(row_of(moments, c), lie.cross(q, u))
        for j in range(3):
            rows[b, c, j] = u[j]
            rows[b, c, 3 + j] = w[j]


@inline
def factor_ball(tree, geometry, factors, b):
    """One step of `factor`."""
    kinds, articulated, parent = tree.kinds, factors.articulated, tree.parents[b]
    source = articulated if kinds[b, IS_LEAF] == 0 else factors.inertias
    q = load3(tree.child_offsets, b, 0)
    a, d, e = shifted_inertia(
        load_symmetric(source, b, 0), load_block(source, b, 0, 3),
        load_symmetric(source, b, 3), lie.scale(-1.0, q),
    )  # fmt: skip
    axes = load_axes(geometry.directions, b)
    u = lie.times_transposed(axes, d)
    h = times_symmetric(lie.multiply(axes, whole(e)), axes)
    p0 = 1.0 / h[0]
    l10, l20 = h[1] * p0, h[2] * p0
    d1 = h[3] - l10 * h[1]
    p1 = 1.0 / d1
    x21 = h[4] - l20 * h[1]
    l21 = x21 * p1
    d2 = h[5] - l20 * h[2] - l21 * x21
    # sums of squares less others: what is left of them may be rounding
    if not (h[0] > 0.0 and d1 > 1e-15 * h[3] and d2 > 1e-15 * h[5]):
        return False
    p2 = 1.0 / d2
    u0 = row_of(u, 0)
    u1 = lie.add_scaled(row_of(u, 1), -l10, u0)
    u2 = lie.add_scaled(lie.add_scaled(row_of(u, 2), -l20, u0), -l21, u1)
    upper = (h[0], h[1], h[2], 0.0, d1, x21, 0.0, 0.0, d2)
    moments = lie.multiply(upper, axes)
    store_ball(
        factors, b, (p0, p1, p2, l10, l20, l21), (*u0, *u1, *u2), moments, q
    )  # fmt: skip
    if parent >= 0:
        a = add_square(add_square(add_square(a, -p0, u0), -p1, u1), -p2, u2)
        a = rotate_symmetric(load9(geometry.rotations, b, 0), a)
        p = load3(tree.parent_offsets, b, 0)
        d = lie.matrix_scale(-1.0, lie.times_hat(whole(a), p))
        m = lie.hat_times(p, d)
        e = (m[0], m[1], m[2], m[4], m[5], m[8])
        if kinds[b, IS_LAST_CHILD] != 0:
            add_blocks(a, d, e, factors.inertias, articulated, parent)
        else:
            add_blocks(a, d, e, articulated, articulated, parent)
    return True


@inline
def eliminate_ball(tree, geometry, factors, b, wrenches, forces):
    """One step of `eliminate`: what is left of the moment is what is applied."""
    first, parent = tree.kinds[b, FIRST], tree.parents[b]
    pivots, steps, rows = factors.pivots, factors.steps, factors.carried
    force, moment = load3(wrenches, b, 0), load3(wrenches, b, 3)
    q = load3(tree.child_offsets, b, 0)
    axes = load_axes(geometry.directions, b)
    missing = lie.apply(axes, lie.subtract(moment, lie.cross(q, force)))
    applied = (forces[first], forces[first + 1], forces[first + 2])
    x0 = applied[0] - missing[0]
    x1 = applied[1] - missing[1] - pivots[b, 1, 0] * x0
    x2 = applied[2] - missing[2] - pivots[b, 2, 0] * x0 - pivots[b, 2, 1] * x1
    steps[first], steps[first + 1], steps[first + 2] = x0, x1, x2
    if parent < 0:
        return
    force = lie.add_scaled(force, x0 * pivots[b, 0, 0], load3(rows[b], 0, 0))
    force = lie.add_scaled(force, x1 * pivots[b, 1, 1], load3(rows[b], 1, 0))
    force = lie.add_scaled(force, x2 * pivots[b, 2, 2], load3(rows[b], 2, 0))
    r, p = load9(geometry.rotations, b, 0), load3(tree.parent_offsets, b, 0)
    force = lie.apply(r, force)
    moment = lie.apply(r, lie.apply_transposed(axes, applied))
    moment = lie.add(moment, lie.cross(p, force))
    for k in range(3):
        wrenches[parent, k] += force[k]
        wrenches[parent, 3 + k] += moment[k]


@inline
def substitute_ball(tree, geometry, factors, b, second_rates, changes):
    """One step of `substitute`: the body's own turn does not ask for its parent's."""
    first, parent = tree.kinds[b, FIRST], tree.parents[b]
    pivots, steps, rows = factors.pivots, factors.steps, factors.carried
    u = turn = lie.ZERO3
    if parent >= 0:
        r, p = load9(geometry.rotations, b, 0), load3(tree.parent_offsets, b, 0)
        pu, pw = load3(changes, parent, 0), load3(changes, parent, 3)
        u = lie.apply_transposed(r, lie.add(pu, lie.cross(pw, p)))
        turn = lie.apply_transposed(r, pw)
    x2 = (steps[first + 2] - lie.dot(load3(rows[b], 2, 0), u)) * pivots[b, 2, 2]
    x1 = (steps[first + 1] - lie.dot(load3(rows[b], 1, 0), u)) * pivots[b, 1, 1]
    x1 -= pivots[b, 2, 1] * x2
    x0 = (steps[first] - lie.dot(load3(rows[b], 0, 0), u)) * pivots[b, 0, 0]
    x0 -= pivots[b, 1, 0] * x1 + pivots[b, 2, 0] * x2
    axes = load_axes(geometry.directions, b)
    w = lie.apply_transposed(axes, (x0, x1, x2))
    carried = lie.apply(axes, turn)
    second_rates[first] = x0 - carried[0]
    second_rates[first + 1] = x1 - carried[1]
    second_rates[first + 2] = x2 - carried[2]
    u = lie.add(u, lie.cross(load3(tree.child_offsets, b, 0), w))
    for j in range(3):
        changes[b, j] = u[j]
        changes[b, 3 + j] = w[j]
