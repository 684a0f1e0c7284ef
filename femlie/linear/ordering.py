"""Scaling and pivot order of a sparse matrix, found once for many factorizations."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_matrix
from scipy.sparse.linalg import splu

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

# A pivot on the diagonal is kept down to this fraction of the largest in its column.
DIAGONAL_THRESHOLD = 0.01
MEAN_SWEEPS = 10
MAXIMUM_SWEEPS = 20


def equilibrate(matrix: csc_matrix) -> tuple[FloatArray, FloatArray]:
    """Powers of two that bring the largest entry of each row and column close to 1.

    Parameters
    ----------
    matrix : (n, n) sparse matrix
        Any values; rows and columns of zeros get the factor 1.

    Returns
    -------
    tuple of (n,) arrays
        Row and column factors; equal for a symmetric matrix.

    Notes
    -----
    Many factors fulfill this for a matrix that is not symmetric. Rows and columns
    whose sizes differ are first brought to mean logarithms of zero, which makes the
    result independent of the units of equations and unknowns.

    References
    ----------
    Curtis and Reid 1972; Ruiz 2001.
    """
    n = matrix.shape[0]
    columns = np.repeat(np.arange(n), np.diff(matrix.indptr))
    used = (matrix.data != 0.0) & np.isfinite(matrix.data)
    rows, columns = matrix.indices[used], columns[used]
    sizes = np.log2(np.abs(matrix.data[used]))
    exponents = np.zeros((2, n))
    largest = _largest(rows, columns, sizes, n)
    if np.any(np.abs(largest[0] - largest[1]) > 1.0):
        counts = [np.maximum(np.bincount(i, minlength=n), 1) for i in (rows, columns)]
        for _ in range(MEAN_SWEEPS):
            current = sizes + exponents[0, rows] + exponents[1, columns]
            exponents[0] -= 0.5 * np.bincount(rows, current, n) / counts[0]
            exponents[1] -= 0.5 * np.bincount(columns, current, n) / counts[1]
    for _ in range(MAXIMUM_SWEEPS):
        current = sizes + exponents[0, rows] + exponents[1, columns]
        largest = _largest(rows, columns, current, n)
        exponents -= 0.5 * largest
        if np.abs(largest).max() < 0.5:
            break
    factors = np.exp2(np.floor(exponents))
    return factors[0], factors[1]


def _largest(rows: Any, columns: Any, values: FloatArray, n: int) -> FloatArray:
    """Largest value of each row and of each column; zero where there is none."""
    largest = np.full((2, n), -np.inf)
    np.maximum.at(largest[0], rows, values)
    np.maximum.at(largest[1], columns, values)
    largest[np.isinf(largest)] = 0.0
    return largest


def pivot_order(matrix: csc_matrix) -> tuple[IntArray, IntArray, int]:
    """Row and column permutations with little fill and sound pivots.

    Parameters
    ----------
    matrix : (n, n) sparse matrix
        Equilibrated.

    Returns
    -------
    tuple
        Position of each row, position of each column, expected number of entries of
        the factors.

    Raises
    ------
    RuntimeError
        If the matrix is exactly singular.

    References
    ----------
    Davis 2006, section 7.1; Li 2005.
    """
    factors = splu(
        matrix,
        permc_spec="MMD_AT_PLUS_A",
        diag_pivot_thresh=DIAGONAL_THRESHOLD,
        options={"SymmetricMode": True, "Equil": False},
    )
    n_exchanged = np.count_nonzero(factors.perm_r != factors.perm_c)
    if n_exchanged > 0.01 * matrix.shape[0] and factors.nnz > 2 * matrix.nnz:
        # The order assumed pivots on the diagonal; this one allows for exchanges.
        others = splu(
            matrix,
            permc_spec="COLAMD",
            diag_pivot_thresh=DIAGONAL_THRESHOLD,
            options={"Equil": False},
        )
        if others.nnz < factors.nnz:
            factors = others
    return factors.perm_r, factors.perm_c, factors.nnz


def symmetric_order(matrix: csc_matrix) -> IntArray:
    """Place of each row and column in a symmetric order with little fill.

    Parameters
    ----------
    matrix : (n, n) sparse matrix
        Only its pattern counts.

    Returns
    -------
    (n,) array
        Positions, by minimum degree.
    """
    n = matrix.shape[0]
    columns = np.repeat(np.arange(n), np.diff(matrix.indptr))
    values = np.where(matrix.indices == columns, float(n), -1.0)
    pattern = csc_matrix((values, matrix.indices, matrix.indptr), shape=(n, n))
    return splu(
        pattern,
        permc_spec="MMD_AT_PLUS_A",
        diag_pivot_thresh=0.0,
        options={"SymmetricMode": True, "Equil": False},
    ).perm_c
