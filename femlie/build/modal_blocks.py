"""A reduced modal body as a block for kernels, and what results need of it."""

from __future__ import annotations

import numpy as np

from ..elements import _beam_geometry as beam_layout
from ..elements import _body_kernel as body_kernels
from ..elements import _modal_kernel as kernels
from ..elements import _modal_layout as layout
from ..elements.base import Array, Block, IntArray, no_carry
from ..lie import se3, so3
from ..system import CONSTANT_SIGNAL, ModalShape, ModalSpread
from .beams import BeamElements, inward, relative_poses
from .modal_bodies import Field, ModalDraft
from .modal_reduction import BeamMesh, place_changes
from .places import Places


def _interface_places(draft: ModalDraft) -> Array:
    assert draft.mesh is not None
    return draft.mesh.places[[nodes[0] for nodes in draft.interfaces]]


def _offsets(draft: ModalDraft, places: Places) -> Array:
    """(n, 7) interfaces with world axes at the start, in their frames."""
    first = [int(draft.nodes[nodes[0]]) for nodes in draft.interfaces]
    poses = places.node_poses(np.array(first))
    return relative_poses(places.frames[draft.frames], poses)


def modal_mass(draft: ModalDraft, places: Places) -> tuple[IntArray, Array, Array]:
    """Frame, mass and first moment of the whole body, as other parts have them."""
    assert draft.inertia is not None
    inertia, frame = draft.inertia, int(draft.frames[0])
    offset = se3.frame_from_pose(_offsets(draft, places)[0])
    first = offset[:3, :3] @ inertia.moments[0] + inertia.mass * offset[:3, 3]
    return np.array([frame]), np.array([inertia.mass]), first[None]


def add_weight(draft: ModalDraft, acceleration: Array, signal: int) -> None:
    """Let gravity act on the body."""
    inertia, mesh = draft.inertia, draft.mesh
    assert inertia is not None
    assert mesh is not None
    first = inertia.moments
    rows = np.repeat(mesh.parameters, 2, axis=0)
    loads = np.zeros((len(rows), body_kernels.N_LOAD_PARAMETERS))
    loads[:, :3] = 0.5 * rows[:, beam_layout.MASS, None] * acceleration
    loads[:, 6:] = rows[:, beam_layout.CENTER : beam_layout.CENTER + 3]
    loads[:, 6] += inward(mesh.parameters[:, beam_layout.LENGTH])
    draft.fields.append(
        Field(
            layout.WEIGHT,
            signal,
            acceleration,
            inertia.mass,
            first[0],
            first[1:],
            np.arange(len(rows)),
            loads,
        )
    )


def add_line_load(
    draft: ModalDraft,
    beam: BeamElements,
    vector: Array,
    shares: Array,
    *,
    code: tuple[int, int],
) -> None:
    """Let an even load act on both ends of each element of a beam.

    Parameters
    ----------
    draft : ModalDraft
    beam : BeamElements
        One of the body's.
    vector : (3,) array
        Force or moment per length, world axes.
    shares : (n,) array
        Length that it acts on of each element [m].
    code : tuple of two int
        Kind of field, and signal.
    """
    mesh, reduction = draft.mesh, draft.reduction
    assert mesh is not None
    assert reduction is not None
    at = [own is beam for own in draft.beams].index(True)
    start = _starts(draft)[at]
    rows = slice(start, start + len(shares))
    places = mesh.ends[rows, :, :3, 3]
    motion = reduction.shapes[mesh.nodes[rows]]
    turns = motion[:, :, 3:]
    arms = places - mesh.places[mesh.nodes[rows]]
    moves = motion[:, :, :3] - so3.hat(arms) @ turns
    kind, signal = code
    half = 0.5 * shares
    chosen = turns if kind == layout.TORQUE else moves
    loads = np.zeros((2 * len(shares), body_kernels.N_LOAD_PARAMETERS))
    first = body_kernels.MOMENT if kind == layout.TORQUE else body_kernels.FORCE
    loads[:, first : first + 3] = np.repeat(half, 2)[:, None] * vector
    draft.fields.append(
        Field(
            kind,
            signal,
            vector,
            float(shares.sum()),
            np.einsum("n,nsi->i", half, places),
            np.einsum("n,nsik->ki", half, chosen),
            2 * start + np.arange(len(loads)),
            loads,
        )
    )


def _log_stiffness(draft: ModalDraft) -> tuple[Array, Array]:
    """Stiffness, and stress resultants (n, 6, N), by the relative logarithms."""
    reduction = draft.reduction
    assert reduction is not None
    n = len(reduction.stiffness)
    to_motion = np.eye(n)
    for j, block in enumerate(place_changes(_interface_places(draft)[1:])):
        at = slice(6 * j, 6 * j + 6)
        to_motion[at, at] = block
    stiffness = to_motion.T @ reduction.stiffness @ to_motion
    return 0.5 * (stiffness + stiffness.T), reduction.stresses @ to_motion


