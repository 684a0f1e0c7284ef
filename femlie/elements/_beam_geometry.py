"""Layout of a beam element's numbers, and its way from poses to strain.

Stages over lanes (see `_lanes`), shared by all kernels of the beam.
"""

from __future__ import annotations

import math

from .._jit import inline, routine
from ..lie import _kernels as lie
from . import _lanes as lanes
from ._lanes import LANES

# columns of the integer codes
HAS_OFFSETS, HAS_INERTIA_OFFSETS, HAS_DAMPING, HAS_INERTIA, REST_SIGNAL = range(5)
IS_DIAGONAL = 5  # the stiffness has no entry off the diagonal
N_CODES = 6
# first columns of the parameters
LENGTH = 0
FLOOR = 1  # largest stiffness of a translation: force per rounding of a place
REFERENCE = 2  # d_0 (6)
DIAGONAL = 8  # of S/L (6), where that is all of it
MASS = 14  # mass of the element
DRAG = 15  # translational drag of the element, N s/m
ROTARY_DRAG = 16  # 1/s, times the rotary inertia
ROTARY = 17  # rotary inertia of one end about the mass center, section axes (9)
CENTER = 26  # mass center in the section frame (3)
REST = 29  # L f, times a signal (6)
OFFSET_A = 35  # pose of the section at the first end in its node's frame (7)
OFFSET_B = 42
STIFFNESS = 49  # S/L (36)
DAMPING = 85  # D/L (36)
N_PARAMETERS = 121
N_ITERATES = 6
N_OUTPUTS = 18  # section forces at the first end, the middle and the second end
ROUNDING = 2.220446049250313e-16


# rows of the scratch array
POSE_A, POSE_B = 0, 7  # of the nodes
P, Q, R = 14, 17, 21  # second node seen from the first: place, quaternion, matrix
END_P, END_Q = 30, 33  # the same of the two sections
U, W, RATIO, CURVES = 37, 40, 43, 44  # logarithm, angle over sine, c and e at w
TRIANGLE = 46  # T^-1 (18)
GAP = 64  # d - d_0 - L f (6)
STRESS = 70  # (6)
SPAN, FLOORS = 76, 77  # length; largest stiffness, then rounding of forces
GIVEN = 78  # reference, then rest strain (6)
SECTION = 84  # stiffness: blocks (36), or the diagonal (6)
START, END = 120, 126  # internal wrenches on both nodes (6 each)
SIZES = 132  # of these and of the inertia wrenches: forces, moments (2)
REACH = 134
OFFSETS = 135  # poses of both sections in their nodes (14)
TURN_A, TURN_B = 149, 158  # the rotations of these as matrices
RATES = 167  # twists of the sections (12)
VISCOUS = 179  # damping: blocks (36)
INCREMENTS = 215  # T^-1 of the nodes' increments (36)
COLUMNS = 251  # T^-T dstress/dd: blocks (36)
MATRIX = 287  # element matrix, column by column (144)
INERTIA = 431  # see `_beam_inertia`
N_SCRATCH = 431 + 200


@inline
def any_code(codes, first, n, column):
    """Whether a switch is on in one of the lanes."""
    found = 0
    for k in range(n):
        found |= codes[first + k, column]
    return found != 0


@inline
def all_codes(codes, first, n, column):
    found = 1
    for k in range(n):
        found &= codes[first + k, column]
    return found != 0


@routine
def gather_geometry(s, poses, block, first, n, has_offset):
    """Poses, reference and offsets of ``n`` elements from ``first`` on."""
    frames, parameters = block.frames, block.parameters
    lanes.gather_frames(s, POSE_A, poses, frames, 0, first, n, 0, 7)
    lanes.gather_frames(s, POSE_B, poses, frames, 1, first, n, 0, 7)
    # length, largest stiffness and reference are next to each other in both
    lanes.gather_elements(s, SPAN, parameters, first, n, LENGTH, 8)
    if has_offset:
        lanes.gather_elements(s, OFFSETS, parameters, first, n, OFFSET_A, 14)


@routine
def set_relative(s):
    """Second node in the frame of the first; how far places are from the origin."""
    for k in range(LANES):
        pa = lanes.get3(s, POSE_A, k)
        pb = lanes.get3(s, POSE_B, k)
        back = lie.quaternion_conjugate(lanes.get4(s, POSE_A + 3, k))
        p = lie.quaternion_rotate(back, lie.subtract(pb, pa))
        q = lie.quaternion_multiply(back, lanes.get4(s, POSE_B + 3, k))
        lanes.put3(s, P, k, p)
        lanes.put4(s, Q, k, q)
        lanes.put33(s, R, k, lie.rotation_matrix(q))
        lanes.put(s, REACH, k, abs(pa[0]) + abs(pa[1]) + abs(pa[2]))


