"""Tangent of the beam's inertia, as stages over lanes (see `_lanes`).

The columns of one end at a time: THIS is that end, THAT the other one.
"""

from __future__ import annotations

from .._jit import inline, routine
from ..lie import _kernels as lie
from . import _blocks as blocks
from . import _lanes as lanes
from ._beam_geometry import INCREMENTS
from ._beam_inertia import (
    BOW,
    CENTER_P,
    CENTER_R,
    ENDS,
    MIXED,
    N_END,
    NUMBERS,
    OTHER,
    ROTARY_J,
    SPIN_OTHER,
    SPIN_OWN,
    TANGENT,
    TURN,
    axis_times,
)
from ._beam_tangent import add_to_matrix
from ._lanes import LANES

# rows of the scratch array
THIS, THAT = ENDS, ENDS + N_END  # u, w, p, q, J w
HALF = TANGENT
TO_THAT = TANGENT + 1  # takes vectors of this end to that one (9)
TO_MOTION = TANGENT + 10  # triangle: unknowns to motions of the mass center (18)
OWN, REST = TANGENT + 28, TANGENT + 64  # blocks in the rows of both ends (36 each)


@routine
def choose_first(s):
    """The first end as this one."""
    for k in range(LANES):
        lanes.put(s, HALF, k, 0.5 * lanes.get(s, NUMBERS, k))
        lanes.put33(s, TO_THAT, k, lie.transpose(lanes.get33(s, TURN, k)))
        lanes.put_triangle(s, TO_MOTION, k, lanes.get_triangle(s, INCREMENTS, k))


@routine
def choose_second(s):
    """The second end as this one, after the first."""
    for k in range(LANES):
        lanes.put(s, HALF, k, -0.5 * lanes.get(s, NUMBERS, k))
        lanes.put33(s, TO_THAT, k, lanes.get33(s, TURN, k))
        lanes.put_triangle(s, TO_MOTION, k, lanes.get_triangle(s, INCREMENTS + 18, k))
        for j in range(N_END):
            this = lanes.get(s, THIS + j, k)
            lanes.put(s, THIS + j, k, lanes.get(s, THAT + j, k))
            lanes.put(s, THAT + j, k, this)


@routine
def move_motions(s, side):
    """``TO_MOTION`` ends at the mass center instead of the node."""
    for k in range(LANES):
        p = lanes.get3(s, CENTER_P + 3 * side, k)
        to_center = lie.adjoint_inverse_blocks(
            p, lanes.get33(s, CENTER_R + 9 * side, k)
        )
        increment = lanes.get_triangle(s, TO_MOTION, k)
        increment = blocks.multiply_triangles(to_center, increment)
        lanes.put_triangle(s, TO_MOTION, k, increment)


@inline
def world_columns(s, k, mass, damping):
    """One end's columns in `world_parts`: ``dx`` by its motion, ``dy`` by its turn."""
    a, b = lanes.get_triangle(s, TO_MOTION, k)
    u, w = lanes.get3(s, THIS, k), lanes.get3(s, THIS + 3, k)
    m = damping * lanes.get(s, NUMBERS + 1, k)
    scalar = mass * lanes.get(s, NUMBERS + 1, k) + damping * lanes.get(
        s, NUMBERS + 2, k
    )
    x = lie.matrix_add_scaled(lie.matrix_scale(scalar, a), m, lie.hat_times(w, a))
    z = lie.matrix_subtract(lie.hat_times(w, b), lie.hat_times(u, a))
    z = lie.matrix_add_scaled(lie.matrix_scale(scalar, b), m, z)
    # -(s e^ + m ((w x e)^ + w^ e^)), where w^ e^ = e w^T - (w.e) I
    y = (
        0.0, -2.0 * m * w[1], -2.0 * m * w[2],
        m * w[1], m * w[0], scalar,
        m * w[2], -scalar, m * w[0],
    )  # fmt: skip
    return x, z, lie.multiply(lie.matrix_scale(lanes.get(s, HALF, k), y), a)


@inline
def rotary_matrix(s, w, k, mass, damping):
    """Derivative of ``J dw + w x J w + drag J w`` by dw, and by the last w."""
    rotary = lanes.get33(s, ROTARY_J, k)
    factor = mass + damping * lanes.get(s, NUMBERS + 3, k)
    return lie.matrix_add_scaled(
        lie.matrix_scale(factor, rotary), damping, lie.hat_times(w, rotary)
    )


@inline
def inertia_rows(half, first, x, z, y, rotary):
    """Rows of an end: forces, and ``half e x`` what bends the line of centers."""
    bow = lie.matrix_add_scaled(lie.matrix_scale(MIXED, z), BOW, y)
    return (
        lie.matrix_scale(first, x),
        lie.matrix_add_scaled(lie.matrix_scale(first, z), MIXED, y),
        axis_times(half * MIXED, x),
        lie.matrix_add(axis_times(half, bow), rotary),
    )


