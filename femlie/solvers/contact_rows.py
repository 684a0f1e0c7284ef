"""Contact rows of rods in motion: gaps and gradients by number, the list kept up.

A method with impacts asks for no more than `ContactRows` has. Each row is one condition
``gap >= 0`` with its gradient over the frame rows of the model.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple, Protocol

import numpy as np

from ..contact import _friction_layout
from ..contact import _layout as layout
from ..contact import _rows as kernels
from ..contact import _rubbing_rows as rubbing
from ..contact._kernel import carry, observe
from ..contact._spots import SPOT_WIDTH
from ..contact.model import ContactModel, pairs_within
from ..contact.samples import block_of
from ..elements.base import MOVE, RESET, Array, IntArray, Motion
from ..system import System
from .contact import OVERLAP, ContactRun

# the list is made anew where rods may have come this part of its reach nearer
USED_UP = 1.0
# rods whose ends have moved by less than this part of a radius have not passed
STILL = 0.5


class Look(NamedTuple):
    """Contacts at one place of all frames."""

    poses: Array
    spots: Array
    gaps: Array  # (n_rows,) [m], infinite where a row bears no force
    has_passed: bool  # whether sides have changed, or axes are nearly on each other


class ContactRows(Protocol):
    """What impacts need of contacts, of whatever kind."""

    @property
    def restitution(self) -> Array:
        """(n_rows,) coefficient of each row."""
        ...

    @property
    def friction(self) -> Array:
        """(n_rows,) coefficient of friction of each row."""
        ...

    @property
    def unit(self) -> float:
        """Length [m] that gaps are measured by."""
        ...

    def begin(self, poses: Array) -> Look:
        """Rows for a step that starts at a place; they stay until the next call."""
        ...

    def at(self, poses: Array) -> Look:
        """The same rows at another place within the step."""
        ...

    def gradients(self, look: Look, rows: IntArray) -> Array:
        """(len(rows), n_frame_rows) gradients of gaps over local motions."""
        ...

    def tangents(self, look: Look, rows: IntArray) -> Array:
        """(2 len(rows), n_frame_rows) sliding velocities along two directions.

        Of the two surfaces at their common point, over local motions, two for each row
        one after the other, along directions that are orthogonal and keep to the parts;
        weighted as gaps are.
        """
        ...

    def passed(self, before: Array, after: Array) -> tuple[str, str] | None:
        """Names of two parts that no step may take from one place to the other."""
        ...

    def record(
        self, look: Look, impulses: Array, friction: Array, outputs: Array
    ) -> None:
        """Add impulses [N s] to the outputs of results, and set the gaps there.

        ``friction``: (n_rows, 4) impulses along both directions, ways since the step
        began [m], states.
        """
        ...

    def forget(self) -> None:
        """Keep no memory of earlier steps."""
        ...

    def name_of(self, row: int) -> str:
        """The part that a row belongs to."""
        ...


class RodRows:
    """Rods on rods, along lines and at points.

    Parameters
    ----------
    system : System
        Without contacts.
    model : ContactModel
    """

    def __init__(self, system: System, model: ContactModel) -> None:
        self.model = model
        self.n_frame_rows = system.dofs.n_frame_rows
        numbers = system.dofs.numbers
        self.columns = np.where(numbers < 0, self.n_frame_rows, numbers)
        self.lists = ContactRun(system, model)
        self.restitution = np.zeros(0)
        self.friction = np.zeros(0)
        self.is_held = np.zeros(0, dtype=bool)
        self.is_out = np.zeros(0, dtype=bool)
        self.unit = model.unit
        self.parts = np.zeros(0, dtype=np.int64)
        self._ends: Array | None = None  # where the list was made
        self._bows: Array | None = None
        self._last: Array | None = None  # where the last step began

    def forget(self) -> None:
        """Keep no memory of earlier steps."""
        self.lists = replace(self.lists, contacts=None)
        self._ends = self._last = None

    def begin(self, poses: Array) -> Look:
        """Rows for a step that starts at a place."""
        ends, bows = self.model.segments.ends(poses)
        step = 0.0 if self._last is None else _largest_way(self._last, ends)
        self._last = ends
        if self._ends is None or self._nearer(ends, bows) + 2.0 * step >= self._limit:
            self._list_anew(poses, ends, bows)
        if self.data.codes.size:
            self._carry(poses, RESET)
            self.is_out = self.is_held | self._has_no_share()
        look = self._look(poses)
        if self.model.has_friction:
            rubbing.choose_axes(self._motion(poses), self.data, look.spots)
        return look

    def at(self, poses: Array) -> Look:
        """The same rows at another place."""
        if self.data.codes.size:
            self._carry(poses, MOVE)
        return self._look(poses)

    def passed(self, before: Array, after: Array) -> tuple[str, str] | None:
        """Names of rods that have passed, or overlap where no row is."""
        segments = self.model.segments
        ends, bows = segments.ends(after)
        assert self._last is not None
        if _largest_way(self._last, ends) >= STILL * segments.radii.min():
            found = self.lists.crossing(before, after)
            if found is not None:
                return found
        if self._nearer(ends, bows) < self.model.reach:
            return None
        pairs = pairs_within(segments, ends, 0.0 * bows, -OVERLAP * self.model.unit)
        assert self.lists.contacts is not None
        known = self.lists.contacts.pairs
        for one, other in pairs.tolist():
            if (one, other) not in known and (other, one) not in known:
                return self.lists.name_of(one), self.lists.name_of(other)
        return None

    def gradients(self, look: Look, rows: IntArray) -> Array:
        """(len(rows), n_frame_rows) gradients of weighted gaps."""
        return self._covectors(kernels.find_gradients, look, rows, 1)

    def tangents(self, look: Look, rows: IntArray) -> Array:
        """(2 len(rows), n_frame_rows) weighted sliding velocities."""
        return self._covectors(rubbing.find_tangents, look, rows, 2)

    def _covectors(
        self, find: Callable[..., None], look: Look, rows: IntArray, n: int
    ) -> Array:
        found = np.zeros((n * rows.size, self.n_frame_rows + 1))
        if rows.size:
            places = np.full(self.is_held.size, -1, dtype=np.int64)
            places[rows] = np.arange(rows.size)
            motion = self._motion(look.poses)
            find(motion, self.data, look.spots, self.columns, places, found)
        return found[:, :-1]

    def record(
        self, look: Look, impulses: Array, friction: Array, outputs: Array
    ) -> None:
        """Add impulses to the outputs of results, and set the gaps there."""
        found = np.zeros_like(outputs)
        if self.data.codes.size:
            motion = self._motion(look.poses, self.unit * impulses)
            if self.model.has_friction:
                rubbing.observe_rubbing(motion, self.data, friction, found)
            else:
                observe(motion, self.data, found, np.zeros(6))
        sums, last = summed_columns(outputs.shape[1])
        outputs[:, sums] += found[:, sums]
        outputs[:, last] = found[:, last]

    def name_of(self, row: int) -> str:
        """The contact part that a row belongs to."""
        return self.model.names[int(self.parts[row])]

    @property
    def _limit(self) -> float:
        return USED_UP * self.model.reach

    def _nearer(self, ends: Array, bows: Array) -> float:
        """How much nearer any two rods may have come since the list was made [m]."""
        assert self._ends is not None
        assert self._bows is not None
        way = np.linalg.norm(ends - self._ends, axis=2).max(axis=1)
        return 2.0 * float((way + np.abs(bows - self._bows)).max(initial=0.0))

    def _list_anew(self, poses: Array, ends: Array, bows: Array) -> None:
        self._ends, self._bows = ends, bows
        lists = self.lists
        lists.contacts = lists.fresh(poses)
        contacts = lists.contacts
        has_friction = self.model.has_friction
        rows = _friction_layout if has_friction else layout
        self.data = block_of(contacts, rows.N_ITERATES)
        self.parts = np.zeros(contacts.n_multipliers, dtype=np.int64)
        self.is_held = np.zeros(contacts.n_multipliers, dtype=bool)
        is_locked = np.all(self.columns == self.n_frame_rows, axis=1)
        part = contacts.codes[:, layout.TOTAL] - self.model.segments.n
        is_line = contacts.codes[:, layout.FORM] == layout.LINE
        for j in range(layout.N_MULTIPLIERS):
            numbers = contacts.codes[:, layout.MULTIPLIER + j]
            is_used = numbers >= 0
            self.parts[numbers[is_used]] = part[is_used]
            # a clamped node of a line would be settled against errors of both meshes
            is_clamped = is_used & is_line & is_locked[contacts.frames[:, j]]
            self.is_held[numbers[is_clamped]] = True
        self.restitution = np.asarray(self.model.restitution, dtype=float)[self.parts]
        if has_friction:
            self.friction = np.asarray(self.model.frictions, dtype=float)[self.parts]
        else:
            self.friction = np.zeros(self.parts.size)

    def _has_no_share(self) -> Any:
        """Whether multipliers stand for no length, as where integrals are cut."""
        found = np.ones(self.is_held.size, dtype=bool)
        for j in range(layout.N_MULTIPLIERS):
            numbers = self.data.codes[:, layout.MULTIPLIER + j]
            has_share = self.data.iterates[:, layout.SIZE + j] > 0.0
            found[numbers[(numbers >= 0) & has_share]] = False
        return found

    def _look(self, poses: Array) -> Look:
        data = self.data
        spots = np.zeros((len(data.codes), layout.N_POINTS, SPOT_WIDTH))
        gaps = np.zeros(self.is_held.size)
        event = layout.NO_EVENT
        if gaps.size:
            event = kernels.find_gaps(self._motion(poses), data, spots, gaps)
            gaps[self.is_out] = np.inf
        return Look(poses.copy(), spots, gaps, event != layout.NO_EVENT)

    def _carry(self, poses: Array, mode: int) -> None:
        carry(self._motion(poses), self.data, np.zeros((0, 6)), 1.0, mode)

    def _motion(self, poses: Array, multipliers: Array | None = None) -> Motion:
        none = np.zeros((0, 6))
        values = np.zeros(self.is_held.size) if multipliers is None else multipliers
        return Motion(
            np.zeros(3), np.zeros((0, 3)), poses, poses, none, none, none, values
        )


def summed_columns(width: int) -> tuple[IntArray, IntArray]:
    """Columns of outputs that add up from step to step, and those that do not."""
    last = [layout.CLOSENESS]
    if width > layout.N_OUTPUTS:
        last.append(_friction_layout.STATE)
    sums = np.setdiff1d(np.arange(width), last)
    return sums, np.array(last)


def _largest_way(before: Array, after: Array) -> float:
    return float(np.linalg.norm(after - before, axis=2).max(initial=0.0))
