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
from ..elements._beam_geometry import ROUNDING
from ..elements._scatter import load3, load_position, load_quaternion
from ..lie import _kernels as lie
from . import _layout as layout


@inline
def load4(array, i, j):
    return (array[i, j], array[i, j + 1], array[i, j + 2], array[i, j + 3])


@routine
def seen(origin, p, q):
    """A pose ``(p, q)`` seen from another one."""
    back = lie.quaternion_conjugate(origin[1])
    place = lie.quaternion_rotate(back, lie.subtract(p, origin[0]))
    return place, lie.quaternion_multiply(back, q)


@routine
def moved(pose, p, q):
    """A pose behind another one, in the axes of that."""
    place = lie.add(pose[0], lie.quaternion_rotate(pose[1], p))
    return place, lie.quaternion_multiply(pose[1], q)


@inline
def section(poses, frame, block, i, column, origin):
    """Place and turn of a section seen from a pose ``origin = (p, q)``."""
    pose = seen(origin, load_position(poses, frame), load_quaternion(poses, frame))
    if block.codes[i, layout.HAS_OFFSETS] == 0:
        return pose
    parameters = block.parameters
    return moved(pose, load3(parameters, i, column), load4(parameters, i, column + 3))


# What is called for each point takes numbers: to pass all arrays of a block to a
# function that is not compiled into its caller takes longer than most of them.
@inline
def segment(poses, block, i, side, origin):
    """Segment of the slave (side 0) or master (side 1) of row ``i``."""
    frames = block.frames
    column = layout.SLAVE_OFFSETS if side == 0 else layout.MASTER_OFFSETS
    first = section(poses, frames[i, 2 * side], block, i, column, origin)
    last = section(poses, frames[i, 2 * side + 1], block, i, column + 7, origin)
    return between(first, last)


@routine
def between(first, last):
    """Segment from one section to another one."""
    p, q = first
    end, turn = last
    back = lie.quaternion_conjugate(q)
    w = lie.quaternion_log(lie.quaternion_multiply(back, turn))
    y = lie.quaternion_rotate(back, lie.subtract(end, p))
    c, _ = lie.inverse_coefficients(lie.dot(w, w))
    return p, q, lie.log_translation(y, w, c), w


@inline
def rounding_of(poses, block, i):
    """Rounding of the places in space that row ``i`` is found from [m]."""
    reach = 0.0
    for side in range(2):
        frame = block.frames[i, 2 * side]
        for k in range(3):
            reach = max(reach, abs(poses[frame, k]))
    return ROUNDING * reach


@inline
def origin_of(poses, frame):
    """Pose that all of a row is seen from: the first node of the slave."""
    return load_position(poses, frame), load_quaternion(poses, frame)


@inline
def bow_coefficients(square):
    """Coefficients ``a, b`` of ``y = u + a w x u + b w x (w x u)`` and derivatives.

    ``a_1 = a'/x``, ``a_2 = a_1'/x``, and so for b; ``x^2`` is given. All follow from
    two series ``c_n = sum_k (-1)^k x^(2 k) / (2 k + n)!``, n = 6 and 7, by
    ``c_n = 1/n! - x^2 c_(n+2)`` and ``x c_n' = c_(n-1) - n c_n``.
    """
    if square > 1.0:
        x = math.sqrt(square)
        sine, cosine = math.sin(x) / x, math.cos(x)
        half = math.sin(0.5 * x) / x
        a, b = 2.0 * half * half, (1.0 - sine) / square
        a1, b1 = (sine - 2.0 * a) / square, (a - 3.0 * b) / square
        a2 = ((cosine - sine) / square - 4.0 * a1) / square
        b2 = (a1 - 5.0 * b1) / square
    else:
        # in groups of two, which a processor evaluates side by side
        s, ss = square, square * square
        c6 = (1.0 / 720.0 - s * (1.0 / 40320.0)) + ss * (
            1.0 / 3628800.0 - s * (1.0 / 479001600.0)
        )
        high = 1.0 / 87178291200.0 - s * (1.0 / 20922789888000.0)
        high += ss * (1.0 / 6402373705728000.0 - s * (1.0 / 2432902008176640000.0))
        c6 += ss * ss * high
        c7 = (1.0 / 5040.0 - s * (1.0 / 362880.0)) + ss * (
            1.0 / 39916800.0 - s * (1.0 / 6227020800.0)
        )
        high = 1.0 / 1307674368000.0 - s * (1.0 / 355687428096000.0)
        high += ss * (1.0 / 121645100408832000.0 - s * (1.0 / 51090942171709440000.0))
        c7 += ss * ss * high
        c4, c5 = 1.0 / 24.0 - s * c6, 1.0 / 120.0 - s * c7
        a, b = 0.5 - s * c4, 1.0 / 6.0 - s * c5
        a1, b1 = 2.0 * c4 - b, 3.0 * c5 - c4
        a2, b2 = 8.0 * c6 - 5.0 * c5 + c4, 15.0 * c7 - 7.0 * c6 + c5
    return a, b, a1, b1, a2, b2


@inline
def bow(u, w, coefficients):
    """The translation ``y`` of ``exp(u, w)``."""
    wu = lie.cross(w, u)
    y = lie.add_scaled(u, coefficients[0], wu)
    return lie.add_scaled(y, coefficients[1], lie.cross(w, wu))


@inline
def on_helix(u, w, x):
    """``y(x)``, its first and its second derivative, in the axes of the first section.

    With ``a, b, g`` of angle ``t = x |w|``, ``sin t/t``, ``(1 - cos t)/t^2`` and
    ``(t - sin t)/t^3``: ``y/x = u + b x w x u + g x^2 w x (w x u)``.
    """
    wu = lie.cross(w, u)
    wwu = lie.cross(w, wu)
    square = x * x * lie.dot(w, w)
    b, g, _, _, _, _ = bow_coefficients(square)
    a = 1.0 - square * g
    y = lie.add_scaled(lie.add_scaled(u, b * x, wu), g * x * x, wwu)
    along = lie.add_scaled(lie.add_scaled(u, a * x, wu), b * x * x, wwu)
    bend = lie.add_scaled(lie.scale(1.0 - b * square, wu), a * x, wwu)
    return lie.scale(x, y), along, bend


@routine
def place_on(one, x):
    """Place on the axis, its first and its second derivative in ``x``."""
    p, q, u, w = one
    y, along, bend = on_helix(u, w, x)
    place = lie.add(p, lie.quaternion_rotate(q, y))
    return place, lie.quaternion_rotate(q, along), lie.quaternion_rotate(q, bend)


@inline
def point_on(one, x):
    """The place alone."""
    p, q, u, w = one
    xw = lie.scale(x, w)
    y = bow(lie.scale(x, u), xw, bow_coefficients(lie.dot(xw, xw)))
    return lie.add(p, lie.quaternion_rotate(q, y))


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
