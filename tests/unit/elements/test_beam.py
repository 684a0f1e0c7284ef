"""Beam and bushing elements against energies and virtual work."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from femlie.elements import base
from femlie.lie import se3
from tests.block_case import (
    ONE_WEIGHT,
    BlockCase,
    assert_close,
    block_case,
    slopes,
    tangents_by_differences,
)
from tests.oracles import beam as oracle
from tests.oracles.joint import STEP, frame
from tests.sample_elements import beam_block, beam_variants, chain

ALL = (2.0, 3.0, 4.0)


VARIANTS = beam_variants()
every_variant = pytest.mark.parametrize("name", VARIANTS)


def single(name: str) -> tuple[oracle.Element, BlockCase]:
    rng = np.random.default_rng(11)
    element = VARIANTS[name]
    return element, block_case(beam_block([element]), chain(1, rng), rng)


def frames_of(case: BlockCase) -> Any:
    return [frame(pose) for pose in case.motion.poses]


def signal_of(case: BlockCase) -> float:
    return float(case.motion.signals[2, 0])


@every_variant
def test_residual_is_the_derivative_of_the_energies(name: str) -> None:
    element, case = single(name)
    frames = frames_of(case)
    v, a = case.motion.velocities.ravel(), case.motion.accelerations.ravel()
    expected = oracle.internal_wrench(element, frames, v, signal_of(case))
    expected = expected + oracle.inertia_wrench(element, frames, v, a)
    assert_close(case.evaluate()[0], expected, 1e-12)


@every_variant
def test_static_residual_is_the_slope_of_the_strain_energy(name: str) -> None:
    element, case = single(name)
    case = case.in_statics()
    expected = oracle.internal_wrench(
        element, frames_of(case), np.zeros(12), signal_of(case)
    )
    assert_close(case.evaluate()[0], expected, 1e-12)


@pytest.mark.parametrize("weights", [*ONE_WEIGHT, ALL])
@every_variant
def test_tangent_is_the_derivative_of_the_residual(name: str, weights: Any) -> None:
    case = single(name)[1]
    parts = tangents_by_differences(case)
    expected = sum(w * part for w, part in zip(weights, parts, strict=True))
    assert_close(case.evaluate(0, weights)[1], expected, 1e-8)


@every_variant
def test_static_tangent_reads_the_stress_iterate(name: str) -> None:
    element, case = single(name)
    case = case.in_statics()
    iterate = case.data.iterates[0]
    frames = frames_of(case)

    def pulled(x: Any) -> Any:
        slopes_there = oracle.strain_slopes(element, oracle.moved(frames, x))
        return slopes_there.T @ iterate

    shape = oracle.strain_slopes(element, frames)
    expected = shape.T @ np.asarray(element.stiffness) @ shape / element.length
    assert_close(case.evaluate(0, (0, 0, 1.0))[1], expected + slopes(pulled, 12), 1e-8)


@every_variant
def test_stress_iterate_starts_at_the_shape_and_moves_as_the_solve_predicts(
    name: str,
) -> None:
    element, case = single(name)
    case = case.in_statics()
    frames, signal = frames_of(case), signal_of(case)
    here = oracle.stress(element, frames, np.zeros(12), signal)
    assert_close(case.carry(base.RESET).iterates[0], here, 1e-12)
    step = np.random.default_rng(2).normal(size=(2, 6))
    strain = oracle.strain_slopes(element, frames) @ step.ravel()
    predicted = here + np.asarray(element.stiffness) @ strain / element.length
    before = case.data.iterates[0]
    moved = case.carry(base.MOVE, step, 0.3).iterates[0]
    assert_close(moved, before + 0.3 * (predicted - before), 1e-12)
    assert_close(case.carry(base.ACCEPT).iterates[0], before, 0.0)


@every_variant
def test_section_forces_are_in_equilibrium_along_the_element(name: str) -> None:
    element, case = single(name)
    v, a = case.motion.velocities.ravel(), case.motion.accelerations.ravel()
    expected = oracle.section_forces(element, frames_of(case), v, a, signal_of(case))
    assert_close(case.observe()[0][0].reshape(3, 6), expected, 1e-12)


@every_variant
def test_energies_and_dissipation(name: str) -> None:
    element, case = single(name)
    frames, v = frames_of(case), case.motion.velocities.ravel()
    rate = oracle.strain_slopes(element, frames) @ v
    lost = rate @ np.asarray(element.damping) @ rate / element.length
    expected = np.zeros(base.N_ENERGIES)
    expected[base.KINETIC] = oracle.kinetic_energy(element, frames, v)
    expected[base.STRAIN] = oracle.strain_energy(element, frames, signal_of(case))
    expected[base.DISSIPATED_POWER] = lost + 2.0 * oracle.drag_function(
        element, frames, v
    )
    # what drives the rest strain: the slope of the energy while the frames stand still
    signal = signal_of(case) + 1j * STEP
    slope = oracle.strain_energy(element, frames, signal).imag / STEP
    expected[base.MOTOR_POWER] = slope * case.motion.signals[2, 1]
    assert_close(case.observe()[1], expected, 1e-12)


def test_chain_adds_up_its_elements() -> None:
    rng = np.random.default_rng(3)
    elements = [VARIANTS["every option"], VARIANTS["no mass"], VARIANTS["bushing"]]
    poses = chain(3, rng)
    whole = block_case(beam_block(elements), poses, rng)
    residual, matrix, scales = whole.evaluate(0, ALL)
    total, dense, sums = np.zeros(24), np.zeros((24, 24)), np.zeros(2)
    for i, element in enumerate(elements):
        alone = block_case(beam_block([element]), poses[i : i + 2], rng)
        motion = {
            key: getattr(whole.motion, key)[i : i + 2]
            for key in ("velocities", "accelerations", "increments")
        }
        alone = alone.moved(signals=whole.motion.signals, **motion)
        given = alone.evaluate(0, ALL)
        rows = slice(6 * i, 6 * i + 12)
        total[rows] += given[0]
        dense[rows, rows] += given[1]
        sums += given[2][:2]
    assert_close(residual, total, 1e-14)
    assert_close(matrix, dense, 1e-14)
    assert_close(scales[:2], sums, 1e-14)


def test_straight_element_at_rest_is_free_of_force() -> None:
    element = replace(
        VARIANTS["ends on nodes"],
        reference=np.array([1.3, 0, 0, 0, 0, 0]),
        rest=np.zeros(6),
    )
    poses = np.array([oracle.IDENTITY_POSE] * 2)
    poses[1, 0] = 1.3
    case = block_case(beam_block([element]), poses, np.random.default_rng(0))
    assert not np.any(case.in_statics().evaluate()[0])


def test_pure_bending_of_one_element_is_exact() -> None:
    # the strain is constant along a helix: M = EI kappa at both ends, no forces
    bending, angle = 7.0, 2.5
    stiffness = np.diag([100.0, 50.0, 50.0, 5.0, 6.0, bending])
    element = replace(
        VARIANTS["no mass"],
        length=1.0,
        stiffness=stiffness,
        damping=np.zeros((6, 6)),
        reference=np.array([1.0, 0, 0, 0, 0, 0]),
        rest=np.zeros(6),
        offsets=(oracle.IDENTITY_POSE, oracle.IDENTITY_POSE),
    )
    poses = np.array([oracle.IDENTITY_POSE] * 2)
    poses[1] = se3.pose_from_frame(se3.exp([1.0, 0, 0, 0, 0, angle]))
    case = block_case(beam_block([element]), poses, np.random.default_rng(0))
    expected = np.zeros(12)
    expected[[5, 11]] = -bending * angle, bending * angle
    np.testing.assert_allclose(case.in_statics().evaluate()[0], expected, atol=1e-13)
