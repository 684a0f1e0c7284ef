"""Micro-benchmarks: kernels by the element, linear solver, time steps taken apart.

``python benchmarks/micro.py`` prints ns an element, us a factorization and a solve, and
for some runs us a step with its breakdown; what is compiled is compiled before.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

# first of all: it sets the number of threads before numpy is imported
from benchmarks.measuring import (
    REPOSITORY,
    Goal,
    Report,
    Table,
    finish,
    least_time,
    script_parser,
    superlu,
)

# isort: split
import numpy as np
import scipy.sparse

import femlie as fl
from benchmarks import phases, sample_models, step_parts
from femlie.assembly import DYNAMIC, STATIC, Assembly
from femlie.linear import analyze

NS, US = 1e9, 1e6
NO_WEIGHTS = (0.0, 0.0, 0.0)
ALL_WEIGHTS = (4.0, 2.0, 1.0)
STATIC_WEIGHTS = (0.0, 0.0, 1.0)


class Sizes(NamedTuple):
    """How large the models are, and how often each part is timed."""

    beams: int = 1000
    grid_nodes: int = 71  # on each side: 9940 beams
    short_chain: int = 64
    chain: int = 250
    windows: int = 200

    def grid_beams(self) -> int:
        return 2 * self.grid_nodes * (self.grid_nodes - 1)


SMALLEST = Sizes(beams=10, grid_nodes=4, short_chain=3, chain=3, windows=2)


class Vectors(NamedTuple):
    """What stands for the memory of a solver where there is none."""

    rhs: Any
    row: Any


def bare_problem(
    model: fl.Model, regime: float, sizes: Sizes
) -> tuple[phases.Problem, Assembly]:
    """Assembled model at its start, factorized, without a run."""
    assembly = Assembly(model.build(), regime=regime)
    motion = assembly.motion(assembly.system.state)
    motion.time[0] = 1.0
    equations, n = assembly.compiled_equations, assembly.system.dofs.n_rows
    vectors = Vectors(np.ones(n), np.zeros(n))
    weights = STATIC_WEIGHTS if regime == STATIC else ALL_WEIGHTS
    problem = phases.Problem(
        equations, motion, assembly.target, None, vectors, None, sizes.windows
    )
    phases.starts(problem, 1)
    phases.evaluations(problem, 0, *weights, 1)
    factorization = analyze(
        assembly.indptr,
        assembly.indices,
        assembly.target.data[:-1].copy(),
        n_multipliers=assembly.system.dofs.n_multipliers,
    )
    return problem._replace(factorization=factorization), assembly


def block_of_kind(assembly: Assembly, kind: str) -> int:
    """Number of the block of a kind."""
    kinds = [block.kind for block in assembly.system.blocks]
    return kinds.index(kind)


def beam_table(sizes: Sizes) -> tuple[Table, list[Goal]]:
    """Beams in a row: static kernel, whole kernel, scatter alone."""
    n = sizes.beams
    static, at_rest = bare_problem(sample_models.cantilever(n), STATIC, sizes)
    dynamic, moving = bare_problem(sample_models.flying(n), DYNAMIC, sizes)
    b, c = block_of_kind(at_rest, "beam"), block_of_kind(moving, "beam")

    def cost(problem: phases.Problem, phase: Any, *arguments: Any) -> float:
        return NS * phases.seconds_of(phase, problem, *arguments) / n

    one = phases.block_evaluations
    figures = {
        "static kernel, residual": cost(static, one, b, 0, *NO_WEIGHTS),
        "static kernel, residual and tangent": cost(static, one, b, 0, *STATIC_WEIGHTS),
        "with inertia, residual": cost(dynamic, one, c, 0, *NO_WEIGHTS),
        "with inertia, residual and tangent": cost(dynamic, one, c, 0, *ALL_WEIGHTS),
        "of these: scatter of the wrenches": cost(dynamic, phases.wrench_scatters, c),
        "of these: scatter of the matrix": cost(dynamic, phases.matrix_scatters, c),
        "besides: setting residual and matrix to zero": cost(dynamic, phases.zeroings),
    }
    goals = [
        Goal("beam residual, static, with scatter", 60.0, None, "ns an element"),
        Goal("the same with tangent", 200.0, None, "ns an element"),
        Goal("whole beam with inertia, residual", 70.0, None, "ns an element"),
        Goal("the same with tangent", 320.0, None, "ns an element"),
    ]
    goals = [
        Goal(goal.what, goal.aim, measured, goal.unit)
        for goal, measured in zip(goals, figures.values(), strict=False)
    ]
    rows = [[name, value] for name, value in figures.items()]
    title = f"Beam kernel, {n} elements in a row"
    return Table(title, ["part", "ns an element"], rows), goals


def kind_table(sizes: Sizes) -> Table:
    """Bodies and spherical joints of a chain."""
    problem, assembly = bare_problem(sample_models.links(sizes.chain), DYNAMIC, sizes)
    rows = []
    for b, block in enumerate(assembly.system.blocks):
        one, n = phases.block_evaluations, block.n_elements
        costs = [
            NS * phases.seconds_of(one, problem, b, level, *weights) / n
            for level, weights in ((0, NO_WEIGHTS), (1, NO_WEIGHTS), (0, ALL_WEIGHTS))
        ]
        rows.append([block.kind, block.n_elements, *costs])
    return Table(
        "Other kernels, ns an element",
        ["kind", "elements", "residual, level 0", "level 1", "residual and tangent"],
        rows,
    )


def linear_table(python: str, sizes: Sizes) -> tuple[Table, list[Goal]]:
    """Refactorization and solve on matrices of femlie models, beside other solvers."""
    beams, side, links = sizes.beams, sizes.grid_nodes, sizes.short_chain
    cases = {
        f"cantilever of {beams} beams": (sample_models.cantilever(beams), STATIC),
        f"free rod of {beams} beams, dynamic": (sample_models.flying(beams), DYNAMIC),
        f"chain of {links} links, dynamic": (sample_models.links(links), DYNAMIC),
        f"grid of {sizes.grid_beams()} beams": (sample_models.grid(side), STATIC),
    }
    rows, goals = [], []
    for name, (model, regime) in cases.items():
        problem, assembly = bare_problem(model, regime, sizes)
        own = [
            US * phases.seconds_of(phase, problem)
            for phase in (phases.refactorizations, phases.solutions)
        ]
        matrix = assembly.matrix(problem.target.data)
        pardiso = pardiso_of(matrix, python)
        other: list[float | None] = [None, None]
        if pardiso is not None:
            other = [US * pardiso["refactor"], US * pardiso["solve"]]
        n = matrix.shape[0]
        seconds = least_time(superlu, matrix, seconds=0.005 * sizes.windows)
        rows.append([name, n, *own, US * seconds, *other])
        if "cantilever" in name:
            what = "refactorization, cantilever of 1000 beams"
            goals.append(Goal(what, 0.4, 1e-3 * own[0], "ms"))
        if "grid" in name:
            ratio = own[0] / other[0] if other[0] else None
            what = "refactorization, grid of 10,000 beams, over Pardiso"
            goals.append(Goal(what, 1.3, ratio, "times"))
    columns = ["matrix", "unknowns", "refactor us", "solve us"]
    columns += ["SuperLU us", "Pardiso refactor us", "Pardiso solve us"]
    note = (
        "SuperLU chooses pivots anew; Pardiso (pypardiso) keeps them, as femlie does."
    )
    return Table("Linear solver", columns, rows, note), goals


def pardiso_of(matrix: Any, python: str) -> dict[str, float] | None:
    """Times of Pardiso by the Python that has it; None without it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "matrix.npz"
        scipy.sparse.save_npz(path, matrix)
        done = subprocess.run(
            [python, "-m", "benchmarks.peers.pardiso", str(path)],
            cwd=REPOSITORY,
            capture_output=True,
            text=True,
            check=False,
        )
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    return json.loads(lines[-1]) if lines else None


