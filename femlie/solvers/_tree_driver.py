"""The stepping of explicit Munthe-Kaas methods on a tree.

Increments of the joint coordinates from the start of a step follow
``dq/dt = T^-1(q) rate`` in the subgroup of each joint (Munthe-Kaas 1998); second rates
come from the recursions. Loops are closed again at the end of each step: places and
velocities are moved along ``H^-1 J^T``, H the inertia and J the loops' Jacobian.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from .._equations import accept_step, evaluate_blocks, observe_blocks, update_signals
from .._jit import kernel, shared
from ..elements._scatter import load_position, load_quaternion
from ..elements.base import MOTOR_POWER, Array, IntArray, Motion, Target
from ..lie import _kernels as lie
from ..newton import LARGEST_TURN
from ..recursive._joints import coordinate_twist, move_relative, set_slopes
from ._munthe_kaas_driver import DONE, NOT_FINITE, SINGULAR, TURNED_TOO_FAR
from ._tree_dynamics import (
    Problem,
    accelerate,
    add_all,
    balance,
    close,
    factor_inertia,
    measure_gaps,
    place_bodies,
)
from .march import BEFORE, NOW, add_to_book, record

STEP, SOLVES = range(2)
TIME_STEP, START_TIME = range(2)
# columns of Memory.held
BODY, N_MULTIPLIERS, FIRST_MULTIPLIER = range(3)


class Work(NamedTuple):
    """Arrays of a run, held by reference when compiled."""

    equations: Any  # of the whole model
    motion: Motion
    target: Target
    problem: Problem
    old_frames: Array  # (n, 7)
    before: Array  # (n, 7) frames before loops are closed
    old_rates: Array  # (n_coordinates,)
    old_second_rates: Array
    phi: Array  # (n_coordinates,)
    slopes: Array  # (n_stages, n_coordinates)
    rates: Array  # (n_stages, n_coordinates)
    weights: Array  # (n_stages + 1, n_stages)
    nodes: Array  # (n_stages + 1,)
    outputs: Array  # what the blocks of the reduced system observe
    held: IntArray  # (k, 3) joints of the tree that have multipliers
    held_slots: IntArray  # (k, 36) places of their B^T in the model's CSC data
    places: IntArray  # (m,) multipliers of the loops in the model
    twist: Array  # (2, 6)
    normal: Array  # (6, 13) work
    values: Array  # (2,)
    energies: Array  # (6,) work
    options: IntArray  # (1,) output every
    book: Array  # energy ledger, see `march`


class Memory(NamedTuple):
    """What the driver carries from step to step."""

    counts: IntArray  # (2,)
    work: Any  # Work


@kernel
def combine_stage(slopes, rates, weights, h, old_rates, phi, new_rates):
    """``phi = h sum w_j k_j`` and ``v = v_n + h sum w_j dv_j``."""
    for k in range(phi.shape[0]):
        step = 0.0
        change = 0.0
        for j in range(weights.shape[0]):
            step += weights[j] * slopes[j, k]
            change += weights[j] * rates[j, k]
        phi[k] = h * step
        new_rates[k] = old_rates[k] + h * change


@kernel
def largest_joint_turn(tree, steps, twist):
    """Largest rotation of a joint in a step; not a number where a step is none."""
    largest = 0.0
    for b in range(tree.frames.shape[0]):
        coordinate_twist(tree, b, steps, twist)
        turn = math.sqrt(twist[3] ** 2 + twist[4] ** 2 + twist[5] ** 2)
        if not math.isfinite(turn + twist[0] + twist[1] + twist[2]):
            return math.nan
        largest = max(largest, turn)
    return largest


@shared
def close_loops(problem, before, twist):
    """Move places, then velocities, back onto the constraints; False if singular."""
    place_bodies(problem, problem.given)
    if not factor_inertia(problem, 0):
        return False
    n_rows = problem.equations.sizes[0]
    m = problem.gaps.shape[0]
    problem.gaps[:] = problem.target.residual[n_rows : n_rows + m]
    close(problem)
    frames = problem.relative.frames
    before[:] = frames
    move_relative(problem.tree, before, problem.extra, frames, twist)
    place_bodies(problem, problem.given)
    measure_gaps(problem, 1)
    close(problem)
    add_all(problem.relative.rates, problem.extra)
    return True


@kernel
def joint_multipliers(tree, held, slots, data, wrenches, multipliers, work):
    """Multipliers of the tree's joints from the wrenches that they carry.

    Least squares of ``B^T lambda = -f`` in the joint frame, where the rows' gradients
    are nearly orthogonal.
    """
    for e in range(held.shape[0]):
        b, m = held[e, BODY], held[e, N_MULTIPLIERS]
        place = load_position(tree.child_offsets, b)
        turn = lie.quaternion_conjugate(load_quaternion(tree.child_offsets, b))
        for c in range(m + 1):
            for j in range(6):
                if c == m:
                    work[j, c] = -wrenches[b, j]
                else:
                    slot = slots[e, 6 * c + j]
                    work[j, c] = data[slot] if slot >= 0 else 0.0
            force = (work[0, c], work[1, c], work[2, c])
            moment = (work[3, c], work[4, c], work[5, c])
            moment = lie.subtract(moment, lie.cross(place, force))
            force = lie.quaternion_rotate(turn, force)
            moment = lie.quaternion_rotate(turn, moment)
            for j in range(3):
                work[j, c] = force[j]
                work[3 + j, c] = moment[j]
        for c in range(m):
            for k in range(c + 1):
                value = 0.0
                for j in range(6):
                    value += work[j, c] * work[j, k]
                for k2 in range(k):
                    value -= work[c, 7 + k2] * work[k, 7 + k2]
                work[c, 7 + k] = math.sqrt(value) if c == k else value / work[k, 7 + k]
        for c in range(m):
            value = 0.0
            for j in range(6):
                value += work[j, c] * work[j, m]
            for k in range(c):
                value -= work[c, 7 + k] * multipliers[held[e, FIRST_MULTIPLIER] + k]
            multipliers[held[e, FIRST_MULTIPLIER] + c] = value / work[c, 7 + c]
        for c in range(m - 1, -1, -1):
            value = multipliers[held[e, FIRST_MULTIPLIER] + c]
            for k in range(c + 1, m):
                value -= work[k, 7 + c] * multipliers[held[e, FIRST_MULTIPLIER] + k]
            multipliers[held[e, FIRST_MULTIPLIER] + c] = value / work[c, 7 + c]


@kernel
def spread_multipliers(places, own, multipliers):
    """Multipliers of the loops, to where the model has them."""
    for k in range(places.shape[0]):
        if places[k] >= 0:
            multipliers[places[k]] = own[k]


@shared
def recover(work):
    """All multipliers of the model, from the wrenches along the tree."""
    problem, motion = work.problem, work.motion
    balance(problem)
    evaluate_blocks(work.equations, motion, work.target, 2, 1.0, 0.0, 0.0)
    joint_multipliers(
        problem.tree, work.held, work.held_slots, work.target.data, problem.wrenches,
        motion.multipliers, work.normal,
    )  # fmt: skip
    spread_multipliers(work.places, problem.multipliers, motion.multipliers)


@shared
def finish_tree_step(work, buffer, is_recorded):
    """Accept a step, keep the ledger, and record a row where one is due."""
    problem, book = work.problem, work.book
    accept_step(problem.equations, problem.motion)
    observe_blocks(problem.equations, problem.motion, work.outputs, book[NOW:BEFORE])
    if problem.driven_forces.shape[0] > 0:
        balance(problem)
        book[NOW + MOTOR_POWER] += driven_power(
            problem.driven_forces, problem.relative.driven_rates
        )
    add_to_book(book)
    accept_step(work.equations, work.motion)
    if is_recorded:
        recover(work)
        # the energies stand in the book already
        observe_blocks(
            work.equations, work.motion, buffer.outputs[buffer.n[0]], work.energies
        )
        record(work.equations, work.motion, work.target, buffer, book)


@kernel
def driven_power(forces, driven_rates):
    power = 0.0
    for d in range(forces.shape[0]):
        power += forces[d] * driven_rates[d, 0]
    return power


@shared
def march_on(equations, motion, target, factorization, memory, buffer, n_steps):
    """Steps until ``n_steps`` are done in all, the buffer is full, or one fails."""
    work, counts = memory.work, memory.counts
    while counts[STEP] < n_steps and buffer.n[0] < buffer.times.shape[0]:
        code = take_step(work, counts[STEP])
        if code != DONE:
            return code
        counts[STEP] += 1
        counts[SOLVES] += work.weights.shape[0] - 1
        is_recorded = counts[STEP] % work.options[0] == 0 or counts[STEP] == n_steps
        finish_tree_step(work, buffer, is_recorded)
    return DONE


@shared
def take_step(work, step):
    """One step; where it fails the state is what it was."""
    problem, motion = work.problem, work.motion
    tree, relative, twist = problem.tree, problem.relative, work.twist
    h = work.values[TIME_STEP]
    start = work.values[START_TIME] + step * h
    n_stages = work.slopes.shape[0]
    work.old_frames[:] = relative.frames
    work.old_rates[:] = relative.rates
    work.old_second_rates[:] = problem.second_rates
    work.slopes[0] = relative.rates
    work.rates[0] = problem.second_rates
    for stage in range(1, n_stages + 1):
        combine_stage(
            work.slopes, work.rates, work.weights[stage], h, work.old_rates, work.phi,
            relative.rates,
        )  # fmt: skip
        turn = largest_joint_turn(tree, work.phi, twist[0])
        if not turn <= LARGEST_TURN:
            go_back(work, start)
            return TURNED_TOO_FAR if math.isfinite(turn) else NOT_FINITE
        move_relative(tree, work.old_frames, work.phi, relative.frames, twist[0])
        motion.time[0] = start + work.nodes[stage] * h
        update_signals(problem.equations, problem.motion)
        is_solved = True
        if stage == n_stages and problem.gaps.shape[0] > 0:
            is_solved = close_loops(problem, work.before, twist[0])
        if not (is_solved and accelerate(problem)):
            go_back(work, start)
            return SINGULAR
        if stage < n_stages:
            set_slopes(
                tree, work.phi, relative.rates, work.slopes[stage], twist[0], twist[1]
            )
            work.rates[stage] = problem.second_rates
    return DONE


@shared
def go_back(work, start):
    """The state at the start of a step that failed."""
    problem = work.problem
    problem.relative.frames[:] = work.old_frames
    problem.relative.rates[:] = work.old_rates
    problem.second_rates[:] = work.old_second_rates
    work.motion.time[0] = start
    update_signals(problem.equations, problem.motion)
    place_bodies(problem, problem.second_rates)
