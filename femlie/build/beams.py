"""Beam parts become elements: end frames, reference strains, section matrices."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..elements import _beam_geometry as layout
from ..elements import _beam_kernel as kernels
from ..elements.base import Array, Block, IntArray
from ..errors import ModelError
from ..lie import quaternion, se3
from ..mesh import Mesh
from ..mesh.chains import chains_of
from ..parts.structure import Beam, Curve, RestShape
from .signals import SignalTable

# members closer to the vertical than this (sine of the angle) lean on the x axis
VERTICAL = np.sin(np.radians(1.0))


@dataclass
class BeamElements:
    """Elements of one beam part, before frames exist.

    ``nodes`` (n, 2); ``ends`` (n, 2, 4, 4) frames of the sections at both ends, world;
    ``lengths`` (n,); ``reference`` (n, 6) log of the relative end frame without stress;
    ``fractions`` (n, 3) place along the member of start, middle and end.
    """

    part: Beam
    nodes: IntArray
    ends: Array
    lengths: Array
    reference: Array
    fractions: Array


def beam_elements(part: Beam, mesh: Mesh) -> BeamElements:
    """Geometry of a beam part.

    Raises
    ------
    ModelError
        Orientation parallel to a member, elements of no length, a straight rest shape
        without a smooth curve.
    """
    nodes, tangents = _elements_of_lines(part, mesh)
    offsets = np.array([part.start_offset, part.end_offset], dtype=float)
    places = mesh.points[nodes] + offsets
    if np.any(offsets):
        # eccentric ends: straight between the moved ends
        chord = places[:, 1] - places[:, 0]
        tangents = np.stack([chord, chord], axis=1)
    rotations = _section_axes(part, mesh, nodes, tangents)
    ends = np.zeros((nodes.shape[0], 2, 4, 4))
    ends[..., :3, :3] = rotations
    ends[..., :3, 3] = places
    ends[..., 3, 3] = 1.0
    reference = _relative_logs(ends)
    lengths = np.linalg.norm(reference[:, :3], axis=1)
    if np.any(lengths <= 1e-12 * max(mesh.size, 1e-300)):
        bad = int(np.argmin(lengths))
        raise ModelError(
            f"Beam '{part.name}' has an element without length between "
            f"{mesh.node_label(int(nodes[bad, 0]))} and "
            f"{mesh.node_label(int(nodes[bad, 1]))}: check the offsets."
        )
    fractions = np.zeros((lengths.size, 3))
    if not part.section.is_uniform:
        fractions = _fractions(nodes, lengths)
    return BeamElements(part, nodes, ends, lengths, reference, fractions)


def _rest_strain(beam: BeamElements) -> Array:
    """(n, 6) strain without stress times length, over that of the mesh."""
    part, lengths = beam.part, beam.lengths
    rest = np.zeros((lengths.size, 6))
    if part.rest_strain is not None:
        rest += np.asarray(part.rest_strain, dtype=float) * lengths[:, None]
    if part.rest_shape is RestShape.STRAIGHT:
        rest[:, 0] += lengths
        rest -= beam.reference
    if part.rest_strain_over_time is not None and not np.any(rest):
        raise ModelError(
            f"rest_strain_over_time of beam '{part.name}' acts on nothing: expected "
            "numbers that are not all zero in rest_strain, or a curved mesh with a "
            "straight rest_shape."
        )
    return rest


def _elements_of_lines(part: Beam, mesh: Mesh) -> tuple[IntArray, Array]:
    """Nodes (n, 2) of the elements, and directions (n, 2, 3) at both ends."""
    rows = mesh.lines_of(part.cells)
    lines, middles = mesh.lines[rows], mesh.mid_nodes[rows]
    tangents = _line_tangents(part, mesh.points, lines)
    if np.any(middles >= 0):
        return _split_at_middles(mesh.points, lines, middles, tangents)
    if part.rest_shape is RestShape.STRAIGHT and part.curve is not Curve.SMOOTH:
        raise ModelError(
            f"Beam '{part.name}' has rest_shape straight on straight elements, where "
            "it changes nothing: set curve to smooth."
        )
    return lines, tangents


def _relative_logs(ends: Array) -> Array:
    """(n, 6) log of each second end frame in the first; exact where none is turned."""
    logs = np.zeros((len(ends), 6))
    logs[:, 0] = np.linalg.norm(ends[:, 1, :3, 3] - ends[:, 0, :3, 3], axis=1)
    rotations = ends[..., :3, :3]
    turn = np.abs(rotations[:, 1] - rotations[:, 0]).max(axis=(1, 2), initial=0.0)
    is_bent = turn > 1e-12
    if np.any(is_bent):
        bent = ends[is_bent]
        logs[is_bent] = se3.log(se3.inverse(bent[:, 0]) @ bent[:, 1])
    return logs


def _line_tangents(part: Beam, points: Array, lines: IntArray) -> Array:
    """(n, 2, 3) directions at both ends: of the line, or of circles through nodes."""
    chord = points[lines[:, 1]] - points[lines[:, 0]]
    tangents = np.stack([chord, chord], axis=1)
    if part.curve is not Curve.SMOOTH:
        return tangents
    beyond = _nodes_beyond(lines)
    for end in range(2):
        here, there = lines[:, end], lines[:, 1 - end]
        k = beyond[:, end]
        sign = 1.0 if end == 0 else -1.0
        # through the node before, here and there
        has = k >= 0
        back = points[here] - points[np.where(has, k, here)]
        out = points[there] - points[here]
        middle = _over_square(back) + _over_square(out)
        # at a free end: the circle through here, there and the node beyond there
        far = beyond[:, 1 - end]
        has_far = far >= 0
        reach = points[np.where(has_far, far, there)] - points[here]
        free = _over_square(out) - _over_square(reach)
        direction = np.where(
            has[:, None], middle, np.where(has_far[:, None], free, out)
        )
        tangents[:, end] = sign * direction
    return tangents


def _over_square(vectors: Array) -> Array:
    square = np.sum(vectors**2, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(square > 0.0, square, 1.0))


def _nodes_beyond(lines: IntArray) -> IntArray:
    """(n, 2) the node that continues the chain past each end; -1 at ends, branches."""
    ends = lines.reshape(-1)
    others = lines[:, ::-1].reshape(-1)
    order = np.argsort(ends, kind="stable")
    sorted_ends = ends[order]
    _, first, count = np.unique(sorted_ends, return_index=True, return_counts=True)
    beyond = np.full(ends.size, -1, dtype=np.int64)
    pairs = first[count == 2]
    a, b = order[pairs], order[pairs + 1]
    beyond[a] = others[b]
    beyond[b] = others[a]
    return beyond.reshape(lines.shape)


def _split_at_middles(
    points: Array, lines: IntArray, middles: IntArray, tangents: Array
) -> tuple[IntArray, Array]:
    """Two elements for each line of order 2, tangent to the circle of its nodes."""
    a, b = lines[:, 0], lines[:, 1]
    has = middles >= 0
    m = np.where(has, middles, a)
    first, second = points[m] - points[a], points[b] - points[m]
    whole = points[b] - points[a]
    at_start = _over_square(first) - _over_square(whole)
    at_middle = _over_square(first) + _over_square(second)
    at_end = _over_square(second) - _over_square(whole)
    # a straight line gives a difference of equal directions at its ends
    size = np.linalg.norm(whole, axis=1, keepdims=True)
    flat = (
        np.linalg.norm(np.cross(first, whole), axis=1, keepdims=True) < 1e-9 * size**2
    )
    at_start = np.where(flat, whole, at_start)
    at_end = np.where(flat, whole, at_end)
    halves = np.stack(
        [np.stack([at_start, at_middle], 1), np.stack([at_middle, at_end], 1)], axis=1
    )
    nodes = np.stack([np.stack([a, m], 1), np.stack([m, b], 1)], axis=1)
    nodes[~has, 0] = lines[~has]
    halves[~has, 0] = tangents[~has]
    keep = np.ones((lines.shape[0], 2), dtype=bool)
    keep[~has, 1] = False
    return nodes[keep], halves[keep]


def _section_axes(part: Beam, mesh: Mesh, nodes: IntArray, tangents: Array) -> Array:
    """(n, 2, 3, 3) section axes at both ends as columns."""
    size = np.linalg.norm(tangents, axis=2, keepdims=True)
    along = tangents / np.where(size > 0.0, size, 1.0)
    if part.orientation is None:
        up = np.zeros_like(along)
        # one choice for an element, so that its ends do not twist against each other
        mean = along.sum(axis=1, keepdims=True)
        mean /= np.maximum(np.linalg.norm(mean, axis=2, keepdims=True), 1e-300)
        is_vertical = np.hypot(mean[..., 0], mean[..., 1]) < VERTICAL
        up[...] = np.where(is_vertical[..., None], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0])
    else:
        given = np.asarray(part.orientation, dtype=float)
        up = np.broadcast_to(given / np.linalg.norm(given), along.shape).copy()
    across = up - np.sum(up * along, axis=2, keepdims=True) * along
    size = np.linalg.norm(across, axis=2)
    if np.any(size < 1e-6):
        bad = int(np.argmin(size.min(axis=1)))
        direction = tuple(float(f"{x:.6g}") for x in along[bad, 0])
        raise ModelError(
            f"Orientation {part.orientation} of beam '{part.name}' is parallel to its "
            f"element between {mesh.node_label(int(nodes[bad, 0]))} and "
            f"{mesh.node_label(int(nodes[bad, 1]))}, which runs along {direction}: "
            "give a direction across the member."
        )
    across /= size[..., None]
    return np.stack([along, across, np.cross(along, across)], axis=3)


def _fractions(nodes: IntArray, lengths: Array) -> Array:
    """(n, 3) place along the member of start, middle and end of each element.

    Members are chains of elements; they run as the first element given.
    """
    fractions = np.zeros((len(nodes), 3))
    for chain in chains_of(nodes):
        ends = np.concatenate([[0.0], np.cumsum(lengths[chain.lines])])
        ends /= ends[-1]
        middle = 0.5 * (ends[:-1] + ends[1:])
        places = np.stack([ends[:-1], middle, ends[1:]], axis=1)
        places[chain.is_turned] = places[chain.is_turned, ::-1]
        fractions[chain.lines] = places
    return fractions


def beam_block(
    beams: list[BeamElements], frames: IntArray, offsets: Array, signals: SignalTable
) -> Block:
    """The block of all beams.

    Parameters
    ----------
    beams : list of BeamElements
    frames : (n, 2) int array
        Frame of each end.
    offsets : (n, 2, 7) array
        Pose of the section at each end in its frame.
    """
    k = layout
    n = frames.shape[0]
    parameters = np.zeros((n, k.N_PARAMETERS))
    codes = np.zeros((n, k.N_CODES), dtype=np.int64)
    codes[:, k.REST_SIGNAL] = -1
    start = 0
    for beam in beams:
        stop = start + beam.nodes.shape[0]
        _fill(beam, parameters[start:stop], codes[start:stop], signals)
        start = stop
    parameters[:, k.OFFSET_A : k.OFFSET_A + 7] = offsets[:, 0]
    parameters[:, k.OFFSET_B : k.OFFSET_B + 7] = offsets[:, 1]
    lengths = parameters[:, k.LENGTH, None]
    identity = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
    away = np.abs(offsets - identity)
    away[..., :3] /= lengths[:, :, None]
    codes[:, k.HAS_OFFSETS] = np.any(away > 1e-14, axis=(1, 2))
    codes[:, k.HAS_INERTIA_OFFSETS] = np.any(
        parameters[:, k.CENTER : k.CENTER + 3] != 0.0, axis=1
    )
    return Block(
        kind="beam",
        kernels=(kernels.evaluate, kernels.carry, kernels.observe),
        static_evaluate=kernels.evaluate_static,
        does_work=bool(
            np.any(codes[:, layout.HAS_DAMPING] != 0)
            or np.any(codes[:, layout.REST_SIGNAL] >= 0)
            or np.any(parameters[:, [layout.DRAG, layout.ROTARY_DRAG]] != 0.0)
        ),
        frames=frames,
        codes=codes,
        parameters=parameters,
        names=tuple(beam.part.name for beam in beams for _ in beam.nodes),
        n_iterates=k.N_ITERATES,
        n_outputs=k.N_OUTPUTS,
    )


def _fill(
    beam: BeamElements, parameters: Array, codes: IntArray, signals: SignalTable
) -> None:
    k = layout
    part = beam.part
    lengths = beam.lengths
    n = lengths.size
    stiffness, mass = part.section.matrices(beam.fractions[:, 1])
    damping = part.section.damping_matrices(beam.fractions[:, 1])
    parameters[:, k.LENGTH] = lengths
    parameters[:, k.REFERENCE : k.REFERENCE + 6] = beam.reference
    over_length = stiffness / lengths[:, None, None]
    parameters[:, k.STIFFNESS : k.STIFFNESS + 36] = over_length.reshape(n, 36)
    parameters[:, k.DIAGONAL : k.DIAGONAL + 6] = np.einsum("nii->ni", over_length)
    codes[:, k.IS_DIAGONAL] = np.all(
        stiffness[:, ~np.eye(6, dtype=bool)] == 0.0, axis=1
    )
    parameters[:, k.FLOOR] = np.abs(over_length[:, :3, :3]).max(axis=(1, 2))
    parameters[:, k.DAMPING : k.DAMPING + 36] = (
        damping / lengths[:, None, None]
    ).reshape(n, 36)
    codes[:, k.HAS_DAMPING] = np.any(damping != 0.0, axis=(1, 2))
    line, center, rotary = split_mass(mass)
    total = line + part.added_mass
    parameters[:, k.MASS] = total * lengths
    parameters[:, k.CENTER : k.CENTER + 3] = center
    parameters[:, k.ROTARY : k.ROTARY + 9] = (
        0.5 * rotary * lengths[:, None, None]
    ).reshape(n, 9)
    parameters[:, k.DRAG] = (part.mass_damping * total + part.drag) * lengths
    parameters[:, k.ROTARY_DRAG] = part.mass_damping
    codes[:, k.HAS_INERTIA] = (total > 0.0) | (parameters[:, k.DRAG] > 0.0)
    if part.rest_strain is not None or part.rest_shape is RestShape.STRAIGHT:
        parameters[:, k.REST : k.REST + 6] = _rest_strain(beam)
        codes[:, k.REST_SIGNAL] = signals.number(
            part.rest_strain_over_time, part=part.name
        )


def split_mass(mass: Array) -> tuple[Array, Array, Array]:
    """Mass (n,), mass center (n, 3) and inertia about it (n, 3, 3), per length."""
    line = mass[:, 0, 0]
    safe = np.where(line > 0.0, line, 1.0)
    coupling = mass[:, :3, 3:]
    center = (
        np.stack([coupling[:, 1, 2], coupling[:, 2, 0], coupling[:, 0, 1]], axis=1)
        / safe[:, None]
    )
    square = np.sum(center**2, axis=1)
    shift = square[:, None, None] * np.eye(3) - center[:, :, None] * center[:, None, :]
    return line, center, mass[:, 3:, 3:] - line[:, None, None] * shift


def inward(lengths: Array) -> Array:
    """(2 n,) way along axis 1 from each end to where its half of the weight acts.

    A sixth of the length: the work of an even load on ``z (1 - z) (L/2) t``, the bow of
    the element that its inertia follows.
    """
    sixth = lengths / 6.0
    return np.stack([sixth, -sixth], axis=1).reshape(-1)


def relative_poses(frames: Array, ends: Array) -> Array:
    """Poses (..., 7) of ``ends`` in ``frames``, both (..., 4, 4)."""
    pose: Array = se3.pose_from_frame(se3.inverse(frames) @ ends)
    is_near = np.abs(pose[..., 3]) > 1.0 - 1e-15
    pose[is_near, 3:] = [1.0, 0.0, 0.0, 0.0]
    pose[..., 3:] = quaternion.normalize(pose[..., 3:])
    return pose


def outline_numbers(beams: list[BeamElements]) -> tuple[IntArray, Any]:
    """Outline number of both ends of every element, and the outlines."""
    loops: list[Any] = []
    known: dict[tuple[int, float], int] = {}
    numbers = []
    for beam in beams:
        section = beam.part.section
        for fraction in beam.fractions[:, [0, 2]].reshape(-1).tolist():
            key = (id(section), round(fraction, 12))
            if key not in known:
                outline = section.at(fraction).outline
                known[key] = len(loops) if outline else -1
                loops += [tuple(outline)] if outline else []
            numbers.append(known[key])
    return np.array(numbers, dtype=np.int64).reshape(-1, 2), tuple(loops)
