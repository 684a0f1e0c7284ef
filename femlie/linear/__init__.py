"""Sparse linear equations: analyze once, refactor and solve many times."""

from ._kernels import NEEDS_NEW_PIVOTS, SINGULAR, SOLVED, refactor, solve
from .factorization import Factorization, analyze

__all__ = [
    "NEEDS_NEW_PIVOTS",
    "SINGULAR",
    "SOLVED",
    "Factorization",
    "analyze",
    "refactor",
    "solve",
]
