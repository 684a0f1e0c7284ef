"""RATTLE on Lie groups: momenta kept to rounding, energy without a trend."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..assembly import Assembly
from ..elements.base import Motion
from ..fields import check_fields
from . import _rattle_driver as driver
from ._step_state import LOG_SIZE, SINGULAR, TIME_STEP, TURNED_TOO_FAR
from .fastest import check_step
from .march import new_book, run
from .method import MethodKind
from .reports import turned_too_far
from .schedule import Schedule
from .start import accelerations, has_moving_inertia
from .stepping import Stepping
from .time_stepper import TimeStepper

# decay times the step up to which dampers are stable
LARGEST_DECAY = 1.0


@dataclass(frozen=True, kw_only=True)
class Rattle(TimeStepper):
    """RATTLE on Lie groups: variational, of order 2, for constrained systems.

    Places and velocities satisfy the constraints to rounding; linear and angular
    momentum of what nothing in space acts on are kept to rounding; the energy swings
    without a trend. For long runs without damping. Stiff parts need steps below a third
    of their shortest period: a longer one is refused with the step that it takes.

    Attributes
    ----------
    correction_tolerance : float
        Size of a correction, in radians and model sizes, at which a step counts as
        solved; corrections of rounding size end the iteration anyway.
    iteration_limit : int
        Iterations of a step before it counts as failed.
    projects_start : bool
        Whether places and velocities that violate constraints at the start are moved
        instead of refused.

    References
    ----------
    Marsden and West 2001; Hante and Arnold 2021.
    """

    loop: ClassVar[str] = "rattle"
    correction_tolerance: float = 1e-15
    iteration_limit: int = 60
    projects_start: bool = False

    def __post_init__(self) -> None:
        check_fields(self, "Rattle")

    @property
    def kind(self) -> MethodKind:
        """Class of the runs that it makes."""
        return Run

    @property
    def may_rub(self) -> bool:
        """Whether its steps find out what sticks in joints with friction."""
        return True

    def check_step(
        self, assembly: Assembly, motion: Motion, schedule: Schedule
    ) -> None:
        """Refuse a step with which the fastest mode grows."""
        check_step(
            assembly,
            motion,
            growth,
            time_step=schedule.step,
            duration=schedule.duration,
            name="RATTLE",
        )


class Run:
    """One run: what `Stepping.march` asks of a method."""

    name = "rattle"
    is_adaptive = False
    driver = staticmethod(driver.march_on)

    def __init__(self, solver: Rattle, stepping: Stepping) -> None:
        self.solver = solver
        self.stepping = stepping
        self.memory = _new_memory(solver, stepping)

    def start(self) -> None:
        """Accelerations, momentum and forces, and whether inertia moves with places."""
        accelerations(self.stepping.assembly, self.stepping.motion)
        options = self.memory.options
        options[driver.HAS_MOVING_INERTIA] = int(
            has_moving_inertia(self.stepping.assembly, self.stepping.motion)
        )
        self._take_momentum()

    def _take_momentum(self) -> None:
        """Momentum ``M v`` and forces at the start."""
        assembly, motion = self.stepping.assembly, self.stepping.motion
        target, first = assembly.target, assembly.system.dofs.n_frame_rows
        numbers = assembly.equations.numbers
        self.stepping.evaluate(2, mass=1.0, damping=0.0, stiffness=0.0)
        row = np.zeros(assembly.system.dofs.n_rows)
        free = numbers < row.size
        row[numbers[free]] = motion.velocities[free]
        mass = assembly.matrix(target.data)
        self.memory.momentum[:first] = (mass @ row)[:first]
        probe = motion._replace(
            velocities=motion.velocities.copy(),
            accelerations=np.zeros_like(motion.accelerations),
            multipliers=np.zeros_like(motion.multipliers),
        )
        forces = self.memory.forces
        run(
            assembly,
            driver.applied_forces,
            probe,
            target,
            motion.velocities,
            first,
            forces,
        )
        forces[:first] += target.residual[:first]

    def first_pivots(self) -> None:
        """Pivots of ``[[M, B^T], [B, 0]]`` here."""
        stepping = self.stepping
        stepping.evaluate(2, mass=1.0, damping=0.0, stiffness=0.0)
        stepping.analyze()

    def carried(self) -> dict[str, Any]:
        """What a restart needs of the memory."""
        memory = self.memory
        inertia = memory.options[driver.HAS_MOVING_INERTIA :]
        return {
            "momentum": memory.momentum,
            "forces": memory.forces,
            "inertia": inertia,
        }

    def notices(self) -> list[str]:
        """What the user should know at the end."""
        return []

    def resume(self, step: float) -> None:
        """Go on from a state that an event left, with another step."""
        self.stepping.restart_clock(self.memory.counts, self.memory.values, step)
        self._take_momentum()

    def failure(self, code: int) -> tuple[str, list[float]]:
        """Why a step was refused."""
        stepping, memory = self.stepping, self.memory
        h = memory.values[TIME_STEP]
        log = memory.log[: int(memory.counts[driver.N_LOG])].tolist()
        if code == SINGULAR:
            return stepping.why_singular(), log
        if code == TURNED_TOO_FAR:
            return turned_too_far(stepping.system, stepping.motion, h), log
        size = f"{log[-1]:.3g}" if log else "unknown"
        return (
            f"after {len(log)} iterations the frames still move by {size} model sizes "
            f"(allowed {self.solver.correction_tolerance:g}). Use a smaller time step "
            f"than {h:g} s."
        ), log


def growth(exponent: complex) -> float:
    """Factor of the method on ``exp(z)`` in one step: one up to ``|z| = 2``."""
    size = abs(exponent)
    if exponent.imag == 0.0:
        return 1.0 if size <= LARGEST_DECAY else size / LARGEST_DECAY
    if size <= 2.0:
        return 1.0
    half = 0.5 * size * size - 1.0
    return half + math.sqrt(half * half - 1.0)


def _new_memory(solver: Rattle, stepping: Stepping) -> driver.Memory:
    motion = stepping.motion
    n_rows = stepping.system.dofs.n_rows
    frames = {
        name: np.zeros((motion.poses.shape[0], 6))
        for name in ("speeds", "rates", "increments", "before", "after", "mean")
    }
    rows = {
        name: np.zeros(n_rows)
        for name in (
            "momentum", "forces", "push", "slope", "first_part", "last_part", "row",
            "rhs",
        )
    }  # fmt: skip
    return driver.Memory(
        old_poses=motion.poses.copy(),
        old_velocities=motion.velocities.copy(),
        old_accelerations=motion.accelerations.copy(),
        old_multipliers=motion.multipliers.copy(),
        new_poses=motion.poses.copy(),
        data=np.zeros_like(stepping.assembly.target.data),
        counts=np.zeros(3, dtype=np.int64),
        values=np.array(
            [stepping.schedule.step, stepping.start_time, solver.correction_tolerance]
        ),
        options=np.array([stepping.schedule.output.every, solver.iteration_limit, 0]),
        book=new_book(stepping.schedule.step),
        log=np.zeros(LOG_SIZE),
        **frames,
        **rows,
    )
