"""Dynamics of a tree whose wrenches come from the blocks of the model.

The reduced equations (`recursive.reduction`) hold everything but the tree's joints.
Their residual at accelerations that the second rates ``q'' = 0`` leave is the wrench
that is missing on each body; the recursions turn it into second rates.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from .._equations import evaluate_blocks
from .._jit import kernel, shared
from ..elements.base import Array, IntArray, Motion, Target
from ..recursive._closing import (
    add_columns,
    add_rows,
    factor_closing,
    respond,
    solve_closing,
)
from ..recursive._data import Closing, Factors, Geometry, Relative, Tree
from ..recursive._elimination import eliminate, factor, substitute
from ..recursive._joints import set_driven
from ..recursive._motion import gather_wrenches, set_motion

PLACE, SPEED = 0, 1


class Problem(NamedTuple):
    """A tree with the reduced equations and all work arrays."""

    equations: Any  # of the reduced system
    motion: Motion  # shares its arrays with the model's, but for the multipliers
    target: Target
    tree: Tree
    relative: Relative
    geometry: Geometry
    factors: Factors
    closing: Closing
    rows: IntArray  # (n,) first row of each body in the reduced equations
    inertia_slots: IntArray  # (n, 36) places in the CSC data, -1 where there is none
    coupling_slots: IntArray  # (n, 36)
    has_fixed_inertia: IntArray  # (1,) one if the mass matrix never changes
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


@kernel
def take_inertias(data, inertia_slots, coupling_slots, factors):
    """Mass matrix of each body, and its coupling with the parent."""
    for b in range(inertia_slots.shape[0]):
        for i in range(6):
            for j in range(6):
                slot = inertia_slots[b, 6 * i + j]
                factors.inertias[b, i, j] = data[slot] if slot >= 0 else 0.0
        if factors.has_coupling[b] != 0:
            for i in range(6):
                for j in range(6):
                    slot = coupling_slots[b, 6 * i + j]
                    factors.couplings[b, i, j] = data[slot] if slot >= 0 else 0.0


@kernel
def take_wrenches(residual, rows, loads, wrenches):
    """Wrenches that are missing on the bodies."""
    for b in range(rows.shape[0]):
        for j in range(6):
            wrenches[b, j] = residual[rows[b] + j] - loads[b, j]


@kernel
def add_to_frames(frames, changes, accelerations):
    for b in range(frames.shape[0]):
        for j in range(6):
            accelerations[frames[b], j] += changes[b, j]


@kernel
def add_all(total, part):
    for k in range(total.shape[0]):
        total[k] += part[k]


@shared
def place_bodies(problem, given):
    """Frames of the model from the relative state, with known second rates."""
    motion = problem.motion
    set_driven(
        problem.tree,
        motion.signals,
        problem.relative.frames,
        problem.relative.driven_rates,
    )
    set_motion(
        problem.tree,
        problem.relative,
        problem.geometry,
        given,
        motion.poses,
        motion.velocities,
        motion.accelerations,
        problem.axes,
    )
    motion.bases[:] = motion.poses
    motion.increments[:] = 0.0


@shared
def factor_inertia(problem, level):
    """Blocks at a level with inertia, and their elimination; False if singular."""
    is_fixed = problem.has_fixed_inertia[0] != 0
    problem.motion.multipliers[:] = 0.0
    mass = 0.0 if is_fixed else 1.0
    evaluate_blocks(
        problem.equations, problem.motion, problem.target, level, mass, 0.0, 0.0
    )
    if not is_fixed:
        take_inertias(
            problem.target.data,
            problem.inertia_slots,
            problem.coupling_slots,
            problem.factors,
        )
    if not factor(problem.tree, problem.geometry, problem.factors):
        return False
    if problem.gaps.shape[0] > 0:
        factor_closing(
            problem.tree,
            problem.geometry,
            problem.factors,
            problem.closing,
            problem.target.data,
            problem.wrenches,
        )
    return True


@shared
def accelerate(problem):
    """Second rates, accelerations and multipliers of the present relative state.

    False where the inertia along a coordinate vanishes.
    """
    tree, motion, n_rows = problem.tree, problem.motion, problem.equations.sizes[0]
    place_bodies(problem, problem.given)
    if not factor_inertia(problem, 2):
        return False
    take_wrenches(
        problem.target.residual, problem.rows, problem.loads, problem.wrenches
    )
    eliminate(tree, problem.geometry, problem.factors, problem.wrenches, problem.forces)
    substitute(
        tree,
        problem.geometry,
        problem.factors,
        problem.second_rates,
        problem.changes,
    )
    add_to_frames(tree.frames, problem.changes, motion.accelerations)
    m = problem.gaps.shape[0]
    if m > 0:
        problem.gaps[:] = problem.target.residual[n_rows : n_rows + m]
        add_rows(problem.closing, problem.target.data, problem.changes, problem.gaps)
        close(problem)
        motion.multipliers[:m] = problem.multipliers
        add_all(problem.second_rates, problem.extra)
        add_to_frames(tree.frames, problem.changes, motion.accelerations)
    add_all(problem.second_rates, problem.given)
    return True


@shared
def close(problem):
    """Multipliers that take the gaps away, and what they do to the coordinates."""
    solve_closing(problem.closing, problem.gaps, problem.multipliers, problem.work)
    respond(
        problem.tree,
        problem.geometry,
        problem.factors,
        problem.closing,
        problem.target.data,
        problem.multipliers,
        problem.wrenches,
        problem.extra,
        problem.changes,
    )


@shared
def measure_gaps(problem, level):
    """Constraints of the loops on level 0 or 1."""
    n_rows = problem.equations.sizes[0]
    evaluate_blocks(
        problem.equations, problem.motion, problem.target, level, 0.0, 0.0, 0.0
    )
    m = problem.gaps.shape[0]
    problem.gaps[:] = problem.target.residual[n_rows : n_rows + m]


@shared
def balance(problem):
    """Wrench of each joint on its body, and forces along all coordinates.

    Of the present accelerations and multipliers; ``wrenches`` and ``joint_forces``
    hold the outcome.
    """
    evaluate_blocks(problem.equations, problem.motion, problem.target, 0, 0.0, 0.0, 0.0)
    take_wrenches(
        problem.target.residual, problem.rows, problem.loads, problem.wrenches
    )
    gather_wrenches(
        problem.tree,
        problem.geometry,
        problem.wrenches,
        problem.joint_forces,
        problem.driven_forces,
    )


@shared
def apply_multipliers(problem):
    """Wrenches of the loops' multipliers alone, gathered along the tree."""
    problem.wrenches[:] = 0.0
    add_columns(
        problem.closing,
        problem.target.data,
        problem.multipliers,
        1.0,
        problem.wrenches,
    )
