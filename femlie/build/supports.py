"""Supports lock directions of frames where they can, and add rows where they cannot."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..elements.base import Array, IntArray
from ..elements.joint import (
    JointElement,
)
from ..elements.joint_row import (
    Row,
    RowAction,
    RowKind,
)
from ..errors import ModelError
from ..lie.subgroup import is_subgroup
from ..parts.connections import Support, SupportKind
from .places import Places, frame_from_axes, pose_in
from .signals import SignalTable

HOLD = RowAction.HOLD
# free directions of supports: three translations, three rotations, support axes
FREE_MASKS: dict[SupportKind, tuple[int, ...]] = {
    SupportKind.CLAMPED: (0, 0, 0, 0, 0, 0),
    SupportKind.PINNED: (0, 0, 0, 1, 1, 1),
    SupportKind.HINGED: (0, 0, 0, 0, 0, 1),
    SupportKind.SLIDING: (0, 0, 1, 0, 0, 0),
    SupportKind.CYLINDRICAL: (0, 0, 1, 0, 0, 1),
    SupportKind.PLANAR: (1, 1, 0, 0, 0, 1),
    SupportKind.ROLLER: (1, 1, 0, 1, 1, 1),
    SupportKind.GUIDED: (1, 1, 1, 0, 0, 0),
}


def free_mask(part: Support) -> tuple[bool, ...]:
    """Directions that a support leaves free, in its axes."""
    user = f"Support '{part.name}'"
    if part.kind is SupportKind.CUSTOM:
        if part.held is None or len(part.held) != 6:
            raise ModelError(
                f"{user} is custom: held must be six times true or false (three "
                "translations, three rotations)."
            )
        if not any(part.held):
            raise ModelError(f"{user} holds nothing: leave it out.")
        return tuple(not bool(h) for h in part.held)
    if part.held is not None:
        raise ModelError(
            f"{user} is {part.kind.value} and has held, which only custom supports use."
        )
    return tuple(bool(f) for f in FREE_MASKS[part.kind])


def is_eliminated(part: Support) -> bool:
    """Whether a support can lock unknowns instead of adding rows."""
    has_motion = part.displacement is not None or part.rotation is not None
    if part.over_time is not None and not has_motion:
        raise ModelError(
            f"Support '{part.name}' has over_time but no displacement or rotation that "
            "it could act on."
        )
    return not has_motion and is_subgroup(free_mask(part))


def support_frame(part: Support, position: Any) -> Array:
    """(4, 4) frame of a support at a node."""
    return frame_from_axes(position, part.axis, part.first_axis)


def preferred_frames(parts: dict[str, Any], places: Places) -> dict[int, Array]:
    """Frames that eliminated supports want at their nodes."""
    frames: dict[int, Array] = {}
    for part in parts.values():
        if isinstance(part, Support) and is_eliminated(part) and any(free_mask(part)):
            for node in places.nodes(part.at, user=f"Support '{part.name}'").tolist():
                frames.setdefault(node, support_frame(part, places.positions[node]))
    return frames


def support_locks(
    part: Support, places: Places, numbers: IntArray
) -> tuple[list[tuple[int, int]], list[int]]:
    """Lock what can be; returns locked (frame, direction) and nodes left for rows."""
    user = f"Support '{part.name}'"
    free = np.array(free_mask(part))
    locked: list[tuple[int, int]] = []
    left: list[int] = []
    nodes = places.carried(part.at, user=user)
    places.refuse_elsewhere(part.name, nodes, user=user)
    for node in nodes.tolist():
        frame = int(places.node_frames[node])
        wanted = support_frame(part, places.positions[node])
        fits = not np.any(free) or np.allclose(
            places.frames[frame], wanted, rtol=0.0, atol=1e-12
        )
        # where no rotation is left, whatever translations stay free are a subgroup
        can_lock = np.all(numbers[frame, :3] >= 0) and (
            np.all(numbers[frame, 3:] >= 0) or np.all(numbers[frame, 3:] < 0)
        )
        if is_eliminated(part) and fits and can_lock:
            taken = np.flatnonzero(~free & (numbers[frame] >= 0)).tolist()
            if not taken:
                raise ModelError(
                    f"{user} holds at {places.labels[node]} only what is held there "
                    "already: remove it."
                )
            for direction in taken:
                numbers[frame, direction] = -1
                locked.append((frame, direction))
        elif np.all(numbers[frame] < 0):
            raise ModelError(
                f"{user} holds {places.labels[node]}, which another support already "
                "clamps: remove one of them."
            )
        else:
            left.append(node)
    return locked, left


def support_element(
    part: Support, node: int, places: Places, signals: SignalTable
) -> JointElement:
    """Rows of a support that moves, or whose free motions form no subgroup."""
    frame = support_frame(part, places.positions[node])
    held = ~np.array(free_mask(part))
    angle = 0.0
    if part.rotation is not None:
        angle, frame = _turning_frame(part, held, frame)
        held[3:] = True
    moved = _moved(part, held, frame)
    signal = signals.number(part.over_time, part=part.name, is_motion=True)
    row = Row(RowKind.COMPONENT, action=HOLD, signal=signal)
    rows = [
        replace(row, i=i, amplitude=float(moved[i]))
        for i in np.flatnonzero(held[:3]).tolist()
    ]
    rows += _rotation_rows(held[3:], angle, signal)
    number = int(places.node_frames[node])
    return JointElement(
        part.name,
        0,
        number,
        pose_in(np.eye(4), frame),
        pose_in(places.frames[number], frame),
        tuple(rows),
    )


def _turning_frame(part: Support, held: Any, frame: Array) -> tuple[float, Array]:
    """Prescribed angle, and the support's frame with its third axis along the turn."""
    user = f"Support '{part.name}'"
    rotation = np.asarray(part.rotation, dtype=float)
    angle = float(np.linalg.norm(rotation))
    if angle == 0.0:
        raise ModelError(f"rotation of {user} is zero: leave it out.")
    axis = rotation / angle
    along = abs(float(axis @ frame[:3, 2])) > 1.0 - 1e-9
    if not np.all(held[3:]) and not along:
        raise ModelError(
            f"{user} is {part.kind.value}: its rotation can be prescribed about "
            "its axis only, or use a clamped support."
        )
    if not along and not (np.all(held[:3]) or not np.any(held[:3])):
        raise ModelError(
            f"{user} holds some translations only, so its rotation must be about "
            "its axis."
        )
    first = frame[:3, 0] if along else None
    return angle, frame_from_axes(frame[:3, 3], axis, first)


