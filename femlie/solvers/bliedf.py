"""BLieDF: backward differences on Lie groups, implicit, of order 1 to 4."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from .._groups import SO3_R3
from ..elements.base import Array
from ..errors import ModelError
from ..fields import check_fields
from ..lie import quaternion, se3
from . import _bliedf_driver as driver
from . import gauss_legendre
from ._step_state import LOG_SIZE, STEP, TIME_STEP, TURNED_TOO_FAR
from .march import new_book
from .method import MethodKind
from .reports import describe_row, turned_too_far
from .start import accelerations, group_velocities
from .stepping import Stepping
from .time_stepper import TimeStepper

# weights of v_n, v_n-1, ... in h times the rate at n
DIFFERENCES = {
    1: (1.0, -1.0),
    2: (3.0 / 2.0, -2.0, 1.0 / 2.0),
    3: (11.0 / 6.0, -3.0, 3.0 / 2.0, -1.0 / 3.0),
    4: (25.0 / 12.0, -4.0, 3.0, -4.0 / 3.0, 1.0 / 4.0),
}


@dataclass(frozen=True, kw_only=True)
class BLieDF(TimeStepper):
    """Backward differences on Lie groups with a fixed step, in index-3 form.

    Places satisfy the constraints; velocities violate them by the method's error. Fast
    modes are damped strongly with one and two steps; three and four amplify undamped
    modes with periods of some 3 to 30 time steps. The first steps are those of a
    Gauss-Legendre method of order 4.

    Attributes
    ----------
    steps : int
        1 to 4, which is also the order.
    residual_tolerance : float
        Relative size of the residual at which Newton's iteration ends.
    iteration_limit : int
        Newton iterations of a step before it counts as failed.
    projects_start : bool
        Whether places and velocities that violate constraints at the start are moved
        instead of refused.

    References
    ----------
    Wieloch and Arnold 2021.
    """

    loop: ClassVar[str] = "bliedf"
    steps: int = 2
    residual_tolerance: float = 1e-10
    iteration_limit: int = 20
    projects_start: bool = False

    def __post_init__(self) -> None:
        check_fields(self, "BLieDF")
        if self.steps not in DIFFERENCES:
            raise ModelError(f"steps is {self.steps}: expected 1, 2, 3 or 4.")

    @property
    def kind(self) -> MethodKind:
        """Class of the runs that it makes."""
        return Run


class Run:
    """One run: what `Stepping.march` asks of a method."""

    name = "bliedf"
    is_adaptive = False
    driver = staticmethod(driver.march_on)

    def __init__(self, solver: BLieDF, stepping: Stepping) -> None:
        self.solver = solver
        self.stepping = stepping
        self.memory = _new_memory(solver, stepping)

    def start(self) -> None:
        """Velocities and their rates at a start; steps of another method follow."""
        accelerations(self.stepping.assembly, self.stepping.motion)
        memory = self.memory
        memory.past[:] = 0.0
        memory.means[:] = 0.0
        memory.past[0] = self._speeds()
        memory.first_steps[0] = self.solver.steps - 1

    def first_pivots(self) -> None:
        """Pivots for the matrix of a step that starts here, behind the first ones."""
        stepping, memory = self.stepping, self.memory
        if memory.first_steps[0]:
            self._first_steps()
            memory.first_steps[0] = 0
        h = memory.values[TIME_STEP]
        to_speed = memory.sums[0] / h
        to_rate = memory.differences[0] / h * to_speed
        stepping.evaluate(0, mass=to_rate, damping=to_speed, stiffness=1.0)
        stepping.analyze()

    def _first_steps(self) -> None:
        """Steps of Gauss-Legendre with two stages, whose velocities are kept."""
        stepping, memory = self.stepping, self.memory
        motion, h = stepping.motion, self.memory.values[TIME_STEP]
        first = gauss_legendre.Run(gauss_legendre.GaussLegendre(), stepping)
        done = int(memory.counts[STEP])
        first.memory.counts[STEP] = done
        first.memory.book[:] = memory.book
        first.resume(h)
        last = min(done + int(memory.first_steps[0]), stepping.n_steps)
        for step in range(done + 1, last + 1):
            before = motion.poses.copy()
            stepping.advance(first, step)
            for array in (memory.past, memory.means):
                array[1:] = array[:-1].copy()
            memory.past[0] = self._speeds()
            driver.mean_velocity(
                stepping.assembly.equations.groups,
                self._increments(before),
                memory.past[1],
                memory.past[0],
                h,
                memory.means[0],
            )
            memory.counts[STEP] = step
            if stepping.looks_finished():
                break
        memory.book[:] = first.memory.book

    def _speeds(self) -> Array:
        """Velocities of the frames' groups now; their rates for the first guess."""
        stepping = self.stepping
        speeds, self.memory.rates[:] = group_velocities(
            stepping.assembly, stepping.motion
        )
        return speeds

    def _increments(self, before: Array) -> Array:
        """Increments in the frames' groups from other poses to those of now."""
        poses = self.stepping.motion.poses
        increments = se3.relative_log(before, poses)
        is_split = self.stepping.assembly.equations.groups == SO3_R3
        turn = quaternion.multiply(quaternion.conjugate(before[:, 3:]), poses[:, 3:])
        increments[is_split, :3] = (poses - before)[is_split, :3]
        increments[is_split, 3:] = quaternion.log(turn)[is_split]
        return np.ascontiguousarray(increments)

    def carried(self) -> dict[str, Any]:
        """What a restart needs of the memory."""
        names = ("past", "means", "rates", "first_steps")
        return {name: getattr(self.memory, name) for name in names}

    def notices(self) -> list[str]:
        """What the user should know at the end."""
        return []

    def resume(self, step: float) -> None:
        """Go on from a state that an event left, with another step."""
        self.stepping.restart_clock(self.memory.counts, self.memory.values, step)
        self.start()

    def failure(self, code: int) -> tuple[str, list[float]]:
        """Why a step was refused, and the residuals of its iterations."""
        stepping, memory = self.stepping, self.memory
        h = memory.values[TIME_STEP]
        log = memory.log[: int(memory.counts[driver.N_LOG])].tolist()
        if code == TURNED_TOO_FAR:
            return turned_too_far(stepping.system, stepping.motion, h), log
        where = describe_row(stepping.system, int(memory.counts[driver.WORST_ROW]))
        size = f"{log[-1]:.3g}" if log else "unknown"
        return (
            f"the residual of {size} (allowed {memory.values[driver.TOLERANCE]:g}) is "
            f"largest at {where}. Use a smaller time step than {h:g} s."
        ), log


def _new_memory(solver: BLieDF, stepping: Stepping) -> driver.Memory:
    motion, k = stepping.motion, solver.steps
    shape = (motion.poses.shape[0], 6)
    n_rows = stepping.system.dofs.n_rows
    differences = np.array(DIFFERENCES[k])
    frames = {
        name: np.zeros(shape) for name in ("speeds", "rates", "mean", "increments")
    }
    return driver.Memory(
        old_poses=motion.poses.copy(),
        old_velocities=motion.velocities.copy(),
        old_accelerations=motion.accelerations.copy(),
        old_multipliers=motion.multipliers.copy(),
        past=np.zeros((k, *shape)),
        means=np.zeros((k, *shape)),
        row=np.zeros(n_rows),
        rhs=np.zeros(n_rows),
        differences=differences,
        sums=np.cumsum(differences)[:-1],
        first_steps=np.zeros(1, dtype=np.int64),
        counts=np.zeros(4, dtype=np.int64),
        values=np.array(
            [stepping.schedule.step, stepping.start_time, solver.residual_tolerance]
        ),
        options=np.array([stepping.schedule.output.every, solver.iteration_limit]),
        book=new_book(stepping.schedule.step),
        log=np.zeros(LOG_SIZE),
        **frames,
    )
