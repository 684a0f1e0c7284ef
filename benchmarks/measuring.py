"""CPU time on one thread, the machine, and tables of figures; needs no package.

Import it before numpy: libraries read the number of their threads once.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import resource
import subprocess
import textwrap
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from importlib import metadata
from importlib import util as importing
from pathlib import Path
from typing import Any

for variable in (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
):
    os.environ[variable] = "1"

REPOSITORY = Path(__file__).resolve().parents[1]
MEASURED = Path(__file__).resolve().parent / "measured"
# a group of short calls lasts this long: the clock of CPU time ticks in microseconds,
# and a window this short is seldom interrupted
WINDOW_SECONDS = 2e-3
PACKAGES = ("femlie", "numpy", "scipy", "numba", "llvmlite")


@dataclass(frozen=True)
class Table:
    """Figures of one kind, ready for Markdown.

    Attributes
    ----------
    title : str
    columns : list of str
    rows : list of lists
        Texts and numbers; None where there is nothing to say.
    note : str
        What a reader needs to know, in a sentence or two.
    """

    title: str
    columns: list[str]
    rows: list[list[Any]]
    note: str = ""


@dataclass(frozen=True)
class Goal:
    """A figure that was aimed at, beside what was measured.

    Attributes
    ----------
    what : str
    aim, measured : float or None
    unit : str
    loop : float or None
        The part of it that the compiled loop of a solver took.
    paced : float or None
        The aim times what a peer took in the same call over what it took where the aim
        was set.
    """

    what: str
    aim: float
    measured: float | None
    unit: str
    loop: float | None = None
    paced: float | None = None


@dataclass(frozen=True)
class Report:
    """What one script measured: the content of a file in ``measured``."""

    name: str
    tables: list[Table]
    goals: list[Goal] = field(default_factory=list)
    machine: dict[str, str] = field(default_factory=dict)
    records: list[dict[str, Any]] = field(default_factory=list)

    def save(self, path: Path | None = None) -> Path:
        """Write as JSON; without a path into ``measured``."""
        path = MEASURED / f"{self.name}.json" if path is None else path
        path.parent.mkdir(parents=True, exist_ok=True)
        content = {**asdict(self), "machine": self.machine or machine()}
        text = json.dumps(content, indent=1, default=float)
        path.write_text(text + "\n", encoding="utf-8")
        return path


def script_parser(document: str | None, name: str) -> argparse.ArgumentParser:
    """Options that all scripts have, below the first line of what one is for."""
    first_line = (document or "").split("\n")[0]
    parser = argparse.ArgumentParser(description=first_line)
    parser.add_argument(
        "--smallest",
        action="store_true",
        help="few repetitions of small models, to see that all of it runs; kept only "
        "where --json says",
    )
    parser.add_argument(
        "--json",
        type=Path,
        metavar="FILE",
        help=f"default: benchmarks/measured/{name}.json",
    )
    return parser


def finish(report: Report, options: argparse.Namespace) -> None:
    """Print all tables, and keep the report where the command line says."""
    for table in report.tables:
        show(table)
    if options.json is None and options.smallest:
        print("not kept: the smallest models say nothing about times")
        return
    print(f"kept in {report.save(options.json)}")


def load_report(path: Path) -> Report:
    """Read what `Report.save` wrote."""
    content = json.loads(path.read_text(encoding="utf-8"))
    content["tables"] = [Table(**table) for table in content["tables"]]
    content["goals"] = [Goal(**goal) for goal in content["goals"]]
    return Report(**content)


def least_time(
    function: Callable[..., Any], *arguments: Any, seconds: float = 1.0
) -> float:
    """Least CPU time of a call [s], over many short windows.

    Parameters
    ----------
    function, arguments
        Called once before, so that what is compiled is compiled.
    seconds : float
        CPU time spent in all; at least three windows are taken.

    Returns
    -------
    float
        Short calls are timed in groups.
    """
    function(*arguments)
    start = time.process_time()
    function(*arguments)
    group = max(1, int(WINDOW_SECONDS / max(time.process_time() - start, 1e-7)))
    times: list[float] = []
    while len(times) < 3 or sum(times) * group < seconds:
        start = time.process_time()
        for _ in range(group):
            function(*arguments)
        times.append((time.process_time() - start) / group)
    return min(times)


def least_of(repeat: int, run: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """The record with the least ``cpu_seconds`` of several runs.

    Runs that take long are repeated less: all of them together may take as long as
    ``repeat`` runs of two seconds.
    """
    best = run()
    spent = best["cpu_seconds"]
    for _ in range(repeat - 1):
        if spent > 2.0 * repeat:
            break
        other = run()
        spent += other["cpu_seconds"]
        if other["cpu_seconds"] < best["cpu_seconds"]:
            best = other
    return best


def load_script(path: Path) -> Any:
    """A script as a module, whatever its name begins with."""
    found = importing.spec_from_file_location(path.stem, path)
    assert found is not None
    assert found.loader is not None
    module = importing.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def fitted_exponent(sizes: Sequence[float], values: Sequence[float]) -> float:
    """Slope of the values over the sizes, both logarithmic."""
    x = [math.log(size) for size in sizes]
    y = [math.log(value) for value in values]
    x_mean, y_mean = sum(x) / len(x), sum(y) / len(y)
    pairs = zip(x, y, strict=True)
    above = sum((a - x_mean) * (b - y_mean) for a, b in pairs)
    return above / sum((a - x_mean) ** 2 for a in x)


def superlu(matrix: Any) -> Any:
    """SciPy's factorization of a nearly symmetric matrix, its pivots chosen anew."""
    from scipy.sparse.linalg import splu

    return splu(
        matrix,
        permc_spec="MMD_AT_PLUS_A",
        diag_pivot_thresh=0.01,
        options={"SymmetricMode": True},
    )


