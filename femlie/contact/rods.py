"""Rods as wholes: which are rings, and axes that go on from segment to segment."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..elements.base import Array, IntArray
from ..lie import quaternion


def lengths_of_rings(
    chains: IntArray, neighbors: IntArray, arcs: Array, rests: Array
) -> Array:
    """(n,) length of the ring that each segment belongs to, zero on open rods [m].

    Parameters as the fields of `Segments`.
    """
    is_open = np.zeros(int(chains.max(initial=-1)) + 1, dtype=bool)
    is_open[chains[np.any(neighbors < 0, axis=1)]] = True
    return np.where(is_open[chains], 0.0, arcs.max(axis=1) + rests)


def turns_along(
    chains: IntArray, places: IntArray, neighbors: IntArray, offsets: Array, alone: Any
) -> Array:
    """(n, 4) turns from sections of segments to axes that go on along their rod.

    Sections of two segments on their common node may have other axes; those of the
    first segment of a rod are carried on from node to node. Parameters as the fields
    of `Segments`, the last being spheres.
    """
    n = len(chains)
    turns = np.tile([1.0, 0.0, 0.0, 0.0], (n, 1))
    q = offsets[..., 3:]
    before = -1
    for one in np.lexsort((places, chains)).tolist():
        if not alone[one] and places[one] > 0 and before >= 0:
            shared, there = neighbors[one].tolist(), neighbors[before].tolist()
            end = shared.index(before) if before in shared else 0
            start = there.index(one) if one in there else 1
            turn = quaternion.multiply(q[before, start], turns[before])
            turns[one] = quaternion.multiply(quaternion.conjugate(q[one, end]), turn)
        before = one
    return turns
