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
act within the step, else jumps excite what is damped.

The loss of an impact is what its impulses take at the mean of the speeds before and
after, ``-L (min(g_q v_n, 0) + g_q v_n+1)/2``, which is never negative. All else that a
step with contact changes is work of the correction.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ..assembly import Assembly
from ..elements.base import Array, IntArray, Motion
from ..linear import solve_friction
from . import _alpha_scheme as scheme
from . import _impact_driver as driver
from .contact_rows import ContactRows, Look
from .impact_friction import ON_CONE, Rubbing
from .impact_matrix import Matrix, UnsolvedError, product
from .impact_momentum import FreeParts, Symmetry, turned_momenta

# gaps below this part of the unit count as closed
CLOSED = 1e-10
# violation of constraints, over the size of the model, that is left alone
MET = 1e-12
ITERATION_LIMIT = 30

Act = Callable[..., int]


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


class Impacts:
    """The two problems of a step.

    Parameters
    ----------
    assembly : Assembly
        Of the model without contact.
    rows : ContactRows
    memory : Memory
        Of generalized-alpha.
    act : callable
        ``act(task)`` does one of the parts of `_impact_driver`.
    quiet_steps : float
        Contacts do not rebound from an approach slower than the speed that smooth
        forces give in so many steps.
    """

    def __init__(
        self,
        assembly: Assembly,
        motion: Motion,
        rows: ContactRows,
        memory: Any,
        act: Act,
        *,
        quiet_steps: float,
    ) -> None:
        self.assembly = assembly
        self.motion = motion
        self.rows = rows
        self.memory = memory
        self.act = act
        self.quiet_steps = quiet_steps
        self.first = assembly.system.dofs.n_frame_rows
        self.n_rows = assembly.system.dofs.n_rows
        numbers = assembly.system.dofs.numbers
        self.is_free = numbers >= 0
        self.free_rows = numbers[self.is_free]
        self.loss = 0.0  # of the last impact [J]
        # what the last impact did: impulses of constraints, changes of velocities
        self.held = np.zeros(self.n_rows - self.first)
        self.jump = np.zeros_like(motion.velocities)
        self.free_parts = FreeParts(assembly.system)
        self.rubbing = Rubbing(assembly.system, rows)
        self.smooth_velocities = motion.velocities.copy()
        self.left_over = np.zeros(self.first)
        self.of_step = Matrix(assembly)
        self.of_mass = Matrix(assembly)
        # with what dampers do within the step, where there are any
        self.of_dampers = Matrix(assembly)
        self.of_speed = self.of_mass

    def forget(self) -> None:
        """Drop pivots, as a run that is begun again has to."""
        for matrix in (self.of_step, self.of_mass, self.of_dampers):
            matrix.factorization = None

    def begin(self) -> None:
        """Look at where the smooth step has led, before contacts change it."""
        self.smooth_velocities = self.motion.velocities.copy()
        self.act(driver.BALANCE)
        self.left_over = self.assembly.target.residual[: self.first].copy()

    def places(self, look: Look, least: Array) -> Touch:
        """Move all frames so that no gap is less than ``least`` (n_rows,) [m].

        Raises
        ------
        UnsolvedError
        """
        rows, unit = self.rows, self.rows.unit
        far = np.abs(self.motion.poses[:, :3]).max()
        closed = max(CLOSED * unit, 1e-14 * far)
        self._evaluate_at_rest(driver.STEP_MATRIX)
        self.of_step.take()
        forces = np.zeros((look.gaps.size, 1 + self.rubbing.width))
        chosen = np.zeros(look.gaps.size, dtype=bool)
        way = np.zeros(self.n_rows)
        drift = None
        for iteration in range(ITERATION_LIMIT):
            self.act(driver.PLACES)
            held = self.assembly.target.residual[self.first : -1].copy()
            # constraints are met as well as the smooth step has met them
            size = np.abs(held).max(initial=0.0)
            drift = drift or max(size, MET * self.assembly.system.size)
            gaps = look.gaps - least
            is_open = gaps > -closed
            is_shut = (forces[:, 0] == 0.0) | (np.abs(gaps) < closed)
            is_met = np.all(is_open & is_shut) and size <= drift
            if iteration > 0 and is_met and self._sticks(look, forces, closed):
                return Touch(look, forces[:, 0], forces[:, 1:], way, least)
            # edges that lie flat bear nothing
            chosen = (chosen | ~is_open) & np.isfinite(gaps)
            step, forces = self._correction(look, gaps, chosen, (forces, held))
            self._move(step)
            way += step
            look = rows.at(self.motion.poses)
            if look.has_passed:
                raise UnsolvedError("parts pass through each other")
        raise UnsolvedError(f"no place without overlap in {ITERATION_LIMIT} iterations")

    def _evaluate_at_rest(self, task: int) -> None:
        """A matrix without what depends on velocities.

        Gyroscopic terms would turn the push of a spinning body into a speed.
        """
        velocities = self.motion.velocities.copy()
        self.motion.velocities[:] = 0.0
        self.act(task)
        self.motion.velocities[:] = velocities

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
        forces, held = now
        chosen = np.flatnonzero(is_chosen)
        mu = self.rubbing.coefficients(chosen, of_places=True)
        rubs = chosen[mu > 0.0]
        tangents = self.rows.tangents(look, rubs)
        rows = np.vstack([self.rows.gradients(look, chosen), tangents])
        slips = self.rubbing.slips(look, rubs, tangents)
        found, matrix = self._by_rows(self.of_step, rows, held)
        old = np.concatenate([forces[chosen, 0], forces[rubs, 1:].ravel()])
        gaps = np.concatenate([gaps[chosen], slips])
        gaps += rows @ found[-1, : self.first]
        new = solve_friction(matrix, gaps - matrix @ old, mu)
        if new is None:
            raise UnsolvedError(f"'{self._worst(chosen, gaps)}' cannot be opened")
        step = (new - old) @ found[:-1] + found[-1]
        forces = np.zeros_like(forces)
        forces[chosen, 0] = new[: chosen.size]
        forces[rubs, 1:] = new[chosen.size :].reshape(-1, self.rubbing.width)
        return step, forces

    def _by_rows(self, of: Matrix, rows: Array, held: Array) -> tuple[Array, Array]:
        """Motions by forces along rows, then by constraints; what rows see of them."""
        right = np.zeros((len(rows) + 1, self.n_rows))
        right[:-1, : self.first] = rows
        right[-1, self.first :] = -held
        found = of.solve(right)
        matrix = rows @ found[:-1, : self.first].T
        return found, 0.5 * (matrix + matrix.T)

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
        unit, look = self.rows.unit, touch.look
        is_shut = (touch.forces > 0.0) | (look.gaps - touch.least < CLOSED * unit)
        chosen = np.flatnonzero(is_shut)
        mu = self.rubbing.coefficients(chosen, of_places=False)
        rubs, n = chosen[mu > 0.0], chosen.size
        tangents = self.rows.tangents(look, rubs)
        rows = np.vstack([self.rows.gradients(look, chosen), tangents])
        self.act(driver.SPEEDS)
        held = self.assembly.target.residual[self.first : -1]
        found, matrix = self._by_rows(self.of_speed, rows, held)
        speeds = rows @ (self._row_of(self.motion.velocities) + found[-1, : self.first])
        approach = np.minimum(self._speeds(start, chosen, before), 0.0)
        rebound = np.zeros(len(rows))
        rebound[:n] = self._rebound(start, chosen, approach)
        total = solve_friction(matrix, speeds - rebound, mu)
        if total is None:
            # what touches on two sides cannot rebound
            total = solve_friction(matrix, speeds, mu)
        if total is None:
            raise UnsolvedError(f"'{self._worst(chosen, speeds)}' cannot be stopped")
        jump = total @ found[:-1] + found[-1]
        self.held = jump[self.first :]
        self.jump[self.is_free] = jump[self.free_rows]
        self.motion.velocities[:] += self.jump
        after = rows @ self._row_of(self.motion.velocities)
        self.loss = -0.5 * float(total[:n] @ (approach + after[:n]))
        slides = self.rows.tangents(start, rubs) @ self._row_of(before)
        sums = (total[:n][mu > 0.0], total[n:])
        self.rubbing.record(rubs, sums, (slides, after[n:]), np.diag(matrix)[n:])
        return np.asarray(np.bincount(chosen, total[:n], look.gaps.size))

    def follow(self, touch: Touch, came_to: Array) -> None:
        """Velocities follow the deformation in U.

        ``came_to``: (n_frames, 7) poses behind the smooth step.
        """
        self.act(driver.MASS_MATRIX)
        self.of_mass.take()
        self._evaluate_at_rest(driver.DAMPED_MATRIX)
        is_damped = np.any(self.assembly.target.data[:-1] != self.of_mass.data)
        self.of_speed = self.of_dampers if is_damped else self.of_mass
        if is_damped:
            self.of_dampers.take()
        to_rate, _ = scheme.weights_of(self.memory.values)
        chosen = np.flatnonzero(touch.forces > 0.0)
        gradients = self.rows.gradients(touch.look, chosen)
        push = gradients.T @ touch.forces[chosen]
        rubs = np.flatnonzero(np.any(touch.friction, axis=1))
        tangents = self.rows.tangents(touch.look, rubs)
        push += tangents.T @ touch.friction[rubs].ravel()
        right = self._of_frames(push / to_rate)
        if self.n_rows > self.first:
            ways = self._of_frames(touch.motion[: self.first])
            right[self.first :] = self.of_mass.times(ways)[self.first :]
        push = self.of_speed.solve(right)
        change = self.of_step.solve(self._resistance(push, to_rate))
        rows = np.vstack([gradients, tangents[np.any(tangents, axis=1)]])
        mass = self.of_mass.times
        symmetries = self.free_parts.symmetries(rows, mass, self.motion)
        kept = self._kept(symmetries, came_to)
        self._turn_back(came_to)
        self.memory.after[:] = 0.0
        self.memory.after[self.is_free] = change[self.free_rows]
        self.act(driver.ADD_SPEEDS)
        for symmetry, values in zip(symmetries, kept, strict=True):
            self.free_parts.restore(symmetry, values, mass, self.motion)

    def _turn_back(self, came_to: Array) -> None:
        """Keep the momentum of each frame, which is turned by U, as seen from space."""
        momenta = np.zeros_like(self.motion.velocities)
        row = self._row_of(self.motion.velocities)
        local = self.of_mass.times(self._of_frames(row))
        momenta[self.is_free] = local[self.free_rows]
        change = turned_momenta(momenta, came_to, self.motion.poses) - momenta
        right = np.zeros(self.n_rows)
        right[self.free_rows] = change[self.is_free]
        found = self.of_mass.solve(right)
        self.motion.velocities[self.is_free] += found[self.free_rows]

    def _kept(self, symmetries: list[Symmetry], poses: Array) -> list[Any]:
        """Momenta of motions at other poses, with the same local velocities."""
        if not symmetries:
            return []
        here, self.motion.poses[:] = self.motion.poses.copy(), poses
        self.act(driver.MASS_MATRIX)
        mass = partial(product, self.assembly, self.assembly.target.data)
        found = [self.free_parts.kept(s, mass, self.motion) for s in symmetries]
        self.motion.poses[:] = here
        return found

    def _resistance(self, push: Array, to_rate: float) -> Array:
        """Right side for what a push of all parts on their own deforms."""
        ways = self._of_frames(push[: self.first])
        right = to_rate * self.of_speed.times(ways) - self.of_step.times(ways)
        return self._of_frames(right[: self.first])

    def balance(self) -> None:
        """Smooth accelerations, and multipliers, of the new place and velocity.

        Two sweeps, as at the start of a run. What the smooth step has left out of
        balance stays: much, over the inertia of very light parts.
        """
        for _ in range(2):
            self.act(driver.BALANCE)
            residual = self.assembly.target.residual[:-1].copy()
            residual[: self.first] -= self.left_over
            change = self.of_speed.solve(-residual)
            self.memory.after[:] = 0.0
            self.memory.after[self.is_free] = change[self.free_rows]
            self.act(driver.ADD_RATES)
            self.motion.multipliers[:] += change[self.first :]

    def _speeds(self, start: Look, chosen: IntArray, velocities: Array) -> Array:
        """(n,) speeds at which gaps open where the step begins."""
        row = self._row_of(velocities)
        return np.asarray(self.rows.gradients(start, chosen) @ row)

    def _rebound(self, start: Look, chosen: IntArray, before: Array) -> Array:
        """(n,) speeds at which rows part at least, from their approach before."""
        approach = before.copy()
        if self.quiet_steps > 0.0:
            after = self._speeds(start, chosen, self.smooth_velocities)
            is_quiet = -approach <= self.quiet_steps * np.abs(after - before)
            approach[is_quiet] = 0.0
        return np.asarray(-self.rows.restitution[chosen] * approach)

    def _of_frames(self, row: Array) -> Array:
        """A row over all unknowns, zero over multipliers."""
        return np.concatenate([row, np.zeros(self.n_rows - self.first)])

    def _row_of(self, velocities: Array) -> Array:
        row = np.zeros(self.first)
        row[self.free_rows] = velocities[self.is_free]
        return row

    def _move(self, step: Array) -> None:
        self.memory.row[:] = self._of_frames(step[: self.first])
        self.act(driver.MOVE)

    def _worst(self, chosen: IntArray, values: Array) -> str:
        return self.rows.name_of(int(chosen[np.argmin(values[: chosen.size])]))
