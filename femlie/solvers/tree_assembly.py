"""Inverse kinematics and assembly: joint coordinates for wanted places.

Gauss-Newton steps with the damping of Levenberg and Marquardt: of all motions that do,
the one with the smallest step of the coordinates.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..elements.base import Array
from ..errors import ConvergenceError, ModelError
from ..lie import se3
from ..recursive import _matrices as kernels
from . import _tree_dynamics as dynamics
from .march import run
from .tree import Tree
from .tree_coordinates import TreeState
from .tree_problem import measured_gaps

MOST_STEPS = 200
# places are met when they are off by no more than this share of the model's size
TOLERANCE = 1e-12
# without progress for this many steps the wanted places are out of reach
PATIENCE = 12
LARGEST_STEP = 1.0


@dataclass(frozen=True)
class Assembled:
    """A mechanism put together.

    Attributes
    ----------
    state : TreeState
        Loops closed, rates consistent.
    gaps : dict of str -> float
        Joints that did not fit before, and by how much [m or rad].
    moved : float
        Largest way of a frame from where it was [m].
    """

    state: TreeState
    gaps: dict[str, float]
    moved: float


class _Wanted:
    """Residual and Jacobian of wanted places and of the loops."""

    def __init__(self, tree: Tree, targets: Mapping[str, Array]) -> None:
        self.tree = tree
        self.size = max(tree.system.size, 1e-300)
        self.targets = []
        for name, target in targets.items():
            body, offset = tree.point(name)
            self.targets.append((name, body, offset, target))

    def residual(self, state: TreeState) -> Array:
        """Loops, then wanted places; lengths over the model's size."""
        tree = self.tree
        tree.place(state)
        parts = [measured_gaps(tree.reduced, tree.problem, 0) / self.size]
        for _, body, offset, target in self.targets:
            frame = tree.problem.tree.frames[body]
            pose = se3.compose_poses(tree.problem.motion.poses[frame], offset)
            if target.shape == (3,):
                parts.append((pose[:3] - target) / self.size)
            else:
                apart = se3.inverse(target) @ se3.frame_from_pose(pose)
                twist = se3.log(apart)
                twist[:3] /= self.size
                parts.append(twist)
        return np.concatenate(parts)

    def jacobian(self, state: TreeState) -> Array:
        """Derivative of the residual by steps of the coordinates."""
        tree, problem = self.tree, self.tree.problem
        tree.place(state)
        k = tree.n_coordinates
        own = np.zeros((6, k))
        rows = []
        if problem.gaps.size:
            run(tree.reduced, dynamics.factor_inertia, problem, 0)
            loops = np.zeros((problem.gaps.size, k))
            closing = problem.closing
            for row in range(problem.gaps.size):
                entries = closing.entries[closing.starts[row] : closing.starts[row + 1]]
                for body in np.unique(entries[:, 0]).tolist():
                    kernels.jacobian(problem.tree, problem.geometry, body, own)
                    chosen = entries[entries[:, 0] == body]
                    weights = problem.target.data[chosen[:, 2]]
                    loops[row] += weights @ own[chosen[:, 1]]
            rows.append(loops / self.size)
        for _, body, offset, target in self.targets:
            kernels.jacobian(problem.tree, problem.geometry, body, own)
            at_point = se3.adjoint(se3.inverse(se3.frame_from_pose(offset))) @ own
            frame = problem.tree.frames[body]
            pose = se3.compose_poses(problem.motion.poses[frame], offset)
            here = se3.frame_from_pose(pose)
            if target.shape == (3,):
                rows.append(here[:3, :3] @ at_point[:3] / self.size)
            else:
                twist = se3.log(se3.inverse(target) @ here)
                block = se3.tangent_operator_inverse(twist) @ at_point
                block[:3] /= self.size
                rows.append(block)
        return np.vstack(rows) if rows else np.zeros((0, k))

    def worst(self, residual: Array) -> str:
        """Words for what is missed most."""
        at = self.tree.problem.gaps.size
        found = [(float(np.abs(residual[:at]).max(initial=0.0)), "a joint of a loop")]
        for name, _, _, target in self.targets:
            n = 3 if target.shape == (3,) else 6
            part = residual[at : at + n].copy()
            part[:3] *= self.size
            found.append((float(np.linalg.norm(part)), f"'{name}'"))
            at += n
        size, what = max(found)
        return f"{what} is missed by {size:.3g}"


