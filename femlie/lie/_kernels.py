"""Exponential, logarithm and tangent operators of SO(3) and SE(3), as scalar code.

Inlined into compiled loops; also plain Python. Kernels import this module as ``lie``
and find the vectors and matrices of `_vectors` here too.
"""

from __future__ import annotations

import math

from .._jit import inline
from ._vectors import (
    IDENTITY33,
    ZERO3,
    ZERO33,
    add,
    add_scaled,
    apply,
    apply_transposed,
    cross,
    dot,
    hat,
    hat_times,
    matrix_add,
    matrix_add_scaled,
    matrix_scale,
    matrix_subtract,
    multiply,
    multiply_transposed,
    norm,
    outer,
    quaternion_conjugate,
    quaternion_from_matrix,
    quaternion_multiply,
    quaternion_normalize,
    quaternion_rotate,
    rotation_matrix,
    scale,
    scale_columns,
    subtract,
    times_hat,
    times_transposed,
    transpose,
)

__all__ = [
    "IDENTITY33",
    "SERIES_END",
    "ZERO3",
    "ZERO33",
    "add",
    "add_scaled",
    "adjoint_inverse_blocks",
    "apply",
    "apply_transposed",
    "arcsine_ratio",
    "cross",
    "dot",
    "exp_coefficient_derivatives",
    "exp_coefficients",
    "exp_translation",
    "half_turn",
    "hat",
    "hat_times",
    "inverse_coefficients",
    "inverse_coefficients_beyond",
    "log_translation",
    "matrix_add",
    "matrix_add_scaled",
    "matrix_scale",
    "matrix_subtract",
    "multiply",
    "multiply_transposed",
    "norm",
    "outer",
    "quaternion_conjugate",
    "quaternion_exp",
    "quaternion_from_matrix",
    "quaternion_log",
    "quaternion_multiply",
    "quaternion_normalize",
    "quaternion_rotate",
    "rotation_derivative",
    "rotation_matrix",
    "scale",
    "scale_columns",
    "second_inverse_coefficient",
    "second_rotation_derivative",
    "subtract",
    "tangent_blocks",
    "tangent_inverse_blocks",
    "times_hat",
    "times_transposed",
    "transpose",
]

SERIES_END = 0.0625


@inline
def half_turn(square):
    """``cos(x/2)`` and ``sin(x/2)/x`` from ``x^2``."""
    if square < 1.0:
        s = 0.25 * square
        cosine = 1.0 - s * (0.5 - s * (1.0 / 24.0 - s * (
            1.0 / 720.0 - s * (1.0 / 40320.0 - s * (1.0 / 3628800.0 - s * (
                1.0 / 479001600.0 - s * (1.0 / 87178291200.0)))))))  # fmt: skip
        ratio = 0.5 - s * (1.0 / 12.0 - s * (1.0 / 240.0 - s * (
            1.0 / 10080.0 - s * (1.0 / 725760.0 - s * (1.0 / 79833600.0 - s * (
                1.0 / 12454041600.0))))))  # fmt: skip
    else:
        x = math.sqrt(square)
        cosine = math.cos(0.5 * x)
        ratio = math.sin(0.5 * x) / x
    return cosine, ratio


@inline
def quaternion_exp(w):
    """Unit quaternion of the rotation vector ``w``."""
    angle = norm(w)
    factor = math.sin(0.5 * angle) / angle if angle > 1e-20 else 0.5
    return (math.cos(0.5 * angle), factor * w[0], factor * w[1], factor * w[2])


@inline
def arcsine_ratio(z):
    """``asin(x)/x`` as a series in ``z = x^2``, exact to rounding to ``SERIES_END``."""
    zz = z * z
    low = 1.0 + z * 0.16666666666666666 + zz * (0.075 + z * 0.044642857142857144)
    middle = 0.030381944444444444 + z * 0.022372159090909092
    middle += zz * (0.017352764423076924 + z * 0.01396484375)
    high = 0.011551800896139705 + z * 0.009761609529194078
    high += zz * (0.008390335809616815 + z * 0.0073125258735988454)
    high += zz * zz * 0.006447210311889649
    return low + zz * zz * (middle + zz * zz * high)


