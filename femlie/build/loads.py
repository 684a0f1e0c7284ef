"""Forces, line loads and gravity become wrenches on frames."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..elements import _beam_geometry as beam_layout
from ..elements import _body_kernel as kernels
from ..elements import _modal_layout as layout
from ..elements.base import Array, Block, IntArray, no_carry
from ..errors import ModelError, suggestion
from ..lie import quaternion
from ..parts.loads import Force, Gravity, LineLoad
from ..system import CONSTANT_SIGNAL, Glyph
from .beams import BeamElements, inward
from .draft import Draft
from .modal_blocks import add_line_load, add_weight
from .modal_bodies import ModalDraft, all_frames
from .places import Places
from .signals import SignalTable

# arrows of a line load on one beam in a picture
MOST_ARROWS = 40
# sine of an angle that rounding explains
ROUNDING = 1e-12


@dataclass
class Wrenches:
    """Loads of one part: rows of arrays."""

    name: str
    frames: IntArray  # (n,)
    forces: Array  # (n, 3) world, or the frame's axes if followers
    moments: Array
    points: Array  # (n, 3) frame axes
    signal: int
    kind: int
    ends: IntArray | None = None  # (n,) ends of elements, see `SpreadLoads`


def local(places: Places, frames: IntArray, vectors: Array) -> Array:
    """Vectors (n, 3) of the world in the axes of their frames at the start."""
    turned: Array = np.einsum("nji,nj->ni", places.frames[frames][:, :3, :3], vectors)
    return turned


def refuse_idle_moment(part: Force, places: Places, particles: set[int]) -> None:
    """Refuse a moment where a point mass alone cannot turn.

    Raises
    ------
    ModelError
    """
    given = [name for name in ("moment", "point") if np.any(getattr(part, name))]
    if not given or not particles:
        return
    user = f"Force '{part.name}'"
    for node in places.carried(part.at, user=user).tolist():
        if int(places.node_frames[node]) in particles:
            raise ModelError(
                f"{user} has a {given[0]} at {places.labels[node]}, where a point mass "
                "without inertia cannot turn, so that it would do nothing: leave it "
                "out, or give the point mass an inertia."
            )


def force_wrenches(
    part: Force, places: Places, signals: SignalTable
) -> tuple[Wrenches, list[Glyph]]:
    """A force part on each of its nodes."""
    user = f"Force '{part.name}'"
    if not np.any(part.force) and not np.any(part.moment):
        raise ModelError(f"{user} has neither force nor moment: give one of them.")
    if np.any(part.point) and not np.any(part.force):
        raise ModelError(f"{user} has a point but no force, so it would do nothing.")
    nodes = places.carried(part.at, user=user)
    n = nodes.size
    share = 1.0 / n if part.total else 1.0
    frames = places.node_frames[nodes]
    forces = np.tile(np.asarray(part.force, float) * share, (n, 1))
    moments = np.tile(np.asarray(part.moment, float) * share, (n, 1))
    arms = places.positions[nodes] + np.asarray(part.point, float)
    points = local(places, frames, arms - places.frames[frames][:, :3, 3])
    kind = kernels.DEAD
    if part.follower:
        kind = kernels.FOLLOWER
        forces = local(places, frames, forces)
        moments = local(places, frames, moments)
    signal = signals.number(part.over_time, part=part.name)
    wrenches = Wrenches(part.name, frames, forces, moments, points, signal, kind)
    return wrenches, _force_glyphs(part, wrenches)


def _force_glyphs(part: Force, wrenches: Wrenches) -> list[Glyph]:
    """Arrows at the nodes, of forces and of moments."""
    glyphs = []
    kinds = (("force", wrenches.forces), ("moment", wrenches.moments))
    for what, vectors in kinds:
        for k in np.flatnonzero(np.any(vectors != 0.0, axis=1)):
            glyphs.append(
                Glyph(
                    part.name,
                    what,
                    "follower" if part.follower else "dead",
                    int(wrenches.frames[k]),
                    0,
                    np.array([*wrenches.points[k], 1.0, 0.0, 0.0, 0.0]),
                    np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]),
                    vectors[k],
                    part.follower,
                )
            )
    return glyphs


def beams_on(name: str, draft: Draft, *, user: str) -> dict[str, BeamElements]:
    """Beams that a name stands for: a beam part, or all beams on a group of lines."""
    beams = dict(draft.beams)
    for body in draft.modal.values():
        beams |= {beam.part.name: beam for beam in body.beams}
    if name in beams:
        return {name: beams[name]}
    found = {key: beam for key, beam in beams.items() if beam.part.cells == name}
    if not found:
        raise ModelError(
            f"{user} refers to '{name}', which is no beam. "
            f"{suggestion(name, beams, what='beams')}"
        )
    return found


def line_wrenches(part: LineLoad, draft: Draft) -> list[Wrenches]:
    """A line load, half of each element's share on either end.

    Modal bodies take over what acts on their beams.
    """
    user = f"Line load '{part.name}'"
    force = np.asarray(part.force, float)
    if not np.any(force) and not np.any(part.moment):
        raise ModelError(f"{user} has neither force nor moment: give one of them.")
    if part.projected and not np.any(force):
        raise ModelError(f"{user} is projected but has no force.")
    result = []
    places = draft.places
    signal = draft.signals.number(part.over_time, part=part.name)
    beams = beams_on(part.on, draft, user=user)
    _refuse_idle_projection(part, beams, user)
    for name, beam in beams.items():
        owner = draft.owner_of(name)
        if owner is not None:
            _load_modal_body(part, owner, beam, signal)
            continue
        frames = places.node_frames[beam.nodes.reshape(-1)]
        half = np.repeat(0.5 * beam.lengths, 2)
        # at the ends: moments from the way between them would kink slack cables
        acting = beam.ends.reshape(-1, 4, 4)[:, :3, 3]
        forces = half[:, None] * np.repeat(_force_per_length(part, beam), 2, axis=0)
        moments = half[:, None] * np.asarray(part.moment, float)
        points = local(places, frames, acting - places.frames[frames][:, :3, 3])
        kind = kernels.DEAD
        if part.follower:
            kind = kernels.FOLLOWER
            forces = local(places, frames, forces)
            moments = local(places, frames, moments)
        ends = draft.ends_of(name)
        result.append(
            Wrenches(part.name, frames, forces, moments, points, signal, kind, ends)
        )
    return result


def _refuse_idle_projection(
    part: LineLoad, beams: dict[str, BeamElements], user: str
) -> None:
    """Refuse a projected force along all of the elements that it acts on."""
    if not part.projected or np.any(part.moment):
        return
    if all(np.all(_shares(part, beam) < ROUNDING) for beam in beams.values()):
        raise ModelError(
            f"{user} is projected and its force lies along '{part.on}', so that it "
            "would do nothing: give a force across, or leave projected out."
        )


def _load_modal_body(
    part: LineLoad, owner: ModalDraft, beam: BeamElements, signal: int
) -> None:
    if part.follower:
        raise ModelError(
            f"Line load '{part.name}' is a follower on beam '{beam.part.name}', which "
            f"is part of modal body '{owner.part.name}': loads on modal bodies keep "
            "their direction; take follower away, or the beam out of the body."
        )
    if np.any(part.force):
        force = np.asarray(part.force, float)
        lengths = _shares(part, beam) * beam.lengths
        add_line_load(owner, beam, force, lengths, code=(layout.FORCE, signal))
    if np.any(part.moment):
        moment = np.asarray(part.moment, float)
        code = (layout.TORQUE, signal)
        add_line_load(owner, beam, moment, beam.lengths, code=code)


def line_glyphs(part: LineLoad, draft: Draft) -> list[Glyph]:
    """Arrows at the middle of elements, evenly chosen where there are many."""
    glyphs = []
    node_frames, starts = all_frames(draft.modal, draft.places)
    for beam in beams_on(part.on, draft, user=f"Line load '{part.name}'").values():
        forces = _force_per_length(part, beam)
        last = len(beam.lengths) - 1
        chosen = np.linspace(0, last, min(last + 1, MOST_ARROWS)).round().astype(int)
        for k in chosen:
            frame = int(node_frames[beam.nodes[k, 0]])
            middle = beam.ends[k, :, :3, 3].mean(axis=0)
            arm = middle - starts[frame][:3, 3]
            turned = np.array([arm, forces[k]]) @ starts[frame][:3, :3]
            if np.any(forces[k]):
                glyphs.append(
                    Glyph(
                        part.name,
                        "line load",
                        "follower" if part.follower else "dead",
                        frame,
                        0,
                        np.array([*turned[0], 1.0, 0.0, 0.0, 0.0]),
                        np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]),
                        turned[1] if part.follower else forces[k],
                        part.follower,
                    )
                )
    return glyphs


def _force_per_length(part: LineLoad, beam: BeamElements) -> Array:
    """(n, 3) force on each element, per its length, world axes at the start [N/m]."""
    return np.asarray(_shares(part, beam)[:, None] * np.asarray(part.force, float))


def _shares(part: LineLoad, beam: BeamElements) -> Array:
    """(n,) length that the force counts on, as a part of each element's."""
    force = np.asarray(part.force, float)
    shares = np.ones(len(beam.lengths))
    if part.projected:
        chord = beam.ends[:, 1, :3, 3] - beam.ends[:, 0, :3, 3]
        chord = chord / np.linalg.norm(chord, axis=1, keepdims=True)
        shares = np.linalg.norm(np.cross(chord, force / np.linalg.norm(force)), axis=1)
    return shares


