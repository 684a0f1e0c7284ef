"""Surfaces of shape parts for pictures and other programs."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..contact import _shapes as kinds
from ..contact.shapes import RigidShape
from ..elements.base import Array
from ..lie import se3
from ..mesh import Surface as Triangles
from ..mesh import box, cylinder, sphere
from ..mesh.shapes import revolved
from ..parts.shapes import Shape
from ..system import Surface
from .draft import Draft
from .first_state import size_of
from .shapes import geometry

# half of what is drawn of a plane, or of an endless cylinder, over the model's size
HALF_WIDTH = 0.6
N_FACETS = 96


def surfaces_of_shapes(draft: Draft, parts: dict[str, Any]) -> dict[str, Surface]:
    """Surface of each shape part in the frame that carries it."""
    found = {}
    for name, part in parts.items():
        if isinstance(part, Shape):
            own = geometry(name, draft, user=f"Shape '{name}'")
            first = own.items[0]
            moved = _drawn(first, draft).moved(se3.frame_from_pose(first.offset))
            triangles = moved.triangles
            if first.triangles is not None:
                parts_of_it = [item.triangles for item in own.items]
                triangles = np.concatenate([t for t in parts_of_it if t is not None])
            found[name] = Surface(own.frame, moved.points, triangles)
    return found


def _drawn(item: RigidShape, draft: Draft) -> Triangles:
    """Triangles in the axes of the shape; the inside of hollows."""
    radius, half, _ = item.dimensions
    if item.points is not None and item.triangles is not None:
        return Triangles(item.points, item.triangles, item.owner)
    if item.kind == kinds.PLANE:
        middle, size = _middle(item, draft), HALF_WIDTH * size_of(draft)
        corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
        flat = np.column_stack([middle[:2] + size * corners, np.zeros(4)])
        return Triangles(flat, np.array([[0, 1, 2], [0, 2, 3]]), item.owner)
    if item.kind == kinds.BOX:
        return box(2.0 * np.array(item.dimensions), density=1.0).surface
    if item.kind in (kinds.BALL, kinds.HOLLOW):
        drawn = sphere(radius, density=1.0, n_facets=N_FACETS).surface
    elif item.kind == kinds.CAPSULE:
        angles = np.linspace(0.0, 0.5 * np.pi, N_FACETS // 4)
        cap = radius * np.column_stack([np.cos(angles), np.sin(angles)]) + [0.0, half]
        profile = np.vstack([(cap * [1.0, -1.0])[::-1], cap])
        drawn = revolved(profile, N_FACETS, item.owner)
    elif np.isfinite(half):
        drawn = _pipe(item, half, 0.0)
    else:
        drawn = _pipe(item, HALF_WIDTH * size_of(draft), _middle(item, draft)[2])
    if item.kind in (kinds.HOLLOW, kinds.BORE):
        return Triangles(drawn.points, drawn.triangles[:, ::-1], item.owner)
    return drawn


def _pipe(item: RigidShape, half: float, middle: float) -> Triangles:
    """A cylinder with its ends; of a bore, or one that has no ends, the mantle."""
    radius = item.dimensions[0]
    drawn = cylinder(radius, 2.0 * half, density=1.0, n_facets=N_FACETS).surface
    points = drawn.points + np.array([0.0, 0.0, middle])
    triangles = drawn.triangles
    if item.kind == kinds.BORE or not np.isfinite(item.dimensions[1]):
        # the middles of both ends come first
        triangles = triangles[np.all(triangles > 1, axis=1)]
    return Triangles(points, triangles, item.owner)


def _middle(item: RigidShape, draft: Draft) -> Array:
    """Middle of the model in the axes of a shape at the start."""
    places = draft.places
    used = places.positions[places.node_frames >= 0]
    carrier = places.frames[item.frame]
    axes = carrier @ se3.frame_from_pose(item.offset)
    if not len(used):
        return np.zeros(3)
    middle = 0.5 * (used.min(axis=0) + used.max(axis=0))
    return np.asarray((middle - axes[:3, 3]) @ axes[:3, :3])
