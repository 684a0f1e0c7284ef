"""What contacts do in one step: first to places, then to velocities.

A step of the nonsmooth generalized-alpha method is decoupled (Bruels, Acary, Cardona
2014; Cosimo, Galvez, Cavalieri, Cardona, Bruels 2020): a smooth step as if nothing
touched, ``q~, v~, a``; then

- places: ``S U = g_q^T f`` with ``0 <= g(q~ + U)``, ``f >= 0``, one of them zero;
- velocities: ``M W = g_q^T L`` with ``0 <= g_q (v^ + W) + e g_q v_n``, ``L >= 0``, for
  contacts that bear a force in the first problem, or touch;

each with the bilateral constraints of that level, and with Coulomb's law along the
surfaces where contacts have friction (`impact_friction`). S is the matrix of the smooth
step, ``S = s M + c C + K`` with ``c`` the weight of damping, where the papers add the
change of smooth forces; velocities are taken as zero in it. Of the motion U,
``D = U - M^-1 g_q^T f / s`` is deformation, found as ``S D = (s M - S) (U - D)``;
velocities follow it as in the smooth step, ``v^ = v~ + c D``. The rest is the push of a
rigid body out of another one, which leaves momenta alone, as seen from space. Smooth
accelerations are found anew, so that smooth forces are in balance at the new place and
velocity. With M in place of S, and without D, rods gain energy where a step is longer
than a wave takes through an element.

Where there are dampers, M stands for ``M + c C / s`` in all this, but for momenta: they
act within the step, else jumps excite what is damped. Then they bear a part of f, else
what is pressed at rest would be bent (`impact_dampers`); D has it, too.

The loss of an impact is what its impulses take at the mean of the speeds before and
after, ``-L (min(g_q v_n, 0) + g_q v_n+1)/2``, which is never negative. All else that a
step with contact changes is work of the correction.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ..elements.base import Array, IntArray
from ..linear import solve_friction
from . import _alpha_scheme as scheme
from . import _impact_driver as driver
from .contact_rows import Look
from .impact_dampers import Dampers
from .impact_matrix import UnsolvedError, product
from .impact_momentum import FreeParts, Symmetry, turned_momenta
from .impact_places import CLOSED, Places, Touch
from .impact_problem import Problem


class Impacts:
    """The two problems of a step.

    Parameters
    ----------
    problem : Problem
    quiet_steps : float
        Contacts do not rebound from an approach slower than the speed that smooth
        forces give in so many steps.
    """

    def __init__(self, problem: Problem, *, quiet_steps: float) -> None:
        self.problem = problem
        self.dampers = Dampers(problem)
        self.places = Places(problem, self.dampers)
        self.rows = problem.rows
        self.motion = problem.motion
        self.rubbing = problem.rubbing
        self.quiet_steps = quiet_steps
        self.loss = 0.0  # of the last impact [J]
        # what the last impact did: impulses of constraints, changes of velocities
        self.held = np.zeros(problem.n_rows - problem.first)
        self.jump = np.zeros_like(self.motion.velocities)
        self.free_parts = FreeParts(problem.assembly.system)
        self.smooth_velocities = self.motion.velocities.copy()
        self.left_over = np.zeros(problem.first)

    def begin(self) -> None:
        """Look at where the smooth step has led, before contacts change it."""
        self.smooth_velocities = self.motion.velocities.copy()
        problem = self.problem
        self.left_over = problem.residual(driver.BALANCE)[: problem.first]

    def velocities(self, touch: Touch, start: Look, before: Array) -> Array:
        """Let velocities jump, behind `follow`; impulses (n,) of all rows [N s].

        Parameters
        ----------
        touch : Touch
        start : Look
            Contacts where the step began.
        before : (n_frames, 6) array
            Velocities there.

        Raises
        ------
        UnsolvedError
        """
        problem, look = self.problem, touch.look
        is_shut = look.gaps - touch.least < CLOSED * self.rows.unit
        chosen = np.flatnonzero(is_shut | (touch.forces > 0.0))
        mu = self.rubbing.coefficients(chosen, of_places=False)
        rubs, n = chosen[mu > 0.0], chosen.size
        tangents = self.rows.tangents(look, rubs)
        rows = np.vstack([self.rows.gradients(look, chosen), tangents])
        held = problem.residual(driver.SPEEDS)[problem.first :]
        found, matrix = problem.by_rows(problem.of_speed, rows, rows, held)
        free = problem.row_of(self.motion.velocities) + found[-1, : problem.first]
        speeds = rows @ free
        approach = np.minimum(self._speeds(start, chosen, before), 0.0)
        rebound = np.zeros(len(rows))
        rebound[:n] = self._rebound(start, chosen, approach)
        total = solve_friction(matrix, speeds - rebound, mu)
        if total is None:
            # what touches on two sides cannot rebound
            total = solve_friction(matrix, speeds, mu)
        if total is None:
            raise UnsolvedError(f"'{problem.worst(chosen, speeds)}' cannot be stopped")
        jump = total @ found[:-1] + found[-1]
        self.held = jump[problem.first :]
        self.jump[problem.is_free] = jump[problem.free_rows]
        self.motion.velocities[:] += self.jump
        after = rows @ problem.row_of(self.motion.velocities)
        self.loss = -0.5 * float(total[:n] @ (approach + after[:n]))
        slides = self.rows.tangents(start, rubs) @ problem.row_of(before)
        sums = (total[:n][mu > 0.0], total[n:])
        self.rubbing.record(rubs, sums, (slides, after[n:]), np.diag(matrix)[n:])
        return np.asarray(np.bincount(chosen, total[:n], look.gaps.size))

    def follow(self, touch: Touch, came_to: Array) -> None:
        """Velocities follow the deformation in U.

        ``came_to``: (n_frames, 7) poses behind the smooth step.
        """
        problem, memory = self.problem, self.problem.memory
        problem.take_mass()
        to_rate, _ = scheme.weights_of(memory.values)
        chosen = np.flatnonzero(touch.forces > 0.0)
        gradients = self.rows.gradients(touch.look, chosen)
        push = gradients.T @ touch.forces[chosen]
        rubs = np.flatnonzero(np.any(touch.friction, axis=1))
        tangents = self.rows.tangents(touch.look, rubs)
        push += tangents.T @ touch.friction[rubs].ravel()
        right, first = problem.of_frames(push / to_rate), problem.first
        if problem.n_rows > first:
            ways = problem.of_frames(touch.motion[:first])
            right[first:] = problem.of_mass.times(ways)[first:]
        push = problem.of_speed.solve(right)
        resistance = self._resistance(push, to_rate)
        resistance[:first] += self.dampers.take(push, touch.motion)
        change = problem.of_step.solve(resistance)
        rows = np.vstack([gradients, tangents[np.any(tangents, axis=1)]])
        mass = problem.of_mass.times
        symmetries = self.free_parts.symmetries(rows, mass, self.motion)
        kept = self._kept(symmetries, came_to)
        self._turn_back(came_to)
        memory.after[:] = 0.0
        memory.after[problem.is_free] = change[problem.free_rows]
        problem.act(driver.ADD_SPEEDS)
        for symmetry, values in zip(symmetries, kept, strict=True):
            self.free_parts.restore(symmetry, values, mass, self.motion)

    def _turn_back(self, came_to: Array) -> None:
        """Keep the momentum of each frame, which is turned by U, as seen from space."""
        problem, motion = self.problem, self.motion
        is_free, rows = problem.is_free, problem.free_rows
        momenta = np.zeros_like(motion.velocities)
        row = problem.row_of(motion.velocities)
        local = problem.of_mass.times(problem.of_frames(row))
        momenta[is_free] = local[rows]
        change = turned_momenta(momenta, came_to, motion.poses) - momenta
        right = np.zeros(problem.n_rows)
        right[rows] = change[is_free]
        motion.velocities[is_free] += problem.of_mass.solve(right)[rows]

    def _kept(self, symmetries: list[Symmetry], poses: Array) -> list[Any]:
        """Momenta of motions at other poses, with the same local velocities."""
        if not symmetries:
            return []
        here, self.motion.poses[:] = self.motion.poses.copy(), poses
        assembly = self.problem.assembly
        self.problem.act(driver.MASS_MATRIX)
        mass = partial(product, assembly, assembly.target.data)
        found = [self.free_parts.kept(s, mass, self.motion) for s in symmetries]
        self.motion.poses[:] = here
        return found

    def _resistance(self, push: Array, to_rate: float) -> Array:
        """Right side for what a push of all parts on their own deforms."""
        problem = self.problem
        ways = problem.of_frames(push[: problem.first])
        right = to_rate * problem.of_speed.times(ways) - problem.of_step.times(ways)
        return problem.of_frames(right[: problem.first])

    def balance(self) -> None:
        """Smooth accelerations, and multipliers, of the new place and velocity.

        Two sweeps, as at the start of a run. What the smooth step has left out of
        balance stays: much, over the inertia of very light parts. So does what dampers
        bear of contacts.
        """
        problem, after = self.problem, self.problem.memory.after
        rates = problem.of_frames(self.dampers.change)[problem.free_rows]
        self.motion.accelerations[problem.is_free] += rates
        for _ in range(2):
            residual = problem.residual(driver.BALANCE)
            residual[: problem.first] -= self.left_over + self.dampers.forces
            change = problem.of_speed.solve(-residual)
            after[:] = 0.0
            after[problem.is_free] = change[problem.free_rows]
            problem.act(driver.ADD_RATES)
            self.motion.multipliers[:] += change[problem.first :]

    def _speeds(self, start: Look, chosen: IntArray, velocities: Array) -> Array:
        """(n,) speeds at which gaps open where the step begins."""
        row = self.problem.row_of(velocities)
        return np.asarray(self.rows.gradients(start, chosen) @ row)

    def _rebound(self, start: Look, chosen: IntArray, before: Array) -> Array:
        """(n,) speeds at which rows part at least, from their approach before."""
        approach = before.copy()
        if self.quiet_steps > 0.0:
            after = self._speeds(start, chosen, self.smooth_velocities)
            is_quiet = -approach <= self.quiet_steps * np.abs(after - before)
            approach[is_quiet] = 0.0
        return np.asarray(-self.rows.restitution[chosen] * approach)