def _solve(wanted: _Wanted, state: TreeState) -> TreeState:
    """State that meets what is wanted, by damped Gauss-Newton steps."""
    residual = wanted.residual(state)
    damping, without_progress = 1e-4, 0
    best = float(residual @ residual)
    for _ in range(MOST_STEPS):
        if np.abs(residual).max(initial=0.0) <= TOLERANCE:
            return state
        jacobian = wanted.jacobian(state)
        # scaled so that the damping has no unit
        scale = max(float(np.linalg.norm(jacobian, 2)), 1e-300)
        stacked = np.vstack(
            [jacobian, np.sqrt(damping) * scale * np.eye(jacobian.shape[1])]
        )
        rhs = np.concatenate([-residual, np.zeros(jacobian.shape[1])])
        step = np.linalg.lstsq(stacked, rhs, rcond=None)[0]
        step *= min(1.0, LARGEST_STEP / max(float(np.abs(step).max()), 1e-300))
        trial = wanted.tree.moved(state, step=step)
        moved = wanted.residual(trial)
        now = float(moved @ moved)
        if now < best:
            without_progress = 0 if now < 0.9 * best else without_progress + 1
            state, residual, best = trial, moved, now
            damping = max(0.01 * damping, 1e-18)
        else:
            damping = min(max(10.0 * damping, 1e-12), 1e6)
            without_progress += 1
        if without_progress > PATIENCE:
            break
    if np.abs(residual).max(initial=0.0) <= 1e3 * TOLERANCE:
        return state
    raise ConvergenceError(
        f"The wanted places cannot all be reached: {wanted.worst(residual)} (length or "
        "angle) at the nearest that was found. Start nearer, or want less."
    )


def inverse_kinematics(
    tree: Tree, state: TreeState, targets: Mapping[str, npt.ArrayLike]
) -> TreeState:
    """Joint coordinates that bring bodies or nodes to wanted places.

    Parameters
    ----------
    tree : Tree
    state : TreeState
        Where the search starts; its rates are kept.
    targets : dict of str -> (3,) or (4, 4) array
        Place [m], or frame, of a body or node in the world. Loops stay closed besides.

    Returns
    -------
    TreeState
        Near the start: of all solutions one that is reached by small steps.

    Raises
    ------
    ConvergenceError
        If the places are out of reach, with what is missed by how much.
    """
    wanted = {}
    for name, target in targets.items():
        array = np.asarray(target, dtype=float)
        if array.shape not in ((3,), (4, 4)):
            raise ModelError(
                f"The target of '{name}' has the shape {array.shape}: expected a "
                "place (3,) or a frame (4, 4)."
            )
        wanted[name] = array
    return _solve(_Wanted(tree, wanted), state)


def assemble(tree: Tree, state: TreeState | None = None) -> Assembled:
    """Close the loops of a mechanism whose parts do not quite fit.

    Parameters
    ----------
    tree : Tree
    state : TreeState or None
        Default: where the model starts.

    Returns
    -------
    Assembled

    Raises
    ------
    ConvergenceError
        If the loops cannot be closed near the start.
    """
    first = tree.start if state is None else state
    wanted = _Wanted(tree, {})
    before = wanted.residual(first)
    gaps = {name: max(pair) for name, pair in tree.gaps.items()}
    if before.size:
        owners = _owners(tree)
        for name, size in zip(owners, np.abs(before) * wanted.size, strict=True):
            if size > TOLERANCE * wanted.size:
                gaps[name] = max(gaps.get(name, 0.0), float(size))
    closed = _solve(wanted, first)
    start = tree.system.state.poses[:, :3]
    tree.place(closed)
    problem = tree.problem
    if problem.gaps.size:
        speeds = measured_gaps(tree.reduced, problem, 1).copy()
        jacobian = wanted.jacobian(closed) * wanted.size
        change = np.linalg.lstsq(jacobian, -speeds, rcond=1e-10)[0]
        closed = tree.moved(closed, rates=closed.rates + change)
        tree.place(closed)
    way = np.linalg.norm(problem.motion.poses[:, :3] - start, axis=1)
    return Assembled(closed, gaps, float(way.max(initial=0.0)))


def _owners(tree: Tree) -> list[str]:
    """Part of each row that closes a loop."""
    names: list[Any] = []
    blocks = tree.system.blocks
    for b, k in tree.structure.cut_joints:
        names += [blocks[b].names[k]] * blocks[b].n_multipliers
    for edge in tree.structure.cut_locks:
        names += [edge.name] * (6 - len(edge.directions))
    return names
