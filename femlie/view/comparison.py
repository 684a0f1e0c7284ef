"""Diagrams of methods side by side."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

from .coloring import PART_COLORS
from .picture import checked_path

ENDINGS = (".png", ".pdf", ".svg", ".jpg")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
COST = {
    "step": "time step [s]",
    "cpu_seconds": "CPU time [s]",
    "evaluations": "evaluations",
}
DRIFTS = {
    "energy_drift": "energy",
    "linear_momentum_drift": "linear momentum",
    "angular_momentum_drift": "angular momentum",
    "place_drift": "constraints on places",
    "velocity_drift": "constraints on velocities",
}
# what is smaller is shown here: below it lies rounding of rounding
FLOOR = 1e-17


class Row(Protocol):
    """What a diagram reads of a run, see `femlie.compare.Comparison`."""

    @property
    def method(self) -> str: ...
    @property
    def step(self) -> float: ...


def plot_convergence(rows: Sequence[Row], path: str | Path) -> Path:
    """Errors over the step, CPU time and evaluations, one curve a method.

    Parameters
    ----------
    rows : sequence of Comparison
    path : str or Path
        Ends in .png, .pdf, .svg or .jpg.
    """
    return _diagrams(rows, [(x, "error", label, "error") for x, label in COST.items()],
                     path)  # fmt: skip


def plot_drifts(rows: Sequence[Row], path: str | Path) -> Path:
    """Drifts of energy, momenta and constraints over the step, one curve a method."""
    known = {
        y: label
        for y, label in DRIFTS.items()
        if any(math.isfinite(getattr(row, y)) for row in rows)
    }
    return _diagrams(
        rows, [("step", y, COST["step"], label) for y, label in known.items()], path
    )


def _diagrams(
    rows: Sequence[Row], diagrams: list[tuple[str, str, str, str]], path: str | Path
) -> Path:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    target = checked_path(path, ENDINGS)
    figure = Figure(figsize=(3.4 * len(diagrams) + 2.0, 3.6), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(1, len(diagrams), squeeze=False)[0]
    for ax, (x, y, x_label, y_label) in zip(axes, diagrams, strict=True):
        _curves(ax, rows, x, y)
        ax.set_xlabel(x_label, fontsize=11)
        ax.set_ylabel(y_label, fontsize=11)
        ax.grid(visible=True, color="0.88")
        for axis in (ax.xaxis, ax.yaxis):
            _label_decades(axis)
        ax.spines[["top", "right"]].set_visible(False)
    axes[-1].legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
    figure.savefig(target, dpi=150)
    return target


def _label_decades(axis: Any) -> None:
    """Labels at powers of ten; where they span less than two, at 2 and 5 besides."""
    from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

    low, high = axis.get_view_interval()
    if high < 100.0 * low:
        axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        axis.set_major_formatter(StrMethodFormatter("{x:g}"))
    axis.set_minor_formatter(NullFormatter())


def _curves(ax: Any, rows: Sequence[Row], x: str, y: str) -> None:
    methods = list(dict.fromkeys(row.method for row in rows))
    for number, method in enumerate(methods):
        own = [row for row in rows if row.method == method]
        ax.loglog(
            [max(getattr(row, x), FLOOR) for row in own],
            [max(getattr(row, y), FLOOR) for row in own],
            label=method,
            color=PART_COLORS[number % len(PART_COLORS)],
            marker=MARKERS[number % len(MARKERS)],
            linewidth=1.6,
        )
