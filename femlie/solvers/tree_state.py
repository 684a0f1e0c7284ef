"""From frames and velocities to relative coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from .._equations import update_signals
from ..assembly import Assembly
from ..elements.base import Array, IntArray
from ..lie import se3
from ..recursive._data import N_FREE
from ..recursive._problem import Problem
from ..recursive.edges import ANGLE
from ..recursive.nearest import nearest_relative
from ..recursive.structure import Structure
from . import _tree_dynamics as dynamics
from .march import run
from .tree_coordinates import TreeState


def relative_rates(problem: Problem, structure: Structure, velocities: Array) -> Array:
    """Rates of the joints' coordinates nearest to given body-fixed velocities.

    Parameters
    ----------
    problem : Problem
        With its geometry at the present place.
    structure : Structure
    velocities : (n_frames, 6) array

    Returns
    -------
    (n_coordinates,) array
    """
    tree, geometry = problem.tree, problem.geometry
    n = structure.n_bodies
    frames = np.tile(np.eye(4), (n, 1, 1))
    frames[:, :3, :3] = geometry.rotations.reshape(-1, 3, 3)
    frames[:, :3, 3] = geometry.places
    carried = np.einsum(
        "bij,bj->bi", se3.adjoint(se3.inverse(frames)), velocities[tree.parent_frames]
    )
    twists = np.swapaxes(geometry.directions, 1, 2).copy()
    column = np.arange(6)[None, None, :]
    n_coordinates = np.array([len(e.directions) for e in structure.edges])
    twists[np.broadcast_to(column >= n_coordinates[:, None, None], twists.shape)] = 0.0
    rates = np.einsum(
        "bij,bj->bi", np.linalg.pinv(twists), velocities[tree.frames] - carried
    )
    is_free = np.arange(6)[None, :] < tree.kinds[:, N_FREE][:, None]
    return np.asarray(rates[is_free])


def take_state(
    problem: Problem, structure: Structure, reduced: Assembly, velocities: Array
) -> Array:
    """Relative state nearest to the frames that stand in ``problem.motion``.

    Parameters
    ----------
    problem : Problem
    structure : Structure
    reduced : Assembly
    velocities : (n_frames, 6) array

    Returns
    -------
    (n_bodies, 2) array
        Gaps that the joints had [m, rad].
    """
    motion = problem.motion
    run(reduced, update_signals, motion)
    relatives, gaps = nearest_relative(structure, motion.poses)
    problem.relative.frames[:] = relatives
    given = velocities.copy()
    dynamics.place_bodies(problem)
    problem.relative.rates[:] = relative_rates(problem, structure, given)
    dynamics.place_bodies(problem)
    return gaps


def place_history(
    reduced: Assembly, places: IntArray, history: Sequence[Array]
) -> None:
    """Put the model's history where the reduced equations keep theirs.

    Parameters
    ----------
    reduced : Assembly
    places : (n,) int array
        See `recursive.reduction.history_places`.
    history : sequence of arrays
        One a block of the model.
    """
    flat = np.concatenate([np.zeros(0), *(np.ravel(values) for values in history)])
    kept = places >= 0
    reduced.equations.history[kept] = flat[places[kept]]


def counted(tree: Any, state: TreeState, step: Array) -> TreeState:
    """A moved state whose joints have counted the turns of the step.

    Parameters
    ----------
    tree : Tree
    state : TreeState
    step : (n_coordinates,) array; nothing is counted for several states

    Returns
    -------
    TreeState
    """
    if step.ndim > 1 or not state.history:
        return state
    history = [np.array(values) for values in state.history]
    k = 0
    for edge in tree.structure.edges:
        free = edge.directions[: edge.n_free]
        if edge.element is not None and ANGLE in free:
            block, element = edge.element
            history[block][element, :1] += step[k + free.index(ANGLE)]
        k += edge.n_free
    return replace(state, history=tuple(history))
