"""Inertia and drag of the beam: residual, tangent and kinetic energy.

The line of mass centers follows the bent element,

    x(z) = (1 - z) x_A + z x_B + z (1 - z) (L/2) (t_A - t_B),    t = R e_1,

so that kinetic energy is a constant quadratic form in the world velocities of x_A,
(L/2) t_A, x_B and -(L/2) t_B, with the weights below: exact for rigid motions, and the
same for every observer at constant speed. Rotary inertia about the mass centers is
averaged over the element (five sixths own, one sixth of the other end's spin).

Stages over lanes (see `_lanes`).
"""

from __future__ import annotations

from .._jit import inline, routine
from ..lie import _kernels as lie
from . import _lanes as lanes
from ._beam_geometry import (
    END_Q,
    INERTIA,
    MASS,
    OFFSETS,
    SIZES,
    SPAN,
    TURN_A,
    move_wrench,
    transported,
)
from ._lanes import LANES

# integrals over the element of z (1 - z), z^2 (1 - z) and z^2 (1 - z)^2; that of z^2 is
# twice the first
OTHER, MIXED, BOW = 1.0 / 6.0, 1.0 / 12.0, 1.0 / 30.0
SPIN_OWN, SPIN_OTHER = 5.0 / 6.0, 1.0 / 6.0


# rows of the scratch array
TURN = INERTIA  # takes vectors of the second section to the first (9)
NUMBERS = INERTIA + 9  # length, mass, drag, rotary drag (4)
ROTARY_J = INERTIA + 13  # (9)
CENTER_P = INERTIA + 22  # mass centers in their nodes: places (3 each) ...
CENTER_R = INERTIA + 28  # ... and rotations (9 each)
CHANGES = INERTIA + 46  # du, dw of both mass centers (12)
FIRST, SECOND = INERTIA + 58, INERTIA + 64  # wrenches on both nodes (6 each)
ENDS = INERTIA + 70  # u, w of a mass center, sums p, q, and J w (15); then the other
N_END = 15
TANGENT = INERTIA + 100  # see `_beam_inertia_tangent`


@inline
def lever(w):
    """``w x e_1``."""
    return (0.0, w[2], -w[1])


@inline
def axis_cross(factor, a):
    """``factor e_1 x a``."""
    return (0.0, -factor * a[2], factor * a[1])


@inline
def axis_times(factor, m):
    """``factor e_1^ m`` for a 3x3."""
    return (
        0.0, 0.0, 0.0,
        -factor * m[6], -factor * m[7], -factor * m[8],
        factor * m[3], factor * m[4], factor * m[5],
    )  # fmt: skip


@routine
def gather_inertia(s, motion, block, first, n):
    frames, parameters = block.frames, block.parameters
    for side in range(2):
        at = ENDS + N_END * side
        lanes.gather_frames(s, at, motion.velocities, frames, side, first, n, 0, 6)
        at = CHANGES + 6 * side
        lanes.gather_frames(s, at, motion.accelerations, frames, side, first, n, 0, 6)
    # mass, drag, rotary drag, rotary inertia, mass center: in the same order
    lanes.gather_elements(s, NUMBERS + 1, parameters, first, n, MASS, 15)
    lanes.copy(s, NUMBERS, SPAN, 1)


@routine
def set_centers(s, has_offset):
    """Mass centers in their nodes, and their motions from those of the nodes."""
    for k in range(LANES):
        center = lanes.get3(s, CENTER_P, k)
        lanes.put3(s, CENTER_P + 3, k, center)
        lanes.put33(s, CENTER_R, k, lie.IDENTITY33)
        lanes.put33(s, CENTER_R + 9, k, lie.IDENTITY33)
    if has_offset:
        lanes.copy(s, CENTER_R, TURN_A, 18)
        for k in range(LANES):
            for side in range(2):
                p = lanes.get3(s, CENTER_P + 3 * side, k)
                p = lie.apply(lanes.get33(s, CENTER_R + 9 * side, k), p)
                p = lie.add(p, lanes.get3(s, OFFSETS + 7 * side, k))
                lanes.put3(s, CENTER_P + 3 * side, k, p)
    for k in range(LANES):
        for side in range(2):
            p = lanes.get3(s, CENTER_P + 3 * side, k)
            r = lanes.get33(s, CENTER_R + 9 * side, k)
            for at in (ENDS + N_END * side, CHANGES + 6 * side):
                u, w = lanes.get3(s, at, k), lanes.get3(s, at + 3, k)
                u, w = transported(p, r, u, w)
                lanes.put3(s, at, k, u)
                lanes.put3(s, at + 3, k, w)


@inline
def world_parts(s, side, k):
    """``m`` times the accelerations of ``x`` and ``L/2 t`` of an end, with drag."""
    half = lanes.get(s, NUMBERS, k) * (0.5 - side)
    mass, drag = lanes.get(s, NUMBERS + 1, k), lanes.get(s, NUMBERS + 2, k)
    u = lanes.get3(s, ENDS + N_END * side, k)
    w = lanes.get3(s, ENDS + N_END * side + 3, k)
    a = lie.add(lanes.get3(s, CHANGES + 6 * side, k), lie.cross(w, u))
    arm = lever(w)
    turning = lanes.get3(s, CHANGES + 6 * side + 3, k)
    turning = lie.add(lever(turning), lie.cross(w, arm))
    x = lie.add_scaled(lie.scale(mass, a), drag, u)
    y = lie.add_scaled(lie.scale(mass, turning), drag, arm)
    return x, lie.scale(half, y)


