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
# Entries of the factors over those of the matrix, up to which it looks like a tree.
TREE_FILL = 3.0
# Multipliers per unknown that cannot spoil an order for pivots on the diagonal.
FEW_MULTIPLIERS = 0.05
MEAN_SWEEPS = 10
# Share of a frame's stiffness below which that in other directions is rounding.
NOISE = 1e-14
MAXIMUM_SWEEPS = 20
# Powers of two by which what a constraint holds together may differ when scaled by its
# stiffness: one is then softer by 2^-60.
LOOSE = 30.0
# The same for entries of one constraint, below which they are rounding.
SIGNIFICANT = 27.0


def equilibrate(
    matrix: csc_matrix, *, n_multipliers: int = 0, units: IntArray | None = None
) -> tuple[FloatArray, FloatArray]:
    """Powers of two that bring the largest entry of each row and column close to 1.

    Frames are scaled by their stiffness, then multipliers by the constraint rows in
    these units; so neither the unit of force nor that of a constraint matters.

    Parameters
    ----------
    matrix : (n, n) sparse matrix
        ``[[K, B^T], [B, 0]]``; rows and columns of zeros get the factor 1.
    n_multipliers : int
        Number of rows of B.
    units : (n_frame_rows,) int array or None
        Unknowns that are measured alike: twice the number of a frame for its
        translations, one more for its rotations.

    Returns
    -------
    tuple of (n,) arrays
        Row and column factors; equal for a symmetric matrix.
    """
    n = matrix.shape[0]
    columns = np.repeat(np.arange(n), np.diff(matrix.indptr))
    sizes = np.where(np.isfinite(matrix.data), np.abs(matrix.data), 0.0)
    used = sizes > 0.0
    if units is not None:
        used &= ~_is_rounding(matrix, sizes, units)
    places = np.stack([matrix.indices[used], columns[used]])
    sizes = np.log2(sizes[used])
    exponents = np.zeros((2, n))
    _center(places, sizes, exponents)
    is_open = np.ones((2, n), dtype=bool)
    if n_multipliers:
        start = exponents.copy()
        is_stiff = np.all(places < n - n_multipliers, axis=0)
        _balance(places[:, is_stiff], sizes[is_stiff], exponents, is_open)
        if units is not None:
            is_loose = _is_loose(places, sizes, exponents[1], units)
            is_kept = ~(is_stiff & np.any(is_loose[places], axis=0))
            if not is_kept.all():
                places, sizes = places[:, is_kept], sizes[is_kept]
                is_stiff, exponents = is_stiff[is_kept], start
                _balance(places[:, is_stiff], sizes[is_stiff], exponents, is_open)
        for side in range(2):
            is_open[side, places[side, is_stiff]] = False
    _balance(places, sizes, exponents, is_open)
    factors = np.exp2(np.floor(exponents))
    return factors[0], factors[1]


def _is_rounding(
    matrix: csc_matrix, sizes: FloatArray, units: IntArray
) -> NDArray[np.bool_]:
    """Entries of the stiffness that are what rounding has left of zero.

    Those that are nothing against what a frame has in other directions.
    """
    n = units.size
    lengths = np.diff(matrix.indptr)
    columns = np.repeat(np.arange(matrix.shape[0], dtype=matrix.indices.dtype), lengths)
    own = np.zeros(matrix.shape[0])
    diagonal = np.flatnonzero(columns == matrix.indices)
    own[columns[diagonal]] = sizes[diagonal]
    largest = np.zeros(int(units.max(initial=-1)) + 1)
    np.maximum.at(largest, units, own[:n])
    # zero for multipliers, none of whose entries is below
    typical = np.zeros(matrix.shape[0])
    typical[:n] = np.sqrt(NOISE * largest[units])
    bound = np.repeat(typical, lengths)
    bound *= typical[matrix.indices]
    found: NDArray[np.bool_] = sizes <= bound
    return found


def _is_loose(
    places: IntArray, sizes: FloatArray, exponents: FloatArray, units: IntArray
) -> Any:
    """(n,) unknowns that constraints hold to what is stiffer beyond all measure.

    What stiffness they seem to have themselves is rounding of others.

    Parameters
    ----------
    places : (2, k) int array
        Row and column of each entry.
    sizes : (k,) array
        Exponents of entries.
    exponents : (n,) array
        Of the factors that scale columns by their stiffness.
    units : (n_frame_rows,) int array
        As in `equilibrate`.
    """
    n = exponents.size
    found = np.zeros(n, dtype=bool)
    is_constraint = (places[0] >= units.size) & (places[1] < units.size)
    if not is_constraint.any():
        return found
    sizes = sizes[is_constraint]
    rows, columns = places[:, is_constraint]
    # only places compare with places, and turns with turns; less rounding
    rows = 2 * rows + units[columns] % 2
    largest = np.full(2 * n, -np.inf)
    np.maximum.at(largest, rows, sizes)
    is_true = sizes > largest[rows] - SIGNIFICANT
    rows, columns = rows[is_true], columns[is_true]
    sizes = sizes[is_true] + exponents[columns]
    # the largest entry of each frame in each constraint
    frames = units[columns] // 2
    order = np.lexsort((-sizes, frames, rows))
    pairs = np.stack([rows, frames])[:, order]
    is_first = np.append(True, np.any(pairs[:, 1:] != pairs[:, :-1], axis=0))
    tops, owners = sizes[order][is_first], rows[order][is_first]
    # and the largest one of the others
    best = np.full((2, 2 * n), -np.inf)
    np.maximum.at(best[0], owners, tops)
    is_best = tops == best[0, owners]
    np.maximum.at(best[1], owners[~is_best], tops[~is_best])
    others = np.where(is_best, best[1, owners], best[0, owners])
    limits = np.where(np.isfinite(others), others + LOOSE, np.inf)
    is_above = sizes[order] > limits[np.cumsum(is_first) - 1]
    found[columns[order][is_above]] = True
    return found


