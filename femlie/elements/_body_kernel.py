"""Kernels of rigid bodies and of loads: forces, moments and weight at a frame.

Body: ``M dv/dt - ad(v)^T M v`` with ``M = [[m, -m c^], [m c^, J]]``, c the mass center
in the node's frame and J the inertia about the node. Bruels, Cardona, Arnold 2012.

Elements are worked on several at a time, see `_lanes`.
"""

from __future__ import annotations

from .._jit import inline, kernel, routine, scratch
from ..lie import _kernels as lie
from . import _blocks as blocks
from . import _lanes as lanes
from . import _scatter as scatter
from ._lanes import LANES

# parameters of a body
MASS = 0
FIRST_MOMENT = 1  # m c (3)
INERTIA = 4  # about the node (9)
N_BODY_PARAMETERS = 13
# parameters and codes of a load
FORCE = 0  # world (dead) or local (follower) axes (3)
MOMENT = 3
POINT = 6  # where the force acts, in the node's frame (3)
N_LOAD_PARAMETERS = 9
SIGNAL, KIND = 0, 1
DEAD, FOLLOWER, WEIGHT = 0, 1, 2
N_LOAD_CODES = 2
N_LOAD_OUTPUTS = 6

# rows of the scratch array: parameters, then
VELOCITY, ACCELERATION, INCREMENT = 13, 19, 25  # of a body
TURN, IS_DEAD = 13, 17  # of a load: quaternion of its node; 0 where it follows that
WRENCH = 31  # what is added to the residual
SIZES = 37  # of force and moment
MATRIX = 39  # element matrix, column by column (36)
N_SCRATCH = 75


@inline
def put_entries(s, row, column, k, m):
    """Write a 3x3 tuple at ``(row, column)`` of the element matrix."""
    at = MATRIX + 6 * column + row
    lanes.put3(s, at, k, (m[0], m[3], m[6]))
    lanes.put3(s, at + 6, k, (m[1], m[4], m[7]))
    lanes.put3(s, at + 12, k, (m[2], m[5], m[8]))


@inline
def put_wrench(s, k, force, moment):
    lanes.put3(s, WRENCH, k, force)
    lanes.put3(s, WRENCH + 3, k, moment)
    lanes.put(s, SIZES, k, lie.norm(force))
    lanes.put(s, SIZES + 1, k, lie.norm(moment))


@routine
def scatter_wrenches(s, rows, residual, scales, first, n):
    """Add the wrenches and their sizes."""
    lanes.add_sixes(s, WRENCH, residual, rows, first, n, 0, 1)
    for k in range(n):
        for j in range(2):
            scales[j] += lanes.get(s, SIZES + j, k)


@routine
def scatter_columns(s, data, slots, first, n, start):
    """Add the element matrices from column ``start`` on to the CSC data."""
    lanes.add_columns(s, MATRIX, 6, data, slots, first, n, 6, start)


@routine
def gather_body(s, motion, block, first, n):
    if n < LANES:
        lanes.clear(s, 0, WRENCH)
    frames = block.frames
    lanes.gather_elements(s, 0, block.parameters, first, n, 0, N_BODY_PARAMETERS)
    lanes.gather_frames(s, VELOCITY, motion.velocities, frames, 0, first, n, 0, 6)
    at = ACCELERATION
    lanes.gather_frames(s, at, motion.accelerations, frames, 0, first, n, 0, 6)
    lanes.gather_frames(s, INCREMENT, motion.increments, frames, 0, first, n, 0, 6)


@routine
def set_inertia_wrench(s):
    """``f = m (a + dw x c) + w x p``, ``J dw + mc x a + ...`` with momentum p."""
    for k in range(LANES):
        m, h = lanes.get(s, MASS, k), lanes.get3(s, FIRST_MOMENT, k)
        inertia = lanes.get33(s, INERTIA, k)
        u, w = lanes.get3(s, VELOCITY, k), lanes.get3(s, VELOCITY + 3, k)
        dw = lanes.get3(s, ACCELERATION + 3, k)
        a = lie.add(lanes.get3(s, ACCELERATION, k), lie.cross(w, u))
        force = lie.add(lie.cross(dw, h), lie.cross(w, lie.cross(w, h)))
        moment = lie.cross(w, lie.apply(inertia, w))
        moment = lie.add(moment, lie.add(lie.apply(inertia, dw), lie.cross(h, a)))
        put_wrench(s, k, lie.add_scaled(force, m, a), moment)


