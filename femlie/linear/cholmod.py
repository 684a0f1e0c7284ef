"""CHOLMOD for large symmetric positive definite tangents, where it is installed."""

from __future__ import annotations

import functools
import importlib.util
from typing import Any

import numpy as np
from scipy.sparse import csc_matrix
from scipy.sparse.linalg import LinearOperator, gmres

from ._frozen_factors import FloatArray
from .analysis import (
    ALLOWED_ASYMMETRY,
    NO_FRAMES,
    Frames,
    large_tree,
    looks_woven,
    symmetric_part,
)
from .ordering import equilibrate
from .outside import Outside

# Relative residual of a solution in equilibrated rows, and iterations for it.
TOLERANCE = 1e-13
MOST_ITERATIONS = 20


@functools.cache
def is_installed() -> bool:
    """Whether scikit-sparse can be imported (``pip install femlie[suitesparse]``)."""
    return importlib.util.find_spec("sksparse") is not None


def cholmod_for(matrix: csc_matrix, frames: Frames = NO_FRAMES) -> Outside | None:
    """CHOLMOD for a matrix, or None where it is absent or another solver better.

    Parameters
    ----------
    matrix : (n, n) sparse matrix
        Typical values; sorted, no duplicates.
    frames : Frames
        What is known about the unknowns.

    Returns
    -------
    Outside or None
        None for small matrices, negative diagonals and such that are far from
        symmetric.
    """
    is_large = looks_woven(matrix.shape[0], matrix.nnz)
    if not is_large or not is_installed() or not np.all(matrix.diagonal() > 0.0):
        return None
    if large_tree(matrix, n_multipliers=0, frames=frames) is None:
        return None
    factors = Cholmod(matrix)
    if factors.asymmetry(matrix.data) > ALLOWED_ASYMMETRY:
        return None
    return Outside(matrix.indptr, matrix.indices, factors)


class Cholmod:
    """Supernodal Cholesky factors of the symmetric part of a matrix.

    What is not symmetric in the matrix, a Krylov iteration makes up for.

    References
    ----------
    Chen, Davis, Hager and Rajamanickam 2008.
    """

    name = "CHOLMOD"

    def __init__(self, matrix: csc_matrix) -> None:
        from sksparse import cholmod

        self._error = cholmod.CholmodNotPositiveDefiniteError
        part = symmetric_part(matrix)
        self._scale = equilibrate(part)[0]
        self._columns = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
        self._pattern = matrix
        self._data = np.zeros(0)
        self._factor: Any = cholmod.analyze(self._scaled(part.data), mode="supernodal")

    def asymmetry(self, data: FloatArray) -> float:
        """Largest distance of an equilibrated entry from the symmetric part."""
        scaled = self._scaled(data)
        return float(np.abs(scaled.data - symmetric_part(scaled).data).max())

    def factorize(self, data: FloatArray) -> bool:
        """Factorize; False where the symmetric part is not positive definite."""
        self._data = data.copy()
        try:
            self._factor.cholesky_inplace(symmetric_part(self._scaled(data)))
        except self._error:
            return False
        return True

    def solve(self, data: FloatArray, rhs: FloatArray) -> FloatArray:
        """Solution of the whole matrix."""
        if not np.array_equal(data, self._data):
            self.factorize(data)
        matrix = self._scaled(data)
        scaled = rhs * self._scale
        inverse = LinearOperator(matrix.shape, matvec=self._factor, dtype=np.float64)
        found, _ = gmres(
            matrix,
            scaled,
            x0=self._factor(scaled),
            M=inverse,
            rtol=TOLERANCE,
            restart=MOST_ITERATIONS,
            maxiter=1,
        )
        solution: FloatArray = found * self._scale
        return solution

    def _scaled(self, data: FloatArray) -> csc_matrix:
        indices, indptr = self._pattern.indices, self._pattern.indptr
        factors = self._scale[indices] * self._scale[self._columns]
        return csc_matrix(
            (np.nan_to_num(data) * factors, indices, indptr), shape=self._pattern.shape
        )
