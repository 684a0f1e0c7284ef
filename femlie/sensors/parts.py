"""Sensors: what a user wants to follow by name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from enum import Enum
from numbers import Real
from typing import Any, Literal, get_args

import numpy as np

from ..errors import ModelError, suggestion
from ..fields import shown
from ..tracking import MotionFrame, WrenchFrame

Vector = tuple[float, float, float]
Energy = Literal[
    "kinetic",
    "strain",
    "potential",
    "load_work",
    "motor_work",
    "dissipated",
    "numerical_dissipation",
    "relative_balance",
    "impact_loss",
    "correction_work",
    "friction_loss",
    "total",
]


class Quantity(Enum):
    """What of a point's motion, or of the relative motion of two points."""

    POSITION = "position"
    DISPLACEMENT = "displacement"
    VELOCITY = "velocity"
    ACCELERATION = "acceleration"
    ROTATION = "rotation"
    ANGULAR_VELOCITY = "angular velocity"
    ANGULAR_ACCELERATION = "angular acceleration"
    DISTANCE = "distance"
    DISTANCE_RATE = "distance rate"


class SectionForce(Enum):
    """Section forces in the order in which results hold them."""

    AXIAL_FORCE = "axial_force"
    SHEAR_FORCE_Y = "shear_force_y"
    SHEAR_FORCE_Z = "shear_force_z"
    TORSION_MOMENT = "torsion_moment"
    BENDING_MOMENT_Y = "bending_moment_y"
    BENDING_MOMENT_Z = "bending_moment_z"


class SectionPlace(Enum):
    """Where along a beam: an end, or wherever the magnitude is largest."""

    FIRST = "first"
    LAST = "last"
    MAXIMUM = "maximum"


DIMENSIONS = {
    Quantity.POSITION: "length",
    Quantity.DISPLACEMENT: "length",
    Quantity.VELOCITY: "length/time",
    Quantity.ACCELERATION: "length/time^2",
    Quantity.ROTATION: "angle",
    Quantity.ANGULAR_VELOCITY: "angle/time",
    Quantity.ANGULAR_ACCELERATION: "angle/time^2",
    Quantity.DISTANCE: "length",
    Quantity.DISTANCE_RATE: "length/time",
}
SCALARS = (Quantity.DISTANCE, Quantity.DISTANCE_RATE)


@dataclass(frozen=True)
class PointSensor:
    """Motion of one point.

    Attributes
    ----------
    name : str
    at : str or int
        A part or a group with one node, or the user's number of a node.
    point : (3,) tuple
        The point in the own axes of what ``at`` names [m]: those of a body are turned
        by its orientation, those of a node are world axes at the start.
    quantity : Quantity
        A rotation is that of the own axes, from world axes.
    frame : "world" or "body"
        Axes that the vector is given in: world, or the own ones.
    direction : (3,) tuple or None
        Read only the part along this direction (of any length, in ``frame``).
    """

    name: str
    _: KW_ONLY
    at: str | int
    point: Vector = (0.0, 0.0, 0.0)
    quantity: Quantity = Quantity.POSITION
    frame: MotionFrame = "world"
    direction: Vector | None = None

    def __post_init__(self) -> None:
        tidy_vectors(self, "point", "direction")
        check_frame(self, get_args(MotionFrame))
        if isinstance(self.quantity, Quantity) and self.quantity in SCALARS:
            message = (
                f"Point sensor '{self.name}' was given the quantity "
                f"'{self.quantity.value}' of two points; use a relative sensor."
            )
            raise ModelError(message)
        if self.quantity is Quantity.ROTATION and self.frame == "body":
            message = (
                f"Sensor '{self.name}' asks for a rotation vector in body axes; it has "
                "the same components in world axes: leave 'frame' out."
            )
            raise ModelError(message)


@dataclass(frozen=True)
class RelativeSensor:
    """Motion of a second point relative to a first one.

    Attributes
    ----------
    name : str
    first, second : str or int
        Parts or groups with one node, or the user's numbers of nodes.
    quantity : Quantity
        In world axes, differences of both motions; in the first one's axes, the motion
        that an observer who rides on it sees.
    first_point, second_point : (3,) tuples
        Each in the own axes of its body or node, as ``point`` of `PointSensor` [m].
    frame : "world" or "first"
    direction : (3,) tuple or None
        Read only the part along this direction (of any length, in ``frame``).
    """

    name: str
    _: KW_ONLY
    first: str | int
    second: str | int
    quantity: Quantity = Quantity.DISTANCE
    first_point: Vector = (0.0, 0.0, 0.0)
    second_point: Vector = (0.0, 0.0, 0.0)
    frame: Literal["world", "first"] = "world"
    direction: Vector | None = None

    def __post_init__(self) -> None:
        tidy_vectors(self, "first_point", "second_point", "direction")
        check_frame(self, ("world", "first"))
        is_plain = self.direction is None and self.frame == "world"
        is_scalar = isinstance(self.quantity, Quantity) and self.quantity in SCALARS
        if is_scalar and not is_plain:
            message = (
                f"Sensor '{self.name}' reads a {self.quantity.value}, on which 'frame' "
                "and 'direction' have no effect: leave them out."
            )
            raise ModelError(message)


