"""What moves in a step of generalized-alpha, whatever the numbers of the method."""

from __future__ import annotations

from .._equations import copy_rows
from .._groups import SO3_R3
from .._jit import routine


@routine
def keep_places(groups, poses, increments, before):
    """What the change of the increments in a move is counted from.

    Of a frame on SO(3) x R^3 the translation is the way that its place goes.
    """
    copy_rows(before, increments)
    for i in range(groups.shape[0]):
        if groups[i] == SO3_R3:
            for k in range(3):
                before[i, k] = poses[i, k]


@routine
def correct(groups, motion, before, speeds, rates, to_speed, to_rate):
    """Velocities and accelerations follow the change of the increments."""
    for i in range(groups.shape[0]):
        for k in range(6):
            change = motion.increments[i, k] - before[i, k]
            if k < 3 and groups[i] == SO3_R3:
                change = motion.poses[i, k] - before[i, k]
            speeds[i, k] += to_speed * change
            rates[i, k] += to_rate * change


@routine
def scale(array, first, last, factor, divisor):
    """Scale a part of an array; ``*=`` on a slice takes a second to compile."""
    for k in range(first, last):
        array[k] = factor * array[k] / divisor


@routine
def second_rhs(rhs, place, row, data, indptr, indices, first):
    """``(0; -(Phi + B x))`` with ``x`` the first correction."""
    n = rhs.shape[0]
    for i in range(first):
        rhs[i] = 0.0
    for i in range(first, n):
        rhs[i] = -place[i - first]
    for j in range(first):
        x = row[j]
        for p in range(indptr[j], indptr[j + 1]):
            i = indices[p]
            if i >= first:
                rhs[i] -= data[p] * x


@routine
def watch_multipliers(multipliers, old_multipliers, alternation):
    """Count how often each multiplier turned back, again and again, by a large step."""
    for k in range(multipliers.shape[0]):
        change = multipliers[k] - old_multipliers[k]
        last = alternation[0, k]
        if change * last < 0.0 and abs(change) > abs(last) * 0.8:
            alternation[1, k] += 1.0
        else:
            alternation[1, k] = 0.0
        alternation[0, k] = change
