"""Rods as wholes: which are rings, and axes that go on from segment to segment."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..elements.base import Array
from ..lie import quaternion

if TYPE_CHECKING:
    from .model import Segments


def lengths_of_rings(segments: Segments) -> Array:
    """(n,) length of the ring that each segment belongs to, zero on open rods [m]."""
    n = int(segments.chains.max(initial=-1)) + 1
    is_open = np.zeros(n, dtype=bool)
    is_end = np.any(segments.neighbors < 0, axis=1)
    is_open[segments.chains[is_end]] = True
    whole = segments.arcs.max(axis=1) + segments.rests
    return np.where(is_open[segments.chains], 0.0, whole)


def turns_along(segments: Segments) -> Array:
    """(n, 4) turns from sections of segments to axes that go on along their rod.

    Sections of two segments on their common node may have other axes; those of the
    first segment of a rod are carried on from node to node.
    """
    turns = np.tile([1.0, 0.0, 0.0, 0.0], (segments.n, 1))
    order = np.lexsort((segments.places, segments.chains))
    q = segments.offsets[..., 3:]
    before = -1
    for one in order.tolist():
        is_first = segments.is_sphere[one] or segments.places[one] == 0
        if not is_first and before >= 0:
            shared = segments.neighbors[one].tolist()
            end = shared.index(before) if before in shared else 0
            there = segments.neighbors[before].tolist()
            start = there.index(one) if one in there else 1
            own = quaternion.conjugate(q[one, end])
            turns[one] = quaternion.multiply(
                own, quaternion.multiply(q[before, start], turns[before])
            )
        before = one
    return turns
