"""Kernels of rigid bodies and of loads: forces, moments and weight at a frame.

Body: ``M dv/dt - ad(v)^T M v`` with ``M = [[m, -m c^], [m c^, J]]``, c the mass center
in the node's frame and J the inertia about the node. Bruels, Cardona, Arnold 2012.
"""

from __future__ import annotations

from .._jit import inline, kernel
from ..lie import _kernels as lie
from . import _scatter as scatter

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


@inline
def add_matrix(data, slots, i, row, column, factor, m):
    """Add ``factor`` times a 3x3 tuple to a 6x6 element matrix."""
    first = 6 * row + column
    data[slots[i, first]] += factor * m[0]
    data[slots[i, first + 1]] += factor * m[1]
    data[slots[i, first + 2]] += factor * m[2]
    data[slots[i, first + 6]] += factor * m[3]
    data[slots[i, first + 7]] += factor * m[4]
    data[slots[i, first + 8]] += factor * m[5]
    data[slots[i, first + 12]] += factor * m[6]
    data[slots[i, first + 13]] += factor * m[7]
    data[slots[i, first + 14]] += factor * m[8]


@kernel
def evaluate_body(motion, block, target, level, mass, damping, stiffness):
    """``f = m (a + dw x c) + w x p``, ``J dw + mc x a + ...`` with momentum p."""
    parameters = block.parameters
    slots = block.slots
    data = target.data
    wants_tangent = mass != 0.0 or damping != 0.0
    if motion.time[1] != 0.0:
        return
    for i in range(parameters.shape[0]):
        frame = block.frames[i, 0]
        m = parameters[i, MASS]
        h = scatter.load3(parameters, i, FIRST_MOMENT)
        inertia = scatter.load9(parameters, i, INERTIA)
        u = scatter.load3(motion.velocities, frame, 0)
        w = scatter.load3(motion.velocities, frame, 3)
        du = scatter.load3(motion.accelerations, frame, 0)
        dw = scatter.load3(motion.accelerations, frame, 3)
        a = lie.add(du, lie.cross(w, u))
        wh = lie.cross(w, h)
        force = lie.add(lie.scale(m, a), lie.add(lie.cross(dw, h), lie.cross(w, wh)))
        spin = lie.apply(inertia, w)
        moment = lie.add(
            lie.add(lie.apply(inertia, dw), lie.cross(w, spin)), lie.cross(h, a)
        )
        scatter.add_wrench(
            target.residual, target.scales, block.rows, i, 0, force, moment
        )
        if wants_tangent:
            b, c = scatter.increment_map(motion.increments, frame)
            hu, hw, hh = lie.hat(u), lie.hat(w), lie.hat(h)
            uu = lie.matrix_add_scaled(
                lie.matrix_scale(mass * m, lie.IDENTITY33), damping * m, hw
            )
            uw = lie.matrix_add_scaled(lie.matrix_scale(-mass, hh), -damping * m, hu)
            uw = lie.matrix_add_scaled(uw, -damping, lie.hat(wh))
            uw = lie.matrix_add_scaled(uw, -damping, lie.multiply(hw, hh))
            wu = lie.matrix_add_scaled(
                lie.matrix_scale(mass, hh), damping, lie.multiply(hh, hw)
            )
            ww = lie.matrix_add_scaled(
                lie.matrix_scale(mass, inertia), damping, lie.multiply(hw, inertia)
            )
            ww = lie.matrix_add_scaled(ww, -damping, lie.hat(spin))
            ww = lie.matrix_add_scaled(ww, -damping, lie.multiply(hh, hu))
            add_matrix(data, slots, i, 0, 0, 1.0, lie.multiply(uu, b))
            add_matrix(data, slots, i, 0, 3, 1.0, lie.multiply(uu, c))
            add_matrix(data, slots, i, 0, 3, 1.0, lie.multiply(uw, b))
            add_matrix(data, slots, i, 3, 0, 1.0, lie.multiply(wu, b))
            add_matrix(data, slots, i, 3, 3, 1.0, lie.multiply(wu, c))
            add_matrix(data, slots, i, 3, 3, 1.0, lie.multiply(ww, b))


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


@inline
def load_wrench(signals, poses, codes, parameters, frame, i):
    """Force, moment without the force's arm, and the arm, in the node's frame."""
    signal = signals[codes[i, SIGNAL], 0]
    force = lie.scale(signal, scatter.load3(parameters, i, FORCE))
    moment = lie.scale(signal, scatter.load3(parameters, i, MOMENT))
    if codes[i, KIND] != FOLLOWER:
        back = lie.quaternion_conjugate(scatter.load_quaternion(poses, frame))
        force = lie.quaternion_rotate(back, force)
        moment = lie.quaternion_rotate(back, moment)
    return force, moment


@kernel
def evaluate_load(motion, block, target, level, mass, damping, stiffness):
    """External wrenches: ``-(R^T F, c x R^T F + R^T M)`` and their tangent."""
    codes = block.codes
    parameters = block.parameters
    for i in range(codes.shape[0]):
        frame = block.frames[i, 0]
        force, moment = load_wrench(
            motion.signals, motion.poses, codes, parameters, frame, i
        )
        point = scatter.load3(parameters, i, POINT)
        total = lie.add(moment, lie.cross(point, force))
        scatter.add_wrench(
            target.residual,
            target.scales,
            block.rows,
            i,
            0,
            lie.scale(-1.0, force),
            lie.scale(-1.0, total),
        )
        if stiffness != 0.0 and codes[i, KIND] != FOLLOWER:
            turn = lie.hat(force)
            add_matrix(target.data, block.slots, i, 0, 3, -stiffness, turn)
            add_matrix(target.data, block.slots, i, 3, 3, -stiffness, lie.hat(moment))
            add_matrix(
                target.data,
                block.slots,
                i,
                3,
                3,
                -stiffness,
                lie.multiply(lie.hat(point), turn),
            )


@kernel
def observe_load(motion, block, output, energies):
    """World wrench about the frame's origin; potential of weight, power of others."""
    codes = block.codes
    parameters = block.parameters
    for i in range(codes.shape[0]):
        frame = block.frames[i, 0]
        force, moment = load_wrench(
            motion.signals, motion.poses, codes, parameters, frame, i
        )
        point = scatter.load3(parameters, i, POINT)
        moment = lie.add(moment, lie.cross(point, force))
        u = scatter.load3(motion.velocities, frame, 0)
        w = scatter.load3(motion.velocities, frame, 3)
        q = scatter.load_quaternion(motion.poses, frame)
        if codes[i, KIND] == WEIGHT:
            place = lie.add(
                scatter.load_position(motion.poses, frame),
                lie.quaternion_rotate(q, point),
            )
            energies[2] -= lie.dot(place, lie.quaternion_rotate(q, force))
            # a changing field changes the potential of what stands still
            whole = scatter.load3(parameters, i, FORCE)
            rate = motion.signals[codes[i, SIGNAL], 1]
            energies[3] -= rate * lie.dot(place, whole)
        else:
            energies[3] += lie.dot(force, u) + lie.dot(moment, w)
        force = lie.quaternion_rotate(q, force)
        moment = lie.quaternion_rotate(q, moment)
        for k in range(3):
            output[i, k] = force[k]
            output[i, 3 + k] = moment[k]
