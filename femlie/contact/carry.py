"""Multipliers of a new list of contacts from those of the old one."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..elements.base import Array
from . import _layout as layout
from .lists import ContactList


class _Old(NamedTuple):
    """Forces of a list: by slave, end and master; of points; nodes and their pairs."""

    known: dict[tuple[int, int, int], float]
    spots: list[tuple[int, int, float, float]]  # slave, master, place, force
    nodes: dict[int, list[tuple[int, int]]]


def carry_multipliers(
    before: ContactList, values: Array, iterates: Array, after: ContactList
) -> Array:
    """Multipliers of a new list from those of the old one.

    Line contacts go on at a node with the same master; a point that becomes a line
    hands its force to the nodes of its segment, a line that becomes a point the sum.
    """
    known, spots, nodes = _forces(before, values, iterates)
    found = np.zeros(after.n_multipliers)
    for run, numbers in zip(after.runs, after.run_multipliers, strict=True):
        for end, number in enumerate(numbers):
            old = [known.get((run.slave, end, m), 0.0) for m in run.masters]
            found[number] = max([found[number], *old])
        for slave, master, xi, force in spots:
            if slave == run.slave and master in run.masters:
                found[numbers[0]] += (1.0 - xi) * force
                found[numbers[1]] += xi * force
    first = after.n_multipliers - len(after.points)
    for k, point in enumerate(after.points):
        pairs = set(point.pairs)
        found[first + k] = sum(f for s, m, _, f in spots if (s, m) in pairs)
        found[first + k] += sum(
            float(values[number])
            for number, own in nodes.items()
            if any(pair in pairs for pair in own)
        )
    return found


def _forces(before: ContactList, values: Array, iterates: Array) -> _Old:
    old = _Old({}, [], {})
    codes = before.codes
    for row in range(len(codes)):
        slave, master = int(codes[row, layout.SLAVE]), int(codes[row, layout.MASTER])
        numbers = codes[row, layout.MULTIPLIER : layout.MULTIPLIER + 2]
        if codes[row, layout.FORM] == layout.LINE:
            for end in range(2):
                old.known[slave, end, master] = float(values[numbers[end]])
                old.nodes.setdefault(int(numbers[end]), []).append((slave, master))
        elif codes[row, layout.FIRST] == row:
            at = int(iterates[row, layout.ROW])
            pair = int(codes[at, layout.SLAVE]), int(codes[at, layout.MASTER])
            xi = float(iterates[row, layout.XI])
            old.spots.append((*pair, xi, float(values[numbers[0]])))
    return old
