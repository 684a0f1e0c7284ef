"""Linear complementarity: ``z >= 0``, ``A z + b >= 0``, one of each pair zero.

For symmetric matrices without negative eigenvalues, as contacts have. They may be
singular: contacts that say the same twice share their force.
"""

from __future__ import annotations

import numpy as np

from ..elements.base import Array

# share of the diagonal that is added in each round, and taken out by the next ones
SHIFT = 1e-9
ROUNDS = 30
# block changes without a new least number of wrong signs, before single ones
PATIENCE = 10
# wrong signs below this are rounding, relative to the sizes that they come from
ROUNDING = 1e-13
# violation that is met, and change of forces that has settled
MET = 1e-12
# violation, over the largest one at the start, that says that it cannot be met
LEFT_OVER = 1e-7


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
    shifted = a + SHIFT * np.eye(n)
    is_free = b < 0.0
    for _ in range(ROUNDS):
        found, is_free = _pivot(shifted, b - SHIFT * z, is_free)
        change = np.abs(found - z).max()
        z = found
        left = a @ z + b
        allowed = MET * (1.0 + np.abs(a) @ z)
        is_met = np.all(left > -allowed) and np.all(
            np.abs(left[z > 0]) < allowed[z > 0]
        )
        if is_met or change <= MET * z.max(initial=0.0):
            break
    left = a @ z + b
    # what cannot be met lets forces grow from round to round
    if not np.all(left > -LEFT_OVER - ROUNDING * (np.abs(a) @ z)):
        return None
    return np.asarray(z * scale * size)


def _pivot(a: Array, b: Array, is_free: Array) -> tuple[Array, Array]:
    """Solution for a matrix with positive eigenvalues, from a guess of what is free."""
    n = b.size
    is_free = is_free.copy()
    fewest, patience = n + 1, PATIENCE
    for _ in range(20 * n + 50):
        z = np.zeros(n)
        if is_free.any():
            own = a[is_free][:, is_free]
            z[is_free] = np.linalg.solve(own, -b[is_free])
        left = a @ z + b
        rounding = ROUNDING * (np.abs(b) + np.abs(a) @ np.abs(z))
        wrong = np.where(is_free, z < 0.0, left < -rounding)
        count = int(wrong.sum())
        if count == 0:
            break
        if count < fewest:
            fewest, patience = count, PATIENCE
        if patience > 0:
            patience -= 1
            is_free = is_free != wrong
        else:
            last = int(np.flatnonzero(wrong)[-1])
            is_free[last] = not is_free[last]
    return np.maximum(z, 0.0), is_free
