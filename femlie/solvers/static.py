"""Static equilibrium by Newton's method with one step control that needs no tuning."""

from __future__ import annotations

import dataclasses
import time
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from .._equations import evaluate_blocks, start_step, update_signals
from ..assembly import STATIC, Assembly
from ..elements.base import Motion
from ..errors import ConvergenceError, ModelError
from ..linear import Factorization, Outside, calm, describe
from ..results import Results
from ..system import State, System
from . import _static_driver as driver
from . import ahead
from .factors import analyze_assembly, cholmod_of
from .march import Progress, Recorder, run
from .mobility import free_motion_in_words
from .reports import (
    contradiction_in_words,
    describe_row,
    summary_of,
    unstable_motions,
)
from .restart import check_state
from .schedule import Output, check_kind, check_system
from .shift import load_shift


@dataclass(frozen=True, kw_only=True)
class Static:
    """Static analysis; loads without a table over time ramp with the load factor.

    Attributes
    ----------
    tolerance : float
        Relative size of the residual: forces against the sum of force magnitudes,
        moments against theirs, constraints against the model's size.
    iteration_limit : int
        Newton iterations of the whole run.
    checks_stability : bool
        Whether a state that is unstable at the end, though the start was not, is
        computed again in smaller load steps, and said in ``warnings`` if it remains.
    """

    loop: ClassVar[str] = "static"
    tolerance: float = 1e-10
    iteration_limit: int = 2000
    checks_stability: bool = True

    def __post_init__(self) -> None:
        if not 0.0 < self.tolerance < 1.0:
            raise ModelError(
                f"tolerance of Static is {self.tolerance:g}: expected a number between "
                "0 and 1, such as 1e-10."
            )
        if self.iteration_limit < 1:
            raise ModelError(
                f"iteration_limit of Static is {self.iteration_limit}: expected one or "
                "more."
            )

    def check(
        self, system: System, *, load_steps: int = 1, output: Output = Output()
    ) -> None:
        """Refuse what `solve` would refuse before its first step.

        Raises
        ------
        ModelError, ResultsError
        """
        check_system(system)
        check_kind("output", output, Output)
        if load_steps < 1:
            raise ModelError(f"load_steps is {load_steps}: expected one or more.")
        output.check_path()
        if output.checkpoint_every != Output().checkpoint_every:
            raise ModelError(
                f"checkpoint_every is {output.checkpoint_every}, but a static analysis "
                "keeps no checkpoints: leave it out."
            )
        refuse_floating(system)

    def solve(
        self,
        system: System,
        *,
        load_steps: int = 1,
        start: State | None = None,
        output: Output = Output(),
        progress: Progress | None = None,
    ) -> Results:
        """Equilibrium at load factor 1, and at every load step on the way.

        Parameters
        ----------
        system : System
        load_steps : int
            Equal steps to full load, each of them in the results; they are cut by
            themselves where needed.
        start : State or None
            State to start the iteration from; default: the model as built.
        output : Output
            ``every`` counts load steps, the last of which is always kept; the file is
            written at the end. There are no checkpoints.
        progress : callable or None
            Called with the load factor and a text.

        Returns
        -------
        Results

        Raises
        ------
        ModelError
            A part of the model that nothing connects to the ground, a start of another
            model.
        ConvergenceError
            With the results so far and the residual history.
        """
        self.check(system, load_steps=load_steps, output=output)
        if start is not None:
            check_state(start, system)
        clock = (time.process_time(), time.perf_counter())
        job = _Run(self, system, output, progress)
        job.march(start, 1.0 / load_steps, largest=1.0 / load_steps)
        # the factors may fill much of the memory, and the check needs its own
        job.factorization = job.outside = None
        after, free = job.stability()
        warnings = []
        before = 0
        if after > 0:
            before, _ = _Run(self, system, output, progress).stability(start)
        if after > before:
            # a large step may have landed on an unstable branch: go there in steps
            again = _Run(self, system, output, progress)
            again.n_iterations = job.n_iterations
            again.n_refused = job.n_refused
            again.march(start, 0.125)
            remaining, free = again.stability()
            job.n_iterations = again.n_iterations
            if remaining < after:
                job, after = again, remaining
        if after > before:
            warnings.append(
                f"The equilibrium is unstable: its tangent has {after - before} more "
                "negative eigenvalue(s) than at the start. A stable state lies "
                "elsewhere: give a small load that leads there, or run it as a dynamic "
                "analysis."
            )
        if free:
            words = free_motion_in_words(system)
            warnings += [f"The equilibrium is indifferent. {words}"] if words else []
        return job.results(clock, warnings)


