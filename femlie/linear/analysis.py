"""Analysis of a sparse matrix for many factorizations with the same pivots."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_matrix, diags

from ._frozen import ALLOWED_ENTRY, LARGEST_ENTRY
from ._frozen_factors import frozen_factors
from .dissection import Tree, dissection
from .factorization import SOLVED, Factorization, FloatArray, refactor
from .fronts import arrange_fronts
from .frozen import arrange
from .ordering import equilibrate, pivot_order

# Diagonal of redundant rows, relative to the compliance that their multipliers see.
# Rounding leaves 1e-16 / REGULARIZATION in the multipliers, the regularization
# itself REGULARIZATION^(1 + n_sweeps).
REGULARIZATION = 1e-6
REDUNDANT_SWEEPS = 2
# The entries of U may grow this much beyond their size at the analysis.
ALLOWED_GROWTH = 1e3
# Closed loops of frames below which fill does not matter, and operations of a
# factorization from which on the multifrontal one is faster.
FEW_LOOPS = 500
LEAST_FLOPS = 5e8
# Largest difference of an entry of an equilibrated matrix from its symmetric part, for
# factors of this part to serve.
ALLOWED_ASYMMETRY = 1e-2
# Shifts of the diagonal of an equilibrated singular matrix, only to find an order.
ORDERING_SHIFTS = (1e-6, 1e-3, 1.0)


class Frames(NamedTuple):
    """What is known about the unknowns of a matrix.

    Attributes
    ----------
    groups : (n_frame_rows,) int array or None
        Frame of each row, numbered without gaps; None: rows of the same pattern.
    places : (n_groups, 3) array or None
        Place of each frame; only the corners of their box count.
    may_be_symmetric : bool
        False where factors of a symmetric part were tried and did not do.
    units : (n_frame_rows,) int array or None
        Equal for translations of one frame, and for its rotations.
    mold : Factorization or None
        An earlier one of a matrix of the same pattern: where the order turns out to be
        its own, the layout need not be found again.
    """

    groups: NDArray[np.int64] | None = None
    places: FloatArray | None = None
    may_be_symmetric: bool = True
    units: NDArray[np.int64] | None = None
    mold: Factorization | None = None


NO_FRAMES = Frames()


def analyze(
    indptr: NDArray[Any],
    indices: NDArray[Any],
    data: FloatArray,
    *,
    n_multipliers: int,
    is_redundant: bool = False,
    n_sweeps: int = 0,
    frames: Frames = NO_FRAMES,
) -> Factorization:
    """Choose a solver, scaling and an order, and find the patterns of the factors.

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
    frames : Frames
        What is known about the unknowns, for an order with little fill.

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
    tree = large_tree(matrix, n_multipliers=n_multipliers, frames=frames)
    if tree is not None:
        return analyze_fronts(matrix, tree, n_multipliers=n_multipliers, frames=frames)
    scales = equilibrate(matrix, n_multipliers=n_multipliers, units=frames.units)
    regularization = np.zeros(n_multipliers)
    if is_redundant:
        regularization = regularize(matrix, n_multipliers=n_multipliers)
        n_sweeps = max(n_sweeps, REDUNDANT_SWEEPS)
    order = _order(matrix, scales, regularization)
    return _frozen(matrix, data, scales, order, regularization, n_sweeps, frames.mold)


def analyze_in_order(
    indptr: NDArray[Any],
    indices: NDArray[Any],
    data: FloatArray,
    *,
    positions: NDArray[np.int64],
    scales: tuple[FloatArray, FloatArray],
    regularization: FloatArray,
) -> Factorization:
    """Frozen pivots on the diagonal in a given order, or in another where these fail.

    Parameters
    ----------
    indptr, indices, data
        As in `analyze`.
    positions : (n,) int array
        Place of each row and column among the pivots.
    scales : tuple of (n,) arrays
        Powers of two for rows and columns, with which these pivots look sound.
    regularization : (n_multipliers,) array
        Diagonal of the last rows, zero or negative; see `regularize`. Where any is not
        zero, refinement takes it out again.

    Returns
    -------
    Factorization
        Without values: call `refactor` next.
    """
    n = indptr.size - 1
    data = np.ascontiguousarray(data, dtype=np.float64)
    matrix = csc_matrix((np.nan_to_num(data), indices, indptr), shape=(n, n))
    n_sweeps = REDUNDANT_SWEEPS if np.any(regularization != 0.0) else 0
    order = (positions, positions, 0)
    found = _frozen(matrix, data, scales, order, regularization, n_sweeps)
    if found.status[0] == SOLVED:
        return found
    scales = equilibrate(matrix, n_multipliers=regularization.size)
    order = _order(matrix, scales, regularization)
    return _frozen(matrix, data, scales, order, regularization, n_sweeps)