@routine
def set_ends(s):
    """The same for the two sections, which have offsets from their nodes."""
    for k in range(LANES):
        p = lanes.get3(s, P, k)
        q = lanes.get4(s, Q, k)
        first = lanes.get4(s, OFFSETS + 3, k)
        second = lanes.get4(s, OFFSETS + 10, k)
        back = lie.quaternion_conjugate(first)
        p = lie.add(p, lie.quaternion_rotate(q, lanes.get3(s, OFFSETS + 7, k)))
        p = lie.subtract(p, lanes.get3(s, OFFSETS, k))
        lanes.put3(s, END_P, k, lie.quaternion_rotate(back, p))
        q = lie.quaternion_multiply(lie.quaternion_multiply(back, q), second)
        lanes.put4(s, END_Q, k, q)
        lanes.put33(s, TURN_A, k, lie.rotation_matrix(first))
        lanes.put33(s, TURN_B, k, lie.rotation_matrix(second))


@routine
def set_logarithm(s):
    """``(u, w) = log(H)``, the coefficients at ``w``, and ``T^-1``."""
    for k in range(LANES):
        q = lanes.get4(s, END_Q, k)
        z = q[1] * q[1] + q[2] * q[2] + q[3] * q[3]
        lanes.put(s, RATIO, k, lie.arcsine_ratio(z))
    for k in range(LANES):
        # beyond the range of the series, which most elements never leave
        q = lanes.get4(s, END_Q, k)
        z = q[1] * q[1] + q[2] * q[2] + q[3] * q[3]
        if z >= lie.SERIES_END:
            size = math.sqrt(z)
            lanes.put(s, RATIO, k, math.atan2(size, abs(q[0])) / size)
    for k in range(LANES):
        p = lanes.get3(s, END_P, k)
        q = lanes.get4(s, END_Q, k)
        factor = math.copysign(2.0 * lanes.get(s, RATIO, k), q[0])
        w = (factor * q[1], factor * q[2], factor * q[3])
        c, e = lie.inverse_coefficients(lie.dot(w, w))
        u = lie.log_translation(p, w, c)
        lanes.put3(s, U, k, u)
        lanes.put3(s, W, k, w)
        lanes.put(s, CURVES, k, c)
        lanes.put(s, CURVES + 1, k, e)
        lanes.put_triangle(s, TRIANGLE, k, lie.tangent_inverse_blocks(u, w, c, e))
        lanes.put3(s, GAP, k, lie.subtract(u, lanes.get3(s, GIVEN, k)))
        lanes.put3(s, GAP + 3, k, lie.subtract(w, lanes.get3(s, GIVEN + 3, k)))


@routine
def add_rest_strain(s, signals, block, first, n):
    """``-L f(t)`` in the gap."""
    for k in range(n):
        signal = block.codes[first + k, REST_SIGNAL]
        if signal >= 0:
            for j in range(6):
                rest = block.parameters[first + k, REST + j]
                s[(GAP + j) * LANES + k] -= signals[signal, 0] * rest


@routine
def set_geometry(s, motion, block, first, n, has_offset):
    """From poses to the gap ``d - d_0 - L f(t)`` and ``T^-1``."""
    gather_geometry(s, motion.poses, block, first, n, has_offset)
    set_relative(s)
    if has_offset:
        set_ends(s)
    else:
        lanes.copy(s, END_P, P, 7)
    set_logarithm(s)
    add_rest_strain(s, motion.signals, block, first, n)


@routine
def set_stress(s, block, first, n, is_diagonal):
    """``(S/L)`` and its product with the gap."""
    parameters = block.parameters
    if is_diagonal:
        lanes.gather_elements(s, SECTION, parameters, first, n, DIAGONAL, 6)
        for j in range(6 * LANES):
            s[STRESS * LANES + j] = s[SECTION * LANES + j] * s[GAP * LANES + j]
    else:
        for k in range(n):
            lanes.gather_blocks(s, SECTION, k, parameters, first + k, STIFFNESS)
        for k in range(LANES):
            x = lanes.get3(s, GAP, k)
            y = lanes.get3(s, GAP + 3, k)
            m = lanes.get_blocks(s, SECTION, k)
            lanes.put3(s, STRESS, k, lie.add(lie.apply(m[0], x), lie.apply(m[1], y)))
            y = lie.add(lie.apply(m[2], x), lie.apply(m[3], y))
            lanes.put3(s, STRESS + 3, k, y)


