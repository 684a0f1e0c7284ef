"""Tangent of a modal body, from slopes along its frame and deformation coordinates.

With ``f`` of `_modal_inertia`, ``y = (v_1, dq/dt)`` and ``Y^T`` of `_modal_motion`, the
residual is ``Y^T f + P^T K x``. Its slopes are

    M = Y^T f_dy Y
    C = Y^T (f_y Y + f_ddq (ddq)_v)
    K = Y^T (f_q Y + f_y (dq)_h + f_dy (ddq)_h) + (Y^T)_h f + P^T K P + (P^T)_h s

with unknowns in the order: interfaces (6 each, own axes), then amplitudes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._jit import allocating_routine, inline
from ..lie import _kernels as lie
from ._modal_inertia import (
    MOMENT,
    ORIGIN,
    axial,
    centrifugal,
    combined,
    inertia_of,
    mixed,
    trace,
    weighted,
)
from ._modal_layout import FIELD_CODES, N_FIELD_CODES, SHAPES, SHARE, TORQUE
from ._modal_motion import (
    load4,
)
from ._scatter import increment_map, load3, load9
from .base import Array


class Columns(NamedTuple):
    """Matrices of one body's tangent, N deformation coordinates, W unknowns."""

    by_places: Array  # (6 + N, N) f_q
    by_rates: Array  # (6 + N, 6 + N) f_y, then with weights
    inertia: Array  # (6 + N, 6 + N) f_dy
    stiff: Array  # (6 + N, W) columns of K before the rows are gathered
    moving: Array  # (6 + N, W) of C and M
    stressed: Array  # (N, W) K P
    whole: Array  # (W, W) of K
    rest: Array  # (W, W) of C and M


@allocating_routine
def new_columns(n, size):
    width = 6 * n + size - 6 * (n - 1)
    return Columns(
        np.zeros((6 + size, size)),
        np.zeros((6 + size, 6 + size)),
        np.zeros((6 + size, 6 + size)),
        np.zeros((6 + size, width)),
        np.zeros((6 + size, width)),
        np.zeros((size, width)),
        np.zeros((width, width)),
        np.zeros((width, width)),
    )