@inline
def quaternion_log(q):
    """Rotation vector of length at most pi."""
    v = (q[1], q[2], q[3])
    z = dot(v, v)
    if z < SERIES_END:
        ratio = arcsine_ratio(z)
    else:
        size = math.sqrt(z)
        ratio = math.atan2(size, abs(q[0])) / size
    return scale(math.copysign(2.0 * ratio, q[0]), v)


@inline
def exp_coefficients(square):
    """``(1 - cos x)/x^2`` and ``(x - sin x)/x^3`` from ``x^2``."""
    _, half = half_turn(square)
    if square > 1.0:
        x = math.sqrt(square)
        third = (x - math.sin(x)) / (square * x)
    else:
        s = square
        third = 1.0 / 6.0 - s * (1.0 / 120.0 - s * (1.0 / 5040.0 - s * (
            1.0 / 362880.0 - s * (1.0 / 39916800.0 - s * (1.0 / 6227020800.0 - s * (
                1.0 / 1307674368000.0 - s * (1.0 / 355687428096000.0)))))))  # fmt: skip
    return 2.0 * half * half, third


@inline
def exp_translation(u, w):
    """Translation of ``exp(u, w)``: ``(I + b w^ + g w^2) u``."""
    b, g = exp_coefficients(dot(w, w))
    wu = cross(w, u)
    return add_scaled(add_scaled(u, b, wu), g, cross(w, wu))


@inline
def inverse_poles(square):
    """``1/((2 pi)^2 - x^2)`` and ``1/((4 pi)^2 - x^2)``, by one division."""
    first = 39.478417604357434475 - square
    second = 157.91367041742973790 - square
    both = 1.0 / (first * second)
    return second * both, first * both


@inline
def inverse_coefficients(square):
    """``c = (1 - x/2 cot(x/2))/x^2`` and its derivative ``e = c'/x``.

    ``c = sum_k 2/((2 pi k)^2 - x^2)``: the first two poles are written out and the rest
    is a power series in ``x^2``, exact to rounding up to ``x = pi`` with no switch.
    """
    s = square
    a, b = inverse_poles(s)
    c = 2.0 * (a + b) + 0.020007593556872226181 + s * (
        2.5438120688625621578e-5 + s * (5.5845683904944151311e-8 + s * (
            1.4088241574761046862e-10 + s * (3.7567162002157978115e-13 + s * (
                1.0280125375360461078e-15 + s * (2.8500221292137912383e-18 + s * (
                    7.9555754107198449836e-21 + s * (2.2289326645537011567e-23 + s * (
                        6.2574711508057722392e-26 + s * 1.7586730492909679891e-28)))
                ))))))  # fmt: skip
    e = 4.0 * (a * a + b * b) + 5.0876241377251243159e-5 + s * (
        2.2338273561977660524e-7 + s * (8.4529449448566281171e-10 + s * (
            3.0053729601726382492e-12 + s * (1.0280125375360461078e-14 + s * (
                3.4200265550565494859e-17 + s * (1.1137805575007782977e-19 + s * (
                    3.5662922632859218507e-22 + s * (1.1263448071450390031e-24
                    + s * 3.5173460985819359782e-27))))))))  # fmt: skip
    return c, e


@inline
def second_inverse_coefficient(square):
    """``f = e'/x`` of `inverse_coefficients`."""
    s = square
    a, b = inverse_poles(s)
    return 16.0 * (a * a * a + b * b * b) + 4.4676547123955321049e-7 + s * (
        3.3811779779426512468e-9 + s * (1.8032237761035829495e-11 + s * (
            8.2241003002883688628e-14 + s * (3.4200265550565494859e-16 + s * (
                1.3365366690009339572e-18 + s * (4.9928091686002905909e-21 + s * (
                    1.8021516914320624049e-23 + s * 6.3312229774474847607e-26)))
            ))))  # fmt: skip


@inline
def log_translation(p, w, c):
    """``u`` with ``exp(u, w)`` translating by ``p``: ``(I - w^/2 + c w^2) p``."""
    wp = cross(w, p)
    return add_scaled(add_scaled(p, -0.5, wp), c, cross(w, wp))


