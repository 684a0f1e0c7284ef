"""Hard stops of joints: what limits which coordinate, and whether it can."""

from __future__ import annotations

from ..elements.hard_stop import HardStop
from ..elements.joint import JointElement
from ..elements.joint_row import RowAction
from ..errors import ModelError
from ..parts.connections import Joint, Stop
from ..system import System
from .joint_laws import ROW_NAMES, as_tuple, check_stop, coordinate_row

# a start may be beyond a limit by this part of the size of the model, or in radians
ALLOWED_DEPTH = 1e-8


def has_hard_stop(part: Joint) -> bool:
    """Whether there is a stop that a coordinate does not pass at all."""
    return any(_is_hard(stop) for stop in as_tuple(part.stop))


def _is_hard(stop: Stop) -> bool:
    return stop.stiffness is None


def hard_stops(
    joints: list[tuple[Joint, JointElement]], system: System
) -> tuple[HardStop, ...]:
    """Limits of all joints with hard stops, the lower one of each stop first.

    Raises
    ------
    ModelError
        A stop without limit, of a coordinate that a motor moves or that starts beyond
        the limit.
    """
    found: list[HardStop] = []
    for part, element in joints:
        where = system.catalog.parts[part.name][0]
        place = (where.block, int(where.elements[0]))
        for stop in filter(_is_hard, as_tuple(part.stop)):
            found += _sides(part, element, stop, place)
    for one in found:
        _check_start(one, system)
    return tuple(found)


def _sides(
    part: Joint, element: JointElement, stop: Stop, place: tuple[int, int]
) -> list[HardStop]:
    user = f"Joint '{part.name}'"
    check_stop(stop, user)
    kind, axis = coordinate_row(stop.coordinate, part.kind, user)
    for row in element.rows:
        if row.action is RowAction.HOLD and (row.kind, row.i) == (kind, axis):
            raise ModelError(
                f"{user} has a motor with a motion and a hard stop on its coordinate "
                f"'{ROW_NAMES[kind, axis]}': the motion would not yield; give the stop "
                "a stiffness, or the motor a torque."
            )
    limits = {-1: stop.lower, 1: stop.upper}
    return [
        HardStop(part.name, element, kind, axis, side, limit, stop.restitution, place)
        for side, limit in limits.items()
        if limit is not None
    ]


def _check_start(stop: HardStop, system: System) -> None:
    depth, _ = stop.depth(system.state.poses, 0.0)
    if depth > ALLOWED_DEPTH * (1.0 if stop.is_angle else system.size):
        unit = "rad" if stop.is_angle else "m"
        value = stop.limit + stop.side * depth
        word = "upper" if stop.side > 0 else "lower"
        raise ModelError(
            f"Joint '{stop.name}' starts at {value:.6g} {unit}, beyond the {word} "
            f"limit {stop.limit:g} of its hard stop: move the parts or the limit, or "
            "give the stop a stiffness."
        )
