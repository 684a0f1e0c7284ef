"""Energies, and the work of loads and motors, in a step with impacts."""

from __future__ import annotations

import numpy as np

from ..elements.base import Array, Motion
from . import _impact_driver as driver
from .impacts import Impacts
from .march import NOW

LOAD_WORK, MOTOR_WORK = 3, 4


class Works:
    """What the ledger has to know of a step with impacts.

    Parameters
    ----------
    motion : Motion
    book : (n,) array
        The ledger, see `march`.
    impacts : Impacts
    """

    def __init__(self, motion: Motion, book: Array, impacts: Impacts) -> None:
        self.motion = motion
        self.book = book
        self.impacts = impacts

    def energy(self) -> float:
        """Kinetic, strain and potential energy now; the book has powers too."""
        self.impacts.act(driver.OBSERVE)
        return float(self.book[NOW : NOW + 3].sum())

    def powers(self) -> Array:
        """Powers of loads, motors and dampers now [W]."""
        self.impacts.act(driver.OBSERVE)
        return np.array(self.book[NOW + LOAD_WORK :][:3])

    def over(self, way: Array) -> float:
        """Work of loads and motors over a small motion (n_rows,), into the book."""
        motion, impacts = self.motion, self.impacts
        velocities = motion.velocities.copy()
        powers = []
        for factor in (0.0, 1.0):
            motion.velocities[:] = 0.0
            motion.velocities[impacts.is_free] = factor * way[impacts.free_rows]
            powers.append(self.powers())
        motion.velocities[:] = velocities
        work = (powers[1] - powers[0])[:2]
        self.book[LOAD_WORK : MOTOR_WORK + 1] += work
        return float(work.sum())

    def of_constraints(self, impulses: Array) -> float:
        """Work of impulses (n_multipliers,) where parts are moved, into the book."""
        if not impulses.any():
            return 0.0
        motion = self.motion
        multipliers = motion.multipliers.copy()
        powers = []
        for factor in (0.0, 1.0):
            motion.multipliers[:] = factor * impulses
            powers.append(self.powers())
        motion.multipliers[:] = multipliers
        work = float(powers[1][1] - powers[0][1])
        self.book[MOTOR_WORK] += work
        return work
