"""Newton's method for Coulomb's law of few contacts.

Rows are ``z - P(z - u)`` with speeds ``u = A z + b``, P onto the half line and onto the
disc, or ball, of radius ``mu max(z_N - u_N, 0)``. Where a contact slides, its force
follows ``z_T - u_T`` as at the solution, damped far from it (Hueeber, Stadler and
Wohlmuth 2008).
"""

from __future__ import annotations

import math

from .._jit import inline, kernel, routine

# rows of what is kept of a place: speeds, sizes that these are made of, violations
SPEED, SIZE, WRONG, N_KEPT = range(4)


@routine
def find_speeds(a, b, z, kept):
    """Speeds at forces z, and the sizes of what they are made of."""
    for i in range(b.shape[0]):
        u, size = b[i], 1.0 + abs(z[i])
        for j in range(b.shape[0]):
            part = a[i, j] * z[j]
            u += part
            size += abs(part)
        kept[SPEED, i], kept[SIZE, i] = u, size


@inline
def size_of_tangent(z, kept, at, width):
    """Size of ``z_T - u_T``."""
    square = 0.0
    for k in range(at, at + width):
        square += (z[k] - kept[SPEED, k]) ** 2
    return max(math.sqrt(square), 1e-300)


@routine
def find_violations(coefficients, places, width, z, kept):
    """Violations of all rows; returns their size."""
    square = 0.0
    for i in range(places.shape[0]):
        push = max(z[i] - kept[SPEED, i], 0.0)
        kept[WRONG, i] = z[i] - push
        square += kept[WRONG, i] ** 2
        at = places[i]
        if at < 0:
            continue
        share = coefficients[i] * push / size_of_tangent(z, kept, at, width)
        share = min(share, 1.0)
        for k in range(at, at + width):
            kept[WRONG, k] = z[k] - share * (z[k] - kept[SPEED, k])
            square += kept[WRONG, k] ** 2
    return math.sqrt(square)


@inline
def larger(ratio, largest):
    """The larger of two, or infinity where one is no number."""
    if ratio <= largest:
        return largest
    return ratio if ratio > largest else math.inf


@routine
def largest_ratio(places, width, kept):
    """Largest violation over what speeds are made of; tangents belong to contacts."""
    largest = 0.0
    for i in range(places.shape[0]):
        own = kept[SIZE, i]
        largest = larger(abs(kept[WRONG, i]) / own, largest)
        at = places[i]
        if at < 0:
            continue
        for k in range(at, at + width):
            largest = larger(abs(kept[WRONG, k]) / (own + kept[SIZE, k]), largest)
    return largest


@inline
def set_row(matrix, row, a, is_speed):
    """A row of the speeds, or of the unit matrix."""
    for j in range(a.shape[0]):
        matrix[row, j] = a[row, j] if is_speed else 0.0
    if not is_speed:
        matrix[row, row] = 1.0


@routine
def set_sliding(matrix, a, z, kept, mu, i, at, width):
    """Rows of a contact that slides.

    With d the direction and l the size of ``z_T - u_T``, and c the limit: ``z_T - d mu
    (z_N - u_N) - T (z_T - u_T)``, ``T = c/l (I - w d^T)``, where w is ``z_T/c`` damped.
    """
    limit = mu * (z[i] - kept[SPEED, i])
    length = size_of_tangent(z, kept, at, width)
    square = along = 0.0
    for k in range(at, at + width):
        square += z[k] * z[k]
        along += z[k] * (z[k] - kept[SPEED, k]) / length
    size = math.sqrt(square)
    damping = 0.0
    if size > 0.0:
        damping = 1.0 / max(limit, size)
        if along < 0.0:
            damping /= 1.0 - along / size * min(size / limit, 1.0)
    for row in range(at, at + width):
        own = (z[row] - kept[SPEED, row]) / length
        for j in range(a.shape[0]):
            matrix[row, j] = mu * own * a[i, j]
        matrix[row, row] += 1.0
        matrix[row, i] -= mu * own
        for k in range(at, at + width):
            other = (z[k] - kept[SPEED, k]) / length
            turn = (1.0 if row == k else 0.0) - damping * z[row] * other
            turn *= limit / length
            matrix[row, k] -= turn
            for j in range(a.shape[0]):
                matrix[row, j] += turn * a[k, j]