@inline
def put_block(array, i, j, m):
    for k in range(9):
        array[i + k // 3, j + k % 3] = m[k]


@inline
def put_cell(array, i, j, v):
    """A vector as a column."""
    for k in range(3):
        array[i + k, j] = v[k]


@inline
def put_row(array, i, j, v):
    for k in range(3):
        array[i, j + k] = v[k]


@inline
def hats(a, b):
    """``a^ b^``."""
    return lie.multiply(lie.hat(a), lie.hat(b))


@allocating_routine
def set_inertia_matrix(body, work, columns):
    """``f_dy``: the mass matrix of the frame and the deformation coordinates."""
    m = columns.inertia
    s = load3(work.frame, MOMENT, 0)
    hat = lie.hat(s)
    put_block(m, 0, 0, lie.matrix_scale(body.totals[0, 0], lie.IDENTITY33))
    put_block(m, 0, 3, lie.matrix_scale(-1.0, hat))
    put_block(m, 3, 0, hat)
    put_block(m, 3, 3, inertia_of(body, work))
    for k in range(body.moments.shape[0]):
        e = load9(work.sums[0], k + 1, 0)
        arm = lie.add(axial(e), load3(body.rotary_coupling, k, 0))
        first = load3(body.moments, k, 0)
        put_cell(m, 0, 6 + k, first)
        put_row(m, 6 + k, 0, first)
        put_cell(m, 3, 6 + k, arm)
        put_row(m, 6 + k, 3, arm)
        for j in range(body.moments.shape[0]):
            m[6 + k, 6 + j] = body.shape_inertia[k, j]


@allocating_routine
def set_rate_matrix(body, work, columns):
    """``f_y``: by the twist of the frame and the rates of the coordinates."""
    c = columns.by_rates
    size = body.moments.shape[0]
    mass, s = body.totals[0, 0], load3(work.frame, MOMENT, 0)
    u, w = load3(work.twists, 0, 0), load3(work.twists, 0, 3)
    rate = lie.scale(2.0, weighted(body.moments, work, 1))
    put_block(c, 0, 0, lie.matrix_scale(mass, lie.hat(w)))
    m = lie.matrix_scale(-mass, lie.hat(u))
    m = lie.matrix_add_scaled(m, -1.0, lie.hat(lie.add(lie.cross(w, s), rate)))
    put_block(c, 0, 3, lie.matrix_add_scaled(m, -1.0, hats(w, s)))
    put_block(c, 3, 0, hats(s, w))
    j = inertia_of(body, work)
    spin = lie.add(lie.apply(j, w), weighted(body.rotary_coupling, work, 1))
    q = combined(work, 0, 1)
    m = lie.matrix_add_scaled(lie.multiply(lie.hat(w), j), -1.0, lie.hat(spin))
    m = lie.matrix_add_scaled(m, -1.0, hats(s, u))
    m = lie.matrix_add_scaled(m, 2.0 * trace(q), lie.IDENTITY33)
    put_block(c, 3, 3, lie.matrix_add_scaled(m, -2.0, lie.transpose(q)))
    for k in range(size):
        e = load9(work.sums[0], k + 1, 0)
        first = load3(body.moments, k, 0)
        put_cell(c, 0, 6 + k, lie.scale(2.0, lie.cross(w, first)))
        put_row(c, 6 + k, 0, lie.cross(first, w))
        turned = lie.cross(w, load3(body.rotary_coupling, k, 0))
        put_cell(c, 3, 6 + k, lie.add(mixed(e, w), turned))
        v = lie.add(lie.apply(e, w), lie.apply_transposed(e, w))
        v = lie.add_scaled(v, -2.0 * trace(e), w)
        v = lie.add_scaled(v, 2.0, axial(load9(work.sums[1], k + 1, 0)))
        put_row(c, 6 + k, 3, lie.add(v, lie.cross(u, first)))
        for i in range(size):
            at = (i + 1) * (size + 1) + k + 1
            both = 2.0 * lie.dot(w, axial(load9(body.second_moments, at, 0)))
            c[6 + k, 6 + i] = both + body.damping[k, i]


@allocating_routine
def set_place_matrix(body, work, columns):
    """``f_q``: by the deformation coordinates."""
    f = columns.by_places
    size = body.moments.shape[0]
    a = load3(work.frame, ORIGIN, 0)
    w, dw = load3(work.twists, 0, 3), load3(work.rates, 0, 3)
    for k in range(size):
        first = load3(body.moments, k, 0)
        force = lie.add(lie.cross(dw, first), lie.cross(w, lie.cross(w, first)))
        put_cell(f, 0, k, force)
        e = load9(work.sums[0], k + 1, 0)
        j = lie.matrix_scale(2.0 * trace(e), lie.IDENTITY33)
        j = lie.matrix_add_scaled(j, -1.0, e)
        j = lie.matrix_add_scaled(j, -1.0, lie.transpose(e))
        moment = lie.add(lie.cross(first, a), lie.apply(j, dw))
        moment = lie.add(moment, lie.cross(w, lie.apply(j, w)))
        rate = lie.transpose(load9(work.sums[1], k + 1, 0))
        moment = lie.add(moment, mixed(rate, w))
        moment = lie.subtract(moment, axial(load9(work.sums[2], k + 1, 0)))
        put_cell(f, 3, k, moment)
        for m in range(size):
            c = load9(body.second_moments, (k + 1) * (size + 1) + m + 1, 0)
            f[6 + m, k] = lie.dot(axial(c), dw) + centrifugal(w, c)


@allocating_routine
def add_field_slopes(block, i, body, work, weight, columns):
    """Loads keep their direction: slopes by coordinates and by the first interface."""
    for f in range(body.fields.shape[0]):
        vector, arm = load3(work.fields, f, 0), load3(work.fields, f, 3)
        share = -weight * body.fields[f, SHARE]
        turned = lie.matrix_scale(share, lie.hat(vector))
        low = lie.matrix_scale(-weight, hats(arm, vector))
        is_torque = block.codes[i, FIELD_CODES + N_FIELD_CODES * f + 1] == TORQUE
        if is_torque:
            turned, low = lie.ZERO33, turned
        for k in range(9):
            columns.stiff[k // 3, 3 + k % 3] += turned[k]
            columns.stiff[3 + k // 3, 3 + k % 3] += low[k]
        for k in range(work.coordinates.shape[1]):
            row = lie.cross(load3(body.fields, f, SHAPES + 3 * k), vector)
            for j in range(3):
                columns.stiff[6 + k, 3 + j] -= weight * row[j]
                if not is_torque:
                    columns.by_places[3 + j, k] -= row[j]


@inline
def column_of(j, c):
    """Unknown of column ``c`` of an interface's slopes."""
    return c if c < 6 else 6 * j + c - 6


@allocating_routine
def add_products(matrix, first, slopes, weight, target):
    """``target += weight matrix[:, first:] slopes`` of all interfaces."""
    if weight == 0.0:
        return
    for j in range(1, slopes.shape[0]):
        at = first + 6 * (j - 1)
        for i in range(matrix.shape[0]):
            for c in range(12):
                value = 0.0
                for k in range(6):
                    value += matrix[i, at + k] * slopes[j, k, c]
                target[i, column_of(j, c)] += weight * value


@allocating_routine
def add_amplitudes(matrix, first, n, weight, target):
    """The same for the columns of the amplitudes, whose slopes are one."""
    at = first + 6 * (n - 1)
    for i in range(matrix.shape[0]):
        for k in range(matrix.shape[1] - at):
            target[i, 6 * n + k] += weight * matrix[i, at + k]


@allocating_routine
def gather_rows(matrix, first, slopes, target):
    """``target += slopes^T matrix[first:]``, and the rows of the amplitudes."""
    n = slopes.shape[0]
    for j in range(1, n):
        at = first + 6 * (j - 1)
        for c in range(12):
            row = column_of(j, c)
            for k in range(6):
                factor = slopes[j, k, c]
                for i in range(matrix.shape[1]):
                    target[row, i] += factor * matrix[at + k, i]
    at = first + 6 * (n - 1)
    for k in range(matrix.shape[0] - at):
        for i in range(matrix.shape[1]):
            target[6 * n + k, i] += matrix[at + k, i]


@allocating_routine
def gather_frame_rows(matrix, target):
    for k in range(6):
        for i in range(matrix.shape[1]):
            target[k, i] += matrix[k, i]


@allocating_routine
def set_stiffness(body, slopes, columns, weight, is_static):
    """K of the interfaces and amplitudes, into ``columns.whole``."""
    n = body.offsets.shape[0]
    add_products(columns.by_places, 0, slopes.coordinates, weight, columns.stiff)
    add_amplitudes(columns.by_places, 0, n, weight, columns.stiff)
    if not is_static:
        add_products(columns.by_rates, 6, slopes.rates, weight, columns.stiff)
        add_products(columns.inertia, 6, slopes.second_rates, weight, columns.stiff)
    gather_frame_rows(columns.stiff, columns.whole)
    gather_rows(columns.stiff, 6, slopes.coordinates, columns.whole)
    add_products(body.stiffness, 0, slopes.logs, weight, columns.stressed)
    add_amplitudes(body.stiffness, 0, n, weight, columns.stressed)
    gather_rows(columns.stressed, 0, slopes.logs, columns.whole)
    for j in range(1, n):
        for r in range(12):
            for c in range(12):
                columns.whole[column_of(j, r), column_of(j, c)] += (
                    weight * slopes.wrenches[j, r, c]
                )


@allocating_routine
def set_moving_tangent(slopes, columns, n, mass, damping):
    """C and M of the interfaces and amplitudes, into ``columns.rest``."""
    m = columns.inertia
    both = columns.by_rates
    for i in range(m.shape[0]):
        for k in range(m.shape[1]):
            both[i, k] = damping * both[i, k] + mass * m[i, k]
        for k in range(6):
            columns.moving[i, k] += both[i, k]
    add_products(both, 6, slopes.coordinates, 1.0, columns.moving)
    add_amplitudes(both, 6, n, 1.0, columns.moving)
    add_products(m, 6, slopes.by_twists, damping, columns.moving)
    gather_frame_rows(columns.moving, columns.rest)
    gather_rows(columns.moving, 6, slopes.coordinates, columns.rest)


@allocating_routine
def to_frame_columns(body, matrix):
    """Columns of the interfaces as columns of their frames: ``Ad^-1`` from behind."""
    for j in range(body.offsets.shape[0]):
        p = load3(body.offsets, j, 0)
        turn = load4(body.offsets, j, 3)
        at = 6 * j
        for i in range(matrix.shape[0]):
            # a row is a wrench, which moves as such
            f = lie.quaternion_rotate(turn, load3(matrix, i, at))
            m = lie.quaternion_rotate(turn, load3(matrix, i, at + 3))
            m = lie.add(m, lie.cross(p, f))
            for k in range(3):
                matrix[i, at + k] = f[k]
                matrix[i, at + 3 + k] = m[k]


@allocating_routine
def to_frame_rows(body, matrix):
    for j in range(body.offsets.shape[0]):
        p = load3(body.offsets, j, 0)
        turn = load4(body.offsets, j, 3)
        at = 6 * j
        for i in range(matrix.shape[1]):
            f = (matrix[at, i], matrix[at + 1, i], matrix[at + 2, i])
            m = (matrix[at + 3, i], matrix[at + 4, i], matrix[at + 5, i])
            f = lie.quaternion_rotate(turn, f)
            m = lie.add(lie.quaternion_rotate(turn, m), lie.cross(p, f))
            for k in range(3):
                matrix[at + k, i] = f[k]
                matrix[at + 3 + k, i] = m[k]


@allocating_routine
def to_increments(motion, block, i, n, matrix):
    """Columns times ``T^-1`` of the increments of their frames."""
    for j in range(n):
        a, b = increment_map(motion.increments, block.frames[i, j])
        at = 6 * j
        for row in range(matrix.shape[0]):
            f, m = load3(matrix, row, at), load3(matrix, row, at + 3)
            turned = lie.add(lie.apply_transposed(b, f), lie.apply_transposed(a, m))
            f = lie.apply_transposed(a, f)
            for k in range(3):
                matrix[row, at + k] = f[k]
                matrix[row, at + 3 + k] = turned[k]


@inline
def place_of(n, unknown):
    """Row among those of the frames: amplitudes use the first three of six."""
    if unknown < 6 * n:
        return unknown
    k = unknown - 6 * n
    return 6 * n + 6 * (k // 3) + k % 3


@allocating_routine
def scatter_tangent(block, i, n, columns, data):
    """Add the tangent to the data of the matrix."""
    width = block.rows.shape[1]
    whole, rest = columns.whole, columns.rest
    for r in range(whole.shape[0]):
        row = place_of(n, r)
        for c in range(whole.shape[0]):
            value = whole[r, c] + rest[r, c]
            data[block.slots[i, width * row + place_of(n, c)]] += value
