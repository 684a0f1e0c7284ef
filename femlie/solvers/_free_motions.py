"""Rigid motions of some frames, seen from each of them."""

from __future__ import annotations

from .._jit import inline, kernel
from ..elements._scatter import load_position, load_quaternion
from ..lie import _kernels as lie


@inline
def column(matrix, k):
    return (matrix[0, k], matrix[1, k], matrix[2, k])


@kernel
def local_motions(poses, frames, center, motions, takes_part, found):
    """Motions in the axes of each frame, of what takes part.

    Parameters
    ----------
    poses : (n_frames, 7) array
    frames : (n,) int array
    center : (3,) array
        A point that turns are about [m].
    motions : two (3, m) arrays
        Translations, and turns, in world axes.
    takes_part : (n, 6) bool array
    found : (n_unknowns, m) array
        One row for each direction that takes part.
    """
    ways, turns = motions
    about = (center[0], center[1], center[2])
    at = 0
    for i in range(frames.shape[0]):
        back = lie.quaternion_conjugate(load_quaternion(poses, frames[i]))
        arm = lie.subtract(load_position(poses, frames[i]), about)
        n = 0
        for k in range(found.shape[1]):
            turn = column(turns, k)
            way = lie.add(column(ways, k), lie.cross(turn, arm))
            way = lie.quaternion_rotate(back, way)
            turn = lie.quaternion_rotate(back, turn)
            n = 0
            for j in range(3):
                if takes_part[i, j]:
                    found[at + n, k] = way[j]
                    n += 1
            for j in range(3):
                if takes_part[i, 3 + j]:
                    found[at + n, k] = turn[j]
                    n += 1
        at += n
