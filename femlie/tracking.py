"""Motion of points, joints and reactions, read from records.

Plain functions of a layout, records and a name; results and sensors stand on them.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from .elements.base import Array, IntArray
from .errors import FemlieError, ResultsError, check_name, suggestion
from .fields import is_whole
from .lie import quaternion, se3
from .records import Layout, Records

MotionFrame = Literal["world", "body"]
WrenchFrame = Literal["world", "part", "parent", "child"]


class Points(NamedTuple):
    """Points that ride on frames.

    Attributes
    ----------
    frames, offsets : (k,) int array, (k, 7) array
        Pose of each point's own axes in its frame. Own axes of a body are those that
        its orientation gives; of nodes, supports and joints world axes at the start.
    numbers : (k,) int array
        The user's node numbers; -1 where there is no node.
    """

    frames: IntArray
    offsets: Array
    numbers: IntArray


class Wrenches(NamedTuple):
    """Wrenches in world axes, each about its own point.

    Attributes
    ----------
    places : (n, k, 3) array
        Where the moments are taken [m].
    values : (n, k, 6) array
        Forces, then moments [N, N m].
    axes : dict of frame name -> (n, k, 4) array
        Unit quaternions of the axes that the wrenches can be expressed in.
    """

    places: Array
    values: Array
    axes: dict[str, Array]


def named_points(
    layout: Layout, name: str | int, *, error: type[FemlieError] = ResultsError
) -> Points:
    """Points of a part, of a group of the mesh, or one node by the user's number.

    Parameters
    ----------
    layout : Layout
    name : str or int
    error : type
        What to raise.

    Returns
    -------
    Points

    Raises
    ------
    FemlieError
        If nothing has that name, or one of its nodes belongs to no part.
    """
    catalog = layout.catalog
    if isinstance(name, str):
        if name not in catalog.groups:
            return _points_without_nodes(layout, name, error)
        nodes = catalog.groups[name]
    else:
        if not is_whole(name):
            raise error(
                f"{name!r} was given for a place: expected the name of a part or a "
                "group, or the number of a node."
            )
        numbers = catalog.node_numbers[catalog.node_numbers >= 0]
        nodes = np.flatnonzero((catalog.node_numbers == name) & (name >= 0))
        if nodes.size == 0:
            span = f"{numbers.min()} to {numbers.max()}" if numbers.size else "none"
            raise error(f"There is no node {name}; the mesh has nodes {span}.")
    frames = catalog.node_frames[nodes]
    if (frames < 0).any():
        orphan = catalog.node_numbers[nodes][int(np.argmax(frames < 0))]
        message = (
            f"Node {orphan} of '{name}' belongs to no part, so that it has no motion; "
            "ask for a group without it."
        )
        raise error(message)
    return Points(frames, catalog.node_offsets[nodes], catalog.node_numbers[nodes])


def _points_without_nodes(
    layout: Layout, name: str, error: type[FemlieError]
) -> Points:
    """Points of a support, of a joint on its child, or of a body; world axes."""
    catalog, joints = layout.catalog, layout.joints
    if name in catalog.support_points:
        held = catalog.support_points[name]
        frames, places = held[:, 0].astype(np.int64), held[:, 1:4]
    elif name in joints.rows:
        rows = joints.rows[name]
        frames, places = joints.frames[rows, 1], joints.offsets[rows, 1, :3]
    elif name in catalog.surfaces:
        frames, places = np.array([catalog.surfaces[name].frame]), np.zeros((1, 3))
    else:
        known = (*catalog.groups, *catalog.support_points, *joints.rows)
        hint = suggestion(name, {*known, *catalog.surfaces}, what="parts and groups")
        raise error(f"There is no part or group '{name}' that has a place. {hint}")
    turns = quaternion.conjugate(layout.start[frames, 3:])
    offsets = np.concatenate((places, turns), axis=1)
    return Points(frames, offsets, np.full(frames.size, -1))


def point_poses(poses: Array, points: Points) -> Array:
    """Poses of points.

    Parameters
    ----------
    poses : (..., n_frames, 7) array
    points : Points

    Returns
    -------
    (..., k, 7) array
    """
    return se3.compose_poses(poses[..., points.frames, :], points.offsets)


def displacements(layout: Layout, records: Records, points: Points) -> Array:
    """(n, k, 3) way of each point from its place as meshed [m], world axes."""
    start = point_poses(layout.start, points)[..., :3]
    return np.asarray(point_poses(records.poses, points)[..., :3] - start)


def turns_since(layout: Layout, records: Records, points: Points) -> Array:
    """(n, k, 4) quaternions of the rotations since the mesh, world axes."""
    start = point_poses(layout.start, points)[..., 3:]
    now = point_poses(records.poses, points)[..., 3:]
    return np.asarray(quaternion.multiply(now, quaternion.conjugate(start)))


def _turn(points: Points, poses: Array, frame: MotionFrame) -> Array:
    """Quaternions from the axes of the frames to world, or to the points' axes."""
    if frame == "world":
        return np.asarray(poses[:, points.frames, 3:])
    if frame == "body":
        return quaternion.conjugate(points.offsets[:, 3:])
    raise ResultsError(f"frame is {frame!r}, expected 'world' or 'body'.")


