"""Multipliers of a new list of contacts from those of the old one."""

from __future__ import annotations

import numpy as np

from ..elements.base import Array
from . import _layout as layout
from .lists import ContactList


def carry_multipliers(
    before: ContactList, values: Array, iterates: Array, after: ContactList
) -> Array:
    """Multipliers of a new list from those of the old one.

    Line contacts go on at a node with the same master; a point that becomes a line
    hands its force to the nodes of its segment, a line that becomes a point the sum.
    """
    known: dict[tuple[int, int, int], float] = {}
    nodes: dict[int, list[tuple[int, int]]] = {}
    spots: list[tuple[int, int, float, float]] = []
    codes = before.codes
    for row in range(len(codes)):
        slave, master = int(codes[row, layout.SLAVE]), int(codes[row, layout.MASTER])
        numbers = codes[row, layout.MULTIPLIER : layout.MULTIPLIER + 2]
        if codes[row, layout.FORM] == layout.LINE:
            for end in range(2):
                known[slave, end, master] = float(values[numbers[end]])
                nodes.setdefault(int(numbers[end]), []).append((slave, master))
        elif codes[row, layout.FIRST] == row:
            at = int(iterates[row, layout.ROW])
            spots.append(
                (
                    int(codes[at, layout.SLAVE]),
                    int(codes[at, layout.MASTER]),
                    float(iterates[row, layout.XI]),
                    float(values[numbers[0]]),
                )
            )
    found = np.zeros(after.n_multipliers)
    for run_, numbers_ in zip(after.runs, after.run_multipliers, strict=True):
        for end, number in enumerate(numbers_):
            old = [known.get((run_.slave, end, m), 0.0) for m in run_.masters]
            found[number] = max([found[number], *old])
        for slave, master, xi, force in spots:
            if slave == run_.slave and master in run_.masters:
                found[numbers_[0]] += (1.0 - xi) * force
                found[numbers_[1]] += xi * force
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
