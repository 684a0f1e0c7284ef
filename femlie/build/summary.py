"""Numbers of the model summary, and notices about the mesh."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from ..elements.base import Array, IntArray
from ..mesh import Mesh
from ..records import layout_of
from ..system import System
from .beams import VERTICAL
from .redundancy import joined


def model_summary(
    system: System,
    mesh: Mesh | None,
    parts: dict[str, Any],
    masses: dict[str, Any],
) -> tuple[dict[str, Any], list[str]]:
    """What `femlie check` prints, and what the user should know."""
    catalog = system.catalog
    warnings = []
    used = catalog.node_frames >= 0
    is_place = np.ones(len(system.state.poses), dtype=bool)
    is_place[0] = is_place[catalog.amplitude_frames] = False
    points = system.state.poses[is_place, :3]
    elements = {
        name: int(sum(r.elements.size for r in ranges))
        for name, ranges in catalog.parts.items()
    }
    orphans = 0
    if mesh is not None:
        is_unused = ~used[: len(mesh.points)]
        orphans = int(np.sum(is_unused))
        unused_lines = set(mesh.line_groups) - {
            part.cells for part in parts.values() if hasattr(part, "cells")
        }
        if orphans:
            label = mesh.node_label(int(np.flatnonzero(is_unused)[0]))
            warnings.append(
                f"{orphans} node{'s' if orphans > 1 else ''} of the mesh "
                f"belong{'' if orphans > 1 else 's'} to no part and take no part in "
                f"the analysis (first: {label})."
            )
        for name in sorted(unused_lines):
            rows = mesh.line_groups[name]
            nodes = np.unique(mesh.lines[rows])
            if not np.any(used[nodes]):
                warnings.append(f"Lines of group '{name}' belong to no beam.")
    n_parts, n_floating, loose = _disconnected(system)
    if n_parts > 1:
        warnings.append(
            f"The model falls into {n_parts} parts that nothing connects{loose}."
        )
    mass = float(sum(np.sum(entry[1]) for entry in masses.values()))
    summary = {
        "nodes": int(np.sum(used)),
        "frames": len(points),
        "elements": int(sum(b.n_elements for b in system.blocks if b.kind != "load")),
        "beams": int(catalog.beams.lengths.size),
        "unknowns": system.dofs.n_frame_rows,
        "constraints": system.dofs.n_multipliers,
        "length": float(np.sum(catalog.beams.lengths)),
        "mass": mass,
        "mass_by_part": {
            name: float(np.sum(entry[1])) for name, entry in masses.items()
        },
        "elements_by_part": elements,
        "kinds": dict(catalog.kinds),
        "bounding_box": [points.min(axis=0).tolist(), points.max(axis=0).tolist()],
        "orphan_nodes": orphans,
        "disconnected_parts": n_parts,
        "floating_parts": n_floating,
    }
    orientations = _orientations(system, mesh, parts)
    if orientations:
        summary["default_orientations"] = orientations
    return summary, warnings


def _orientations(system: System, mesh: Mesh | None, parts: dict[str, Any]) -> str:
    """What beams without an orientation lean on."""
    words = []
    for name, rows in system.catalog.beam_ranges.items():
        if mesh is None or parts[name].orientation is not None:
            continue
        ends = _places(system, system.catalog.beams.frames[rows])
        along = ends[:, 1] - ends[:, 0]
        across = np.hypot(along[:, 0], along[:, 1])
        n = int(np.sum(across < VERTICAL * np.linalg.norm(along, axis=1)))
        vertical = f", x axis for {n} vertical element{'s' if n > 1 else ''}"
        words.append(f"{name}: z axis{vertical if n else ''}")
    return "; ".join(words)


def _places(system: System, frames: IntArray) -> Array:
    """Where frames are at the start, inner nodes of modal bodies included."""
    return layout_of(system).start[frames, :3]


def _disconnected(system: System) -> tuple[int, int, str]:
    """Number of sets of frames that no element joins, and of those that float.

    The ground joins nothing.
    """
    n = system.dofs.numbers.shape[0]
    edges = np.vstack(
        [np.zeros((0, 2), np.int64), *[joined(block.frames) for block in system.blocks]]
    )
    is_ground = np.all(system.dofs.numbers < 0, axis=1)
    edges = np.where(is_ground[edges], 0, edges)
    graph = coo_matrix((np.ones(len(edges)), edges.T), shape=(n, n))
    _, labels = connected_components(graph, directed=False)
    # a set that reaches the ground, or is held by a support of its own, is not loose
    is_held = np.any(system.dofs.numbers < 0, axis=1)
    is_held[system.catalog.amplitude_frames] = False
    held = np.unique(labels[is_held])
    loose = np.setdiff1d(np.unique(labels[~is_ground]), held)
    if loose.size == 0:
        return 1, 0, ""
    first = int(np.flatnonzero(labels == loose[0])[0])
    place = system.state.poses[first, :3]
    where = ", ".join(f"{x:g}" for x in place)
    # the ground itself is no part of the model
    is_anchored = bool(np.any(np.isin(labels[1:], held)))
    n_sets = int(loose.size) + int(is_anchored)
    return n_sets, int(loose.size), f" (one is at ({where}))" if n_sets > 1 else ""