def _frozen(
    matrix: csc_matrix,
    data: FloatArray,
    scales: tuple[FloatArray, FloatArray],
    order: tuple[NDArray[Any], NDArray[Any], int],
    regularization: FloatArray,
    n_sweeps: int,
    mold: Factorization | None = None,
) -> Factorization:
    """Factors with frozen pivots, and how far their entries may grow."""
    factorization = arrange(
        (matrix.indptr, matrix.indices),
        scales,
        order[:2],
        regularization,
        n_sweeps=n_sweeps,
        expected_size=order[2],
        mold=mold,
    )
    refactor(factorization, data)
    factors = frozen_factors(factorization)
    factors.limits[ALLOWED_ENTRY] = ALLOWED_GROWTH * max(
        1.0, factors.statistics[LARGEST_ENTRY]
    )
    return factorization


def looks_woven(matrix: csc_matrix) -> bool:
    """Whether so many closed loops are in a matrix of frames that fill will matter.

    A frame has 36 entries of its own and 72 with each neighbor: a matrix of beams
    without loops has 18 entries a row.
    """
    return bool(matrix.nnz / 72.0 - matrix.shape[0] / 4.0 >= FEW_LOOPS)


def large_tree(
    matrix: csc_matrix, *, n_multipliers: int, frames: Frames
) -> Tree | None:
    """Elimination tree where the multifrontal solver is the faster one, else None."""
    if not looks_woven(matrix):
        return None
    tree = dissection(
        matrix,
        n_multipliers=n_multipliers,
        groups=frames.groups,
        places=frames.places,
    )
    return tree if tree.n_flops(is_symmetric=False) >= LEAST_FLOPS else None


def analyze_fronts(
    matrix: csc_matrix, tree: Tree, *, n_multipliers: int, frames: Frames = NO_FRAMES
) -> Factorization:
    """Multifrontal factorization in the order of an elimination tree.

    Where the matrix is symmetric but for what a load step changes, its symmetric part
    is factorized, at half the work, and a Krylov iteration solves for the whole.
    """
    part = symmetric_part(matrix)
    scales = equilibrate(part, n_multipliers=n_multipliers, units=frames.units)
    columns = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    asymmetry = np.abs(matrix.data - part.data)
    asymmetry *= scales[0][matrix.indices] * scales[1][columns]
    is_symmetric = frames.may_be_symmetric and bool(
        asymmetry.max(initial=0.0) <= ALLOWED_ASYMMETRY
    )
    if not is_symmetric:
        scales = equilibrate(matrix, n_multipliers=n_multipliers, units=frames.units)
    regularization = regularize(matrix, n_multipliers=n_multipliers)
    return arrange_fronts(
        matrix, tree, scales, regularization, is_symmetric=is_symmetric
    )


def symmetric_part(matrix: csc_matrix) -> csc_matrix:
    """``(A + A^T) / 2`` in the pattern of A, which is that of its transpose."""
    turned = csc_matrix(matrix.T)
    turned.sort_indices()
    if not np.array_equal(turned.indices, matrix.indices):
        # entries without a partner count as unsymmetric
        return csc_matrix((0.0 * matrix.data, matrix.indices, matrix.indptr))
    data = 0.5 * (matrix.data + turned.data)
    return csc_matrix((data, matrix.indices, matrix.indptr), shape=matrix.shape)


def regularize(
    matrix: csc_matrix,
    *,
    n_multipliers: int,
    scales: tuple[FloatArray, FloatArray] | None = None,
) -> FloatArray:
    """Small negative diagonal for the rows of constraints that may be redundant.

    Parameters
    ----------
    matrix : (n, n) sparse matrix
        ``[[K, B^T], [B, 0]]``.
    n_multipliers : int
        Number of rows of B.
    scales : tuple of (n,) arrays or None
        What `equilibrate` gives, if it is known.

    Returns
    -------
    (n_multipliers,) array
        ``-REGULARIZATION sum_j B_ij^2 / |K_jj|``: free of units. Where the stiffness
        of a column is zero, its largest entry stands for it.
    """
    n_frame_rows = matrix.shape[0] - n_multipliers
    # entries of different units compare only when they are scaled
    left, right = scales or equilibrate(matrix, n_multipliers=n_multipliers)
    left, right = left[:n_frame_rows], right[:n_frame_rows]
    stiffness = abs(diags(left) @ matrix[:n_frame_rows, :n_frame_rows] @ diags(right))
    rows = matrix[n_frame_rows:, :n_frame_rows].tocsr()
    size = stiffness.diagonal()
    largest = stiffness.max(axis=0).toarray().ravel() if n_frame_rows else size
    size = np.where(size > 1e-8 * largest, size, largest) / (left * right)
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
    if n == 0:
        return np.arange(0), np.arange(0), 0  # all is held
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
