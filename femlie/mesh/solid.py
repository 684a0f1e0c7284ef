"""Surfaces of rigid bodies, and the mass properties of what they enclose.

The only module that imports trimesh.
"""

from __future__ import annotations

import contextlib
import io
import math
import os
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from femlie.errors import MeshError, ModelError, suggestion
from femlie.fields import GREATEST_NUMBER, is_usable, shown
from femlie.mesh.cells import surfaces, triangles
from femlie.mesh.coincidence import merge_coincident
from femlie.mesh.mesh import (
    GREATEST_COORDINATE,
    Array,
    IntArray,
    compact,
    read_only,
)
from femlie.mesh.read import check_file, read_content

# Corners of neighboring STL facets agree to the single precision they are stored in.
_SINGLE_PRECISION = 1e-7
TRIANGLE_FILES = (".stl", ".obj", ".ply", ".dae")


@dataclass(frozen=True, eq=False)
class MassProperties:
    """Mass, mass center and inertia of a rigid body.

    Parameters
    ----------
    mass : float
        Mass [mass], positive.
    center : (3,) array
        Mass center in the body's axes [length].
    inertia : (3, 3) array
        Inertia about the mass center, in the body's axes [mass length^2]. Off the
        diagonal stand the negative products of inertia.
    is_checked : bool
        False: an inertia that no body has, as files of robots may hold, is taken as it
        is.
    """

    mass: float
    center: Array
    inertia: Array
    is_checked: bool = True

    def __post_init__(self) -> None:
        for name, shape in (("center", (3,)), ("inertia", (3, 3))):
            given = numbers(f"{name} of MassProperties", getattr(self, name), shape)
            object.__setattr__(self, name, read_only(given, np.float64, shape))
        positive("mass", self.mass)
        scale = np.abs(self.inertia).max()
        if np.abs(self.inertia - self.inertia.T).max() > 1e-9 * scale:
            raise ModelError(
                f"The inertia must be symmetric, got {self.inertia.tolist()}."
            )

    def moved(self, frame: npt.ArrayLike) -> MassProperties:
        """The same body after a rigid motion.

        Parameters
        ----------
        frame : (4, 4) array
            Body to world: ``x_world = R x + p``.
        """
        rotation, translation = _rotation_translation(frame)
        center = rotation @ self.center + translation
        return MassProperties(self.mass, center, rotation @ self.inertia @ rotation.T)


@dataclass(frozen=True, eq=False)
class Surface:
    """Triangles in space.

    Parameters
    ----------
    points : (n, 3) array
        Coordinates [length].
    triangles : (k, 3) integer array
        Rows of ``points``, seen from outside counterclockwise.
    source : str
        Where the surface comes from, for messages.
    """

    points: Array
    triangles: IntArray
    source: str = "surface"

    def __post_init__(self) -> None:
        object.__setattr__(self, "points", read_only(self.points, np.float64, (-1, 3)))
        rows = read_only(self.triangles, np.int64, (-1, 3))
        object.__setattr__(self, "triangles", rows)
        if not len(rows):
            raise MeshError(f"'{self.source}' holds no triangles.")
        if rows.min() < 0 or rows.max() >= len(self.points):
            raise MeshError(
                f"'{self.source}' has triangles on points that do not exist: there are "
                f"{len(self.points)} points, counted from 0."
            )
        if not (np.abs(self.points) < GREATEST_COORDINATE).all():
            raise MeshError(
                f"'{self.source}' has coordinates that are not finite or too large."
            )

    def moved(self, frame: npt.ArrayLike) -> Surface:
        """The same surface after a rigid motion, a (4, 4) frame (body to world)."""
        rotation, translation = _rotation_translation(frame)
        points = self.points @ rotation.T + translation
        return Surface(points, self.triangles, self.source)