@routine
def set_slopes(a, coefficients, places, width, z, kept, matrix):
    """Slopes of all rows by z, and the violations as a last column."""
    n = a.shape[0]
    for i in range(places.shape[0]):
        push = z[i] - kept[SPEED, i]
        set_row(matrix, i, a, push > 0.0)
        at = places[i]
        if at < 0:
            continue
        limit = coefficients[i] * push
        if 0.0 < limit < size_of_tangent(z, kept, at, width):
            set_sliding(matrix, a, z, kept, coefficients[i], i, at, width)
            continue
        for row in range(at, at + width):
            set_row(matrix, row, a, limit > 0.0)
    for i in range(n):
        matrix[i, n] = kept[WRONG, i]


@routine
def solve_dense(matrix):
    """Solve in place, into the last column; whether there is a solution."""
    n = matrix.shape[0]
    for k in range(n):
        pivot = k
        for i in range(k + 1, n):
            if abs(matrix[i, k]) > abs(matrix[pivot, k]):
                pivot = i
        if matrix[pivot, k] == 0.0:
            return False
        for j in range(k, n + 1):
            matrix[k, j], matrix[pivot, j] = matrix[pivot, j], matrix[k, j]
        for i in range(k + 1, n):
            factor = matrix[i, k] / matrix[k, k]
            if factor != 0.0:
                for j in range(k + 1, n + 1):
                    matrix[i, j] -= factor * matrix[k, j]
    for i in range(n - 1, -1, -1):
        value = matrix[i, n]
        for j in range(i + 1, n):
            value -= matrix[i, j] * matrix[j, n]
        matrix[i, n] = value / matrix[i, i]
    return True


@kernel
def measure(a, b, coefficients, places, width, z, kept, found):
    """Violation of the law: its size, and the largest over what speeds are made of.

    Parameters
    ----------
    a, b : (n + width m, n + width m) and (n + width m,) arrays
    coefficients : (n,) array
    places : (n,) int array
        First tangential row of each contact, -1 without friction.
    width : int
        Tangential rows of one contact, 2 or 3.
    z : (n + width m,) array
    kept : (3, n + width m) array
        Receives speeds, sizes and violations.
    found : (2,) array
        Receives both.
    """
    find_speeds(a, b, z, kept)
    found[0] = find_violations(coefficients, places, width, z, kept)
    found[1] = largest_ratio(places, width, kept)


@kernel
def newton(a, b, coefficients, places, width, n_steps, met, z, best, kept, matrix):
    """The best place on the way of Newton's method, in whole steps.

    Parameters
    ----------
    a, b, coefficients, places, width
        As in `measure`.
    n_steps : int
    met : float
        Violation, over what speeds are made of, that ends it.
    z : (n + width m,) array
        Where it begins; changed.
    best : (n + width m,) array
        Receives the place.
    kept, matrix : (3, n + width m) and (n + width m, n + width m + 1) arrays
    """
    n = b.shape[0]
    find_speeds(a, b, z, kept)
    least = find_violations(coefficients, places, width, z, kept)
    for i in range(n):
        best[i] = z[i]
    wrong = least
    for _ in range(n_steps):
        is_met = largest_ratio(places, width, kept) <= met
        if not is_met:
            set_slopes(a, coefficients, places, width, z, kept, matrix)
            if not solve_dense(matrix):
                return
            for i in range(n):
                z[i] -= matrix[i, n]
            find_speeds(a, b, z, kept)
            wrong = find_violations(coefficients, places, width, z, kept)
        if is_met or wrong < least:
            for i in range(n):
                best[i] = z[i]
        if is_met:
            return
        least = min(least, wrong)
