"""Lie groups in 50-digit arithmetic, straight from the defining power series.

Matrices are numpy arrays of mpmath numbers; twists hold the translation first.
"""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np

DIGITS = 50


def to_mp(values: Any) -> Any:
    """The same numbers, exactly, with 50 digits."""
    return np.vectorize(mpmath.mpf, otypes=[object])(np.asarray(values))


def identity(size: int) -> Any:
    return to_mp(np.eye(size))


def hat3(w: Any) -> Any:
    return to_mp([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])


def hat(twist: Any) -> Any:
    matrix = to_mp(np.zeros((4, 4)))
    matrix[:3, :3] = hat3(twist[3:])
    matrix[:3, 3] = twist[:3]
    return matrix


def ad(twist: Any) -> Any:
    matrix = to_mp(np.zeros((6, 6)))
    matrix[:3, :3] = matrix[3:, 3:] = hat3(twist[3:])
    matrix[:3, 3:] = hat3(twist[:3])
    return matrix


def power_series(matrix: Any, shift: int) -> Any:
    """``sum_k matrix^k / (k + shift)!``."""
    with mpmath.workdps(DIGITS):
        term = identity(len(matrix))
        total = term.copy()
        k = 1
        # the largest term is about e^|matrix|: the rest must vanish beside one
        while k < 8 or max(abs(x) for x in term.flat) > mpmath.mpf(10) ** -DIGITS:
            term = term @ matrix / (k + shift)
            total = total + term
            k += 1
        return total


def exp(twist: Any) -> Any:
    """``sum_k hat(n)^k / k!``."""
    with mpmath.workdps(DIGITS):
        return power_series(hat(to_mp(twist)), 0)


def tangent_operator(twist: Any) -> Any:
    """Right tangent operator, ``sum_k (-ad(n))^k / (k + 1)!``."""
    with mpmath.workdps(DIGITS):
        return power_series(-ad(to_mp(twist)), 1)


def inverse(matrix: Any) -> Any:
    with mpmath.workdps(DIGITS):
        found = mpmath.inverse(mpmath.matrix(matrix.tolist()))
        return to_mp(found.tolist()).reshape(matrix.shape)


def tangent_operator_inverse(twist: Any) -> Any:
    return inverse(tangent_operator(twist))


def derivative_of_inverse(twist: Any) -> Any:
    """``D[k] = d Tinv / d n_k`` (6, 6, 6) by central differences of step 1e-15."""
    with mpmath.workdps(DIGITS):
        center = to_mp(twist)
        step = mpmath.mpf(10) ** -15
        slopes = []
        for k in range(6):
            shift = to_mp(np.zeros(6))
            shift[k] = step
            ahead = tangent_operator_inverse(center + shift)
            behind = tangent_operator_inverse(center - shift)
            slopes.append((ahead - behind) / (2 * step))
        return np.array(slopes)


def relative_error(given: Any, exact: Any) -> float:
    """Largest difference over the largest exact entry."""
    with mpmath.workdps(DIGITS):
        difference = np.abs(to_mp(given) - exact)
        return float(max(difference.flat) / max(np.abs(exact).flat))


def coefficients(square: float) -> Any:
    """``b, g, b'/x, g'/x, c, e, f`` of the angle ``x`` with ``square = x^2 > 0``.

    ``b = (1 - cos x)/x^2``, ``g = (x - sin x)/x^3``, ``c = (1 - x/2 cot(x/2))/x^2``,
    ``e = c'/x``, ``f = e'/x``; each ``h'/x`` is ``2 dh/d(square)``, from central
    differences; 300 digits outlast the cancellation.
    """
    with mpmath.workdps(300):

        def b(s: Any) -> Any:
            return (1 - mpmath.cos(mpmath.sqrt(s))) / s

        def g(s: Any) -> Any:
            x = mpmath.sqrt(s)
            return (x - mpmath.sin(x)) / (x * s)

        def c(s: Any) -> Any:
            half = mpmath.sqrt(s) / 2
            return (1 - half * mpmath.cot(half)) / s

        s = mpmath.mpf(square)
        step = s * mpmath.mpf(10) ** -40
        slopes = [(h(s + step) - h(s - step)) / step for h in (b, g, c)]
        curvature = 4 * (c(s + step) - 2 * c(s) + c(s - step)) / step**2
        return np.array([b(s), g(s), slopes[0], slopes[1], c(s), slopes[2], curvature])
