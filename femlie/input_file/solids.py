"""Solids of a model file: simple shapes at their places, one or several joined."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import suggestion
from ..lie import so3
from ..mesh import MassProperties, Solid, combine
from ..parts.structure import Vector
from .hints import parameters_of
from .place import Names, Place, toml_text
from .values import convert, make
from .words import SOLIDS

PLACEMENT = ("position", "orientation")


def solid_of(value: Any, place: Place, names: Names) -> Solid:
    """A solid from a table, or several joined from a list of tables.

    A table has ``shape`` and the arguments of `box`, `cylinder` or `sphere`, and may
    have ``position`` and ``orientation`` (rotation vector [rad]) of the shape in the
    body's axes; or it has the fields of `Solid`.
    """
    if isinstance(value, list):
        places = [place.entry(number) for number in range(1, len(value) + 1)]
        for entry, where in zip(value, places, strict=True):
            if not isinstance(entry, dict) or "shape" not in entry:
                raise where.wrong(entry, "a table with shape and density")
        if not value:
            raise place.wrong(value, "one or more tables with shape and density")
        pairs = zip(value, places, strict=True)
        return combine(*(solid_of(entry, where, names) for entry, where in pairs))
    inner = place.as_table()
    if "shape" not in value:
        return _given_solid(value, inner, names)
    shape = value["shape"]
    if not isinstance(shape, str) or shape not in SOLIDS:
        near = suggestion(str(shape), SOLIDS, what="shapes of solids")
        raise inner.at("shape").error(
            f"is {toml_text(shape)}, which is not known. {near}"
        )
    rest = {k: v for k, v in value.items() if k not in ("shape", *PLACEMENT)}
    solid: Solid = make(SOLIDS[shape], rest, inner, names)
    spot: list[Any] = [
        convert(value[key], Vector, inner.at(key), names) if key in value else (0, 0, 0)
        for key in PLACEMENT
    ]
    if not np.any(spot):
        return solid
    frame = np.eye(4)
    frame[:3, :3] = so3.exp(np.array(spot[1], dtype=float))
    frame[:3, 3] = spot[0]
    return solid.moved(frame)


def _given_solid(value: dict[str, Any], place: Place, names: Names) -> Any:
    """A solid or mass properties, by their fields."""
    for record in (Solid, MassProperties):
        if set(value) & set(parameters_of(record)):
            return make(record, value, place, names)
    known = ", ".join(f'"{shape}"' for shape in SOLIDS)
    raise place.error(f"has no key 'shape', expected one of {known}.")
