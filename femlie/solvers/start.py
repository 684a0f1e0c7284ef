"""Consistent starts: places, velocities and accelerations that satisfy constraints."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .._equations import evaluate_blocks, move_frames, start_step, update_signals
from .._groups import SO3_R3
from ..assembly import Assembly
from ..elements.base import Array, Motion
from ..errors import ConvergenceError, ModelError
from ..lie import quaternion
from ..linear import SOLVED, calm, refactor, solve
from ..system import PLACE_ROW
from .factors import analyze_assembly
from .march import run
from .reports import describe_frame, describe_row
from .singular import singular_reason

# a start may violate constraints by this much of the model's size
ALLOWED_GAP = 1e-8
ROUNDING_GAP = 1e-12
PROJECTION_LIMIT = 20
# a projected start may violate them by this, which some rounding leaves
MET = 1e-13
# share of the mass matrix below which inertia counts as fixed in the frames, and
# accelerations beside which stiffness and loads are rounding
FIXED_INERTIA = 1e-12
LARGE_ACCELERATION = 2.0**70


class KktSolver:
    """``[[M, B^T], [B, 0]]`` at the present motion, factorized."""

    def __init__(self, assembly: Assembly, motion: Motion) -> None:
        self.assembly = assembly
        run(assembly, evaluate_blocks, motion, assembly.target, 2, 1.0, 0.0, 0.0)
        self.data = assembly.target.data[:-1].copy()
        self.factorization = analyze_assembly(assembly, self.data, n_sweeps=1)
        with calm(self.factorization):
            outcome = refactor(self.factorization, self.data)
        if outcome != SOLVED:
            raise ModelError(massless_message(assembly))

    def solve(self, rhs: Array) -> Array:
        solution = np.zeros(rhs.size)
        with calm(self.factorization):
            solve(self.factorization, self.data, np.ascontiguousarray(rhs), solution)
        return solution


def massless_message(assembly: Assembly) -> str:
    """Why accelerations cannot be found: the frames without inertia."""
    system = assembly.system
    diagonal = assembly.target.data[assembly.diagonal[: system.dofs.n_frame_rows]]
    size = np.abs(diagonal).max(initial=0.0)
    empty = np.flatnonzero(np.abs(diagonal) <= 1e-14 * size)
    if size == 0.0 or empty.size:
        row = int(empty[0]) if empty.size else 0
        frame = int(np.argwhere(system.dofs.numbers == row)[0, 0])
        return (
            "A dynamic analysis needs mass everywhere, but "
            f"{describe_frame(system, frame)} has none in some direction: give "
            "materials a density, bodies an inertia, or run a static analysis."
        )
    reason = singular_reason(assembly)
    return f"The accelerations at the start cannot be found: {reason}"


def check_start(
    assembly: Assembly, motion: Motion, *, projects: bool, time_step: float = math.inf
) -> list[str]:
    """Refuse or project a start that violates constraints; returns notices.

    Rates that move nothing within a time step are rounding, of motors at rest.

    Raises
    ------
    ModelError
        With the joint that is violated most and by how much.
    """
    system = assembly.system
    first = system.dofs.n_frame_rows
    if system.dofs.n_multipliers == 0:
        return []
    gap = constraint_rows(assembly, motion, 0)
    size = np.where(system.dofs.multiplier_kinds == PLACE_ROW, system.size, 1.0)
    notices = []
    worst = int(np.argmax(np.abs(gap) / size))
    if abs(gap[worst]) > ALLOWED_GAP * size[worst]:
        what = describe_row(system, first + worst)
        text = f"{what} is violated by {abs(gap[worst]):.6g} at the start"
        if not projects:
            raise ModelError(
                f"{text[0].upper()}{text[1:]}: correct the place of the joint, or let "
                "the solver move the parts by projects_start=True."
            )
        _project_places(assembly, motion)
        notices.append(f"{text}; the parts were moved to meet it.")
    rate = constraint_rows(assembly, motion, 1)
    speed = np.abs(motion.velocities[:, :3]).max(initial=0.0) + system.size * np.abs(
        motion.velocities[:, 3:]
    ).max(initial=0.0)
    scale = max(speed, 1e-300) * size / system.size
    worst = int(np.argmax(np.abs(rate) / scale))
    still = ROUNDING_GAP * size[worst] / time_step
    if abs(rate[worst]) > ALLOWED_GAP * scale[worst] + still:
        what = describe_row(system, first + worst)
        text = f"{what} is violated by the velocities at the start ({rate[worst]:.6g})"
        if not projects:
            raise ModelError(
                f"{text[0].upper()}{text[1:]}: correct the initial motion, or let the "
                "solver change it by projects_start=True."
            )
        rhs = np.zeros(system.dofs.n_rows)
        rhs[first:] = -rate
        change = KktSolver(assembly, motion).solve(rhs)
        _add_frames(assembly, motion.velocities, change)
        notices.append(f"{text}; they were changed to meet it.")
    return notices


def constraint_rows(assembly: Assembly, motion: Motion, level: int) -> Array:
    """(n_multipliers,) constraints on a level, at the present motion."""
    run(assembly, evaluate_blocks, motion, assembly.target, level, 0.0, 0.0, 0.0)
    first = assembly.system.dofs.n_frame_rows
    return assembly.target.residual[first:-1].copy()


def constraint_error(assembly: Assembly, motion: Motion) -> float:
    """Largest violation of a constraint now, relative to the model's size."""
    if assembly.system.dofs.n_multipliers == 0:
        return 0.0
    gap = constraint_rows(assembly, motion, 0)
    return float(np.abs(gap).max() / assembly.system.size)


