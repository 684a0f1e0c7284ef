"""Steps along the coordinates of a tree, and what a run wants besides."""

from __future__ import annotations

import math

from .._jit import kernel, routine
from ._joints import coordinate_twist, move_relative, set_slopes
from ._multipliers import joint_multipliers, spread_multipliers
from ._problem import MOVE, SET_SLOPES, TURN_BACK


@kernel
def step(problem, task):
    """One task of a step."""
    if task == MOVE:
        move(problem)
    elif task == SET_SLOPES:
        set_slopes(
            problem.tree, problem.steps, problem.relative.rates, problem.slopes,
            problem.twist[0], problem.twist[1],
        )  # fmt: skip
    elif task == TURN_BACK:
        # of steps that a Newton correction moves by
        set_slopes(
            problem.tree, problem.steps, problem.extra, problem.slopes,
            problem.twist[0], problem.twist[1],
        )  # fmt: skip
    else:
        joint_multipliers(problem.tree, problem.whole, problem.wrenches)
        spread_multipliers(problem.whole, problem.multipliers)


@routine
def move(problem):
    """Relative frames from their bases, and the largest turn on the way."""
    twist = problem.twist[0]
    problem.turn[0] = largest_joint_turn(problem.tree, problem.steps, twist)
    move_relative(
        problem.tree, problem.bases, problem.steps, problem.relative.frames, twist
    )


@routine
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
