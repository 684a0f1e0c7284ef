"""Coordinates of joints in records: their names, dimensions and columns."""

from __future__ import annotations

import numpy as np

from .elements.base import IntArray
from .errors import FemlieError, ResultsError, suggestion
from .records import Layout


def coordinate_names(
    layout: Layout, joint: str, *, error: type[FemlieError] = ResultsError
) -> tuple[str, ...]:
    """What the coordinates of a joint are."""
    names = layout.catalog.joint_rows
    known = [name for name in names if names[name]]
    if joint not in known:
        hint = suggestion(joint, known, what="joints with coordinates")
        raise error(f"There is no joint '{joint}' with a coordinate. {hint}")
    return names[joint]


def coordinate_dimension(coordinate: str) -> str:
    """Dimension of a joint's coordinate, told by its name."""
    if coordinate.partition(" ")[0] in ("direction", "sine"):
        return "ratio"
    return "angle" if "angle" in coordinate else "length"


def coordinate_columns(
    layout: Layout,
    joint: str,
    coordinate: str | None,
    *,
    error: type[FemlieError] = ResultsError,
) -> tuple[tuple[str, ...], IntArray]:
    """Names and columns of one coordinate of a joint, or of all; rates stand behind.

    Parameters
    ----------
    layout : Layout
    joint : str
    coordinate : str or None
        Of an end release at several nodes: that of all of them.
    error : type
        What to raise.

    Returns
    -------
    names : tuple of str
        With numbers from one where an end release acts at several nodes.
    columns : (k,) int array
        In ``Records.outputs``.
    """
    names = coordinate_names(layout, joint, error=error)
    chosen = names if coordinate is None else (coordinate,)
    if coordinate is not None and coordinate not in names:
        hint = suggestion(coordinate, names, what=f"coordinates of joint '{joint}'")
        raise error(f"Joint '{joint}' has no coordinate '{coordinate}'. {hint}")
    ends = layout.joints.ends[layout.joints.rows[joint]]
    places = np.array([len(names) - names.index(name) for name in chosen])
    columns = (ends[:, None] - 2 * places).reshape(-1)
    if len(ends) > 1:
        chosen = tuple(f"{name} {k + 1}" for k in range(len(ends)) for name in chosen)
    return chosen, columns