@routine
def set_inertia_tangent(s, mass, damping):
    """``mass M + damping C``, times ``T^-1`` of the increments."""
    for k in range(LANES):
        m, h = lanes.get(s, MASS, k), lanes.get3(s, FIRST_MOMENT, k)
        inertia = lanes.get33(s, INERTIA, k)
        u, w = lanes.get3(s, VELOCITY, k), lanes.get3(s, VELOCITY + 3, k)
        turn, arm = lie.hat(w), lie.hat(h)
        x = lie.matrix_scale(mass * m, lie.IDENTITY33)
        uu = lie.matrix_add_scaled(x, damping * m, turn)
        x = lie.hat(lie.add_scaled(lie.cross(w, h), m, u))
        x = lie.matrix_add(x, lie.hat_times(w, arm))
        uw = lie.matrix_add_scaled(lie.matrix_scale(-mass, arm), -damping, x)
        x = lie.matrix_scale(mass, arm)
        wu = lie.matrix_add_scaled(x, damping, lie.hat_times(h, turn))
        x = lie.matrix_subtract(
            lie.hat_times(w, inertia), lie.hat(lie.apply(inertia, w))
        )
        x = lie.matrix_subtract(x, lie.hat_times(h, lie.hat(u)))
        ww = lie.matrix_add_scaled(lie.matrix_scale(mass, inertia), damping, x)
        u, w = lanes.get3(s, INCREMENT, k), lanes.get3(s, INCREMENT + 3, k)
        c, e = lie.inverse_coefficients(lie.dot(w, w))
        x = blocks.times_triangle(
            (uu, uw, wu, ww), lie.tangent_inverse_blocks(u, w, c, e)
        )
        put_entries(s, 0, 0, k, x[0])
        put_entries(s, 0, 3, k, x[1])
        put_entries(s, 3, 0, k, x[2])
        put_entries(s, 3, 3, k, x[3])


@kernel
def evaluate_body(motion, block, target, level, mass, damping, stiffness):
    """``M dv/dt - ad(v)^T M v`` and its tangent."""
    if motion.time[1] != 0.0:
        return
    s = scratch(N_SCRATCH * LANES)
    for first in range(0, block.parameters.shape[0], LANES):
        n = min(LANES, block.parameters.shape[0] - first)
        gather_body(s, motion, block, first, n)
        set_inertia_wrench(s)
        scatter_wrenches(s, block.rows, target.residual, target.scales, first, n)
        if mass != 0.0 or damping != 0.0:
            set_inertia_tangent(s, mass, damping)
            scatter_columns(s, target.data, block.slots, first, n, 0)


@kernel
def observe_body(motion, block, output, energies):
    """Kinetic energy."""
    parameters = block.parameters
    for i in range(parameters.shape[0]):
        frame = block.frames[i, 0]
        u = scatter.load3(motion.velocities, frame, 0)
        w = scatter.load3(motion.velocities, frame, 3)
        h = scatter.load3(parameters, i, FIRST_MOMENT)
        inertia = scatter.load9(parameters, i, INERTIA)
        energies[0] += (
            0.5 * parameters[i, MASS] * lie.dot(u, u)
            + 0.5 * lie.dot(w, lie.apply(inertia, w))
            + lie.dot(u, lie.cross(w, h))
        )


