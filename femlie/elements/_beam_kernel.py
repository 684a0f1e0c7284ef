"""Kernels of the two-node SE(3) beam, also used for 6x6 bushings.

With ``d = log(H_A^-1 H_B)``, ``P = [-T^-1(-d), T^-1(d)]`` and ``x = d - d_0 - L f(t)``:

- internal forces ``P^T s`` with ``s = (S/L) x + (D/L) P v``
- tangent ``P^T (S/L) P + d(P^T s)/dq`` where, in statics, the last term reads the
  stress that the last linear solve predicted (the iterate, 6 numbers an element)
- inertia: translation of the line of mass centers interpolated linearly in the world,
  rotary inertia shared by the two ends.

Elements are worked on several at a time, see `_lanes`.

Sources: Sonneville, Cardona, Bruels 2014 (interpolation, P); Magisano, Leonetti, Garcea
2017 (stress as an iterate).
"""

from __future__ import annotations

from .._jit import inline, kernel, routine, scratch
from ..lie import _kernels as lie
from . import _lanes as lanes
from . import _scatter as scatter
from ._beam_geometry import (
    END,
    FLOORS,
    GAP,
    HAS_DAMPING,
    HAS_INERTIA,
    HAS_INERTIA_OFFSETS,
    HAS_OFFSETS,
    INCREMENTS,
    IS_DIAGONAL,
    MATRIX,
    N_SCRATCH,
    REST,
    REST_SIGNAL,
    SIZES,
    SPAN,
    START,
    STRESS,
    add_viscous_stress,
    all_codes,
    any_code,
    set_end_wrench,
    set_geometry,
    set_rates,
    set_start_wrench,
    set_stress,
    strain_rate,
)
from ._beam_inertia import FIRST, set_inertia, set_inertia_energies
from ._beam_inertia_tangent import add_inertia_tangent
from ._beam_tangent import (
    WIDTH,
    add_damping_tangent,
    add_viscous_stiffness,
    scatter_matrix,
    set_internal_tangent,
)
from ._lanes import LANES
from ._section_forces import add_inertia_loads, write_section_forces
from .base import MOVE, RESET


@kernel
def evaluate(motion, block, target, level, mass, damping, stiffness):
    """Residual and tangent of all elements (see the head of this file)."""
    codes = block.codes
    wants_tangent = mass != 0.0 or damping != 0.0 or stiffness != 0.0
    is_static = motion.time[1] != 0.0
    s = scratch(N_SCRATCH * LANES)
    for first in range(0, codes.shape[0], LANES):
        n = min(LANES, codes.shape[0] - first)
        has_offset = any_code(codes, first, n, HAS_OFFSETS)
        has_damping = any_code(codes, first, n, HAS_DAMPING)
        is_diagonal = not has_damping and all_codes(codes, first, n, IS_DIAGONAL)
        has_inertia = not is_static and any_code(codes, first, n, HAS_INERTIA)
        is_moved = has_offset or any_code(codes, first, n, HAS_INERTIA_OFFSETS)
        set_geometry(s, motion, block, first, n, has_offset)
        set_stress(s, block, first, n, is_diagonal)
        if has_damping:
            set_rates(s, motion.velocities, block.frames, first, n, has_offset)
            add_viscous_stress(s, block, first, n)
        set_end_wrench(s, has_offset)
        set_start_wrench(s)
        if has_inertia:
            set_inertia(s, motion, block, first, n, has_offset, is_moved)
            for j in range(12 * LANES):
                s[FIRST * LANES + j] += s[START * LANES + j]
        scatter_wrenches(s, FIRST if has_inertia else START, block, target, first, n)
        if not wants_tangent:
            continue
        if is_static:
            use_iterates(s, block, first, n, has_offset)
        if stiffness != 0.0:
            if has_damping:
                add_viscous_stiffness(s)
            set_internal_tangent(s, is_diagonal, has_offset, stiffness)
        else:
            s[MATRIX * LANES : (MATRIX + WIDTH * WIDTH) * LANES] = 0.0
        if has_inertia or (has_damping and damping != 0.0):
            set_increments(s, motion.increments, block.frames, first, n)
        if has_damping and damping != 0.0:
            add_damping_tangent(s, has_offset, damping)
        if has_inertia:
            add_inertia_tangent(s, is_moved, mass, damping, stiffness)
        scatter_matrix(s, target.data, block.slots, first, n)


@kernel
def evaluate_static(motion, block, target, level, mass, damping, stiffness):
    """The same where nothing moves: without damping and inertia."""
    codes = block.codes
    s = scratch(N_SCRATCH * LANES)
    for first in range(0, codes.shape[0], LANES):
        n = min(LANES, codes.shape[0] - first)
        has_offset = any_code(codes, first, n, HAS_OFFSETS)
        is_diagonal = all_codes(codes, first, n, IS_DIAGONAL)
        set_geometry(s, motion, block, first, n, has_offset)
        set_stress(s, block, first, n, is_diagonal)
        set_end_wrench(s, has_offset)
        set_start_wrench(s)
        scatter_wrenches(s, START, block, target, first, n)
        if stiffness != 0.0:
            use_iterates(s, block, first, n, has_offset)
            set_internal_tangent(s, is_diagonal, has_offset, stiffness)
            scatter_matrix(s, target.data, block.slots, first, n)


@inline
def use_iterates(s, block, first, n, has_offset):
    """Stress and wrench as the last linear solve predicted them."""
    lanes.gather_elements(s, STRESS, block.iterates, first, n, 0, 6)
    set_end_wrench(s, has_offset)


