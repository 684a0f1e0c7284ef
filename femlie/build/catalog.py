"""Names of a model: which nodes, frames and elements belong to what."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..coordinates import AT_NODE
from ..elements._modal_layout import N_OUTPUTS
from ..elements.base import Array, Block, IntArray
from ..lie import se3
from ..parts.connections import EndRelease, Joint, Support
from ..parts.contact import Contact
from ..parts.loads import Controller, Force, Gravity, LineLoad
from ..parts.shapes import Shape
from ..parts.structure import (
    Beam,
    Body,
    Bushing,
    FrameGroup,
    InitialMotion,
    ModalBody,
    PointMass,
    RigidLink,
    SpringDamper,
    UserElement,
)
from ..system import BeamShapes, Catalog, ElementRange, ModalShape, Surface
from .beams import BeamElements, outline_numbers, relative_poses
from .draft import Draft
from .modal_blocks import modal_shape
from .modal_bodies import all_frames
from .places import Places

KIND_NAMES = {
    Beam: "beam",
    Body: "body",
    ModalBody: "modal_body",
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
    Shape: "shape",
    Contact: "contact",
}


def make_catalog(
    draft: Draft,
    parts: dict[str, Any],
    blocks: list[Block],
    sensors: dict[str, Any],
) -> Catalog:
    """Everything that results and pictures look up by name."""
    places = draft.places
    mesh = places.mesh
    n = len(places.positions)
    poses = draft.own_poses(np.arange(n))
    node_frames, frames = all_frames(draft.modal, places)
    numbers = np.full(n, -1, dtype=np.int64)
    if mesh is not None:
        numbers[: len(mesh.points)] = mesh.node_numbers
    ranges = _ranges(parts, blocks)
    return Catalog(
        node_frames=node_frames,
        node_offsets=relative_poses(frames[np.maximum(node_frames, 0)], poses),
        node_numbers=numbers,
        groups=_groups(places, parts),
        parts=ranges,
        kinds={
            name: KIND_NAMES.get(type(part), "part") for name, part in parts.items()
        },
        beams=_beam_shapes(draft, node_frames, frames),
        beam_ranges=_beam_ranges(draft),
        surfaces={**_surfaces(draft), **_shape_surfaces(draft, parts)},
        glyphs=tuple(draft.glyphs),
        joint_rows=_coordinates(draft, ranges, blocks, numbers),
        locked=draft.locked,
        support_points=draft.support_points,
        sensors=sensors,
        modal_bodies=_modal_bodies(draft, blocks),
    )


def _groups(places: Places, parts: dict[str, Any]) -> dict[str, IntArray]:
    """Nodes of groups of the mesh, and of the parts that have nodes."""
    groups: dict[str, IntArray] = {}
    if places.mesh is not None:
        named = (*places.mesh.node_groups, *places.mesh.line_groups)
        groups = {name: np.asarray(places.mesh.nodes(name)) for name in named}
    for name, part in parts.items():
        if isinstance(part, (Beam, ModalBody, Body, PointMass)):
            user = f"{KIND_NAMES[type(part)].replace('_', ' ').capitalize()} '{name}'"
            groups[name] = places.nodes(name, user=user)
    return groups


def _ranges(
    parts: dict[str, Any], blocks: list[Block]
) -> dict[str, tuple[ElementRange, ...]]:
    """Elements of each part that has some."""
    ranges: dict[str, list[ElementRange]] = {name: [] for name in parts}
    for b, block in enumerate(blocks):
        names = np.array(block.names, dtype=object)
        for name in dict.fromkeys(block.names):
            ranges[name].append(ElementRange(b, np.flatnonzero(names == name)))
    return {name: tuple(found) for name, found in ranges.items() if found}


def _all_beams(draft: Draft) -> list[BeamElements]:
    """Beams with frames, then those of modal bodies."""
    inside = [beam for body in draft.modal.values() for beam in body.beams]
    return [*draft.beams.values(), *inside]


def _beam_shapes(draft: Draft, node_frames: IntArray, frames: Array) -> BeamShapes:
    beams = _all_beams(draft)
    inside = beams[len(draft.beams) :]
    outlines, loops = outline_numbers(beams)
    nodes = np.vstack([np.zeros((0, 2), np.int64), *[b.nodes for b in beams]])
    ends = np.concatenate([np.zeros((0, 2, 4, 4)), *[b.ends for b in inside]])
    own = relative_poses(frames[node_frames[nodes[len(nodes) - len(ends) :]]], ends)
    return BeamShapes(
        frames=node_frames[nodes].reshape(-1, 2),
        offsets=np.concatenate([draft.beam_offsets, own]),
        lengths=np.concatenate([np.zeros(0), *[b.lengths for b in beams]]),
        outlines=outlines,
        loops=loops,
        nodes=nodes,
    )


def _beam_ranges(draft: Draft) -> dict[str, IntArray]:
    ranges = {}
    start = 0
    for beam in _all_beams(draft):
        ranges[beam.part.name] = np.arange(start, start + beam.nodes.shape[0])
        start += beam.nodes.shape[0]
    return ranges


def _coordinates(
    draft: Draft,
    ranges: dict[str, tuple[ElementRange, ...]],
    blocks: list[Block],
    numbers: IntArray,
) -> dict[str, tuple[str, ...]]:
    """Names of the coordinates of joints and releases, element by element.

    A release at several nodes has one joint at each of them, told apart by its node.
    """
    node_of = {
        int(draft.places.node_frames[clone]): int(numbers[node])
        for (node, _), clone in draft.places.clones.items()
    }
    found: dict[str, tuple[str, ...]] = {}
    for name, rows in draft.joint_rows.items():
        children = [
            int(child)
            for part in ranges.get(name, ())
            for child in blocks[part.block].frames[part.elements, -1]
        ]
        found[name] = rows
        if len(children) > 1 and rows:
            found[name] = tuple(
                f"{row}{AT_NODE}{node_of[child]}" for child in children for row in rows
            )
    return found


def _modal_bodies(draft: Draft, blocks: list[Block]) -> dict[str, ModalShape]:
    first = len(draft.places.frames)
    bodies = {}
    starts = np.cumsum([0, *(block.n_all_outputs for block in blocks)])
    signals = {
        block.names[0]: int(start) + N_OUTPUTS
        for block, start in zip(blocks, starts, strict=False)
        if block.kind == "modal_body"
    }
    for name, body in draft.modal.items():
        bodies[name] = modal_shape(
            body, draft.places, first_frame=first, first_signal=signals[name]
        )
        first += body.inner.size
    return bodies


def _shape_surfaces(draft: Draft, parts: dict[str, Any]) -> dict[str, Surface]:
    if not any(isinstance(part, Shape) for part in parts.values()):
        return {}
    # not loaded where nothing touches
    from .shape_surfaces import surfaces_of_shapes

    return surfaces_of_shapes(draft, parts)


def _surfaces(draft: Draft) -> dict[str, Surface]:
    places = draft.places
    surfaces = {}
    for name, body in draft.bodies.items():
        if body.surface is not None:
            frame = int(places.node_frames[places.body_nodes[name]])
            moved = body.surface.moved(se3.inverse(places.frames[frame]) @ body.frame)
            surfaces[name] = Surface(frame, moved.points, moved.triangles)
    return surfaces
