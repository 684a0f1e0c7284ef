"""Kernels over all segments: chords, how far these have moved, and contact parts."""

from __future__ import annotations

import math

from .._jit import inline, kernel, routine
from ..elements._scatter import load3, load_position, load_quaternion
from ..lie import _kernels as lie
from ._segments import load4, moved


@inline
def section_in_space(poses, sections, i, end):
    """Place and turn of the section at one end of segment i.

    ``sections``: frames and offsets of segments, and which of these are not zero.
    """
    frames, offsets, has_offsets = sections
    frame = frames[i, end]
    pose = load_position(poses, frame), load_quaternion(poses, frame)
    if not has_offsets[i]:
        return pose
    return moved(pose, load3(offsets[i], end, 0), load4(offsets[i], end, 3))


@kernel
def find_chords(poses, sections, lengths, ends, bows):
    """Places (n, 2, 3) of both ends, and how far each axis is from its chord (n,).

    That is the height of an arc over its chord: length times angle over 8.
    """
    for i in range(lengths.shape[0]):
        p, q = section_in_space(poses, sections, i, 0)
        end, turn = section_in_space(poses, sections, i, 1)
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


@routine
def part_of_pair(first, second, one, other):
    """Number of the lowest common bit of a pair, and whether ``one`` is what it names.

    ``first`` and ``second`` are bits of the contact parts that name a segment first,
    and second.
    """
    forward = first[one] & second[other]
    bits = forward | (second[one] & first[other])
    part = 0
    if bits == 0:
        return part, False
    while not bits & 1:
        bits >>= 1
        forward >>= 1
        part += 1
    return part, forward & 1 != 0


@kernel
def find_parts(first, second, one, other, parts, is_forward):
    """The same of pairs ``one, other`` (n,)."""
    for k in range(one.shape[0]):
        parts[k], is_forward[k] = part_of_pair(first, second, one[k], other[k])
