"""Newton corrections of the coordinates of a tree.

The matrix is that of `recursive._tangent`: exact derivatives of the recursions and of
all blocks, factorized in leaf order by the sparse solver of the absolute form.
"""

from __future__ import annotations

import math

from .._equations import copy, evaluate_blocks
from .._jit import routine, shared
from ..elements.base import Target
from ..linear import solve
from ..recursive._data import DAMPING, MASS, STIFFNESS
from ..recursive._problem import (
    BALANCE,
    DYNAMICS,
    N_FRAME_ROWS,
    PLACE,
    STEPS,
    TANGENT,
    TURN_BACK,
    do,
)
from ._tree_dynamics import evaluate


@shared
def balance_coordinates(reduced, problem, level, gap):
    """Forces that are missing along the coordinates, and constraints on a level.

    At the present steps, rates and second rates.
    """
    copy(problem.given, problem.second_rates)
    do(problem, DYNAMICS, PLACE)
    problem.given[:] = 0.0
    evaluate(reduced, problem, level, 0.0)
    take_gap(problem.target.residual, problem.sizes[N_FRAME_ROWS], gap)
    do(problem, DYNAMICS, BALANCE)


@routine
def take_gap(residual, first, gap):
    for k in range(gap.shape[0]):
        gap[k] = residual[first + k]


@shared
def set_tangent(reduced, problem, level, mass, damping, stiffness):
    """Matrix of a step at the present motion, whose joint wrenches are known."""
    newton, target, motion = problem.newton, problem.target, problem.motion
    weights = newton.weights
    weights[MASS], weights[DAMPING], weights[STIFFNESS] = mass, damping, stiffness
    evaluate_blocks(
        reduced, motion, Target(target.residual, newton.damping, target.scales), level,
        0.0, 1.0, 0.0,
    )  # fmt: skip
    evaluate_blocks(
        reduced, motion, Target(target.residual, newton.mass, target.scales), level,
        1.0, 0.0, 0.0,
    )  # fmt: skip
    evaluate_blocks(reduced, motion, target, level, mass, damping, stiffness)
    do(problem, TANGENT, 0)


@routine
def set_rhs(rhs, forces, gap, factor):
    """``(0; -S^T f; -factor gap)``."""
    n, m = forces.shape[0], gap.shape[0]
    first = rhs.shape[0] - m
    rhs[:] = 0.0
    for k in range(n):
        rhs[first - n + k] = -forces[k]
    for k in range(m):
        rhs[first + k] = -factor * gap[k]


@shared
def solve_tree_step(problem, factorization):
    """Changes of the steps, into ``slopes``; multipliers stay in ``newton.row``."""
    newton = problem.newton
    solve(factorization, newton.data, newton.rhs, newton.row)
    n = problem.extra.shape[0]
    first = newton.row.shape[0] - problem.gaps.shape[0] - n
    for k in range(n):
        problem.extra[k] = newton.row[first + k]
    do(problem, STEPS, TURN_BACK)


@routine
def add_multipliers(row, multipliers, m):
    for k in range(m):
        multipliers[k] += row[row.shape[0] - m + k]


@routine
def add_scaled(total, factor, part):
    for k in range(total.shape[0]):
        total[k] += factor * part[k]


@routine
def largest_size(values, kinds, length):
    """Largest of the coordinates' values, translations relative to the model's size."""
    largest = 0.0
    for k in range(values.shape[0]):
        size = abs(values[k])
        if kinds[k] == 0:
            size /= length
        if not math.isfinite(size):
            return math.inf
        largest = max(largest, size)
    return largest
