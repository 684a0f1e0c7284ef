"""Matrices of a tree in its joint coordinates: inertia, Jacobians, derivatives.

With ``s = S dq`` the variation of a joint, twists of its coordinates vary by
``-ad(s) S`` where they are fixed in the parent, and not at all where they are fixed in
the body; ``dX = -ad(s) X``. Body-fixed variations of frames obey ``x = X x_P + s``.
"""

from __future__ import annotations

from .._jit import inline, kernel, routine
from ..elements._scatter import load3, load9
from ..lie import _kernels as lie
from ._data import (
    FIRST,
    FIRST_DRIVEN,
    IS_REVERSED,
    MOTION,
    N_COORDINATES,
    N_FREE,
    SEPARATE,
    UNIVERSAL,
)
from ._inertia import add_carried_inertia, add_coupling, copy_matrices


@kernel
def mass_matrix(tree, geometry, factors, composite, wrenches, matrix, roots):
    """Inertia of the joint coordinates, from composite inertias (Featherstone 2008).

    ``roots`` (n_coordinates, 6): momentum of each unit rate at the ground's origin.
    """
    copy_matrices(factors.inertias, composite)
    for b in range(tree.frames.shape[0] - 1, -1, -1):
        parent = tree.parents[b]
        if parent < 0:
            continue
        r, p = load9(geometry.rotations, b, 0), load3(geometry.places, b, 0)
        add_carried_inertia(composite, b, parent, r, p)
        if factors.has_coupling[b] != 0:
            add_coupling(geometry, factors.couplings[b], composite, b, parent)
    matrix[:] = 0.0
    for b in range(tree.frames.shape[0]):
        for c in range(tree.kinds[b, N_FREE]):
            s = geometry.directions[b, c]
            column = tree.kinds[b, FIRST] + c
            put_product(composite[b], s, wrenches[b])
            a = b
            while a >= 0:
                put_forces(tree, geometry, a, wrenches[a], matrix[column])
                parent = tree.parents[a]
                target = wrenches[parent] if parent >= 0 else roots[column]
                for j in range(6):
                    target[j] = 0.0
                if a == b and parent >= 0 and factors.has_coupling[b] != 0:
                    put_product(factors.couplings[b], s, target)
                add_carried(geometry, a, wrenches[a], target)
                a = parent
    for i in range(matrix.shape[0]):
        for j in range(matrix.shape[0]):
            if matrix[i, j] == 0.0:
                matrix[i, j] = matrix[j, i]


@routine
def put_product(matrix, vector, result):
    """``result = M vector``."""
    for i in range(6):
        value = 0.0
        for j in range(6):
            value += matrix[i, j] * vector[j]
        result[i] = value


@routine
def put_forces(tree, geometry, b, wrench, row):
    """``S^T f`` of the free coordinates of a body."""
    for c in range(tree.kinds[b, N_FREE]):
        value = 0.0
        for j in range(6):
            value += geometry.directions[b, c, j] * wrench[j]
        row[tree.kinds[b, FIRST] + c] = value


@routine
def add_carried(geometry, b, wrench, target):
    """``X^T f`` added to a wrench at the parent."""
    r, p = load9(geometry.rotations, b, 0), load3(geometry.places, b, 0)
    force = lie.apply(r, (wrench[0], wrench[1], wrench[2]))
    moment = lie.apply(r, (wrench[3], wrench[4], wrench[5]))
    moment = lie.add(moment, lie.cross(p, force))
    for j in range(3):
        target[j] += force[j]
        target[3 + j] += moment[j]


@kernel
def jacobian(tree, geometry, body, matrix):
    """Twist of a body, in its frame, for unit rates of the free coordinates."""
    matrix[:] = 0.0
    turn, place = lie.IDENTITY33, lie.ZERO3
    a = body
    while a >= 0:
        first = tree.kinds[a, FIRST]
        for c in range(tree.kinds[a, N_FREE]):
            u = load3(geometry.directions[a], c, 0)
            w = load3(geometry.directions[a], c, 3)
            u = lie.apply_transposed(turn, lie.add(u, lie.cross(w, place)))
            w = lie.apply_transposed(turn, w)
            for j in range(3):
                matrix[j, first + c] = u[j]
                matrix[3 + j, first + c] = w[j]
        r = load9(geometry.rotations, a, 0)
        place = lie.add(load3(geometry.places, a, 0), lie.apply(r, place))
        turn = lie.multiply(r, turn)
        a = tree.parents[a]


