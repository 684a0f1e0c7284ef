"""Kernels of modal bodies: small deformations in the frame of the first interface.

The body is a superelement between interface frames, with amplitudes of fixed-interface
modes besides (Craig and Bampton 1968). Its residual is ``Y^T f + P^T K x``: inertia,
weight and viscous forces along its frame and deformation, and the stress of the reduced
stiffness, seen by the interfaces (`_modal_motion`, `_modal_inertia`). A rigid motion of
all interfaces leaves the residual unchanged.

Three amplitudes are the place of one frame whose rotation is locked: they need no other
kind of unknown, and their retraction is a sum.
"""

from __future__ import annotations

from .._jit import allocating_kernel, allocating_routine
from ..lie import _kernels as lie
from ._beam_geometry import ROUNDING
from ._modal_inertia import (
    MOMENT,
    axial,
    combined,
    inertia_of,
    set_fields,
    set_forces,
    set_frame,
    set_sums,
    subtract_fields,
    weighted,
)
from ._modal_layout import (
    FIELD_CODES,
    N_FIELD_CODES,
    N_OUTPUTS,
    SHAPES,
    SHARE,
    TORQUE,
    VECTOR,
    WEIGHT,
    body_of,
    new_work,
)
from ._modal_motion import (
    add_coordinate_wrenches,
    add_stress_wrenches,
    load4,
    set_amplitudes,
    set_frames,
    set_rates,
    set_relative,
    to_frame,
)
from ._modal_slopes import (
    add_wrench_slopes,
    new_slopes,
    set_coordinate_slopes,
    set_log_slopes,
    set_rate_slopes,
)
from ._modal_tangent import (
    add_field_slopes,
    new_columns,
    place_of,
    scatter_tangent,
    set_inertia_matrix,
    set_moving_tangent,
    set_place_matrix,
    set_rate_matrix,
    set_stiffness,
    to_frame_columns,
    to_frame_rows,
    to_increments,
)
from ._scatter import load3, reach


@allocating_routine
def set_state(motion, block, i, body, work, is_static):
    """Everything up to the forces along frame and deformation, and the stress."""
    n = body.offsets.shape[0]
    set_frames(motion, block, i, body, work, is_static)
    set_relative(body, work)
    set_amplitudes(motion, block, i, n, work, is_static)
    set_fields(motion, block, i, body, work)
    if not is_static:
        set_rates(work)
        set_sums(body, work)
        set_frame(body, work)
    for k in range(work.gaps.shape[0]):
        value = 0.0
        for m in range(work.gaps.shape[0]):
            value += body.stiffness[k, m] * work.gaps[m]
        work.stress[k] = value


@allocating_routine
def scatter_residual(block, i, body, work, target):
    """Wrenches on the frames, forces on the amplitudes, and sums of magnitudes."""
    n = body.offsets.shape[0]
    residual, scales = target.residual, target.scales
    add_coordinate_wrenches(work, work.forces)
    for k in range(6):
        work.wrenches[0, k] += work.forces[k]
    for j in range(n):
        force, moment = load3(work.wrenches, j, 0), load3(work.wrenches, j, 3)
        scales[0] += lie.norm(force)
        scales[1] += lie.norm(moment)
    forces, moments = add_stress_wrenches(work)
    scales[0] += forces
    scales[1] += moments
    for j in range(n):
        force, moment = load3(work.wrenches, j, 0), load3(work.wrenches, j, 3)
        force, moment = to_frame(body, j, force, moment)
        for k in range(3):
            residual[block.rows[i, 6 * j + k]] += force[k]
            residual[block.rows[i, 6 * j + 3 + k]] += moment[k]
    first = 6 * (n - 1)
    for k in range(work.stress.shape[0] - first):
        inertia, stress = work.forces[6 + first + k], work.stress[first + k]
        residual[block.rows[i, place_of(n, 6 * n + k)]] += inertia + stress
        scales[0] += abs(inertia) + abs(stress)


@allocating_routine
def raise_floors(motion, block, i, body, scales):
    """What the rounding of places does to the forces."""
    length = body.totals[0, 5]
    far = length
    for j in range(body.offsets.shape[0]):
        far = max(far, length + reach(motion.poses, block.frames[i, j]))
    floor = ROUNDING * body.totals[0, 4] * far
    scales[2] = max(scales[2], floor)
    scales[3] = max(scales[3], floor * length)


@allocating_routine
def add_tangent(motion, block, i, body, work, target, weights, is_static):
    n = body.offsets.shape[0]
    mass, damping, stiffness = weights
    columns, slopes = new_columns(n, work.gaps.shape[0]), new_slopes(n)
    set_coordinate_slopes(work, slopes)
    if not is_static:
        set_inertia_matrix(body, work, columns)
        set_rate_matrix(body, work, columns)
        set_place_matrix(body, work, columns)
    if stiffness != 0.0:
        add_field_slopes(block, i, body, work, stiffness, columns)
        set_log_slopes(work, slopes)
        add_wrench_slopes(work, work.forces, slopes)
        if not is_static:
            set_rate_slopes(work, slopes)
        set_stiffness(body, slopes, columns, stiffness, is_static)
        to_frame_columns(body, columns.whole)
        to_frame_rows(body, columns.whole)
    if not is_static and (mass != 0.0 or damping != 0.0):
        if damping != 0.0 and stiffness == 0.0:
            set_rate_slopes(work, slopes)
        set_moving_tangent(slopes, columns, n, mass, damping)
        to_frame_columns(body, columns.rest)
        to_frame_rows(body, columns.rest)
        to_increments(motion, block, i, n, columns.rest)
    scatter_tangent(block, i, n, columns, target.data)


