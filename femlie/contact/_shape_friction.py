"""Friction of points on rigid shapes, which acts on both at one common point.

In the axes of the shape everything depends on how the slave moves against it: a force f
at the place y and a moment mu on its section change by ``f . Y + mu . Theta`` with the
relative motions Y and Theta, and put ``-f`` and ``-(y x f + mu)`` on the shape. So the
vectors of `_friction` serve, with

- ``f = l_1 e_1 + l_2 e_2``, ``mu = -d n x f``: both act at ``c = y - d n``
- ``dn = H (Y + x' dxi)`` with the second derivatives H of the distance
- ``dc = C (Y + x' dxi)``, ``C = 1 - n n^T - d H``

and the stiffness has two more parts, where the shape turns the force that the slave
feels, and where the place moves at which the shape feels it.
"""

from __future__ import annotations

from .._jit import routine
from ..lie import _kernels as lie
from . import _friction_layout as layout
from . import _layout as plain
from ._closest import IS_FREE
from ._friction import (
    ETA,
    LEVER,
    N_VECTORS,
    NORMAL,
    PUSH,
    ROLL,
    SLIP,
    SPIN,
    TWIST,
    WAY,
    XI,
    P,
    Q,
    add_products,
    add_pushes,
    add_rows,
    add_spin_of_normal,
    add_turn_of_axes,
    line,
    only_bow,
    own_path,
)
from ._gap import (
    UNIT3,
    bends_of,
    inverse_adjoint,
    maps_of,
    pull,
    put3,
    set_curvature,
    to_nodes,
)
from ._shape_forces import N_COLUMNS, PLACES, SLOPE, TURNS, set_slope, set_variations
from ._shape_slip import AT_ORIGIN, meeting_shape, path_factors, paths_on_shape
from ._slip import LEAST_COSINE, axis_of
from ._spin import own_spin, spins
from ._spots import HELD_SLAVE, SPOT_ROW, SPOT_XI
from ._turning import add_turning, wrench, wrench_slope

# rows of the work array behind those of friction: variations of y, turns of the shape,
# of the slope (`_shape_forces`); one more vector
OWN, OTHER = N_VECTORS, N_VECTORS + 7


@routine
def put_on_shape(mapped, k, carried, force, moment):
    """A wrench on the shape about its origin, as one on its frame."""
    turn, shift = carried[1], carried[2]
    lever = lie.add(
        lie.apply_transposed(shift, force), lie.apply_transposed(turn, moment)
    )
    put3(mapped, k, 12, lie.apply_transposed(turn, force))
    put3(mapped, k, 15, lever)
    for j in range(N_COLUMNS, 24):
        mapped[k, j] = 0.0


@routine
def set_relative(mapped, k, slave, x, carried, force, moment):
    """A force on the slave at x, a moment on its section there, and what answers it."""
    own = wrench(slave[0], x, 1.0, force, moment)
    pull(mapped, k, 0, carried[0], own, carried[3])
    lever = lie.add(lie.cross(slave[1], force), moment)
    put_on_shape(mapped, k, carried, lie.scale(-1.0, force), lie.scale(-1.0, lever))


@routine
def carried_by(block, row, slave):
    """Maps of the slave to its nodes, of the shape to its frame; whether it has any."""
    parameters = block.parameters
    has_offsets = block.codes[row, plain.HAS_OFFSETS] != 0
    maps = maps_of(slave[0], parameters, row, plain.SLAVE_OFFSETS, has_offsets)
    turn, shift = inverse_adjoint(parameters, row, plain.MASTER_OFFSETS, has_offsets)
    return maps, turn, shift, has_offsets


@routine
def set_pushes_on_shape(mapped, slave, x, d, tangents, carried):
    """What a force of one along either tangent does to both nodes and the shape."""
    first, second = tangents[0], tangents[1]
    # -d n x e_1 = d e_2, -d n x e_2 = -d e_1
    set_relative(mapped, PUSH, slave, x, carried, first, lie.scale(d, second))
    set_relative(mapped, PUSH + 1, slave, x, carried, second, lie.scale(-d, first))


@routine
def add_places(mapped, k, v):
    """Add ``v . Y`` to a vector."""
    for j in range(3):
        line(mapped, k, v[j], OWN + PLACES + j)


