"""Parts with stiffness or mass: beams, bodies, point masses, rigid links, springs."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from ..mesh import Surface
from .time import OverTime

Vector = tuple[float, float, float]


class Curve(Enum):
    """How the cells of a beam become elements."""

    STRAIGHT = "straight"  # each cell a straight element, kinks at the nodes
    SMOOTH = "smooth"  # elements tangent to the curve through the nodes


class RestShape(Enum):
    """The shape in which a beam is free of stress."""

    AS_MESHED = "as_meshed"
    STRAIGHT = "straight"


class MotionGroup(Enum):
    """The group that a frame moves in within a time step."""

    SE3 = "se3"  # rigid motions, body twists
    SO3_R3 = "so3_r3"  # rotations beside translations in space, hybrid velocities
    AUTO = "auto"  # SE3 where the ground holds a frame in a subgroup, else SO3_R3


STRAIGHT, SMOOTH = Curve.STRAIGHT, Curve.SMOOTH
SE3, SO3_R3, AUTO = MotionGroup.SE3, MotionGroup.SO3_R3, MotionGroup.AUTO


@dataclass(frozen=True)
class Beam:
    """Geometrically exact beams on the cells of a group.

    Attributes
    ----------
    name : str
    cells : str
        Group of lines of the mesh.
    section : Section
        See `femlie.sections`.
    orientation : (3,) or None
        Direction that, with the beam axis, spans the plane of the section's axes 1
        and 2 (the height of a rectangle or I lies along axis 2). Default: the world's
        z axis; the world's x axis for members within one degree of vertical.
    curve : Curve
        ``SMOOTH``: elements tangent to the curve through the nodes. Cells of order 2
        are always read so.
    rest_shape : RestShape
        ``STRAIGHT``: straight and untwisted without stress, whatever the mesh shows
        (needs a smooth curve).
    rest_strain : (6,) or None
        Strain without stress beside that of the shape: stretch, two shears, twist, two
        curvatures [1/m].
    rest_strain_over_time : Table, callable or None
        Factor on ``rest_strain`` and on the way from the mesh to a straight
        ``rest_shape``; both come with the load factor in statics otherwise.
    mass_damping : float
        Damping force per momentum [1/s].
    drag : float
        Drag force per length and velocity [N s/m^2], the same in all directions.
    added_mass : float
        Mass per length without stiffness [kg/m].
    start_offset, end_offset : (3,)
        From the nodes to the ends of each element, world axes at the start [m].
    """

    name: str
    cells: str
    section: Any
    orientation: Vector | None = None
    curve: Curve = Curve.STRAIGHT
    rest_shape: RestShape = RestShape.AS_MESHED
    rest_strain: tuple[float, ...] | None = None
    rest_strain_over_time: OverTime = None
    mass_damping: float = 0.0
    drag: float = 0.0
    added_mass: float = 0.0
    start_offset: Vector = (0.0, 0.0, 0.0)
    end_offset: Vector = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class ModalBody:
    """Beams that deform little in a frame that moves with them, by a few modes.

    Static shapes of all motions of the interfaces, and the lowest modes of vibration
    with the interfaces at rest, take the place of the inner nodes (Craig and Bampton
    1968). Other parts meet the body at its interfaces only. The first one carries the
    frame in which deformation is small: within about half a radian.

    Attributes
    ----------
    name : str
    beams : tuple of str
        Beam parts that make the body. Their rest strain, drag and mass damping must be
        zero.
    interfaces : tuple of str
        Nodes or groups of nodes that keep frames of their own; nodes tied by a body or
        a rigid link are one interface.
    n_modes : int
        Number of modes of vibration; zero leaves the static shapes.
    """

    name: str
    beams: tuple[str, ...]
    interfaces: tuple[str, ...]
    n_modes: int = 6


@dataclass(frozen=True)
class Body:
    """A rigid body on nodes of the mesh or on its own.

    Attributes
    ----------
    name : str
    at : str or None
        Node or group; several nodes are tied rigidly to the body.
    position : (3,) or None
        Place of the body's frame [m]; default: the node, or the mass center of a solid.
    orientation : (3,) or None
        Rotation vector of the body's axes at the start [rad]; sensors, rotations and
        velocities at the body's name have these axes too.
    mass : float [kg]
        Zero for what only names a frame: it is tied to something with mass, held by a
        clamp, or carried by joints.
    inertia : (3,), (6,) or (3, 3)
        About the mass center in the body's axes [kg m^2]: the diagonal; or
        xx, yy, zz, xy, xz, yz; or the matrix.
    center : (3,)
        Mass center in the body's axes [m].
    solid : Solid, MassProperties or None
        Instead of mass, inertia and center: see `femlie.mesh`.
    surface : path, Surface or None
        STL, OBJ, PLY, COLLADA or Gmsh file of a closed surface; with ``density``,
        instead of mass, inertia and center; else for pictures only.
    surface_group : str or None
        Surface or solid group in a Gmsh file, or in the model's mesh if ``surface`` is
        not given.
    density : float or None [kg/m^3]
    """

    name: str
    at: str | None = None
    position: Vector | None = None
    orientation: Vector | None = None
    mass: float | None = None
    inertia: Any = None
    center: Vector | None = None
    solid: Any = None
    surface: str | Path | Surface | None = None
    surface_group: str | None = None
    density: float | None = None


@dataclass(frozen=True)
class PointMass:
    """Mass, and inertia if given, added to each node of a group.

    On a node without beam or body the rotation is locked, unless inertia is given or
    rigid links tie it to point masses in other places.

    Attributes
    ----------
    name : str
    at : str
        Node or group.
    mass : float [kg]
        Of each node.
    inertia : (3,), (6,), (3, 3) or None
        World axes at the start [kg m^2].
    """

    name: str
    at: str
    mass: float
    inertia: Any = None


@dataclass(frozen=True)
class RigidLink:
    """Ties all nodes of the groups rigidly together, at no cost in unknowns.

    Attributes
    ----------
    name : str
    at : str or tuple of str
        Groups, nodes or bodies.
    """

    name: str
    at: str | tuple[str, ...]


@dataclass(frozen=True)
class SpringDamper:
    """Spring and damper along the line between two points.

    Attributes
    ----------
    name : str
    first, second : str
        ``fl.GROUND``, a node or a body.
    stiffness : float [N/m]
    damping : float [N s/m]
    length : float or None
        Length without force [m]; default: as meshed.
    first_point, second_point : (3,) or None
        Where it is tied, world axes at the start [m]; default: the nodes.
    """

    name: str
    first: str
    second: str
    stiffness: float = 0.0
    damping: float = 0.0
    length: float | None = None
    first_point: Vector | None = None
    second_point: Vector | None = None


@dataclass(frozen=True)
class Bushing:
    """6x6 spring and damper between two frames, free of force as meshed.

    Attributes
    ----------
    name : str
    first, second : str
        ``fl.GROUND``, a node or a body.
    stiffness, damping : (6,) or (6, 6)
        Translations, then rotations, in the bushing's axes [N/m, N, N m/rad].
    position : (3,) or None
        Default: the place of ``second``.
    orientation : (3,) or None
        Rotation vector of the bushing's axes [rad]; default: world axes.
    """

    name: str
    first: str
    second: str
    stiffness: Any
    damping: Any = None
    position: Vector | None = None
    orientation: Vector | None = None


@dataclass(frozen=True)
class UserElement:
    """A user's own element: see `femlie.elements.Element`.

    Attributes
    ----------
    name : str
    at : tuple of str
        For each frame of an element a node or body; groups of equal size give one
        element for each of their nodes. The element sees bodies in their own axes,
        nodes at their places in axes that are the world's in the model as built.
    element : object with ``n_multipliers`` and ``residual(local)``
    """

    name: str
    at: tuple[str, ...]
    element: Any


@dataclass(frozen=True)
class InitialMotion:
    """Velocities at the start, as a rigid motion or a function of place.

    Attributes
    ----------
    name : str
    on : tuple of str or None
        Nodes, groups or parts; default: everything.
    velocity : (3,) or callable
        World axes [m/s]; a function gets points (n, 3) and returns (n, 3).
    angular_velocity : (3,) or callable
        World axes [rad/s].
    about : (3,)
        Point that moves with ``velocity`` [m].
    """

    name: str
    on: tuple[str, ...] | None = None
    velocity: Any = (0.0, 0.0, 0.0)
    angular_velocity: Any = (0.0, 0.0, 0.0)
    about: Vector = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class FrameGroup:
    """The group that frames move in; without one it is SE(3).

    Any element works with either, and results are body-fixed all the same. On SE(3) a
    method keeps what holds a frame to the ground in a subgroup (a spherical joint, a
    hinge, ...) to rounding; elsewhere SO(3) x R^3 does as well at less cost, and keeps
    linear momentum (Mueller and Terze 2013).

    Attributes
    ----------
    name : str
    group : MotionGroup
        ``SE3``; ``SO3_R3``; ``AUTO``: SE(3) where a support locks directions, or a
        joint of a lower pair holds the frame to the ground, SO(3) x R^3 elsewhere.
    on : tuple of str or None
        Parts and groups; default: all. Later parts overwrite earlier ones.
    """

    name: str
    group: MotionGroup = AUTO
    on: tuple[str, ...] | None = None
