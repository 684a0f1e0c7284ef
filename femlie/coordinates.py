"""Coordinates of joints in records: their names, dimensions and columns."""

from __future__ import annotations

import numpy as np

from .elements.base import IntArray
from .errors import FemlieError, ResultsError, check_name, suggestion
from .records import Layout

AT_NODE = " at node "  # of coordinates of a release at several nodes


def coordinate_names(
    layout: Layout, joint: str, *, error: type[FemlieError] = ResultsError
) -> tuple[str, ...]:
    """What the coordinates of a joint are."""
    names = layout.catalog.joint_rows
    known = [name for name in names if names[name]]
    check_name(joint, known, what="joints with coordinates", error=error)
    if joint not in known:
        hint = suggestion(joint, known, what="joints with coordinates")
        raise error(f"There is no joint '{joint}' with a coordinate. {hint}")
    return names[joint]


def coordinate_dimension(coordinate: str) -> str:
    """Dimension of a joint's coordinate, told by its name."""
    word = coordinate.partition(AT_NODE)[0]
    if word in ("direction", "sine"):
        return "ratio"
    return "angle" if "angle" in word else "length"


def coordinate_columns(
    layout: Layout,
    joint: str,
    coordinate: str | None,
    *,
    error: type[FemlieError] = ResultsError,
) -> tuple[tuple[str, ...], IntArray]:
    """Names and (k,) columns of one coordinate of a joint, or of all; see `Records`.

    Parameters
    ----------
    coordinate : str or None
        Of a release at several nodes, that of each or of one (``"angle at node 7"``).

    Returns
    -------
    names : tuple of str
    columns : (k,) int array
        Of values in ``Records.outputs``; rates stand behind them.
    """
    names = coordinate_names(layout, joint, error=error)
    ends = layout.joints.ends[layout.joints.rows[joint]]
    n_each = len(names) // len(ends)
    columns = (ends[:, None] - 2 * np.arange(n_each, 0, -1)).reshape(-1)
    if coordinate is None:
        return names, columns
    check_name(coordinate, names, what=f"coordinates of joint '{joint}'", error=error)
    words = [name.partition(AT_NODE)[0] for name in names]
    chosen = [k for k, word in enumerate(words) if coordinate in (word, names[k])]
    if not chosen:
        hint = suggestion(coordinate, names, what=f"coordinates of joint '{joint}'")
        raise error(f"Joint '{joint}' has no coordinate '{coordinate}'. {hint}")
    return tuple(names[k] for k in chosen), columns[chosen]
