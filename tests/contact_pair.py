"""One pair of segments in contact, with a state and dense matrices, for tests."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from femlie.contact import _kernel as kernel
from femlie.contact import _layout as layout
from femlie.elements import base
from femlie.lie import se3

N_ROWS = layout.WIDTH
LENGTH, RADII = 0.6, 0.2


@dataclass
class Pair:
    """A contact element of four frames and two multipliers."""

    motion: base.Motion
    data: base.BlockData
    kernel: ClassVar[Any] = kernel

    def evaluate(self, stiffness: float = 0.0) -> tuple[Any, Any]:
        """Residual and dense tangent."""
        n = self.data.rows.shape[1]
        target = base.Target(
            np.zeros(n + 1), np.zeros(n * n + 1), np.zeros(base.N_SCALES)
        )
        self.kernel.evaluate(self.motion, self.data, target, 0, 0.0, 0.0, stiffness)
        return target.residual[:n].copy(), target.data[:-1].reshape(n, n).copy()

    def displaced(self, x: Any) -> Pair:
        """Frames moved by local increments, then multipliers."""
        step = se3.pose_from_frame(se3.exp(np.asarray(x)[:24].reshape(4, 6)))
        poses = se3.compose_poses(self.motion.poses, step)
        forces = self.motion.multipliers + np.asarray(x)[24:]
        return replace(
            self, motion=self.motion._replace(poses=poses, multipliers=forces)
        )

    def rigidly_moved(self, frame: Any) -> Pair:
        """The whole moved."""
        poses = se3.compose_poses(se3.pose_from_frame(frame), self.motion.poses)
        return replace(self, motion=self.motion._replace(poses=poses))

    def carry(self, mode: int) -> None:
        self.kernel.carry(self.motion, self.data, np.zeros((4, 6)), 1.0, mode)


def pair(
    form: int,
    *,
    seed: int = 3,
    angle: float = 0.3,
    distance: float = 0.19,
    shift: float = 0.05,
    stage: float = 0.0,
    bend: float = 0.15,
) -> Pair:
    """Two bent segments with offset ends, one above the other at an angle."""
    rng = np.random.default_rng(seed)
    turn = se3.exp([0.0, 0.0, 0.0, 0.0, 0.0, angle])
    sections = []
    for whole, z, x in ((np.eye(4), distance, 0.0), (turn, 0.0, shift)):
        for end in (-0.5, 0.5):
            place = se3.exp([end * LENGTH + x, 0.0, z, 0.0, 0.0, 0.0])
            wobble = bend * rng.normal(size=6) * [0.1, 0.1, 0.1, 1.0, 1.0, 1.0]
            sections.append(whole @ place @ se3.exp(wobble))
    offsets = se3.exp(0.3 * rng.normal(size=(4, 6)))
    nodes = np.array(sections) @ se3.inverse(offsets)
    poses = se3.pose_from_frame(nodes)
    parameters = parameters_of(offsets, RADII, RADII)
    parameters[0, layout.MASTER_LENGTH] = LENGTH
    return assembled(poses, codes_of(form), parameters, stage=stage)


def codes_of(form: int) -> Any:
    """Codes (1, n) of one slave on one master, with offsets."""
    is_line = form == layout.LINE
    codes = np.zeros((1, layout.N_CODES), dtype=np.int64)
    codes[0, layout.FORM] = form
    codes[0, layout.COUNT] = 1
    at = layout.MULTIPLIER
    codes[0, at : at + 2] = (0, 1) if is_line else (0, -1)
    codes[0, layout.OWNS : layout.OWNS + 2] = (1, 1) if is_line else (1, 0)
    codes[0, layout.NEXT : layout.NEXT + 4] = layout.CHAIN_END
    codes[0, layout.HAS_OFFSETS] = 1
    codes[0, [layout.SLAVE, layout.MASTER, layout.TOTAL, layout.IS_FIRST]] = 0, 1, 2, 1
    return codes


def parameters_of(offsets: Any, radii: float, unit: float) -> Any:
    """Parameters (1, n) of a slave on something without a length."""
    parameters = np.zeros((1, layout.N_PARAMETERS))
    parameters[0, layout.LENGTH] = LENGTH
    parameters[0, [layout.RADII, layout.UNIT]] = radii, unit
    parameters[0, layout.REACH] = 1.0
    parameters[0, layout.PENALTY : layout.PENALTY + 2] = 10.0
    at = layout.SLAVE_OFFSETS
    parameters[0, at : at + 28] = se3.pose_from_frame(offsets).ravel()
    return parameters


def rows_and_slots(n: int, unused: Any) -> tuple[Any, Any]:
    """Rows (1, n) of a dense system and places in its matrix; unused ones behind."""
    rows = np.arange(n, dtype=np.int64)[None].copy()
    rows[0, unused] = n
    slots = n * rows[0, :, None] + rows[0, None]
    slots[(rows[0, :, None] == n) | (rows[0, None] == n)] = n**2
    return rows, slots.reshape(1, -1).astype(np.uint32)


def assembled(
    poses: Any,
    codes: Any,
    parameters: Any,
    *,
    frames: Any = (0, 1, 2, 3),
    stage: float = 0.0,
) -> Pair:
    """The element with forces, ready for a step."""
    is_line = codes[0, layout.FORM] == layout.LINE
    rows, slots = rows_and_slots(N_ROWS, [] if is_line else [N_ROWS - 1])
    zero = np.zeros((4, 6))
    motion = base.Motion(
        np.array([1.0, 1.0, stage]),
        np.zeros((1, 3)),
        poses.copy(),
        poses,
        zero,
        zero,
        zero,
        np.array([4.0, 3.0]),
    )
    data = base.BlockData(
        np.array([frames]),
        codes,
        parameters,
        np.zeros((1, 0)),
        np.zeros((1, layout.N_ITERATES)),
        rows,
        slots,
    )
    found = Pair(motion, data)
    found.carry(base.RESET)
    return found


def check_rigid_motion(case: Pair) -> None:
    """Residual and tangent of the whole, moved far away, are the same."""
    residual, matrix = case.evaluate(1.0)
    there = case.rigidly_moved(se3.exp([1.3, -0.8, 0.4, 0.5, 1.2, -0.7]))
    moved = there.evaluate(1.0)
    size = np.abs(residual).max()
    np.testing.assert_allclose(moved[0], residual, rtol=0, atol=1e-12 * size)
    np.testing.assert_allclose(moved[1], matrix, rtol=0, atol=1e-12 * abs(matrix).max())


def check_balance(case: Pair) -> None:
    """Forces and moments on the four frames have no resultant."""
    wrenches = case.evaluate()[0][:24].reshape(4, 6)
    frames = se3.frame_from_pose(case.motion.poses)
    force = np.einsum("nij,nj->ni", frames[:, :3, :3], wrenches[:, :3])
    moment = np.einsum("nij,nj->ni", frames[:, :3, :3], wrenches[:, 3:])
    moment += np.cross(frames[:, :3, 3], force)
    size = np.abs(wrenches).sum()
    assert np.abs(force.sum(axis=0)).max() < 1e-12 * size
    assert np.abs(moment.sum(axis=0)).max() < 1e-12 * size


def check_brackets(case: Pair) -> float:
    """``K_ij - K_ji = -r . [E_i, E_j]`` within each node, and none between nodes.

    Returns the largest bracket over the largest entry of the tangent.
    """
    residual, matrix = case.evaluate(1.0)
    expected = np.zeros((24, 24))
    for node in range(4):
        part = slice(6 * node, 6 * node + 6)
        brackets = np.array([se3.ad(unit) for unit in np.eye(6)])
        # the bracket of E_i and E_j is column j of the matrix i
        expected[part, part] = np.einsum("k,ikj->ij", residual[part], brackets)
    found = matrix[:24, :24] - matrix[:24, :24].T
    size = np.abs(matrix).max()
    sign = np.sign(np.sum(found * expected))
    np.testing.assert_allclose(found, sign * expected, rtol=0, atol=1e-12 * size)
    return float(np.abs(expected).max() / size)