def step_tables(sizes: Sizes) -> tuple[list[Table], list[Goal]]:
    """Steps taken apart."""
    alpha, explicit = fl.GeneralizedAlpha(), fl.MuntheKaas()
    damped = fl.GeneralizedAlpha(spectral_radius=0.7)
    n_links, n_beams = sizes.short_chain, sizes.beams
    held, tied = sample_models.top("eliminated"), sample_models.top("joint")
    top = "heavy top, a step"
    by_elimination = "point held by elimination"
    chain, beam = sample_models.links(n_links), sample_models.flying(n_beams)
    samples = [
        step_parts.Sample(name, model, solver, step, n_before, sizes.windows)
        for name, model, solver, step, n_before in (
            (f"{top}, generalized-alpha, {by_elimination}", held, alpha, 1e-3, 50),
            (f"{top}, generalized-alpha, spherical joint", tied, alpha, 1e-3, 50),
            (f"{top}, Munthe-Kaas, {by_elimination}", held, explicit, 1e-3, 50),
            (f"chain of {n_links} links, a step", chain, alpha, 0.01, 50),
            (f"flying beam of {n_beams} elements, a step", beam, damped, 0.05, 20),
        )
    ]
    measured = [step_parts.take_apart(sample) for sample in samples]
    goals = [
        Goal("heavy top, a generalized-alpha step", 3.0, US * measured[0].step_seconds,
             "us"),
        Goal("Newton iteration of 1000 beams, dynamic", 1.0,
             1e3 * measured[-1].iteration_seconds, "ms"),
    ]  # fmt: skip
    return [part.table for part in measured], goals


def main() -> None:
    """Measure, print and keep all tables."""
    parser = script_parser(__doc__, "micro")
    parser.add_argument("--peer-python", default=sys.executable, metavar="PYTHON")
    options = parser.parse_args()
    sizes = SMALLEST if options.smallest else Sizes()
    beams, goals = beam_table(sizes)
    linear, linear_goals = linear_table(options.peer_python, sizes)
    steps, step_goals = step_tables(sizes)
    tables = [beams, kind_table(sizes), linear, *steps]
    finish(Report("micro", tables, [*goals, *linear_goals, *step_goals]), options)


if __name__ == "__main__":
    main()
