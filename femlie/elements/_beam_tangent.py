"""Tangent of the beam's internal forces, as stages over lanes (see `_lanes`).

Only the second node's own block is computed from the element. The others follow from
it, because a rigid motion changes nothing and the two wrenches are in balance: with
the frame ``H = (p, R)`` of the second node in that of the first,

    r_A = -Ad(H)^-T r_B        and        K_A = -K_B Ad(H)^-1   (columns).
"""

from __future__ import annotations

from .._jit import inline, routine
from ..lie import _kernels as lie
from . import _blocks as blocks
from . import _lanes as lanes
from ._beam_geometry import (
    COLUMNS,
    CURVES,
    END,
    INCREMENTS,
    MATRIX,
    OFFSETS,
    RATES,
    SECTION,
    STRESS,
    TRIANGLE,
    TURN_B,
    VISCOUS,
    P,
    R,
    U,
    W,
)
from ._lanes import LANES

WIDTH = 12  # of the element matrix


@inline
def put_entries(s, row, column, k, factor, m):
    """Write ``factor m`` at ``(row, column)`` of the element matrix."""
    first = MATRIX + WIDTH * column + row
    m = lie.matrix_scale(factor, m)
    lanes.put3(s, first, k, (m[0], m[3], m[6]))
    lanes.put3(s, first + WIDTH, k, (m[1], m[4], m[7]))
    lanes.put3(s, first + 2 * WIDTH, k, (m[2], m[5], m[8]))


@inline
def put_in_matrix(s, row, column, k, factor, m):
    """The same for a 6x6."""
    put_entries(s, row, column, k, factor, m[0])
    put_entries(s, row, column + 3, k, factor, m[1])
    put_entries(s, row + 3, column, k, factor, m[2])
    put_entries(s, row + 3, column + 3, k, factor, m[3])


@inline
def add_entries(s, row, column, k, factor, m):
    """Add ``factor m`` at ``(row, column)`` of the element matrix."""
    first = MATRIX + WIDTH * column + row
    m = lie.matrix_scale(factor, m)
    lanes.add3(s, first, k, (m[0], m[3], m[6]))
    lanes.add3(s, first + WIDTH, k, (m[1], m[4], m[7]))
    lanes.add3(s, first + 2 * WIDTH, k, (m[2], m[5], m[8]))


@inline
def add_to_matrix(s, row, column, k, factor, m):
    """Add ``factor m`` there."""
    add_entries(s, row, column, k, factor, m[0])
    add_entries(s, row, column + 3, k, factor, m[1])
    add_entries(s, row + 3, column, k, factor, m[2])
    add_entries(s, row + 3, column + 3, k, factor, m[3])


@routine
def add_viscous_stiffness(s):
    """``S/L + (D/L) d(P v)/dd`` takes the place of the stiffness."""
    for k in range(LANES):
        u, w = lanes.get3(s, U, k), lanes.get3(s, W, k)
        c, e = lanes.get(s, CURVES, k), lanes.get(s, CURVES + 1, k)
        f = lie.second_inverse_coefficient(lie.dot(w, w))
        va, wa = lanes.get3(s, RATES, k), lanes.get3(s, RATES + 3, k)
        vb, wb = lanes.get3(s, RATES + 6, k), lanes.get3(s, RATES + 9, k)
        same = lie.matrix_subtract(
            lie.rotation_derivative(1.0, w, wb, c, e),
            lie.rotation_derivative(-1.0, w, wa, c, e),
        )
        mixed = lie.matrix_subtract(
            lie.rotation_derivative(1.0, w, vb, c, e),
            lie.rotation_derivative(-1.0, w, va, c, e),
        )
        dw = lie.subtract(wb, wa)
        mixed = lie.matrix_add(mixed, lie.second_rotation_derivative(w, dw, u, c, e, f))
        added = blocks.times_triangle(lanes.get_blocks(s, VISCOUS, k), (same, mixed))
        lanes.put_blocks(
            s, SECTION, k, blocks.add(lanes.get_blocks(s, SECTION, k), added)
        )


@routine
def set_stress_columns(s, is_diagonal):
    """``T^-T (S/L)``."""
    if is_diagonal:
        for k in range(LANES):
            a, b = lanes.get_triangle(s, TRIANGLE, k)
            axial = lanes.get3(s, SECTION, k)
            bending = lanes.get3(s, SECTION + 3, k)
            x = (
                lie.scale_columns(lie.transpose(a), axial),
                lie.ZERO33,
                lie.scale_columns(lie.transpose(b), axial),
                lie.scale_columns(lie.transpose(a), bending),
            )
            lanes.put_blocks(s, COLUMNS, k, x)
    else:
        for k in range(LANES):
            triangle = lanes.get_triangle(s, TRIANGLE, k)
            x = blocks.triangle_transposed_times(
                triangle, lanes.get_blocks(s, SECTION, k)
            )
            lanes.put_blocks(s, COLUMNS, k, x)