def processor() -> str:
    """Name of the processor with family and model, as far as the system tells."""
    found: dict[str, str] = {}
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    for line in lines:
        key, _, value = line.partition(":")
        found.setdefault(key.strip(), value.strip())
    family, model = found.get("cpu family", "?"), found.get("model", "?")
    name = found.get("model name", platform.machine())
    return f"{name}, family {family}, model {model}"


def version_of(package: str) -> str | None:
    """Version of an installed package."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        pass
    if package != "femlie":
        return None
    # run from the repository
    from femlie import __version__

    return __version__


def machine() -> dict[str, str]:
    """Processor, cores, system, Python and packages of this run."""
    versions = {name: version_of(name) for name in PACKAGES}
    return {
        "processor": processor(),
        "cores": str(os.cpu_count()),
        "system": f"{platform.system()} {platform.machine()}",
        "Python": platform.python_version(),
        **{name: version for name, version in versions.items() if version},
    }


def child_times(
    command: Sequence[str], *, environment: dict[str, str], folder: Path
) -> tuple[float, float]:
    """Wall and CPU seconds of a command, its own children included.

    Raises
    ------
    SystemExit
        With the end of what the command said, if it failed.
    """
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    done = subprocess.run(
        command,
        env=environment,
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr[-2000:]}")
    user = after.ru_utime - before.ru_utime
    return wall, user + after.ru_stime - before.ru_stime


def number(value: Any) -> str:
    """A number with three digits, or a text, for a table."""
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    if isinstance(value, int) or value == 0.0:
        return str(value)
    size = abs(value)
    if not math.isfinite(size):
        return str(value)
    if size >= 1000.0:
        return f"{value:.0f}" if size < 1e6 else f"{value:.2e}"
    return f"{value:#.3g}".rstrip(".") if size >= 1e-3 else f"{value:.1e}"


def markdown(table: Table) -> str:
    """A table with its title as a third-level heading."""
    is_number = [
        all(isinstance(row[i], (int, float, type(None))) for row in table.rows)
        for i in range(len(table.columns))
    ]
    rule = ["---:" if right else "---" for right in is_number]
    cells = [table.columns, rule, *([number(v) for v in row] for row in table.rows)]
    lines = "\n".join(f"| {' | '.join(row)} |" for row in cells)
    note = textwrap.fill(table.note, width=88)
    return "\n\n".join(filter(None, [f"### {table.title}", note, lines]))


def show(table: Table) -> None:
    """Print a table to the terminal."""
    print(markdown(table) + "\n", flush=True)
