"""Rigid motions SE(3): twists, 4x4 frames, and poses of seven numbers.

Every function broadcasts over leading axes; compose frames with ``@``. Twists hold the
translation first. A pose is a position and a unit quaternion, scalar part first.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from . import _loops as loops
from . import quaternion, so3
from ._loops import FRAME, OPERATOR, POSE, TWIST, Array

IDENTITY_POSE = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)


def hat(twist: ArrayLike) -> Array:
    """Matrix of a twist, ``[[hat(w), u], [0, 0]]``.

    Parameters
    ----------
    twist : (..., 6) array
        Translation ``u`` [m], then rotation ``w`` [rad].

    Returns
    -------
    (..., 4, 4) array
    """
    array = loops.as_kind(twist, TWIST)
    matrix = np.zeros((*array.shape[:-1], 4, 4))
    matrix[..., :3, :3] = so3.hat(array[..., 3:])
    matrix[..., :3, 3] = array[..., :3]
    return matrix


def vee(matrix: ArrayLike) -> Array:
    """Twist of a matrix made by `hat`.

    Parameters
    ----------
    matrix : (..., 4, 4) array

    Returns
    -------
    (..., 6) array
        Translation [m], then rotation [rad].
    """
    array = loops.as_kind(matrix, FRAME)
    return np.concatenate((array[..., :3, 3], so3.vee(array[..., :3, :3])), axis=-1)


def exp(twist: ArrayLike) -> Array:
    """Frame that is reached from the identity by a constant twist in unit time.

    Parameters
    ----------
    twist : (..., 6) array
        Translation [m], then rotation [rad]; any angle.

    Returns
    -------
    (..., 4, 4) array
    """
    return frame_from_pose(loops.map_rows(loops.pose_exp, POSE, (twist, TWIST)))


def log(frame: ArrayLike) -> Array:
    """Twist whose exponential is a frame, with the smallest rotation.

    Parameters
    ----------
    frame : (..., 4, 4) array

    Returns
    -------
    (..., 6) array
        Translation [m], then rotation [rad] of length at most pi.

    Notes
    -----
    Exact to rounding at every angle; at pi either of the two twists. A rotation part
    that is off by rounding is fine.
    """
    return relative_log(IDENTITY_POSE, pose_from_frame(frame))


def inverse(frame: ArrayLike) -> Array:
    """Inverse of a frame.

    Parameters
    ----------
    frame : (..., 4, 4) array

    Returns
    -------
    (..., 4, 4) array
    """
    array = loops.as_kind(frame, FRAME)
    result = np.zeros_like(array)
    turned = np.swapaxes(array[..., :3, :3], -1, -2)
    result[..., :3, :3] = turned
    result[..., :3, 3] = -(turned @ array[..., :3, 3:])[..., 0]
    result[..., 3, 3] = 1.0
    return result


def adjoint(frame: ArrayLike) -> Array:
    """Matrix that carries body twists to space: ``frame hat(x) frame^-1``.

    Parameters
    ----------
    frame : (..., 4, 4) array
        Rotation ``R`` and position ``p`` [m].

    Returns
    -------
    (..., 6, 6) array
        ``[[R, hat(p) R], [0, R]]``.
    """
    array = loops.as_kind(frame, FRAME)
    rotation = array[..., :3, :3]
    return _triangle(rotation, so3.hat(array[..., :3, 3]) @ rotation)


def ad(twist: ArrayLike) -> Array:
    """Matrix of the bracket with a twist: ``hat(ad(x) y) = hat(x) hat(y) - ...``.

    Parameters
    ----------
    twist : (..., 6) array
        Translation ``u`` [m], then rotation ``w`` [rad].

    Returns
    -------
    (..., 6, 6) array
        ``[[hat(w), hat(u)], [0, hat(w)]]``.
    """
    array = loops.as_kind(twist, TWIST)
    return _triangle(so3.hat(array[..., 3:]), so3.hat(array[..., :3]))


def tangent_operator(twist: ArrayLike) -> Array:
    """Right tangent operator of `exp`.

    Parameters
    ----------
    twist : (..., 6) array
        Translation [m], then rotation [rad]; any angle.

    Returns
    -------
    (..., 6, 6) array
        ``T`` with ``exp(n)^-1 d exp(n) = hat(T(n) dn)``: the body twist of ``exp(n)``
        is ``T(n) dn/dt``.

    Notes
    -----
    ``T(n) = sum_k (-ad(n))^k / (k + 1)!``; power series for rotations below 1 rad,
    closed form above.
    """
    return loops.map_rows(loops.tangent, OPERATOR, (twist, TWIST))


def tangent_operator_inverse(twist: ArrayLike) -> Array:
    """Inverse of the right tangent operator.

    Parameters
    ----------
    twist : (..., 6) array
        Translation [m], then rotation [rad].

    Returns
    -------
    (..., 6, 6) array

    Notes
    -----
    Singular at the rotations 2 pi, 4 pi, ...; partial fractions up to pi, closed form
    above.
    """
    return loops.map_rows(loops.tangent_inverse, OPERATOR, (twist, TWIST))


def left_tangent_operator(twist: ArrayLike) -> Array:
    """Left tangent operator: ``d exp(n) exp(n)^-1 = hat(T(n) dn)``.

    Parameters
    ----------
    twist : (..., 6) array
        Translation [m], then rotation [rad]; any angle.

    Returns
    -------
    (..., 6, 6) array
        The right operator of ``-n``, which is ``adjoint(exp(n))`` times that of ``n``.
    """
    return tangent_operator(np.negative(twist))


def left_tangent_operator_inverse(twist: ArrayLike) -> Array:
    """Inverse of the left tangent operator.

    Parameters
    ----------
    twist : (..., 6) array
        Translation [m], then rotation [rad].

    Returns
    -------
    (..., 6, 6) array

    Notes
    -----
    Singular at the rotations 2 pi, 4 pi, ...
    """
    return tangent_operator_inverse(np.negative(twist))


def tangent_operator_inverse_derivative(twist: ArrayLike, vector: ArrayLike) -> Array:
    """Derivative of ``tangent_operator_inverse(n) @ x`` in ``n`` at fixed ``x``.

    Parameters
    ----------
    twist : (..., 6) array
        ``n``: translation [m], then rotation [rad].
    vector : (..., 6) array
        ``x``: a twist.

    Returns
    -------
    (..., 6, 6) array

    Notes
    -----
    Singular at the rotations 2 pi, 4 pi, ...
    """
    return loops.map_rows(
        loops.tangent_inverse_derivative, OPERATOR, (twist, TWIST), (vector, TWIST)
    )


def tangent_operator_inverse_transposed_derivative(
    twist: ArrayLike, wrench: ArrayLike
) -> Array:
    """Derivative of ``tangent_operator_inverse(n).T @ s`` in ``n`` at fixed ``s``.

    Parameters
    ----------
    twist : (..., 6) array
        ``n``: translation [m], then rotation [rad].
    wrench : (..., 6) array
        ``s``: force [N], then moment [N m].

    Returns
    -------
    (..., 6, 6) array

    Notes
    -----
    Singular at the rotations 2 pi, 4 pi, ...
    """
    return loops.map_rows(
        loops.tangent_inverse_transposed_derivative,
        OPERATOR,
        (twist, TWIST),
        (wrench, TWIST),
    )


def pose_from_frame(frame: ArrayLike) -> Array:
    """Position and unit quaternion of a frame.

    Parameters
    ----------
    frame : (..., 4, 4) array

    Returns
    -------
    (..., 7) array
        Position [m], then a quaternion whose scalar part is not negative.
    """
    array = loops.as_kind(frame, FRAME)
    turn = quaternion.from_matrix(array[..., :3, :3])
    return np.concatenate((array[..., :3, 3], turn), axis=-1)


def frame_from_pose(pose: ArrayLike) -> Array:
    """Frame of a position and a unit quaternion.

    Parameters
    ----------
    pose : (..., 7) array
        Position [m], then unit quaternion.

    Returns
    -------
    (..., 4, 4) array
    """
    array = loops.as_kind(pose, POSE)
    frame = np.zeros((*array.shape[:-1], 4, 4))
    frame[..., :3, :3] = quaternion.to_matrix(array[..., 3:])
    frame[..., :3, 3] = array[..., :3]
    frame[..., 3, 3] = 1.0
    return frame


def compose_poses(first: ArrayLike, second: ArrayLike) -> Array:
    """Pose of the frame ``first @ second``.

    Parameters
    ----------
    first, second : (..., 7) array
        Position [m], then unit quaternion.

    Returns
    -------
    (..., 7) array
        The quaternion is normalized, so that long products stay rotations.
    """
    return loops.map_rows(loops.pose_multiply, POSE, (first, POSE), (second, POSE))


def inverse_pose(pose: ArrayLike) -> Array:
    """Pose of the inverse frame.

    Parameters
    ----------
    pose : (..., 7) array
        Position [m], then unit quaternion.

    Returns
    -------
    (..., 7) array
    """
    return loops.map_rows(loops.pose_inverse, POSE, (pose, POSE))


def relative_log(pose_a: ArrayLike, pose_b: ArrayLike) -> Array:
    """Twist that leads from one frame to another: ``log(A^-1 B)``.

    Parameters
    ----------
    pose_a, pose_b : (..., 7) array
        Position [m], then unit quaternion; either sign of a quaternion.

    Returns
    -------
    (..., 6) array
        Translation [m], then rotation [rad] of length at most pi.

    Notes
    -----
    The positions are subtracted first: nothing is lost far from the origin.
    """
    return loops.map_rows(loops.relative_log, TWIST, (pose_a, POSE), (pose_b, POSE))


def _triangle(diagonal: Array, corner: Array) -> Array:
    matrix = np.zeros((*diagonal.shape[:-2], 6, 6))
    matrix[..., :3, :3] = diagonal
    matrix[..., :3, 3:] = corner
    matrix[..., 3:, 3:] = diagonal
    return matrix
