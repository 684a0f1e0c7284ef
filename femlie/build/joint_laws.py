"""What acts on the coordinates of a joint: motors, springs, stops and friction."""

from __future__ import annotations

import math
from typing import Any

from ..elements.base import Array
from ..elements.joint import JointKind, free_rows
from ..elements.joint_row import Row, RowAction, RowKind
from ..errors import ModelError
from ..parts.connections import (
    Friction,
    Joint,
    JointCoordinate,
    JointSpring,
    Motor,
    Stop,
)
from .signals import SignalTable

HOLD, LAW, RUB = RowAction.HOLD, RowAction.LAW, RowAction.RUB
COORDINATES = {
    JointCoordinate.ANGLE: (RowKind.ANGLE, 2),
    JointCoordinate.ALONG: (RowKind.COMPONENT, 2),
    JointCoordinate.ACROSS_1: (RowKind.COMPONENT, 0),
    JointCoordinate.ACROSS_2: (RowKind.COMPONENT, 1),
}
ROW_NAMES = {key: coordinate.value for coordinate, key in COORDINATES.items()}
# what sticks gives way by this before it slides: radians; parts of the model's size
ANGULAR_PRESLIDING, PRESLIDING = 1e-4, 1e-5


def as_tuple(given: Any) -> tuple[Any, ...]:
    """One record, several or none, as a tuple."""
    if given is None:
        return ()
    return tuple(given) if isinstance(given, (tuple, list)) else (given,)


def law_rows(
    part: Joint, signals: SignalTable, relative: Array, size: float
) -> list[Row]:
    """Rows of the motors, springs, soft stops and friction of a joint.

    Parameters
    ----------
    part : Joint
    signals : SignalTable
    relative : (4, 4) array
        The child's joint frame seen from the parent's at the start.
    size : float
        Of the model [m].

    Raises
    ------
    ModelError
        A coordinate that the joint does not have, numbers that mean nothing.
    """
    user = f"Joint '{part.name}'"
    rows = []
    for motor in as_tuple(part.motor):
        rows.append(_motor_row(motor, part, signals, user))
    _check_motors(rows, user)
    for spring in as_tuple(part.spring):
        rows.append(spring_row(spring, part.kind, user))
    for stop in as_tuple(part.stop):
        if stop.stiffness is not None:
            rows.append(_stop_row(stop, part.kind, user))
    for friction in as_tuple(part.friction):
        kind, i = coordinate_row(friction.coordinate, part.kind, user)
        start = 0.0 if kind is RowKind.ANGLE else float(relative[i, 3])
        give = ANGULAR_PRESLIDING if kind is RowKind.ANGLE else PRESLIDING * size
        rows.append(_friction_row(friction, (kind, i), start, give, user))
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


def coordinate_row(
    coordinate: JointCoordinate | None, kind: JointKind, user: str
) -> tuple[RowKind, int]:
    """Row of a coordinate that a joint leaves free; default: its first one.

    Raises
    ------
    ModelError
        A coordinate that this kind of joint does not have.
    """
    free = [(row.kind, row.i) for row in free_rows(kind)]
    named = [ROW_NAMES[row] for row in free if row in ROW_NAMES]
    if not free:
        raise ModelError(
            f"{user} is {kind.value} and has no coordinate that a motor, spring, stop "
            "or friction could act on."
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
    kind, i = coordinate_row(motor.coordinate, part.kind, user)
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


def spring_row(spring: JointSpring, kind: JointKind, user: str) -> Row:
    """Row of a spring and damper.

    Raises
    ------
    ModelError
    """
    row, i = coordinate_row(spring.coordinate, kind, user)
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


def check_stop(stop: Stop, user: str) -> None:
    """Refuse a stop without limit, and numbers that mean nothing.

    Raises
    ------
    ModelError
    """
    if stop.lower is None and stop.upper is None:
        raise ModelError(f"The stop of {user} has no limit: give lower or upper.")
    lower = -math.inf if stop.lower is None else stop.lower
    upper = math.inf if stop.upper is None else stop.upper
    if not lower < upper:
        raise ModelError(
            f"The stop of {user} has lower {lower:g} not below upper {upper:g}."
        )
    if stop.stiffness is None:
        if stop.damping != 0.0:
            raise ModelError(
                f"The stop of {user} is hard, since it has no stiffness, but has "
                f"damping {stop.damping:g}: give a stiffness, or a restitution instead."
            )
        if not 0.0 <= stop.restitution <= 1.0:
            raise ModelError(
                f"The stop of {user} has restitution {stop.restitution:g}: expected 0 "
                "(no rebound) to 1 (all of the speed)."
            )
        return
    if not stop.stiffness > 0.0 or stop.damping < 0.0:
        raise ModelError(
            f"The stop of {user} needs a positive stiffness and no negative damping, "
            f"got {stop.stiffness:g} and {stop.damping:g}."
        )
    if stop.restitution != 0.0:
        raise ModelError(
            f"The stop of {user} has a stiffness and a restitution, which only hard "
            "stops have: leave one of them out, or give damping instead."
        )


def _stop_row(stop: Stop, kind: JointKind, user: str) -> Row:
    row, i = coordinate_row(stop.coordinate, kind, user)
    check_stop(stop, user)
    return Row(
        row,
        i,
        action=LAW,
        lower=-math.inf if stop.lower is None else stop.lower,
        upper=math.inf if stop.upper is None else stop.upper,
        stop_stiffness=stop.stiffness or 0.0,
        stop_damping=stop.damping,
    )


def _friction_row(
    friction: Friction, row: tuple[RowKind, int], start: float, give: float, user: str
) -> Row:
    """The row of a friction that is free of force at ``start``."""
    _check_friction(friction, user)
    most = friction.limit if friction.static_limit is None else friction.static_limit
    give = give if friction.presliding is None else friction.presliding
    return Row(
        *row,
        action=RUB,
        limit=friction.limit,
        breakaway=most,
        stribeck_speed=friction.stribeck_speed or 1.0,
        stiffness=most / give,
        rest=start,
    )


def _check_friction(friction: Friction, user: str) -> None:
    limit, most = friction.limit, friction.static_limit
    if not limit > 0.0:
        raise ModelError(
            f"The friction of {user} has limit {limit:g}: expected a positive torque "
            "or force; leave friction out where there is none."
        )
    if most is not None and not most >= limit:
        raise ModelError(
            f"The friction of {user} has static_limit {most:g} below limit {limit:g}: "
            "what sticks bears at least what it bears in motion."
        )
    if (most is not None and most > limit) != (friction.stribeck_speed is not None):
        raise ModelError(
            f"The friction of {user} needs static_limit above limit and stribeck_speed "
            "together: the rate over which it falls from one to the other."
        )
    for name in ("stribeck_speed", "presliding"):
        value = getattr(friction, name)
        if value is not None and not value > 0.0:
            raise ModelError(
                f"The friction of {user} has {name} {value:g}: expected a positive one."
            )
