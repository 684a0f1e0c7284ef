"""How much nearer things that may touch may have come since their list was made."""

from __future__ import annotations

import numpy as np

from ..contact._chords import largest_way
from ..contact.model import ContactModel
from ..contact.shape_pairs import (
    MOST_MOVING_PAIRS,
    PLACES,
    lists_all_bodies,
    partners,
)
from ..elements.base import Array, IntArray

# overlaps above this part of the unit, which come with new rows, are left for a while
LEFT = 1e-8
# of what a step closes such an overlap is made smaller by this part
REGAINED = 0.1


def least_gaps(start: Array, smooth: Array, unit: float) -> Array:
    """(n,) gaps that a step may not go below [m].

    Zero, but where it begins with an overlap: where zones of contact end and begin, and
    where points become lines, gaps that are means over a length jump. To undo that at
    once would be a push, however short the step.

    Parameters
    ----------
    start, smooth : (n,) arrays
        Gaps where the step begins and where it leads as if nothing touched [m].
    unit : float
        Length that gaps are measured by [m].
    """
    least = np.zeros(start.size)
    is_left = start < -LEFT * unit
    closing = np.maximum(start[is_left] - smooth[is_left], 0.0)
    least[is_left] = np.minimum(start[is_left] + REGAINED * closing, 0.0)
    return least


class Watch:
    """Watches over a list of contacts as things move.

    Parameters
    ----------
    model : ContactModel
    """

    def __init__(self, model: ContactModel) -> None:
        self.model = model
        segments = model.segments
        is_body = segments.carriers >= 0
        knows_bodies = lists_all_bodies(model, MOST_MOVING_PAIRS)
        # what touches by its chord
        self._rods = np.flatnonzero(~is_body | segments.is_crest)
        if len(model.crossings) and not knows_bodies:
            self._rods = np.union1d(self._rods, model.crossings.reshape(-1))
        self._near: list[IntArray] = []
        for k in range(len(model.shapes.items)):
            own = partners(model, k)
            self._near.append(own[~is_body[own]] if knows_bodies else own)
        self._ends: Array | None = None
        self._bows = np.zeros(0)
        self._seen: list[Array] = []
        self._beyond: list[Array] = []

    def forget(self) -> None:
        """Watch over no list."""
        self._ends = None

    def begin(self, poses: Array, ends: Array, bows: Array) -> None:
        """Watch over the list that is made at a place.

        Parameters
        ----------
        poses : (n_frames, 7) array
        ends : (n, 2, 3) array
            Of all chords [m].
        bows : (n,) array
            How far each axis is from its chord [m].
        """
        model, radii = self.model, self.model.segments.radii
        self._ends, self._bows = ends, bows
        self._seen, self._beyond = [], []
        for k, own in enumerate(self._near):
            seen = model.shapes.seen(k, poses, ends[own])
            places = seen[:, :1] + PLACES[:, None] * (seen[:, 1:] - seen[:, :1])
            distances = model.shapes.local_distances(k, places)
            between = 0.5 * np.linalg.norm(seen[:, 1] - seen[:, 0], axis=1)
            between *= PLACES[1] - PLACES[0]
            gaps = distances.min(axis=1, initial=np.inf) - between
            self._seen.append(seen)
            self._beyond.append(
                np.maximum(gaps - radii[own] - bows[own] - model.reach, 0.0)
            )

    def nearer(self, poses: Array, ends: Array, bows: Array) -> float:
        """How much nearer any two may have come that were within reach of the list [m].

        Or will be; infinite without a list.
        """
        if self._ends is None:
            return float("inf")
        change = np.abs(bows - self._bows)
        rods = self._rods
        way = largest_way(self._ends[rods], ends[rods], change[rods])
        found = 2.0 * float(way)
        for k, own in enumerate(self._near):
            seen = self.model.shapes.seen(k, poses, ends[own])
            way = largest_way(self._seen[k], seen, change[own] - self._beyond[k])
            found = max(found, float(way))
        return found
