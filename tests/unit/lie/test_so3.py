"""Rotations: hard cases of the logarithm, and the laws of the group."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.transform import Rotation

from femlie.errors import ModelError
from femlie.lie import so3

PI = np.pi
VECTORS = arrays(np.float64, 3, elements=st.floats(-3.0, 3.0))
few = settings(max_examples=60, deadline=None, derandomize=True)


def test_half_turn_about_a_diagonal_has_its_logarithm() -> None:
    # github.com/cardilloproject/cardillo issue 68
    logarithm = so3.log([[-1, 0, 0], [0, 0, 1], [0, 1, 0]])
    expected = PI / np.sqrt(2.0) * np.array([0.0, 1.0, 1.0])
    np.testing.assert_allclose(np.abs(logarithm), expected, rtol=0, atol=1e-15)
    assert logarithm[1] * logarithm[2] > 0.0


def test_rotation_close_to_half_a_turn_keeps_its_direction() -> None:
    # github.com/facebookresearch/pytorch3d issue 188: angle 3.1414745
    vector = np.array([-0.03820, -0.11054, -3.13930])
    assert abs(np.linalg.norm(vector) - 3.1414745) < 1e-5
    np.testing.assert_allclose(so3.log(so3.exp(vector)), vector, rtol=0, atol=1e-14)


@pytest.mark.parametrize("axis", np.vstack((np.eye(3), -np.eye(3), np.ones(3))))
@pytest.mark.parametrize("k", range(1, 14))
def test_logarithm_finds_axis_and_angle_up_to_half_a_turn(axis: Any, k: int) -> None:
    vector = (PI - 10.0**-k) * axis / np.linalg.norm(axis)
    np.testing.assert_allclose(so3.log(so3.exp(vector)), vector, rtol=0, atol=2e-15)


@pytest.mark.parametrize("signs", [(1, -1, -1), (-1, 1, -1), (-1, -1, 1)])
def test_half_turn_about_a_coordinate_axis_is_exact(signs: Any) -> None:
    logarithm = so3.log(np.diag(signs))
    assert np.abs(logarithm).tolist() == (PI * (np.array(signs) > 0)).tolist()


@pytest.mark.parametrize("noise", [1e-16, 1e-15, 1e-12, 1e-8])
def test_logarithm_of_a_noisy_rotation_is_as_close_as_its_noise(noise: float) -> None:
    rng = np.random.default_rng(6)
    axes = rng.normal(size=(200, 3))
    axes /= np.linalg.norm(axes, axis=1)[:, None]
    angles = rng.choice([0.0, 1e-9, 1e-3, 1.0, 3.0, PI - 1e-8, PI], size=(200, 1))
    rotations = so3.exp(axes * angles)
    noisy = rotations + noise * rng.uniform(-1.0, 1.0, size=(200, 3, 3))
    found = so3.exp(so3.log(noisy))
    np.testing.assert_allclose(found, rotations, rtol=0, atol=1e-14 + 5 * noise)


@pytest.mark.parametrize("excess", [2.2e-16, 1e-15, 1e-12])
def test_trace_out_of_range_is_no_fault(excess: float) -> None:
    assert so3.log((1.0 + excess) * np.eye(3)).tolist() == [0.0, 0.0, 0.0]
    half_turn = so3.log((1.0 + excess) * np.diag([-1.0, -1.0, 1.0]))
    np.testing.assert_allclose(np.abs(half_turn), [0.0, 0.0, PI], rtol=0, atol=1e-15)


@few
@given(VECTORS)
def test_exponential_agrees_with_an_independent_library(vector: Any) -> None:
    expected = Rotation.from_rotvec(vector).as_matrix()
    np.testing.assert_allclose(so3.exp(vector), expected, rtol=0, atol=2e-15)


@few
@given(VECTORS, VECTORS)
def test_logarithm_of_a_product_returns_the_product(x: Any, y: Any) -> None:
    product = so3.exp(x) @ so3.exp(y)
    again = so3.exp(so3.log(product))
    np.testing.assert_allclose(again, product, rtol=0, atol=1e-14)


@few
@given(VECTORS, VECTORS)
def test_hat_is_the_cross_product(x: Any, y: Any) -> None:
    np.testing.assert_allclose(so3.hat(x) @ y, np.cross(x, y), rtol=0, atol=1e-14)
    np.testing.assert_array_equal(so3.vee(so3.hat(x)), x)


@few
@given(VECTORS)
def test_left_operators_are_the_transposed_right_ones(vector: Any) -> None:
    right = so3.tangent_operator(vector)
    left = so3.left_tangent_operator(vector)
    np.testing.assert_allclose(left, right.T, rtol=0, atol=1e-15)
    np.testing.assert_allclose(so3.exp(vector) @ right, left, rtol=0, atol=1e-13)


@few
@given(VECTORS)
def test_operators_and_inverses_cancel(vector: Any) -> None:
    for product in (
        so3.tangent_operator(vector) @ so3.tangent_operator_inverse(vector),
        so3.left_tangent_operator(vector) @ so3.left_tangent_operator_inverse(vector),
    ):
        np.testing.assert_allclose(product, np.eye(3), rtol=0, atol=1e-13)


def test_functions_broadcast_over_leading_axes() -> None:
    vectors = np.random.default_rng(7).normal(size=(2, 5, 3))
    assert so3.exp(vectors).shape == (2, 5, 3, 3)
    assert so3.log(so3.exp(vectors)).shape == (2, 5, 3)
    assert so3.tangent_operator_inverse(vectors).shape == (2, 5, 3, 3)


def test_wrong_shape_is_refused() -> None:
    with pytest.raises(ModelError, match="rotation matrix"):
        so3.log(np.eye(4))
