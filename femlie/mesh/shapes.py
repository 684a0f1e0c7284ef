"""Simple shapes: exact mass properties, and a surface for pictures."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import overload

import numpy as np
import numpy.typing as npt

from femlie.errors import ModelError
from femlie.mesh.cells import FACES
from femlie.mesh.checks import check_count
from femlie.mesh.mesh import Array, read_only
from femlie.mesh.solid import (
    MassProperties,
    Surface,
    combined_mass,
    numbers,
    positive,
)

# Around: more only slow pictures down.
MOST_FACETS = 1000
# Corners of a cube from -1 to 1, in the order of a hexahedron's nodes.
_CUBE = np.array(
    [[x, y, z] for z in (-1, 1) for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
)
_CUBE_TRIANGLES = np.array(
    [
        corners
        for a, b, c, d in FACES["hexahedron"]
        for corners in ((a, b, c), (a, c, d))
    ]
)


class ShapeKind(Enum):
    """Simple shapes, and what is bounded by triangles."""

    PLANE = "plane"
    SPHERE = "sphere"
    CYLINDER = "cylinder"
    CAPSULE = "capsule"
    BOX = "box"
    SURFACE = "surface"


PLANE, SPHERE, CYLINDER = ShapeKind.PLANE, ShapeKind.SPHERE, ShapeKind.CYLINDER
CAPSULE, BOX, SURFACE = ShapeKind.CAPSULE, ShapeKind.BOX, ShapeKind.SURFACE


@dataclass(frozen=True, eq=False)
class SimpleShape:
    """A sphere, cylinder or box about the origin of its axes, without facets.

    Parameters
    ----------
    kind : ShapeKind
    size : tuple of float
        Radius; radius and length; three edges [length].
    frame : (4, 4) array
        Its axes in those of the solid; the third one is that of a cylinder.
    """

    kind: ShapeKind
    size: tuple[float, ...]
    frame: Array

    def __post_init__(self) -> None:
        object.__setattr__(self, "frame", read_only(self.frame, np.float64, (4, 4)))


@dataclass(frozen=True, eq=False)
class Solid:
    """A simple shape: its exact mass properties, and a surface for pictures.

    Parameters
    ----------
    mass_properties : MassProperties
    surface : Surface
    shapes : tuple of SimpleShape
        What contact sees in place of the surface; empty: the surface.
    """

    mass_properties: MassProperties
    surface: Surface
    shapes: tuple[SimpleShape, ...] = ()

    def moved(self, frame: npt.ArrayLike) -> Solid:
        """The same solid after a rigid motion, a (4, 4) frame (body to world)."""
        matrix = np.asarray(frame, dtype=np.float64)
        return Solid(
            self.mass_properties.moved(frame),
            self.surface.moved(frame),
            tuple(replace(one, frame=matrix @ one.frame) for one in self.shapes),
        )


@overload
def combine(*bodies: Solid) -> Solid: ...
@overload
def combine(*bodies: Solid | MassProperties) -> Solid | MassProperties: ...
def combine(*bodies: Solid | MassProperties) -> Solid | MassProperties:
    """Several bodies that are joined rigidly, in common axes.

    Parameters
    ----------
    *bodies : Solid or MassProperties
        At their places: see ``moved``.

    Returns
    -------
    Solid or MassProperties
        A solid, with all surfaces, if all of them are solids.

    Raises
    ------
    ModelError
        If there is none, or something else.
    """
    if not bodies:
        raise ModelError("combine needs at least one body, got none.")
    for body in bodies:
        if not isinstance(body, (Solid, MassProperties)):
            raise ModelError(
                f"combine got a {type(body).__name__}: expected solids (box, cylinder, "
                "sphere) or MassProperties."
            )
    mass = combined_mass(
        [body.mass_properties if isinstance(body, Solid) else body for body in bodies]
    )
    surfaces = [body.surface for body in bodies if isinstance(body, Solid)]
    if len(surfaces) < len(bodies):
        return mass
    first = np.cumsum([0, *(len(surface.points) for surface in surfaces[:-1])])
    corners = [s.triangles + k for s, k in zip(surfaces, first, strict=True)]
    surface = Surface(
        np.concatenate([surface.points for surface in surfaces]),
        np.concatenate(corners),
        " + ".join(surface.source for surface in surfaces),
    )
    shapes = [body.shapes for body in bodies if isinstance(body, Solid)]
    # one that has only a surface is seen as such, and all others with it
    known = sum(shapes, ()) if all(shapes) else ()
    return Solid(mass, surface, known)


def box(size: npt.ArrayLike, *, density: float) -> Solid:
    """Box around the origin.

    Parameters
    ----------
    size : (3,) array
        Edge lengths along the axes [length].
    density : float
        Mass per volume [mass / length^3].
    """
    edges = numbers("size of a box", size, (3,))
    for edge in edges:
        positive("size of a box", float(edge))
    mass = positive("density", density) * float(edges.prod())
    squares = edges**2
    inertia = np.diag(mass / 12.0 * (squares.sum() - squares))
    return Solid(
        MassProperties(mass, np.zeros(3), inertia),
        Surface(0.5 * edges * _CUBE, _CUBE_TRIANGLES, "box"),
        (SimpleShape(ShapeKind.BOX, tuple(edges.tolist()), np.eye(4)),),
    )


def cylinder(
    radius: float,
    length: float,
    *,
    density: float,
    axis: npt.ArrayLike = (0.0, 0.0, 1.0),
    n_facets: int = 48,
) -> Solid:
    """Circular cylinder around the origin.

    Parameters
    ----------
    radius, length : float
        Dimensions [length].
    density : float
        Mass per volume [mass / length^3].
    axis : (3,) array
        Direction of the axis; its length does not matter.
    n_facets : int
        Number of facets around, for the picture only.
    """
    positive("radius of a cylinder", radius)
    positive("length of a cylinder", length)
    rotation = _axes_along(axis)
    mass = positive("density", density) * np.pi * radius**2 * length
    along = 0.5 * mass * radius**2
    across = mass * (3.0 * radius**2 + length**2) / 12.0
    inertia = rotation @ np.diag([across, across, along]) @ rotation.T
    profile = np.array([[0.0, -0.5], [radius, -0.5], [radius, 0.5], [0.0, 0.5]])
    surface = revolved(profile * (1.0, length), n_facets, "cylinder")
    points = surface.points @ rotation.T
    frame = np.eye(4)
    frame[:3, :3] = rotation
    return Solid(
        MassProperties(mass, np.zeros(3), 0.5 * (inertia + inertia.T)),
        Surface(points, surface.triangles, "cylinder"),
        (SimpleShape(ShapeKind.CYLINDER, (float(radius), float(length)), frame),),
    )


def sphere(radius: float, *, density: float, n_facets: int = 48) -> Solid:
    """Sphere around the origin.

    Parameters
    ----------
    radius : float
        Radius [length].
    density : float
        Mass per volume [mass / length^3].
    n_facets : int
        Number of facets around the equator, for the picture only.
    """
    positive("radius of a sphere", radius)
    mass = positive("density", density) * 4.0 / 3.0 * np.pi * radius**3
    inertia = 0.4 * mass * radius**2 * np.eye(3)
    check_count("n_facets of a sphere", n_facets, least=3, most=MOST_FACETS)
    latitude = np.linspace(-0.5 * np.pi, 0.5 * np.pi, n_facets // 2 + 1)
    profile = radius * np.column_stack([np.cos(latitude), np.sin(latitude)])
    return Solid(
        MassProperties(mass, np.zeros(3), inertia),
        revolved(profile, n_facets, "sphere"),
        (SimpleShape(ShapeKind.SPHERE, (float(radius),), np.eye(4)),),
    )


def revolved(profile: Array, n_facets: int, source: str) -> Surface:
    """Surface of a profile (radius, height) turned about the third axis.

    The profile runs upwards from the axis to the axis.
    """
    check_count(f"n_facets of a {source}", n_facets, least=3, most=MOST_FACETS)
    angles = 2.0 * np.pi * np.arange(n_facets) / n_facets
    circle = np.column_stack([np.cos(angles), np.sin(angles)])
    rings = [
        np.column_stack([radius * circle, np.full(n_facets, height)])
        for radius, height in profile[1:-1]
    ]
    poles = np.array([[0.0, 0.0, profile[0, 1]], [0.0, 0.0, profile[-1, 1]]])
    points = np.concatenate([poles, *rings])
    here = np.arange(n_facets)
    ahead = np.roll(here, -1)
    bottom, top = np.zeros_like(here), np.ones_like(here)
    last = 2 + (len(rings) - 1) * n_facets
    parts = [np.column_stack([bottom, 2 + ahead, 2 + here])]
    for first in range(2, last, n_facets):
        above = first + n_facets
        parts.append(np.column_stack([first + here, first + ahead, above + ahead]))
        parts.append(np.column_stack([first + here, above + ahead, above + here]))
    parts.append(np.column_stack([last + here, last + ahead, top]))
    return Surface(points, np.concatenate(parts), source)


def _axes_along(axis: npt.ArrayLike) -> Array:
    """Rotation (3, 3) whose third axis is ``axis``."""
    direction = numbers("axis", axis, (3,))
    length = np.linalg.norm(direction)
    if length == 0.0:
        raise ModelError(f"axis must be a direction, got {direction.tolist()}.")
    third = direction / length
    first = np.cross(np.eye(3)[np.argmin(np.abs(third))], third)
    first /= np.linalg.norm(first)
    return np.column_stack([first, np.cross(third, first), third])
