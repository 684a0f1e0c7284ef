"""The elimination tree against elimination with dense patterns."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csc_matrix

from femlie._jit import IS_COMPILED
from femlie.linear.dissection import dissection, groups_of
from tests.unit.linear.sample_matrices import (
    bodies,
    cantilever,
    chain,
    joined_lattice,
    lattice,
    saddle_point,
)

SIZE = 5 if IS_COMPILED else 2


def samples(rng):
    return {
        "cantilever": (cantilever(6 * SIZE, rng=rng), 0),
        "block": (lattice((SIZE, 3, 3), rng=rng), 0),
        "chain": chain(4 * SIZE, rng=rng, n_rows=5),
        "joined lattice": joined_lattice(SIZE, rng=rng),
        "apart": (bodies(3 * SIZE, rng=rng), 0),
    }


def filled(matrix, rows):
    """Pattern of the factors after elimination in this order, dense."""
    pattern = (matrix != 0).toarray() | np.eye(matrix.shape[0], dtype=bool)
    pattern = (pattern | pattern.T)[np.ix_(rows, rows)]
    for k in range(len(rows)):
        later = np.flatnonzero(pattern[k + 1 :, k]) + k + 1
        pattern[np.ix_(later, later)] = True
    return pattern


@pytest.mark.parametrize("name", samples(np.random.default_rng(0)))
def test_boundaries_hold_all_that_elimination_fills(name):
    matrix, n_multipliers = samples(np.random.default_rng(0))[name]
    tree = dissection(matrix, n_multipliers=n_multipliers, leaf_weight=20)
    n = matrix.shape[0]
    assert np.array_equal(np.sort(tree.rows), np.arange(n))
    assert tree.first[0] == 0
    assert tree.first[-1] == n
    pattern = filled(matrix, tree.rows)
    for s in range(tree.parents.size):
        own = slice(tree.first[s], tree.first[s + 1])
        boundary = tree.boundary[tree.boundary_starts[s] : tree.boundary_starts[s + 1]]
        assert np.all(np.diff(boundary) > 0)
        reached = np.flatnonzero(pattern[:, own].any(axis=1))
        assert set(reached[reached >= tree.first[s + 1]]) <= set(boundary)
        parent = tree.parents[s]
        if parent >= 0:
            known = tree.boundary[
                tree.boundary_starts[parent] : tree.boundary_starts[parent + 1]
            ]
            inside = (boundary >= tree.first[parent]) & (
                boundary < tree.first[parent + 1]
            )
            assert set(boundary[~inside]) <= set(known)
        else:
            assert boundary.size == 0


def test_multipliers_are_eliminated_with_a_frame_that_they_hold():
    matrix, m = chain(4 * SIZE, rng=np.random.default_rng(1), n_rows=5)
    tree = dissection(matrix, n_multipliers=m, leaf_weight=12)
    n = matrix.shape[0]
    front = np.empty(n, dtype=int)
    front[tree.rows] = np.searchsorted(tree.first, np.arange(n), side="right") - 1
    columns = matrix.tocsc()
    for k in range(n - m, n):
        held = columns.indices[columns.indptr[k] : columns.indptr[k + 1]]
        assert front[k] in front[held[held < n - m]]


def test_rows_of_a_frame_are_known_by_their_pattern():
    matrix = cantilever(7, rng=np.random.default_rng(2))
    assert np.array_equal(groups_of(matrix, 0), np.repeat(np.arange(7), 6))


def test_a_square_grid_is_cut_with_few_operations():
    """George 1973: of order n^3 operations for n by n nodes, bandwise n^4."""
    if not IS_COMPILED:
        pytest.skip("hopeless without compilation")
    work = []
    for side in (20, 40):
        grid = lattice((side + 1, side, 1), rng=np.random.default_rng(3))
        tree = dissection(grid, n_multipliers=0, leaf_weight=6)
        work.append(tree.n_flops(is_symmetric=True))
    assert np.log2(work[1] / work[0]) < 3.3


def test_empty_rows_and_separate_parts_are_no_obstacle():
    rng = np.random.default_rng(4)
    matrix = saddle_point(bodies(3, rng=rng), 0.0 * bodies(3, rng=rng)[:2])
    tree = dissection(matrix, n_multipliers=2)
    assert np.array_equal(np.sort(tree.rows), np.arange(20))


def bundle(n, width):
    """Lines of n frames side by side, each coupled with all that are next to it."""
    x, k = np.divmod(np.arange(n * width), width)
    near = np.abs(x[:, None] - x[None, :]) <= 1
    blocks = np.kron(near, np.ones((6, 6)))
    places = np.stack([x, k, 0.0 * x], axis=1).astype(float)
    return csc_matrix(blocks), places


def test_long_structure_is_eliminated_from_end_to_end():
    """Operations of a band of blocks: ``7/3 b^3`` and twice that for two factors."""
    n, b = 60, 18
    matrix, places = bundle(n, 3)
    groups = np.repeat(np.arange(3 * n), 6)
    tree = dissection(matrix, n_multipliers=0, groups=groups, places=places)
    bound = 14.0 / 3.0 * n * b**3
    assert tree.n_flops(is_symmetric=False) < 1.05 * bound
    # each front hands on to the next one
    np.testing.assert_array_equal(tree.parents[:-1], np.arange(1, tree.parents.size))
    pattern = filled(matrix, tree.rows)
    for s in range(tree.parents.size):
        own = slice(tree.first[s], tree.first[s + 1])
        boundary = tree.boundary[tree.boundary_starts[s] : tree.boundary_starts[s + 1]]
        reached = np.flatnonzero(pattern[:, own].any(axis=1))
        assert set(reached[reached >= tree.first[s + 1]]) <= set(boundary)
