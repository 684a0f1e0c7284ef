"""What a factorization keeps: order, patterns, scaling, values and memory."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ._kernels import BLOCK_COLUMNS, BLOCK_ROWS
from ._symbolic import factor_patterns

FloatArray = NDArray[np.float64]
Uint32Array = NDArray[np.uint32]
Uint64Array = NDArray[np.uint64]

# Equilibrated matrices with free motions showed pivots of 3e-10 and less.
SUSPICIOUS_PIVOT = 1e-9
# A pivot this much smaller than an entry below it costs five of sixteen digits.
PIVOT_TOLERANCE = 1e-5
# Panels pay where each entry of the factors takes part in this many products.
PRODUCTS_PER_ENTRY = 25


class Factorization(NamedTuple):
    """Pivot order, patterns, scaling, values and memory of ``L U = P R A C Q``.

    A tuple of contiguous arrays, so that compiled code takes it as one argument.

    Attributes
    ----------
    indptr, indices : (n + 1,), (n_entries,) arrays
        Pattern of the matrix, compressed by columns.
    targets : (n_entries,) array
        Row of each entry after the row permutation.
    entry_scale : (n_entries,) array
        Row factor times column factor of each entry.
    row_position : (n,) array
        Place of each row among the pivots.
    column_order : (n,) array
        Column of the matrix at each pivot.
    row_scale, column_scale : (n,) arrays
        Powers of two.
    regularization : (n_multipliers,) array
        Added to the diagonal of the multiplier rows: zero or negative.
    lower_starts, lower_rows, lower_values : arrays
        Strictly lower L by columns; its diagonal is 1.
    upper_starts, upper_rows, upper_values : arrays
        Strictly upper U by columns.
    inverse_pivots : (n,) array
        One over the diagonal of U.
    widths : (n,) array
        Number of columns of L from here on that have the same rows.
    panel_sizes : (n,) array
        Number of columns, up to 4, that are updated together from this one on; 0
        within such a panel.
    places : (n,) array
        Place of each column in its panel.
    n_sweeps : (1,) array
        Sweeps of iterative refinement in each solve.
    statistics : (3,) array
        Smallest pivot relative to its column, largest entry of U, column of the
        matrix where the last failed factorization stopped (else -1).
    limits : (3,) array
        Smallest pivot that needs no check for a singular matrix, largest allowed
        entry of U, smallest pivot relative to the entries below it.
    residual, direction, bound : (n,) arrays
        Memory of the kernels. After a check, ``direction`` is the vector that the
        matrix shortens most.
    work : (n,) array
        One column; zero between calls.
    panel : (4 n,) array
        One panel, row by row; zero between calls, empty if there are no panels.
    block, sums : arrays
        Memory of the panel update.
    """

    indptr: Uint64Array
    indices: Uint32Array
    targets: Uint32Array
    entry_scale: FloatArray
    row_position: Uint32Array
    column_order: Uint32Array
    row_scale: FloatArray
    column_scale: FloatArray
    regularization: FloatArray
    lower_starts: Uint64Array
    lower_rows: Uint32Array
    lower_values: FloatArray
    upper_starts: Uint64Array
    upper_rows: Uint32Array
    upper_values: FloatArray
    inverse_pivots: FloatArray
    widths: NDArray[np.int64]
    panel_sizes: NDArray[np.int64]
    places: Uint64Array
    n_sweeps: NDArray[np.int64]
    statistics: FloatArray
    limits: FloatArray
    work: FloatArray
    panel: FloatArray
    block: FloatArray
    sums: FloatArray
    residual: FloatArray
    direction: FloatArray
    bound: FloatArray

    @property
    def n_fill(self) -> int:
        """Number of entries of L and U, the diagonal counted once."""
        return self.lower_rows.size + self.upper_rows.size + self.inverse_pivots.size

    @property
    def n_flops(self) -> int:
        """Additions and multiplications of one numeric factorization."""
        lengths = np.diff(self.lower_starts.astype(np.int64))
        return int(2 * lengths[self.upper_rows].sum() + lengths.sum())


def arrange(
    pattern: tuple[NDArray[Any], NDArray[Any]],
    scales: tuple[FloatArray, FloatArray],
    positions: tuple[NDArray[Any], NDArray[Any]],
    regularization: FloatArray,
    *,
    n_sweeps: int = 0,
    expected_size: int = 0,
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

    Returns
    -------
    Factorization
        Without values.
    """
    indptr, indices = pattern
    n = indptr.size - 1
    columns = np.repeat(np.arange(n), np.diff(indptr))
    starts = np.ascontiguousarray(indptr, dtype=np.uint64)
    targets = positions[0][indices].astype(np.uint32)
    column_order = np.argsort(positions[1]).astype(np.uint32)
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
    panel_sizes, places = _panels(widths, upper_starts, upper_rows)
    lengths = np.diff(lower_starts.astype(np.int64))
    n_products = int(lengths[upper_rows].sum())
    if n_products < PRODUCTS_PER_ENTRY * (lower_rows.size + upper_rows.size):
        panel_sizes, places = np.ones(n, dtype=np.int64), np.zeros(n, dtype=np.uint64)
    return Factorization(
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
        # panel updates read whole vectors beyond the last column
        lower_values=np.zeros(lower_rows.size + 8),
        upper_starts=upper_starts,
        upper_rows=upper_rows,
        upper_values=np.zeros(upper_rows.size),
        inverse_pivots=np.zeros(n),
        widths=widths,
        panel_sizes=panel_sizes,
        places=places,
        n_sweeps=np.array([n_sweeps]),
        statistics=np.array([0.0, 0.0, -1.0]),
        limits=np.array([SUSPICIOUS_PIVOT, np.inf, PIVOT_TOLERANCE]),
        work=np.zeros(n),
        panel=np.zeros(4 * n * bool(np.any(panel_sizes > 1))),
        block=np.zeros(4 * int(BLOCK_COLUMNS) + 12),
        sums=np.zeros(4 * int(BLOCK_ROWS)),
        residual=np.zeros(n),
        direction=np.zeros(n),
        bound=np.zeros(n),
    )


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
    widths: NDArray[np.int64], upper_starts: Uint64Array, upper_rows: Uint32Array
) -> tuple[NDArray[np.int64], Uint64Array]:
    """Groups of up to four nested columns whose rows in U are the same.

    Columns k and k + 1 of U agree if the second has one row more, which is k: sums
    of random numbers of the rows, modulo 2^64, are compared instead of the rows.
    """
    n = widths.size
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
