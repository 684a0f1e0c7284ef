"""Rows of contacts in motion: gaps and gradients by number, the list kept up.

A method with impacts asks for no more than `ContactRows` has. Each row is one condition
``gap >= 0`` with its gradient over the frame rows of the model.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple, Protocol

import numpy as np

from ..contact import _friction_layout
from ..contact import _layout as layout
from ..contact import _rows as kernels
from ..contact import _rubbing_rows as rubbing
from ..contact._chords import largest_way
from ..contact._kernel import carry, observe
from ..contact._shape_spots import NO_GAP
from ..contact._spots import SPOT_SHAPE
from ..contact.model import ContactModel, pairs_within
from ..contact.samples import block_of
from ..contact.shape_pairs import near_shapes
from ..elements.base import MOVE, RESET, Array, IntArray, Motion
from ..system import System
from .contact import ContactRun
from .contact_overlap import OVERLAP
from .contact_watch import Watch

# the list is made anew where rods may have come this part of its reach nearer
USED_UP = 1.0


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
    def n_tangents(self) -> int:
        """Directions of friction of each row: two, and spin about the normal."""
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

    def wrenches(self, look: Look, impulses: Array, friction: Array) -> Array:
        """(n_frames, 6) what impulses do to each frame, in its own axes.

        Along directions that are locked, too, and on the ground.

        Parameters
        ----------
        look : Look
        impulses : (n_rows,) array
            Along the normals [N s].
        friction : (n_rows, 6) array
            As in `record`.
        """
        ...

    def tangents(self, look: Look, rows: IntArray) -> Array:
        """(n_tangents len(rows), n_frame_rows) sliding velocities in two directions.

        Of the two surfaces at their common point, over local motions, two for each row
        one after the other, along directions that are orthogonal and keep to the parts;
        weighted as gaps are. With three, the last one is the spin about the normal
        times the radius of the contact, zero for what does not resist that.
        """
        ...

    def passed(self, before: Array, after: Array) -> tuple[str, str] | None:
        """Names of two parts that no step may take from one place to the other."""
        ...

    def record(
        self, look: Look, impulses: Array, friction: Array, outputs: Array
    ) -> None:
        """Add impulses [N s] to the outputs of results, and set the gaps there.

        ``friction``: (n_rows, 6) impulses along both directions and of spin, ways since
        the step began [m], spins times the radius, states (`_rubbing_rows`).
        """
        ...

    def forget(self) -> None:
        """Keep no memory of earlier steps."""
        ...

    def name_of(self, row: int) -> str:
        """The part that a row belongs to."""
        ...


class ListRows:
    """All rows of the list of contacts: rods and bodies on each other and on shapes.

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
        self.all_columns = np.arange(numbers.size).reshape(numbers.shape)
        self.lists = ContactRun(system, model, is_moving=True)
        self.restitution = np.zeros(0)
        self.friction = np.zeros(0)
        self.is_held = np.zeros(0, dtype=bool)
        self.is_out = np.zeros(0, dtype=bool)
        self.unit = model.unit
        self.n_tangents = 3 if model.has_spin else 2
        self.parts = np.zeros(0, dtype=np.int64)
        self._watch = Watch(model)
        # where the last step began
        self._last: tuple[Array, Array] | None = None

    def forget(self) -> None:
        """Keep no memory of earlier steps."""
        self.lists = replace(self.lists, contacts=None)
        self._watch.forget()
        self._last = None

    def begin(self, poses: Array) -> Look:
        """Rows for a step that starts at a place."""
        ends, bows = self.model.segments.ends(poses)
        step = 0.0
        if self._last is not None:
            step = float(largest_way(self._last[0], ends, 0.0 * bows))
        self._last = ends, bows
        if self._watch.nearer(poses, ends, bows) + 2.0 * step >= self._limit:
            self._watch.begin(poses, ends, bows)
            self._list_anew(poses)
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
        """Names of parts that have passed, or overlap where no row is."""
        model, segments = self.model, self.model.segments
        assert self._last is not None
        chords = self._last, segments.ends(after)
        found = self.lists.crossing_of(chords, before, after)
        if found is not None:
            return found
        ends, bows = chords[1]
        if self._watch.nearer(after, ends, bows) < model.reach:
            return None
        most = -OVERLAP * model.unit
        pairs = pairs_within(segments, ends, 0.0 * bows, most, with_crests=True)
        others, _ = near_shapes(model, after, (ends, 0.0 * bows), most)
        assert self.lists.contacts is not None
        known = self.lists.contacts.pairs
        for one, other in np.vstack([pairs, others]).tolist():
            if (one, other) not in known and (other, one) not in known:
                return self.lists.name_of(one), self.lists.name_of(other)
        return None

    def gradients(self, look: Look, rows: IntArray) -> Array:
        """(len(rows), n_frame_rows) gradients of weighted gaps."""
        found = np.zeros((rows.size, self.n_frame_rows + 1))
        if rows.size:
            self._find(kernels.find_gradients, look, rows, self.columns, found)
        return found[:, :-1]

    def tangents(self, look: Look, rows: IntArray) -> Array:
        """(n_tangents len(rows), n_frame_rows) weighted sliding velocities."""
        found = np.zeros((rows.size, self.n_tangents, self.n_frame_rows + 1))
        if rows.size:
            self._find(rubbing.find_tangents, look, rows, self.columns, found)
        return found.reshape(-1, self.n_frame_rows + 1)[:, :-1]

    def wrenches(self, look: Look, impulses: Array, friction: Array) -> Array:
        """(n_frames, 6) what impulses do to each frame, in its own axes."""
        total = np.zeros(self.all_columns.size)
        rows = np.flatnonzero(impulses)
        if rows.size:
            along = np.zeros((rows.size, total.size))
            self._find(kernels.find_gradients, look, rows, self.all_columns, along)
            total += impulses[rows] @ along
        n = self.n_tangents
        rows = np.flatnonzero(np.any(friction[:, :n], axis=1))
        if rows.size:
            across = np.zeros((rows.size, n, total.size))
            self._find(rubbing.find_tangents, look, rows, self.all_columns, across)
            total += np.einsum("kt,ktc->c", friction[rows, :n], across)
        return total.reshape(-1, 6)

    def _find(
        self,
        find: Callable[..., None],
        look: Look,
        rows: IntArray,
        columns: IntArray,
        found: Array,
    ) -> None:
        """Covectors of some rows, over numbered directions of frames."""
        places = np.full(self.is_held.size, -1, dtype=np.int64)
        places[rows] = np.arange(rows.size)
        find(self._motion(look.poses), self.data, look.spots, columns, places, found)

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

    def _list_anew(self, poses: Array) -> None:
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
        cannot_move = np.all(is_locked[contacts.frames], axis=1)
        for j in range(layout.N_MULTIPLIERS):
            numbers = contacts.codes[:, layout.MULTIPLIER + j]
            is_used = numbers >= 0
            self.parts[numbers[is_used]] = part[is_used]
            # a clamped node of a line would be settled against errors of both meshes
            is_clamped = is_used & is_line & is_locked[contacts.frames[:, j]]
            self.is_held[numbers[is_clamped | (is_used & cannot_move)]] = True
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
        spots = np.zeros((len(data.codes), *SPOT_SHAPE))
        gaps = np.zeros(self.is_held.size)
        event = layout.NO_EVENT
        if gaps.size:
            event = kernels.find_gaps(self._motion(poses), data, spots, gaps)
            gaps[self.is_out | (gaps > 0.5 * NO_GAP)] = np.inf
        return Look(poses.copy(), spots, gaps, event != layout.NO_EVENT)

    def _carry(self, poses: Array, mode: int) -> None:
        carry(self._motion(poses), self.data, np.zeros((0, 6)), 1.0, mode)

    def _motion(self, poses: Array, multipliers: Array | None = None) -> Motion:
        none = np.zeros((0, 6))
        values = np.zeros(self.is_held.size) if multipliers is None else multipliers
        return Motion(
            np.zeros(3), np.zeros((0, 3)), poses, poses, none, none, none, values
        )


@cache
def summed_columns(width: int) -> tuple[IntArray, IntArray]:
    """Columns of outputs that add up from step to step, and those that do not."""
    last = [layout.CLOSENESS]
    if width > layout.N_OUTPUTS:
        last.append(_friction_layout.STATE)
    sums = np.setdiff1d(np.arange(width), last)
    return sums, np.array(last)
