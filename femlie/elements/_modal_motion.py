"""How a modal body's deformation follows from its interface frames.

With the frame of an interface seen from the first, ``H = H_1^-1 H_i = (r, R)``, and the
quaternion ``(s, v)`` of R with ``s >= 0``, there are two measures that agree to first
order. Stress comes from ``d = log(H) - log(H_0)``, in which an even bend stretches
nothing. Inertia comes from ``q = (r - r_0, 2 v)``, which puts the interface exactly
where it is, with

    dq/dt = Y v,  Y = [[-I, r^, R, 0], [0, -(s I - v^), 0, s I + v^]],

and v the twists of the first interface and of this one. Both see relative frames only.

Logarithm and its slopes: Sonneville, Cardona, Bruels 2014. Relative frames of the
interfaces as coordinates of a superelement: Cardona and Geradin 1991.
"""

from __future__ import annotations

import math

from .._jit import allocating_routine, inline
from ..lie import _kernels as lie
from ._scatter import load3, load9


@inline
def load4(array, i, j):
    return (array[i, j], array[i, j + 1], array[i, j + 2], array[i, j + 3])


@inline
def store3(array, i, j, v):
    array[i, j] = v[0]
    array[i, j + 1] = v[1]
    array[i, j + 2] = v[2]


@inline
def store_column(array, j, column, a, b):
    """Write two vectors into a column of a 6-row matrix."""
    for k in range(3):
        array[j, k, column] = a[k]
        array[j, 3 + k, column] = b[k]


@allocating_routine
def set_frames(motion, block, i, body, work, is_static):
    """Poses of the interfaces, their twists and rates in their own axes."""
    for j in range(body.offsets.shape[0]):
        frame = block.frames[i, j]
        p, turn = load3(body.offsets, j, 0), load4(body.offsets, j, 3)
        place, base = load3(motion.poses, frame, 0), load4(motion.poses, frame, 3)
        place = lie.add(place, lie.quaternion_rotate(base, p))
        store3(work.poses, j, 0, place)
        q = lie.quaternion_multiply(base, turn)
        for k in range(4):
            work.poses[j, 3 + k] = q[k]
        if is_static:
            continue
        back = lie.quaternion_conjugate(turn)
        u, w = load3(motion.velocities, frame, 0), load3(motion.velocities, frame, 3)
        u = lie.add(u, lie.cross(w, p))
        store3(work.twists, j, 0, lie.quaternion_rotate(back, u))
        store3(work.twists, j, 3, lie.quaternion_rotate(back, w))
        u = load3(motion.accelerations, frame, 0)
        w = load3(motion.accelerations, frame, 3)
        u = lie.add(u, lie.cross(w, p))
        store3(work.rates, j, 0, lie.quaternion_rotate(back, u))
        store3(work.rates, j, 3, lie.quaternion_rotate(back, w))


@inline
def to_frame(body, j, force, moment):
    """Wrench on an interface as one on its frame."""
    turn = load4(body.offsets, j, 3)
    force = lie.quaternion_rotate(turn, force)
    moment = lie.quaternion_rotate(turn, moment)
    return force, lie.add(moment, lie.cross(load3(body.offsets, j, 0), force))


@allocating_routine
def set_relative(body, work):
    """Interfaces seen from the first, their logarithms and gaps."""
    back = lie.quaternion_conjugate(load4(work.poses, 0, 3))
    first = load3(work.poses, 0, 0)
    for j in range(1, body.offsets.shape[0]):
        at = 6 * (j - 1)
        way = lie.subtract(load3(work.poses, j, 0), first)
        r = lie.quaternion_rotate(back, way)
        q = lie.quaternion_multiply(back, load4(work.poses, j, 3))
        sign = math.copysign(1.0, q[0])
        q = (sign * q[0], sign * q[1], sign * q[2], sign * q[3])
        turn = lie.rotation_matrix(q)
        store3(work.relative, j, 0, r)
        for k in range(4):
            work.relative[j, 3 + k] = q[k]
        for k in range(9):
            work.relative[j, 7 + k] = turn[k]
        place = load3(body.places, j, 0)
        w = lie.quaternion_log(q)
        c, e = lie.inverse_coefficients(lie.dot(w, w))
        u = lie.log_translation(r, w, c)
        store3(work.logs, j, 0, u)
        store3(work.logs, j, 3, w)
        work.logs[j, 6] = c
        work.logs[j, 7] = e
        for k in range(3):
            work.gaps[at + k] = u[k] - place[k]
            work.gaps[at + 3 + k] = w[k]
            work.coordinates[0, at + k] = r[k] - place[k]
            work.coordinates[0, at + 3 + k] = 2.0 * q[1 + k]


