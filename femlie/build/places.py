"""Names and nodes: which nodes of the mesh, bodies and beams a name stands for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..elements.base import Array, IntArray
from ..errors import ModelError, suggestion
from ..lie import se3, so3
from ..mesh import Mesh
from ..mesh.mesh import each_once
from ..parts.connections import GROUND, EndRelease
from ..parts.structure import Beam, Body, ModalBody, PointMass
from .beams import BeamElements


@dataclass
class Places:
    """Nodes (of the mesh, then of bodies and released ends) and their frames.

    ``beams`` beam name -> its elements; ``positions`` (n, 3); ``labels`` (n,) what the
    node is for messages; ``body_nodes`` body name -> node; ``node_frames`` (n,);
    ``frames`` (n_frames, 4, 4); ``clones`` (node, release name) -> node of the released
    end. ``inner`` node -> modal body that it lies in; ``reduced`` names of the
    beams of modal bodies.
    """

    mesh: Mesh | None
    parts: dict[str, Any]
    beams: dict[str, BeamElements]
    positions: Array
    labels: list[str]
    body_nodes: dict[str, int] = field(default_factory=dict)
    clones: dict[tuple[int, str], int] = field(default_factory=dict)
    node_frames: IntArray = field(default_factory=lambda: np.zeros(0, np.int64))
    frames: Array = field(default_factory=lambda: np.zeros((0, 4, 4)))
    inner: dict[int, str] = field(default_factory=dict)
    reduced: set[str] = field(default_factory=set)

    @property
    def framed_beams(self) -> dict[str, BeamElements]:
        """Beams whose nodes have frames: those of modal bodies have not."""
        return {k: beam for k, beam in self.beams.items() if k not in self.reduced}

    def add_node(self, position: Any, label: str) -> int:
        """Number of a new node behind those that exist."""
        self.positions = np.vstack([self.positions, position])
        self.labels.append(label)
        return len(self.positions) - 1

    def nodes(self, name: str, *, user: str) -> IntArray:
        """Nodes of a part or of a group of the mesh, each once.

        Raises
        ------
        ModelError
            Unknown or ambiguous names, empty groups.
        """
        own = self._nodes_of_part(name)
        if own is None:
            return self.group(name, user=user)
        if self._clashes(name, own):
            raise ModelError(
                f"{user} refers to '{name}', which is a part and a group of the mesh "
                "with other nodes: rename one of them."
            )
        return own

    def nodes_at(self, part: Any, *, user: str) -> IntArray:
        """Nodes of ``part.at``; a part's own name there means the group of the mesh."""
        if part.at == part.name:
            return self.group(part.at, user=user)
        return self.nodes(part.at, user=user)

    def group(self, name: str, *, user: str) -> IntArray:
        """Nodes of a group of the mesh.

        Raises
        ------
        ModelError
            Unknown names, groups of nodes and of lines with other nodes.
        """
        groups = [] if self.mesh is None else self.mesh.group_names
        if self.mesh is None or name not in groups:
            parts = [n for n in self.parts if self._nodes_of_part(n) is not None]
            raise ModelError(
                f"{user} refers to '{name}', which is neither a part with nodes nor a "
                f"group of the mesh. {suggestion(name, parts + groups)}"
            )
        if self.mesh.is_ambiguous(name):
            raise ModelError(
                f"{user} refers to '{name}', which the mesh uses for a group of nodes "
                "and for a group of lines with other nodes: rename one of them."
            )
        return np.asarray(self.mesh.nodes(name), dtype=np.int64)

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
            if self._node_sets(GROUND):
                raise ModelError(
                    f"{user} refers to 'ground', which means the world, but the mesh "
                    "has a group of that name: rename the group."
                )
            return 0, np.eye(4)
        node = self.node(name, user=user)
        self._refuse_lost(np.array([node]), name, user=user)
        frame = int(self.node_frames[node])
        return frame, self.frames[frame]

    def carried(self, name: str, *, user: str) -> IntArray:
        """Nodes of a name, all of which must belong to a frame."""
        nodes = self.nodes(name, user=user)
        self._refuse_lost(nodes, name, user=user)
        return nodes

    def moving(self, name: str, *, user: str) -> IntArray:
        """As `carried`; of several nodes without those inside modal bodies."""
        nodes = self.nodes(name, user=user)
        own = np.array([k for k in nodes.tolist() if k not in self.inner], np.int64)
        nodes = own if own.size else nodes
        self._refuse_lost(nodes, name, user=user)
        return nodes

    def moving_with(self, name: str, *, user: str) -> IntArray:
        """Nodes of a name, and released ends of elements that lie within a group."""
        nodes = self.moving(name, user=user)
        if not self.clones or self._nodes_of_part(name) is not None:
            return nodes
        origins = self._origins()
        found = [nodes]
        for beam in self.beams.values():
            is_within = np.all(np.isin(origins[beam.nodes], nodes), axis=1)
            found.append(beam.nodes[is_within].reshape(-1))
        return each_once(np.concatenate(found))

    def refuse_elsewhere(self, name: str, nodes: IntArray, *, user: str) -> None:
        """Refuse a group of a part's name with nodes that move otherwise.

        ``nodes`` (k,): where the part is, though others cannot name them by it.
        """
        own = set(self.node_frames[nodes].tolist())
        for group in self._node_sets(name):
            if not set(self.node_frames[list(group)].tolist()) <= own:
                raise ModelError(
                    f"{user} has the name of a group of the mesh with other nodes, so "
                    "that results of that name could be either's: rename one of them."
                )

    def node_poses(self, nodes: IntArray) -> Array:
        """(n, 4, 4) frames of nodes with world axes."""
        poses = np.tile(np.eye(4), (len(nodes), 1, 1))
        poses[:, :3, 3] = self.positions[nodes]
        return poses

    def _origins(self) -> IntArray:
        """(n,) node of the mesh that each node was released from, or itself."""
        origins = np.arange(len(self.positions))
        for (node, _), clone in self.clones.items():
            origins[clone] = node
        return origins

    def _refuse_lost(self, nodes: IntArray, name: str, *, user: str) -> None:
        lost = nodes[self.node_frames[nodes] < 0]
        if not lost.size:
            return
        label = self.labels[int(lost[0])]
        body = self.inner.get(int(lost[0]))
        why = (
            "belongs to no beam, body or point mass, so nothing there can move or "
            "carry a load."
        )
        if body is not None:
            why = (
                f"lies inside modal body '{body}' and has no frame of its own: name it "
                f"in interfaces of '{body}'."
            )
        release = next((r for n, r in self.clones if n == int(lost[0])), None)
        if body is None and release is not None:
            why = (
                f"holds nothing but ends of beams that '{release}' takes off it: leave "
                "the release out and hold the end by a support or joint with that "
                "freedom (such as PINNED), or put a body or point mass there."
            )
        raise ModelError(f"{user} refers to '{name}': {label} {why}")

    def _nodes_of_part(self, name: str) -> IntArray | None:
        """Nodes of a part, None where no part with nodes has that name.

        Those of a beam are the ends of its elements, released ones included.
        """
        seen: set[str] = set()
        part = self.parts.get(name)
        # a point mass may sit on another part, or have the name of its group
        while isinstance(part, PointMass) and name not in seen:
            seen.add(name)
            name = part.at
            part = self.parts.get(name)
        if isinstance(part, Body) and name in self.body_nodes:
            return np.array([self.body_nodes[name]], dtype=np.int64)
        if isinstance(part, Beam) and name in self.beams:
            return each_once(self.beams[name].nodes.reshape(-1))
        if isinstance(part, ModalBody):
            own = [self.beams[beam].nodes for beam in part.beams if beam in self.beams]
            return np.unique(np.concatenate([np.zeros((0, 2), np.int64), *own]))
        if not seen or self.mesh is None or not self._node_sets(name):
            return None
        return np.asarray(self.mesh.nodes(name), dtype=np.int64)

    def _node_sets(self, name: str) -> list[set[int]]:
        """Nodes of the groups of nodes and of lines that have a name."""
        if self.mesh is None:
            return []
        found = []
        if name in self.mesh.node_groups:
            found.append(set(self.mesh.node_groups[name].tolist()))
        if name in self.mesh.line_groups:
            found.append(set(self.mesh.nodes_of_lines(name).tolist()))
        return found

    def _clashes(self, name: str, own: IntArray) -> bool:
        """Whether a group of a part's name has nodes that are not the part's."""
        groups = self._node_sets(name)
        part = self.parts[name]
        if not groups:
            return False
        if isinstance(part, Body):
            # a body may have the name of what it ties, and means itself
            is_tied = part.at is not None
            tied = self.nodes_at(part, user=f"Body '{name}'") if is_tied else own
            return not all(nodes <= set(tied.tolist()) for nodes in groups)
        # a beam with released ends still lies on the nodes that it was released from
        meshed = set(self._origins()[own].tolist())
        return not all(nodes == meshed for nodes in groups)


def make_places(
    mesh: Mesh | None, parts: dict[str, Any], beams: dict[str, BeamElements]
) -> Places:
    """Nodes of the mesh."""
    points = np.zeros((0, 3)) if mesh is None else np.asarray(mesh.points)
    labels = [] if mesh is None else [mesh.node_label(i) for i in range(len(points))]
    return Places(mesh, parts, beams, points, labels)


def release_ends(places: Places) -> None:
    """Give released ends of beams a node of their own, and use it in the elements."""
    beams = places.framed_beams
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
            label = f"the released end of '{part.beam}' at {places.labels[node]}"
            clone = places.add_node(places.positions[node], label)
            places.clones[node, part.name] = clone
            nodes[at] = clone
        beam.nodes = nodes


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
