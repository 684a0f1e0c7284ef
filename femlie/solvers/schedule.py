"""How long a run takes, what it keeps, and when it ends early."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

from ..errors import ModelError
from .events import Event
from .march import Progress


@dataclass(frozen=True, kw_only=True)
class StopWhen:
    """Ends a run when a sensor leaves a range; looked at for every output row.

    Attributes
    ----------
    sensor : str
        Name of a sensor of the model; its first column counts.
    above, below : float or None
    """

    sensor: str
    above: float | None = None
    below: float | None = None

    def __post_init__(self) -> None:
        if self.above is None and self.below is None:
            raise ModelError(
                f"stop on sensor '{self.sensor}' has neither above nor below: give one."
            )


Stop = StopWhen | Event | tuple[Event, ...]


@dataclass(frozen=True, kw_only=True)
class Schedule:
    """How long a run takes and what it keeps.

    Attributes
    ----------
    duration, time_step : float [s]
        The step is made a little shorter where the duration is no multiple of it.
    output_every : int
        Steps from one output row to the next.
    checkpoint_every : int
        Steps from one checkpoint to the next (only with a path).
    path : path or None
        Results file that grows as the run goes.
    restart : path or None
        Results file to go on from, behind its latest checkpoint.
    stop : StopWhen, Event, several events, or None
    progress : callable or None
    """

    duration: float
    time_step: float
    output_every: int = 1
    checkpoint_every: int = 1000
    path: str | Path | None = None
    restart: str | Path | None = None
    stop: Stop | None = None
    progress: Progress | None = None

    def __post_init__(self) -> None:
        for name in ("duration", "time_step"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value > 0.0):
                raise ModelError(
                    f"{name} is {value}: expected a positive number of seconds."
                )
        if self.time_step > self.duration * (1.0 + 1e-9):
            raise ModelError(
                f"time_step {self.time_step:g} is longer than the duration "
                f"{self.duration:g}."
            )
        for name in ("output_every", "checkpoint_every"):
            if getattr(self, name) < 1:
                raise ModelError(
                    f"{name} is {getattr(self, name)}: expected one step or more."
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
    def step(self) -> float:
        """Step that divides the duration [s]."""
        return self.duration / self.n_steps