@routine
def set_ways_on_shape(mapped, slave, x, gap, tangents, carried, is_free):
    """How the place moves along the slave, and changes of the normal."""
    _, n, bend = gap
    rows = mapped[OWN : OWN + 7]
    second = set_slope(rows, slave[0], x, AT_ORIGIN, n, bend, carried[0], carried[3])
    factor = -1.0 / second if is_free and second != 0.0 else 0.0
    for j in range(24):
        moved = factor * rows[SLOPE, j] if j < N_COLUMNS else 0.0
        mapped[XI, j], mapped[ETA, j] = moved, moved
        mapped[P, j], mapped[Q, j] = 0.0, 0.0
    for k, e in ((P, tangents[0]), (Q, tangents[1])):
        v = lie.apply(bend, e)
        add_places(mapped, k, v)
        line(mapped, k, lie.dot(v, slave[2]), XI)


@routine
def set_spin_on_shape(mapped, slave, x, tangents, carried, axis):
    """Turn of the tangents about the normal, as that of `_friction.set_spin`."""
    _, second, cosine, sine = tangents
    moment = lie.scale(-1.0 / sine, lie.cross(axis, second))
    set_relative(mapped, SPIN, slave, x, carried, lie.ZERO3, moment)
    line(mapped, SPIN, lie.dot(moment, slave[3]), XI)
    line(mapped, SPIN, cosine / sine, Q)


@routine
def set_slip_on_shape(mapped, k, slave, x, gap, tangents, carried, own, other):
    """Derivative of the slip along tangent k."""
    d, n, bend = gap
    way, old = own
    is_round, before, moved = other
    e = tangents[0] if k == 0 else tangents[1]
    step = -1.0, d, -way, old
    vector, moment, rate, by_normal, by_arm = own_path(slave, x, step, n, e)
    pull(mapped, SLIP + k, 0, carried[0], vector, carried[3])
    put_on_shape(mapped, SLIP + k, carried, lie.ZERO3, lie.scale(-1.0, moment))
    by_n, by_old, change_n, change_old = path_factors(lie.dot(n, before), is_round)
    height = lie.dot(e, before)
    # C (e - height by_old m), C being symmetric
    z = lie.add_scaled(e, -height * by_old, before)
    z = lie.add_scaled(z, -lie.dot(n, z), n)
    z = lie.add_scaled(z, -d, lie.apply(bend, z))
    add_places(mapped, SLIP + k, z)
    line(mapped, SLIP + k, rate + lie.dot(z, slave[2]), XI)
    change = change_n * lie.dot(moved, n) + change_old * lie.dot(moved, before)
    by_normal = lie.add_scaled(by_normal, -height * by_n, moved)
    by_normal = lie.add_scaled(by_normal, -height * change, before)
    line(mapped, SLIP + k, by_arm, NORMAL)
    slip = paths_on_shape(slave, gap, own, other)
    add_turn_of_axes(mapped, k, n, tangents, slip, by_normal)


@routine
def set_spin_push_on_shape(mapped, slave, x, n, carried, radius):
    """What a force of one about the normal does to both nodes and the shape."""
    moment = lie.scale(radius, n)
    set_relative(mapped, PUSH + 2, slave, x, carried, lie.ZERO3, moment)


@routine
def set_spin_slip_on_shape(mapped, slave, x, n, tangents, carried, own, before, radius):
    """Derivative of the slip of spin, and couples about both tangents."""
    vector, moment, rate, by_normal = own_spin(slave, x, radius, own[0], n, own[1])
    pull(mapped, SLIP + 2, 0, carried[0], vector, carried[3])
    put_on_shape(mapped, SLIP + 2, carried, lie.ZERO3, lie.scale(-1.0, moment))
    share = radius / (1.0 + max(lie.dot(before, n), LEAST_COSINE))
    by_normal = lie.add_scaled(by_normal, share, lie.cross(before, n))
    line(mapped, SLIP + 2, rate, XI)
    add_spin_of_normal(mapped, tangents, by_normal)
    for k in range(2):
        e = tangents[0] if k == 0 else tangents[1]
        couple = lie.scale(radius, e)
        set_relative(mapped, ROLL + k, slave, x, carried, lie.ZERO3, couple)


