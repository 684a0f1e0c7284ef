"""One static run: load steps, pivots, lists of contacts, records, why it ended."""

from __future__ import annotations

import contextlib
import dataclasses
import time
from typing import TYPE_CHECKING, Any

import numpy as np

from .._equations import evaluate_blocks, start_step, update_signals
from ..assembly import STATIC, Assembly
from ..contact._layout import ROUNDS, STAGE
from ..elements.base import Motion
from ..elements.joint_motion import rubbing_names
from ..errors import ConvergenceError, FunctionError
from ..linear import Factorization, Outside, calm, describe, is_frozen
from ..results import Results
from ..system import State, System
from . import _static_driver as driver
from . import ahead
from .factors import analyze_assembly, cholmod_of
from .march import NOW, Progress, Recorder, run
from .notices import notices_of
from .reports import (
    describe_row,
    summary_of,
    unstable_motions,
)
from .schedule import Output
from .shift import load_shift
from .static_settings import StaticSettings
from .static_words import advice

if TYPE_CHECKING:
    from ..contact.lists import ContactList
    from .contact import ContactRun
    from .contact_friction import SlipLimits
    from .static_stops import StaticStops


class StaticRun:
    """One static run: assembly, motion, memory and what was recorded."""

    def __init__(
        self,
        solver: StaticSettings,
        system: System,
        output: Output,
        progress: Progress | None,
    ) -> None:
        self.solver = solver
        self.system = system
        self.output = output
        self.progress = progress
        ahead.start("static")
        self.stops = _stops_of(system)
        system = system if self.stops is None else self.stops.system()
        self.contact: ContactRun | None = None
        if system.contact is not None:
            # not loaded where nothing touches
            from .contact import ContactRun

            self.contact = ContactRun(system, system.contact, is_narrow=True)
            system = self.contact.at(system.state.poses)
        self.assembly = Assembly(
            system, regime=STATIC, between=lambda: ahead.wait("static")
        )
        self.shift = load_shift(self.assembly)
        self.motion: Motion = self.assembly.motion(system.state)
        self.warnings: list[str] = []
        self.factorization: Factorization | None = None
        self.unsound: Factorization | None = None  # what has asked for new pivots
        self.outside: Outside | None = None
        self.linear_solver = describe(None)
        self.recorder = Recorder(self.assembly, capacity=16)
        self.clock = (time.process_time(), time.perf_counter())
        self.n_steps = 0
        self.next_step = np.inf  # as far as slip allows
        self.n_iterations = 0
        self.n_earlier_iterations = 0  # of a way that was left
        self.n_refused = 0
        self.step_iterations: list[int] = []

    def begin(self, start: Any) -> None:
        state = self.system.state if start is None else start
        if self.stops is not None:
            state = self.stops.with_room(state)
        if self.contact is not None:
            self.assembly = Assembly(self.contact.at(state.poses), regime=STATIC)
            self.shift = load_shift(self.assembly)
            state = self.contact.with_room(state)
            self.factorization = None
        motion = self.assembly.motion(state)
        motion.time[0] = 0.0
        motion.velocities[:] = 0.0
        motion.accelerations[:] = 0.0
        motion.increments[:] = 0.0
        motion.bases[:] = motion.poses
        self.motion = motion
        if self.stops is not None:
            self.stops.begin(self.assembly, motion)
        if self.contact is not None:
            self.warnings = self.contact.begin(self.assembly, motion)

    def march(self, start: Any, load_step: float, *, largest: float = 1.0) -> None:
        """Load steps until the full load."""
        self.begin(start)
        assembly, motion = self.assembly, self.motion
        self.memory = self.new_memory(load_step, largest)
        if self.factorization is None:
            motion.time[0] = load_step
            self.factorization = self.first_pivots()
        run(assembly, update_signals, motion)
        run(assembly, start_step, motion)
        self.recorder.assembly = assembly
        self.recorder.take(motion, np.zeros(NOW))
        self.choose_rounds()
        while self.memory.values[driver.FACTOR] < 1.0:
            code = self.advance(self.memory)
            if code == driver.WANTS_SOLUTION and self.outside is not None:
                self.outside.act(self.assembly.target.data[:-1])
            elif code == driver.WANTS_PIVOTS:
                self.unsound = self.factorization
                self.factorization = self.analyze()
            elif code == driver.WANTS_CHECK:
                self.check_contact()
            else:
                self.end_load_step(is_stopped=code == driver.STOPPED)

    def new_memory(self, load_step: float, largest: float) -> driver.Memory:
        """What the compiled loop begins with."""
        limit = float(self.solver.iteration_limit)
        found = self.contact
        rounds = 0.0 if found is None else float(ROUNDS)
        in_space = found is not None and found.has_free(self.assembly)
        memory = driver.new_memory(
            self.assembly.equations,
            self.motion,
            self.assembly.diagonal,
            self.shift,
            settings=np.array(
                [self.solver.tolerance, limit, largest, rounds, in_space]
            ),
        )
        memory.values[driver.LOAD_STEP] = load_step
        return memory

    def end_load_step(self, *, is_stopped: bool) -> None:
        """Count and record a load step, or say why there is none."""
        motion, memory = self.motion, self.memory
        counts = memory.counts
        self.n_iterations = int(counts[driver.TOTAL_ITERATIONS])
        self.n_refused = int(counts[driver.REFUSED])
        if is_stopped:
            run(self.assembly, update_signals, motion)
            self.fail()
        self.n_steps += 1
        self.step_iterations.append(int(counts[driver.STEP_ITERATIONS]))
        factor = float(memory.values[driver.FACTOR])
        is_last = factor >= 1.0
        if is_last or self.n_steps % self.output.every == 0:
            self.recorder.take(motion, np.zeros(NOW))
        if is_last and self.contact is not None:
            words = self.contact.words_of_end(motion.poses)
            if words:
                raise ConvergenceError(words, results=self.results([], converged=False))
        if self.progress is not None:
            text = f"load step {self.n_steps}, {self.n_iterations} iterations"
            self.progress(factor, text)
        if self.contact is not None and not is_last:
            if self.contact.slips is not None:
                self.prepare_slips()
            self.list_contacts(self.contact.fresh(motion.poses))
        self.choose_rounds()

    def prepare_slips(self) -> None:
        """How far the next load step goes with friction, and from where."""
        # not loaded where nothing rubs
        from .contact_friction import FEW_ITERATIONS, lean_on

        values, counts = self.memory.values, self.memory.counts
        n = int(counts[driver.STEP_ITERATIONS])
        few = 1 + int(counts[driver.HAS_ROUNDS])
        if driver.FEW_ITERATIONS * few < n <= FEW_ITERATIONS * few:
            values[driver.LOAD_STEP] *= 2.0
        values[driver.LOAD_STEP] = min(values[driver.LOAD_STEP], self.next_step)
        lean_on(self.assembly, self.motion)

    def choose_rounds(self) -> None:
        """Whether the next load step begins with rounds of penalty."""
        if self.contact is not None:
            counts = self.memory.counts
            wants = self.contact.rounds.wanted(
                had=bool(counts[driver.HAS_ROUNDS]),
                touches=self.contact.touches(self.motion),
            )
            counts[driver.HAS_ROUNDS] = int(wants)

    def check_contact(self) -> None:
        """Whether rods have passed, or overlap where nobody looks, before acceptance.

        With a new list the iteration goes on from where it is.
        """
        found, counts = self.contact, self.memory.counts
        assert found is not None
        found.passed = found.crossing(self.memory.poses, self.motion.poses)
        if found.passed is not None:
            counts[driver.CHECK] = driver.BAD
            return
        fresh = found.fresh(self.motion.poses)
        if found.missing(fresh, self.motion.poses):
            self.list_contacts(fresh)
            self.memory.counts[driver.HAS_ROUNDS] = 1
            self.motion.time[STAGE] = self.memory.settings[driver.N_ROUNDS]
            self.memory.counts[driver.ITERATION] = 0
            return
        if found.is_lost(fresh, self.assembly, self.motion):
            self.list_contacts(fresh)
            self.memory.counts[driver.ITERATION] = 0
            return
        if found.slips is not None and self.slips_too_far(found.slips):
            # more rounds would lead to the same place
            counts[driver.HAS_ROUNDS] = 1
            counts[driver.CHECK] = driver.BAD
            return
        counts[driver.CHECK] = driver.GOOD

    def slips_too_far(self, slips: SlipLimits) -> bool:
        """Whether surfaces slip by more in this load step than they may."""
        step = float(self.motion.time[0] - self.memory.values[driver.FACTOR])
        if slips.is_too_far(self.assembly, self.motion, step):
            assert self.contact is not None
            self.contact.rounds.began_without = False
            return step > 4.0 * driver.SMALLEST_LOAD_STEP
        self.next_step = slips.next_step(step)
        return False

    def list_contacts(self, fresh: ContactList) -> None:
        """Go on with another list of contacts, if it is one."""
        found = self.contact
        assert found is not None
        if found.serves(fresh):
            return
        self.assembly, self.motion, self.memory = found.go_on(
            fresh, self.assembly, self.motion, self.memory
        )
        self.shift = self.memory.shift
        if self.stops is not None:
            self.stops.measure(self.assembly)
        self.recorder.assembly = self.assembly
        target = self.assembly.target
        run(self.assembly, evaluate_blocks, self.motion, target, 0, 0.0, 0.0, 1.0)
        self.factorization = self.analyze()

    def advance(self, memory: driver.Memory) -> int:
        """Call the compiled loop; where a Python function fails keep what there is."""
        assembly = self.assembly
        try:
            with calm(self.factorization):
                return int(
                    assembly.drive(
                        driver.advance,
                        self.motion,
                        assembly.target,
                        self.factorization,
                        memory,
                    )
                )
        except FunctionError as fault:
            with contextlib.suppress(FunctionError):
                fault.results = self.results([str(fault)], converged=False)
            raise

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
        found = analyze_assembly(
            self.assembly,
            before=self.unsound,
            # what touches and slides asks for others again and again
            pivots_last=self.contact is None or self.unsound is None,
        )
        self.linear_solver = describe(found)
        return found

    def stability(self, start: Any = None) -> tuple[int, int]:
        """Unstable and free motions here; none if nobody wants to know."""
        if not self.solver.checks_stability:
            return 0, 0
        has_slips = self.contact is not None and self.contact.slips is not None
        if has_slips or rubbing_names(self.system.blocks):
            # friction has no energy whose curvature could be looked at
            return 0, 0
        if start is not None or self.n_steps == 0:
            self.begin(start)
        # large factors fill much of the memory, and the check needs its own
        factors, self.factorization, self.outside = self.factorization, None, None
        small = factors if factors is not None and is_frozen(factors) else None
        del factors
        return unstable_motions(self.assembly, self.motion, small)

    def fail(self) -> None:
        counts = self.memory.counts
        log = self.memory.log[: int(counts[driver.LOG]) + 1].tolist()
        where = describe_row(self.assembly.system, int(counts[driver.WORST_ROW]))
        factor = float(self.memory.values[driver.FACTOR])
        residual = f"{log[-1]:.3g}" if log else "unknown"
        hint = advice(self.assembly, self.motion, self.contact, log)
        raise ConvergenceError(
            f"The static analysis stopped at load factor {factor:.6g} after "
            f"{self.n_steps} load steps and {self.n_iterations} iterations: the "
            f"residual of {residual} (allowed {self.solver.tolerance:g}) is largest at "
            f"{where}. {hint}",
            results=self.results([], converged=False),
            residuals=log,
        )

    def again(
        self, start: Any, load_step: float, *, largest: float
    ) -> StaticRun | None:
        """The same in shorter steps, as many iterations again; None if it fails."""
        # what failed writes no file
        other = StaticRun(self.solver, self.system, Output(every=self.output.every),
                     self.progress)  # fmt: skip
        other.clock = self.clock
        try:
            other.march(start, load_step, largest=largest)
        except ConvergenceError:
            found = None
        else:
            found = other
        other.output = self.output
        self.n_earlier_iterations = other.n_iterations
        other.n_earlier_iterations = self.n_iterations
        return found

    def results(self, warnings: list[str], *, converged: bool = True) -> Results:
        records = self.recorder.finish()
        notices = notices_of(self.system, records, 0.0)
        settings = dataclasses.asdict(self.solver)  # type: ignore[call-overload]
        summary = summary_of(
            self.assembly,
            records,
            analysis="static",
            converged=converged,
            steps=self.n_steps,
            iterations=self.n_iterations + self.n_earlier_iterations,
            clock=self.clock,
            warnings=[*self.system.warnings, *self.warnings, *warnings, *notices],
            linear_solver=self.linear_solver,
            multipliers=self.motion.multipliers,
        )
        summary["refused_steps"] = self.n_refused
        summary["iterations_by_step"] = list(self.step_iterations)
        results = Results(
            layout=self.recorder.layout,
            records=records,
            summary=summary,
            warnings=tuple(summary["warnings"]),
            analysis={"method": "static", **settings},
            # a motion that begins there begins at time zero
            last_state=dataclasses.replace(self.last_state(), time=0.0),
        )
        if self.output.path is not None:
            results.save(self.output.path)
        return results

    def last_state(self) -> State:
        """The state now, without what belongs to contacts and stops."""
        state = self.assembly.state(self.motion)
        if self.contact is not None:
            state = self.contact.without_room(state)
        return state if self.stops is None else self.stops.without_room(state)


def _stops_of(system: System) -> StaticStops | None:
    if not system.stops:
        return None
    # not loaded where nothing stops
    from .static_stops import StaticStops

    return StaticStops(system)
