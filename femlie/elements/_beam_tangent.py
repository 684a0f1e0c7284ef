"""Tangent of the beam's internal forces.

Only the second node's own block is computed from the element. The others follow from
it, because a rigid motion changes nothing and the two wrenches are in balance: with
the frame ``H = (p, R)`` of the second node in that of the first,

    r_A = -Ad(H)^-T r_B        and        K_A = -K_B Ad(H)^-1   (columns).
"""

from __future__ import annotations

from .._jit import inline, routine
from ..lie import _kernels as lie
from . import _blocks as blocks
from . import _scatter as scatter
from ._beam_geometry import (
    DAMPING,
    HAS_DAMPING,
    IS_DIAGONAL,
    OFFSET_B,
    STIFFNESS,
    end_wrench,
    offset_rotation,
)


@inline
def rate_derivative(geometry, rates):
    """Triangle of ``d(P v)/dd``."""
    u, w, c, e, f = geometry
    va, wa, vb, wb = rates
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
    return same, mixed


@routine
def viscous_stiffness(parameters, i, geometry, rates):
    """``S/L + (D/L) d(P v)/dd``."""
    s = blocks.load(parameters, i, STIFFNESS)
    d = blocks.load(parameters, i, DAMPING)
    return blocks.add(s, blocks.times_triangle(d, rate_derivative(geometry, rates)))


@inline
def stress_columns(parameters, codes, i, triangle, geometry, rates):
    """``T^-T dstress/dd``."""
    a, b = triangle
    if codes[i, IS_DIAGONAL] != 0 and codes[i, HAS_DAMPING] == 0:
        j = STIFFNESS
        axial = (parameters[i, j], parameters[i, j + 7], parameters[i, j + 14])
        bending = (parameters[i, j + 21], parameters[i, j + 28], parameters[i, j + 35])
        at = lie.transpose(a)
        x = (
            lie.scale_columns(at, axial),
            lie.ZERO33,
            lie.scale_columns(lie.transpose(b), axial),
            lie.scale_columns(at, bending),
        )
    elif codes[i, HAS_DAMPING] == 0:
        s = blocks.load(parameters, i, STIFFNESS)
        x = blocks.triangle_transposed_times(triangle, s)
    else:
        s = viscous_stiffness(parameters, i, geometry, rates)
        x = blocks.triangle_transposed_times(triangle, s)
    return x


@inline
def set_internal_tangent(
    s, parameters, codes, i, triangle, geometry, rates, stress, nodes, factor
):
    """Write ``factor (P^T (S/L) P + d(P^T stress)/dq)`` into the element matrix."""
    u, w, c, e, f = geometry
    n, m = stress
    p, r, has_offset = nodes
    x0, x1, x2, x3 = stress_columns(parameters, codes, i, triangle, geometry, rates)
    q = lie.rotation_derivative(-1.0, w, n, c, e)
    x1 = lie.matrix_add(x1, q)
    x2 = lie.matrix_add(x2, q)
    x3 = lie.matrix_add(x3, lie.rotation_derivative(-1.0, w, m, c, e))
    x3 = lie.matrix_add(x3, lie.second_rotation_derivative(w, n, u, c, e, f))
    k = blocks.times_triangle((x0, x1, x2, x3), triangle)
    force, moment = end_wrench(parameters, i, triangle, n, m, has_offset)
    if has_offset:
        k = moved_to_node(k, parameters, i)
    blocks.store(s, 6, 6, factor, k)
    blocks.store(s, 6, 0, -factor, blocks.move_columns(k, p, r))
    # the wrench that the first node balances moves with the second
    g = lie.hat(force)
    turned = (
        k[0],
        lie.matrix_subtract(k[1], g),
        lie.matrix_subtract(k[2], g),
        lie.matrix_subtract(k[3], lie.hat(moment)),
    )
    k = blocks.move_rows(turned, p, r)
    blocks.store(s, 0, 6, -factor, k)
    blocks.store(s, 0, 0, factor, blocks.move_columns(k, p, r))


@inline
def moved_to_node(k, parameters, i):
    """Second end's block seen from its node."""
    p = scatter.load3(parameters, i, OFFSET_B)
    r = offset_rotation(parameters, i, OFFSET_B)
    return blocks.move_rows(blocks.move_columns(k, p, r), p, r)


@routine
def add_damping_tangent(s, parameters, i, triangle, nodes, increments, factor):
    """Add ``factor P^T (D/L) P T^-1`` to the element matrix."""
    p, r, has_offset = nodes
    d = blocks.load(parameters, i, DAMPING)
    k = blocks.triangle_transposed_times(triangle, d)
    k = blocks.times_triangle(k, triangle)
    if has_offset:
        k = moved_to_node(k, parameters, i)
    k = blocks.scale(factor, k)
    second = blocks.times_triangle(k, increments[1])
    blocks.accumulate(s, 6, 6, second)
    blocks.accumulate(s, 0, 6, blocks.scale(-1.0, blocks.move_rows(second, p, r)))
    first = blocks.times_triangle(blocks.move_columns(k, p, r), increments[0])
    blocks.accumulate(s, 6, 0, blocks.scale(-1.0, first))
    blocks.accumulate(s, 0, 0, blocks.move_rows(first, p, r))
