"""Laws of the group of rigid motions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.linalg import expm

from femlie.errors import ModelError
from femlie.lie import se3

TWISTS = arrays(np.float64, 6, elements=st.floats(-3.0, 3.0))
TURN = np.linalg.norm
few = settings(max_examples=60, deadline=None, derandomize=True)


def close(given: Any, expected: Any, tolerance: float = 1e-13) -> None:
    scale = max(1.0, float(np.abs(expected).max()))
    np.testing.assert_allclose(given, expected, rtol=0, atol=tolerance * scale)


@few
@given(TWISTS)
def test_exponential_equals_the_matrix_exponential(twist: Any) -> None:
    close(se3.exp(twist), expm(se3.hat(twist)), 1e-12)


@few
@given(TWISTS)
def test_inverse_is_the_exponential_of_the_opposite_twist(twist: Any) -> None:
    frame = se3.exp(twist)
    close(se3.inverse(frame), se3.exp(-twist))
    close(se3.inverse(frame) @ frame, np.eye(4))


@few
@given(TWISTS, TWISTS, TWISTS)
def test_poses_compose_like_frames(x: Any, y: Any, z: Any) -> None:
    frames = se3.exp([x, y, z])
    poses = se3.pose_from_frame(frames)
    right = se3.compose_poses(poses[0], se3.compose_poses(poses[1], poses[2]))
    left = se3.compose_poses(se3.compose_poses(poses[0], poses[1]), poses[2])
    product = frames[0] @ frames[1] @ frames[2]
    close(se3.frame_from_pose(left), product)
    close(se3.frame_from_pose(right), product)


@few
@given(TWISTS)
def test_inverse_pose_is_the_pose_of_the_inverse(twist: Any) -> None:
    pose = se3.pose_from_frame(se3.exp(twist))
    inverse = se3.inverse_pose(pose)
    close(se3.frame_from_pose(inverse), se3.exp(-twist))
    close(se3.compose_poses(pose, inverse), se3.IDENTITY_POSE)


@few
@given(TWISTS)
def test_frame_returns_from_its_pose(twist: Any) -> None:
    frame = se3.exp(twist)
    close(se3.frame_from_pose(se3.pose_from_frame(frame)), frame, 1e-14)


@few
@given(TWISTS, TWISTS)
def test_relative_logarithm_leads_from_one_pose_to_the_other(x: Any, y: Any) -> None:
    frames = se3.exp([x, y])
    poses = se3.pose_from_frame(frames)
    step = se3.relative_log(poses[0], poses[1])
    assert TURN(step[3:]) <= np.pi + 1e-15
    close(frames[0] @ se3.exp(step), frames[1], 1e-13)


def test_relative_logarithm_ignores_the_sign_of_a_quaternion() -> None:
    rng = np.random.default_rng(3)
    a, b = se3.pose_from_frame(se3.exp(rng.normal(size=(2, 20, 6))))
    flipped = b * np.array([1.0, 1, 1, -1, -1, -1, -1])
    close(se3.relative_log(a, flipped), se3.relative_log(a, b), 1e-15)


def test_relative_logarithm_keeps_its_digits_far_from_the_origin() -> None:
    a = np.array([2.0**40, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
    b = np.array([2.0**40 + 0.25, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
    assert se3.relative_log(a, b).tolist() == [0.25, 0.0, 0.0, 0.0, 0.0, 0.0]


def test_long_products_of_poses_stay_rotations() -> None:
    step = se3.pose_from_frame(se3.exp([0.1, 0.2, 0.3, 0.4, 0.5, 0.6]))
    pose = np.array(se3.IDENTITY_POSE)
    for _ in range(2000):
        pose = se3.compose_poses(pose, step)
    assert abs(np.linalg.norm(pose[3:]) - 1.0) < 4e-16


@few
@given(TWISTS, TWISTS)
def test_adjoint_of_a_product_is_the_product_of_adjoints(x: Any, y: Any) -> None:
    a, b = se3.exp([x, y])
    close(se3.adjoint(a @ b), se3.adjoint(a) @ se3.adjoint(b))
    close(se3.adjoint(se3.inverse(a)) @ se3.adjoint(a), np.eye(6))


@few
@given(TWISTS, TWISTS)
def test_adjoint_conjugates_the_matrix_of_a_twist(x: Any, y: Any) -> None:
    frame = se3.exp(x)
    conjugated = frame @ se3.hat(y) @ se3.inverse(frame)
    close(se3.hat(se3.adjoint(frame) @ y), conjugated)


@few
@given(TWISTS)
def test_adjoint_of_the_exponential_is_the_exponential_of_ad(twist: Any) -> None:
    close(se3.adjoint(se3.exp(twist)), expm(se3.ad(twist)), 1e-12)


@few
@given(TWISTS, TWISTS)
def test_ad_is_the_commutator(x: Any, y: Any) -> None:
    a, b = se3.hat([x, y])
    close(se3.hat(se3.ad(x) @ y), a @ b - b @ a)
    close(se3.ad(x) @ y, -se3.ad(y) @ x)


@few
@given(TWISTS)
def test_vee_inverts_hat(twist: Any) -> None:
    np.testing.assert_array_equal(se3.vee(se3.hat(twist)), twist)


@few
@given(TWISTS)
def test_tangent_operators_and_inverses_cancel(twist: Any) -> None:
    # no twist here turns by more than 3 sqrt(3) = 5.2, short of the pole at 2 pi
    close(se3.tangent_operator(twist) @ se3.tangent_operator_inverse(twist), np.eye(6))
    left = se3.left_tangent_operator(twist)
    close(left @ se3.left_tangent_operator_inverse(twist), np.eye(6))


@few
@given(TWISTS)
def test_left_tangent_operator_is_the_adjoint_times_the_right_one(twist: Any) -> None:
    carried = se3.adjoint(se3.exp(twist)) @ se3.tangent_operator(twist)
    close(se3.left_tangent_operator(twist), carried)


@few
@given(TWISTS, TWISTS)
def test_tangent_operators_give_the_velocity_of_the_exponential(
    twist: Any, rate: Any
) -> None:
    step = 1e-5
    ahead, behind = se3.exp([twist + step * rate, twist - step * rate])
    velocity = (ahead - behind) / (2.0 * step)
    back = se3.exp(-twist)
    close(se3.hat(se3.tangent_operator(twist) @ rate), back @ velocity, 1e-7)
    close(se3.hat(se3.left_tangent_operator(twist) @ rate), velocity @ back, 1e-7)


@few
@given(TWISTS)
def test_tangent_operators_leave_their_own_twist(twist: Any) -> None:
    close(se3.tangent_operator(twist) @ twist, twist)
    close(se3.tangent_operator_inverse(twist) @ twist, twist)


FRAME_FUNCTIONS = [se3.log, se3.inverse, se3.adjoint, se3.pose_from_frame, se3.vee]
TWIST_FUNCTIONS = [
    se3.exp,
    se3.hat,
    se3.ad,
    se3.tangent_operator,
    se3.tangent_operator_inverse,
    se3.left_tangent_operator,
    se3.left_tangent_operator_inverse,
]
POSE_FUNCTIONS = [se3.frame_from_pose, se3.inverse_pose]


@pytest.mark.parametrize(
    ("function", "kind"),
    [(function, "frame") for function in FRAME_FUNCTIONS]
    + [(function, "twist") for function in TWIST_FUNCTIONS]
    + [(function, "pose") for function in POSE_FUNCTIONS],
)
def test_function_of_one_argument_works_row_by_row(function: Any, kind: str) -> None:
    twists = np.random.default_rng(4).normal(size=(2, 3, 6))
    values = twists
    if kind != "twist":
        values = se3.exp(twists)
    if kind == "pose":
        values = se3.pose_from_frame(values)
    result = function(values)
    assert result.shape[:2] == (2, 3)
    for i in range(2):
        for j in range(3):
            np.testing.assert_allclose(result[i, j], function(values[i, j]), atol=1e-15)
    assert function(values[:0]).shape == (0, *result.shape[1:])


@pytest.mark.parametrize("function", [se3.compose_poses, se3.relative_log])
def test_functions_of_two_poses_broadcast(function: Any) -> None:
    twists = np.random.default_rng(5).normal(size=(4, 6))
    poses = se3.pose_from_frame(se3.exp(twists))
    table = function(poses[:, None], poses[:3])
    assert table.shape[:2] == (4, 3)
    np.testing.assert_array_equal(table[3, 1], function(poses[3], poses[1]))


def test_arguments_are_left_as_they_were() -> None:
    twist = np.arange(6.0)
    twist.setflags(write=False)
    frame = se3.exp(twist)
    frame.setflags(write=False)
    se3.inverse(frame)
    se3.log(frame)
    np.testing.assert_array_equal(twist, np.arange(6.0))


def test_wrong_shape_is_refused_with_the_shape_expected() -> None:
    with pytest.raises(ModelError, match=r"twist .* \(3,\); .* \(6,\)"):
        se3.exp([1.0, 2.0, 3.0])
