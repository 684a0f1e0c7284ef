"""Signs of the eigenvalues of a tangent, and the direction that it leaves free."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix, csc_matrix, diags_array
from scipy.sparse.linalg import splu

from ._frozen import FAILED_COLUMN, PIVOT_RATIO, TRUSTED_PIVOT
from ._frozen_factors import frozen_factors
from .analysis import (
    NO_FRAMES,
    REGULARIZATION,
    Frames,
    analyze_fronts,
    large_tree,
    regularize,
    symmetric_part,
)
from .dissection import Tree
from .factorization import SOLVED, Factorization, FloatArray, refactor
from .fronts import arrange_fronts, count_negative, nearly_null
from .frozen import arrange, is_frozen
from .ordering import equilibrate, symmetric_order
from .threads import one_thread

# Stiffness put on the constraints relative to that of the frames they hold. Larger
# values cost digits of the softest motion, smaller ones let an unstable one escape.
PENALTY = 1e4
# Eigenvalues of the equilibrated matrix below this count as zero: a singular matrix
# comes out of rounding with a tenth of it.
ZERO_EIGENVALUE = 1e-14
# Entries of L that are larger than this make the sign of later pivots doubtful.
SMALLEST_PIVOT_RATIO = 1e-8
MAXIMUM_DELAYS = 30
# One over the smallest pivot that is surely not zero to rounding.
SOUND_PIVOT = 1e8
LARGEST_DENSE = 4000
SHIFT = 1e-10
INVERSE_ITERATIONS = 4


def is_surely_positive(
    factorization: Factorization, data: FloatArray, *, n_multipliers: int
) -> bool:
    """Whether pivots on the diagonal show that all eigenvalues are well above zero.

    Parameters
    ----------
    factorization : Factorization
        Of the same pattern; it is refactorized.
    data : (n_entries,) array
        Of a symmetric matrix.
    n_multipliers : int

    Returns
    -------
    bool
        False where it cannot be told that way: see `inertia`.
    """
    if n_multipliers or not is_frozen(factorization):
        return False
    factors = frozen_factors(factorization)
    places = np.empty_like(factors.row_position)
    places[factors.column_order] = np.arange(places.size)
    if not np.array_equal(places, factors.row_position):
        return False
    if refactor(factorization, data) != SOLVED:
        return False
    # of the equilibrated matrix, whose entries are of order one
    largest = factors.inverse_pivots.max(initial=0.0)
    return bool(np.all(factors.inverse_pivots > 0.0) and largest < SOUND_PIVOT)


def inertia(
    indptr: NDArray[Any],
    indices: NDArray[Any],
    data: FloatArray,
    *,
    n_multipliers: int,
    frames: Frames = NO_FRAMES,
    penalty: float = PENALTY,
) -> tuple[int, int]:
    """Numbers of negative and of zero eigenvalues of the symmetrized matrix.

    The multipliers are eliminated first, from ``[[K, B^T], [B, -E]]`` with a small
    diagonal E: one negative eigenvalue each, and ``K + B^T E^-1 B`` is left for the
    frames. Its pivots in symmetric order have the signs of its eigenvalues
    (Sylvester). A stable equilibrium has n_multipliers negative values and no zero.

    Parameters
    ----------
    indptr, indices, data : (n + 1,), (n_entries,), (n_entries,) arrays
        ``[[K, B^T], [B, 0]]``, compressed by columns.
    n_multipliers : int
        Number of rows of B. Redundant rows count as negative like the others.
    frames : Frames
        What is known about the unknowns.
    penalty : float
        Stiffness of constraints over that of the frames that they hold.

    Returns
    -------
    tuple of int
        Negative eigenvalues, and those that are zero to rounding: free motions.

    Raises
    ------
    numpy.linalg.LinAlgError
        If a large matrix has no sound pivots on its diagonal in any order tried.

    References
    ----------
    Duff, Erisman and Reid 2017.
    """
    n = indptr.size - 1
    matrix = csc_matrix((data, indices, indptr), shape=(n, n))
    tree = large_tree(matrix, n_multipliers=n_multipliers, frames=frames)
    if tree is not None:
        return _signs_of_fronts(matrix, tree, n_multipliers, frames, penalty)
    symmetric = _sum(0.5 * matrix, 0.5 * matrix.T)
    n_frame_rows = n - n_multipliers
    reduced = csc_matrix(symmetric[:n_frame_rows, :n_frame_rows])
    if n_multipliers:
        rows = symmetric[n_frame_rows:, :n_frame_rows]
        scales = equilibrate(symmetric, n_multipliers=n_multipliers, units=frames.units)
        compliance = -regularize(symmetric, n_multipliers=n_multipliers, scales=scales)
        weights = np.zeros(n_multipliers)
        is_used = compliance > 0.0
        weights[is_used] = penalty * REGULARIZATION / compliance[is_used]
        reduced = _sum(reduced, rows.T @ diags_array(weights) @ rows)
    below, above = _negative_pivots(reduced)
    return n_multipliers + below, above - below


def _signs_of_fronts(
    matrix: csc_matrix,
    tree: Tree,
    n_multipliers: int,
    frames: Frames,
    penalty: float,
) -> tuple[int, int]:
    """The same from the pivots of fronts, with multipliers among the frames."""
    symmetric = symmetric_part(matrix)
    scales = equilibrate(symmetric, n_multipliers=n_multipliers, units=frames.units)
    compliance = regularize(symmetric, n_multipliers=n_multipliers, scales=scales)
    fronts = arrange_fronts(
        matrix,
        tree,
        scales,
        compliance / (penalty * REGULARIZATION),
        is_symmetric=True,
        keeps=False,
    )
    columns = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    is_diagonal = (columns == matrix.indices) & (
        columns < scales[0].size - n_multipliers
    )
    counts = []
    for sign in (-1.0, 1.0):
        data = matrix.data.copy()
        frame_scales = scales[0][columns[is_diagonal]]
        data[is_diagonal] += sign * ZERO_EIGENVALUE / frame_scales**2
        with one_thread():
            counts.append(count_negative(fronts, data))
        if counts[0] == n_multipliers:
            return n_multipliers, 0
    return counts[1], counts[0] - counts[1]


def _negative_pivots(matrix: csc_matrix) -> tuple[int, int]:
    """Eigenvalues of a symmetric matrix below minus and below plus zero tolerance.

    A pivot that is tiny compared with its column moves to the end of the order. What
    has no order of sound pivots, like ``[[0, 1], [1, 0]]``, is treated as dense.
    """
    n = matrix.shape[0]
    scale = equilibrate(matrix)[0]
    shifts = [
        _sum(matrix, diags_array(sign * ZERO_EIGENVALUE / scale**2))
        for sign in (1.0, -1.0)
    ]
    positions, size = symmetric_order(shifts[0])
    order = np.argsort(positions)
    for _ in range(MAXIMUM_DELAYS):
        positions[order] = np.arange(n)
        factorization = arrange(
            (shifts[0].indptr, shifts[0].indices),
            (scale, scale),
            (positions, positions),
            np.zeros(0),
            expected_size=size,
        )
        factors = frozen_factors(factorization)
        factors.limits[PIVOT_RATIO] = SMALLEST_PIVOT_RATIO
        factors.limits[TRUSTED_PIVOT] = 0.0
        counts = []
        for shifted in shifts:
            if refactor(factorization, shifted.data) != SOLVED:
                break
            counts.append(int(np.count_nonzero(factors.inverse_pivots < 0.0)))
        if len(counts) == len(shifts):
            return counts[0], counts[1]
        delayed = int(factors.statistics[FAILED_COLUMN])
        order = np.append(order[order != delayed], delayed)
    return _dense_negatives(matrix, scale)


def _sum(first: Any, second: Any) -> csc_matrix:
    """Sum that keeps stored zeros: the order needs whole blocks of the pattern."""
    first, second = coo_matrix(first), coo_matrix(second)
    data = np.concatenate([first.data, second.data])
    rows = np.concatenate([first.row, second.row])
    columns = np.concatenate([first.col, second.col])
    total = csc_matrix((data, (rows, columns)), shape=first.shape)
    total.sort_indices()
    return total


def _dense_negatives(matrix: csc_matrix, scale: FloatArray) -> tuple[int, int]:
    n = matrix.shape[0]
    if n > LARGEST_DENSE:
        raise np.linalg.LinAlgError(
            f"The signs of a symmetric matrix of {n} rows were not found: "
            f"{MAXIMUM_DELAYS} pivots in a row vanished. It is too large for "
            "dense eigenvalues; count them on a coarser mesh."
        )
    scaled = diags_array(scale) @ matrix @ diags_array(scale)
    values = np.linalg.eigvalsh(scaled.toarray())
    small = ZERO_EIGENVALUE * n
    return int(np.count_nonzero(values < -small)), int(np.count_nonzero(values < small))


def null_vector(
    indptr: NDArray[Any],
    indices: NDArray[Any],
    data: FloatArray,
    *,
    n_multipliers: int,
    frames: Frames = NO_FRAMES,
) -> FloatArray:
    """Direction that the matrix shortens most, by inverse iteration.

    Parameters
    ----------
    indptr, indices, data : (n + 1,), (n_entries,), (n_entries,) arrays
        ``[[K, B^T], [B, 0]]``, compressed by columns.
    n_multipliers : int
        Number of rows of B. Forces in redundant rows alone are not what is sought:
        these rows are regularized.
    frames : Frames
        What is known about the unknowns.

    Returns
    -------
    (n,) array
        The largest frame entry is 1 in the units of the equilibrated matrix. Of
        several free motions it is some combination.
    """
    n = indptr.size - 1
    matrix = csc_matrix((data, indices, indptr), shape=(n, n))
    scales = equilibrate(matrix, n_multipliers=n_multipliers, units=frames.units)
    row_scale, column_scale = scales
    added = SHIFT / (row_scale * column_scale)
    added[n - n_multipliers :] = regularize(
        matrix, n_multipliers=n_multipliers, scales=scales
    )
    tree = large_tree(matrix, n_multipliers=n_multipliers, frames=frames)
    if tree is not None:
        shifted = matrix + diags_array(
            np.where(np.arange(n) < n - n_multipliers, added, 0.0)
        )
        shifted = csc_matrix(shifted)
        fronts = analyze_fronts(
            shifted, tree, n_multipliers=n_multipliers, frames=frames
        )
        with one_thread():
            vector = nearly_null(fronts, shifted.data, n_iterations=INVERSE_ITERATIONS)
        free = vector[: n - n_multipliers] / column_scale[: n - n_multipliers]
        return vector / free[np.argmax(np.abs(free))]
    shifted = diags_array(row_scale) @ (matrix + diags_array(added))
    factors = splu(csc_matrix(shifted @ diags_array(column_scale)))
    vector = np.modf(1.0 + 0.6180339887498949 * np.arange(n))[0] + 0.5
    for _ in range(INVERSE_ITERATIONS):
        vector = factors.solve(vector)
        vector /= np.abs(vector).max()
    free = vector[: n - n_multipliers]
    return column_scale * vector / free[np.argmax(np.abs(free))]
