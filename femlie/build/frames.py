"""Frames: which one carries each node, and where it starts."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..elements.base import Array, IntArray
from ..errors import ModelError
from ..parts.structure import ModalBody, PointMass, RigidLink, UserElement
from .bodies import RigidBody
from .places import Places


def make_frames(
    places: Places, bodies: dict[str, RigidBody], preferred: dict[int, Array]
) -> None:
    """One frame for each rigidly tied set of nodes; row 0 is the ground.

    ``preferred``: node -> (4, 4) frame that its support wants (place and axes).
    """
    n = len(places.positions)
    is_carried = np.zeros(n, dtype=bool)
    for beam in places.framed_beams.values():
        is_carried[beam.nodes.reshape(-1)] = True
    tied = list(_tied_by_bodies(places, bodies))
    for nodes in (*tied, *_lone_nodes(places)):
        is_carried[nodes] = True
    roots = _roots(n, [*tied, *_linked(places)])
    carried_roots = np.unique(roots[is_carried])
    numbers = np.full(n, -1, dtype=np.int64)
    numbers[carried_roots] = 1 + np.arange(carried_roots.size)
    places.node_frames = numbers[roots]
    places.frames = _frame_poses(places, bodies, preferred)


def _roots(n: int, ties: list[IntArray]) -> IntArray:
    """(n,) one node for each set of nodes that ties join, directly or by others."""
    parent = np.arange(n)

    def root(i: int) -> int:
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = int(parent[i])
        return i

    for nodes in ties:
        first = root(int(nodes[0]))
        for node in nodes[1:].tolist():
            parent[root(node)] = first
    return np.array([root(i) for i in range(n)], dtype=np.int64)


def _tied_by_bodies(places: Places, bodies: dict[str, RigidBody]) -> Iterator[IntArray]:
    for name, body in bodies.items():
        node = np.array([places.body_nodes[name]])
        if body.part.at is None:
            yield node
        else:
            tied = places.nodes_at(body.part, user=f"Body '{name}'")
            yield np.concatenate([node, tied])


def _linked(places: Places) -> Iterator[IntArray]:
    """Nodes that rigid links tie together."""
    for part in places.parts.values():
        if not isinstance(part, RigidLink):
            continue
        user = f"Rigid link '{part.name}'"
        names = (part.at,) if isinstance(part.at, str) else part.at
        nodes = np.concatenate([places.nodes(name, user=user) for name in names])
        if np.unique(nodes).size < 2:
            raise ModelError(f"{user} has one node only: name at least two nodes.")
        yield nodes


def _lone_nodes(places: Places) -> Iterator[IntArray]:
    """Nodes that point masses, users' elements and modal bodies sit on."""
    for part in places.parts.values():
        if isinstance(part, ModalBody):
            user = f"Modal body '{part.name}'"
            yield from (places.nodes(name, user=user) for name in part.interfaces)
        elif isinstance(part, PointMass):
            yield places.nodes_at(part, user=f"Point mass '{part.name}'")
        elif isinstance(part, UserElement):
            user = f"User element '{part.name}'"
            groups = [places.nodes(name, user=user) for name in part.at]
            _refuse_one_node_twice(groups, places, user=user)
            yield from groups


def _refuse_one_node_twice(
    groups: list[IntArray], places: Places, *, user: str
) -> None:
    """Refuse an element between a node and itself; other sizes are refused later."""
    if len({group.size for group in groups}) > 1:
        return
    for nodes in np.stack(groups, axis=1):
        found, counts = np.unique(nodes, return_counts=True)
        if counts.max() > 1:
            label = places.labels[int(found[np.argmax(counts)])]
            raise ModelError(
                f"{user} has {label} twice in one element: name different nodes."
            )


def _frame_poses(
    places: Places, bodies: dict[str, RigidBody], preferred: dict[int, Array]
) -> Array:
    """Where frames start: as supports want, else like a beam's end, else a body."""
    node_frames = places.node_frames
    frames = np.tile(np.eye(4), (int(node_frames.max(initial=0)) + 1, 1, 1))
    rank = np.zeros(frames.shape[0], dtype=np.int64)
    nodes = np.flatnonzero(node_frames > 0)[::-1]
    frames[node_frames[nodes], :3, 3] = places.positions[nodes]
    for name, body in bodies.items():
        frame = node_frames[places.body_nodes[name]]
        frames[frame] = body.frame
        rank[frame] = 1
    for beam in places.framed_beams.values():
        ends = beam.ends.reshape(-1, 4, 4)[::-1]
        of_end = node_frames[beam.nodes.reshape(-1)][::-1]
        free = rank[of_end] == 0
        # the first element at a node decides: written last
        frames[of_end[free]] = ends[free]
        rank[of_end[free]] = 1
    for node, frame in preferred.items():
        number = node_frames[node]
        if number > 0 and rank[number] < 2:
            frames[number] = frame
            rank[number] = 2
    return frames
