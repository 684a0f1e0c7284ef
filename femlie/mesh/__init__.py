"""Meshes: points, lines and named groups; surfaces and mass properties of bodies."""

from femlie.mesh.build import (
    join_meshes,
    mesh_from_arrays,
    mesh_from_curve,
    straight_line,
)
from femlie.mesh.lattice import cubic_lattice
from femlie.mesh.mesh import Mesh
from femlie.mesh.read import read_mesh
from femlie.mesh.shapes import (
    BOX,
    CAPSULE,
    CYLINDER,
    PLANE,
    SPHERE,
    SURFACE,
    ShapeKind,
    SimpleShape,
    Solid,
    box,
    combine,
    cylinder,
    sphere,
)
from femlie.mesh.solid import (
    MassProperties,
    Surface,
    mass_properties,
    read_surface,
)

__all__ = [
    "BOX",
    "CAPSULE",
    "CYLINDER",
    "PLANE",
    "SPHERE",
    "SURFACE",
    "MassProperties",
    "Mesh",
    "ShapeKind",
    "SimpleShape",
    "Solid",
    "Surface",
    "box",
    "combine",
    "cubic_lattice",
    "cylinder",
    "join_meshes",
    "mass_properties",
    "mesh_from_arrays",
    "mesh_from_curve",
    "read_mesh",
    "read_surface",
    "sphere",
    "straight_line",
]
