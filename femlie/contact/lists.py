"""The list of contacts at one place: which pairs touch along a line, which at points.

A pure function of the place, and of the forms before: the search may look as far ahead
as it likes without changing what comes out.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..elements.base import Array, Block, IntArray
from . import _forming as forming
from . import _friction_layout as friction_layout
from . import _kernel as kernel
from . import _layout as layout
from . import _listing as listing
from .model import ContactModel
from .on_shapes import with_shapes
from .points import (
    HOLLOW,
    SHARP_BEFORE,
    Point,
    between_nodes,
    of_feature,
    points_of,
)
from .rubbing import rubbing, with_friction
from .runs import Run, Runs, find_runs, oriented
from .samples import Samples, sampled
from .windows import narrowed


@dataclass
class ContactList:
    """Contacts at one place.

    Attributes
    ----------
    frames, codes, parameters : arrays
        One row a pair, as in `Block`.
    n_multipliers : int
    lines : Runs
        Line contacts, in the order of their rows, then of ``points``.
    points : list of Point
    line_multipliers : (n_lines, 2) int array
        Numbers of the multipliers of each run, from zero on.
    """

    frames: IntArray
    codes: IntArray
    parameters: Array
    n_multipliers: int
    lines: Runs
    points: list[Point]
    line_multipliers: IntArray

    @property
    def runs(self) -> list[Run]:
        """Line contacts one by one."""
        return self.lines.listed

    @property
    def run_multipliers(self) -> list[list[int]]:
        """Multipliers of these."""
        found: list[list[int]] = self.line_multipliers.tolist()
        return found

    @cached_property
    def forms(self) -> dict[tuple[int, int], int]:
        """Form of each pair."""
        columns = self.codes[:, [layout.SLAVE, layout.MASTER, layout.FORM]].tolist()
        return {(slave, master): form for slave, master, form in columns}

    @property
    def has_friction(self) -> bool:
        """Whether rows have what friction adds."""
        return self.codes.shape[1] > layout.N_CODES

    @property
    def n_unknowns(self) -> int:
        """Multipliers of all kinds: two tangential ones for each with friction.

        Behind them stand those of points that resist spin.
        """
        if not self.has_friction:
            return self.n_multipliers
        return self.n_multipliers * 3 + int(np.sum(self.has_spin))

    @property
    def has_spin(self) -> Any:
        """(n_multipliers,) whether the point of each resists spin, with friction."""
        found = np.zeros(self.n_multipliers, dtype=bool)
        spins = self.codes[:, friction_layout.SPIN] >= 0
        found[self.codes[spins, layout.MULTIPLIER]] = True
        return found

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

    @property
    def core(self) -> IntArray:
        """(m, 2) pairs of segments next to each other, and around points."""
        around = [pair for point in self.points for pair in point.pairs]
        own = np.array(around, dtype=np.int64).reshape(-1, 2)
        return np.vstack([self.lines.core_pairs, own])

    def serves(self, other: ContactList) -> bool:
        """Whether the list has all that another one wants, in the same order."""
        if (
            not np.array_equal(self.lines.slaves, other.lines.slaves)
            or not np.array_equal(self.line_multipliers, other.line_multipliers)
            or self.points != other.points
        ):
            return False
        wanted, known = other.lines.core_pairs, self.lines.pairs
        n = 1 + max(wanted.max(initial=0), known.max(initial=0))
        return bool(np.isin(wanted @ [n, 1], known @ [n, 1]).all())

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
    chords: tuple[Array, Array],
    pairs: IntArray,
    gaps: Array,
    before: ContactList | None = None,
    *,
    is_narrow: bool = False,
) -> ContactList:
    """The list at a place.

    Parameters
    ----------
    model : ContactModel
    poses : (n_frames, 7) array
    chords : tuple
        What `Segments.ends` tells of them.
    pairs : (m, 2) int array
        Pairs that may touch, and only those within reach.
    gaps : (m,) array
        Gaps of their chords [m].
    before : ContactList or None
        The list so far, for the forms.
    is_narrow : bool
        Whether lines leave out masters that are not next to their slave.
    """
    runs = find_runs(model.segments, oriented(model.segments, pairs), gaps)
    if not runs.n:
        return _rows(model, runs, [])
    # rows of all runs, without which nothing is known of rigid shapes
    trial = _rows(model, runs, []) if model.shapes.items else None
    samples = sampled(model, poses, chords, runs, trial)
    points, kept = _forms(model, runs, samples, before)
    if is_narrow or trial is None or points:
        lines = narrowed(model.segments, runs, samples, kept, is_narrow=is_narrow)
        return _rows(model, lines, points)
    return trial


def make_moving_list(model: ContactModel, pairs: IntArray, gaps: Array) -> ContactList:
    """The list of what moves: nodes of slaves as balls, and edges between them.

    Forms do not change as things move, so that gaps do not jump.

    Parameters
    ----------
    model : ContactModel
    pairs, gaps : arrays
        As in `make_list`.
    """
    segments = model.segments
    runs = find_runs(segments, oriented(segments, pairs), gaps)
    is_feature = segments.is_sphere | segments.is_edge
    own = np.flatnonzero(is_feature[runs.slaves]).tolist()
    points = [of_feature(segments, runs.one(k)) for k in own]
    kept = np.flatnonzero(~is_feature[runs.slaves])
    windows = np.stack([runs.starts[kept], runs.starts[kept + 1] - 1], axis=1)
    lines = runs.narrowed(kept, windows, windows)
    found = _rows(model, lines, points + between_nodes(model, lines.listed))
    found.codes[~is_feature[found.codes[:, layout.SLAVE]], layout.AT_NODES] = 1
    return found


def _forms(
    model: ContactModel, runs: Runs, samples: Samples, before: ContactList | None
) -> tuple[list[Point], IntArray]:
    """Point contacts, and numbers of the runs that stay line contacts."""
    segments = model.segments
    is_line = _certain_lines(model, runs, samples)
    is_line = is_line[runs.patches]
    patches: dict[int, list[int]] = {}
    for k in np.flatnonzero(~is_line).tolist():
        patches.setdefault(int(runs.patches[k]), []).append(k)
    known = {} if before is None or not patches else before.forms
    points: list[Point] = []
    for members in patches.values():
        members.sort(key=lambda k: int(segments.places[runs.slaves[k]]))
        own = [runs.one(k) for k in members]
        if segments.is_sphere[own[0].slave] or segments.is_edge[own[0].slave]:
            points += [of_feature(segments, run) for run in own]
            continue
        found, lines = points_of(model, own, samples.of(members), known)
        points += found
        is_line[[members[k] for k in lines]] = True
    return points, np.flatnonzero(is_line)


def _certain_lines(model: ContactModel, runs: Runs, samples: Samples) -> Any:
    """Whether patches are lines whatever was before, by the number of their first."""
    segments = model.segments
    is_line = np.zeros(runs.n, dtype=bool)
    if samples.edges.any():
        return is_line
    sizes = (
        segments.arcs,
        segments.radii,
        segments.lengths,
        segments.totals,
        HOLLOW,
        SHARP_BEFORE,
        model.reach,
    )
    forming.find_lines(
        runs.slaves,
        runs.patches,
        samples.gaps,
        sizes,
        segments.is_sphere | segments.is_edge,
        np.empty((2, 3 * runs.n)),
        np.empty((2, 3 * runs.n + 1), np.int64),
        is_line,
    )
    return is_line


def _rows(model: ContactModel, lines: Runs, points: list[Point]) -> ContactList:
    """Rows of all contacts."""
    segments = model.segments
    pairs, starts, forms = lines.pairs, lines.starts, np.empty(0, np.int64)
    if points:
        around = [pair for point in points for pair in point.pairs]
        pairs = np.vstack([pairs, np.array(around, dtype=np.int64)])
        counts = [len(point.pairs) for point in points]
        starts = np.concatenate([starts, starts[-1] + np.cumsum(counts)])
        forms = np.array([point.form for point in points], dtype=np.int64)
    numbers, n_multipliers = _number(lines, len(points))
    n = len(pairs)
    frames = np.empty((n, 4), dtype=np.int64)
    codes = np.empty((n, layout.N_CODES), dtype=np.int64)
    parameters = np.empty((n, layout.N_PARAMETERS))
    is_owned = np.zeros(n_multipliers, dtype=bool)
    listing.fill_rows(
        (pairs, starts, numbers, forms),
        segments.neighbors,
        segments.listed,
        (model.unit, model.reach),
        is_owned,
        (frames, codes, parameters),
    )
    if model.has_friction:
        codes, parameters = with_friction(model, codes, parameters, n_multipliers)
    parameters = with_shapes(model, codes, parameters)
    return ContactList(
        frames,
        codes,
        parameters,
        n_multipliers,
        lines,
        points,
        numbers[: lines.n],
    )


def _number(lines: Runs, n_points: int) -> tuple[IntArray, int]:
    """Multipliers (n, 2) of runs and points, numbered as they come."""
    numbers = np.empty((lines.n + n_points, 2), np.int64)
    known = np.full(int(lines.nodes.max(initial=-1)) + 1, -1)
    n = int(listing.number_nodes(lines.nodes, known, numbers))
    numbers[lines.n :, 0], numbers[lines.n :, 1] = n + np.arange(n_points), -1
    return numbers, n + n_points
