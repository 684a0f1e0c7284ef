"""Joints, supports and end releases, with motors, springs, stops and friction."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from ..elements.joint import JointKind
from .structure import Vector
from .time import OverTime

GROUND = "ground"


class SupportKind(Enum):
    """Directions that a support holds, in its own axes (axis 3 is ``axis``)."""

    CLAMPED = "clamped"  # everything
    PINNED = "pinned"  # the place; rotation is free
    HINGED = "hinged"  # all but rotation about the axis
    SLIDING = "sliding"  # all but translation along the axis
    CYLINDRICAL = "cylindrical"  # all but translation along and rotation about it
    PLANAR = "planar"  # stays in the plane normal to the axis, turns about it
    ROLLER = "roller"  # the place along the axis only
    GUIDED = "guided"  # rotation only; the place is free
    CUSTOM = "custom"  # `held` says which


CLAMPED, PINNED, HINGED = SupportKind.CLAMPED, SupportKind.PINNED, SupportKind.HINGED
SLIDING, ROLLER, GUIDED = SupportKind.SLIDING, SupportKind.ROLLER, SupportKind.GUIDED
CUSTOM = SupportKind.CUSTOM


class JointCoordinate(Enum):
    """A free coordinate of a joint along or about its axes."""

    ANGLE = "angle"
    ALONG = "along"  # along the axis
    ACROSS_1 = "across_1"  # planar joints: along the first axis across
    ACROSS_2 = "across_2"


@dataclass(frozen=True, kw_only=True)
class Motor:
    """Prescribed motion, or a torque or force, on a coordinate of a joint.

    Attributes
    ----------
    motion : float or None
        Angle [rad] or travel [m] that ``over_time`` multiplies.
    torque : float or None
        Torque [N m] or force [N] that ``over_time`` multiplies.
    over_time : Table, Motion, callable or None
    coordinate : JointCoordinate or None
        Default: the joint's first free coordinate.
    """

    motion: float | None = None
    torque: float | None = None
    over_time: OverTime = None
    coordinate: JointCoordinate | None = None


@dataclass(frozen=True, kw_only=True)
class JointSpring:
    """Spring and damper on a coordinate of a joint.

    Attributes
    ----------
    stiffness : float [N m/rad] or [N/m]
    damping : float [N m s/rad] or [N s/m]
    rest : float
        Coordinate without spring force [rad] or [m].
    coordinate : JointCoordinate or None
    """

    stiffness: float = 0.0
    damping: float = 0.0
    rest: float = 0.0
    coordinate: JointCoordinate | None = None


@dataclass(frozen=True, kw_only=True)
class Friction:
    """Dry friction on a coordinate of a joint (Coulomb, Stribeck).

    Attributes
    ----------
    limit : float [N m] or [N]
        Torque or force of friction in motion.
    static_limit : float or None [N m] or [N]
        At rest, up to which the joint sticks; default: ``limit``.
    stribeck_speed : float or None [rad/s] or [m/s]
        Rate over which friction falls from ``static_limit`` to ``limit``, by a factor
        ``exp(-(rate / stribeck_speed)^2)`` on their difference.
    presliding : float or None [rad] or [m]
        What the joint gives way, elastically, before it slides; default: 1e-4 rad, or
        1e-5 of the size of the model.
    coordinate : JointCoordinate or None
        Default: the joint's first free coordinate.
    """

    limit: float
    static_limit: float | None = None
    stribeck_speed: float | None = None
    presliding: float | None = None
    coordinate: JointCoordinate | None = None


@dataclass(frozen=True, kw_only=True)
class Stop:
    """Limits of a coordinate of a joint: hard ones, or stiff spring-dampers.

    Attributes
    ----------
    lower, upper : float or None
        Limits [rad] or [m].
    stiffness : float or None [N m/rad] or [N/m]
        None: a hard stop, which the coordinate does not pass at all.
    damping : float [s/rad] or [s/m]
        Force ``stiffness * depth * (1 + damping * rate of depth)``, never pulling
        (Hunt and Crossley).
    restitution : float
        Of a hard stop: speed behind an impact over the speed before, 0 to 1.
    coordinate : JointCoordinate or None
    """

    lower: float | None = None
    upper: float | None = None
    stiffness: float | None = None
    damping: float = 0.0
    restitution: float = 0.0
    coordinate: JointCoordinate | None = None


@dataclass(frozen=True)
class Joint:
    """Holds the relative frame of two things in a subgroup.

    Attributes
    ----------
    name : str
    kind : JointKind
        ``fl.REVOLUTE``, ``fl.SPHERICAL``, ...
    parent, child : str
        ``fl.GROUND``, a node of the mesh or a body.
    axis : (3,)
        World axes at the start.
    second_axis : (3,) or None
        Across ``axis``. Universal joint: the axis that turns with the child; planar
        joint and point on plane: the first direction in the plane (``ACROSS_1``).
        Default: any direction across.
    position : str, (3,) or None
        Place of the joint, a node or coordinates [m]; default: the child's frame if it
        is a node, else the parent's.
    child_position : (3,) or None
        Place on the child if it is not the same (point on line, distance) [m].
    motor : Motor, tuple of Motor or None
    spring : JointSpring, tuple of JointSpring or None
    stop : Stop, tuple of Stop or None
    friction : Friction, tuple of Friction or None
    pitch : float or None
        Screw: advance per turn [m].
    """

    name: str
    kind: JointKind
    parent: str
    child: str
    axis: Vector = (0.0, 0.0, 1.0)
    second_axis: Vector | None = None
    position: str | Vector | None = None
    child_position: Vector | None = None
    motor: Motor | tuple[Motor, ...] | None = None
    spring: JointSpring | tuple[JointSpring, ...] | None = None
    stop: Stop | tuple[Stop, ...] | None = None
    friction: Friction | tuple[Friction, ...] | None = None
    pitch: float | None = None


@dataclass(frozen=True)
class Support:
    """Holds each node of a group to the ground.

    Attributes
    ----------
    name : str
    at : str
        Node, group or body.
    kind : SupportKind
    axis : (3,)
        Axis 3 of the support, world axes at the start.
    first_axis : (3,) or None
        Axis 1 of a skew support; default: any direction across ``axis``.
    held : (6,) of bool or None
        ``CUSTOM``: which translations and rotations are held, support axes.
    displacement : (3,) or None
        Prescribed displacement that ``over_time`` multiplies, world axes [m].
    rotation : (3,) or None
        Prescribed rotation vector that ``over_time`` multiplies, world axes [rad]; only
        the angle changes with time.
    over_time : Table, Motion, callable or None
        Default: at once in dynamics, with the load factor in statics.
    """

    name: str
    at: str
    kind: SupportKind = SupportKind.CLAMPED
    axis: Vector = (0.0, 0.0, 1.0)
    first_axis: Vector | None = None
    held: tuple[bool, ...] | None = None
    displacement: Vector | None = None
    rotation: Vector | None = None
    over_time: OverTime = None


@dataclass(frozen=True)
class EndRelease:
    """A joint between the ends of a beam's elements and the node they meet at.

    Attributes
    ----------
    name : str
    beam : str
        Name of the beam.
    at : str
        Node or group where its ends are released.
    kind : JointKind
    axis : (3,)
        World axes at the start.
    second_axis : (3,) or None
        Across ``axis``, as in `Joint`: universal, planar and point on plane.
    spring : JointSpring or None
        Semi-rigid connection about or along the axis.
    """

    name: str
    beam: str
    at: str
    kind: JointKind = JointKind.SPHERICAL
    axis: Vector = (0.0, 0.0, 1.0)
    second_axis: Vector | None = None
    spring: JointSpring | None = None
