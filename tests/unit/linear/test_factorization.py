"""The factorization against SuperLU and exact solutions, and where it must fail."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csc_matrix

from femlie._jit import IS_COMPILED
from femlie.linear import (
    NEEDS_NEW_PIVOTS,
    SINGULAR,
    SOLVED,
    Frames,
    analyze,
    refactor,
    solve,
)
from femlie.linear import frozen as layout
from femlie.linear._frozen_factors import frozen_factors
from tests.oracles.sparse_solution import solve_reference
from tests.unit.linear.sample_matrices import (
    bodies,
    cantilever,
    chain,
    frame_stiffness,
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


def solved(matrix, rhs, *, n_multipliers=0, **options):
    factorization = analyze(*parts(matrix), n_multipliers=n_multipliers, **options)
    assert refactor(factorization, matrix.data) == SOLVED
    solution = np.full(rhs.size, np.nan)
    solve(factorization, matrix.data, rhs, solution)
    return solution


def backward_error(matrix, solution, rhs):
    """Largest residual relative to the terms that it is the sum of, row by row."""
    size = abs(matrix) @ np.abs(solution) + np.abs(rhs)
    return np.max(np.abs(matrix @ solution - rhs) / size)


def samples(rng):
    return {
        "random": (random_matrix(12 * SIZE, rng=rng), 0),
        "cantilever": (cantilever(6 * SIZE, rng=rng), 0),
        "grid": (lattice((SIZE, SIZE, 1), rng=rng), 0),
        "block": (lattice((3, max(SIZE // 2, 2), 3), rng=rng), 0),
        "chain of 3 rows": chain(4 * SIZE, rng=rng),
        "chain of 5 rows": chain(4 * SIZE, rng=rng, n_rows=5),
        "chain of 6 rows": chain(3, rng=rng, n_rows=6),
        "joined lattice": joined_lattice(max(SIZE // 2, 3), rng=rng),
        "one row": (csc_matrix(np.array([[3.0]])), 0),
    }


NAMES = list(samples(np.random.default_rng(0)))


@pytest.mark.parametrize("name", NAMES)
def test_residual_is_of_rounding_size(name):
    rng = np.random.default_rng(1)
    matrix, n_multipliers = samples(rng)[name]
    rhs = rng.normal(size=matrix.shape[0])
    solution = solved(matrix, rhs, n_multipliers=n_multipliers)
    residual = np.abs(matrix @ solution - rhs).max()
    assert residual <= 1e-12 * (abs(matrix) @ np.abs(solution)).max()


@pytest.mark.parametrize("name", NAMES)
def test_solution_agrees_with_partial_pivoting(name):
    rng = np.random.default_rng(2)
    matrix, n_multipliers = samples(rng)[name]
    exact = rng.normal(size=matrix.shape[0])
    rhs = matrix @ exact
    error = np.abs(solved(matrix, rhs, n_multipliers=n_multipliers) - exact).max()
    reference = np.abs(solve_reference(*parts(matrix), rhs) - exact).max()
    assert error <= 100.0 * reference + 1e-13


@pytest.mark.parametrize("name", ["cantilever", "grid", "chain of 5 rows"])
def test_units_of_equations_and_unknowns_do_not_matter(name):
    rng = np.random.default_rng(3)
    matrix, n_multipliers = samples(rng)[name]
    n = matrix.shape[0]
    rows, columns = 10.0 ** rng.uniform(-12, 12, size=(2, n))
    other = scaled(matrix, rows, columns)
    exact = rng.normal(size=n)
    rhs = matrix @ exact
    plain = solved(matrix, rhs, n_multipliers=n_multipliers)
    turned = solved(other, rows * rhs, n_multipliers=n_multipliers) * columns
    size = np.abs(plain - exact).max() + 1e-13
    assert np.abs(turned - exact).max() <= 100.0 * size


def test_random_units_leave_a_small_residual_in_every_row():
    rng = np.random.default_rng(4)
    matrix = random_matrix(12 * SIZE, rng=rng)
    n = matrix.shape[0]
    other = scaled(matrix, *(10.0 ** rng.uniform(-12, 12, size=(2, n))))
    rhs = other @ (rng.normal(size=n))
    solution = solved(other, rhs, n_sweeps=1)
    assert backward_error(other, solution, rhs) < 1e-12


@pytest.mark.parametrize("size", [1e-12, 1e-6, 1.0, 1e6, 1e12])
def test_stiffness_may_be_of_any_size_beside_constraint_rows_of_order_one(size):
    """Joint forces of elastic size: in every row the error is of rounding size."""
    rng = np.random.default_rng(19)
    rows = joint_rows(6, [(i - 1, i) for i in range(6)], n_rows=3, rng=rng)
    matrix = saddle_point(bodies(6, rng=rng, size=size), rows)
    exact = rng.normal(size=matrix.shape[0])
    exact[36:] *= size
    rhs = matrix @ exact
    solution = solved(matrix, rhs, n_multipliers=18)
    terms = abs(matrix) @ np.abs(exact)
    assert np.max(np.abs(matrix @ solution - rhs) / terms) < 1e-12


def test_same_pivots_serve_other_values():
    rng = np.random.default_rng(5)
    matrix, n_multipliers = chain(4 * SIZE, rng=rng)
    factorization = analyze(*parts(matrix), n_multipliers=n_multipliers)
    solution = np.empty(matrix.shape[0])
    for _ in range(5):
        data = matrix.data * rng.uniform(0.8, 1.2, size=matrix.data.size)
        other = csc_matrix((data, matrix.indices, matrix.indptr))
        rhs = rng.normal(size=matrix.shape[0])
        assert refactor(factorization, data) == SOLVED
        solve(factorization, data, rhs, solution)
        assert backward_error(other, solution, rhs) < 1e-12


def test_patterns_do_not_depend_on_the_values():
    rng = np.random.default_rng(6)
    matrix, n_multipliers = chain(2 * SIZE, rng=rng)
    first = analyze(*parts(matrix), n_multipliers=n_multipliers)
    sparse_values = np.where(rng.random(matrix.data.size) < 0.5, 0.0, matrix.data)
    refactor(first, sparse_values)
    assert refactor(first, matrix.data) == SOLVED
    again = analyze(*parts(matrix), n_multipliers=n_multipliers)
    refactor(again, matrix.data)
    assert np.array_equal(
        frozen_factors(first).lower_values, frozen_factors(again).lower_values
    )
    assert np.array_equal(
        frozen_factors(first).upper_values, frozen_factors(again).upper_values
    )


def test_factors_multiply_to_the_permuted_scaled_matrix():
    rng = np.random.default_rng(7)
    matrix, n_multipliers = chain(3, rng=rng)
    factorization = analyze(*parts(matrix), n_multipliers=n_multipliers)
    refactor(factorization, matrix.data)
    f = frozen_factors(factorization)
    n = matrix.shape[0]
    shape = (n, n)
    lower = csc_matrix((f.lower_values[:-8], f.lower_rows, f.lower_starts), shape=shape)
    upper = csc_matrix((f.upper_values, f.upper_rows, f.upper_starts), shape=shape)
    product = (lower.toarray() + np.eye(n)) @ (
        upper.toarray() + np.diag(1.0 / f.inverse_pivots)
    )
    expected = np.zeros(shape)
    dense = f.row_scale[:, None] * matrix.toarray() * f.column_scale
    expected[f.row_position] = dense[:, f.column_order]
    assert np.abs(product - expected).max() < 1e-14


@pytest.mark.parametrize("name", ["cantilever", "grid", "block", "chain of 5 rows"])
def test_panels_of_columns_give_the_factors_of_single_columns(name, monkeypatch):
    matrix, n_multipliers = samples(np.random.default_rng(16))[name]
    factors = []
    for products in (1e9, 0.0):
        monkeypatch.setattr(layout, "PRODUCTS_PER_ENTRY", products)
        factorization = analyze(*parts(matrix), n_multipliers=n_multipliers)
        assert refactor(factorization, matrix.data) == SOLVED
        found = frozen_factors(factorization)
        assert not found.work.any()
        assert not found.panel.any()
        factors.append(found)
    single, panels = factors
    assert panels.panel_sizes.max() > 1
    assert single.panel_sizes.max() == 1
    for name_of_values in ("lower_values", "upper_values", "inverse_pivots"):
        values = getattr(single, name_of_values)
        difference = np.abs(getattr(panels, name_of_values) - values)
        assert difference.max() <= 1e-9 * np.abs(values).max()


@pytest.mark.parametrize("products", [1e9, 0.0])
def test_failed_factorization_leaves_nothing_behind(products, monkeypatch):
    monkeypatch.setattr(layout, "PRODUCTS_PER_ENTRY", products)
    matrix = lattice((3, 3, 2), rng=np.random.default_rng(17))
    factorization = analyze(*parts(matrix), n_multipliers=0)
    assert refactor(factorization, matrix.data) == SOLVED
    good = frozen_factors(factorization).lower_values.copy()
    for column in frozen_factors(factorization).column_order[5::7]:
        data = matrix.data.copy()
        data[matrix.indptr[column] : matrix.indptr[column + 1]] = 0.0
        assert refactor(factorization, data) == SINGULAR
        assert frozen_factors(factorization).statistics[2] == column
        assert refactor(factorization, matrix.data) == SOLVED
        assert np.array_equal(frozen_factors(factorization).lower_values, good)


def test_vanished_pivot_asks_for_a_new_analysis_which_then_solves():
    rng = np.random.default_rng(8)
    matrix = random_matrix(4 * SIZE + 4, rng=rng, density=0.4)
    factorization = analyze(*parts(matrix), n_multipliers=0)
    assert refactor(factorization, matrix.data) == SOLVED
    row = int(np.flatnonzero(frozen_factors(factorization).row_position == 0)[0])
    column = int(frozen_factors(factorization).column_order[0])
    other = matrix.copy()
    other[row, column] = 0.0
    other.data[np.abs(other.data) < 1e-300] = 0.0
    assert np.array_equal(other.indices, matrix.indices)
    assert refactor(factorization, other.data) == NEEDS_NEW_PIVOTS
    rhs = rng.normal(size=matrix.shape[0])
    assert backward_error(other, solved(other, rhs), rhs) < 1e-12


def test_zero_columns_are_singular():
    matrix = random_matrix(10, rng=np.random.default_rng(9))
    data = matrix.data.copy()
    data[matrix.indptr[3] : matrix.indptr[4]] = 0.0
    factorization = analyze(matrix.indptr, matrix.indices, matrix.data, n_multipliers=0)
    assert refactor(factorization, data) == SINGULAR
    assert refactor(factorization, matrix.data) == SOLVED
    factorization = analyze(matrix.indptr, matrix.indices, data, n_multipliers=0)
    assert refactor(factorization, data) == SINGULAR


def test_values_that_are_not_numbers_are_never_solved():
    matrix = random_matrix(10, rng=np.random.default_rng(10))
    factorization = analyze(*parts(matrix), n_multipliers=0)
    data = matrix.data.copy()
    data[5] = np.nan
    assert refactor(factorization, data) != SOLVED
    assert refactor(factorization, matrix.data) == SOLVED


@pytest.mark.parametrize("n_elements", [1, 2, 5, 20 * SIZE])
def test_beam_without_supports_is_singular(n_elements):
    matrix = cantilever(n_elements, rng=np.random.default_rng(11), clamped=())
    factorization = analyze(*parts(matrix), n_multipliers=0)
    assert refactor(factorization, matrix.data) == SINGULAR


@pytest.mark.parametrize("n_elements", [2, 10, 20 * SIZE])
def test_beam_on_two_ball_joints_turns_about_its_axis_and_is_singular(n_elements):
    rng = np.random.default_rng(12)
    stiffness = cantilever(n_elements, rng=rng, clamped=())
    rows = np.zeros((6, stiffness.shape[0]))
    rows[:3, :3] = np.eye(3)
    rows[3:, -6:-3] = np.eye(3)
    matrix = saddle_point(stiffness, csc_matrix(rows))
    factorization = analyze(*parts(matrix), n_multipliers=6)
    assert refactor(factorization, matrix.data) == SINGULAR


@pytest.mark.skipif(not IS_COMPILED, reason="large")
def test_long_cantilever_is_not_taken_for_a_mechanism():
    """Tip deflection under a tip force: F L^3 / (3 E I), however fine the mesh."""
    points = np.zeros((1001, 3))
    points[:, 0] = np.linspace(0.0, 10.0, 1001)
    cells = [(i, i + 1) for i in range(1000)]
    rng = np.random.default_rng(13)
    matrix = frame_stiffness(points, cells, clamped=(0,), rng=rng)
    rhs = np.zeros(6000)
    rhs[-5] = 1.0
    tip = solved(matrix, rhs)[-5]
    assert tip == pytest.approx(10.0**3 / (3.0 * 1e3), rel=1e-3)


def test_lattice_of_joined_bodies_does_not_fill_in():
    """Exchanges of rows ruin an order for diagonal pivots: 28 times the entries."""
    matrix, n_multipliers = joined_lattice(12, rng=np.random.default_rng(14))
    factorization = analyze(*parts(matrix), n_multipliers=n_multipliers)
    assert frozen_factors(factorization).n_fill < 5 * matrix.nnz


def test_tree_of_bodies_fills_in_little():
    """COLAMD alone doubles the entries."""
    rng = np.random.default_rng(18)
    joints = [(int(rng.integers(max(i - 5, 0), i)) if i else -1, i) for i in range(100)]
    rows = joint_rows(100, joints, n_rows=5, rng=rng)
    matrix = saddle_point(bodies(100, rng=rng), rows)
    factorization = analyze(*parts(matrix), n_multipliers=500)
    assert frozen_factors(factorization).n_fill < 1.5 * matrix.nnz


def test_two_analyses_are_identical():
    matrix, n_multipliers = chain(3 * SIZE, rng=np.random.default_rng(15))
    first, second = (
        analyze(*parts(matrix), n_multipliers=n_multipliers) for _ in range(2)
    )
    assert all(np.array_equal(a, b) for a, b in zip(first, second, strict=True))


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
@pytest.mark.parametrize("noise", [0.0, 1e-17, -3e-17])
def test_rounding_in_place_of_a_stiffness_does_not_set_the_scale(order, noise):
    """A body on a soft spring between two stiff ones, held across by constraints."""
    stiffness = np.diag([1e6, 1e6, 1.0, noise, 2e6, 2e6])
    rows = np.zeros((2, 6))
    rows[0, [1, 3]] = 1.0, -1.0
    rows[1, [3, 5]] = -1.0, 1.0
    rows = rows[list(order)]
    dense = np.block([[stiffness, rows.T], [rows, np.zeros((2, 2))]])
    matrix = csc_matrix(dense + np.eye(8))
    matrix.data[:] = dense[matrix.indices, np.repeat(range(8), np.diff(matrix.indptr))]
    frames = Frames(units=np.array([0, 0, 2, 2, 4, 4]))
    factors = analyze(
        matrix.indptr, matrix.indices, matrix.data, n_multipliers=2, frames=frames
    )
    assert refactor(factors, matrix.data) == SOLVED
    scales = frozen_factors(factors).row_scale
    assert scales[3] < 1e3
    found = np.zeros(8)
    load = np.zeros(8)
    load[1] = 1.0
    solve(factors, matrix.data, load, found)
    # all three move by 1 / 3e6
    assert found[[1, 3, 5]] == pytest.approx(np.full(3, 1.0 / 3e6), rel=1e-12)


@pytest.mark.parametrize("noise", [0.0, 1e-22, -3e-23])
def test_a_body_that_only_constraints_hold_is_not_singular_by_rounding(noise):
    """Two stiff ends carry a body without any stiffness, and a load on it."""
    stiffness = np.diag([1e6, 2e6, noise])
    rows = np.array([[1.0, 0.0, -1.0], [0.0, 1.0, -1.0]])
    dense = np.block([[stiffness, rows.T], [rows, np.zeros((2, 2))]])
    matrix = csc_matrix(dense + np.eye(5))
    matrix.data[:] = dense[matrix.indices, np.repeat(range(5), np.diff(matrix.indptr))]
    frames = Frames(units=np.array([0, 2, 4]))
    factors = analyze(*parts(matrix), n_multipliers=2, frames=frames)
    assert refactor(factors, matrix.data) == SOLVED
    assert frozen_factors(factors).row_scale[2] < 1e3
    found = np.zeros(5)
    solve(factors, matrix.data, np.array([0.0, 0.0, 1.0, 0.0, 0.0]), found)
    assert found[:3] == pytest.approx(np.full(3, 1.0 / 3e6), rel=1e-12)