@dataclass(frozen=True)
class JointSensor:
    """Coordinates of a joint [rad or m], counted through all turns, or their rates."""

    name: str
    _: KW_ONLY
    joint: str
    coordinate: str | None = None
    rate: bool = False


@dataclass(frozen=True)
class SectionForceSensor:
    """One section force of a beam [N or N m].

    Attributes
    ----------
    name : str
    beam : str
    component : SectionForce
    at : SectionPlace or float
        An end; the value of largest magnitude (with its sign) of both ends and the
        middle of every element; or a fraction of the length from 0 to 1. The beam runs
        as its first element in the mesh does, and signs are those along it.
    element : int or None
        Look at this element of the part only, counted from 0 in the mesh's order.
    """

    name: str
    _: KW_ONLY
    beam: str
    component: SectionForce
    at: SectionPlace | float = SectionPlace.MAXIMUM
    element: int | None = None

    def __post_init__(self) -> None:
        if isinstance(self.at, Real) and not 0.0 <= self.at <= 1.0:
            message = (
                f"Sensor '{self.name}' sits at the fraction {shown(self.at)} of beam "
                f"'{self.beam}', expected 0 to 1."
            )
            raise ModelError(message)


@dataclass(frozen=True)
class ReactionSensor:
    """Force and moment of a support on the model, or of a joint on its child.

    Attributes
    ----------
    name : str
    part : str
        Of several held nodes, the sum about the mean of their places.
    frame : "world", "part", "parent" or "child"
        Axes: world; of a support's part; of the joint's frame on either side.
    direction : (3,) tuple or None
        Read only the force along this direction (of any length, in ``frame``).
    moment : bool
        With a direction: read the moment instead of the force.
    """

    name: str
    _: KW_ONLY
    part: str
    frame: WrenchFrame = "world"
    direction: Vector | None = None
    moment: bool = False

    def __post_init__(self) -> None:
        tidy_vectors(self, "direction")
        check_frame(self, get_args(WrenchFrame))
        is_moment = isinstance(self.moment, (bool, np.bool_)) and self.moment
        if is_moment and self.direction is None:
            message = (
                f"Sensor '{self.name}' reads all six components without a direction: "
                "give a direction, or leave 'moment' out."
            )
            raise ModelError(message)


@dataclass(frozen=True)
class EnergySensor:
    """One energy of the model [J]; the total is kinetic, strain and potential."""

    name: str
    _: KW_ONLY
    energy: Energy = "total"

    def __post_init__(self) -> None:
        if not isinstance(self.energy, str) or self.energy not in get_args(Energy):
            hint = suggestion(self.energy, get_args(Energy), what="energies")
            message = f"Sensor '{self.name}' asks for '{self.energy}'. {hint}"
            raise ModelError(message)


Sensor = (
    PointSensor
    | RelativeSensor
    | JointSensor
    | SectionForceSensor
    | ReactionSensor
    | EnergySensor
)


def tidy_vectors(sensor: Any, *fields: str) -> None:
    """Vectors as tuples of floats; refuse others."""
    for field in fields:
        value = getattr(sensor, field)
        if value is None:
            continue
        try:
            vector = tuple(float(x) for x in value if not isinstance(x, str))
        except (TypeError, ValueError):
            vector = ()
        if len(vector) != 3 or not np.isfinite(vector).all():
            message = (
                f"'{field}' of sensor '{sensor.name}' is {value!r}, expected three "
                "finite numbers."
            )
            raise ModelError(message)
        if field == "direction" and not any(vector):
            message = f"'direction' of sensor '{sensor.name}' is zero."
            raise ModelError(message)
        object.__setattr__(sensor, field, vector)


def check_frame(sensor: Any, known: Sequence[str]) -> None:
    """Refuse axes that a sensor cannot be given in."""
    if not isinstance(sensor.frame, str) or sensor.frame not in known:
        hint = suggestion(str(sensor.frame), known, what="frames")
        raise ModelError(
            f"Sensor '{sensor.name}' has the frame {sensor.frame!r}. {hint}"
        )
