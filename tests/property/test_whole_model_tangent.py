"""Exact tangents of whole random models, under the three calls of a solver."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from femlie._jit import IS_COMPILED
from femlie.assembly import DYNAMIC, STATIC, Assembly
from tests.block_case import ONE_WEIGHT
from tests.property.model_states import random_state, tangent_by_differences
from tests.property.random_models import random_model

SEEDS = [0, 3, 4] if IS_COMPILED else [4]
MORE_SEEDS = [pytest.param(seed, marks=pytest.mark.slow) for seed in range(100, 140)]


def assert_same_matrix(given: Any, expected: Any, residual: Any) -> None:
    """Each entry to 1e-7 of what is large in its row and column.

    Differences at a step of 1e-4 lose twelve digits of the residual.
    """
    rows = np.abs(expected).max(axis=1)
    columns = np.abs(expected).max(axis=0)
    allowed = 1e-7 * np.sqrt(np.outer(rows, columns))
    allowed += 1e-10 * (1.0 + np.abs(residual).max())
    wrong = np.abs(given - expected) > allowed
    assert not np.any(wrong), (np.argwhere(wrong)[:5], given[wrong], expected[wrong])


@pytest.mark.parametrize("level", range(3))
@pytest.mark.parametrize("seed", [*SEEDS, *MORE_SEEDS])
def test_tangent_of_a_model_in_motion(seed: int, level: int) -> None:
    system = random_model(seed).build()
    assembly = Assembly(system)
    state = random_state(system, seed)
    first = system.dofs.n_frame_rows
    residual = assembly.residual(state, level)
    total = 0.0
    for weights in ONE_WEIGHT:
        given = assembly.tangent(
            state, level, mass=weights[0], damping=weights[1], stiffness=weights[2]
        ).toarray()
        expected = tangent_by_differences(assembly, state, level, weights)
        if level == 2 and weights[0] == 0.0:  # of no use to any solver
            given[first:] = expected[first:] = 0.0
        assert_same_matrix(given, expected, residual)
        total = total + np.array([2.0, 3.0, 4.0]) @ np.array(weights) * given
    mixed = assembly.tangent(state, level, mass=2.0, damping=3.0, stiffness=4.0)
    mixed = mixed.toarray()
    if level == 2:  # the rest of these rows is of no use to any solver
        return
    # multiplier columns are B^T whatever the weights
    total[:, first:] /= 9.0
    assert_same_matrix(mixed, total, residual)


@pytest.mark.parametrize("seed", [*SEEDS, *MORE_SEEDS])
def test_tangent_of_a_model_in_statics(seed: int) -> None:
    system = random_model(seed).build()
    assembly = Assembly(system)
    state = random_state(system, seed)
    still = np.zeros_like(state.velocities)
    state = type(state)(
        **{
            **vars(state),
            "velocities": still,
            "accelerations": still,
            "increments": still,
        }
    )
    given = assembly.tangent(state, regime=STATIC).toarray()
    expected = tangent_by_differences(assembly, state, 0, (0.0, 0.0, 1.0), STATIC)
    assert_same_matrix(given, expected, assembly.residual(state, regime=STATIC))


def test_tangent_of_a_model_with_functions_and_elements_of_the_user() -> None:
    system = random_model(4, is_script=True).build()
    assembly = Assembly(system)
    assert not assembly.is_compiled
    state = random_state(system, 4)
    residual = assembly.residual(state)
    for weights in ONE_WEIGHT:
        given = assembly.tangent(
            state, mass=weights[0], damping=weights[1], stiffness=weights[2]
        )
        expected = tangent_by_differences(assembly, state, 0, weights)
        assert_same_matrix(given.toarray(), expected, residual)


def test_asking_changes_nothing() -> None:
    system = random_model(0).build()
    assembly = Assembly(system)
    state = random_state(system, 0)
    before = {
        name: np.copy(value) for name, value in vars(state).items() if name != "history"
    }
    first = assembly.residual(state)
    assembly.tangent(state, mass=1.0, damping=1.0)
    assembly.retract(state, np.ones(system.dofs.n_rows))
    np.testing.assert_array_equal(assembly.residual(state, regime=DYNAMIC), first)
    for name, value in before.items():
        np.testing.assert_array_equal(getattr(state, name), value)
