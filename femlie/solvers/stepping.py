"""What all time steppers share: output, checkpoints, restart, stop conditions."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .._equations import start_step, update_signals
from ..assembly import DYNAMIC, Assembly
from ..elements.base import Array, Motion
from ..errors import ConvergenceError, ModelError
from ..linear import Factorization, analyze
from ..records import Records
from ..results import Results
from ..results_file import ResultsWriter, read_checkpoint
from ..system import State, System
from .march import Progress, Recorder, run
from .reports import summary_of

# rows handed over at once, and the most steps between two looks at the keyboard
PIECE_ROWS = 64
PIECE_STEPS = 1000
PIVOT_TRIES = 3


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
    stop : StopWhen or None
    progress : callable or None
    """

    duration: float
    time_step: float
    output_every: int = 1
    checkpoint_every: int = 1000
    path: str | Path | None = None
    restart: str | Path | None = None
    stop: StopWhen | None = None
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
    def n_steps(self) -> int:
        """Number of steps."""
        return max(1, math.ceil(self.duration / self.time_step - 1e-9))

    @property
    def step(self) -> float:
        """Step that divides the duration [s]."""
        return self.duration / self.n_steps


class Stepping:
    """A run in time: the loop around a compiled driver.

    Parameters
    ----------
    system : System
    schedule : Schedule
    analysis : dict
        Settings to be kept with the results.
    start : State or None
    """

    def __init__(
        self,
        system: System,
        schedule: Schedule,
        *,
        analysis: dict[str, Any],
        start: State | None = None,
    ) -> None:
        self.system = system
        self.schedule = schedule
        self.analysis = analysis
        self.clock = (time.process_time(), time.perf_counter())
        self.assembly = Assembly(system)
        state = system.state if start is None else start
        self.motion: Motion = self.assembly.motion(state, regime=DYNAMIC)
        self.motion.bases[:] = self.motion.poses
        self.motion.increments[:] = 0.0
        self.start_time = float(state.time)
        self.factorization: Factorization | None = None
        self.warnings: list[str] = []
        self.writer: ResultsWriter | None = None
        self.recorder: Recorder
        self.is_stopped = False

    def begin(self) -> None:
        """Signals, iterates, and the place where rows go."""
        run(self.assembly, update_signals, self.motion)
        run(self.assembly, start_step, self.motion)
        schedule = self.schedule
        if schedule.path is not None:
            maker = ResultsWriter
            if schedule.restart is not None and _same_file(
                schedule.path, schedule.restart
            ):
                self.writer = ResultsWriter.resume(
                    schedule.path, self.system, analysis=self.analysis
                )
            else:
                self.writer = maker(
                    schedule.path, self.system, analysis=self.analysis
                )
        rows = min(PIECE_ROWS, max(1, PIECE_STEPS // schedule.output_every))
        self.recorder = Recorder(self.assembly, writer=self.writer, capacity=rows)

    def analyze(self) -> None:
        """New pivots for the matrix that the assembly holds."""
        assembly = self.assembly
        self.factorization = analyze(
            assembly.indptr,
            assembly.indices,
            assembly.target.data[:-1],
            n_multipliers=self.system.dofs.n_multipliers,
            is_redundant=self.system.n_redundant > 0,
        )

    def load_checkpoint(self) -> tuple[int, dict[str, Array]]:
        """Arrays of the latest checkpoint of the file to restart from."""
        assert self.schedule.restart is not None
        step, arrays = read_checkpoint(self.schedule.restart)
        for name in Motion._fields:
            target = getattr(self.motion, name)
            if arrays[name].shape != target.shape:
                raise ModelError(
                    f"'{self.schedule.restart}' holds a run of another model: "
                    f"{name} has the shape {arrays[name].shape}, expected "
                    f"{target.shape}."
                )
            target[:] = arrays[name]
        self.assembly.equations.history[:] = arrays["history"]
        return step, arrays

    def save_checkpoint(self, step: int, memory: dict[str, Array]) -> None:
        """Keep all that the driver carries; pivots are dropped, here as in a restart."""
        self.factorization = None
        if self.writer is None:
            return
        arrays = {name: getattr(self.motion, name) for name in Motion._fields}
        arrays["history"] = self.assembly.equations.history
        self.recorder.hand_over()
        self.writer.checkpoint({**arrays, **memory}, step)

    def looks_finished(self) -> bool:
        """Whether the stop condition holds in the rows not yet handed over."""
        stop = self.schedule.stop
        if stop is None or self.recorder.buffer.n[0] == 0:
            return False
        from ..sensors import prepared

        sensors = self.system.catalog.sensors
        if stop.sensor not in sensors:
            raise ModelError(
                f"stop refers to sensor '{stop.sensor}', which does not exist: known "
                f"are {sorted(sensors)}."
            )
        n = int(self.recorder.buffer.n[0])
        rows = Records(
            *(getattr(self.recorder.buffer, name)[:n] for name in Records._fields)
        )
        values = prepared(sensors[stop.sensor], self.recorder.layout)(rows)[:, 0]
        hit = np.zeros(n, dtype=bool)
        if stop.above is not None:
            hit |= values > stop.above
        if stop.below is not None:
            hit |= values < stop.below
        if not np.any(hit):
            return False
        # rows after the first hit are not part of the run
        self.recorder.buffer.n[0] = int(np.argmax(hit)) + 1
        return True

    def report(self, step: int, iterations: int) -> None:
        """Tell how far the run is."""
        if self.schedule.progress is not None:
            n = self.schedule.n_steps
            self.schedule.progress(
                step / n, f"step {step} of {n}, {iterations} iterations"
            )

    def results(
        self, *, name: str, steps: int, iterations: int, converged: bool
    ) -> Results:
        """All rows with their summary; the file gets the summary too."""
        records = self.recorder.finish()
        if self.schedule.restart is not None and self.writer is not None:
            from ..results_file import read_stored

            records = read_stored(self.schedule.path).records  # type: ignore[arg-type]
        summary = summary_of(
            self.assembly,
            records,
            analysis=name,
            converged=converged,
            steps=steps,
            iterations=iterations,
            clock=self.clock,
            warnings=[*self.system.warnings, *self.warnings],
        )
        summary["constraint_error"] = self.constraint_error()
        if self.writer is not None:
            self.writer.close(summary, warnings=tuple(summary["warnings"]))
        return Results(
            layout=self.recorder.layout,
            records=records,
            summary=summary,
            warnings=tuple(summary["warnings"]),
            analysis=self.analysis,
        )

    def constraint_error(self) -> float:
        """Largest violation of a constraint now, relative to the model's size."""
        from .start import _rows

        if self.system.dofs.n_multipliers == 0:
            return 0.0
        gap = _rows(self.assembly, self.motion, 0)
        return float(np.abs(gap).max() / self.system.size)

    def fail(self, message: str, *, name: str, steps: int, iterations: int,
             log: list[float]) -> None:  # fmt: skip
        """Keep what was reached and say why the run ended."""
        raise ConvergenceError(
            message,
            results=self.results(
                name=name, steps=steps, iterations=iterations, converged=False
            ),
            residuals=log,
        )


def _same_file(first: str | Path, second: str | Path) -> bool:
    return Path(first).resolve() == Path(second).resolve()


