"""How long a run takes, what it keeps, and when it ends early."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import ModelError, ResultsError, suggestion
from ..records import Layout, Records
from ..results_file import no_folder
from ..sensors import PreparedSensor, prepared
from ..system import System
from .march import Progress


def check_kind(name: str, value: Any, kind: type) -> None:
    """Refuse an argument of ``solve`` that is something else."""
    if not isinstance(value, kind):
        raise ModelError(
            f"{name} is {value!r}: expected fl.{kind.__name__}(...), see its help."
        )


def check_system(system: Any) -> None:
    """Refuse a model that was not built."""
    if not isinstance(system, System):
        hint = ": build it first, model.build()" if hasattr(system, "build") else ""
        raise ModelError(
            f"solve was given a {type(system).__name__}, expected a System{hint}."
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
            if isinstance(value, bool) or value != int(value) or value < 1:
                words = "every (output_every)" if name == "every" else name
                raise ModelError(
                    f"{words} of the output is {value}: expected a whole number of "
                    "steps, one or more."
                )

    def check_path(self) -> None:
        """Refuse a file that could not be written, before anything is computed.

        Raises
        ------
        ResultsError
            Naming the folder that does not exist, or what stands in the way.
        """
        if self.path is None:
            return
        path = Path(self.path)
        if not path.parent.is_dir():
            raise ResultsError(no_folder(path))
        if path.is_dir():
            raise ResultsError(
                f"The results file '{path}' cannot be written: it is a folder. Give "
                f"the path of a file in it, e.g. '{path / 'results.h5'}'."
            )


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
        if self.above is None and self.below is None:
            raise ModelError(
                f"stop on sensor '{self.sensor}' has neither above nor below: give one."
            )

    def watch(self, layout: Layout) -> Watch:
        """The condition with its place in the records looked up.

        Raises
        ------
        ModelError
            No such sensor or column, or several columns and none chosen.
        """
        sensors = layout.catalog.sensors
        if self.sensor not in sensors:
            near = suggestion(self.sensor, sensors, what="sensors")
            raise ModelError(
                f"stop refers to sensor '{self.sensor}', which does not exist. {near}"
            )
        sensor = prepared(sensors[self.sensor], layout)
        names = sensor.columns
        if self.component is None:
            if len(names) > 1:
                raise ModelError(
                    f"stop on sensor '{self.sensor}' does not say which of its columns "
                    f"{list(names)} counts: give one as component."
                )
            return Watch(self, sensor, 0)
        if self.component not in names:
            near = suggestion(self.component, names, what="columns")
            raise ModelError(
                f"stop on sensor '{self.sensor}' names the component "
                f"'{self.component}', which it does not have. {near}"
            )
        return Watch(self, sensor, names.index(self.component))


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


@dataclass(frozen=True, kw_only=True)
class Schedule:
    """What the one who starts a run in time asks for.

    Attributes
    ----------
    duration, time_step : float [s]
        The step is made a little shorter where the duration is no multiple of it.
    output : Output
    stop : StopWhen or None
    progress : callable or None
        Called now and then with the share that is done and a text.
    """

    duration: float
    time_step: float
    output: Output = Output()
    stop: StopWhen | None = None
    progress: Progress | None = None

    def __post_init__(self) -> None:
        check_kind("output", self.output, Output)
        if self.stop is not None:
            check_kind("stop", self.stop, StopWhen)
        for name in ("duration", "time_step"):
            value = getattr(self, name)
            is_number = isinstance(value, Real) and not isinstance(value, bool)
            if not (is_number and math.isfinite(value) and value > 0.0):
                raise ModelError(
                    f"{name} is {value!r}: expected a positive number of seconds."
                )
        if self.time_step > self.duration * (1.0 + 1e-9):
            raise ModelError(
                f"time_step {self.time_step:g} is longer than the duration "
                f"{self.duration:g}."
            )

    @property
    def n_steps(self) -> int:
        """Number of steps."""
        return max(1, math.ceil(self.duration / self.time_step - 1e-9))

    @property
    def step(self) -> float:
        """Step that divides the duration [s]."""
        return self.duration / self.n_steps
