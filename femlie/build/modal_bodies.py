"""Modal bodies: beams that become one superelement between interface frames."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from ..elements.base import Array, IntArray
from ..errors import ModelError, suggestion
from ..parts.connections import EndRelease
from ..parts.structure import ModalBody, RestShape
from .beams import BeamElements, beam_block
from .modal_reduction import (
    NO_INERTIA,
    BeamMesh,
    Inertia,
    Reduction,
    inertia_of,
    least_inertia,
    reduce_mesh,
)
from .places import Places
from .signals import SignalTable

AMPLITUDES = 3  # of one frame
# options of beams that a modal body has no place for
REFUSED = ("rest_strain", "mass_damping", "drag")


@dataclass(frozen=True)
class Field:
    """A load that keeps its direction in space, spread over a body.

    ``vector`` (3,) acceleration, force or moment per share; ``share`` of it all,
    ``arm`` (3,) integral of places, ``shapes`` (N, 3) of the shapes that do work;
    ``ends`` and ``loads``: what of it the ends of elements bring, see `ModalSpread`.
    """

    kind: int
    signal: int
    vector: Array
    share: float
    arm: Array
    shapes: Array
    ends: IntArray
    loads: Array


@dataclass
class ModalDraft:
    """A modal body while it is built.

    ``nodes`` (k,) of the mesh, ``interfaces`` the same numbered within these, one array
    a frame; ``frames`` of the interfaces; ``amplitudes`` frames that carry them;
    ``fields`` weight and line loads.
    """

    part: ModalBody
    beams: list[BeamElements]
    nodes: IntArray
    ports: IntArray
    interfaces: list[IntArray] = field(default_factory=list)
    frames: IntArray = field(default_factory=lambda: np.zeros(0, np.int64))
    amplitudes: IntArray = field(default_factory=lambda: np.zeros(0, np.int64))
    mesh: BeamMesh | None = None
    reduction: Reduction | None = None
    inertia: Inertia | None = None
    fields: list[Field] = field(default_factory=list)

    @property
    def user(self) -> str:
        return f"Modal body '{self.part.name}'"

    @property
    def inner(self) -> IntArray:
        """Nodes of the mesh that have no frame of their own."""
        return np.setdiff1d(self.nodes, self.ports)


def claim_beams(
    parts: dict[str, Any], beams: dict[str, BeamElements], places: Places
) -> dict[str, ModalDraft]:
    """Modal bodies with their beams and nodes; checks what names say.

    Raises
    ------
    ModelError
        Unknown beams, beams in two bodies, options that a modal body has no place for,
        interfaces that are no nodes of the beams.
    """
    found: dict[str, ModalDraft] = {}
    owner: dict[str, str] = {}
    for part in parts.values():
        if not isinstance(part, ModalBody):
            continue
        user = f"Modal body '{part.name}'"
        if not part.beams:
            raise ModelError(f"{user} has no beams: name one or more beam parts.")
        if not part.interfaces:
            raise ModelError(
                f"{user} has no interfaces: name the nodes that meet other parts."
            )
        for name in part.beams:
            if name not in beams:
                raise ModelError(
                    f"{user} refers to beam '{name}', which does not exist. "
                    f"{suggestion(name, beams, what='beams')}"
                )
            if name in owner:
                raise ModelError(
                    f"{user} and modal body '{owner[name]}' both have beam '{name}': "
                    "a beam belongs to one of them."
                )
            owner[name] = part.name
            _refuse_options(beams[name], user)
        own = [beams[name] for name in part.beams]
        nodes = np.unique(np.concatenate([beam.nodes.reshape(-1) for beam in own]))
        ports = _ports(part, nodes, places)
        draft = ModalDraft(part, own, nodes, ports)
        found[part.name] = draft
        for node in draft.inner.tolist():
            places.inner[node] = part.name
    for part in parts.values():
        if isinstance(part, EndRelease) and part.beam in owner:
            raise ModelError(
                f"End release '{part.name}' is on beam '{part.beam}', which is part of "
                f"modal body '{owner[part.beam]}': take the beam out of it."
            )
    return found


def _refuse_options(beam: BeamElements, user: str) -> None:
    part = beam.part
    given = [name for name in REFUSED if np.any(getattr(part, name))]
    if part.rest_shape is RestShape.STRAIGHT:
        given.append("rest_shape")
    if given:
        raise ModelError(
            f"Beam '{part.name}' has {given[0]}, which {user[0].lower()}{user[1:]} "
            "cannot take over: leave it out, or keep the beam as it is."
        )


def _ports(part: ModalBody, nodes: IntArray, places: Places) -> IntArray:
    user = f"Modal body '{part.name}'"
    ports: list[int] = []
    for name in part.interfaces:
        for node in places.nodes(name, user=user).tolist():
            if node not in nodes:
                raise ModelError(
                    f"{user} has the interface '{name}': {places.labels[node]} is no "
                    f"node of its beams ({', '.join(part.beams)})."
                )
            if node in ports:
                raise ModelError(
                    f"{user} has {places.labels[node]} as an interface twice: name "
                    "each node once."
                )
            ports.append(node)
    return np.array(ports, dtype=np.int64)


def number_frames(drafts: dict[str, ModalDraft], places: Places) -> IntArray:
    """Frames of interfaces, and new ones behind all others for the amplitudes.

    Returns
    -------
    (n_frames, 6) bool array
        Whether a direction belongs to nothing: rotations of amplitudes, and what the
        last frame of a body has too many.

    Raises
    ------
    ModelError
        If another part sits on a node inside a body.
    """
    for draft in drafts.values():
        carried = draft.inner[places.node_frames[draft.inner] >= 0]
        if carried.size:
            raise ModelError(
                f"{places.labels[int(carried[0])]} lies inside "
                f"modal body '{draft.part.name}', but carries another part too: name "
                "it in interfaces."
            )
        numbers = places.node_frames[draft.ports]
        _, first = np.unique(numbers, return_index=True)
        draft.frames = numbers[np.sort(first)]
        local = np.searchsorted(draft.nodes, draft.ports)
        draft.interfaces = [local[numbers == frame] for frame in draft.frames]
    n_frames = len(places.frames)
    unused = [np.zeros((n_frames, 6), dtype=bool)]
    for draft in drafts.values():
        n = -(-draft.part.n_modes // AMPLITUDES)
        draft.amplitudes = n_frames + np.arange(n)
        n_frames += n
        flat = np.arange(AMPLITUDES * n) >= draft.part.n_modes
        turns = np.ones((n, 3), dtype=bool)
        unused.append(np.hstack([flat.reshape(n, AMPLITUDES), turns]))
    more = n_frames - len(places.frames)
    places.frames = np.concatenate([places.frames, np.tile(np.eye(4), (more, 1, 1))])
    return np.concatenate(unused)


def reduce_body(draft: ModalDraft, places: Places) -> None:
    """Find shapes, stiffness and inertia.

    Raises
    ------
    ModelError
        Nodes that hang on no interface, more modes than there are, missing inertia.
    """
    user, part = draft.user, draft.part
    count = sum(len(beam.lengths) for beam in draft.beams)
    identity = np.tile([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], (count, 2, 1))
    block = beam_block(
        draft.beams, np.zeros((count, 2), np.int64), identity, SignalTable()
    )
    origin = places.positions[draft.nodes[draft.interfaces[0][0]]]
    ends = np.concatenate([beam.ends for beam in draft.beams]).copy()
    ends[..., :3, 3] -= origin
    nodes = np.concatenate([beam.nodes for beam in draft.beams])
    mesh = BeamMesh(
        places.positions[draft.nodes] - origin,
        np.searchsorted(draft.nodes, nodes),
        ends,
        block.parameters,
    )
    _refuse_loose_nodes(draft, mesh, places)
    reduction = reduce_mesh(mesh, draft.interfaces, part.n_modes)
    n_found = len(reduction.frequencies)
    if n_found < part.n_modes:
        raise ModelError(
            f"{user} has n_modes = {part.n_modes}, but there are {n_found} modes with "
            f"its interfaces held: give {n_found} or fewer, or a finer mesh."
        )
    inertia = inertia_of(mesh, reduction.shapes)
    if inertia.mass <= 0.0:
        raise ModelError(
            f"{user} has no mass: give the material of its beams a density."
        )
    if least_inertia(inertia.matrix()) < NO_INERTIA:
        raise ModelError(
            f"{user} has no inertia in some motion of its interfaces or amplitudes: "
            "give its sections rotary inertia, refine the mesh, or take fewer "
            "interfaces or modes."
        )
    draft.mesh, draft.reduction, draft.inertia = mesh, reduction, inertia


def _refuse_loose_nodes(draft: ModalDraft, mesh: BeamMesh, places: Places) -> None:
    n = len(mesh.places)
    graph = coo_matrix((np.ones(len(mesh.nodes)), mesh.nodes.T), shape=(n, n))
    _, labels = connected_components(graph, directed=False)
    held = labels[np.concatenate(draft.interfaces)]
    loose = np.flatnonzero(~np.isin(labels, held))
    if loose.size:
        raise ModelError(
            f"{draft.user}: {places.labels[int(draft.nodes[loose[0]])]} hangs on none "
            "of its interfaces: name an interface there, or take the beam out."
        )


def summary_of(draft: ModalDraft) -> dict[str, Any]:
    """Interfaces, and frequencies [Hz] of the modes with these at rest."""
    assert draft.reduction is not None
    return {
        "interfaces": len(draft.frames),
        "frequencies": draft.reduction.frequencies.tolist(),
    }


def all_frames(drafts: dict[str, ModalDraft], places: Places) -> tuple[IntArray, Array]:
    """Frames with those of inner nodes behind the others.

    Returns
    -------
    node_frames : (n_nodes,) int array
    frames : (n_frames + n_inner, 4, 4) array
    """
    node_frames = places.node_frames.copy()
    frames = [places.frames]
    first = len(places.frames)
    for draft in drafts.values():
        inner = draft.inner
        node_frames[inner] = first + np.arange(inner.size)
        frames.append(places.node_poses(inner))
        first += inner.size
    return node_frames, np.concatenate(frames)
