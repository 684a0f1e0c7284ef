"""Reading model files: tables become materials, sections, parts and an analysis."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ..errors import InputFileError, ModelError, suggestion
from ..mesh import Mesh, join_meshes, mesh_from_arrays, read_mesh
from ..model import Model
from ..sections import Material
from ..solvers.schedule import Output
from ..urdf import read_urdf
from .hints import parameters_of
from .model_file import OUTPUT_KEYS, Analysis, ModelFile
from .place import Names, Place, toml_key, toml_text
from .solids import solid_of
from .tree import apply_override, read_tree
from .values import arguments, check_keys, convert, existing_file, make
from .words import (
    MESHES,
    METHODS,
    PARTS,
    SECTIONS,
    SENSORS,
    TABLES,
    choose,
    solver_type,
)

# arguments of `solve` that the one who runs an analysis gives
HIDDEN = ("system", "output", "progress", "start")


def read_model(
    path: str | os.PathLike[str], *, overrides: Iterable[str] = ()
) -> ModelFile:
    """Read a model file.

    Parameters
    ----------
    path : str or path
        A TOML file; paths in it start at its folder.
    overrides : iterable of str
        ``key=value`` with a dotted key and a TOML value that replace what the file
        says, e.g. ``section.tube.outer_radius=0.06``.

    Returns
    -------
    ModelFile

    Raises
    ------
    InputFileError
        A sentence with file, table and key: what was given, expected, and exists.
    """
    file = Path(path)
    tree = read_tree(file)
    for override in overrides:
        apply_override(tree, override, file)
    return model_of_tree(tree, file)


def model_of_tree(tree: dict[str, Any], file: Path) -> ModelFile:
    """The model that the tables of a file describe."""
    reader = _Reader(tree, file)
    reader.check_names()
    for kind in ("material", "section"):
        for name, _, place in reader.tables(kind):
            getattr(reader, kind)(name, place)
    parts = [
        (reader.part(kind, name, table, place), place)
        for kind in tree
        if kind in PARTS or kind == "sensor"
        for name, table, place in reader.tables(kind)
    ]
    analysis = reader.analysis() if "analysis" in tree else None
    mesh, mesh_path = reader.mesh() if "mesh" in tree else (None, None)
    model = reader.robot() if "urdf" in tree else Model(folder=file.parent)
    model.mesh = mesh
    for part, place in parts:
        try:
            model.add(part)
        except ModelError as error:
            raise place.error(str(error)) from error
    return ModelFile(model, analysis, file, mesh_path)


class _Reader:
    """Tables of one file, and the materials and sections made of them so far."""

    def __init__(self, tree: dict[str, Any], file: Path) -> None:
        self.tree = tree
        self.top = Place(str(file))
        self.made: dict[tuple[str, str], Any] = {}
        self.names = Names(
            file.parent,
            self.material,
            self.section,
            lambda value, place: solid_of(value, place, self.names),
        )

    def tables(self, kind: str) -> list[tuple[str, Any, Place]]:
        """Name, table and place of all tables ``[kind.NAME]``."""
        tables = self.tree.get(kind, {})
        is_named = isinstance(tables, dict) and all(
            isinstance(table, dict) for table in tables.values()
        )
        if not is_named:
            raise self.top.within(kind).error(
                f"says nothing about which {kind} it is: write a table [{kind}.NAME], "
                "with a name of your own, for each of them."
            )
        for name in tables:
            if not name.strip():
                raise self.top.within(f"{kind}.{toml_key(name)}").error(
                    f"has an empty name, expected a name for the {kind}."
                )
        return [
            (name, table, self.top.within(f"{kind}.{toml_key(name)}"))
            for name, table in tables.items()
        ]

    def check_names(self) -> None:
        """Refuse unknown tables, tables without a name, and two parts of one name."""
        seen: dict[str, Place] = {}
        for kind in self.tree:
            if kind not in TABLES:
                near = suggestion(kind, TABLES, what="tables")
                raise self.top.error(f"'{kind}' is no kind of table. {near}")
            if kind in ("mesh", "urdf", "analysis"):
                continue
            for name, _, place in self.tables(kind):
                if kind in ("material", "section"):
                    continue
                if name in seen:
                    raise place.error(
                        f"has the name of [{seen[name].table}], expected a name of its "
                        "own for every part."
                    )
                seen[name] = place

    def material(self, value: Any, place: Place) -> Any:
        """A material by its name, or said in place."""
        return self._named("material", value, place)

    def section(self, value: Any, place: Place) -> Any:
        """A section by its name, or said in place."""
        return self._named("section", value, place)

    def _named(self, kind: str, value: Any, place: Place) -> Any:
        if isinstance(value, dict):
            return self._make(kind, value, place.as_table())
        tables = {name: (table, home) for name, table, home in self.tables(kind)}
        if value not in tables:
            near = suggestion(value, tables, what=f"{kind}s")
            raise place.error(f"is {toml_text(value)}, but there is none. {near}")
        if (kind, value) not in self.made:
            table, home = tables[value]
            self.made[kind, value] = None
            self.made[kind, value] = self._make(kind, table, home)
        if self.made[kind, value] is None:
            raise place.error(f"is {toml_text(value)}, which refers back to itself.")
        return self.made[kind, value]

    def _make(self, kind: str, table: dict[str, Any], place: Place) -> Any:
        if kind == "material":
            return make(Material, table, place, self.names)
        return self._chosen("shape", SECTIONS, table, place)

    def _chosen(
        self,
        key: str,
        known: Mapping[str, Any],
        table: Any,
        place: Place,
        *,
        given: Mapping[str, Any] | None = None,
    ) -> Any:
        """Make what the word at a key chooses from the rest of the table."""
        word = choose(key, known, table, place)
        rest = {name: value for name, value in table.items() if name != key}
        return make(known[word], rest, place, self.names, given=given)

    def part(self, kind: str, name: str, table: Any, place: Place) -> Any:
        """A part of the kind that the table's heading says, or a sensor."""
        given = {"name": name}
        if kind == "sensor":
            return self._chosen("kind", SENSORS, table, place, given=given)
        return make(PARTS[kind], table, place, self.names, given=given)

    def robot(self) -> Model:
        """The model that a URDF file gives, to which parts are added."""
        given = {"folder": self.names.folder}
        value, place = self.tree["urdf"], self.top.within("urdf")
        robot: Model = make(read_urdf, value, place, self.names, given=given)
        return robot

    def mesh(self) -> tuple[Mesh, Path | None]:
        """The mesh, and its file if it is just one."""
        value = self.tree["mesh"]
        place = self.top.at("mesh")
        if isinstance(value, str):
            path = existing_file(value, place, self.names)
            return self._mesh(value, place), path
        return self._mesh(value, place), None

    def _mesh(self, value: Any, place: Place) -> Mesh:
        try:
            if isinstance(value, str):
                return read_mesh(existing_file(value, place, self.names))
            if isinstance(value, list):
                several = enumerate(value, start=1)
                return join_meshes(*(self._mesh(v, place.entry(n)) for n, v in several))
        except InputFileError:
            raise
        except ModelError as error:
            raise place.error(f"cannot be used: {error}") from error
        if not isinstance(value, dict):
            raise place.wrong(value, "the path of a mesh file, or a table")
        inner = place.as_table()
        chosen = [key for key in value if key in MESHES]
        if not chosen:
            return make(mesh_from_arrays, value, inner, self.names)
        check_keys(value, dict.fromkeys(chosen[:1]), inner)
        return make(
            MESHES[chosen[0]], value[chosen[0]], inner.within(chosen[0]), self.names
        )

    def analysis(self) -> Analysis:
        """The solver and the arguments of its ``solve``."""
        table, place = self.tree["analysis"], self.top.within("analysis")
        solver = solver_type(choose("method", METHODS, table, place))
        settings = parameters_of(solver)
        asked = parameters_of(solver.solve, hidden=HIDDEN)
        rest = {key: value for key, value in table.items() if key != "method"}
        check_keys(rest, {**settings, **asked, **OUTPUT_KEYS}, place)
        own = {key: value for key, value in rest.items() if key in settings}
        other = {key: value for key, value in rest.items() if key in asked}
        given = arguments(solver.solve, other, place, self.names, hidden=HIDDEN)
        kept = {
            field: convert(rest[key], int, place.at(key), self.names)
            for key, field in OUTPUT_KEYS.items()
            if key in rest
        }
        if kept:
            given["output"] = make(Output, {}, place, self.names, given=kept)
        return Analysis(make(solver, own, place, self.names), given)
