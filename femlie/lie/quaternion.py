"""Unit quaternions, scalar part first; ``q`` and ``-q`` are the same rotation.

Every function broadcasts over leading axes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from . import _loops as loops
from ._loops import QUATERNION, ROTATION, VECTOR, Array


def multiply(left: ArrayLike, right: ArrayLike) -> Array:
    """Product of two quaternions: the rotation ``right``, then ``left``.

    Parameters
    ----------
    left, right : (..., 4) array
        Quaternions, not necessarily of unit length.

    Returns
    -------
    (..., 4) array
        ``left right``; not normalized.
    """
    return loops.map_rows(
        loops.quaternion_multiply, QUATERNION, (left, QUATERNION), (right, QUATERNION)
    )


def conjugate(quaternion: ArrayLike) -> Array:
    """Conjugate, which is the inverse rotation of a unit quaternion.

    Parameters
    ----------
    quaternion : (..., 4) array

    Returns
    -------
    (..., 4) array
    """
    return loops.as_kind(quaternion, QUATERNION) * (1.0, -1.0, -1.0, -1.0)


def normalize(quaternion: ArrayLike) -> Array:
    """Quaternion of unit length in the same direction.

    Parameters
    ----------
    quaternion : (..., 4) array
        Not zero.

    Returns
    -------
    (..., 4) array
    """
    array = loops.as_kind(quaternion, QUATERNION)
    return np.asarray(array / np.linalg.norm(array, axis=-1, keepdims=True))


def rotate(quaternion: ArrayLike, vector: ArrayLike) -> Array:
    """Turn vectors by unit quaternions.

    Parameters
    ----------
    quaternion : (..., 4) array
        Unit quaternions.
    vector : (..., 3) array
        Any unit.

    Returns
    -------
    (..., 3) array
        ``R(quaternion) @ vector``.
    """
    return loops.map_rows(
        loops.quaternion_rotate, VECTOR, (quaternion, QUATERNION), (vector, VECTOR)
    )


def from_matrix(rotation: ArrayLike) -> Array:
    """Unit quaternion of a rotation matrix.

    Parameters
    ----------
    rotation : (..., 3, 3) array
        Rotation matrices.

    Returns
    -------
    (..., 4) array
        Scalar part not negative.

    Notes
    -----
    Exact to rounding at every angle, half turns included, where the sign of the axis
    is arbitrary. A matrix that is off by rounding (trace above 3 or below -1) is fine.

    References
    ----------
    Shepperd, Quaternion from rotation matrix, J. Guidance and Control 1 (1978).
    """
    return loops.map_rows(
        loops.quaternion_from_matrix, QUATERNION, (rotation, ROTATION)
    )


def to_matrix(quaternion: ArrayLike) -> Array:
    """Rotation matrix of a unit quaternion.

    Parameters
    ----------
    quaternion : (..., 4) array
        Unit quaternions.

    Returns
    -------
    (..., 3, 3) array
    """
    return loops.map_rows(
        loops.matrix_from_quaternion, ROTATION, (quaternion, QUATERNION)
    )


def exp(rotation_vector: ArrayLike) -> Array:
    """Unit quaternion of a rotation vector.

    Parameters
    ----------
    rotation_vector : (..., 3) array
        Axis times angle [rad].

    Returns
    -------
    (..., 4) array
    """
    return loops.map_rows(loops.quaternion_exp, QUATERNION, (rotation_vector, VECTOR))


def log(quaternion: ArrayLike) -> Array:
    """Shortest rotation vector of a unit quaternion.

    Parameters
    ----------
    quaternion : (..., 4) array
        Unit quaternions; ``q`` and ``-q`` give the same.

    Returns
    -------
    (..., 3) array
        Axis times angle [rad], at most pi long.
    """
    return loops.map_rows(loops.quaternion_log, VECTOR, (quaternion, QUATERNION))
