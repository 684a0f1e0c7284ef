"""A named collection of parts on a mesh."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any, TypeVar, get_args

import numpy as np

from .build.check import check_part
from .build.system import build_system
from .errors import ModelError, suggestion
from .mesh import Mesh, read_mesh
from .parts import PART_KINDS
from .sensors.parts import Sensor
from .system import System

Part = TypeVar("Part")
SENSOR_KINDS = get_args(Sensor)


class Model:
    """Parts on a mesh; `build` makes a system of equations of it.

    Parameters
    ----------
    mesh : Mesh, path or None
        Mesh with named groups; None for bodies and joints alone.
    folder : path or None
        Where files named by parts lie; default: the current folder.

    Examples
    --------
    >>> model = fl.Model(mesh)
    >>> model.add(fl.Beam("rod", cells="rod", section=section))
    >>> system = model.build()
    """

    def __init__(
        self,
        mesh: Mesh | str | Path | None = None,
        *,
        folder: str | Path | None = None,
    ) -> None:
        self.folder = None if folder is None else Path(folder)
        self.mesh = read_mesh(mesh) if isinstance(mesh, (str, Path)) else mesh
        self.parts: dict[str, Any] = {}
        self.sensors: dict[str, Any] = {}

    def add(self, part: Part) -> Part:
        """Add a part or a sensor and return it.

        Raises
        ------
        ModelError
            Not a part, a name taken already or empty, a value out of range.
        """
        is_sensor = isinstance(part, SENSOR_KINDS)
        if not is_sensor and not isinstance(part, PART_KINDS):
            kinds = [kind.__name__ for kind in (*PART_KINDS, *SENSOR_KINDS)]
            given = type(part).__name__
            raise ModelError(
                f"Model.add got {given}, which is no part. {suggestion(given, kinds)}"
            )
        name = getattr(part, "name", "")
        if not isinstance(name, str) or not name.strip():
            raise ModelError(f"A {type(part).__name__} has no name: give it one.")
        if name == "ground":
            raise ModelError("The name 'ground' means the ground: choose another name.")
        if name in self.parts or name in self.sensors:
            other = self.parts.get(name, self.sensors.get(name))
            raise ModelError(
                f"The name '{name}' is taken by a {type(other).__name__}: names are "
                "unique in a model."
            )
        if is_sensor:
            self.sensors[name] = part
        else:
            check_part(part)
            self.parts[name] = part
        return part

    def build(self, *, folder: Path | None = None) -> System:
        """Number the unknowns and check the model.

        Parameters
        ----------
        folder : path or None
            Where files named by parts lie; default: that of the model.
        """
        return build_system(
            self.mesh,
            self.parts,
            sensors=self.sensors,
            folder=self.folder if folder is None else folder,
        )

    def __repr__(self) -> str:
        """One line: how many parts, on which mesh."""
        mesh = "without a mesh" if self.mesh is None else f"on {self.mesh!r}"
        return f"<Model: {len(self.parts)} parts, {len(self.sensors)} sensors, {mesh}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Model):
            return NotImplemented
        return _same(self.mesh, other.mesh) and _same(
            [self.parts, self.sensors], [other.parts, other.sensors]
        )

    __hash__ = None  # type: ignore[assignment]


def _same(first: Any, second: Any) -> bool:
    """Equality through records, containers and arrays."""
    if isinstance(first, np.ndarray) or isinstance(second, np.ndarray):
        return bool(np.array_equal(first, second))
    if type(first) is not type(second):
        return bool(first == second)
    if isinstance(first, Mesh):
        skipped = {"source"}
        return all(
            _same(getattr(first, f.name), getattr(second, f.name))
            for f in dataclasses.fields(first)
            if f.name not in skipped
        )
    if dataclasses.is_dataclass(first):
        return all(
            _same(getattr(first, f.name), getattr(second, f.name))
            for f in dataclasses.fields(first)
        )
    if isinstance(first, dict):
        return set(first) == set(second) and all(
            _same(first[key], second[key]) for key in first
        )
    if isinstance(first, (list, tuple)):
        return len(first) == len(second) and all(map(_same, first, second))
    return bool(first == second)
