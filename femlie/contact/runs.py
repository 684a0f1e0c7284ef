"""Runs of neighboring pairs, and the nodes of the slave that they share.

A run is one slave segment with neighboring master segments, around one hollow of the
distance. Runs of neighboring slave segments whose masters overlap share the multiplier
of the node between them; a rod next to two turns of another one has two multipliers
at each node. Runs that are linked in this way are a patch.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..elements.base import Array, IntArray
from . import _grouping as kernels
from .model import Segments


class Run(NamedTuple):
    """One slave segment and neighboring masters, in order along their rod."""

    slave: int
    masters: list[int]

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """Slave with each master."""
        return [(self.slave, one) for one in self.masters]


@dataclass(frozen=True)
class Runs:
    """All runs at a place.

    Attributes
    ----------
    slaves : (n,) int array
    starts : (n + 1,) int array
        First place of each run among the masters.
    masters : int array
    nodes : (n, 2) int array
        Number of the node at both ends of the slave, shared by neighbors.
    patches : (n,) int array
        First run of the patch that each belongs to.
    core : (n, 2) int array
        First and last place of the masters that closest places are on.
    """

    slaves: IntArray
    starts: IntArray
    masters: IntArray
    nodes: IntArray
    patches: IntArray
    core: IntArray

    @property
    def n(self) -> int:
        return int(self.slaves.size)

    @property
    def counts(self) -> IntArray:
        """(n,) how many masters each has."""
        return np.diff(self.starts)

    @property
    def pairs(self) -> IntArray:
        """(m, 2) slave and master of each place."""
        pairs = np.empty((self.masters.size, 2), np.int64)
        kernels.put_pairs(self.slaves, self.starts, self.masters, pairs)
        return pairs

    @property
    def core_pairs(self) -> IntArray:
        """The same of the core alone."""
        counts = self.core[:, 1] - self.core[:, 0] + 1
        ends = np.cumsum(counts)
        at = np.arange(counts.sum()) + np.repeat(
            self.core[:, 0] - (ends - counts), counts
        )
        slaves = np.repeat(self.slaves, counts)
        return np.stack([slaves, self.masters[at]], axis=1)

    def one(self, k: int) -> Run:
        """A run by its number."""
        masters = self.masters[self.starts[k] : self.starts[k + 1]]
        return Run(int(self.slaves[k]), masters.tolist())

    @cached_property
    def listed(self) -> list[Run]:
        """All of them, for plain Python."""
        return [self.one(k) for k in range(self.n)]

    def with_all(self) -> Runs:
        """The same runs, the core of each of which are all of its masters."""
        return replace(
            self, core=np.stack([self.starts[:-1], self.starts[1:] - 1], axis=1)
        )

    def narrowed(self, kept: IntArray, windows: IntArray, core: IntArray) -> Runs:
        """Some of the runs, each with the masters from one place to another.

        Parameters
        ----------
        kept : (k,) int array
        windows, core : (k, 2) int arrays
            First and last place.
        """
        starts = np.empty(kept.size + 1, np.int64)
        masters = np.empty(self.masters.size, np.int64)
        kernels.cut(self.masters, windows, starts, masters)
        return replace(
            self,
            slaves=self.slaves[kept],
            starts=starts,
            masters=masters[: starts[-1]],
            nodes=self.nodes[kept],
            patches=self.patches[kept],
            core=core - (windows[:, :1] - starts[:-1, None]),
        )


def oriented(segments: Segments, pairs: IntArray) -> IntArray:
    """Pairs as slave and master: spheres first, then by rank, then along the rod."""
    found = np.empty_like(pairs)
    keys = segments.is_sphere, segments.ranks, segments.places
    kernels.orient(pairs, *keys, found)
    return found


def find_runs(segments: Segments, pairs: IntArray, gaps: Array) -> Runs:
    """All runs of oriented pairs; ``gaps`` are those of the chords."""
    m = len(pairs)
    keys, sizes = np.empty(m, np.int64), (segments.n_chains, segments.most_places)
    if not kernels.set_keys(pairs, segments.chains, segments.places, sizes, keys):
        order = np.argsort(keys, kind="stable")
        pairs, gaps = pairs[order], gaps[order]
    slaves, starts = np.empty(2 * m, np.int64), np.empty(2 * m + 1, np.int64)
    masters = np.empty(2 * m, np.int64)
    n = int(
        kernels.split(
            pairs, gaps, segments.neighbors, segments.radii, slaves, starts, masters
        )
    )
    slaves, starts = slaves[:n].copy(), starts[: n + 1].copy()
    masters = masters[: starts[-1]].copy()
    if segments.has_rings:
        slaves, starts, masters = _join_rings(segments, slaves, starts, masters)
    return _linked(segments, slaves, starts, masters)


def _linked(
    segments: Segments, slaves: IntArray, starts: IntArray, masters: IntArray
) -> Runs:
    """Runs with their nodes and patches, and one more master at either end."""
    n = slaves.size
    neighbors = segments.neighbors
    first = np.empty(segments.n + 1, np.int64)
    nodes, patches = np.full((n, 2), -1), np.empty(n, np.int64)
    kernels.link(slaves, starts, masters, neighbors, first, nodes, patches)
    wide = np.empty(masters.size + 2 * n, np.int64)
    new_starts = np.empty(n + 1, np.int64)
    size = int(
        kernels.extend(
            slaves, starts, masters, neighbors, segments.chains, new_starts, wide
        )
    )
    core = np.stack([new_starts[:-1], new_starts[1:] - 1], axis=1)
    return Runs(slaves, new_starts, wide[:size].copy(), nodes, patches, core)


def _join_rings(
    segments: Segments, slaves: IntArray, starts: IntArray, masters: IntArray
) -> tuple[IntArray, IntArray, IntArray]:
    """One run of two that meet where the numbers along a ring begin."""
    kept: list[tuple[int, list[int]]] = []
    first: dict[tuple[int, int], list[int]] = {}
    for k, slave in enumerate(slaves.tolist()):
        own = masters[starts[k] : starts[k + 1]].tolist()
        key = (slave, int(segments.chains[own[0]]))
        begin = first.get(key)
        if (
            begin is not None
            and begin[0] != own[0]
            and segments.places[begin[0]] == 0
            and begin[0] in segments.neighbors[own[-1]]
            and len(own) > 1
        ):
            begin[:0] = own
            continue
        first.setdefault(key, own)
        kept.append((slave, own))
    counts = [len(own) for _, own in kept]
    return (
        np.array([slave for slave, _ in kept], dtype=np.int64),
        np.concatenate([[0], np.cumsum(counts, dtype=np.int64)]),
        np.array([one for _, own in kept for one in own], dtype=np.int64),
    )


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
