"""Bodies and point masses: mass, mass center, inertia, surface."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..elements import _body_kernel as kernels
from ..elements.base import Array, Block, no_carry
from ..errors import ModelError
from ..lie import so3
from ..mesh import MassProperties, Mesh, Surface, mass_properties, read_surface
from ..parts.structure import Body
from .check import array_of_numbers
from .places import Places

# inertia below this share of the largest is none
ROUNDING = 1e-10


@dataclass
class RigidBody:
    """A body part with its frame (4, 4) at the start and mass, if any, in its axes."""

    part: Body
    frame: Array
    mass: MassProperties | None
    surface: Surface | None


@dataclass
class Lump:
    """Mass rigidly on a frame: first moment and inertia about the frame's origin."""

    name: str
    frame: int
    mass: float
    first_moment: Array
    inertia: Array


def rigid_body(part: Body, places: Places, folder: Path | None) -> RigidBody:
    """Mass properties, place and surface of a body part.

    Raises
    ------
    ModelError
        Missing, contradicting or impossible data, in one sentence.
    """
    surface = _surface(part, places.mesh, folder)
    frame = np.eye(4)
    if part.orientation is not None:
        frame[:3, :3] = so3.exp(np.asarray(part.orientation, dtype=float))
    frame[:3, 3] = _position(part, places)
    if part.surface_group is not None and part.surface is None and surface is not None:
        # a surface of the model's own mesh lies where it is drawn
        back = np.eye(4)
        back[:3, :3] = frame[:3, :3].T
        back[:3, 3] = -frame[:3, :3].T @ frame[:3, 3]
        surface = surface.moved(back)
    mass = _mass(part, surface)
    if surface is None and hasattr(part.solid, "surface"):
        surface = part.solid.surface
    return RigidBody(part, frame, mass, surface)


def _position(part: Body, places: Places) -> Array:
    if part.position is not None:
        return np.asarray(part.position, dtype=float)
    if part.at is None:
        return np.zeros(3)
    user = f"Body '{part.name}'"
    has_shape = part.solid is not None or part.surface or part.surface_group
    if isinstance(places.parts.get(part.at), Body) and part.at != part.name:
        raise ModelError(
            f"{user} is at the body '{part.at}', which says nothing about its own "
            "place: give its position."
        )
    points = places.positions[places.nodes_at(part, user=user)]
    if len(points) == 1:
        return np.asarray(points[0])
    return np.zeros(3) if has_shape else np.asarray(points.mean(axis=0))


def _surface(part: Body, mesh: Mesh | None, folder: Path | None) -> Surface | None:
    if isinstance(part.surface, Surface):
        return part.surface
    if part.surface is not None:
        path = Path(part.surface)
        if folder is not None and not path.is_absolute():
            path = folder / path
        if not path.exists():
            raise ModelError(
                f"Body '{part.name}' names the surface '{part.surface}', but there is "
                f"no file '{path}': relative paths start at '{folder or Path.cwd()}'. "
                "Give the whole path, or another folder by Model(folder=...)."
            )
        return read_surface(path, part.surface_group)
    if part.surface_group is None:
        return None
    if mesh is None:
        raise ModelError(
            f"Body '{part.name}' names the surface group '{part.surface_group}', but "
            "the model has no mesh: give surface = a file."
        )
    points, triangles = mesh.surface(part.surface_group)
    return Surface(points, triangles, part.surface_group)


def _mass(part: Body, surface: Surface | None) -> MassProperties | None:
    """Mass properties from a solid, from a surface with density, or from numbers."""
    given = part.mass is not None or part.inertia is not None
    user = f"Body '{part.name}'"
    if part.solid is not None:
        if given or part.density is not None or part.center is not None:
            raise ModelError(
                f"{user} has a solid and also mass, inertia, center or density: "
                "give one of them."
            )
        found = getattr(part.solid, "mass_properties", part.solid)
        if not isinstance(found, MassProperties):
            raise ModelError(
                f"solid of {user} is {type(part.solid).__name__}: expected box, "
                "cylinder, sphere, combine(...) or MassProperties."
            )
        if found.is_checked:
            inertia_matrix(found.inertia, user=user)
        return found
    if part.density is not None:
        if given or part.center is not None or surface is None:
            raise ModelError(
                f"{user} has a density: that needs a closed surface, and no mass, "
                "inertia or center beside it."
            )
        return mass_properties(surface, part.density)
    return _given_mass(part, user)


