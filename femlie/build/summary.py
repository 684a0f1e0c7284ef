"""Numbers of the model summary, and notices about the mesh."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from .._jit import IS_COMPILED
from ..elements.base import Array, Block, IntArray
from ..lie import quaternion
from ..mesh import Mesh
from ..parts.contact import Contact
from ..parts.shapes import Shape
from ..parts.structure import Beam
from ..records import layout_of
from ..system import System
from .beams import VERTICAL


def model_summary(
    system: System,
    mesh: Mesh | None,
    parts: dict[str, Any],
    masses: dict[str, Any],
) -> tuple[dict[str, Any], list[str]]:
    """What `femlie check` prints, and what the user should know."""
    catalog = system.catalog
    used = catalog.node_frames >= 0
    points = _moving_points(system)
    n_of_mesh = 0 if mesh is None else len(mesh.points)
    n_parts, n_floating, loose = _disconnected(system, _touching(system, parts))
    warnings = _unused(mesh, parts, used)
    if n_parts > 1:
        warnings.append(
            f"The model falls into {n_parts} parts that nothing connects{loose}."
        )
    mass_by_part = {name: float(np.sum(entry[1])) for name, entry in masses.items()}
    summary = {
        "nodes": int(np.sum(used)),
        "nodes_by_origin": _origins(system, n_of_mesh),
        "frames": len(points),
        "elements": int(sum(b.n_elements for b in system.blocks if b.kind != "load")),
        "beams": int(catalog.beams.lengths.size),
        "unknowns": system.dofs.n_frame_rows,
        "constraints": system.dofs.n_multipliers,
        "length": float(np.sum(catalog.beams.lengths)),
        "mass": float(sum(mass_by_part.values())),
        "mass_by_part": mass_by_part,
        "elements_by_part": {
            name: int(sum(r.elements.size for r in ranges))
            for name, ranges in catalog.parts.items()
        },
        "kinds": dict(catalog.kinds),
        "bounding_box": _bounding_box([points, *_surface_points(system)]),
        "orphan_nodes": int(np.sum(~used[:n_of_mesh])),
        "disconnected_parts": n_parts,
        "floating_parts": n_floating,
    }
    orientations = _orientations(system, mesh, parts)
    if orientations:
        summary["default_orientations"] = orientations
    return summary, warnings


def python_notices(users_of_functions: list[str], blocks: list[Block]) -> list[str]:
    """What keeps the loop of a solver from being compiled, in one sentence or none."""
    names = dict.fromkeys(users_of_functions)
    for block in blocks:
        if not block.is_compiled:
            names |= dict.fromkeys(block.names)
    if not names or not IS_COMPILED:
        return []
    listed = ", ".join(f"'{name}'" for name in list(names)[:3])
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    notice = (
        f"Written in Python: {listed}{more}. The loop of a run is then not compiled: a "
        "step takes milliseconds. Tables over time, motors and springs are compiled."
    )
    return [notice]


def _moving_points(system: System) -> Array:
    """Places (n, 3) of all frames that stand for something in space."""
    is_place = np.ones(len(system.state.poses), dtype=bool)
    is_place[0] = is_place[system.catalog.amplitude_frames] = False
    return np.asarray(system.state.poses[is_place, :3])


def _origins(system: System, n_of_mesh: int) -> dict[str, int]:
    """Nodes that move by where they come from; those of the mesh come first."""
    used = system.catalog.node_frames >= 0
    ends = system.catalog.beams.nodes
    released = int(np.unique(ends[ends >= n_of_mesh]).size)
    return {
        "mesh": int(np.sum(used[:n_of_mesh])),
        "bodies": int(np.sum(used[n_of_mesh:])) - released,
        "released_ends": released,
    }


def _bounding_box(places: list[Array]) -> list[list[float]]:
    """Lowest and highest coordinates of arrays (n, 3)."""
    points = np.concatenate(places)
    return [points.min(axis=0).tolist(), points.max(axis=0).tolist()]


def _surface_points(system: System) -> list[Array]:
    """Points of the surfaces of all bodies at the start."""
    poses = system.state.poses
    return [
        poses[surface.frame, :3]
        + quaternion.rotate(poses[surface.frame, 3:], surface.points)
        for surface in system.catalog.surfaces.values()
        # shapes on the ground are around the model, not of it
        if surface.frame > 0
    ]


def _unused(mesh: Mesh | None, parts: dict[str, Any], used: Any) -> list[str]:
    """Notices of shapes that nothing touches, of what of the mesh is in no part."""
    warnings = _untouched(parts)
    if mesh is None:
        return warnings
    orphans = np.flatnonzero(~used[: len(mesh.points)])
    if orphans.size:
        is_one = orphans.size == 1
        warnings.append(
            f"{orphans.size} node{'' if is_one else 's'} of the mesh "
            f"belong{'s' if is_one else ''} to no part and take no part in the "
            f"analysis (first: {mesh.node_label(int(orphans[0]))})."
        )
    cells = {part.cells for part in parts.values() if isinstance(part, Beam)}
    for name in sorted(set(mesh.line_groups) - cells):
        if not np.any(used[mesh.nodes_of_lines(name)]):
            warnings.append(f"Lines of group '{name}' belong to no beam.")
    return warnings


def _untouched(parts: dict[str, Any]) -> list[str]:
    """Notices of shapes that no contact names."""
    touched = {
        name
        for part in parts.values()
        if isinstance(part, Contact)
        for name in part.between
    }
    return [
        f"Shape '{name}' is in no contact, so that nothing touches it."
        for name, part in parts.items()
        if isinstance(part, Shape) and name not in touched
    ]


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


def _touching(system: System, parts: dict[str, Any]) -> IntArray:
    """Frames that contacts may join with others."""
    catalog = system.catalog
    names = {
        name
        for part in parts.values()
        if isinstance(part, Contact)
        for name in part.between
    }
    nodes = [np.asarray(catalog.groups.get(name, []), np.int64) for name in names]
    frames = catalog.node_frames[np.concatenate([np.zeros(0, np.int64), *nodes])]
    # inner nodes of modal bodies are no frames
    is_frame = (frames >= 0) & (frames < len(system.dofs.numbers))
    return np.asarray(frames[is_frame])


def _disconnected(system: System, touching: IntArray) -> tuple[int, int, str]:
    """Number of sets of frames that no element joins, and of those that float.

    The ground joins nothing. What may touch others is no set that is left over.
    """
    n = system.dofs.numbers.shape[0]
    pairs = [np.zeros((0, 2), dtype=np.int64)]
    for block in system.blocks:
        # an element joins all of its frames, those of a user's may be many
        for k in range(1, block.frames.shape[1]):
            pairs.append(block.frames[:, [0, k]])
    edges = np.vstack(pairs)
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
    n_loose = int(loose.size)
    loose = np.setdiff1d(loose, labels[touching])
    if loose.size == 0:
        return 1, n_loose, ""
    first = int(np.flatnonzero(labels == loose[0])[0])
    place = system.state.poses[first, :3]
    where = ", ".join(f"{x:g}" for x in place)
    # the ground itself is no part of the model
    is_anchored = bool(np.any(np.isin(labels[1:], held)))
    n_sets = int(loose.size) + int(is_anchored)
    return n_sets, n_loose, f" (one is at ({where}))" if n_sets > 1 else ""
