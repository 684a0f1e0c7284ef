"""Adding element contributions straight into the residual and the CSC data."""

from __future__ import annotations

from .._jit import inline
from ..lie import _kernels as lie


@inline
def load_position(poses, i):
    return (poses[i, 0], poses[i, 1], poses[i, 2])


@inline
def load_quaternion(poses, i):
    return (poses[i, 3], poses[i, 4], poses[i, 5], poses[i, 6])


@inline
def load3(array, i, j):
    return (array[i, j], array[i, j + 1], array[i, j + 2])


@inline
def load9(array, i, j):
    return (
        array[i, j], array[i, j + 1], array[i, j + 2],
        array[i, j + 3], array[i, j + 4], array[i, j + 5],
        array[i, j + 6], array[i, j + 7], array[i, j + 8],
    )  # fmt: skip


@inline
def reach(poses, frame):
    """How far a frame is from the origin, which is what its place is rounded by."""
    p = load_position(poses, frame)
    return abs(p[0]) + abs(p[1]) + abs(p[2])


@inline
def increment_map(increments, frame):
    """``A, B`` of the map from local motion to increment, identity in statics."""
    u = load3(increments, frame, 0)
    w = load3(increments, frame, 3)
    c, e = lie.inverse_coefficients(lie.dot(w, w))
    return lie.tangent_inverse_blocks(u, w, c, e)
