"""Order of elimination of frames without closed loops."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.sparse import csc_matrix, kron

from femlie.linear.leaves import FEW_FRAMES, leaf_order

N = 2 * FEW_FRAMES


def matrix_of(pairs: Any, rng: Any) -> tuple[csc_matrix, Any]:
    """Frames of six unknowns that share entries in pairs, and the frame of each row."""
    pattern = np.eye(N)
    for a, b in pairs:
        pattern[a, b] = pattern[b, a] = 1.0
    matrix = csc_matrix(kron(csc_matrix(pattern), np.ones((6, 6))))
    matrix.sort_indices()
    matrix.data = rng.normal(size=matrix.nnz)
    return matrix, np.repeat(np.arange(N), 6)


def branches(rng: Any) -> list[tuple[int, int]]:
    """A random tree with its frames in random order."""
    names = rng.permutation(N)
    return [(names[k], names[rng.integers(k)]) for k in range(1, N)]


def n_filled(matrix: csc_matrix, positions: Any) -> int:
    """Entries of dense triangular factors in an order, by their pattern."""
    turned = np.zeros(matrix.shape, dtype=bool)
    places = matrix.tocoo()
    turned[positions[places.row], positions[places.col]] = True
    for k in range(len(turned)):
        below, right = (
            np.flatnonzero(line[k + 1 :]) + k + 1 for line in (turned[:, k], turned[k])
        )
        turned[np.ix_(below, right)] = True
    return int(turned.sum())


@pytest.mark.parametrize("seed", range(3))
def test_trees_have_no_fill(seed: int) -> None:
    rng = np.random.default_rng(seed)
    matrix, groups = matrix_of(branches(rng), rng)
    positions = leaf_order(matrix.indptr, matrix.indices, groups)
    assert positions is not None
    assert sorted(positions) == list(range(6 * N))
    assert n_filled(matrix, positions) == matrix.nnz


def test_several_trees_have_no_fill_either() -> None:
    rng = np.random.default_rng(4)
    matrix, groups = matrix_of(branches(rng)[:-9:2], rng)
    positions = leaf_order(matrix.indptr, matrix.indices, groups)
    assert positions is not None
    assert n_filled(matrix, positions) == matrix.nnz


def test_frames_of_a_chain_follow_each_other() -> None:
    rng = np.random.default_rng(5)
    matrix, groups = matrix_of([(k, k + 1) for k in range(N - 1)], rng)
    positions = leaf_order(matrix.indptr, matrix.indices, groups)
    assert positions is not None
    assert set(np.abs(np.diff(positions[::6]))) == {6}


def test_closed_loops_are_left_to_others() -> None:
    rng = np.random.default_rng(6)
    pairs = [*((k, k + 1) for k in range(N - 1)), (0, N // 2)]
    matrix, groups = matrix_of(pairs, rng)
    assert leaf_order(matrix.indptr, matrix.indices, groups) is None
