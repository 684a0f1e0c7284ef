"""The gap between a slave and a rigid shape with its first and second variation.

``g = d(y) - r`` with the signed distance d and the place ``y = R^T (x - p)`` in the
axes of the shape. With ``n = grad d``, ``H`` its second derivatives, motions ``(a, b)``
of the shape in its own axes and Y the variation of y,

- ``Y = R^T dx - a - b x y``, ``dg = n . Y``
- ``d2g = Y^T H Y + n . R^T d2x + terms by which b turns n and Y - f f^T / g_xx``

where ``f = n . R^T dx' + x'^T H Y - b . (x' x n)`` are the variations of the slope
along the slave and g_xx is its derivative, for places that are free. The force acts
along n through x on both, so that their wrenches are in balance.
"""

from __future__ import annotations

from .._jit import routine
from ..elements.base import FORCE_FLOOR
from ..lie import _kernels as lie
from . import _layout as layout
from ._closest import IS_FREE
from ._gap import (
    ALONG,
    UNIT3,
    bends_of,
    inverse_adjoint,
    maps_of,
    pull,
    put3,
    set_curvature,
    slope,
    to_nodes,
    variation,
)
from ._segments import origin_of, place_on, point_on, rounding_of, segment
from ._shape_spots import seen_from, shape_frame, table_of
from ._spots import HELD_SLAVE, SPOT_ROW, SPOT_XI
from ._triangles import to_shape

# rows of the work array: variations of y, turns of the shape, of the slope
PLACES, TURNS, SLOPE = 0, 3, 6
# unknowns that a row with a shape has: two nodes of the slave, one frame
N_COLUMNS = 18


@routine
def set_variations(mapped, block, i, slave, xi, body, y, maps):
    """Variations of the place in the axes of the shape, and turns of the shape."""
    has_offsets = block.codes[i, layout.HAS_OFFSETS] != 0
    column = layout.MASTER_OFFSETS
    turn, shift = inverse_adjoint(block.parameters, i, column, has_offsets)
    for k in range(3):
        axis = UNIT3[k]
        way = variation(slave, xi, 1.0, lie.quaternion_rotate(body[1], axis))
        pull(mapped, PLACES + k, 0, maps, way, has_offsets)
        set_of_shape(mapped, PLACES + k, axis, y, turn, shift)
        for j in range(15):
            mapped[TURNS + k, j] = 0.0
        put3(mapped, TURNS + k, 15, lie.apply_transposed(turn, axis))


@routine
def set_gradient(mapped, poses, block, i, xi):
    """The gradient of the gap of a place on the slave; nothing for the last frame."""
    origin = origin_of(poses, block.frames[i, 0])
    slave = segment(poses, block, i, 0, origin)
    body = shape_frame(poses, block, i, origin)
    has_offsets = block.codes[i, layout.HAS_OFFSETS] != 0
    y = seen_from(body, point_on(slave, xi))
    _, n, _, _ = to_shape(block.parameters, table_of(block.codes, i), y)
    maps = maps_of(slave, block.parameters, i, layout.SLAVE_OFFSETS, has_offsets)
    way = variation(slave, xi, 1.0, lie.quaternion_rotate(body[1], n))
    pull(mapped, ALONG, 0, maps, way, has_offsets)
    column = layout.MASTER_OFFSETS
    turn, shift = inverse_adjoint(block.parameters, i, column, has_offsets)
    set_of_shape(mapped, ALONG, n, y, turn, shift)
    for j in range(N_COLUMNS, 24):
        mapped[ALONG, j] = 0.0


@routine
def set_of_shape(mapped, k, axis, y, turn, shift):
    """How much a motion of the shape's frame moves a place along an axis of it."""
    force = lie.scale(-1.0, axis)
    moment = lie.add(
        lie.apply_transposed(shift, force),
        lie.apply_transposed(turn, lie.cross(axis, y)),
    )
    put3(mapped, k, 12, lie.apply_transposed(turn, force))
    put3(mapped, k, 15, moment)


