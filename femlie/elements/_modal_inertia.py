"""Inertia of a modal body: forces on its frame and its deformation, and their slopes.

A point of the body is at ``r = X + sum_k q_k shape_k`` in the axes of the first
interface, and moves with ``u + w x r + dr/dt``. All that the equations of motion need
of the shapes are the constants ``S_k = int shape_k`` and ``C_kl = int shape_k
shape_l^T`` (shape 0 is the place X, with q_0 = 1), and likewise of the rotation of the
sections for their inertia about themselves. With the sums
``E_k = int r shape_k^T = sum_l q_l C_lk``, and ``E'_k`` of the rates:

    f   = m a + dw x s + w x (w x s) + 2 w x s' + s''
    m   = s x a + J dw + w x J w + 2 (tr(Q) I - Q^T) w + sum_k (axial E_k) q_k''
    f_k = S_k . a + axial E_k . dw + (w w^T - w^2) : E_k + 2 w . axial E'_k + M_kl q_l''

where a is the acceleration of the origin, ``s`` the first moment,
``J = tr(P) I - P``, ``P = int r r^T``, ``Q = int r (dq/dt)^T`` and axial E_k that of
``r x shape_k``. The velocity field is that of a real motion of points, so that momentum
is exactly theirs and a common velocity adds no force. Loads that keep their direction
in space are fields with integrals of their own.

Shabana 2013 (floating frame, inertia shape integrals).
"""

from __future__ import annotations

from .._jit import allocating_routine, inline
from ..lie import _kernels as lie
from ._modal_layout import (
    ARM,
    FIELD_CODES,
    N_FIELD_CODES,
    SHAPES,
    SHARE,
    TORQUE,
    VECTOR,
)
from ._modal_motion import (
    load4,
)
from ._scatter import load3, load9

ORIGIN, MOMENT = range(2)  # rows of Work.frame


@inline
def axial(m):
    """``int a x b`` of ``m = int a b^T``."""
    return (m[5] - m[7], m[6] - m[2], m[1] - m[3])


@inline
def trace(m):
    return m[0] + m[4] + m[8]


@inline
def mixed(m, w):
    """``2 (tr(M) w - M^T w)``."""
    factor = 2.0 * trace(m)
    turned = lie.apply_transposed(m, w)
    return (
        factor * w[0] - 2.0 * turned[0],
        factor * w[1] - 2.0 * turned[1],
        factor * w[2] - 2.0 * turned[2],
    )


@inline
def centrifugal(w, m):
    """``(w w^T - w^2 I) : M``."""
    return lie.dot(w, lie.apply(m, w)) - lie.dot(w, w) * trace(m)


@allocating_routine
def set_frame(body, work):
    """Acceleration of the origin and first moment, in the body's axes."""
    u, w = load3(work.twists, 0, 0), load3(work.twists, 0, 3)
    a = lie.add(load3(work.rates, 0, 0), lie.cross(w, u))
    s = lie.add(load3(body.totals, 0, 1), weighted(body.moments, work, 0))
    for k in range(3):
        work.frame[ORIGIN, k] = a[k]
        work.frame[MOMENT, k] = s[k]


@allocating_routine
def set_fields(motion, block, i, body, work):
    """Loads that keep their direction, and where each acts, in the body's axes."""
    q = load4(work.poses, 0, 3)
    back = lie.quaternion_conjugate(q)
    for f in range(body.fields.shape[0]):
        signal = block.codes[i, FIELD_CODES + N_FIELD_CODES * f]
        vector = lie.scale(motion.signals[signal, 0], load3(body.fields, f, VECTOR))
        vector = lie.quaternion_rotate(back, vector)
        arm = load3(body.fields, f, ARM)
        for k in range(work.coordinates.shape[1]):
            shape = load3(body.fields, f, SHAPES + 3 * k)
            arm = lie.add_scaled(arm, work.coordinates[0, k], shape)
        for k in range(3):
            work.fields[f, k] = vector[k]
            work.fields[f, 3 + k] = arm[k]


