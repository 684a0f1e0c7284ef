"""What all solvers in time have in common: how they are asked."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any, ClassVar

from ..assembly import Assembly
from ..elements.base import Motion
from ..results import Results
from ..system import State, System
from .march import Progress
from .method import MethodKind
from .refusals import check_run
from .schedule import Output, Schedule, Stop
from .stepping import Stepping


class TimeStepper(ABC):
    """A solver in time: a frozen dataclass of settings, see `method.Settings`."""

    can_restart: ClassVar[bool] = True

    @property
    @abstractmethod
    def kind(self) -> MethodKind:
        """Class of the runs that it makes."""

    @property
    def may_touch(self) -> bool:
        """Whether its runs look at contact and hard stops in the model."""
        return False

    @property
    def may_rub(self) -> bool:
        """Whether its steps find out what sticks in joints with friction."""
        return False

    def runs_on(self, system: System) -> tuple[type[Stepping], MethodKind]:  # noqa: ARG002
        """Classes of the runs of a system."""
        return Stepping, self.kind

    def check_step(  # noqa: B027  (for most methods no step is too long)
        self, assembly: Assembly, motion: Motion, schedule: Schedule
    ) -> None:
        """Refuse a step that is too long for stability; here none is.

        Raises
        ------
        ModelError
        """

    def solve(
        self,
        system: System,
        *,
        duration: float,
        time_step: float,
        start: State | str | Path | None = None,
        output: Output = Output(),
        stop: Stop | None = None,
        progress: Progress | None = None,
    ) -> Results:
        """Motion from the start to the end of a time span.

        Parameters
        ----------
        system : System
        duration, time_step : float [s]
            The duration counts from the start of the first run.
        start : State, path or None
            Default: the model as built. A path: a results file to go on from, behind
            its latest checkpoint; the results then hold its rows too.
        output : Output
            What is kept, and where.
        stop : StopWhen, Event, several events, or None
            Where the run ends, or goes on with another state.
        progress : callable or None
            Called now and then with the share that is done and a text.

        Returns
        -------
        Results

        Raises
        ------
        ModelError
            Inconsistent start, frames without mass, a restart of another run, a step
            that is too long for the method.
        ConvergenceError
            A step did not converge; the results so far come with it.
        FunctionError
            A Python function of the model failed; the results so far come with it.
        KeyboardInterrupt
            Ctrl-C; the results so far come with it, as ``results``.
        """
        schedule = Schedule(
            duration=duration,
            time_step=time_step,
            output=output,
            stop=stop,
            progress=progress,
        )
        settings: Any = self
        stepping_kind, kind = self.runs_on(system)
        stepping = stepping_kind(
            system, schedule, name=kind.name, settings=settings, start=start
        )
        return stepping.march(kind(settings, stepping))

    def check(
        self,
        system: System,
        *,
        duration: float,
        time_step: float,
        output: Output = Output(),
        stop: Stop | None = None,
    ) -> None:
        """Refuse what `solve` would refuse before its first step.

        Raises
        ------
        ModelError, ResultsError
            No such sensor to stop at, no folder for the results, an inconsistent start,
            frames without mass, a step that is too long for the method.
        """
        schedule = Schedule(
            duration=duration, time_step=time_step, output=output, stop=stop
        )
        settings: Any = self
        check_run(settings, system, schedule)
