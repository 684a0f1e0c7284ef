"""The stepping of explicit Munthe-Kaas Runge-Kutta methods in index-1 form.

In each stage ``[[M, B^T], [B, 0]]`` gives accelerations and multipliers; the increment
``phi`` from the start of the step follows ``dphi/dt = T^-1(phi) v`` (Munthe-Kaas 1998;
Mueller and Terze 2013, eq. (36), with right multiplication and velocities of the
frames' own groups).
"""

from __future__ import annotations

import math
from typing import NamedTuple

from .._equations import (
    copy_rows,
    evaluate_blocks,
    move_frames,
    negate,
    update_signals,
)
from .._groups import body_rates, group_rates, increment_rate, local_rows
from .._jit import routine, shared
from ..elements.base import Array, IntArray
from ..linear import NEEDS_NEW_PIVOTS, SOLVED, refactor, solve
from ..newton import LARGEST_TURN, largest_move, largest_turn
from ._step_state import (
    DONE,
    ERROR_TOO_LARGE,
    NOT_FINITE,
    SINGULAR,
    START_TIME,
    STEP,
    TIME_STEP,
    TURNED_TOO_FAR,
    WANTS_PIVOTS,
    add_frames,
    is_last_step,
    keep_state,
    restore,
    step_behind,
    take_rates,
)
from .march import BOOK_STEP, finish_step

SOLVES, REFUSED = range(1, 3)
(
    ERROR_TOLERANCE,
    ERROR_POWER,
    END_TIME,
    SMALLEST_STEP,
    BAUMGARTE,
) = range(2, 7)
OUTPUT_EVERY, SERIES_ORDER, PROJECTS, MATRIX = range(4)
# of the matrix of a stage: nobody knows, never the same, always the same and not yet
# factorized, done
UNKNOWN, MOVING, NEW, FACTORIZED = range(4)
# what is solved for with the matrix of a stage: moves onto the constraints, changes of
# velocities onto their rates, or accelerations
PLACES, SPEEDS, RATES = range(3)
PROJECTION_LIMIT = 5
# a projection that moves by less is done, in radians and model sizes
PROJECTED = 1e-14


class Memory(NamedTuple):
    """What the driver carries from step to step."""

    old_poses: Array
    old_velocities: Array
    old_accelerations: Array
    old_multipliers: Array
    first_speeds: Array  # (n_frames, 6) velocities of the groups when the step starts
    speeds: Array  # (n_frames, 6) in a stage
    lost: Array  # (2, n_frames, 6) what rounding took from velocities: old, new
    phi: Array  # (n_frames, 6) increment of a stage
    slopes: Array  # (n_stages + 1, n_frames, 6) dphi/dt
    rates: Array  # (n_stages + 1, n_frames, 6) rates of the velocities of the groups
    row: Array  # (n_rows,)
    rhs: Array  # (n_rows,)
    gap: Array  # (n_multipliers,) what Baumgarte's method adds
    weights: Array  # (n_stages + 1, n_stages) tableau; the last row gives the step
    nodes: Array  # (n_stages + 1,)
    error_weights: Array  # (n_stages + 1,)
    counts: IntArray  # (3,)
    values: Array  # (7,)
    options: IntArray  # (4,)
    book: Array  # energy ledger, see `march`


@routine
def gather_stage(slopes, rates, weights, h, phi, speeds, first_speeds, lost):
    """``phi = h sum a_j k_j`` and ``v = v_n + h sum a_j dv_j``.

    What rounding takes from the sum of the velocities is added in the next step: else
    a joint to the ground would drift with the root of the number of steps. The first
    frame, the ground, stays.
    """
    for i in range(1, phi.shape[0]):
        for k in range(6):
            increment = 0.0
            change = 0.0
            for j in range(weights.shape[0]):
                if weights[j] != 0.0:
                    increment += weights[j] * slopes[j, i, k]
                    change += weights[j] * rates[j, i, k]
            phi[i, k] = h * increment
            change = h * change + lost[0, i, k]
            speeds[i, k] = first_speeds[i, k] + change
            lost[1, i, k] = (first_speeds[i, k] - speeds[i, k]) + change


