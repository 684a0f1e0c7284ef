"""femlie and each installed peer, case by case in one run: CPU seconds and ratios.

``python benchmarks/compare.py`` runs all cases one after another, each in a process of
its own and on one thread, and prints a table for each. Peers that are not installed are
left out and named; they may be installed for another Python (``--peer-python``).
"""

from __future__ import annotations

import argparse
import importlib
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.measuring import (
    REPOSITORY,
    Goal,
    Report,
    Table,
    finish,
    markdown,
    script_parser,
)
from benchmarks.peers.case import DISTRIBUTIONS, MODULES, Run

CASES = (
    "roll_up",
    "bend_45",
    "flying_beam",
    "chain",
    "explicit_chain",
    "heavy_top",
)
# a run that took longer is not done again in the next round
LONG_SECONDS = 5.0
Record = dict[str, Any]


def installed(python: str) -> dict[str, bool]:
    """Which programs a Python can import."""
    found = {}
    for program, module in MODULES.items():
        done = subprocess.run(
            [python, "-c", f"import {module}"],
            cwd=REPOSITORY,
            capture_output=True,
            check=False,
        )
        found[program] = done.returncode == 0
    return found


def run_once(
    case: str, number: int, python: str, options: argparse.Namespace
) -> Record:
    """Record of one process; a crash is a record too."""
    command = [python, "-m", f"benchmarks.peers.{case}", str(number)]
    try:
        done = subprocess.run(
            [*command, "--repeat", str(options.repeat)],
            cwd=REPOSITORY,
            capture_output=True,
            text=True,
            timeout=options.limit,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return {"failure": f"took more than {options.limit:g} s"}
    for line in reversed(done.stdout.splitlines()):
        if line.startswith("{"):
            record: Record = json.loads(line)
            return record
    last = [line for line in done.stderr.splitlines() if line.strip()][-1:]
    return {"failure": last[0][:120] if last else f"ended with {done.returncode}"}


def smallest_of(runs: Sequence[Run]) -> list[int]:
    """The first run of each program among those of the smallest size."""
    size = min(run.size for run in runs)
    first: dict[str, int] = {}
    for number, run in enumerate(runs):
        if run.size == size:
            first.setdefault(run.program, number)
    return list(first.values())


def run_case(
    case: str, options: argparse.Namespace, has: dict[str, bool]
) -> list[Record]:
    """Least records of all runs of a case, peers in turn with femlie."""
    runs: tuple[Run, ...] = importlib.import_module(f"benchmarks.peers.{case}").RUNS
    numbers = smallest_of(runs) if options.smallest else list(range(len(runs)))
    best: dict[int, Record] = {}
    for _ in range(options.rounds):
        for number in numbers:
            run = runs[number]
            if not has[run.program]:
                continue
            before = best.get(number)
            if before and before.get("cpu_seconds", LONG_SECONDS) >= LONG_SECONDS:
                continue
            python = sys.executable if run.program == "femlie" else options.peer_python
            print(f"{case}: {run.program}, {run.variant}, {run.size}", file=sys.stderr)
            record = run_once(case, number, python, options)
            if before is None or record.get("cpu_seconds", 1e9) < before["cpu_seconds"]:
                best[number] = {
                    "case": case,
                    "number": number,
                    "program": run.program,
                    "variant": run.variant,
                    "size": run.size,
                    "group": run.group,
                    **record,
                }
    return [best[number] for number in sorted(best)]


def table_of(case: str, records: list[Record]) -> Table:
    """Times, ratios and accuracy of one case."""
    module = importlib.import_module(f"benchmarks.peers.{case}")
    if hasattr(module, "compare"):
        module.compare([record for record in records if "places" in record])
    own = {
        (record["size"], record["group"]): record["cpu_seconds"]
        for record in records
        if record["program"] == "femlie" and "cpu_seconds" in record
    }
    names = list(
        dict.fromkeys(name for record in records for name in record.get("measures", {}))
    )
    sizes = any(record["size"] > 1 for record in records)
    rows = []
    for record in records:
        seconds, loop = record.get("cpu_seconds"), record.get("loop_seconds")
        femlie = own.get((record["size"], record["group"]))
        row = [
            f"{record['program']} {record.get('version') or ''}".strip(),
            record["variant"],
            record["size"],
            None if seconds is None else 1e3 * seconds,
            None if loop is None else 1e3 * loop,
            seconds / femlie if seconds and femlie else None,
            record.get("steps"),
            record.get("iterations") or None,
            *(record.get("measures", {}).get(name) for name in names),
            record.get("failure"),
        ]
        rows.append(row if sizes else row[:2] + row[3:])
    columns = ["program", "method", *(["size"] if sizes else []), "CPU ms", "loop ms"]
    columns += ["over femlie", "steps", "iterations", *names, "failure"]
    if not any(row[-1] for row in rows):
        rows, columns = [row[:-1] for row in rows], columns[:-1]
    return Table(title=module.TITLE, columns=columns, rows=rows, note=module.NOTE)


def goals_of(case: str, records: list[Record]) -> list[Goal]:
    """Goals of a case beside what was measured."""
    found = []
    by_number = {record["number"]: record for record in records}
    for aim in importlib.import_module(f"benchmarks.peers.{case}").AIMS:
        record = by_number.get(aim.run, {})
        measured, loop = (
            None if record.get(key) is None else aim.scale * record[key]
            for key in ("cpu_seconds", "loop_seconds")
        )
        peer = by_number.get(aim.peer_run, {}).get("cpu_seconds")
        paced = aim.aim * peer / aim.peer_seconds if peer and aim.peer_seconds else None
        found.append(Goal(aim.what, aim.aim, measured, aim.unit, loop, paced))
    return found


def missing(has: dict[str, bool]) -> Table:
    """Peers that were left out."""
    names = [name for name, is_there in has.items() if not is_there]
    rows = [[name, DISTRIBUTIONS[name]] for name in names]
    return Table(f"Peers left out: {', '.join(names)}", ["peer", "pip package"], rows)


def arguments() -> argparse.Namespace:
    """What the command line says."""
    parser = script_parser(__doc__, "compare")
    parser.add_argument("--cases", nargs="+", choices=CASES, default=list(CASES))
    parser.add_argument("--repeat", type=int, default=5, help="runs in each process")
    parser.add_argument("--rounds", type=int, default=2, help="processes of each run")
    parser.add_argument("--limit", type=float, default=300.0, help="seconds a process")
    parser.add_argument("--peer-python", default=sys.executable, metavar="PYTHON")
    parser.add_argument("--markdown", type=Path, metavar="FILE")
    options = parser.parse_args()
    if options.smallest:
        options.repeat = options.rounds = 1
    return options


def main() -> None:
    """Run the cases, print and keep their tables."""
    options = arguments()
    has = installed(options.peer_python) | {"femlie": True}
    report = Report("compare", [], [], {}, [])
    for case in options.cases:
        records = run_case(case, options, has)
        report.tables.append(table_of(case, records))
        report.goals.extend(goals_of(case, records))
        report.records.extend(records)
    if not all(has.values()):
        report.tables.append(missing(has))
    finish(report, options)
    if options.markdown is not None:
        text = "\n\n".join(markdown(table) for table in report.tables)
        options.markdown.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
