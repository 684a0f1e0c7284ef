"""Sliding velocities on rigid shapes against the motion of material points."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from femlie.contact import _layout as plain
from femlie.contact._spots import SPOT_GAP, SPOT_NORMAL, SPOT_XI
from femlie.elements import base
from femlie.lie import quaternion, se3
from tests.shape_pair import RADIUS
from tests.unit.contact.test_shape_friction import RUBBING, rubbing
from tests.unit.contact.test_sliding_rows import (
    along_tangents,
    section_at,
    spots_of,
    tangents_of,
)


def frames_of(one: Any, x: float) -> list[Any]:
    """Frames (4, 4) of the slave's section at a place, and of the shape."""
    offsets = one.data.parameters[0, plain.SLAVE_OFFSETS :][:28].reshape(4, 7)
    poses = one.motion.poses
    shape = se3.frame_from_pose(se3.compose_poses(poses[2], offsets[2]))
    return [section_at(poses[:2], offsets[:2], x), shape]


def n_multipliers(one: Any) -> int:
    return 2 if one.data.codes[0, plain.FORM] == plain.LINE else 1


@pytest.mark.parametrize("name", RUBBING)
def test_sliding_velocity_is_that_of_material_points(name: str) -> None:
    one = rubbing(name)
    n, spots = n_multipliers(one), spots_of(one)
    x = np.random.default_rng(5).normal(size=24)
    # both frames of the shape are one
    x[18:] = 0.0
    step = 1e-6
    moved = [one.displaced(np.append(s * step * x, np.zeros(7))) for s in (1.0, -1.0)]
    expected = np.zeros(2 * n)
    for k in range(plain.N_POINTS if n == 2 else 1):
        at = plain.POINT_WIDTH * k
        if one.data.iterates[0, at + plain.ROW] < 0.0:
            continue
        place, spot = spots[0, k, SPOT_XI], spots[0, k]
        start = frames_of(one, place)
        seen = spot[SPOT_NORMAL : SPOT_NORMAL + 3]
        normal = quaternion.rotate(one.motion.poses[0, 3:], seen)
        foot = start[0][:3, 3] - (spot[SPOT_GAP] + RADIUS) * normal
        ends = []
        for other in moved:
            ways = [
                now @ se3.inverse(old) @ np.append(foot, 1.0)
                for old, now in zip(start, frames_of(other, place), strict=True)
            ]
            ends.append((ways[0] - ways[1])[:3])
        velocity = (ends[0] - ends[1]) / (2.0 * step)
        pair = along_tangents(one, start[0], normal, velocity)
        for j in range(n):
            weight = one.data.iterates[0, at + plain.WEIGHT + j]
            expected[2 * j : 2 * j + 2] += weight * pair
    found = tangents_of(one, n)
    assert found @ x == pytest.approx(expected, rel=1e-6, abs=1e-8)


@pytest.mark.parametrize("name", RUBBING)
def test_friction_is_in_balance_and_sees_no_common_motion(name: str) -> None:
    one = rubbing(name)
    found = tangents_of(one, n_multipliers(one))
    frames = se3.frame_from_pose(one.motion.poses)
    rigid = se3.adjoint(se3.inverse(frames)).reshape(24, 6)
    rigid[18:] = 0.0
    assert np.abs(found @ rigid).max() < 1e-12 * np.abs(found).sum()
    moved = one.rigidly_moved(se3.exp([3.0, -1.0, 2.0, 0.5, 1.0, -2.0]))
    moved.carry(base.MOVE)
    assert tangents_of(moved, n_multipliers(one)) == pytest.approx(found, abs=1e-12)
