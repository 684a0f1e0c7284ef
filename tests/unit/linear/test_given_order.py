"""Frozen pivots in an order that the caller knows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.sparse import csc_matrix

from femlie.linear import SOLVED, analyze_in_order, refactor, solve


def solved(
    matrix: Any, rhs: Any, *, positions: Any, regularization: Any = None
) -> tuple[Any, int]:
    """Solution, and the outcome of the factorization."""
    sparse = csc_matrix(matrix)
    sparse.sort_indices()
    n = len(matrix)
    scales = np.ones(n)
    factorization = analyze_in_order(
        sparse.indptr,
        sparse.indices,
        sparse.data,
        positions=positions,
        scales=(scales, scales),
        regularization=np.zeros(0) if regularization is None else regularization,
    )
    outcome = refactor(factorization, sparse.data)
    solution = np.zeros(n)
    solve(factorization, sparse.data, rhs, solution)
    return solution, outcome


@pytest.mark.parametrize("seed", range(3))
def test_solution_does_not_depend_on_the_order(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = 12
    matrix = rng.normal(size=(n, n)) + 12.0 * np.eye(n)
    rhs = rng.normal(size=n)
    for positions in (np.arange(n), rng.permutation(n)):
        solution, outcome = solved(matrix, rhs, positions=positions)
        assert outcome == SOLVED
        np.testing.assert_allclose(matrix @ solution, rhs, rtol=0, atol=1e-12)


def test_order_with_zero_pivots_is_replaced_by_a_sound_one() -> None:
    matrix = np.array([[0.0, 2.0, 0.0], [2.0, 0.0, 1.0], [0.0, 1.0, 3.0]])
    rhs = np.array([1.0, 2.0, 3.0])
    for positions in (np.array([0, 1, 2]), np.array([2, 1, 0])):
        solution, outcome = solved(matrix, rhs, positions=positions)
        assert outcome == SOLVED
        np.testing.assert_allclose(matrix @ solution, rhs, rtol=0, atol=1e-13)


def test_rows_that_repeat_have_multipliers_of_least_norm() -> None:
    # one unknown held twice: both multipliers carry half
    matrix = np.array([[4.0, 1.0, 1.0], [1.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
    rhs = np.array([2.0, 0.5, 0.5])
    solution, outcome = solved(
        matrix, rhs, positions=np.arange(3), regularization=np.full(2, -1e-6)
    )
    assert outcome == SOLVED
    np.testing.assert_allclose(solution, [0.5, 0.0, 0.0], rtol=0, atol=1e-12)
    rhs = np.array([3.0, 0.5, 0.5])
    solution, _ = solved(
        matrix, rhs, positions=np.arange(3), regularization=np.full(2, -1e-6)
    )
    np.testing.assert_allclose(solution, [0.5, 0.5, 0.5], rtol=0, atol=1e-9)
