"""All parts together: frames, unknowns, blocks, names."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ..assembly import Assembly
from ..elements import _joint_rows as joint_rows
from ..elements.base import Block, IntArray
from ..elements.joint import JointElement, RowAction, RowKind, joint_blocks
from ..elements.user import user_block
from ..errors import ModelError
from ..lie import se3
from ..mesh import Mesh
from ..parts.connections import EndRelease, Joint, Support
from ..parts.loads import Controller, Force, Gravity, LineLoad
from ..parts.structure import (
    Beam,
    Body,
    Bushing,
    FrameGroup,
    InitialMotion,
    PointMass,
    SpringDamper,
    UserElement,
)
from ..records import layout_of
from ..sensors import prepared
from ..system import (
    ANGLE_ROW,
    PLACE_ROW,
    DofMap,
    Glyph,
    State,
    System,
)
from . import beams as beam_tools
from . import bodies as body_tools
from . import connections, loads, supports
from .bushings import bushing_block
from .catalog import make_catalog
from .controllers import controller_block
from .digests import digests_of
from .draft import Draft
from .groups import frame_groups
from .held_twice import without_empty_rows
from .initial import initial_velocities
from .places import make_frames, make_places, release_ends
from .redundancy import count_redundant
from .summary import model_summary

ANGLE_KINDS = (RowKind.DIRECTION, RowKind.TURN, RowKind.ANGLE)


def build_system(
    mesh: Mesh | None,
    parts: dict[str, Any],
    *,
    sensors: dict[str, Any],
    folder: Path | None = None,
) -> System:
    """Number the unknowns of a model and turn its parts into blocks.

    Raises
    ------
    ModelError, MeshError
        In one sentence that names the part, what it was given and what exists.
    """
    bodies = {
        part.name: body_tools.rigid_body(part, mesh, folder)
        for part in _of(parts, Body)
    }
    places = make_places(mesh, parts, bodies)
    beams = {}
    for part in _of(parts, Beam):
        if mesh is None:
            raise ModelError(f"Beam '{part.name}' needs a mesh: Model(mesh).")
        beams[part.name] = beam_tools.beam_elements(part, mesh)
    _refuse_shared_cells(beams, mesh)
    release_ends(places, beams)
    make_frames(places, beams, bodies, supports.preferred_frames(parts, places))
    draft = Draft(places, beams, bodies)
    draft.numbers = np.zeros((len(places.frames), 6), dtype=np.int64)
    draft.numbers[0] = -1
    _add_beams(draft)
    _add_bodies(draft, parts)
    _add_connections(draft, parts)
    _add_loads(draft, parts)
    _add_python_parts(draft, parts, sensors)
    if not draft.blocks:
        raise ModelError("The model has no beam, body or other part with equations.")
    system = _finish(draft, parts, mesh, sensors)
    layout = layout_of(system)
    for sensor in sensors.values():
        prepared(sensor, layout)
    if not all(block.is_compiled for block in system.blocks):
        # what is written in Python shows its faults now instead of in the run
        Assembly(system).residual(system.state)
    return replace(system, digests=digests_of(mesh, parts, sensors, bodies))


def _of(parts: dict[str, Any], kind: type) -> list[Any]:
    return [part for part in parts.values() if isinstance(part, kind)]


def _refuse_shared_cells(
    beams: dict[str, beam_tools.BeamElements], mesh: Mesh | None
) -> None:
    if mesh is None or len(beams) < 2:
        return
    owner = np.full(len(mesh.lines), -1, dtype=np.int64)
    names = list(beams)
    for k, beam in enumerate(beams.values()):
        rows = mesh.lines_of(beam.part.cells)
        taken = rows[owner[rows] >= 0]
        if taken.size:
            a, b = mesh.lines[int(taken[0])]
            raise ModelError(
                f"Beams '{names[owner[taken[0]]]}' and '{names[k]}' both cover the "
                f"line between {mesh.node_label(int(a))} and "
                f"{mesh.node_label(int(b))}: give each line to one beam."
            )
        owner[rows] = k


def _add_beams(draft: Draft) -> None:
    if not draft.beams:
        return
    places = draft.places
    beams = list(draft.beams.values())
    nodes = np.vstack([beam.nodes for beam in beams])
    ends = np.concatenate([beam.ends for beam in beams])
    frames = places.node_frames[nodes]
    same = np.flatnonzero(frames[:, 0] == frames[:, 1])
    if same.size:
        a = nodes[same[0], 0]
        raise ModelError(
            f"The beam element at {places.labels[int(a)]} has both ends on one rigid "
            "body or link: take its cell out of the beam or the nodes out of the body."
        )
    draft.beam_offsets = beam_tools.relative_poses(places.frames[frames], ends)
    block = beam_tools.beam_block(beams, frames, draft.beam_offsets, draft.signals)
    draft.blocks.append(block)
    draft.masses.update(loads.mass_of_beams(draft.beams, block, draft.beam_offsets))


def _add_bodies(draft: Draft, parts: dict[str, Any]) -> None:
    places = draft.places
    lumps = []
    for name, body in draft.bodies.items():
        frame = int(places.node_frames[places.body_nodes[name]])
        pose = se3.inverse(places.frames[frame]) @ body.frame
        mass = body.mass
        if mass is not None:
            lumps.append(
                body_tools.lump(name, frame, pose, mass.mass, mass.center, mass.inertia)
            )
    has_inertia = np.zeros(len(places.frames), dtype=bool)
    for block in draft.blocks:
        has_inertia[block.frames.reshape(-1)] = True
    has_inertia[[item.frame for item in lumps]] = True
    for part in _of(parts, PointMass):
        lumps += _point_masses(part, draft, has_inertia)
    if lumps:
        draft.blocks.append(body_tools.body_block(lumps))
    for name in dict.fromkeys(item.name for item in lumps):
        own = [item for item in lumps if item.name == name]
        draft.masses[name] = (
            np.array([item.frame for item in own]),
            np.array([item.mass for item in own]),
            np.array([item.first_moment for item in own]),
        )


def _point_masses(
    part: PointMass, draft: Draft, has_inertia: Any
) -> list[body_tools.Lump]:
    user = f"Point mass '{part.name}'"
    if not part.mass > 0.0 or not np.isfinite(part.mass):
        raise ModelError(f"{user} has mass {part.mass:g}: expected a positive number.")
    inertia = np.zeros((3, 3))
    if part.inertia is not None:
        inertia = body_tools.inertia_matrix(part.inertia, user=user)
    places = draft.places
    lumps = []
    nodes = places.carried(part.at, user=user)
    poses = places.node_poses(nodes)
    for node, pose in zip(nodes.tolist(), poses, strict=True):
        frame = int(places.node_frames[node])
        own = se3.inverse(places.frames[frame]) @ pose
        lumps.append(
            body_tools.lump(part.name, frame, own, part.mass, np.zeros(3), inertia)
        )
        if not has_inertia[frame] and part.inertia is None:
            draft.numbers[frame, 3:] = -1
            draft.particles.add(frame)
    return lumps


def _add_connections(draft: Draft, parts: dict[str, Any]) -> None:
    places, signals = draft.places, draft.signals
    elements: list[JointElement] = []
    for part in _of(parts, Support):
        locked, left = supports.support_locks(part, places, draft.numbers)
        draft.locked[part.name] = np.array(locked, dtype=np.int64).reshape(-1, 2)
        elements += [
            supports.support_element(part, node, places, signals) for node in left
        ]
        _add_support_glyphs(part, draft)
    for part in _of(parts, Joint):
        element, glyph = connections.joint_element(part, places, signals)
        pair = [element.parent_frame, element.child_frame]
        if np.all(draft.numbers[pair] < 0):
            raise ModelError(
                f"Joint '{part.name}' is between '{part.parent}' and '{part.child}', "
                "which supports hold completely: remove the joint or a support."
            )
        elements.append(element)
        draft.glyphs.append(glyph)
    for part in _of(parts, SpringDamper):
        element, glyph = connections.spring_element(part, places)
        elements.append(element)
        draft.glyphs.append(glyph)
    for part in _of(parts, EndRelease):
        elements += connections.release_elements(part, places)
    elements = without_empty_rows(elements, draft, parts)
    for element in elements:
        draft.joint_rows[element.name] = tuple(
            connections.ROW_NAMES.get((row.kind, row.i), row.kind.name.lower())
            for row in element.rows
            if row.action is RowAction.OBSERVE
        )
    _refuse_massless(draft, elements)
    draft.blocks += joint_blocks(elements)
    bushings = _of(parts, Bushing)
    if bushings:
        draft.blocks.append(bushing_block(bushings, places))


def _refuse_massless(draft: Draft, elements: list[JointElement]) -> None:
    carrying = [block.frames for block in draft.blocks]
    for element in elements:
        if any(row.action is RowAction.HOLD for row in element.rows):
            carrying.append(np.array([element.parent_frame, element.child_frame]))
    body_tools.refuse_massless(draft.bodies, draft.places, carrying, draft.numbers)


def _add_support_glyphs(part: Support, draft: Draft) -> None:
    places = draft.places
    nodes = places.nodes(part.at, user=f"Support '{part.name}'")
    rows = []
    for node in nodes.tolist():
        number = int(places.node_frames[node])
        frame = supports.support_frame(part, places.positions[node])
        offset = beam_tools.relative_poses(places.frames[number], frame)
        rows.append([number, *offset])
        draft.glyphs.append(
            Glyph(
                part.name,
                "support",
                part.kind.value,
                number,
                0,
                offset,
                se3.pose_from_frame(frame),
                np.zeros(3),
            )
        )
    draft.support_points[part.name] = np.array(rows, dtype=float).reshape(-1, 8)


def _add_loads(draft: Draft, parts: dict[str, Any]) -> None:
    places, signals = draft.places, draft.signals
    wrenches = []
    for part in _of(parts, Force):
        loads.refuse_idle_moment(part, places, draft.particles)
        one, glyphs = loads.force_wrenches(part, places, signals)
        wrenches.append(one)
        draft.glyphs += glyphs
    for part in _of(parts, LineLoad):
        wrenches += loads.line_wrenches(part, places, draft.beams, signals)
        draft.glyphs += loads.line_glyphs(part, places, draft.beams)
    for part in _of(parts, Gravity):
        wrenches.append(
            loads.weight_wrenches(part, draft.masses, len(places.frames), signals)
        )
    if wrenches:
        draft.blocks.append(loads.load_block(wrenches))


def _add_python_parts(
    draft: Draft, parts: dict[str, Any], sensors: dict[str, Any]
) -> None:
    places = draft.places
    if not len(places.positions):
        return
    length = max(float(np.linalg.norm(np.ptp(places.positions, axis=0))), 1e-300)
    for part in _of(parts, UserElement):
        user = f"User element '{part.name}'"
        nodes = [places.carried(name, user=user) for name in part.at]
        if len({group.size for group in nodes}) != 1:
            sizes = ", ".join(
                f"'{name}' has {group.size}"
                for name, group in zip(part.at, nodes, strict=True)
            )
            raise ModelError(f"{user} needs groups of equal size: {sizes}.")
        frames = np.stack([places.node_frames[group] for group in nodes], axis=1)
        draft.blocks.append(user_block(part.name, part.element, frames, length=length))
    for part in _of(parts, Controller):
        draft.blocks.append(controller_block(part, parts, places, sensors))


def _finish(
    draft: Draft, parts: dict[str, Any], mesh: Mesh | None, sensors: dict[str, Any]
) -> System:
    places = draft.places
    free = draft.numbers >= 0
    numbers = np.full_like(draft.numbers, -1)
    numbers[free] = np.arange(int(free.sum()))
    blocks, kinds = _number_multipliers(draft.blocks)
    chosen = _of(parts, FrameGroup)
    groups = frame_groups(chosen, parts, places, numbers, blocks)
    dofs = DofMap(numbers, int(free.sum()), kinds.size, kinds, groups)
    n_frames = len(places.frames)
    used = places.node_frames >= 0
    box = np.vstack([places.positions[used], places.frames[1:, :3, 3]])
    size = float(np.linalg.norm(np.ptp(box, axis=0))) if box.size else 0.0
    velocities = initial_velocities(_of(parts, InitialMotion), places)
    velocities[numbers < 0] = 0.0
    state = State(
        time=0.0,
        poses=se3.pose_from_frame(places.frames),
        velocities=velocities,
        accelerations=np.zeros((n_frames, 6)),
        multipliers=np.zeros(kinds.size),
        increments=np.zeros((n_frames, 6)),
        history=tuple(
            np.zeros((b.n_elements, b.n_history))
            if b.initial_history is None
            else b.initial_history.copy()
            for b in blocks
        ),
    )
    system = System(
        state=state,
        dofs=dofs,
        blocks=tuple(blocks),
        signals=draft.signals.finish(),
        size=size if size > 0.0 else _size_of_bodies(draft),
        catalog=make_catalog(draft, parts, blocks, mesh, sensors),
    )
    n_redundant = count_redundant(system)
    summary, warnings = model_summary(system, mesh, parts, draft.masses)
    summary["redundant_constraints"] = n_redundant
    return replace(
        system,
        n_redundant=n_redundant,
        summary=summary,
        warnings=(*draft.warnings, *warnings),
    )


def _size_of_bodies(draft: Draft) -> float:
    """Length scale of a model whose frames all start at one place."""
    masses = [b.mass for b in draft.bodies.values() if b.mass is not None]
    arms = [float(np.linalg.norm(mass.center)) for mass in masses]
    radii = [float(np.sqrt(np.trace(mass.inertia) / mass.mass)) for mass in masses]
    return max([*arms, *radii], default=1.0) or 1.0


def _number_multipliers(blocks: Iterable[Block]) -> tuple[list[Block], IntArray]:
    """Blocks whose joints know their multipliers, and the kind of each multiplier."""
    numbered = []
    kinds: list[int] = []
    for block in blocks:
        if block.n_multipliers == 0:
            numbered.append(block)
            continue
        codes = block.codes.copy()
        codes[:, joint_rows.FIRST_MULTIPLIER] += len(kinds)
        if block.kind == "joint":
            kinds += _kinds_of_held_rows(codes)
        else:
            kinds += [PLACE_ROW] * (block.n_elements * block.n_multipliers)
        numbered.append(replace(block, codes=codes))
    return numbered, np.array(kinds, dtype=np.int64)


def _kinds_of_held_rows(codes: IntArray) -> list[int]:
    rows = codes[:, joint_rows.ROW_CODES :].reshape(-1, joint_rows.N_ROW_CODES)
    held = rows[rows[:, joint_rows.ACTION] == RowAction.HOLD]
    is_angle = np.isin(held[:, joint_rows.KIND], ANGLE_KINDS)
    return [int(kind) for kind in np.where(is_angle, ANGLE_ROW, PLACE_ROW)]
