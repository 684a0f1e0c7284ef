"""Contact in a run: lists of contacts as the rods move, and what carries over.

The matrix has room for all pairs within reach. Where rods come near others, the list
is made anew and with it the system: the multipliers of contacts that go on keep their
values.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np

from .._equations import block_of, start_step, update_signals
from ..assembly import STATIC, Assembly, eq_view
from ..contact import _layout as layout
from ..contact._chords import largest_way
from ..contact._passing import first_crossing
from ..contact.carry import carry_multipliers
from ..contact.carry_friction import carry_tangential
from ..contact.lists import ContactList, make_list, make_moving_list
from ..contact.model import ContactModel, near_pairs, pairs_within
from ..contact.shape_pairs import (
    MOST_MOVING_PAIRS,
    MOST_PAIRS,
    near_shapes,
    through_shape,
)
from ..contact.windows import has_left
from ..elements.base import Array, IntArray, Motion
from ..errors import ModelError
from ..system import GAP_ROW, State, System
from . import _static_driver as driver
from .contact_bodies import gaps_of_roundings, overlaps_of_bodies, pair_keys
from .contact_friction import SlipLimits, start_with_slips
from .contact_overlap import (
    DEEP,
    OVERLAP,
    deep_words,
    gaps_of,
    overlap,
    overlap_words,
    words_of_deep_end,
)
from .contact_penalty import Rounds, set_penalties
from .contact_rise import rise_in_words
from .contact_strays import nearest_of_frames, strays_in_words
from .march import run
from .shift import load_shift

# the search looks farther than contacts reach, by this part of the reach, and is
# repeated when something has moved by half of that
SKIN = 0.5
# part of the reach within which pairs of rods are listed; what comes nearer within a
# load step is found before that is accepted
NEAR = 0.5


@dataclass
class ContactRun:
    """Lists of contacts of a run.

    Parameters
    ----------
    base : System
        Without contacts.
    model : ContactModel
    skin : float
        Part of the reach that the search looks farther.
    is_narrow : bool
        Whether pairs of rods are listed only where they are near: in statics, where
        all that is listed stands in the matrix.
    is_moving : bool
        Whether lists are those of `make_moving_list`.
    """

    base: System
    model: ContactModel
    skin: float = SKIN
    is_narrow: bool = False
    is_moving: bool = False
    growth: float = 0.0
    contacts: ContactList | None = None
    stiffness: float | None = None
    passed: tuple[str, str] | None = None
    overlap: str = ""

    def __post_init__(self) -> None:
        has_friction = self.model.has_friction
        self.slips = SlipLimits(self.model) if has_friction else None
        self.rounds = Rounds(has_friction=has_friction)
        self._roundings: dict[int, float] = {}
        self._near: IntArray | None = None
        self._ends: Array | None = None
        self._bows: Array | None = None

    def fresh(self, poses: Array) -> ContactList:
        """The list at a place."""
        ends, bows = self.model.segments.ends(poses)
        reach, skin = self.model.reach, self.skin * self.model.reach
        if self._near is None or self._has_moved(ends, bows, skin):
            self._near = pairs_within(
                self.model.segments,
                ends,
                bows,
                reach + skin,
                with_crests=self.is_moving,
            )
            self._ends, self._bows = ends, bows
        limit = (NEAR if self.is_narrow else 1.0) * reach
        pairs, gaps = near_pairs(self.model.segments, (ends, bows), self._near, limit)
        if self.model.shapes.items:
            most = MOST_MOVING_PAIRS if self.is_moving else MOST_PAIRS
            chords = ends, bows
            others, more = near_shapes(self.model, poses, chords, reach, most)
            pairs, gaps = np.vstack([pairs, others]), np.concatenate([gaps, more])
        if self.is_moving:
            return make_moving_list(self.model, pairs, gaps)
        given = self.model, poses, (ends, bows), pairs, gaps
        return make_list(*given, self.contacts, is_narrow=self.is_narrow)

    def at(self, poses: Array) -> System:
        """The system with the contacts at a place, which the run starts with."""
        self.contacts = None
        self.contacts = self.fresh(poses)
        return self.system(self.contacts)

    def with_room(self, state: State) -> State:
        """A state of the base with multipliers of the present contacts, all zero."""
        assert self.contacts is not None
        return _widened(state, self.contacts)

    def without_room(self, state: State) -> State:
        """The state of the base."""
        return dataclasses.replace(
            state,
            multipliers=state.multipliers[: self.base.dofs.n_multipliers],
            history=state.history[: len(self.base.blocks)],
        )

    def begin(self, assembly: Assembly, motion: Motion) -> list[str]:
        """Penalties at the start, and what there is to say about overlap."""
        run(assembly, update_signals, motion)
        run(assembly, start_step, motion)
        words = self.refuse_deep(assembly)
        data = block_of(
            assembly.equations, assembly.equations.rows, len(self.base.blocks)
        )
        words += overlaps_of_bodies(data, self.model)
        self._overlapped = bool(words)
        self._roundings = gaps_of_roundings(data, self.model)
        self._set_radii(assembly)
        self._starts = motion.poses.copy()
        self._gaps = nearest_of_frames(data, len(motion.poses))
        self.stiffness = set_penalties(assembly, motion)
        run(assembly, start_step, motion)
        return words

    def refuse_deep(self, assembly: Assembly) -> list[str]:
        """Overlap at the start: refused where deep, else said; then radii grow."""
        depth, row = overlap(assembly)
        if depth <= OVERLAP:
            return []
        b = len(assembly.system.blocks) - 1
        block = assembly.system.blocks[b]
        pair = block.codes[row, [layout.SLAVE, layout.MASTER]]
        start = overlap_words(self.model, block.names[row], pair)
        if depth > DEEP:
            raise ModelError(deep_words(start, depth))
        self.growth = depth
        eq_view(assembly.equations, b, "parameters")[:, layout.GROWTH] = depth
        size = depth * block.parameters[row, layout.RADII]
        self.overlap = (
            f"{start} {size:.3g} m; radii grow from {100.0 * (1.0 - depth):.3g} % to "
            "full size with the load factor."
        )
        return [self.overlap]

    def _set_radii(self, assembly: Assembly) -> None:
        """How radii grow; corners and edges reach as far as what they began near to."""
        b = len(self.base.blocks)
        parameters = eq_view(assembly.equations, b, "parameters")
        parameters[:, layout.GROWTH] = self.growth
        if not self._roundings:
            return
        keys = pair_keys(assembly.system.blocks[b].codes, self.model.segments.n)
        more = [self._roundings.get(key, 0.0) for key in keys.tolist()]
        parameters[:, layout.RADII] += more

    def has_free(self, assembly: Assembly) -> bool:
        """Whether contacts are all that hold something, for all that the list knows."""
        b = len(self.base.blocks)
        springs = eq_view(assembly.equations, b, "parameters")[:, layout.WEAK]
        return bool(np.any(springs > 0.0))

    def touches(self, motion: Motion) -> bool:
        """Whether any contact bears a force."""
        return bool(np.any(motion.multipliers[self.base.dofs.n_multipliers :] > 0.0))

    def go_on(
        self,
        fresh: ContactList,
        assembly: Assembly,
        motion: Motion,
        memory: driver.Memory,
    ) -> tuple[Assembly, Motion, driver.Memory]:
        """Assembly, motion and memory with another list of contacts."""
        assert self.contacts is not None
        m = self.base.dofs.n_multipliers
        b = len(self.base.blocks)
        old = eq_view(assembly.equations, b, "iterates")
        state = self.without_room(assembly.state(motion))
        carried = self._carried(fresh, motion.multipliers[m:], old)
        at_start = self._carried(fresh, memory.multipliers[m:], old)
        new = Assembly(self.system(fresh), regime=STATIC)
        self.contacts = fresh
        self._set_radii(new)
        moved = new.motion(self.with_room(state))
        moved.multipliers[m:] = carried
        n = new.equations.iterates.size - eq_view(new.equations, b, "iterates").size
        new.equations.iterates[:n] = assembly.equations.iterates[:n]
        moved.time[layout.STAGE] = motion.time[layout.STAGE]
        run(new, start_step, moved)
        self.stiffness = set_penalties(new, moved, self.stiffness)
        if self.model.has_friction:
            start_with_slips(new, moved, memory.poses, at_start)
        else:
            run(new, start_step, moved)
        shift = load_shift(new)
        kept = driver.new_memory(
            new.equations, moved, new.diagonal, shift, settings=memory.settings
        )
        kept.poses[:] = memory.poses
        kept.multipliers[:m] = memory.multipliers[:m]
        kept.multipliers[m:] = at_start
        kept.counts[:] = memory.counts
        kept.values[:] = memory.values
        kept.log[:] = memory.log
        kept.settings[driver.IN_SPACE] = self.has_free(new)
        return new, moved, kept

    def _carried(self, fresh: ContactList, values: Array, iterates: Array) -> Array:
        """Multipliers of a new list from those of the present one."""
        assert self.contacts is not None
        carried = carry_multipliers(self.contacts, values, iterates, fresh)
        if not self.model.has_friction:
            return carried
        more = carry_tangential(self.contacts, values, iterates, fresh)
        return np.concatenate([carried, more])

    def _has_moved(self, ends: Array, bows: Array, skin: float) -> bool:
        """Whether some pair may have come within reach since the last search."""
        assert self._ends is not None
        assert self._bows is not None
        bowed = np.abs(bows - self._bows)
        return bool(2.0 * largest_way(self._ends, ends, bowed) >= skin)

    def system(self, contacts: ContactList) -> System:
        """The system with a list of contacts."""
        base = self.base
        m = base.dofs.n_multipliers
        block = contacts.block(self.model)
        codes = block.codes.copy()
        for own in contacts.number_columns:
            numbers = codes[:, own]
            numbers[numbers >= 0] += m
        block = dataclasses.replace(block, codes=codes)
        kinds = np.full(contacts.n_unknowns, GAP_ROW, dtype=np.int64)
        dofs = dataclasses.replace(
            base.dofs,
            n_multipliers=m + contacts.n_unknowns,
            multiplier_kinds=np.concatenate([base.dofs.multiplier_kinds, kinds]),
        )
        state = _widened(base.state, contacts)
        # a body may stand on more points than it needs
        n_redundant = base.n_redundant + int(self.model.has_bodies)
        return dataclasses.replace(
            base,
            blocks=(*base.blocks, block),
            dofs=dofs,
            state=state,
            n_redundant=n_redundant,
        )

    def crossing(self, starts: Array, ends: Array) -> tuple[str, str] | None:
        """Names of two rods that have passed through each other between two poses."""
        segments = self.model.segments
        chords = segments.ends(starts), segments.ends(ends)
        return self.crossing_of(chords, starts, ends)

    def crossing_of(
        self,
        chords: tuple[tuple[Array, Array], tuple[Array, Array]],
        starts: Array,
        ends: Array,
    ) -> tuple[str, str] | None:
        """The same where ends of chords, and bows, are known at both poses."""
        segments = self.model.segments
        (before, bows), (after, more) = chords
        way = np.linalg.norm(after - before, axis=2).max(axis=1)
        if way.max(initial=0.0) < 0.25 * self.model.unit:
            return None
        if self.model.shapes.items:
            found = through_shape(self.model, starts, ends, (before, after))
            if found is not None:
                return self.name_of(found[0]), self.name_of(found[1])
        bows = bows + more
        pairs = pairs_within(segments, before, bows, way, with_crests=self.is_moving)
        k = int(first_crossing(before, after, segments.radii, pairs))
        if k < 0:
            return None
        return self.name_of(int(pairs[k, 0])), self.name_of(int(pairs[k, 1]))

    def words_of_failure(self) -> str:
        """What to change where load steps with contact fail."""
        advice = (
            "Give more load_steps, or shorter elements where rods touch; a load that "
            "nothing but friction could bear has no equilibrium."
        )
        if self.overlap:
            # rods that meet at a sharp angle lie in each other where they meet
            return (
                f"{self.overlap} Move them apart in the mesh, or name groups of lines "
                f"that leave out where they lie in each other. {advice}"
            )
        if self.passed is None:
            return advice
        first, second = self.passed
        return f"'{first}' would pass through '{second}' in the next step. {advice}"

    def words_of_end(self, poses: Array) -> str:
        """What forbids to end here: rods that supports have driven into shapes."""
        return words_of_deep_end(self.model, poses)

    def strays(self, assembly: Assembly, motion: Motion) -> list[str]:
        """What to say where parts have ended far from the start, or above it."""
        words = strays_in_words(self.base, self._gaps, self._starts, motion.poses)
        if words or self._overlapped:
            return words
        return rise_in_words(assembly, motion, self._starts)

    def name_of(self, segment: int) -> str:
        """Words for a segment."""
        return self.model.segments.owners[segment]

    def is_lost(self, fresh: ContactList, assembly: Assembly, motion: Motion) -> bool:
        """Whether contacts have moved to where only the fresh list has pairs."""
        assert self.contacts is not None
        b = len(self.base.blocks)
        forces = motion.multipliers[self.base.dofs.n_multipliers :]
        iterates = eq_view(assembly.equations, b, "iterates")
        return has_left(self.contacts.codes, iterates, forces) and not self.serves(
            fresh
        )

    def serves(self, fresh: ContactList) -> bool:
        """Whether the present list has all that another one has."""
        assert self.contacts is not None
        return self.contacts.serves(fresh)

    def missing(self, fresh: ContactList, poses: Array) -> bool:
        """Whether pairs overlap of which the present list knows nothing."""
        assert self.contacts is not None
        n = self.model.segments.n
        known = self.contacts.codes[:, [layout.SLAVE, layout.MASTER]] @ [n, 1]
        pairs = fresh.core
        pairs = pairs[~np.isin(pairs @ [n, 1], known)]
        if not len(pairs):
            return False
        ends, _ = self.model.segments.ends(poses)
        gaps = gaps_of(self.model, poses, ends, pairs)
        return bool(gaps.min() < -OVERLAP * self.model.unit)


def _widened(state: State, contacts: ContactList) -> State:
    """A state with multipliers of contacts, all zero, and a history of nothing."""
    n = contacts.n_unknowns
    history = (*state.history, np.zeros((len(contacts.codes), 0)))
    return dataclasses.replace(
        state,
        multipliers=np.concatenate([state.multipliers, np.zeros(n)]),
        history=history if state.history else (),
    )
