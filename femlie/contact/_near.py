"""Distances of many points to one rigid shape."""

from __future__ import annotations

from .._jit import kernel
from ..elements._scatter import load3, load_position, load_quaternion
from ..lie import _kernels as lie
from ._segments import load4, moved
from ._triangles import to_shape


@kernel
def see(poses, frame, offsets, one, points, found):
    """Points (n, 3) in the axes of a shape, of poses ``offsets[one]`` in its frame."""
    pose = load_position(poses, frame), load_quaternion(poses, frame)
    place, turn = moved(pose, load3(offsets, one, 0), load4(offsets, one, 3))
    back = lie.quaternion_conjugate(turn)
    for k in range(points.shape[0]):
        y = lie.quaternion_rotate(back, lie.subtract(load3(points, k, 0), place))
        for j in range(3):
            found[k, j] = y[j]


@kernel
def distances(parameters, at, points, found):
    """Signed distances of points (n, 3) in the axes of the shape that begins there.

    ``parameters`` has the table behind its columns, as a contact block.
    """
    for k in range(points.shape[0]):
        found[k] = to_shape(parameters, at, (points[k, 0], points[k, 1], points[k, 2]))[
            0
        ]


@kernel
def derivatives(parameters, at, points, found):
    """Distance, gradient and second derivatives (n, 13) of points."""
    for k in range(points.shape[0]):
        y = (points[k, 0], points[k, 1], points[k, 2])
        d, n, bend, _ = to_shape(parameters, at, y)
        found[k, 0] = d
        for j in range(3):
            found[k, 1 + j] = n[j]
        for j in range(9):
            found[k, 4 + j] = bend[j]
