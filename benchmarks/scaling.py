"""How cost grows: chains, a mechanism with a finer and finer rod, memory of long runs.

``python benchmarks/scaling.py`` prints the cost of a Newton iteration over the number
of links and of rod elements with the fitted exponent, and the memory of a run of a
million steps.
"""

from __future__ import annotations

import json
import subprocess
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
    load_script,
    script_parser,
)

EXAMPLE = REPOSITORY / "examples" / "04_slider_crank.py"
KEPT_EVERY = 1000
# share of the long run after which memory should not grow: first rows are kept by then
WARM = 0.1
MEGABYTE = 2.0**20


class Sizes(NamedTuple):
    """How large the models are, and how many steps they take."""

    links: tuple[int, ...] = (16, 32, 64, 125, 250, 500, 1000)
    chain_steps: int = 100
    rod_elements: tuple[int, ...] = (10, 30, 100, 300, 1000)
    crank_duration: float | None = None  # as the example has it
    long_steps: int = 1_000_000


SMALLEST = Sizes(
    links=(2, 4),
    chain_steps=10,
    rod_elements=(2, 4),
    crank_duration=0.02,
    long_steps=20 * KEPT_EVERY,
)


def iteration_row(size: int, record: dict[str, Any]) -> list[Any]:
    """Cost of a step and of an iteration."""
    loop, iterations = record["loop_seconds"], record["iterations"]
    per_iteration = 1e3 * loop / iterations
    return [
        size,
        1e3 * loop / record["steps"],
        iterations / record["steps"],
        per_iteration,
        1e3 * per_iteration / size,
    ]


def chain_table(repeat: int, sizes: Sizes) -> tuple[Table, Goal]:
    """The straight chain in steps of 10 ms."""
    import femlie as fl
    from benchmarks.loop_clock import timed_solve
    from benchmarks.peers.chain import STRAIGHT, TIME_STEP, make_model

    links, n_steps = sizes.links, sizes.chain_steps
    rows = []
    for n in links:
        system = make_model(n, STRAIGHT).build()

        def run(system: Any = system) -> dict[str, Any]:
            return timed_solve(
                fl.GeneralizedAlpha(),
                system,
                duration=n_steps * TIME_STEP,
                time_step=TIME_STEP,
                output=fl.Output(every=n_steps),
            )[0]

        run()
        rows.append(iteration_row(n, least_of(repeat, run)))
    exponent = fitted_exponent(links, [row[3] for row in rows])
    title = f"Chains of links, {n_steps} steps of 10 ms"
    columns = ["links", "ms a step", "iterations a step", "ms an iteration"]
    columns.append("us an iteration and link")
    note = f"Time of an iteration grows with the number of links to the {exponent:.2f}."
    what = f"chain, {links[0]} to {links[-1]} links: exponent of an iteration"
    return Table(title, columns, rows, note), Goal(what, 1.1, exponent, "")


def crank_table(repeat: int, sizes: Sizes) -> tuple[Table, Goal]:
    """The example of the slider-crank with more and more rod elements."""
    import femlie as fl
    from benchmarks.loop_clock import timed_solve

    example, elements = load_script(EXAMPLE), sizes.rod_elements
    duration = sizes.crank_duration or example.RUN["duration"]
    options = example.RUN | {"duration": duration, "output": fl.Output(every=100)}
    rows = []
    for n in elements:
        system = example.make_model(n).build(folder=EXAMPLE.parent)
        loops: set[str] = set()

        def run(system: Any = system, loops: set[str] = loops) -> dict[str, Any]:
            record, results = timed_solve(example.SOLVER, system, **options)
            loops.add(results.summary["loop"])
            return record

        run()
        rows.append([*iteration_row(n, least_of(repeat, run)), ", ".join(loops)])
    exponent = fitted_exponent(elements, [row[3] for row in rows])
    columns = ["rod elements", "ms a step", "iterations a step", "ms an iteration"]
    columns += ["us an iteration and element", "loop"]
    note = (
        "examples/04_slider_crank.py: flexible rod, stop, redundant hinge. Time of an "
        f"iteration grows with the number of rod elements to the {exponent:.2f}."
    )
    table = Table("Slider-crank with a flexible rod", columns, rows, note)
    what = f"slider-crank, {elements[0]} to {elements[-1]} rod elements: exponent of "
    return table, Goal(what + "an iteration", 1.1, exponent, "")


def resident() -> float:
    """Memory of this process now [MB], on systems that tell."""
    import resource

    pages = Path("/proc/self/statm")
    if pages.exists():
        words = pages.read_text(encoding="ascii").split()
        return int(words[1]) * resource.getpagesize() / MEGABYTE
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0


def memory_rows(n_steps: int) -> list[list[Any]]:
    """Memory of the long run of the heavy top, by the share that is done."""
    import femlie as fl
    from benchmarks.peers.heavy_top import ELIMINATED, TIME_STEP, make_model

    system = make_model(ELIMINATED).build()
    rows: list[list[Any]] = []
    due = [0.0, WARM, 0.25, 0.5, 0.75, 1.0]

    def look(done: float, _text: str) -> None:
        while due and done >= due[0] - 1e-9:
            rows.append([round(due.pop(0) * n_steps), resident()])

    fl.GeneralizedAlpha().solve(system, duration=1000 * TIME_STEP, time_step=TIME_STEP)
    look(0.0, "")
    fl.GeneralizedAlpha().solve(
        system,
        duration=n_steps * TIME_STEP,
        time_step=TIME_STEP,
        output=fl.Output(every=KEPT_EVERY),
        progress=look,
    )
    return rows


def memory_table(sizes: Sizes) -> tuple[Table, Goal]:
    """The long run in a process of its own."""
    n_steps = sizes.long_steps
    code = f"from benchmarks.scaling import memory_rows; print(memory_rows({n_steps}))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=True,
    )
    rows = json.loads(done.stdout.splitlines()[-1])
    warm = next(row[1] for row in rows if row[0] == round(WARM * n_steps))
    growth = rows[-1][1] - warm
    count = "a million" if n_steps == 10**6 else f"{n_steps}"
    note = (
        f"Heavy top, a row kept every {KEPT_EVERY} steps. 1000 rows are 0.4 MB "
        "themselves."
    )
    table = Table(f"Memory of {count} steps", ["step", "MB"], rows, note)
    what = f"{count} steps: growth of memory after the first tenth"
    return table, Goal(what, 0.0, growth, "MB")


def main() -> None:
    """Measure, print and keep all tables."""
    parser = script_parser(__doc__, "scaling")
    parser.add_argument("--repeat", type=int, default=5)
    options = parser.parse_args()
    sizes = SMALLEST if options.smallest else Sizes()
    repeat = 1 if options.smallest else options.repeat
    pairs = [
        chain_table(repeat, sizes),
        crank_table(repeat, sizes),
        memory_table(sizes),
    ]
    tables, goals = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    finish(Report("scaling", tables, goals), options)


if __name__ == "__main__":
    main()
