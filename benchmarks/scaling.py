"""How cost grows: chains, a mechanism with a finer and finer rod, memory of long runs.

``python benchmarks/scaling.py`` prints the cost of a Newton iteration over the number
of links and of rod elements with the fitted exponent, and the memory of a run of a
million steps.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import subprocess
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
    show,
)

EXAMPLE = REPOSITORY / "examples" / "04_slider_crank.py"
LINKS = (16, 32, 64, 125, 250, 500, 1000)
ROD_ELEMENTS = (10, 30, 100, 300, 1000)
CHAIN_STEPS = 100
LONG_STEPS = 1_000_000
KEPT_EVERY = 1000
# share of the long run after which memory should not grow: first rows are kept by then
WARM = 0.1
MEGABYTE = 2.0**20


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


def chain_table(repeat: int) -> tuple[Table, Goal]:
    """The straight chain in steps of 10 ms."""
    import femlie as fl
    from benchmarks.loop_clock import timed_solve
    from benchmarks.peers.chain import STRAIGHT, TIME_STEP, make_model

    rows = []
    for n in LINKS:
        system = make_model(n, STRAIGHT).build()

        def run(system: Any = system) -> dict[str, Any]:
            return timed_solve(
                fl.GeneralizedAlpha(),
                system,
                duration=CHAIN_STEPS * TIME_STEP,
                time_step=TIME_STEP,
                output=fl.Output(every=CHAIN_STEPS),
            )[0]

        run()
        rows.append(iteration_row(n, least_of(repeat, run)))
    exponent = fitted_exponent(LINKS, [row[3] for row in rows])
    title = f"Chains of links, {CHAIN_STEPS} steps of 10 ms"
    columns = ["links", "ms a step", "iterations a step", "ms an iteration"]
    columns.append("us an iteration and link")
    note = f"Time of an iteration grows with the number of links to the {exponent:.2f}."
    what = "chain, 16 to 1000 links: exponent of an iteration"
    return Table(title, columns, rows, note), Goal(what, 1.1, exponent, "")


def crank_table(repeat: int) -> tuple[Table, Goal]:
    """The example of the slider-crank with more and more rod elements."""
    import femlie as fl
    from benchmarks.loop_clock import timed_solve

    example = load_example(EXAMPLE)
    rows = []
    for n in ROD_ELEMENTS:
        system = example.make_model(n).build(folder=EXAMPLE.parent)
        loops: set[str] = set()

        def run(system: Any = system, loops: set[str] = loops) -> dict[str, Any]:
            record, results = timed_solve(
                example.SOLVER, system, **example.RUN, output=fl.Output(every=100)
            )
            loops.add(results.summary["loop"])
            return record

        run()
        rows.append([*iteration_row(n, least_of(repeat, run)), ", ".join(loops)])
    exponent = fitted_exponent(ROD_ELEMENTS, [row[3] for row in rows])
    columns = ["rod elements", "ms a step", "iterations a step", "ms an iteration"]
    columns += ["us an iteration and element", "loop"]
    note = (
        "examples/04_slider_crank.py: flexible rod, stop, redundant hinge. Time of an "
        f"iteration grows with the number of rod elements to the {exponent:.2f}."
    )
    table = Table("Slider-crank with a flexible rod", columns, rows, note)
    what = "slider-crank, 10 to 1000 rod elements: exponent of an iteration"
    return table, Goal(what, 1.1, exponent, "")


def load_example(path: Path) -> Any:
    """An example as a module; its name begins with a digit."""
    spec = importlib.util.spec_from_file_location("example", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def resident() -> float:
    """Memory of this process now [MB], on systems that tell."""
    import resource

    pages = Path("/proc/self/statm")
    if pages.exists():
        words = pages.read_text(encoding="ascii").split()
        return int(words[1]) * resource.getpagesize() / MEGABYTE
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0


def memory_rows() -> list[list[Any]]:
    """Memory of the long run of the heavy top, by the share that is done."""
    import femlie as fl
    from benchmarks.peers.heavy_top import ELIMINATED, TIME_STEP, make_model

    system = make_model(ELIMINATED).build()
    rows: list[list[Any]] = []
    due = [0.0, WARM, 0.25, 0.5, 0.75, 1.0]

    def look(done: float, _text: str) -> None:
        while due and done >= due[0] - 1e-9:
            rows.append([round(due.pop(0) * LONG_STEPS), resident()])

    fl.GeneralizedAlpha().solve(system, duration=1000 * TIME_STEP, time_step=TIME_STEP)
    look(0.0, "")
    fl.GeneralizedAlpha().solve(
        system,
        duration=LONG_STEPS * TIME_STEP,
        time_step=TIME_STEP,
        output=fl.Output(every=KEPT_EVERY),
        progress=look,
    )
    return rows


def memory_table() -> tuple[Table, Goal]:
    """The long run in a process of its own."""
    code = "from benchmarks.scaling import memory_rows; print(memory_rows())"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=True,
    )
    rows = json.loads(done.stdout.splitlines()[-1])
    warm = next(row[1] for row in rows if row[0] == round(WARM * LONG_STEPS))
    growth = rows[-1][1] - warm
    note = (
        "Heavy top, a row kept every 1000 steps. The 1000 rows are 0.4 MB themselves."
    )
    table = Table("Memory of a million steps", ["step", "MB"], rows, note)
    what = "a million steps: growth of memory after the first tenth"
    return table, Goal(what, 0.0, growth, "MB")


def main() -> None:
    """Measure, print and keep all tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--json", type=Path, metavar="FILE",
                        help="default: benchmarks/measured/scaling.json")  # fmt: skip
    options = parser.parse_args()
    pairs = [
        chain_table(options.repeat),
        crank_table(options.repeat),
        memory_table(),
    ]
    for table, _ in pairs:
        show(table)
    report = Report("scaling", [pair[0] for pair in pairs], [pair[1] for pair in pairs])
    print(f"kept in {report.save(options.json)}")


if __name__ == "__main__":
    main()