def _given_mass(part: Body, user: str) -> MassProperties | None:
    if part.mass is None:
        raise ModelError(
            f"{user} has no mass: give mass and inertia, a solid, or a surface with "
            "density."
        )
    if part.mass == 0.0:
        _refuse_inertia(part, user)
        return None
    if part.inertia is None:
        raise ModelError(
            f"{user} has no inertia: give inertia (3 or 6 numbers or 3x3), or use a "
            "point mass."
        )
    center = np.zeros(3) if part.center is None else np.asarray(part.center, float)
    return MassProperties(
        float(part.mass), center, inertia_matrix(part.inertia, user=user)
    )


def _refuse_inertia(part: Body, user: str) -> None:
    """A body without mass only names a frame."""
    if part.inertia is not None and np.any(np.asarray(part.inertia)):
        raise ModelError(
            f"{user} has inertia but the mass 0: expected a positive number, or no "
            "inertia."
        )


def inertia_matrix(given: Any, *, user: str) -> Array:
    """3x3 inertia from 3 or 6 numbers or a matrix, checked.

    Raises
    ------
    ModelError
        Wrong shape, not symmetric, negative, or against the triangle rule.
    """
    expected = "3 numbers, 6 numbers (xx, yy, zz, xy, xz, yz) or 3x3"
    what = f"inertia of {user}"
    values = array_of_numbers(given, what=what, expected=expected)
    if values.shape == (3,):
        matrix = np.diag(values)
    elif values.shape == (6,):
        xx, yy, zz, xy, xz, yz = values
        matrix = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    elif values.shape == (3, 3):
        matrix = values
    else:
        raise ModelError(f"{what} has the shape {values.shape}: expected {expected}.")
    if not np.all(np.isfinite(matrix)) or np.abs(matrix - matrix.T).max() > (
        1e-9 * np.abs(matrix).max()
    ):
        raise ModelError(f"{what} must be finite and symmetric, got {values.tolist()}.")
    principal = np.linalg.eigvalsh(matrix)
    largest = principal[2]
    if principal[0] < -1e-9 * abs(largest):
        raise ModelError(
            f"{what} has the negative principal value {principal[0]:.6g}: "
            "check signs and units."
        )
    if largest > (principal[0] + principal[1]) * (1.0 + 1e-6):
        raise ModelError(
            f"{what} breaks the triangle rule: its principal values "
            f"{', '.join(f'{p:.6g}' for p in principal)} have one larger than the sum "
            "of the others, which no body has."
        )
    return np.asarray(matrix)


def lump(
    name: str, frame: int, pose: Array, mass: float, center: Array, inertia: Array
) -> Lump:
    """Mass in the axes of its frame; ``pose`` (4, 4) of the body in the frame."""
    place = pose[:3, :3] @ center + pose[:3, 3]
    turned = pose[:3, :3] @ inertia @ pose[:3, :3].T
    about = turned + mass * ((place @ place) * np.eye(3) - np.outer(place, place))
    return Lump(name, frame, mass, mass * place, about)


def axes_with_inertia(lumps: list[Lump]) -> int:
    """About how many principal axes masses on one frame have inertia: 0, 2 or 3."""
    mass = sum(item.mass for item in lumps)
    center = np.sum([item.first_moment for item in lumps], axis=0) / mass
    about = np.sum([item.inertia for item in lumps], axis=0)
    shift = mass * ((center @ center) * np.eye(3) - np.outer(center, center))
    principal = np.linalg.eigvalsh(about - shift)
    # what is left of masses in one place is rounding of their arms
    floor = ROUNDING * max(float(np.trace(about)), float(principal[2]))
    return int(np.sum(principal > floor))


def body_block(lumps: list[Lump]) -> Block:
    """The block of all rigid masses."""
    n = len(lumps)
    parameters = np.zeros((n, kernels.N_BODY_PARAMETERS))
    for k, item in enumerate(lumps):
        parameters[k, kernels.MASS] = item.mass
        parameters[k, kernels.FIRST_MOMENT : kernels.FIRST_MOMENT + 3] = (
            item.first_moment
        )
        parameters[k, kernels.INERTIA :] = item.inertia.reshape(-1)
    return Block(
        kind="body",
        kernels=(kernels.evaluate_body, no_carry, kernels.observe_body),
        frames=np.array([[item.frame] for item in lumps], dtype=np.int64),
        codes=np.zeros((n, 0), dtype=np.int64),
        parameters=parameters,
        names=tuple(item.name for item in lumps),
        does_work=False,
    )
