"""Layout of a multifrontal factorization."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_matrix

from .. import _jit
from ._blas import N_NUMBERS, arguments
from ._front_factors import (
    IS_SYMMETRIC,
    N_NEGATIVE,
    ROUTINES,
    FrontFactors,
    front_factors,
)
from ._front_places import place_entries, stack_size
from ._front_solve import substitute_fronts
from ._fronts import factorize_fronts
from ._frozen_factors import FloatArray, frozen_factors
from ._krylov import (
    FACTORIZE,
    FRESH_ITERATIONS,
    SUBSTITUTE,
    refactor_fronts,
    solve_fronts,
)
from .dissection import Tree, front_entries, front_flops, front_sizes
from .factorization import VECTOR, Factorization, pack

# Relative size of a residual in equilibrated rows that a solution may have, with old
# factors and with those of the matrix itself: the latter mostly end at rounding.
TOLERANCE = 1e-11
FRESH_TOLERANCE = 1e-14
SUSPICIOUS_PIVOT = 1e-11
ALLOWED_ENTRY = 1e12
# A number that a solve reads takes as long as this many operations of BLAS.
FLOPS_PER_ENTRY = 64.0
# Operations of BLAS that take as long as one of other compiled code.
BLAS_SPEED = 3.0
# Of frozen pivots: operations that take as long as an entry of the factors, on top of
# the products of a factorization, and in a solve.
FILL_WORK, SOLVE_WORK = 20.0, 7.0
# Old factors are kept where renewing them costs this many solves or more.
LEAST_RATIO = 10.0
MOST_ITERATIONS = 24


def arrange_fronts(
    matrix: csc_matrix,
    tree: Tree,
    scales: tuple[FloatArray, FloatArray],
    regularization: FloatArray,
    *,
    is_symmetric: bool,
    keeps: bool = True,
) -> Factorization:
    """Lay out all fronts, and find where the entries of the matrix go.

    Parameters
    ----------
    matrix : (n, n) sparse matrix
        Only its pattern counts.
    tree : Tree
    scales : tuple of (n,) arrays
        Row and column factors; equal for a symmetric matrix.
    regularization : (n_multipliers,) array
        Added to the diagonal of the last rows.
    is_symmetric : bool
        Whether the symmetric part of the values is factorized.
    keeps : bool
        Whether old factors may lead an iteration for new values.

    Returns
    -------
    Factorization
        Without values.
    """
    n = matrix.shape[0]
    own, rest = np.diff(tree.first), np.diff(tree.boundary_starts)
    sizes = own * (own + rest) + (0 if is_symmetric else own * rest)
    panel_at = np.concatenate([[0], np.cumsum(sizes)])
    storage = int(panel_at[-1])
    panel_at = panel_at[:-1]
    upper_at = panel_at + own * (own + rest)
    place, relative, shift_place = _places(
        matrix,
        tree,
        (panel_at, np.zeros(0, np.int64) if is_symmetric else upper_at),
        regularization.size,
    )
    columns = np.repeat(np.arange(n), np.diff(matrix.indptr))
    scale = scales[0][matrix.indices] * scales[1][columns]
    if is_symmetric:
        scale[columns != matrix.indices] *= 0.5
    n_children = np.bincount(tree.parents[tree.parents >= 0], minlength=own.size)
    waiting = np.zeros(own.size + 1, dtype=np.int64)
    stack = stack_size((tree.first, tree.boundary_starts, n_children), waiting)
    allowed = _allowed_iterations(tree, is_symmetric=is_symmetric) if keeps else 0
    most = max(allowed, FRESH_ITERATIONS)
    letters, constants = arguments()
    state = np.zeros(10, dtype=np.int64)
    state[[0, 4, 9]] = int(is_symmetric), allowed, 1
    none = np.zeros(0)
    parts = FrontFactors(
        indptr=np.ascontiguousarray(matrix.indptr, dtype=np.uint64),
        indices=np.ascontiguousarray(matrix.indices, dtype=np.uint32),
        rows=tree.rows.astype(np.uint32),
        first=tree.first,
        boundary_starts=tree.boundary_starts,
        boundary=tree.boundary.astype(np.uint32),
        relative=relative,
        n_children=n_children.astype(np.int64),
        panel_at=panel_at,
        upper_at=upper_at,
        kinds=np.zeros(own.size, dtype=np.int64),
        pivots=np.zeros(n, dtype=np.uint32),
        entry_place=place,
        entry_scale=scale,
        shift_place=shift_place,
        regularization=regularization,
        row_scale=scales[0],
        column_scale=scales[1],
        routines=_routines(),
        numbers=np.zeros(N_NUMBERS, dtype=np.uint32),
        letters=letters,
        constants=constants,
        state=state,
        statistics=np.zeros(2),
        limits=np.array([SUSPICIOUS_PIVOT, ALLOWED_ENTRY, TOLERANCE, FRESH_TOLERANCE]),
        work=np.zeros(n),
        gathered=np.zeros(n),
        residual=np.zeros(n),
        direction=np.zeros(n),
        bound=np.zeros(n),
        basis=none,
        preconditioned=none,
        small=none,
        panel_work=none,
        waiting=np.zeros(own.size + 1, dtype=np.int64),
        stack=none,
        storage=none,
    )
    sizes_of_zeros = {
        "basis": (most + 1) * n,
        "preconditioned": most * n,
        "small": (most + 2) * (most + 6),
        "panel_work": int(np.max(own * (rest + 65), initial=0)),
        "stack": stack,
        "storage": storage,
    }
    kernels = [
        (refactor_fronts, VECTOR),
        (solve_fronts, 3 * VECTOR),
        (factorize_fronts, VECTOR),
        (substitute_fronts, 2 * VECTOR),
    ]
    return pack(parts, kernels, sizes_of_zeros)


def _allowed_iterations(tree: Tree, *, is_symmetric: bool) -> int:
    """Iterations with old factors that cost less than new ones, at half their price."""
    flops = tree.n_flops(is_symmetric=is_symmetric)
    entries = tree.n_entries(is_symmetric=is_symmetric)
    ratio = flops / (FLOPS_PER_ENTRY * max(entries, 1))
    return min(int(0.5 * ratio), MOST_ITERATIONS) if ratio >= LEAST_RATIO else 0


def _places(
    matrix: csc_matrix,
    tree: Tree,
    starts: tuple[NDArray[np.int64], NDArray[np.int64]],
    n_multipliers: int,
) -> tuple[NDArray[np.uint64], NDArray[np.uint32], NDArray[np.uint64]]:
    n = matrix.shape[0]
    numbers = csc_matrix(
        (np.arange(matrix.nnz), matrix.indices, matrix.indptr), shape=matrix.shape
    ).tocsr()
    position = np.empty(n, dtype=np.int64)
    position[tree.rows] = np.arange(n)
    place = np.zeros(matrix.nnz, dtype=np.uint64)
    relative = np.zeros(tree.boundary.size, dtype=np.uint32)
    pattern = [
        np.ascontiguousarray(part, dtype=np.int64)
        for part in (
            matrix.indptr,
            matrix.indices,
            numbers.indptr,
            numbers.indices,
            numbers.data,
        )
    ]
    place_entries(
        tuple(pattern),
        (
            tree.rows,
            position,
            tree.first,
            tree.parents,
            tree.boundary_starts,
            tree.boundary,
        ),
        starts,
        place,
        relative,
        np.zeros((3, max(n, 1)), dtype=np.int64),
    )
    own, rest = np.diff(tree.first), np.diff(tree.boundary_starts)
    at = position[n - n_multipliers :]
    front = np.searchsorted(tree.first, at, side="right") - 1
    within = at - tree.first[front]
    diagonal = starts[0][front] + within * (own + rest)[front] + within
    return place, relative, diagonal.astype(np.uint64)


def _routines() -> NDArray[np.uint64]:
    """Addresses of the routines of scipy's BLAS and LAPACK in this process."""
    return np.array(
        [
            _jit.external(f"scipy.linalg.cython_{module}", name)
            for module, name in ROUTINES
        ],
        dtype=np.uint64,
    )