def weight_wrenches(
    part: Gravity,
    masses: dict[str, Any],
    modal: dict[str, ModalDraft],
    n_frames: int,
    signals: SignalTable,
) -> list[Wrenches]:
    """Weight of all mass, or of the parts named, one load a frame.

    ``masses``: part name -> (frames (n,), mass (n,), first moments (n, 3)). Modal
    bodies take over their own weight, which acts on their deformation too.
    """
    user = f"Gravity '{part.name}'"
    if not np.any(part.acceleration):
        raise ModelError(f"{user} has no acceleration: give three numbers.")
    names = list(masses) if part.on is None else list(part.on)
    total = np.zeros(n_frames)
    moment = np.zeros((n_frames, 3))
    signal = signals.number(part.over_time, part=part.name)
    for name in names:
        owner = next((b for b in modal.values() if name in b.part.beams), None)
        if owner is not None:
            raise ModelError(
                f"{user} refers to beam '{name}', which is part of modal body "
                f"'{owner.part.name}': name that body."
            )
        if name not in masses:
            raise ModelError(
                f"{user} refers to '{name}', which is no part with mass. "
                f"{suggestion(name, masses, what='parts with mass')}"
            )
        if name in modal:
            add_weight(modal[name], np.asarray(part.acceleration, float), signal)
            continue
        frames, mass, first = masses[name]
        np.add.at(total, frames, mass)
        np.add.at(moment, frames, first)
    total[0] = 0.0
    heavy = np.flatnonzero(total > 0.0)
    if heavy.size == 0 and any(name in modal for name in names):
        return []
    if heavy.size == 0:
        raise ModelError(
            f"{user} finds no mass to act on: give materials a density or bodies a "
            "mass."
        )
    forces = total[heavy, None] * np.asarray(part.acceleration, float)
    points = moment[heavy] / total[heavy, None]
    zero = np.zeros_like(forces)
    return [Wrenches(part.name, heavy, forces, zero, points, signal, kernels.WEIGHT)]


