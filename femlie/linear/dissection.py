"""Elimination tree of the frames of a matrix, by nested dissection of their places."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix, csc_matrix, csr_matrix
from scipy.sparse.csgraph import breadth_first_order, shortest_path

from ._dissection import END, FIRST, PARENT, attach, dissect, find_boundaries
from .sweep import sweep, sweep_work

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]

# Domains of at most this many unknowns become one front.
LEAF_WEIGHT = 60
# A sweep is looked at where it is less than this times the work, at a rough estimate.
SWEEPS_BELOW = 3.0
# Corners of a box, one of each pair.
DIAGONALS = np.array([[1, 1, 1], [1, 1, -1], [1, -1, 1], [-1, 1, 1]])


class Tree(NamedTuple):
    """Fronts of a matrix: groups of rows that are eliminated together.

    Attributes
    ----------
    rows : (n_rows,) int array
        Row of the matrix at each place of the elimination.
    first : (n_fronts + 1,) int array
        First place of each front; children come before their parents.
    parents : (n_fronts,) int array
        -1 for roots.
    boundary_starts : (n_fronts + 1,) int array
    boundary : (n,) int array
        Later places that each front couples with, ascending.
    """

    rows: IntArray
    first: IntArray
    parents: IntArray
    boundary_starts: IntArray
    boundary: IntArray

    @property
    def sizes(self) -> tuple[FloatArray, FloatArray]:
        """Own rows and boundary rows of each front."""
        return front_sizes(self.first, self.boundary_starts)

    @property
    def widest(self) -> float:
        """Most boundary rows of a front."""
        return float(np.diff(self.boundary_starts).max(initial=0))

    def n_flops(self, *, is_symmetric: bool) -> float:
        """Additions and multiplications of one factorization."""
        return front_flops(*self.sizes, is_symmetric=is_symmetric)

    def n_entries(self, *, is_symmetric: bool) -> int:
        """Numbers that the factors hold."""
        return front_entries(*self.sizes, is_symmetric=is_symmetric)


def front_sizes(
    first: IntArray, boundary_starts: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Own rows and boundary rows of each front."""
    return np.diff(first) * 1.0, np.diff(boundary_starts) * 1.0


def front_flops(own: FloatArray, rest: FloatArray, *, is_symmetric: bool) -> float:
    """Additions and multiplications of one factorization of all fronts."""
    total = own**3 / 3.0 + own**2 * rest + own * rest**2
    return float(total.sum()) * (1.0 if is_symmetric else 2.0)


def front_entries(own: FloatArray, rest: FloatArray, *, is_symmetric: bool) -> int:
    """Numbers that the factors of all fronts hold."""
    return int((own * (own + (1.0 if is_symmetric else 2.0) * rest)).sum())


def groups_of(matrix: csc_matrix, n_multipliers: int) -> IntArray:
    """Runs of frame rows that have the same pattern: the unknowns of one frame."""
    n = matrix.shape[0] - n_multipliers
    lengths = np.diff(matrix.indptr)
    names = np.random.default_rng(0).integers(
        2**63, size=matrix.shape[0], dtype=np.uint64
    )
    sums = np.concatenate(
        [np.zeros(1, np.uint64), np.cumsum(names[matrix.indices], dtype=np.uint64)]
    )[matrix.indptr]
    sums = np.diff(sums)
    is_new = np.ones(n, dtype=bool)
    is_new[1:] = (sums[1:n] != sums[: n - 1]) | (lengths[1:n] != lengths[: n - 1])
    groups: IntArray = np.cumsum(is_new) - 1
    return groups


def dissection(
    matrix: csc_matrix,
    *,
    n_multipliers: int,
    groups: IntArray | None = None,
    places: FloatArray | None = None,
    leaf_weight: int = LEAF_WEIGHT,
) -> Tree:
    """Find an order of elimination with little fill for a matrix of frames.

    Parameters
    ----------
    matrix : (n_rows, n_rows) sparse matrix
        ``[[K, B^T], [B, 0]]``; only its pattern counts.
    n_multipliers : int
        Number of rows of B; each stays with a frame that it acts on.
    groups : (n_rows - n_multipliers,) int array or None
        Frame of each row, numbered without gaps; None: rows of the same pattern.
    places : (n_groups, 3) array or None
        Place of each frame; None: corners are found in the graph.
    leaf_weight : int
        Rows up to which a part of the graph is one front.

    Returns
    -------
    Tree

    References
    ----------
    George 1973; Davis 2006, section 7.6.
    """
    if groups is None:
        groups = groups_of(matrix, n_multipliers)
    owners = _with_multipliers(matrix, groups, n_multipliers)
    graph = _graph(matrix, owners)
    n = graph.shape[0]
    weights = np.bincount(owners, minlength=n)
    if places is not None:
        places = _in_unit_cube(places, n)
    distances = _distances(graph, places)
    keys = np.vstack([distances, np.arange(n)[None]])
    order = np.zeros(n, dtype=np.int64)
    fronts = np.zeros((3, max(n, 1)), dtype=np.int64)
    starts, neighbors = graph.indptr.astype(np.int64), graph.indices.astype(np.int64)
    memory = np.zeros((4, n + 1), dtype=np.int64)
    n_fronts = dissect(
        starts, neighbors, weights, keys, leaf_weight, order, fronts, memory
    )
    tree = _by_rows(graph, order, _postordered(fronts[:, :n_fronts]), weights, owners)
    levels = np.minimum(distances[0], n).astype(np.int64)
    return _with_less_work(tree, graph, levels, weights, owners)


