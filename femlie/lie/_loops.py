"""Compiled loops over rows, one an operation, and the broadcasting around them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._jit import inline, kernel
from ..errors import ModelError
from . import _kernels as lie

Array = NDArray[np.float64]


class Kind(NamedTuple):
    """What an argument is called, and the shape of its last axes."""

    name: str
    shape: tuple[int, ...]


VECTOR = Kind("vector", (3,))
ROTATION = Kind("rotation matrix", (3, 3))
QUATERNION = Kind("quaternion", (4,))
TWIST = Kind("twist", (6,))
FRAME = Kind("frame", (4, 4))
POSE = Kind("pose", (7,))
OPERATOR = Kind("operator", (6, 6))


def as_kind(values: ArrayLike, kind: Kind) -> Array:
    """Array of floats whose last axes have the shape of ``kind``."""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim < len(kind.shape) or array.shape[-len(kind.shape) :] != kind.shape:
        message = (
            f"A {kind.name} was given as an array of shape {array.shape}; "
            f"its last axes must be {kind.shape}."
        )
        raise ModelError(message)
    return array


def map_rows(
    loop: Callable[..., None], result: Kind, *arguments: tuple[ArrayLike, Kind]
) -> Array:
    """Broadcast the leading axes of the arguments and run one loop over the rows."""
    arrays = [(as_kind(values, kind), kind.shape) for values, kind in arguments]
    leading = np.broadcast_shapes(
        *(array.shape[: array.ndim - len(shape)] for array, shape in arrays)
    )
    flat: list[Any] = []
    for array, shape in arrays:
        # a fresh array: contiguous and writable, so that each loop compiles once
        rows = np.empty(leading + shape)
        rows[...] = array
        flat.append(rows.reshape((-1, *shape)))
    out = np.empty(leading + result.shape)
    loop(*flat, out.reshape((-1, *result.shape)))
    return out


@inline
def triple(rows, i, start):  # type: ignore[no-untyped-def]
    return (rows[i, start], rows[i, start + 1], rows[i, start + 2])


@inline
def quadruple(rows, i, start):  # type: ignore[no-untyped-def]
    return (
        rows[i, start],
        rows[i, start + 1],
        rows[i, start + 2],
        rows[i, start + 3],
    )


@inline
def store_triple(rows, i, start, v):  # type: ignore[no-untyped-def]
    rows[i, start] = v[0]
    rows[i, start + 1] = v[1]
    rows[i, start + 2] = v[2]


@inline
def store_quadruple(rows, i, start, q):  # type: ignore[no-untyped-def]
    rows[i, start] = q[0]
    rows[i, start + 1] = q[1]
    rows[i, start + 2] = q[2]
    rows[i, start + 3] = q[3]


@inline
def store_block(matrices, i, row, column, m):  # type: ignore[no-untyped-def]
    matrices[i, row, column] = m[0]
    matrices[i, row, column + 1] = m[1]
    matrices[i, row, column + 2] = m[2]
    matrices[i, row + 1, column] = m[3]
    matrices[i, row + 1, column + 1] = m[4]
    matrices[i, row + 1, column + 2] = m[5]
    matrices[i, row + 2, column] = m[6]
    matrices[i, row + 2, column + 1] = m[7]
    matrices[i, row + 2, column + 2] = m[8]


@inline
def store_triangle(matrices, i, a, b):  # type: ignore[no-untyped-def]
    """``[[a, b], [0, a]]``."""
    store_block(matrices, i, 0, 0, a)
    store_block(matrices, i, 0, 3, b)
    store_block(matrices, i, 3, 0, lie.ZERO33)
    store_block(matrices, i, 3, 3, a)


@kernel
def quaternion_multiply(left: Array, right: Array, product: Array) -> None:
    for i in range(len(product)):
        q = lie.quaternion_multiply(quadruple(left, i, 0), quadruple(right, i, 0))
        store_quadruple(product, i, 0, q)


@kernel
def quaternion_rotate(quaternions: Array, vectors: Array, turned: Array) -> None:
    for i in range(len(turned)):
        x = lie.quaternion_rotate(quadruple(quaternions, i, 0), triple(vectors, i, 0))
        store_triple(turned, i, 0, x)


@kernel
def quaternion_exp(vectors: Array, quaternions: Array) -> None:
    for i in range(len(vectors)):
        q = lie.quaternion_exp(triple(vectors, i, 0))
        store_quadruple(quaternions, i, 0, q)


@kernel
def quaternion_log(quaternions: Array, vectors: Array) -> None:
    for i in range(len(vectors)):
        w = lie.quaternion_log(quadruple(quaternions, i, 0))
        store_triple(vectors, i, 0, w)


@kernel
def matrix_from_quaternion(quaternions: Array, matrices: Array) -> None:
    for i in range(len(matrices)):
        r = lie.rotation_matrix(quadruple(quaternions, i, 0))
        store_block(matrices, i, 0, 0, r)


@kernel
def quaternion_from_matrix(matrices: Array, quaternions: Array) -> None:
    for i in range(len(matrices)):
        x = (matrices[i, 0, 0], matrices[i, 0, 1], matrices[i, 0, 2])
        y = (matrices[i, 1, 0], matrices[i, 1, 1], matrices[i, 1, 2])
        z = (matrices[i, 2, 0], matrices[i, 2, 1], matrices[i, 2, 2])
        q = lie.quaternion_from_matrix(x + y + z)
        store_quadruple(quaternions, i, 0, q)


@kernel
def pose_exp(twists: Array, poses: Array) -> None:
    for i in range(len(twists)):
        w = triple(twists, i, 3)
        p = lie.exp_translation(triple(twists, i, 0), w)
        store_triple(poses, i, 0, p)
        store_quadruple(poses, i, 3, lie.quaternion_exp(w))


@kernel
def pose_multiply(left: Array, right: Array, product: Array) -> None:
    for i in range(len(product)):
        q = quadruple(left, i, 3)
        p = lie.add(triple(left, i, 0), lie.quaternion_rotate(q, triple(right, i, 0)))
        q = lie.quaternion_multiply(q, quadruple(right, i, 3))
        store_triple(product, i, 0, p)
        store_quadruple(product, i, 3, lie.quaternion_normalize(q))


@kernel
def pose_inverse(poses: Array, inverses: Array) -> None:
    for i in range(len(poses)):
        q = lie.quaternion_conjugate(quadruple(poses, i, 3))
        p = lie.quaternion_rotate(q, lie.scale(-1.0, triple(poses, i, 0)))
        store_triple(inverses, i, 0, p)
        store_quadruple(inverses, i, 3, q)


@kernel
def relative_log(poses_a: Array, poses_b: Array, twists: Array) -> None:
    for i in range(len(twists)):
        q = lie.quaternion_conjugate(quadruple(poses_a, i, 3))
        p = lie.quaternion_rotate(
            q, lie.subtract(triple(poses_b, i, 0), triple(poses_a, i, 0))
        )
        w = lie.quaternion_log(lie.quaternion_multiply(q, quadruple(poses_b, i, 3)))
        c, _ = lie.inverse_coefficients(lie.dot(w, w))
        u = lie.log_translation(p, w, c)
        store_triple(twists, i, 0, u)
        store_triple(twists, i, 3, w)


@kernel
def tangent(twists: Array, operators: Array) -> None:
    for i in range(len(twists)):
        a, b = lie.tangent_blocks(triple(twists, i, 0), triple(twists, i, 3))
        store_triangle(operators, i, a, b)


@kernel
def tangent_inverse(twists: Array, operators: Array) -> None:
    for i in range(len(twists)):
        w = triple(twists, i, 3)
        c, e, _ = lie.inverse_coefficients_beyond(lie.dot(w, w))
        a, b = lie.tangent_inverse_blocks(triple(twists, i, 0), w, c, e)
        store_triangle(operators, i, a, b)


@kernel
def tangent_inverse_derivative(twists: Array, vectors: Array, out: Array) -> None:
    """``d(A x + B y)/d(u, w)`` above ``d(A y)/d(u, w)``; ``B`` is ``dA/dw . u``."""
    for i in range(len(twists)):
        u = triple(twists, i, 0)
        w = triple(twists, i, 3)
        x = triple(vectors, i, 0)
        y = triple(vectors, i, 3)
        c, e, f = lie.inverse_coefficients_beyond(lie.dot(w, w))
        a = lie.rotation_derivative(1.0, w, y, c, e)
        b = lie.matrix_add(
            lie.rotation_derivative(1.0, w, x, c, e),
            lie.second_rotation_derivative(w, y, u, c, e, f),
        )
        store_triangle(out, i, a, b)


@kernel
def tangent_inverse_transposed_derivative(
    twists: Array, wrenches: Array, out: Array
) -> None:
    """``d(A^T f)/d(u, w)`` above ``d(B^T f + A^T m)/d(u, w)``."""
    for i in range(len(twists)):
        u = triple(twists, i, 0)
        w = triple(twists, i, 3)
        force = triple(wrenches, i, 0)
        moment = triple(wrenches, i, 3)
        c, e, f = lie.inverse_coefficients_beyond(lie.dot(w, w))
        a = lie.rotation_derivative(-1.0, w, force, c, e)
        b = lie.matrix_add(
            lie.rotation_derivative(-1.0, w, moment, c, e),
            lie.second_rotation_derivative(w, force, u, c, e, f),
        )
        store_block(out, i, 0, 0, lie.ZERO33)
        store_block(out, i, 0, 3, a)
        store_block(out, i, 3, 0, a)
        store_block(out, i, 3, 3, b)
