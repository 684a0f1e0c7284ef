"""Analysis of a sparse matrix for many factorizations with the same pivots."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_matrix

from ._kernels import ALLOWED_ENTRY, LARGEST_ENTRY, refactor
from .factorization import Factorization, FloatArray, arrange
from .ordering import equilibrate, pivot_order

# Diagonal of redundant rows, relative to the compliance that their multipliers see.
# Rounding leaves 1e-16 / REGULARIZATION in the multipliers, the regularization
# itself REGULARIZATION^(1 + n_sweeps).
REGULARIZATION = 1e-6
REDUNDANT_SWEEPS = 2
# The entries of U may grow this much beyond their size at the analysis.
ALLOWED_GROWTH = 1e3
# Shifts of the diagonal of an equilibrated singular matrix, only to find an order.
ORDERING_SHIFTS = (1e-6, 1e-3, 1.0)


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
    matrix = csc_matrix((np.nan_to_num(data), indices, indptr), shape=(n, n))
    scales = equilibrate(matrix, n_multipliers=n_multipliers)
    regularization = np.zeros(n_multipliers)
    if is_redundant:
        regularization = regularize(matrix, n_multipliers=n_multipliers)
        n_sweeps = max(n_sweeps, REDUNDANT_SWEEPS)
    row_position, column_position, size = _order(matrix, scales, regularization)
    factorization = arrange(
        (indptr, indices),
        scales,
        (row_position, column_position),
        regularization,
        n_sweeps=n_sweeps,
        expected_size=size,
    )
    refactor(factorization, data)
    factorization.limits[ALLOWED_ENTRY] = ALLOWED_GROWTH * max(
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


def _order(
    matrix: csc_matrix,
    scales: tuple[FloatArray, FloatArray],
    regularization: FloatArray,
) -> tuple[NDArray[Any], NDArray[Any], int]:
    """Pivot order of the scaled matrix; a singular one is shifted to find an order."""
    n = matrix.shape[0]
    columns = np.repeat(np.arange(n), np.diff(matrix.indptr))
    factors = scales[0][matrix.indices] * scales[1][columns]
    is_diagonal = matrix.indices == columns
    is_frame = columns[is_diagonal] < n - regularization.size
    signs = np.where(is_frame, 1.0, -1.0)
    scaled = csc_matrix((matrix.data * factors, matrix.indices, matrix.indptr))
    added = np.zeros(n)
    added[n - regularization.size :] = regularization
    scaled.data[is_diagonal] += (added * scales[0] * scales[1])[columns[is_diagonal]]
    for shift in (0.0, *ORDERING_SHIFTS):
        scaled.data[is_diagonal] += shift * signs
        try:
            return pivot_order(scaled, n_multipliers=regularization.size)
        except RuntimeError:
            continue
    return np.arange(n), np.arange(n), 0