def _center(places: IntArray, sizes: FloatArray, exponents: FloatArray) -> None:
    """Bring the mean of each line to zero if rows and columns differ in size.

    Many factors equilibrate a matrix that is not symmetric. Started from here they
    do not depend on the units of equations and unknowns.

    References
    ----------
    Curtis and Reid 1972.
    """
    n = exponents.shape[1]
    largest = _largest(places, sizes, n)
    if np.all(np.abs(largest[0] - largest[1]) <= 1.0):
        return
    counts = [np.maximum(np.bincount(lines, minlength=n), 1) for lines in places]
    for _ in range(MEAN_SWEEPS):
        current = sizes + exponents[0, places[0]] + exponents[1, places[1]]
        for side in range(2):
            means = np.bincount(places[side], current, n) / counts[side]
            exponents[side] -= 0.5 * means


def _balance(
    places: IntArray, sizes: FloatArray, exponents: FloatArray, is_open: Any
) -> None:
    """Change the open exponents until the largest value of each line is zero.

    References
    ----------
    Ruiz 2001.
    """
    for _ in range(MAXIMUM_SWEEPS):
        current = sizes + exponents[0, places[0]] + exponents[1, places[1]]
        largest = _largest(places, current, exponents.shape[1]) * is_open
        exponents -= 0.5 * largest
        if np.abs(largest).max(initial=0.0) < 0.5:
            break


def _largest(places: IntArray, values: FloatArray, n: int) -> FloatArray:
    """Largest value of each row and of each column; zero where there is none."""
    largest = np.full((2, n), -np.inf)
    for side in range(2):
        np.maximum.at(largest[side], places[side], values)
    largest[np.isinf(largest)] = 0.0
    return largest


def pivot_order(
    matrix: csc_matrix, *, n_multipliers: int = 0
) -> tuple[IntArray, IntArray, int]:
    """Row and column permutations with little fill and sound pivots.

    Minimum degree assumes pivots on the diagonal. Where these are zero, rows are
    exchanged, and in a lattice of joints the fill explodes; COLAMD allows for
    exchanges from the start, but gives trees and plain structures more fill.

    Parameters
    ----------
    matrix : (n, n) sparse matrix
        Equilibrated.
    n_multipliers : int
        Number of zeros on the diagonal.

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
    n = matrix.shape[0]
    found = []
    if n_multipliers:
        found.append(_superlu(matrix, "COLAMD", is_symmetric=False))
    if (
        not found
        or found[0].nnz < TREE_FILL * matrix.nnz
        or n_multipliers < FEW_MULTIPLIERS * n
    ):
        found.append(_superlu(matrix, "MMD_AT_PLUS_A", is_symmetric=True))
        n_exchanged = np.count_nonzero(found[-1].perm_r != found[-1].perm_c)
        if len(found) == 1 and n_exchanged > 0.01 * n:
            found.append(_superlu(matrix, "COLAMD", is_symmetric=False))
    best = min(found, key=lambda factors: factors.nnz)
    return best.perm_r, best.perm_c, best.nnz


def _superlu(matrix: csc_matrix, order: str, *, is_symmetric: bool) -> Any:
    return splu(
        matrix,
        permc_spec=order,
        diag_pivot_thresh=DIAGONAL_THRESHOLD,
        options={"SymmetricMode": is_symmetric, "Equil": False},
    )


def symmetric_order(matrix: csc_matrix) -> tuple[IntArray, int]:
    """Place of each row and column in a symmetric order with little fill.

    Parameters
    ----------
    matrix : (n, n) sparse matrix
        Only its pattern counts.

    Returns
    -------
    tuple
        Positions, by minimum degree, and expected number of entries of the factors.
    """
    n = matrix.shape[0]
    lengths = np.diff(matrix.indptr)
    columns = np.repeat(np.arange(n), lengths)
    values = np.where(matrix.indices == columns, 1.0 + lengths[columns], -1.0)
    factors = splu(
        csc_matrix((values, matrix.indices, matrix.indptr), shape=(n, n)),
        permc_spec="MMD_AT_PLUS_A",
        diag_pivot_thresh=0.0,
        options={"SymmetricMode": True, "Equil": False},
    )
    return factors.perm_c, factors.nnz
