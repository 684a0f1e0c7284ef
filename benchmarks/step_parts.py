"""A time step taken apart: what each of its parts takes, and how often it is done."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import femlie as fl
from benchmarks import phases
from benchmarks.measuring import Table
from femlie.solvers import _munthe_kaas_driver as driver
from femlie.solvers import generalized_alpha, munthe_kaas
from femlie.solvers.schedule import Output, Schedule
from femlie.solvers.stepping import STEP, Stepping

RUN_OF: dict[Any, Any] = {
    fl.GeneralizedAlpha: generalized_alpha.Run,
    fl.MuntheKaas: munthe_kaas.Run,
}
# output that is never due
NEVER = 10**9
WINDOW_SECONDS = 4e-3


@dataclass(frozen=True)
class Sample:
    """A run to be taken apart.

    Attributes
    ----------
    name : str
    model : Model
    solver : GeneralizedAlpha or MuntheKaas
    time_step : float [s]
    n_before : int
        Steps before the one that is looked at.
    n_windows : int
        Short times of which the least is taken.
    """

    name: str
    model: fl.Model
    solver: Any
    time_step: float
    n_before: int
    n_windows: int


@dataclass(frozen=True)
class Measured:
    """A step of a run: seconds, iterations, and the table of its parts."""

    step_seconds: float
    iterations: float
    table: Table

    @property
    def iteration_seconds(self) -> float:
        return self.step_seconds / max(self.iterations, 1.0)


def problem_of(sample: Sample) -> tuple[phases.Problem, Any]:
    """The arrays of a run some steps after its start, and its loop."""
    schedule = Schedule(
        duration=NEVER * sample.time_step,
        time_step=sample.time_step,
        output=Output(every=NEVER, checkpoint_every=NEVER),
    )
    run_kind = RUN_OF[type(sample.solver)]
    stepping = Stepping(
        sample.model.build(), schedule, name=run_kind.name, settings=sample.solver
    )
    method = run_kind(sample.solver, stepping)
    stepping.begin(method)
    stepping.recorder.hand_over()

    def advance(n_steps: int) -> None:
        stepping.advance(method, int(method.memory.counts[STEP]) + n_steps)

    advance(sample.n_before)
    problem = phases.Problem(
        stepping.assembly.compiled_equations,
        stepping.motion,
        stepping.assembly.target,
        stepping.factorization,
        method.memory,
        stepping.recorder.buffer,
        sample.n_windows,
    )
    return problem, advance


def whole_step(problem: phases.Problem, advance: Any) -> tuple[float, float]:
    """Least CPU seconds of a step, and iterations of a step.

    Windows start at the same step, so that all do the same work.
    """
    copies = problem.saved()
    counts = problem.memory.counts

    def window(n: int) -> tuple[float, int]:
        before = int(counts[1])
        start = time.process_time()
        advance(n)
        seconds = time.process_time() - start
        iterations = int(counts[1]) - before
        problem.restore(copies)
        return seconds, iterations

    window(1)
    n = max(2, int(WINDOW_SECONDS / window(2)[0] * 2.0))
    runs = [window(n) for _ in range(problem.n_windows)]
    seconds, iterations = min(runs)
    return seconds / n, iterations / n


def take_apart(sample: Sample) -> Measured:
    """Times of a step and of its parts."""
    problem, advance = problem_of(sample)
    step_seconds, iterations = whole_step(problem, advance)
    copies = problem.saved()
    # matrix, factors and residual as an iteration finds them
    is_implicit = isinstance(sample.solver, fl.GeneralizedAlpha)
    if is_implicit:
        parts = implicit_parts(problem, iterations)
    else:
        parts = explicit_parts(problem)
    problem.restore(copies)
    rows = [
        [name, 1e6 * seconds, count, 1e6 * seconds * count,
         100.0 * seconds * count / step_seconds]
        for name, count, seconds in parts
    ]  # fmt: skip
    known = sum(row[3] for row in rows)
    rest = 1e6 * step_seconds - known
    share = 1e-4 * rest / step_seconds
    rows.append(["all else, and what overlaps", None, None, rest, share])
    rows.append(["the whole step", None, None, 1e6 * step_seconds, 100.0])
    columns = ["part", "us", "times a step", "us a step", "% of the step"]
    word = "Newton iterations" if is_implicit else "stages"
    note = f"{iterations:.2f} {word} a step."
    return Measured(step_seconds, iterations, Table(sample.name, columns, rows, note))


Parts = list[tuple[str, float, float]]


def implicit_parts(problem: phases.Problem, iterations: float) -> Parts:
    """Parts of a generalized-alpha step: name, times a step, seconds."""
    h = float(problem.memory.values[0])
    weights = (4.0 / h**2, 2.0 / h, 1.0)
    n_multipliers = problem.motion.multipliers.shape[0]
    levels = 2 if n_multipliers else 1
    visits = iterations + 1.0

    def cost(phase: Any, *arguments: Any) -> float:
        return phases.seconds_of(phase, problem, *arguments)

    place = cost(phases.evaluations, 0, 0.0, 0.0, 0.0)
    parts: Parts = [
        ("residual, level 0", visits, place),
    ]
    if n_multipliers:
        speed = cost(phases.evaluations, 1, 0.0, 0.0, 0.0)
        parts.append(("residual, level 1", visits, speed))
    tangent = cost(phases.evaluations, 0, *weights)
    parts += [
        ("residual and tangent", iterations, tangent),
        ("refactorization", iterations, cost(phases.refactorizations)),
        ("solve", levels * iterations, cost(phases.solutions)),
    ]
    if n_multipliers:
        parts.append(("second right side", iterations, cost(phases.second_sides)))
    return [
        *parts,
        ("move frames", 1.0 + levels * iterations, cost(phases.moves)),
        ("relative residual", levels * visits, cost(phases.checks)),
        ("velocities of frames", 1.0 + levels * iterations, cost(phases.conversions)),
        ("correction, its size", iterations, cost(phases.corrections)),
        ("copies and prediction", 1.0, cost(phases.predictions)),
        ("accept", 1.0, cost(phases.acceptances)),
        ("powers, ledger", 1.0, cost(phases.observations)),
        ("keep a row of results", 0.0, cost(phases.rows_kept)),
    ]


def explicit_parts(problem: phases.Problem) -> Parts:
    """Parts of a Munthe-Kaas step: name, times a step, seconds."""
    n_stages = float(problem.memory.weights.shape[1])
    is_fixed = problem.memory.options[driver.MATRIX] == driver.FACTORIZED
    n_matrices = 0.0 if is_fixed else n_stages

    def cost(phase: Any, *arguments: Any) -> float:
        return phases.seconds_of(phase, problem, *arguments)

    return [
        (
            "residual, level 2",
            n_stages - n_matrices,
            cost(phases.evaluations, 2, 0.0, 0.0, 0.0),
        ),
        (
            "residual and mass, level 2",
            n_matrices,
            cost(phases.evaluations, 2, 1.0, 0.0, 0.0),
        ),
        ("refactorization", n_matrices, cost(phases.refactorizations)),
        ("solve", n_stages, cost(phases.solutions)),
        ("move frames", n_stages, cost(phases.moves)),
        ("stage: sums, slope, copies", n_stages, cost(phases.stages)),
        ("copies", 1.0, cost(phases.copies)),
        ("accept", 1.0, cost(phases.acceptances)),
        ("powers, ledger", 1.0, cost(phases.observations)),
        ("keep a row of results", 0.0, cost(phases.rows_kept)),
    ]
