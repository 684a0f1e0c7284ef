"""Reader of Gmsh's MSH formats 2.2 and 4.1, ASCII and binary.

It follows the section "File formats" of the Gmsh reference manual and keeps what a
model needs and general readers drop: node numbers, one name in two dimensions, cells
in several physical groups, and physical groups without a name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from femlie.errors import MeshError
from femlie.mesh.cells import DIMENSIONS, CellBlock, FileContent
from femlie.mesh.gmsh_sections import (
    Layout,
    Names,
    NodeRows,
    Numbers,
    read_layout,
    read_sections,
)
from femlie.mesh.mesh import Array, IntArray

# Gmsh's element types of each shape, with their numbers of nodes.
_TYPES_OF_SHAPE = {
    "vertex": {15: 1},
    "line": {1: 2, 8: 3, 26: 4, 27: 5, 28: 6},
    "triangle": {2: 3, 9: 6, 20: 9, 21: 10, 22: 12, 23: 15, 24: 15, 25: 21},
    "quad": {3: 4, 10: 9, 16: 8, 36: 16, 37: 25, 38: 36},
    "tetra": {4: 4, 11: 10, 29: 20, 30: 35, 31: 56},
    "hexahedron": {5: 8, 12: 27, 17: 20, 92: 64, 93: 125},
    "wedge": {6: 6, 13: 18, 18: 15, 90: 40},
    "pyramid": {7: 5, 14: 14, 19: 13},
}
_SHAPE_OF_TYPE = {
    number: (shape, n_nodes)
    for shape, types in _TYPES_OF_SHAPE.items()
    for number, n_nodes in types.items()
}


def read_gmsh(path: Path) -> FileContent:
    """Read a file in Gmsh's MSH format 2.2 or 4.1, ASCII or binary.

    Parameters
    ----------
    path : Path
        An existing file.

    Returns
    -------
    FileContent
        Physical groups without a name are named by their number, e.g. ``"7"``.

    Raises
    ------
    MeshError
        If the file is damaged, or of another version.
    """
    source = str(path)
    sections = read_sections(path.read_bytes(), source)
    layout = read_layout(sections["MeshFormat"], source)
    for needed in ("Nodes", "Elements"):
        if needed not in sections:
            raise MeshError(_missing(needed, sections, source))
    if "PartitionedEntities" in sections:
        raise MeshError(
            f"'{source}' is a partitioned mesh, which is not supported: "
            "choose Unpartition in Gmsh's Mesh menu and save the mesh again."
        )
    names = Names(sections.get("PhysicalNames", b""), source)
    if layout.version == "4.1":
        numbers, points = _nodes_41(Numbers(sections["Nodes"], "Nodes", layout))
        rows = NodeRows(numbers, source)
        blocks = _blocks_41(sections, layout, names, rows)
    else:
        numbers, points = _nodes_22(Numbers(sections["Nodes"], "Nodes", layout))
        rows = NodeRows(numbers, source)
        blocks = _blocks_22(sections["Elements"], layout, names, rows)
    names.check_all_used(blocks)
    return FileContent(source, points, numbers, tuple(blocks))


def _missing(needed: str, sections: Iterable[str], source: str) -> str:
    if needed == "Nodes" and "ParametricNodes" in sections:
        return (
            f"'{source}' holds parametric nodes in format 2.2, which is not supported: "
            "set Mesh.SaveParametric to 0 in Gmsh and save the mesh again."
        )
    found = ", ".join("$" + name for name in sections)
    return (
        f"'{source}' holds no mesh: it has the sections {found}, but no ${needed}; "
        "mesh the geometry in Gmsh, then save it."
    )


def _shape(element_type: int, layout: Layout) -> tuple[str, int]:
    if element_type not in _SHAPE_OF_TYPE:
        raise MeshError(
            f"'{layout.source}' holds elements of Gmsh's type {element_type}, which "
            "are not supported: set Mesh.ElementOrder to 1 or 2 in Gmsh."
        )
    return _SHAPE_OF_TYPE[element_type]


def _nodes_41(stream: Numbers) -> tuple[IntArray, Array]:
    n_blocks, n_nodes, _, _ = stream.sizes(4).tolist()
    numbers, points = [np.empty(0, np.int64)], [np.empty((0, 3))]
    for _ in range(n_blocks):
        dimension, _, is_parametric = stream.integers(3).tolist()
        (n_here,) = stream.sizes(1).tolist()
        if not 0 <= dimension <= 3:
            raise stream.fault(f"has nodes of dimension {dimension}")
        n_columns = 3 + (dimension if is_parametric else 0)
        numbers.append(stream.sizes(n_here))
        columns = stream.floats(n_here * n_columns).reshape(n_here, n_columns)
        points.append(columns[:, :3])
    stream.check_end()
    together = np.concatenate(numbers)
    if len(together) != n_nodes:
        raise stream.fault(f"announces {n_nodes} nodes, but holds {len(together)}")
    return together, np.concatenate(points)


def _blocks_41(
    sections: dict[str, bytes], layout: Layout, names: Names, rows: NodeRows
) -> list[CellBlock]:
    entities = Numbers(sections.get("Entities", b""), "Entities", layout)
    physical = _physical_groups(entities) if "Entities" in sections else {}
    stream = Numbers(sections["Elements"], "Elements", layout)
    n_blocks, n_elements, _, _ = stream.sizes(4).tolist()
    blocks = []
    for _ in range(n_blocks):
        dimension, entity, element_type = stream.integers(3).tolist()
        (n_here,) = stream.sizes(1).tolist()
        if n_here == 0:
            continue
        shape, n_nodes = _shape(element_type, layout)
        table = stream.sizes(n_here * (1 + n_nodes)).reshape(n_here, 1 + n_nodes)
        tags = physical.get((dimension, entity), [])
        groups = {
            names.name(dimension, abs(tag)): np.arange(n_here, dtype=np.int64)
            for tag in tags
        }
        nodes = rows(table[:, 1:])
        if shape == "line" and tags and max(tags) < 0:
            nodes[:, :2] = nodes[:, 1::-1]
        blocks.append(CellBlock(shape, nodes, groups))
    stream.check_end()
    n_found = sum(len(block.nodes) for block in blocks)
    if n_found != n_elements:
        raise stream.fault(f"announces {n_elements} elements, but holds {n_found}")
    return blocks


def _physical_groups(stream: Numbers) -> dict[tuple[int, int], list[int]]:
    """Numbers of the physical groups of each entity (dimension, number).

    A negative number means that the group sees the entity reversed.
    """
    physical = {}
    for dimension, n_entities in enumerate(stream.sizes(4).tolist()):
        for _ in range(n_entities):
            (entity,) = stream.integers(1).tolist()
            stream.floats(3 if dimension == 0 else 6)
            (n_groups,) = stream.sizes(1).tolist()
            physical[dimension, entity] = stream.integers(n_groups).tolist()
            if dimension > 0:
                (n_bounding,) = stream.sizes(1).tolist()
                stream.integers(n_bounding)
    stream.check_end()
    return physical


def _nodes_22(stream: Numbers) -> tuple[IntArray, Array]:
    n_nodes = stream.count_line()
    nodes = stream.records(n_nodes)
    stream.check_end()
    return nodes


def _blocks_22(
    section: bytes, layout: Layout, names: Names, rows: NodeRows
) -> list[CellBlock]:
    """Cells by element type.

    The format writes an element once for each of its physical groups: the copies
    become one cell in several groups.
    """
    stream = Numbers(section, "Elements", layout)
    elements = _binary_elements if layout.is_binary else _ascii_elements
    cells: dict[int, list[list[int]]] = {}
    members: dict[int, dict[int, dict[int, None]]] = {}
    seen: dict[tuple[int, ...], int] = {}
    for element_type, tag, nodes in elements(stream):
        of_type = cells.setdefault(element_type, [])
        of_group = members.setdefault(element_type, {}).setdefault(tag, {})
        key = (element_type, *sorted(nodes))
        row = seen.get(key)
        if row is None or row in of_group:
            row = seen[key] = len(of_type)
            of_type.append(nodes)
        of_group[row] = None
    blocks = []
    for element_type, table in cells.items():
        shape, _ = _shape(element_type, layout)
        groups = {
            names.name(DIMENSIONS[shape], tag): np.array(list(group), dtype=np.int64)
            for tag, group in members[element_type].items()
            if tag != 0
        }
        blocks.append(CellBlock(shape, rows(np.array(table, dtype=np.int64)), groups))
    return blocks


_Element = tuple[int, int, list[int]]  # type, physical group or 0, nodes


def _ascii_elements(stream: Numbers) -> Iterator[_Element]:
    n_elements = stream.count_line()
    lines = [line for line in stream.section.splitlines()[1:] if line.strip()]
    if len(lines) != n_elements:
        raise stream.fault(f"announces {n_elements} elements, but holds {len(lines)}")
    for line in lines:
        try:
            number, element_type, n_tags, *rest = map(int, line.split())
        except ValueError as error:
            raise stream.fault(f"has the line {line[:40]!r}") from error
        _, n_nodes = _shape(element_type, stream.layout)
        if len(rest) != n_tags + n_nodes or n_tags < 0:
            raise stream.fault(f"gives element {number} a wrong number of nodes")
        yield element_type, abs(rest[0]) if n_tags else 0, rest[n_tags:]


def _binary_elements(stream: Numbers) -> Iterator[_Element]:
    n_elements = stream.count_line()
    n_read = 0
    while n_read < n_elements:
        element_type, n_here, n_tags = stream.integers(3).tolist()
        _, n_nodes = _shape(element_type, stream.layout)
        if n_here < 1 or n_tags < 0:
            raise stream.fault("announces elements without nodes")
        n_columns = 1 + n_tags + n_nodes
        table = stream.integers(n_here * n_columns).reshape(n_here, n_columns)
        for row in table.tolist():
            yield element_type, abs(row[1]) if n_tags else 0, row[1 + n_tags :]
        n_read += n_here