@routine
def scatter_wrenches(s, wrenches, block, target, first, n):
    """Add wrenches, sums of magnitudes and rounding floors to the target."""
    residual, scales, rows = target.residual, target.scales, block.rows
    force, moment = scales[0], scales[1]
    force_floor, moment_floor = scales[2], scales[3]
    lanes.add_sixes(s, wrenches, residual, rows, first, n, 0, 1)
    lanes.add_sixes(s, wrenches + 6, residual, rows, first, n, 6, 1)
    for k in range(n):
        force += lanes.get(s, SIZES, k)
        moment += lanes.get(s, SIZES + 1, k)
        floor = lanes.get(s, FLOORS, k)
        force_floor = max(force_floor, floor)
        moment_floor = max(moment_floor, floor * lanes.get(s, SPAN, k))
    scales[0], scales[1] = force, moment
    scales[2], scales[3] = force_floor, moment_floor


@routine
def set_increments(s, increments, frames, first, n):
    """``T^-1`` of the increments of both nodes."""
    for side in range(2):
        at = INCREMENTS + 18 * side
        lanes.gather_frames(s, at, increments, frames, side, first, n, 0, 6)
    for k in range(LANES):
        for side in range(2):
            at = INCREMENTS + 18 * side
            u, w = lanes.get3(s, at, k), lanes.get3(s, at + 3, k)
            c, e = lie.inverse_coefficients(lie.dot(w, w))
            triangle = lie.tangent_inverse_blocks(u, w, c, e)
            lanes.put_triangle(s, at, k, triangle)


@kernel
def carry(motion, block, moves, fraction, mode):
    """Stress iterate: from the shape (mode RESET), or as the linear solve predicts.

    ``s += fraction ((S/L)(x + P dq) - s)`` with P and x of the old place.
    """
    codes = block.codes
    if mode not in (RESET, MOVE):
        return
    share = fraction if mode == MOVE else 1.0
    s = scratch(N_SCRATCH * LANES)
    for first in range(0, codes.shape[0], LANES):
        n = min(LANES, codes.shape[0] - first)
        has_offset = any_code(codes, first, n, HAS_OFFSETS)
        set_geometry(s, motion, block, first, n, has_offset)
        if mode == MOVE:
            set_rates(s, moves, block.frames, first, n, has_offset)
            for k in range(LANES):
                x, y = strain_rate(s, k)
                lanes.add3(s, GAP, k, x)
                lanes.add3(s, GAP + 3, k, y)
        set_stress(s, block, first, n, all_codes(codes, first, n, IS_DIAGONAL))
        for k in range(n):
            for j in range(6):
                old = block.iterates[first + k, j]
                change = lanes.get(s, STRESS + j, k) - old
                block.iterates[first + k, j] = old + share * change


@kernel
def observe(motion, block, output, energies):
    """Section forces (N, Vy, Vz, T, My, Mz) at both ends and the middle; energies.

    Line loads and weight are not in them yet: see `_section_forces`.
    """
    codes = block.codes
    is_static = motion.time[1] != 0.0
    s = scratch(N_SCRATCH * LANES)
    for first in range(0, codes.shape[0], LANES):
        n = min(LANES, codes.shape[0] - first)
        has_offset = any_code(codes, first, n, HAS_OFFSETS)
        set_geometry(s, motion, block, first, n, has_offset)
        set_stress(s, block, first, n, all_codes(codes, first, n, IS_DIAGONAL))
        for k in range(n):
            add_strain_energy(s, k, motion.signals, block, first + k, energies)
        if any_code(codes, first, n, HAS_DAMPING):
            set_rates(s, motion.velocities, block.frames, first, n, has_offset)
            lanes.copy(s, END, STRESS, 6)
            add_viscous_stress(s, block, first, n)
            for k in range(n):
                x, y = strain_rate(s, k)
                dn = lie.subtract(lanes.get3(s, STRESS, k), lanes.get3(s, END, k))
                dm = lie.subtract(
                    lanes.get3(s, STRESS + 3, k), lanes.get3(s, END + 3, k)
                )
                energies[5] += lie.dot(dn, x) + lie.dot(dm, y)
        for k in range(n):
            if is_static:
                # the last solve knows the stress without the rounding of places
                lanes.gather(s, STRESS, k, block.iterates, first + k, 0, 6)
            write_section_forces(s, k, output, first + k)
        if any_code(codes, first, n, HAS_INERTIA):
            is_moved = has_offset or any_code(codes, first, n, HAS_INERTIA_OFFSETS)
            set_inertia(s, motion, block, first, n, has_offset, is_moved)
            if not is_static:
                add_inertia_loads(s, output, first, n, has_offset)
            set_inertia_energies(s)
            for k in range(n):
                energies[0] += lanes.get(s, FIRST, k)
                energies[5] += lanes.get(s, FIRST + 1, k)


@inline
def add_strain_energy(s, k, signals, block, i, energies):
    """Strain energy; what drives the rest strain works like a motor."""
    n, m = lanes.get3(s, STRESS, k), lanes.get3(s, STRESS + 3, k)
    x, y = lanes.get3(s, GAP, k), lanes.get3(s, GAP + 3, k)
    energies[1] += 0.5 * (lie.dot(n, x) + lie.dot(m, y))
    signal = block.codes[i, REST_SIGNAL]
    if signal >= 0:
        work = lie.dot(n, scatter.load3(block.parameters, i, REST))
        work += lie.dot(m, scatter.load3(block.parameters, i, REST + 3))
        energies[4] -= signals[signal, 1] * work