@routine
def gather_load(s, motion, block, first, n):
    """Force, moment and point, the first two at their present size."""
    parameters, codes = block.parameters, block.codes
    if n < LANES:
        lanes.clear(s, 0, WRENCH)
    for k in range(n):
        i = first + k
        frame = block.frames[i, 0]
        if frame < 0:
            break  # never; but nothing else keeps this from slow gather instructions
        signal = motion.signals[codes[i, SIGNAL], 0]
        for j in range(POINT):
            lanes.put(s, FORCE + j, k, signal * parameters[i, j])
        lanes.gather(s, POINT, k, parameters, i, POINT, 3)
        is_dead = codes[i, KIND] != FOLLOWER
        lanes.put(s, IS_DEAD, k, 1.0 if is_dead else 0.0)
        if is_dead:
            lanes.gather(s, TURN, k, motion.poses, frame, 3, 4)
        else:
            lanes.put(s, TURN, k, 1.0)
            lanes.put3(s, TURN + 1, k, lie.ZERO3)


@routine
def set_load(s):
    """Force and moment in the node's frame; the wrench on the node, with its sign."""
    for k in range(LANES):
        back = lie.quaternion_conjugate(lanes.get4(s, TURN, k))
        force = lie.quaternion_rotate(back, lanes.get3(s, FORCE, k))
        moment = lie.quaternion_rotate(back, lanes.get3(s, MOMENT, k))
        lanes.put3(s, FORCE, k, force)
        lanes.put3(s, MOMENT, k, moment)
        moment = lie.add(moment, lie.cross(lanes.get3(s, POINT, k), force))
        put_wrench(s, k, lie.scale(-1.0, force), lie.scale(-1.0, moment))


@routine
def set_load_tangent(s, stiffness):
    """Wrenches that keep their direction in space: columns of the rotation."""
    for k in range(LANES):
        factor = -stiffness * lanes.get(s, IS_DEAD, k)
        turn = lie.hat(lie.scale(factor, lanes.get3(s, FORCE, k)))
        put_entries(s, 0, 3, k, turn)
        x = lie.hat(lie.scale(factor, lanes.get3(s, MOMENT, k)))
        x = lie.matrix_add(x, lie.hat_times(lanes.get3(s, POINT, k), turn))
        put_entries(s, 3, 3, k, x)


@kernel
def evaluate_load(motion, block, target, level, mass, damping, stiffness):
    """External wrenches: ``-(R^T F, c x R^T F + R^T M)`` and their tangent."""
    codes = block.codes
    s = scratch(N_SCRATCH * LANES)
    for first in range(0, codes.shape[0], LANES):
        n = min(LANES, codes.shape[0] - first)
        gather_load(s, motion, block, first, n)
        set_load(s)
        scatter_wrenches(s, block.rows, target.residual, target.scales, first, n)
        if stiffness != 0.0:
            set_load_tangent(s, stiffness)
            scatter_columns(s, target.data, block.slots, first, n, 3)


@kernel
def observe_load(motion, block, output, energies):
    """World wrench about the frame's origin; potential of weight, power of others."""
    codes, parameters = block.codes, block.parameters
    s = scratch(N_SCRATCH * LANES)
    for first in range(0, codes.shape[0], LANES):
        n = min(LANES, codes.shape[0] - first)
        gather_load(s, motion, block, first, n)
        set_load(s)
        for k in range(n):
            i = first + k
            frame = block.frames[i, 0]
            force = lie.scale(-1.0, lanes.get3(s, WRENCH, k))
            moment = lie.scale(-1.0, lanes.get3(s, WRENCH + 3, k))
            q = scatter.load_quaternion(motion.poses, frame)
            if codes[i, KIND] == WEIGHT:
                place = lie.quaternion_rotate(q, lanes.get3(s, POINT, k))
                place = lie.add(scatter.load_position(motion.poses, frame), place)
                energies[2] -= lie.dot(place, lie.quaternion_rotate(q, force))
                # a changing field changes the potential of what stands still
                whole = scatter.load3(parameters, i, FORCE)
                rate = motion.signals[codes[i, SIGNAL], 1]
                energies[3] -= rate * lie.dot(place, whole)
            else:
                u = scatter.load3(motion.velocities, frame, 0)
                w = scatter.load3(motion.velocities, frame, 3)
                energies[3] += lie.dot(force, u) + lie.dot(moment, w)
            force = lie.quaternion_rotate(q, force)
            moment = lie.quaternion_rotate(q, moment)
            for j in range(3):
                output[i, j] = force[j]
                output[i, 3 + j] = moment[j]
