"""Tables that the command line prints: what is in a model, a mesh, or results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..build.catalog import KIND_NAMES
from ..errors import InputFileError, ModelError
from ..input_file import ModelFile, read_model
from ..input_file.words import snake_case
from ..input_file.writer import analysis_table
from ..mesh import Mesh, mass_properties, read_mesh, read_surface
from ..mesh.solid import TRIANGLE_FILES
from ..solvers.mobility import free_motion_in_words, free_motions
from ..system import System

if TYPE_CHECKING:
    from ..results import Results

WIDTH = 24
MESH_ENDINGS = (".msh", ".vtk", ".vtu")
# entries of a summary that the rows of modes show
MODAL_NUMBERS = ("eigenvalues", "frequencies", "effective_masses")
Row = tuple[str, Any]


def model_report(file: ModelFile, system: System) -> str:
    """Summary of a model: numbers, elements of each part, and warnings."""
    rows: list[Row] = [("model", file.path)]
    if file.model.mesh is not None:
        rows.append(("mesh", file.mesh_path or "in the model file"))
    summary = dict(system.summary)
    kinds = summary.pop("kinds", {})
    by_part = summary.pop("elements_by_part", {})
    masses = summary.pop("mass_by_part", {})
    modal = summary.pop("modal_bodies", {})
    summary["nodes"] = _nodes_words(summary["nodes"], summary.pop("nodes_by_origin"))
    for key, value in summary.items():
        rows.append((key.replace("_", " "), value))
    n_free = free_motions(system)
    rows.append(("free motions", n_free))
    method = None if file.analysis is None else file.analysis.method
    for name, kind in kinds.items():
        words = _part_words(kind, by_part.get(name), masses.get(name))
        words += _modal_words(modal.get(name)) + _contact_words(system, name)
        rows.append((f"  {name}", words))
    rows.append(("analysis", method))
    rows += [("warning", text) for text in system.warnings]
    if n_free:
        rows.append(("notice", _free_words(system, method, n_free)))
    return table(rows)


def _nodes_words(n: int, origins: Mapping[str, int]) -> Any:
    """How many nodes there are, and whose they are where not all are of the mesh."""
    whose = {
        "of the mesh": origins["mesh"],
        "of bodies": origins["bodies"],
        "of released ends": origins["released_ends"],
    }
    found = [f"{count} {words}" for words, count in whose.items() if count]
    return n if n == origins["mesh"] else f"{n} ({', '.join(found)})"


def _free_words(system: System, method: str | None, n: int) -> str:
    """What free motions of the unloaded model mean to an analysis."""
    motions = f"{n} free motion{'s' if n > 1 else ''}"
    if method == "modal":
        return (
            f"The model as built has {motions}: without loads, as many frequencies are "
            "zero."
        )
    if method not in (None, "static"):
        return (
            f"The model has {motions}, along which a mechanism moves and what flies "
            "freely drifts; an analysis in time needs no support there."
        )
    return free_motion_in_words(system)


def _part_words(kind: str, n_elements: int | None, mass: float | None) -> str:
    words = [kind.replace("_", " ")]
    if n_elements:
        words.append(f"{n_elements} element{'s' if n_elements > 1 else ''}")
    if mass:
        words.append(f"mass {number(mass)}")
    return ", ".join(words)


def _contact_words(system: System, name: str) -> str:
    """Between what a contact is; nothing of other parts."""
    if system.contact is None or name not in system.contact.names:
        return ""
    first, second = system.contact.between[system.contact.names.index(name)]
    friction = system.contact.frictions[system.contact.names.index(name)]
    words = f", friction {number(friction)}" if friction else ""
    if system.contact.has_spin:
        radius = system.contact.spin_radii[system.contact.names.index(name)]
        words += f", spin radius {number(radius)}" if radius else ""
    return f" between '{first}' and '{second}'{words}"


def _modal_words(found: dict[str, Any] | None) -> str:
    """Interfaces and modes of a modal body; nothing of other parts."""
    if found is None:
        return ""
    n, given = found["interfaces"], found["frequencies"]
    words = f", {n} interface{'s' if n > 1 else ''}"
    if not given:
        return f"{words}, no modes of vibration"
    return f"{words}, modes at {', '.join(number(f) for f in given)}"


def file_report(path: Path) -> str:
    """What is in a file, by its ending."""
    ending = path.suffix.lower()
    if ending == ".toml":
        return _description(read_model(path))
    if ending in MESH_ENDINGS:
        return mesh_report(read_mesh(path))
    if ending in TRIANGLE_FILES:
        return surface_report(path)
    if ending in (".h5", ".hdf5"):
        return _results_report(path)
    raise InputFileError(
        f"'{path}' is of the unknown kind '{ending}', expected a model (.toml), a mesh "
        f"({', '.join(MESH_ENDINGS)}), a surface ({', '.join(TRIANGLE_FILES)}) or "
        "results (.h5)."
    )


def _description(file: ModelFile) -> str:
    rows: list[Row] = [("model", file.path)]
    if file.mesh_path is not None:
        rows.append(("mesh", file.mesh_path))
    model = file.model
    rows += [(f"  {name}", _kind_words(part)) for name, part in model.parts.items()]
    rows += [(f"  {name}", _kind_words(part)) for name, part in model.sensors.items()]
    if file.analysis is not None:
        settings = analysis_table(file.analysis)
        words = [f"{key} = {number(value)}" for key, value in settings.items()]
        rows.append(("analysis", ", ".join(words)))
    return table(rows)


def _kind_words(part: Any) -> str:
    """Kind of a part or sensor in small letters, the same for models and results."""
    kind = KIND_NAMES.get(type(part)) or snake_case(type(part).__name__)
    return kind.replace("_", " ")


def surface_report(path: Path) -> str:
    """Summary of a closed surface, and what it encloses at density one."""
    surface = read_surface(path)
    low, high = surface.points.min(axis=0), surface.points.max(axis=0)
    rows: list[Row] = [
        ("surface", path),
        ("points", len(surface.points)),
        ("triangles", len(surface.triangles)),
        ("bounding box", [low.tolist(), high.tolist()]),
    ]
    try:
        inside = mass_properties(surface, density=1.0)
    except ModelError as error:
        return table([*rows, ("notice", str(error))])
    rows += [("volume", inside.mass), ("middle of volume", inside.center.tolist())]
    return table(rows)


def mesh_report(mesh: Mesh) -> str:
    """Summary of a mesh and its groups."""
    low, high = mesh.bounding_box
    rows: list[Row] = [
        ("mesh", mesh.source),
        ("nodes", len(mesh.points)),
        ("nodes of no line", len(mesh.orphan_nodes)),
        ("lines", len(mesh.lines)),
        ("lines of order 2", int((mesh.mid_nodes >= 0).sum())),
        ("length of all lines", mesh.total_length),
        ("bounding box", [low.tolist(), high.tolist()]),
    ]
    kinds = (
        ("nodes", mesh.node_groups),
        ("lines", mesh.line_groups),
        ("triangles", mesh.surface_groups),
    )
    for what, groups in kinds:
        rows += [
            (f"  {name}", f"{len(found)} {what}") for name, found in groups.items()
        ]
    return table(rows)


def _results_report(path: Path) -> str:
    from ..results import load_results

    results = load_results(path)
    rows: list[Row] = [("results", path), ("states", len(results.times))]
    rows += _modes(results) if results.is_modal else _times(results)
    skipped = ("warnings", "model", "balance", *MODAL_NUMBERS)
    summary = {k: v for k, v in results.summary.items() if k not in skipped}
    summary |= results.summary.get("model") or {}
    rows += [(key.replace("_", " "), value) for key, value in summary.items()]
    rows += _balance(results)
    catalog = results.layout.catalog
    rows += [(f"  {n}", kind.replace("_", " ")) for n, kind in catalog.kinds.items()]
    rows += [(f"  {name}", _kind_words(s)) for name, s in catalog.sensors.items()]
    rows += [("warning", text) for text in results.warnings]
    return table(rows)


def _times(results: Results) -> list[Row]:
    times = results.times
    if not len(times):
        return []
    what = "load factors" if results.is_static else "times"
    return [(what, f"{number(times[0])} to {number(times[-1])}")]


def _modes(results: Results) -> list[Row]:
    """Frequency of each mode, and the mass that it moves along the axes."""
    rows: list[Row] = [("modes", f"1 to {len(results.frequencies)}")]
    masses = np.array(results.summary["effective_masses"]).reshape(-1, 3)
    # what is left of a mass that a mode does not move is rounding
    masses[masses <= 1e-12 * masses.max(initial=0.0)] = 0.0
    for k, (frequency, moved) in enumerate(
        zip(results.frequencies.tolist(), masses.tolist(), strict=True)
    ):
        along = [f"{x} {number(m)}" for x, m in zip("xyz", moved, strict=True)]
        words = f"{number(frequency)} Hz, effective mass {', '.join(along)}"
        rows.append((f"  mode {k + 1}", words))
    return rows


def _balance(results: Results) -> list[Row]:
    """Loads and reactions at the last row, and why they may differ."""
    balance = results.summary.get("balance")
    if not balance:
        return []
    error = balance.get("error")
    why = "given in statics; in motion inertia makes up the difference"
    return [("balance", {**balance, "error": why if error is None else error})]


def table(rows: Iterable[Row]) -> str:
    """Two columns; mappings take a row for each entry, what is None takes none."""
    lines = []
    for label, value in rows:
        if isinstance(value, Mapping):
            lines.append(label)
            lines += [
                f"{'  ' + str(key).replace('_', ' '):<{WIDTH}}{number(entry)}"
                for key, entry in value.items()
                if entry is not None
            ]
        elif value is not None:
            lines.append(f"{label:<{WIDTH - 1}} {number(value)}".rstrip())
    return "\n".join(lines)


def number(value: Any) -> str:
    """A value with six digits, the same under any locale; lists in brackets."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, (list, tuple)):
        inner = [number(entry) for entry in value]
        is_nested = any(isinstance(entry, (list, tuple)) for entry in value)
        return " to ".join(inner) if is_nested else f"({', '.join(inner)})"
    return str(value)