def _add_frames(assembly: Assembly, array: Array, row: Array) -> None:
    numbers = assembly.system.dofs.numbers
    free = numbers >= 0
    array[free] += row[numbers[free]]


def _project_places(assembly: Assembly, motion: Motion) -> None:
    """Move frames, weighted by mass, until all constraints are met."""
    system = assembly.system
    first = system.dofs.n_frame_rows
    size = np.where(system.dofs.multiplier_kinds == PLACE_ROW, system.size, 1.0)
    # places far away from the origin are rounded more
    far = 1.0 + np.abs(motion.poses[:, :3]).max() / system.size
    for _ in range(PROJECTION_LIMIT):
        gap = constraint_rows(assembly, motion, 0)
        if np.abs(gap / size).max() <= MET * far:
            break
        rhs = np.zeros(system.dofs.n_rows)
        rhs[first:] = -gap
        change = KktSolver(assembly, motion).solve(rhs)
        change[first:] = 0.0
        run(assembly, move_frames, motion, change, 1.0)
        motion.bases[:] = motion.poses
        motion.increments[:] = 0.0
    else:
        raise ConvergenceError(
            "The parts could not be moved so that all joints fit: they contradict each "
            "other."
        )
    run(assembly, start_step, motion)


def accelerations(assembly: Assembly, motion: Motion) -> None:
    """Accelerations and multipliers of the present places and velocities, in place."""
    motion.accelerations[:] = 0.0
    motion.multipliers[:] = 0.0
    first = assembly.system.dofs.n_frame_rows
    solver = KktSolver(assembly, motion)
    for _ in range(2):
        run(assembly, evaluate_blocks, motion, assembly.target, 2, 0.0, 0.0, 0.0)
        change = solver.solve(-assembly.target.residual[:-1])
        _add_frames(assembly, motion.accelerations, change)
        motion.multipliers[:] += change[first:]


def starting_alpha(assembly: Assembly, motion: Motion, *, shift: float) -> Array:
    """Accelerations at ``shift`` from the start, to second order (Arnold et al. 2015).

    They are those of the frames' groups. Their rate comes from a small step along the
    motion.
    """
    alpha = group_velocities(assembly, motion)[1]
    small = 1e-3 * abs(shift)
    if small == 0.0:
        return alpha
    probe: Any = motion._replace(
        **{name: getattr(motion, name).copy() for name in motion._fields}
    )
    step = small * motion.velocities + 0.5 * small**2 * motion.accelerations
    row = np.zeros(assembly.system.dofs.n_rows)
    numbers = assembly.system.dofs.numbers
    free = numbers >= 0
    row[numbers[free]] = step[free]
    run(assembly, move_frames, probe, row, 1.0)
    probe.bases[:] = probe.poses
    probe.increments[:] = 0.0
    probe.velocities[:] += small * motion.accelerations
    probe.time[0] += small
    run(assembly, update_signals, probe)
    accelerations(assembly, probe)
    change = shift / small * (group_velocities(assembly, probe)[1] - alpha)
    run(assembly, update_signals, motion)
    # where stiff modes swing within a step the Taylor series means nothing
    size = np.repeat([assembly.system.size, 1.0], 3)
    largest = np.abs(alpha / size).max(initial=0.0)
    if np.abs(change / size).max(initial=0.0) > 10.0 * largest:
        return alpha
    return alpha + change


def group_velocities(assembly: Assembly, motion: Motion) -> tuple[Array, Array]:
    """(n_frames, 6) velocities of the frames' groups, and their rates.

    See `femlie._groups`, whose compiled twin steppers use.
    """
    speeds, rates = motion.velocities.copy(), motion.accelerations.copy()
    split = assembly.equations.groups == SO3_R3
    if split.any():
        turns, twists = motion.poses[split, 3:], motion.velocities[split]
        change = rates[split, :3] + np.cross(twists[:, 3:], twists[:, :3])
        speeds[split, :3] = quaternion.rotate(turns, twists[:, :3])
        rates[split, :3] = quaternion.rotate(turns, change)
    return speeds, rates


def has_moving_inertia(assembly: Assembly, motion: Motion) -> bool:
    """Whether the mass matrix depends on places, as that of beams does."""
    first = assembly.system.dofs.n_frame_rows
    shape = motion.accelerations.shape
    place = np.arange(shape[0] * 6).reshape(shape)
    probe = motion._replace(
        velocities=np.zeros(shape),
        accelerations=LARGE_ACCELERATION * np.cos(1.0 + 2.399963 * place),
        multipliers=np.zeros_like(motion.multipliers),
    )
    probe.accelerations[assembly.system.dofs.numbers < 0] = 0.0
    target = assembly.target
    run(assembly, evaluate_blocks, probe, target, 0, 0.0, 0.0, 1.0)
    change = abs(assembly.matrix(target.data)[:first, :first]).max()
    run(assembly, evaluate_blocks, probe, target, 2, 1.0, 0.0, 0.0)
    mass = abs(assembly.matrix(target.data)[:first, :first]).max()
    return bool(change / LARGE_ACCELERATION > FIXED_INERTIA * mass)
