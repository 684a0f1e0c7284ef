"""Point contacts of a list: which pairs of segments they may move over."""

from __future__ import annotations

from dataclasses import dataclass

from . import _layout as layout
from .model import ContactModel, Segments
from .on_shapes import has_crests
from .runs import Run

# segments on either side of a point contact that it may move to within a step
WINDOW = 2


@dataclass
class Point:
    """One point contact: its pairs, and where it is."""

    pairs: list[tuple[int, int]]
    form: int = layout.POINT


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


def extended(segments: Segments, run: Run) -> list[tuple[int, int]]:
    """Pairs of a run and one more master at either end, of another rod."""
    masters = list(run.masters)
    if segments.chains[run.slave] != segments.chains[masters[0]]:
        for k in (0, -1):
            more = [m for m in segments.links[masters[k]] if m >= 0]
            more = [m for m in more if m not in masters]
            if more and k == 0:
                masters.insert(0, more[0])
            elif more:
                masters.append(more[-1])
    return [(run.slave, m) for m in masters]


def of_feature(segments: Segments, run: Run) -> Point:
    """A ball, or an edge of a body."""
    form = layout.EDGE if segments.is_edge[run.slave] else layout.SPHERE
    return Point(extended(segments, run), form)


def between_nodes(model: ContactModel, runs: list[Run]) -> list[Point]:
    """What touches between nodes of rods: other rods, and shapes that are convex."""
    found = []
    for run in runs:
        shape = int(model.segments.shapes[run.masters[0]])
        if shape < 0 or has_crests(model.shapes.items[shape]):
            found.append(Point(extended(model.segments, run), layout.EDGE))
    return found
