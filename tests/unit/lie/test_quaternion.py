"""Unit quaternions against their defining products and an independent library."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.transform import Rotation

from femlie.lie import quaternion

VECTORS = arrays(np.float64, 3, elements=st.floats(-3.0, 3.0))
few = settings(max_examples=60, deadline=None, derandomize=True)


def close(given: Any, expected: Any) -> None:
    np.testing.assert_allclose(given, expected, rtol=0, atol=3e-15)


def test_units_multiply_by_the_rule_of_hamilton() -> None:
    one, i, j, k = np.eye(4)
    products = quaternion.multiply([i, j, k, i, j], [j, k, i, i, one])
    np.testing.assert_array_equal(products, [k, i, j, -one, j])


@few
@given(VECTORS, VECTORS)
def test_product_of_quaternions_is_the_product_of_rotations(x: Any, y: Any) -> None:
    p, q = quaternion.exp([x, y])
    product = quaternion.to_matrix(quaternion.multiply(p, q))
    close(product, quaternion.to_matrix(p) @ quaternion.to_matrix(q))


@few
@given(VECTORS)
def test_conjugate_is_the_inverse(vector: Any) -> None:
    q = quaternion.exp(vector)
    close(quaternion.multiply(q, quaternion.conjugate(q)), [1.0, 0.0, 0.0, 0.0])


@few
@given(VECTORS, VECTORS)
def test_quaternion_turns_a_vector_like_its_matrix(turn: Any, vector: Any) -> None:
    q = quaternion.exp(turn)
    close(quaternion.rotate(q, vector), quaternion.to_matrix(q) @ vector)


@few
@given(VECTORS)
def test_quaternion_agrees_with_an_independent_library(vector: Any) -> None:
    reference = Rotation.from_rotvec(vector)
    q = quaternion.exp(vector)
    close(quaternion.to_matrix(q), reference.as_matrix())
    expected = reference.as_quat(canonical=True, scalar_first=True)
    found = quaternion.from_matrix(reference.as_matrix())
    close(found * np.sign(found @ expected), expected)
    assert found[0] >= 0.0


@few
@given(VECTORS)
def test_both_signs_have_the_same_shortest_logarithm(vector: Any) -> None:
    q = quaternion.exp(vector)
    shortest = quaternion.log(q)
    assert np.linalg.norm(shortest) <= np.pi * (1.0 + 4e-16)
    close(quaternion.to_matrix(quaternion.exp(shortest)), quaternion.to_matrix(q))
    if abs(q[0]) > 1e-12:
        close(quaternion.log(-q), shortest)


def test_logarithm_of_minus_one_is_zero() -> None:
    assert quaternion.log([-1.0, 0.0, 0.0, 0.0]).tolist() == [0.0, 0.0, 0.0]


def test_normalized_quaternion_has_unit_length_and_the_same_direction() -> None:
    q = quaternion.normalize([[2.0, 0.0, 0.0, 0.0], [1.0, -1.0, 1.0, -1.0]])
    np.testing.assert_array_equal(q, [[1.0, 0, 0, 0], [0.5, -0.5, 0.5, -0.5]])


def test_one_quaternion_turns_many_vectors() -> None:
    quarter = quaternion.exp([0.0, 0.0, np.pi / 2])
    turned = quaternion.rotate(quarter, np.eye(3))
    close(turned, [[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
