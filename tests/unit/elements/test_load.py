"""Dead and follower loads and weight against their virtual work."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from femlie.elements import _body_kernel as kernels
from femlie.elements import base
from tests.block_case import (
    ONE_WEIGHT,
    BlockCase,
    assert_close,
    block_case,
    random_pose,
    slopes,
    tangents_by_differences,
)
from tests.oracles import load as oracle
from tests.oracles.joint import frame
from tests.sample_elements import load_block

KINDS = {
    "dead": kernels.DEAD,
    "follower": kernels.FOLLOWER,
    "weight": kernels.WEIGHT,
}
every_kind = pytest.mark.parametrize("name", KINDS)


def sample(name: str) -> BlockCase:
    rng = np.random.default_rng(6)
    block = load_block(KINDS[name], rng)
    return block_case(block, [random_pose(rng)], rng, refers_to_space=True)


def wrenches(case: BlockCase, name: str) -> Any:
    """(2, 6) of the oracle."""
    here = frame(case.motion.poses[0])
    return np.array(
        [
            case.motion.signals[code[0], 0]
            * oracle.wrench(
                here, row[:3], row[3:6], row[6:9], is_follower=name == "follower"
            )
            for code, row in zip(case.block.codes, case.block.parameters, strict=True)
        ]
    )


@every_kind
def test_residual_is_minus_the_virtual_work(name: str) -> None:
    case = sample(name)
    expected = wrenches(case, name)
    residual, _, scales = case.evaluate()
    assert_close(residual, expected.sum(axis=0), 1e-14)
    sizes = np.linalg.norm(expected.reshape(2, 2, 3), axis=2).sum(axis=0)
    assert_close(scales[:2], sizes, 1e-14)


@pytest.mark.parametrize("weights", [*ONE_WEIGHT, (2.0, 3.0, 4.0)])
@every_kind
def test_tangent_is_the_derivative_of_the_residual(name: str, weights: Any) -> None:
    case = sample(name)
    parts = tangents_by_differences(case)
    expected = sum(w * part for w, part in zip(weights, parts, strict=True))
    assert_close(case.evaluate(0, weights)[1], expected, 1e-10)


@every_kind
def test_output_is_the_world_wrench_about_the_node(name: str) -> None:
    case = sample(name)
    rotation = frame(case.motion.poses[0])[:3, :3]
    local = -wrenches(case, name).reshape(2, 2, 3)
    assert_close(case.observe()[0].reshape(2, 2, 3), local @ rotation.T, 1e-14)


@pytest.mark.parametrize("name", ["dead", "follower"])
def test_power_is_the_wrench_times_the_twist(name: str) -> None:
    case = sample(name)
    expected = np.zeros(base.N_ENERGIES)
    expected[base.LOAD_POWER] = -wrenches(case, name).sum(0) @ case.motion.velocities[0]
    assert_close(case.observe()[1], expected, 1e-14)


def test_weight_is_minus_the_slope_of_its_potential() -> None:
    case = sample("weight")

    def potential(x: Any) -> Any:
        return case.displaced(x.reshape(1, 6)).observe()[1][[base.POTENTIAL]]

    assert_close(case.evaluate()[0], slopes(potential, 6)[0], 1e-10)


@every_kind
def test_power_into_the_motion_is_that_of_loads_less_what_is_stored(name: str) -> None:
    case = sample(name)
    v, signals = case.motion.velocities, case.motion.signals

    def stored(t: Any) -> Any:
        later = signals.copy()
        later[:, 0] += t * signals[:, 1]
        there = case.displaced(float(t[0]) * v).moved(signals=later)
        return there.observe()[1][[base.POTENTIAL]]

    into_motion = -case.evaluate()[0] @ v.ravel()
    booked = case.observe()[1][base.LOAD_POWER] - slopes(stored, 1)[0, 0]
    assert into_motion == pytest.approx(booked, rel=1e-9)
