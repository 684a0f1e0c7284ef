"""Friction of joints that are at rest when a motion begins: it holds what it can.

Without it what friction holds up would fall, within what sticks gives way, and slide on
from there.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..assembly import Assembly, eq_view
from ..elements import _joint_rows as layout
from ..elements.base import Array, IntArray, Motion
from ..elements.joint_coordinate import joint_coordinate
from ..elements.joint_motion import coordinate_of, is_rounding, rubbing_rows
from .start import KktSolver, accelerations

SWEEPS = 500
# change of forces, over their limits, that ends the sweeps
SETTLED = 1e-12


class Rest(NamedTuple):
    """A coordinate with friction that is at rest."""

    history: Array  # of its row: where it sticks without force
    value: float
    force: float
    limit: float
    stiffness: float
    gradient: Array  # (n_rows,)


def settle_friction(assembly: Assembly, motion: Motion) -> None:
    """Let friction at rest bear what would accelerate it, up to its limit, in place.

    Forces f with ``b a = 0`` or ``|f| = S`` for all joints together, by projected
    Gauss-Seidel sweeps over ``b M^-1 b^T``.
    """
    resting = _resting(assembly, motion)
    if not resting:
        return
    accelerations(assembly, motion)
    solver = KktSolver(assembly, motion)
    gradients = np.array([row.gradient for row in resting])
    free = assembly.system.dofs.numbers >= 0
    row = np.zeros(assembly.system.dofs.n_rows)
    row[assembly.system.dofs.numbers[free]] = motion.accelerations[free]
    rates = gradients @ row
    matrix = gradients @ np.array([solver.solve(g) for g in gradients]).T
    forces = np.array([one.force for one in resting])
    limits = np.array([one.limit for one in resting])
    for _ in range(SWEEPS):
        before = forces.copy()
        for k in range(forces.size):
            if matrix[k, k] <= 0.0:
                continue
            wanted = forces[k] + rates[k] / matrix[k, k]
            change = np.clip(wanted, -limits[k], limits[k]) - forces[k]
            forces[k] += change
            rates -= matrix[:, k] * change
        if np.all(np.abs(forces - before) <= SETTLED * limits):
            break
    for one, force in zip(resting, forces.tolist(), strict=True):
        one.history[...] = one.value - force / one.stiffness


def _resting(assembly: Assembly, motion: Motion) -> list[Rest]:
    found = []
    for b, block in enumerate(assembly.system.blocks):
        for rubbing, row in enumerate(rubbing_rows(block)):
            history = eq_view(assembly.equations, b, "history")
            column = layout.N_HISTORY + layout.N_RUB_HISTORY * rubbing + layout.ANCHOR
            first = layout.ROW_PARAMETERS + layout.N_ROW_PARAMETERS * row
            for element, pair in enumerate(block.frames):
                kind, axis = coordinate_of(block, element, row)
                numbers = block.parameters[element]
                value, gradient = joint_coordinate(
                    motion.poses[pair],
                    numbers[: layout.ROW_PARAMETERS].reshape(2, 7),
                    kind,
                    axis,
                    float(history[element, layout.ANGLE_HISTORY]),
                )
                if not is_rounding(gradient, motion.velocities[pair]):
                    continue
                stiffness = float(numbers[first + layout.STICK_STIFFNESS])
                force = stiffness * (value - history[element, column])
                limit = float(numbers[first + layout.BREAKAWAY])
                found.append(
                    Rest(
                        history[element, column : column + 1],
                        value,
                        float(np.clip(force, -limit, limit)),
                        limit,
                        stiffness,
                        _row_of(assembly, pair, gradient),
                    )
                )
    return found


def _row_of(assembly: Assembly, pair: IntArray, gradient: Array) -> Array:
    """A gradient over two frames as a row over all unknowns."""
    dofs = assembly.system.dofs
    row = np.zeros(dofs.n_rows + 1)
    numbers = np.where(dofs.numbers[pair] < 0, dofs.n_rows, dofs.numbers[pair])
    np.add.at(row, numbers.ravel(), gradient)
    return row[:-1]
