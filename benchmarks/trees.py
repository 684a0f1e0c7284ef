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

EXAMPLE = REPOSITORY / "examples" / "20_six_bar_press.py"
STEP = 0.01
# seconds that the source of chains of prisms tells for 64 links
SOURCE_LINKS, SOURCE_SECONDS = 64, 204.0


class Sizes(NamedTuple):
    """How long the chains are, how long they swing, and how often each run is done."""

    links: tuple[int, ...] = (16, 64, 256, 1024)
    # steps of all links together
    link_steps: int = 20_000
    swinging: int = SOURCE_LINKS
    duration: float = 10.0
    states: int = 1000
    press_duration: float | None = None  # as the example has it
    repeat: int = 3
    # what short runs are repeated for
    seconds: float = 3.0


SMALLEST = Sizes((2, 4), 20, 2, 0.05, 10, 2e-3, repeat=1, seconds=0.0)


def chain_table(sizes: Sizes) -> tuple[Table, Goal]:
    """Explicit steps of order 4 by the number of links."""
    import femlie as fl
    from benchmarks.loop_clock import timed_solve
    from tests.validation.tree_cases import pendulum

    solver = fl.MuntheKaas(formulation=fl.TREE)
    rows = []
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
        rows.append([n, each, each / n, before])
    exponent = fitted_exponent(sizes.links, [row[1] for row in rows])
    columns = ["links", "us a step", "us a step and link", "s before and after"]
    note = (
        f"Time of a step grows with the number of links to the {exponent:.2f}. Before "
        "and after the steps: a consistent start, the fastest mode of the whole model, "
        "which the step is checked against, and results."
    )
    title = "Chains on their tree, Munthe-Kaas of order 4"
    what = f"chain on its tree, {sizes.links[0]} to {sizes.links[-1]} links: exponent"
    return Table(title, columns, rows, note), Goal(what, 1.1, exponent, "")


def swing_table(sizes: Sizes) -> Table:
    """Gauss-Legendre as the source of the chains of prisms has it."""
    import femlie as fl
    from benchmarks.loop_clock import timed_solve
    from tests.validation.tree_cases import energy_change, pendulum

    system = pendulum(sizes.swinging, 0.1).build()
    rows = []
    for iteration in (fl.StageIteration.FIXED_POINT, fl.StageIteration.NEWTON):
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
        rows.append([iteration.name.lower(), seconds, max(changes)])
    title = f"{sizes.swinging} links on their tree, Gauss-Legendre of three stages"
    note = (
        f"{sizes.duration:g} s in steps of 10 ms; energy change over the largest "
        f"kinetic energy. The source took {SOURCE_SECONDS:g} s for {SOURCE_LINKS} "
        "links and 10 s."
    )
    return Table(title, ["iteration", "CPU s", "energy change"], rows, note)


def real_time_table(sizes: Sizes) -> Table:
    """Seconds of motion in a second of computing, and inverse dynamics of an arm."""
    import numpy as np

    import femlie as fl

    press = load_script(EXAMPLE)
    system = press.make_model().build(folder=EXAMPLE.parent)
    run = press.RUN
    if sizes.press_duration is not None:
        run = run | {"duration": sizes.press_duration}

    def seconds_of(solver: Any, system: Any, **options: Any) -> float:
        return least_time(
            lambda: solver.solve(system, **options), seconds=sizes.seconds
        )

    seconds = seconds_of(press.SOLVER, system, **run)
    rows: list[list[Any]] = [["press, times real time", run["duration"] / seconds]]
    tree = fl.Tree(arm().build())
    duration = 0.2 * sizes.duration
    seconds = seconds_of(
        fl.MuntheKaas(formulation=fl.TREE),
        tree.system,
        duration=duration,
        time_step=1e-3,
        output=fl.Output(every=100),
    )
    rows.append(["arm of six axes, steps of 1 ms, times real time", duration / seconds])
    rng, n = np.random.default_rng(0), sizes.states
    states = fl.TreeState(
        np.repeat(tree.start.frames[None], n, axis=0), rng.normal(size=(n, 6))
    )
    rates = rng.normal(size=(n, 6))
    seconds = least_time(
        lambda: tree.inverse_dynamics(state=states, second_rates=rates),
        seconds=sizes.seconds,
    )
    rows.append(["arm of six axes, us an inverse dynamics", 1e6 * seconds / n])
    return Table("Faster than real time", ["what", "figure"], rows)


def arm() -> Any:
    """Six links of 0.3 m on hinges about z, y, y, x, y, x."""
    import femlie as fl

    model = fl.Model()
    axes = [(0, 0, 1), (0, 1, 0), (0, 1, 0), (1, 0, 0), (0, 1, 0), (1, 0, 0)]
    before = fl.GROUND
    for i, axis in enumerate(axes):
        name = f"link {i + 1}"
        place = (0.3 * i + 0.15, 0.0, 0.0)
        inertia = (0.01, 0.03, 0.03)
        model.add(fl.Body(name, position=place, mass=4.0 - 0.5 * i, inertia=inertia))
        hinge = {"axis": axis, "position": (0.3 * i, 0.0, 0.0)}
        joint = fl.Joint(
            f"axis {i + 1}", fl.REVOLUTE, parent=before, child=name, **hinge
        )
        model.add(joint)
        before = name
    model.add(fl.Gravity("weight"))
    return model


def main() -> None:
    """Measure, print and keep all tables."""
    options = script_parser(__doc__, "trees").parse_args()
    sizes = SMALLEST if options.smallest else Sizes()
    chains, goal = chain_table(sizes)
    tables = [chains, swing_table(sizes), real_time_table(sizes)]
    finish(Report("trees", tables, [goal]), options)


if __name__ == "__main__":
    main()
