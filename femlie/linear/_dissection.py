"""Nested dissection of a graph by the places of its nodes, and what it couples."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._jit import allocating_kernel, kernel

# Planes that are compared along each axis of a domain.
N_BINS = 128
# Rows of `Tree`-like arrays: first place, place behind the last, parent.
FIRST, END, PARENT = range(3)
LEFT, RIGHT, BETWEEN = range(3)


@kernel
def weigh_planes(domain: Any, graph: Any, weights: Any, bins: Any, sums: Any) -> None:
    """Weight below each plane, and of the nodes that touch it from either side.

    Parameters
    ----------
    domain : tuple
        Nodes in order, place of each node, first place, place behind the last.
    graph : tuple
        Starts and neighbors.
    weights, bins : (n_nodes,) int arrays
        Bin of each node along the axis; plane c lies behind bin c.
    sums : (3, N_BINS + 1) int array
        Receives the weight up to each plane, of nodes before it that have neighbors
        behind it, and of nodes behind it that have neighbors before it.
    """
    order, position, first, end = domain
    starts, neighbors = graph
    sums[:] = 0
    for k in range(first, end):
        node = order[k]
        own = bins[node]
        low, high = own, own
        for p in range(starts[node], starts[node + 1]):
            place = position[neighbors[p]]
            if first <= place < end:
                other = bins[neighbors[p]]
                low, high = min(low, other), max(high, other)
        weight = weights[node]
        sums[0, own] += weight
        sums[1, own] += weight
        sums[1, high] -= weight
        sums[2, low] += weight
        sums[2, own] -= weight
    for c in range(1, N_BINS):
        for side in range(3):
            sums[side, c] += sums[side, c - 1]


@kernel
def set_bins(domain: Any, key: Any, bins: Any) -> bool:
    """Bin of each node of a domain along an axis; False where all lie together."""
    order, _, first, end = domain
    low = key[order[first]]
    high = low
    for k in range(first, end):
        low, high = min(low, key[order[k]]), max(high, key[order[k]])
    if not high - low > 1e-9 * max(abs(low), abs(high)):
        return False
    n_bins = min(N_BINS, 4 * (end - first))
    for k in range(first, end):
        place = (key[order[k]] - low) / (high - low)
        bins[order[k]] = min(int(place * n_bins), n_bins - 1)
    return True


@kernel
def best_plane(sums: Any, total: Any) -> Any:
    """Score, plane and side of the lightest separator that leaves two like parts.

    The weight of the separator over the product of both parts' shares is least.
    """
    best, plane, side = np.inf, -1, LEFT
    for c in range(N_BINS - 1):
        below = sums[0, c]
        for s in range(2):
            weight = sums[1 + s, c]
            first, second = below, total - below
            if s == LEFT:
                first -= weight
            else:
                second -= weight
            if first <= 0 or second <= 0:
                continue
            score = (weight + 0.5) * float(total) * float(total)
            score /= 4.0 * float(first) * float(second)
            # later planes of the same cut are the same plane
            if score < best * (1.0 - 1e-12):
                best, plane, side = score, c, s
    return best, plane, side


@kernel
def divide(domain: Any, graph: Any, cut: Any, bins: Any, memory: Any) -> Any:
    """Reorder a domain: left part, right part, separator; returns both borders."""
    order, position, first, end = domain
    starts, neighbors = graph
    plane, side = cut
    kinds, copy = memory
    n_left, n_right = 0, 0
    for k in range(first, end):
        node = order[k]
        is_left = bins[node] <= plane
        kind = LEFT if is_left else RIGHT
        if kind == side:
            for p in range(starts[node], starts[node + 1]):
                place = position[neighbors[p]]
                if first <= place < end and (bins[neighbors[p]] <= plane) != is_left:
                    kind = BETWEEN
                    break
        n_left += int(kind == LEFT)
        n_right += int(kind == RIGHT)
        kinds[node] = kind
        copy[k] = node
    left, right, between = first, first + n_left, first + n_left + n_right
    for k in range(first, end):
        node = copy[k]
        if kinds[node] == LEFT:
            order[left] = node
            left += 1
        elif kinds[node] == RIGHT:
            order[right] = node
            right += 1
        else:
            order[between] = node
            between += 1
    for k in range(first, end):
        position[order[k]] = k
    return first + n_left, first + n_left + n_right


@allocating_kernel
def dissect(
    starts: Any,
    neighbors: Any,
    weights: Any,
    keys: Any,
    leaf_weight: int,
    order: Any,
    fronts: Any,
    memory: Any,
) -> int:
    """Order a graph by cutting it again and again where it is thin.

    Parameters
    ----------
    starts, neighbors : (n_nodes + 1,), (n,) int arrays
        Symmetric graph.
    weights : (n_nodes,) int array
        Unknowns of each node.
    keys : (n_axes, n_nodes) array
        Places along axes that planes are normal to; the last axis only serves where
        the others do not part the nodes.
    leaf_weight : int
        Domains up to this weight stay whole.
    order : (n_nodes,) int array
        Receives the nodes in the order of elimination.
    fronts : (3, n_nodes) int array
        Receives the first place, the place behind the last and the parent of each
        front, parents before their children.
    memory : (6, n_nodes + 1) int array
        Work space.

    Returns
    -------
    int
        Number of fronts.

    References
    ----------
    George 1973.
    """
    n = order.size
    position, bins, kinds, copy = memory[0], memory[1], memory[2], memory[3]
    stack = np.empty((n + 1, 3), dtype=np.int64)
    sums = np.zeros((3, N_BINS + 1), dtype=np.int64)
    for i in range(n):
        order[i] = i
        position[i] = i
    graph = (starts, neighbors)
    n_fronts = 0
    depth = 0
    if n > 0:
        stack[0, 0], stack[0, 1], stack[0, 2] = 0, n, -1
        depth = 1
    while depth > 0:
        depth -= 1
        first, end, parent = stack[depth, 0], stack[depth, 1], stack[depth, 2]
        domain = (order, position, first, end)
        total = 0
        for k in range(first, end):
            total += weights[order[k]]
        best, plane, side, best_axis = np.inf, -1, LEFT, -1
        n_axes = keys.shape[0]
        if total > leaf_weight:
            for axis in range(n_axes):
                if axis == n_axes - 1 and best_axis >= 0:
                    break
                if not set_bins(domain, keys[axis], bins):
                    continue
                weigh_planes(domain, graph, weights, bins, sums)
                score, c, s = best_plane(sums, total)
                if score < best:
                    best, plane, side, best_axis = score, c, s, axis
        middle, border = first, first
        if best_axis >= 0:
            set_bins(domain, keys[best_axis], bins)
            middle, border = divide(domain, graph, (plane, side), bins, (kinds, copy))
        if border < end:
            fronts[FIRST, n_fronts] = border
            fronts[END, n_fronts] = end
            fronts[PARENT, n_fronts] = parent
            parent = n_fronts
            n_fronts += 1
        if middle > first:
            stack[depth, 0], stack[depth, 1], stack[depth, 2] = first, middle, parent
            depth += 1
        if border > middle:
            stack[depth, 0], stack[depth, 1], stack[depth, 2] = middle, border, parent
            depth += 1
    return n_fronts


@kernel
def find_boundaries(
    graph: Any, tree: Any, order: Any, position: Any, found: Any, rows: Any, marks: Any
) -> int:
    """Places that each front couples with, beyond its own; in any order.

    Parameters
    ----------
    graph : tuple
        Starts and neighbors.
    tree : (3, n_fronts) int array
        First place, place behind the last and parent; children before their parents.
    order, position : (n_nodes,) int arrays
    found : (n_fronts + 1,) int array
        Receives the start of each boundary.
    rows : (n,) int array
        Receives the boundaries.
    marks : (3, n_nodes) int array
        Work space.

    Returns
    -------
    int
        Number of fronts done; fewer where ``rows`` is too small.
    """
    starts, neighbors = graph
    n_fronts = tree.shape[1]
    n = order.size
    seen, youngest, next_sibling = marks[0], marks[1], marks[2]
    for i in range(n):
        seen[i] = -1
        youngest[i] = -1
    found[0] = 0
    at = 0
    for f in range(n_fronts):
        if at + n > rows.size:
            return f
        end = tree[END, f]
        for k in range(tree[FIRST, f], end):
            node = order[k]
            for p in range(starts[node], starts[node + 1]):
                place = position[neighbors[p]]
                if place >= end and seen[place] != f:
                    seen[place] = f
                    rows[at] = place
                    at += 1
        child = youngest[f]
        while child >= 0:
            for p in range(found[child], found[child + 1]):
                place = rows[p]
                if place >= end and seen[place] != f:
                    seen[place] = f
                    rows[at] = place
                    at += 1
            child = next_sibling[child]
        found[f + 1] = at
        parent = tree[PARENT, f]
        if parent >= 0:
            next_sibling[f] = youngest[parent]
            youngest[parent] = f
    return n_fronts


@kernel
def attach(starts: Any, neighbors: Any, n_frames: int, owners: Any, room: Any) -> None:
    """Give each multiplier to a frame that it acts on, the one with the most room.

    Parameters
    ----------
    starts, neighbors : (n_multipliers + 1,), (n,) int arrays
        Frames that each multiplier acts on.
    n_frames : int
        Number of the first multiplier that nothing takes.
    owners : (n_multipliers,) int array
        Receives the frame.
    room : (n_frames,) int array
        Unknowns of each frame, less the multipliers that it has.
    """
    for k in range(owners.size):
        best = n_frames + k
        for p in range(starts[k], starts[k + 1]):
            frame = neighbors[p]
            if best >= n_frames or room[frame] > room[best]:
                best = frame
        owners[k] = best
        if best < n_frames:
            room[best] -= 1
