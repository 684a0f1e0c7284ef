"""Tables that the command line prints: what is in a model, a mesh, or results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ..errors import InputFileError
from ..input_file import ModelFile, read_model
from ..input_file.writer import analysis_table
from ..mesh import Mesh, read_mesh
from ..solvers.mobility import free_motion_in_words, free_motions
from ..system import System

WIDTH = 24
MESH_ENDINGS = (".msh", ".vtk", ".vtu")
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
    for key, value in summary.items():
        rows.append((key.replace("_", " "), value))
    n_free = free_motions(system)
    rows.append(("free motions", n_free))
    for name, kind in kinds.items():
        words = _part_words(kind, by_part.get(name), masses.get(name))
        words += _modal_words(modal.get(name)) + _contact_words(system, name)
        rows.append((f"  {name}", words))
    if file.analysis is not None:
        rows.append(("analysis", file.analysis.method))
    rows += [("warning", text) for text in system.warnings]
    words = free_motion_in_words(system) if n_free else ""
    return table([*rows, ("notice", words)] if words else rows)


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
    return f" between '{first}' and '{second}'"


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
    if ending in (".h5", ".hdf5"):
        return _results_report(path)
    raise InputFileError(
        f"'{path}' is of the unknown kind '{ending}', expected a model (.toml), a mesh "
        f"({', '.join(MESH_ENDINGS)}) or results (.h5)."
    )


def _description(file: ModelFile) -> str:
    rows: list[Row] = [("model", file.path)]
    if file.mesh_path is not None:
        rows.append(("mesh", file.mesh_path))
    model = file.model
    rows += [
        (f"  {name}", type(part).__name__)
        for name, part in (*model.parts.items(), *model.sensors.items())
    ]
    if file.analysis is not None:
        settings = analysis_table(file.analysis)
        words = [f"{key} = {number(value)}" for key, value in settings.items()]
        rows.append(("analysis", ", ".join(words)))
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
    times = results.times
    rows: list[Row] = [("results", path), ("states", len(times))]
    if len(times):
        what = "load factors" if results.is_static else "times"
        rows.append((what, f"{number(times[0])} to {number(times[-1])}"))
    skipped = ("warnings", "model")
    summary = {k: v for k, v in results.summary.items() if k not in skipped}
    summary |= results.summary.get("model") or {}
    rows += [(key.replace("_", " "), value) for key, value in summary.items()]
    catalog = results.layout.catalog
    rows += [(f"  {name}", kind) for name, kind in catalog.kinds.items()]
    rows += [(f"  {name}", type(s).__name__) for name, s in catalog.sensors.items()]
    rows += [("warning", text) for text in results.warnings]
    return table(rows)


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
