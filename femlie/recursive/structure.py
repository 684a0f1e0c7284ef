"""The spanning tree of a model, and which joints close its loops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..elements.base import IntArray
from ..errors import ModelError, suggestion
from ..lie import se3
from ..system import System
from ._data import (
    IS_LAST_CHILD,
    IS_LEAF,
    N_KINDS,
    SEPARATE,
    SUBGROUP,
    Factors,
    Geometry,
    Relative,
    Tree,
)
from .edges import Edge, free_edge, joint_edges, stars_of, support_edges


@dataclass(frozen=True)
class Structure:
    """A model as a tree.

    Attributes
    ----------
    tree : Tree
        Arrays for kernels.
    edges : tuple of Edge
        Branch that leads to each body, in the order of the tree.
    cut_joints : tuple of (block, element)
        Elements with constraints that close loops, joints and others.
    cut_locks : tuple of Edge
        Supports that close loops.
    names : tuple of str
        Joint of each free coordinate.
    n_driven : int
    cliques : tuple of (k,) int arrays
        Bodies that all share inertia with each other, in ascending order.
    """

    tree: Tree
    edges: tuple[Edge, ...]
    cut_joints: tuple[tuple[int, int], ...]
    cut_locks: tuple[Edge, ...]
    names: tuple[str, ...]
    n_driven: int
    cliques: tuple[IntArray, ...] = ()

    @property
    def ties(self) -> IntArray:
        """(n_ties, 2) earlier and later body that share inertia, and no branch."""
        parents = self.tree.parents
        pairs = [
            (int(early), int(late))
            for clique in self.cliques
            for late in clique
            for early in clique
            if early < late and parents[late] != early
        ]
        found = np.array(pairs, dtype=np.int64).reshape(-1, 2)
        return found[np.argsort(found[:, 1], kind="stable")]

    @property
    def n_bodies(self) -> int:
        return len(self.edges)

    @property
    def n_coordinates(self) -> int:
        """Free coordinates: entries of all vectors of rates and forces."""
        return len(self.names)


class _Forest:
    """Sets of frames that edges have joined."""

    def __init__(self, is_ground: IntArray) -> None:
        self.root = np.where(is_ground, 0, np.arange(is_ground.size))

    def find(self, frame: int) -> int:
        while self.root[frame] != frame:
            self.root[frame] = self.root[self.root[frame]]
            frame = int(self.root[frame])
        return frame

    def join(self, first: int, second: int) -> bool:
        a, b = self.find(first), self.find(second)
        if a == b:
            return False
        self.root[max(a, b)] = min(a, b)
        return True


def spanning_tree(
    system: System,
    coupled: Sequence[tuple[int, int]],
    *,
    cliques: Sequence[IntArray] = (),
    cut: Sequence[str] = (),
) -> Structure:
    """Tree of a model, rooted at the ground.

    Parameters
    ----------
    system : System
    coupled : sequence of pairs of frames
        Frames that share inertia (beams): always neighbors in the tree.
    cliques : sequence of (k,) int arrays
        Frames of modal bodies, of which each shares inertia with each other: interfaces
        are next to the first of them that moves, amplitudes to the ground.
    cut : sequence of str
        Joints that are cut where they lie on a loop. Others are cut where they hold
        least.

    Returns
    -------
    Structure

    Raises
    ------
    ModelError
        If `cut` names no joint, or if beams make a ring without a joint.
    """
    edges = [*joint_edges(system), *support_edges(system)]
    is_ground = np.all(system.dofs.numbers < 0, axis=1)
    forest = _Forest(is_ground)
    chosen = []
    stars = stars_of(cliques, system)
    _check_names(cut, edges, [*coupled, *stars], is_ground)
    for pair in [*coupled, *stars]:
        if not forest.join(*pair):
            raise ModelError(
                "Beams or modal bodies make a ring that no joint interrupts, which a "
                "tree cannot follow: use formulation='absolute', or put a joint there."
            )
        chosen.append(free_edge(*pair))
    order = sorted(
        range(len(edges)), key=lambda k: (edges[k].name in cut, -edges[k].weight)
    )
    cut_locks = []
    for k in order:
        if forest.join(edges[k].parent, edges[k].child):
            chosen.append(edges[k])
        elif edges[k].lock is not None:
            cut_locks.append(edges[k])
    for frame in np.flatnonzero(~is_ground).tolist():
        if forest.join(0, frame):
            chosen.append(free_edge(0, frame))
    kept = {edge.element for edge in chosen}
    closing = [
        (b, k)
        for b, block in enumerate(system.blocks)
        if block.n_multipliers
        for k in range(block.n_elements)
        if (b, k) not in kept
    ]
    amplitudes = system.catalog.amplitude_frames
    ordered = _from_the_ground(chosen, is_ground)
    # amplitudes stand last: they are eliminated before the bodies that they share with
    ordered.sort(key=lambda entry: bool(np.isin(entry[0].child, amplitudes)))
    structure = _structure(ordered, is_ground, tuple(closing), tuple(cut_locks))
    return _with_cliques(structure, cliques)


def _with_cliques(structure: Structure, cliques: Sequence[IntArray]) -> Structure:
    """Bodies of the cliques, and where elimination begins with a body's own inertia.

    Nowhere if bodies are tied: elimination then changes some before their children.
    """
    tree = structure.tree
    bodies = [np.flatnonzero(np.isin(tree.frames, clique)) for clique in cliques]
    structure = replace(structure, cliques=tuple(bodies))
    if not len(structure.ties):
        tree.kinds[:, IS_LEAF] = 1
        for parent in set(tree.parents.tolist()) - {-1}:
            children = np.flatnonzero(tree.parents == parent)
            tree.kinds[parent, IS_LEAF] = 0
            tree.kinds[children[-1], IS_LAST_CHILD] = 1
    return structure


def _check_names(
    cut: Sequence[str],
    edges: Sequence[Edge],
    fixed: Sequence[tuple[int, int]],
    is_ground: IntArray,
) -> None:
    """Refuse joints to cut that do not exist or lie on no loop.

    ``fixed``: frames that are neighbors in any tree.
    """
    known = {edge.name for edge in edges if edge.element is not None}
    for name in cut:
        if name not in known:
            raise ModelError(
                f"cut names '{name}', which is no joint that a tree could cut. "
                f"{suggestion(name, known, what='joints')}"
            )
        forest = _Forest(is_ground)
        own = [edge for edge in edges if edge.name == name]
        others = [(e.parent, e.child) for e in edges if e.name != name]
        for pair in [*fixed, *others]:
            forest.join(*pair)
        if all(forest.join(edge.parent, edge.child) for edge in own):
            raise ModelError(
                f"cut names '{name}', which lies on no loop, so that there is nothing "
                "to cut: leave it out."
            )


def _from_the_ground(
    chosen: Sequence[Edge], is_ground: IntArray
) -> list[tuple[Edge, bool]]:
    """Edges in an order in which parents come first, and whether each is reversed."""
    at: dict[int, list[int]] = {}
    for k, edge in enumerate(chosen):
        for frame in (edge.parent, edge.child):
            at.setdefault(0 if is_ground[frame] else frame, []).append(k)
    done = np.zeros(len(chosen), dtype=bool)
    stack = [0]
    ordered = []
    while stack:
        frame = stack.pop()
        for k in at.get(frame, ()):
            if done[k]:
                continue
            done[k] = True
            edge = chosen[k]
            ends = [0 if is_ground[f] else f for f in (edge.parent, edge.child)]
            is_reversed = ends[1] == frame
            ordered.append((edge, is_reversed))
            stack.append(ends[0] if is_reversed else ends[1])
    return ordered


def _structure(
    ordered: Sequence[tuple[Edge, bool]],
    is_ground: IntArray,
    closing: tuple[tuple[int, int], ...],
    cut_locks: tuple[Edge, ...],
) -> Structure:
    n = len(ordered)
    tree = Tree(
        frames=np.zeros(n, np.int64),
        parents=np.full(n, -1, dtype=np.int64),
        parent_frames=np.zeros(n, np.int64),
        kinds=np.zeros((n, N_KINDS), np.int64),
        directions=np.zeros((n, 6), np.int64),
        axes=np.zeros((n, 6, 6)),
        node_axes=np.zeros((n, 6, 6)),
        parent_offsets=np.zeros((n, 7)),
        child_offsets=np.zeros((n, 7)),
        driven=np.zeros((0, 4), np.int64),
        driven_values=np.zeros((0, 2)),
    )
    body_of: dict[int, int] = {}
    driven: list[tuple[int, int, int, int]] = []
    values: list[tuple[float, float]] = []
    names: list[str] = []
    for b, (edge, is_reversed) in enumerate(ordered):
        ends = (edge.parent, edge.child)
        offsets = (edge.parent_offset, edge.child_offset)
        parent, child = ends[::-1] if is_reversed else ends
        tree.parent_offsets[b], tree.child_offsets[b] = (
            offsets[::-1] if is_reversed else offsets
        )
        tree.frames[b], tree.parent_frames[b] = child, parent
        tree.parents[b] = -1 if is_ground[parent] else body_of[parent]
        body_of[child] = b
        m = len(edge.directions)
        kinds = (edge.motion, is_reversed, m, edge.n_free, len(names),
                 _is_abelian(edge), len(driven), False, False,
                 _is_rotation(edge), _is_aligned(edge), _is_ball(edge))  # fmt: skip
        tree.kinds[b] = kinds
        tree.directions[b, :m] = edge.directions
        tree.axes[b, :m] = edge.axes
        offset = se3.frame_from_pose(edge.child_offset)
        tree.node_axes[b, :m] = edge.axes @ se3.adjoint(offset).T
        for c, row in enumerate(edge.driven):
            driven.append((b, edge.n_free + c, row.component, row.signal))
            values.append((row.value, row.amplitude))
        names += [edge.name] * edge.n_free
    tree = tree._replace(
        driven=np.array(driven, dtype=np.int64).reshape(-1, 4),
        driven_values=np.array(values, dtype=float).reshape(-1, 2),
    )
    edges = tuple(edge for edge, _ in ordered)
    return Structure(tree, edges, closing, cut_locks, tuple(names), len(driven))


def _is_abelian(edge: Edge) -> bool:
    if len(edge.directions) == 1 or edge.motion not in (SUBGROUP, SEPARATE):
        return True
    free = edge.directions[: edge.n_free]
    n_turns = sum(i >= 3 for i in free)
    if n_turns == 0:
        return True
    if edge.motion == SEPARATE:
        return n_turns == 1
    # a turn and the translation along it commute
    return n_turns == 1 and all(i >= 3 or i + 3 in free for i in free)


def _is_rotation(edge: Edge) -> bool:
    """Whether the relative frame has no place of its own, now and later."""
    is_turning = all(i >= 3 for i in edge.directions) and bool(edge.directions)
    return is_turning and not np.any(edge.axes[:, :3])


def _is_ball(edge: Edge) -> bool:
    return _is_rotation(edge) and edge.n_free == len(edge.directions) == 3


def _is_aligned(edge: Edge) -> bool:
    turns = (edge.parent_offset[4:], edge.child_offset[4:])
    return not np.any(turns)


def new_relative(structure: Structure) -> Relative:
    """Arrays of a state in relative coordinates."""
    n = structure.n_bodies
    frames = np.zeros((n, 7))
    frames[:, 3] = 1.0
    return Relative(
        frames, np.zeros(structure.n_coordinates), np.zeros((structure.n_driven, 2))
    )


def new_geometry(structure: Structure) -> Geometry:
    """Arrays that `_motion.set_motion` fills."""
    n = structure.n_bodies
    return Geometry(np.zeros((n, 9)), np.zeros((n, 3)), structure.tree.node_axes.copy())


def new_factors(structure: Structure) -> Factors:
    """Arrays of an elimination."""
    n = structure.n_bodies
    many = [np.zeros((n, 6, 6)) for _ in range(5)]
    ties = structure.ties
    own = [np.zeros((len(ties) + extra, 6, 6)) for extra in (0, 0, 1)]
    has_coupling = np.zeros(n, np.int64)
    for clique in structure.cliques:
        has_coupling[clique] = np.isin(structure.tree.parents[clique], clique)
    return Factors(
        inertias=many[0],
        couplings=many[1],
        has_coupling=has_coupling,
        tie_starts=np.searchsorted(ties[:, 1], np.arange(n + 1)).astype(np.int64),
        tie_bodies=np.ascontiguousarray(ties[:, 0]),
        ties=own[0],
        # without ties nothing is filled in
        filled_couplings=np.zeros((n, 6, 6)) if len(ties) else many[1],
        filled_ties=own[1],
        carried_ties=own[2],
        is_held=np.zeros(structure.n_coordinates, np.int64),
        articulated=many[2],
        pivots=many[3],
        carried=many[4],
        steps=np.zeros(structure.n_coordinates),
    )