@allocating_routine
def set_amplitudes(motion, block, i, n, work, is_static):
    """Amplitudes: places of frames that carry three each."""
    first = 6 * (n - 1)
    for k in range(work.gaps.shape[0] - first):
        frame, column = block.frames[i, n + k // 3], k % 3
        value = motion.poses[frame, column]
        work.gaps[first + k] = value
        work.coordinates[0, first + k] = value
        if not is_static:
            work.coordinates[1, first + k] = motion.velocities[frame, column]
            work.coordinates[2, first + k] = motion.accelerations[frame, column]


@inline
def blend(s, v, a, b, x):
    """``s a + v x b`` with b the vector that is turned: one row of Y and its rates."""
    return lie.add(lie.scale(s, a), lie.add(lie.cross(v, b), x))


@allocating_routine
def set_rates(work):
    """First and second rates of the deformation coordinates of all interfaces."""
    u1, w1 = load3(work.twists, 0, 0), load3(work.twists, 0, 3)
    du1, dw1 = load3(work.rates, 0, 0), load3(work.rates, 0, 3)
    for j in range(1, work.poses.shape[0]):
        at = 6 * (j - 1)
        r, turn = load3(work.relative, j, 0), load9(work.relative, j, 7)
        s, v = work.relative[j, 3], load3(work.relative, j, 4)
        u, w = load3(work.twists, j, 0), load3(work.twists, j, 3)
        du, dw = load3(work.rates, j, 0), load3(work.rates, j, 3)
        e = lie.apply(turn, u)
        way = lie.subtract(lie.subtract(e, u1), lie.cross(w1, r))
        turning = blend(s, v, lie.subtract(w, w1), lie.add(w, w1), lie.ZERO3)
        b = lie.apply(turn, lie.add(du, lie.cross(w, u)))
        b = lie.subtract(lie.subtract(b, du1), lie.cross(dw1, r))
        b = lie.subtract(b, lie.cross(w1, lie.add(e, way)))
        ds = -0.5 * lie.dot(v, lie.subtract(w, w1))
        dv = lie.scale(0.5, turning)
        c = blend(s, v, lie.subtract(dw, dw1), lie.add(dw, dw1), lie.ZERO3)
        c = blend(ds, dv, lie.subtract(w, w1), lie.add(w, w1), c)
        for k in range(3):
            work.coordinates[1, at + k] = way[k]
            work.coordinates[1, at + 3 + k] = turning[k]
            work.coordinates[2, at + k] = b[k]
            work.coordinates[2, at + 3 + k] = c[k]


@allocating_routine
def add_coordinate_wrenches(work, forces):
    """``Y^T`` of the forces along the deformation coordinates."""
    for j in range(1, work.poses.shape[0]):
        at = 6 + 6 * (j - 1)
        r, turn = load3(work.relative, j, 0), load9(work.relative, j, 7)
        s, v = work.relative[j, 3], load3(work.relative, j, 4)
        f = (forces[at], forces[at + 1], forces[at + 2])
        m = (forces[at + 3], forces[at + 4], forces[at + 5])
        own = lie.apply_transposed(turn, f)
        turned = lie.cross(v, m)
        back = lie.add(lie.cross(r, f), lie.add_scaled(turned, s, m))
        m = lie.add_scaled(lie.scale(-1.0, turned), s, m)
        for k in range(3):
            work.wrenches[0, k] -= f[k]
            work.wrenches[0, 3 + k] -= back[k]
            work.wrenches[j, k] += own[k]
            work.wrenches[j, 3 + k] += m[k]


@allocating_routine
def add_stress_wrenches(work):
    """``P^T`` of the stress, ``P = [-T^-1(-d), T^-1(d)]``; sizes of forces, moments."""
    forces, moments = 0.0, 0.0
    for j in range(1, work.poses.shape[0]):
        at = 6 * (j - 1)
        u, w = load3(work.logs, j, 0), load3(work.logs, j, 3)
        a, b = lie.tangent_inverse_blocks(u, w, work.logs[j, 6], work.logs[j, 7])
        n = (work.stress[at], work.stress[at + 1], work.stress[at + 2])
        m = (work.stress[at + 3], work.stress[at + 4], work.stress[at + 5])
        force = lie.apply(a, n)
        moment = lie.add(lie.apply(b, n), lie.apply(a, m))
        own = lie.apply_transposed(a, n)
        turning = lie.add(lie.apply_transposed(b, n), lie.apply_transposed(a, m))
        forces += lie.norm(force) + lie.norm(own)
        moments += lie.norm(moment) + lie.norm(turning)
        for k in range(3):
            work.wrenches[0, k] -= force[k]
            work.wrenches[0, 3 + k] -= moment[k]
            work.wrenches[j, k] += own[k]
            work.wrenches[j, 3 + k] += turning[k]
    return forces, moments
