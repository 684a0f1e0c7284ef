"""The list of contacts at one place: which pairs touch along a line, which at points.

A pure function of the place, and of the forms before: the search may look as far ahead
as it likes without changing what comes out.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from ..elements.base import Array, Block, IntArray
from . import _kernel as kernel
from . import _layout as layout
from .model import ContactModel, Segments
from .on_shapes import is_on_edge, with_shapes
from .rubbing import rubbing, with_friction
from .runs import Run, find_runs, hollows, link, oriented
from .samples import gaps_along

# A contact is one point where the gap opens sharply along the slave: by more than this
# part of the radius within one element (times two). A line form would be off by about
# 1 % there; the change is made with hysteresis.
SHARP, SHARP_BEFORE, SHARP_NEW = 0.12, 0.08, 0.1
# hollows of the gap along a slave that are less deep than this part of the radius are
# one contact
HOLLOW = 0.2
# places on smooth parts of a rigid shape are farther by more than this part of the
# radius where a rod is bent over a sharp edge of it
EDGE_GAP = 0.05
# segments on either side of a point contact that it may move to within a step
WINDOW = 2


@dataclass
class Point:
    """One point contact: its pairs, and where it is."""

    pairs: list[tuple[int, int]]
    is_sphere: bool = False


@dataclass
class ContactList:
    """Contacts at one place.

    Attributes
    ----------
    frames, codes, parameters : arrays
        One row a pair, as in `Block`.
    n_multipliers : int
    runs : list of Run
        Line contacts, in the order of their rows, then of ``points``.
    points : list of Point
    run_multipliers : list of pairs of int
        Numbers of the multipliers of each run, from zero on.
    forms : dict of (slave, master) -> form
    """

    frames: IntArray
    codes: IntArray
    parameters: Array
    n_multipliers: int
    runs: list[Run] = field(default_factory=list)
    points: list[Point] = field(default_factory=list)
    run_multipliers: list[tuple[int, int]] = field(default_factory=list)
    forms: dict[tuple[int, int], int] = field(default_factory=dict)

    @property
    def has_friction(self) -> bool:
        """Whether rows have what friction adds."""
        return self.codes.shape[1] > layout.N_CODES

    @property
    def n_unknowns(self) -> int:
        """Multipliers of all kinds: two tangential ones for each with friction."""
        return self.n_multipliers * (3 if self.has_friction else 1)

    @property
    def number_columns(self) -> tuple[slice, ...]:
        """Columns of ``codes`` that hold numbers of multipliers."""
        normal = slice(layout.MULTIPLIER, layout.MULTIPLIER + layout.N_MULTIPLIERS)
        return (normal, slice(layout.N_CODES, None))[: 2 if self.has_friction else 1]

    @property
    def pairs(self) -> set[tuple[int, int]]:
        """Pairs of segments in the list."""
        columns = self.codes[:, [layout.SLAVE, layout.MASTER]]
        return {(int(a), int(b)) for a, b in columns}

    def is_like(self, other: ContactList) -> bool:
        """Whether the other list has the same rows."""
        return np.array_equal(self.codes, other.codes)

    def block(self, model: ContactModel) -> Block:
        """The block of the list; multipliers are numbered from zero."""
        n = len(self.codes)
        names = tuple(
            model.names[total - model.segments.n]
            for total in self.codes[:, layout.TOTAL].tolist()
        )
        block = Block(
            kind="contact",
            kernels=(kernel.evaluate, kernel.carry, kernel.observe),
            frames=self.frames.reshape(n, 4),
            codes=self.codes,
            parameters=self.parameters,
            names=names,
            n_multipliers=layout.N_MULTIPLIERS,
            n_iterates=layout.N_ITERATES,
            n_outputs=layout.N_OUTPUTS,
            does_work=False,
            multipliers=self.codes[:, layout.MULTIPLIER : layout.MULTIPLIER + 2],
            n_output_rows=model.segments.n + len(model.names),
        )
        return rubbing(block) if self.has_friction else block


def make_list(
    model: ContactModel,
    poses: Array,
    pairs: IntArray,
    gaps: Array,
    before: ContactList | None = None,
) -> ContactList:
    """The list at a place.

    Parameters
    ----------
    model : ContactModel
    poses : (n_frames, 7) array
    pairs : (m, 2) int array
        Pairs that may touch, and only those within reach.
    gaps : (m,) array
        Gaps of their chords [m].
    before : ContactList or None
        The list so far, for the forms.
    """
    segments = model.segments
    runs = find_runs(segments, oriented(segments, pairs), gaps)
    link(segments, runs)
    trial = _rows(model, runs, [])
    points, lines = _forms(model, poses, trial, {} if before is None else before.forms)
    return _rows(model, lines, points) if points else trial


def _forms(
    model: ContactModel,
    poses: Array,
    trial: ContactList,
    before: dict[tuple[int, int], int],
) -> tuple[list[Point], list[Run]]:
    """Point contacts, and the runs of a list of lines only that stay line contacts."""
    segments, runs = model.segments, trial.runs
    gaps = gaps_along(poses, trial, len(runs))
    patches: dict[int, list[int]] = {}
    for k, run in enumerate(runs):
        patches.setdefault(run.patch, []).append(k)
    points: list[Point] = []
    kept: list[int] = []
    for members in patches.values():
        members.sort(key=lambda k: int(segments.places[runs[k].slave]))
        own = [runs[k] for k in members]
        if segments.is_sphere[own[0].slave] or segments.is_edge[own[0].slave]:
            points += [Point(_extended(segments, run), is_sphere=True) for run in own]
            continue
        found, lines = _points(model, own, gaps[members], before)
        points += found
        kept += [members[k] for k in lines]
    return points, [runs[k] for k in sorted(kept)]


def _points(
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
    found = []
    lines: set[int] = set()
    for low, high, at in hollows(gaps, (EDGE_GAP if has_edges else HOLLOW) * radius):
        slave, master = int(slaves[owners[at]]), int(nearest[at])
        sharp = _sharpness(model, arcs, gaps, at, slave) / radius
        form = before.get((slave, master))
        limit = {None: SHARP_NEW, layout.LINE: SHARP}.get(form, SHARP_BEFORE)
        if is_on_edge(gaps, is_sharp, slice(low, high + 1), EDGE_GAP * radius):
            sharp = 2.0 * limit
        if sharp <= limit and not has_edges:
            return [], list(range(len(runs)))
        if sharp <= limit:
            lines.update(owners[low : high + 1].tolist())
            continue
        inside = [runs[k] for k in np.unique(owners[low : high + 1]).tolist()]
        found.append(Point(_window(segments, inside, slave, master)))
    return found, sorted(lines)


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
        total = float(segments.arcs[slave].max() + segments.rests[slave])
        edge = 0.0 if sign < 0.0 else total
        if abs(arcs[last] - edge) > 1e-6 * h:
            # the rod goes on, out of reach
            opened.append(model.reach - float(gaps[at]))
    if not opened:
        opened = [float(gaps.max() - gaps[at])]
    return 2.0 * min(opened)


def _window(
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


def _extended(segments: Segments, run: Run) -> list[tuple[int, int]]:
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


def _rows(model: ContactModel, runs: list[Run], points: list[Point]) -> ContactList:
    """Rows of all contacts."""
    segments = model.segments
    groups = [_extended(segments, run) for run in runs]
    groups += [point.pairs for point in points]
    sizes = np.array([len(group) for group in groups], dtype=np.int64)
    flat = [pair for group in groups for pair in group]
    pairs = np.array(flat, dtype=np.int64).reshape(-1, 2)
    n = len(pairs)
    numbers, n_multipliers = _number(runs, len(points))
    kinds = [layout.LINE] * len(runs)
    kinds += [_form(segments, point) for point in points]
    codes = np.zeros((n, layout.N_CODES), dtype=np.int64)
    codes[:, layout.FIRST] = np.repeat(np.cumsum(sizes) - sizes, sizes)
    codes[:, layout.COUNT] = np.repeat(sizes, sizes)
    codes[:, layout.FORM] = np.repeat(np.array(kinds, dtype=np.int64), sizes)
    codes[:, [layout.SLAVE, layout.MASTER]] = pairs
    _set_rows(segments, codes, groups, numbers)
    parameters = _parameters(model, pairs)
    offsets = parameters[:, layout.SLAVE_OFFSETS : layout.SLAVE_OFFSETS + 28]
    identity = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
    away = np.abs(offsets.reshape(n, 4, 7) - identity)
    codes[:, layout.HAS_OFFSETS] = np.any(away > 0.0, axis=(1, 2))
    part, codes[:, layout.IS_FIRST] = segments.parts_of(pairs[:, 0], pairs[:, 1])
    # the contact part of each pair: the first one that asks for it
    codes[:, layout.TOTAL] = segments.n + part
    if model.has_friction:
        codes, parameters = with_friction(model, codes, parameters, n_multipliers)
    parameters = with_shapes(model, codes, parameters)
    forms = dict(zip(flat, codes[:, layout.FORM].tolist(), strict=True))
    frames = np.hstack([segments.frames[pairs[:, 0]], segments.frames[pairs[:, 1]]])
    return ContactList(
        np.ascontiguousarray(frames.reshape(n, 4)),
        codes,
        parameters,
        n_multipliers,
        runs,
        points,
        numbers[: len(runs)],
        forms,
    )


def _form(segments: Segments, point: Point) -> int:
    if not point.is_sphere:
        return layout.POINT
    return layout.EDGE if segments.is_edge[point.pairs[0][0]] else layout.SPHERE


def _set_rows(
    segments: Segments,
    codes: IntArray,
    groups: list[list[tuple[int, int]]],
    numbers: list[tuple[int, int]],
) -> None:
    """Multipliers, who owns them, and neighbors of the rows of each group."""
    owned = {-1}
    start = 0
    for group, own in zip(groups, numbers, strict=True):
        rows = slice(start, start + len(group))
        codes[rows, layout.MULTIPLIER : layout.MULTIPLIER + 2] = own
        for j, number in enumerate(own):
            codes[start, layout.OWNS + j] = number not in owned
            owned.add(number)
        codes[rows, layout.NEXT : layout.NEXT + 4] = _next(segments, group, start)
        start = rows.stop


def _number(runs: Iterable[Run], n_points: int) -> tuple[list[tuple[int, int]], int]:
    """Multipliers of runs and points, numbered without gaps."""
    known: dict[int, int] = {}
    numbers = []
    for run in runs:
        own = tuple(known.setdefault(node, len(known)) for node in run.nodes)
        numbers.append((own[0], own[1]))
    n = len(known)
    numbers += [(n + k, -1) for k in range(n_points)]
    return numbers, n + n_points


def _next(
    segments: Segments, group: list[tuple[int, int]], start: int
) -> list[list[int]]:
    """Rows across the four ends of each pair of a run or a point contact."""
    row_of = {pair: start + k for k, pair in enumerate(group)}
    found = []
    for slave, master in group:
        own = []
        for end in range(2):
            there = segments.links[slave][end]
            row = row_of.get((there, master), layout.NOT_LISTED)
            own.append(row if there >= 0 else layout.CHAIN_END)
        for end in range(2):
            there = segments.links[master][end]
            row = row_of.get((slave, there), layout.NOT_LISTED)
            own.append(row if there >= 0 else layout.CHAIN_END)
        found.append(own)
    return found


def _parameters(model: ContactModel, pairs: IntArray) -> Array:
    segments = model.segments
    slave, master = pairs[:, 0], pairs[:, 1]
    parameters = np.zeros((len(pairs), layout.N_PARAMETERS))
    parameters[:, layout.LENGTH] = segments.lengths[slave]
    parameters[:, layout.MASTER_LENGTH] = segments.lengths[master]
    parameters[:, layout.RADII] = segments.radii[slave] + segments.radii[master]
    parameters[:, layout.UNIT] = model.unit
    parameters[:, layout.REACH] = model.reach
    for at, one in ((layout.SLAVE_OFFSETS, slave), (layout.MASTER_OFFSETS, master)):
        parameters[:, at : at + 14] = segments.offsets[one].reshape(len(pairs), 14)
    return parameters