def read_surface(path: str | os.PathLike[str], group: str | None = None) -> Surface:
    """Read a surface.

    Parameters
    ----------
    path : str or path
        An STL, OBJ, PLY or COLLADA (``.dae``) file, or a mesh file (`read_mesh`) that
        holds surfaces or solids.
    group : str, optional
        Named surface, or solid whose boundary is meant, of a mesh file. May be left
        out where the file has only one.

    Returns
    -------
    Surface
        Corners in one place are one point.

    Raises
    ------
    MeshError
        If the file or the group cannot be used.
    """
    file = Path(path)
    if file.suffix.lower() in TRIANGLE_FILES:
        if group is not None:
            raise MeshError(
                f"'{file}' has no named groups, but the group '{group}' is asked for: "
                "leave it out."
            )
        check_file(file)
        return _read_triangles(file)
    content = read_content(file)
    names = surfaces(content)
    if group is None and len(names) == 1:
        group = names[0]
    if (group is None and names) or (group is not None and group not in names):
        asked = (
            "no group is chosen" if group is None else f"there is no group '{group}'"
        )
        known = suggestion(group or "", names, what="groups of surfaces or solids")
        raise MeshError(f"'{file}' holds surfaces, but {asked}. {known}")
    label = str(file) if group is None else f"{file}: {group}"
    return Surface(*compact(content.points, triangles(content, group)), label)


def mass_properties(surface: Surface, density: float) -> MassProperties:
    """Mass properties of the solid inside a closed surface.

    Parameters
    ----------
    surface : Surface
        Closed, its triangles all seen from one side counterclockwise; which side does
        not matter. Holes inside are closed surfaces of the other sense.
    density : float
        Mass per volume [mass / length^3].

    Returns
    -------
    MassProperties
        In the axes of the surface's points.

    Raises
    ------
    MeshError
        If the surface is open, wound inconsistently, or encloses no volume.

    Notes
    -----
    Exact for the flat triangles; a curved body is cut by its facets.
    """
    from trimesh.triangles import mass_properties as integrals

    positive("density", density)
    origin, size, corners, volume = _enclosed(surface)
    solid = integrals(corners, density=1.0)
    sign = float(np.sign(volume))  # negative: the surface is inside out
    return MassProperties(
        mass=float(density * abs(volume) * size**3),
        center=origin + size * solid.center_mass,
        inertia=density * sign * size**5 * np.asarray(solid.inertia),
    )


def outward(surface: Surface) -> Surface:
    """A closed surface with its triangles counterclockwise as seen from outside.

    Raises
    ------
    MeshError
        If the surface is open, wound inconsistently, or encloses no volume.
    """
    if _enclosed(surface)[3] > 0.0:
        return surface
    return Surface(surface.points, surface.triangles[:, ::-1], surface.source)


def _enclosed(surface: Surface) -> tuple[Array, float, Array, float]:
    """A point nearby, a size, and what a closed surface is from there by that size.

    Corners (k, 3, 3) of triangles, and the volume, negative where the surface is inside
    out. So a body far from the origin loses no digits.
    """
    _check_closed(surface)
    origin = surface.points[surface.triangles].mean(axis=(0, 1))
    corners = (surface.points - origin)[surface.triangles]
    size = float(np.linalg.norm(np.ptp(corners.reshape(-1, 3), axis=0)))
    corners /= size
    volume = float(np.linalg.det(corners).sum()) / 6.0
    if abs(volume) < 1e-12:
        raise MeshError(f"'{surface.source}' encloses no volume.")
    return origin, size, corners, volume


def combined_mass(bodies: Sequence[MassProperties]) -> MassProperties:
    """Mass properties of several bodies that are joined rigidly, in common axes."""
    masses = np.array([body.mass for body in bodies])
    centers = np.array([body.center for body in bodies])
    mass = float(masses.sum())
    center = masses @ centers / mass
    inertia = np.zeros((3, 3))
    for body in bodies:
        # parallel axes: I + m (r.r 1 - r r^T)
        r = body.center - center
        inertia += body.inertia + body.mass * (r @ r * np.eye(3) - np.outer(r, r))
    return MassProperties(mass, center, inertia)


