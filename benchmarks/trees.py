"""Recursive dynamics: cost by the number of bodies, and faster than real time.

``python benchmarks/trees.py``: chains of 2 m links on ball joints swing as a whole; the
press and an arm of six axes tell how much faster than real time they run. The same
chains stand beside MuJoCo and Pinocchio in ``compare.py --cases explicit_chain``.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.measuring import (
    REPOSITORY,
    Goal,
    Report,
    Table,
    finish,
    fitted_exponent,
    least_of,
    least_time,
    load_script,
    script_parser,
)

EXAMPLES = REPOSITORY / "examples"
PRESS, ARM = EXAMPLES / "20_six_bar_press.py", EXAMPLES / "21_robot_arm.py"
# us a step of order 4, by the number of links
AIMS = {16: 20.0, 64: 60.0, 256: 250.0}
STEP = 0.01
# seconds that the source of chains of prisms tells for 64 links
SOURCE_LINKS, SOURCE_SECONDS = 64, 204.0


class Sizes(NamedTuple):
    """How long the chains are, how long they swing, and how often each run is done."""

    links: tuple[int, ...] = (16, 64, 256, 1024, 4096)
    # steps of all links together
    link_steps: int = 20_000
    swinging: int = SOURCE_LINKS
    duration: float = 10.0
    states: int = 1000
    mechanism_duration: float | None = None  # as the examples have it
    repeat: int = 3
    # what short runs are repeated for
    seconds: float = 3.0


SMALLEST = Sizes((2, 4), 20, 2, 0.05, 10, 2e-3, repeat=1, seconds=0.0)


def numbers_in(value: Any) -> int:
    """Numbers that records of arrays hold."""
    if isinstance(value, tuple):
        return sum(map(numbers_in, value))
    return int(getattr(value, "size", 0))


def chain_table(sizes: Sizes) -> tuple[Table, list[Goal]]:
    """Explicit steps of order 4 by the number of links."""
    import femlie as fl
    from benchmarks.loop_clock import timed_solve
    from tests.validation.tree_cases import pendulum

    solver = fl.MuntheKaas(formulation=fl.TREE)
    rows, goals = [], []
    for n in sizes.links:
        system = pendulum(n, 0.1).build()
        n_steps = max(10, sizes.link_steps // n)
        # the tension of long chains makes their links swing too fast for long steps
        step = STEP if n <= 1024 else 0.1 * STEP

        def run(
            system: Any = system, n_steps: int = n_steps, step: float = step
        ) -> dict[str, Any]:
            return timed_solve(
                solver,
                system,
                duration=n_steps * step,
                time_step=step,
                output=fl.Output(every=n_steps),
            )[0]

        run()
        record = least_of(sizes.repeat, run)
        each = 1e6 * record["loop_seconds"] / record["steps"]
        before = record["cpu_seconds"] - record["loop_seconds"]
        megabytes = 8e-6 * numbers_in(fl.Tree(system).problem)
        rows.append([n, each, each / n, before, megabytes])
        if n in AIMS:
            what = f"tree, chain of {n}, explicit"
            goals.append(Goal(what, AIMS[n], each, "us a step"))
    exponents = [fitted_exponent(sizes.links, [row[k] for row in rows]) for k in (1, 4)]
    columns = ["links", "us a step", "us a step and link", "s before and after", "MB"]
    note = (
        f"Time of a step grows with the number of links to the {exponents[0]:.2f}, "
        f"arrays of the tree to the {exponents[1]:.2f}. Before "
        "and after the steps: a consistent start, the fastest mode of the whole model, "
        "which the step is checked against, and results."
    )
    title = "Chains on their tree, Munthe-Kaas of order 4"
    what = f"chain on its tree, {sizes.links[0]} to {sizes.links[-1]} links: exponent"
    goals.append(Goal(what, 1.1, exponents[0], ""))
    return Table(title, columns, rows, note), goals


def swing_table(sizes: Sizes) -> tuple[Table, Goal]:
    """Gauss-Legendre as the source of the chains of prisms has it."""
    import femlie as fl
    from benchmarks.loop_clock import timed_solve
    from tests.validation.tree_cases import energy_change, pendulum

    system = pendulum(sizes.swinging, 0.1).build()
    rows = []
    for iteration in (None, *fl.StageIteration):
        solver = fl.GaussLegendre(stages=3, formulation=fl.TREE, iteration=iteration)
        changes: list[float] = []

        def run(solver: Any = solver, changes: list[float] = changes) -> dict[str, Any]:
            record, results = timed_solve(
                solver,
                system,
                duration=sizes.duration,
                time_step=STEP,
                output=fl.Output(every=10),
            )
            changes.append(energy_change(results))
            return record

        run()
        seconds = least_of(sizes.repeat, run)["cpu_seconds"]
        name = iteration.value if iteration else "chosen in each step"
        rows.append([name, seconds, max(changes)])
    title = f"{sizes.swinging} links on their tree, Gauss-Legendre of three stages"
    note = (
        f"{sizes.duration:g} s in steps of 10 ms; energy change over the largest "
        f"kinetic energy. The source took {SOURCE_SECONDS:g} s for {SOURCE_LINKS} "
        "links and 10 s."
    )
    what = f"tree, chain of {sizes.swinging}, Gauss-Legendre 3, {sizes.duration:g} s"
    goal = Goal(what, SOURCE_SECONDS / 400.0, rows[0][1], "s")
    return Table(title, ["iteration", "CPU s", "energy change"], rows, note), goal


def mechanism_table(sizes: Sizes) -> Table:
    """Seconds of motion in a second of computing, and inverse dynamics of an arm."""
    import numpy as np

    import femlie as fl
    from benchmarks.loop_clock import timed_solve

    rows = []
    for name, path in (("six-bar press", PRESS), ("arm of six axes", ARM)):
        example = load_script(path)
        system = example.make_model().build(folder=EXAMPLES)
        options = {**example.RUN, "output": fl.Output(every=100)}
        if sizes.mechanism_duration is not None:
            options["duration"] = sizes.mechanism_duration

        def run(
            system: Any = system, example: Any = example, options: Any = options
        ) -> dict[str, Any]:
            return timed_solve(example.SOLVER, system, **options)[0]

        run()
        loop = least_of(sizes.repeat, run)["loop_seconds"]
        duration, step = options["duration"], options["time_step"]
        n_steps = round(duration / step)
        rows.append([name, 1e3 * step, 1e6 * loop / n_steps, duration / loop])
    tree = fl.Tree(system)
    rng, n = np.random.default_rng(0), sizes.states
    states = tree.moved(
        tree.start, step=rng.normal(size=(n, 6)), rates=rng.normal(size=(n, 6))
    )
    rates = rng.normal(size=(n, 6))
    seconds = least_time(tree.inverse_dynamics, states, rates, seconds=sizes.seconds)
    columns = ["mechanism", "ms of motion a step", "us a step", "times real time"]
    note = (
        "examples/20_six_bar_press.py and examples/21_robot_arm.py, explicit, order 4. "
        f"Inverse dynamics of the arm: {1e6 * seconds / n:.2f} us a state."
    )
    return Table("Mechanisms", columns, rows, note)


def main() -> None:
    """Measure, print and keep all tables."""
    options = script_parser(__doc__, "trees").parse_args()
    sizes = SMALLEST if options.smallest else Sizes()
    chains, goals = chain_table(sizes)
    swing, goal = swing_table(sizes)
    tables = [chains, swing, mechanism_table(sizes)]
    finish(Report("trees", tables, [*goals, goal]), options)


if __name__ == "__main__":
    main()
