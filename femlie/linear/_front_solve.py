"""Triangular solves with the fronts of a matrix."""

from __future__ import annotations

from typing import Any

from .._jit import kernel, part_of
from ._blas import (
    MINUS,
    NOTHING,
    PLUS,
    L,
    N,
    T,
    U,
    at,
    divide_vector,
    exchange_rows,
    multiply_vector,
    solve_symmetric_vector,
)
from ._front_factors import (
    BOUNDARY,
    BOUNDARY_STARTS,
    CHOLESKY,
    COLUMN_SCALE,
    FIRST,
    GATHERED,
    GENERAL,
    KINDS,
    PANEL_AT,
    PIVOTS,
    ROWS,
    STORAGE,
    SYMMETRIC,
    UPPER_AT,
    WORK,
    blas_of,
)


@kernel
def substitute_fronts(factorization: Any, scaled_rhs: Any, solution: Any) -> None:
    """``solution <- C (L U)^-1 scaled_rhs``: scaling of rows is left to the caller."""
    f = factorization
    bounds = f.bounds
    blas = blas_of(f)
    storage = part_of(f.floats, bounds, STORAGE)
    w, t = part_of(f.floats, bounds, WORK), part_of(f.floats, bounds, GATHERED)
    rows, boundary = (
        part_of(f.shorts, bounds, ROWS),
        part_of(f.shorts, bounds, BOUNDARY),
    )
    starts, boundary_starts = (
        part_of(f.integers, bounds, FIRST),
        part_of(f.integers, bounds, BOUNDARY_STARTS),
    )
    panels, uppers = (
        part_of(f.integers, bounds, PANEL_AT),
        part_of(f.integers, bounds, UPPER_AT),
    )
    kinds, pivots = (
        part_of(f.integers, bounds, KINDS),
        part_of(f.shorts, bounds, PIVOTS),
    )
    column_scale = part_of(f.floats, bounds, COLUMN_SCALE)
    n = rows.size
    n_fronts = kinds.size
    for k in range(n):
        w[k] = scaled_rhs[rows[k]]
    for s in range(n_fronts):
        first = starts[s]
        n1 = starts[s + 1] - first
        start = boundary_starts[s]
        n2 = boundary_starts[s + 1] - start
        own = (at(storage, panels[s]), n1 + n2)
        x = at(w, first)
        if kinds[s] == CHOLESKY:
            divide_vector(blas, (L, N, N), own, n1, x)
        elif kinds[s] == GENERAL:
            exchange_rows(blas, (n1, 1), (x, n1), at(pivots, first))
            divide_vector(blas, (L, N, U), own, n1, x)
        if n2 > 0:
            below = (at(storage, panels[s] + n1), n1 + n2)
            multiply_vector(blas, N, (n2, n1), below, x, at(t, 0), (PLUS, NOTHING))
            for k in range(n2):
                w[boundary[start + k]] -= t[k]
    for s in range(n_fronts - 1, -1, -1):
        first = starts[s]
        n1 = starts[s + 1] - first
        start = boundary_starts[s]
        n2 = boundary_starts[s + 1] - start
        own = (at(storage, panels[s]), n1 + n2)
        below = (at(storage, panels[s] + n1), n1 + n2)
        x = at(w, first)
        for k in range(n2):
            t[k] = w[boundary[start + k]]
        y = at(t, 0)
        if kinds[s] == CHOLESKY:
            if n2 > 0:
                multiply_vector(blas, T, (n2, n1), below, y, x, (MINUS, PLUS))
            divide_vector(blas, (L, T, N), own, n1, x)
        elif kinds[s] == SYMMETRIC:
            solve_symmetric_vector(blas, n1, own, at(pivots, first), x)
            if n2 > 0:
                multiply_vector(blas, T, (n2, n1), below, y, x, (MINUS, PLUS))
        else:
            if n2 > 0:
                beside = (at(storage, uppers[s]), n1)
                multiply_vector(blas, N, (n1, n2), beside, y, x, (MINUS, PLUS))
            divide_vector(blas, (U, N, N), own, n1, x)
    for k in range(n):
        row = rows[k]
        solution[row] = w[k] * column_scale[row]