def velocities(records: Records, points: Points, frame: MotionFrame) -> Array:
    """Velocities of points.

    Parameters
    ----------
    records : Records
    points : Points
    frame : "world" or "body"
        Axes that both vectors are given in: world, or the points' own.

    Returns
    -------
    (n, k, 6) array
        Velocity of the point [m/s], then angular velocity [rad/s].
    """
    twists = records.velocities[:, points.frames]
    arms = points.offsets[:, :3]
    turn = _turn(points, records.poses, frame)
    spin = twists[..., 3:]
    linear = twists[..., :3] + np.cross(spin, arms)
    return np.concatenate(
        (quaternion.rotate(turn, linear), quaternion.rotate(turn, spin)), axis=-1
    )


def accelerations(records: Records, points: Points, frame: MotionFrame) -> Array:
    """Accelerations of points, as seen from space.

    Parameters
    ----------
    records : Records
    points : Points
    frame : "world" or "body"
        Axes that both vectors are given in: world, or the points' own.

    Returns
    -------
    (n, k, 6) array
        Acceleration of the point [m/s^2], then angular acceleration [rad/s^2].

    Notes
    -----
    With the body twist (u, w) and the arm p: ``du/dt + w x (u + w x p) + dw/dt x p``.
    """
    twists = records.velocities[:, points.frames]
    rates = records.accelerations[:, points.frames]
    arms = points.offsets[:, :3]
    turn = _turn(points, records.poses, frame)
    spin = twists[..., 3:]
    linear = (
        rates[..., :3]
        + np.cross(spin, twists[..., :3] + np.cross(spin, arms))
        + np.cross(rates[..., 3:], arms)
    )
    return np.concatenate(
        (quaternion.rotate(turn, linear), quaternion.rotate(turn, rates[..., 3:])),
        axis=-1,
    )


def wrenches(layout: Layout, records: Records, name: str) -> Wrenches:
    """What a support does to each held node, or a joint to its child.

    Parameters
    ----------
    layout : Layout
    records : Records
    name : str
        A support, a joint, or a spring between two frames.

    Returns
    -------
    Wrenches
        About the held nodes, with the axes of the ``"part"``; or about the child's
        joint frames, with the axes of ``"parent"`` and ``"child"``.
    """
    if name in layout.catalog.support_points:
        return _support_wrenches(layout, records, name)
    return joint_wrenches(layout, records, layout.joints.rows[name])


