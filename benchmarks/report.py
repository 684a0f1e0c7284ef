"""Writes ``docs/performance.md`` from the files in ``benchmarks/measured``.

``python benchmarks/report.py``: no number on that page is typed by hand.
"""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.measuring import (
    MEASURED,
    REPOSITORY,
    Goal,
    Report,
    Table,
    load_report,
    markdown,
)

PAGE = REPOSITORY / "docs" / "performance.md"
# reports in the order of the page, with their headings; others follow by name
HEADINGS = {
    "compare": "Beside other programs",
    "micro": "Kernels, linear solver, and a step taken apart",
    "linear_solver": "Linear solvers",
    "scaling": "How cost grows",
    "trees": "Recursive dynamics",
    "contact": "Contact",
    "lattice": "A lattice of 100,000 beams",
    "latency": "What a user waits for",
}
HEAD = """\
# Performance

This page is written by `python benchmarks/report.py` from the files in
`benchmarks/measured`, which the scripts in `benchmarks` make. Every figure is the least
CPU time of several runs on one thread; what is compiled was compiled before, but where
a first run is the question. Other machines give other times: look at the ratios.
"""
GOALS = """\
## Goals

What was aimed at beside what was measured. "Loop" is the part of it that the compiled
loop of the solver takes; the rest is Python: the pattern of the matrix, pivots,
starting values, results. Where a goal is missed, the breakdown of a step further down
says by what.

Aims in time were set on another machine, where peers were timed too. "Aim at this
machine's pace" is the aim times what a peer took here, in the same call as femlie, over
what it took there; "aim" is the one that was set.
"""


def machine_lines(reports: list[Report]) -> str:
    """Machine and packages, once for all reports that agree."""
    seen: dict[tuple[tuple[str, str], ...], list[str]] = {}
    for report in reports:
        seen.setdefault(tuple(report.machine.items()), []).append(report.name)
    blocks = []
    for items, names in seen.items():
        facts = dict(items)
        processor, cores = facts.pop("processor"), facts.pop("cores")
        place = f"{processor}, {cores} cores, {facts.pop('system')}"
        packages = ", ".join(f"{name} {version}" for name, version in facts.items())
        which = "" if len(seen) == 1 else f" ({', '.join(names)})"
        blocks.append(textwrap.fill(f"Measured{which} on: {place}; {packages}.", 88))
    return "\n\n".join(blocks)


def over(measured: float | None, aim: float | None) -> float | None:
    """Ratio of two figures, where there are two."""
    return measured / aim if measured and aim else None


def goal_table(goals: list[Goal]) -> str:
    """Goals, measured figures and their ratio."""
    columns = ["goal", "unit", "aim", "measured", "measured over aim"]
    rows = [
        [goal.what, goal.unit, goal.aim, goal.measured, over(goal.measured, goal.aim)]
        for goal in goals
    ]
    further = {
        "loop": [goal.loop for goal in goals],
        "aim at this machine's pace": [goal.paced for goal in goals],
        "measured over that": [over(goal.measured, goal.paced) for goal in goals],
    }
    for column, values in further.items():
        if any(value is not None for value in values):
            columns.append(column)
            for row, value in zip(rows, values, strict=True):
                row.append(value)
    text = markdown(Table("", columns, rows))
    return text.removeprefix("### ").strip()


def page(reports: list[Report]) -> str:
    """The whole page."""
    goals = [goal for report in reports for goal in report.goals]
    parts = [HEAD.strip(), machine_lines(reports)]
    if goals:
        parts += [GOALS.strip(), goal_table(goals)]
    for report in reports:
        parts.append(f"## {HEADINGS.get(report.name, report.name.replace('_', ' '))}")
        parts += [markdown(table) for table in report.tables]
    return "\n\n".join(parts) + "\n"


def all_reports() -> list[Report]:
    """What stands in ``measured``, in the order of the page."""
    order = list(HEADINGS)
    paths = sorted(
        MEASURED.glob("*.json"),
        key=lambda path: (
            order.index(path.stem) if path.stem in order else len(order),
            path.stem,
        ),
    )
    return [load_report(path) for path in paths]


def main() -> None:
    """Write the page."""
    reports = all_reports()
    if not reports:
        raise SystemExit(
            f"no measurements in {MEASURED}: run compare.py, micro.py, ..."
        )
    PAGE.write_text(page(reports), encoding="utf-8")
    print(f"{PAGE}: {', '.join(report.name for report in reports)}")


if __name__ == "__main__":
    main()
