"""Solvers outside of the compiled loop: the protocol, and CHOLMOD where it exists."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest
from scipy.sparse import csc_matrix
from scipy.sparse.linalg import splu

import femlie as fl
from femlie.linear import (
    NEEDS_NEW_PIVOTS,
    OUTSIDE,
    SOLVED,
    Outside,
    analysis,
    cholmod,
    refactor,
    solve,
)
from femlie.solvers import static_run
from tests.unit.linear.sample_matrices import lattice
from tests.validation.models import line, push, rod, section

needs_cholmod = pytest.mark.skipif(
    importlib.util.find_spec("sksparse") is None, reason="scikit-sparse is missing"
)
PLAIN = section(1e4, 1e4, 1.0, 1.0)


class SuperLU:
    """What CHOLMOD does, by SuperLU; refuses after so many factorizations."""

    name = "SuperLU"

    def __init__(self, indptr, indices, *, n_allowed=1000):
        self.pattern = (indices, indptr)
        self.n_allowed = n_allowed
        self.n_done = 0

    def factorize(self, data):
        self.n_done += 1
        self.factors = splu(csc_matrix((data, *self.pattern)))
        return self.n_done <= self.n_allowed

    def solve(self, data, rhs):  # noqa: ARG002
        return self.factors.solve(rhs)


def test_questions_and_answers_follow_each_other():
    matrix = lattice((3, 2, 1), rng=np.random.default_rng(0))
    factors = SuperLU(matrix.indptr, matrix.indices)
    outside = Outside(matrix.indptr, matrix.indices, factors)
    exact = np.random.default_rng(1).normal(size=matrix.shape[0])
    for _ in range(2):
        solution = np.zeros(exact.size)
        rhs = matrix @ exact
        assert refactor(outside.factorization, matrix.data) == OUTSIDE
        outside.act(matrix.data)
        assert refactor(outside.factorization, matrix.data) == SOLVED
        assert solve(outside.factorization, matrix.data, rhs, solution) == OUTSIDE
        outside.act(matrix.data)
        assert refactor(outside.factorization, matrix.data) == SOLVED
        assert solve(outside.factorization, matrix.data, rhs, solution) == SOLVED
        assert solution == pytest.approx(exact, abs=1e-9)


def test_factors_that_fail_ask_for_another_solver():
    matrix = lattice((3, 2, 1), rng=np.random.default_rng(0))
    factors = SuperLU(matrix.indptr, matrix.indices, n_allowed=0)
    outside = Outside(matrix.indptr, matrix.indices, factors)
    assert refactor(outside.factorization, matrix.data) == OUTSIDE
    outside.act(matrix.data)
    assert refactor(outside.factorization, matrix.data) == NEEDS_NEW_PIVOTS


@pytest.mark.parametrize("n_allowed", [1000, 3])
def test_static_analysis_is_the_same_with_a_solver_outside(monkeypatch, n_allowed):
    model = rod(line((0, 0, 0), (1, 0, 0), 8), PLAIN)
    model.add(fl.Support("wall", at="root"))
    push(model, at="tip", force=(0.0, 0.0, 3.0))
    inside = fl.Static().solve(model.build(), load_steps=2)
    made = []

    def outside_of(assembly):
        factors = SuperLU(assembly.indptr, assembly.indices, n_allowed=n_allowed)
        made.append(factors)
        return Outside(assembly.indptr, assembly.indices, factors)

    monkeypatch.setattr(static_run, "cholmod_of", outside_of)
    found = fl.Static().solve(model.build(), load_steps=2)
    assert found.positions("tip") == pytest.approx(inside.positions("tip"), abs=1e-10)
    assert found.summary["iterations"] == inside.summary["iterations"]
    assert made[0].n_done > 1
    expected = "SuperLU" if n_allowed > 3 else "frozen-pivot sparse LU"
    assert found.summary["linear_solver"] == expected


@needs_cholmod
def test_cholmod_solves_what_is_nearly_symmetric_exactly(monkeypatch):
    monkeypatch.setattr(analysis, "FEW_LOOPS", -np.inf)
    monkeypatch.setattr(analysis, "LEAST_FLOPS", 0.0)
    rng = np.random.default_rng(2)
    matrix = lattice((4, 3, 2), rng=rng)
    matrix.data += 1e-5 * matrix.diagonal().min() * rng.normal(size=matrix.nnz)
    outside = cholmod.cholmod_for(matrix)
    exact = rng.normal(size=matrix.shape[0])
    assert outside.factors.factorize(matrix.data)
    found = outside.factors.solve(matrix.data, matrix @ exact)
    assert found == pytest.approx(exact, abs=1e-8)
    columns = np.repeat(np.arange(exact.size), np.diff(matrix.indptr))
    data = matrix.data - 2.0 * matrix.data * (columns == matrix.indices)
    assert not outside.factors.factorize(data)


@needs_cholmod
def test_static_analysis_is_the_same_with_cholmod(monkeypatch):
    monkeypatch.setattr(analysis, "FEW_LOOPS", -np.inf)
    monkeypatch.setattr(analysis, "LEAST_FLOPS", 0.0)
    model = rod(line((0, 0, 0), (1, 0, 0), 8), PLAIN)
    model.add(fl.Support("wall", at="root"))
    push(model, at="tip", force=(0.0, 0.0, 3.0))
    found = fl.Static().solve(model.build())
    monkeypatch.setattr(cholmod, "is_installed", lambda: False)
    without = fl.Static().solve(model.build())
    assert found.summary["linear_solver"] == "CHOLMOD"
    assert without.summary["linear_solver"] == "multifrontal LDL^T"
    assert found.positions("tip") == pytest.approx(without.positions("tip"), abs=1e-9)
