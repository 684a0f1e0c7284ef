"""Places of a step with contacts: a motion U behind which no gap is negative.

``S U = g_q^T f`` with ``0 <= g(q~ + U)``, ``f >= 0``, one of them zero, the constraints
of places, and Coulomb's law for slips where contacts have touched (`impact_friction`).
Dampers take a part of f (`impact_dampers`).
Solved again and again about the place that was reached, as far as gaps are curved.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..elements.base import Array
from ..linear import solve_friction
from . import _impact_driver as driver
from .contact_rows import Look
from .impact_dampers import Dampers
from .impact_friction import ON_CONE
from .impact_matrix import UnsolvedError
from .impact_problem import Problem

# gaps below this part of the unit count as closed
CLOSED = 1e-10
# violation of constraints, over the size of the model, that is left alone
MET = 1e-12
ITERATION_LIMIT = 30


@dataclass
class Touch:
    """What the solution for places leaves for that for velocities.

    Attributes
    ----------
    look : Look
        Contacts at the new place.
    forces : (n,) array
        Forces f of all rows [N], zero where open.
    friction : (n, 2 or 3) array
        Forces along the surfaces, and of spin, in the same problem [N].
    motion : (n_rows,) array
        The motion U.
    least : (n,) array
        Gaps that count as shut [m], zero but where overlap is left.
    """

    look: Look
    forces: Array
    friction: Array
    motion: Array
    least: Array


class Places:
    """The problem of places.

    Parameters
    ----------
    problem : Problem
    dampers : Dampers
    """

    def __init__(self, problem: Problem, dampers: Dampers) -> None:
        self.problem = problem
        self.dampers = dampers
        self.rows = problem.rows
        self.rubbing = problem.rubbing

    def solve(self, look: Look, least: Array) -> Touch:
        """Move all frames so that no gap is less than ``least`` (n_rows,) [m].

        Raises
        ------
        UnsolvedError
        """
        problem, rows = self.problem, self.rows
        motion, first = problem.motion, problem.first
        far = np.abs(motion.poses[:, :3]).max()
        closed = max(CLOSED * rows.unit, 1e-14 * far)
        problem.take_step()
        if problem.is_damped:
            problem.take_mass()
        forces = np.zeros((look.gaps.size, 1 + self.rubbing.width))
        chosen = np.zeros(look.gaps.size, dtype=bool)
        way = np.zeros(problem.n_rows)
        drift = None
        for iteration in range(ITERATION_LIMIT):
            held = problem.residual(driver.PLACES)[first:]
            # constraints are met as well as the smooth step has met them
            size = np.abs(held).max(initial=0.0)
            drift = drift or max(size, MET * problem.assembly.system.size)
            gaps = look.gaps - least
            is_open = gaps > -closed
            is_shut = (forces[:, 0] == 0.0) | (np.abs(gaps) < closed)
            is_met = np.all(is_open & is_shut) and size <= drift
            if iteration > 0 and is_met and self._sticks(look, forces, closed):
                return Touch(look, forces[:, 0], forces[:, 1:], way, least)
            # edges that lie flat bear nothing
            chosen = (chosen | ~is_open) & np.isfinite(gaps)
            step, forces = self._correction(look, gaps, chosen, (forces, held))
            problem.move(step)
            way += step
            look = rows.at(motion.poses)
            if look.has_passed:
                raise UnsolvedError("parts pass through each other")
        raise UnsolvedError(f"no place without overlap in {ITERATION_LIMIT} iterations")

    def _sticks(self, look: Look, forces: Array, closed: float) -> bool:
        """Whether contacts within their cones have not slipped."""
        mu = self.rubbing.coefficients(np.arange(len(forces)), of_places=True)
        chosen = np.flatnonzero(mu * forces[:, 0] > 0.0)
        if not chosen.size:
            return True
        tangents = self.rows.tangents(look, chosen)
        slips = self.rubbing.slips(look, chosen, tangents)
        slips = slips.reshape(-1, self.rubbing.width)
        sizes = np.linalg.norm(forces[chosen, 1:], axis=1)
        sticks = sizes < ON_CONE * mu[chosen] * forces[chosen, 0]
        return bool(np.all(np.abs(slips[sticks]) < closed))

    def _correction(
        self, look: Look, gaps: Array, is_chosen: Any, now: tuple[Array, Array]
    ) -> tuple[Array, Array]:
        """Motion and forces of the linear problem at a place.

        ``now``: forces, and violations of constraints.
        """
        problem, (forces, held) = self.problem, now
        chosen = np.flatnonzero(is_chosen)
        mu = self.rubbing.coefficients(chosen, of_places=True)
        rubs = chosen[mu > 0.0]
        tangents = self.rows.tangents(look, rubs)
        rows = np.vstack([self.rows.gradients(look, chosen), tangents])
        slips = self.rubbing.slips(look, rubs, tangents)
        pushes = self.dampers.pushes(rows)
        found, matrix = problem.by_rows(problem.of_step, rows, pushes, held)
        old = np.concatenate([forces[chosen, 0], forces[rubs, 1:].ravel()])
        gaps = np.concatenate([gaps[chosen], slips])
        gaps += rows @ found[-1, : problem.first]
        new = solve_friction(matrix, gaps - matrix @ old, mu)
        if new is None:
            raise UnsolvedError(f"'{problem.worst(chosen, gaps)}' cannot be opened")
        step = (new - old) @ found[:-1] + found[-1]
        forces = np.zeros_like(forces)
        forces[chosen, 0] = new[: chosen.size]
        forces[rubs, 1:] = new[chosen.size :].reshape(-1, self.rubbing.width)
        return step, forces
