"""Slopes of a modal body's deformation: what its tangent needs of `_modal_motion`.

Each interface but the first has matrices of 12 columns: motions of the first interface
(translation, rotation) and of this one, each in its own axes. With
``dw = R dw_i - dw_1`` a motion changes ``r, s, v, R`` by ``dr = Y_r``,
``ds = -v.(dw_i - dw_1)/2``, ``dv = Y_v/2`` and ``dR = dw^ R``; the rest is the product
rule.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._jit import allocating_routine, inline
from ..lie import _kernels as lie
from ._modal_motion import (
    blend,
    store_column,
)
from ._scatter import load3, load9
from .base import Array


class Slopes(NamedTuple):
    """One matrix an interface, zero for the first."""

    coordinates: Array  # Y (n, 6, 12): of q, and of its rates by those of the frames
    rates: Array  # (n, 6, 12) of dq/dt by places
    second_rates: Array  # (n, 6, 12) of its rate by places
    by_twists: Array  # (n, 6, 12) of its rate by twists
    logs: Array  # P (n, 6, 12)
    wrenches: Array  # (n, 12, 12) of Y^T f and P^T s at constant f and s


@allocating_routine
def new_slopes(n):
    return Slopes(
        np.zeros((n, 6, 12)),
        np.zeros((n, 6, 12)),
        np.zeros((n, 6, 12)),
        np.zeros((n, 6, 12)),
        np.zeros((n, 6, 12)),
        np.zeros((n, 12, 12)),
    )


@inline
def unit(c, first):
    """Unit vector if ``c`` is one of the three columns from ``first`` on, else zero."""
    return (
        1.0 if c == first else 0.0,
        1.0 if c == first + 1 else 0.0,
        1.0 if c == first + 2 else 0.0,
    )


@allocating_routine
def set_coordinate_slopes(work, slopes):
    """Y."""
    for j in range(1, work.poses.shape[0]):
        r, turn = load3(work.relative, j, 0), load9(work.relative, j, 7)
        s, v = work.relative[j, 3], load3(work.relative, j, 4)
        for c in range(12):
            w1, w = unit(c, 3), unit(c, 9)
            way = lie.subtract(lie.apply(turn, unit(c, 6)), unit(c, 0))
            way = lie.subtract(way, lie.cross(w1, r))
            turning = blend(s, v, lie.subtract(w, w1), lie.add(w, w1), lie.ZERO3)
            store_column(slopes.coordinates, j, c, way, turning)


@inline
def column3(array, j, row, c):
    return (array[j, row, c], array[j, row + 1, c], array[j, row + 2, c])


@allocating_routine
def set_rate_slopes(work, slopes):
    """Slopes of the rates and second rates; Y must be set."""
    w1, dw1 = load3(work.twists, 0, 3), load3(work.rates, 0, 3)
    for j in range(1, work.poses.shape[0]):
        at = 6 * (j - 1)
        turn = load9(work.relative, j, 7)
        v = load3(work.relative, j, 4)
        u, w = load3(work.twists, j, 0), load3(work.twists, j, 3)
        du, dw = load3(work.rates, j, 0), load3(work.rates, j, 3)
        gap, whole = lie.subtract(w, w1), lie.add(w, w1)
        gap_rate, whole_rate = lie.subtract(dw, dw1), lie.add(dw, dw1)
        e = lie.apply(turn, u)
        b = lie.apply(turn, lie.add(du, lie.cross(w, u)))
        way = load3(work.coordinates, 1, at)
        dv = lie.scale(0.5, load3(work.coordinates, 1, at + 3))
        ds = -0.5 * lie.dot(v, gap)
        carried = lie.add(e, way)
        for c in range(12):
            x1, x = unit(c, 3), unit(c, 9)
            apart = lie.subtract(x, x1)
            spin = lie.subtract(lie.apply(turn, x), x1)
            dr = column3(slopes.coordinates, j, 0, c)
            half = lie.scale(0.5, column3(slopes.coordinates, j, 3, c))
            shrink = -0.5 * lie.dot(v, apart)
            moved = lie.cross(spin, e)
            rate = lie.subtract(moved, lie.cross(w1, dr))
            turning = blend(shrink, half, gap, whole, lie.ZERO3)
            store_column(slopes.rates, j, c, rate, turning)
            second = lie.subtract(lie.cross(spin, b), lie.cross(dw1, dr))
            second = lie.subtract(second, lie.cross(w1, lie.add(moved, rate)))
            last = blend(shrink, half, gap_rate, whole_rate, lie.ZERO3)
            last = blend(
                -0.5 * lie.dot(half, gap), lie.scale(0.5, turning), gap, whole, last
            )
            store_column(slopes.second_rates, j, c, second, last)
            # the same columns as changes of the twists
            own = unit(c, 6)
            bent = lie.add(lie.cross(x, u), lie.cross(w, own))
            second = lie.subtract(lie.apply(turn, bent), lie.cross(x1, carried))
            more = lie.add(lie.apply(turn, own), dr)
            second = lie.subtract(second, lie.cross(w1, more))
            last = blend(ds, dv, apart, lie.add(x, x1), lie.ZERO3)
            last = blend(shrink, half, gap, whole, last)
            store_column(slopes.by_twists, j, c, second, last)


@allocating_routine
def set_log_slopes(work, slopes):
    """P, and the slopes of ``P^T s``."""
    for j in range(1, work.poses.shape[0]):
        at = 6 * (j - 1)
        u, w = load3(work.logs, j, 0), load3(work.logs, j, 3)
        c0, e = work.logs[j, 6], work.logs[j, 7]
        f = lie.second_inverse_coefficient(lie.dot(w, w))
        a, b = lie.tangent_inverse_blocks(u, w, c0, e)
        n = (work.stress[at], work.stress[at + 1], work.stress[at + 2])
        m = (work.stress[at + 3], work.stress[at + 4], work.stress[at + 5])
        bent = lie.second_rotation_derivative(w, n, u, c0, e, f)
        first = lie.rotation_derivative(1.0, w, n, c0, e)
        low = lie.matrix_add(lie.rotation_derivative(1.0, w, m, c0, e), bent)
        own = lie.rotation_derivative(-1.0, w, n, c0, e)
        own_low = lie.matrix_add(lie.rotation_derivative(-1.0, w, m, c0, e), bent)
        for c in range(12):
            x1, y1 = unit(c, 0), unit(c, 3)
            x, y = unit(c, 6), unit(c, 9)
            du = lie.add(lie.apply(a, x), lie.apply(b, y))
            du = lie.subtract(du, lie.apply_transposed(a, x1))
            du = lie.subtract(du, lie.apply_transposed(b, y1))
            dw = lie.subtract(lie.apply(a, y), lie.apply_transposed(a, y1))
            store_column(slopes.logs, j, c, du, dw)
            force = lie.apply(first, dw)
            moment = lie.add(lie.apply(first, du), lie.apply(low, dw))
            own_force = lie.apply(own, dw)
            own_moment = lie.add(lie.apply(own, du), lie.apply(own_low, dw))
            for k in range(3):
                slopes.wrenches[j, k, c] = -force[k]
                slopes.wrenches[j, 3 + k, c] = -moment[k]
                slopes.wrenches[j, 6 + k, c] = own_force[k]
                slopes.wrenches[j, 9 + k, c] = own_moment[k]


@allocating_routine
def add_wrench_slopes(work, forces, slopes):
    """Slopes of ``Y^T f`` at constant f."""
    for j in range(1, work.poses.shape[0]):
        at = 6 + 6 * (j - 1)
        turn, v = load9(work.relative, j, 7), load3(work.relative, j, 4)
        f = (forces[at], forces[at + 1], forces[at + 2])
        m = (forces[at + 3], forces[at + 4], forces[at + 5])
        for c in range(12):
            x1, x = unit(c, 3), unit(c, 9)
            spin = lie.subtract(lie.apply(turn, x), x1)
            dr = column3(slopes.coordinates, j, 0, c)
            half = lie.scale(0.5, column3(slopes.coordinates, j, 3, c))
            shrink = -0.5 * lie.dot(v, lie.subtract(x, x1))
            turned = lie.cross(half, m)
            back = lie.add(lie.cross(dr, f), lie.add_scaled(turned, shrink, m))
            own = lie.apply_transposed(turn, lie.cross(f, spin))
            moment = lie.add_scaled(lie.scale(-1.0, turned), shrink, m)
            for k in range(3):
                slopes.wrenches[j, 3 + k, c] -= back[k]
                slopes.wrenches[j, 6 + k, c] += own[k]
                slopes.wrenches[j, 9 + k, c] += moment[k]
