"""Joints, springs and end releases become rows between two frames."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..elements.base import Array
from ..elements.joint import (
    JointElement,
    JointKind,
    free_rows,
    held_rows,
)
from ..elements.joint_row import Row, RowAction, RowKind
from ..errors import ModelError
from ..parts.connections import GROUND, EndRelease, Joint
from ..parts.structure import SpringDamper
from ..system import Glyph
from .joint_laws import law_rows, spring_row
from .places import Places, frame_from_axes, pose_in
from .signals import SignalTable

# joints for which it matters where the first axis across lies
HAS_SECOND_AXIS = (JointKind.UNIVERSAL, JointKind.PLANAR, JointKind.POINT_ON_PLANE)


def joint_element(
    part: Joint, places: Places, signals: SignalTable, size: float
) -> tuple[JointElement, Glyph]:
    """Rows of a joint with its motors, springs, soft stops and friction.

    ``size`` is that of the model.

    Raises
    ------
    ModelError
        A joint between a thing and itself, an unknown place, an option that the kind
        of joint does not have.
    """
    user = f"Joint '{part.name}'"
    parent, parent_frame = places.frame_of(part.parent, user=user)
    child, child_frame = places.frame_of(part.child, user=user)
    if parent == child:
        what = (
            f"'{part.parent}' and itself"
            if part.parent == part.child
            else f"'{part.parent}' and '{part.child}', which are tied rigidly"
        )
        raise ModelError(f"{user} is between {what}: name two things that can move.")
    _check_options(part, user)
    frame, on_child, distance = joint_frames(part, places)
    if part.kind is JointKind.DISTANCE and distance == 0.0:
        raise ModelError(
            f"{user} holds the distance of two points that lie in one place: expected "
            "a positive one. Place them apart, or hold them together by a spherical "
            "joint."
        )
    pitch = 0.0 if part.pitch is None else part.pitch / (2.0 * math.pi)
    held = held_rows(part.kind, pitch=pitch, distance=distance or math.nan)
    laws = law_rows(part, signals, np.linalg.inv(frame) @ on_child, size)
    # results find the free coordinates at the end
    rows = (*held, *laws, *free_rows(part.kind))
    element = JointElement(
        part.name,
        parent,
        child,
        pose_in(parent_frame, frame),
        pose_in(child_frame, on_child),
        rows,
    )
    return element, _glyph(element, "joint", part.kind.value)


def joint_frames(part: Joint, places: Places) -> tuple[Array, Array, float]:
    """(4, 4) joint frames on parent and child at the start, and their distance."""
    frame = frame_from_axes(_joint_position(part, places), part.axis, part.second_axis)
    on_child = frame.copy()
    if part.child_position is not None:
        on_child[:3, 3] = part.child_position
    return frame, on_child, float(np.linalg.norm(on_child[:3, 3] - frame[:3, 3]))


def _joint_position(part: Joint, places: Places) -> Array:
    user = f"Joint '{part.name}'"
    if part.position is not None and not isinstance(part.position, str):
        return np.asarray(part.position, dtype=float)
    name = part.position
    if name is None:
        is_node = part.child != GROUND and part.child not in places.body_nodes
        name = part.child if is_node or part.parent == GROUND else part.parent
    return np.asarray(places.positions[places.node(name, user=user)])


def _check_second_axis(part: Joint | EndRelease, user: str) -> None:
    if part.second_axis is None:
        return
    if part.kind not in HAS_SECOND_AXIS:
        known = ", ".join(k.value for k in HAS_SECOND_AXIS)
        raise ModelError(
            f"{user} has a second_axis, which only these joints use: {known}. It "
            f"is {part.kind.value}: leave it out."
        )
    first = np.asarray(part.axis, float) / np.linalg.norm(part.axis)
    second = np.asarray(part.second_axis, float)
    second = second / np.linalg.norm(second)
    if abs(first @ second) > 1e-6:
        raise ModelError(
            f"The axes of {user} must be at right angles: {part.axis} and "
            f"{part.second_axis} are not."
        )


def _check_options(part: Joint, user: str) -> None:
    kind = part.kind
    _check_second_axis(part, user)
    if (part.pitch is not None) != (kind is JointKind.SCREW):
        raise ModelError(
            f"{user} is a {kind.value} joint "
            + (
                "with a pitch, which only screws have: leave it out."
                if part.pitch is not None
                else "without pitch: give the advance per turn [m]."
            )
        )
    if kind is JointKind.DISTANCE and tuple(part.axis) != Joint.axis:
        raise ModelError(
            f"{user} has an axis, which a distance does not have: leave it out."
        )
    if kind is JointKind.DISTANCE and part.child_position is None:
        raise ModelError(
            f"{user} holds a distance: give position and child_position, the two "
            "points."
        )


def spring_element(part: SpringDamper, places: Places) -> tuple[JointElement, Glyph]:
    """A spring-damper between two points."""
    user = f"Spring '{part.name}'"
    first, first_frame = places.frame_of(part.first, user=user)
    second, second_frame = places.frame_of(part.second, user=user)
    if first == second:
        raise ModelError(f"{user} has both ends on the same rigid thing.")
    _check_spring(part, user)
    ends = np.array([np.eye(4), np.eye(4)])
    ends[0, :3, 3] = _spring_end(part.first, part.first_point, places, user)
    ends[1, :3, 3] = _spring_end(part.second, part.second_point, places, user)
    distance = float(np.linalg.norm(ends[1, :3, 3] - ends[0, :3, 3]))
    if distance == 0.0:
        raise ModelError(
            f"{user} has no length between its points, so no direction: use a bushing."
        )
    row = Row(
        RowKind.DISTANCE,
        action=RowAction.LAW,
        stiffness=part.stiffness,
        damping=part.damping,
        rest=distance if part.length is None else part.length,
    )
    offsets = pose_in(first_frame, ends[0]), pose_in(second_frame, ends[1])
    element = JointElement(part.name, first, second, *offsets, (row,))
    return element, _glyph(element, "spring", "spring")


def _check_spring(part: SpringDamper, user: str) -> None:
    if part.stiffness < 0.0 or part.damping < 0.0:
        raise ModelError(
            f"{user} has stiffness {part.stiffness:g} and damping {part.damping:g}: "
            "neither may be negative."
        )
    if part.stiffness == 0.0 and part.damping == 0.0:
        raise ModelError(f"{user} has neither stiffness nor damping: give one.")
    if part.stiffness == 0.0 and part.length is not None:
        raise ModelError(
            f"{user} has a length but no stiffness, so it would do nothing: leave it "
            "out."
        )


def _spring_end(name: str, point: Any, places: Places, user: str) -> Any:
    """Place of an end of a spring: its point, else its node."""
    if point is not None:
        return point
    if name == GROUND:
        raise ModelError(f"{user} ends on the ground: say where by its point.")
    return places.positions[places.node(name, user=user)]


def _glyph(element: JointElement, kind: str, label: str) -> Glyph:
    return Glyph(
        element.name,
        kind,
        label,
        element.child_frame,
        element.parent_frame,
        np.asarray(element.child_offset),
        np.asarray(element.parent_offset),
        np.zeros(3),
    )


def release_elements(
    part: EndRelease, places: Places
) -> tuple[list[JointElement], list[Glyph]]:
    """Joints between nodes and the released ends of a beam, and what is drawn there."""
    user = f"End release '{part.name}'"
    if part.kind in (JointKind.FIXED, JointKind.SCREW, JointKind.DISTANCE):
        raise ModelError(
            f"{user} is {part.kind.value}: expected a kind that releases something and "
            "needs axes only, such as spherical or revolute."
        )
    _check_second_axis(part, user)
    elements = []
    for (node, name), clone in places.clones.items():
        if name != part.name:
            continue
        frame = frame_from_axes(places.positions[node], part.axis, part.second_axis)
        parent = int(places.node_frames[node])
        child = int(places.node_frames[clone])
        if parent < 0:
            raise ModelError(
                f"{user}: nothing else is at {places.labels[node]}; use a support."
            )
        laws = (
            () if part.spring is None else (spring_row(part.spring, part.kind, user),)
        )
        rows = (*held_rows(part.kind), *laws, *free_rows(part.kind))
        elements.append(
            JointElement(
                part.name,
                parent,
                child,
                pose_in(places.frames[parent], frame),
                pose_in(places.frames[child], frame),
                rows,
            )
        )
    return elements, [_glyph(e, "release", part.kind.value) for e in elements]
