"""Micro-benchmarks: kernels by the element, linear solver, time steps taken apart.

``python benchmarks/micro.py`` prints ns an element, us a factorization and a solve, and
for some runs us a step with its breakdown; what is compiled is compiled before.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

# first of all: it sets the number of threads before numpy is imported
from benchmarks.measuring import REPOSITORY, Goal, Report, Table, least_time, show

# isort: split
import numpy as np
import scipy.sparse
import scipy.sparse.linalg

import femlie as fl
from benchmarks import phases, sample_models, step_parts
from femlie.assembly import DYNAMIC, STATIC, Assembly
from femlie.linear import analyze

N_BEAMS = 1000
GRID_NODES = 71  # 71 x 71 nodes: 9940 beams
NS, US = 1e9, 1e6
NO_WEIGHTS = (0.0, 0.0, 0.0)
ALL_WEIGHTS = (4.0, 2.0, 1.0)
STATIC_WEIGHTS = (0.0, 0.0, 1.0)


class Vectors(NamedTuple):
    """What stands for the memory of a solver where there is none."""

    rhs: Any
    row: Any


def bare_problem(model: fl.Model, regime: float) -> tuple[phases.Problem, Assembly]:
    """Assembled model at its start, factorized, without a run."""
    assembly = Assembly(model.build(), regime=regime)
    motion = assembly.motion(assembly.system.state)
    motion.time[0] = 1.0
    equations, n = assembly.compiled_equations, assembly.system.dofs.n_rows
    vectors = Vectors(np.ones(n), np.zeros(n))
    weights = STATIC_WEIGHTS if regime == STATIC else ALL_WEIGHTS
    problem = phases.Problem(equations, motion, assembly.target, None, vectors, None)
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


def beam_table() -> tuple[Table, list[Goal]]:
    """Beams, 1000 in a row: static kernel, whole kernel, scatter alone."""
    static, at_rest = bare_problem(sample_models.cantilever(N_BEAMS), STATIC)
    dynamic, moving = bare_problem(sample_models.flying(N_BEAMS), DYNAMIC)
    b, c = block_of_kind(at_rest, "beam"), block_of_kind(moving, "beam")

    def cost(problem: phases.Problem, phase: Any, *arguments: Any) -> float:
        return NS * phases.seconds_of(phase, problem, *arguments) / N_BEAMS

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
    title = f"Beam kernel, {N_BEAMS} elements in a row"
    return Table(title, ["part", "ns an element"], rows), goals


def kind_table(n_links: int = 250) -> Table:
    """Bodies and spherical joints of a chain."""
    problem, assembly = bare_problem(sample_models.links(n_links), DYNAMIC)
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


def linear_table(python: str) -> tuple[Table, list[Goal]]:
    """Refactorization and solve on matrices of femlie models, beside other solvers."""
    cases = {
        "cantilever of 1000 beams": (sample_models.cantilever(1000), STATIC),
        "free rod of 1000 beams, dynamic": (sample_models.flying(1000), DYNAMIC),
        "chain of 64 links, dynamic": (sample_models.links(64), DYNAMIC),
        "grid of 9940 beams": (sample_models.grid(GRID_NODES), STATIC),
    }
    rows, goals = [], []
    for name, (model, regime) in cases.items():
        problem, assembly = bare_problem(model, regime)
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
        rows.append([name, n, *own, US * superlu_seconds(matrix), *other])
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


def superlu_seconds(matrix: Any) -> float:
    """CPU seconds of SciPy's factorization."""
    return least_time(
        lambda: scipy.sparse.linalg.splu(
            matrix,
            permc_spec="MMD_AT_PLUS_A",
            diag_pivot_thresh=0.01,
            options={"SymmetricMode": True},
        )
    )


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


def step_tables() -> tuple[list[Table], list[Goal]]:
    """Steps taken apart."""
    alpha, chain_step = fl.GeneralizedAlpha(), 0.01
    form = "heavy top, a step, generalized-alpha, point held by elimination"
    samples = [
        step_parts.Sample(form, sample_models.top("eliminated"), alpha, 1e-3, 50),
        step_parts.Sample(
            "heavy top, a step, generalized-alpha, spherical joint",
            sample_models.top("joint"), alpha, 1e-3, 50,
        ),
        step_parts.Sample(
            "heavy top, a step, Munthe-Kaas, point held by elimination",
            sample_models.top("eliminated"), fl.MuntheKaas(), 1e-3, 50,
        ),
        step_parts.Sample(
            "chain of 64 links, a step", sample_models.links(64), alpha, chain_step, 50
        ),
        step_parts.Sample(
            "flying beam of 1000 elements, a step", sample_models.flying(1000),
            fl.GeneralizedAlpha(spectral_radius=0.7), 0.05, 20,
        ),
    ]  # fmt: skip
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
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--peer-python", default=sys.executable, metavar="PYTHON")
    parser.add_argument("--json", type=Path, metavar="FILE",
                        help="default: benchmarks/measured/micro.json")  # fmt: skip
    options = parser.parse_args()
    beams, goals = beam_table()
    linear, linear_goals = linear_table(options.peer_python)
    steps, step_goals = step_tables()
    tables = [beams, kind_table(), linear, *steps]
    for table in tables:
        show(table)
    report = Report("micro", tables, [*goals, *linear_goals, *step_goals])
    print(f"kept in {report.save(options.json)}")


if __name__ == "__main__":
    main()
