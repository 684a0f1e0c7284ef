"""The multifrontal factorization against SuperLU and dense solutions."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csc_matrix, vstack

from femlie._jit import IS_COMPILED
from femlie.linear import (
    NEEDS_NEW_PIVOTS,
    SINGULAR,
    SOLVED,
    Frames,
    analysis,
    analyze,
    describe,
    fronts,
    inertia,
    is_symmetric_and_unsound,
    null_vector,
    refactor,
    solve,
)
from femlie.linear._front_factors import (
    CHOLESKY,
    LAST_ITERATIONS,
    N_FACTORIZED,
    N_NEGATIVE,
    SYMMETRIC,
    front_factors,
)
from femlie.linear.analysis import analyze_fronts
from femlie.linear.dissection import dissection
from tests.oracles.sparse_solution import solve_reference
from tests.unit.linear.sample_matrices import (
    bodies,
    cantilever,
    chain,
    joined_lattice,
    joint_rows,
    lattice,
    random_matrix,
    saddle_point,
    scaled,
)

SIZE = 8 if IS_COMPILED else 2


def parts(matrix):
    return matrix.indptr, matrix.indices, matrix.data


def factorized(matrix, n_multipliers=0, *, may_be_symmetric=True, leaf_weight=30):
    tree = dissection(matrix, n_multipliers=n_multipliers, leaf_weight=leaf_weight)
    return analyze_fronts(
        matrix,
        tree,
        n_multipliers=n_multipliers,
        frames=Frames(may_be_symmetric=may_be_symmetric),
    )


def solution_of(factorization, matrix, rhs):
    solution = np.full(rhs.size, np.nan)
    solve(factorization, matrix.data, rhs, solution)
    return solution


def samples(rng):
    return {
        "random": (random_matrix(12 * SIZE, rng=rng), 0),
        "cantilever": (cantilever(6 * SIZE, rng=rng), 0),
        "grid": (lattice((SIZE, SIZE, 1), rng=rng), 0),
        "block": (lattice((3, max(SIZE // 2, 2), 3), rng=rng), 0),
        "chain of 3 rows": chain(4 * SIZE, rng=rng),
        "chain of 5 rows": chain(4 * SIZE, rng=rng, n_rows=5),
        "joined lattice": joined_lattice(max(SIZE // 2, 3), rng=rng),
        "one row": (csc_matrix(np.array([[3.0]])), 0),
    }


NAMES = list(samples(np.random.default_rng(0)))
both = pytest.mark.parametrize("may_be_symmetric", [True, False])


@both
@pytest.mark.parametrize("name", NAMES)
def test_solution_agrees_with_partial_pivoting(name, may_be_symmetric):
    rng = np.random.default_rng(2)
    matrix, n_multipliers = samples(rng)[name]
    exact = rng.normal(size=matrix.shape[0])
    rhs = matrix @ exact
    found = factorized(matrix, n_multipliers, may_be_symmetric=may_be_symmetric)
    assert refactor(found, matrix.data) == SOLVED
    error = np.abs(solution_of(found, matrix, rhs) - exact).max()
    reference = np.abs(solve_reference(*parts(matrix), rhs) - exact).max()
    assert error <= 100.0 * reference + 1e-12


@both
@pytest.mark.parametrize("name", ["grid", "chain of 5 rows"])
def test_units_of_equations_and_unknowns_do_not_matter(name, may_be_symmetric):
    rng = np.random.default_rng(3)
    matrix, n_multipliers = samples(rng)[name]
    units = 10.0 ** rng.uniform(-12, 12, size=matrix.shape[0])
    other = scaled(matrix, units, units)
    exact = rng.normal(size=matrix.shape[0])
    rhs = matrix @ exact
    found = factorized(other, n_multipliers, may_be_symmetric=may_be_symmetric)
    assert refactor(found, other.data) == SOLVED
    turned = solution_of(found, other, units * rhs) * units
    reference = np.abs(solve_reference(*parts(matrix), rhs) - exact).max()
    assert np.abs(turned - exact).max() <= 1e3 * reference + 1e-12


def test_stiff_frames_need_no_exchanges_and_constraints_do():
    rng = np.random.default_rng(4)
    for name, kind in (("grid", CHOLESKY), ("chain of 5 rows", SYMMETRIC)):
        matrix, n_multipliers = samples(rng)[name]
        found = factorized(matrix, n_multipliers)
        refactor(found, matrix.data)
        factors = front_factors(found)
        assert np.all(factors.kinds == kind)
        # each constraint has one negative eigenvalue (Sylvester)
        assert factors.state[N_NEGATIVE] == n_multipliers


@both
def test_two_factorizations_agree_to_the_last_bit(may_be_symmetric):
    matrix, n_multipliers = joined_lattice(SIZE, rng=np.random.default_rng(5))
    rhs = np.random.default_rng(6).normal(size=matrix.shape[0])
    found = []
    for _ in range(2):
        factors = factorized(matrix, n_multipliers, may_be_symmetric=may_be_symmetric)
        for _ in range(2):
            refactor(factors, matrix.data)
            found.append(solution_of(factors, matrix, rhs))
    assert all(np.array_equal(found[0], other) for other in found[1:])


@both
def test_free_motions_make_the_matrix_singular(may_be_symmetric):
    matrix = cantilever(3 * SIZE, rng=np.random.default_rng(7), clamped=())
    found = factorized(matrix, may_be_symmetric=may_be_symmetric)
    assert refactor(found, matrix.data) == SINGULAR


def test_long_cantilever_is_no_singular_matrix():
    matrix = cantilever(60 * SIZE, rng=np.random.default_rng(8))
    found = factorized(matrix)
    assert refactor(found, matrix.data) == SOLVED


def test_values_that_are_far_from_symmetric_ask_for_a_new_analysis_which_then_solves():
    rng = np.random.default_rng(9)
    matrix = lattice((4, 3, 2), rng=rng)
    found = factorized(matrix)
    assert refactor(found, matrix.data) == SOLVED
    columns = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    # symmetric part near zero, as the next analysis cannot know from it alone
    data = matrix.data * np.where(matrix.indices > columns, 1.0, -1.0)
    data[matrix.indices == columns] = 1e-3 * np.abs(data).max()
    other = csc_matrix((data, matrix.indices, matrix.indptr))
    rhs = rng.normal(size=matrix.shape[0])
    assert refactor(found, data) == SOLVED
    solution_of(found, other, rhs)
    assert refactor(found, data) == NEEDS_NEW_PIVOTS
    assert is_symmetric_and_unsound(found)
    again = factorized(other, may_be_symmetric=False)
    assert refactor(again, data) == SOLVED
    residual = other @ solution_of(again, other, rhs) - rhs
    assert np.abs(residual).max() < 1e-9 * np.abs(rhs).max()


def test_slightly_unsymmetric_values_are_solved_exactly_with_symmetric_factors():
    rng = np.random.default_rng(10)
    matrix = lattice((4, 3, 2), rng=rng)
    size = 1e-4 * np.abs(matrix.diagonal()).min()
    data = matrix.data + size * rng.normal(size=matrix.nnz)
    other = csc_matrix((data, matrix.indices, matrix.indptr))
    found = factorized(other)
    assert refactor(found, data) == SOLVED
    assert describe(found) == "multifrontal LDL^T"
    exact = rng.normal(size=matrix.shape[0])
    error = solution_of(found, other, other @ exact) - exact
    assert np.abs(error).max() < 1e-9


def test_old_factors_serve_new_values_until_they_are_too_far(monkeypatch):
    monkeypatch.setattr(fronts, "FLOPS_PER_ENTRY", 1e-2)
    rng = np.random.default_rng(11)
    matrix = lattice((4, 3, 2), rng=rng)
    found = factorized(matrix)
    state = front_factors(found).state
    exact = rng.normal(size=matrix.shape[0])
    for change, n_factorized in ((0.0, 1), (1e-6, 1), (1e3, 2)):
        size = change * matrix.diagonal().min()
        added = size * rng.uniform(size=exact.size)
        data = matrix.data.copy()
        columns = np.repeat(np.arange(exact.size), np.diff(matrix.indptr))
        data[matrix.indices == columns] += added
        other = csc_matrix((data, matrix.indices, matrix.indptr))
        assert refactor(found, data) == SOLVED
        solution = solution_of(found, other, other @ exact)
        assert np.abs(solution - exact).max() < 1e-7
        assert state[N_FACTORIZED] == n_factorized
        assert state[LAST_ITERATIONS] >= 1


@both
def test_body_without_stiffness_is_held_by_its_joints(may_be_symmetric):
    rng = np.random.default_rng(12)
    rows = joint_rows(2, [(-1, 0), (0, 1)], n_rows=6, rng=rng)
    matrix = saddle_point(csc_matrix((12, 12)), rows)
    exact = rng.normal(size=24)
    found = factorized(matrix, 12, may_be_symmetric=may_be_symmetric)
    assert refactor(found, matrix.data) == SOLVED
    assert solution_of(found, matrix, matrix @ exact) == pytest.approx(exact, abs=1e-9)


@both
def test_multipliers_of_redundant_rows_have_the_least_norm(may_be_symmetric):
    rng = np.random.default_rng(13)
    stiffness = bodies(8, rng=rng)
    rows = joint_rows(8, [(i - 1, i) for i in range(8)], n_rows=3, rng=rng)
    copies = csc_matrix(vstack([rows, rows[:2], rows[:1]]))
    n, m = stiffness.shape[0], rows.shape[0]
    matrix = saddle_point(stiffness, copies)
    gap = rows @ rng.normal(size=n)
    rhs = np.concatenate([rng.normal(size=n), gap, gap[:2], gap[:1]])
    found = factorized(matrix, m + 3, may_be_symmetric=may_be_symmetric)
    assert refactor(found, matrix.data) == SOLVED
    solution = solution_of(found, matrix, rhs)
    assert np.abs(matrix @ solution - rhs).max() < 1e-10
    multipliers = solution[n:]
    # equal rows share: three copies of the first, two of the second
    assert multipliers[[m, m + 2]] == pytest.approx([multipliers[0]] * 2, rel=1e-7)
    assert multipliers[m + 1] == pytest.approx(multipliers[1], rel=1e-7)
    plain = solve_reference(*parts(saddle_point(stiffness, rows)), rhs[: n + m])
    total = multipliers[:m].copy()
    total[:2] += multipliers[m : m + 2]
    total[0] += multipliers[m + 2]
    assert total == pytest.approx(plain[n:], rel=1e-8, abs=1e-8)


@pytest.fixture
def fronts_for_all(monkeypatch):
    """The multifrontal solver for every matrix."""
    monkeypatch.setattr(analysis, "FEW_LOOPS", -np.inf)
    monkeypatch.setattr(analysis, "LEAST_FLOPS", 0.0)


def test_choice_is_by_predicted_work():
    rng = np.random.default_rng(14)
    small = cantilever(6 * SIZE, rng=rng)
    assert describe(analyze(*parts(small), n_multipliers=0)) == "frozen-pivot sparse LU"
    grid = lattice((40, 40, 1), rng=rng)
    tree = dissection(grid, n_multipliers=0) if IS_COMPILED else None
    assert tree is None or tree.n_flops(is_symmetric=False) < analysis.LEAST_FLOPS


@pytest.mark.skipif(not IS_COMPILED, reason="hopeless without compilation")
def test_large_grid_gets_fronts():
    grid = lattice((60, 60, 1), rng=np.random.default_rng(15))
    assert describe(analyze(*parts(grid), n_multipliers=0)) == "multifrontal LDL^T"


def symmetrized(matrix):
    result = csc_matrix(0.5 * (matrix + matrix.T))
    result.sort_indices()
    return result


@pytest.mark.usefixtures("fronts_for_all")
@pytest.mark.parametrize("seed", range(4))
def test_signs_of_unstable_bodies_are_those_of_the_dense_matrix(seed):
    rng = np.random.default_rng(seed)
    n = 6
    stiffness = bodies(n, rng=rng) + 0.5 * symmetrized(random_matrix(6 * n, rng=rng))
    rows = joint_rows(n, [(i - 1, i) for i in range(n)], n_rows=3, rng=rng)
    matrix = symmetrized(saddle_point(stiffness, rows))
    found = inertia(*parts(matrix), n_multipliers=rows.shape[0])
    values = np.linalg.eigvalsh(matrix.toarray())
    assert found == (np.count_nonzero(values < 0.0), 0)


@pytest.mark.usefixtures("fronts_for_all")
def test_beam_without_supports_has_six_zeros_and_a_pin_leaves_three():
    stiffness = cantilever(2 * SIZE, rng=np.random.default_rng(16), clamped=())
    assert inertia(*parts(stiffness), n_multipliers=0) == (0, 6)
    rows = np.zeros((3, stiffness.shape[0]))
    rows[:, :3] = np.eye(3)
    pinned = saddle_point(stiffness, csc_matrix(rows))
    assert inertia(*parts(pinned), n_multipliers=3) == (3, 3)
    vector = null_vector(*parts(pinned), n_multipliers=3)
    size = abs(pinned) @ np.abs(vector)
    assert np.abs(pinned @ vector).max() <= 1e-9 * size.max()
