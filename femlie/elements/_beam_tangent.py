"""Tangent of the beam's internal forces."""

from __future__ import annotations

from .._jit import inline, routine
from ..lie import _kernels as lie
from . import _scatter as scatter
from . import _small as small
from ._beam_geometry import (
    ADJOINT,
    DAMPING,
    HAS_DAMPING,
    HAS_OFFSETS,
    OFFSET_A,
    OFFSET_B,
    PA,
    PB,
    SECTION,
    STIFFNESS,
    TEMPORARY,
    VISCOUS,
    XA,
    XB,
    offset_rotation,
    set_end_map,
    set_increment_map,
)


@inline
def add_stress_matrix(s, out, sign, u, w, n, m, c, e, f):
    """Add the derivative of ``T^-1(d)^T s`` at fixed ``s`` (sign -1; mirror: +1)."""
    q = lie.rotation_derivative(sign, w, n, c, e)
    small.add_block(s, out, 0, 3, 1.0, q)
    small.add_block(s, out, 3, 0, 1.0, q)
    small.add_block(s, out, 3, 3, 1.0, lie.rotation_derivative(sign, w, m, c, e))
    small.add_block(s, out, 3, 3, 1.0, lie.second_rotation_derivative(w, n, u, c, e, f))


@inline
def set_rate_matrix(s, out, u, w, rates, c, e, f):
    """``d(P v)/dd``."""
    va, wa, vb, wb = rates
    small.clear(s, out)
    q = lie.rotation_derivative(1.0, w, wb, c, e)
    small.add_block(s, out, 0, 0, 1.0, q)
    small.add_block(s, out, 3, 3, 1.0, q)
    q = lie.rotation_derivative(-1.0, w, wa, c, e)
    small.add_block(s, out, 0, 0, -1.0, q)
    small.add_block(s, out, 3, 3, -1.0, q)
    small.add_block(s, out, 0, 3, 1.0, lie.rotation_derivative(1.0, w, vb, c, e))
    small.add_block(s, out, 0, 3, -1.0, lie.rotation_derivative(-1.0, w, va, c, e))
    dw = lie.subtract(wb, wa)
    small.add_block(
        s, out, 0, 3, 1.0, lie.second_rotation_derivative(w, dw, u, c, e, f)
    )


@inline
def internal_tangent(
    s,
    increments,
    frames,
    codes,
    parameters,
    data,
    slots,
    i,
    geometry,
    rates,
    stress,
    weights,
):
    """``P^T (S/L) P + d(P^T s)/dq``, and the damping term, of one element."""
    u, w, c, e, f, a, b = geometry
    damping, stiffness = weights
    small.set_triangle(s, PA, lie.transpose(a), lie.transpose(b))
    small.set_triangle(s, PB, a, b)
    small.load_matrix(s, SECTION, parameters, i, STIFFNESS)
    has_damping = codes[i, HAS_DAMPING] != 0
    if has_damping:
        small.load_matrix(s, VISCOUS, parameters, i, DAMPING)
        set_rate_matrix(s, XA, u, w, rates, c, e, f)
        small.multiply(s, XB, VISCOUS, XA)
        small.add_scaled(s, SECTION, 1.0, XB)
    small.multiply_transposed(s, XA, PA, SECTION)
    small.multiply_transposed(s, XB, PB, SECTION)
    add_stress_matrix(s, XA, 1.0, u, w, stress[0], stress[1], c, e, f)
    add_stress_matrix(s, XB, -1.0, u, w, stress[0], stress[1], c, e, f)
    if codes[i, HAS_OFFSETS] != 0:
        move_to_node(s, parameters, i, OFFSET_A, PA, XA)
        move_to_node(s, parameters, i, OFFSET_B, PB, XB)
    scatter_products(s, data, slots, i, stiffness)
    if has_damping and damping != 0.0:
        small.multiply_transposed(s, XA, PA, VISCOUS)
        small.multiply_transposed(s, XB, PB, VISCOUS)
        set_increment_map(s, TEMPORARY, increments, frames[i, 0])
        small.multiply(s, SECTION, PA, TEMPORARY)
        small.clear(s, PA)
        small.add_scaled(s, PA, 1.0, SECTION)
        set_increment_map(s, TEMPORARY, increments, frames[i, 1])
        small.multiply(s, SECTION, PB, TEMPORARY)
        small.clear(s, PB)
        small.add_scaled(s, PB, 1.0, SECTION)
        scatter_products(s, data, slots, i, damping)


@inline
def move_to_node(s, parameters, i, j, p, x):
    """``p <- p Ad^-1`` and ``x <- Ad^-T x`` for the offset at column ``j``."""
    set_end_map(
        s, ADJOINT, scatter.load3(parameters, i, j), offset_rotation(parameters, i, j)
    )
    small.multiply(s, TEMPORARY, p, ADJOINT)
    small.clear(s, p)
    small.add_scaled(s, p, 1.0, TEMPORARY)
    small.multiply_transposed(s, TEMPORARY, ADJOINT, x)
    small.clear(s, x)
    small.add_scaled(s, x, 1.0, TEMPORARY)


@routine
def scatter_products(s, data, slots, i, weight):
    """``weight [[XA PA, -XA PB], [-XB PA, XB PB]]``."""
    small.multiply(s, TEMPORARY, XA, PA)
    small.scatter(s, TEMPORARY, data, slots, i, 12, 0, 0, weight)
    small.multiply(s, TEMPORARY, XA, PB)
    small.scatter(s, TEMPORARY, data, slots, i, 12, 0, 6, -weight)
    small.multiply(s, TEMPORARY, XB, PA)
    small.scatter(s, TEMPORARY, data, slots, i, 12, 6, 0, -weight)
    small.multiply(s, TEMPORARY, XB, PB)
    small.scatter(s, TEMPORARY, data, slots, i, 12, 6, 6, weight)
