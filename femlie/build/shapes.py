"""Rigid shapes of contact: from shape parts, and from solids and surfaces of bodies."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..contact import _shapes as kinds
from ..contact.shapes import RigidShape
from ..contact.surfaces import convex_parts
from ..elements.base import Array
from ..errors import MeshError, ModelError
from ..lie import se3
from ..mesh import ShapeKind, Surface, read_surface
from ..mesh.solid import outward
from ..parts.shapes import Shape
from .draft import Draft
from .places import Places, frame_from_axes, pose_in, rotation_of

ENDLESS = float("inf")


@dataclass
class Geometry:
    """What one name stands for.

    Attributes
    ----------
    frame : int
        Frame that carries it.
    items : list of RigidShape
    """

    frame: int
    items: list[RigidShape]


def has_geometry(name: str, draft: Draft) -> bool:
    """Whether a name is that of a shape part or of a body."""
    return isinstance(draft.places.parts.get(name), Shape) or name in draft.bodies


def geometry(name: str, draft: Draft, *, user: str) -> Geometry:
    """Rigid shapes of a shape part or a body, in the frame that carries them.

    Raises
    ------
    ModelError
        A body without solid and surface, a surface that is not closed.
    """
    part = draft.places.parts[name]
    if isinstance(part, Shape):
        return _of_part(part, draft.places, draft.folder)
    places = draft.places
    body = draft.bodies[name]
    frame = int(places.node_frames[places.body_nodes[name]])
    inside = se3.inverse(places.frames[frame]) @ body.frame
    shapes = getattr(part.solid, "shapes", ())
    if shapes and part.surface is None and part.surface_group is None:
        found = [
            _item(kind, sizes, frame, inside @ one.frame, name)
            for one in shapes
            for kind, sizes in [_simple(one.kind, one.size)]
        ]
        return Geometry(frame, found)
    if body.surface is None:
        raise ModelError(
            f"{user} refers to body '{name}', which has no shape: give it a solid or a "
            "surface, or put a Shape on it."
        )
    return Geometry(frame, _surface_items(body.surface, frame, inside, name))


def _of_part(part: Shape, places: Places, folder: Path | None) -> Geometry:
    frame, carrier = places.frame_of(part.on, user=f"Shape '{part.name}'")
    position: Any = part.position
    if position is None:
        position = np.zeros(3)
        if part.on in places.parts or frame > 0:
            position = _place_of(part.on, places)
    axes = frame_from_axes(
        position, (0.0, 0.0, 1.0) if part.axis is None else part.axis
    )
    if part.orientation is not None:
        axes[:3, :3] = rotation_of(part.orientation)
    elif part.axis is None:
        axes[:3, :3] = np.eye(3)
    inside = se3.inverse(carrier) @ axes
    if part.kind is ShapeKind.SURFACE:
        surface = _read(part, folder)
        return Geometry(frame, _surface_items(surface, frame, inside, part.name))
    size: tuple[float, ...] = () if part.size is None else tuple(part.size)
    if part.radius is not None:
        size = (part.radius, ENDLESS if part.length is None else part.length)
    kind, sizes = _simple(part.kind, size)
    if part.inside:
        kind = {kinds.BALL: kinds.HOLLOW, kinds.CYLINDER: kinds.BORE}[kind]
    return Geometry(frame, [_item(kind, sizes, frame, inside, part.name)])


def _place_of(name: str, places: Places) -> Array:
    node = places.node(name, user=f"on '{name}'")
    return np.asarray(places.positions[node])


def _read(part: Shape, folder: Path | None) -> Surface:
    if isinstance(part.surface, Surface):
        return part.surface
    assert part.surface is not None
    path = Path(part.surface)
    if folder is not None and not path.is_absolute():
        path = folder / path
    if not path.exists():
        raise ModelError(
            f"Shape '{part.name}' names the surface '{part.surface}', but there is no "
            f"file '{path}': relative paths start at '{folder or Path.cwd()}'."
        )
    return read_surface(path, part.surface_group)


def _simple(
    kind: ShapeKind, size: tuple[float, ...]
) -> tuple[int, tuple[float, float, float]]:
    """Kind and dimensions as the distance takes them: half lengths."""
    if kind is ShapeKind.PLANE:
        return kinds.PLANE, (0.0, 0.0, 0.0)
    if kind is ShapeKind.SPHERE:
        return kinds.BALL, (float(size[0]), 0.0, 0.0)
    if kind is ShapeKind.BOX:
        return kinds.BOX, (0.5 * size[0], 0.5 * size[1], 0.5 * size[2])
    own = kinds.CYLINDER if kind is ShapeKind.CYLINDER else kinds.CAPSULE
    return own, (float(size[0]), 0.5 * size[1], 0.0)


def _item(
    kind: int, sizes: tuple[float, float, float], frame: int, inside: Array, name: str
) -> RigidShape:
    return RigidShape(kind, sizes, frame, pose_in(np.eye(4), inside), name)


def _surface_items(
    surface: Surface, frame: int, inside: Array, name: str
) -> list[RigidShape]:
    """Parts of triangles that enclose something."""
    try:
        surface = outward(surface)
    except (MeshError, ModelError) as error:
        raise ModelError(
            f"'{name}' may be touched, which needs a closed surface: {error}"
        ) from error
    pose, none = pose_in(np.eye(4), inside), (0.0, 0.0, 0.0)
    return [
        RigidShape(kinds.TRIANGLES, none, frame, pose, name, surface.points, part)
        for part in convex_parts(surface.points, surface.triangles)
    ]
