"""What dampers make of contacts that last: a constant force of contacts acts as a load.

A load F enters a step of generalized-alpha twice: in ``S Delta = F + (k M + h e C) a +
...`` by itself, and by the accelerations ``M a = F + ...`` at its start. Contacts have
no part in accelerations. Without dampers nothing is missing: ``f = (1 + k) F`` in the
problem of places does the same. With dampers, in place of the accelerations ``M^-1 F``,
far too large where a damper acts within the step, there are ``b = P^-1 F`` with
``P = M + c C / s``. Then a step does to places what it does under the load if

    ``S U = (P + k M + h e C) b = f - (h s / c - 1) (c / s) C b``,

and accelerations without contacts are those with them less b. Here ``s, c`` are weights
of mass and damping in S, ``k = s h^2 / 2 - 1`` and ``e = c h / 2 - 1``. The last term
is that of the step before, so that the problem of places stays symmetric: it takes at
most half of an error on to the next step.
"""

from __future__ import annotations

import numpy as np

from ..elements.base import Array
from . import _alpha_scheme as scheme
from ._step_state import TIME_STEP
from .impact_problem import Problem


class Bearing:
    """What dampers bear of contacts, from one step to the next.

    Parameters
    ----------
    problem : Problem
    """

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        # b [m/s^2, rad/s^2] and (c / s) C b [N, N m] of the last step
        self.accelerations = np.zeros(problem.first)
        self.forces = np.zeros(problem.first)
        # motion by these forces, where the problem of places begins
        self.way = np.zeros(problem.n_rows)

    def carried(self) -> dict[str, Array]:
        """What a restart needs."""
        return {
            "borne_accelerations": self.accelerations,
            "borne_forces": self.forces,
        }

    def release(self) -> None:
        """Nothing touches any more."""
        self.accelerations[:] = 0.0
        self.forces[:] = 0.0

    def begin(self) -> Array:
        """(n_rows,) motion by what dampers bear; the matrix of the step is known."""
        problem = self.problem
        self.way[:] = 0.0
        if np.any(self.forces):
            to_rate, to_speed, step = self._weights()
            right = (1.0 - step * to_rate / to_speed) * self.forces
            way = problem.of_step.solve(problem.of_frames(right))
            self.way[: problem.first] = way[: problem.first]
        return self.way

    def take(self, push: Array, motion: Array) -> Array:
        """(first,) change of accelerations that belongs to the motion U.

        Parameters
        ----------
        push : (n_rows,) array
            ``P^-1 g_q^T f / s``.
        motion : (n_rows,) array
            U.
        """
        problem = self.problem
        first = problem.first
        if problem.of_speed is problem.of_mass:
            return np.zeros(first)
        to_rate, _, step = self._weights()
        before = self.accelerations.copy()
        self.accelerations[:] = 2.0 / step**2 * push[:first]
        borne = problem.of_frames(self.accelerations)
        change = problem.of_dampers.times(borne) - problem.of_mass.times(borne)
        self.forces[:] = change[:first]
        share = 0.5 * to_rate * step**2 - 1.0
        return np.asarray(
            to_rate * motion[:first] - share * before - self.accelerations
        )

    def _weights(self) -> tuple[float, float, float]:
        values = self.problem.memory.values
        return *scheme.weights_of(values), float(values[TIME_STEP])
