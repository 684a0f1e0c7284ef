"""A matrix of a step with contacts, and its factors."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from .._jit import IS_COMPILED, compiled
from ..assembly import Assembly
from ..elements.base import Array
from ..linear import SOLVED, Factorization, calm, refactor
from ..linear._columns import multiply, solve_all
from .factors import analyze_assembly


class UnsolvedError(Exception):
    """Contacts have no solution here; the message says of which kind."""


@dataclass
class Matrix:
    """A matrix of the assembly with factors whose pivots are kept."""

    assembly: Assembly
    factorization: Factorization | None = None
    data: Array = field(default_factory=lambda: np.zeros(0))

    def take(self) -> None:
        """Factors of what the target of the assembly holds now."""
        self.data = self.assembly.target.data[:-1].copy()
        for _ in range(2):
            if self.factorization is None:
                self.factorization = analyze_assembly(
                    self.assembly, self.data, n_sweeps=1
                )
            with calm(self.factorization):
                if refactor(self.factorization, self.data) == SOLVED:
                    return
            self.factorization = None
        raise UnsolvedError("the matrix of the contacts is singular")

    def solve(self, right: Array) -> Array:
        """Solution for one right side (n_rows,), or for many as rows."""
        assert self.factorization is not None
        vectors = np.ascontiguousarray(right).reshape(-1, right.shape[-1])
        found = np.zeros_like(vectors)
        run = compiled(solve_all) if IS_COMPILED else solve_all
        with calm(self.factorization):
            run(self.factorization, self.data, vectors, found)
        return found.reshape(right.shape)

    def times(self, right: Array) -> Array:
        """Product with one vector (n_rows,), or with many as rows."""
        return product(self.assembly, self.data, right)


def product(assembly: Assembly, data: Array, right: Array) -> Array:
    """Product of a matrix of the assembly with one vector, or with many as rows."""
    vectors = np.ascontiguousarray(right).reshape(-1, right.shape[-1])
    found = np.empty_like(vectors)
    multiply(assembly.indptr, assembly.indices, data, vectors, found)
    return found.reshape(right.shape)
