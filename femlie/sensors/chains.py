"""Elements of a beam one after another, whatever their order in the mesh."""

from __future__ import annotations

import numpy as np

from ..elements.base import IntArray


def along_chain(nodes: IntArray) -> tuple[IntArray, IntArray] | None:
    """Order of the elements of a chain, and which of them point against it.

    The chain runs as its first element in the mesh does; a ring begins there.

    Parameters
    ----------
    nodes : (n, 2) int array
        Nodes of each element.

    Returns
    -------
    tuple of (n,) arrays or None
        Numbers of the elements; 1 where an element is turned around, else 0. None for
        branches and for several pieces.
    """
    touching: dict[int, list[int]] = {}
    for element, pair in enumerate(nodes.tolist()):
        for node in pair:
            touching.setdefault(node, []).append(element)
    if any(len(elements) > 2 for elements in touching.values()):
        return None
    start = _first_node(nodes, touching)
    order, turned = [], []
    element, node = touching[start][0], start
    if start == nodes[0, 0]:
        element = 0
    seen: set[int] = set()
    while element not in seen:
        seen.add(element)
        is_turned = int(nodes[element, 0] != node)
        order.append(element)
        turned.append(is_turned)
        node = int(nodes[element, 1 - is_turned])
        onward = [k for k in touching[node] if k not in seen]
        if not onward:
            break
        element = onward[0]
    if len(order) < len(nodes):
        return None
    return np.array(order, dtype=np.int64), np.array(turned, dtype=np.int64)


def _first_node(nodes: IntArray, touching: dict[int, list[int]]) -> int:
    """Where the chain begins: back from the first element to an end."""
    element, node = 0, int(nodes[0, 0])
    while len(touching[node]) == 2:
        element = next(k for k in touching[node] if k != element)
        if element == 0:
            return int(nodes[0, 0])
        first, second = nodes[element].tolist()
        node = second if first == node else first
    return node
