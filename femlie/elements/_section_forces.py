"""Section forces of a beam element: what passes its ends and its middle.

Of the element cut free, with the wrenches ``p_A`` and ``p_B`` on its two sections of
what is spread along it (line loads and weight; less inertia and drag), and with the
stress resultants s, for which ``T^-T`` stands at either end,

    s_A = T^-T(-d) s + p_A,    s_B = T^-T(d) s - p_B.

The middle is in equilibrium with both ends under a load that varies linearly along the
element. With the chord c, the same stress seen from the middle ``s_M0``, and forces f
and moments m of the ends there,

    force   += (1/2 - k) (f_A - f_B)
    moment  += (m_A - m_B) / 2 - c x (f_A + f_B) / 8.

Here k is a quarter where each end bears the load that is there, on half the length, as
of line loads, and three quarters where forces at the ends do the work of the load, as
those of inertia. It does not matter where the two ends bear the same.
"""

from __future__ import annotations

import math

from .._jit import inline, routine, rows_of
from ..lie import _kernels as lie
from . import _body_kernel as body
from . import _lanes as lanes
from . import _scatter as scatter
from ._beam_geometry import (
    END_P,
    END_Q,
    N_OUTPUTS,
    OFFSET_A,
    OFFSETS,
    STRESS,
    TRIANGLE,
    TURN_A,
    U,
    W,
)
from ._beam_inertia import FIRST

# codes of a spread load: first number of the element among outputs and parameters,
# frames of its ends, end that the load acts on, signal, kind as of any load
OUTPUT_AT, PARAMETERS_AT, FRAME_A, FRAME_B, SIDE, SIGNAL, KIND = range(7)
N_SPREAD_CODES = 7
# 1/2 - k of the head of this file
LOCAL, WORKING = 0.25, -0.25


@inline
def write_section_forces(s, k, output, i):
    """At both ends and in the middle, as far as the stress has a part in them."""
    a, b = lanes.get_triangle(s, TRIANGLE, k)
    u, w = lanes.get3(s, U, k), lanes.get3(s, W, k)
    n, m = lanes.get3(s, STRESS, k), lanes.get3(s, STRESS + 3, k)
    force = lie.apply(a, n)
    moment = lie.add(lie.apply(b, n), lie.apply(a, m))
    half = lie.scale(0.5, w)
    arm = lie.exp_translation(lie.scale(0.5, u), half)
    turn = lie.quaternion_conjugate(lie.quaternion_exp(half))
    middle = lie.quaternion_rotate(turn, force)
    bending = lie.quaternion_rotate(turn, lie.subtract(moment, lie.cross(arm, force)))
    end = lie.apply_transposed(a, n)
    twist = lie.add(lie.apply_transposed(b, n), lie.apply_transposed(a, m))
    for j in range(3):
        output[i, j] = force[j]
        output[i, 3 + j] = moment[j]
        output[i, 6 + j] = middle[j]
        output[i, 9 + j] = bending[j]
        output[i, 12 + j] = end[j]
        output[i, 15 + j] = twist[j]


@inline
def half_turn(q):
    """Quaternion of half the rotation of ``q``."""
    sign = math.copysign(1.0, q[0])
    return lie.quaternion_normalize(
        (1.0 + sign * q[0], sign * q[1], sign * q[2], sign * q[3])
    )


@inline
def add_end_load(output, i, side, load, relative, share):
    """Force and moment on an end, in the axes of its section, at ends and middle.

    ``relative``: place and quaternion of the second section in the first one.
    """
    force, moment = load
    p, q = relative
    sign = 1.0 - 2.0 * side
    half = half_turn(q)
    back = lie.quaternion_conjugate(half)
    turn = (half[0], -sign * half[1], -sign * half[2], -sign * half[3])
    chord = lie.quaternion_rotate(back, p)
    middle = lie.quaternion_rotate(turn, force)
    twist = lie.quaternion_rotate(turn, moment)
    bending = lie.cross(chord, middle)
    for j in range(3):
        output[i, 12 * side + j] += sign * force[j]
        output[i, 12 * side + 3 + j] += sign * moment[j]
        output[i, 6 + j] += sign * share * middle[j]
        output[i, 9 + j] += 0.5 * sign * twist[j] - 0.125 * bending[j]


