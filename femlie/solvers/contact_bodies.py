"""Rigid bodies that lie in each other when a run begins."""

from __future__ import annotations

from typing import NamedTuple

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
    for (part, one, other), found in _depths(data, model).items():
        depth, thickness = found.depth, found.thickness
        who = f"Contact '{part}': '{one}' and '{other}'"
        if found.is_held:
            # corners that are next to another face tell less than the whole depth
            raise ModelError(
                f"{who} overlap at the start, and supports hold both at rest, so that "
                "nothing parts them: move one of them, or leave the contact out."
            )
        text = f"{who} overlap at the start by"
        if depth > thickness:
            raise ModelError(
                f"{text} {depth:.3g} m, and '{other}' is {thickness:.3g} m deep to its "
                "middle, so that no direction leads out: move them apart."
            )
        words.append(f"{text} {depth:.3g} m; the first {step} parts them.")
    return words


class Overlap(NamedTuple):
    """How deep one body is in another, how thick that is, whether both are held."""

    depth: float
    thickness: float
    is_held: bool


def _depths(
    data: BlockData, model: ContactModel
) -> dict[tuple[str, str, str], Overlap]:
    """Largest depth of each pair, by names of the contact part and of both."""
    segments, codes = model.segments, data.codes
    slave, master = codes[:, layout.SLAVE], codes[:, layout.MASTER]
    is_one = (segments.carriers[slave] >= 0) & (codes[:, layout.SHAPE] != 0)
    # an edge touches between its ends only: the axis of a cylinder not with these
    place = data.iterates[:, layout.XI]
    is_edge = codes[:, layout.FORM] == layout.EDGE
    is_one &= ~is_edge | ((place > 0.0) & (place < 1.0))
    depths = data.parameters[:, layout.RADII] - data.iterates[:, layout.DISTANCE]
    found: dict[tuple[str, str, str], Overlap] = {}
    rows: IntArray = np.flatnonzero(is_one & (depths > OVERLAP * model.unit))
    for i in rows.tolist():
        names = segments.owners[slave[i]], segments.owners[master[i]]
        item = model.shapes.items[segments.shapes[master[i]]]
        part = model.names[int(codes[i, layout.TOTAL]) - segments.n]
        is_held = bool(model.locked[data.frames[i, [0, 2]]].all())
        one = Overlap(float(depths[i]), item.thickness, is_held)
        known = found.get((part, *names), one)
        found[(part, *names)] = max(known, one)
    return found
