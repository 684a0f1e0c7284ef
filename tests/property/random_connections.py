"""Random joints, supports, springs, bushings and releases that start consistent."""

from __future__ import annotations

from typing import Any

import numpy as np

import femlie as fl
from femlie.elements.joint import JointKind
from tests.property.random_sections import Draw

ANGLE, ALONG = fl.JointCoordinate.ANGLE, fl.JointCoordinate.ALONG
ACROSS = (fl.JointCoordinate.ACROSS_1, fl.JointCoordinate.ACROSS_2)
COORDINATES: dict[JointKind, tuple[fl.JointCoordinate, ...]] = {
    fl.REVOLUTE: (ANGLE,),
    fl.PRISMATIC: (ALONG,),
    fl.SCREW: (ANGLE,),
    fl.CYLINDRICAL: (ALONG, ANGLE),
    fl.UNIVERSAL: (ANGLE,),
    fl.PLANAR: (*ACROSS, ANGLE),
    fl.POINT_ON_LINE: (ALONG,),
    fl.POINT_ON_PLANE: ACROSS,
}
# the first axis of the joint matters for these
HAS_FIRST_AXIS = (fl.UNIVERSAL, fl.PLANAR, fl.POINT_ON_PLANE)
RELEASES = (fl.REVOLUTE, fl.SPHERICAL, fl.CYLINDRICAL, fl.PRISMATIC, fl.PLANAR)


def table(draw: Draw, horizon: float, *, is_motion: bool = False) -> fl.Table:
    """A factor that starts at zero; motions are smooth and start at rest."""
    middle = draw.number(0.3, 0.6) * horizon
    times = (0.0, middle, 1.1 * horizon)
    values = (0.0, draw.number(0.3, 0.7), draw.number(0.8, 1.0))
    interpolation = None
    if not is_motion and draw.chance(0.3):
        interpolation = draw.pick(fl.Interpolation)
    elif is_motion and draw.chance(0.3):
        interpolation = fl.Interpolation.SMOOTH
    return fl.Table(times=times, values=values, interpolation=interpolation)


def random_motor(
    draw: Draw, coordinate: fl.JointCoordinate, horizon: float, *, is_first: bool
) -> fl.Motor:
    chosen = None if is_first and draw.chance() else coordinate
    if draw.chance():
        size = 0.1 if coordinate is ANGLE else 0.02
        motion = draw.pick((-1.0, 1.0)) * size
        time = table(draw, horizon, is_motion=True)
        return fl.Motor(motion=motion, over_time=time, coordinate=chosen)
    time = table(draw, horizon) if draw.chance() else None
    return fl.Motor(torque=draw.number(1.0, 5.0), over_time=time, coordinate=chosen)


def random_spring(draw: Draw, coordinate: fl.JointCoordinate | None) -> fl.JointSpring:
    return fl.JointSpring(
        stiffness=draw.number(20.0, 60.0),
        damping=draw.number(0.05, 0.2) if draw.chance() else 0.0,
        rest=draw.number(-0.1, 0.1) if draw.chance() else 0.0,
        coordinate=coordinate,
    )


def random_stop(draw: Draw, coordinate: fl.JointCoordinate | None) -> fl.Stop:
    """Limits that are touched at the start, so that every option of a stop acts."""
    near, far = draw.number(0.005, 0.02), draw.number(0.5, 0.8)
    limits = draw.pick(((-far, -near), (near, far), (near, None), (None, -near)))
    return fl.Stop(
        lower=limits[0],
        upper=limits[1],
        stiffness=draw.number(100.0, 200.0),
        damping=draw.number(0.02, 0.1) if draw.chance() else 0.0,
        coordinate=coordinate,
    )


def place_on_child(draw: Draw, kind: JointKind, place: Any, axes: Any) -> Any:
    """Another place on the child that the joint allows, or None."""
    axis, first = np.asarray(axes[0]), np.asarray(axes[1])
    if kind is fl.DISTANCE:
        return tuple((place + 0.1 * np.asarray(draw.direction())).tolist())
    if kind in (fl.POINT_ON_LINE, fl.PRISMATIC, fl.CYLINDRICAL) and draw.chance():
        return tuple((place + draw.number(-0.1, 0.1) * axis).tolist())
    if kind in (fl.POINT_ON_PLANE, fl.PLANAR) and draw.chance():
        moved = place + draw.number(-0.1, 0.1) * first
        return tuple((moved + draw.number(-0.1, 0.1) * np.cross(axis, first)).tolist())
    return None


