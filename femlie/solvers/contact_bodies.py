"""Bodies in contact at the start: what lies in others, what no contact can bear."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from ..contact import _layout as layout
from ..contact.model import ContactModel
from ..elements.base import BlockData, IntArray
from ..errors import ModelError
from ..system import System

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


def gaps_of_roundings(data: BlockData, model: ContactModel) -> dict[int, float]:
    """Gaps [m] at the start that only the rounding of corners and edges leaves.

    By ``slave * n + master``. What leans on sharp edges begins to touch with them.

    Parameters
    ----------
    data : BlockData
        Contacts at the start.
    model : ContactModel
    """
    segments, codes = model.segments, data.codes
    keys, slaves = pair_keys(codes, segments.n), codes[:, layout.SLAVE]
    radii = data.parameters[:, layout.RADII]
    gaps = data.iterates[:, layout.DISTANCE] - radii
    is_one = (segments.carriers[slaves] >= 0) & (codes[:, layout.SHAPE] != 0)
    is_one &= ~segments.is_complete[slaves] & (data.iterates[:, layout.ROW] >= 0.0)
    is_one &= (gaps > 0.0) & (gaps <= radii)
    return dict(zip(keys[is_one].tolist(), gaps[is_one].tolist(), strict=True))


def pair_keys(codes: IntArray, n_segments: int) -> IntArray:
    """(n_rows,) one number for the slave and master of each row."""
    return np.asarray(codes[:, [layout.SLAVE, layout.MASTER]] @ [n_segments, 1])


def n_beyond_contact(system: System) -> int:
    """Number of parts that neither elements nor contacts can join to what is held."""
    model = system.contact
    assert model is not None
    labels, is_held = parts_joined(system)
    segments = model.segments
    touching = []
    for k in range(len(model.names)):
        frames = segments.frames[(segments.first | segments.second) >> k & 1 == 1]
        own = np.unique(frames)
        touching.append(np.stack([own, np.full_like(own, own[0])], axis=1))
    with_contact = _labels(len(labels), [*_joined(system), *touching])
    is_beyond = ~np.isin(with_contact, with_contact[is_held])
    return int(np.unique(labels[is_beyond]).size)


def parts_joined(system: System) -> tuple[IntArray, Any]:
    """(n_frames,) number of the part of each frame, and whether something holds it.

    Elements join frames to parts; supports hold them, and the ground, on which rigid
    shapes may be.
    """
    is_held = np.any(system.dofs.numbers < 0, axis=1)
    is_held[system.catalog.amplitude_frames] = False
    is_held[0] = True
    return _labels(len(is_held), _joined(system)), is_held


def _joined(system: System) -> list[IntArray]:
    """Pairs of frames that elements join."""
    return [
        block.frames[:, [0, k]]
        for block in system.blocks
        for k in range(1, block.frames.shape[1])
    ]


def _labels(n_frames: int, joined: list[IntArray]) -> IntArray:
    """(n_frames,) numbers of the sets of frames that pairs join."""
    pairs = np.vstack([np.zeros((0, 2), dtype=np.int64), *joined])
    graph = coo_matrix((np.ones(len(pairs)), pairs.T), shape=(n_frames, n_frames))
    return np.asarray(connected_components(graph, directed=False)[1])


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
