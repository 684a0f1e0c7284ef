"""Sparse linear equations: analyze once, refactor and solve many times."""

from ._kernels import NEEDS_NEW_PIVOTS, SINGULAR, SOLVED, refactor, solve
from .analysis import analyze
from .factorization import Factorization
from .signs import inertia, null_vector

__all__ = [
    "NEEDS_NEW_PIVOTS",
    "SINGULAR",
    "SOLVED",
    "Factorization",
    "analyze",
    "inertia",
    "null_vector",
    "refactor",
    "solve",
]
