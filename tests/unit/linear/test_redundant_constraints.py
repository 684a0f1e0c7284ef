"""Constraint rows that depend on others: exact motion, multipliers of least norm."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csc_matrix, vstack

from femlie.linear import SINGULAR, SOLVED, analyze, refactor, solve
from femlie.linear._frozen_factors import frozen_factors
from tests.unit.linear.sample_matrices import (
    bodies,
    cantilever,
    joint_rows,
    saddle_point,
)


def solved(stiffness, rows, rhs, **options):
    matrix = saddle_point(stiffness, rows)
    factorization = analyze(
        matrix.indptr,
        matrix.indices,
        matrix.data,
        n_multipliers=rows.shape[0],
        is_redundant=True,
        **options,
    )
    assert refactor(factorization, matrix.data) == SOLVED
    solution = np.empty(rhs.size)
    solve(factorization, matrix.data, rhs, solution)
    return solution, -frozen_factors(factorization).regularization


def least_norm(stiffness, rows, rhs, weights):
    """Displacements and multipliers of least ``sum weights lambda^2``, dense."""
    n = stiffness.shape[0]
    matrix = saddle_point(stiffness, rows).toarray()
    factors = np.concatenate([np.ones(n), 1.0 / np.sqrt(weights / weights.max())])
    solution = np.linalg.lstsq(matrix * factors, rhs, rcond=1e-12)[0]
    return factors * solution


def dependent_rows(kind, rng):
    if kind == "bodies":
        stiffness = bodies(8, rng=rng)
        rows = joint_rows(8, [(i - 1, i) for i in range(8)], n_rows=3, rng=rng)
    else:
        stiffness = cantilever(7, rng=rng)
        rows = joint_rows(7, [(2, 4), (-1, 6)], n_rows=2, rng=rng)
    return stiffness, rows


@pytest.mark.parametrize("kind", ["bodies", "cantilever"])
def test_copies_of_a_row_share_its_multiplier_equally(kind):
    rng = np.random.default_rng(0)
    stiffness, rows = dependent_rows(kind, rng)
    copies = csc_matrix(vstack([rows, rows[:2], rows[:1]]))
    n, m = stiffness.shape[0], rows.shape[0]
    force, gap = rng.normal(size=n), rows @ rng.normal(size=n)
    rhs = np.concatenate([force, gap, gap[:2], gap[:1]])
    solution, _ = solved(stiffness, copies, rhs)
    single = np.linalg.solve(
        saddle_point(stiffness, rows).toarray(), np.concatenate([force, gap])
    )
    scale = np.abs(single[n:]).max()
    assert np.abs(solution[:n] - single[:n]).max() <= 1e-10 * np.abs(single[:n]).max()
    for copy in (n, n + m, n + m + 2):
        assert abs(solution[copy] - single[n] / 3.0) <= 1e-8 * scale
    for copy in (n + 1, n + m + 1):
        assert abs(solution[copy] - single[n + 1] / 2.0) <= 1e-8 * scale


@pytest.mark.parametrize("kind", ["bodies", "cantilever"])
def test_dependent_triple_has_multipliers_of_least_norm(kind):
    rng = np.random.default_rng(1)
    stiffness, rows = dependent_rows(kind, rng)
    triple = csc_matrix(vstack([rows, 2.0 * rows[0] - rows[1]]))
    n = stiffness.shape[0]
    rhs = np.concatenate([rng.normal(size=n), triple @ rng.normal(size=n)])
    solution, weights = solved(stiffness, triple, rhs)
    expected = least_norm(stiffness, triple, rhs, weights)
    error = np.abs(solution - expected)
    assert error[:n].max() <= 1e-10 * np.abs(expected[:n]).max()
    assert error[n:].max() <= 1e-8 * np.abs(expected[n:]).max()


def test_equal_weights_give_the_plain_least_norm():
    """Three rods in a plane at 120 degrees hold a point of equal stiffness."""
    angles = np.deg2rad([90.0, 210.0, 330.0])
    rows = csc_matrix(np.stack([np.cos(angles), np.sin(angles)], axis=1))
    stiffness = csc_matrix(5.0 * np.eye(2))
    rhs = np.array([0.0, 3.0, 0.0, 0.0, 0.0])
    solution, weights = solved(stiffness, rows, rhs)
    assert weights == pytest.approx(np.full(3, weights[0]), rel=1e-12)
    assert solution[2:] == pytest.approx([2.0, -1.0, -1.0], abs=1e-8)
    assert np.abs(solution[:2]).max() < 1e-10


def test_units_do_not_change_what_redundancy_means():
    """Forces in millinewton, lengths of the constraints in kilometers."""
    rng = np.random.default_rng(2)
    stiffness, rows = dependent_rows("bodies", rng)
    triple = csc_matrix(vstack([rows, rows[0] - rows[1]]))
    n = stiffness.shape[0]
    force, gap = rng.normal(size=n), triple @ rng.normal(size=n)
    plain, _ = solved(stiffness, triple, np.concatenate([force, gap]))
    other, _ = solved(
        1e3 * stiffness, 1e-3 * triple, np.concatenate([1e3 * force, 1e-3 * gap])
    )
    assert other[:n] == pytest.approx(plain[:n], rel=1e-10, abs=1e-12)
    assert 1e-6 * other[n:] == pytest.approx(plain[n:], rel=1e-7, abs=1e-9)


def test_redundant_rows_without_regularization_are_reported():
    rng = np.random.default_rng(3)
    stiffness, rows = dependent_rows("bodies", rng)
    matrix = saddle_point(stiffness, csc_matrix(vstack([rows, rows[:1]])))
    factorization = analyze(
        matrix.indptr, matrix.indices, matrix.data, n_multipliers=rows.shape[0] + 1
    )
    assert refactor(factorization, matrix.data) == SINGULAR


def test_mechanism_with_redundant_rows_is_still_singular():
    rng = np.random.default_rng(4)
    stiffness = cantilever(6, rng=rng, clamped=())
    rows = np.zeros((4, stiffness.shape[0]))
    rows[:3, :3] = np.eye(3)
    rows[3, :3] = 1.0
    matrix = saddle_point(stiffness, csc_matrix(rows))
    factorization = analyze(
        matrix.indptr, matrix.indices, matrix.data, n_multipliers=4, is_redundant=True
    )
    assert refactor(factorization, matrix.data) == SINGULAR


def test_independent_rows_lose_nothing_by_being_called_redundant():
    rng = np.random.default_rng(5)
    stiffness, rows = dependent_rows("bodies", rng)
    rhs = rng.normal(size=sum(rows.shape))
    solution, _ = solved(stiffness, rows, rhs)
    expected = np.linalg.solve(saddle_point(stiffness, rows).toarray(), rhs)
    assert np.abs(solution - expected).max() <= 1e-11 * np.abs(expected).max()
