"""Outward and inward recursions of frames, twists and wrenches, all O(n).

With ``K = (p, R)`` the body in its parent, ``X = Ad(K)^-1`` and the coordinates' twists
as columns of S, all in the body's frame:

- outward: ``v = X v_P + S q'``, ``a = X a_P + S q'' + dS/dt q' + ad(v) S q'``
- inward: ``f = r + sum X_c^T f_c`` over the children, force of a coordinate ``S^T f``

Park, Bobrow, Ploen 1995.
"""

from __future__ import annotations

from .._jit import inline, routine
from ..elements._scatter import load3, load9, load_position, load_quaternion
from ..lie import _kernels as lie
from ._data import (
    FIRST,
    FIRST_DRIVEN,
    IS_ALIGNED,
    IS_BALL,
    IS_REVERSED,
    IS_ROTATION,
    MOTION,
    N_COORDINATES,
    N_FREE,
    SUBGROUP,
)
from ._inertia import load_axes
from ._joints import nearly_normalized, set_drift, set_joint_axes, store_pose


@inline
def compose(place, turn, other_place, other_turn):
    return (
        lie.add(place, lie.quaternion_rotate(turn, other_place)),
        lie.quaternion_multiply(turn, other_turn),
    )


@inline
def invert(place, turn):
    back = lie.quaternion_conjugate(turn)
    return lie.scale(-1.0, lie.quaternion_rotate(back, place)), back


@inline
def relative_turn(tree, relatives, b):
    """Rotation of a body in its parent (quaternion), and its place there.

    With joint frames ``(p_P, Q_P)`` on the parent, ``(p_C, Q_C)`` on the body and the
    relative frame ``(p, Q)``: ``Q_K = Q_P Q Q_C^-1``, ``p_K = p_P + R_P p - R_K p_C``.
    """
    turn = load_quaternion(relatives, b)
    place = load_position(tree.parent_offsets, b)
    if tree.kinds[b, IS_ROTATION] == 0:
        way = load_position(relatives, b)
        if tree.kinds[b, IS_REVERSED] != 0:
            way, turn = invert(way, turn)
        way = lie.quaternion_rotate(load_quaternion(tree.parent_offsets, b), way)
        place = lie.add(place, way)
    elif tree.kinds[b, IS_REVERSED] != 0:
        turn = lie.quaternion_conjugate(turn)
    if tree.kinds[b, IS_ALIGNED] == 0:
        turn = lie.quaternion_multiply(load_quaternion(tree.parent_offsets, b), turn)
        back = lie.quaternion_conjugate(load_quaternion(tree.child_offsets, b))
        turn = lie.quaternion_multiply(turn, back)
    r = lie.rotation_matrix(turn)
    place = lie.subtract(place, lie.apply(r, load_position(tree.child_offsets, b)))
    return place, turn, r


@inline
def set_place(tree, relatives, geometry, b, poses):
    """Pose of a body, and in its parent; returns the latter."""
    place, turn, r = relative_turn(tree, relatives, b)
    for k in range(9):
        geometry.rotations[b, k] = r[k]
    for k in range(3):
        geometry.places[b, k] = place[k]
    parent = tree.parent_frames[b]
    above = load_quaternion(poses, parent)
    whole = nearly_normalized(lie.quaternion_multiply(above, turn))
    way = lie.quaternion_rotate(above, place)
    way = lie.add(load_position(poses, parent), way)
    store_pose(poses, tree.frames[b], way, whole)
    return r, place


@routine
def carry_axes(tree, relatives, b, n, axes):
    """``n`` rows of ``axes`` from the joint's child frame to the body's frame."""
    place = load_position(tree.child_offsets, b)
    turn = load_quaternion(tree.child_offsets, b)
    sign = 1.0
    if tree.kinds[b, IS_REVERSED] != 0:
        sign = -1.0
        place, turn = compose(
            place, turn, load_position(relatives, b), load_quaternion(relatives, b)
        )
    for c in range(n):
        w = lie.quaternion_rotate(turn, load3(axes, c, 3))
        u = lie.quaternion_rotate(turn, load3(axes, c, 0))
        u = lie.add(u, lie.cross(place, w))
        for j in range(3):
            axes[c, j] = sign * u[j]
            axes[c, 3 + j] = sign * w[j]


@routine
def put_axes(axes, b, n, target):
    for c in range(n):
        for j in range(6):
            target[b, c, j] = axes[c, j]


@routine
def set_speeds(tree, relative, b, axes):
    """Drift of a joint's twists under its present rates, into row 6 of ``axes``."""
    first, n_free = tree.kinds[b, FIRST], tree.kinds[b, N_FREE]
    for j in range(6):
        axes[6, j] = 0.0
    if tree.kinds[b, MOTION] == SUBGROUP:
        return
    for c in range(tree.kinds[b, N_COORDINATES]):
        if c < n_free:
            axes[7, c] = relative.rates[first + c]
        else:
            driven = tree.kinds[b, FIRST_DRIVEN] + c - n_free
            axes[7, c] = relative.driven_rates[driven, 0]
    set_drift(tree, b, axes, axes[7], axes[6])


