"""Parts of a multifrontal factorization, as compiled code sees them."""

from __future__ import annotations

from typing import Any, NamedTuple, get_args, get_type_hints

import numpy as np
from numpy.typing import NDArray

from .._jit import part_of, shared
from ._frozen_factors import FloatArray, Uint32Array, Uint64Array
from .factorization import HOLDERS

Int64Array = NDArray[np.int64]

# FrontFactors.state
(
    IS_SYMMETRIC,
    HAS_FACTORS,
    IS_FRESH,
    IS_STALE,
    ALLOWED_ITERATIONS,
    LAST_ITERATIONS,
    N_NEGATIVE,
    N_PERTURBED,
    N_FACTORIZED,
    IS_SOUND,
) = range(10)
# FrontFactors.statistics
SMALLEST_PIVOT, LARGEST_ENTRY = 0, 1
# FrontFactors.limits
TRUSTED_PIVOT, ALLOWED_ENTRY, TOLERANCE, FRESH_TOLERANCE = range(4)
# FrontFactors.kinds: how the pivots of a front were found
CHOLESKY, SYMMETRIC, GENERAL = range(3)
# FrontFactors.routines
ROUTINES = (
    ("blas", "dgemm"),
    ("blas", "dgemv"),
    ("blas", "dsyrk"),
    ("blas", "dtrsm"),
    ("blas", "dtrsv"),
    ("lapack", "dgetrf"),
    ("lapack", "dlaswp"),
    ("lapack", "dpotrf"),
    ("lapack", "dsytrf"),
    ("lapack", "dsytrs"),
    ("lapack", "dsytrs2"),
)
(
    DGEMM,
    DGEMV,
    DSYRK,
    DTRSM,
    DTRSV,
    DGETRF,
    DLASWP,
    DPOTRF,
    DSYTRF,
    DSYTRS,
    DSYTRS2,
) = range(len(ROUTINES))


class FrontFactors(NamedTuple):
    """Fronts of a matrix ``P R A C P^T``, dense and column by column.

    A front has its own rows, which are eliminated in it, and boundary rows, which
    its parent knows too. Its panel holds the own columns over all rows, ``upper`` the
    own rows of the boundary columns; a symmetric matrix needs no ``upper``.

    Attributes
    ----------
    indptr, indices : (n + 1,), (n_entries,) arrays
        Pattern of the matrix, compressed by columns.
    rows : (n,) array
        Row of the matrix at each place of the elimination.
    first : (n_fronts + 1,) array
        First place of each front; children before their parents.
    boundary_starts : (n_fronts + 1,) array
    boundary, relative : (n_boundary,) arrays
        Place of each boundary row, and its row in the front of the parent.
    n_children : (n_fronts,) array
    panel_at, upper_at : (n_fronts,) arrays
        First place of each front in ``storage``.
    kinds : (n_fronts,) array
        How the last factorization found the pivots of each front.
    pivots : (n,) array
        Rows that LAPACK has exchanged.
    entry_place, entry_scale : (n_entries,) arrays
        Where each entry of the matrix goes in ``storage``, and by which factor.
    shift_place : (n_multipliers,) array
        Place of the diagonal of the multiplier rows.
    regularization : (n_multipliers,) array
        Added there: negative.
    row_scale, column_scale : (n,) arrays
        Powers of two.
    routines : (n_routines,) array
        Addresses of BLAS and LAPACK routines.
    numbers, letters, constants : arrays
        Arguments of these.
    state : (10,) array
        See the names of its places in this module.
    statistics, limits : arrays
        See the names of their places in this module.
    work, gathered, residual, direction, bound : (n,) arrays
        Memory of the kernels. After a check, ``direction`` is the vector that the
        matrix shortens most.
    basis, preconditioned : ((k + 1) n,), (k n,) arrays
        Vectors of the Krylov iteration.
    small : ((k + 2) (k + 6),) array
        Its small matrix.
    panel_work : array
        Memory for the largest front.
    waiting : (n_fronts + 1,) array
        Fronts whose updates wait on the stack.
    stack : array
        Updates that wait for their parents.
    storage : array
        All fronts.
    """

    indptr: Uint64Array
    indices: Uint32Array
    rows: Uint32Array
    first: Int64Array
    boundary_starts: Int64Array
    boundary: Uint32Array
    relative: Uint32Array
    n_children: Int64Array
    panel_at: Int64Array
    upper_at: Int64Array
    kinds: Int64Array
    pivots: Uint32Array
    entry_place: Uint64Array
    entry_scale: FloatArray
    shift_place: Uint64Array
    regularization: FloatArray
    row_scale: FloatArray
    column_scale: FloatArray
    routines: Uint64Array
    numbers: Uint32Array
    letters: Uint32Array
    constants: FloatArray
    state: Int64Array
    statistics: FloatArray
    limits: FloatArray
    work: FloatArray
    gathered: FloatArray
    residual: FloatArray
    direction: FloatArray
    bound: FloatArray
    basis: FloatArray
    preconditioned: FloatArray
    small: FloatArray
    panel_work: FloatArray
    waiting: Int64Array
    stack: FloatArray
    storage: FloatArray


# places of the parts, for kernels that need a few of them
(
    ROWS,
    FIRST,
    BOUNDARY_STARTS,
    BOUNDARY,
    RELATIVE,
    N_CHILDREN,
    PANEL_AT,
    UPPER_AT,
    KINDS,
    PIVOTS,
    ENTRY_PLACE,
    ENTRY_SCALE,
    SHIFT_PLACE,
    REGULARIZATION,
    ROW_SCALE,
    COLUMN_SCALE,
    ROUTINE_ADDRESSES,
    NUMBERS,
    ROUTINE_LETTERS,
    ROUTINE_CONSTANTS,
    STATE,
    STATISTICS,
    LIMITS,
    WORK,
    GATHERED,
    RESIDUAL,
    DIRECTION,
    BOUND,
    BASIS,
    PRECONDITIONED,
    SMALL,
    PANEL_WORK,
    WAITING,
    STACK,
    STORAGE,
) = range(2, len(FrontFactors._fields))


def front_factors(f: Any) -> FrontFactors:
    """Name the parts of a factorization, for callers in Python."""
    hints = get_type_hints(FrontFactors)
    parts = []
    for i, name in enumerate(FrontFactors._fields[2:], start=2):
        # the second argument of NDArray[...] is dtype[...]
        dtype = np.dtype(get_args(get_args(hints[name])[1])[0])
        parts.append(part_of(getattr(f, HOLDERS[dtype]), f.bounds, i))
    return FrontFactors(f.indptr, f.indices, *parts)


@shared
def blas_of(f: Any) -> Any:
    """What the routines of `_blas` need."""
    return (
        part_of(f.longs, f.bounds, ROUTINE_ADDRESSES),
        part_of(f.shorts, f.bounds, NUMBERS),
        part_of(f.shorts, f.bounds, ROUTINE_LETTERS),
        part_of(f.floats, f.bounds, ROUTINE_CONSTANTS),
    )
