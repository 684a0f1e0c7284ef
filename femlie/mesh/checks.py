"""Faults that make a mesh unusable, found before a model is built on it."""

from __future__ import annotations

from typing import Any

import numpy as np

from femlie.errors import MeshError
from femlie.fields import is_whole, shown
from femlie.mesh.mesh import GREATEST_COORDINATE, IntArray, Mesh

# A line shorter than this part of the mesh's size is taken for two nodes in one
# place: no sensible mesh spans twelve decades, and doubles carry sixteen.
_SHORTEST_LINE = 1e-12


# More lines than this do not fit into the memory of a computer, with what is built on
# them.
_MOST = 10**7


def check_count(what: str, value: Any, *, least: int, most: int = _MOST) -> int:
    """A number of things, if it is a whole number within bounds; else MeshError."""
    if is_whole(value) and least <= value <= most:
        return int(value)
    top = "" if is_whole(value) and value < least else f" and at most {most}"
    raise MeshError(
        f"{what} is {shown(value)}: expected an integer of at least {least}{top}."
    )


def check_group_name(what: str, name: Any, *, may_lack: bool = False) -> None:
    """Refuse what is no name of a group.

    Raises
    ------
    MeshError
    """
    if isinstance(name, str) and name.strip():
        return
    if may_lack and name is None:
        return
    other = ", or None for no group" if may_lack else ""
    raise MeshError(f"{what} is {name!r}: expected a text that is not empty{other}.")


def check_mesh(mesh: Mesh) -> Mesh:
    """Return the mesh if it is sound.

    Raises
    ------
    MeshError
        For coordinates that are not finite, indices out of range, node numbers
        given twice, lines of no length, lines given twice, empty groups, or a mesh
        without lines and without a name for nodes or surfaces.
    """
    _check_points(mesh)
    _check_groups(mesh)
    _check_lines(mesh)
    if not (len(mesh.lines) or mesh.surface_groups or mesh.node_groups):
        raise MeshError(
            f"'{mesh.source}' holds no lines and neither named points nor a named "
            "surface: give it lines, which Gmsh saves with a physical group of theirs."
        )
    return mesh


def _check_points(mesh: Mesh) -> None:
    if not len(mesh.points):
        raise MeshError(f"'{mesh.source}' holds no nodes: save the mesh again.")
    if len(mesh.node_numbers) != len(mesh.points):
        raise MeshError(
            f"'{mesh.source}' has {len(mesh.points)} nodes, "
            f"but {len(mesh.node_numbers)} node numbers."
        )
    is_bad = ~(np.abs(mesh.points) < GREATEST_COORDINATE).all(axis=1)
    if is_bad.any():
        raise MeshError(
            f"'{mesh.source}' has coordinates that are not finite or too large at "
            f"{mesh.node_label(int(np.argmax(is_bad)))}: export the mesh again."
        )
    numbers, counts = np.unique(mesh.node_numbers, return_counts=True)
    if (counts > 1).any():
        raise MeshError(
            f"'{mesh.source}' gives the node number {numbers[counts > 1][0]} "
            "to more than one node."
        )


def _check_groups(mesh: Mesh) -> None:
    _check_range(mesh, "lines", mesh.lines, len(mesh.points), "nodes")
    mids = mesh.mid_nodes
    if len(mids) != len(mesh.lines):
        raise MeshError(
            f"'{mesh.source}' has {len(mesh.lines)} lines, "
            f"but {len(mids)} middle nodes."
        )
    _check_range(mesh, "mid_nodes", mids[mids != -1], len(mesh.points), "nodes")
    for groups, number, unit in (
        (mesh.node_groups, len(mesh.points), "nodes"),
        (mesh.line_groups, len(mesh.lines), "lines"),
        (mesh.surface_groups, len(mesh.points), "nodes"),
    ):
        for name, rows in groups.items():
            if not rows.size:
                raise MeshError(
                    f"The group '{name}' of '{mesh.source}' is empty: "
                    "fill it or leave it out."
                )
            _check_range(mesh, f"group '{name}'", rows, number, unit)


def _check_range(
    mesh: Mesh, what: str, indices: IntArray, number: int, unit: str
) -> None:
    is_bad = (indices < 0) | (indices >= number)
    if is_bad.any():
        raise MeshError(
            f"'{mesh.source}': {what} refers to index {indices[is_bad][0]}, "
            f"but there are {number} {unit}, counted from 0."
        )


def _check_lines(mesh: Mesh) -> None:
    if not len(mesh.lines):
        return
    ends = mesh.points[mesh.lines]
    chords = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)
    is_short = chords <= _SHORTEST_LINE * mesh.size
    if is_short.any():
        first, last = mesh.lines[int(np.argmax(is_short))]
        raise MeshError(
            f"'{mesh.source}' has a line of no length from {mesh.node_label(first)} to "
            f"{mesh.node_label(last)}: remove it, or merge the two nodes."
        )
    # Two bent lines between the same nodes are two different lines.
    keys = np.column_stack([np.sort(mesh.lines, axis=1), mesh.mid_nodes])
    _, inverse, counts = np.unique(
        keys, axis=0, return_inverse=True, return_counts=True
    )
    is_repeated = counts[inverse.ravel()] > 1
    if is_repeated.any():
        first, last = mesh.lines[int(np.argmax(is_repeated))]
        raise MeshError(
            f"'{mesh.source}' has the line from {mesh.node_label(first)} to "
            f"{mesh.node_label(last)} more than once ({int((counts - 1).sum())} lines "
            "too many): remove the copies, in Gmsh with 'Coherence Mesh;'."
        )
