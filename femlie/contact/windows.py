"""Segments that a contact needs: where it is, and where it may move to.

Rows of the matrix couple each slave segment with all masters that are listed for it.
Few of these are next to it; on fine meshes all others within reach would fill most of
the factors. What is listed covers the closest places and a margin; a solution that has
moved beyond it is found before it is accepted.
"""

from __future__ import annotations

import numpy as np

from ..elements.base import Array, IntArray
from . import _forming as forming
from . import _layout as layout
from .model import Segments
from .runs import Run, Runs
from .samples import Samples

# length on either side of the closest places, over the radius, and one segment at least
MARGIN = 0.25
# segments on either side of a point contact that it may move to within a step
WINDOW = 2


def narrowed(
    segments: Segments,
    runs: Runs,
    samples: Samples,
    kept: IntArray,
    *,
    is_narrow: bool,
) -> Runs:
    """Some of the runs, with masters between the nearest ones, and a margin, only.

    Parameters
    ----------
    segments : Segments
    runs : Runs
    samples : Samples
    kept : (k,) int array
        Numbers of the runs.
    is_narrow : bool
        False: with all of their masters.
    """
    if not is_narrow and kept.size == runs.n:
        return runs.with_all()
    windows = np.stack([runs.starts[kept], runs.starts[kept + 1] - 1], axis=1)
    core = windows.copy()
    if is_narrow:
        forming.narrow(
            kept,
            runs.starts,
            runs.masters,
            samples.places,
            segments.radii,
            segments.lengths,
            MARGIN,
            windows,
            core,
        )
    return runs.narrowed(kept, windows, core)


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
