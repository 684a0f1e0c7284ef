"""What both problems of a step with contacts start from: matrices, motions, rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..assembly import Assembly
from ..elements.base import Array, IntArray, Motion
from . import _impact_driver as driver
from .contact_rows import ContactRows
from .impact_friction import Rubbing
from .impact_matrix import Matrix

Act = Callable[..., int]


class Problem:
    """Matrices of a step, and what rows of contacts see of motions.

    Parameters
    ----------
    assembly : Assembly
        Of the model without contact.
    motion : Motion
    rows : ContactRows
    memory : Memory
        Of generalized-alpha.
    act : callable
        ``act(task)`` does one of the parts of `_impact_driver`.
    """

    def __init__(
        self,
        assembly: Assembly,
        motion: Motion,
        rows: ContactRows,
        memory: Any,
        act: Act,
    ) -> None:
        self.assembly = assembly
        self.motion = motion
        self.rows = rows
        self.memory = memory
        self.act = act
        self.first = assembly.system.dofs.n_frame_rows
        self.n_rows = assembly.system.dofs.n_rows
        numbers = assembly.system.dofs.numbers
        self.is_free = numbers >= 0
        self.free_rows = numbers[self.is_free]
        self.rubbing = Rubbing(assembly.system, rows)
        self.of_step = Matrix(assembly)
        self.of_mass = Matrix(assembly)
        # with what dampers do within the step, where there are any
        self.of_dampers = Matrix(assembly)
        # until the matrices say otherwise
        self.of_speed = self.of_dampers

    @property
    def is_damped(self) -> bool:
        """Whether there are dampers here; true as long as that is not known."""
        return self.of_speed is self.of_dampers

    def forget(self) -> None:
        """Drop pivots, as a run that is begun again has to."""
        for matrix in (self.of_step, self.of_mass, self.of_dampers):
            matrix.factorization = None
        self.of_speed = self.of_dampers

    def take_step(self) -> None:
        """Factors of the matrix of the smooth step, here."""
        self._evaluate_at_rest(driver.STEP_MATRIX)
        self.of_step.take()

    def take_mass(self) -> None:
        """Factors of the matrix of mass, and of the one that speeds are found with."""
        self.act(driver.MASS_MATRIX)
        self.of_mass.take()
        self._evaluate_at_rest(driver.DAMPED_MATRIX)
        is_damped = np.any(self.assembly.target.data[:-1] != self.of_mass.data)
        self.of_speed = self.of_dampers if is_damped else self.of_mass
        if is_damped:
            self.of_dampers.take()

    def residual(self, task: int) -> Array:
        """(n_rows,) residual of a part of `_impact_driver`."""
        self.act(task)
        return self.assembly.target.residual[:-1].copy()

    def _evaluate_at_rest(self, task: int) -> None:
        """A matrix without what depends on velocities.

        Gyroscopic terms would turn the push of a spinning body into a speed.
        """
        velocities = self.motion.velocities.copy()
        self.motion.velocities[:] = 0.0
        self.act(task)
        self.motion.velocities[:] = velocities

    def by_rows(
        self, of: Matrix, rows: Array, pushes: Array, held: Array
    ) -> tuple[Array, Array]:
        """Motions by pushes, then by constraints; what rows see of those by pushes."""
        right = np.zeros((len(rows) + 1, self.n_rows))
        right[:-1, : self.first] = pushes
        right[-1, self.first :] = -held
        found = of.solve(right)
        matrix = rows @ found[:-1, : self.first].T
        return found, 0.5 * (matrix + matrix.T)

    def move(self, step: Array) -> None:
        """Move all frames by a row (n_rows,) over all unknowns."""
        self.memory.row[:] = self.of_frames(step[: self.first])
        self.act(driver.MOVE)

    def of_frames(self, row: Array) -> Array:
        """A row over all unknowns, zero over multipliers."""
        return np.concatenate([row, np.zeros(self.n_rows - self.first)])

    def row_of(self, velocities: Array) -> Array:
        """(first,) velocities (n_frames, 6) as a row over unknowns of frames."""
        row = np.zeros(self.first)
        row[self.free_rows] = velocities[self.is_free]
        return row

    def worst(self, chosen: IntArray, values: Array) -> str:
        """The part with the least value among the chosen rows."""
        return self.rows.name_of(int(chosen[np.argmin(values[: chosen.size])]))
