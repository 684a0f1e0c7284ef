"""Overlap of parts at the start of a run: how deep, between what, what is refused."""

from __future__ import annotations

import numpy as np

from ..assembly import Assembly, eq_view
from ..contact import _layout as layout
from ..contact.model import ContactModel, chord_gaps, pairs_within
from ..contact.shape_pairs import gaps_to_shapes, near_shapes
from ..elements.base import Array, IntArray
from ..errors import ModelError
from ..system import System

# depth over radii from which on no direction leads out
DEEP = 0.9
# overlaps below this part of the unit are rounding
OVERLAP = 1e-6


def gaps_of(model: ContactModel, poses: Array, ends: Array, pairs: IntArray) -> Array:
    """(m,) gaps of chords, of two segments or of one and a rigid shape [m]."""
    is_shape = model.segments.shapes[pairs[:, 1]] >= 0
    gaps = np.zeros(len(pairs))
    bows = np.zeros(model.segments.n)
    gaps[~is_shape] = chord_gaps(model.segments, ends, bows, pairs[~is_shape])
    gaps[is_shape] = gaps_to_shapes(model, poses, ends, pairs[is_shape])
    return gaps


def refuse_deep_start(system: System) -> None:
    """Refuse rods whose chords lie deep in each other, before anything is compiled.

    Raises
    ------
    ModelError
    """
    model = system.contact
    assert model is not None
    segments = model.segments
    ends, bows = segments.ends(system.state.poses)
    pairs = pairs_within(segments, ends, bows, 0.0)
    if model.shapes.items:
        others, _ = near_shapes(model, system.state.poses, (ends, bows), 0.0)
        # corners of bodies have no radius to speak of, and a way out
        others = others[segments.carriers[others[:, 0]] < 0]
        pairs = np.vstack([pairs, others])
    if not len(pairs):
        return
    depths = -gaps_of(model, system.state.poses, ends, pairs)
    depths /= segments.radii[pairs].sum(axis=1)
    worst = int(np.argmax(depths))
    if depths[worst] > DEEP:
        pair = pairs[worst]
        start = overlap_words(model, model.part_of(*pair.tolist()), pair)
        raise ModelError(deep_words(start, float(depths[worst])))


def overlap_words(model: ContactModel, part: str, pair: IntArray) -> str:
    """Begin of a sentence on two segments that overlap."""
    first, second = (model.segments.owners[one] for one in pair.tolist())
    who = f"'{first}' and '{second}'" if first != second else f"parts of '{first}'"
    return f"Contact '{part}': {who} overlap at the start by"


def deep_words(start: str, depth: float) -> str:
    """Why such an overlap is refused."""
    return (
        f"{start} {100.0 * depth:.0f} % of the sum of their radii, so that no "
        "direction leads out: move them apart in the mesh, or give a smaller radius."
    )


def overlap(assembly: Assembly) -> tuple[float, int]:
    """Largest overlap over the sum of radii, and its row in the contact block."""
    b = len(assembly.system.blocks) - 1
    parameters = eq_view(assembly.equations, b, "parameters")
    if not len(parameters):
        return 0.0, -1
    distances = eq_view(assembly.equations, b, "iterates")
    codes = assembly.system.blocks[b].codes
    assert assembly.system.contact is not None
    is_feature = assembly.system.contact.segments.carriers >= 0
    depth, where = 0.0, -1
    for i in np.flatnonzero(codes[:, layout.FIRST] == np.arange(len(codes))):
        for k in range(layout.N_POINTS if codes[i, layout.FORM] == layout.LINE else 1):
            at = layout.POINT_WIDTH * k
            row = int(distances[i, at + layout.ROW])
            if row < 0:
                continue
            radii = parameters[row, layout.RADII]
            if is_feature[codes[row, layout.SLAVE]]:
                continue
            found = 1.0 - distances[i, at + layout.DISTANCE] / radii
            if found > depth:
                depth, where = float(found), row
    return depth, where
