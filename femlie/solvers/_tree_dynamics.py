"""Dynamics of a tree whose wrenches come from the blocks of the model.

The reduced equations (`recursive.reduction`) hold everything but the tree's joints.
Their residual at accelerations that the second rates ``q'' = 0`` leave is the wrench
that is missing on each body; the recursions turn it into second rates.
"""

from __future__ import annotations

from .._equations import evaluate_blocks
from .._jit import shared
from ..recursive._problem import (
    ACCELERATE,
    BALANCE,
    CLOSE,
    DYNAMICS,
    FACTOR,
    HAS_FIXED_INERTIA,
    PLACE,
    RECOVER,
    STEPS,
    do,
)


@shared
def evaluate(equations, problem, level, mass):
    """Blocks without the tree's joints at the present place."""
    evaluate_blocks(equations, problem.motion, problem.target, level, mass, 0.0, 0.0)


@shared
def place_bodies(problem):
    """Frames of the model from the relative state, with the known second rates."""
    do(problem, DYNAMICS, PLACE)


@shared
def evaluate_inertia(equations, problem, level):
    """Residual on a level; the inertia too, where it changes."""
    problem.motion.multipliers[:] = 0.0
    mass = 1.0 if problem.sizes[HAS_FIXED_INERTIA] == 0 else 0.0
    evaluate(equations, problem, level, mass)


@shared
def factor_inertia(equations, problem, level):
    """Blocks at a level with inertia, and their elimination; False if singular."""
    evaluate_inertia(equations, problem, level)
    do(problem, DYNAMICS, FACTOR)
    return problem.status[0] == 0


@shared
def accelerate(equations, problem):
    """Second rates, accelerations and multipliers of the present relative state.

    False where the inertia along a coordinate vanishes.
    """
    do(problem, DYNAMICS, PLACE)
    evaluate_inertia(equations, problem, 2)
    do(problem, DYNAMICS, ACCELERATE)
    return problem.status[0] == 0


@shared
def close(problem):
    """Multipliers that take the gaps away, and what they do to the coordinates."""
    do(problem, DYNAMICS, CLOSE)


@shared
def measure_gaps(equations, problem, level):
    """Constraints of the loops on a level, in the residual."""
    evaluate(equations, problem, level, 0.0)


@shared
def balance(equations, problem):
    """Wrench of each joint on its body, and forces along all coordinates.

    Of the present accelerations and multipliers; ``wrenches`` and ``joint_forces``
    hold the outcome.
    """
    evaluate(equations, problem, 0, 0.0)
    do(problem, DYNAMICS, BALANCE)


@shared
def recover(equations, motion, target, reduced, problem):
    """All multipliers of the model, from the wrenches along the tree."""
    balance(reduced, problem)
    evaluate_blocks(equations, motion, target, 2, 1.0, 0.0, 0.0)
    do(problem, STEPS, RECOVER)
