"""Patterns of the triangular factors of a sparse matrix whose pivots are known."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._jit import kernel

ONE = np.uint64(1)


def factor_patterns(
    indptr: NDArray[Any], targets: NDArray[Any], column_order: NDArray[Any], size: int
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Patterns of L and U, from the structure alone, for pivots on the diagonal.

    Parameters
    ----------
    indptr : (n + 1,) uint64 array
        Starts of the columns of the matrix.
    targets : (n_entries,) uint32 array
        Row of each entry after the row permutation.
    column_order : (n,) uint32 array
        Column of the matrix that becomes column k.
    size : int
        First guess of the entries of one factor.

    Returns
    -------
    tuple of arrays
        Starts and sorted rows of strictly lower L, then of strictly upper U.
    """
    n = column_order.size
    starts = np.zeros((2, n + 1), dtype=np.uint64)
    memory = np.zeros((5, n + 1), dtype=np.int64)
    while True:
        lower = np.empty(size + n, dtype=np.uint32)
        upper = np.empty(size + n, dtype=np.uint32)
        if _reach(indptr, targets, column_order, starts, lower, upper, memory) == n:
            break
        size *= 2
    lower_starts, lower = _sorted_columns(starts[0].copy(), lower)
    upper_starts, upper = _sorted_columns(starts[1].copy(), upper)
    return lower_starts, lower, upper_starts, upper


def _sorted_columns(starts: NDArray[Any], rows: NDArray[Any]) -> Any:
    """Sort by transposing twice: linear time."""
    for _ in range(2):
        turned_starts = np.zeros(starts.size, dtype=np.uint64)
        turned_rows = np.empty(int(starts[-1]), dtype=np.uint32)
        _transpose(starts, rows, turned_starts, turned_rows)
        starts, rows = turned_starts, turned_rows
    return starts, rows


@kernel
def _transpose(starts: Any, rows: Any, turned_starts: Any, turned_rows: Any) -> None:
    n = starts.size - 1
    for p in range(starts[n]):
        turned_starts[rows[p] + ONE] += ONE
    for i in range(n):
        turned_starts[i + 1] += turned_starts[i]
    for j in range(n - 1, -1, -1):
        for p in range(starts[j], starts[j + 1]):
            i = rows[p] + ONE
            turned_starts[i] -= ONE
            turned_rows[turned_starts[i]] = j
    # Each start has moved down to the start of the column before it.
    for i in range(n):
        turned_starts[i] = turned_starts[i + 1]
    turned_starts[n] = starts[n]


@kernel
def _reach(
    indptr: Any,
    targets: Any,
    column_order: Any,
    starts: Any,
    lower: Any,
    upper: Any,
    memory: Any,
) -> int:
    """Find the rows of each column of L and U; stop where the memory is too small.

    Column k of the factors has the rows that column k of the permuted matrix reaches
    in the graph of the columns of L found before (Gilbert and Peierls). Columns whose
    row and column already meet are searched only up to that place (symmetric pruning).

    Returns
    -------
    int
        Number of columns done.

    References
    ----------
    Gilbert and Peierls 1988; Eisenstat and Liu 1992; Davis 2006, sections 3.2 and 6.2.
    """
    n = column_order.size
    lower_starts, upper_starts = starts[0], starts[1]
    search_ends, is_pruned, visited_by = memory[0], memory[1], memory[2]
    stack, places = memory[3], memory[4]
    lower_end = 0
    upper_end = 0
    for j in range(n):
        is_pruned[j] = 0
        visited_by[j] = -1
    for k in range(n):
        if max(lower_end, upper_end) + n > lower.size:
            return k
        visited_by[k] = k
        upper_start = upper_end
        column = column_order[k]
        place = indptr[column]
        depth = -1  # the column of the matrix itself; deeper, columns of L
        while True:
            if depth < 0:
                if place == indptr[column + ONE]:
                    break
                j = targets[place]
                place += ONE
            else:
                q = places[depth]
                if q == search_ends[stack[depth]]:
                    depth -= 1
                    continue
                j = lower[q]
                places[depth] = q + 1
            if visited_by[j] == k:
                continue
            visited_by[j] = k
            if j > k:
                lower[lower_end] = j
                lower_end += 1
            else:
                upper[upper_end] = j
                upper_end += 1
                depth += 1
                stack[depth] = j
                places[depth] = lower_starts[j]
        upper_starts[k + 1] = upper_end
        lower_starts[k + 1] = lower_end
        search_ends[k] = lower_end
        for p in range(upper_start, upper_end):
            j = upper[p]
            if is_pruned[j] == 1:
                continue
            front = np.int64(lower_starts[j])
            back = np.int64(lower_starts[j + ONE])
            q = front
            while q < back and lower[q] != k:
                q += 1
            if q == back:
                continue
            while front < back:
                if lower[front] <= k:
                    front += 1
                else:
                    back -= 1
                    moved = lower[front]
                    lower[front] = lower[back]
                    lower[back] = moved
            search_ends[j] = front
            is_pruned[j] = 1
    return n
