"""Motion and section forces inside modal bodies, from what their frames do.

A run records interfaces and amplitudes. Inner nodes follow from them, and stand behind
the frames of the model where anybody looks; their section forces behind the outputs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .elements import _beam_inertia as inertia
from .elements._section_forces import LOCAL, WORKING
from .elements.base import Array
from .lie import quaternion, se3
from .records import Layout, Records
from .system import BeamShapes, ModalShape, ModalSpread


def whole_records(layout: Layout, records: Records) -> Records:
    """Records with what follows from them: inner nodes, section forces.

    Parameters
    ----------
    layout : Layout
    records : Records
        As recorded; those that are whole already come back as they are.

    Returns
    -------
    Records
        Arrays of frames have one row for each of ``layout.start``.
    """
    bodies = layout.catalog.modal_bodies
    n_frames = layout.n_frames
    if not bodies or records.poses.shape[1] != n_frames:
        return records
    shape = records.times.size, len(layout.start) - n_frames
    found = [np.zeros((*shape, n)) for n in (7, 6, 6)]
    for body in bodies.values():
        rows = slice(body.first_frame - n_frames, None)
        rows = slice(rows.start, rows.start + len(body.places))
        for target, values in zip(found, _inner_motion(body, records), strict=True):
            target[:, rows] = values
    arrays = (records.poses, records.velocities, records.accelerations)
    poses, velocities, accelerations = (
        np.concatenate(pair, axis=1) for pair in zip(arrays, found, strict=True)
    )
    whole = records._replace(
        poses=poses, velocities=velocities, accelerations=accelerations
    )
    forces = [
        _section_forces(layout, body, records, whole).reshape(records.times.size, -1)
        for body in bodies.values()
    ]
    return whole._replace(outputs=np.concatenate([records.outputs, *forces], axis=1))


def _section_forces(
    layout: Layout, body: ModalShape, records: Records, whole: Records
) -> Array:
    """(n_times, n_elements, 18) section forces: of the shapes, and what is spread."""
    strains = _elastic_coordinates(body, records)
    values: Array = np.einsum("eij,tj->tei", body.forces, strains)
    if body.spread is None:
        return values
    elements = Elements.of(layout, body, whole)
    values += _of_end_loads(elements, -elements.inertia(body.spread), WORKING)
    return values + _of_end_loads(elements, elements.loads(body.spread, whole), LOCAL)


class Elements(NamedTuple):
    """Motion of the sections at both ends of the elements of a modal body.

    Attributes
    ----------
    lengths : (n,) array [m]
    poses : (n_times, n, 2, 7) array
    twists, rates : (n_times, n, 2, 6) arrays
        In the axes of the sections.
    """

    lengths: Array
    poses: Array
    twists: Array
    rates: Array

    @classmethod
    def of(cls, layout: Layout, body: ModalShape, whole: Records) -> Elements:
        """Those of a body, one beam after another."""
        catalog = layout.catalog
        beams: BeamShapes = catalog.beams
        rows = np.concatenate([catalog.beam_ranges[name] for name in body.beams])
        frames, offsets = beams.frames[rows], beams.offsets[rows]
        twists, rates = (
            _in_section(offsets, array[:, frames])
            for array in (whole.velocities, whole.accelerations)
        )
        poses = se3.compose_poses(whole.poses[:, frames], offsets)
        return cls(beams.lengths[rows], poses, twists, rates)

    def inertia(self, spread: ModalSpread) -> Array:
        """(n_times, n, 2, 6) wrenches of inertia, as `_beam_inertia` has them."""
        u, w = self.twists[..., :3], self.twists[..., 3:]
        du, dw = self.rates[..., :3], self.rates[..., 3:]
        arms = spread.centers[:, None]
        place = du + np.cross(dw, arms) + np.cross(w, u + np.cross(w, arms))
        half = 0.5 * np.stack([self.lengths, -self.lengths], axis=1)[..., None]
        axis = half * np.array([1.0, 0.0, 0.0])
        bow = np.cross(dw, axis) + np.cross(w, np.cross(w, axis))
        turns = self.poses[..., 3:]
        x, y = (quaternion.rotate(turns, vector) for vector in (place, bow))
        x_all, y_all = (v.sum(axis=-2, keepdims=True) for v in (x, y))
        mass = spread.masses[:, None, None]
        forces = inertia.OTHER * (x + x_all) + inertia.MIXED * y_all
        pulls = inertia.MIXED * x_all + inertia.BOW * y_all
        back = quaternion.conjugate(turns)
        force, pull = (quaternion.rotate(back, mass * v) for v in (forces, pulls))
        own, other = inertia.SPIN_OWN, inertia.SPIN_OTHER
        spin, change = (own * v + other * v[..., ::-1, :] for v in (w, dw))
        momentum = np.einsum("nij,tnsj->tnsi", spread.rotary, spin)
        moment = np.einsum("nij,tnsj->tnsi", spread.rotary, change)
        moment = moment + np.cross(w, momentum) + np.cross(axis, pull)
        moment = moment + np.cross(arms, force)
        return np.concatenate([force, moment], axis=-1)

    def loads(self, spread: ModalSpread, records: Records) -> Array:
        """(n_times, n, 2, 6) wrenches of weight and line loads."""
        shape = self.twists.shape
        found = np.zeros((shape[0], 2 * shape[1], 6))
        turns = self.poses.reshape(shape[0], -1, 7)[:, spread.ends, 3:]
        back = quaternion.conjugate(turns)
        signals = records.outputs[:, spread.columns, None]
        force, moment = (
            quaternion.rotate(back, signals * spread.loads[:, first : first + 3])
            for first in (0, 3)
        )
        moment = moment + np.cross(spread.loads[:, 6:], force)
        wrenches = np.concatenate([force, moment], axis=-1)
        np.add.at(found.swapaxes(0, 1), spread.ends, wrenches.swapaxes(0, 1))
        return found.reshape(shape)


def _in_section(offsets: Array, twists: Array) -> Array:
    """Twists of frames, or their rates, as those of sections in them."""
    back = quaternion.conjugate(offsets[..., 3:])
    linear = twists[..., :3] + np.cross(twists[..., 3:], offsets[..., :3])
    parts = [quaternion.rotate(back, x) for x in (linear, twists[..., 3:])]
    return np.concatenate(parts, axis=-1)


def _of_end_loads(elements: Elements, loads: Array, share: float) -> Array:
    """(n_times, n, 18) what loads on the ends add, see `elements._section_forces`."""
    first, second = elements.poses[..., 0, :], elements.poses[..., 1, :]
    half = se3.exp(0.5 * se3.relative_log(first, second))
    middle = se3.compose_poses(first, se3.pose_from_frame(half))[..., 3:]
    back = quaternion.conjugate(middle)[..., None, :]
    turn = quaternion.multiply(back, elements.poses[..., 3:])
    chord = quaternion.rotate(back[..., 0, :], second[..., :3] - first[..., :3])
    force, moment = (quaternion.rotate(turn, loads[..., k : k + 3]) for k in (0, 3))
    at_middle = np.concatenate(
        [
            share * (force[..., 0, :] - force[..., 1, :]),
            0.5 * (moment[..., 0, :] - moment[..., 1, :])
            - 0.125 * np.cross(chord, force.sum(axis=-2)),
        ],
        axis=-1,
    )
    return np.concatenate([loads[..., 0, :], at_middle, -loads[..., 1, :]], axis=-1)


def _amplitudes(body: ModalShape, array: Array) -> Array:
    """(n_times, n_modes) entries of the frames that carry amplitudes."""
    flat = array[:, body.amplitude_frames, :3].reshape(len(array), -1)
    return np.asarray(flat[:, : body.n_modes])


def _interfaces(body: ModalShape, records: Records) -> tuple[Array, Array, Array]:
    """Poses, twists and their rates of the interfaces, in their own axes."""
    poses = se3.compose_poses(records.poses[:, body.frames], body.offsets)
    turn = quaternion.conjugate(body.offsets[:, 3:])
    moved = []
    for array in (records.velocities, records.accelerations):
        twists = array[:, body.frames]
        linear = twists[..., :3] + np.cross(twists[..., 3:], body.offsets[:, :3])
        parts = [quaternion.rotate(turn, x) for x in (linear, twists[..., 3:])]
        moved.append(np.concatenate(parts, axis=-1))
    return poses, moved[0], moved[1]


def _elastic_coordinates(body: ModalShape, records: Records) -> Array:
    """(n_times, N) changes of the interfaces' relative logarithms; amplitudes."""
    poses = se3.compose_poses(records.poses[:, body.frames], body.offsets)
    logs = se3.relative_log(poses[:, :1], poses[:, 1:])
    logs[..., :3] -= body.interface_places[1:]
    amplitudes = _amplitudes(body, records.poses)
    return np.concatenate([logs.reshape(len(poses), -1), amplitudes], axis=1)