@inline
def relative_motion(tree, relative, directions, given, b, n):
    """``S q'`` and ``S q''`` of the present rates and the given second rates."""
    first, n_free = tree.kinds[b, FIRST], tree.kinds[b, N_FREE]
    first_driven = tree.kinds[b, FIRST_DRIVEN]
    u = w = du = dw = lie.ZERO3
    for c in range(n):
        su = (directions[b, c, 0], directions[b, c, 1], directions[b, c, 2])
        sw = (directions[b, c, 3], directions[b, c, 4], directions[b, c, 5])
        if c < n_free:
            speed = relative.rates[first + c]
            second = given[first + c]
        else:
            speed = relative.driven_rates[first_driven + c - n_free, 0]
            second = relative.driven_rates[first_driven + c - n_free, 1]
        u, w = lie.add_scaled(u, speed, su), lie.add_scaled(w, speed, sw)
        du, dw = lie.add_scaled(du, second, su), lie.add_scaled(dw, second, sw)
    return u, w, du, dw


@inline
def turning_motion(tree, relative, directions, given, b):
    """The same of a ball joint."""
    rates, first = relative.rates, tree.kinds[b, FIRST]
    axes, arm = load_axes(directions, b), load3(tree.child_offsets, b, 0)
    w = lie.apply_transposed(axes, (rates[first], rates[first + 1], rates[first + 2]))
    dw = (given[first], given[first + 1], given[first + 2])
    dw = lie.apply_transposed(axes, dw)
    return lie.cross(arm, w), w, lie.cross(arm, dw), dw


@inline
def joint_motion(tree, relative, geometry, given, b, axes):
    """Relative motion of a body; directions and their drift, where they change."""
    n = tree.kinds[b, N_COORDINATES]
    drift = lie.ZERO3, lie.ZERO3
    if tree.kinds[b, MOTION] != SUBGROUP or tree.kinds[b, IS_REVERSED] != 0:
        set_joint_axes(tree, relative.frames, b, axes)
        set_speeds(tree, relative, b, axes)
        carry_axes(tree, relative.frames, b, 7, axes)
        put_axes(axes, b, n, geometry.directions)
        drift = load3(axes, 6, 0), load3(axes, 6, 3)
    if tree.kinds[b, IS_BALL] != 0:
        u, w, du, dw = turning_motion(tree, relative, geometry.directions, given, b)
    elif n == 1:
        u, w, du, dw = relative_motion(tree, relative, geometry.directions, given, b, 1)
    else:
        u, w, du, dw = relative_motion(tree, relative, geometry.directions, given, b, n)
    return u, w, lie.add(drift[0], du), lie.add(drift[1], dw)


@routine
def set_motion(tree, relative, geometry, given, poses, velocities, accelerations, axes):
    """Poses, velocities and accelerations of all bodies with ``given`` second rates.

    Driven coordinates bring their own. ``axes`` (8, 6) is work: twists, drift, rates.
    """
    for b in range(tree.frames.shape[0]):
        u, w, du, dw = joint_motion(tree, relative, geometry, given, b, axes)
        parent, frame = tree.parent_frames[b], tree.frames[b]
        r, p = set_place(tree, relative.frames, geometry, b, poses)
        pu, pw = load3(velocities, parent, 0), load3(velocities, parent, 3)
        vu = lie.apply_transposed(r, lie.add(pu, lie.cross(pw, p)))
        vw = lie.apply_transposed(r, pw)
        vu, vw = lie.add(vu, u), lie.add(vw, w)
        pu, pw = load3(accelerations, parent, 0), load3(accelerations, parent, 3)
        au = lie.apply_transposed(r, lie.add(pu, lie.cross(pw, p)))
        aw = lie.apply_transposed(r, pw)
        # ad(v) (u, w) = (v_w x u + v_u x w, v_w x w)
        au = lie.add(au, lie.add(lie.cross(vw, u), lie.cross(vu, w)))
        aw = lie.add(aw, lie.cross(vw, w))
        for k in range(3):
            velocities[frame, k] = vu[k]
            velocities[frame, 3 + k] = vw[k]
            accelerations[frame, k] = au[k] + du[k]
            accelerations[frame, 3 + k] = aw[k] + dw[k]


@inline
def add_to_parent(wrenches, parent, force, moment, r, p):
    """``X^T f``: a wrench at the body, at its parent."""
    force = lie.apply(r, force)
    moment = lie.add(lie.apply(r, moment), lie.cross(p, force))
    for k in range(3):
        wrenches[parent, k] += force[k]
        wrenches[parent, 3 + k] += moment[k]


@routine
def gather_wrenches(tree, geometry, wrenches, forces, driven_forces):
    """Wrench of each joint on its body, from the wrenches that it must balance.

    ``wrenches`` (n, 6) are replaced; forces are those along the coordinates.
    """
    for b in range(tree.frames.shape[0] - 1, -1, -1):
        first = tree.kinds[b, FIRST]
        n_free = tree.kinds[b, N_FREE]
        for c in range(tree.kinds[b, N_COORDINATES]):
            force = 0.0
            for j in range(6):
                force += geometry.directions[b, c, j] * wrenches[b, j]
            if c < n_free:
                forces[first + c] = force
            else:
                driven_forces[tree.kinds[b, FIRST_DRIVEN] + c - n_free] = force
        if tree.parents[b] >= 0:
            add_to_parent(
                wrenches,
                tree.parents[b],
                load3(wrenches, b, 0),
                load3(wrenches, b, 3),
                load9(geometry.rotations, b, 0),
                load3(geometry.places, b, 0),
            )
