"""Energies, and the work of loads, motors and dampers, in a step with impacts.

Where contacts have changed a step, work is that of the mean of forces at both of its
ends over the way that parts have gone: powers at the mean velocity, ``d / h`` with the
motion ``d``. Velocities say less: the smooth step moves what is pressed together, and
contacts take that back.

In the other steps dampers take what they do at the mean of both velocities, ``h/4
(v_n+1 - v_n) C (v_n+1 - v_n)`` less than by the trapezoidal rule: stiff parts that
impacts leave swinging from step to step hardly go to and fro. They never give energy.
"""

from __future__ import annotations

import numpy as np

from ..elements.base import FRICTION_LOSS, Array, Motion
from ..lie import quaternion
from . import _impact_driver as driver
from .impact_problem import Problem
from .march import BEFORE, BOOK_STEP, CORRECTION_WORK, NOW

LOAD_WORK, MOTOR_WORK, DISSIPATED = range(3, 6)


class Works:
    """What the ledger has to know of a step with impacts.

    Parameters
    ----------
    motion : Motion
    book : (n,) array
        The ledger, see `march`.
    problem : Problem
    """

    def __init__(self, motion: Motion, book: Array, problem: Problem) -> None:
        self.motion = motion
        self.book = book
        self.problem = problem

    def energy(self) -> float:
        """Kinetic, strain and potential energy now; the book has powers too."""
        self.problem.act(driver.OBSERVE)
        return float(self.book[NOW : NOW + 3].sum())

    def at(self, mean: Array) -> tuple[float, Array]:
        """Energy here, and powers (3,) of loads, motors and dampers at a velocity."""
        return self.energy(), self._powers_at(mean)

    def powers(self) -> Array:
        """Powers of loads, motors and dampers now [W]."""
        self.problem.act(driver.OBSERVE)
        return np.array(self.book[NOW + LOAD_WORK :][:3])

    def of_smooth_step(self, velocities: Array) -> None:
        """What dampers take less than `march.add_to_book` will say.

        ``velocities``: (n_frames, 6) where the step began.
        """
        book = self.book
        both = self.powers()[2] + book[BEFORE + DISSIPATED]
        if both > 0.0:
            change = self._powers_at(self.motion.velocities - velocities)[2]
            book[DISSIPATED] -= book[BOOK_STEP] * min(0.25 * change, 0.5 * both)

    def of_impact(
        self,
        before: tuple[float, Array],
        mean: Array,
        impulses: Array,
        lost: float,
    ) -> None:
        """Book a step at its end, whatever contacts did in it.

        All that it changes besides impacts and the work of parts counts as correction.

        Parameters
        ----------
        before : float, (3,) array
            What `at` gives where the step began.
        mean : (n_frames, 6) array
            Velocity of the step.
        impulses : (n_multipliers,) array
            Of constraints [N s].
        lost : float
            In impacts and friction of contacts [J].
        """
        book = self.book
        now = self.at(mean)
        done = 0.5 * book[BOOK_STEP] * (before[1] + now[1])
        done[1] += self._of_constraints(impulses)
        book[LOAD_WORK : DISSIPATED + 1] += done
        book[BOOK_STEP] = 0.0
        # joints say themselves what they have taken
        lost += book[NOW + FRICTION_LOSS] - book[BEFORE + FRICTION_LOSS]
        change = now[0] - before[0]
        book[CORRECTION_WORK] += change - done[0] - done[1] + done[2] + lost

    def _powers_at(self, velocities: Array) -> Array:
        own = self.motion.velocities.copy()
        self.motion.velocities[:] = velocities
        powers = self.powers()
        self.motion.velocities[:] = own
        return powers

    def _of_constraints(self, impulses: Array) -> float:
        """Work of impulses (n_multipliers,) where parts are moved."""
        if not impulses.any():
            return 0.0
        motion = self.motion
        multipliers = motion.multipliers.copy()
        powers = []
        for factor in (0.0, 1.0):
            motion.multipliers[:] = factor * impulses
            powers.append(self.powers())
        motion.multipliers[:] = multipliers
        return float(powers[1][1] - powers[0][1])


def mean_velocities(before: Array, after: Array, step: float) -> Array:
    """Body velocities (n, 6) that lead from poses to others (n, 7) in a step.

    In axes in the middle of both.
    """
    turn = quaternion.log(
        quaternion.multiply(quaternion.conjugate(before[:, 3:]), after[:, 3:])
    )
    middle = quaternion.multiply(before[:, 3:], quaternion.exp(0.5 * turn))
    shift = after[:, :3] - before[:, :3]
    way = quaternion.rotate(quaternion.conjugate(middle), shift)
    return np.hstack([way, turn]) / step