@inline
def bracket(a, i, b, j):
    """``ad(a_i) b_j`` of two rows of twists."""
    u, w = load3(a, i, 0), load3(a, i, 3)
    x, y = load3(b, j, 0), load3(b, j, 3)
    return lie.add(lie.cross(w, x), lie.cross(u, y)), lie.cross(w, y)


@inline
def put(rows, i, u, w):
    for k in range(3):
        rows[i, k] = u[k]
        rows[i, 3 + k] = w[k]


@inline
def add_row(rows, i, factor, u, w):
    for k in range(3):
        rows[i, k] += factor * u[k]
        rows[i, 3 + k] += factor * w[k]


@routine
def turns_with_parent(tree, b, c):
    """Whether a coordinate's twist is fixed in the parent, not in the body."""
    motion, i = tree.kinds[b, MOTION], tree.directions[b, c]
    is_fixed = (motion == UNIVERSAL and i == 5) or (motion == SEPARATE and i < 3)
    if tree.kinds[b, IS_REVERSED] != 0:
        return not is_fixed
    return is_fixed


@routine
def carry_row(geometry, b, rows, parent, out, i):
    """``X`` applied to a row: a parent's twist, seen by the body."""
    r, p = load9(geometry.rotations, b, 0), load3(geometry.places, b, 0)
    u, w = load3(rows, parent, 0), load3(rows, parent, 3)
    put(
        out, i, lie.apply_transposed(r, lie.add(u, lie.cross(w, p))),
        lie.apply_transposed(r, w),
    )  # fmt: skip


# rows of the work array of `vary_motion`
JOINT, RATE, TURNING, TURNING_SECOND, STEP, RATE_CHANGE, TURNING_CHANGE = range(7)
CARRIED, SECOND = range(7, 9)
N_WORK = 9


@kernel
def vary_motion(
    tree, relative, geometry, second_rates, velocities, accelerations, of_rates,
    places, speeds, rates, work,
):  # fmt: skip
    """Variations of all frames by each free coordinate, or by its rate.

    ``places``, ``speeds``, ``rates`` (n_coordinates, n, 6): body-fixed variations of
    place, velocity and acceleration; ``second_rates`` are kept.
    """
    n = tree.frames.shape[0]
    for owner in range(n):
        for own in range(tree.kinds[owner, N_FREE]):
            column = tree.kinds[owner, FIRST] + own
            x, v, a = places[column], speeds[column], rates[column]
            x[:] = 0.0
            v[:] = 0.0
            a[:] = 0.0
            set_joint_rows(tree, relative, geometry, second_rates, owner, work)
            vary_joint(
                tree, geometry, velocities, accelerations, owner, own, of_rates, x, v,
                a, work,
            )  # fmt: skip
            for b in range(owner + 1, n):
                parent = tree.parents[b]
                if parent >= owner:
                    set_joint_rows(tree, relative, geometry, second_rates, b, work)
                    carry_row(geometry, b, x, parent, x, b)
                    carry_row(geometry, b, v, parent, v, b)
                    carry_row(geometry, b, a, parent, a, b)
                    add_bracket(a, b, 1.0, v, b, work, JOINT)


@inline
def add_bracket(rows, i, factor, a, j, b, k):
    u, w = bracket(a, j, b, k)
    add_row(rows, i, factor, u, w)


