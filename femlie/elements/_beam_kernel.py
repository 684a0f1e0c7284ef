"""Kernels of the two-node SE(3) beam, also used for 6x6 bushings.

With ``d = log(H_A^-1 H_B)``, ``P = [-T^-1(-d), T^-1(d)]`` and ``x = d - d_0 - L f(t)``:

- internal forces ``P^T s`` with ``s = (S/L) x + (D/L) P v``
- tangent ``P^T (S/L) P + d(P^T s)/dq`` where, in statics, the last term reads the
  stress that the last linear solve predicted (the iterate, 6 numbers an element)
- inertia: translation of the line of mass centers interpolated linearly in the world,
  rotary inertia shared by the two ends.

Sources: Sonneville, Cardona, Bruels 2014 (interpolation, P); Magisano, Leonetti, Garcea
2017 (stress as an iterate).
"""

from __future__ import annotations

import numpy as np

from .._jit import kernel
from ..lie import _kernels as lie
from . import _scatter as scatter
from . import _small as small
from ._beam_geometry import (
    DAMPING,
    FLOOR,
    HAS_DAMPING,
    HAS_INERTIA,
    HAS_INERTIA_OFFSETS,
    HAS_OFFSETS,
    LENGTH,
    N_MATRICES,
    OFFSET_A,
    OFFSET_B,
    REST,
    REST_SIGNAL,
    ROUNDING,
    STIFFNESS,
    end_pose,
    end_twist,
    end_wrench_to_node,
    relative,
    section_product,
    strain_gap,
    strain_rate,
)
from ._beam_inertia import inertia_residual, inertia_tangent, observe_inertia
from ._beam_tangent import internal_tangent


@kernel
def evaluate(motion, block, target, level, mass, damping, stiffness):
    """Residual and tangent of all elements (see the head of this file)."""
    frames = block.frames
    parameters = block.parameters
    codes = block.codes
    rows = block.rows
    slots = block.slots
    residual = target.residual
    data = target.data
    scales = target.scales
    velocities = motion.velocities
    accelerations = motion.accelerations
    increments = motion.increments
    wants_tangent = mass != 0.0 or damping != 0.0 or stiffness != 0.0
    is_static = motion.time[1] != 0.0
    s = np.zeros(N_MATRICES * small.SIZE)
    for i in range(frames.shape[0]):
        has_offset = codes[i, HAS_OFFSETS] != 0
        pa, qa = end_pose(
            motion.poses, frames[i, 0], parameters, i, OFFSET_A, has_offset
        )
        pb, qb = end_pose(
            motion.poses, frames[i, 1], parameters, i, OFFSET_B, has_offset
        )
        u, w, c, e, f = relative(pa, qa, pb, qb)
        a, b = lie.tangent_inverse_blocks(u, w, c, e)
        x, y = strain_gap(motion.signals, block.codes, parameters, i, u, w)
        n, m = section_product(parameters, i, STIFFNESS, x, y)
        rates = (lie.ZERO3, lie.ZERO3, lie.ZERO3, lie.ZERO3)
        if codes[i, HAS_DAMPING] != 0:
            va, wa = end_twist(
                motion.velocities, frames[i, 0], parameters, i, OFFSET_A, has_offset
            )
            vb, wb = end_twist(
                motion.velocities, frames[i, 1], parameters, i, OFFSET_B, has_offset
            )
            rates = (va, wa, vb, wb)
            x, y = strain_rate(a, b, va, wa, vb, wb)
            x, y = section_product(parameters, i, DAMPING, x, y)
            n = lie.add(n, x)
            m = lie.add(m, y)
        fa = lie.scale(-1.0, lie.apply(a, n))
        ma = lie.scale(-1.0, lie.add(lie.apply(b, n), lie.apply(a, m)))
        fb = lie.apply_transposed(a, n)
        mb = lie.add(lie.apply_transposed(b, n), lie.apply_transposed(a, m))
        if has_offset:
            fa, ma = end_wrench_to_node(parameters, i, OFFSET_A, fa, ma)
            fb, mb = end_wrench_to_node(parameters, i, OFFSET_B, fb, mb)
        scatter.add_wrench(residual, scales, rows, i, 0, fa, ma)
        scatter.add_wrench(residual, scales, rows, i, 6, fb, mb)
        length = parameters[i, LENGTH]
        reach = abs(pa[0]) + abs(pa[1]) + abs(pa[2]) + length
        floor = ROUNDING * parameters[i, FLOOR] * reach
        scales[2] = max(scales[2], floor)
        scales[3] = max(scales[3], floor * length)
        if wants_tangent and (stiffness != 0.0 or codes[i, HAS_DAMPING] != 0):
            if is_static:
                n = scatter.load3(block.iterates, i, 0)
                m = scatter.load3(block.iterates, i, 3)
            internal_tangent(
                s,
                increments,
                frames,
                codes,
                parameters,
                data,
                slots,
                i,
                (u, w, c, e, f, a, b),
                rates,
                (n, m),
                (damping, stiffness),
            )
        if codes[i, HAS_INERTIA] != 0 and not is_static:
            turn = lie.rotation_matrix(
                lie.quaternion_multiply(lie.quaternion_conjugate(qa), qb)
            )
            moved = has_offset or codes[i, HAS_INERTIA_OFFSETS] != 0
            ends = inertia_residual(
                velocities,
                accelerations,
                residual,
                scales,
                frames,
                rows,
                codes,
                parameters,
                i,
                turn,
                moved,
            )
            if wants_tangent:
                weights = (mass, damping, stiffness)
                inertia_tangent(
                    s,
                    increments,
                    frames,
                    codes,
                    parameters,
                    data,
                    slots,
                    i,
                    turn,
                    moved,
                    ends,
                    weights,
                )


