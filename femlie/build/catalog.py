"""Names of a model: which nodes, frames and elements belong to what."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..elements.base import Block, IntArray
from ..lie import se3
from ..mesh import Mesh
from ..parts.connections import EndRelease, Joint, Support
from ..parts.contact import Contact
from ..parts.loads import Controller, Force, Gravity, LineLoad
from ..parts.structure import (
    Beam,
    Body,
    Bushing,
    FrameGroup,
    InitialMotion,
    PointMass,
    RigidLink,
    SpringDamper,
    UserElement,
)
from ..system import BeamShapes, Catalog, ElementRange, Surface
from .beams import outline_numbers, relative_poses
from .draft import Draft

KIND_NAMES = {
    Beam: "beam",
    Body: "body",
    PointMass: "point_mass",
    RigidLink: "rigid_link",
    SpringDamper: "spring",
    Bushing: "bushing",
    UserElement: "user_element",
    Joint: "joint",
    Support: "support",
    EndRelease: "release",
    Force: "force",
    LineLoad: "line_load",
    Gravity: "gravity",
    Controller: "controller",
    InitialMotion: "initial_motion",
    FrameGroup: "frame_group",
    Contact: "contact",
}


def make_catalog(
    draft: Draft,
    parts: dict[str, Any],
    blocks: list[Block],
    mesh: Mesh | None,
    sensors: dict[str, Any],
) -> Catalog:
    """Everything that results and pictures look up by name."""
    places = draft.places
    n = len(places.positions)
    node_frames = places.node_frames
    poses = places.node_poses(np.arange(n))
    offsets = relative_poses(places.frames[np.maximum(node_frames, 0)], poses)
    groups: dict[str, IntArray] = {}
    if mesh is not None:
        named = (*mesh.node_groups, *mesh.line_groups)
        groups = {name: np.asarray(mesh.nodes(name)) for name in named}
    for name, part in parts.items():
        if isinstance(part, (Beam, Body, PointMass)):
            groups[name] = places.nodes(name, user=name)
    ranges: dict[str, list[ElementRange]] = {name: [] for name in parts}
    for b, block in enumerate(blocks):
        names = np.array(block.names, dtype=object)
        for name in dict.fromkeys(block.names):
            ranges[name].append(ElementRange(b, np.flatnonzero(names == name)))
    beams = list(draft.beams.values())
    outlines, loops = outline_numbers(beams)
    beam_ranges = {}
    start = 0
    for name, beam in draft.beams.items():
        beam_ranges[name] = np.arange(start, start + beam.nodes.shape[0])
        start += beam.nodes.shape[0]
    nodes = np.vstack([np.zeros((0, 2), np.int64), *[b.nodes for b in beams]])
    numbers = np.full(n, -1, dtype=np.int64)
    if mesh is not None:
        numbers[: len(mesh.points)] = mesh.node_numbers
    return Catalog(
        node_frames=node_frames,
        node_offsets=offsets,
        node_numbers=numbers,
        groups=groups,
        parts={name: tuple(found) for name, found in ranges.items() if found},
        kinds={
            name: KIND_NAMES.get(type(part), "part") for name, part in parts.items()
        },
        beams=BeamShapes(
            frames=node_frames[nodes].reshape(-1, 2),
            offsets=draft.beam_offsets,
            lengths=np.concatenate([np.zeros(0), *[b.lengths for b in beams]]),
            outlines=outlines,
            loops=loops,
            nodes=nodes,
        ),
        beam_ranges=beam_ranges,
        surfaces=_surfaces(draft),
        glyphs=tuple(draft.glyphs),
        joint_rows=draft.joint_rows,
        locked=draft.locked,
        support_points=draft.support_points,
        sensors=sensors,
    )


def _surfaces(draft: Draft) -> dict[str, Surface]:
    places = draft.places
    surfaces = {}
    for name, body in draft.bodies.items():
        if body.surface is not None:
            frame = int(places.node_frames[places.body_nodes[name]])
            moved = body.surface.moved(se3.inverse(places.frames[frame]) @ body.frame)
            surfaces[name] = Surface(frame, moved.points, moved.triangles)
    return surfaces