def _coordinates(
    body: ModalShape, records: Records, poses: Array, twists: Array, rates: Array
) -> tuple[Array, Array, Array]:
    """(n_times, N) deformation coordinates, rates, second rates: `_modal_motion`."""
    back = quaternion.conjugate(poses[:, :1, 3:])
    r = quaternion.rotate(back, poses[:, 1:, :3] - poses[:, :1, :3])
    q = quaternion.multiply(back, poses[:, 1:, 3:])
    q = q * np.where(q[..., :1] < 0.0, -1.0, 1.0)
    s, v = q[..., :1], q[..., 1:]
    u1, w1 = twists[:, :1, :3], twists[:, :1, 3:]
    u, w = twists[:, 1:, :3], twists[:, 1:, 3:]
    du1, dw1 = rates[:, :1, :3], rates[:, :1, 3:]
    du, dw = rates[:, 1:, :3], rates[:, 1:, 3:]
    e = quaternion.rotate(q, u)
    way = e - u1 - np.cross(w1, r)
    turning = s * (w - w1) + np.cross(v, w + w1)
    b = quaternion.rotate(q, du + np.cross(w, u))
    second = b - du1 - np.cross(dw1, r) - np.cross(w1, e + way)
    ds = -0.5 * np.sum(v * (w - w1), axis=-1, keepdims=True)
    last = s * (dw - dw1) + np.cross(v, dw + dw1)
    last = last + ds * (w - w1) + 0.5 * np.cross(turning, w + w1)
    places = r - body.interface_places[1:]
    pairs = ((places, 2.0 * v), (way, turning), (second, last))
    n = len(poses)
    arrays = (records.poses, records.velocities, records.accelerations)
    found = [
        np.concatenate(
            [np.concatenate(pair, axis=-1).reshape(n, -1), _amplitudes(body, array)],
            axis=1,
        )
        for pair, array in zip(pairs, arrays, strict=True)
    ]
    return found[0], found[1], found[2]


