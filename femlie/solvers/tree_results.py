"""States of a tree as states and results of the model, with all reactions."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..elements.base import Array, IntArray, Motion, Target
from ..results import Results
from ..system import State
from . import _tree_driver as driver
from ._tree_dynamics import Problem
from .march import Recorder
from .tree_coordinates import TreeMotion, TreeState
from .tree_problem import held_joints


class _Whole(NamedTuple):
    """What `recover` needs of the model."""

    equations: Any
    motion: Motion
    target: Target
    problem: Problem
    held: IntArray
    held_slots: IntArray
    places: IntArray
    normal: Array


def _whole(tree: Any) -> _Whole:
    assembly = tree.assembly
    held, slots = held_joints(assembly, tree.structure)
    motion = tree.problem.motion
    return _Whole(
        equations=assembly.equations,
        motion=motion._replace(
            multipliers=np.zeros(tree.system.dofs.n_multipliers),
        ),
        target=assembly.target,
        problem=tree.problem,
        held=held,
        held_slots=slots,
        places=tree.loop_multipliers,
        normal=np.zeros((6, 13)),
    )


def _fill(tree: Any, whole: _Whole, state: TreeState, motion: TreeMotion) -> None:
    """Put one state with its accelerations and multipliers into the arrays."""
    tree.place(state)
    m = tree.problem.gaps.size
    whole.motion.accelerations[:] = motion.accelerations
    tree.problem.multipliers[:] = motion.multipliers
    tree.problem.motion.multipliers[:m] = motion.multipliers
    driver.recover(whole)


def model_state(tree: Any, state: TreeState, motion: TreeMotion) -> State:
    """State of all frames, with the multipliers of all joints.

    Parameters
    ----------
    tree : Tree
    state : TreeState
        One state.
    motion : TreeMotion
        Its accelerations and forces.

    Returns
    -------
    State
    """
    whole = _whole(tree)
    _fill(tree, whole, state, motion)
    return tree.assembly.state(whole.motion)


def model_results(tree: Any, state: TreeState, motion: TreeMotion) -> Results:
    """Results of one state, or of many as rows: reactions, energies, pictures.

    Parameters
    ----------
    tree : Tree
    state : TreeState
    motion : TreeMotion

    Returns
    -------
    Results
        Forces along the coordinates that no part of the model stands for are not in
        the reactions: those are what joints hold.
    """
    whole = _whole(tree)
    shape = np.shape(state.rates)[:-1]
    n = int(np.prod(shape))
    recorder = Recorder(tree.assembly, capacity=max(n, 1) + 1)
    times = np.broadcast_to(np.asarray(state.time, dtype=float), shape).reshape(n)
    frames = state.frames.reshape(n, -1, 7)
    rates = state.rates.reshape(n, -1)
    answers = [
        np.reshape(values, (n, *np.shape(values)[len(shape) :]))
        for values in vars(motion).values()
    ]
    for i in range(n):
        one = TreeState(frames[i], rates[i], times[i], state.history)
        _fill(tree, whole, one, TreeMotion(*(values[i] for values in answers)))
        recorder.take(whole.motion, np.zeros(8))
    return Results(
        layout=recorder.layout,
        records=recorder.finish(),
        summary={"analysis": "tree", "steps": n},
        warnings=(),
        analysis={"method": "tree"},
    )
