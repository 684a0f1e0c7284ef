"""Elimination of a long structure from one end to the other.

A strand of wires is long and narrow: each cross-section couples with the next ones
only. Nested dissection cuts it in the middle again and again, and each cut has
neighbors on both sides. A sweep has them on one side, with a third of the work.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import reverse_cuthill_mckee

from ._dissection import END, FIRST, PARENT

IntArray = NDArray[np.int64]

# a front has this part of the rows that it couples with, or of a level where less:
# smaller ones have less fill, but move what waits for them more often
SHARE = 0.15


def sweep_work(levels: IntArray, weights: IntArray) -> float:
    """Additions and multiplications of a sweep, roughly, for unsymmetric values.

    Parameters
    ----------
    levels : (n,) int array
        Steps of each node of the graph from one end of the structure.
    weights : (n,) int array
        Rows of each node.

    Notes
    -----
    Levels couple with the next one only: ``n1^3/3 + n1^2 n2 + n1 n2^2``, twice.
    """
    widths = np.bincount(levels, weights=weights)
    own, rest = widths, np.append(widths[1:], 0.0)
    return float(2.0 * (own**3 / 3.0 + own**2 * rest + own * rest**2).sum())


def sweep(
    graph: csr_matrix, weights: IntArray, width: float
) -> tuple[IntArray, IntArray]:
    """Order of a graph, and fronts of nodes that follow each other.

    Parameters
    ----------
    graph : (n, n) sparse matrix
        Symmetric, without loops.
    weights : (n,) int array
        Rows of each node.
    width : float
        Rows that a front couples with, roughly.

    Returns
    -------
    order : (n,) int array
    fronts : (3, n_fronts) int array
        First place, place behind the last, and parent of each front.

    References
    ----------
    Cuthill and McKee 1969; Davis 2006, section 7.2.
    """
    order = reverse_cuthill_mckee(graph, symmetric_mode=True).astype(np.int64)
    rows = np.cumsum(weights[order])
    numbers = (rows - 1) // max(int(SHARE * width), 1)
    is_first = np.append(True, numbers[1:] != numbers[:-1])
    first = np.flatnonzero(is_first)
    fronts = np.zeros((3, first.size), dtype=np.int64)
    fronts[FIRST] = first
    fronts[END] = np.append(first[1:], order.size)
    fronts[PARENT] = np.append(np.arange(1, first.size), -1)
    return order, fronts
