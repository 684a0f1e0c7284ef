"""Segments that a contact needs: where it is, and where it may move to.

Rows of the matrix couple each slave segment with all masters that are listed for it.
Few of these are next to it; on fine meshes all others within reach would fill most of
the factors. What is listed covers the closest places and a margin; a solution that has
moved beyond it is found before it is accepted.
"""

from __future__ import annotations

import numpy as np

from ..elements.base import Array, IntArray
from . import _layout as layout
from .model import Segments
from .runs import Run

# length on either side of the closest places, over the radius, and one segment at least
MARGIN = 0.5
# segments on either side of a point contact that it may move to within a step
WINDOW = 2


def extend(segments: Segments, run: Run) -> None:
    """One more master at either end, of another rod."""
    masters = run.masters
    run.core = masters
    if segments.chains[run.slave] == segments.chains[masters[0]]:
        return
    for k in (0, -1):
        more = [m for m in segments.links[masters[k]] if m >= 0 and m not in masters]
        if more and k == 0:
            masters.insert(0, more[0])
        elif more:
            masters.append(more[-1])


def narrow(segments: Segments, run: Run, nearest: Array) -> None:
    """Keep the masters between those that are ``nearest``, and a margin."""
    at = [run.masters.index(int(one)) for one in nearest]
    first, last = min(at), max(at)
    begin = _beyond(segments, run.masters, first, -1)
    end = _beyond(segments, run.masters, last, 1)
    run.core = run.masters[first : last + 1]
    run.masters = run.masters[begin : end + 1]


def _beyond(segments: Segments, masters: list[int], at: int, way: int) -> int:
    """Number of the last master of the margin in one direction."""
    left = MARGIN * float(segments.radii[masters[at]])
    while left > 0.0 and 0 <= at + way < len(masters):
        at += way
        left -= float(segments.lengths[masters[at]])
    return at


def window(
    segments: Segments, runs: list[Run], slave: int, master: int
) -> list[tuple[int, int]]:
    """Pairs around the closest one, one segment beyond what is within reach."""
    slaves = _around(segments, slave)
    masters = _around(segments, master)
    listed = {(run.slave, m) for run in runs for m in run.masters}
    if segments.chains[slave] != segments.chains[master]:
        listed = {(a, b) for a in slaves for b in masters}
    return sorted((a, b) for a, b in listed if a in slaves and b in masters)


def _around(segments: Segments, one: int) -> set[int]:
    """A segment and its neighbors, `WINDOW` on either side."""
    found = {one}
    for end in range(2):
        here, came = one, -1
        for step in range(WINDOW):
            ahead = [m for m in segments.links[here] if m >= 0 and m != came]
            there = segments.links[here][end] if step == 0 else -1
            if step > 0 and ahead:
                there = ahead[0]
            if there < 0:
                break
            came, here = here, there
            found.add(here)
    return found


def has_left(codes: IntArray, iterates: Array, forces: Array) -> bool:
    """Whether a closest place that bears a force is beyond what is listed.

    Parameters
    ----------
    codes : (n_rows, n_codes) int array
        Of a list of contacts.
    iterates : (n_rows, n_iterates) array
        As the last correction has left them.
    forces : (n_multipliers,) array
        Multipliers, numbered as in the list.
    """
    n = len(codes)
    is_head = (codes[:, layout.FIRST] == np.arange(n)) & (codes[:, layout.SHAPE] == 0)
    numbers = codes[:, layout.MULTIPLIER : layout.MULTIPLIER + layout.N_MULTIPLIERS]
    bears = ((numbers >= 0) & (forces[numbers] > 0.0)).any(axis=1)
    is_line = codes[:, layout.FORM] == layout.LINE
    for k in range(layout.N_POINTS):
        own = np.flatnonzero(is_head & bears & (is_line | (k == 0)))
        at = layout.POINT_WIDTH * k
        own = own[iterates[own, at + layout.ROW] >= 0.0]
        rows = iterates[own, at + layout.ROW].astype(np.int64)
        if _ends(codes, rows, iterates[own, at + layout.ETA], 2):
            return True
        own, rows = own[~is_line[own]], rows[~is_line[own]]
        if _ends(codes, rows, iterates[own, layout.XI], 0):
            return True
    return False


def _ends(codes: IntArray, rows: IntArray, places: Array, column: int) -> bool:
    """Whether some places are beyond their segment, and nothing is listed there."""
    is_out = (places < 0.0) | (places > 1.0)
    end = (places[is_out] > 1.0).astype(np.int64)
    there = codes[rows[is_out], layout.NEXT + column + end]
    return bool(np.any(there == layout.NOT_LISTED))
