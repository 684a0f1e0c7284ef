"""Rigid bodies that lie in each other when a run begins."""

from __future__ import annotations

import numpy as np

from ..contact import _layout as layout
from ..contact.model import ContactModel
from ..elements.base import BlockData, IntArray
from ..errors import ModelError

# overlaps below this part of the unit are rounding
OVERLAP = 1e-6


def overlaps_of_bodies(
    data: BlockData, model: ContactModel, step: str = "load step"
) -> list[str]:
    """Words on each pair of bodies that overlap, which the first step parts.

    Parameters
    ----------
    data : BlockData
        Contacts at the start.
    model : ContactModel
    step : str
        What parts them.

    Raises
    ------
    ModelError
        Where one is so deep in the other that it would leave on the wrong side.
    """
    if not model.has_bodies:
        return []
    words = []
    for (part, one, other), (depth, thickness) in _depths(data, model).items():
        text = f"Contact '{part}': '{one}' and '{other}' overlap at the start by"
        if depth > thickness:
            raise ModelError(
                f"{text} {depth:.3g} m, and '{other}' is {thickness:.3g} m deep to its "
                "middle, so that no direction leads out: move them apart."
            )
        words.append(f"{text} {depth:.3g} m; the first {step} parts them.")
    return words


def _depths(
    data: BlockData, model: ContactModel
) -> dict[tuple[str, str, str], tuple[float, float]]:
    """Largest depth of each pair, and that of the middle of what it is in."""
    segments, codes = model.segments, data.codes
    slave, master = codes[:, layout.SLAVE], codes[:, layout.MASTER]
    is_one = (segments.carriers[slave] >= 0) & (codes[:, layout.SHAPE] != 0)
    depths = data.parameters[:, layout.RADII] - data.iterates[:, layout.DISTANCE]
    found: dict[tuple[str, str, str], tuple[float, float]] = {}
    rows: IntArray = np.flatnonzero(is_one & (depths > OVERLAP * model.unit))
    for i in rows.tolist():
        names = segments.owners[slave[i]], segments.owners[master[i]]
        item = model.shapes.items[segments.shapes[master[i]]]
        part = model.names[int(codes[i, layout.TOTAL]) - segments.n]
        known = found.get((part, *names), (0.0, item.thickness))
        found[(part, *names)] = max(known, (float(depths[i]), item.thickness))
    return found
