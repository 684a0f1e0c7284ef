"""Rotations SO(3): rotation vectors and 3x3 matrices.

Every function broadcasts over leading axes; compose with ``@``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from . import _loops as loops
from . import quaternion
from ._loops import OPERATOR, ROTATION, TWIST, VECTOR, Array


def hat(vector: ArrayLike) -> Array:
    """Skew matrix of ``x -> vector x x``.

    Parameters
    ----------
    vector : (..., 3) array

    Returns
    -------
    (..., 3, 3) array
    """
    array = loops.as_kind(vector, VECTOR)
    skew = np.zeros((*array.shape, 3))
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        skew[..., k, j] = array[..., i]
        skew[..., j, k] = -array[..., i]
    return skew


def vee(skew: ArrayLike) -> Array:
    """Vector of a skew matrix: the inverse of `hat`.

    Parameters
    ----------
    skew : (..., 3, 3) array
        Only the three entries that `hat` fills with a plus sign are read.

    Returns
    -------
    (..., 3) array
    """
    array = loops.as_kind(skew, ROTATION)
    return np.stack((array[..., 2, 1], array[..., 0, 2], array[..., 1, 0]), axis=-1)


def exp(rotation_vector: ArrayLike) -> Array:
    """Rotation matrix of a rotation vector.

    Parameters
    ----------
    rotation_vector : (..., 3) array
        Axis times angle [rad]; any angle.

    Returns
    -------
    (..., 3, 3) array
    """
    return quaternion.to_matrix(quaternion.exp(rotation_vector))


def log(rotation: ArrayLike) -> Array:
    """Shortest rotation vector of a rotation matrix.

    Parameters
    ----------
    rotation : (..., 3, 3) array

    Returns
    -------
    (..., 3) array
        Axis times angle [rad], at most pi long.

    Notes
    -----
    Exact to rounding at every angle; at pi either of the two vectors. A matrix that is
    off by rounding is fine.
    """
    return quaternion.log(quaternion.from_matrix(rotation))


def tangent_operator(rotation_vector: ArrayLike) -> Array:
    """Right tangent operator of `exp`.

    Parameters
    ----------
    rotation_vector : (..., 3) array
        Axis times angle [rad]; any angle.

    Returns
    -------
    (..., 3, 3) array
        ``T`` with ``exp(w)^-1 d exp(w) = hat(T(w) dw)``.
    """
    twist = _turning(rotation_vector)
    return loops.map_rows(loops.tangent, OPERATOR, (twist, TWIST))[..., 3:, 3:]


def tangent_operator_inverse(rotation_vector: ArrayLike) -> Array:
    """Inverse of the right tangent operator.

    Parameters
    ----------
    rotation_vector : (..., 3) array
        Axis times angle [rad].

    Returns
    -------
    (..., 3, 3) array

    Notes
    -----
    Singular at the nonzero multiples of 2 pi.
    """
    twist = _turning(rotation_vector)
    return loops.map_rows(loops.tangent_inverse, OPERATOR, (twist, TWIST))[..., 3:, 3:]


def left_tangent_operator(rotation_vector: ArrayLike) -> Array:
    """Left tangent operator: ``d exp(w) exp(w)^-1 = hat(T(w) dw)``.

    Parameters
    ----------
    rotation_vector : (..., 3) array
        Axis times angle [rad]; any angle.

    Returns
    -------
    (..., 3, 3) array
        The right operator of ``-w``, and its transpose.
    """
    return tangent_operator(np.negative(rotation_vector))


def left_tangent_operator_inverse(rotation_vector: ArrayLike) -> Array:
    """Inverse of the left tangent operator.

    Parameters
    ----------
    rotation_vector : (..., 3) array
        Axis times angle [rad].

    Returns
    -------
    (..., 3, 3) array

    Notes
    -----
    Singular at the nonzero multiples of 2 pi.
    """
    return tangent_operator_inverse(np.negative(rotation_vector))


def _turning(rotation_vector: ArrayLike) -> Array:
    array = loops.as_kind(rotation_vector, VECTOR)
    return np.concatenate((np.zeros_like(array), array), axis=-1)
