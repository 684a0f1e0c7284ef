"""One pair of segments in contact, with a state and dense matrices, for tests."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

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

    def evaluate(self, stiffness: float = 0.0) -> tuple[Any, Any]:
        """Residual and dense tangent."""
        n = N_ROWS
        target = base.Target(
            np.zeros(n + 1), np.zeros(n * n + 1), np.zeros(base.N_SCALES)
        )
        kernel.evaluate(self.motion, self.data, target, 0, 0.0, 0.0, stiffness)
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
        kernel.carry(self.motion, self.data, np.zeros((4, 6)), 1.0, mode)


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
    parameters = np.zeros((1, layout.N_PARAMETERS))
    parameters[0, [layout.LENGTH, layout.MASTER_LENGTH]] = LENGTH
    parameters[0, [layout.RADII, layout.UNIT]] = RADII
    parameters[0, layout.REACH] = 1.0
    parameters[0, layout.PENALTY : layout.PENALTY + 2] = 10.0
    at = layout.SLAVE_OFFSETS
    parameters[0, at : at + 28] = se3.pose_from_frame(offsets).ravel()
    rows = np.arange(N_ROWS, dtype=np.int64)[None].copy()
    if not is_line:
        rows[0, -1] = N_ROWS
    slots = N_ROWS * rows[0, :, None] + rows[0, None]
    slots[(rows[0, :, None] == N_ROWS) | (rows[0, None] == N_ROWS)] = N_ROWS**2
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
        np.array([[0, 1, 2, 3]]),
        codes,
        parameters,
        np.zeros((1, 0)),
        np.zeros((1, layout.N_ITERATES)),
        rows,
        slots.reshape(1, -1).astype(np.uint32),
    )
    found = Pair(motion, data)
    found.carry(base.RESET)
    return found
