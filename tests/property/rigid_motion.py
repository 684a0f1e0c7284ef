"""A model as a whole, turned and shifted: every place and vector of its parts."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

import femlie as fl
from femlie.lie import so3
from femlie.mesh import Mesh

# what the fields of parts stand for
PLACES = ("position", "child_position", "first_point", "second_point", "about")
DIRECTIONS = (
    "axis",
    "second_axis",
    "first_axis",
    "force",
    "moment",
    "point",
    "acceleration",
    "displacement",
    "rotation",
    "start_offset",
    "end_offset",
    "velocity",
    "angular_velocity",
)


def moved_model(model: fl.Model, frame: Any) -> fl.Model:
    """The same model elsewhere; ``frame`` (4, 4) takes the old places to the new."""
    moved = fl.Model(None if model.mesh is None else moved_mesh(model.mesh, frame))
    for part in model.parts.values():
        moved.add(moved_part(part, frame))
    return moved


def moved_mesh(mesh: Mesh, frame: Any) -> Mesh:
    points = mesh.points @ frame[:3, :3].T + frame[:3, 3]
    return dataclasses.replace(mesh, points=points)


def moved_part(part: Any, frame: Any) -> Any:
    changes: dict[str, Any] = {}
    turn = frame[:3, :3]
    for field in dataclasses.fields(part):
        value = getattr(part, field.name)
        if value is None or isinstance(value, str):
            continue
        if field.name == "axis" and getattr(part, "kind", None) is fl.DISTANCE:
            continue
        if field.name in PLACES:
            changes[field.name] = vector(turn @ value + frame[:3, 3])
        elif field.name in DIRECTIONS:
            changes[field.name] = vector(turn @ value)
        elif field.name == "orientation":
            changes[field.name] = (
                vector(turn @ value)
                if isinstance(part, fl.Beam)
                else rotation_vector(turn @ so3.exp(np.asarray(value)))
            )
    if isinstance(part, fl.Body) and part.orientation is None:
        changes["orientation"] = rotation_vector(turn)
    if isinstance(part, fl.PointMass) and part.inertia is not None:
        # about the mass center in world axes at the start
        changes["inertia"] = nested(turn @ matrix(part.inertia) @ turn.T)
    return dataclasses.replace(part, **changes)


def matrix(inertia: Any) -> Any:
    values = np.asarray(inertia, dtype=float)
    if values.shape == (3,):
        return np.diag(values)
    if values.shape == (6,):
        xx, yy, zz, xy, xz, yz = values
        return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return values


def vector(values: Any) -> tuple[float, float, float]:
    x, y, z = values
    return float(x), float(y), float(z)


def rotation_vector(turn: Any) -> tuple[float, float, float]:
    return vector(so3.log(turn))


def nested(values: Any) -> Any:
    return tuple(tuple(float(x) for x in row) for row in 0.5 * (values + values.T))
