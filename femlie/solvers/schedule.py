"""How long a run takes, what it keeps, and when it ends early."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np

from ..elements.joint_motion import rubbing_names
from ..errors import ModelError, suggestion
from ..fields import (
    GREATEST_INTEGER,
    check_fields,
    check_integer,
    is_number,
    is_usable,
    is_whole,
    shown,
)
from ..records import Layout, Records
from ..results_file import check_writable
from ..sensors import PreparedSensor, prepared
from ..system import State, System
from .march import Progress

# an error-controlled step below this share of the duration counts as failed
SMALLEST_SHARE = 1e-9


def check_kind(name: str, value: Any, kind: type) -> None:
    """Refuse an argument of ``solve`` that is something else."""
    if not isinstance(value, kind):
        raise ModelError(
            f"{name} is {value!r}: expected fl.{kind.__name__}(...), see its help."
        )


def check_progress(progress: Any) -> None:
    """Refuse what cannot be called."""
    if progress is not None and not callable(progress):
        raise ModelError(
            f"progress is {progress!r}: expected a function of the share that is done "
            "and a text, or None."
        )


def check_system(
    system: Any, *, may_touch: bool = False, may_rub: bool = False
) -> None:
    """Refuse a model that was not built, and what the analysis does not look at.

    That is contact, hard stops and friction of joints.
    """
    if not isinstance(system, System):
        hint = ": build it first, model.build()" if hasattr(system, "build") else ""
        raise ModelError(
            f"solve was given a {type(system).__name__}, expected a System{hint}."
        )
    if system.contact is not None and not may_touch:
        raise ModelError(
            f"The model has the contact '{system.contact.names[0]}', of which this "
            "analysis knows nothing: run it with Static, or with GeneralizedAlpha and "
            "formulation=fl.ABSOLUTE, or take the contact out."
        )
    if system.stops and not may_touch:
        raise ModelError(
            f"Joint '{system.stops[0].name}' has a hard stop, of which this analysis "
            "knows nothing: run it with Static, or with GeneralizedAlpha and "
            "formulation=fl.ABSOLUTE, or give the stop a stiffness."
        )
    rubbing = () if may_rub else rubbing_names(system.blocks)
    if rubbing:
        raise ModelError(
            f"Joint '{rubbing[0]}' has friction, of which this analysis does not find "
            "whether it sticks or slides: run it with GeneralizedAlpha, MuntheKaas, "
            "Rattle or Static, or take the friction out."
        )


@dataclass(frozen=True, kw_only=True)
class Output:
    """What a run keeps, and where.

    Attributes
    ----------
    every : int
        Steps from one row of the results to the next; load steps in statics.
    path : path or None
        Results file. A run in time writes it as it goes, so that it can be read, and
        gone on from, after a kill; statics write it at the end. None: results stay in
        memory.
    checkpoint_every : int
        Steps from one checkpoint in that file to the next (runs in time only).
    """

    every: int = 1
    path: str | Path | None = None
    checkpoint_every: int = 1000

    def __post_init__(self) -> None:
        for name in ("every", "checkpoint_every"):
            value = getattr(self, name)
            words = "every (output_every)" if name == "every" else name
            if not is_whole(value) or value < 1:
                raise ModelError(
                    f"{words} of the output is {value!r}: expected a whole number of "
                    "steps, one or more."
                )
            check_integer(value, f"{words} of the output")
        check_fields(self, "the output")

    def check_path(self) -> None:
        """Refuse a file that could not be written, before anything is computed.

        Raises
        ------
        ResultsError
            Naming the folder that does not exist, or what stands in the way.
        """
        if self.path is not None:
            check_writable(self.path)


@dataclass(frozen=True, kw_only=True)
class StopWhen:
    """Ends a run when a sensor leaves a range; looked at for every output row.

    Attributes
    ----------
    sensor : str
        Name of a sensor of the model.
    above, below : float or None
    component : str or None
        Column of the sensor, e.g. ``"z"`` or ``"force_x"`` (`Results.sensor_columns`);
        needed where it has several.
    """

    sensor: str
    above: float | None = None
    below: float | None = None
    component: str | None = None

    def __post_init__(self) -> None:
        check_fields(self, f"the stop on sensor '{self.sensor}'")
        if self.above is None and self.below is None:
            raise ModelError(
                f"stop on sensor '{self.sensor}' has neither above nor below: give one."
            )
        if (
            self.above is not None
            and self.below is not None
            and self.above <= self.below
        ):
            raise ModelError(
                f"stop on sensor '{self.sensor}' has above {self.above:g} and below "
                f"{self.below:g}, so that every value would stop it: expected above to "
                "be greater than below."
            )

    def watch(self, layout: Layout) -> Watch:
        """The condition with its place in the records looked up.

        Raises
        ------
        ModelError
            No such sensor or column, or several columns and none chosen.
        """
        return Watch(self, *column_of(self.sensor, self.component, layout, what="stop"))


def column_of(
    name: str, component: str | None, layout: Layout, *, what: str
) -> tuple[PreparedSensor, int]:
    """A sensor and the column of it that counts.

    Raises
    ------
    ModelError
        No such sensor or column, or several columns and none chosen.
    """
    sensors = layout.catalog.sensors
    if name not in sensors:
        near = suggestion(name, sensors, what="sensors")
        raise ModelError(
            f"{what} refers to sensor '{name}', which does not exist. {near}"
        )
    sensor = prepared(sensors[name], layout)
    names = sensor.columns
    if component is None:
        if len(names) > 1:
            raise ModelError(
                f"{what} on sensor '{name}' does not say which of its columns "
                f"{list(names)} counts: give one as component."
            )
        return sensor, 0
    if component not in names:
        near = suggestion(component, names, what="columns")
        raise ModelError(
            f"{what} on sensor '{name}' names the component '{component}', which it "
            f"does not have. {near}"
        )
    return sensor, names.index(component)


@dataclass(frozen=True)
class Watch:
    """A stop condition, ready to look at rows."""

    stop: StopWhen
    sensor: PreparedSensor
    column: int

    def first_hit(self, rows: Records) -> int | None:
        """Number of the first row outside the range, or None."""
        values = self.sensor(rows)[:, self.column]
        is_outside = np.zeros(values.size, dtype=bool)
        if self.stop.above is not None:
            is_outside |= values > self.stop.above
        if self.stop.below is not None:
            is_outside |= values < self.stop.below
        return int(np.argmax(is_outside)) if np.any(is_outside) else None


class Direction(Enum):
    """Ways in which a level is crossed."""

    BOTH = "both"
    RISING = "rising"
    FALLING = "falling"


@dataclass(frozen=True, kw_only=True)
class Event:
    """A sensor crosses a level between two steps.

    The time is found on the motion interpolated between the steps, which costs no
    evaluation of the equations; the run goes on from there if the state changes.

    Attributes
    ----------
    sensor : str
        Name of a sensor of the model.
    level : float
    direction : Direction
    action : callable or None
        ``action(state) -> State``: the state that the motion goes on with, e.g. with
        other velocities behind an impact. Places and velocities must satisfy the
        constraints.
    stops : bool
        Whether the run ends there.
    component : str or None
        Column of the sensor, as of `StopWhen`.
    """

    sensor: str
    level: float = 0.0
    direction: Direction = Direction.BOTH
    action: Callable[[State], State] | None = None
    stops: bool = False
    component: str | None = None

    def __post_init__(self) -> None:
        check_fields(self, f"the event on sensor '{self.sensor}'")
        if self.stops and self.action is not None:
            raise ModelError(
                f"The event on sensor '{self.sensor}' stops the run and has an action, "
                "which nothing would follow: give one of them."
            )

    def is_crossed(self, before: float, after: float) -> bool:
        """Whether the level lies between two values, in the event's direction."""
        rises = before < 0.0 <= after
        falls = before > 0.0 >= after
        if self.direction is Direction.RISING:
            return rises
        if self.direction is Direction.FALLING:
            return falls
        return rises or falls


