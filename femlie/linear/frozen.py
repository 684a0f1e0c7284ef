"""Layout of a factorization with frozen pivots: patterns of L and U, panels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._frozen import (
    ALLOWED_ENTRY,
    BLOCK_COLUMNS,
    BLOCK_ROWS,
    PIVOT_RATIO,
    refactor_frozen,
    solve_frozen,
    update_panel,
)
from ._frozen_factors import (
    FloatArray,
    FrozenFactors,
    Uint32Array,
    Uint64Array,
    frozen_factors,
)
from ._symbolic import factor_patterns
from .factorization import VECTOR, Factorization, Kernels, pack

# Equilibrated matrices with free motions showed pivots of 3e-10 and less.
SUSPICIOUS_PIVOT = 1e-9
# A pivot this much smaller than an entry below it costs five of sixteen digits.
PIVOT_TOLERANCE = 1e-5
# Half of the digits remain, and a sweep of refinement brings them back.
JUMPING_PIVOT = 1e-10
# Panels pay where each entry of the factors takes part in this many products.
PRODUCTS_PER_ENTRY = 25
NO_STATISTICS = (0.0, 0.0, -1.0)
LIMITS = (SUSPICIOUS_PIVOT, np.inf, PIVOT_TOLERANCE)


def arrange(
    pattern: tuple[NDArray[Any], NDArray[Any]],
    scales: tuple[FloatArray, FloatArray],
    positions: tuple[NDArray[Any], NDArray[Any]],
    regularization: FloatArray,
    *,
    n_sweeps: int = 0,
    expected_size: int = 0,
    mold: Factorization | None = None,
) -> Factorization:
    """Find the patterns of L and U for a given order, and lay out all arrays.

    Parameters
    ----------
    pattern : tuple of arrays
        ``indptr`` and ``indices`` of the matrix, compressed by columns.
    scales : tuple of (n,) arrays
        Row and column factors.
    positions : tuple of (n,) arrays
        Place of each row and of each column among the pivots.
    regularization : (n_multipliers,) array
        Added to the diagonal of the last rows.
    n_sweeps : int
        Sweeps of refinement in each solve.
    expected_size : int
        First guess of the entries of the factors.
    mold : Factorization or None
        An earlier one, whose layout serves where pattern and order are the same.

    Returns
    -------
    Factorization
        Without values.
    """
    indptr, indices = pattern
    n = indptr.size - 1
    columns = np.repeat(np.arange(n), np.diff(indptr))
    targets = positions[0][indices].astype(np.uint32)
    column_order = np.argsort(positions[1]).astype(np.uint32)
    if mold is not None and _fits(mold, indptr, indices, targets, column_order):
        return _recast(mold, scales, regularization, n_sweeps)
    starts = np.ascontiguousarray(indptr, dtype=np.uint64)
    size = max(expected_size, indices.size) // 2 + n
    lower_starts, lower_rows, upper_starts, upper_rows = factor_patterns(
        starts, targets, column_order, size
    )
    widths = _widths(
        lower_starts.astype(np.int64),
        lower_rows,
        upper_starts.astype(np.int64),
        upper_rows,
    )
    panel_sizes, places = _panels(widths, lower_starts, upper_starts, upper_rows)
    nothing = np.zeros(0)
    factors = FrozenFactors(
        indptr=starts,
        indices=np.ascontiguousarray(indices, dtype=np.uint32),
        targets=targets,
        entry_scale=scales[0][indices] * scales[1][columns],
        row_position=positions[0].astype(np.uint32),
        column_order=column_order,
        row_scale=scales[0],
        column_scale=scales[1],
        regularization=regularization,
        lower_starts=lower_starts,
        lower_rows=lower_rows,
        lower_values=nothing,
        upper_starts=upper_starts,
        upper_rows=upper_rows,
        upper_values=nothing,
        inverse_pivots=np.zeros(n),
        widths=widths,
        panel_sizes=panel_sizes,
        places=places,
        n_sweeps=np.array([n_sweeps]),
        statistics=np.array(NO_STATISTICS),
        limits=np.array(LIMITS),
        work=np.zeros(n),
        panel=np.zeros(4 * n * bool(np.any(panel_sizes > 1))),
        block=np.zeros(4 * int(BLOCK_COLUMNS) + 12),
        sums=np.zeros(4 * int(BLOCK_ROWS)),
        residual=np.zeros(n),
        direction=np.zeros(n),
        bound=np.zeros(n),
    )
    kernels: Kernels = [(refactor_frozen, VECTOR), (solve_frozen, 3 * VECTOR)]
    if factors.panel.size:
        zero = np.uint64(0)
        kernels.append((update_panel, (*VECTOR, zero, zero)))
    # panel updates read whole vectors beyond the last column
    sizes = {"lower_values": lower_rows.size + 8, "upper_values": upper_rows.size}
    return pack(factors, kernels, sizes)


def _fits(
    mold: Factorization,
    indptr: NDArray[Any],
    indices: NDArray[Any],
    targets: Uint32Array,
    column_order: Uint32Array,
) -> bool:
    """Whether a factorization has the layout of a pattern in an order."""
    if not is_frozen(mold):
        return False
    factors = frozen_factors(mold)
    pairs = (
        (factors.indptr, indptr),
        (factors.indices, indices),
        (factors.targets, targets),
        (factors.column_order, column_order),
    )
    return all(np.array_equal(old, new) for old, new in pairs)


def _recast(
    mold: Factorization,
    scales: tuple[FloatArray, FloatArray],
    regularization: FloatArray,
    n_sweeps: int,
) -> Factorization:
    """The layout of a factorization with other scales and without values."""
    fresh = mold._replace(
        status=np.zeros_like(mold.status),
        integers=mold.integers.copy(),
        floats=np.zeros_like(mold.floats),
    )
    factors = frozen_factors(fresh)
    columns = np.repeat(
        np.arange(scales[0].size), np.diff(factors.indptr).astype(np.int64)
    )
    factors.entry_scale[:] = scales[0][factors.indices] * scales[1][columns]
    factors.row_scale[:], factors.column_scale[:] = scales
    factors.regularization[:] = regularization
    factors.n_sweeps[:] = n_sweeps
    factors.statistics[:] = NO_STATISTICS
    factors.limits[:] = LIMITS
    return fresh


def is_frozen(factorization: Factorization) -> bool:
    """Whether a factorization is one with frozen pivots."""
    return len(factorization.bounds) == len(FrozenFactors._fields)


def let_jump(factorization: Factorization) -> Factorization:
    """Accept pivots that have become small beside others, and refine solutions.

    For matrices whose entries jump by orders of magnitude between two iterations: no
    order has sound pivots for both.
    """
    if is_frozen(factorization):
        factors = frozen_factors(factorization)
        factors.limits[PIVOT_RATIO] = JUMPING_PIVOT
        factors.limits[ALLOWED_ENTRY] = np.inf
        factors.n_sweeps[0] = max(factors.n_sweeps[0], 1)
    return factorization


def _widths(
    lower_starts: NDArray[np.int64],
    lower_rows: Uint32Array,
    upper_starts: NDArray[np.int64],
    upper_rows: Uint32Array,
) -> NDArray[np.int64]:
    """Length of the run of nested columns that starts at each column of L.

    Column j + 1 holds the rows of column j where U has the entry (j, j + 1); with
    entry (j + 1, j) of L and lengths that differ by one it holds no others.
    """
    n = lower_starts.size - 1
    lengths = np.diff(lower_starts)
    is_nested = np.zeros(n, dtype=bool)
    j = np.flatnonzero(
        (lengths[:-1] == lengths[1:] + 1) & (upper_starts[2:] > upper_starts[1:-1])
    )
    is_nested[j] = (lower_rows[lower_starts[j]] == j + 1) & (
        upper_rows[upper_starts[j + 2] - 1] == j
    )
    positions = np.arange(n)
    ends = np.where(is_nested, n, positions)
    return np.minimum.accumulate(ends[::-1])[::-1] - positions + 1


def _panels(
    widths: NDArray[np.int64],
    lower_starts: Uint64Array,
    upper_starts: Uint64Array,
    upper_rows: Uint32Array,
) -> tuple[NDArray[np.int64], Uint64Array]:
    """Groups of up to four nested columns whose rows in U are the same.

    Columns k and k + 1 of U agree if the second has one row more, which is k: sums
    of random numbers of the rows, modulo 2^64, are compared instead of the rows.
    Where entries take part in few products, each column is a group of its own.
    """
    n = widths.size
    lengths = np.diff(lower_starts.astype(np.int64))
    n_entries = int(lower_starts[-1]) + upper_rows.size
    if int(lengths[upper_rows].sum()) < PRODUCTS_PER_ENTRY * n_entries:
        return np.ones(n, dtype=np.int64), np.zeros(n, dtype=np.uint64)
    names = np.random.default_rng(0).integers(2**63, size=n, dtype=np.uint64)
    sums = np.concatenate(
        [np.zeros(1, np.uint64), np.cumsum(names[upper_rows], dtype=np.uint64)]
    )[upper_starts]
    names_of_columns = np.diff(sums)
    continues = np.zeros(n + 1, dtype=bool)
    continues[1:n] = (names_of_columns[1:] == names_of_columns[:-1] + names[:-1]) & (
        widths[:-1] > 1
    )
    firsts = np.flatnonzero(~continues)
    runs = np.diff(firsts)
    n_panels = -(-runs // 4)
    places = np.arange(n) - np.repeat(firsts[:-1], runs)
    places %= np.repeat(-(-runs // n_panels), runs)
    panel_starts = np.flatnonzero(places == 0)
    sizes = np.zeros(n, dtype=np.int64)
    sizes[panel_starts] = np.diff(np.append(panel_starts, n))
    return sizes, places.astype(np.uint64)
