"""What may stand in a table of a model file: signatures and type hints of the parts.

`OPEN_HINTS` adds what hints such as ``Any`` leave open; no part is listed otherwise.
"""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Union

from ..mesh import (
    MassProperties,
    SimpleShape,
    Solid,
    Surface,
    box,
    cubic_lattice,
    cylinder,
    mesh_from_arrays,
    mesh_from_curve,
    straight_line,
)
from ..parts.connections import Support
from ..parts.structure import (
    Beam,
    Body,
    Bushing,
    InitialMotion,
    PointMass,
    UserElement,
    Vector,
)
from ..parts.time import Interpolation, Table
from ..sections import Section


@dataclass(frozen=True)
class Numbers:
    """Stands for a hint: nested lists of numbers of one of the shapes (-1: any).

    Without shapes, any rectangular list will do.
    """

    shapes: tuple[tuple[int, ...], ...] = ()
    are_integers: bool = False


@dataclass(frozen=True)
class Entries:
    """Stands for a hint: a table whose keys are names, each with a value of a hint."""

    hint: Any


@dataclass(frozen=True)
class Function:
    """Stands for a hint: a Python object, which no file can hold."""


INERTIA = Numbers(((3,), (6,), (3, 3)))
SIX = Numbers(((6,), (6, 6)))
POINTS = Numbers(((-1, 3),))
ROWS = Entries(Numbers(((-1,),), are_integers=True))
TRIANGLES = Numbers(((-1, 3),), are_integers=True)

# What hints leave open, by the class or function and the name in it.
OPEN_HINTS: dict[tuple[Any, str], Any] = {
    (Beam, "section"): Section,
    (Beam, "rest_strain"): Numbers(((6,),)),
    (Body, "inertia"): INERTIA,
    (Body, "solid"): Solid,
    (PointMass, "inertia"): INERTIA,
    (Bushing, "stiffness"): SIX,
    (Bushing, "damping"): SIX,
    (Support, "held"): tuple[bool, bool, bool, bool, bool, bool],
    (InitialMotion, "velocity"): Vector | Callable,
    (InitialMotion, "angular_velocity"): Vector | Callable,
    (UserElement, "element"): Function(),
    (MassProperties, "center"): Vector,
    (MassProperties, "inertia"): Numbers(((3, 3),)),
    (SimpleShape, "frame"): Numbers(((4, 4),)),
    (Surface, "points"): POINTS,
    (Surface, "triangles"): TRIANGLES,
    (box, "size"): Vector,
    (cylinder, "axis"): Vector,
    (mesh_from_arrays, "points"): POINTS,
    (mesh_from_arrays, "lines"): Numbers(((-1, 2), (-1, 3)), are_integers=True),
    (mesh_from_arrays, "node_groups"): ROWS,
    (mesh_from_arrays, "node_numbers"): Numbers(((-1,),), are_integers=True),
    (mesh_from_arrays, "line_groups"): ROWS,
    (mesh_from_arrays, "surface_groups"): Entries(TRIANGLES),
    (cubic_lattice, "n_cells"): tuple[int, int, int],
    (mesh_from_curve, "curve"): POINTS,
    (straight_line, "start"): Vector,
    (straight_line, "end"): Vector,
}


def table_from_file(
    file: Path,
    interpolation: Interpolation | None = None,
    end_rates: tuple[float, float] = (0.0, 0.0),
) -> Table:
    """Table of time from a text file with two columns, time and value.

    Columns are parted by blanks, commas or semicolons; a first line of titles and lines
    that start with ``#`` are passed over.
    """
    from .columns import read_columns

    times, values = read_columns(file)
    return Table(
        times=times, values=values, interpolation=interpolation, end_rates=end_rates
    )


# Another way to say a record: the key that tells it, and what makes the record.
ALTERNATIVES: dict[Any, tuple[str, Callable[..., Any]]] = {
    Table: ("file", table_from_file)
}


@cache
def _hints(target: Any) -> dict[str, Any]:
    return typing.get_type_hints(target)


def hint_of(target: Any, name: str) -> Any:
    """What may stand at a key: the type hint, or what `OPEN_HINTS` says instead."""
    if (target, name) in OPEN_HINTS:
        return OPEN_HINTS[target, name]
    return _hints(target).get(name, Any)


def parameters_of(
    target: Any, *, hidden: tuple[str, ...] = ()
) -> dict[str, inspect.Parameter]:
    """Parameters of a class or a function that a table may give."""
    given = inspect.signature(target).parameters
    return {name: p for name, p in given.items() if name not in ("self", *hidden)}


def is_needed(parameter: inspect.Parameter) -> bool:
    """Whether a parameter has no default."""
    return parameter.default is inspect.Parameter.empty


def options_of(hint: Any) -> list[Any]:
    """The types that a hint allows, without None."""
    if typing.get_origin(hint) in (Union, types.UnionType):
        found = [options_of(option) for option in typing.get_args(hint)]
        return list(dict.fromkeys(option for several in found for option in several))
    return [] if hint in (None, type(None)) else [hint]
