"""Recursive dynamics: time and memory by the number of bodies, mechanisms in real time.

``python benchmarks/trees.py`` prints chains of 2 m links on ball joints that swing as a
whole, explicit steps of order 4 and Gauss-Legendre steps of order 6; and how much
faster than real time a press and an arm of six axes run. MuJoCo and Pinocchio on the
same chains: benchmarks/peers/explicit_chain.py.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.measuring import (
    REPOSITORY,
    Goal,
    Report,
    Table,
    fitted_exponent,
    least_of,
    least_time,
    show,
)
from benchmarks.scaling import load_example

SIZES = (16, 64, 256, 1024, 4096)
# ms a step of order 4, by the number of links
AIMS = {16: 0.02, 64: 0.06, 256: 0.25}
STEP = 0.01
BODIES_STEPS = 40_000
EXAMPLES = REPOSITORY / "examples"
PRESS, ARM = EXAMPLES / "20_six_bar_press.py", EXAMPLES / "21_robot_arm.py"
# a Python code in relative coordinates, Gauss-Legendre of three stages, 10 s
OTHER_SECONDS = 204.0


def numbers_in(value: Any) -> int:
    """Numbers that records of arrays hold."""
    if isinstance(value, tuple):
        return sum(map(numbers_in, value))
    return int(getattr(value, "size", 0))


def chain_table(repeat: int) -> tuple[Table, list[Goal]]:
    """Explicit steps by the number of links, and memory."""
    import femlie as fl
    from benchmarks.loop_clock import timed_solve
    from tests.validation.tree_cases import pendulum

    rows, goals = [], []
    for n in SIZES:
        system = pendulum(n, 0.1).build()
        # the tension of long chains makes their links swing too fast for long steps
        step = STEP if n <= 1024 else 0.1 * STEP
        n_steps = max(10, BODIES_STEPS // n)

        def run(
            system: Any = system, step: float = step, n_steps: int = n_steps
        ) -> dict[str, Any]:
            return timed_solve(
                fl.MuntheKaas(formulation=fl.TREE),
                system,
                duration=n_steps * step,
                time_step=step,
                output=fl.Output(every=n_steps),
            )[0]

        run()
        milliseconds = 1e3 * least_of(repeat, run)["loop_seconds"] / n_steps
        megabytes = 8e-6 * numbers_in(fl.Tree(system).problem)
        rows.append([n, milliseconds, 1e3 * milliseconds / n, megabytes])
        if n in AIMS:
            what = f"tree, chain of {n}, explicit"
            goals.append(Goal(what, AIMS[n], milliseconds, "ms a step"))
    exponents = [fitted_exponent(SIZES, [row[k] for row in rows]) for k in (1, 3)]
    note = (
        f"Time grows with the number of links to the {exponents[0]:.2f}, arrays of the "
        f"tree to the {exponents[1]:.2f}."
    )
    columns = ["links", "ms a step", "us a step and link", "MB"]
    what = "tree, 16 to 4096 links: exponent of a step"
    goals.append(Goal(what, 1.0, exponents[0], ""))
    return Table("Chains on ball joints, explicit, order 4", columns, rows, note), goals


def collocation_table(repeat: int) -> tuple[Table, list[Goal]]:
    """The chain of document 004."""
    import femlie as fl
    from benchmarks.loop_clock import timed_solve
    from tests.validation.tree_cases import pendulum

    system = pendulum(64, 0.1).build()
    solver = fl.GaussLegendre(
        stages=3, formulation=fl.TREE, iteration=fl.StageIteration.FIXED_POINT
    )
    options = {"duration": 10.0, "time_step": STEP, "output": fl.Output(every=10)}
    results = solver.solve(system, **options)
    record = least_of(repeat, lambda: timed_solve(solver, system, **options)[0])
    seconds = record["cpu_seconds"]
    energies = results.records.energies
    total = energies[:, 0] + energies[:, 2]
    change = abs(total - total[0]).max() / energies[:, 0].max()
    columns = ["links", "s of motion", "CPU s", "relative energy error"]
    rows = [[64, 10.0, seconds, change]]
    note = (
        "Implicit, order 6, steps of 10 ms; no Jacobian. A Python code in the same "
        f"coordinates is published with {OTHER_SECONDS:g} s."
    )
    what = "tree, chain of 64, Gauss-Legendre 3, 10 s"
    goal = Goal(what, OTHER_SECONDS / 400.0, seconds, "s")
    return Table("Chain of 64 links, Gauss-Legendre", columns, rows, note), [goal]


def mechanism_table(repeat: int) -> tuple[Table, list[Goal]]:
    """Real-time factors, and inverse dynamics of the arm."""
    import numpy as np

    import femlie as fl
    from benchmarks.loop_clock import timed_solve

    rows = []
    for name, path in (("six-bar press", PRESS), ("arm of six axes", ARM)):
        example = load_example(path)
        system = example.make_model().build(folder=EXAMPLES)
        options = {**example.RUN, "output": fl.Output(every=100)}

        def run(system: Any = system, example: Any = example, options: Any = options):  # type: ignore[no-untyped-def]
            return timed_solve(example.SOLVER, system, **options)[0]

        run()
        best = least_of(repeat, run)
        duration, step = options["duration"], options["time_step"]
        n_steps = round(duration / step)
        loop = best["loop_seconds"]
        rows.append([name, 1e3 * step, 1e6 * loop / n_steps, duration / loop])
    tree = fl.Tree(system)
    n = 1000
    rng = np.random.default_rng(0)
    states = tree.moved(
        tree.start, step=rng.normal(size=(n, 6)), rates=rng.normal(size=(n, 6))
    )
    seconds = least_time(tree.inverse_dynamics, states, rng.normal(size=(n, 6)))
    columns = ["mechanism", "ms of motion a step", "us a step", "times real time"]
    note = (
        "examples/20_six_bar_press.py and examples/21_robot_arm.py, explicit, order 4. "
        f"Inverse dynamics of the arm: {1e6 * seconds / n:.2f} us a state."
    )
    return Table("Mechanisms", columns, rows, note), []


def main() -> None:
    """Measure, print and keep all tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--json", type=Path, metavar="FILE",
                        help="default: benchmarks/measured/trees.json")  # fmt: skip
    options = parser.parse_args()
    makers = (chain_table, collocation_table, mechanism_table)
    pairs = [make(options.repeat) for make in makers]
    for table, _ in pairs:
        show(table)
    goals = [goal for _, found in pairs for goal in found]
    report = Report("trees", [table for table, _ in pairs], goals)
    print(f"kept in {report.save(options.json)}")


if __name__ == "__main__":
    main()