@kernel
def carry(motion, block, moves, fraction, mode):
    """Stress iterate: from the shape (mode RESET), or as the linear solve predicts.

    ``s += fraction ((S/L)(x + P dq) - s)`` with P and x of the old place.
    """
    frames = block.frames
    parameters = block.parameters
    for i in range(frames.shape[0]):
        if mode == 2:
            continue
        has_offset = block.codes[i, HAS_OFFSETS] != 0
        pa, qa = end_pose(
            motion.poses, frames[i, 0], parameters, i, OFFSET_A, has_offset
        )
        pb, qb = end_pose(
            motion.poses, frames[i, 1], parameters, i, OFFSET_B, has_offset
        )
        u, w, c, e, f = relative(pa, qa, pb, qb)
        x, y = strain_gap(motion.signals, block.codes, parameters, i, u, w)
        share = 1.0
        if mode == 1:
            a, b = lie.tangent_inverse_blocks(u, w, c, e)
            va, wa = end_twist(moves, frames[i, 0], parameters, i, OFFSET_A, has_offset)
            vb, wb = end_twist(moves, frames[i, 1], parameters, i, OFFSET_B, has_offset)
            dx, dy = strain_rate(a, b, va, wa, vb, wb)
            x = lie.add(x, dx)
            y = lie.add(y, dy)
            share = fraction
        n, m = section_product(parameters, i, STIFFNESS, x, y)
        for k in range(3):
            block.iterates[i, k] += share * (n[k] - block.iterates[i, k])
            block.iterates[i, k + 3] += share * (m[k] - block.iterates[i, k + 3])


@kernel
def observe(motion, block, output, energies):
    """Section forces (N, Vy, Vz, T, My, Mz) at both ends and the middle; energies."""
    frames = block.frames
    parameters = block.parameters
    codes = block.codes
    for i in range(frames.shape[0]):
        has_offset = codes[i, HAS_OFFSETS] != 0
        pa, qa = end_pose(
            motion.poses, frames[i, 0], parameters, i, OFFSET_A, has_offset
        )
        pb, qb = end_pose(
            motion.poses, frames[i, 1], parameters, i, OFFSET_B, has_offset
        )
        u, w, c, e, f = relative(pa, qa, pb, qb)
        a, b = lie.tangent_inverse_blocks(u, w, c, e)
        x, y = strain_gap(motion.signals, block.codes, parameters, i, u, w)
        n, m = section_product(parameters, i, STIFFNESS, x, y)
        energies[1] += 0.5 * (lie.dot(n, x) + lie.dot(m, y))
        signal = codes[i, REST_SIGNAL]
        if signal >= 0:
            # what drives the rest strain works like a motor
            work = lie.dot(n, scatter.load3(parameters, i, REST)) + lie.dot(
                m, scatter.load3(parameters, i, REST + 3)
            )
            energies[4] -= motion.signals[signal, 1] * work
        if codes[i, HAS_DAMPING] != 0:
            va, wa = end_twist(
                motion.velocities, frames[i, 0], parameters, i, OFFSET_A, has_offset
            )
            vb, wb = end_twist(
                motion.velocities, frames[i, 1], parameters, i, OFFSET_B, has_offset
            )
            x, y = strain_rate(a, b, va, wa, vb, wb)
            dn, dm = section_product(parameters, i, DAMPING, x, y)
            energies[5] += lie.dot(dn, x) + lie.dot(dm, y)
            n = lie.add(n, dn)
            m = lie.add(m, dm)
        if motion.time[1] != 0.0:
            # in statics the last solve knows the stress without the rounding of places
            n = scatter.load3(block.iterates, i, 0)
            m = scatter.load3(block.iterates, i, 3)
        force = lie.apply(a, n)
        moment = lie.add(lie.apply(b, n), lie.apply(a, m))
        half = lie.scale(0.5, w)
        arm = lie.exp_translation(lie.scale(0.5, u), half)
        turn = lie.quaternion_conjugate(lie.quaternion_exp(half))
        middle = lie.quaternion_rotate(turn, force)
        bending = lie.quaternion_rotate(
            turn, lie.subtract(moment, lie.cross(arm, force))
        )
        end = lie.apply_transposed(a, n)
        twist = lie.add(lie.apply_transposed(b, n), lie.apply_transposed(a, m))
        for k in range(3):
            output[i, k] = force[k]
            output[i, 3 + k] = moment[k]
            output[i, 6 + k] = middle[k]
            output[i, 9 + k] = bending[k]
            output[i, 12 + k] = end[k]
            output[i, 15 + k] = twist[k]
        if codes[i, HAS_INERTIA] != 0:
            turn = lie.quaternion_multiply(lie.quaternion_conjugate(qa), qb)
            observe_inertia(
                motion.velocities,
                motion.accelerations,
                frames,
                codes,
                parameters,
                i,
                turn,
                energies,
            )
