"""A block of elements with a state and dense matrices, for tests of single kinds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from femlie.elements import base
from femlie.lie import se3

Weights = tuple[float, float, float]
ONE_WEIGHT: tuple[Weights, ...] = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


@dataclass
class BlockCase:
    """A block, a state, and a dense matrix in place of the sparse one.

    ``refers_to_space``: its residual changes when the whole is moved. ``rounding`` of
    its tangent, which differences make larger. ``amplitudes``: frames that are
    no places in space.
    """

    block: base.Block
    motion: base.Motion
    data: base.BlockData
    refers_to_space: bool = False
    rounding: float = 1e-12
    amplitudes: tuple[int, ...] = ()

    @property
    def n_frames(self) -> int:
        return int(self.motion.poses.shape[0])

    def evaluate(self, level: int = 0, weights: Weights = (0.0, 0.0, 0.0)) -> Any:
        """Residual, dense matrix and sums of magnitudes."""
        n = 6 * self.n_frames + self.block.n_elements * self.block.n_multipliers
        target = base.Target(np.zeros(n + 1), np.zeros(n * n + 1), np.zeros(4))
        self.block.kernels[0](self.motion, self.data, target, level, *weights)
        return target.residual[:n], target.data[:-1].reshape(n, n), target.scales

    def observe(self) -> Any:
        """Outputs and energies."""
        output = np.full((self.block.n_elements, self.block.n_outputs), np.nan)
        energies = np.zeros(base.N_ENERGIES)
        self.block.kernels[2](self.motion, self.data, output, energies)
        return output, energies

    def carry(self, mode: int, moves: Any = None, fraction: float = 1.0) -> Any:
        """Iterates and history after RESET, MOVE or ACCEPT; this case stays."""
        data = self.data._replace(
            history=self.data.history.copy(), iterates=self.data.iterates.copy()
        )
        moves = np.zeros((self.n_frames, 6)) if moves is None else moves
        self.block.kernels[1](self.motion, data, moves, fraction, mode)
        return data

    def moved(self, **changes: Any) -> BlockCase:
        """The same with some arrays of the motion replaced."""
        return replace(self, motion=self.motion._replace(**changes))

    def displaced(self, increment: Any) -> BlockCase:
        """Frames moved by local increments, (n_frames, 6)."""
        step = se3.pose_from_frame(se3.exp(increment))
        return self.moved(poses=se3.compose_poses(self.motion.poses, step))

    def in_statics(self) -> BlockCase:
        """The same in a static analysis, where nothing moves."""
        still = np.zeros((self.n_frames, 6))
        return self.moved(
            time=np.array([0.0, 1.0]),
            velocities=still,
            accelerations=still,
            increments=still,
        )


def random_pose(rng: np.random.Generator, spread: float = 1.0) -> Any:
    return se3.pose_from_frame(se3.exp(spread * rng.normal(size=6)))


def block_case(
    block: base.Block,
    poses: Any,
    rng: np.random.Generator,
    *,
    refers_to_space: bool = False,
) -> BlockCase:
    """A block at given poses with random rates, signals and multipliers."""
    n, m, k = block.n_elements, block.n_multipliers, block.frames.shape[1]
    n_frames = len(poses)
    wrench_rows = (6 * block.frames[:, :, None] + np.arange(6)).reshape(n, 6 * k)
    own = 6 * n_frames + m * np.arange(n)[:, None] + np.arange(m)
    rows = np.ascontiguousarray(np.hstack((wrench_rows, own)), dtype=np.int64)
    size = 6 * n_frames + m * n
    slots = (size * rows[:, :, None] + rows[:, None, :]).reshape(n, -1)
    motion = base.Motion(
        np.zeros(2),
        rng.normal(size=(4, 3)),
        np.array(poses),
        np.array(poses),
        rng.normal(size=(n_frames, 6)),
        rng.normal(size=(n_frames, 6)),
        0.5 * rng.normal(size=(n_frames, 6)),
        rng.normal(size=m * n),
    )
    history = block.initial_history
    data = base.BlockData(
        np.ascontiguousarray(block.frames),
        np.ascontiguousarray(block.codes),
        np.ascontiguousarray(block.parameters),
        np.zeros((n, block.n_history)) if history is None else np.array(history),
        rng.normal(size=(n, block.n_iterates)),
        rows,
        np.ascontiguousarray(slots, dtype=np.uint32),
    )
    return BlockCase(block, motion, data, refers_to_space)


def slopes(function: Any, n: int) -> Any:
    """Columns of derivatives by central differences of fourth order."""
    h = 1e-3
    columns = []
    for k in range(n):
        unit = np.zeros(n)
        unit[k] = h
        near = function(unit) - function(-unit)
        columns.append((8.0 * near - function(2 * unit) + function(-2 * unit)) / 12 / h)
    return np.array(columns).T


def tangents_by_differences(case: BlockCase, level: int = 0) -> tuple[Any, Any, Any]:
    """M, C (both times T^-1 of the increments) and K from the residual alone."""
    n = case.n_frames
    motion = case.motion
    back = np.zeros((6 * n, 6 * n))
    for k in range(n):
        part = slice(6 * k, 6 * k + 6)
        back[part, part] = se3.tangent_operator_inverse(motion.increments[k])

    def displaced(x: Any) -> Any:
        return case.displaced(x.reshape(n, 6)).evaluate(level)[0]

    def faster(x: Any) -> Any:
        speed = motion.velocities + x.reshape(n, 6)
        return case.moved(velocities=speed).evaluate(level)[0]

    def pushed(x: Any) -> Any:
        rate = motion.accelerations + x.reshape(n, 6)
        return case.moved(accelerations=rate).evaluate(level)[0]

    return (
        slopes(pushed, 6 * n) @ back,
        slopes(faster, 6 * n) @ back,
        slopes(displaced, 6 * n),
    )


def assert_close(given: Any, expected: Any, tolerance: float) -> None:
    """Equal to a share of the largest expected number, or of one."""
    scale = max(1.0, float(np.abs(expected).max(initial=0.0)))
    np.testing.assert_allclose(given, expected, rtol=0, atol=tolerance * scale)
