"""Other values for every option of every part, found from the fields themselves."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np

import femlie as fl

STL = Path(__file__).parents[2] / "meshes" / "stl_cylinder.stl"
TABLE = fl.Table(times=(0.0, 0.5, 1.0), values=(0.1, 0.4, 0.9))
# what to try where nothing is given, by class and field
EXAMPLES: dict[tuple[type, str], Any] = {
    (fl.Beam, "orientation"): (0.3, 0.2, 0.9),
    (fl.Beam, "rest_strain"): (0.01, 0.02, 0.01, 0.1, 0.2, 0.1),
    (fl.Beam, "rest_strain_over_time"): TABLE,
    (fl.Body, "at"): "node 0.0",
    (fl.Body, "position"): (0.3, 0.2, 0.1),
    (fl.Body, "orientation"): (0.3, 0.2, 0.1),
    (fl.Body, "mass"): 3.0,
    (fl.Body, "inertia"): (1.0, 1.0, 1.0),
    (fl.Body, "center"): (0.1, 0.2, 0.3),
    (fl.Body, "solid"): fl.box((0.1, 0.2, 0.3), density=700.0),
    (fl.Body, "surface"): STL,
    (fl.Body, "surface_group"): "no such group",
    (fl.Body, "density"): 300.0,
    (fl.PointMass, "inertia"): (0.1, 0.1, 0.1),
    (fl.SpringDamper, "length"): 0.123,
    (fl.SpringDamper, "first_point"): (0.3, 0.2, 0.1),
    (fl.SpringDamper, "second_point"): (0.4, 0.3, 0.2),
    (fl.Bushing, "damping"): (1.0, 1.0, 1.0, 0.1, 0.1, 0.1),
    (fl.Bushing, "position"): (0.3, 0.2, 0.1),
    (fl.Bushing, "orientation"): (0.3, 0.2, 0.1),
    (fl.InitialMotion, "on"): ("node 0.1",),
    (fl.Motor, "motion"): 0.3,
    (fl.Motor, "torque"): 0.3,
    (fl.Motor, "over_time"): TABLE,
    (fl.Stop, "lower"): -1e-3,
    (fl.Stop, "upper"): 1e-3,
    (fl.Joint, "second_axis"): (1.0, 0.0, 0.0),
    (fl.Joint, "position"): (0.3, 0.2, 0.1),
    (fl.Joint, "child_position"): (0.3, 0.2, 0.1),
    (fl.Joint, "motor"): fl.Motor(torque=2.0),
    (fl.Joint, "spring"): fl.JointSpring(stiffness=3.0),
    (fl.Joint, "stop"): fl.Stop(lower=-1e-4, upper=1e-4, stiffness=300.0),
    (fl.Joint, "friction"): fl.Friction(limit=1.0),
    (fl.Joint, "pitch"): 0.2,
    (fl.Support, "first_axis"): (0.3, 0.2, 0.9),
    (fl.Support, "held"): (True, False, True, False, False, True),
    (fl.Support, "displacement"): (0.01, 0.0, 0.0),
    (fl.Support, "rotation"): (0.0, 0.1, 0.0),
    (fl.Support, "over_time"): TABLE,
    (fl.EndRelease, "second_axis"): (1.0, 0.0, 0.0),
    (fl.EndRelease, "spring"): fl.JointSpring(stiffness=3.0),
    (fl.Force, "over_time"): TABLE,
    (fl.LineLoad, "over_time"): TABLE,
    (fl.Gravity, "over_time"): TABLE,
    (fl.Gravity, "on"): ("beam 0",),
    (fl.GeneralSection, "compliance"): np.eye(6),
    (fl.GeneralSection, "damping"): np.eye(6),
}
SHAPES = (fl.CircularSection, fl.TubeSection, fl.RectangularSection, fl.ISection)
EXAMPLES |= {
    (shape, field): value
    for shape in SHAPES
    for field, value in (
        ("shear_factors", (0.7, 0.9)),
        ("torsion_constant", 1e-4),
        ("damping", np.eye(6)),
    )
}
# names of parts tell results apart and change nothing else
SKIPPED = {"name"}


def other_values(owner: Any, field: str, names: list[str]) -> list[Any]:
    """Sensible values that an option does not have."""
    value = getattr(owner, field)
    if field == "coordinate":
        return [other for other in fl.JointCoordinate if other is not value]
    if field == "solid" and value is not None:
        return [EXAMPLES[fl.Body, "solid"]]
    if field == "interpolation":
        return [other for other in fl.Interpolation if other is not value]
    if field == "second_axis" and value is not None:
        x, y, z = np.cross(owner.axis, value) + np.asarray(value)
        return [(float(x), float(y), float(z))]
    if value is None:
        return [EXAMPLES[type(owner), field]]
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, Enum):
        return [other for other in type(value) if other is not value]
    if isinstance(value, str):
        return [name for name in names if name != value]
    if isinstance(value, int | float):
        return [0.9 * value] if value else [0.37]
    if isinstance(value, np.ndarray):
        return [0.9 * value]
    if isinstance(value, tuple):
        return other_tuples(value, names)
    return []


def other_tuples(value: tuple[Any, ...], names: list[str]) -> list[Any]:
    if not value:
        return []
    if isinstance(value[0], str):
        shorter = [value[:-1]] if len(value) > 1 else []
        return [*shorter, *[(*value[:-1], name) for name in names]]
    if isinstance(value[0], bool):
        return [tuple(not v if i == k else v for i, v in enumerate(value)) for k in
                range(len(value))]  # fmt: skip
    if isinstance(value[0], np.ndarray):
        return [tuple(0.9 * v for v in value)]
    if isinstance(value[0], tuple):
        return [tuple(tuple(0.9 * v for v in row) for row in value)]
    if not isinstance(value[0], int | float):
        return []
    found = []
    for k in range(len(value)):
        other = list(value)
        other[k] = 0.9 * other[k] if other[k] else 0.05
        found.append(tuple(other))
    return found


def other_records(
    owner: Any, names: list[str], place: str = ""
) -> Iterator[tuple[str, list[Any]]]:
    """Every option by ``Class.field``, also of records within, with other owners."""
    place = place or type(owner).__name__
    for field in dataclasses.fields(owner):
        if field.name in SKIPPED or not field.init:
            continue
        value = getattr(owner, field.name)
        here = f"{place}.{field.name}"
        inner = value if isinstance(value, tuple) else (value,)
        if inner and all(is_record(item) for item in inner):
            for k, item in enumerate(inner):
                for path, others in other_records(item, names, type(item).__name__):
                    whole = [
                        replaced(inner, k, other) if isinstance(value, tuple) else other
                        for other in others
                    ]
                    yield path, copies(owner, field.name, whole)
            continue
        others = other_values(owner, field.name, names)
        yield here, copies(owner, field.name, others)


def is_record(item: Any) -> bool:
    return dataclasses.is_dataclass(item) and not isinstance(
        item, (type, fl.Solid, fl.MassProperties)
    )


def replaced(items: tuple[Any, ...], k: int, other: Any) -> tuple[Any, ...]:
    return (*items[:k], other, *items[k + 1 :])


def copies(owner: Any, field: str, values: list[Any]) -> list[Any]:
    """The owner with each of the values, or the error that refuses it."""
    found: list[Any] = []
    for value in values:
        changes = {field: value}
        if isinstance(owner, fl.Material):
            # both are kept, and must agree
            changes["poisson" if field == "shear_modulus" else "shear_modulus"] = None
            changes[field] = value
        try:
            found.append(dataclasses.replace(owner, **changes))
        except fl.FemlieError as error:
            found.append(error)
    return found