def random_joint(
    draw: Draw, name: str, pair: tuple[str, str], place: Any, horizon: float
) -> fl.Joint:
    """A joint of any kind with any options near a place."""
    kind = draw.pick(JointKind)
    axis = draw.direction()
    first = draw.across(axis)
    options: dict[str, Any] = {}
    place = np.asarray(place) + np.asarray(draw.vector(0.1))
    options["position"] = tuple(place.tolist())
    if kind is not fl.DISTANCE and draw.chance(0.2):
        options.pop("position")
    elif kind is not fl.DISTANCE and pair[1] != fl.GROUND and draw.chance(0.2):
        options["position"] = pair[1]
    else:
        child = place_on_child(draw, kind, place, (axis, first))
        if child is not None:
            options["child_position"] = child
    if kind in HAS_FIRST_AXIS:
        options["second_axis"] = first
    if kind is fl.SCREW:
        options["pitch"] = draw.number(0.05, 0.2)
    motors, springs, stops = [], [], []
    for k, coordinate in enumerate(COORDINATES.get(kind, ())):
        chosen = None if k == 0 and draw.chance() else coordinate
        if draw.chance(0.5):
            motors.append(random_motor(draw, coordinate, horizon, is_first=k == 0))
        if draw.chance(0.6) and not any(m.motion for m in motors):
            springs.append(random_spring(draw, chosen))
        if draw.chance(0.5) and not any(m.motion for m in motors):
            stops.append(random_stop(draw, chosen))
    for key, records in (("motor", motors), ("spring", springs), ("stop", stops)):
        if records:
            options[key] = records[0] if len(records) == 1 else tuple(records)
    if kind in (fl.FIXED, fl.SPHERICAL, fl.DISTANCE):
        options["axis"] = (0.0, 0.0, 1.0)
    else:
        options["axis"] = axis
    return fl.Joint(name, kind, parent=pair[0], child=pair[1], **options)


def random_spring_damper(
    draw: Draw, name: str, pair: tuple[str, str], places: Any
) -> fl.SpringDamper:
    """A spring between two points, not necessarily the nodes."""
    options: dict[str, Any] = {}
    for key, thing, place in zip(
        ("first_point", "second_point"), pair, places, strict=True
    ):
        if thing == fl.GROUND or draw.chance():
            options[key] = tuple((place + np.asarray(draw.vector(0.1))).tolist())
    distance = float(np.linalg.norm(np.subtract(*places)))
    if draw.chance() or distance < 0.05:
        options["second_point"] = tuple((places[1] + [0.15, 0.2, 0.1]).tolist())
    if draw.chance():
        options["length"] = draw.number(0.2, 0.4)
    return fl.SpringDamper(
        name,
        *pair,
        stiffness=draw.number(50.0, 100.0),
        damping=draw.number(0.2, 1.0) if draw.chance() else 0.0,
        **options,
    )


def random_bushing(
    draw: Draw, name: str, pair: tuple[str, str], place: Any
) -> fl.Bushing:
    scales = [3000.0, 2000.0, 2500.0, 60.0, 50.0, 40.0]
    full = draw.definite(scales)
    stiffness = full.tolist() if draw.chance() else list(scales)
    options: dict[str, Any] = {}
    if draw.chance():
        damping = draw.definite([1.0, 1.0, 1.0, 0.02, 0.02, 0.02])
        options["damping"] = nested(damping.tolist())
    if draw.chance():
        options["position"] = tuple((place + np.asarray(draw.vector(0.1))).tolist())
    options["orientation"] = draw.vector(1.0)
    return fl.Bushing(name, *pair, stiffness=nested(stiffness), **options)


def nested(values: Any) -> Any:
    """Lists as tuples, as a file is read."""
    return tuple(map(nested, values)) if isinstance(values, list) else values


def random_support(draw: Draw, name: str, at: str, horizon: float) -> fl.Support:
    """A support of any kind, in skew axes; some move."""
    kind = draw.pick(fl.SupportKind)
    axis = draw.direction()
    options: dict[str, Any] = {}
    if kind is fl.CUSTOM:
        held = [draw.chance() for _ in range(6)]
        held[int(draw.rng.integers(3))] = True
        options["held"] = tuple(held)
        options["first_axis"] = draw.across(axis)
    elif draw.chance(0.3):
        options["first_axis"] = draw.across(axis)
    if draw.chance(0.4) and kind not in (fl.CUSTOM, fl.GUIDED):
        if kind in (fl.CLAMPED, fl.PINNED, fl.HINGED) and draw.chance():
            options["displacement"] = draw.vector(0.02)
        elif kind in (fl.ROLLER, fl.SupportKind.PLANAR):
            options["displacement"] = tuple(0.02 * x for x in axis)
        else:
            options["rotation"] = tuple(0.1 * x for x in axis)
            if kind is fl.CLAMPED and draw.chance():
                options["rotation"] = draw.vector(0.1)
        options["over_time"] = table(draw, horizon, is_motion=True)
    return fl.Support(name, at=at, kind=kind, axis=axis, **options)
