"""Point contacts of a list."""

from __future__ import annotations

from dataclasses import dataclass

from . import _layout as layout
from .model import ContactModel, Segments
from .on_shapes import has_crests
from .runs import Run


@dataclass
class Point:
    """One point contact: its pairs, and where it is."""

    pairs: list[tuple[int, int]]
    form: int = layout.POINT


def of_feature(segments: Segments, run: Run) -> Point:
    """A ball, or an edge of a body."""
    form = layout.EDGE if segments.is_edge[run.slave] else layout.SPHERE
    return Point(run.pairs, form)


def between_nodes(model: ContactModel, runs: list[Run]) -> list[Point]:
    """What touches between nodes of rods: other rods, and shapes that are convex.

    Sharp edges of shapes are crests, for themselves.
    """
    found = []
    for run in runs:
        shape = int(model.segments.shapes[run.masters[0]])
        if shape < 0 or has_crests(model.shapes.items[shape]):
            found.append(Point(run.pairs, layout.EDGE))
    return found
