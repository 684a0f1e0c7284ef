"""Points that lie in one place."""

from __future__ import annotations

import numpy as np

from femlie.mesh.mesh import Array, IntArray


def merge_coincident(
    points: Array, *, tolerance: float, owners: IntArray | None = None
) -> tuple[IntArray, IntArray]:
    """Find points that coincide.

    Parameters
    ----------
    points : (n, 3) array
        Coordinates [length].
    tolerance : float
        Greatest distance of two coincident points [length].
    owners : (n,) integer array, optional
        Where given, only points of different owners are compared.

    Returns
    -------
    kept : (k,) integer array
        The first of each set of coincident points, ascending.
    rows : (n,) integer array
        For each point its place in ``kept``.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components
    from scipy.spatial import cKDTree

    pairs = cKDTree(points).query_pairs(tolerance, output_type="ndarray")
    if owners is not None:
        pairs = pairs[owners[pairs[:, 0]] != owners[pairs[:, 1]]]
    ones = np.ones(len(pairs), dtype=np.int8)
    graph = coo_array((ones, (pairs[:, 0], pairs[:, 1])), shape=(len(points),) * 2)
    _, labels = connected_components(graph, directed=False)
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return first[order], place[inverse.ravel()]