def equilibrium(
    system: System, *, start: State | None = None, progress: Progress | None = None
) -> State:
    """State of static equilibrium at full load.

    Parameters
    ----------
    system : System
    start : State or None
        State to start the iteration from; default: the model as built.
    progress : callable or None
        Called with the load factor and a text.

    Returns
    -------
    State

    Raises
    ------
    ModelError
        A part of the model that nothing connects to the ground.
    ConvergenceError
        With the results so far and the residual history.
    """
    refuse_floating(system)
    job = _Run(Static(), system, Output(), progress)
    job.march(start, 1.0)
    return job.assembly.state(job.motion)


class _Run:
    """One static run: assembly, motion, memory and what was recorded."""

    def __init__(
        self,
        solver: Static,
        system: System,
        output: Output,
        progress: Progress | None,
    ) -> None:
        self.solver = solver
        self.system = system
        self.output = output
        self.progress = progress
        ahead.start("static")
        self.assembly = Assembly(
            system, regime=STATIC, between=lambda: ahead.wait("static")
        )
        self.shift = load_shift(self.assembly)
        self.motion: Motion = self.assembly.motion(system.state)
        self.factorization: Factorization | None = None
        self.outside: Outside | None = None
        self.linear_solver = describe(None)
        self.recorder = Recorder(self.assembly, capacity=16)
        self.n_steps = 0
        self.n_iterations = 0
        self.n_refused = 0
        self.step_iterations: list[int] = []

    def begin(self, start: Any) -> None:
        state = self.system.state if start is None else start
        motion = self.assembly.motion(state)
        motion.time[0] = 0.0
        motion.velocities[:] = 0.0
        motion.accelerations[:] = 0.0
        motion.increments[:] = 0.0
        motion.bases[:] = motion.poses
        self.motion = motion

    def march(self, start: Any, load_step: float, *, largest: float = 1.0) -> None:
        """Load steps until the full load."""
        self.begin(start)
        assembly, motion = self.assembly, self.motion
        memory = driver.new_memory(
            assembly.equations,
            motion,
            assembly.diagonal,
            self.shift,
            settings=np.array(
                [self.solver.tolerance, float(self.solver.iteration_limit), largest]
            ),
        )
        memory.counts[driver.TOTAL_ITERATIONS] = self.n_iterations
        memory.counts[driver.REFUSED] = self.n_refused
        memory.values[driver.LOAD_STEP] = load_step
        self.memory = memory
        if self.factorization is None:
            motion.time[0] = load_step
            self.factorization = self.first_pivots()
        run(assembly, update_signals, motion)
        run(assembly, start_step, motion)
        self.recorder.take(motion, np.zeros(8))
        while memory.values[driver.FACTOR] < 1.0:
            with calm(self.factorization):
                code = assembly.drive(
                    driver.advance,
                    motion,
                    assembly.target,
                    self.factorization,
                    memory,
                )
            if code == driver.WANTS_SOLUTION and self.outside is not None:
                self.outside.act(assembly.target.data[:-1])
                continue
            if code == driver.WANTS_PIVOTS:
                self.factorization = self.analyze()
                continue
            counts = memory.counts
            self.n_iterations = int(counts[driver.TOTAL_ITERATIONS])
            self.n_refused = int(counts[driver.REFUSED])
            if code == driver.STOPPED:
                run(assembly, update_signals, motion)
                self.fail()
            self.n_steps += 1
            self.step_iterations.append(int(counts[driver.STEP_ITERATIONS]))
            is_last = memory.values[driver.FACTOR] >= 1.0
            if is_last or self.n_steps % self.output.every == 0:
                self.recorder.take(motion, np.zeros(8))
            if self.progress is not None:
                self.progress(
                    float(memory.values[driver.FACTOR]),
                    f"load step {self.n_steps}, {self.n_iterations} iterations",
                )

    def first_pivots(self) -> Factorization:
        assembly = self.assembly
        run(assembly, update_signals, self.motion)
        run(assembly, start_step, self.motion)
        run(assembly, evaluate_blocks, self.motion, assembly.target, 0, 0.0, 0.0, 1.0)
        self.motion.time[0] = 0.0
        return self.analyze()

    def analyze(self) -> Factorization:
        """New pivots; CHOLMOD comes first, and serves until it meets a negative one."""
        is_first = self.factorization is None
        self.outside = cholmod_of(self.assembly) if is_first else None
        if self.outside is not None:
            self.linear_solver = self.outside.factors.name
            return self.outside.factorization
        found = analyze_assembly(self.assembly, before=self.factorization)
        self.linear_solver = describe(found)
        return found

    def stability(self, start: Any = None) -> tuple[int, int]:
        """Unstable and free motions here; none if nobody wants to know."""
        if not self.solver.checks_stability:
            return 0, 0
        if start is not None or self.n_steps == 0:
            self.begin(start)
        return unstable_motions(self.assembly, self.motion)

    def fail(self) -> None:
        counts = self.memory.counts
        log = self.memory.log[: int(counts[driver.LOG]) + 1].tolist()
        where = describe_row(self.system, int(counts[driver.WORST_ROW]))
        factor = float(self.memory.values[driver.FACTOR])
        residual = f"{log[-1]:.3g}" if log else "unknown"
        hint = (
            self.contradiction()
            or free_motion_in_words(self.system)
            or (
                "Check supports and loads there, or run it as a dynamic analysis with "
                "damping."
            )
        )
        raise ConvergenceError(
            f"The static analysis stopped at load factor {factor:.6g} after "
            f"{self.n_steps} load steps and {self.n_iterations} iterations: the "
            f"residual of {residual} (allowed {self.solver.tolerance:g}) is largest at "
            f"{where}. {hint}",
            results=self.results(None, []),
            residuals=log,
        )

    def contradiction(self) -> str:
        """One sentence on constraints that cannot be met together; empty without."""
        if self.system.n_redundant == 0:
            return ""
        assembly, motion = self.assembly, self.motion
        motion.time[0] = 1.0
        run(assembly, update_signals, motion)
        run(assembly, evaluate_blocks, motion, assembly.target, 0, 0.0, 0.0, 1.0)
        return contradiction_in_words(assembly)

    def results(self, clock: Any, warnings: list[str]) -> Results:
        records = self.recorder.finish()
        converged = clock is not None
        summary = summary_of(
            self.assembly,
            records,
            analysis="static",
            converged=converged,
            steps=self.n_steps,
            iterations=self.n_iterations,
            clock=clock,
            warnings=[*self.system.warnings, *warnings],
            linear_solver=self.linear_solver,
        )
        summary["refused_steps"] = self.n_refused
        summary["iterations_by_step"] = list(self.step_iterations)
        results = Results(
            layout=self.recorder.layout,
            records=records,
            summary=summary,
            warnings=tuple(summary["warnings"]),
            analysis={"method": "static", **dataclasses.asdict(self.solver)},
            # a motion that begins there begins at time zero
            last_state=dataclasses.replace(self.assembly.state(self.motion), time=0.0),
        )
        if self.output.path is not None:
            results.save(self.output.path)
        return results


def refuse_floating(system: System) -> None:
    """Raise for parts without any way to the ground: they have no equilibrium."""
    n = system.summary.get("floating_parts", 0)
    words = free_motion_in_words(system) if n else ""
    if words:
        raise ModelError(
            f"{n} part{'s' if n > 1 else ''} of the model can float away, so that "
            f"there is no static equilibrium. {words}"
        )