def _with_less_work(
    tree: Tree, graph: csr_matrix, levels: IntArray, weights: IntArray, owners: IntArray
) -> Tree:
    """The tree, or one from end to end of a long structure where that is less work."""
    work = tree.n_flops(is_symmetric=False)
    if sweep_work(levels, weights) > SWEEPS_BELOW * work:
        return tree
    order, fronts = sweep(graph, weights, tree.widest)
    other = _by_rows(graph, order, fronts, weights, owners)
    return other if other.n_flops(is_symmetric=False) < work else tree


def _with_multipliers(
    matrix: csc_matrix, groups: IntArray, n_multipliers: int
) -> IntArray:
    """Group of each row, that of multipliers being a frame that they act on."""
    n = groups.size
    n_groups = int(groups.max(initial=-1)) + 1
    columns = csc_matrix(matrix[:n, n:])
    acting = csc_matrix(
        (np.ones(columns.nnz), groups[columns.indices], columns.indptr),
        shape=(n_groups, n_multipliers),
    )
    acting.sum_duplicates()
    owners = np.zeros(n_multipliers, dtype=np.int64)
    attach(
        acting.indptr.astype(np.int64),
        acting.indices.astype(np.int64),
        n_groups,
        owners,
        np.bincount(groups, minlength=n_groups),
    )
    # multipliers that act on nothing stand alone
    _, renumbered = np.unique(np.concatenate([groups, owners]), return_inverse=True)
    return renumbered.astype(np.int64)


def _graph(matrix: csc_matrix, owners: IntArray) -> csr_matrix:
    """Symmetric graph of the groups without loops."""
    n = int(owners.max(initial=-1)) + 1
    columns = np.repeat(owners, np.diff(matrix.indptr))
    rows = owners[matrix.indices]
    keys = np.unique(np.concatenate([columns * n + rows, rows * n + columns]))
    rows, columns = keys // max(n, 1), keys % max(n, 1)
    apart = rows != columns
    rows, columns = rows[apart], columns[apart]
    ones = np.ones(rows.size, dtype=np.int8)
    return csr_matrix(coo_matrix((ones, (rows, columns)), shape=(n, n)))


def _distances(graph: csr_matrix, places: FloatArray | None) -> FloatArray:
    """(4, n) steps from nodes at the corners of the structure.

    A plane of nodes with the same number of steps from a corner parts a lattice with
    fewer nodes on smaller boundaries than one normal to an axis: in a cubic lattice
    of 30 000 nodes half the work of a factorization.
    """
    n = graph.shape[0]
    found = np.zeros((4, n))
    if n == 0:
        return found
    nearest = np.full(n, np.inf)
    far = int(breadth_first_order(graph, 0, directed=False)[0][-1])
    for k in range(4):
        root = far if places is None else int(np.argmax(places @ DIAGONALS[k]))
        steps = shortest_path(
            graph, method="D", directed=False, unweighted=True, indices=root
        )
        steps[np.isinf(steps)] = n + 1.0
        found[k] = steps
        nearest = np.minimum(nearest, steps)
        far = int(np.argmax(nearest))
    return found


def _in_unit_cube(places: FloatArray, n: int) -> FloatArray:
    """Places relative to their box; groups of multipliers alone in its middle."""
    low, size = places.min(axis=0), np.ptp(places, axis=0)
    scaled = np.full((n, 3), 0.5)
    scaled[: len(places)] = (places - low) / np.where(size > 0.0, size, 1.0)
    return scaled


def _postordered(fronts: IntArray) -> IntArray:
    """Fronts sorted by their places: children come before their parents."""
    order = np.argsort(fronts[FIRST], kind="stable")
    numbers = np.empty(order.size + 1, dtype=np.int64)
    numbers[order] = np.arange(order.size)
    numbers[-1] = -1
    tree = fronts[:, order].copy()
    tree[PARENT] = numbers[tree[PARENT]]
    return tree


def _boundaries(
    graph: csr_matrix, tree: IntArray, order: IntArray
) -> tuple[IntArray, IntArray]:
    n, n_fronts = order.size, tree.shape[1]
    starts, neighbors = graph.indptr.astype(np.int64), graph.indices.astype(np.int64)
    position = np.empty(n, dtype=np.int64)
    position[order] = np.arange(n)
    found = np.zeros(n_fronts + 1, dtype=np.int64)
    marks = np.zeros((3, max(n, 1)), dtype=np.int64)
    size = 8 * n + 64
    while True:
        rows = np.zeros(size, dtype=np.int64)
        if (
            find_boundaries(
                (starts, neighbors), tree, order, position, found, rows, marks
            )
            == n_fronts
        ):
            break
        size *= 2
    rows = rows[: found[-1]]
    fronts = np.repeat(np.arange(n_fronts), np.diff(found))
    return found, np.sort(fronts * (n + 1) + rows) - fronts * (n + 1)


def _by_rows(
    graph: csr_matrix,
    order: IntArray,
    tree: IntArray,
    weights: IntArray,
    owners: IntArray,
) -> Tree:
    """From places of groups to places of rows."""
    found, boundary = _boundaries(graph, tree, order)
    widths = weights[order]
    starts = np.concatenate([[0], np.cumsum(widths)])
    n_groups = order.size
    rank = np.empty(n_groups, dtype=np.int64)
    rank[order] = np.arange(n_groups)
    rows = np.argsort(rank[owners], kind="stable")
    first = np.append(starts[tree[FIRST]], starts[-1])
    wide = widths[boundary]
    ends = np.concatenate([[0], np.cumsum(wide)])
    within = np.arange(ends[-1]) - np.repeat(ends[:-1], wide)
    return Tree(
        rows=rows,
        first=first,
        parents=tree[PARENT].copy(),
        boundary_starts=ends[found],
        boundary=np.repeat(starts[boundary], wide) + within,
    )


__all__ = ["END", "LEAF_WEIGHT", "Tree", "dissection", "groups_of"]
