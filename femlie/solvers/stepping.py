"""What all time steppers share: output, checkpoints, restart, stop conditions.

`femlie.solvers.method` says what a time stepper brings.
"""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .._equations import evaluate_blocks, start_step, update_signals
from ..assembly import Assembly
from ..elements.base import Array, IntArray, Motion
from ..errors import ConvergenceError, FunctionError
from ..linear import Factorization, calm, describe, is_frozen
from ..records import Records
from ..results import Results
from ..results_file import ResultsWriter
from ..system import State, System
from . import ahead
from ._step_state import DONE, START_TIME, STEP, TIME_STEP, WANTS_PIVOTS
from .events import EventWatch, Snapshot
from .factors import analyze_assembly
from .march import NOW, START, Recorder, observe, run, start_book
from .method import Method, Settings
from .notices import notices_of
from .refusals import check_schedule, consistent_start
from .reports import summary_of
from .restart import Checkpoint, asked_for, check_state, open_writer, read_restart
from .schedule import Schedule
from .singular import singular_reason
from .start import constraint_error

# rows handed over at once, and the most steps between two looks at the keyboard
PIECE_ROWS = 64
PIECE_STEPS = 1000
# room for a start or an event, and for the first steps behind it
LEAST_ROWS = 3
PIVOT_TRIES = 3
NO_PIVOTS = (
    "the matrix of the step stays without sound pivots. Look for parts with almost no "
    "mass or inertia, and for constraints that repeat or contradict each other."
)
SINGULAR_START = (
    " Constraints are redundant as the model stands. Where they are so in this place "
    "only, as of a slider at its dead point or bars in line, start a little beside it."
)
MANY_STEPS = 2**62  # where the error decides how many there are


