"""Models as TOML: the inverse of reading a model file."""

from __future__ import annotations

import dataclasses
import json
import math
import os
from collections.abc import Mapping
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import MeshError, ModelError
from ..mesh import Mesh, read_mesh
from ..model import Model
from ..parts.shapes import Shape
from ..parts.structure import Body
from ..sections import Material
from ..sections.material import Derived
from ..solvers.schedule import Output
from .model_file import OUTPUT_KEYS, Analysis
from .place import toml_key
from .words import PARTS, SECTIONS, SENSORS


def write_model(
    model: Model, analysis: Analysis | None, path: str | os.PathLike[str]
) -> None:
    """Write a model, and what to do with it, as a file that `read_model` reads.

    Parameters
    ----------
    model : Model
    analysis : Analysis or None
        Such as ``fl.Analysis(fl.Static())`` or ``fl.Analysis(fl.GeneralizedAlpha(),
        {"duration": 1.0, "time_step": 1e-3})``.
    path : str or path
        The TOML file; paths in it start at its folder.

    Raises
    ------
    ModelError
        A part with a Python function or object, which a file cannot hold, or with a
        surface whose file does not exist.

    Notes
    -----
    Numbers are written so that the same ones are read again. Materials and sections
    get names of their own.
    """
    file = Path(path)
    writer = Writer(file.parent, SECTIONS)
    words = {item: word for word, item in SENSORS.items()}
    kinds = {item: word for word, item in PARTS.items()}
    tables: dict[str, dict[str, Any]] = {}
    for part in (*model.parts.values(), *model.sensors.values()):
        table = writer.record(_placed(part, model, file), without=("name",))
        if type(part) in words:
            table = {"kind": words[type(part)], **table}
        kind = kinds.get(type(part), "sensor")
        tables.setdefault(kind, {})[part.name] = table
    tree = {} if model.mesh is None else {"mesh": writer.mesh(model.mesh)}
    tree |= writer.named_tables() | tables
    if analysis is not None:
        tree["analysis"] = analysis_table(analysis)
    file.write_text(dumps(tree), encoding="utf-8")


def _placed(part: Any, model: Model, file: Path) -> Any:
    """A part that names its own file as seen from the folder of the model file."""
    if not isinstance(part, (Body, Shape)) or not isinstance(part.surface, (str, Path)):
        return part
    source = model.file_of(part.surface)
    if not source.is_file():
        raise ModelError(
            f"{type(part).__name__} '{part.name}' names the surface "
            f"'{part.surface}', but there is no "
            f"file '{source}': say where it lies by Model(mesh, folder=...)."
        )
    is_free = not Path(part.surface).is_absolute()
    path = _relative(source, file.parent) if is_free else source.as_posix()
    return dataclasses.replace(part, surface=path)


def analysis_table(analysis: Analysis) -> dict[str, Any]:
    """The table ``[analysis]`` of a solver and its arguments, in plain values."""
    writer = Writer(Path(), SECTIONS)
    given = {k: v for k, v in analysis.arguments.items() if v is not None}
    output = given.pop("output", Output())
    for key, name in OUTPUT_KEYS.items():
        if getattr(output, name) != getattr(Output(), name):
            given[key] = getattr(output, name)
    return {
        "method": analysis.method,
        **writer.record(analysis.solver),
        **{key: writer.value(value) for key, value in given.items()},
    }


