"""Order of elimination without fill, for frames that no closed loops connect."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_matrix, csr_matrix
from scipy.sparse.csgraph import connected_components, depth_first_order

IntArray = NDArray[np.int64]


def leaf_order(
    indptr: NDArray[Any], indices: NDArray[Any], groups: IntArray
) -> IntArray | None:
    """Place of each row among the pivots: leaves before what they hang on.

    Frames of a branch follow each other, so that rows of the factors do too.

    Parameters
    ----------
    indptr : (n + 1,) int array
        Starts of the columns.
    indices : (n_entries,) int array
        Row numbers; sorted. All rows of a frame have the same pattern.
    groups : (n,) int array
        Frame of each row, numbered without gaps.

    Returns
    -------
    (n,) int array or None
        None where there are closed loops.

    References
    ----------
    Parter 1961: a tree eliminated from its leaves has no fill.
    """
    graph = _graph(indptr, indices, groups)
    n = graph.shape[0]
    n_parts, part = connected_components(graph, directed=False)
    if graph.nnz != 2 * (n - n_parts):
        return None
    rank = np.empty(n, dtype=np.int64)
    last = n
    for first in np.unique(part, return_index=True)[1]:
        found = depth_first_order(
            graph, first, directed=False, return_predecessors=False
        )
        last -= found.size
        rank[found] = last + np.arange(found.size)[::-1]
    positions = np.empty(groups.size, dtype=np.int64)
    positions[np.argsort(rank[groups], kind="stable")] = np.arange(groups.size)
    return positions


def _graph(indptr: NDArray[Any], indices: NDArray[Any], groups: IntArray) -> csr_matrix:
    """Which frames share entries, from the first column of each."""
    n = int(groups.max(initial=-1)) + 1
    firsts = np.empty(n, dtype=np.int64)
    firsts[groups[::-1]] = np.arange(groups.size)[::-1]
    lengths = indptr[firsts + 1].astype(np.int64) - indptr[firsts]
    starts = np.cumsum(lengths) - lengths
    places = np.arange(int(lengths.sum())) + np.repeat(indptr[firsts] - starts, lengths)
    others, owners = groups[indices[places]], np.repeat(np.arange(n), lengths)
    is_new = others != owners
    # rows of a frame follow each other
    is_new[1:] &= (others[1:] != others[:-1]) | (owners[1:] != owners[:-1])
    pairs = (others[is_new], owners[is_new])
    ones = np.ones(pairs[0].size, dtype=np.int8)
    return csr_matrix(csc_matrix((ones, pairs), shape=(n, n)))