class Stepping:
    """A run in time: the loop around a compiled driver.

    Parameters
    ----------
    system : System
    schedule : Schedule
    name : str
        Word for the method.
    settings : Settings
    start : State, path or None
    compiles_ahead : bool
        Whether another process helps to compile the loop of the method.
    """

    # of methods with a matrix of their own
    new_pivots: Callable[[], Factorization] | None = None
    # the factorization before, whose layout may serve again
    mold: Factorization | None = None

    def __init__(
        self,
        system: System,
        schedule: Schedule,
        *,
        name: str,
        settings: Settings,
        start: State | str | Path | None = None,
        compiles_ahead: bool = True,
    ) -> None:
        self.system = system
        self.schedule = schedule
        self.settings = settings
        self.clock = (time.process_time(), time.perf_counter())
        self.watch = check_schedule(settings, schedule, system)
        self.analysis = asked_for(name, settings, system, schedule)
        state = system.state
        self.checkpoint: Checkpoint | None = None
        if isinstance(start, (str, Path)):
            self.checkpoint = read_restart(start, system, self.analysis)
        elif start is not None:
            check_state(start, system)
            state = start
        if compiles_ahead:
            ahead.start(settings.loop)
        self.assembly = Assembly(system, between=lambda: ahead.wait(settings.loop))
        self.motion: Motion = self.assembly.motion(state)
        self.motion.bases[:] = self.motion.poses
        self.motion.increments[:] = 0.0
        self.start_time = float(state.time)
        if self.checkpoint is not None:
            self.checkpoint.load(self.motion, self.assembly.equations.history)
            self.start_time = self.checkpoint.start_time
        self.end_time = self.start_time + schedule.duration
        self.analysis["start_time"] = self.start_time
        self.factorization: Factorization | None = None
        self.linear_solver = describe(None)
        self.warnings = schedule.notices
        self.writer: ResultsWriter | None = None
        every = schedule.output.every
        rows = min(PIECE_ROWS, max(LEAST_ROWS, PIECE_STEPS // every))
        self.recorder = Recorder(self.assembly, capacity=rows)
        self.is_stopped = False
        self.n_steps = schedule.n_steps
        self.n_sweeps = 0  # of refinement in each linear solve
        self.event_watch: EventWatch | None = None

    def march(self, method: Method) -> Results:
        """All steps of a method, with output, checkpoints and stop conditions."""
        self.begin(method)
        counts = method.memory.counts
        if method.is_adaptive:
            self.n_steps = MANY_STEPS
        while not (
            self.is_stopped
            or counts[STEP] >= self.n_steps
            or (method.is_adaptive and self.is_over)
        ):
            target = self.next_target(int(counts[STEP]))
            try:
                before = self.snapshot(method)
                self.advance(method, target)
                if before is not None:
                    self.meet_events(method, before)
                self.after_piece(method, target)
            except (KeyboardInterrupt, FunctionError) as fault:
                self.keep(method, fault)
                raise
        self.warnings += method.notices()
        if counts[STEP] % self.schedule.output.checkpoint_every:
            self.save_checkpoint(method)
        return self.results(method, converged=True)

    def keep(self, method: Method, fault: Any) -> None:
        """What there is when a run is broken off comes with the fault."""
        is_function = isinstance(fault, FunctionError)
        self.warnings.append(str(fault) if is_function else "Interrupted by the user.")
        with contextlib.suppress(FunctionError):
            # compiled loops are never left within a step
            is_state = self.assembly.is_compiled
            fault.results = self.results(method, converged=False, is_state=is_state)

    def advance(self, method: Method, target: int) -> None:
        """Go on to a step or until the buffer is full, with new pivots where needed."""
        counts = method.memory.counts
        n_tries, last_step = 0, -1
        while True:
            if self.factorization is None:
                method.first_pivots()
            if counts[STEP] >= target:
                return
            with calm(self.factorization):
                code = self.assembly.drive(
                    method.driver,
                    self.motion,
                    self.assembly.target,
                    self.factorization,
                    method.memory,
                    self.recorder.buffer,
                    target,
                )
            # what turns may want new pivots every quarter turn, a step only so often
            if counts[STEP] > last_step:
                n_tries, last_step = 0, int(counts[STEP])
            n_tries += 1
            if code != WANTS_PIVOTS or n_tries > PIVOT_TRIES:
                break
            self.analyze()
        if code != DONE:
            self.fail(method, code)
        self.drop_row_of_checkpoint(int(counts[STEP]), target)

    @property
    def is_over(self) -> bool:
        """Whether the motion has reached the end."""
        return bool(self.motion.time[0] >= self.end_time)

    def next_target(self, step: int) -> int:
        """Step at which the driver returns: a checkpoint, or a row to be looked at."""
        if self.event_watch is not None:
            return step + 1
        output = self.schedule.output
        every = output.checkpoint_every
        target = (step // every + 1) * every
        if self.watch is not None:
            target = min(target, (step // output.every + 1) * output.every)
        return min(self.n_steps, target)

    def begin(self, method: Method) -> None:
        """A consistent start with accelerations, or what a checkpoint holds."""
        point = self.checkpoint
        memory = method.memory
        if point is not None:
            point = point.fit(self.schedule, is_adaptive=method.is_adaptive)
            self.checkpoint = point
            point.fill(self.carried(method))
        self.update()
        if point is None:
            self.warnings += consistent_start(
                self.settings, self.assembly, self.motion, self.schedule
            )
            method.start()
        self.writer = open_writer(
            self.schedule.output.path, self.system, self.analysis, point
        )
        self.recorder.writer = self.writer
        if point is not None:
            self.recorder.pieces.append(point.records)
            return
        book, buffer = memory.book, self.recorder.buffer
        run(self.assembly, observe, self.motion, buffer, book[NOW:START])
        start_book(book)
        self.recorder.take(self.motion, book[:NOW])
        self.is_stopped = self.looks_finished()
        if self.schedule.events:
            self.event_watch = EventWatch(
                self.assembly, self.recorder, self.schedule.events
            )
            self.event_watch.begin(self.motion)

    def snapshot(self, method: Method) -> Snapshot | None:
        """What the next step starts from, if there are events to look at."""
        if self.event_watch is None:
            return None
        return self.event_watch.snapshot(self.motion, method.memory.book)

    def meet_events(self, method: Method, before: Snapshot) -> None:
        """Act on the events of the last step."""
        watch = self.event_watch
        assert watch is not None
        event = watch.meet(before, self.motion, method.memory.book)
        if event is None:
            return
        rest = self.end_time - float(self.motion.time[0])
        step = self.schedule.step
        self.is_stopped = event.stops or rest <= 1e-9 * step
        if self.is_stopped:
            return
        if not method.is_adaptive:
            n_left = max(1, math.ceil(rest / step - 1e-9))
            self.n_steps = int(method.memory.counts[STEP]) + n_left
            step = rest / n_left
        method.resume(step)
        self.factorization = None
        watch.begin(self.motion)

    def update(self) -> None:
        """Signals and iterates at the present motion."""
        run(self.assembly, update_signals, self.motion)
        run(self.assembly, start_step, self.motion)

    def drop_row_of_checkpoint(self, step: int, target: int) -> None:
        """Drivers record a row where they return; only that of the end is wanted."""
        is_due = step % self.schedule.output.every == 0
        if step == target < self.n_steps and not (is_due or self.is_over):
            self.recorder.buffer.n[0] -= 1

    def after_piece(self, method: Method, target: int) -> None:
        """Hand rows over, look at the stop condition, keep a checkpoint."""
        step, iterations = (int(count) for count in method.memory.counts[:2])
        self.is_stopped = self.is_stopped or self.looks_finished()
        self.recorder.hand_over()
        schedule = self.schedule
        if schedule.progress is not None:
            done = (float(self.motion.time[0]) - self.start_time) / schedule.duration
            schedule.progress(done, f"step {step}, {iterations} iterations")
        if step == target and step % schedule.output.checkpoint_every == 0:
            self.save_checkpoint(method)

    def evaluate(
        self, level: int, *, mass: float, damping: float, stiffness: float
    ) -> None:
        """Residual and tangent at the present motion, into the assembly's target."""
        weights = (mass, damping, stiffness)
        target = self.assembly.target
        run(self.assembly, evaluate_blocks, self.motion, target, level, *weights)

    def restart_clock(self, counts: IntArray, values: Array, step: float) -> None:
        """Let the time of a step count with another step from where the motion is."""
        values[TIME_STEP] = step
        values[START_TIME] = self.motion.time[0] - counts[STEP] * step

    def analyze(self) -> None:
        """New pivots for the matrix that the assembly, or the method, holds."""
        if self.new_pivots is not None:
            self.factorization = self.new_pivots()
        else:
            self.factorization = analyze_assembly(
                self.assembly,
                before=self.factorization,
                n_sweeps=self.n_sweeps,
                mold=self.mold,
            )
        self.mold = self.factorization if is_frozen(self.factorization) else None
        self.linear_solver = describe(self.factorization)

    def why_singular(self) -> str:
        """Where mass and constraints give no accelerations."""
        self.evaluate(2, mass=1.0, damping=0.0, stiffness=0.0)
        return singular_reason(self.assembly)

    def carried(self, method: Method) -> dict[str, Array]:
        """Arrays of the memory that checkpoints hold."""
        memory = method.memory
        arrays = {"counts": memory.counts, "book": memory.book, **method.carried()}
        return {f"memory_{name}": array for name, array in arrays.items()}

    def save_checkpoint(self, method: Method) -> None:
        """Keep all that the driver carries; drop pivots, here as in a restart."""
        self.factorization = None
        if self.writer is None:
            return
        arrays = {name: getattr(self.motion, name) for name in Motion._fields}
        arrays["history"] = self.assembly.equations.history
        self.recorder.hand_over()
        step = int(method.memory.counts[STEP])
        self.writer.checkpoint({**arrays, **self.carried(method)}, step)

    def looks_finished(self) -> bool:
        """Whether the stop condition holds in the rows not yet handed over."""
        buffer = self.recorder.buffer
        n = int(buffer.n[0])
        if self.watch is None or n == 0:
            return False
        rows = Records(*(getattr(buffer, name)[:n] for name in Records._fields))
        return self.watch.first_hit(rows) is not None

    def results(
        self, method: Method, *, converged: bool, is_state: bool = True
    ) -> Results:
        """All rows with their summary; ``is_state``: a run can begin at the motion."""
        records = self.recorder.finish()
        error = constraint_error(self.assembly, self.motion)
        self.warnings += notices_of(self.system, records, error)
        summary = summary_of(
            self.assembly,
            records,
            analysis=method.name,
            converged=converged,
            steps=int(method.memory.counts[STEP]),
            iterations=int(method.memory.counts[STEP + 1]),
            clock=self.clock,
            warnings=[*self.system.warnings, *self.warnings],
            linear_solver=self.linear_solver,
        )
        summary["constraint_error"] = error
        if self.schedule.stop is not None:
            summary["stopped_early"] = self.is_stopped
        if self.event_watch is not None:
            summary["events"] = self.event_watch.found
        if self.writer is not None:
            self.writer.close(summary, warnings=tuple(summary["warnings"]))
        return Results(
            layout=self.recorder.layout,
            records=records,
            summary=summary,
            warnings=tuple(summary["warnings"]),
            analysis=self.analysis,
            last_state=self.assembly.state(self.motion) if is_state else None,
        )

    def fail(self, method: Method, code: int) -> None:
        """Keep what was reached and say why the run ended."""
        self.update()
        step = int(method.memory.counts[STEP])
        reason, log = method.failure(code)
        if code == WANTS_PIVOTS:
            reason = NO_PIVOTS
        if step <= 1 and self.system.n_redundant:
            reason += SINGULAR_START
        raise ConvergenceError(
            f"The dynamic analysis stopped at time {self.motion.time[0]:.6g} (step "
            f"{step + 1}): {reason}",
            results=self.results(method, converged=False),
            residuals=log,
        )