def joint_wrenches(layout: Layout, records: Records, rows: IntArray) -> Wrenches:
    """What elements between two frames do to their children."""
    table = layout.joints
    parent, child = (
        se3.compose_poses(
            records.poses[:, table.frames[rows, side]], table.offsets[rows, side]
        )
        for side in (0, 1)
    )
    local = records.outputs[:, table.wrenches[rows][:, None] + np.arange(6)]
    return Wrenches(
        child[..., :3],
        _turned(child[..., 3:], local),
        {"parent": parent[..., 3:], "child": child[..., 3:]},
    )


def _support_wrenches(layout: Layout, records: Records, name: str) -> Wrenches:
    held = layout.catalog.support_points[name]
    frames = held[:, 0].astype(np.int64)
    poses = se3.compose_poses(records.poses[:, frames], held[:, 1:])
    # nodes on one body share a frame: its wrench is shown at the first of them
    unique, first = np.unique(frames, return_index=True)
    values = np.zeros((*poses.shape[:2], 6))
    locked = layout.catalog.locked.get(name)
    if locked is not None and locked.size:
        mask = np.zeros((frames.size, 6))
        mask[first[np.searchsorted(unique, locked[:, 0])], locked[:, 1]] = 1.0
        owners = np.flatnonzero(mask.any(axis=1))
        slots = np.searchsorted(layout.locked_frames, frames[owners])
        local = records.reactions[:, slots] * mask[owners]
        local[..., 3:] -= np.cross(held[owners, 1:4], local[..., :3])
        turn = records.poses[:, frames[owners], 3:]
        values[:, owners] = _turned(turn, local)
    rows = layout.joints.rows.get(name)
    if rows is not None:
        by_rows = joint_wrenches(layout, records, rows)
        owners = first[np.searchsorted(unique, layout.joints.frames[rows, 1])]
        moved = by_rows.values.copy()
        arms = by_rows.places - poses[:, owners, :3]
        moved[..., 3:] += np.cross(arms, moved[..., :3])
        values += np.einsum("nji,jk->nki", moved, np.eye(frames.size)[owners])
    return Wrenches(poses[..., :3], values, {"part": poses[..., 3:]})


def _turned(turn: Array, values: Array) -> Array:
    return np.concatenate(
        (
            quaternion.rotate(turn, values[..., :3]),
            quaternion.rotate(turn, values[..., 3:]),
        ),
        axis=-1,
    )


def check_wrenches(
    layout: Layout,
    name: str,
    frame: WrenchFrame,
    *,
    error: type[FemlieError] = ResultsError,
) -> None:
    """Refuse names without reactions and frames that they cannot be given in."""
    points = layout.catalog.support_points
    held = {*points, *layout.joints.rows}
    check_name(name, held, what="supports and joints", error=error)
    if name not in points and name not in layout.joints.rows:
        hint = suggestion(name, held, what="supports and joints")
        raise error(f"There is no support or joint '{name}'. {hint}")
    frames = ("world", "part") if name in points else ("world", "parent", "child")
    if frame not in frames:
        hint = suggestion(str(frame), frames, what="frames")
        raise error(f"Reactions of '{name}' have no frame '{frame}'. {hint}")


def expressed(found: Wrenches, frame: WrenchFrame) -> Array:
    """(n, k, 6) wrenches in other axes, about the same points."""
    if frame == "world":
        return found.values
    return _turned(quaternion.conjugate(found.axes[frame]), found.values)


def total_wrench(found: Wrenches, frame: WrenchFrame) -> Array:
    """Sum of wrenches about the mean of their points.

    Parameters
    ----------
    found : Wrenches
    frame : "world", "part", "parent" or "child"
        Of several points, the axes of the first one.

    Returns
    -------
    (n, 6) array
        Force, then moment [N, N m].
    """
    arms = found.places - found.places.mean(axis=1, keepdims=True)
    moments = found.values[..., 3:] + np.cross(arms, found.values[..., :3])
    total = np.concatenate(
        (found.values[..., :3].sum(axis=1), moments.sum(axis=1)), axis=-1
    )
    if frame != "world":
        total = _turned(quaternion.conjugate(found.axes[frame][:, 0]), total)
    return total
