"""Results for other programs: VTU files with a PVD series, and CSV tables."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING
from xml.sax.saxutils import quoteattr

import numpy as np

from . import along_beams, tracking
from .elements.base import Array, IntArray
from .errors import ModelError
from .lie import quaternion
from .mesh.chains import BoolArray
from .records import SECTION_PLACES, Layout, Records, select_records
from .results import ContactResults, Results, What, moving_nodes
from .sensors import SectionForce
from .units import SI, Units

if TYPE_CHECKING:
    from pandas import DataFrame

TABLES: tuple[What, ...] = (
    "positions",
    "displacements",
    "section_forces",
    "reactions",
    "joints",
    "contacts",
    "sensors",
    "energy",
)
KINDS = ("beams", "bodies")
VTK_CELLS = {"vertex": 1, "line": 3, "triangle": 5}
VTK_TYPES = {"f": ("Float64", "<f8"), "i": ("Int64", "<i8"), "u": ("UInt8", "u1")}
_Writer = Callable[[Records, Path], None]


def export_csv(
    results: Results, folder: str | Path, *, units: Units = SI
) -> list[Path]:
    """Write tables of what happened, one file a quantity.

    Parameters
    ----------
    results : Results
    folder : str or Path
        Made if missing.
    units : Units
        What the numbers are in, for the headers.

    Returns
    -------
    list of Path
        The files; a table without rows is left out.

    Notes
    -----
    Numbers have all their digits. In statics the time is the load factor; of modes it
    is their number, 0 for the state that they are about, and ``frequencies.csv`` holds
    frequencies and effective masses.
    """
    folder = _made(folder)
    paths = []
    for what, frame in _frames(results):
        if len(frame.columns) == 1 or len(frame) == 0:
            continue
        paths.append(folder / f"{what}.csv")
        shown = _with_units(_with_rows_named(frame, results), units)
        shown.to_csv(paths[-1], index=False)
    return paths


def _frames(results: Results) -> Iterator[tuple[str, DataFrame]]:
    """Tables one after another: those of long runs need not be there together."""
    for what in TABLES:
        yield what, results.to_dataframe(what)
    if results.is_modal:
        yield "frequencies", _frequencies(results)


def _with_rows_named(frame: DataFrame, results: Results) -> DataFrame:
    """The table with the word for its rows: time, load factor or mode."""
    dimensions = frame.attrs["dimensions"]
    if results.is_static:
        dimensions["load_factor"] = "ratio"
        return frame.rename(columns={"time": "load_factor"})
    if results.is_modal and "time" in frame:
        frame["time"] = frame["time"].astype(int)
        return frame.rename(columns={"time": "mode"})
    return frame


def _with_units(frame: DataFrame, units: Units) -> DataFrame:
    """The table with units in the headers of its columns."""
    dimensions = frame.attrs["dimensions"]
    headers = {
        column: f"{column} [{units.of(dimensions[column])}]"
        for column in frame.columns
        if column in dimensions
    }
    if "dimension" in frame:
        frame["dimension"] = frame["dimension"].map(units.of)
        headers["dimension"] = "unit"
    return frame.rename(columns=headers)


def _frequencies(results: Results) -> DataFrame:
    """One row a mode: frequency, and the mass that it moves along each axis."""
    import pandas as pd

    found = results.frequencies
    masses = np.asarray(results.summary["effective_masses"]).reshape(-1, 3)
    columns = [f"effective_mass_{axis}" for axis in "xyz"]
    frame = pd.DataFrame(
        {"mode": np.arange(1, found.size + 1), "frequency": found}
        | dict(zip(columns, masses.T, strict=True))
    )
    frame.attrs["dimensions"] = {"frequency": "frequency"} | dict.fromkeys(
        columns, "mass"
    )
    return frame


def export_vtu(results: Results, folder: str | Path, *, name: str = "results") -> Path:
    """Write a series of VTU files that ParaView opens by its PVD file.

    Parameters
    ----------
    results : Results
    folder : str or Path
        Made if missing.
    name : str
        Of the PVD file; the others begin with it.

    Returns
    -------
    Path
        The PVD file.

    Notes
    -----
    Points stand where they are at each time; subtract ``displacement`` to come back to
    the mesh. Beams are lines with displacements, rotation vectors since the mesh and
    velocities at their nodes, section forces on the positive face at both ends and the
    middle of each element, and contact forces where the model has contact. Surfaces of
    bodies are triangles with the number of their body.
    """
    folder = _made(folder)
    writers: list[_Writer] = [_beam_writer(results)]
    if results.layout.catalog.surfaces:
        writers.append(_body_writer(results))
    width = len(str(max(len(results.times) - 1, 0)))
    lines = []
    records = results.whole_records
    for row, time in enumerate(results.times):
        for part, writer in enumerate(writers):
            file = f"{name}_{KINDS[part]}_{row:0{width}d}.vtu"
            writer(select_records(records, slice(row, row + 1)), folder / file)
            lines.append(
                f'    <DataSet timestep="{float(time)!r}" group="" part="{part}" '
                f"file={quoteattr(file)}/>\n"
            )
    path = folder / f"{name}.pvd"
    path.write_text(
        '<?xml version="1.0"?>\n<VTKFile type="Collection" version="0.1">\n'
        f"  <Collection>\n{''.join(lines)}  </Collection>\n</VTKFile>\n",
        encoding="utf-8",
    )
    return path


def _made(folder: str | Path) -> Path:
    folder = Path(folder)
    if folder.exists() and not folder.is_dir():
        message = f"'{folder}' is a file, expected a folder to export to."
        raise ModelError(message)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _beam_writer(results: Results) -> _Writer:
    """Writer of all moving nodes, and of beams as lines between them."""
    layout = results.layout
    catalog = layout.catalog
    points = moving_nodes(layout)
    place = np.cumsum(catalog.node_frames >= 0) - 1
    lines = place[catalog.beams.nodes]
    kind, cells = ("line", lines)
    if len(lines) == 0:
        kind, cells = "vertex", np.arange(points.frames.size)[:, None]
    columns, signs, is_turned = _section_columns(layout)
    # lines run as their beam does
    lines[is_turned] = lines[is_turned, ::-1]

    def write(records: Records, path: Path) -> None:
        poses = tracking.point_poses(records.poses, points)[0]
        twists = tracking.velocities(records, points, "world")[0]
        forces = {
            f"{force.value}_{where}": records.outputs[0, columns[:, i, j]]
            * signs[:, 0, j]
            for i, where in enumerate(SECTION_PLACES)
            for j, force in enumerate(SectionForce)
            if len(lines)
        }
        contact = _contact_columns(layout, records, is_turned)
        motion = {
            "displacement": tracking.displacements(layout, records, points)[0],
            "rotation_vector": quaternion.log(
                tracking.turns_since(layout, records, points)[0]
            ),
            "velocity": twists[:, :3],
            "angular_velocity": twists[:, 3:],
            "node": points.numbers,
        }
        _write(path, poses[:, :3], (kind, cells), motion, {**forces, **contact})

    return write


def _section_columns(layout: Layout) -> along_beams.SectionColumns:
    """Columns of the section forces of all elements of beams."""
    catalog = layout.catalog
    n = len(catalog.beams.nodes)
    columns = np.zeros((n, len(SECTION_PLACES), len(SectionForce)), np.int64)
    signs, is_turned = np.ones((n, 1, len(SectionForce))), np.zeros(n, dtype=bool)
    for part, rows in catalog.beam_ranges.items():
        found = along_beams.section_columns(layout, part)
        columns[rows], signs[rows], is_turned[rows] = found
    return along_beams.SectionColumns(columns, signs, is_turned)


def _contact_columns(
    layout: Layout, records: Records, is_turned: BoolArray
) -> dict[str, Array]:
    """What contacts do to elements at one output time; nothing without."""
    if layout.contacts is None:
        return {}
    found = ContactResults(layout, records)
    forces, pressures = found.on_elements(0)
    pressures[is_turned] = pressures[is_turned, ::-1]
    columns = {"contact_force": forces, "contact_pressure": pressures}
    if found.has_friction:
        columns["contact_state"] = found.states_on_elements(0).astype(float)
    return columns


def _body_writer(results: Results) -> _Writer:
    """Writer of the surfaces of all bodies, as one mesh."""
    start = results.layout.start
    surfaces = list(results.layout.catalog.surfaces.values())
    sizes = [len(surface.points) for surface in surfaces]
    first = np.cumsum([0, *sizes])
    frames = np.repeat([surface.frame for surface in surfaces], sizes)
    local = np.concatenate([surface.points for surface in surfaces])
    triangles = np.concatenate(
        [surface.triangles + n for surface, n in zip(surfaces, first, strict=False)]
    )
    numbers = np.repeat(
        np.arange(len(surfaces)), [len(surface.triangles) for surface in surfaces]
    )
    origin = _moved(start, frames, local)

    def write(records: Records, path: Path) -> None:
        places = _moved(records.poses[0], frames, local)
        motion = {"displacement": places - origin}
        _write(path, places, ("triangle", triangles), motion, {"body": numbers})

    return write


def _moved(poses: Array, frames: IntArray, local: Array) -> Array:
    turned = quaternion.rotate(poses[frames, 3:], local)
    return np.asarray(poses[frames, :3] + turned)


def _write(
    path: Path,
    places: Array,
    cells: tuple[str, IntArray],
    point_data: Mapping[str, Array | IntArray],
    cell_data: Mapping[str, Array | IntArray],
) -> None:
    """Write one unstructured grid of cells of one kind, numbers in base64."""
    kind, nodes = cells
    n_cells, n_corners = nodes.shape
    topology = {
        "connectivity": nodes.ravel(),
        "offsets": np.arange(1, n_cells + 1) * n_corners,
        "types": np.full(n_cells, VTK_CELLS[kind], np.uint8),
    }
    sections = {
        "Points": {"Points": places},
        "Cells": topology,
        "PointData": point_data,
        "CellData": cell_data,
    }
    body = "".join(
        f"<{name}>\n{''.join(map(_data_array, content, content.values()))}</{name}>\n"
        for name, content in sections.items()
    )
    path.write_text(
        '<?xml version="1.0"?>\n<VTKFile type="UnstructuredGrid" version="1.0" '
        f'byte_order="LittleEndian" header_type="UInt64">\n<UnstructuredGrid>\n'
        f'<Piece NumberOfPoints="{len(places)}" NumberOfCells="{n_cells}">\n{body}'
        "</Piece>\n</UnstructuredGrid>\n</VTKFile>\n",
        encoding="ascii",
    )


def _data_array(name: str, values: Array | IntArray) -> str:
    kind = VTK_TYPES[values.dtype.kind]
    content = np.ascontiguousarray(values, dtype=kind[1]).tobytes()
    size = np.array([len(content)], dtype="<u8").tobytes()
    width = f' NumberOfComponents="{values.shape[1]}"' if values.ndim > 1 else ""
    return (
        f'<DataArray type="{kind[0]}" Name="{name}"{width} '
        f'format="binary">{base64.b64encode(size + content).decode()}</DataArray>\n'
    )
