"""What a user waits for: import, the first run, small examples with a warm cache.

``python benchmarks/latency.py`` runs each in a process of its own and prints wall and
CPU seconds; CPU time includes processes that help to compile. A first run has an empty
cache of kernels.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.measuring import (
    REPOSITORY,
    Report,
    Table,
    child_times,
    finish,
    script_parser,
)

EXAMPLES = tuple(sorted((REPOSITORY / "examples").glob("*.py")))
# statics, an implicit and an explicit method
FIRST_RUNS = ("01_guyed_tower", "05_rubber_pendulum", "06_heavy_top")
IMPORTS = {
    "python alone": "pass",
    "import numpy": "import numpy",
    "import femlie": "import femlie",
    "femlie with all that a model needs": "import femlie as fl; fl.Model, fl.Static, "
    "fl.GeneralizedAlpha, fl.Beam, fl.CircularSection",
}


def least_pair(pairs: list[tuple[float, float]]) -> list[float]:
    """Least wall and least CPU seconds."""
    return [min(pair[i] for pair in pairs) for i in range(2)]


def environment(cache: str | None = None) -> dict[str, str]:
    """Environment with femlie from this repository, and a cache of kernels."""
    changed = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    return changed if cache is None else {**changed, "FEMLIE_CACHE_DIR": cache}


def run_python(arguments: list[str], cache: str | None = None) -> tuple[float, float]:
    """Wall and CPU seconds of a Python process in a folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        return child_times(
            [sys.executable, *arguments],
            environment=environment(cache),
            folder=Path(folder),
        )


def import_table(repeat: int) -> Table:
    """Imports, each in a new process."""
    rows = []
    for name, code in IMPORTS.items():
        pairs = [run_python(["-c", code]) for _ in range(repeat)]
        rows.append([name, *least_pair(pairs)])
    return Table("Import", ["what", "wall s", "CPU s"], rows)


def warm_table(repeat: int, examples: Sequence[Path]) -> Table:
    """Examples without pictures."""
    rows = []
    for path in examples:
        run_python([str(path), "--no-picture"])
        pairs = [run_python([str(path), "--no-picture"]) for _ in range(repeat)]
        rows.append([path.stem, *least_pair(pairs)])
    note = (
        "The whole process: import, model, run, comparison, results file; no pictures."
    )
    return Table(
        "Examples with a warm cache", ["example", "wall s", "CPU s"], rows, note
    )


def cold_table(repeat: int) -> Table:
    """First runs with an empty cache, and ``femlie warmup``."""
    commands = {
        path.stem: [str(path), "--no-picture"]
        for path in EXAMPLES
        if path.stem in FIRST_RUNS
    }
    commands["femlie warmup"] = ["-m", "femlie", "warmup"]
    rows = []
    for name, command in commands.items():
        pairs = []
        for _ in range(repeat):
            with tempfile.TemporaryDirectory() as cache:
                pairs.append(run_python(command, cache))
        rows.append([name, *least_pair(pairs)])
    note = "Two processes share the compilation: CPU time is that of both."
    columns = ["what", "wall s", "CPU s"]
    return Table("First run, empty cache", columns, rows, note)


def main() -> None:
    """Measure, print and keep all tables."""
    parser = script_parser(__doc__, "latency")
    parser.add_argument("--repeat", type=int, default=5, help="warm runs of each")
    parser.add_argument(
        "--cold-repeat", type=int, default=2, help="first runs of each; 0: none"
    )
    options = parser.parse_args()
    if options.smallest:
        tables = [import_table(1), warm_table(1, EXAMPLES[:1])]
    else:
        tables = [import_table(options.repeat), warm_table(options.repeat, EXAMPLES)]
        if options.cold_repeat > 0:
            tables.append(cold_table(options.cold_repeat))
    finish(Report("latency", tables), options)


if __name__ == "__main__":
    main()
