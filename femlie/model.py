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
from .parts.shapes import Shape
from .parts.structure import Body
from .sensors import Sensor
from .system import System

SENSOR_KINDS = get_args(Sensor)
Part = TypeVar("Part")


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
        self.mesh = read_mesh(mesh) if isinstance(mesh, (str, Path)) else mesh
        self.folder = None if folder is None else Path(folder)
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
            near = suggestion(given, kinds)
            raise ModelError(
                f"Model.add got {given}, which is no part or sensor. {near}"
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
        check_part(part)
        (self.sensors if is_sensor else self.parts)[name] = part
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

    def file_of(self, path: str | Path) -> Path:
        """Where a file lies that a part names."""
        return Path(path) if self.folder is None else self.folder / path

    def __repr__(self) -> str:
        """One line: how many parts, on which mesh."""
        mesh = "without a mesh" if self.mesh is None else f"on {self.mesh!r}"
        return f"<Model: {len(self.parts)} parts, {len(self.sensors)} sensors, {mesh}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Model):
            return NotImplemented
        mine, theirs = (
            {name: _located(part, model) for name, part in model.parts.items()}
            for model in (self, other)
        )
        return (
            _same(self.mesh, other.mesh)
            and _same(self.sensors, other.sensors)
            and (_same(self.parts, other.parts) or _same(mine, theirs))
        )

    __hash__ = None  # type: ignore[assignment]


def _located(part: Any, model: Model) -> Any:
    """A part with the whole path of its file, which two folders may say otherwise."""
    if isinstance(part, (Body, Shape)) and isinstance(part.surface, (str, Path)):
        path = model.file_of(part.surface).resolve()
        return dataclasses.replace(part, surface=path)
    return part


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