@routine
def next_step(error, tolerance, power):
    """Factor on the step that brings the error to the tolerance."""
    if not math.isfinite(error):
        return 0.2
    if error <= 0.0:
        return 2.0
    return min(5.0, max(0.2, 0.9 * (tolerance / error) ** power))


@routine
def local_error(slopes, rates, weights, h, speeds, length):
    """Largest difference of the two steps over all frames.

    Translations count relative to the model's size, rotations in radians, velocities
    relative to the fastest frame.
    """
    pace = 0.0
    worst = 0.0
    fastest = 0.0
    for i in range(speeds.shape[0]):
        for part in range(2):
            size = length if part == 0 else 1.0
            speed = moved = changed = 0.0
            for k in range(3 * part, 3 * part + 3):
                increment = 0.0
                change = 0.0
                for j in range(weights.shape[0]):
                    increment += weights[j] * slopes[j, i, k]
                    change += weights[j] * rates[j, i, k]
                speed += speeds[i, k] * speeds[i, k]
                moved += increment * increment
                changed += change * change
            pace = max(pace, math.sqrt(speed) / size)
            worst = max(worst, h * math.sqrt(moved) / size)
            fastest = max(fastest, h * math.sqrt(changed) / size)
    if pace > 0.0:
        worst = max(worst, fastest / pace)
    return worst


@shared
def add_gap(equations, motion, target, level, factor, gap):
    """Add the violation of the constraints on a level."""
    evaluate_blocks(equations, motion, target, level, 0.0, 0.0, 0.0)
    first, n_rows = equations.sizes[0], equations.sizes[1]
    for k in range(n_rows - first):
        gap[k] += factor * target.residual[first + k]


@shared
def solve_stage(equations, motion, target, factorization, memory, phase):
    """Accelerations and multipliers here, behind a projection if ``phase`` says so."""
    rhs, row, gap = memory.rhs, memory.row, memory.gap
    numbers, length = equations.numbers, equations.length[0]
    first, n_rows = equations.sizes[0], equations.sizes[1]
    pull = memory.values[BAUMGARTE]
    sweep = 0
    while True:
        gap[:] = 0.0
        for level in range(RATES):
            factor = 1.0 if level == phase else 0.0
            if phase == RATES:
                factor = pull * pull if level == PLACES else 2.0 * pull
            if factor > 0.0 and n_rows > first:
                add_gap(equations, motion, target, level, factor, gap)
        is_known = memory.options[MATRIX] == FACTORIZED
        mass = 0.0 if is_known else 1.0
        evaluate_blocks(equations, motion, target, 2, mass, 0.0, 0.0)
        negate(rhs, target.residual)
        if phase != RATES:
            rhs[:] = 0.0
        for k in range(n_rows - first):
            rhs[first + k] -= gap[k]
        if not is_known:
            outcome = refactor(factorization, target.data)
            if outcome != SOLVED:
                return WANTS_PIVOTS if outcome == NEEDS_NEW_PIVOTS else SINGULAR
            if memory.options[MATRIX] == NEW:
                memory.options[MATRIX] = FACTORIZED
        memory.counts[SOLVES] += 1
        solve(factorization, target.data, rhs, row)
        if phase == RATES:
            take_rates(
                row, numbers, n_rows, motion.accelerations, motion.multipliers, first
            )
            return DONE
        row[first:] = 0.0
        if phase == SPEEDS:
            add_frames(row, numbers, n_rows, motion.velocities)
            phase = RATES
            continue
        move_frames(equations, motion, row, 1.0)
        copy_rows(motion.bases, motion.poses)
        motion.increments[:] = 0.0
        sweep += 1
        size = largest_move(row, numbers, n_rows, length)
        if size <= PROJECTED or sweep == PROJECTION_LIMIT:
            phase = SPEEDS


