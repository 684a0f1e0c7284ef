"""The stepping of the Lie-group generalized-alpha method, compiled as one function.

Bruels, Cardona, Arnold 2012. The default is the stabilized index-2 form: positions and
velocities both satisfy the constraints. Its cheap variant needs the index-3 matrix only
and solves with it twice an iteration: ``(-r; -(B v + c_t)/gamma')`` moves velocities,
accelerations, multipliers and the increment, then ``(0; -(Phi + B x))`` the increment
alone.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from .._equations import accept_step, evaluate_blocks, move_frames, start_step
from .._equations import update_signals
from .._jit import kernel, shared
from ..elements.base import Array, IntArray
from ..linear import NEEDS_NEW_PIVOTS, SOLVED, refactor, solve
from ..newton import relative_residual
from .march import observe, record

DONE, WANTS_PIVOTS, NOT_CONVERGED, TURNED_TOO_FAR, NOT_FINITE = range(5)
STEP, ITERATIONS, WORST_ROW, N_LOG, STEP_REFUSED, ROWS_SINCE = range(6)
TIME_STEP, TOLERANCE, ALPHA_M, ALPHA_F, BETA, GAMMA, START_TIME, RATIO = range(8)
OUTPUT_EVERY, ITERATION_LIMIT, IS_STABILIZED = range(3)
# a frame may turn by this much in one step [rad]
LARGEST_TURN = 2.0


class Memory(NamedTuple):
    """What the driver carries from step to step."""

    alpha: Array  # (n_frames, 6) algorithmic accelerations
    old_poses: Array
    old_velocities: Array
    old_accelerations: Array
    old_multipliers: Array
    before: Array  # (n_frames, 6) increments before a move
    row: Array  # (n_rows,)
    rhs: Array  # (n_rows,)
    place: Array  # (n_multipliers,) constraints on level 0
    counts: IntArray  # (6,)
    values: Array  # (8,)
    options: IntArray  # (3,)
    ledger: Array  # (8,) energies and works so far
    powers: Array  # (6,) energies and powers at the last step
    energies: Array  # (6,) energies and powers now
    start_energy: Array  # (1,)
    log: Array  # (n,) residual of each iteration of the last step
    alternation: Array  # (2, n_multipliers) last change of each; times it alternated


@shared
def save(motion, memory):
    memory.old_poses[:] = motion.poses
    memory.old_velocities[:] = motion.velocities
    memory.old_accelerations[:] = motion.accelerations
    memory.old_multipliers[:] = motion.multipliers


@shared
def restore(motion, memory):
    motion.poses[:] = memory.old_poses
    motion.bases[:] = memory.old_poses
    motion.increments[:] = 0.0
    motion.velocities[:] = memory.old_velocities
    motion.accelerations[:] = memory.old_accelerations
    motion.multipliers[:] = memory.old_multipliers


@kernel
def predict(motion, memory, numbers, n_rows):
    """Velocities and increment if the acceleration stays; the increment as a row."""
    v = memory.values
    h, alpha_m, alpha_f = v[TIME_STEP], v[ALPHA_M], v[ALPHA_F]
    beta, gamma = v[BETA], v[GAMMA]
    memory.row[:] = 0.0
    for i in range(numbers.shape[0]):
        for k in range(6):
            row = numbers[i, k]
            if row >= n_rows:
                continue
            rate = motion.accelerations[i, k]
            old = memory.alpha[i, k]
            new = (rate - alpha_m * old) / (1.0 - alpha_m)
            speed = motion.velocities[i, k]
            memory.row[row] = h * speed + h * h * ((0.5 - beta) * old + beta * new)
            motion.velocities[i, k] = speed + h * ((1.0 - gamma) * old + gamma * new)


@kernel
def correct(motion, memory):
    """Velocities and accelerations follow the change of the increments."""
    v = memory.values
    h = v[TIME_STEP]
    to_speed = v[GAMMA] / (v[BETA] * h)
    to_rate = (1.0 - v[ALPHA_M]) / (v[BETA] * h * h * (1.0 - v[ALPHA_F]))
    for i in range(motion.increments.shape[0]):
        for k in range(6):
            change = motion.increments[i, k] - memory.before[i, k]
            motion.velocities[i, k] += to_speed * change
            motion.accelerations[i, k] += to_rate * change


@kernel
def update_alpha(motion, memory):
    """New algorithmic accelerations from new and old accelerations."""
    v = memory.values
    alpha_m, alpha_f = v[ALPHA_M], v[ALPHA_F]
    for i in range(memory.alpha.shape[0]):
        for k in range(6):
            memory.alpha[i, k] = (
                (1.0 - alpha_f) * motion.accelerations[i, k]
                + alpha_f * memory.old_accelerations[i, k]
                - alpha_m * memory.alpha[i, k]
            ) / (1.0 - alpha_m)


@kernel
def first_rhs(memory, residual, n_frame_rows, is_stabilized):
    """``(-r; -(B v + c_t)/gamma')``, or ``(-r; -Phi)`` in index 3."""
    v = memory.values
    scale = 1.0
    if is_stabilized:
        scale = v[BETA] * v[TIME_STEP] / v[GAMMA]
    for i in range(n_frame_rows):
        memory.rhs[i] = -residual[i]
    for i in range(n_frame_rows, memory.rhs.shape[0]):
        memory.rhs[i] = -scale * residual[i]


@kernel
def second_rhs(memory, data, indptr, indices, n_frame_rows):
    """``(0; -(Phi + B x))`` with ``x`` the first correction."""
    n = memory.rhs.shape[0]
    for i in range(n_frame_rows):
        memory.rhs[i] = 0.0
    for i in range(n_frame_rows, n):
        memory.rhs[i] = -memory.place[i - n_frame_rows]
    for j in range(n_frame_rows):
        x = memory.row[j]
        for p in range(indptr[j], indptr[j + 1]):
            i = indices[p]
            if i >= n_frame_rows:
                memory.rhs[i] -= data[p] * x


@kernel
def largest_turn(increments):
    largest = 0.0
    for i in range(increments.shape[0]):
        square = 0.0
        for k in range(3, 6):
            square += increments[i, k] * increments[i, k]
        largest = max(largest, square)
    return math.sqrt(largest)


@kernel
def scale_rows(residual, first, factor):
    for i in range(first, residual.shape[0]):
        residual[i] *= factor


@shared
def one_step(equations, motion, target, factorization, memory):
    """Newton iterations of one step; the caller restores what failed."""
    values = memory.values
    counts = memory.counts
    h = values[TIME_STEP]
    first = equations.sizes[0]
    n_rows = equations.sizes[1]
    has_constraints = n_rows > first
    is_stabilized = memory.options[IS_STABILIZED] != 0 and has_constraints
    to_speed = values[GAMMA] / (values[BETA] * h)
    to_rate = (1.0 - values[ALPHA_M]) / (
        values[BETA] * h * h * (1.0 - values[ALPHA_F])
    )
    save(motion, memory)
    motion.time[0] = values[START_TIME] + (counts[STEP] + 1) * h
    update_signals(equations, motion)
    predict(motion, memory, equations.numbers, n_rows)
    move_frames(equations, motion, memory.row, 1.0)
    for iteration in range(memory.options[ITERATION_LIMIT] + 1):
        turn = largest_turn(motion.increments)
        if not turn <= LARGEST_TURN:
            return TURNED_TOO_FAR if math.isfinite(turn) else NOT_FINITE
        worst = 0.0
        if is_stabilized:
            evaluate_blocks(equations, motion, target, 0, 0.0, 0.0, 0.0)
            worst, row = relative_residual(
                target.residual, equations.row_kinds, target.scales,
                equations.length[0],
            )  # fmt: skip
            memory.place[:] = target.residual[first:n_rows]
            evaluate_blocks(equations, motion, target, 1, 0.0, 0.0, 0.0)
            # velocities count by what they move in one step
            scale_rows(target.residual, first, h)
        else:
            evaluate_blocks(equations, motion, target, 0, 0.0, 0.0, 0.0)
        ratio, row = relative_residual(
            target.residual, equations.row_kinds, target.scales, equations.length[0]
        )
        counts[WORST_ROW] = row
        ratio = max(ratio, worst)
        values[RATIO] = ratio
        if iteration < memory.log.shape[0]:
            memory.log[iteration] = ratio
            counts[N_LOG] = iteration + 1
        if not math.isfinite(ratio) and not ratio > 0.0:
            return NOT_FINITE
        if ratio <= values[TOLERANCE]:
            return DONE
        if iteration == memory.options[ITERATION_LIMIT]:
            return NOT_CONVERGED
        if is_stabilized:
            scale_rows(target.residual, first, 1.0 / h)
        first_rhs(memory, target.residual, first, is_stabilized)
        evaluate_blocks(equations, motion, target, 0, to_rate, to_speed, 1.0)
        code = refactor(factorization, target.data)
        if code == NEEDS_NEW_PIVOTS:
            return WANTS_PIVOTS
        if code != SOLVED:
            return NOT_CONVERGED
        counts[ITERATIONS] += 1
        solve(factorization, target.data, memory.rhs, memory.row)
        if is_stabilized:
            memory.before[:] = motion.increments
            # the second solve sees B of the same matrix
            second_rhs_and_move(equations, motion, target, factorization, memory)
        else:
            memory.before[:] = motion.increments
            move_frames(equations, motion, memory.row, 1.0)
            correct(motion, memory)
    return NOT_CONVERGED


@shared
def second_rhs_and_move(equations, motion, target, factorization, memory):
    first = equations.sizes[0]
    second_rhs(
        memory, target.data, factorization.indptr, factorization.indices, first
    )
    move_frames(equations, motion, memory.row, 1.0)
    correct(motion, memory)
    solve(factorization, target.data, memory.rhs, memory.row)
    memory.row[first:] = 0.0
    move_frames(equations, motion, memory.row, 1.0)


@kernel
def book(memory, energies):
    """Work of loads, motors and dampers over one step (trapezoidal rule)."""
    h = memory.values[TIME_STEP]
    ledger = memory.ledger
    powers = memory.powers
    for k in range(3):
        ledger[k] = energies[k]
        ledger[3 + k] += 0.5 * h * (powers[3 + k] + energies[3 + k])
    for k in range(6):
        powers[k] = energies[k]
    total = energies[0] + energies[1] + energies[2]
    missing = memory.start_energy[0] + ledger[3] + ledger[4] - ledger[5] - total
    ledger[6] = missing
    scale = (
        abs(energies[0]) + abs(energies[1]) + abs(ledger[3]) + abs(ledger[4])
    ) + abs(ledger[5]) + abs(energies[2] - memory.start_energy[0])
    ledger[7] = missing / scale if scale > 0.0 else 0.0


@kernel
def watch_multipliers(motion, memory):
    """Count how often each multiplier turned back, twice in a row, by a large step."""
    for k in range(motion.multipliers.shape[0]):
        new = motion.multipliers[k]
        change = new - memory.old_multipliers[k]
        last = memory.alternation[0, k]
        if change * last < 0.0 and abs(change) > abs(last) * 0.8:
            memory.alternation[1, k] += 1.0
        else:
            memory.alternation[1, k] = 0.0
        memory.alternation[0, k] = change


@shared
def march_on(equations, motion, target, factorization, memory, buffer, n_steps):
    """Steps until ``n_steps`` are done in all, the buffer is full, or one fails."""
    counts = memory.counts
    energies = memory.energies
    while counts[STEP] < n_steps:
        code = one_step(equations, motion, target, factorization, memory)
        if code != DONE:
            restore(motion, memory)
            motion.time[0] = (
                memory.values[START_TIME] + counts[STEP] * memory.values[TIME_STEP]
            )
            update_signals(equations, motion)
            return code
        update_alpha(motion, memory)
        watch_multipliers(motion, memory)
        counts[STEP] += 1
        accept_step(equations, motion)
        observe(equations, motion, buffer, energies)
        book(memory, energies)
        if counts[STEP] % memory.options[OUTPUT_EVERY] == 0 or counts[STEP] == n_steps:
            record(equations, motion, target, buffer, memory.ledger)
            if buffer.n[0] >= buffer.times.shape[0]:
                return DONE
    return DONE


@shared
def start_here(equations, motion):
    """Signals and iterates for a run that starts at this motion."""
    update_signals(equations, motion)
    start_step(equations, motion)
