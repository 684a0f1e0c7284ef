"""What the compiled loops of all steppers share: numbers, keeping and restoring."""

from __future__ import annotations

from .._equations import copy, copy_rows
from .._jit import routine

(
    DONE,
    WANTS_PIVOTS,
    SINGULAR,
    TURNED_TOO_FAR,
    NOT_FINITE,
    NOT_CONVERGED,
    ERROR_TOO_LARGE,
) = range(7)
# counts begin with the steps done; values begin with the step and where the run began
STEP = 0
TIME_STEP, START_TIME = range(2)
# iterations of a step whose residuals are kept
LOG_SIZE = 100


@routine
def keep_state(memory, motion):
    """Remember the motion as it is when a step begins."""
    copy_rows(memory.old_poses, motion.poses)
    copy_rows(memory.old_velocities, motion.velocities)
    copy_rows(memory.old_accelerations, motion.accelerations)
    copy(memory.old_multipliers, motion.multipliers)


@routine
def restore(motion, memory, time):
    """The motion as it was when the step began."""
    copy_rows(motion.poses, memory.old_poses)
    copy_rows(motion.bases, memory.old_poses)
    motion.increments[:] = 0.0
    copy_rows(motion.velocities, memory.old_velocities)
    copy_rows(motion.accelerations, memory.old_accelerations)
    copy(motion.multipliers, memory.old_multipliers)
    motion.time[0] = time


@routine
def is_last_step(start, wanted, end):
    """Whether a step leads to the end: a hundredth of it more is taken along."""
    return start + wanted > end - 0.01 * wanted


@routine
def step_behind(h, wanted, factor, is_at_end):
    """Step behind one of length ``h``, of which the error makes ``factor``.

    A last step that was cut says nothing about the next one; others may be shorter than
    wanted by rounding.
    """
    if is_at_end and h < wanted:
        return max(wanted, factor * h)
    return factor * h


@routine
def add_frames(row, numbers, n_rows, array):
    """Add the frame rows of a solution to (n_frames, 6) values."""
    for i in range(numbers.shape[0]):
        for k in range(6):
            if numbers[i, k] < n_rows:
                array[i, k] += row[numbers[i, k]]


@routine
def take_rates(row, numbers, n_rows, accelerations, multipliers, first):
    """Add a solution to accelerations and multipliers."""
    add_frames(row, numbers, n_rows, accelerations)
    for k in range(multipliers.shape[0]):
        multipliers[k] += row[first + k]
