"""Tangent of joints: linear in the relative frame, and products of rows.

A row that is linear in ``(p, R)``, ``c . p + sum W R``, has ``g = (a, A - A^T)`` (as a
vector) and ``D = dg/dx = [[0, a^], [0, A - tr(A) I]]``, where ``a = R^T c`` and
``A = R^T W``. For all rows together, with ``F = R_C a``, ``F' = R_K a``,
``Q = A - tr(A) I``, the child's joint frame at ``(p_C, R_C)`` in its node and at
``(p_K, R_K)`` in the parent's, their forces have the tangent

    K_CC = [[0, F^], [0, p_C^ F^ + R_C Q R_C^T]]
    K_CP = -[[0, Z], [0, p_C^ Z + R_C Q R_K^T]] = K_PC^T,    Z = R_C a^ R_K^T
    K_PP = [[0, 0], [-F'^, F'^ p_K^ + R_K Q^T R_K^T]].

What else there is are products ``b c^T`` of rows of twelve, as ``b = Y^T g``:

- a law: ``b (ds/dphi b + ds/drate z)^T``, and ``ds/drate b b^T`` for the damping; z is
  the derivative of the rate: ``D^T nu - ad(y)^T g`` with ``y = -Y_P v_P``
- a force s on ``atan2(S, C)``: ``-s (b r^T + r b^T)``, r that of ``log(S^2 + C^2)/2``
- a force s on ``|p|``: ``s/|p| (b_1 b_1^T + b_2 b_2^T + b_3 b_3^T - b b^T)`` with the
  rows of the three components.

The matrix is ``(mass M + damping C) T^-1 + stiffness K`` with T of the nodes'
increments. Multiplier rows: level 0 ``stiffness B``, level 1
``damping B T^-1 + stiffness d(Bv)/dq``, level 2 ``mass B T^-1`` (its damping and
stiffness parts are used by no solver and left out). Stages over lanes (see `_lanes`).
"""

from __future__ import annotations

from .._jit import inline, routine
from ..lie import _kernels as lie
from . import _lanes as lanes
from ._joint_rows import (
    ACTION,
    ARRAY,
    CARRIED,
    CHILD,
    COLUMN,
    ENTRIES,
    FORCES,
    GRADIENT,
    HOLD,
    INVERSE,
    N_COORDINATES,
    N_ROW_CODES,
    N_SCRATCH,
    NU,
    OBSERVE,
    PARENT,
    ROW_CODES,
    SPREAD,
    THE_ANGLE,
    THE_DISTANCE,
    TWISTS,
    gather_twists,
    move,
    number_of_rows,
    row_place,
    set_wrenches,
)
from ._lanes import LANES

# rows of the scratch array, behind those of `_joint_rows`
KEPT = N_SCRATCH  # a column (12)
SLOPES = KEPT + 12  # Y^T z
MOVED = SLOPES + 12  # b^T T^-1
FACTORS = MOVED + 12  # of a law, or forces on angle and distance (2)
INCREMENTS = FACTORS + 2  # T^-1 of the nodes' increments (36)
MATRIX = INCREMENTS + 36  # wrench rows of the element matrix, column by column (144)
ROW_SCRATCH = MATRIX + 144  # slopes of laws
N_ROW_SCRATCH = 2  # of each row
SIDE = 12


@routine
def set_increments(s):
    """``T^-1`` of the increments of both nodes."""
    for k in range(LANES):
        for side in range(2):
            u = lanes.get3(s, TWISTS + 6 * side, k)
            w = lanes.get3(s, TWISTS + 6 * side + 3, k)
            c, e = lie.inverse_coefficients(lie.dot(w, w))
            triangle = lie.tangent_inverse_blocks(u, w, c, e)
            lanes.put_triangle(s, INCREMENTS + 18 * side, k, triangle)


@inline
def put_entries(s, row, column, k, factor, m):
    """Write ``factor m`` at ``(row, column)`` of the element matrix."""
    at = MATRIX + SIDE * column + row
    lanes.put3(s, at, k, (factor * m[0], factor * m[3], factor * m[6]))
    lanes.put3(s, at + SIDE, k, (factor * m[1], factor * m[4], factor * m[7]))
    lanes.put3(s, at + 2 * SIDE, k, (factor * m[2], factor * m[5], factor * m[8]))


