"""Reader of VTK (legacy) and VTU files; the only module that imports meshio."""

from __future__ import annotations

import contextlib
import io
import lzma
import re
import struct
import zlib
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import ParseError

import numpy as np
import numpy.typing as npt

from femlie.errors import MeshError
from femlie.mesh.cells import CORNERS, CellBlock, FileContent
from femlie.mesh.mesh import IntArray

# What meshio lets through when a file is damaged, besides its own ReadError.
_FAULTS = (
    *(SystemExit, ValueError, TypeError, LookupError, ArithmeticError, OSError),
    *(AttributeError, AssertionError, EOFError, RuntimeError, MemoryError),
    *(ParseError, struct.error, zlib.error, lzma.LZMAError),
)

# Integer data under one of these names number the nodes or cells; they are no groups.
_NODE_NUMBERS = {"globalnodeid", "nodeid", "nodenumber", "pointid", "id"}
_CELL_NUMBERS = {"globalelementid", "elementid", "elementnumber", "cellid", "id"}


def read_vtk(path: Path) -> FileContent:
    """Read a legacy VTK or a VTU file.

    Parameters
    ----------
    path : Path
        An existing file whose suffix is ``.vtk`` or ``.vtu``.

    Returns
    -------
    FileContent
        Each value of an integer cell array makes a group of cells, of an integer
        point array a group of nodes, named by array and value: ``"mat_id 1"``,
        ``"side 2"``. Point data named like ``GlobalNodeId``, ``node_id`` or
        ``node_number`` are the node numbers instead, if no value repeats; without
        them nodes count from 1.

    Raises
    ------
    MeshError
        If the file is damaged, or holds cells that cannot be used.
    """
    source = str(path)
    raw = _read_quietly(path)
    points = np.asarray(raw.points, dtype=np.float64)
    if points.ndim != 2 or points.shape[1] not in (2, 3):
        raise MeshError(f"'{source}' is damaged: its points have no two or three axes.")
    points = np.pad(points, ((0, 0), (0, 3 - points.shape[1])))
    blocks = tuple(
        CellBlock(
            _shape(block.type, source),
            np.asarray(block.data, dtype=np.int64),
            _cell_groups(raw.cell_data, index, len(block.data), source),
        )
        for index, block in enumerate(raw.cells)
    )
    numbers = np.arange(1, len(points) + 1)
    node_groups: dict[str, IntArray] = {}
    for name, values in raw.point_data.items():
        if not _is_integer_column(values):
            continue
        column = _column(values, len(points), name, source)
        is_unique = len(np.unique(column)) == len(column)
        if is_unique and _is_numbering(name, _NODE_NUMBERS):
            numbers = column
        else:
            node_groups.update(_groups_by_value(name, column))
    return FileContent(source, points, numbers, blocks, node_groups)


def _read_quietly(path: Path) -> Any:
    """The mesh as meshio reads it; what meshio prints becomes the error's reason."""
    import meshio
    from meshio._exceptions import CorruptionError

    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            raw = meshio.read(path, file_format=path.suffix.lower()[1:])
    except (meshio.ReadError, CorruptionError, *_FAULTS) as error:
        raise MeshError(_fault(path, printed.getvalue(), error)) from error
    if "cannot handle" in printed.getvalue():
        raise MeshError(_fault(path, printed.getvalue()))
    _check_complete(path, raw)
    return raw


def _fault(path: Path, printed: str, error: BaseException | None = None) -> str:
    """One sentence on what meshio could not read; it skips cells that it has not."""
    if "cannot handle" in printed:
        types = "".join(re.findall(r"\(types? ([\d ,]+)\)", " ".join(printed.split())))
        return (
            f"'{path}' holds cells of a VTK type{' ' * bool(types)}{types} that is not "
            "supported: save poly-lines as separate lines of type 3 (order 2: 21)."
        )
    text = " ".join(printed.split()).partition("Error: Couldn't")[0].strip()
    reason = text or f"{type(error).__name__} {error}"
    return (
        f"'{path}' cannot be read as {path.suffix[1:].upper()} "
        f"(reason: {reason[:200]}): it is damaged or of another kind; "
        "save it again as an unstructured grid."
    )


def _check_complete(path: Path, raw: Any) -> None:
    """Legacy VTK has no end mark, and meshio takes a file cut off in its cell types."""
    announced = re.search(rb"^CELL_TYPES\s+(\d+)", path.read_bytes(), re.MULTILINE)
    n_cells = sum(len(block.data) for block in raw.cells)
    if path.suffix.lower() == ".vtk" and announced and int(announced[1]) != n_cells:
        raise MeshError(
            f"'{path}' is cut off or damaged: it announces {int(announced[1])} cells, "
            f"but holds {n_cells}."
        )


def _shape(cell_type: str, source: str) -> str:
    """``triangle6`` and the like are triangles whose corners come first."""
    shape = cell_type.rstrip("0123456789")
    if shape not in CORNERS:
        raise MeshError(
            f"'{source}' holds cells of type '{cell_type}', which are not supported: "
            f"known are {', '.join(CORNERS)}."
        )
    return shape


def _cell_groups(
    cell_data: dict[str, list[npt.NDArray[Any]]], index: int, n_cells: int, source: str
) -> dict[str, IntArray]:
    groups: dict[str, IntArray] = {}
    for name, parts in cell_data.items():
        if _is_integer_column(parts[index]) and not _is_numbering(name, _CELL_NUMBERS):
            column = _column(parts[index], n_cells, name, source)
            groups.update(_groups_by_value(name, column))
    return groups


def _is_integer_column(values: npt.NDArray[Any]) -> bool:
    is_column = values.ndim == 1 or (values.ndim == 2 and values.shape[1] == 1)
    return is_column and values.dtype.kind in "iu"


def _is_numbering(name: str, known: set[str]) -> bool:
    plain = re.sub(r"[^a-z]", "", name.lower())
    return plain in known or plain.removesuffix("s") in known


def _column(values: npt.NDArray[Any], number: int, name: str, source: str) -> IntArray:
    if values.size != number:
        raise MeshError(
            f"'{source}' is damaged: its data '{name}' have {values.size} values "
            f"for {number} nodes or cells."
        )
    return values.reshape(-1).astype(np.int64)


def _groups_by_value(name: str, column: IntArray) -> dict[str, IntArray]:
    order = np.argsort(column, kind="stable")
    values, starts = np.unique(column[order], return_index=True)
    parts = np.split(order, starts[1:])
    return {f"{name} {value}": rows for value, rows in zip(values, parts, strict=True)}
