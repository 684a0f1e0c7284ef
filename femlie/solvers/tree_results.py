"""States of a tree as states and results of the model, with all reactions."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..elements.base import Motion
from ..results import Results
from ..system import State
from . import _tree_dynamics as dynamics
from .march import NOW, Recorder, run
from .tree_coordinates import TreeMotion, TreeState


def _fill(tree: Any, state: TreeState, motion: TreeMotion) -> Motion:
    """One state with its accelerations and multipliers, in the arrays of the model."""
    tree.place(state)
    problem, whole = tree.problem, tree.motion
    m = problem.gaps.size
    whole.accelerations[:] = motion.accelerations
    whole.multipliers[:] = 0.0
    problem.multipliers[:] = motion.multipliers
    problem.motion.multipliers[:m] = motion.multipliers
    assembly, reduced = tree.assembly, tree.reduced.equations
    if state.history:
        flat = [np.ravel(values) for values in state.history]
        assembly.equations.history[:] = np.concatenate([np.zeros(0), *flat])
    run(assembly, dynamics.recover, whole, assembly.target, reduced, problem)
    return whole


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
    return tree.assembly.state(_fill(tree, state, motion))


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
        whole = _fill(tree, one, TreeMotion(*(values[i] for values in answers)))
        recorder.take(whole, np.zeros(NOW))
    return Results(
        layout=recorder.layout,
        records=recorder.finish(),
        summary={"analysis": "tree", "steps": n},
        warnings=(),
        analysis={"method": "tree"},
    )
