"""What pictures read of results, in one place."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..along_beams import SectionColumns, section_columns
from ..elements.base import Array, IntArray
from ..errors import ViewError
from ..lie import quaternion, se3
from ..results import ContactResults, Results
from ..system import Catalog
from .coloring import Color, checked_color


class Run(NamedTuple):
    """Motion of a model as arrays."""

    catalog: Catalog
    start: Array  # (n_frames, 7) as meshed: displacements count from it
    times: Array  # (n,) time, load factor in statics, or number of a mode
    poses: Array  # (n, n_frames, 7)
    velocities: Array  # (n, n_frames, 6) body-fixed
    outputs: Array  # (n, n_outputs)
    columns: dict[str, SectionColumns]  # of section forces, by beam
    time_name: str  # what the times are
    contacts: ContactResults | None
    frequencies: Array  # (n_modes,) [Hz]; none where there are no modes


def run_of(results: Results) -> Run:
    """Arrays of results."""
    layout, records = results.layout, results.whole_records
    if not len(records.times):
        raise ViewError(
            "The results hold no state, so there is nothing to draw; expected one or "
            "more. The analysis may have stopped before its first step."
        )
    return Run(
        layout.catalog,
        np.asarray(layout.start),
        np.asarray(records.times),
        np.asarray(records.poses),
        np.asarray(records.velocities),
        np.asarray(records.outputs),
        {name: section_columns(layout, name) for name in layout.catalog.beam_ranges},
        results.row_name,
        None if layout.contacts is None else results.contact,
        results.frequencies if results.is_modal else np.zeros(0),
    )


def color_of(run: Run, color: str) -> Color:
    """The color, refused if it is not known or the run has nothing of it."""
    has_contact = run.contacts is not None
    return checked_color(color, has_beams=bool(run.columns), has_contact=has_contact)


def section_forces(run: Run, index: int) -> Array:
    """Section forces (n_beams, 3, 6) at both ends and the middle of each element.

    Signs are those of the beam, places those of the element, first end first.
    """
    forces = np.zeros((len(run.catalog.beams.frames), 3, 6))
    for name, elements in run.catalog.beam_ranges.items():
        found = run.columns[name]
        values = run.outputs[index][found.columns] * found.signs
        values[found.is_turned] = values[found.is_turned, ::-1]
        forces[elements] = values
    return forces


def drawn_poses(run: Run, index: int, scale: float) -> Array:
    """Poses (n_frames, 7) at one time, displacements from the start times a factor."""
    poses = run.poses[index]
    if scale == 1.0:
        return np.asarray(poses)
    start = run.start
    places = start[:, :3] + scale * (poses[:, :3] - start[:, :3])
    turns = se3.relative_log(start, poses)[:, 3:]
    turned = quaternion.multiply(start[:, 3:], quaternion.exp(scale * turns))
    return np.concatenate((places, quaternion.normalize(turned)), axis=1)


def velocities_at(run: Run, index: int, frames: IntArray, offsets: Array) -> Array:
    """Velocities (..., 3) in world axes of points (..., 3) given in their frames."""
    twists = run.velocities[index][frames]
    local = twists[..., :3] + np.cross(twists[..., 3:], offsets)
    return quaternion.rotate(run.poses[index][frames, 3:], local)


def body_frames(catalog: Catalog) -> dict[str, IntArray]:
    """Frames of each body and point mass that has no surface."""
    bodies = {}
    for name, kind in catalog.kinds.items():
        has_glyph = kind in ("body", "point_mass") and name not in catalog.surfaces
        if has_glyph and name in catalog.groups:
            frames = np.unique(catalog.node_frames[catalog.groups[name]])
            bodies[name] = frames[frames >= 0]
    return bodies
