"""The mesh that a model is built on: points, lines and named groups."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from femlie.errors import MeshError, suggestion

Array = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

# Abscissas and weights of Gauss-Legendre quadrature on [-1, 1]: eight points give
# the length of a quadratic line to rounding unless it is strongly bent.
_ABSCISSAS, _WEIGHTS = np.polynomial.legendre.leggauss(8)

# Coordinates beyond this are taken for damage: their squares would overflow.
GREATEST_COORDINATE = 1e100


def read_only(
    values: npt.ArrayLike, dtype: type, shape: tuple[int, ...]
) -> npt.NDArray[Any]:
    """Contiguous copy of ``values`` that cannot be written to."""
    array: npt.NDArray[Any] = np.array(values, dtype=dtype, order="C").reshape(shape)
    array.flags.writeable = False
    return array


@dataclass(frozen=True, eq=False, repr=False)
class Mesh:
    """Points, lines and named groups; nothing in it can be changed.

    Parameters
    ----------
    points : (n, 3) array
        Coordinates of the nodes [length].
    lines : (n_lines, 2) integer array
        End nodes of each line, as rows of ``points``.
    mid_nodes : (n_lines,) integer array
        Middle node of each line of order 2, -1 for a straight line of order 1.
    node_groups : dict of name to (k,) integer array
        Named nodes, as rows of ``points``.
    line_groups : dict of name to (k,) integer array
        Named lines, as rows of ``lines``.
    surface_groups : dict of name to (k, 3) integer array
        Triangles of named surfaces, as rows of ``points``; of a named solid, its
        boundary. Curved triangles are kept as the flat ones through their corners.
    node_numbers : (n,) integer array
        The user's own number of each node, for messages.
    source : str
        Where the mesh comes from, for messages.

    Notes
    -----
    Groups hold nothing twice: what is repeated is left out. A name may stand for
    nodes and for lines at once; `is_ambiguous` tells whether the two are different sets
    of nodes.
    """

    points: Array
    lines: IntArray
    mid_nodes: IntArray
    node_groups: dict[str, IntArray]
    line_groups: dict[str, IntArray]
    surface_groups: dict[str, IntArray]
    node_numbers: IntArray
    source: str

    def __post_init__(self) -> None:
        def freeze(name: str, dtype: type, *shape: int) -> None:
            object.__setattr__(self, name, read_only(getattr(self, name), dtype, shape))

        def freeze_groups(name: str, *shape: int) -> None:
            groups = getattr(self, name).items()
            frozen = {key: read_only(rows, np.int64, shape) for key, rows in groups}
            object.__setattr__(self, name, frozen)

        def each_once_in(name: str) -> None:
            groups = getattr(self, name).items()
            once = {key: each_once(np.ravel(rows)) for key, rows in groups}
            object.__setattr__(self, name, once)

        freeze("points", np.float64, -1, 3)
        freeze("lines", np.int64, -1, 2)
        freeze("mid_nodes", np.int64, -1)
        freeze("node_numbers", np.int64, -1)
        each_once_in("node_groups")
        each_once_in("line_groups")
        freeze_groups("node_groups", -1)
        freeze_groups("line_groups", -1)
        freeze_groups("surface_groups", -1, 3)

    def __repr__(self) -> str:
        names = ", ".join(f"'{name}'" for name in self.group_names) or "none"
        return (
            f"<Mesh '{self.source}': {len(self.points)} nodes, "
            f"{len(self.lines)} lines, groups: {names}>"
        )

    @property
    def group_names(self) -> list[str]:
        """Names of all groups, each once."""
        return list(self.node_groups | self.line_groups | self.surface_groups)

    def nodes(self, name: str) -> IntArray:
        """Nodes of a named group of nodes or of lines.

        Parameters
        ----------
        name : str
            A group of nodes; where there is none, a group of lines.

        Returns
        -------
        (k,) integer array
            Rows of ``points``, each once; for lines their nodes, middle ones included,
            in the order in which they appear along the lines.

        Raises
        ------
        MeshError
            If there is no such group.
        """
        if name in self.node_groups:
            return self.node_groups[name]
        if name in self.line_groups:
            return self.nodes_of_lines(name)
        raise self._no_group(name, self.node_groups | self.line_groups, "nodes")

    def nodes_of_lines(self, name: str) -> IntArray:
        """Nodes of a named group of lines, as `nodes` gives them, or MeshError."""
        rows = self.lines_of(name)
        ends = self.lines[rows]
        along = np.column_stack([ends[:, 0], self.mid_nodes[rows], ends[:, 1]]).ravel()
        return each_once(along[along >= 0])

    def lines_of(self, name: str) -> IntArray:
        """Lines of a named group, (k,) rows of ``lines``, or MeshError."""
        if name in self.line_groups:
            return self.line_groups[name]
        raise self._no_group(name, self.line_groups, "lines")

    def surface(self, name: str) -> tuple[Array, IntArray]:
        """Surface of a named group of surfaces or solids.

        Returns
        -------
        points : (k, 3) array
            Only the points that the surface uses [length].
        triangles : (m, 3) integer array
            Rows of those points.

        Raises
        ------
        MeshError
            If there is no such group.
        """
        if name not in self.surface_groups:
            raise self._no_group(name, self.surface_groups, "surfaces")
        return compact(self.points, self.surface_groups[name])

    def is_ambiguous(self, name: str) -> bool:
        """Whether the name means nodes and lines that are different sets of nodes."""
        if name not in self.node_groups or name not in self.line_groups:
            return False
        return set(self.node_groups[name]) != set(self.nodes_of_lines(name))

    def node_label(self, index: int) -> str:
        """A node as a message names it, e.g. ``node 17 (1.0, 2.0, 0.0)``."""
        place = ", ".join(str(float(f"{x:.6g}")) for x in self.points[index])
        return f"node {self.node_numbers[index]} ({place})"

    @property
    def used_nodes(self) -> IntArray:
        """Nodes of at least one line, middle nodes included, ascending."""
        nodes = np.unique(np.concatenate([self.lines.ravel(), self.mid_nodes]))
        return nodes[nodes >= 0]

    @property
    def orphan_nodes(self) -> IntArray:
        """Nodes that no line uses, ascending."""
        return np.setdiff1d(np.arange(len(self.points)), self.used_nodes)

    @property
    def lengths(self) -> Array:
        """Length of each line, (n_lines,), measured along the curve for order 2."""
        first, last = self.points[self.lines[:, 0]], self.points[self.lines[:, 1]]
        straight = self.mid_nodes < 0
        middle = self.points[self.mid_nodes]
        middle[straight] = 0.5 * (first + last)[straight]
        # x(s) = first s(s-1)/2 + middle (1-s^2) + last s(s+1)/2, s in [-1, 1]
        slope = 0.5 * (last - first)
        bend = first - 2.0 * middle + last
        tangents = slope[:, None, :] + _ABSCISSAS[:, None] * bend[:, None, :]
        return np.linalg.norm(tangents, axis=2) @ _WEIGHTS

    @property
    def total_length(self) -> float:
        """Sum of the lengths of all lines [length]."""
        return float(self.lengths.sum())

    @property
    def bounding_box(self) -> tuple[Array, Array]:
        """Least and greatest coordinates of the points, (3,) each [length]."""
        return self.points.min(axis=0), self.points.max(axis=0)

    @property
    def size(self) -> float:
        """Diagonal of the bounding box [length]."""
        low, high = self.bounding_box
        return float(np.linalg.norm(high - low))

    def _no_group(self, name: str, known: Iterable[str], what: str) -> MeshError:
        others = [
            kind
            for kind, groups in (
                ("nodes", self.node_groups),
                ("lines", self.line_groups),
                ("surfaces", self.surface_groups),
            )
            if name in groups
        ]
        meant = f" (it is a group of {' and '.join(others)})" if others else ""
        near = suggestion(name, known, what=f"groups of {what}")
        if what == "lines" and not len(self.lines):
            near = (
                "It holds no lines at all: save them too, in Gmsh by giving them a "
                "physical group."
            )
        return MeshError(
            f"The mesh '{self.source}' has no group of {what} '{name}'{meant}. {near}"
        )


def each_once(rows: npt.ArrayLike) -> IntArray:
    """(k,) values of (n,) integers, each once, in the order of their first places."""
    values = np.asarray(rows, dtype=np.int64)
    _, first = np.unique(values, return_index=True)
    return values[np.sort(first)]


def compact(points: Array, triangles: IntArray) -> tuple[Array, IntArray]:
    """The points that the triangles use, and the triangles in their rows."""
    used, rows = np.unique(triangles, return_inverse=True)
    return points[used], rows.reshape(-1, 3)