def _read_triangles(file: Path) -> Surface:
    import trimesh
    from trimesh.exchange.stl import HeaderError

    faults = (HeaderError, ValueError, TypeError, LookupError, AttributeError)
    try:
        with contextlib.redirect_stderr(io.StringIO()):  # trimesh logs before it fails
            found = trimesh.load_mesh(file, process=False)
        points = np.array(found.vertices, dtype=np.float64)
        corners = np.array(found.faces, dtype=np.int64)
    except (
        *faults,
        AssertionError,
        NotImplementedError,
        OSError,
        struct.error,
    ) as error:
        raise MeshError(
            f"'{file}' cannot be read as {file.suffix[1:].upper()} ({error}): it is "
            "damaged or of another kind."
        ) from error
    if not len(corners) or points.ndim != 2 or points.shape[1] != 3:
        raise MeshError(f"'{file}' holds no triangles in space: it is damaged.")
    if not (np.abs(points) < GREATEST_COORDINATE).all():
        raise MeshError(f"'{file}' has coordinates that are not finite or too large.")
    tolerance = _SINGLE_PRECISION * float(np.abs(points).max())
    kept, rows = merge_coincident(points, tolerance=tolerance)
    corners = rows[corners]
    following = np.roll(corners, -1, axis=1)
    is_whole = (corners != following).all(axis=1)  # the others have shrunk to a line
    if not is_whole.any():
        raise MeshError(f"'{file}' holds no triangles that span an area.")
    return Surface(*compact(points[kept], corners[is_whole]), str(file))


def _check_closed(surface: Surface) -> None:
    """Each edge must be run through as often forwards as backwards."""
    starts = surface.triangles
    ends = np.roll(starts, -1, axis=1)
    edges = np.column_stack([starts.ravel(), ends.ravel()])
    direction = np.where(edges[:, 0] < edges[:, 1], 1, -1)
    _, inverse, uses = np.unique(
        np.sort(edges, axis=1), axis=0, return_inverse=True, return_counts=True
    )
    balance = np.bincount(inverse.ravel(), weights=direction)
    n_open = int((uses % 2 == 1).sum())
    if n_open:
        raise MeshError(
            f"'{surface.source}' is not closed ({n_open} open edges), so that it "
            "has no volume: close it in the program that made it, or give mass and "
            "inertia."
        )
    n_turned = int((balance != 0).sum())
    if n_turned:
        raise MeshError(
            f"'{surface.source}' is wound inconsistently ({n_turned} edges whose two "
            "triangles disagree on the outside): unify its normals."
        )


def _rotation_translation(frame: npt.ArrayLike) -> tuple[Array, Array]:
    matrix = numbers("frame", frame, (4, 4))
    rotation = matrix[:3, :3]
    is_orthogonal = np.abs(rotation @ rotation.T - np.eye(3)).max() < 1e-9
    if not is_orthogonal or np.linalg.det(rotation) < 0.0:
        raise ModelError(f"frame must hold a rotation, got {rotation.tolist()}.")
    return rotation, matrix[:3, 3]


def positive(what: str, value: Any) -> float:
    """The value, if it is a positive finite number; else ModelError."""
    if not is_usable(value, GREATEST_COORDINATE) or value <= 0.0:
        is_large = is_usable(value, math.inf) and value > 0.0
        limit = f" below {GREATEST_COORDINATE:g}" if is_large else ""
        raise ModelError(
            f"{what} must be a positive number{limit}, got {shown(value)}."
        )
    return float(value)


def numbers(what: str, given: npt.ArrayLike, shape: tuple[int, ...]) -> Array:
    """An array of finite numbers of one shape; else ModelError."""
    try:
        array = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ModelError(
            f"{what} must be numbers of shape {shape}, got {given!r}."
        ) from None
    if array.shape != shape:
        raise ModelError(f"{what} must have shape {shape}, got {array.shape}.")
    if not (np.abs(array) < GREATEST_NUMBER).all():
        raise ModelError(
            f"{what} must be finite numbers of shape {shape} below "
            f"{GREATEST_NUMBER:g}, got {array.tolist()}."
        )
    return array
