"""Linear complementarity: ``z >= 0``, ``A z + b >= 0``, one of each pair zero.

For symmetric matrices without negative eigenvalues, as contacts have. They may be
singular: contacts that say the same twice share their force.
"""

from __future__ import annotations

import numpy as np

from ..elements.base import Array
from . import _complementarity as kernels


def solve_complementarity(matrix: Array, vector: Array) -> Array | None:
    """Solution of ``0 <= A z + b``, ``z >= 0``, ``z . (A z + b) = 0``.

    Parameters
    ----------
    matrix : (n, n) array
        Symmetric without negative eigenvalues; may be singular.
    vector : (n,) array

    Returns
    -------
    (n,) array or None
        None where ``A z + b >= 0`` cannot be met, or rounding keeps it from being met.

    Notes
    -----
    Rows are scaled by the diagonal. Proximal iteration (Rockafellar 1976): each round
    adds a small shift to the diagonal, about the last solution, whose problem has one
    solution; rounds converge to one of the whole. Each is solved by changing sides of
    all wrong pairs at once, and one by one from the last on where that does not reduce
    their number, which ends always (Judice and Pires 1994).
    """
    n = vector.size
    if n == 1 and matrix[0, 0] > 0.0:
        return np.maximum(-vector / matrix[0], 0.0)
    diagonal = np.diag(matrix).copy()
    largest = diagonal.max(initial=0.0)
    if largest <= 0.0:
        return np.zeros(n) if np.all(vector >= 0.0) else None
    scale = 1.0 / np.sqrt(np.maximum(diagonal, 1e-14 * largest))
    a = scale[:, None] * matrix * scale
    b = scale * vector
    size = np.abs(b).max(initial=0.0)
    if size == 0.0:
        return np.zeros(n)
    b /= size
    z = np.zeros(n)
    work = np.empty((n, n + 2)), np.empty((2, n))
    if not kernels.solve_rounds(a, b, b < 0.0, *work, z):
        return None
    return np.asarray(z * scale * size)
