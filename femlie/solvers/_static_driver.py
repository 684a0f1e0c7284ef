"""The load stepping of the static solver, compiled as one function.

Modes are tried in order within a load step: whole Newton steps; steps capped where a
frame would turn by more than one radian or move by more than the model's size; capped
steps with a load-scaled shift of the diagonal that decays; then a smaller load step.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from .._equations import (
    accept_step,
    evaluate_blocks,
    move_frames,
    start_step,
    update_signals,
)
from .._jit import kernel, shared
from ..elements.base import Array, IntArray
from ..linear import NEEDS_NEW_PIVOTS, SOLVED, refactor, solve
from ..newton import largest_move, relative_residual

WHOLE, CAPPED, SHIFTED = range(3)
# what `advance` returns
LOAD_STEP_DONE, WANTS_PIVOTS, STOPPED = range(3)
# what one attempt returns
CONVERGED, FAILED, PIVOTS = range(3)
# integers of Memory.counts
(
    MODE, ITERATION, SCALED, IS_LOOKING, TOTAL_ITERATIONS, REFUSED, STEP_ITERATIONS,
    IS_RESUMED, N_PIVOTS, WORST_ROW, LOG,
) = range(11)  # fmt: skip
# numbers of Memory.values
FACTOR, LOAD_STEP, SHIFT, FIRST_SIZE, LAST_SIZE, LOAD_SIZE = range(6)
ITERATION_LIMIT = 15
SMALLEST_LOAD_STEP = 1e-6
FIRST_SHIFT = 0.1
SMALLEST_SHIFT = 1e-8
# a move counts as large above this; a closing roll-up corrects by exactly one length
LARGE = 1.001


class Memory(NamedTuple):
    """What the driver carries between calls."""

    poses: Array  # at the start of the load step
    multipliers: Array
    iterates: Array
    step: Array  # (n_rows,)
    rhs: Array  # (n_rows,)
    shift: Array  # (n_rows,) diagonal of the shift for a load of one
    diagonal: IntArray  # (n_rows,) places of the diagonal in the CSC data
    counts: IntArray  # (11,)
    values: Array  # (6,)
    log: Array  # (n,) relative residual of each iteration
    settings: Array  # tolerance, iteration limit of the whole run


@shared
def save(equations, motion, memory):
    memory.poses[:] = motion.poses
    memory.multipliers[:] = motion.multipliers
    memory.iterates[:] = equations.iterates


@shared
def restore(equations, motion, memory):
    motion.poses[:] = memory.poses
    motion.bases[:] = memory.poses
    motion.increments[:] = 0.0
    motion.multipliers[:] = memory.multipliers
    equations.iterates[:] = memory.iterates


@shared
def begin_attempt(memory, mode):
    counts = memory.counts
    counts[MODE] = mode
    counts[ITERATION] = 0
    counts[SCALED] = 0
    counts[IS_LOOKING] = 0
    memory.values[SHIFT] = FIRST_SHIFT if mode == SHIFTED else 0.0
    memory.values[LAST_SIZE] = 0.0


@kernel
def add_shift(memory, target, length):
    """``mu D`` on the diagonal; its size is the load, else the first reactions."""
    factor = memory.values[SHIFT] * memory.values[LOAD_SIZE]
    for i in range(memory.shift.shape[0]):
        target.data[memory.diagonal[i]] += factor * memory.shift[i]


@kernel
def negative_residual(memory, target):
    for i in range(memory.rhs.shape[0]):
        memory.rhs[i] = -target.residual[i]


@shared
def attempt(equations, motion, target, factorization, memory):
    """Newton iterations in one mode until converged or hopeless."""
    counts = memory.counts
    values = memory.values
    length = equations.length[0]
    while True:
        evaluate_blocks(equations, motion, target, 0, 0.0, 0.0, 0.0)
        ratio, row = relative_residual(
            target.residual, equations.row_kinds, target.scales, length
        )
        if counts[LOG] < memory.log.shape[0]:
            memory.log[counts[LOG]] = ratio
        counts[WORST_ROW] = row
        if not math.isfinite(ratio) and not ratio > 0.0:
            return FAILED
        if ratio <= memory.settings[0]:
            return CONVERGED
        if counts[ITERATION] >= ITERATION_LIMIT:
            return FAILED
        evaluate_blocks(equations, motion, target, 0, 0.0, 0.0, 1.0)
        if values[LOAD_SIZE] == 0.0:
            values[LOAD_SIZE] = target.scales[0] + target.scales[1] / length
        if values[SHIFT] > 0.0:
            add_shift(memory, target, length)
        code = refactor(factorization, target.data)
        if code == NEEDS_NEW_PIVOTS and counts[N_PIVOTS] < 4:
            counts[N_PIVOTS] += 1
            return PIVOTS
        if code != SOLVED:
            return FAILED
        negative_residual(memory, target)
        solve(factorization, target.data, memory.rhs, memory.step)
        counts[N_PIVOTS] = 0
        counts[ITERATION] += 1
        counts[STEP_ITERATIONS] += 1
        counts[TOTAL_ITERATIONS] += 1
        counts[LOG] += 1
        big = largest_move(memory.step, equations.numbers, equations.sizes[1], length)
        fraction = choose_fraction(memory, big)
        if fraction == 0.0:
            return FAILED
        move_frames(equations, motion, memory.step, fraction)


@kernel
def choose_fraction(memory, big):
    """How much of a correction to take; zero gives the attempt up."""
    counts = memory.counts
    values = memory.values
    if not math.isfinite(big):
        return 0.0
    if counts[MODE] == WHOLE:
        if counts[IS_LOOKING] == 1:
            # the look-ahead: the correction after a large one must be much smaller
            if big > LARGE or big >= 0.5 * values[FIRST_SIZE]:
                return 0.0
            counts[IS_LOOKING] = 2
        elif big > LARGE:
            if counts[IS_LOOKING] == 2:
                return 0.0
            counts[IS_LOOKING] = 1
            values[FIRST_SIZE] = big
        return 1.0
    fraction = 1.0
    if big > LARGE:
        fraction = 1.0 / big
        counts[SCALED] += 1
        if counts[MODE] == CAPPED and counts[SCALED] == 4:
            return 0.0
    if values[SHIFT] > 0.0:
        if fraction < 1.0:
            values[SHIFT] *= 2.0
        else:
            ratio = 0.3
            if values[LAST_SIZE] > 0.0:
                ratio = min(ratio, big / values[LAST_SIZE])
            values[SHIFT] *= ratio
            if values[SHIFT] < SMALLEST_SHIFT:
                values[SHIFT] = 0.0
    values[LAST_SIZE] = big
    return fraction


@shared
def advance(equations, motion, target, factorization, memory):
    """One accepted load step, or the reason why not."""
    counts = memory.counts
    values = memory.values
    while True:
        if counts[IS_RESUMED] == 0:
            motion.time[0] = min(1.0, values[FACTOR] + values[LOAD_STEP])
            update_signals(equations, motion)
            start_step(equations, motion)
            save(equations, motion, memory)
            counts[STEP_ITERATIONS] = 0
            counts[LOG] = 0
            evaluate_blocks(equations, motion, target, 0, 0.0, 0.0, 0.0)
            values[LOAD_SIZE] = (
                target.scales[0] + target.scales[1] / equations.length[0]
            )
            begin_attempt(memory, WHOLE)
        counts[IS_RESUMED] = 1
        outcome = attempt(equations, motion, target, factorization, memory)
        if outcome == PIVOTS:
            return WANTS_PIVOTS
        if outcome == CONVERGED:
            values[FACTOR] = motion.time[0]
            if counts[ITERATION] <= 6:
                values[LOAD_STEP] *= 2.0
            accept_step(equations, motion)
            counts[IS_RESUMED] = 0
            return LOAD_STEP_DONE
        restore(equations, motion, memory)
        if counts[MODE] < SHIFTED:
            begin_attempt(memory, counts[MODE] + 1)
        else:
            counts[REFUSED] += 1
            counts[IS_RESUMED] = 0
            values[LOAD_STEP] = 0.25 * min(values[LOAD_STEP], 1.0 - values[FACTOR])
            if (
                values[LOAD_STEP] < SMALLEST_LOAD_STEP
                or counts[TOTAL_ITERATIONS] >= memory.settings[1]
            ):
                motion.time[0] = values[FACTOR]
                update_signals(equations, motion)
                return STOPPED


def new_memory(
    equations: Any, motion: Any, diagonal: IntArray, shift: Array, *, settings: Array
) -> Memory:
    """Memory for a run that starts at the state of ``motion``."""
    n = int(equations.sizes[1])
    counts = np.zeros(11, dtype=np.int64)
    values = np.zeros(6)
    return Memory(
        poses=motion.poses.copy(),
        multipliers=motion.multipliers.copy(),
        iterates=equations.iterates.copy(),
        step=np.zeros(n),
        rhs=np.zeros(n),
        shift=shift,
        diagonal=diagonal,
        counts=counts,
        values=values,
        log=np.zeros(400),
        settings=settings,
    )
