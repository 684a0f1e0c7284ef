"""One coordinate of a joint and its gradient, from the poses of both frames.

For what looks at few joints, once a step or less: starts and hard stops. Kernels have
the same in `_joint_rows`.
"""

from __future__ import annotations

import math

import numpy as np

from ..lie import se3
from .base import Array
from .joint_row import RowKind

FULL_TURN = 2.0 * math.pi


def joint_coordinate(
    poses: Array, offsets: Array, kind: RowKind, axis: int, near: float
) -> tuple[float, Array]:
    """Place along an axis of the parent's joint frame, or angle about the third one.

    Parameters
    ----------
    poses, offsets : (2, 7) arrays
        Of the frames of parent and child, and of the joint frames in these.
    kind : RowKind
        ``COMPONENT`` or ``ANGLE``.
    axis : int
        Of a component, counted from 0.
    near : float
        An angle is within half a turn of this one [rad].

    Returns
    -------
    value : float [m or rad]
    gradient : (12,) array
        Over local motions of parent and child, translations first: its product with
        their velocities is the rate.

    References
    ----------
    Sonneville and Bruels 2014 (joints by relative frames).
    """
    frames = se3.frame_from_pose(poses)
    own = se3.frame_from_pose(offsets)
    child_in_parent = se3.inverse(frames[0]) @ frames[1] @ own[1]
    relative = se3.inverse(own[0]) @ child_in_parent
    turn = relative[:3, :3]
    gradient = np.zeros(6)
    if kind is RowKind.ANGLE:
        sine, cosine = turn[1, 0] - turn[0, 1], turn[0, 0] + turn[1, 1]
        value = math.atan2(sine, cosine)
        value += FULL_TURN * math.floor((near - value) / FULL_TURN + 0.5)
        square = sine * sine + cosine * cosine
        # derivative by the entries of the rotation, then by a local turn
        slopes = np.zeros((3, 3))
        slopes[1, 0], slopes[0, 1] = cosine / square, -cosine / square
        slopes[0, 0] = slopes[1, 1] = -sine / square
        a = turn.T @ slopes
        gradient[3:] = a[2, 1] - a[1, 2], a[0, 2] - a[2, 0], a[1, 0] - a[0, 1]
    else:
        value = float(relative[axis, 3])
        gradient[:3] = turn[axis]
    both = [
        -gradient @ se3.adjoint(se3.inverse(child_in_parent)),
        gradient @ se3.adjoint(se3.inverse(own[1])),
    ]
    return value, np.concatenate(both)