@routine
def set_linear_part(s, factor):
    """The blocks at the head of this file that are not zero, times a factor."""
    for k in range(LANES):
        a, q = lanes.get3(s, GRADIENT, k), lanes.get33(s, ARRAY, k)
        q = lie.matrix_add_scaled(q, -(q[0] + q[4] + q[8]), lie.IDENTITY33)
        p, r = lanes.get3(s, CHILD, k), lanes.get33(s, CHILD + 3, k)
        at, turn = lanes.get3(s, PARENT, k), lanes.get33(s, PARENT + 3, k)
        x = lie.multiply(r, q)
        f = lie.hat(lie.apply(r, a))
        put_entries(s, 6, 9, k, factor, f)
        y = lie.matrix_add(lie.hat_times(p, f), lie.times_transposed(x, r))
        put_entries(s, 9, 9, k, factor, y)
        z = lie.times_transposed(lie.times_hat(r, a), turn)
        put_entries(s, 6, 3, k, -factor, z)
        put_entries(s, 3, 6, k, -factor, lie.transpose(z))
        y = lie.matrix_add(lie.hat_times(p, z), lie.times_transposed(x, turn))
        put_entries(s, 9, 3, k, -factor, y)
        put_entries(s, 3, 9, k, -factor, lie.transpose(y))
        f = lie.hat(lie.apply(turn, a))
        put_entries(s, 3, 0, k, -factor, f)
        y = lie.times_transposed(turn, lie.multiply(turn, q))
        put_entries(s, 3, 3, k, factor, lie.matrix_add(lie.times_hat(f, at), y))


@inline
def set_row(s, coordinates, factor):
    """``g`` and ``b`` of a row, what a unit force on it does; entries ``factor b``."""
    one, other, own_factor, other_factor = coordinates
    for k in range(LANES):
        s[(FORCES + other) * LANES + k] = other_factor
        s[(FORCES + one) * LANES + k] = own_factor
    set_wrenches(s, factor)
    for k in range(LANES):
        s[(FORCES + other) * LANES + k] = s[(FORCES + one) * LANES + k] = 0.0


@routine
def set_slopes(s, is_angle, is_distance, factor):
    """``Y^T z`` of the row whose gradient was set; entries ``factor Y^T z``."""
    lanes.copy(s, KEPT, COLUMN, SIDE)
    for k in range(LANES):
        u, w = lanes.get3(s, NU, k), lanes.get3(s, NU + 3, k)
        v, y = lanes.get3(s, CARRIED, k), lanes.get3(s, CARRIED + 3, k)
        f, m = lanes.get3(s, GRADIENT, k), lanes.get3(s, GRADIENT + 3, k)
        a = lanes.get33(s, ARRAY, k)
        x = lie.add_scaled(lie.apply_transposed(a, w), -(a[0] + a[4] + a[8]), w)
        x = lie.add(x, lie.add(lie.cross(lie.add(u, v), f), lie.cross(y, m)))
        y = lie.cross(y, f)
        if is_angle:
            r = (lanes.get(s, SPREAD, k), lanes.get(s, SPREAD + 1, k), 0.0)
            x = lie.add_scaled(lie.add_scaled(x, -lie.dot(r, w), m), -lie.dot(m, w), r)
        if is_distance:
            z = lie.add_scaled(u, -lie.dot(f, u), f)
            y = lie.add_scaled(y, lanes.get(s, INVERSE, k), z)
        lanes.put3(s, GRADIENT, k, y)
        lanes.put3(s, GRADIENT + 3, k, x)
    move(s, factor)
    lanes.copy(s, SLOPES, COLUMN, SIDE)
    lanes.copy(s, COLUMN, KEPT, SIDE)


@routine
def set_moved(s, factor):
    """``b^T T^-1``, and this times a factor more in the entries."""
    for k in range(LANES):
        for side in range(2):
            a, b = lanes.get_triangle(s, INCREMENTS + 18 * side, k)
            x = lanes.get3(s, COLUMN + 6 * side, k)
            y = lanes.get3(s, COLUMN + 6 * side + 3, k)
            y = lie.add(lie.apply_transposed(b, x), lie.apply_transposed(a, y))
            x = lie.apply_transposed(a, x)
            lanes.put3(s, MOVED + 6 * side, k, x)
            lanes.put3(s, MOVED + 6 * side + 3, k, y)
            lanes.add3(s, ENTRIES + 6 * side, k, lie.scale(factor, x))
            lanes.add3(s, ENTRIES + 6 * side + 3, k, lie.scale(factor, y))


@routine
def add_product(s, weight, factor, source):
    """Add ``b c^T`` to the element matrix; c: a row of twelve times a row, a factor."""
    for column in range(SIDE):
        for k in range(LANES):
            c = factor * lanes.get(s, weight, k) * lanes.get(s, source + column, k)
            for row in range(SIDE):
                at = MATRIX + SIDE * column + row
                s[at * LANES + k] += c * lanes.get(s, COLUMN + row, k)