@shared
def march_on(equations, motion, target, factorization, memory, buffer, n_steps):
    """Steps until ``n_steps`` are done in all, the buffer is full, or one fails.

    The last stage sits at the end of the step, where accelerations and multipliers are
    computed for the next one: they serve as its first stage.
    """
    values, counts, options = memory.values, memory.counts, memory.options
    row = memory.row
    slopes, rates, speeds, phi = memory.slopes, memory.rates, memory.speeds, memory.phi
    groups, numbers, length = equations.groups, equations.numbers, equations.length[0]
    first, n_rows = equations.sizes[0], equations.sizes[1]
    n_stages = memory.weights.shape[1]
    is_adaptive = values[ERROR_TOLERANCE] > 0.0
    is_held = n_rows > first
    end = values[END_TIME]
    while (
        counts[STEP] < n_steps
        and buffer.n[0] < buffer.times.shape[0]
        and motion.time[0] < end
    ):
        keep_state(memory, motion)
        start = values[START_TIME] + counts[STEP] * values[TIME_STEP]
        new_time = values[START_TIME] + (counts[STEP] + 1) * values[TIME_STEP]
        wanted = values[TIME_STEP]
        if is_adaptive:
            start = motion.time[0]
            new_time = end if is_last_step(start, wanted, end) else start + wanted
            values[TIME_STEP] = new_time - start
        h = values[TIME_STEP]
        group_rates(
            groups, motion.poses, motion.velocities, motion.accelerations,
            memory.first_speeds, rates[0],
        )  # fmt: skip
        copy_rows(slopes[0], memory.first_speeds)
        code = DONE
        for stage in range(1, n_stages + 1):
            is_last = stage == n_stages
            gather_stage(
                slopes, rates, memory.weights[stage], h, phi, speeds,
                memory.first_speeds, memory.lost,
            )  # fmt: skip
            turn = largest_turn(phi)
            if not turn <= LARGEST_TURN:
                code = TURNED_TOO_FAR if math.isfinite(turn) else NOT_FINITE
                break
            copy_rows(motion.bases, memory.old_poses)
            copy_rows(motion.poses, memory.old_poses)
            motion.increments[:] = 0.0
            local_rows(groups, motion.bases, phi, numbers, n_rows, row)
            move_frames(equations, motion, row, 1.0)
            body_rates(
                groups, motion.poses, speeds, rates[0], motion.velocities,
                motion.accelerations,
            )  # fmt: skip
            # the accelerations are asked for at a step that starts here
            copy_rows(motion.bases, motion.poses)
            motion.increments[:] = 0.0
            motion.accelerations[:] = 0.0
            motion.multipliers[:] = 0.0
            motion.time[0] = new_time if is_last else start + memory.nodes[stage] * h
            update_signals(equations, motion)
            phase = PLACES if is_last and is_held and options[PROJECTS] != 0 else RATES
            code = solve_stage(equations, motion, target, factorization, memory, phase)
            if code != DONE:
                break
            if not is_last or is_adaptive:
                group_rates(
                    groups, motion.poses, motion.velocities, motion.accelerations,
                    speeds, rates[stage],
                )  # fmt: skip
                increment_rate(
                    groups, phi, speeds, options[SERIES_ORDER], slopes[stage]
                )
        factor = 0.5
        if is_adaptive and code == DONE:
            error = local_error(slopes, rates, memory.error_weights, h, speeds, length)
            factor = next_step(error, values[ERROR_TOLERANCE], values[ERROR_POWER])
            if not error <= values[ERROR_TOLERANCE]:
                code = ERROR_TOO_LARGE
        if code != DONE:
            restore(motion, memory, start)
            values[TIME_STEP] = wanted
            if (
                is_adaptive
                and code != WANTS_PIVOTS
                and factor * h > values[SMALLEST_STEP]
            ):
                values[TIME_STEP] = factor * h
                counts[REFUSED] += 1
                continue
            return code
        copy_rows(memory.lost[0], memory.lost[1])
        if options[PROJECTS] != 0 and is_held:
            memory.lost[:] = 0.0
        counts[STEP] += 1
        memory.book[BOOK_STEP] = h
        if is_adaptive:
            is_at_end = motion.time[0] >= end
            values[TIME_STEP] = step_behind(h, wanted, factor, is_at_end)
        finish_step(
            equations, motion, target, buffer, memory.book,
            counts[STEP] % options[OUTPUT_EVERY] == 0
            or counts[STEP] == n_steps
            or motion.time[0] >= end,
        )  # fmt: skip
    return DONE
