"""Rigid bodies against clouds of point masses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from femlie.elements import base
from tests.block_case import (
    ONE_WEIGHT,
    BlockCase,
    assert_close,
    block_case,
    random_pose,
    tangents_by_differences,
)
from tests.oracles import body as oracle
from tests.oracles.joint import frame
from tests.sample_elements import body_block, cloud_of_masses


def sample(n: int) -> tuple[list[oracle.Cloud], BlockCase]:
    rng = np.random.default_rng(5)
    clouds = [cloud_of_masses(k) for k in range(n)]
    poses = np.array([random_pose(rng) for _ in range(n)])
    return clouds, block_case(body_block(clouds), poses, rng)


def test_residual_is_the_virtual_work_of_the_masses() -> None:
    clouds, case = sample(2)
    motion = case.motion
    expected = [
        oracle.wrench(
            c, frame(motion.poses[k]), motion.velocities[k], motion.accelerations[k]
        )
        for k, c in enumerate(clouds)
    ]
    assert_close(case.evaluate()[0], np.ravel(expected), 1e-13)


def test_bodies_feel_nothing_in_statics() -> None:
    case = sample(2)[1]
    residual, matrix, scales = case.in_statics().evaluate(0, (1.0, 1.0, 1.0))
    assert not np.any(residual)
    assert not np.any(matrix)
    assert not np.any(scales)


@pytest.mark.parametrize("weights", [*ONE_WEIGHT, (2.0, 3.0, 4.0)])
def test_tangent_is_the_derivative_of_the_residual(weights: Any) -> None:
    case = sample(2)[1]
    parts = tangents_by_differences(case)
    expected = sum(w * part for w, part in zip(weights, parts, strict=True))
    assert_close(case.evaluate(0, weights)[1], expected, 1e-9)


def test_kinetic_energy_is_that_of_the_masses() -> None:
    clouds, case = sample(3)
    energy = sum(
        oracle.kinetic_energy(c, frame(pose), twist)
        for c, pose, twist in zip(
            clouds, case.motion.poses, case.motion.velocities, strict=True
        )
    )
    expected = np.zeros(base.N_ENERGIES)
    expected[base.KINETIC] = energy
    assert_close(case.observe()[1], expected, 1e-13)


def test_body_spinning_about_a_principal_axis_needs_no_moment() -> None:
    masses = np.ones(4)
    points = np.array([[1.0, 0, 0], [-1.0, 0, 0], [0, 2.0, 0], [0, -2.0, 0]])
    case = sample(1)[1]
    case = block_case(
        body_block([oracle.Cloud(masses, points)]),
        case.motion.poses,
        np.random.default_rng(0),
    )
    case = case.moved(
        velocities=np.array([[0.0, 0, 0, 0, 0, 3.0]]), accelerations=np.zeros((1, 6))
    )
    assert_close(case.evaluate()[0], np.zeros(6), 1e-14)
