"""Relative stopping rules, and sizes of residuals and of Newton corrections."""

from __future__ import annotations

import math

from ._jit import routine
from .elements.base import GAP_FLOOR
from .system import GAP_ROW, PLACE_ROW

# multiple of the rounding floor below which a residual counts as zero
FLOOR_FACTOR = 8.0
# a frame may turn by this much in one time step [rad], so that two frames of a joint
# turn by less than pi against each other and its angle can be counted
LARGEST_TURN = 1.55
# a correction below this, in radians and model sizes, is rounding: some 50 last digits
ROUNDING_MOVE = 1e-14
# an iteration stagnates where the least residual of so many iterations is above this
# part of that of as many before
PATIENCE, PROGRESS = 8, 0.7


@routine
def relative_residual(residual, row_kinds, scales, length):
    """Largest residual over its allowance for a tolerance of 1; NaN if not finite.

    Forces count against the sum of force magnitudes, moments against theirs plus force
    sum times model size, constraints on places against the model size, on angles and
    gaps, which come in units of their own, against one. A residual at the rounding
    floor of the stiffest element, or of gaps, counts as zero. Returns the ratio, so
    that ``ratio <= tolerance`` means converged, and the row where it is largest.
    """
    force = scales[0] + scales[1] / length
    moment = scales[1] + scales[0] * length
    worst = 0.0
    row = -1
    for i in range(row_kinds.shape[0]):
        kind = row_kinds[i]
        size = abs(residual[i])
        if not math.isfinite(size):
            return math.nan, i
        if kind == 0:
            allowed, floor = force, scales[2]
        elif kind == 1:
            allowed, floor = moment, scales[3] + scales[2] * length * 0.1
        elif kind == 2:
            allowed, floor = length, 0.0
        elif kind == GAP_ROW:
            allowed, floor = 1.0, scales[GAP_FLOOR]
        else:
            allowed, floor = 1.0, 0.0
        size -= FLOOR_FACTOR * floor
        if size > worst * allowed:
            worst = size / allowed if allowed > 0.0 else math.inf
            row = i
    return worst, row


@routine
def is_within(ratio, allowed, iteration):
    """Whether a time step is solved, by its residual.

    What was foreseen is taken as it is only without any error: by the forces of the
    whole model a light part may be far from its motion.
    """
    return ratio <= allowed and (iteration > 0 or ratio == 0.0)


@routine
def largest_move(step, numbers, n_rows, length):
    """``max over frames(|rotation| [rad], |translation| / length)``."""
    big = 0.0
    for i in range(numbers.shape[0]):
        for part in range(2):
            square = 0.0
            for k in range(3 * part, 3 * part + 3):
                row = numbers[i, k]
                if row < n_rows:
                    square += step[row] * step[row]
            size = math.sqrt(square)
            if part == 0:
                size /= length
            if not math.isfinite(size):
                return math.inf
            big = max(big, size)
    return big


@routine
def rounding_move(poses, length):
    """Size of a correction that is only the rounding of places, as `largest_move`."""
    reach = 0.0
    for i in range(poses.shape[0]):
        for k in range(3):
            reach = max(reach, abs(poses[i, k]))
    return ROUNDING_MOVE * (1.0 + reach / length)


@routine
def largest_turn(increments):
    """Largest rotation [rad] in the increments (n, 6) of a time step."""
    largest = 0.0
    for i in range(increments.shape[0]):
        square = 0.0
        for k in range(3, 6):
            square += increments[i, k] * increments[i, k]
        largest = max(largest, square)
    return math.sqrt(largest)


@routine
def load_size(residual, numbers, n_rows, length):
    """Sum over frames of forces, and moments over length, that are not in balance."""
    total = 0.0
    for i in range(numbers.shape[0]):
        for part in range(2):
            square = 0.0
            for k in range(3 * part, 3 * part + 3):
                row = numbers[i, k]
                if row < n_rows:
                    square += residual[row] * residual[row]
            total += math.sqrt(square) / (length if part == 1 else 1.0)
    return total


@routine
def has_moved(residual, row_kinds, n_frame_rows, length):
    """Whether prescribed motions have left the frames behind."""
    for i in range(n_frame_rows, row_kinds.shape[0]):
        if abs(residual[i]) > 1e-9 * (length if row_kinds[i] == PLACE_ROW else 1.0):
            return True
    return False


@routine
def reaction_size(step, row_kinds, n_frame_rows, length):
    """Sum of the reactions that a correction adds, moments over length."""
    total = 0.0
    for i in range(n_frame_rows, row_kinds.shape[0]):
        total += abs(step[i]) / (1.0 if row_kinds[i] == PLACE_ROW else length)
    return total


@routine
def stagnates(log, last):
    """Whether the last iterations have brought little, by their least residuals.

    Parameters
    ----------
    log : (n,) array
        Residuals of iterations.
    last : int
        Number of the last one; what is beyond the end of the log is unknown.
    """
    if last >= log.shape[0] or last < 2 * PATIENCE - 1:
        return True
    recent, before = log[last], log[last - PATIENCE]
    for k in range(1, PATIENCE):
        recent = min(recent, log[last - k])
        before = min(before, log[last - PATIENCE - k])
    return recent > PROGRESS * before
