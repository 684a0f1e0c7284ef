"""Names, nodes and frames: which frame carries each node of the mesh and each body."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..elements.base import Array, IntArray
from ..errors import ModelError, suggestion
from ..lie import se3, so3
from ..mesh import Mesh
from ..mesh.mesh import in_order
from ..parts.connections import GROUND, EndRelease
from ..parts.structure import (
    Beam,
    Body,
    ModalBody,
    PointMass,
    RigidLink,
    UserElement,
)
from .beams import BeamElements
from .bodies import RigidBody


@dataclass
class Places:
    """Nodes (of the mesh, then of bodies and released ends) and their frames.

    ``positions`` (n, 3); ``owners`` (n,) what the node is for messages;
    ``body_nodes`` body name -> node; ``node_frames`` (n,); ``frames`` (n_frames, 4, 4);
    ``clones`` (node, name of the release) -> node of the released end; ``beams`` name
    -> elements; ``inner`` node -> modal body that it lies in.
    """

    mesh: Mesh | None
    parts: dict[str, Any]
    positions: Array
    labels: list[str]
    body_nodes: dict[str, int]
    beams: dict[str, BeamElements] = field(default_factory=dict)
    clones: dict[tuple[int, str], int] = field(default_factory=dict)
    node_frames: IntArray = field(default_factory=lambda: np.zeros(0, np.int64))
    frames: Array = field(default_factory=lambda: np.zeros((0, 4, 4)))
    inner: dict[int, str] = field(default_factory=dict)

    def nodes(self, name: str, *, user: str) -> IntArray:
        """Nodes of a part or of a group of the mesh.

        Raises
        ------
        ModelError
            Unknown or ambiguous names, empty groups.
        """
        of_part = self._nodes_of_part(name)
        of_group = self._nodes_of_group(name, user=user)
        if of_part is None and of_group is None:
            known = [n for n in self.parts if self._nodes_of_part(n) is not None]
            groups = [] if self.mesh is None else self.mesh.group_names
            raise ModelError(
                f"{user} refers to '{name}', which is neither a part with nodes nor a "
                f"group of the mesh. {suggestion(name, known + groups)}"
            )
        if of_part is None:
            return of_group  # type: ignore[return-value]
        if of_group is not None and not self._is_same(name, of_part, of_group):
            raise ModelError(
                f"{user} refers to '{name}', which is a part and a group of the mesh "
                "with other nodes: rename one of them."
            )
        return of_part

    def node(self, name: str, *, user: str) -> int:
        """The one node that a name stands for."""
        nodes = self.nodes(name, user=user)
        if nodes.size != 1:
            raise ModelError(
                f"{user} needs one node, but '{name}' has {nodes.size}: name a group "
                "of one node, or tie them by a body."
            )
        return int(nodes[0])

    def frame_of(self, name: str, *, user: str) -> tuple[int, Array]:
        """Frame number of ground, a node or a body, and its (4, 4) frame."""
        if name == GROUND:
            return 0, np.eye(4)
        node = self.node(name, user=user)
        frame = int(self.node_frames[node])
        if frame < 0:
            raise ModelError(f"{user} refers to '{name}': {self._why_lost(node)}")
        return frame, self.frames[frame]

    def carried(self, name: str, *, user: str) -> IntArray:
        """Nodes of a name, all of which must belong to a frame."""
        return self._checked(self.nodes(name, user=user), name, user)

    def moving(self, name: str, *, user: str) -> IntArray:
        """As `carried`; of several nodes without those inside modal bodies."""
        nodes = self.nodes(name, user=user)
        own = np.array([node for node in nodes.tolist() if node not in self.inner])
        if own.size:
            nodes = own.astype(np.int64)
        return self._checked(nodes, name, user)

    def _checked(self, nodes: IntArray, name: str, user: str) -> IntArray:
        lost = nodes[self.node_frames[nodes] < 0]
        if lost.size:
            why = self._why_lost(int(lost[0]))
            raise ModelError(f"{user} refers to '{name}': {why}")
        return nodes

    def _why_lost(self, node: int) -> str:
        """Why a node has no frame."""
        if node in self.inner:
            body = self.inner[node]
            return (
                f"{self.labels[node]} lies inside modal body '{body}' and has no frame "
                f"of its own: name it in interfaces of '{body}'."
            )
        return (
            f"{self.labels[node]} belongs to no beam, body or point mass, so nothing "
            "there can move or carry a load."
        )

    def node_poses(self, nodes: IntArray) -> Array:
        """(n, 4, 4) frames of nodes with world axes."""
        poses = np.tile(np.eye(4), (len(nodes), 1, 1))
        poses[:, :3, 3] = self.positions[nodes]
        return poses

    def _nodes_of_group(self, name: str, *, user: str) -> IntArray | None:
        """Nodes of a group of the mesh, None where there is none."""
        mesh = self.mesh
        if mesh is None or name not in {**mesh.node_groups, **mesh.line_groups}:
            return None
        if mesh.is_ambiguous(name):
            raise ModelError(
                f"{user} refers to '{name}', which the mesh uses for a group of nodes "
                "and for a group of lines with other nodes: rename one of them."
            )
        return np.asarray(mesh.nodes(name), dtype=np.int64)

    def _nodes_of_part(self, name: str) -> IntArray | None:
        """Nodes of a part, None where it has none: released ends for a beam."""
        part = self.parts.get(name)
        if isinstance(part, Body):
            return np.array([self.body_nodes[name]], dtype=np.int64)
        if isinstance(part, Beam) and name in self.beams:
            return in_order(self.beams[name].nodes)
        if isinstance(part, ModalBody):
            own = [self.beams[beam].nodes for beam in part.beams if beam in self.beams]
            return np.unique(np.concatenate([np.zeros((0, 2), np.int64), *own]))
        if isinstance(part, PointMass):
            of_group = self._nodes_of_group(part.at, user=f"Point mass '{name}'")
            if part.at == name or of_group is not None:
                return of_group
            return self._nodes_of_part(part.at)
        return None

    def _is_same(self, name: str, of_part: IntArray, of_group: IntArray) -> bool:
        """Whether a part and a group of one name mean the same nodes of the mesh."""
        part = self.parts[name]
        if isinstance(part, Body):
            # it ties them
            return part.at == name
        origin = {clone: node for (node, _), clone in self.clones.items()}
        own = {origin.get(node, node) for node in of_part.tolist()}
        return own == set(of_group.tolist())


def make_places(
    mesh: Mesh | None, parts: dict[str, Any], bodies: dict[str, RigidBody]
) -> Places:
    """Nodes of the mesh, then one for each body."""
    points = np.zeros((0, 3)) if mesh is None else np.asarray(mesh.points)
    labels = [] if mesh is None else [mesh.node_label(i) for i in range(len(points))]
    body_nodes = {}
    extra: list[Array] = []
    for name, body in bodies.items():
        body_nodes[name] = len(points) + len(extra)
        extra.append(body.frame[:3, 3])
        labels.append(f"body '{name}'")
    positions = np.vstack([points, np.array(extra).reshape(-1, 3)])
    return Places(mesh, parts, positions, labels, body_nodes)


def release_ends(places: Places, beams: dict[str, BeamElements]) -> None:
    """Give released ends of beams a node of their own, and use it in the elements."""
    for part in places.parts.values():
        if not isinstance(part, EndRelease):
            continue
        user = f"End release '{part.name}'"
        if part.beam not in beams:
            raise ModelError(
                f"{user} refers to beam '{part.beam}', which does not exist. "
                f"{suggestion(part.beam, beams, what='beams')}"
            )
        beam = beams[part.beam]
        nodes = beam.nodes.copy()
        for node in places.nodes(part.at, user=user).tolist():
            at = nodes == node
            if not np.any(at):
                raise ModelError(
                    f"{user}: beam '{part.beam}' has no element at "
                    f"{places.labels[node]} of '{part.at}'."
                )
            clone = len(places.positions)
            places.positions = np.vstack([places.positions, places.positions[node]])
            places.labels.append(f"released end of '{part.beam}' at its node")
            places.clones[node, part.name] = clone
            nodes[at] = clone
        beam.nodes = nodes


def make_frames(
    places: Places,
    beams: dict[str, BeamElements],
    bodies: dict[str, RigidBody],
    preferred: dict[int, Array],
) -> None:
    """One frame for each rigidly tied set of nodes; row 0 is the ground.

    ``preferred``: node -> (4, 4) frame that its support wants (place and axes).
    """
    n = len(places.positions)
    parent = np.arange(n)

    def root(i: int) -> int:
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = int(parent[i])
        return i

    def tie(nodes: Any) -> None:
        first = root(int(nodes[0]))
        for node in nodes[1:]:
            parent[root(int(node))] = first

    is_carried = np.zeros(n, dtype=bool)
    for beam in beams.values():
        is_carried[beam.nodes.reshape(-1)] = True
    for name, body in bodies.items():
        node = places.body_nodes[name]
        is_carried[node] = True
        if body.part.at is not None:
            nodes = places.nodes(body.part.at, user=f"Body '{name}'")
            is_carried[nodes] = True
            tie([node, *nodes.tolist()])
    for part in places.parts.values():
        for nodes in _nodes_with_frames(part, places):
            is_carried[nodes] = True
        if isinstance(part, RigidLink):
            names = (part.at,) if isinstance(part.at, str) else part.at
            user = f"Rigid link '{part.name}'"
            nodes = np.concatenate([places.nodes(name, user=user) for name in names])
            if np.unique(nodes).size < 2:
                raise ModelError(f"{user} has one node only: name at least two nodes.")
            tie(nodes.tolist())
    roots = np.array([root(i) for i in range(n)], dtype=np.int64)
    carried_roots = np.unique(roots[is_carried])
    numbers = np.full(n, -1, dtype=np.int64)
    numbers[carried_roots] = 1 + np.arange(carried_roots.size)
    places.node_frames = numbers[roots]
    places.frames = _frame_poses(places, beams, bodies, preferred)


def _nodes_with_frames(part: Any, places: Places) -> list[IntArray]:
    """Nodes that need frames for a part that is no beam or body."""
    names: tuple[str, ...] = ()
    user = ""
    if isinstance(part, ModalBody):
        names, user = part.interfaces, f"Modal body '{part.name}'"
    elif isinstance(part, PointMass):
        names, user = (part.at,), f"Point mass '{part.name}'"
    elif isinstance(part, UserElement):
        names, user = part.at, f"User element '{part.name}'"
    return [places.nodes(name, user=user) for name in names]


def _frame_poses(
    places: Places,
    beams: dict[str, BeamElements],
    bodies: dict[str, RigidBody],
    preferred: dict[int, Array],
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
    for beam in beams.values():
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


def frame_from_axes(position: Any, axis: Any, first: Any = None) -> Array:
    """(4, 4) frame at a place with its third axis along ``axis``.

    The first axis is ``first`` made perpendicular, else some axis across. Axes that are
    close to a world axis are exactly that axis.
    """
    third = np.asarray(axis, dtype=float)
    third = third / np.linalg.norm(third)
    if first is None:
        helper = np.eye(3)[int(np.argmin(np.abs(third)))]
        across = helper - (helper @ third) * third
    else:
        across = np.asarray(first, dtype=float)
        across = across - (across @ third) * third
    across = across / np.linalg.norm(across)
    frame = np.eye(4)
    frame[:3, :3] = np.column_stack([across, np.cross(third, across), third])
    frame[:3, 3] = position
    return frame


def pose_in(frame: Array, other: Array) -> Array:
    """Pose (7,) of ``other`` in ``frame``."""
    pose: Array = se3.pose_from_frame(se3.inverse(frame) @ other)
    return pose


def rotation_of(vector: Any) -> Array:
    """Rotation matrix of a rotation vector."""
    matrix: Array = so3.exp(np.asarray(vector, dtype=float))
    return matrix