@inline
def tangent_inverse_blocks(u, w, c, e):
    """``A, B`` of the inverse right tangent operator ``[[A, B], [0, A]]`` on SE(3).

    ``A = I + w^/2 + c w^2`` and ``B = u^/2 + c (w^ u^ + u^ w^) + e (w.u) w^2``.
    The inverse left operator, that of ``-(u, w)``, is ``[[A.T, B.T], [0, A.T]]``.
    """
    s = dot(w, w)
    wu = dot(w, u)
    d = c * s
    a = (
        1.0 - d + c * w[0] * w[0],
        -0.5 * w[2] + c * w[0] * w[1],
        0.5 * w[1] + c * w[0] * w[2],
        0.5 * w[2] + c * w[1] * w[0],
        1.0 - d + c * w[1] * w[1],
        -0.5 * w[0] + c * w[1] * w[2],
        -0.5 * w[1] + c * w[2] * w[0],
        0.5 * w[0] + c * w[2] * w[1],
        1.0 - d + c * w[2] * w[2],
    )
    g = e * wu
    h = -2.0 * c * wu - g * s
    xy = c * (w[0] * u[1] + u[0] * w[1]) + g * w[0] * w[1]
    xz = c * (w[0] * u[2] + u[0] * w[2]) + g * w[0] * w[2]
    yz = c * (w[1] * u[2] + u[1] * w[2]) + g * w[1] * w[2]
    b = (
        h + 2.0 * c * w[0] * u[0] + g * w[0] * w[0],
        xy - 0.5 * u[2],
        xz + 0.5 * u[1],
        xy + 0.5 * u[2],
        h + 2.0 * c * w[1] * u[1] + g * w[1] * w[1],
        yz - 0.5 * u[0],
        xz - 0.5 * u[1],
        yz + 0.5 * u[0],
        h + 2.0 * c * w[2] * u[2] + g * w[2] * w[2],
    )
    return a, b


@inline
def rotation_derivative(sign, w, x, c, e):
    """``d(A x)/dw`` for ``A = I + sign w^/2 + c w^2`` at fixed ``x``.

    ``-sign x^/2 + c ((w.x) I + w x^T - 2 x w^T) + e (w (w.x) - x w.w) w^T``.
    """
    wx = dot(w, x)
    s = dot(w, w)
    y = (
        e * (w[0] * wx - x[0] * s) - 2.0 * c * x[0],
        e * (w[1] * wx - x[1] * s) - 2.0 * c * x[1],
        e * (w[2] * wx - x[2] * s) - 2.0 * c * x[2],
    )
    h = 0.5 * sign
    d = c * wx
    return (
        d + c * w[0] * x[0] + y[0] * w[0],
        c * w[0] * x[1] + y[0] * w[1] + h * x[2],
        c * w[0] * x[2] + y[0] * w[2] - h * x[1],
        c * w[1] * x[0] + y[1] * w[0] - h * x[2],
        d + c * w[1] * x[1] + y[1] * w[1],
        c * w[1] * x[2] + y[1] * w[2] + h * x[0],
        c * w[2] * x[0] + y[2] * w[0] + h * x[1],
        c * w[2] * x[1] + y[2] * w[1] - h * x[0],
        d + c * w[2] * x[2] + y[2] * w[2],
    )


@inline
def second_rotation_derivative(w, x, u, c, e, f):
    """``d(D u)/dw`` with ``D = rotation_derivative(., w, x)`` at fixed ``x``, ``u``."""
    wx = dot(w, x)
    wu = dot(w, u)
    xu = dot(x, u)
    s = dot(w, w)
    y = (w[0] * wx - x[0] * s, w[1] * wx - x[1] * s, w[2] * wx - x[2] * s)
    ew = e * wu
    # terms grouped as (column vector) (row vector)^T: a u^T + b x^T + g w^T + d I
    a = (
        e * y[0] - 2.0 * c * x[0],
        e * y[1] - 2.0 * c * x[1],
        e * y[2] - 2.0 * c * x[2],
    )
    b = (c * u[0] + ew * w[0], c * u[1] + ew * w[1], c * u[2] + ew * w[2])
    g = (
        e * (wx * u[0] + w[0] * xu - 4.0 * x[0] * wu) + f * wu * y[0],
        e * (wx * u[1] + w[1] * xu - 4.0 * x[1] * wu) + f * wu * y[1],
        e * (wx * u[2] + w[2] * xu - 4.0 * x[2] * wu) + f * wu * y[2],
    )
    d = c * xu + ew * wx
    return (
        d + a[0] * u[0] + b[0] * x[0] + g[0] * w[0],
        a[0] * u[1] + b[0] * x[1] + g[0] * w[1],
        a[0] * u[2] + b[0] * x[2] + g[0] * w[2],
        a[1] * u[0] + b[1] * x[0] + g[1] * w[0],
        d + a[1] * u[1] + b[1] * x[1] + g[1] * w[1],
        a[1] * u[2] + b[1] * x[2] + g[1] * w[2],
        a[2] * u[0] + b[2] * x[0] + g[2] * w[0],
        a[2] * u[1] + b[2] * x[1] + g[2] * w[1],
        d + a[2] * u[2] + b[2] * x[2] + g[2] * w[2],
    )