@routine
def set_slope(mapped, slave, xi, body, n, bend, maps, has_offsets):
    """Variation of the slope of the distance along the slave; its derivative."""
    _, along, bow = place_on(slave, xi)
    back = lie.quaternion_conjugate(body[1])
    t = lie.quaternion_rotate(back, along)
    across, turned = lie.apply(bend, t), lie.cross(n, t)
    way = slope(slave, xi, 1.0, lie.quaternion_rotate(body[1], n))
    pull(mapped, SLOPE, 0, maps, way, has_offsets)
    for j in range(N_COLUMNS):
        found = mapped[SLOPE, j] if j < 12 else 0.0
        for k in range(3):
            found += across[k] * mapped[PLACES + k, j]
            found += turned[k] * mapped[TURNS + k, j]
        mapped[SLOPE, j] = found
    second = lie.dot(n, lie.quaternion_rotate(back, bow))
    return second + lie.dot(t, across)


@routine
def add_shape_spot(mapped, curves, motion, block, target, spot, share, factor):
    """Forces of one point on a shape, its columns, and the stiffness of ``share[0]``.

    ``share``: force, then the weights of both multipliers in gaps of one unit.
    """
    i, xi = int(spot[SPOT_ROW]), spot[SPOT_XI]
    origin = origin_of(motion.poses, block.frames[i, 0])
    slave = segment(motion.poses, block, i, 0, origin)
    body = shape_frame(motion.poses, block, i, origin)
    has_offsets = block.codes[i, layout.HAS_OFFSETS] != 0
    maps = maps_of(slave, block.parameters, i, layout.SLAVE_OFFSETS, has_offsets)
    y = seen_from(body, point_on(slave, xi))
    _, n, bend, _ = to_shape(block.parameters, table_of(block.codes, i), y)
    set_variations(mapped, block, i, slave, xi, body, y, maps)
    force = share[0]
    slots, data, width = block.slots, target.data, block.rows.shape[1]
    target.scales[0] += 2.0 * abs(force)
    # the normal turns by the rounding of places where the shape is bent
    turn = rounding_of(motion.poses, block, i)
    turn *= abs(bend[0]) + abs(bend[4]) + abs(bend[8])
    target.scales[FORCE_FLOOR] = max(target.scales[FORCE_FLOOR], abs(force) * turn)
    for j in range(N_COLUMNS):
        along = n[0] * mapped[0, j] + n[1] * mapped[1, j] + n[2] * mapped[2, j]
        target.residual[block.rows[i, j]] -= force * along
        for m in range(layout.N_MULTIPLIERS):
            x = share[1 + m] * along
            if factor != 0.0 and x != 0.0:
                data[slots[i, width * j + 24 + m]] -= x
                data[slots[i, width * (24 + m) + j]] -= factor * x
    if factor == 0.0 or abs(force) < layout.NO_FORCE:
        return
    scale = -force * factor
    out, work = curves[0:12], curves[12:24]
    outward = lie.quaternion_rotate(body[1], n)
    vector = variation(slave, xi, 1.0, outward)
    bends = bends_of(slave, xi, 1.0, outward)
    set_curvature(out, slave, bends, maps, (vector[2], vector[3]))
    if has_offsets:
        to_nodes(out, work, maps)
    for row in range(12):
        for column in range(12):
            data[slots[i, width * row + column]] += scale * out[row, column]
    stiffness = 0.0
    second = set_slope(mapped, slave, xi, body, n, bend, maps, has_offsets)
    # edges that lie flat bear no force, but their rows are asked for
    if spot[HELD_SLAVE] == IS_FREE and second != 0.0:
        stiffness = 1.0 / second
    add_second(mapped, data, (slots[i], width), n, bend, (scale, stiffness))


@routine
def add_second(mapped, data, where, n, bend, factors):
    """What the second variation has beside the curvature of the slave's path."""
    scale, stiffness = factors
    slots, width = where
    for row in range(N_COLUMNS):
        y = (mapped[0, row], mapped[1, row], mapped[2, row])
        w = (mapped[3, row], mapped[4, row], mapped[5, row])
        left = lie.apply_transposed(bend, y)
        # the slave's rows feel how the shape turns, the shape's rows all motions of y
        own = lie.cross(n, y) if row < 12 else lie.ZERO3
        for column in range(N_COLUMNS):
            z = (mapped[0, column], mapped[1, column], mapped[2, column])
            v = (mapped[3, column], mapped[4, column], mapped[5, column])
            x = lie.dot(left, z) + lie.dot(w, lie.cross(n, z)) + lie.dot(own, v)
            x -= stiffness * mapped[SLOPE, row] * mapped[SLOPE, column]
            data[slots[width * row + column]] += scale * x