@routine
def add_shape_friction(
    mapped, curves, motion, block, target, i, k, spot, share, law, factor
):
    """Friction at point k of the run in row i; parameters as of `add_friction`."""
    row, x = int(spot[SPOT_ROW]), spot[SPOT_XI]
    slave, gap, tangents, own, other = meeting_shape(motion, block, i, k, spot)
    d, n, _ = gap
    carried = carried_by(block, row, slave)
    maps, has_offsets = carried[0], carried[3]
    set_pushes_on_shape(mapped, slave, x, d, tangents, carried)
    first, second = tangents[0], tangents[1]
    has_spin, radius = spins(block, i), block.parameters[i, layout.SPIN_RADIUS]
    if has_spin:
        set_spin_push_on_shape(mapped, slave, x, n, carried, radius)
    along, across = share[2], share[3]
    size = add_pushes(mapped, block, target, row, share, N_COLUMNS)
    if factor == 0.0:
        return
    axis = axis_of(slave[4], block.iterates[i, layout.AXIS])
    is_free = spot[HELD_SLAVE] == IS_FREE
    rows = mapped[OWN : OWN + 7]
    set_variations(rows, block, row, slave[0], x, AT_ORIGIN, slave[1], maps)
    for m in range(6):
        for j in range(N_COLUMNS, 24):
            rows[m, j] = 0.0
    set_relative(mapped, NORMAL, slave, x, carried, n, lie.ZERO3)
    set_ways_on_shape(mapped, slave, x, gap, tangents, carried, is_free)
    set_spin_on_shape(mapped, slave, x, tangents, carried, axis)
    for m in range(2):
        set_slip_on_shape(mapped, m, slave, x, gap, tangents, carried, own, other)
    if has_spin:
        set_spin_slip_on_shape(
            mapped, slave, x, n, tangents, carried, own, other[1], radius
        )
    add_rows(mapped, block, target, row, share, law, factor)
    if size == 0.0:
        return
    force = lie.add_scaled(lie.scale(along, first), across, second)
    across_force = lie.add_scaled(lie.scale(-along, second), across, first)
    set_relative(mapped, TWIST, slave, x, carried, lie.ZERO3, lie.scale(d, n))
    back = lie.scale(-1.0, across_force)
    set_relative(mapped, LEVER, slave, x, carried, lie.ZERO3, back)
    moment = lie.scale(-d, across_force)
    moment = lie.add_scaled(moment, share[4] * radius, n)
    change = wrench_slope(slave[0], x, 1.0, force, moment)
    pull(mapped, WAY, 0, maps, change, has_offsets)
    moved = lie.cross(force, slave[2])
    put_on_shape(mapped, WAY, carried, lie.ZERO3, moved)
    add_products(mapped, block, target, row, share, -factor)
    add_turns(mapped, block, target, row, slave, x, carried, (force, moment, -factor))
    out, work = curves[0:12], curves[12:24]
    bow = only_bow(slave[0], x, 1.0, force)
    set_curvature(out, slave[0], bends_of(slave[0], x, 1.0, force), maps, bow)
    add_turning(out, slave[0], x, moment, maps)
    if has_offsets:
        to_nodes(out, work, maps)
    slots, data, width = block.slots, target.data, block.rows.shape[1]
    for a in range(12):
        for b in range(12):
            data[slots[row, width * a + b]] -= factor * out[a, b]


@routine
def add_turns(mapped, block, target, row, slave, x, carried, acting):
    """Stiffness of forces that turn with the shape, and of the place where they act."""
    force, moment, scale = acting
    slots, data, width = block.slots, target.data, block.rows.shape[1]
    for k in range(3):
        unit = UNIT3[k]
        turned = wrench(slave[0], x, 1.0, lie.cross(unit, force),
                        lie.cross(unit, moment))  # fmt: skip
        pull(mapped, OTHER, 0, carried[0], turned, carried[3])
        for a in range(12):
            for b in range(12, N_COLUMNS):
                z = mapped[OTHER, a] * mapped[OWN + TURNS + k, b]
                data[slots[row, width * a + b]] += scale * z
        put_on_shape(mapped, OTHER, carried, lie.ZERO3, lie.cross(force, unit))
        for a in range(12, N_COLUMNS):
            for b in range(N_COLUMNS):
                z = mapped[OTHER, a] * mapped[OWN + PLACES + k, b]
                data[slots[row, width * a + b]] += scale * z
