"""The axis of a beam element as a curve, and how it moves with its two ends.

A segment is ``(p, q, u, w)``: place and turn of the section at its first end, and the
logarithm ``d = (u, w)`` of the second end in the first. Its axis ``p + R y(x)``, with
``y(x)`` the translation of ``exp(x d)``, is a helix: ``x'' = R exp(x w) (w x u)``.

A local motion ``a`` of the first section and a change ``dd`` of the logarithm move a
point by ``v . dx = (m, y x m) . a + k . dd`` with ``m = R^T v`` and
``k = d(m . y(x d))/dd`` (reduced coordinates); ``dd = T^-1(d) b - T^-1(-d) a``.

Source: Sonneville, Cardona, Bruels 2014 (interpolation on SE(3)); derivatives are own.
"""

from __future__ import annotations

import math

from .._jit import inline, routine
from ..elements._scatter import load3, load_position, load_quaternion
from ..lie import _kernels as lie
from . import _layout as layout


@inline
def load4(array, i, j):
    return (array[i, j], array[i, j + 1], array[i, j + 2], array[i, j + 3])


@routine
def section(poses, frame, parameters, i, column, origin):
    """Place and turn of a section seen from a pose ``origin = (p, q)``."""
    back = lie.quaternion_conjugate(origin[1])
    away = lie.subtract(load_position(poses, frame), origin[0])
    q = lie.quaternion_multiply(back, load_quaternion(poses, frame))
    p = lie.quaternion_rotate(back, away)
    p = lie.add(p, lie.quaternion_rotate(q, load3(parameters, i, column)))
    return p, lie.quaternion_multiply(q, load4(parameters, i, column + 3))


@routine
def segment(poses, block, i, side, origin):
    """Segment of the slave (side 0) or master (side 1) of row ``i``."""
    frames, parameters = block.frames, block.parameters
    column = layout.SLAVE_OFFSETS if side == 0 else layout.MASTER_OFFSETS
    p, q = section(poses, frames[i, 2 * side], parameters, i, column, origin)
    end, turn = section(
        poses, frames[i, 2 * side + 1], parameters, i, column + 7, origin
    )
    back = lie.quaternion_conjugate(q)
    w = lie.quaternion_log(lie.quaternion_multiply(back, turn))
    y = lie.quaternion_rotate(back, lie.subtract(end, p))
    c, _ = lie.inverse_coefficients(lie.dot(w, w))
    return p, q, lie.log_translation(y, w, c), w


@inline
def origin_of(poses, frame):
    """Pose that all of a row is seen from: the first node of the slave."""
    return load_position(poses, frame), load_quaternion(poses, frame)


@routine
def place_on(segment, x):
    """Place on the axis, its first and its second derivative in ``x``."""
    p, q, u, w = segment
    turn = lie.scale(x, w)
    y = lie.exp_translation(lie.scale(x, u), turn)
    q = lie.quaternion_multiply(q, lie.quaternion_exp(turn))
    place = lie.add(p, lie.quaternion_rotate(segment[1], y))
    return place, lie.quaternion_rotate(q, u), lie.quaternion_rotate(q, lie.cross(w, u))


@inline
def bow_coefficients(square):
    """Coefficients ``a, b`` of ``y = u + a w x u + b w x (w x u)`` and derivatives.

    ``a_1 = a'/x``, ``a_2 = a_1'/x``, and so for b; ``x^2`` is given.
    """
    a, b = lie.exp_coefficients(square)
    a1, b1 = lie.exp_coefficient_derivatives(square, a, b)
    if square > 1.0:
        x = math.sqrt(square)
        a2 = ((math.cos(x) - math.sin(x) / x) / square - 4.0 * a1) / square
        b2 = (a1 - 5.0 * b1) / square
    else:
        # sums over k of (-1)^k 4 k (k - 1) x^(2 k - 4) / (2 k + 2)! or (2 k + 3)!
        s = square
        high = 1.0 - s / 171.42857142857142 * (1.0 - s / 229.5 * (1.0 - s / 295.5555))
        a2 = 1.0 - s / 45.0 * (1.0 - s / 79.2 * (1.0 - s / 121.33333333333333 * high))
        a2 = (1.0 - s / 18.666666666666667 * a2) / 90.0
        high = 1.0 - s / 194.28571428571428 * (1.0 - s / 256.5 * (1.0 - s / 326.6666))
        b2 = 1.0 - s / 55.0 * (1.0 - s / 93.6 * (1.0 - s / 140.0 * high))
        b2 = (1.0 - s / 24.0 * b2) / 630.0
    return a, b, a1, b1, a2, b2


@inline
def bow_gradient(m, u, w, coefficients):
    """Gradient of ``m . y(u, w)``."""
    a, b, a1, b1, _, _ = coefficients
    z = lie.dot(w, w)
    mw, mu, wu = lie.dot(m, w), lie.dot(m, u), lie.dot(w, u)
    um = lie.cross(u, m)
    first = lie.add_scaled(m, a, lie.cross(m, w))
    first = lie.add_scaled(lie.add_scaled(first, b * mw, w), -b * z, m)
    h = a1 * lie.dot(w, um) + b1 * (mw * wu - mu * z) - 2.0 * b * mu
    second = lie.add_scaled(lie.scale(a, um), b * wu, m)
    second = lie.add_scaled(lie.add_scaled(second, b * mw, u), h, w)
    return first, second


@routine
def bow_second(m, u, w, coefficients):
    """Second derivatives of ``m . y(u, w)``: mixed ``d2/du dw`` and ``d2/dw dw``."""
    a, b, a1, b1, a2, b2 = coefficients
    z = lie.dot(w, w)
    mw, mu, wu = lie.dot(m, w), lie.dot(m, u), lie.dot(w, u)
    um = lie.cross(u, m)
    alpha, beta = lie.dot(w, um), mw * wu - mu * z
    mixed = lie.matrix_add_scaled(lie.matrix_scale(a, lie.hat(m)), b, lie.outer(w, m))
    mixed = lie.matrix_add_scaled(mixed, b * mw, lie.IDENTITY33)
    row = lie.scale(a1, lie.cross(m, w))
    row = lie.add_scaled(lie.add_scaled(row, b1 * mw, w), -b1 * z - 2.0 * b, m)
    mixed = lie.matrix_add(mixed, lie.outer(row, w))
    row = lie.add_scaled(lie.scale(a1, um), b1 * wu, m)
    row = lie.add_scaled(lie.add_scaled(row, b1 * mw, u), -2.0 * b1 * mu, w)
    row = lie.add_scaled(row, 0.5 * (a2 * alpha + b2 * beta), w)
    half = lie.matrix_add_scaled(lie.outer(row, w), b, lie.outer(m, u))
    h = 0.5 * (a1 * alpha + b1 * beta) - b * mu
    half = lie.matrix_add_scaled(half, h, lie.IDENTITY33)
    return mixed, lie.matrix_add(half, lie.transpose(half))
