"""From one state of a tree to another: steps of its coordinates, and back."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..elements.base import Array
from ..lie import quaternion, se3
from ..recursive._data import SEPARATE, SUBGROUP
from ..recursive._problem import MOVE, STEPS, Problem, do
from ..recursive.edges import Edge
from ..recursive.nearest import universal_angles
from ..recursive.structure import Structure
from .tree_coordinates import TreeState


def moved_state(
    problem: Problem, state: TreeState, step: Array | None, rates: Array
) -> TreeState:
    """A state with its coordinates moved by one step, or one for each of many states.

    Parameters
    ----------
    problem : Problem
    state : TreeState
        One, or as many as steps.
    step : (..., n_coordinates) array or None
    rates : (..., n_coordinates) array

    Returns
    -------
    TreeState
    """
    frames = np.asarray(state.frames, dtype=float)
    shape = np.broadcast_shapes(
        np.shape(rates)[:-1], frames.shape[:-2], () if step is None else step.shape[:-1]
    )
    frames = np.broadcast_to(frames, (*shape, *frames.shape[-2:])).copy()
    if step is not None:
        steps = np.broadcast_to(step, (*shape, step.shape[-1]))
        for index in np.ndindex(shape):
            problem.steps[:] = steps[index]
            problem.bases[:] = frames[index]
            do(problem, STEPS, MOVE)
            frames[index] = problem.relative.frames
    rates = np.broadcast_to(rates, (*shape, np.shape(rates)[-1])).copy()
    return replace(state, frames=frames, rates=rates)


def step_between(structure: Structure, first: Array, second: Array) -> Array:
    """Steps of the free coordinates that lead from relative frames to others.

    Parameters
    ----------
    structure : Structure
    first, second : (..., n_bodies, 7) arrays

    Returns
    -------
    (..., n_coordinates) array
        Turns are no larger than pi, but for those of screws.
    """
    parts: list[Any] = [np.zeros((*second.shape[:-2], 0))]
    for b, edge in enumerate(structure.edges):
        parts.append(_step_of(edge, first[..., b, :], second[..., b, :]))
    return np.concatenate(parts, axis=-1)


def _step_of(edge: Edge, first: Array, second: Array) -> Array:
    if edge.motion == SUBGROUP:
        apart = se3.compose_poses(se3.inverse_pose(first), second)
        twist = se3.log(se3.frame_from_pose(apart))
    elif edge.motion == SEPARATE:
        turn = quaternion.multiply(
            quaternion.conjugate(first[..., 3:]), second[..., 3:]
        )
        ways = (second[..., :3] - first[..., :3], quaternion.log(turn))
        twist = np.concatenate(np.broadcast_arrays(*ways), axis=-1)
    else:
        turns = universal_angles(second[..., 3:]) - universal_angles(first[..., 3:])
        turns = (turns + np.pi) % (2.0 * np.pi) - np.pi
        twist = np.zeros((*turns.shape[:-1], 6))
        twist[..., 5], twist[..., 3] = turns[..., 0], turns[..., 1]
    axes = edge.axes[: edge.n_free]
    if edge.motion == SUBGROUP and len(axes) == 1 and np.all(axes[0, [2, 5]] != 0.0):
        # the place along a screw tells its turns
        return np.asarray(twist[..., 2:3] / axes[0, 2])
    return np.asarray(twist @ axes.T / np.sum(axes * axes, axis=1))


def point_frames(tree: Any, state: TreeState, name: str) -> Array:
    """Frames of a body or node at one state or at many.

    Parameters
    ----------
    tree : Tree
    state : TreeState
    name : str

    Returns
    -------
    (..., 4, 4) array
    """
    body, offset = tree.point(name)
    frame = int(tree.problem.tree.frames[body])
    shape = np.shape(state.rates)[:-1]
    times = np.broadcast_to(np.asarray(state.time, dtype=float), shape)
    poses = np.zeros((*shape, 7))
    for index in np.ndindex(shape):
        one = replace(
            state,
            frames=state.frames[index],
            rates=state.rates[index],
            time=float(times[index]),
        )
        tree.place(one)
        poses[index] = tree.problem.motion.poses[frame]
    return np.asarray(se3.frame_from_pose(se3.compose_poses(poses, offset)))
