"""Events: where a sensor crosses a level, and what happens there."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import brentq

from .._equations import accept_step, update_signals
from ..assembly import Assembly
from ..elements.base import N_ENERGIES, Array, Motion
from ..errors import ModelError
from ..records import Records
from ..results.dense import Moment, motion_between
from .march import (
    BEFORE,
    BOOK_STEP,
    NOW,
    START,
    Recorder,
    add_to_book,
    new_buffer,
    observe,
    record,
    run,
)
from .schedule import Event, column_of
from .start import accelerations, check_start

# the time of a crossing is found to this share of the step
TIME_TOLERANCE = 1e-13


class Snapshot(NamedTuple):
    """What a step starts from."""

    time: float
    arrays: dict[str, Array]
    history: Array
    book: Array
    n_rows: int


class EventWatch:
    """Looks at the events of a run, step by step.

    Parameters
    ----------
    assembly : Assembly
    recorder : Recorder
    events : sequence of Event
    """

    def __init__(
        self, assembly: Assembly, recorder: Recorder, events: tuple[Event, ...]
    ) -> None:
        self.assembly = assembly
        self.recorder = recorder
        self.events = events
        self.buffer = new_buffer(assembly, recorder.layout, 1)
        self.sensors = [
            column_of(e.sensor, e.component, recorder.layout, what="an event")
            for e in events
        ]
        self.values = np.zeros(len(events))
        self.found: list[dict[str, Any]] = []

    def begin(self, motion: Motion) -> None:
        """Where the sensors are before a step that follows a start or an event."""
        fresh = self.measure(motion)
        # what sits on its level, as behind an event, counts from the next step on
        for k, event in enumerate(self.events):
            scale = max(abs(event.level), abs(self.values[k]), 1e-300)
            self.values[k] = 0.0 if abs(fresh[k]) <= 1e-9 * scale else fresh[k]

    def measure(self, motion: Motion) -> Array:
        """(n_events,) distances of the sensors from their levels."""
        assembly, buffer = self.assembly, self.buffer
        buffer.n[0] = 0
        energies = np.zeros(N_ENERGIES)
        run(assembly, observe, motion, buffer, energies)
        row = np.zeros(NOW)
        row[:3] = energies[:3]
        run(assembly, record, motion, assembly.target, buffer, row)
        rows = Records(*(getattr(buffer, name)[:1] for name in Records._fields))
        return np.array(
            [
                sensor(rows)[0, column] - event.level
                for (sensor, column), event in zip(
                    self.sensors, self.events, strict=True
                )
            ]
        )

    def snapshot(self, motion: Motion, book: Array) -> Snapshot:
        """Keep what a step starts from."""
        names = ("poses", "velocities", "accelerations", "multipliers")
        return Snapshot(
            float(motion.time[0]),
            {name: getattr(motion, name).copy() for name in names},
            self.assembly.equations.history.copy(),
            book.copy(),
            int(self.recorder.buffer.n[0]),
        )

    def meet(self, before: Snapshot, motion: Motion, book: Array) -> Event | None:
        """Act on the events of the last step; returns the one that changed it."""
        for event, moment in self.crossings(before, motion):
            self.found.append({"sensor": event.sensor, "time": float(moment.times)})
            if event.stops or event.action:
                act(self, event, before, motion, moment, book)
                return event
        return None

    def crossings(self, before: Snapshot, motion: Motion) -> list[tuple[Event, Moment]]:
        """Events of the last step in the order of their times, and the motion there."""
        new = self.measure(motion)
        crossed = [
            k
            for k, event in enumerate(self.events)
            if event.is_crossed(self.values[k], new[k])
        ]
        old, self.values = self.values, np.where(new == 0.0, self.values, new)
        if not crossed:
            return []
        equations = self.assembly.equations
        history = equations.history.copy()
        # angles count from where the step began
        equations.history[:] = before.history
        ends = (_moment(before.time, before.arrays), _moment_of(motion))
        span = (before.time, float(motion.time[0]))
        forces = (before.arrays["multipliers"], motion.multipliers.copy())
        found = sorted(
            (self._root(k, ends, forces, motion, (old[k], new[k]), span), k)
            for k in crossed
        )
        equations.history[:] = history
        return [
            (self.events[k], motion_between(*ends, np.asarray(time)))
            for time, k in found
        ]

    def _root(
        self,
        k: int,
        ends: tuple[Moment, Moment],
        forces: tuple[Array, Array],
        motion: Motion,
        values: tuple[float, float],
        span: tuple[float, float],
    ) -> float:
        probe = motion._replace(
            **{name: getattr(motion, name).copy() for name in motion._fields}
        )

        def distance(time: float) -> float:
            if time in span:
                return values[span.index(time)]
            place(self.assembly, probe, motion_between(*ends, np.asarray(time)))
            share = (time - span[0]) / (span[1] - span[0])
            probe.multipliers[:] = (1.0 - share) * forces[0] + share * forces[1]
            return float(self.measure(probe)[k])

        if values[1] == 0.0:
            return span[1]
        return float(brentq(distance, *span, xtol=TIME_TOLERANCE * (span[1] - span[0])))


def place(assembly: Assembly, motion: Motion, moment: Moment) -> None:
    """Put the arrays of a motion at a moment, in place."""
    motion.time[0] = moment.times
    for name in ("poses", "velocities", "accelerations"):
        getattr(motion, name)[:] = getattr(moment, name)
    motion.bases[:] = motion.poses
    motion.increments[:] = 0.0
    run(assembly, update_signals, motion)


def act(
    watch: EventWatch,
    event: Event,
    before: Snapshot,
    motion: Motion,
    moment: Moment,
    book: Array,
) -> None:
    """End the last step at an event, record it, and let the event's action be."""
    assembly, buffer = watch.assembly, watch.recorder.buffer
    assembly.equations.history[:] = before.history
    book[:] = before.book
    buffer.n[0] = before.n_rows
    place(assembly, motion, moment)
    check_start(assembly, motion, projects=True)
    accelerations(assembly, motion)
    run(assembly, accept_step, motion)
    book[BOOK_STEP] = moment.times - before.time
    run(assembly, observe, motion, buffer, book[NOW:BEFORE])
    add_to_book(book, is_recorded=True)
    run(assembly, record, motion, assembly.target, buffer, book)
    if event.action is None:
        return
    change_state(watch, event, motion, book)