@inline
def rotary_moment(s, side, k):
    """``J`` times the mean spin, and the rotary moment of an end."""
    rotary = lanes.get33(s, ROTARY_J, k)
    w = lanes.get3(s, ENDS + N_END * side + 3, k)
    other = lanes.get3(s, ENDS + N_END * (1 - side) + 3, k)
    j = lie.apply(rotary, lie.add_scaled(lie.scale(SPIN_OWN, w), SPIN_OTHER, other))
    change = lanes.get3(s, CHANGES + 6 * side + 3, k)
    other = lanes.get3(s, CHANGES + 6 * (1 - side) + 3, k)
    change = lie.add_scaled(lie.scale(SPIN_OWN, change), SPIN_OTHER, other)
    m = lie.add_scaled(lie.apply(rotary, change), lanes.get(s, NUMBERS + 3, k), j)
    return j, lie.add(m, lie.cross(w, j))


@routine
def set_inertia_wrenches(s):
    """Wrenches of inertia and drag on the mass centers, and their parts."""
    for k in range(LANES):
        turn = lanes.get33(s, TURN, k)
        half = 0.5 * lanes.get(s, NUMBERS, k)
        xa, ya = world_parts(s, 0, k)
        xb, yb = world_parts(s, 1, k)
        pa = lie.add_scaled(lie.scale(OTHER, xa), MIXED, ya)
        qa = lie.add_scaled(lie.scale(MIXED, xa), BOW, ya)
        pb = lie.add_scaled(lie.scale(OTHER, xb), MIXED, yb)
        qb = lie.add_scaled(lie.scale(MIXED, xb), BOW, yb)
        # what is its own counts double in the first weight
        fa = lie.add(lie.add_scaled(pa, OTHER, xa), lie.apply(turn, pb))
        fb = lie.add(lie.add_scaled(pb, OTHER, xb), lie.apply_transposed(turn, pa))
        ga = lie.add(qa, lie.apply(turn, qb))
        gb = lie.add(qb, lie.apply_transposed(turn, qa))
        ja, ma = rotary_moment(s, 0, k)
        jb, mb = rotary_moment(s, 1, k)
        lanes.put3(s, FIRST, k, fa)
        lanes.put3(s, FIRST + 3, k, lie.add(ma, axis_cross(half, ga)))
        lanes.put3(s, SECOND, k, fb)
        lanes.put3(s, SECOND + 3, k, lie.add(mb, axis_cross(-half, gb)))
        lanes.put3(s, ENDS + 6, k, pa)
        lanes.put3(s, ENDS + 9, k, qa)
        lanes.put3(s, ENDS + 12, k, ja)
        lanes.put3(s, ENDS + N_END + 6, k, pb)
        lanes.put3(s, ENDS + N_END + 9, k, qb)
        lanes.put3(s, ENDS + N_END + 12, k, jb)


@routine
def move_inertia_wrenches(s):
    """From the mass centers to the nodes."""
    for k in range(LANES):
        for side in range(2):
            at = FIRST + 6 * side
            p = lanes.get3(s, CENTER_P + 3 * side, k)
            r = lanes.get33(s, CENTER_R + 9 * side, k)
            force, moment = lanes.get3(s, at, k), lanes.get3(s, at + 3, k)
            force, moment = move_wrench(p, r, force, moment)
            lanes.put3(s, at, k, force)
            lanes.put3(s, at + 3, k, moment)


@routine
def add_inertia_sizes(s):
    for k in range(LANES):
        for j in range(2):
            size = lie.norm(lanes.get3(s, FIRST + 3 * j, k))
            size += lie.norm(lanes.get3(s, SECOND + 3 * j, k))
            s[(SIZES + j) * LANES + k] += size


@inline
def set_inertia(s, motion, block, first, n, has_offset, is_moved):
    """Wrenches of inertia and drag on both nodes, and what the tangent needs."""
    gather_inertia(s, motion, block, first, n)
    set_turn(s)
    if is_moved:
        set_centers(s, has_offset)
    set_inertia_wrenches(s)
    if is_moved:
        move_inertia_wrenches(s)
    add_inertia_sizes(s)


@routine
def set_turn(s):
    for k in range(LANES):
        q = lanes.get4(s, END_Q, k)
        lanes.put33(s, TURN, k, lie.rotation_matrix(q))


@routine
def set_inertia_energies(s):
    """Kinetic energy and the power of drag, in the rows of the first wrench."""
    for k in range(LANES):
        turn = lanes.get33(s, TURN, k)
        rotary = lanes.get33(s, ROTARY_J, k)
        half = 0.5 * lanes.get(s, NUMBERS, k)
        ua, wa = lanes.get3(s, ENDS, k), lanes.get3(s, ENDS + 3, k)
        ub, wb = lanes.get3(s, ENDS + N_END, k), lanes.get3(s, ENDS + N_END + 3, k)
        ub = lie.apply(turn, ub)
        ya = lie.scale(half, lever(wa))
        yb = lie.apply(turn, lie.scale(-half, lever(wb)))
        ends = lie.add(ua, ub)
        bows = lie.add(ya, yb)
        square = (
            OTHER * (lie.dot(ends, ends) + lie.dot(ua, ua) + lie.dot(ub, ub))
            + 2.0 * MIXED * lie.dot(ends, bows)
            + BOW * lie.dot(bows, bows)
        )
        ja = lie.apply(rotary, wa)
        jb = lie.apply(rotary, wb)
        spin = SPIN_OWN * (lie.dot(wa, ja) + lie.dot(wb, jb))
        spin += 2.0 * SPIN_OTHER * lie.dot(wa, jb)
        mass, drag = lanes.get(s, NUMBERS + 1, k), lanes.get(s, NUMBERS + 2, k)
        lanes.put(s, FIRST, k, 0.5 * (mass * square + spin))
        power = drag * square + lanes.get(s, NUMBERS + 3, k) * spin
        lanes.put(s, FIRST + 1, k, power)