@routine
def add_inertia_loads(s, output, first, n, has_offset):
    """Inertia and drag of elements, with the wrenches on their nodes in ``s``."""
    for k in range(n):
        relative = (lanes.get3(s, END_P, k), lanes.get4(s, END_Q, k))
        for side in range(2):
            force = lie.scale(-1.0, lanes.get3(s, FIRST + 6 * side, k))
            moment = lie.scale(-1.0, lanes.get3(s, FIRST + 6 * side + 3, k))
            if has_offset:
                p = lanes.get3(s, OFFSETS + 7 * side, k)
                r = lanes.get33(s, TURN_A + 9 * side, k)
                moment = lie.subtract(moment, lie.cross(p, force))
                force = lie.apply_transposed(r, force)
                moment = lie.apply_transposed(r, moment)
            load = (force, moment)
            add_end_load(output, first + k, side, load, relative, WORKING)


@inline
def load_pose(poses, i, j):
    """Place and quaternion from column ``j`` on."""
    place = scatter.load3(poses, i, j)
    return place, (poses[i, j + 3], poses[i, j + 4], poses[i, j + 5], poses[i, j + 6])


@inline
def composed(first, second):
    p, q = first
    place = lie.add(p, lie.quaternion_rotate(q, second[0]))
    return place, lie.quaternion_multiply(q, second[1])


@routine
def add_spread_loads(motion, codes, loads, parameters, outputs):
    """Line loads and weight of beams, in outputs that hold the rest already.

    Parameters
    ----------
    motion : Motion
    codes : (n, N_SPREAD_CODES) int array
    loads : (n, N_LOAD_PARAMETERS) array
        Force, moment and point of each, as those of a load at a node.
    parameters, outputs : flat arrays
        Of all blocks.
    """
    for row in range(codes.shape[0]):
        side = codes[row, SIDE]
        offsets = rows_of(parameters, codes[row, PARAMETERS_AT] + OFFSET_A, 2, 7)
        nodes = load_pose(motion.poses, codes[row, FRAME_A + side], 0)
        own = load_pose(offsets, side, 0)
        first = composed(
            load_pose(motion.poses, codes[row, FRAME_A], 0), load_pose(offsets, 0, 0)
        )
        second = composed(
            load_pose(motion.poses, codes[row, FRAME_B], 0), load_pose(offsets, 1, 0)
        )
        back = lie.quaternion_conjugate(first[1])
        p = lie.quaternion_rotate(back, lie.subtract(second[0], first[0]))
        relative = (p, lie.quaternion_multiply(back, second[1]))
        signal = motion.signals[codes[row, SIGNAL], 0]
        force = lie.scale(signal, scatter.load3(loads, row, body.FORCE))
        moment = lie.scale(signal, scatter.load3(loads, row, body.MOMENT))
        if codes[row, KIND] != body.FOLLOWER:
            turn = lie.quaternion_conjugate(nodes[1])
            force = lie.quaternion_rotate(turn, force)
            moment = lie.quaternion_rotate(turn, moment)
        arm = lie.subtract(scatter.load3(loads, row, body.POINT), own[0])
        moment = lie.add(moment, lie.cross(arm, force))
        turn = lie.quaternion_conjugate(own[1])
        load = (
            lie.quaternion_rotate(turn, force),
            lie.quaternion_rotate(turn, moment),
        )
        output = rows_of(outputs, codes[row, OUTPUT_AT], 1, N_OUTPUTS)
        add_end_load(output, 0, side, load, relative, LOCAL)
