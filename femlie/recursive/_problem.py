"""A tree with all its arrays, and the kernels that do the steps of its dynamics.

The wrenches on the bodies come from outside, as the residual of equations that hold
everything but the tree's joints. Loops call the kernels by address, so that each is
compiled once for all of them, and only where it is needed.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from .._jit import call, shared
from ..elements.base import Array, IntArray, Motion, Target
from ._data import Closing, Factors, Geometry, Newton, Relative, Tree, Whole

# kernels, each ``kernel(problem, task)``, and their tasks
DYNAMICS, STEPS, LOOPS, TANGENT = range(4)
PLACE, FACTOR, ACCELERATE, CLOSE, RESPOND, BALANCE = range(6)
MOVE, SET_SLOPES, RECOVER, TURN_BACK = range(4)
FACTOR_LOOPS, SOLVE_LOOPS, SOLVE_MOVED_LOOPS = range(3)
# columns of Problem.sizes
HAS_FIXED_INERTIA, N_FRAME_ROWS = range(2)


class Problem(NamedTuple):
    """A tree, the equations' outcome, and all work arrays."""

    functions: Any  # (1, 4)
    motion: Motion  # shares its arrays with the model's, but for the multipliers
    target: Target  # of the equations without the tree's joints
    tree: Tree
    relative: Relative
    geometry: Geometry
    factors: Factors
    closing: Closing
    whole: Whole
    newton: Newton
    rows: IntArray  # (n,) first row of each body in the equations
    inertia_slots: IntArray  # (n, 36) places in the CSC data, -1 where there is none
    coupling_slots: IntArray  # (n, 36)
    tie_slots: IntArray  # (n_ties, 36)
    # one if the mass matrix never changes, number of frame rows
    sizes: IntArray  # (2,)
    given: Array  # (n_coordinates,) second rates that are known
    forces: Array  # (n_coordinates,) applied along the coordinates
    loads: Array  # (n, 6) wrenches applied to the bodies
    second_rates: Array  # (n_coordinates,)
    joint_forces: Array  # (n_coordinates,)
    driven_forces: Array  # (n_driven,)
    wrenches: Array  # (n, 6)
    changes: Array  # (n, 6)
    gaps: Array  # (m,)
    multipliers: Array  # (m,)
    work: Array  # (m,)
    extra: Array  # (n_coordinates,)
    axes: Array  # (8, 6)
    bases: Array  # (n, 7) relative frames at the start of a step
    steps: Array  # (n_coordinates,) from there
    slopes: Array  # (n_coordinates,)
    twist: Array  # (2, 6)
    turn: Array  # (1,) largest rotation of a joint in a step
    status: IntArray  # (1,) one if the inertia along a coordinate vanished


@shared
def do(problem, kernel, task):
    """One step of the dynamics; the arrays of the problem hold what it needs."""
    call(problem.functions, 0, kernel, (problem, task))
