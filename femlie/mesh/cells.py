"""What a mesh file holds, in one form for all formats, and the mesh made of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from femlie.errors import MeshError
from femlie.mesh.mesh import Array, IntArray, Mesh

# Corner nodes of each shape; further nodes of a cell of higher order follow them.
CORNERS = {
    "vertex": 1,
    "line": 2,
    "triangle": 3,
    "quad": 4,
    "tetra": 4,
    "hexahedron": 8,
    "wedge": 6,
    "pyramid": 5,
}

DIMENSIONS = {
    "vertex": 0,
    "line": 1,
    "triangle": 2,
    "quad": 2,
    "tetra": 3,
    "hexahedron": 3,
    "wedge": 3,
    "pyramid": 3,
}

# Faces of the solid shapes in Gmsh's order of nodes, seen from outside
# counterclockwise (Gmsh reference manual, "Node ordering").
FACES = {
    "tetra": ((0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)),
    "hexahedron": (
        (0, 3, 2, 1),
        (4, 5, 6, 7),
        (0, 1, 5, 4),
        (1, 2, 6, 5),
        (2, 3, 7, 6),
        (3, 0, 4, 7),
    ),
    "wedge": ((0, 2, 1), (3, 4, 5), (0, 1, 4, 3), (1, 2, 5, 4), (2, 0, 3, 5)),
    "pyramid": ((0, 3, 2, 1), (0, 1, 4), (1, 2, 4), (2, 3, 4), (3, 0, 4)),
}


@dataclass(frozen=True)
class CellBlock:
    """Cells of one shape and order.

    Parameters
    ----------
    shape : str
        A key of ``CORNERS``.
    nodes : (n_cells, k) integer array
        Rows of the points; corners first, then for a line its middle node.
    groups : mapping of name to (m,) integer array
        Named cells, as rows of ``nodes``.
    """

    shape: str
    nodes: IntArray
    groups: Mapping[str, IntArray] = field(default_factory=dict)


@dataclass(frozen=True)
class FileContent:
    """Points, cells and groups as a reader finds them.

    Parameters
    ----------
    source : str
        Path of the file, for messages.
    points : (n, 3) array
        Coordinates [length].
    node_numbers : (n,) integer array
        The user's own numbers.
    blocks : tuple of CellBlock
        All cells.
    node_groups : mapping of name to (k,) integer array
        Named nodes that do not come from vertex cells.
    """

    source: str
    points: Array
    node_numbers: IntArray
    blocks: tuple[CellBlock, ...]
    node_groups: Mapping[str, IntArray] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for block in self.blocks:
            outside = (block.nodes < 0) | (block.nodes >= len(self.points))
            if outside.any():
                raise MeshError(
                    f"'{self.source}' is damaged: a {block.shape} refers to node "
                    f"{block.nodes[outside][0]} (counted from 0), but the file has "
                    f"{len(self.points)} nodes."
                )


# group of all lines where a file names none
ALL_LINES = "lines"


def mesh_of(content: FileContent) -> Mesh:
    """The mesh that a file's content stands for."""
    lines, mid_nodes, line_groups = _lines(content)
    if len(lines) and not line_groups:
        line_groups = {ALL_LINES: np.arange(len(lines))}
    return Mesh(
        points=content.points,
        lines=lines,
        mid_nodes=mid_nodes,
        node_groups=_node_groups(content),
        line_groups=line_groups,
        surface_groups={name: triangles(content, name) for name in surfaces(content)},
        node_numbers=content.node_numbers,
        source=content.source,
    )


def surfaces(content: FileContent) -> list[str]:
    """Names of the groups that hold surfaces or solids, each once."""
    names: dict[str, None] = {}
    for block in content.blocks:
        if block.shape not in ("vertex", "line"):
            names.update(dict.fromkeys(block.groups))
    return list(names)


def triangles(content: FileContent, name: str | None) -> IntArray:
    """Triangles of a named surface or of the boundary of a named solid.

    Parameters
    ----------
    content : FileContent
        What the file holds.
    name : str or None
        Name of the group; None takes every cell of the file.

    Returns
    -------
    (k, 3) integer array
        Rows of the points. Quadrilaterals are cut in two.
    """
    flat: list[tuple[str, IntArray]] = []
    solid: list[tuple[str, IntArray]] = []
    for block in content.blocks:
        if block.shape in ("vertex", "line"):
            continue
        chosen = block.nodes[:, : CORNERS[block.shape]]
        if name is not None:
            chosen = chosen[block.groups.get(name, np.empty(0, np.int64))]
        if len(chosen):
            (solid if block.shape in FACES else flat).append((block.shape, chosen))
    if flat and solid and name is not None:
        raise MeshError(
            f"'{content.source}' uses the name '{name}' for surfaces and for solids: "
            "give each a name of its own."
        )
    return _as_triangles([cells for _, cells in flat] if flat else _boundary(solid))


def _boundary(solid: list[tuple[str, IntArray]]) -> list[IntArray]:
    """Faces that belong to one solid cell only, as arrays of (k, 3) or (k, 4)."""
    faces = [cells[:, face] for shape, cells in solid for face in FACES[shape]]
    if not faces:
        return []
    padded = [
        np.pad(f, ((0, 0), (0, 4 - f.shape[1])), constant_values=-1) for f in faces
    ]
    stacked = np.concatenate(padded)
    _, inverse, counts = np.unique(
        np.sort(stacked, axis=1), axis=0, return_inverse=True, return_counts=True
    )
    outer = stacked[counts[inverse.ravel()] == 1]
    is_triangle = outer[:, 3] < 0
    return [outer[is_triangle, :3], outer[~is_triangle]]


def _as_triangles(faces: list[IntArray]) -> IntArray:
    parts = [np.empty((0, 3), np.int64)]
    for face in faces:
        parts.append(face[:, :3])
        if face.shape[1] == 4:
            parts.append(face[:, (0, 2, 3)])
    return np.concatenate(parts)


def _lines(content: FileContent) -> tuple[IntArray, IntArray, dict[str, IntArray]]:
    ends, middles = [np.empty((0, 2), np.int64)], [np.empty(0, np.int64)]
    groups: dict[str, list[IntArray]] = {}
    n_lines = 0
    for block in content.blocks:
        if block.shape != "line":
            continue
        nodes = block.nodes
        if nodes.shape[1] > 3:
            raise MeshError(
                f"'{content.source}' holds lines of order {nodes.shape[1] - 1}, but "
                "only order 1 and 2 are known: set Mesh.ElementOrder to 1 or 2 in Gmsh."
            )
        has_middle = nodes.shape[1] == 3
        ends.append(nodes[:, :2])
        middles.append(nodes[:, 2] if has_middle else np.full(len(nodes), -1))
        for name, rows in block.groups.items():
            groups.setdefault(name, []).append(rows + n_lines)
        n_lines += len(nodes)
    named = {name: np.concatenate(rows) for name, rows in groups.items()}
    return np.concatenate(ends), np.concatenate(middles), named


def _node_groups(content: FileContent) -> dict[str, IntArray]:
    groups: dict[str, list[IntArray]] = {}
    for block in content.blocks:
        if block.shape == "vertex":
            for name, rows in block.groups.items():
                groups.setdefault(name, []).append(block.nodes[rows, 0])
    for name, nodes in content.node_groups.items():
        groups.setdefault(name, []).append(nodes)
    return {name: np.concatenate(parts) for name, parts in groups.items()}
