"""All parts together: frames, unknowns, blocks, names."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..assembly import Assembly
from ..elements.joint import (
    JointElement,
    joint_blocks,
)
from ..elements.joint_row import (
    RowAction,
)
from ..errors import ModelError
from ..lie import se3
from ..mesh import Mesh
from ..parts.connections import EndRelease, Joint, Support
from ..parts.contact import Contact
from ..parts.loads import Force, Gravity, LineLoad
from ..parts.structure import (
    Beam,
    Body,
    Bushing,
    FrameGroup,
    InitialMotion,
    PointMass,
    SpringDamper,
)
from ..records import layout_of
from ..sensors import prepared
from ..system import DofMap, Glyph, System
from . import beams as beam_tools
from . import bodies as body_tools
from . import connections, loads, supports
from .bushings import bushing_block
from .catalog import make_catalog
from .digests import digests_of
from .draft import Draft
from .first_state import first_state, size_of
from .frames import make_frames
from .groups import frame_groups
from .hard_stops import hard_stops, has_hard_stop
from .held_twice import without_empty_rows
from .joint_laws import ROW_NAMES
from .massless import refuse_massless
from .modal_blocks import modal_block, modal_mass
from .modal_bodies import claim_beams, number_frames, reduce_body, summary_of
from .multipliers import number_multipliers
from .places import make_places, release_ends
from .python_parts import add_python_parts
from .redundancy import count_redundant
from .spread import spread_loads, weight_shares
from .summary import model_summary, python_notices

if TYPE_CHECKING:
    from ..contact.model import ContactModel


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
    beams = _beams(parts, mesh)
    places = make_places(mesh, parts, beams)
    modal = claim_beams(parts, beams, places)
    places.reduced.update(name for body in modal.values() for name in body.part.beams)
    bodies = {}
    for part in _of(parts, Body):
        body = bodies[part.name] = body_tools.rigid_body(part, places, folder)
        label = f"body '{part.name}'"
        places.body_nodes[part.name] = places.add_node(body.frame[:3, 3], label)
    release_ends(places)
    make_frames(places, bodies, supports.preferred_frames(parts, places))
    is_unused = number_frames(modal, places)
    draft = Draft(places, places.framed_beams, bodies, modal, folder=folder)
    draft.numbers = np.where(is_unused, -1, 0)
    draft.numbers[0] = -1
    _reduce_bodies(draft)
    _add_beams(draft)
    _add_bodies(draft, parts)
    _add_connections(draft, parts)
    _add_loads(draft, parts)
    add_python_parts(draft, parts, sensors)
    if not draft.blocks:
        raise ModelError("The model has no beam, body or other part with equations.")
    system = _finish(draft, parts, mesh, sensors)
    layout = layout_of(system)
    for sensor in sensors.values():
        prepared(sensor, layout)
    if not all(block.is_compiled for block in system.blocks):
        # what is written in Python shows its faults now instead of in the run
        Assembly(system).residual(system.state)
    digests = digests_of(mesh, parts, sensors, bodies)
    contact = _contact_model(_of(parts, Contact), draft, mesh)
    return replace(system, digests=digests, contact=contact)


def _contact_model(
    contacts: list[Contact], draft: Draft, mesh: Mesh | None
) -> ContactModel | None:
    if not contacts:
        return None
    # not loaded where nothing touches
    from .contacts import contact_model

    return contact_model(contacts, draft, mesh)


def _reduce_bodies(draft: Draft) -> None:
    for flexible in draft.modal.values():
        reduce_body(flexible, draft.places)
        draft.masses[flexible.part.name] = modal_mass(flexible, draft.places)


def _of(parts: dict[str, Any], kind: type) -> list[Any]:
    return [part for part in parts.values() if isinstance(part, kind)]


def _beams(
    parts: dict[str, Any], mesh: Mesh | None
) -> dict[str, beam_tools.BeamElements]:
    beams = {}
    for part in _of(parts, Beam):
        if mesh is None:
            raise ModelError(f"Beam '{part.name}' needs a mesh: Model(mesh).")
        beams[part.name] = beam_tools.beam_elements(part, mesh)
    _refuse_shared_cells(beams, mesh)
    return beams


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
    for modal in draft.modal.values():
        has_inertia[modal.frames] = True
    has_inertia[[item.frame for item in lumps]] = True
    for part in _of(parts, PointMass):
        lumps += _point_masses(part, draft)
    _lock_particles(draft, parts, lumps, has_inertia)
    if lumps:
        draft.blocks.append(body_tools.body_block(lumps))
    for name in dict.fromkeys(item.name for item in lumps):
        own = [item for item in lumps if item.name == name]
        draft.masses[name] = (
            np.array([item.frame for item in own]),
            np.array([item.mass for item in own]),
            np.array([item.first_moment for item in own]),
        )


def _point_masses(part: PointMass, draft: Draft) -> list[body_tools.Lump]:
    user = f"Point mass '{part.name}'"
    if not part.mass > 0.0 or not np.isfinite(part.mass):
        raise ModelError(f"{user} has mass {part.mass:g}: expected a positive number.")
    inertia = np.zeros((3, 3))
    if part.inertia is not None:
        inertia = body_tools.inertia_matrix(part.inertia, user=user)
    places = draft.places
    nodes = places.nodes_at(part, user=user)
    lumps = []
    for node, pose in zip(nodes.tolist(), places.node_poses(nodes), strict=True):
        frame = int(places.node_frames[node])
        own = se3.inverse(places.frames[frame]) @ pose
        lumps.append(
            body_tools.lump(part.name, frame, own, part.mass, np.zeros(3), inertia)
        )
    return lumps


def _lock_particles(
    draft: Draft, parts: dict[str, Any], lumps: list[body_tools.Lump], has_inertia: Any
) -> None:
    """Lock rotations of frames that hold point masses alone, all in one place.

    ``has_inertia`` (n_frames,): frames of beams and bodies.
    """
    alone: dict[int, list[body_tools.Lump]] = {}
    for item in lumps:
        if not has_inertia[item.frame]:
            alone.setdefault(item.frame, []).append(item)
    for frame, masses in alone.items():
        if any(parts[item.name].inertia is not None for item in masses):
            continue
        n_axes = body_tools.axes_with_inertia(masses)
        if n_axes == 0:
            draft.numbers[frame, 3:] = -1
            draft.particles.add(frame)
        elif n_axes < 3:
            names = ", ".join(dict.fromkeys(f"'{item.name}'" for item in masses))
            raise ModelError(
                f"Point masses {names} are tied together in a line, about which they "
                "have no inertia to turn with: give one of them an inertia."
            )


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
    elements += [_joint(part, draft) for part in _of(parts, Joint)]
    for part in _of(parts, SpringDamper):
        element, glyph = connections.spring_element(part, places)
        elements.append(element)
        draft.glyphs.append(glyph)
    for part in _of(parts, EndRelease):
        released, glyphs = connections.release_elements(part, places)
        elements += released
        draft.glyphs += glyphs
    elements = without_empty_rows(elements, draft, parts)
    for element in elements:
        draft.joint_rows[element.name] = tuple(
            ROW_NAMES.get((row.kind, row.i), row.kind.name.lower())
            for row in element.rows
            if row.action is RowAction.OBSERVE
        )
    draft.blocks += joint_blocks(elements)
    bushings = _of(parts, Bushing)
    if bushings:
        draft.blocks.append(bushing_block(bushings, places))


def _joint(part: Joint, draft: Draft) -> JointElement:
    size = size_of(draft)
    element, glyph = connections.joint_element(part, draft.places, draft.signals, size)
    pair = [element.parent_frame, element.child_frame]
    if np.all(draft.numbers[pair] < 0):
        raise ModelError(
            f"Joint '{part.name}' is between '{part.parent}' and '{part.child}', "
            "which supports hold completely: remove the joint or a support."
        )
    draft.glyphs.append(glyph)
    if has_hard_stop(part):
        draft.stopped.append((part, element))
    return element


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
    wrenches, shares = [], []
    for part in _of(parts, Force):
        loads.refuse_idle_moment(part, places, draft.particles)
        one, glyphs = loads.force_wrenches(part, places, signals)
        wrenches.append(one)
        draft.glyphs += glyphs
    for part in _of(parts, LineLoad):
        wrenches += loads.line_wrenches(part, draft)
        draft.glyphs += loads.line_glyphs(part, draft)
    for part in _of(parts, Gravity):
        wrenches += loads.weight_wrenches(
            part, draft.masses, draft.modal, len(places.frames), signals
        )
        shares += weight_shares(part, draft)
    if draft.beams:
        draft.spread = spread_loads([*wrenches, *shares], block=0)
    if wrenches:
        draft.blocks.append(loads.load_block(wrenches))
    draft.blocks += [modal_block(body, places) for body in draft.modal.values()]


def _finish(
    draft: Draft, parts: dict[str, Any], mesh: Mesh | None, sensors: dict[str, Any]
) -> System:
    refuse_massless(draft)
    free = draft.numbers >= 0
    numbers = np.full_like(draft.numbers, -1)
    numbers[free] = np.arange(int(free.sum()))
    blocks, kinds = number_multipliers(draft.blocks)
    chosen = _of(parts, FrameGroup)
    motions = _of(parts, InitialMotion)
    groups = frame_groups(chosen, parts, draft.places, numbers, blocks)
    system = System(
        state=first_state(draft, motions, numbers, blocks),
        dofs=DofMap(numbers, int(free.sum()), kinds.size, kinds, groups),
        blocks=tuple(blocks),
        signals=draft.signals.finish(),
        size=size_of(draft),
        catalog=make_catalog(draft, parts, blocks, sensors),
        spread=draft.spread,
    )
    python = python_notices(draft.signals.users_of_functions, blocks)
    n_redundant = count_redundant(system)
    summary, warnings = model_summary(system, mesh, parts, draft.masses)
    summary["redundant_constraints"] = n_redundant
    stops = hard_stops(draft.stopped, system)
    if stops:
        summary["hard_stops"] = len(stops)
    if draft.modal:
        summary["modal_bodies"] = {
            name: summary_of(body) for name, body in draft.modal.items()
        }
    return replace(
        system,
        n_redundant=n_redundant,
        stops=stops,
        summary=summary,
        warnings=(*draft.warnings, *draft.signals.warnings, *warnings, *python),
    )
