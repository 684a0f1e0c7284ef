"""Point contacts of a list: where they are, and which patches of runs are some."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..elements.base import Array, IntArray
from . import _layout as layout
from ._forming import beyond_reach
from .model import ContactModel, Segments
from .on_shapes import has_crests, is_on_edge
from .runs import Run, hollows
from .windows import window

# A contact is one point where the gap opens sharply along the slave: by more than this
# part of the radius within one element (times two). A line form would be off by about
# 1 % there; the change is made with hysteresis.
SHARP, SHARP_BEFORE, SHARP_NEW = 0.12, 0.08, 0.1
# hollows of the gap along a slave that are less deep than this part of the radius are
# one contact
HOLLOW = 0.2
# and this part where they are points: less than the gap opens to both sides of each
SHALLOW = 0.03
# places on smooth parts of a rigid shape are farther by more than this part of the
# radius where a rod is bent over a sharp edge of it
EDGE_GAP = 0.05
# what lies deeper in a rigid shape than this part of the radius, farther from the
# lowest place than an element, asks for a line: one point would leave it there where
# the lowest place is held
OVERLAP = 1e-3


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


class Along(NamedTuple):
    """Samples along a patch, sorted by arc length, each with its slave and master."""

    arcs: Array
    gaps: Array
    slaves: IntArray
    masters: IntArray
    is_sharp: Any


def points_of(
    model: ContactModel,
    runs: list[Run],
    samples: Array,
    before: dict[tuple[int, int], int],
) -> tuple[list[Point], list[int]]:
    """Point contacts of a patch, and numbers of its runs that are line contacts.

    A patch is one or the other, but for rods that are bent over a sharp edge of a
    rigid shape and lie flat elsewhere.

    ``samples`` (n_runs, 3, 3): gap at three places of each slave, the nearest master,
    and whether that is a sharp edge.
    """
    segments = model.segments
    slaves = np.array([run.slave for run in runs])
    arcs = segments.arcs[slaves]
    arcs = np.stack([arcs[:, 0], arcs.mean(axis=1), arcs[:, 1]], axis=1).reshape(-1)
    flat = samples.reshape(-1, 3)
    order = np.argsort(arcs, kind="stable")
    arcs, gaps = arcs[order], flat[order, 0]
    nearest = flat[order, 1].astype(np.int64)
    is_sharp = flat[order, 2] > 0.0
    owners = np.repeat(np.arange(len(runs)), 3)[order]
    radius = float(segments.radii[slaves].min())
    has_edges = bool(is_sharp.any())
    along = Along(arcs, gaps, slaves[owners], nearest, is_sharp)
    parts = hollows(gaps, (EDGE_GAP if has_edges else HOLLOW) * radius)
    are_points = [_is_point(model, along, part, radius, before) for part in parts]
    if not has_edges and not all(are_points):
        return [], list(range(len(runs)))
    if not has_edges:
        parts = hollows(gaps, SHALLOW * radius)
        are_points = [True] * len(parts)
    found = []
    lines: set[int] = set()
    for (low, high, at), is_point in zip(parts, are_points, strict=True):
        members = owners[low : high + 1].tolist()
        if not is_point:
            lines.update(members)
            continue
        inside = [runs[k] for k in sorted(set(members))]
        pair = int(along.slaves[at]), int(nearest[at])
        found.append(Point(window(segments, inside, *pair)))
    return found, sorted(lines)


def _is_point(
    model: ContactModel,
    along: Along,
    part: tuple[int, int, int],
    radius: float,
    before: dict[tuple[int, int], int],
) -> bool:
    """Whether a hollow of the gap, from, to and lowest at, is a point contact."""
    low, high, at = part
    arcs, gaps, own = along.arcs, along.gaps, slice(low, high + 1)
    slave, master = int(along.slaves[at]), int(along.masters[at])
    if is_on_edge(gaps, along.is_sharp, own, EDGE_GAP * radius):
        return True
    if model.segments.shapes[master] >= 0:
        h = model.segments.lengths[slave]
        is_far = np.abs(arcs[own] - arcs[at]) > 1.001 * h
        if np.any(gaps[own][is_far] < -OVERLAP * radius):
            return False
    form = before.get((slave, master))
    limit = {None: SHARP_NEW, layout.LINE: SHARP}.get(form, SHARP_BEFORE)
    return _sharpness(model, arcs, gaps, at, slave) / radius > limit


def _sharpness(
    model: ContactModel, arcs: Array, gaps: Array, at: int, slave: int
) -> float:
    """Twice what the gap opens within one element from its lowest place [m]."""
    segments = model.segments
    h = float(segments.lengths[slave])
    opened = []
    for sign in (-1.0, 1.0):
        away = sign * (arcs - arcs[at])
        beyond = np.flatnonzero(away >= 0.999 * h)
        if beyond.size:
            k = beyond[np.argmin(away[beyond])]
            opened.append(float(gaps[k] - gaps[at]))
            continue
        last = int(np.argmax(away))
        total = float(segments.totals[slave])
        edge = 0.0 if sign < 0.0 else total
        if abs(arcs[last] - edge) > 1e-6 * h:
            opened.append(beyond_reach(float(gaps[at]), model.reach))
    if not opened:
        opened = [float(gaps.max() - gaps[at])]
    return 2.0 * min(opened)
