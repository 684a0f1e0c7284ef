"""Rods of contact: elements in order, where rods meet, which of two is the slave."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..elements.base import Array, IntArray

# ends of rods closer than this part of the radius are built together
TOGETHER = 1e-3
# lengths that differ by less in the sixth digit are equal in the choice of the slave
DIGITS = 6
# radii of rods that count as equally thick differ by no more than this
THICKER = 3.0


def chains_of(
    nodes: IntArray, lengths: Array
) -> tuple[IntArray, IntArray, Array, Array, IntArray, IntArray]:
    """Rods: number and place of each element, arc lengths, neighbors, ends of rods.

    The last array, (n_chains, 2, 2): element and side where each rod begins and ends.
    """
    n = len(nodes)
    beyond: dict[int, list[tuple[int, int]]] = {}
    for k, pair in enumerate(nodes.tolist()):
        for side in range(2):
            beyond.setdefault(pair[side], []).append((k, side))
    neighbors = np.full((n, 2), -1, dtype=np.int64)
    for meeting in beyond.values():
        if len(meeting) == 2:
            (a, i), (b, j) = meeting
            neighbors[a, i], neighbors[b, j] = b, a
    chains = np.full(n, -1, dtype=np.int64)
    places = np.zeros(n, dtype=np.int64)
    arcs = np.zeros((n, 2))
    rests = np.zeros(n)
    ends: list[list[list[int]]] = []
    starts = [k for k in range(n) if np.any(neighbors[k] < 0)]
    for k in [*starts, *range(n)]:
        if chains[k] >= 0:
            continue
        side = 0 if neighbors[k, 0] < 0 or neighbors[k, 1] >= 0 else 1
        order, last = _follow(k, side, nodes, neighbors)
        own = np.array(order)
        chains[own] = len(ends)
        places[own] = np.arange(own.size)
        stops = np.cumsum(lengths[own])
        for element, stop, start_side in zip(order, stops, last, strict=True):
            arcs[element, 1 - start_side] = stop
            arcs[element, start_side] = stop - lengths[element]
        rests[own] = stops[-1] - stops
        ends.append([[order[0], last[0]], [order[-1], 1 - last[-1]]])
    return chains, places, arcs, rests, neighbors, np.array(ends, dtype=np.int64)


def _follow(
    k: int, side: int, nodes: IntArray, neighbors: IntArray
) -> tuple[list[int], list[int]]:
    """Elements of a rod from one on, and the side at which each begins."""
    order, sides = [k], [side]
    while True:
        here, out = order[-1], 1 - sides[-1]
        there = int(neighbors[here, out])
        if there < 0 or there == order[0]:
            return order, sides
        sides.append(0 if nodes[there, 0] == nodes[here, out] else 1)
        order.append(there)


def joints_of(
    ends: IntArray, points: Array, chains: IntArray, radii: Array
) -> IntArray:
    """(n, 2) numbers of the points where the rod of each segment begins and ends."""
    flat = ends.reshape(-1, 2)
    places = points[flat[:, 0], flat[:, 1]]
    near = TOGETHER * radii[flat[:, 0]]
    numbers = np.full(len(flat), -1, dtype=np.int64)
    for k in range(len(flat)):
        if numbers[k] < 0:
            away = np.linalg.norm(places - places[k], axis=1)
            numbers[(away <= near[k]) & (numbers < 0)] = k
    return np.asarray(numbers.reshape(-1, 2)[chains])


def ranks_of(chains: IntArray, lengths: Array, radii: Array, is_free: Any) -> IntArray:
    """Rank of each segment's rod: coarser meshes first, then shorter rods.

    Multipliers finer than the master's mesh would alternate. Rods that are much thinner
    come before: they may wind round others, never the other way. Rods that are held
    everywhere come last, since nodes that are held bear no multipliers.
    """
    n = int(chains.max(initial=-1)) + 1
    totals = np.bincount(chains, lengths, n)
    counts = np.maximum(np.bincount(chains, minlength=n), 1)
    free = np.bincount(chains, is_free.any(axis=(1, 2)), n) > 0.0
    thickness = _thickness(chains, radii, n)
    keys = [
        (
            not free[k],
            thickness[k],
            -float(f"{mean:.{DIGITS}g}"),
            float(f"{total:.{DIGITS}g}"),
            k,
        )
        for k, (mean, total) in enumerate(zip(totals / counts, totals, strict=True))
    ]
    ranks = np.empty(n, dtype=np.int64)
    ranks[[key[-1] for key in sorted(keys)]] = np.arange(n)
    return ranks[chains]


def _thickness(chains: IntArray, radii: Array, n: int) -> list[int]:
    """Class of each rod: those of one are at most `THICKER` times the thinnest."""
    largest = np.zeros(n)
    np.maximum.at(largest, chains, radii)
    classes, thinnest, number = [0] * n, np.inf, -1
    for k in np.argsort(largest, kind="stable").tolist():
        if number < 0 or largest[k] > THICKER * thinnest:
            number, thinnest = number + 1, largest[k]
        classes[k] = number
    return classes