@routine
def set_inertia_rows(s, mass, damping):
    """``(mass M + damping C) T^-1``: columns of this end in the rows of both ends.

    What is its own counts double in the first weight.
    """
    for k in range(LANES):
        turn = lanes.get33(s, TO_THAT, k)
        half = lanes.get(s, HALF, k)
        a = lanes.get33(s, TO_MOTION, k)
        x, z, y = world_columns(s, k, mass, damping)
        spin = rotary_matrix(s, lanes.get3(s, THIS + 3, k), k, mass, damping)
        spin = lie.matrix_scale(SPIN_OWN, spin)
        spin = lie.matrix_add_scaled(
            spin, -damping, lie.hat(lanes.get3(s, THIS + 12, k))
        )
        own = inertia_rows(half, 2.0 * OTHER, x, z, y, lie.multiply(spin, a))
        lanes.put_blocks(s, OWN, k, own)
        spin = rotary_matrix(s, lanes.get3(s, THAT + 3, k), k, mass, damping)
        spin = lie.multiply(lie.matrix_scale(SPIN_OTHER, spin), a)
        x, z, y = lie.multiply(turn, x), lie.multiply(turn, z), lie.multiply(turn, y)
        lanes.put_blocks(s, REST, k, inertia_rows(-half, OTHER, x, z, y, spin))


@inline
def turning_columns(s, k, stiffness):
    """What comes from one end turns with it, and against the other."""
    turn = lanes.get33(s, TO_THAT, k)
    half = lanes.get(s, HALF, k)
    p, q = lanes.get3(s, THIS + 6, k), lanes.get3(s, THIS + 9, k)
    force = lie.times_hat(turn, lie.scale(-stiffness, p))
    bow = axis_times(-half, lie.times_hat(turn, lie.scale(-stiffness, q)))
    p = lie.apply_transposed(turn, lanes.get3(s, THAT + 6, k))
    q = lie.apply_transposed(turn, lanes.get3(s, THAT + 9, k))
    own_force = lie.hat(lie.scale(stiffness, p))
    own_bow = axis_times(half, lie.hat(lie.scale(stiffness, q)))
    return force, bow, own_force, own_bow


@inline
def add_turning_columns(s, k, columns):
    force, bow, own_force, own_bow = columns
    lanes.put33(s, REST + 9, k, lie.matrix_add(lanes.get33(s, REST + 9, k), force))
    lanes.put33(s, REST + 27, k, lie.matrix_add(lanes.get33(s, REST + 27, k), bow))
    lanes.put33(s, OWN + 9, k, lie.matrix_add(lanes.get33(s, OWN + 9, k), own_force))
    lanes.put33(s, OWN + 27, k, lie.matrix_add(lanes.get33(s, OWN + 27, k), own_bow))


@routine
def add_turning(s, side, stiffness, is_moved):
    if is_moved:
        for k in range(LANES):
            r = lanes.get33(s, CENTER_R + 9 * side, k)
            force, bow, own_force, own_bow = turning_columns(s, k, stiffness)
            columns = (
                lie.times_transposed(force, r),
                lie.times_transposed(bow, r),
                lie.times_transposed(own_force, r),
                lie.times_transposed(own_bow, r),
            )
            add_turning_columns(s, k, columns)
    else:
        for k in range(LANES):
            add_turning_columns(s, k, turning_columns(s, k, stiffness))


@routine
def move_inertia_rows(s, side):
    """From the mass centers to the nodes."""
    other = 1 - side
    for k in range(LANES):
        p, r = (
            lanes.get3(s, CENTER_P + 3 * side, k),
            lanes.get33(s, CENTER_R + 9 * side, k),
        )
        own = blocks.move_rows(lanes.get_blocks(s, OWN, k), p, r)
        lanes.put_blocks(s, OWN, k, own)
        p = lanes.get3(s, CENTER_P + 3 * other, k)
        r = lanes.get33(s, CENTER_R + 9 * other, k)
        rest = blocks.move_rows(lanes.get_blocks(s, REST, k), p, r)
        lanes.put_blocks(s, REST, k, rest)


@routine
def add_inertia_rows(s, side):
    if side == 0:
        for k in range(LANES):
            add_to_matrix(s, 0, 0, k, 1.0, lanes.get_blocks(s, OWN, k))
            add_to_matrix(s, 6, 0, k, 1.0, lanes.get_blocks(s, REST, k))
    else:
        for k in range(LANES):
            add_to_matrix(s, 6, 6, k, 1.0, lanes.get_blocks(s, OWN, k))
            add_to_matrix(s, 0, 6, k, 1.0, lanes.get_blocks(s, REST, k))


@routine
def add_inertia_tangent(s, is_moved, mass, damping, stiffness):
    """``(mass M + damping C) T^-1 + stiffness K`` of inertia and drag."""
    for side in range(2):
        if side == 0:
            choose_first(s)
        else:
            choose_second(s)
        if is_moved:
            move_motions(s, side)
        set_inertia_rows(s, mass, damping)
        add_turning(s, side, stiffness, is_moved)
        if is_moved:
            move_inertia_rows(s, side)
        add_inertia_rows(s, side)
