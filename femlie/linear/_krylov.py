"""Krylov iteration around a factorization that is close to the matrix, or old."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .._jit import call, kernel, part_of, shared
from ._blas import MINUS, NOTHING, PLUS, N, T, at, multiply_vector
from ._front_factors import (
    ALLOWED_ENTRY,
    ALLOWED_ITERATIONS,
    BASIS,
    BOUND,
    COLUMN_SCALE,
    DIRECTION,
    FRESH_TOLERANCE,
    HAS_FACTORS,
    IS_FRESH,
    IS_SOUND,
    IS_STALE,
    LARGEST_ENTRY,
    LAST_ITERATIONS,
    LIMITS,
    N_FACTORIZED,
    N_PERTURBED,
    PRECONDITIONED,
    REGULARIZATION,
    RESIDUAL,
    ROW_SCALE,
    SMALL,
    SMALLEST_PIVOT,
    STATE,
    STATISTICS,
    TOLERANCE,
    TRUSTED_PIVOT,
    blas_of,
)
from .factorization import NEEDS_NEW_PIVOTS, REFACTOR, SINGULAR, SOLVED

# columns of Factorization.functions behind REFACTOR and SOLVE
FACTORIZE, SUBSTITUTE = 2, 3

# Iterations with factors of the same matrix: more than that, and they are no good.
FRESH_ITERATIONS = 12
# Rounding errors of a residual, in units of the sums of magnitudes.
ROUNDING = 4e-16
SINGULAR_TOLERANCE = 1e-14
PIVOT_DROP = 0.1


@shared
def scaled_residual(f: Any, data: Any, rhs: Any, solution: Any) -> Any:
    """Residual in equilibrated rows: its norm, and that of the sums of magnitudes."""
    residual = part_of(f.floats, f.bounds, RESIDUAL)
    bound = part_of(f.floats, f.bounds, BOUND)
    row_scale = part_of(f.floats, f.bounds, ROW_SCALE)
    n = rhs.size
    for i in range(n):
        residual[i] = rhs[i]
        bound[i] = abs(rhs[i])
    for j in range(n):
        x = solution[j]
        for p in range(f.indptr[j], f.indptr[j + 1]):
            force = data[p] * x
            residual[f.indices[p]] -= force
            bound[f.indices[p]] += abs(force)
    square, size = 0.0, 0.0
    for i in range(n):
        residual[i] *= row_scale[i]
        square += residual[i] * residual[i]
        size += (bound[i] * row_scale[i]) ** 2
    return math.sqrt(square), math.sqrt(size)


@shared
def apply_matrix(f: Any, data: Any, x: Any, image: Any) -> None:
    """``image <- R A x``, rows equilibrated."""
    row_scale = part_of(f.floats, f.bounds, ROW_SCALE)
    n = x.size
    for i in range(n):
        image[i] = 0.0
    for j in range(n):
        value = x[j]
        for p in range(f.indptr[j], f.indptr[j + 1]):
            image[f.indices[p]] += data[p] * value
    for i in range(n):
        image[i] *= row_scale[i]


@shared
def rotate(h: Any, g: Any, j: Any, cosines: Any, sines: Any) -> None:
    """Givens rotations of column j of the small matrix and of its right-hand side."""
    for i in range(j):
        a = cosines[i] * h[j, i] + sines[i] * h[j, i + 1]
        h[j, i + 1] = cosines[i] * h[j, i + 1] - sines[i] * h[j, i]
        h[j, i] = a
    size = math.hypot(h[j, j], h[j, j + 1])
    if size == 0.0:
        cosines[j], sines[j] = 1.0, 0.0
    else:
        cosines[j], sines[j] = h[j, j] / size, h[j, j + 1] / size
    h[j, j] = size
    g[j + 1] = -sines[j] * g[j]
    g[j] *= cosines[j]


@shared
def iterate(f: Any, data: Any, rhs: Any, solution: Any, limit: Any) -> Any:
    """Solve by GMRES with the factors as preconditioner, from zero.

    Returns the number of iterations, or -1 where ``limit`` did not do. Each direction
    is what the factors make of a residual, so that multipliers of redundant rows keep
    the least norm. The iteration ends at the tolerance or at rounding.

    References
    ----------
    Saad 1993 (flexible inner-outer form); Saad and Schultz 1986.
    """
    blas = blas_of(f)
    basis = part_of(f.floats, f.bounds, BASIS)
    directions = part_of(f.floats, f.bounds, PRECONDITIONED)
    left = part_of(f.floats, f.bounds, RESIDUAL)
    limits = part_of(f.floats, f.bounds, LIMITS)
    small = part_of(f.floats, f.bounds, SMALL)
    n = rhs.size
    most = directions.size // n if n > 0 else 0
    h = small[: most * (most + 1)].reshape((most, most + 1))
    cosines = small[most * (most + 1) : most * (most + 2)]
    sines = small[most * (most + 2) : most * (most + 3)]
    g = small[most * (most + 3) : most * (most + 4) + 1]
    dots = small[most * (most + 4) + 1 : most * (most + 5) + 2]
    for i in range(n):
        solution[i] = 0.0
    is_fresh = part_of(f.integers, f.bounds, STATE)[IS_FRESH] == 1
    target = -1.0
    total = 0
    while True:
        size, rounding = scaled_residual(f, data, rhs, solution)
        if target < 0.0:
            target = limits[FRESH_TOLERANCE if is_fresh else TOLERANCE] * size
        if size <= target or size <= ROUNDING * rounding:
            return total
        if total >= limit or not math.isfinite(size):
            return -1
        for i in range(n):
            basis[i] = left[i] / size
        g[0] = size
        j = 0
        while j < most:
            direction = directions[j * n : (j + 1) * n]
            image = basis[(j + 1) * n : (j + 2) * n]
            residual = basis[j * n : (j + 1) * n]
            call(f.functions, 0, SUBSTITUTE, (f, residual, direction))
            apply_matrix(f, data, direction, image)
            # Gram and Schmidt twice, as matrix products
            space = (at(basis, 0), n)
            for i in range(j + 2):
                h[j, i] = 0.0
            for _ in range(2):
                shape = (n, j + 1)
                y, d = at(image, 0), at(dots, 0)
                multiply_vector(blas, T, shape, space, y, d, (PLUS, NOTHING))
                multiply_vector(blas, N, shape, space, d, y, (MINUS, PLUS))
                for i in range(j + 1):
                    h[j, i] += dots[i]
            square = 0.0
            for i in range(n):
                square += image[i] * image[i]
            h[j, j + 1] = math.sqrt(square)
            if h[j, j + 1] > 0.0:
                for i in range(n):
                    image[i] /= h[j, j + 1]
            rotate(h, g, j, cosines, sines)
            j += 1
            total += 1
            if not abs(g[j]) > 0.5 * target or total >= limit:
                break
            if is_fresh and total == 1:
                # one step mostly leaves rounding only, which is known afterwards
                break
        for k in range(j - 1, -1, -1):
            for i in range(k + 1, j):
                g[k] -= h[i, k] * g[i]
            g[k] = g[k] / h[k, k] if h[k, k] > 0.0 else 0.0
            for i in range(n):
                solution[i] += g[k] * directions[k * n + i]


@shared
def error_of_null_vector(f: Any, data: Any) -> float:
    """How far the matrix is from a singular one; see `null_vector_error`."""
    v = part_of(f.floats, f.bounds, DIRECTION)
    n = v.size
    image = part_of(f.floats, f.bounds, BASIS)[:n]
    row_scale = part_of(f.floats, f.bounds, ROW_SCALE)
    column_scale = part_of(f.floats, f.bounds, COLUMN_SCALE)
    shifts = part_of(f.floats, f.bounds, REGULARIZATION)
    for i in range(n):
        turn = 0.6180339887498949 * i
        image[i] = 1.5 - turn + np.floor(turn)
    for _ in range(3):
        call(f.functions, 0, SUBSTITUTE, (f, image, v))
        largest = 0.0
        for i in range(n):
            largest = max(largest, abs(v[i]) / column_scale[i])
        if not largest > 0.0:
            return 0.0
        for i in range(n):
            v[i] /= largest
            image[i] = v[i] / column_scale[i]
    if part_of(f.integers, f.bounds, STATE)[N_PERTURBED] > 0:
        # Pivots were replaced: the factors M differ from A, and ``v - M^-1 A v`` keeps
        # null vectors only.
        change = part_of(f.floats, f.bounds, PRECONDITIONED)[:n]
        for _ in range(3):
            apply_matrix(f, data, v, image)
            for k in range(shifts.size):
                row = n - shifts.size + k
                image[row] += shifts[k] * v[row] * row_scale[row]
            call(f.functions, 0, SUBSTITUTE, (f, image, change))
            for i in range(n):
                v[i] -= change[i]
    for i in range(n):
        image[i] = 0.0
    for k in range(shifts.size):
        row = n - shifts.size + k
        image[row] = -shifts[k] * v[row]
    scaled_residual(f, data, image, v)
    residual = part_of(f.floats, f.bounds, RESIDUAL)
    bound = part_of(f.floats, f.bounds, BOUND)
    error, largest = 0.0, 0.0
    for i in range(n):
        error = max(error, abs(residual[i]))
        largest = max(largest, bound[i] * row_scale[i])
    return error / largest if largest > 0.0 else 0.0


@shared
def renew(f: Any, data: Any) -> int:
    """Factorize these values; suspicious pivots start a search for a null vector."""
    state = part_of(f.integers, f.bounds, STATE)
    statistics = part_of(f.floats, f.bounds, STATISTICS)
    limits = part_of(f.floats, f.bounds, LIMITS)
    call(f.functions, 0, FACTORIZE, (f, data))
    state[N_FACTORIZED] += 1
    state[HAS_FACTORS] = 1
    state[IS_FRESH] = 1
    state[IS_STALE] = 0
    if not statistics[LARGEST_ENTRY] <= limits[ALLOWED_ENTRY]:
        state[HAS_FACTORS] = 0
        return NEEDS_NEW_PIVOTS
    smallest = statistics[SMALLEST_PIVOT]
    if smallest < limits[TRUSTED_PIVOT] or state[N_PERTURBED] > 0:
        rounding = SINGULAR_TOLERANCE * max(1.0, statistics[LARGEST_ENTRY])
        if not error_of_null_vector(f, data) > rounding:
            state[HAS_FACTORS] = 0
            return SINGULAR
        limits[TRUSTED_PIVOT] = PIVOT_DROP * smallest
    return SOLVED


@kernel
def refactor_fronts(factorization: Any, data: Any) -> None:
    """Factorize new values, unless old factors still lead to the solution quickly.

    Factors that needed more iterations than it would cost to renew them are stale.
    """
    state = part_of(factorization.integers, factorization.bounds, STATE)
    state[IS_FRESH] = 0
    status = SOLVED
    if state[IS_SOUND] == 0:
        state[IS_SOUND] = 1
        state[HAS_FACTORS] = 0
        status = NEEDS_NEW_PIVOTS
    elif (
        state[HAS_FACTORS] == 0
        or state[IS_STALE] == 1
        or state[ALLOWED_ITERATIONS] == 0
    ):
        status = renew(factorization, data)
    factorization.status[0] = status


@kernel
def solve_fronts(factorization: Any, data: Any, rhs: Any, solution: Any) -> None:
    """Solve ``A x = rhs``; factors that are too old are renewed on the way."""
    state = part_of(factorization.integers, factorization.bounds, STATE)
    factorization.status[0] = SOLVED
    if state[IS_FRESH] == 0:
        found = iterate(factorization, data, rhs, solution, state[ALLOWED_ITERATIONS])
        state[LAST_ITERATIONS] = found
        if found >= 0:
            state[IS_STALE] = int(2 * found > state[ALLOWED_ITERATIONS])
            return
        state[IS_STALE] = 1
        call(factorization.functions, 0, REFACTOR, (factorization, data))
        if factorization.status[0] != SOLVED:
            # the next `refactor` says so
            factorization.status[0] = SOLVED
            return
    found = iterate(factorization, data, rhs, solution, FRESH_ITERATIONS)
    state[LAST_ITERATIONS] = found
    if found < 0:
        state[IS_SOUND] = 0