def load_parameters(loads: list[Wrenches]) -> Array:
    """(n, N_LOAD_PARAMETERS) array of all of them."""
    return np.vstack(
        [np.hstack([load.forces, load.moments, load.points]) for load in loads]
    )


def load_block(loads: list[Wrenches]) -> Block:
    """The block of all loads."""
    sizes = [load.frames.size for load in loads]
    codes = np.zeros((sum(sizes), kernels.N_LOAD_CODES), dtype=np.int64)
    codes[:, kernels.SIGNAL] = np.repeat([load.signal for load in loads], sizes)
    codes[:, kernels.KIND] = np.repeat([load.kind for load in loads], sizes)
    return Block(
        kind="load",
        kernels=(kernels.evaluate_load, no_carry, kernels.observe_load),
        frames=np.concatenate([load.frames for load in loads])[:, None],
        codes=codes,
        parameters=load_parameters(loads),
        names=tuple(
            name
            for load, size in zip(loads, sizes, strict=True)
            for name in [load.name] * size
        ),
        n_outputs=kernels.N_LOAD_OUTPUTS,
        does_work=any(
            load.kind != kernels.WEIGHT or load.signal != CONSTANT_SIGNAL
            for load in loads
        ),
    )


def mass_of_beams(
    beams: dict[str, BeamElements], block: Block, offsets: Array
) -> dict[str, Any]:
    """Mass of beams on their frames: half an element at either end's mass center."""
    masses: dict[str, Any] = {}
    start = 0
    k = beam_layout
    for name, beam in beams.items():
        stop = start + beam.nodes.shape[0]
        rows = block.parameters[start:stop]
        half = np.repeat(0.5 * rows[:, k.MASS], 2)
        center = np.repeat(rows[:, k.CENTER : k.CENTER + 3], 2, axis=0)
        center[:, 0] += inward(beam.lengths)
        ends = offsets[start:stop].reshape(-1, 7)
        arms = ends[:, :3] + quaternion.rotate(ends[:, 3:], center)
        frames = block.frames[start:stop].reshape(-1)
        masses[name] = (frames, half, half[:, None] * arms)
        start = stop
    return masses
