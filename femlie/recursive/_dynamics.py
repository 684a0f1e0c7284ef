"""Forward and inverse dynamics of a tree, from wrenches that others found."""

from __future__ import annotations

from .._jit import kernel, routine
from ._elimination import eliminate, factor, factor_and_eliminate, substitute
from ._joints import set_driven
from ._motion import gather_wrenches, set_motion
from ._problem import (
    ACCELERATE,
    CLOSE,
    FACTOR,
    FACTOR_LOOPS,
    HAS_FIXED_INERTIA,
    LOOPS,
    PLACE,
    RESPOND,
    SOLVE_LOOPS,
    SOLVE_MOVED_LOOPS,
    do,
)


@kernel
def perform(problem, task):
    """One task of the dynamics."""
    if task == PLACE:
        place(problem)
    elif task == FACTOR:
        factor_inertia(problem)
    elif task == ACCELERATE:
        accelerate(problem)
    elif task == CLOSE:
        do(problem, LOOPS, SOLVE_LOOPS)
        respond(problem)
    elif task == RESPOND:
        respond(problem)
    else:
        take_wrenches(
            problem.target.residual, problem.rows, problem.loads, problem.wrenches
        )
        gather_wrenches(
            problem.tree, problem.geometry, problem.wrenches, problem.joint_forces,
            problem.driven_forces,
        )  # fmt: skip


@routine
def place(problem):
    """Frames of the model from the relative state, with the known second rates."""
    motion = problem.motion
    set_driven(
        problem.tree, motion.signals, problem.relative.frames,
        problem.relative.driven_rates,
    )  # fmt: skip
    set_motion(
        problem.tree, problem.relative, problem.geometry, problem.given, motion.poses,
        motion.velocities, motion.accelerations, problem.axes,
    )  # fmt: skip
    for i in range(motion.poses.shape[0]):
        for k in range(7):
            motion.bases[i, k] = motion.poses[i, k]
    motion.increments[:] = 0.0


@routine
def take_blocks(data, slots, blocks):
    """6x6 blocks from where they stand in a matrix."""
    for b in range(slots.shape[0]):
        for k in range(36):
            slot = slots[b, k]
            blocks[b, k // 6, k % 6] = data[slot] if slot >= 0 else 0.0


@routine
def take_wrenches(residual, rows, loads, wrenches):
    """Wrenches that are missing on the bodies."""
    for b in range(rows.shape[0]):
        for j in range(6):
            wrenches[b, j] = residual[rows[b] + j] - loads[b, j]


@routine
def take_inertia(problem):
    """Inertias of the bodies, where they change."""
    problem.status[0] = 0
    if problem.sizes[HAS_FIXED_INERTIA] == 0:
        data = problem.target.data
        take_blocks(data, problem.inertia_slots, problem.factors.inertias)
        take_blocks(data, problem.coupling_slots, problem.factors.couplings)
        take_blocks(data, problem.tie_slots, problem.factors.ties)


@routine
def factor_inertia(problem):
    """Elimination of the inertia, and of what closes loops."""
    take_inertia(problem)
    if not factor(problem.tree, problem.geometry, problem.factors):
        problem.status[0] = 1
    elif problem.gaps.shape[0] > 0:
        do(problem, LOOPS, FACTOR_LOOPS)


@routine
def accelerate(problem):
    """Second rates, accelerations and multipliers of the present relative state.

    The residual is that of the accelerations that `place` leaves.
    """
    tree, geometry, factors = problem.tree, problem.geometry, problem.factors
    second_rates, changes = problem.second_rates, problem.changes
    take_inertia(problem)
    take_wrenches(
        problem.target.residual, problem.rows, problem.loads, problem.wrenches
    )
    if not factor_and_eliminate(
        tree, geometry, factors, problem.wrenches, problem.forces
    ):
        problem.status[0] = 1
        return
    substitute(tree, geometry, factors, second_rates, changes)
    accelerations = problem.motion.accelerations
    add_to_frames(tree.frames, changes, accelerations)
    if problem.gaps.shape[0] > 0:
        do(problem, LOOPS, FACTOR_LOOPS)
        do(problem, LOOPS, SOLVE_MOVED_LOOPS)
        respond(problem)
        add_all(second_rates, problem.extra)
        add_to_frames(tree.frames, changes, accelerations)
    add_all(second_rates, problem.given)


@routine
def add_to_frames(frames, changes, accelerations):
    for b in range(frames.shape[0]):
        for j in range(6):
            accelerations[frames[b], j] += changes[b, j]


@routine
def add_all(total, part):
    for k in range(total.shape[0]):
        total[k] += part[k]


@routine
def respond(problem):
    """What the wrenches alone do to coordinates and bodies."""
    tree, geometry, factors = problem.tree, problem.geometry, problem.factors
    problem.extra[:] = 0.0
    eliminate(tree, geometry, factors, problem.wrenches, problem.extra)
    substitute(tree, geometry, factors, problem.extra, problem.changes)
