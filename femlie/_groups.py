"""The group that a frame moves in: SE(3), or rotations beside translations in space.

Elements see body twists and their rates only. A solver steps the velocity of the
frame's own group: the body twist ``(u, w)`` on SE(3), or the hybrid velocity
``(dp/dt, w)`` on SO(3) x R^3, translation in world axes. With R the rotation of the
frame, ``dp/dt = R u`` and ``d2p/dt2 = R (du/dt + w x u)``. The increment since the
start of a step is ``log`` in the frame's group (Mueller and Terze 2013, section 2).

Tangents with weights on damping and stiffness leave out how the body velocity turns
with a frame on SO(3) x R^3: implicit methods take a few iterations more there.
"""

from __future__ import annotations

from ._jit import routine
from .elements._scatter import increment_map, load3, load_quaternion
from .lie import _kernels as lie

SE3, SO3_R3 = 0, 1
# coefficients of ad^k in the inverse tangent operator: (-1)^k B_k / k!
SERIES = (
    1.0, 1.0 / 2.0, 1.0 / 12.0, 0.0, -1.0 / 720.0, 0.0, 1.0 / 30240.0, 0.0,
    -1.0 / 1209600.0, 0.0, 1.0 / 47900160.0,
)  # fmt: skip
EXACT = -1  # order of truncation that stands for the closed form


@routine
def group_rates(groups, poses, velocities, accelerations, speeds, rates):
    """Velocities of the frames' groups and their rates, from body twists."""
    for i in range(groups.shape[0]):
        if groups[i] == SO3_R3:
            q = load_quaternion(poses, i)
            u = load3(velocities, i, 0)
            w = load3(velocities, i, 3)
            a = lie.add(load3(accelerations, i, 0), lie.cross(w, u))
            u = lie.quaternion_rotate(q, u)
            a = lie.quaternion_rotate(q, a)
            for k in range(3):
                speeds[i, k] = u[k]
                rates[i, k] = a[k]
                speeds[i, 3 + k] = velocities[i, 3 + k]
                rates[i, 3 + k] = accelerations[i, 3 + k]
        else:
            for k in range(6):
                speeds[i, k] = velocities[i, k]
                rates[i, k] = accelerations[i, k]


@routine
def body_rates(groups, poses, speeds, rates, velocities, accelerations):
    """Body twists and their rates, from velocities of the frames' groups."""
    for i in range(groups.shape[0]):
        if groups[i] == SO3_R3:
            q = lie.quaternion_conjugate(load_quaternion(poses, i))
            w = load3(speeds, i, 3)
            u = lie.quaternion_rotate(q, load3(speeds, i, 0))
            a = lie.quaternion_rotate(q, load3(rates, i, 0))
            a = lie.subtract(a, lie.cross(w, u))
            for k in range(3):
                velocities[i, k] = u[k]
                accelerations[i, k] = a[k]
                velocities[i, 3 + k] = w[k]
                accelerations[i, 3 + k] = rates[i, 3 + k]
        else:
            for k in range(6):
                velocities[i, k] = speeds[i, k]
                accelerations[i, k] = rates[i, k]


@routine
def increment_rate(groups, increments, speeds, order, slope):
    """``dphi/dt = T^-1(phi) v``, exact or as a series up to ``ad^order``.

    Of all frames but the first, the ground.
    """
    for i in range(1, groups.shape[0]):
        is_semidirect = groups[i] == SE3
        u = load3(speeds, i, 0)
        w = load3(speeds, i, 3)
        du, dw = u, w
        if order == EXACT:
            a, b = increment_map(increments, i)
            dw = lie.apply(a, w)
            if is_semidirect:
                du = lie.add(lie.apply(a, u), lie.apply(b, w))
        else:
            x = load3(increments, i, 0)
            y = load3(increments, i, 3)
            for k in range(1, order + 1):
                moved = lie.add(lie.cross(y, u), lie.cross(x, w))
                u = moved
                w = lie.cross(y, w)
                if is_semidirect:
                    du = lie.add_scaled(du, SERIES[k], u)
                dw = lie.add_scaled(dw, SERIES[k], w)
        for k in range(3):
            slope[i, k] = du[k]
            slope[i, 3 + k] = dw[k]


@routine
def read_increments(groups, bases, poses, increments, out):
    """Increments in the frames' groups since the start of the step.

    Of a frame on SO(3) x R^3, kernels see the rotation only; the translation is the
    way that its place has gone.
    """
    for i in range(groups.shape[0]):
        for k in range(6):
            out[i, k] = increments[i, k]
        if groups[i] == SO3_R3:
            for k in range(3):
                out[i, k] = poses[i, k] - bases[i, k]


@routine
def local_rows(groups, bases, increments, numbers, n_rows, row):
    """Increments from the start of a step as a local motion of all unknowns."""
    row[:] = 0.0
    for i in range(groups.shape[0]):
        u = load3(increments, i, 0)
        if groups[i] == SO3_R3:
            q = lie.quaternion_conjugate(load_quaternion(bases, i))
            u = lie.quaternion_rotate(q, u)
        for k in range(3):
            if numbers[i, k] < n_rows:
                row[numbers[i, k]] = u[k]
            if numbers[i, 3 + k] < n_rows:
                row[numbers[i, 3 + k]] = increments[i, 3 + k]
