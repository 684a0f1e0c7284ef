"""Rigid shapes that others may touch."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ..mesh import ShapeKind, Surface
from .connections import GROUND
from .structure import Vector


@dataclass(frozen=True)
class Shape:
    """A rigid shape without mass, on the ground or on something that moves.

    Attributes
    ----------
    name : str
    kind : ShapeKind
        ``fl.PLANE``: all below it is solid; ``fl.SPHERE``, ``fl.CYLINDER``,
        ``fl.CAPSULE``, ``fl.BOX``; ``fl.SURFACE``: closed, of triangles.
    on : str
        ``fl.GROUND``, a body or a node that carries it.
    position : (3,) or None
        Its middle, or a point of the plane [m], world axes at the start; default: the
        place of ``on``. A surface is where its file says, moved by this.
    axis : (3,) or None
        Normal of the plane, pointing out of what is solid; axis of a cylinder or
        capsule; world axes at the start. Default: the world's z axis.
    orientation : (3,) or None
        Rotation vector of a box or surface [rad].
    radius : float or None
        Of a sphere, cylinder or capsule [m].
    length : float or None
        Of a cylinder, which has no ends by default; between the centers of both ends
        of a capsule [m].
    size : (3,) or None
        Edges of a box [m].
    inside : bool
        What is solid is not the sphere or cylinder but all around it; around a
        cylinder of finite length a plate with a bore.
    surface : path, Surface or None
        As that of a `Body`.
    surface_group : str or None
        Surface or solid group in a Gmsh file.
    """

    name: str
    kind: ShapeKind
    on: str = GROUND
    position: Vector | None = None
    axis: Vector | None = None
    orientation: Vector | None = None
    radius: float | None = None
    length: float | None = None
    size: Vector | None = None
    inside: bool = False
    surface: str | Path | Surface | None = None
    surface_group: str | None = None
