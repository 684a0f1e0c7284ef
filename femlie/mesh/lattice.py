"""Cubic lattices of struts."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from femlie.errors import MeshError
from femlie.fields import is_usable, shown
from femlie.mesh.build import mesh_from_arrays
from femlie.mesh.checks import check_count, check_group_name
from femlie.mesh.mesh import GREATEST_COORDINATE, IntArray, Mesh


def cubic_lattice(
    n_cells: Sequence[int],
    *,
    cell_size: float,
    name: str = "struts",
    bottom_name: str | None = "bottom",
    top_name: str | None = "top",
) -> Mesh:
    """Struts along the edges of cubic cells, one line a strut.

    Parameters
    ----------
    n_cells : (3,) of int
        Cells along x, y and z; zero along an axis gives a plane or a line.
    cell_size : float
        Length of a strut [length].
    name : str
        Name of the group of all lines.
    bottom_name, top_name : str or None
        Names of the groups of the lowest and the highest nodes; None for no group.

    Returns
    -------
    Mesh
        Nodes are numbered from 0, z fastest, then y, then x.

    Raises
    ------
    MeshError
        If there is no cell, or the size is not positive.
    """
    counts = _checked_counts(n_cells)
    if not is_usable(cell_size, GREATEST_COORDINATE) or cell_size <= 0.0:
        raise MeshError(
            f"cell_size of the lattice is {shown(cell_size)}: expected a positive "
            f"number below {GREATEST_COORDINATE:g}."
        )
    for what, group in (("bottom_name", bottom_name), ("top_name", top_name)):
        check_group_name(f"{what} of the lattice", group, may_lack=True)
    check_group_name("name of the lattice", name)
    axes = [np.arange(count + 1.0) for count in counts]
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
    numbers = np.arange(points.size // 3).reshape(counts + 1)
    lines = np.concatenate(
        [
            np.stack([first.ravel(), second.ravel()], axis=1)
            for first, second in (
                (numbers[:-1], numbers[1:]),
                (numbers[:, :-1], numbers[:, 1:]),
                (numbers[:, :, :-1], numbers[:, :, 1:]),
            )
        ]
    )
    ends = {bottom_name: numbers[..., 0], top_name: numbers[..., -1]}
    return mesh_from_arrays(
        cell_size * points.reshape(-1, 3),
        lines,
        node_groups={key: nodes.ravel() for key, nodes in ends.items() if key},
        line_groups={name: np.arange(len(lines))},
    )


def _checked_counts(n_cells: Sequence[int]) -> IntArray:
    """Numbers of cells along three axes."""
    try:
        counts = np.asarray(n_cells)
    except ValueError:
        counts = np.zeros(0)
    is_fit = counts.dtype.kind in "iu" and counts.shape == (3,)
    if not is_fit or np.any(counts < 0) or not np.any(counts):
        raise MeshError(
            f"n_cells of the lattice is {n_cells}: expected three whole numbers from 0 "
            "on, not all of them 0."
        )
    n_nodes = math.prod(int(count) + 1 for count in counts)
    check_count("The number of nodes of the lattice", n_nodes, least=2)
    return counts
