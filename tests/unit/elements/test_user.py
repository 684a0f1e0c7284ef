"""A user's element does what the element does that it imitates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from femlie.elements.joint import JointElement, JointKind, held_rows, joint_blocks
from femlie.elements.user import Contribution, Local, user_block
from femlie.errors import ModelError
from tests.block_case import BlockCase, assert_close, block_case, random_pose

LENGTH = 1.2
HERE = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Rod:
    """Holds the distance of two frames."""

    n_multipliers: int = 1

    def residual(self, local: Local) -> Any:
        turns, places = local.frames[..., :3, :3], local.frames[..., :3, 3]
        gap = places[:, 1] - places[:, 0]
        size = np.linalg.norm(gap, axis=1)
        pull = local.multipliers[:, 0] / size
        rows = np.zeros((len(gap), 13))
        for k, sign in enumerate((-1.0, 1.0)):
            force = sign * pull[:, None] * gap
            rows[:, 6 * k : 6 * k + 3] = np.einsum("nji,nj->ni", turns[:, k], force)
        rows[:, 12] = size - LENGTH
        return rows


@dataclass(frozen=True)
class Damper:
    """Brakes each frame; knows its own tangent."""

    n_multipliers: int = 0

    def residual(self, local: Local) -> Any:
        return 2.0 * local.twists.reshape(len(local.twists), 12)

    def linearize(self, local: Local) -> Contribution:
        damping = np.tile(7.0 * np.eye(12), (len(local.twists), 1, 1))
        return Contribution(self.residual(local), damping=damping)


@dataclass(frozen=True)
class Wrong:
    """Forgets the second frame."""

    n_multipliers: int = 0

    def residual(self, local: Local) -> Any:
        return np.zeros((len(local.twists), 6))


def case_of(block: Any) -> BlockCase:
    rng = np.random.default_rng(8)
    poses = np.array([random_pose(rng) for _ in range(3)])
    return block_case(block, poses, rng)


FRAMES = np.array([[0, 1], [1, 2]])


def rods() -> tuple[BlockCase, BlockCase]:
    """Two rods, of the user and as joints."""
    rows = held_rows(JointKind.DISTANCE, distance=LENGTH)
    (block,) = joint_blocks(
        [JointElement(f"{a}", a, b, HERE, HERE, rows) for a, b in FRAMES.tolist()]
    )
    return case_of(user_block("rod", Rod(), FRAMES, length=1.0)), case_of(block)


@pytest.mark.parametrize("level", range(3))
def test_constraint_is_held_on_every_level_as_by_a_joint(level: int) -> None:
    mine, joint = rods()
    # second rates come from second differences
    tolerance = (1e-14, 1e-8, 1e-5)[level]
    assert_close(mine.evaluate(level)[0], joint.evaluate(level)[0], tolerance)


@pytest.mark.parametrize("weights", [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)])
@pytest.mark.parametrize("level", range(3))
def test_tangent_is_that_of_a_joint(level: int, weights: Any) -> None:
    mine, joint = (case.evaluate(level, weights)[1] for case in rods())
    if level == 1:  # solvers take this part from level 0
        mine[18:, :18] *= weights[2] == 0.0
        joint[18:, :18] *= weights[2] == 0.0
    assert_close(mine, joint, 1e-8)


def test_tangent_of_the_user_is_taken_as_it_is() -> None:
    case = case_of(user_block("damper", Damper(), FRAMES, length=1.0))
    still = case.moved(increments=np.zeros((3, 6)))
    matrix = still.evaluate(0, (0.0, 2.0, 0.0))[1]
    assert_close(matrix, np.diag([14.0] * 6 + [28.0] * 6 + [14.0] * 6), 1e-14)


def test_residual_of_the_wrong_shape_is_refused_by_name() -> None:
    case = case_of(user_block("absent", Wrong(), FRAMES, length=1.0))
    with pytest.raises(ModelError, match=r"absent.*\(2, 6\).*\(2, 12\)"):
        case.evaluate()