@routine
def set_own_block(s, factor):
    """``factor (T^-T dstress + d(T^-T) stress) T^-1`` of the second section."""
    for k in range(LANES):
        u, w = lanes.get3(s, U, k), lanes.get3(s, W, k)
        c, e = lanes.get(s, CURVES, k), lanes.get(s, CURVES + 1, k)
        f = lie.second_inverse_coefficient(lie.dot(w, w))
        n, m = lanes.get3(s, STRESS, k), lanes.get3(s, STRESS + 3, k)
        x0, x1, x2, x3 = lanes.get_blocks(s, COLUMNS, k)
        q = lie.rotation_derivative(-1.0, w, n, c, e)
        x1 = lie.matrix_add(x1, q)
        x2 = lie.matrix_add(x2, q)
        x3 = lie.matrix_add(x3, lie.rotation_derivative(-1.0, w, m, c, e))
        x3 = lie.matrix_add(x3, lie.second_rotation_derivative(w, n, u, c, e, f))
        x = blocks.times_triangle((x0, x1, x2, x3), lanes.get_triangle(s, TRIANGLE, k))
        lanes.put_blocks(s, COLUMNS, k, blocks.scale(factor, x))


@routine
def set_own_damping(s, factor):
    """``factor T^-T (D/L) T^-1`` of the second section."""
    for k in range(LANES):
        triangle = lanes.get_triangle(s, TRIANGLE, k)
        x = blocks.triangle_transposed_times(triangle, lanes.get_blocks(s, VISCOUS, k))
        x = blocks.times_triangle(x, triangle)
        lanes.put_blocks(s, COLUMNS, k, blocks.scale(factor, x))


@routine
def move_own_block(s):
    """From the second section to its node."""
    for k in range(LANES):
        p, r = lanes.get3(s, OFFSETS + 7, k), lanes.get33(s, TURN_B, k)
        x = blocks.move_columns(lanes.get_blocks(s, COLUMNS, k), p, r)
        lanes.put_blocks(s, COLUMNS, k, blocks.move_rows(x, p, r))


@routine
def set_stiffness_blocks(s, factor):
    """All four blocks from the second node's own; its wrench moves with it."""
    for k in range(LANES):
        p, r = lanes.get3(s, P, k), lanes.get33(s, R, k)
        x = lanes.get_blocks(s, COLUMNS, k)
        put_in_matrix(s, 6, 6, k, 1.0, x)
        put_in_matrix(s, 6, 0, k, -1.0, blocks.move_columns(x, p, r))
        g = lie.hat(lie.scale(factor, lanes.get3(s, END, k)))
        h = lie.hat(lie.scale(factor, lanes.get3(s, END + 3, k)))
        x = (
            x[0],
            lie.matrix_subtract(x[1], g),
            lie.matrix_subtract(x[2], g),
            lie.matrix_subtract(x[3], h),
        )
        x = blocks.move_rows(x, p, r)
        put_in_matrix(s, 0, 6, k, -1.0, x)
        put_in_matrix(s, 0, 0, k, 1.0, blocks.move_columns(x, p, r))


@routine
def add_damping_blocks(s):
    """All four blocks, by the increments of the nodes."""
    for k in range(LANES):
        p, r = lanes.get3(s, P, k), lanes.get33(s, R, k)
        x = lanes.get_blocks(s, COLUMNS, k)
        first = blocks.move_columns(x, p, r)
        first = blocks.times_triangle(first, lanes.get_triangle(s, INCREMENTS, k))
        second = blocks.times_triangle(x, lanes.get_triangle(s, INCREMENTS + 18, k))
        add_to_matrix(s, 6, 6, k, 1.0, second)
        add_to_matrix(s, 0, 6, k, -1.0, blocks.move_rows(second, p, r))
        add_to_matrix(s, 6, 0, k, -1.0, first)
        add_to_matrix(s, 0, 0, k, 1.0, blocks.move_rows(first, p, r))


@inline
def set_internal_tangent(s, is_diagonal, has_offset, factor):
    """``factor (P^T (S/L) P + d(P^T stress)/dq)`` of the stress and wrench in ``s``."""
    set_stress_columns(s, is_diagonal)
    set_own_block(s, factor)
    if has_offset:
        move_own_block(s)
    set_stiffness_blocks(s, factor)


@inline
def add_damping_tangent(s, has_offset, factor):
    """``factor P^T (D/L) P T^-1``."""
    set_own_damping(s, factor)
    if has_offset:
        move_own_block(s)
    add_damping_blocks(s)


@routine
def scatter_matrix(s, data, slots, first, n):
    """Add the element matrices to the CSC data, column by column."""
    lanes.add_columns(s, MATRIX, WIDTH, data, slots, first, n, WIDTH, 0)