Stop = StopWhen | Event | tuple[Event, ...]


def check_stop(stop: Any) -> None:
    """Refuse what is neither a stop condition nor events."""
    if isinstance(stop, tuple):
        if not stop:
            raise ModelError(
                "stop is empty: give events, or leave it out to run to the end."
            )
        for event in stop:
            check_kind("an event of stop", event, Event)
    elif stop is not None and not isinstance(stop, Event):
        check_kind("stop", stop, StopWhen)


@dataclass(frozen=True, kw_only=True)
class Schedule:
    """What the one who starts a run in time asks for.

    Attributes
    ----------
    duration, time_step : float [s]
        The step is made a little shorter where the duration is no multiple of it.
    output : Output
    stop : StopWhen, Event, several events, or None
    progress : callable or None
        Called now and then with the share that is done and a text.
    """

    duration: float
    time_step: float
    output: Output = Output()
    stop: Stop | None = None
    progress: Progress | None = None

    def __post_init__(self) -> None:
        check_kind("output", self.output, Output)
        check_stop(self.stop)
        check_progress(self.progress)
        for name in ("duration", "time_step"):
            value = getattr(self, name)
            if not is_usable(value) or value <= 0.0:
                raise ModelError(
                    f"{name} is {shown(value)}: expected a positive number of seconds"
                    f"{' below 1e150' * (is_number(value) and value > 1.0)}."
                )
        if self.time_step > self.duration * (1.0 + 1e-9):
            raise ModelError(
                f"time_step {self.time_step:g} is longer than the duration "
                f"{self.duration:g}."
            )
        if not self.duration / self.time_step < GREATEST_INTEGER:
            raise ModelError(
                f"duration {self.duration:g} is more than {GREATEST_INTEGER:.2g} steps "
                f"of {self.time_step:g}: give a shorter one, or longer steps."
            )

    @property
    def events(self) -> tuple[Event, ...]:
        """Events to look at in every step."""
        if isinstance(self.stop, Event):
            return (self.stop,)
        return self.stop if isinstance(self.stop, tuple) else ()

    @property
    def n_steps(self) -> int:
        """Number of steps."""
        return max(1, math.ceil(self.duration / self.time_step - 1e-9))

    @property
    def smallest_step(self) -> float:
        """Step [s] below which one that is chosen by its error counts as failed."""
        return SMALLEST_SHARE * self.duration

    @property
    def notices(self) -> list[str]:
        """What the user should know about the step."""
        if abs(self.step - self.time_step) <= 1e-9 * self.step:
            return []
        text = f"The time step was made {self.step:.6g} instead of {self.time_step:g}"
        return [f"{text}, so that it divides the duration."]

    @property
    def step(self) -> float:
        """Step that divides the duration [s]."""
        return self.duration / self.n_steps
