"""Rigid bodies that lie in each other when a run begins."""

from __future__ import annotations

import numpy as np

from ..assembly import Assembly, eq_view
from ..contact import _layout as layout
from ..contact.model import ContactModel
from ..elements.base import Array
from ..errors import ModelError

# overlaps below this part of the unit are rounding
OVERLAP = 1e-6


def overlaps_of_bodies(assembly: Assembly, model: ContactModel) -> list[str]:
    """Words on each pair of bodies that overlap, which the first load step parts.

    Raises
    ------
    ModelError
        Where one is so deep in the other that it would leave on the wrong side.
    """
    if not model.has_bodies:
        return []
    words = []
    for (part, one, other), (depth, thickness) in _depths(assembly, model).items():
        text = f"Contact '{part}': '{one}' and '{other}' overlap at the start by"
        if depth > thickness:
            raise ModelError(
                f"{text} {depth:.3g} m, and '{other}' is {thickness:.3g} m deep to its "
                "middle, so that no direction leads out: move them apart."
            )
        words.append(f"{text} {depth:.3g} m; the first load step parts them.")
    return words


def _depths(
    assembly: Assembly, model: ContactModel
) -> dict[tuple[str, str, str], tuple[float, float]]:
    """Largest depth of each pair, and that of the middle of what it is in."""
    segments = model.segments
    b = len(assembly.system.blocks) - 1
    block = assembly.system.blocks[b]
    codes = block.codes
    parameters = eq_view(assembly.equations, b, "parameters")
    iterates: Array = eq_view(assembly.equations, b, "iterates")
    slave, master = codes[:, layout.SLAVE], codes[:, layout.MASTER]
    is_one = (segments.carriers[slave] >= 0) & (codes[:, layout.SHAPE] != 0)
    depths = parameters[:, layout.RADII] - iterates[:, layout.DISTANCE]
    found: dict[tuple[str, str, str], tuple[float, float]] = {}
    for i in np.flatnonzero(is_one & (depths > OVERLAP * model.unit)).tolist():
        names = segments.owners[slave[i]], segments.owners[master[i]]
        item = model.shapes.items[segments.shapes[master[i]]]
        key = (block.names[i], *names)
        known = found.get(key, (0.0, item.thickness))
        found[key] = max(known, (float(depths[i]), item.thickness))
    return found
