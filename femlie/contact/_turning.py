"""Variations of moments on a section, and of what they do when the rods move.

A moment of fixed direction ``tau`` on the section at x has, with ``mu = R_0^T tau``,
the reduced vector ``(0, mu, 0, x T(x w) mu)``: it turns the first section, and with the
right tangent operator of SO(3) what lies between. `_gap` says what is reduced.
"""

from __future__ import annotations

from .._jit import inline, routine
from ..lie import _kernels as lie
from ._gap import add33, add_slopes, less, slope, variation
from ._segments import bow_coefficients


@inline
def turned(x, w, m):
    """``x T(x w) m`` with the right tangent operator of SO(3)."""
    xw = lie.scale(x, w)
    coefficients = bow_coefficients(lie.dot(xw, xw))
    wm = lie.cross(xw, m)
    y = lie.add_scaled(m, -coefficients[0], wm)
    y = lie.add_scaled(y, coefficients[1], lie.cross(xw, wm))
    return lie.scale(x, y)


@routine
def turning(one, x, v):
    """Reduced vector of a moment v (axes of the row) on the section at x."""
    m = lie.quaternion_rotate(lie.quaternion_conjugate(one[1]), v)
    return lie.ZERO3, m, lie.ZERO3, turned(x, one[3], m)


@routine
def wrench(one, x, sign, force, moment):
    """Reduced vector of a force on the axis at x, ``sign`` times, and a moment."""
    m, lever, first, second = variation(one, x, sign, force)
    _, more, _, last = turning(one, x, moment)
    return m, lie.add(lever, more), first, lie.add(second, last)


@routine
def wrench_slope(one, x, sign, force, moment):
    """The derivative of `wrench` in the place x, at the same force and moment."""
    m, lever, first, second = slope(one, x, sign, force)
    back = lie.quaternion_conjugate(one[1])
    more = lie.quaternion_rotate(back, moment)
    turn = lie.quaternion_exp(lie.scale(-x, one[3]))
    return m, lever, first, lie.add(second, lie.quaternion_rotate(turn, more))


@routine
def add_turning(out, one, x, moment, maps):
    """Derivative of the wrenches of a moment of fixed direction, (12, 12)."""
    a = maps[0]
    at = lie.transpose(a)
    m = lie.quaternion_rotate(lie.quaternion_conjugate(one[1]), moment)
    xw = lie.scale(x, one[3])
    coefficients = bow_coefficients(lie.dot(xw, xw))
    b, g, b1, g1, _, _ = coefficients
    wm = lie.cross(xw, m)
    wwm = lie.cross(xw, wm)
    hat = lie.hat(m)
    # d(T(xw) m)/d(xw)
    change = lie.matrix_scale(b, hat)
    row = lie.add_scaled(lie.scale(-b1, wm), g1, wwm)
    row = lie.add_scaled(row, -2.0 * g, m)
    change = lie.matrix_add(change, lie.outer(row, xw))
    change = lie.matrix_add_scaled(change, g, lie.outer(xw, m))
    change = lie.matrix_add_scaled(change, g * lie.dot(xw, m), lie.IDENTITY33)
    change = lie.matrix_scale(x * x, change)
    # T(xw) hat(m), column by column: rows of its transpose
    columns = (
        turned(x, one[3], (0.0, m[2], -m[1])),
        turned(x, one[3], (-m[2], 0.0, m[0])),
        turned(x, one[3], (m[1], -m[0], 0.0)),
    )
    own = lie.transpose((*columns[0], *columns[1], *columns[2]))
    own = less(own, lie.multiply(change, at))
    other = lie.multiply(change, a)
    add33(out, 3, 3, less(hat, lie.multiply(a, own)))
    add33(out, 3, 9, lie.matrix_scale(-1.0, lie.multiply(a, other)))
    add33(out, 9, 3, lie.multiply(at, own))
    add33(out, 9, 9, lie.multiply(at, other))
    covector = (lie.ZERO3, turned(x, one[3], m))
    add_slopes(out, 0, -1.0, one, maps, covector)
    add_slopes(out, 6, 1.0, one, maps, covector)
