"""Where the ends and middles of beams are, for tables of section forces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..elements.base import Array, IntArray
from ..lie import se3
from ..mesh.chains import only_chain, turned_lines
from ..records import SECTION_PLACES, Layout
from ..system import BeamShapes

AXES = ("x", "y", "z")
SAME_PLACE = 1e-9  # of the model's size, between a released end and its node


def columns_of_places(places: Array) -> dict[str, Array]:
    """Columns of places (k, 3) in the model as built, world axes."""
    return {f"start_{letter}": places[:, axis] for axis, letter in enumerate(AXES)}


def places_along_beams(layout: Layout, names: Sequence[str]) -> dict[str, Any]:
    """Node, place and arc length of each end and middle of the elements of beams.

    Middles have an empty text for their node. There is no arc length (NaN, or no column
    at all) along a beam that branches or has several pieces.
    """
    catalog, beams = layout.catalog, layout.catalog.beams
    found = [catalog.beam_ranges[part] for part in names]
    rows = np.concatenate([np.zeros(0, np.int64), *found])
    ends = se3.compose_poses(layout.start[beams.frames[rows]], beams.offsets[rows])
    half = se3.exp(0.5 * se3.relative_log(ends[:, 0], ends[:, 1]))
    middle = se3.compose_poses(ends[:, 0], se3.pose_from_frame(half))
    places = np.stack((ends[:, 0], middle, ends[:, 1]), axis=1)[..., :3]
    nodes = np.full((len(rows), len(SECTION_PLACES)), "", dtype=object)
    nodes[:, [0, -1]] = _numbers(layout)[beams.nodes[rows]]
    nodes[nodes == -1] = ""
    turned = [turned_lines(beams.nodes[one]) for one in found]
    is_turned = np.concatenate([np.zeros(0, bool), *turned])
    places[is_turned] = places[is_turned, ::-1]
    nodes[is_turned] = nodes[is_turned, ::-1]
    columns = {"node": nodes.ravel(), **columns_of_places(places.reshape(-1, 3))}
    lengths = [np.zeros((0, len(SECTION_PLACES))), *(_arcs(beams, r) for r in found)]
    arcs = np.concatenate(lengths).ravel()
    return columns if np.isnan(arcs).all() else columns | {"arc_length": arcs}


def _numbers(layout: Layout) -> IntArray:
    """Numbers (n_nodes,) of nodes; released ends have that of the node in their place.

    -1 where there is none.
    """
    catalog = layout.catalog
    numbers, frames = catalog.node_numbers.copy(), catalog.node_frames
    ends = np.unique(catalog.beams.nodes)
    released = ends[numbers[ends] < 0]
    known = np.flatnonzero((numbers >= 0) & (frames >= 0))
    if not released.size or not known.size:
        return numbers
    places = se3.compose_poses(layout.start[frames], catalog.node_offsets)[:, :3]
    near = SAME_PLACE * max(float(np.ptp(places[known], axis=0).max()), 1e-300)
    for node in released.tolist():
        ways = np.linalg.norm(places[known] - places[node], axis=1)
        if ways.min() <= near:
            numbers[node] = numbers[known[int(np.argmin(ways))]]
    return numbers


def _arcs(beams: BeamShapes, rows: IntArray) -> Array:
    """Length (k, 3) from the start of a beam, NaN where it is not one line."""
    arcs = np.full((len(rows), len(SECTION_PLACES)), np.nan)
    chain = only_chain(beams.nodes[rows])
    if chain is not None:
        lengths = beams.lengths[rows][chain.lines]
        last = np.cumsum(lengths)
        along = np.stack((last - lengths, last - 0.5 * lengths, last), axis=1)
        arcs[chain.lines] = along
    return arcs