def change_state(watch: EventWatch, event: Event, motion: Motion, book: Array) -> None:
    """Go on with the state that an action gives; the ledger starts again from it.

    Raises
    ------
    ModelError
        If it is no state of this model, or violates constraints.
    """
    assembly = watch.assembly
    state: Any = event.action(assembly.state(motion)) if event.action else None
    for name in ("poses", "velocities"):
        given: Any = getattr(state, name, None)
        own = getattr(motion, name)
        if np.shape(given) != own.shape or not np.all(np.isfinite(given)):
            raise ModelError(
                f"The action of the event on sensor '{event.sensor}' returned {name} "
                f"of shape {np.shape(given)}: expected a State with finite numbers of "
                f"shape {own.shape}."
            )
        own[:] = given
    motion.bases[:] = motion.poses
    motion.increments[:] = 0.0
    check_start(assembly, motion, projects=False)
    accelerations(assembly, motion)
    run(assembly, accept_step, motion)
    total = book[NOW : NOW + 3].sum()
    watch.buffer.n[0] = 0
    run(assembly, observe, motion, watch.buffer, book[NOW:BEFORE])
    book[BEFORE:START] = book[NOW:BEFORE]
    book[START] += book[NOW : NOW + 3].sum() - total


def _moment(time: float, arrays: dict[str, Array]) -> Moment:
    return Moment(
        np.asarray(time),
        arrays["poses"],
        arrays["velocities"],
        arrays["accelerations"],
    )


def _moment_of(motion: Motion) -> Moment:
    return Moment(
        np.asarray(motion.time[0]),
        motion.poses.copy(),
        motion.velocities.copy(),
        motion.accelerations.copy(),
    )
