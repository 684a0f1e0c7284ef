"""A model does not know where it is: the whole elsewhere does the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import femlie as fl
from femlie._jit import IS_COMPILED
from femlie.lie import quaternion, se3
from tests.property.random_models import random_model
from tests.property.rigid_motion import moved_model

SEEDS = [1, 5, 8] if IS_COMPILED else [5]
MORE_SEEDS = [pytest.param(seed, marks=pytest.mark.slow) for seed in range(200, 240)]
every_seed = pytest.mark.parametrize("seed", [*SEEDS, *MORE_SEEDS])
# models are about two long; ten sizes are for single elements
SHIFT = 2.0


def rigid(seed: int) -> Any:
    rng = np.random.default_rng(seed)
    frame = se3.exp([0, 0, 0, *rng.uniform(-np.pi, np.pi, size=3)])
    frame[:3, 3] = SHIFT * rng.uniform(-1.0, 1.0, size=3)
    return frame


def in_world(poses: Any, twists: Any) -> Any:
    """(..., 6) twists of frames with world axes."""
    turn = poses[..., 3:]
    return np.concatenate(
        [
            quaternion.rotate(turn, twists[..., :3]),
            quaternion.rotate(turn, twists[..., 3:]),
        ],
        axis=-1,
    )


def turned(frame: Any, vectors: Any) -> Any:
    """(..., 3) or (..., 6) vectors turned by a frame."""
    shape = (*vectors.shape[:-1], -1, 3)
    return (vectors.reshape(shape) @ frame[:3, :3].T).reshape(vectors.shape)


def assert_same(given: Any, expected: Any, tolerance: float) -> None:
    scale = max(1.0, float(np.abs(expected).max()))
    np.testing.assert_allclose(given, expected, rtol=0, atol=tolerance * scale)


@every_seed
def test_accelerations_at_the_start_and_a_short_motion(seed: int) -> None:
    horizon = 0.02
    model = random_model(seed, horizon=horizon)
    frame = rigid(seed)
    solver = fl.GeneralizedAlpha(projects_start=True, residual_tolerance=1e-11)
    here, there = (
        solver.solve(m.build(), duration=horizon, time_step=1e-3).records
        for m in (model, moved_model(model, frame))
    )
    places = turned(frame, here.poses[:, 1:, :3]) + frame[:3, 3]
    assert_same(there.poses[:, 1:, :3], places, 1e-9)
    for name in ("velocities", "accelerations"):
        expected = turned(frame, in_world(here.poses, getattr(here, name)))
        given = in_world(there.poses, getattr(there, name))
        assert_same(given, expected, 1e-9)


@every_seed
def test_static_solution(seed: int) -> None:
    model = random_model(seed)
    frame = rigid(seed)
    solver = fl.Static(checks_stability=False)
    here, there = (
        solver.solve(m.build()).records for m in (model, moved_model(model, frame))
    )
    places = turned(frame, here.poses[-1, 1:, :3]) + frame[:3, 3]
    assert_same(there.poses[-1, 1:, :3], places, 1e-9)
