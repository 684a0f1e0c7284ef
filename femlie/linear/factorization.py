"""Analysis of a sparse matrix for many factorizations with the same pivots."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_matrix

from ._kernels import ALLOWED_ENTRY, LARGEST_ENTRY, refactor
from ._symbolic import factor_patterns
from .ordering import equilibrate, pivot_order, pivot_order_of_singular

FloatArray = NDArray[np.float64]
Uint32Array = NDArray[np.uint32]
Uint64Array = NDArray[np.uint64]

# Diagonal of redundant rows, relative to the compliance that their multipliers see.
# Rounding leaves 1e-16 / REGULARIZATION in the multipliers, the regularization
# itself REGULARIZATION^(1 + n_sweeps).
REGULARIZATION = 1e-6
REDUNDANT_SWEEPS = 2
# The entries of U may grow this much beyond their size at the analysis.
ALLOWED_GROWTH = 1e6
# Equilibrated matrices with free motions showed pivots of 3e-10 and less.
SUSPICIOUS_PIVOT = 1e-9


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
    n_sweeps : (1,) array
        Sweeps of iterative refinement in each solve.
    statistics : (5,) array
        Smallest pivot relative to its column, largest entry of U, column of the
        matrix where the last failed factorization stopped (else -1), largest allowed
        entry of U, smallest pivot that needs no check for a singular matrix.
    work, residual, direction, bound : (n,) arrays
        Memory of the kernels; ``work`` is zero between calls. After a check,
        ``direction`` is the vector that the matrix shortens most.
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
    n_sweeps: NDArray[np.int64]
    statistics: FloatArray
    work: FloatArray
    residual: FloatArray
    direction: FloatArray
    bound: FloatArray

    @property
    def n_fill(self) -> int:
        """Number of entries of L and U, the diagonal counted once."""
        return self.lower_rows.size + self.upper_rows.size + self.work.size

    @property
    def n_flops(self) -> int:
        """Additions and multiplications of one numeric factorization."""
        lengths = np.diff(self.lower_starts.astype(np.int64))
        return int(2 * lengths[self.upper_rows].sum() + lengths.sum())


def analyze(
    indptr: NDArray[Any],
    indices: NDArray[Any],
    data: FloatArray,
    *,
    n_multipliers: int,
    is_redundant: bool = False,
    n_sweeps: int = 0,
) -> Factorization:
    """Choose scaling and pivots from the values, and find the patterns of L and U.

    Parameters
    ----------
    indptr : (n + 1,) int array
        Starts of the columns.
    indices : (n_entries,) int array
        Row numbers; sorted, no duplicates.
    data : (n_entries,) array
        Typical values. Any units: the matrix is equilibrated first.
    n_multipliers : int
        Number of the last rows and columns that belong to constraints.
    is_redundant : bool
        Whether constraint rows may depend on others: their diagonal then gets a
        small negative value, which the refinement in `solve` takes out again.
    n_sweeps : int
        Sweeps of refinement in each solve; at least two if ``is_redundant``.

    Returns
    -------
    Factorization
        Without values: call `refactor` next. A singular matrix can be analyzed too;
        `refactor` then reports it.

    References
    ----------
    Davis 2006, chapters 6 and 7; Duff, Erisman and Reid 2017, chapter 4.
    """
    n = indptr.size - 1
    data = np.ascontiguousarray(data, dtype=np.float64)
    matrix = csc_matrix((data, indices, indptr), shape=(n, n))
    row_scale, column_scale = equilibrate(matrix)
    columns = np.repeat(np.arange(n), np.diff(indptr))
    entry_scale = row_scale[indices] * column_scale[columns]
    regularization = np.zeros(n_multipliers)
    if is_redundant:
        regularization = regularize(matrix, n_multipliers=n_multipliers)
        n_sweeps = max(n_sweeps, REDUNDANT_SWEEPS)
    scaled = csc_matrix((data * entry_scale, indices, indptr), shape=(n, n))
    row_position, column_position, size = _permutations(
        scaled, regularization * (row_scale * column_scale)[n - n_multipliers :]
    )
    column_order = np.argsort(column_position).astype(np.uint32)
    targets = row_position[indices].astype(np.uint32)
    starts = np.ascontiguousarray(indptr, dtype=np.uint64)
    patterns = factor_patterns(starts, targets, column_order, size // 2 + n)
    factorization = Factorization(
        indptr=starts,
        indices=np.ascontiguousarray(indices, dtype=np.uint32),
        targets=targets,
        entry_scale=entry_scale,
        row_position=row_position.astype(np.uint32),
        column_order=column_order,
        row_scale=row_scale,
        column_scale=column_scale,
        regularization=regularization,
        lower_starts=patterns[0],
        lower_rows=patterns[1],
        lower_values=np.zeros(patterns[1].size),
        upper_starts=patterns[2],
        upper_rows=patterns[3],
        upper_values=np.zeros(patterns[3].size),
        inverse_pivots=np.zeros(n),
        widths=_widths(
            patterns[0].astype(np.int64),
            patterns[1],
            patterns[2].astype(np.int64),
            patterns[3],
        ),
        n_sweeps=np.array([n_sweeps]),
        statistics=np.array([0.0, 0.0, -1.0, np.inf, SUSPICIOUS_PIVOT]),
        work=np.zeros(n),
        residual=np.zeros(n),
        direction=np.zeros(n),
        bound=np.zeros(n),
    )
    refactor(factorization, data)
    factorization.statistics[ALLOWED_ENTRY] = ALLOWED_GROWTH * max(
        1.0, factorization.statistics[LARGEST_ENTRY]
    )
    return factorization


def regularize(matrix: csc_matrix, *, n_multipliers: int) -> FloatArray:
    """Small negative diagonal for the rows of constraints that may be redundant.

    Parameters
    ----------
    matrix : (n, n) sparse matrix
        ``[[K, B^T], [B, 0]]``.
    n_multipliers : int
        Number of rows of B.

    Returns
    -------
    (n_multipliers,) array
        ``-REGULARIZATION sum_j B_ij^2 / |K_jj|``: free of units. Where the stiffness
        of a column is zero, its largest entry stands for it.
    """
    n_frame_rows = matrix.shape[0] - n_multipliers
    stiffness = abs(matrix[:n_frame_rows, :n_frame_rows])
    rows = matrix[n_frame_rows:, :n_frame_rows].tocsr()
    size = stiffness.diagonal()
    largest = stiffness.max(axis=0).toarray().ravel() if n_frame_rows else size
    size = np.where(size > 1e-8 * largest, size, largest)
    is_stiff = size > 0.0
    compliance = np.zeros(n_frame_rows)
    compliance[is_stiff] = 1.0 / size[is_stiff]
    compliance[~is_stiff] = compliance.max(initial=0.0) or 1.0
    return -REGULARIZATION * (rows.power(2) @ compliance)


def _permutations(scaled: csc_matrix, shifts: FloatArray) -> Any:
    n = scaled.shape[0]
    signs = np.ones(n)
    signs[n - shifts.size :] = -1.0
    if np.any(shifts):
        diagonal = np.zeros(n)
        diagonal[n - shifts.size :] = shifts
        scaled = scaled.copy()
        scaled.setdiag(scaled.diagonal() + diagonal)
    try:
        return pivot_order(scaled)
    except RuntimeError:
        return pivot_order_of_singular(scaled, signs)


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