@allocating_routine
def subtract_fields(block, i, body, work):
    """Loads, from the forces on the frame and the coordinates."""
    for f in range(body.fields.shape[0]):
        vector, arm = load3(work.fields, f, 0), load3(work.fields, f, 3)
        force = lie.scale(body.fields[f, SHARE], vector)
        moment = lie.cross(arm, vector)
        if block.codes[i, FIELD_CODES + N_FIELD_CODES * f + 1] == TORQUE:
            force, moment = lie.ZERO3, force
        for k in range(3):
            work.forces[k] -= force[k]
            work.forces[3 + k] -= moment[k]
        for k in range(work.coordinates.shape[1]):
            shape = load3(body.fields, f, SHAPES + 3 * k)
            work.forces[6 + k] -= lie.dot(shape, vector)


@allocating_routine
def set_sums(body, work):
    """``E_k`` of the coordinates, of their rates and of their second rates."""
    size = body.moments.shape[0]
    for kind in range(3):
        for k in range(size + 1):
            for j in range(9):
                value = 0.0
                if kind == 0:
                    value = body.second_moments[k, j]
                work.sums[kind, k, j] = value
        for m in range(size):
            factor = work.coordinates[kind, m]
            if factor == 0.0:
                continue
            at = (m + 1) * (size + 1)
            for k in range(size + 1):
                for j in range(9):
                    work.sums[kind, k, j] += factor * body.second_moments[at + k, j]


@inline
def combined(work, kind, row):
    """``sum_k q_k E_k`` with the coordinates of a row, without shape 0."""
    total = lie.ZERO33
    for k in range(work.coordinates.shape[1]):
        e = load9(work.sums[kind], k + 1, 0)
        total = lie.matrix_add_scaled(total, work.coordinates[row, k], e)
    return total


@inline
def inertia_of(body, work):
    """Moment of inertia about the origin, deformed."""
    p = lie.matrix_add(load9(work.sums[0], 0, 0), combined(work, 0, 0))
    j = lie.matrix_scale(trace(p), lie.IDENTITY33)
    j = lie.matrix_add_scaled(j, -1.0, p)
    return lie.matrix_add(j, load9(body.rotary, 0, 0))


@inline
def weighted(vectors, work, row):
    """``sum_k q_k vector_k`` with the coordinates of a row."""
    total = lie.ZERO3
    for k in range(vectors.shape[0]):
        total = lie.add_scaled(total, work.coordinates[row, k], load3(vectors, k, 0))
    return total


@allocating_routine
def set_forces(body, work):
    """Inertia and viscous forces on the frame and the coordinates."""
    size = body.moments.shape[0]
    a, s = load3(work.frame, ORIGIN, 0), load3(work.frame, MOMENT, 0)
    w, dw = load3(work.twists, 0, 3), load3(work.rates, 0, 3)
    rate, second = weighted(body.moments, work, 1), weighted(body.moments, work, 2)
    force = lie.add(lie.scale(body.totals[0, 0], a), lie.cross(dw, s))
    turning = lie.add(lie.cross(w, s), lie.scale(2.0, rate))
    force = lie.add(force, lie.add(lie.cross(w, turning), second))
    j = inertia_of(body, work)
    spin = lie.add(lie.apply(j, w), weighted(body.rotary_coupling, work, 1))
    moment = lie.add(lie.apply(j, dw), lie.cross(w, spin))
    moment = lie.add(moment, lie.cross(s, a))
    moment = lie.add(moment, mixed(combined(work, 0, 1), w))
    moment = lie.add(moment, axial(combined(work, 0, 2)))
    moment = lie.add(moment, weighted(body.rotary_coupling, work, 2))
    for k in range(3):
        work.forces[k] = force[k]
        work.forces[3 + k] = moment[k]
    for k in range(size):
        e = load9(work.sums[0], k + 1, 0)
        arm = lie.add(axial(e), load3(body.rotary_coupling, k, 0))
        value = lie.dot(load3(body.moments, k, 0), a)
        value += lie.dot(arm, dw) + centrifugal(w, e)
        value += 2.0 * lie.dot(w, axial(load9(work.sums[1], k + 1, 0)))
        for m in range(size):
            value += body.shape_inertia[k, m] * work.coordinates[2, m]
            value += body.damping[k, m] * work.coordinates[1, m]
        work.forces[6 + k] = value