def modal_block(draft: ModalDraft, places: Places) -> Block:
    """The block of one modal body."""
    reduction, inertia, mesh = draft.reduction, draft.inertia, draft.mesh
    assert reduction is not None
    assert inertia is not None
    assert mesh is not None
    n, size = len(draft.frames), len(reduction.stiffness)
    stiffness, _ = _log_stiffness(draft)
    stiff = [np.abs(stiffness[6 * j : 6 * j + 3]).max() for j in range(n - 1)]
    length = float(np.linalg.norm(np.ptp(mesh.places, axis=0)))
    pieces = [
        np.array([inertia.mass]),
        inertia.moments[0],
        np.array([max(stiff, default=0.0), length]),
        _offsets(draft, places),
        _interface_places(draft),
        stiffness,
        reduction.damping,
        inertia.moments[1:],
        inertia.second_moments,
        inertia.rotary[:3, :3],
        inertia.rotary[3:, :3],
        inertia.shape_inertia,
        *(
            np.hstack([f.vector, f.share, f.arm, np.ravel(f.shapes)])
            for f in draft.fields
        ),
    ]
    parameters = np.concatenate([np.ravel(piece) for piece in pieces])
    codes = [n, size - 6 * (n - 1), len(draft.fields)]
    for load in draft.fields:
        codes += [load.signal, load.kind]
    is_idle = all(
        f.kind == layout.WEIGHT and f.signal == CONSTANT_SIGNAL for f in draft.fields
    )
    return Block(
        kind="modal_body",
        kernels=(kernels.evaluate_modal, no_carry, kernels.observe_modal),
        frames=np.concatenate([draft.frames, draft.amplitudes])[None],
        codes=np.array([codes], dtype=np.int64),
        parameters=parameters[None],
        names=(draft.part.name,),
        n_outputs=layout.N_OUTPUTS + len(draft.fields),
        does_work=bool(np.any(reduction.damping)) or not is_idle,
    )


def modal_shape(
    draft: ModalDraft, places: Places, *, first_frame: int, first_signal: int
) -> ModalShape:
    """What results need to see the inside of a body.

    Parameters
    ----------
    draft : ModalDraft
    places : Places
    first_frame : int
        Number of its first inner node.
    first_signal : int
        Column of the outputs where the signals of its fields begin.
    """
    reduction, mesh = draft.reduction, draft.mesh
    assert reduction is not None
    assert mesh is not None
    inner = np.searchsorted(draft.nodes, draft.inner)
    _, stresses = _log_stiffness(draft)
    return ModalShape(
        frames=draft.frames,
        amplitude_frames=draft.amplitudes,
        n_modes=draft.part.n_modes,
        offsets=_offsets(draft, places),
        interface_places=_interface_places(draft),
        first_frame=first_frame,
        places=mesh.places[inner],
        shapes=reduction.shapes[inner],
        forces=_section_maps(mesh) @ stresses,
        beams={
            beam.part.name: np.arange(len(beam.lengths)) + start
            for beam, start in zip(draft.beams, _starts(draft), strict=True)
        },
        spread=_spread(draft, mesh, first_signal),
    )


def _spread(draft: ModalDraft, mesh: BeamMesh, first_signal: int) -> ModalSpread:
    """Mass of the elements, and loads along them."""
    k, rows = beam_layout, mesh.parameters
    fields = draft.fields
    sizes = [len(field.ends) for field in fields]
    none = np.zeros((0, body_kernels.N_LOAD_PARAMETERS))
    return ModalSpread(
        masses=rows[:, k.MASS],
        centers=rows[:, k.CENTER : k.CENTER + 3],
        rotary=rows[:, k.ROTARY : k.ROTARY + 9].reshape(-1, 3, 3),
        ends=np.concatenate([np.zeros(0, np.int64), *(f.ends for f in fields)]),
        columns=np.repeat(first_signal + np.arange(len(fields)), sizes),
        loads=np.concatenate([none, *(f.loads for f in fields)]),
    )


def _starts(draft: ModalDraft) -> list[int]:
    sizes = [len(beam.lengths) for beam in draft.beams]
    return [int(start) for start in np.cumsum([0, *sizes[:-1]])]


def _section_maps(mesh: BeamMesh) -> Array:
    """(n, 18, 6) section forces at start, middle and end by the stress resultants."""
    first = beam_layout.REFERENCE
    twists = mesh.parameters[:, first : first + 6]
    start = np.swapaxes(se3.tangent_operator_inverse(-twists), 1, 2)
    half = np.swapaxes(se3.adjoint(se3.exp(0.5 * twists)), 1, 2)
    end = np.swapaxes(se3.tangent_operator_inverse(twists), 1, 2)
    return np.concatenate([start, half @ start, end], axis=1)