def has_fronts(factorization: Factorization) -> bool:
    """Whether a factorization is a multifrontal one."""
    return len(factorization.bounds) == len(FrontFactors._fields)


def describe(factorization: Factorization | None) -> str:
    """Name of the solver, for summaries."""
    if factorization is None:
        return "none"
    if not has_fronts(factorization):
        return "frozen-pivot sparse LU"
    is_symmetric = front_factors(factorization).state[IS_SYMMETRIC] == 1
    return f"multifrontal {'LDL^T' if is_symmetric else 'LU'}"


def predicted_work(factorization: Factorization) -> tuple[float, float]:
    """Operations of a factorization and of a solution, ten of which take 1 ns.

    An entry of the factors costs more than a product where it is read from memory.
    """
    if not has_fronts(factorization):
        frozen = frozen_factors(factorization)
        fill = float(frozen.n_fill)
        return frozen.n_flops + FILL_WORK * fill, SOLVE_WORK * fill
    factors = front_factors(factorization)
    sizes = front_sizes(factors.first, factors.boundary_starts)
    is_symmetric = bool(factors.state[IS_SYMMETRIC] == 1)
    flops = front_flops(*sizes, is_symmetric=is_symmetric)
    reading = FLOPS_PER_ENTRY * front_entries(*sizes, is_symmetric=is_symmetric)
    return flops / BLAS_SPEED, reading / BLAS_SPEED


def is_symmetric_and_unsound(factorization: Factorization | None) -> bool:
    """Whether factors of a symmetric part were tried and asked for new pivots."""
    return (
        factorization is not None
        and has_fronts(factorization)
        and bool(front_factors(factorization).state[IS_SYMMETRIC] == 1)
    )


def count_negative(factorization: Factorization, data: FloatArray) -> int:
    """Negative eigenvalues of the symmetric part of new values (Sylvester)."""
    _jit.call(factorization.functions, 0, FACTORIZE, (factorization, data))
    return int(front_factors(factorization).state[N_NEGATIVE])


def nearly_null(
    factorization: Factorization, data: FloatArray, *, n_iterations: int
) -> FloatArray:
    """Vector that the matrix shortens most, by inverse iteration."""
    factors = front_factors(factorization)
    _jit.call(factorization.functions, 0, FACTORIZE, (factorization, data))
    n = factors.rows.size
    vector = np.modf(1.0 + 0.6180339887498949 * np.arange(n))[0] + 0.5
    found = np.zeros(n)
    for _ in range(n_iterations):
        _jit.call(
            factorization.functions, 0, SUBSTITUTE, (factorization, vector, found)
        )
        scaled = found / factors.column_scale
        vector = scaled / np.abs(scaled).max()
    return vector * factors.column_scale
