"""Where the entries of a matrix and the updates of fronts go."""

from __future__ import annotations

from typing import Any

from .._jit import kernel


@kernel
def stack_size(tree: Any, order: Any) -> int:
    """Numbers that wait on the stack at most, together with the front at work."""
    first, boundary_starts, n_children = tree
    top, most, n_waiting = 0, 0, 0
    waiting = order
    for s in range(n_children.size):
        n2 = boundary_starts[s + 1] - boundary_starts[s]
        most = max(most, top + n2 * n2)
        for _ in range(n_children[s]):
            n_waiting -= 1
            top -= waiting[n_waiting]
        top += n2 * n2
        waiting[n_waiting] = n2 * n2
        n_waiting += 1
    return most


@kernel
def place_entries(
    pattern: Any, tree: Any, starts: Any, places: Any, relative: Any, work: Any
) -> None:
    """Find the place of each entry in the fronts, and the rows of updates.

    Parameters
    ----------
    pattern : tuple
        ``indptr`` and ``indices`` by columns; starts, columns and entry numbers by
        rows.
    tree : tuple
        Rows, positions, first, parents, boundary_starts, boundary of the fronts.
    starts : tuple
        First place of each panel, first place of each upper block or an empty array
        for a symmetric matrix.
    places : (n_entries,) uint64 array
        Receives the places.
    relative : (n_boundary,) uint32 array
        Receives the row in the front of the parent.
    work : (3, n) int array
        Work space.
    """
    indptr, indices, row_starts, row_columns, row_entries = pattern
    rows, position, first, parents, boundary_starts, boundary = tree
    panel_at, upper_at = starts
    is_symmetric = upper_at.size == 0
    local, youngest, siblings = work[0], work[1], work[2]
    n_fronts = parents.size
    for s in range(n_fronts):
        youngest[s] = -1
    for s in range(n_fronts):
        begin, end = first[s], first[s + 1]
        n1 = end - begin
        n2 = boundary_starts[s + 1] - boundary_starts[s]
        n = n1 + n2
        for k in range(begin, end):
            local[k] = k - begin
        for k in range(n2):
            local[boundary[boundary_starts[s] + k]] = n1 + k
        for k in range(begin, end):
            column = k - begin
            line = rows[k]
            for p in range(indptr[line], indptr[line + 1]):
                place = position[indices[p]]
                if place < begin:
                    continue
                i, j = local[place], column
                if is_symmetric and i < j:
                    i, j = j, i
                places[p] = panel_at[s] + j * n + i
            for p in range(row_starts[line], row_starts[line + 1]):
                place = position[row_columns[p]]
                if place < end:
                    continue
                j = local[place]
                if is_symmetric:
                    places[row_entries[p]] = panel_at[s] + column * n + j
                else:
                    places[row_entries[p]] = upper_at[s] + (j - n1) * n1 + column
        child = youngest[s]
        while child >= 0:
            for k in range(boundary_starts[child], boundary_starts[child + 1]):
                relative[k] = local[boundary[k]]
            child = siblings[child]
        parent = parents[s]
        if parent >= 0:
            siblings[s] = youngest[parent]
            youngest[parent] = s
