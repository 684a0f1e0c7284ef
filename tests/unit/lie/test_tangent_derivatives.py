"""Directional derivatives of the inverse tangent operator."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from femlie.lie import se3
from tests.oracles import lie as oracle

PI = np.pi
ANGLES = [0.0, 1e-8, 1e-3, 0.5, 1.0, 2.0, 3.0, PI - 1e-9, PI + 1e-9, 4.0, 1.9 * PI]


@pytest.fixture(scope="module", params=ANGLES)
def sample(request: Any) -> Any:
    rng = np.random.default_rng(11)
    axis = rng.normal(size=3)
    turn = request.param * axis / np.linalg.norm(axis)
    twist = np.concatenate((rng.uniform(-1.0, 1.0, size=3), turn))
    return twist, rng.uniform(-1.0, 1.0, size=6)


@pytest.fixture(scope="module")
def slopes(sample: Any) -> Any:
    return oracle.derivative_of_inverse(sample[0])


def test_derivative_agrees_with_fifty_digit_differences(
    sample: Any, slopes: Any
) -> None:
    twist, vector = sample
    exact = np.stack([slope @ oracle.to_mp(vector) for slope in slopes], axis=1)
    given = se3.tangent_operator_inverse_derivative(twist, vector)
    assert oracle.relative_error(given, exact) < 1e-13


def test_transposed_derivative_agrees_with_fifty_digit_differences(
    sample: Any, slopes: Any
) -> None:
    twist, wrench = sample
    exact = np.stack([slope.T @ oracle.to_mp(wrench) for slope in slopes], axis=1)
    given = se3.tangent_operator_inverse_transposed_derivative(twist, wrench)
    assert oracle.relative_error(given, exact) < 1e-13


@pytest.mark.parametrize("angle", [0.0, 1e-5, 0.9, 1.1, 3.0, 3.3, 5.0])
def test_derivatives_agree_with_central_differences(angle: float) -> None:
    rng = np.random.default_rng(12)
    twists = rng.uniform(-1.0, 1.0, size=(10, 6))
    twists[:, 3:] *= angle / np.linalg.norm(twists[:, 3:], axis=1)[:, None]
    vectors = rng.uniform(-1.0, 1.0, size=(10, 6))
    step = 1e-6
    moved = np.stack([twists[:, None] + s * step * np.eye(6) for s in (1, -1)])
    ahead, behind = se3.tangent_operator_inverse(moved)
    slopes = (ahead - behind) / (2.0 * step)
    np.testing.assert_allclose(
        se3.tangent_operator_inverse_derivative(twists, vectors),
        np.einsum("nkij,nj->nik", slopes, vectors),
        rtol=0,
        atol=1e-7,
    )
    np.testing.assert_allclose(
        se3.tangent_operator_inverse_transposed_derivative(twists, vectors),
        np.einsum("nkji,nj->nik", slopes, vectors),
        rtol=0,
        atol=1e-7,
    )
