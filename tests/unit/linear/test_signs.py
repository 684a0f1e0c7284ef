"""Signs of eigenvalues against dense ones, and null vectors against known motions."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import null_space
from scipy.sparse import csc_matrix, vstack

from femlie._jit import IS_COMPILED
from femlie.linear import inertia, null_vector
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


def signs(matrix, n_multipliers=0):
    return inertia(
        matrix.indptr, matrix.indices, matrix.data, n_multipliers=n_multipliers
    )


def dense_signs(matrix):
    values = np.linalg.eigvalsh(matrix.toarray())
    small = 1e-9 * np.abs(values).max()
    return np.count_nonzero(values < -small), np.count_nonzero(np.abs(values) <= small)


def symmetrized(matrix):
    result = csc_matrix(0.5 * (matrix + matrix.T))
    result.sort_indices()
    return result


@pytest.mark.parametrize("seed", range(5))
def test_random_symmetric_matrix_has_the_signs_of_its_eigenvalues(seed):
    rng = np.random.default_rng(seed)
    matrix = symmetrized(random_matrix(6 * SIZE, rng=rng, density=0.2))
    assert signs(matrix) == dense_signs(matrix)


def test_only_the_symmetric_part_counts():
    matrix = random_matrix(5 * SIZE, rng=np.random.default_rng(5))
    assert signs(matrix) == signs(symmetrized(matrix))


@pytest.mark.parametrize("name", ["cantilever", "grid", "chain", "joined lattice"])
def test_stable_structure_has_one_negative_value_for_each_multiplier(name):
    rng = np.random.default_rng(6)
    matrix, n_multipliers = {
        "cantilever": (cantilever(20 * SIZE, rng=rng), 0),
        "grid": (lattice((SIZE, SIZE, 1), rng=rng), 0),
        "chain": chain(8 * SIZE, rng=rng, n_rows=5),
        "joined lattice": joined_lattice(SIZE, rng=rng),
    }[name]
    assert signs(matrix, n_multipliers) == (n_multipliers, 0)


@pytest.mark.parametrize("seed", range(6))
def test_unstable_constrained_bodies_have_the_signs_of_the_dense_matrix(seed):
    rng = np.random.default_rng(seed)
    n = 6
    stiffness = bodies(n, rng=rng) + 0.5 * symmetrized(random_matrix(6 * n, rng=rng))
    rows = joint_rows(n, [(i - 1, i) for i in range(n)], n_rows=3, rng=rng)
    matrix = symmetrized(saddle_point(stiffness, rows))
    assert signs(matrix, rows.shape[0]) == dense_signs(matrix)


def test_compressed_column_on_a_hinge_is_unstable_beyond_its_critical_force():
    """A rigid bar on a rotational spring c, length L, buckles at P = c / L."""
    for force, n_negative in ((0.9, 0), (1.1, 1)):
        spring, length = 2.0, 1.5
        geometric = force * (spring / length) * length
        stiffness = np.diag([7.0, 7.0, spring - geometric])
        rows = csc_matrix(np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]))
        matrix = saddle_point(csc_matrix(stiffness), rows)
        assert signs(matrix, 2) == (2 + n_negative, 0)


def test_soft_but_stable_direction_beside_a_constraint_is_not_zero():
    """A hanging pendulum is 1e-9 times as stiff as the rod that it hangs on."""
    stiffness = np.array([[1.0 + 1e-9, -1.0], [-1.0, 1.0]])
    rows = csc_matrix(np.array([[0.0, 1.0]]))
    stable = saddle_point(csc_matrix(stiffness), rows)
    assert signs(stable, 1) == (1, 0)
    soft = np.kron(np.eye(2), np.diag([1.0, 1e-9]))
    rows = csc_matrix(np.array([[1.0, 0.0, -1.0, 0.0]]))
    assert signs(saddle_point(csc_matrix(soft), rows), 1) == (1, 0)


def test_body_without_stiffness_that_its_joints_hold_is_stable():
    rows = joint_rows(2, [(-1, 0), (0, 1)], n_rows=6, rng=np.random.default_rng(7))
    matrix = saddle_point(csc_matrix((12, 12)), rows)
    assert signs(matrix, 12) == (12, 0)


def test_zero_diagonal_is_no_obstacle():
    matrix = csc_matrix(np.kron(np.eye(3), np.array([[0.0, 1.0], [1.0, 0.0]])))
    assert signs(matrix) == (3, 0)


@pytest.mark.parametrize("n_elements", [1, 4, 20 * SIZE])
def test_beam_without_supports_has_six_zeros(n_elements):
    matrix = cantilever(n_elements, rng=np.random.default_rng(8), clamped=())
    assert signs(matrix) == (0, 6)


def test_ball_joint_leaves_three_zeros_and_copies_of_its_rows_change_nothing():
    rng = np.random.default_rng(9)
    stiffness = cantilever(3 * SIZE, rng=rng, clamped=())
    rows = np.zeros((3, stiffness.shape[0]))
    rows[:, :3] = np.eye(3)
    ball = csc_matrix(rows)
    assert signs(saddle_point(stiffness, ball), 3) == (3, 3)
    copies = csc_matrix(vstack([ball, ball[:1]]))
    assert signs(saddle_point(stiffness, copies), 4) == (4, 3)


def test_units_do_not_change_the_signs():
    rng = np.random.default_rng(10)
    matrix, n_multipliers = chain(4 * SIZE, rng=rng)
    units = 10.0 ** rng.uniform(-6, 6, size=matrix.shape[0])
    other = scaled(matrix, units, units)
    assert signs(other, n_multipliers) == (n_multipliers, 0)


def test_null_vector_of_a_pinned_beam_turns_it_about_the_pin():
    """Every entry belongs to a rigid rotation: B v = 0, K v = 0 to rounding."""
    rng = np.random.default_rng(11)
    stiffness = cantilever(2 * SIZE, rng=rng, clamped=())
    n = stiffness.shape[0]
    rows = np.zeros((3, n))
    rows[:, :3] = np.eye(3)
    matrix = saddle_point(stiffness, csc_matrix(rows))
    vector = null_vector(matrix.indptr, matrix.indices, matrix.data, n_multipliers=3)
    size = abs(matrix) @ np.abs(vector)
    assert np.abs(matrix @ vector).max() <= 1e-9 * size.max()
    basis = null_space(matrix.toarray(), rcond=1e-10)
    outside = vector - basis @ (basis.T @ vector)
    assert np.linalg.norm(outside) <= 1e-5 * np.linalg.norm(vector)
    rotation = vector[3:6]
    place = 6 * np.arange(n // 6)
    spans = (place / 6)[:, None] * np.array([1.0, 0.0, 0.0])
    expected = np.cross(rotation, spans)
    found = np.stack([vector[place + i] for i in range(3)], axis=1)
    assert found == pytest.approx(expected, abs=1e-5 * np.abs(found).max())


def test_null_vector_does_not_name_forces_in_redundant_rows():
    rng = np.random.default_rng(12)
    stiffness = cantilever(3, rng=rng, clamped=())
    rows = np.zeros((4, stiffness.shape[0]))
    rows[:3, :3] = np.eye(3)
    rows[3, 0] = 1.0
    matrix = saddle_point(stiffness, csc_matrix(rows))
    vector = null_vector(matrix.indptr, matrix.indices, matrix.data, n_multipliers=4)
    assert np.abs(vector[-4:]).max() <= 1e-3 * np.abs(vector).max()
    assert np.abs(vector[:3]).max() <= 1e-6 * np.abs(vector).max()