class Writer:
    """Tables of one file; gives names to materials and sections as they come.

    Parameters
    ----------
    folder : Path
        Folder of the file, where relative paths start.
    shapes : mapping of word to class
        Kinds of sections.
    """

    def __init__(self, folder: Path, shapes: Mapping[str, Any]) -> None:
        self.folder = folder
        self.words = {shape: word for word, shape in shapes.items()}
        self.materials: dict[str, tuple[Any, dict[str, Any]]] = {}
        self.sections: dict[str, tuple[Any, dict[str, Any]]] = {}

    def record(self, item: Any, *, without: tuple[str, ...] = ()) -> dict[str, Any]:
        """Fields of a dataclass that differ from their defaults."""
        table = {}
        for field in dataclasses.fields(item):
            value = getattr(item, field.name)
            if field.name in without or not field.init or _is_default(field, value):
                continue
            if isinstance(value, Derived):
                continue
            try:
                table[field.name] = self.value(value)
            except ModelError as error:
                named = f" '{item.name}'" if hasattr(item, "name") else ""
                thing = f"{type(item).__name__}{named}"
                raise ModelError(f"{thing}, {field.name}: {error}") from None
        return table

    def value(self, value: Any) -> Any:
        """A value as TOML can hold it."""
        if isinstance(value, (bool, np.bool_)):
            return bool(value)
        if isinstance(value, Enum):
            return value.value
        if isinstance(value, (str, int)):
            return value
        if isinstance(value, (float, np.floating, np.integer)):
            return value.item() if isinstance(value, np.generic) else value
        if isinstance(value, Path):
            return value.as_posix()
        if isinstance(value, np.ndarray):
            return value.tolist()
        if isinstance(value, (tuple, list, range)):
            return [self.value(entry) for entry in value]
        if isinstance(value, Mapping):
            return {key: self.value(entry) for key, entry in value.items()}
        if type(value) in self.words:
            return self._named("sections", self.words[type(value)], value)
        if isinstance(value, Material):
            return self._named("materials", "material", value)
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            return self.record(value)
        raise ModelError(
            f"{value!r} is a Python object, which a model file cannot hold; keep the "
            "model as a Python script."
        )

    def _named(self, kind: str, word: str, item: Any) -> str:
        """Name of a section or material, the same for equal ones."""
        known = getattr(self, kind)
        for name, (other, _) in known.items():
            if type(other) is type(item) and other == item:
                return str(name)
        table = self.record(item)
        if kind == "sections":
            table = {"shape": word, **table}
        n_alike = sum(name.split("_")[0] == word for name in known)
        name = f"{word}_{n_alike + 1}"
        known[name] = (item, table)
        return name

    def named_tables(self) -> dict[str, Any]:
        """Tables of all materials and sections met so far."""
        found = {"material": self.materials, "section": self.sections}
        return {
            kind: {name: table for name, (_, table) in known.items()}
            for kind, known in found.items()
            if known
        }

    def mesh(self, mesh: Mesh) -> Any:
        """Path of the file that the mesh came from, or all that it holds."""
        source = Path(mesh.source)
        if source.is_file():
            try:
                same = _same_content(read_mesh(source), mesh)
            except MeshError:
                same = False
            if same:
                return _relative(source, self.folder)
        lines = mesh.lines
        if np.any(mesh.mid_nodes >= 0):
            lines = np.column_stack([lines, mesh.mid_nodes])
        table: dict[str, Any] = {"points": mesh.points.tolist()}
        table["lines"] = lines.tolist()
        if not np.array_equal(mesh.node_numbers, np.arange(len(mesh.points))):
            table["node_numbers"] = mesh.node_numbers.tolist()
        for kind in ("node_groups", "line_groups", "surface_groups"):
            groups = getattr(mesh, kind)
            if groups:
                table[kind] = {name: rows.tolist() for name, rows in groups.items()}
        return table


def _is_default(field: dataclasses.Field[Any], value: Any) -> bool:
    default = field.default
    if field.default_factory is not dataclasses.MISSING:
        default = field.default_factory()
    if default is dataclasses.MISSING:
        return False
    if value is None or default is None or default == ():
        return value is default or (isinstance(value, tuple) and value == default)
    return type(value) is type(default) and bool(np.all(value == default))


def _relative(path: Path, folder: Path) -> str:
    """A path from the folder where there is one, else absolute."""
    try:
        return Path(os.path.relpath(path, folder or ".")).as_posix()
    except ValueError:  # another drive
        return path.resolve().as_posix()


def _same_content(one: Mesh, other: Mesh) -> bool:
    def same(a: Mapping[str, Any], b: Mapping[str, Any]) -> bool:
        return a.keys() == b.keys() and all(np.array_equal(a[k], b[k]) for k in a)

    arrays = ("points", "lines", "mid_nodes", "node_numbers")
    groups = ("node_groups", "line_groups", "surface_groups")
    return all(
        np.array_equal(getattr(one, name), getattr(other, name)) for name in arrays
    ) and all(same(getattr(one, name), getattr(other, name)) for name in groups)


def dumps(tree: Mapping[str, Any]) -> str:
    """TOML text of nested tables: two levels as headings, deeper ones in line."""
    lines = []
    tables = []
    for key, value in tree.items():
        if isinstance(value, Mapping):
            tables += _tables(key, value)
        else:
            lines.append(f"{toml_key(key)} = {_inline(value)}")
    return "\n".join([*lines, *tables]) + "\n"


def _tables(key: str, value: Mapping[str, Any]) -> list[str]:
    is_named = value and all(isinstance(entry, Mapping) for entry in value.values())
    if not is_named:
        return _table(toml_key(key), value)
    return [
        line
        for name, table in value.items()
        for line in _table(f"{toml_key(key)}.{toml_key(name)}", table)
    ]


def _table(heading: str, table: Mapping[str, Any]) -> list[str]:
    rows = [f"{toml_key(key)} = {_inline(value)}" for key, value in table.items()]
    return ["", f"[{heading}]", *rows]


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _inline(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, float) and not math.isfinite(value):
        raise ModelError(f"{value} is not a finite number, expected finite numbers.")
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, Mapping):
        pairs = [f"{toml_key(key)} = {_inline(entry)}" for key, entry in value.items()]
        return f"{{ {', '.join(pairs)} }}" if pairs else "{}"
    return f"[{', '.join(_inline(entry) for entry in value)}]"
