"""Relative frames in the motions of joints that are nearest to given poses."""

from __future__ import annotations

import numpy as np

from ..elements.base import Array
from ..lie import se3
from ._data import SEPARATE, SUBGROUP
from .edges import Edge
from .structure import Structure


def nearest_relative(structure: Structure, poses: Array) -> tuple[Array, Array]:
    """Relative frames in the joints' motions, nearest to those of given poses.

    Parameters
    ----------
    structure : Structure
    poses : (n_frames, 7) array

    Returns
    -------
    relatives : (n_bodies, 7) array
    gaps : (n_bodies, 2) array
        How far [m], and by how much [rad], the joint frames of each branch had to be
        moved.
    """
    edges = structure.edges
    pairs = np.array([(e.parent, e.child) for e in edges], dtype=np.int64).reshape(
        -1, 2
    )
    offsets = [np.array([e.parent_offset for e in edges]).reshape(-1, 7)]
    offsets.append(np.array([e.child_offset for e in edges]).reshape(-1, 7))
    ends = [se3.compose_poses(poses[pairs[:, i]], offsets[i]) for i in (0, 1)]
    given = se3.compose_poses(se3.inverse_pose(ends[0]), ends[1])
    relatives = given.copy()
    for b, edge in enumerate(edges):
        relatives[b] = _project(edge, given[b])
    apart = se3.compose_poses(se3.inverse_pose(relatives), given)
    apart = se3.log(se3.frame_from_pose(apart))
    gaps = np.stack(
        [np.linalg.norm(apart[:, :3], axis=1), np.linalg.norm(apart[:, 3:], axis=1)],
        axis=1,
    )
    return relatives, gaps


def _project(edge: Edge, pose: Array) -> Array:
    place, turn = pose[:3].copy(), pose[3:].copy()
    chosen = edge.directions
    if edge.motion not in (SUBGROUP, SEPARATE):
        halves = universal_angles(turn) / 2.0
        (ca, cb), (sa, sb) = np.cos(halves), np.sin(halves)
        turn = np.array([ca * cb, ca * sb, sa * sb, sa * cb])
        turn *= 1.0 if turn @ pose[3:] >= 0.0 else -1.0
        return np.concatenate([np.zeros(3), turn])
    kept = np.zeros(3)
    for i in range(3):
        if i in chosen:
            kept[i] = place[i]
    turns = [i - 3 for i in chosen if i >= 3]
    if not turns:
        turn = np.array([1.0 if turn[0] >= 0.0 else -1.0, 0.0, 0.0, 0.0])
    elif len(turns) == 1:
        part = turn[[0, 1 + turns[0]]]
        turn = np.zeros(4)
        turn[[0, 1 + turns[0]]] = part / np.linalg.norm(part)
        pitch = float(edge.axes[0, turns[0]]) if len(chosen) == 1 else 0.0
        if pitch != 0.0:
            kept[turns[0]] = _turned_by_screw(pitch, place[turns[0]], turn, turns[0])
    return np.concatenate([kept, turn])


def universal_angles(turn: Array) -> Array:
    """Angles (..., 2) of ``exp(a e_z) exp(b e_x)`` from its quaternion (..., 4)."""
    w, x, y, z = np.moveaxis(turn, -1, 0)
    # the third row of R is (0, sin b, cos b)
    second = np.arctan2(2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y))
    return np.stack([2.0 * np.arctan2(z, w), second], axis=-1)


def _turned_by_screw(pitch: float, place: float, turn: Array, axis: int) -> float:
    """Place along a screw's axis, of the turn nearest to a given place."""
    angle = 2.0 * np.arctan2(turn[1 + axis], turn[0])
    full = 2.0 * np.pi
    n = np.round((place / pitch - angle) / full)
    return float(pitch * (angle + full * n))
