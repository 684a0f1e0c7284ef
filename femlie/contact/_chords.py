"""Kernels over all segments: chords, how far these have moved, and contact parts."""

from __future__ import annotations

import math

from .._jit import kernel, routine
from ..elements._scatter import load3, load_position, load_quaternion
from ..lie import _kernels as lie
from ._segments import load4, moved


@routine
def section_in_space(poses, frame, offsets, i, end):
    """Place and turn of the section at one end of segment i."""
    pose = load_position(poses, frame), load_quaternion(poses, frame)
    return moved(pose, load3(offsets[i], end, 0), load4(offsets[i], end, 3))


@kernel
def find_chords(poses, frames, offsets, lengths, ends, bows):
    """Places (n, 2, 3) of both ends, and how far each axis is from its chord (n,).

    That is the height of an arc over its chord: length times angle over 8.
    """
    for i in range(frames.shape[0]):
        p, q = section_in_space(poses, frames[i, 0], offsets, i, 0)
        end, turn = section_in_space(poses, frames[i, 1], offsets, i, 1)
        for k in range(3):
            ends[i, 0, k], ends[i, 1, k] = p[k], end[k]
        turn = lie.quaternion_multiply(lie.quaternion_conjugate(q), turn)
        bows[i] = lengths[i] * lie.norm(lie.quaternion_log(turn)) / 8.0


@kernel
def largest_way(before, after, more):
    """Farthest that ends of segments (n, 2, 3) have gone, with ``more`` (n,); or 0."""
    most = 0.0
    for i in range(before.shape[0]):
        square = 0.0
        for end in range(2):
            x = after[i, end, 0] - before[i, end, 0]
            y = after[i, end, 1] - before[i, end, 1]
            z = after[i, end, 2] - before[i, end, 2]
            square = max(square, x * x + y * y + z * z)
        most = max(most, math.sqrt(square) + more[i])
    return most


@kernel
def find_parts(first, second, one, other, parts, is_forward):
    """Number of the lowest common bit of pairs, and whether ``one`` is what it names.

    Parameters
    ----------
    first, second : (n_segments,) int arrays
        Bits of the contact parts that name a segment first, and second.
    one, other : (n,) int arrays
    parts : (n,) int array
    is_forward : (n,) bool array
    """
    for k in range(one.shape[0]):
        forward = first[one[k]] & second[other[k]]
        bits = forward | (second[one[k]] & first[other[k]])
        parts[k] = 0
        is_forward[k] = False
        if bits == 0:
            continue
        while not bits & 1:
            bits >>= 1
            forward >>= 1
            parts[k] += 1
        is_forward[k] = forward & 1 != 0
