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
from . import _blocks as blocks
from . import _scatter as scatter
from ._beam_geometry import (
    DAMPING,
    FLOOR,
    HAS_DAMPING,
    HAS_INERTIA,
    HAS_OFFSETS,
    LENGTH,
    OFFSET_A,
    OFFSET_B,
    REST,
    REST_SIGNAL,
    ROUNDING,
    between_ends,
    between_nodes,
    end_twist,
    end_wrench,
    logarithm,
    move_wrench,
    section_force,
    section_product,
    strain_gap,
    strain_rate,
)
from ._beam_inertia import add_inertia_tangent, inertia_wrenches, observe_inertia
from ._beam_tangent import add_damping_tangent, set_internal_tangent
from .base import ACCEPT, MOVE


@kernel
def evaluate(motion, block, target, level, mass, damping, stiffness):
    """Residual and tangent of all elements (see the head of this file)."""
    frames, codes, parameters = block.frames, block.codes, block.parameters
    rows, slots = block.rows, block.slots
    residual, data, scales = target.residual, target.data, target.scales
    weights = (mass, damping, stiffness)
    wants_tangent = mass != 0.0 or damping != 0.0 or stiffness != 0.0
    is_static = motion.time[1] != 0.0
    s = np.zeros(blocks.WIDTH * blocks.WIDTH)
    sums = (0.0, 0.0)
    floors = (scales[2], scales[3])
    for i in range(frames.shape[0]):
        has_offset = codes[i, HAS_OFFSETS] != 0
        has_damping = codes[i, HAS_DAMPING] != 0
        has_inertia = codes[i, HAS_INERTIA] != 0 and not is_static
        p, q = between_nodes(motion.poses, frames, i)
        r = lie.rotation_matrix(q)
        pe, qe = between_ends(parameters, i, p, q, has_offset)
        u, w, c, e = logarithm(pe, qe)
        triangle = lie.tangent_inverse_blocks(u, w, c, e)
        x, y = strain_gap(motion.signals, codes, parameters, i, u, w)
        n, m = section_force(parameters, codes, i, x, y)
        rates = (lie.ZERO3, lie.ZERO3, lie.ZERO3, lie.ZERO3)
        if has_damping:
            va, wa = end_twist(
                motion.velocities, frames[i, 0], parameters, i, OFFSET_A, has_offset
            )
            vb, wb = end_twist(
                motion.velocities, frames[i, 1], parameters, i, OFFSET_B, has_offset
            )
            rates = (va, wa, vb, wb)
            x, y = strain_rate(triangle[0], triangle[1], va, wa, vb, wb)
            x, y = section_product(parameters, i, DAMPING, x, y)
            n = lie.add(n, x)
            m = lie.add(m, y)
        fb, mb = end_wrench(parameters, i, triangle, n, m, has_offset)
        # the first node balances the second
        fa, ma = move_wrench(p, r, fb, mb)
        fa, ma = lie.scale(-1.0, fa), lie.scale(-1.0, ma)
        sums = scatter.add_sizes(sums, fa, ma)
        sums = scatter.add_sizes(sums, fb, mb)
        length = parameters[i, LENGTH]
        floor = ROUNDING * parameters[i, FLOOR]
        floor *= scatter.reach(motion.poses, frames[i, 0]) + length
        floors = (max(floors[0], floor), max(floors[1], floor * length))
        turn = r
        if has_inertia:
            if has_offset:
                turn = lie.rotation_matrix(qe)
            first, second, ends = inertia_wrenches(
                motion.velocities,
                motion.accelerations,
                frames,
                codes,
                parameters,
                i,
                turn,
            )
            sums = scatter.add_sizes(sums, first[0], first[1])
            sums = scatter.add_sizes(sums, second[0], second[1])
            fa, ma = lie.add(fa, first[0]), lie.add(ma, first[1])
            fb, mb = lie.add(fb, second[0]), lie.add(mb, second[1])
        scatter.scatter_wrench(residual, rows, i, 0, fa, ma)
        scatter.scatter_wrench(residual, rows, i, 6, fb, mb)
        if not wants_tangent:
            continue
        if stiffness != 0.0:
            if is_static:
                n = scatter.load3(block.iterates, i, 0)
                m = scatter.load3(block.iterates, i, 3)
            f = lie.second_inverse_coefficient(lie.dot(w, w))
            set_internal_tangent(
                s, parameters, codes, i, triangle, (u, w, c, e, f), rates, (n, m),
                (p, r, has_offset), stiffness,
            )  # fmt: skip
        else:
            s[:] = 0.0
        if has_inertia or (has_damping and damping != 0.0):
            increments = (
                scatter.increment_map(motion.increments, frames[i, 0]),
                scatter.increment_map(motion.increments, frames[i, 1]),
            )
            if has_damping and damping != 0.0:
                add_damping_tangent(
                    s, parameters, i, triangle, (p, r, has_offset), increments, damping
                )
            if has_inertia:
                add_inertia_tangent(
                    s, parameters, codes, i, turn, ends, increments, weights
                )
        blocks.scatter(s, data, slots, i)
    scales[0] += sums[0]
    scales[1] += sums[1]
    scales[2], scales[3] = floors


@kernel
def carry(motion, block, moves, fraction, mode):
    """Stress iterate: from the shape (mode RESET), or as the linear solve predicts.

    ``s += fraction ((S/L)(x + P dq) - s)`` with P and x of the old place.
    """
    frames, codes, parameters = block.frames, block.codes, block.parameters
    if mode == ACCEPT:
        return
    for i in range(frames.shape[0]):
        has_offset = codes[i, HAS_OFFSETS] != 0
        p, q = between_nodes(motion.poses, frames, i)
        p, q = between_ends(parameters, i, p, q, has_offset)
        u, w, c, e = logarithm(p, q)
        x, y = strain_gap(motion.signals, codes, parameters, i, u, w)
        share = 1.0
        if mode == MOVE:
            a, b = lie.tangent_inverse_blocks(u, w, c, e)
            va, wa = end_twist(moves, frames[i, 0], parameters, i, OFFSET_A, has_offset)
            vb, wb = end_twist(moves, frames[i, 1], parameters, i, OFFSET_B, has_offset)
            dx, dy = strain_rate(a, b, va, wa, vb, wb)
            x = lie.add(x, dx)
            y = lie.add(y, dy)
            share = fraction
        n, m = section_force(parameters, codes, i, x, y)
        for k in range(3):
            block.iterates[i, k] += share * (n[k] - block.iterates[i, k])
            block.iterates[i, k + 3] += share * (m[k] - block.iterates[i, k + 3])


@kernel
def observe(motion, block, output, energies):
    """Section forces (N, Vy, Vz, T, My, Mz) at both ends and the middle; energies."""
    frames, codes, parameters = block.frames, block.codes, block.parameters
    for i in range(frames.shape[0]):
        has_offset = codes[i, HAS_OFFSETS] != 0
        p, q = between_nodes(motion.poses, frames, i)
        p, q = between_ends(parameters, i, p, q, has_offset)
        u, w, c, e = logarithm(p, q)
        a, b = lie.tangent_inverse_blocks(u, w, c, e)
        x, y = strain_gap(motion.signals, codes, parameters, i, u, w)
        n, m = section_force(parameters, codes, i, x, y)
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
            observe_inertia(
                motion.velocities,
                motion.accelerations,
                frames,
                codes,
                parameters,
                i,
                q,
                energies,
            )
