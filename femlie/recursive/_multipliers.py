"""Multipliers of the joints along a tree, which its recursions do not need."""

from __future__ import annotations

import math

from .._jit import routine
from ..elements._scatter import load_position, load_quaternion
from ..lie import _kernels as lie

# columns of Whole.held
BODY, N_MULTIPLIERS, FIRST_MULTIPLIER = range(3)


@routine
def joint_multipliers(tree, whole, wrenches):
    """Multipliers of the tree's joints from the wrenches that they carry.

    Least squares of ``B^T lambda = -f`` in the joint frame, where the rows' gradients
    are nearly orthogonal.
    """
    held, slots, data = whole.held, whole.held_slots, whole.data
    multipliers, work = whole.multipliers, whole.work
    for e in range(held.shape[0]):
        b, m = held[e, BODY], held[e, N_MULTIPLIERS]
        place = load_position(tree.child_offsets, b)
        turn = lie.quaternion_conjugate(load_quaternion(tree.child_offsets, b))
        for c in range(m + 1):
            for j in range(6):
                if c == m:
                    work[j, c] = -wrenches[b, j]
                else:
                    slot = slots[e, 6 * c + j]
                    work[j, c] = data[slot] if slot >= 0 else 0.0
            force = (work[0, c], work[1, c], work[2, c])
            moment = (work[3, c], work[4, c], work[5, c])
            moment = lie.subtract(moment, lie.cross(place, force))
            force = lie.quaternion_rotate(turn, force)
            moment = lie.quaternion_rotate(turn, moment)
            for j in range(3):
                work[j, c] = force[j]
                work[3 + j, c] = moment[j]
        for c in range(m):
            for k in range(c + 1):
                value = 0.0
                for j in range(6):
                    value += work[j, c] * work[j, k]
                for k2 in range(k):
                    value -= work[c, 7 + k2] * work[k, 7 + k2]
                work[c, 7 + k] = math.sqrt(value) if c == k else value / work[k, 7 + k]
        for c in range(m):
            value = 0.0
            for j in range(6):
                value += work[j, c] * work[j, m]
            for k in range(c):
                value -= work[c, 7 + k] * multipliers[held[e, FIRST_MULTIPLIER] + k]
            multipliers[held[e, FIRST_MULTIPLIER] + c] = value / work[c, 7 + c]
        for c in range(m - 1, -1, -1):
            value = multipliers[held[e, FIRST_MULTIPLIER] + c]
            for k in range(c + 1, m):
                value -= work[k, 7 + c] * multipliers[held[e, FIRST_MULTIPLIER] + k]
            multipliers[held[e, FIRST_MULTIPLIER] + c] = value / work[c, 7 + c]


@routine
def spread_multipliers(whole, own):
    """Multipliers of the loops, to where the model has them."""
    for k in range(whole.places.shape[0]):
        if whole.places[k] >= 0:
            whole.multipliers[whole.places[k]] = own[k]
