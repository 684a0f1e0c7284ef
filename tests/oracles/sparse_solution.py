"""Plain solution of sparse linear equations, to compare with."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_matrix
from scipy.sparse.linalg import splu


def solve_reference(
    indptr: NDArray[Any],
    indices: NDArray[Any],
    data: NDArray[np.float64],
    rhs: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Solve ``A x = rhs`` with SuperLU and its own partial pivoting.

    Parameters
    ----------
    indptr, indices, data : (n + 1,), (n_entries,), (n_entries,) arrays
        Matrix, compressed by columns.
    rhs : (n,) array
        Right-hand side.

    Returns
    -------
    (n,) array
        Solution.

    Raises
    ------
    RuntimeError
        If the matrix is exactly singular.
    """
    n = indptr.size - 1
    solution: NDArray[np.float64] = splu(
        csc_matrix((data, indices, indptr), shape=(n, n))
    ).solve(rhs)
    return solution