@routine
def add_bent_part(s, has_angle, has_distance, factor):
    """What forces on angle and distance add, as these are not linear."""
    lanes.copy(s, FACTORS, FORCES + THE_ANGLE, 2)
    if has_angle:
        lanes.clear(s, FORCES, N_COORDINATES)
        for k in range(LANES):
            lanes.put(s, FORCES + THE_ANGLE, k, 1.0)
        set_wrenches(s, 0.0)
        lanes.copy(s, KEPT, COLUMN, SIDE)
        lanes.clear(s, GRADIENT, 6)
        lanes.copy(s, GRADIENT + 3, SPREAD, 2)
        move(s, 0.0)
        add_product(s, FACTORS, -factor, KEPT)
        lanes.copy(s, SLOPES, COLUMN, SIDE)
        lanes.copy(s, COLUMN, KEPT, SIDE)
        add_product(s, FACTORS, -factor, SLOPES)
    if has_distance:
        for j in range(LANES):
            s[(FACTORS + 1) * LANES + j] *= s[INVERSE * LANES + j]
        for one in range(4):
            lanes.clear(s, FORCES, N_COORDINATES)
            for k in range(LANES):
                lanes.put(s, FORCES + (one if one < 3 else THE_DISTANCE), k, 1.0)
            set_wrenches(s, 0.0)
            add_product(s, FACTORS + 1, factor if one < 3 else -factor, COLUMN)


@inline
def add_law(s, n, row, bends, damping, stiffness):
    """Products of a law."""
    lanes.copy(s, FACTORS, ROW_SCRATCH + N_ROW_SCRATCH * row, 2)
    is_damped = False
    for k in range(n):
        is_damped |= lanes.get(s, FACTORS + 1, k) != 0.0
    if stiffness != 0.0:
        add_product(s, FACTORS, stiffness, COLUMN)
    if is_damped and stiffness != 0.0:
        set_slopes(s, bends[0], bends[1], 0.0)
        add_product(s, FACTORS + 1, stiffness, SLOPES)
    if is_damped and damping != 0.0:
        set_moved(s, 0.0)
        add_product(s, FACTORS + 1, damping, MOVED)


@routine
def scatter_held(s, data, slots, first, n, width, held):
    """Add column and row of a multiplier to the CSC data."""
    locked = data.shape[0] - 1
    place = 12 + held
    lanes.add_sixes(s, COLUMN, data, slots, first, n, place, width)
    at = place + 6 * width
    lanes.add_sixes(s, COLUMN + 6, data, slots, first, n, at, width)
    for k in range(n):
        row = slots[first + k]
        for j in range(SIDE):
            at = int(row[place * width + j])
            if at < locked:
                data[at] += lanes.get(s, ENTRIES + j, k)


@routine
def scatter_matrix(s, data, slots, first, n, width, is_full):
    """Add the wrench rows of the element matrices to the CSC data."""
    for k in range(n):
        row = slots[first + k]
        for column in range(SIDE):
            for part in range(4):
                if is_full or part == 1 or (part > 1 and column % 6 > 2):
                    at = MATRIX + SIDE * column + 3 * part
                    place = column + 3 * part * width
                    lanes.add_run(s, at, 1, k, data, row, place, width, 3)


@inline
def add_tangent(s, motion, block, data, place, found, weights):
    """Wrench rows, columns and rows of multipliers.

    ``place``: first element, number of elements; ``found``: see `survey`; ``weights``:
    level, mass, damping, stiffness.
    """
    first, n = place
    has_angle, has_distance, has_law = found
    codes, slots, width = block.codes, block.slots, block.rows.shape[1]
    level, mass, damping, stiffness = weights
    is_full = has_angle or has_distance or has_law
    moving = damping if level == 1 else mass if level == 2 else 0.0
    if moving != 0.0 or (has_law and damping != 0.0):
        gather_twists(s, motion.increments, block.frames, first, n)
        set_increments(s)
    if is_full:
        lanes.clear(s, MATRIX, SIDE * SIDE)
    if stiffness != 0.0:
        set_linear_part(s, stiffness)
        if has_angle or has_distance:
            add_bent_part(s, has_angle, has_distance, stiffness)
    lanes.clear(s, FORCES, N_COORDINATES)
    held = 0
    for row in range(number_of_rows(codes)):
        action = codes[first, ROW_CODES + N_ROW_CODES * row + ACTION]
        if action == OBSERVE:
            continue
        coordinates = row_place(codes, block.parameters, first, row)
        one, other, _, _ = coordinates
        bends = (one == THE_ANGLE or other == THE_ANGLE, one == THE_DISTANCE)
        set_row(s, coordinates, stiffness if level == 0 else 0.0)
        if action == HOLD:
            if level == 1 and stiffness != 0.0:
                set_slopes(s, bends[0], bends[1], stiffness)
            if moving != 0.0:
                set_moved(s, moving)
            scatter_held(s, data, slots, first, n, width, held)
            held += 1
        else:
            add_law(s, n, row, bends, damping, stiffness)
    if stiffness != 0.0 or (has_law and damping != 0.0):
        scatter_matrix(s, data, slots, first, n, width, is_full)
