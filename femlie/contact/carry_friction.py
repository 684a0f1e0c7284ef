"""Tangential multipliers of a new list of contacts from those of the old one.

They only begin the iteration: what the answer depends on is where slip counts from.
"""

from __future__ import annotations

import numpy as np

from ..elements.base import Array
from . import _layout as layout
from .lists import ContactList


def carry_tangential(
    before: ContactList, values: Array, iterates: Array, after: ContactList
) -> Array:
    """Two numbers for each normal multiplier of the new list, one pair after another.

    As the normal ones: a node goes on with the same master, a point that becomes a
    line hands its force to the nodes of its segment, a line that becomes a point the
    sum. Then those of spin, from point to point.

    Parameters
    ----------
    before, after : ContactList
    values : array
        All multipliers of the old list, the normal ones first.
    iterates : array
        Of the old list.
    """
    normal = values[: before.n_multipliers]
    n = before.n_multipliers
    old = values[n : 3 * n].reshape(-1, 2)
    turns = np.zeros(n)
    turns[before.has_spin] = values[3 * n :]
    spins = np.zeros(after.n_multipliers)
    nodes, spots = _numbers(before, iterates)
    found = np.zeros((after.n_multipliers, 2))
    for run, numbers in zip(after.runs, after.run_multipliers, strict=True):
        for end, number in enumerate(numbers):
            own = [nodes.get((run.slave, end, m), -1) for m in run.masters]
            own = [k for k in own if k >= 0]
            if own:
                found[number] = old[max(own, key=lambda k: normal[k])]
        for (slave, master), (xi, k) in spots.items():
            if slave == run.slave and master in run.masters:
                found[numbers[0]] += (1.0 - xi) * old[k]
                found[numbers[1]] += xi * old[k]
    first = after.n_multipliers - len(after.points)
    for at, point in enumerate(after.points):
        pairs = set(point.pairs)
        sources = {k for pair, (_, k) in spots.items() if pair in pairs}
        spins[first + at] = turns[sorted(sources)].sum()
        sources |= {k for (s, _, m), k in nodes.items() if (s, m) in pairs}
        found[first + at] = old[sorted(sources)].sum(axis=0)
    return np.concatenate([found.ravel(), spins[after.has_spin]])


def _numbers(
    before: ContactList, iterates: Array
) -> tuple[dict[tuple[int, int, int], int], dict[tuple[int, int], tuple[float, int]]]:
    """Multipliers by slave, end and master; of points by their pair, with the place."""
    nodes: dict[tuple[int, int, int], int] = {}
    spots: dict[tuple[int, int], tuple[float, int]] = {}
    codes = before.codes
    for row in range(len(codes)):
        slave, master = int(codes[row, layout.SLAVE]), int(codes[row, layout.MASTER])
        numbers = codes[row, layout.MULTIPLIER : layout.MULTIPLIER + 2].tolist()
        if codes[row, layout.FORM] == layout.LINE:
            for end in range(2):
                nodes[slave, end, master] = numbers[end]
        elif codes[row, layout.FIRST] == row:
            at = int(iterates[row, layout.ROW])
            pair = int(codes[at, layout.SLAVE]), int(codes[at, layout.MASTER])
            spots[pair] = float(iterates[row, layout.XI]), numbers[0]
    return nodes, spots
