"""What dampers make of contacts: a constant force of contacts acts as a load does.

A load F enters a step of generalized-alpha twice: in ``S Delta = F + (k M + h e C) a``
by itself, and by the accelerations ``M a = F + ...`` at its start. Contacts have no
part in accelerations. Without dampers nothing is missing, since ``f = (1 + k) F`` in
the problem of places does the same. With dampers, in place of the accelerations
``M^-1 F``, far too large where a damper acts within the step, contacts stand for
``b = P^-1 F`` with ``P = M + c C / s``. A step does to places what it does under the
load if

    ``S U = (P + k M + h e C) b = f - (h s / c - 1) (c / s) C b``,

and accelerations without contacts are those with them less b: those of the smooth step
change by ``s U - k b_n - b_n+1``, and are in balance with the load ``(c / s) C b`` on
dampers. Here ``s, c`` are weights of mass and damping in S, ``k = s h^2 / 2 - 1`` and
``e = c h / 2 - 1``, of the scheme of `_alpha_scheme`; derived from it for femlie. With
b of the step before in place of ``C b``, what vibrates on a contact gained energy.
"""

from __future__ import annotations

import numpy as np

from ..elements.base import Array
from . import _alpha_scheme as scheme
from ._step_state import TIME_STEP
from .impact_problem import Problem


class Dampers:
    """What dampers bear of contacts in a step.

    Parameters
    ----------
    problem : Problem

    Attributes
    ----------
    accelerations : (n,) array
        b of the last step [m/s^2, rad/s^2], along the axes of frames.
    forces : (n,) array
        ``(c / s) C b`` [N, N m].
    change : (n,) array
        Accelerations that belong to the motion U.
    """

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.accelerations = np.zeros(problem.first)
        self.forces = np.zeros(problem.first)
        self.change = np.zeros(problem.first)

    def release(self) -> None:
        """Nothing touches, or there are no dampers here."""
        for values in (self.accelerations, self.forces, self.change):
            values[:] = 0.0

    def pushes(self, rows: Array) -> Array:
        """(m, n) right sides of the problem of places for forces along rows (m, n)."""
        problem = self.problem
        if not problem.is_damped:
            return rows
        right = np.zeros((len(rows), problem.n_rows))
        right[:, : problem.first] = rows
        to_rate, _, step = self._weights()
        # b of unit forces
        share = self._borne(problem.of_speed.solve(right)) / (0.5 * to_rate * step**2)
        return np.asarray(rows - self._excess() * share)

    def take(self, push: Array, motion: Array) -> Array:
        """(n,) forces in the matrix of the step besides those of contacts.

        Parameters
        ----------
        push : (n_rows,) array
            ``P^-1 g_q^T f / s``.
        motion : (n_rows,) array
            U.
        """
        problem, first = self.problem, self.problem.first
        if not problem.is_damped:
            self.release()
            return self.forces
        to_rate, _, step = self._weights()
        borne = 2.0 / step**2 * push
        share = 0.5 * to_rate * step**2 - 1.0
        self.change[:] = to_rate * motion[:first] - share * self.accelerations
        self.change -= borne[:first]
        self.accelerations[:] = borne[:first]
        self.forces[:] = self._borne(borne)
        return -self._excess() * self.forces

    def _borne(self, motions: Array) -> Array:
        """``(c / s) C`` times motions (..., n_rows) of frames."""
        problem, first = self.problem, self.problem.first
        ways = motions.copy()
        ways[..., first:] = 0.0
        both = problem.of_dampers.times(ways) - problem.of_mass.times(ways)
        return np.asarray(both[..., :first])

    def _excess(self) -> float:
        to_rate, to_speed, step = self._weights()
        return step * to_rate / to_speed - 1.0

    def _weights(self) -> tuple[float, float, float]:
        values = self.problem.memory.values
        return *scheme.weights_of(values), float(values[TIME_STEP])
