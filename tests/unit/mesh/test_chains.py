"""Chains of lines in any order and direction."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from femlie.mesh.chains import chains_of, only_chain, turned_lines


@pytest.mark.parametrize(
    ("nodes", "order", "turned"),
    [
        ([[0, 1], [1, 2]], [0, 1], [0, 0]),
        ([[1, 2], [0, 1]], [1, 0], [0, 0]),
        ([[2, 1], [0, 1]], [0, 1], [0, 1]),
        ([[1, 2], [1, 0], [2, 3]], [1, 0, 2], [1, 0, 0]),
        ([[0, 1], [1, 2], [2, 0]], [0, 1, 2], [0, 0, 0]),
        ([[0, 1], [2, 1], [2, 0]], [0, 1, 2], [0, 1, 0]),
        ([[0, 1], [0, 1]], [0, 1], [0, 1]),
        ([[7, 5]], [0], [0]),
    ],
)
def test_a_chain_runs_as_its_first_line(nodes: Any, order: Any, turned: Any) -> None:
    found = only_chain(np.array(nodes))
    assert found is not None
    assert found.lines.tolist() == order
    assert found.is_turned.tolist() == turned
    by_line = np.zeros(len(nodes), dtype=bool)
    by_line[order] = turned
    assert turned_lines(np.array(nodes)).tolist() == by_line.tolist()


@pytest.mark.parametrize(
    ("nodes", "order"),
    [
        ([[0, 1], [2, 3]], [[0], [1]]),
        ([[0, 1], [0, 2], [0, 3]], [[0], [1], [2]]),
        # two pieces, of which the first comes back behind the second
        ([[0, 1], [5, 6], [2, 1]], [[0, 2], [1]]),
        # a branch at node 2 ends three chains
        ([[0, 1], [2, 1], [2, 3], [4, 2]], [[0, 1], [2], [3]]),
    ],
)
def test_chains_end_at_branches_and_gaps(nodes: Any, order: Any) -> None:
    found = chains_of(np.array(nodes))
    assert [chain.lines.tolist() for chain in found] == order
    assert only_chain(np.array(nodes)) is None


def test_of_several_pieces_each_has_its_own_direction() -> None:
    nodes = np.array([[1, 0], [1, 2], [5, 4], [6, 5], [2, 3]])
    assert turned_lines(nodes).tolist() == [False, True, False, False, True]


def test_no_lines_make_no_chain() -> None:
    none = np.zeros((0, 2), dtype=np.int64)
    assert chains_of(none) == []
    assert only_chain(none) is None
    assert turned_lines(none).shape == (0,)
