"""What is asked about states of a tree, as arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..elements.base import Array
from ..lie import quaternion
from ..system import PLACE_ROW
from ._tree_answers import Answers, Questions
from .tree_coordinates import TreeMotion, TreeState
from .tree_problem import loop_kinds, measured_gaps


def new_answers(tree: Any, n: int) -> Answers:
    """Empty answers about ``n`` states."""
    structure, frames = tree.structure, len(tree.system.state.poses)
    k, n_bodies = structure.n_coordinates, structure.n_bodies
    shapes = (
        (k,),
        (k,),
        (structure.n_driven,),
        (n_bodies, 6),
        (tree.loop_multipliers.size,),
        (frames, 7),
        (frames, 6),
        (frames, 6),
    )
    return Answers(*(np.zeros((n, *shape)) for shape in shapes))


def set_loads(
    tree: Any, asked: Questions, wrenches: Mapping[str, Sequence[float]]
) -> None:
    """Wrenches at named points, world axes, as wrenches on bodies."""
    for name, wrench in wrenches.items():
        body, offset = tree.point(name)
        frame = tree.problem.tree.frames[body]
        arm = offset[:3]
        for i in range(asked.times.size):
            tree.place(TreeState(asked.frames[i], asked.rates[i], asked.times[i]))
            turn = quaternion.conjugate(tree.problem.motion.poses[frame, 3:])
            local = quaternion.rotate(turn, np.reshape(wrench, (2, 3)))
            local[1] += np.cross(arm, local[0])
            asked.loads[i, body] += local.reshape(-1)


def rows_of(values: Array, n: int, shape: tuple[int, ...]) -> Array:
    """(n, *shape) array: one row a state, repeated where one is given for all."""
    array = np.asarray(values, dtype=float)
    if array.shape == shape:
        array = np.broadcast_to(array, (n, *shape))
    return np.ascontiguousarray(array.reshape(n, *shape))


def largest_contradiction(tree: Any, state: TreeState, motion: TreeMotion) -> float:
    """Largest violation of a loop by accelerations, relative to their size.

    Parameters
    ----------
    tree : Tree
    state : TreeState
        One or many.
    motion : TreeMotion
        Its accelerations.

    Returns
    -------
    float
        Zero without loops.
    """
    problem, length = tree.problem, tree.system.size
    if not problem.gaps.size:
        return 0.0
    kinds = loop_kinds(tree.system, tree.structure, problem.whole.places)
    sizes = np.where(kinds == PLACE_ROW, length, 1.0)
    shape = np.shape(state.rates)[:-1]
    times = np.broadcast_to(np.asarray(state.time, dtype=float), shape)
    largest = 0.0
    for i in np.ndindex(shape):
        one = TreeState(state.frames[i], state.rates[i], float(times[i]), state.history)
        tree.place(one)
        problem.motion.accelerations[:] = motion.accelerations[i]
        gap = np.abs(measured_gaps(tree.reduced, problem, 2) / sizes).max()
        scale = np.abs(motion.accelerations[i] / np.repeat([length, 1.0], 3)).max()
        largest = max(largest, float(gap / scale) if scale > 0.0 else 0.0)
    return largest
