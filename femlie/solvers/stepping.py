"""What all time steppers share: output, checkpoints, restart, stop conditions."""

from __future__ import annotations

import math
import time
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from .._equations import start_step, update_signals
from ..assembly import DYNAMIC, Assembly
from ..elements.base import Array, Motion
from ..errors import ConvergenceError, ModelError
from ..linear import Factorization, analyze
from ..records import Records
from ..results import Results
from ..results_file import (
    ResultsWriter,
    read_analysis,
    read_checkpoint,
    read_stored,
)
from ..sensors import prepared
from ..system import State, System
from . import ahead
from .events import EventWatch, Snapshot, act
from .march import NOW, START, Recorder, observe, run, start_book
from .reports import summary_of
from .schedule import Schedule, StopWhen
from .start import constraint_rows

# rows handed over at once, and the most steps between two looks at the keyboard
PIECE_ROWS = 64
PIECE_STEPS = 1000
PIVOT_TRIES = 3
MANY_STEPS = 2**62  # where the error decides how many there are
# what drivers return when all went well, or when they want new pivots
DONE, WANTS_PIVOTS = 0, 1
# counts that every memory begins with: steps done, iterations
STEP = 0


class Method(Protocol):
    """What a time stepper brings to `Stepping.march`."""

    name: str
    driver: Any
    memory: Any  # has `counts`: steps done, then iterations

    @property
    def is_adaptive(self) -> bool: ...

    def start(self) -> None: ...
    def first_pivots(self) -> None: ...
    def carried(self) -> dict[str, Any]: ...
    def notices(self) -> list[str]: ...
    def resume(self, step: float) -> None: ...
    def failure(self, code: int) -> tuple[str, list[float]]: ...


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
        method = analysis.get("method")
        if method is not None:
            ahead.start(method)
        self.assembly = Assembly(
            system, between=lambda: ahead.wait(method) if method is not None else None
        )
        state = system.state if start is None else start
        self.motion: Motion = self.assembly.motion(state, regime=DYNAMIC)
        self.motion.bases[:] = self.motion.poses
        self.motion.increments[:] = 0.0
        self.start_time = float(state.time)
        self.end_time = self.start_time + schedule.duration
        self.factorization: Factorization | None = None
        self.warnings: list[str] = []
        if abs(schedule.step - schedule.time_step) > 1e-9 * schedule.step:
            self.warnings.append(
                f"The time step was made {schedule.step:.6g} instead of "
                f"{schedule.time_step:g}, so that it divides the duration."
            )
        self.writer: ResultsWriter | None = None
        self.recorder: Recorder
        self.is_stopped = False
        self.watch: EventWatch | None = None
        self.n_sweeps = 0  # of refinement in each linear solve

    def march(self, method: Method) -> Results:
        """All steps of a method, with output, checkpoints and stop conditions."""
        method.start()
        schedule = self.schedule
        counts = method.memory.counts
        tries = 0
        n_steps = MANY_STEPS if method.is_adaptive else schedule.n_steps
        watch = self.watch = self.event_watch()
        while not self.is_stopped and not (
            counts[STEP] >= n_steps
            or (method.is_adaptive and self.motion.time[0] >= self.end_time)
        ):
            if self.factorization is None:
                method.first_pivots()
            every = schedule.checkpoint_every
            target = min(n_steps, (int(counts[STEP]) // every + 1) * every)
            if watch is not None:
                target = min(target, int(counts[STEP]) + 1)
                before = watch.snapshot(self.motion, method.memory.book)
            try:
                code = self.assembly.drive(
                    method.driver,
                    self.motion,
                    self.assembly.target,
                    self.factorization,
                    method.memory,
                    self.recorder.buffer,
                    target,
                )
                if code == WANTS_PIVOTS and tries < PIVOT_TRIES:
                    tries += 1
                    self.analyze()
                    continue
                if code != DONE:
                    self.fail(method, code)
                tries = 0
                if watch is not None:
                    n_steps = self.meet_events(method, watch, before, n_steps)
                self.after_piece(method, target)
            except KeyboardInterrupt:
                self.warnings.append("Interrupted by the user.")
                self.results(method, converged=False)
                raise
        self.warnings += method.notices()
        if counts[STEP] % schedule.checkpoint_every:
            self.save_checkpoint(int(counts[STEP]), method.carried())
        return self.results(method, converged=True)

    def event_watch(self) -> EventWatch | None:
        """What looks at the events of the run, if it has any."""
        events = self.schedule.events
        if not events:
            return None
        if self.schedule.restart is not None:
            raise ModelError(
                "A run with events cannot go on from a checkpoint, which knows nothing "
                "of them: start it anew."
            )
        watch = EventWatch(self.assembly, self.recorder, events)
        watch.begin(self.motion)
        return watch

    def meet_events(
        self, method: Method, watch: EventWatch, before: Snapshot, n_steps: int
    ) -> int:
        """Act on the events of the last step; returns the number of steps in all."""
        for event, moment in watch.crossings(before, self.motion):
            watch.found.append({"sensor": event.sensor, "time": float(moment.times)})
            if not (event.stops or event.action):
                continue
            act(watch, event, before, self.motion, moment, method.memory.book)
            self.is_stopped = event.stops
            rest = self.end_time - float(self.motion.time[0])
            step = self.schedule.step
            if event.stops or rest <= 1e-9 * step:
                return int(method.memory.counts[STEP])
            n_left = max(1, math.ceil(rest / step - 1e-9))
            n_all = int(method.memory.counts[STEP]) + n_left
            method.resume(step if method.is_adaptive else rest / n_left)
            watch.begin(self.motion)
            return n_steps if method.is_adaptive else n_all
        return n_steps

    def open_book(self, book: Array) -> None:
        """Start the energy ledger here, and record the first row."""
        run(self.assembly, observe, self.motion, self.recorder.buffer, book[NOW:START])
        start_book(book)
        self.recorder.take(self.motion, book[:NOW])

    def after_piece(self, method: Method, target: int) -> None:
        """Hand rows over, look at the stop condition, keep a checkpoint."""
        step, iterations = (int(count) for count in method.memory.counts[:2])
        self.is_stopped = self.is_stopped or self.looks_finished()
        self.recorder.hand_over()
        schedule = self.schedule
        if schedule.progress is not None:
            done = (float(self.motion.time[0]) - self.start_time) / schedule.duration
            schedule.progress(done, f"step {step}, {iterations} iterations")
        if step == target and step % schedule.checkpoint_every == 0:
            self.save_checkpoint(step, method.carried())

    def begin(self) -> None:
        """Signals, iterates, and the place where rows go."""
        run(self.assembly, update_signals, self.motion)
        run(self.assembly, start_step, self.motion)
        schedule = self.schedule
        if schedule.path is not None:
            if schedule.restart is not None and _same_file(
                schedule.path, schedule.restart
            ):
                self.writer = ResultsWriter.resume(
                    schedule.path, self.system, analysis=self.analysis
                )
            else:
                self.writer = ResultsWriter(
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
            n_sweeps=self.n_sweeps,
        )

    def load_checkpoint(self) -> tuple[int, dict[str, Array]]:
        """Arrays of the latest checkpoint of the file to restart from."""
        assert self.schedule.restart is not None
        self._check_restart(read_analysis(self.schedule.restart))
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

    def _check_restart(self, before: dict[str, Any]) -> None:
        """Refuse to go on with another method or another fixed step."""
        now = self.analysis
        is_same = {
            key: before.get(key) == now.get(key) for key in ("method", "tolerance")
        }
        is_same["time_step"] = now.get("tolerance") is not None or math.isclose(
            float(before.get("time_step", 0.0)), float(now["time_step"]), rel_tol=1e-9
        )
        for key, agrees in is_same.items():
            if not agrees:
                raise ModelError(
                    f"'{self.schedule.restart}' holds a run with the {key} "
                    f"{before.get(key)}, this one has {now.get(key)}: a restart goes "
                    "on with the same."
                )

    def save_checkpoint(self, step: int, memory: dict[str, Array]) -> None:
        """Keep all that the driver carries; drop pivots, here as in a restart."""
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
        if not isinstance(stop, StopWhen) or self.recorder.buffer.n[0] == 0:
            return False
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

    def results(self, method: Method, *, converged: bool) -> Results:
        """All rows with their summary; the file gets the summary too."""
        schedule = self.schedule
        is_empty = not self.recorder.pieces and self.recorder.buffer.n[0] == 0
        if schedule.restart is None or not (schedule.path or is_empty):
            records = self.recorder.finish()
        else:
            # a restart that had nothing left to do shows what was there
            self.recorder.hand_over()
            source = schedule.restart if is_empty else schedule.path
            records = read_stored(source).records  # type: ignore[arg-type]
        summary = summary_of(
            self.assembly,
            records,
            analysis=method.name,
            converged=converged,
            steps=int(method.memory.counts[STEP]),
            iterations=int(method.memory.counts[STEP + 1]),
            clock=self.clock,
            warnings=[*self.system.warnings, *self.warnings],
        )
        summary["constraint_error"] = self.constraint_error()
        if self.watch is not None:
            summary["events"] = self.watch.found
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
        if self.system.dofs.n_multipliers == 0:
            return 0.0
        gap = constraint_rows(self.assembly, self.motion, 0)
        return float(np.abs(gap).max() / self.system.size)

    def fail(self, method: Method, code: int) -> None:
        """Keep what was reached and say why the run ended."""
        step = int(method.memory.counts[STEP])
        reason, log = method.failure(code)
        raise ConvergenceError(
            f"The dynamic analysis stopped at time {self.motion.time[0]:.6g} (step "
            f"{step + 1}): {reason}",
            results=self.results(method, converged=False),
            residuals=log,
        )


def _same_file(first: str | Path, second: str | Path) -> bool:
    return Path(first).resolve() == Path(second).resolve()
