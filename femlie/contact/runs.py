"""Pairs of segments put in order: runs of masters along each slave, and patches.

A run is one slave segment with neighboring master segments that it may touch. Runs of
neighboring slaves that overlap belong to one patch and share the multiplier of the node
between them. A slave that two turns of a coil touch has two runs, hence two multipliers
at each node.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..elements.base import Array, IntArray
from .model import Segments

# two hollows of the distance along a run are two runs if the barrier between them is
# higher than this part of the radii
BARRIER = 0.25


@dataclass
class Run:
    """One slave segment and neighboring masters, in order along their rod.

    The ``core`` of the masters has all closest places.
    """

    slave: int
    masters: list[int]
    nodes: list[int] = field(default_factory=lambda: [-1, -1])  # shared by neighbors
    patch: int = -1
    core: list[int] = field(default_factory=list)

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """Slave with each master."""
        return [(self.slave, one) for one in self.masters]


def oriented(segments: Segments, pairs: IntArray) -> IntArray:
    """Pairs as slave and master: spheres first, then by rank, then along the rod."""
    keys = np.stack(
        [
            ~segments.is_sphere[pairs],
            segments.ranks[pairs],
            segments.places[pairs],
        ]
    )
    turned = np.zeros(len(pairs), dtype=bool)
    open_ = np.ones(len(pairs), dtype=bool)
    for key in keys:
        turned |= open_ & (key[:, 0] > key[:, 1])
        open_ &= key[:, 0] == key[:, 1]
    return np.asarray(np.where(turned[:, None], pairs[:, ::-1], pairs))


def find_runs(segments: Segments, pairs: IntArray, gaps: Array) -> list[Run]:
    """All runs of oriented pairs; ``gaps`` are those of the chords."""
    chain = segments.chains[pairs[:, 1]]
    place = segments.places[pairs[:, 1]]
    order = np.lexsort((place, chain, pairs[:, 0]))
    runs: list[Run] = []
    current: list[int] = []
    distances: list[float] = []
    before = -1

    def close() -> None:
        if current:
            for part in _split(segments, current, distances):
                runs.append(Run(before, part))

    for k in order.tolist():
        slave, master = int(pairs[k, 0]), int(pairs[k, 1])
        follows = bool(current) and master in segments.links[current[-1]]
        if slave != before or not follows:
            close()
            current, distances = [], []
        before = slave
        current.append(master)
        distances.append(float(gaps[k]))
    close()
    return _join_rings(segments, runs)


def _join_rings(segments: Segments, runs: list[Run]) -> list[Run]:
    """One run of two that meet where the numbers along a ring begin."""
    kept: list[Run] = []
    first: dict[tuple[int, int], Run] = {}
    for run in runs:
        key = (run.slave, int(segments.chains[run.masters[0]]))
        begin = first.get(key)
        is_other = begin is not None and begin.masters[0] != run.masters[0]
        if (
            begin is not None
            and is_other
            and segments.places[begin.masters[0]] == 0
            and begin.masters[0] in segments.neighbors[run.masters[-1]]
            and len(run.masters) > 1
        ):
            begin.masters = run.masters + begin.masters
            continue
        first.setdefault(key, run)
        kept.append(run)
    return kept


def _split(
    segments: Segments, masters: list[int], gaps: list[float]
) -> list[list[int]]:
    """Parts of a run around each hollow of the distance; the barrier is in both."""
    height = BARRIER * float(segments.radii[masters].min())
    parts = []
    start = 0
    for low, high, _ in hollows(np.array(gaps), height):
        parts.append(masters[max(low, start) : high + 1])
    return parts


def hollows(values: Array, height: float) -> list[tuple[int, int, int]]:
    """Hollows that are separated by barriers: first, last and lowest number of each."""
    found: list[tuple[int, int, int]] = []
    start = low = top = 0
    is_rising = False
    for k in range(1, values.size):
        if not is_rising:
            if values[k] < values[low]:
                low = k
            elif values[k] > values[low] + height:
                is_rising, top = True, k
        elif values[k] > values[top]:
            top = k
        elif values[k] < values[top] - height:
            found.append((start, top, low))
            start, low, is_rising = top, k, False
    found.append((start, values.size - 1, low))
    return found


def link(segments: Segments, runs: list[Run]) -> int:
    """Number the nodes of all runs and their patches; returns how many nodes."""
    by_slave: dict[int, list[int]] = {}
    for k, run in enumerate(runs):
        by_slave.setdefault(run.slave, []).append(k)
    patch = list(range(len(runs)))
    n_nodes = 0
    for slave, own in by_slave.items():
        for end in range(2):
            other = segments.links[slave][end]
            beyond = segments.links[other] if other >= 0 else [-1, -1]
            there = 1 if beyond[1] == slave else 0
            if beyond == [slave, slave]:
                there = 1 - end
            partners = by_slave.get(other, []) if other > slave else []
            for a, b in _matches(segments, runs, own, partners):
                runs[a].nodes[end] = runs[b].nodes[there] = n_nodes
                n_nodes += 1
                _unite(patch, a, b)
    for run in runs:
        for end in range(2):
            if run.nodes[end] < 0:
                run.nodes[end] = n_nodes
                n_nodes += 1
    for k, run in enumerate(runs):
        run.patch = _root(patch, k)
    return n_nodes


def _matches(
    segments: Segments, runs: list[Run], own: list[int], others: list[int]
) -> list[tuple[int, int]]:
    """Runs of two neighboring slaves that overlap most, each with one partner."""
    scores = []
    for a in own:
        near = set(runs[a].masters)
        reach = near | {m for one in near for m in segments.links[one] if m >= 0}
        for b in others:
            there = set(runs[b].masters)
            score = 2 * len(near & there) + len(reach & there)
            if score:
                scores.append((-score, a, b))
    found = []
    taken: set[int] = set()
    for _, a, b in sorted(scores):
        if a not in taken and b not in taken:
            found.append((a, b))
            taken |= {a, b}
    return found


def _root(parents: list[int], k: int) -> int:
    while parents[k] != k:
        parents[k] = parents[parents[k]]
        k = parents[k]
    return k


def _unite(parents: list[int], a: int, b: int) -> None:
    first, second = sorted((_root(parents, a), _root(parents, b)))
    parents[second] = first