def _inner_motion(body: ModalShape, records: Records) -> tuple[Array, Array, Array]:
    """Poses, body-fixed velocities and accelerations of the inner nodes."""
    poses, twists, rates = _interfaces(body, records)
    q, dq, ddq = _coordinates(body, records, poses, twists, rates)
    moves, speeds, changes = (
        np.einsum("kij,tj->tki", body.shapes, x) for x in (q, dq, ddq)
    )
    place = body.places + moves[..., :3]
    # the rotation coordinate is twice the vector of the quaternion
    v, dv, ddv = (0.5 * x[..., 3:] for x in (moves, speeds, changes))
    s = np.sqrt(np.maximum(1.0 - np.sum(v * v, axis=-1, keepdims=True), 0.0))
    safe = np.where(s > 0.0, s, 1.0)
    ds = -np.sum(v * dv, axis=-1, keepdims=True) / safe
    squares = np.sum(dv * dv + v * ddv, axis=-1, keepdims=True)
    dds = -(squares + ds * ds) / safe
    turn = np.concatenate([s, v], axis=-1)
    spin = 2.0 * (s * dv - ds * v + np.cross(v, dv))
    spin_rate = 2.0 * (s * ddv - dds * v + np.cross(v, ddv))
    u1, w1 = twists[:, :1, :3], twists[:, :1, 3:]
    du1, dw1 = rates[:, :1, :3], rates[:, :1, 3:]
    linear = u1 + np.cross(w1, place) + speeds[..., :3]
    acceleration = (
        du1
        + np.cross(w1, u1)
        + np.cross(dw1, place)
        + np.cross(w1, np.cross(w1, place) + 2.0 * speeds[..., :3])
        + changes[..., :3]
    )
    back = quaternion.conjugate(turn)
    velocity = quaternion.rotate(back, linear)
    angular = quaternion.rotate(back, w1 + spin)
    acceleration = quaternion.rotate(back, acceleration) - np.cross(angular, velocity)
    angular_rate = quaternion.rotate(back, dw1 + spin_rate - np.cross(spin, w1))
    relative = np.concatenate([place, turn], axis=-1)
    return (
        se3.compose_poses(poses[:, :1], relative),
        np.concatenate([velocity, angular], axis=-1),
        np.concatenate([acceleration, angular_rate], axis=-1),
    )
