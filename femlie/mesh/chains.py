"""Chains of lines: one line after another, whatever their order and directions."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]


class Chain(NamedTuple):
    """Lines one after another.

    Attributes
    ----------
    lines : (n,) int array
        Their numbers.
    is_turned : (n,) bool array
        Whether a line points against the chain.
    """

    lines: IntArray
    is_turned: BoolArray


def chains_of(nodes: IntArray) -> list[Chain]:
    """All chains of lines; they end where one line, or more than two, meet.

    Parameters
    ----------
    nodes : (n, 2) int array
        Nodes of each line.

    Returns
    -------
    list of Chain
        In the order of their first lines. Each runs as the first of its lines does; a
        ring begins with that line.
    """
    touching: dict[int, list[int]] = {}
    for line, pair in enumerate(nodes.tolist()):
        for node in pair:
            touching.setdefault(node, []).append(line)
    chains = []
    is_left = np.ones(len(nodes), dtype=bool)
    for first in range(len(nodes)):
        if not is_left[first]:
            continue
        is_left[first] = False
        after = _onward(first, 1, nodes, touching, is_left)
        before = _onward(first, 0, nodes, touching, is_left)
        found = [(line, not end) for line, end in reversed(before)]
        found += [(first, False), *((line, bool(end)) for line, end in after)]
        lines, is_turned = zip(*found, strict=True)
        chains.append(Chain(np.array(lines, dtype=np.int64), np.array(is_turned)))
    return chains


def _onward(
    line: int,
    end: int,
    nodes: IntArray,
    touching: dict[int, list[int]],
    is_left: BoolArray,
) -> list[tuple[int, int]]:
    """Lines beyond an end of a line, each with the end at which it is met."""
    found = []
    node = int(nodes[line, end])
    while len(touching[node]) == 2:
        line = next((k for k in touching[node] if is_left[k]), -1)
        if line < 0:
            break
        is_left[line] = False
        met = int(nodes[line, 0] != node)
        found.append((line, met))
        node = int(nodes[line, 1 - met])
    return found


def only_chain(nodes: IntArray) -> Chain | None:
    """The chain that all lines make; None for branches and for several pieces."""
    chains = chains_of(nodes)
    return chains[0] if len(chains) == 1 else None


def turned_lines(nodes: IntArray) -> BoolArray:
    """(n,) whether each line points against its chain."""
    is_turned = np.zeros(len(nodes), dtype=bool)
    ends = np.bincount(nodes.ravel())
    starts = np.bincount(nodes[:, 0], minlength=ends.size)
    if np.all(starts[ends == 2] == 1):
        return is_turned
    for chain in chains_of(nodes):
        is_turned[chain.lines] = chain.is_turned
    return is_turned
