"""Motion and section forces inside modal bodies, from what their frames do.

A run records interfaces and amplitudes. Inner nodes follow from them, and stand behind
the frames of the model where anybody looks; their section forces behind the outputs.
"""

from __future__ import annotations

import numpy as np

from .elements.base import Array
from .lie import quaternion, se3
from .records import Layout, Records
from .system import ModalShape


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
    forces = [records.outputs]
    for body in bodies.values():
        rows = slice(body.first_frame - n_frames, None)
        rows = slice(rows.start, rows.start + len(body.places))
        for target, values in zip(found, _inner_motion(body, records), strict=True):
            target[:, rows] = values
        strains = _elastic_coordinates(body, records)
        values = np.einsum("eij,tj->tei", body.forces, strains)
        forces.append(values.reshape(records.times.size, -1))
    arrays = (records.poses, records.velocities, records.accelerations)
    poses, velocities, accelerations = (
        np.concatenate(pair, axis=1) for pair in zip(arrays, found, strict=True)
    )
    return records._replace(
        poses=poses,
        velocities=velocities,
        accelerations=accelerations,
        outputs=np.concatenate(forces, axis=1),
    )


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
