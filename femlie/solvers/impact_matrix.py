"""A matrix of a step with contacts, and its factors."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..assembly import Assembly
from ..elements.base import Array
from ..linear import SOLVED, Factorization, calm, refactor, solve
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

    def solve(self, rhs: Array) -> Array:
        """Solution for one right side, or for many as columns."""
        assert self.factorization is not None
        columns = rhs.reshape(rhs.shape[0], -1)
        found = np.zeros((columns.shape[1], rhs.shape[0]))
        with calm(self.factorization):
            for k, row in enumerate(found):
                one = np.ascontiguousarray(columns[:, k])
                solve(self.factorization, self.data, one, row)
        return found.T.reshape(rhs.shape)