@allocating_kernel
def evaluate_modal(motion, block, target, level, mass, damping, stiffness):
    """Residual and tangent of modal bodies (see the head of this file)."""
    is_static = motion.time[1] != 0.0
    for i in range(block.codes.shape[0]):
        body = body_of(block, i)
        work = new_work(
            body.offsets.shape[0], body.moments.shape[0], body.fields.shape[0]
        )
        set_state(motion, block, i, body, work, is_static)
        if not is_static:
            set_forces(body, work)
        subtract_fields(block, i, body, work)
        scatter_residual(block, i, body, work, target)
        raise_floors(motion, block, i, body, target.scales)
        if mass != 0.0 or damping != 0.0 or stiffness != 0.0:
            weights = (mass, damping, stiffness)
            add_tangent(motion, block, i, body, work, target, weights, is_static)


@allocating_routine
def kinetic_energy(body, work):
    """Half of the integral of the squared velocity of the points, and of the spins."""
    u, w = load3(work.twists, 0, 0), load3(work.twists, 0, 3)
    s = load3(work.frame, MOMENT, 0)
    rate = weighted(body.moments, work, 1)
    arm = lie.add(axial(combined(work, 0, 1)), weighted(body.rotary_coupling, work, 1))
    total = 0.5 * body.totals[0, 0] * lie.dot(u, u)
    total += 0.5 * lie.dot(w, lie.apply(inertia_of(body, work), w))
    total += lie.dot(u, lie.add(rate, lie.cross(w, s))) + lie.dot(w, arm)
    rates = work.coordinates[1]
    for k in range(rates.shape[0]):
        for m in range(rates.shape[0]):
            total += 0.5 * rates[k] * body.shape_inertia[k, m] * rates[m]
    return total


@allocating_routine
def observe_field(motion, block, i, f, body, work, output, energies):
    """Potential of weight or power of another load, and its world wrench."""
    at = FIELD_CODES + N_FIELD_CODES * f
    signal, kind = block.codes[i, at], block.codes[i, at + 1]
    vector, arm = load3(work.fields, f, 0), load3(work.fields, f, 3)
    share = body.fields[f, SHARE]
    turn = load4(work.poses, 0, 3)
    if kind == WEIGHT:
        place = lie.scale(share, load3(work.poses, 0, 0))
        place = lie.add(place, lie.quaternion_rotate(turn, arm))
        lift = lie.dot(place, load3(body.fields, f, VECTOR))
        energies[2] -= motion.signals[signal, 0] * lift
        # a changing field changes the potential of what stands still
        energies[3] -= motion.signals[signal, 1] * lift
    force, moment = lie.scale(share, vector), lie.cross(arm, vector)
    if kind == TORQUE:
        force, moment = lie.ZERO3, force
    if kind != WEIGHT:
        u, w = load3(work.twists, 0, 0), load3(work.twists, 0, 3)
        energies[3] += lie.dot(force, u) + lie.dot(moment, w)
        for k in range(work.coordinates.shape[1]):
            shape = load3(body.fields, f, SHAPES + 3 * k)
            energies[3] += work.coordinates[1, k] * lie.dot(shape, vector)
    force, moment = to_frame(body, 0, force, moment)
    base = load4(motion.poses, block.frames[i, 0], 3)
    force = lie.quaternion_rotate(base, force)
    moment = lie.quaternion_rotate(base, moment)
    for k in range(3):
        output[i, k] += force[k]
        output[i, 3 + k] += moment[k]


@allocating_kernel
def observe_modal(motion, block, output, energies):
    """Loads as a world wrench about the first frame, signals; energies and powers."""
    is_static = motion.time[1] != 0.0
    for i in range(block.codes.shape[0]):
        body = body_of(block, i)
        work = new_work(
            body.offsets.shape[0], body.moments.shape[0], body.fields.shape[0]
        )
        set_state(motion, block, i, body, work, is_static)
        for k in range(output.shape[1]):
            output[i, k] = 0.0
        for k in range(work.gaps.shape[0]):
            energies[1] += 0.5 * work.stress[k] * work.gaps[k]
        if not is_static:
            energies[0] += kinetic_energy(body, work)
            rates = work.coordinates[1]
            for k in range(rates.shape[0]):
                for m in range(rates.shape[0]):
                    energies[5] += rates[k] * body.damping[k, m] * rates[m]
        for f in range(body.fields.shape[0]):
            observe_field(motion, block, i, f, body, work, output, energies)
            signal = block.codes[i, FIELD_CODES + N_FIELD_CODES * f]
            output[i, N_OUTPUTS + f] = motion.signals[signal, 0]
