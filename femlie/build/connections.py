"""Joints, springs and end releases become rows between two frames."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..elements.base import Array
from ..elements.joint import (
    JointElement,
    JointKind,
    Row,
    RowAction,
    RowKind,
    free_rows,
    held_rows,
)
from ..errors import ModelError
from ..parts.connections import (
    GROUND,
    EndRelease,
    Joint,
    JointCoordinate,
    JointSpring,
    Motor,
    Stop,
)
from ..parts.structure import SpringDamper
from ..system import Glyph
from .places import Places, frame_from_axes, pose_in
from .signals import SignalTable

HOLD, LAW = RowAction.HOLD, RowAction.LAW
COORDINATES = {
    JointCoordinate.ANGLE: (RowKind.ANGLE, 2),
    JointCoordinate.ALONG: (RowKind.COMPONENT, 2),
    JointCoordinate.ACROSS_1: (RowKind.COMPONENT, 0),
    JointCoordinate.ACROSS_2: (RowKind.COMPONENT, 1),
}
# joints for which it matters where the first axis across lies
HAS_SECOND_AXIS = (JointKind.UNIVERSAL, JointKind.PLANAR, JointKind.POINT_ON_PLANE)
ROW_NAMES = {key: coordinate.value for coordinate, key in COORDINATES.items()}


def as_tuple(given: Any) -> tuple[Any, ...]:
    """One record, several or none, as a tuple."""
    if given is None:
        return ()
    return tuple(given) if isinstance(given, (tuple, list)) else (given,)


def joint_element(
    part: Joint, places: Places, signals: SignalTable
) -> tuple[JointElement, Glyph]:
    """Rows of a joint with its motors, springs and stops.

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
    laws = _laws(part, signals, user)
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


def _laws(part: Joint, signals: SignalTable, user: str) -> list[Row]:
    rows = []
    for motor in as_tuple(part.motor):
        rows.append(_motor_row(motor, part, signals, user))
    _check_motors(rows, user)
    for spring in as_tuple(part.spring):
        rows.append(_spring_row(spring, part.kind, user))
    for stop in as_tuple(part.stop):
        rows.append(_stop_row(stop, part.kind, user))
    return rows


def _check_motors(rows: list[Row], user: str) -> None:
    """Refuse a coordinate that two motors move, or one moves and another pushes."""
    driven = [(row.kind, row.i) for row in rows if row.action is HOLD]
    pushed = {(row.kind, row.i) for row in rows if row.action is LAW}
    if len(set(driven)) < len(driven):
        named = next(ROW_NAMES.get(row, "free") for row in driven)
        raise ModelError(
            f"{user} has two motors with a motion on its coordinate '{named}': a "
            "coordinate follows one motion; use one motor with a table."
        )
    for row in driven:
        if row in pushed:
            raise ModelError(
                f"{user} has a motor with a motion and one with a torque on its "
                f"coordinate '{ROW_NAMES.get(row, 'free')}': the motion decides, so "
                "that the torque would do nothing; leave one of them out."
            )


def _coordinate(
    coordinate: JointCoordinate | None, kind: JointKind, user: str
) -> tuple[RowKind, int]:
    free = [(row.kind, row.i) for row in free_rows(kind)]
    named = [ROW_NAMES[row] for row in free if row in ROW_NAMES]
    if not free:
        raise ModelError(
            f"{user} is {kind.value} and has no coordinate that a motor, spring or "
            "stop could act on."
        )
    if coordinate is None:
        return free[0]
    if COORDINATES[coordinate] not in free:
        raise ModelError(
            f"{user} is {kind.value} and has no coordinate '{coordinate.value}': it "
            f"has {', '.join(named)}."
        )
    return COORDINATES[coordinate]


def _motor_row(motor: Motor, part: Joint, signals: SignalTable, user: str) -> Row:
    kind, i = _coordinate(motor.coordinate, part.kind, user)
    if (motor.motion is None) == (motor.torque is None):
        raise ModelError(
            f"The motor of {user} needs either motion or torque, not both or none."
        )
    if motor.motion is not None:
        signal = signals.number(motor.over_time, part=part.name, is_motion=True)
        return Row(kind, i, action=HOLD, amplitude=motor.motion, signal=signal)
    signal = signals.number(motor.over_time, part=part.name)
    torque = 0.0 if motor.torque is None else motor.torque
    return Row(kind, i, action=LAW, torque=torque, torque_signal=signal)


def _spring_row(spring: JointSpring, kind: JointKind, user: str) -> Row:
    row, i = _coordinate(spring.coordinate, kind, user)
    if spring.stiffness < 0.0 or spring.damping < 0.0:
        raise ModelError(
            f"The spring of {user} has stiffness {spring.stiffness:g} and damping "
            f"{spring.damping:g}: neither may be negative."
        )
    if spring.stiffness == 0.0 and spring.damping == 0.0:
        raise ModelError(
            f"The spring of {user} has neither stiffness nor damping and would do "
            "nothing: give one."
        )
    if spring.stiffness == 0.0 and spring.rest != 0.0:
        raise ModelError(
            f"The spring of {user} has a rest but no stiffness, so it would do "
            "nothing: leave it out."
        )
    return Row(
        row,
        i,
        action=LAW,
        stiffness=spring.stiffness,
        damping=spring.damping,
        rest=spring.rest,
    )


def _stop_row(stop: Stop, kind: JointKind, user: str) -> Row:
    row, i = _coordinate(stop.coordinate, kind, user)
    lower = -math.inf if stop.lower is None else stop.lower
    upper = math.inf if stop.upper is None else stop.upper
    if stop.lower is None and stop.upper is None:
        raise ModelError(f"The stop of {user} has no limit: give lower or upper.")
    if not lower < upper:
        raise ModelError(
            f"The stop of {user} has lower {lower:g} not below upper {upper:g}."
        )
    if not stop.stiffness > 0.0 or stop.damping < 0.0:
        raise ModelError(
            f"The stop of {user} needs a positive stiffness and no negative damping, "
            f"got {stop.stiffness:g} and {stop.damping:g}."
        )
    return Row(
        row,
        i,
        action=LAW,
        lower=lower,
        upper=upper,
        stop_stiffness=stop.stiffness,
        stop_damping=stop.damping,
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
        action=LAW,
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
            () if part.spring is None else (_spring_row(part.spring, part.kind, user),)
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