def _moved(part: Support, held: Any, frame: Array) -> Array:
    """(3,) prescribed displacement in the axes of the support."""
    if part.displacement is None:
        return np.zeros(3)
    user = f"Support '{part.name}'"
    moved: Array = frame[:3, :3].T @ np.asarray(part.displacement, dtype=float)
    size = float(np.linalg.norm(moved))
    if size == 0.0:
        raise ModelError(f"displacement of {user} is zero: leave it out.")
    if np.any(np.abs(moved[~held[:3]]) > 1e-12 * size):
        raise ModelError(
            f"displacement {part.displacement} of {user} has a part along a "
            "direction that the support leaves free."
        )
    return moved


def _rotation_rows(held: Any, angle: float, signal: int) -> list[Row]:
    """Rows that hold rotations about support axes; none of them meets a branch cut."""
    row = Row(RowKind.DIRECTION, action=HOLD)
    axes = np.flatnonzero(held).tolist()
    if len(axes) == 3:
        return [
            replace(row, i=0, j=2),
            replace(row, i=1, j=2),
            Row(RowKind.ANGLE, action=HOLD, amplitude=angle, signal=signal),
        ]
    if len(axes) == 2:
        free = int(np.flatnonzero(~np.asarray(held))[0])
        return [replace(row, i=i, j=free) for i in axes]
    if len(axes) == 1:
        k = axes[0]
        return [replace(row, i=(k + 1) % 3, j=(k + 2) % 3)]
    return []
