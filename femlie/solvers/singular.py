"""Which parts make a matrix singular, in words."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csc_matrix, diags
from scipy.sparse.linalg import splu

from ..assembly import Assembly
from ..elements.base import Array
from ..system import System
from .reports import describe_row

SHIFT = 1e-9
SWEEPS = 4
# rows whose share of the singular direction is at least this are named
NAMED_SHARE = 0.3
MOST_NAMES = 3


def singular_rows(matrix: csc_matrix) -> Array:
    """(n,) share of each row in the direction that the matrix maps to nearly nothing.

    Inverse iteration on the matrix with rows and columns of size one, shifted a little.

    Parameters
    ----------
    matrix : (n, n) sparse matrix

    Returns
    -------
    (n,) array
        Magnitudes; the largest is one.
    """
    n = matrix.shape[0]
    rows = abs(matrix).max(axis=1).toarray().ravel()
    left = 1.0 / np.where(rows > 0.0, rows, 1.0)
    scaled = diags(left) @ matrix
    columns = abs(scaled).max(axis=0).toarray().ravel()
    right = 1.0 / np.where(columns > 0.0, columns, 1.0)
    shifted = csc_matrix(scaled @ diags(right) + SHIFT * diags(np.ones(n)))
    try:
        factors = splu(shifted)
    except RuntimeError:
        return np.zeros(n)
    vector = 1.0 + np.sin(np.arange(n))
    for _ in range(SWEEPS):
        vector = factors.solve(vector)
        largest = np.abs(vector).max()
        if not (np.isfinite(largest) and largest > 0.0):
            return np.zeros(n)
        vector /= largest
    return np.abs(vector)


def culprits(system: System, matrix: csc_matrix) -> str:
    """Words for the constraints, else the places, that make a matrix singular.

    Empty if none stands out.
    """
    share = singular_rows(matrix)
    first = system.dofs.n_frame_rows
    constraints = share[first:]
    if constraints.max(initial=0.0) >= NAMED_SHARE:
        share = np.concatenate([np.zeros(first), constraints])
    order = np.argsort(-share, kind="stable")
    named = [row for row in order.tolist() if share[row] >= NAMED_SHARE]
    words = list(dict.fromkeys(describe_row(system, row) for row in named))
    more = "" if len(words) <= MOST_NAMES else ", ..."
    return ", ".join(words[:MOST_NAMES]) + more


def singular_reason(assembly: Assembly) -> str:
    """Why the matrix of masses and constraints that an assembly holds is singular."""
    where = culprits(assembly.system, assembly.matrix(assembly.target.data))
    by = f", by {where}" if where else ""
    return (
        f"mass and constraints give a singular matrix{by}. Look there for constraints "
        "that repeat or contradict each other, or for parts without mass."
    )
