"""Products with a sparse matrix, and solutions, for many vectors in one call."""

from __future__ import annotations

from .._jit import kernel, shared
from .factorization import solve


@kernel
def multiply(indptr, indices, data, vectors, found):
    """Products (k, n) of a matrix, compressed by columns, with vectors (k, n)."""
    for k in range(vectors.shape[0]):
        for i in range(found.shape[1]):
            found[k, i] = 0.0
        for j in range(vectors.shape[1]):
            x = vectors[k, j]
            if x == 0.0:
                continue
            for at in range(indptr[j], indptr[j + 1]):
                found[k, indices[at]] += data[at] * x


@shared
def solve_all(factorization, data, vectors, found):
    """Solutions (k, n) for right sides (k, n) with the factors of a matrix."""
    for k in range(vectors.shape[0]):
        solve(factorization, data, vectors[k], found[k])
