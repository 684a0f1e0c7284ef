"""Steps along the coordinates of a tree, and what a run wants besides."""

from __future__ import annotations

from .._jit import kernel, routine
from ._joints import move_relative, set_slopes
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
    problem.turn[0] = move_relative(
        problem.tree, problem.bases, problem.steps, problem.relative.frames,
        problem.twist[0],
    )  # fmt: skip
