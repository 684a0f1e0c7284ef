"""Curves over time: sensors, joint coordinates, displacements, energies."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..coordinates import AT_NODE
from ..elements.base import Array
from ..errors import ViewError, suggestion
from ..results import Results
from ..tracking import named_points
from .coloring import PART_COLORS
from .picture import checked_path

ENERGY = "energy"
MOST_CURVES = 8  # in one diagram that can still be told apart
WIDTH, HEIGHT = 8.0, 2.6  # of a diagram [inch]
LINE_STYLES = ("-", "--", "-.")  # curves on top of each other can be told apart
ENDINGS = (".png", ".pdf", ".svg", ".jpg")


class Curves(NamedTuple):
    """What one diagram shows."""

    title: str
    quantity: str
    names: tuple[str, ...]
    values: Array  # (n_times, n_curves)


def plot_history(
    results: Results, names: str | int | Sequence[str | int], path: str | Path
) -> Path:
    """Diagrams over time, one below the other, written to a file.

    Parameters
    ----------
    results : Results
    names : str, int or sequence of them
        Sensors; joints (their coordinates); nodes, parts and groups (displacements; a
        node of the mesh by its number); ``"energy"`` for all energies.
    path : str or Path
        Ends in .png, .pdf, .svg or .jpg.

    Returns
    -------
    Path
        Of the file.

    Raises
    ------
    ViewError
        No name, a name that does not exist, or one with too many curves.
    """
    target = checked_path(path, ENDINGS)
    listed = [names] if isinstance(names, (str, int)) else list(names)
    if not listed:
        raise ViewError(
            "plot_history: no names are given, expected one or more. "
            f"{suggestion('', _known(results))}"
        )
    _draw(results, [_curves(results, name) for name in listed], target)
    return target


def _known(results: Results) -> list[str]:
    catalog = results.layout.catalog
    joints = [name for name, rows in catalog.joint_rows.items() if rows]
    return [*catalog.sensors, *joints, *catalog.groups, ENERGY]


def _curves(results: Results, name: str | int) -> Curves:
    catalog = results.layout.catalog
    if name in catalog.sensors:
        columns = results.sensor_columns(str(name))
        return Curves(f"{name}", "", columns, _columns(results.sensor(str(name))))
    if catalog.joint_rows.get(str(name)):
        rows = catalog.joint_rows[str(name)]
        values = _columns(results.joint_coordinate(str(name)))
        kinds = {row.partition(AT_NODE)[0] for row in rows}
        quantity = kinds.pop() if len(kinds) == 1 else "coordinates"
        return Curves(f"{name}", quantity, rows, values)
    if name == ENERGY:
        return _energies(results)
    if isinstance(name, str) and name not in catalog.groups:
        raise ViewError(
            f"plot_history: there is no '{name}'. "
            f"{suggestion(name, _known(results), what='names')}"
        )
    return _displacements(results, name)


def _columns(values: Array) -> Array:
    return values[:, None] if values.ndim == 1 else values


def _energies(results: Results) -> Curves:
    """Energies that are not zero all the time, and their sum."""
    energy = results.energy
    found = {
        field: values
        for field, values in vars(energy).items()
        if field != "relative_balance" and np.any(values)
    }
    found["total"] = energy.total
    names = tuple(field.replace("_", " ") for field in found)
    return Curves("energy", "energy", names, np.column_stack(list(found.values())))


def _displacements(results: Results, name: str | int) -> Curves:
    """Components for one node, lengths for several."""
    moved = results.displacements(name)
    if moved.ndim == 2:
        title = f"node {name}" if isinstance(name, int) else name
        return Curves(title, "displacement", ("x", "y", "z"), moved)
    n_nodes = moved.shape[1]
    if n_nodes > MOST_CURVES:
        raise ViewError(
            f"plot_history: '{name}' has {n_nodes} nodes, expected at most "
            f"{MOST_CURVES} for one diagram; name a smaller group, single nodes by "
            "their numbers, or a sensor."
        )
    numbers = named_points(results.layout, name).numbers.tolist()
    # ends that a release has taken from their nodes have no number
    labels = tuple(
        f"node {number}" if number >= 0 else f"end {k}"
        for k, number in enumerate(numbers, start=1)
    )
    return Curves(f"{name}", "displacement", labels, np.linalg.norm(moved, axis=-1))


def _draw(results: Results, diagrams: list[Curves], target: Path) -> None:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    # a figure of its own: nothing stays behind in pyplot
    n = len(diagrams)
    figure = Figure(figsize=(WIDTH, 0.6 + HEIGHT * n), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(n, 1, sharex=True, squeeze=False)[:, 0]
    for ax, curves in zip(axes, diagrams, strict=True):
        for number, label in enumerate(curves.names):
            ax.plot(
                results.times,
                curves.values[:, number],
                label=label,
                color=PART_COLORS[number % len(PART_COLORS)],
                linestyle=LINE_STYLES[number % len(LINE_STYLES)],
                linewidth=1.8,
                marker="o" if len(results.times) < 2 else None,
            )
        ax.set_title(curves.title, loc="left", fontsize=12)
        ax.set_ylabel(curves.quantity, fontsize=11)
        ax.grid(visible=True, color="0.88")
        ax.spines[["top", "right"]].set_visible(False)
        if len(curves.names) > 1:
            ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
    axes[-1].set_xlabel(results.row_name, fontsize=11)
    figure.savefig(target, dpi=150)