@inline
def adjoint_inverse_blocks(p, r):
    """``a, b`` of ``Ad(H)^-1 = [[a, b], [0, a]]`` with ``H = (p, r)``."""
    a = transpose(r)
    return a, matrix_scale(-1.0, multiply(a, hat(p)))


@inline
def inverse_coefficients_beyond(square):
    """``c, e, f`` of ``inverse_coefficients`` at every angle but ``2 pi k``.

    Beyond ``x = pi``, with ``t = x/2 cot(x/2)`` and ``q = (x/2 / sin(x/2))^2``:
    ``c = (1 - t)/x^2``, ``e = (q + t - 2)/x^4``, ``f = (8 - 3 t - q (3 + 2 t))/x^6``.
    """
    if square > 9.8696044010893586:
        half = 0.5 * math.sqrt(square)
        sine = math.sin(half)
        t = half * math.cos(half) / sine
        q = (half / sine) * (half / sine)
        c = (1.0 - t) / square
        e = (q + t - 2.0) / (square * square)
        f = (8.0 - 3.0 * t - q * (3.0 + 2.0 * t)) / (square * square * square)
    else:
        c, e = inverse_coefficients(square)
        f = second_inverse_coefficient(square)
    return c, e, f


@inline
def exp_coefficient_derivatives(square, b, g):
    """``b'/x`` and ``g'/x`` for ``b, g = exp_coefficients(x^2)``.

    ``b'/x = (sin(x)/x - 2 b)/x^2`` and ``g'/x = (b - 3 g)/x^2``, as series below 1.
    """
    if square > 1.0:
        x = math.sqrt(square)
        first = (math.sin(x) / x - 2.0 * b) / square
        second = (b - 3.0 * g) / square
    else:
        s = square
        first = -1.0 / 12.0 + s * (1.0 / 180.0 - s * (1.0 / 6720.0 - s * (
            1.0 / 453600.0 - s * (1.0 / 47900160.0 - s * (1.0 / 7264857600.0 - s * (
                1.0 / 1494484992000.0 - s * (1.0 / 400148356608000.0)))))))  # fmt: skip
        second = -1.0 / 60.0 + s * (1.0 / 1260.0 - s * (1.0 / 60480.0 - s * (
            1.0 / 4989600.0 - s * (1.0 / 622702080.0 - s * (1.0 / 108972864000.0 - s * (
                1.0 / 25406244864000.0 - s * (1.0 / 7602818775552000.0)))
            ))))  # fmt: skip
    return first, second


@inline
def tangent_blocks(u, w):
    """``A, B`` of the right tangent operator ``[[A, B], [0, A]]`` on SE(3).

    ``A = I - b w^ + g w^2`` and ``B`` is its derivative in ``w`` along ``u``.
    """
    square = dot(w, w)
    wu = dot(w, u)
    b, g = exp_coefficients(square)
    db, dg = exp_coefficient_derivatives(square, b, g)
    wh = hat(w)
    uh = hat(u)
    ww = multiply(wh, wh)
    a = matrix_add_scaled(matrix_add_scaled(IDENTITY33, -b, wh), g, ww)
    mixed = matrix_add(multiply(wh, uh), multiply(uh, wh))
    d = matrix_add_scaled(matrix_scale(-b, uh), g, mixed)
    d = matrix_add_scaled(matrix_add_scaled(d, -db * wu, wh), dg * wu, ww)
    return a, d
