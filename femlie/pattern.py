"""Pattern of the matrix of a system, and where the entries of elements stand in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .elements.base import Block, IntArray
from .system import System

N_DIRECTIONS = 6


@dataclass(frozen=True)
class Pattern:
    """Pattern of a square matrix, compressed by columns.

    Attributes
    ----------
    indptr, indices : (n + 1,), (n_entries,) int arrays
        Rows are sorted; every row has a diagonal entry.
    diagonal : (n,) int array
        Place of the diagonal entry of each row.
    slots : list of (n_elements, width, width) uint32 arrays
        Place of the entries of each element of each block; ``n_entries`` where locked.
    """

    indptr: IntArray
    indices: IntArray
    diagonal: IntArray
    slots: list[Any]


class _Groups:
    """Unknowns that come together: free directions of a frame, or one multiplier.

    Rows of a group follow each other, and so do groups; the pattern is found for groups
    and then spread out, which is far less to sort.
    """

    def __init__(self, system: System) -> None:
        free = system.dofs.numbers >= 0
        n_multipliers = system.dofs.n_multipliers
        self.n_frames = free.shape[0]
        self.sizes = np.append(free.sum(axis=1), np.ones(n_multipliers, np.int64))
        self.starts = np.append(0, np.cumsum(self.sizes))[:-1]
        # place of each direction in its group, -1 where locked
        self.ranks = np.where(free, np.cumsum(free, axis=1) - 1, -1)

    def of(self, block: Block, first_multiplier: int) -> tuple[IntArray, IntArray]:
        """Groups of each element (n, k + m), and ranks of its rows (n, width)."""
        n, m = block.n_elements, block.n_multipliers
        own = self.n_frames + first_multiplier + np.arange(n * m).reshape(n, m)
        own_ranks = np.zeros((n, m), np.int64)
        if block.multipliers is not None:
            # where there is none: any group, and a row that is locked
            own_ranks[block.multipliers < 0] = -1
            own = self.n_frames + first_multiplier + block.multipliers
            own = np.where(own_ranks < 0, block.frames[:, :1], own)
        width = N_DIRECTIONS * block.frames.shape[1]
        ranks = self.ranks[block.frames].reshape(n, width)
        return np.hstack([block.frames, own]), np.hstack([ranks, own_ranks])


def pattern_of(system: System) -> Pattern:
    """Pattern of all blocks of a system.

    Parameters
    ----------
    system : System

    Returns
    -------
    Pattern
    """
    groups = _Groups(system)
    n_groups = groups.sizes.size
    elements = []
    first = 0
    for block in system.blocks:
        elements.append(groups.of(block, first))
        first += block.n_all_multipliers
    present = np.flatnonzero(groups.sizes > 0)
    keys = [present * (n_groups + 1)]
    for members, _ in elements:
        key = members[:, None, :] * n_groups + members[:, :, None]
        keys.append(key.reshape(-1))
    unique, inverse = np.unique(np.concatenate(keys), return_inverse=True)
    columns, rows = np.divmod(unique, max(n_groups, 1))
    # rows that a pair of groups has in a column, and where they begin there
    heights = groups.sizes[rows]
    above = np.append(0, np.cumsum(heights))
    pair_starts = np.searchsorted(columns, np.arange(n_groups + 1))
    tops = above[pair_starts]
    offsets = above[:-1] - tops[columns]
    column_heights = np.diff(tops)
    places = np.append(0, np.cumsum(column_heights * groups.sizes))
    spread = _Spread(offsets, column_heights, places)
    slots = []
    start = present.size
    for (members, ranks), block in zip(elements, system.blocks, strict=True):
        size = members.size * members.shape[1]
        pairs = inverse[start : start + size].reshape(
            -1, members.shape[1], members.shape[1]
        )
        slots.append(spread.slots(pairs, members, ranks, block.frames.shape[1]))
        start += size
    diagonal = _diagonal(groups, spread, inverse[: present.size], present)
    rows_of_groups = _ranges(groups.starts[rows], heights)
    per_column = np.repeat(column_heights, groups.sizes)
    indices = rows_of_groups[_ranges(np.repeat(tops[:-1], groups.sizes), per_column)]
    indptr = np.append(0, np.cumsum(per_column))
    return Pattern(indptr, indices, diagonal, slots)


class _Spread:
    """From pairs of groups to entries of the matrix."""

    def __init__(
        self, offsets: IntArray, column_heights: IntArray, places: IntArray
    ) -> None:
        self.offsets = offsets
        self.column_heights = column_heights
        self.places = places

    def slots(
        self, pairs: IntArray, members: IntArray, ranks: IntArray, n_frames: int
    ) -> Any:
        """(n, width, width) places of the entries of elements."""
        repeats = np.ones(members.shape[1], dtype=np.int64)
        repeats[:n_frames] = N_DIRECTIONS
        group = np.repeat(np.arange(members.shape[1]), repeats)
        column = self.places[members][:, group]
        column = column + ranks * self.column_heights[members][:, group]
        found = self.offsets[pairs][:, group[:, None], group[None, :]]
        found = found + ranks[:, :, None] + column[:, None, :]
        is_locked = ranks < 0
        found[is_locked[:, :, None] | is_locked[:, None, :]] = self.places[-1]
        return found.astype(np.uint32)


def _diagonal(
    groups: _Groups, spread: _Spread, pairs: IntArray, present: IntArray
) -> IntArray:
    """(n,) places of the diagonal, from the pairs of each group with itself."""
    sizes = groups.sizes[present]
    own = spread.places[present] + spread.offsets[pairs]
    rank = _ranges(np.zeros_like(sizes), sizes)
    step = spread.column_heights[present] + 1
    return np.asarray(np.repeat(own, sizes) + rank * np.repeat(step, sizes))


def _ranges(starts: IntArray, lengths: Sequence[int] | IntArray) -> IntArray:
    """``starts[0], starts[0] + 1, ...``, as many as its length, then the next."""
    lengths = np.asarray(lengths, dtype=np.int64)
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if ends.size else 0
    return np.arange(total) + np.repeat(starts - (ends - lengths), lengths)