@inline
def transported(p, r, u, w):
    """Twist of a frame at constant offset ``(p, r)``: ``Ad^-1 (u, w)``."""
    return lie.apply_transposed(r, lie.add(u, lie.cross(w, p))), lie.apply_transposed(
        r, w
    )


@routine
def set_rates(s, array, frames, first, n, has_offset):
    """Twists or increments of both sections from those of the nodes."""
    lanes.gather_frames(s, RATES, array, frames, 0, first, n, 0, 6)
    lanes.gather_frames(s, RATES + 6, array, frames, 1, first, n, 0, 6)
    if has_offset:
        for k in range(LANES):
            for side in range(2):
                at = RATES + 6 * side
                p = lanes.get3(s, OFFSETS + 7 * side, k)
                r = lanes.get33(s, TURN_A + 9 * side, k)
                u = lanes.get3(s, at, k)
                w = lanes.get3(s, at + 3, k)
                u, w = transported(p, r, u, w)
                lanes.put3(s, at, k, u)
                lanes.put3(s, at + 3, k, w)


@inline
def strain_rate(s, k):
    """``P v`` of the twists in RATES."""
    a, b = lanes.get_triangle(s, TRIANGLE, k)
    va, wa = lanes.get3(s, RATES, k), lanes.get3(s, RATES + 3, k)
    vb, wb = lanes.get3(s, RATES + 6, k), lanes.get3(s, RATES + 9, k)
    x = lie.subtract(
        lie.add(lie.apply(a, vb), lie.apply(b, wb)),
        lie.add(lie.apply_transposed(a, va), lie.apply_transposed(b, wa)),
    )
    return x, lie.subtract(lie.apply(a, wb), lie.apply_transposed(a, wa))


@routine
def add_viscous_stress(s, block, first, n):
    """``(D/L) P v``."""
    for k in range(n):
        lanes.gather_blocks(s, VISCOUS, k, block.parameters, first + k, DAMPING)
    for k in range(LANES):
        x, y = strain_rate(s, k)
        m = lanes.get_blocks(s, VISCOUS, k)
        n_part = lie.add(lie.apply(m[0], x), lie.apply(m[1], y))
        m_part = lie.add(lie.apply(m[2], x), lie.apply(m[3], y))
        lanes.put3(s, STRESS, k, lie.add(lanes.get3(s, STRESS, k), n_part))
        lanes.put3(s, STRESS + 3, k, lie.add(lanes.get3(s, STRESS + 3, k), m_part))


@inline
def move_wrench(p, r, force, moment):
    """Wrench on the frame ``(p, r)`` seen from the frame it is given in: ``Ad^-T``."""
    f = lie.apply(r, force)
    return f, lie.add(lie.apply(r, moment), lie.cross(p, f))


@routine
def set_end_wrench(s, has_offset):
    """Internal wrench on the second node: ``T^-T`` of the stress."""
    for k in range(LANES):
        a, b = lanes.get_triangle(s, TRIANGLE, k)
        n = lanes.get3(s, STRESS, k)
        m = lanes.get3(s, STRESS + 3, k)
        moment = lie.add(lie.apply_transposed(b, n), lie.apply_transposed(a, m))
        lanes.put3(s, END, k, lie.apply_transposed(a, n))
        lanes.put3(s, END + 3, k, moment)
    if has_offset:
        for k in range(LANES):
            p = lanes.get3(s, OFFSETS + 7, k)
            r = lanes.get33(s, TURN_B, k)
            force = lanes.get3(s, END, k)
            force, moment = move_wrench(p, r, force, lanes.get3(s, END + 3, k))
            lanes.put3(s, END, k, force)
            lanes.put3(s, END + 3, k, moment)


@routine
def set_start_wrench(s):
    """The first node balances the second; sizes of both, and what is rounding."""
    for k in range(LANES):
        p = lanes.get3(s, P, k)
        r = lanes.get33(s, R, k)
        end = lanes.get3(s, END, k)
        turning = lanes.get3(s, END + 3, k)
        force, moment = move_wrench(p, r, end, turning)
        lanes.put3(s, START, k, lie.scale(-1.0, force))
        lanes.put3(s, START + 3, k, lie.scale(-1.0, moment))
        # forces are as large on both nodes
        lanes.put(s, SIZES, k, 2.0 * lie.norm(end))
        lanes.put(s, SIZES + 1, k, lie.norm(moment) + lie.norm(turning))
        way = lanes.get(s, REACH, k) + lanes.get(s, SPAN, k)
        lanes.put(s, FLOORS, k, ROUNDING * lanes.get(s, FLOORS, k) * way)
