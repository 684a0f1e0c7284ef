"""Solvers that compiled code cannot call: the loop returns for them and comes back.

A compiled loop that gets the answer ``OUTSIDE`` from `refactor` or `solve` returns to
its caller, who lets the solver `act` and enters the loop again. There everything up to
the same place is computed once more, which is little beside a large factorization.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from .._jit import kernel, part_of
from ._frozen_factors import FloatArray, Uint32Array, Uint64Array
from .factorization import (
    NEEDS_NEW_PIVOTS,
    OUTSIDE,
    SOLVED,
    VECTOR,
    Factorization,
    pack,
)
from .threads import one_thread

# what is to be done next, or has been done
(
    IDLE,
    WANTS_FACTORS,
    HAS_FACTORS,
    WANTS_SOLUTION,
    HAS_SOLUTION,
    HAS_FAILED,
) = range(6)
# parts of the factorization
PHASE, RHS, SOLUTION = 2, 3, 4


class OutsideParts(NamedTuple):
    """What is passed to and fro.

    Attributes
    ----------
    indptr, indices : (n + 1,), (n_entries,) arrays
    phase : (1,) int array
    rhs, solution : (n,) arrays
    """

    indptr: Uint64Array
    indices: Uint32Array
    phase: NDArray[np.int64]
    rhs: FloatArray
    solution: FloatArray


@kernel
def refactor_outside(factorization: Any, data: Any) -> None:  # noqa: ARG001
    """Ask for factors, unless they are there."""
    phase = part_of(factorization.integers, factorization.bounds, PHASE)
    if phase[0] == HAS_FAILED:
        phase[0] = IDLE
        factorization.status[0] = NEEDS_NEW_PIVOTS
    elif phase[0] == IDLE:
        phase[0] = WANTS_FACTORS
        factorization.status[0] = OUTSIDE
    else:
        factorization.status[0] = SOLVED


@kernel
def solve_outside(factorization: Any, data: Any, rhs: Any, solution: Any) -> None:  # noqa: ARG001
    """Ask for a solution, or hand it over: after that come other values."""
    phase = part_of(factorization.integers, factorization.bounds, PHASE)
    if phase[0] == HAS_SOLUTION:
        found = part_of(factorization.floats, factorization.bounds, SOLUTION)
        for i in range(found.size):
            solution[i] = found[i]
        phase[0] = IDLE
        factorization.status[0] = SOLVED
    else:
        given = part_of(factorization.floats, factorization.bounds, RHS)
        for i in range(given.size):
            given[i] = rhs[i]
        phase[0] = WANTS_SOLUTION
        factorization.status[0] = OUTSIDE


class Factors(Protocol):
    """A solver in Python."""

    name: str

    def factorize(self, data: FloatArray) -> bool:
        """Factorize values; False where they are not of the kind that it can."""
        ...

    def solve(self, data: FloatArray, rhs: FloatArray) -> FloatArray:
        """Solution for the values that were factorized last."""
        ...


class Outside:
    """A solver in Python behind the interface of the compiled ones.

    Parameters
    ----------
    indptr, indices : (n + 1,), (n_entries,) int arrays
        Pattern of the matrix, compressed by columns.
    factors : Factors
    """

    def __init__(
        self, indptr: NDArray[Any], indices: NDArray[Any], factors: Factors
    ) -> None:
        n = indptr.size - 1
        self.factors = factors
        self.factorization: Factorization = pack(
            OutsideParts(
                indptr=np.ascontiguousarray(indptr, dtype=np.uint64),
                indices=np.ascontiguousarray(indices, dtype=np.uint32),
                phase=np.zeros(1, dtype=np.int64),
                rhs=np.zeros(n),
                solution=np.zeros(n),
            ),
            [(refactor_outside, VECTOR), (solve_outside, 3 * VECTOR)],
        )

    def act(self, data: FloatArray) -> None:
        """Do what the last `refactor` or `solve` asked for."""
        f = self.factorization
        phase = part_of(f.integers, f.bounds, PHASE)
        if phase[0] == WANTS_FACTORS:
            with one_thread():
                is_done = self.factors.factorize(data)
            phase[0] = HAS_FACTORS if is_done else HAS_FAILED
        elif phase[0] == WANTS_SOLUTION:
            rhs = part_of(f.floats, f.bounds, RHS)
            with one_thread():
                solution = self.factors.solve(data, rhs)
            part_of(f.floats, f.bounds, SOLUTION)[:] = solution
            phase[0] = HAS_SOLUTION