@routine
def vary_joint(
    tree, geometry, velocities, accelerations, b, own, of_rates, x, v, a, work
):  # fmt: skip
    """Variation of a body by a coordinate of its own joint."""
    parent, frame = tree.parent_frames[b], tree.frames[b]
    for k in (STEP, RATE_CHANGE, TURNING_CHANGE):
        for j in range(6):
            work[k, j] = 0.0
    turns = turns_with_parent(tree, b, own)
    for j in range(6):
        s = geometry.directions[b, own, j]
        if of_rates == 0:
            work[STEP, j] = s
        else:
            work[RATE_CHANGE, j] = s
            work[TURNING_CHANGE, j] = s if turns else 0.0
    add_bracket(work, RATE_CHANGE, -1.0, work, STEP, work, TURNING)
    add_bracket(work, TURNING_CHANGE, -1.0, work, STEP, work, TURNING)
    carry_row(geometry, b, velocities, parent, work, CARRIED)
    carry_row(geometry, b, accelerations, parent, work, SECOND)
    for j in range(6):
        x[b, j] = work[STEP, j]
        v[b, j] = work[RATE_CHANGE, j]
    add_bracket(v, b, -1.0, work, STEP, work, CARRIED)
    add_bracket(a, b, -1.0, work, STEP, work, SECOND)
    add_bracket(a, b, -1.0, work, STEP, work, TURNING_SECOND)
    add_bracket(a, b, -1.0, work, RATE_CHANGE, work, TURNING)
    add_bracket(a, b, -1.0, work, JOINT, work, TURNING_CHANGE)
    add_bracket(a, b, 1.0, velocities, frame, work, RATE_CHANGE)
    add_bracket(a, b, 1.0, v, b, work, JOINT)


@routine
def set_joint_rows(tree, relative, geometry, second_rates, b, work):
    """Twist of a joint, and the shares of its rates that turn with the parent."""
    for k in (JOINT, TURNING, TURNING_SECOND):
        for j in range(6):
            work[k, j] = 0.0
    n_free = tree.kinds[b, N_FREE]
    for c in range(tree.kinds[b, N_COORDINATES]):
        if c < n_free:
            rate = relative.rates[tree.kinds[b, FIRST] + c]
            second = second_rates[tree.kinds[b, FIRST] + c]
        else:
            d = tree.kinds[b, FIRST_DRIVEN] + c - n_free
            rate, second = relative.driven_rates[d, 0], relative.driven_rates[d, 1]
        turns = turns_with_parent(tree, b, c)
        for j in range(6):
            s = geometry.directions[b, c, j]
            work[JOINT, j] += rate * s
            if turns:
                work[TURNING, j] += rate * s
                work[TURNING_SECOND, j] += second * s


@kernel
def vary_forces(tree, geometry, wrenches, changes, of_rates, matrix):
    """Variations of the joint forces; ``changes`` (n_coordinates, n, 6) are replaced.

    ``wrenches`` (n, 6) are those of the joints on their bodies, ``changes`` those of
    what is missing on each body. ``matrix`` has a row for each varied coordinate.
    """
    for owner in range(tree.frames.shape[0]):
        for own in range(tree.kinds[owner, N_FREE]):
            column = tree.kinds[owner, FIRST] + own
            f = changes[column]
            for b in range(tree.frames.shape[0] - 1, -1, -1):
                put_forces(tree, geometry, b, f[b], matrix[column])
                if b == owner and of_rates == 0:
                    turn_forces(tree, geometry, b, own, wrenches, f, matrix[column])
                if tree.parents[b] >= 0:
                    add_carried(geometry, b, f[b], f[tree.parents[b]])


@routine
def turn_forces(tree, geometry, b, own, wrenches, f, row):
    """What moves with a joint: its own twists, and the way to the parent."""
    s = geometry.directions[b]
    fu, fw = load3(wrenches, b, 0), load3(wrenches, b, 3)
    for c in range(tree.kinds[b, N_FREE]):
        if turns_with_parent(tree, b, c):
            u, w = bracket(s, own, s, c)
            row[tree.kinds[b, FIRST] + c] -= lie.dot(u, fu) + lie.dot(w, fw)
    # -ad(s)^T f
    u, w = load3(s, own, 0), load3(s, own, 3)
    moment = lie.add(lie.cross(w, fw), lie.cross(u, fu))
    add_row(f, b, 1.0, lie.cross(w, fu), moment)
