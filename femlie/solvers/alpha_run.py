"""Runs of generalized-alpha, in absolute coordinates and on a tree."""

from __future__ import annotations

import math
from typing import Any, Protocol

import numpy as np

from ..elements.base import Array, IntArray
from ..elements.joint_motion import rubbing_names
from . import _alpha_driver as driver
from . import _alpha_scheme as scheme
from . import _tree_alpha_driver as tree_driver
from ._step_state import ERROR_TOO_LARGE, LOG_SIZE, TIME_STEP, TURNED_TOO_FAR
from .factors import cost_of_factors
from .march import new_book
from .reports import describe_row, error_too_large, turned_too_far
from .start import accelerations, starting_alpha
from .stepping import Stepping
from .tree_alpha import AlphaOnTree

# turns of a constraint force from step to step that count as an instability
ALTERNATIONS = 20


class AlphaSettings(Protocol):
    """What a run reads of `GeneralizedAlpha`."""

    @property
    def spectral_radius(self) -> float: ...
    @property
    def is_stabilized(self) -> bool: ...
    @property
    def projects_velocities(self) -> bool: ...
    @property
    def tolerance(self) -> float | None: ...
    @property
    def reuses_factors(self) -> bool: ...
    @property
    def residual_tolerance(self) -> float: ...
    @property
    def iteration_limit(self) -> int: ...
    @property
    def quiet_steps(self) -> float: ...
    @property
    def cut(self) -> tuple[str, ...]: ...


class Run:
    """One run: what `Stepping.march` asks of a method."""

    name = "generalized_alpha"
    driver = staticmethod(driver.march_on)

    def __init__(self, solver: AlphaSettings, stepping: Stepping) -> None:
        self.solver = solver
        self.stepping = stepping
        self.memory = _new_memory(solver, stepping)

    @property
    def is_adaptive(self) -> bool:
        """Whether the step is chosen by its error."""
        return self.solver.tolerance is not None

    def carried(self) -> dict[str, Any]:
        """What a restart needs of the memory.

        Of the values only the step: tolerances and the end are those of each run.
        """
        memory = self.memory
        step = memory.values[TIME_STEP : TIME_STEP + 1]
        return {"alpha": memory.alpha, "step": step, "alternation": memory.alternation}

    def start(self) -> None:
        """Accelerations, and the algorithmic ones."""
        stepping, memory = self.stepping, self.memory
        accelerations(stepping.assembly, stepping.motion)
        values = memory.values
        shift = (values[scheme.ALPHA_M] - values[scheme.ALPHA_F]) * values[TIME_STEP]
        memory.alpha[:] = starting_alpha(
            stepping.assembly, stepping.motion, shift=shift
        )

    def resume(self, step: float) -> None:
        """Go on from a state that an event left, with another step."""
        memory = self.memory
        self.stepping.restart_clock(memory.counts, memory.values, step)
        self.start()
        memory.alternation[:] = 0.0

    def first_pivots(self) -> None:
        """Pivots for the matrix of a step that starts here."""
        v = self.memory.values
        to_rate, to_speed = scheme.weights_of(v)
        self.stepping.evaluate(0, mass=to_rate, damping=to_speed, stiffness=1.0)
        self.stepping.analyze()
        if self.solver.reuses_factors:
            v[scheme.COST_OF_FACTORS] = cost_of_factors(
                self.stepping.assembly,
                self.stepping.factorization,
                n_levels=2 if self.solver.is_stabilized else 1,
            )

    def notices(self) -> list[str]:
        """What the user should know at the end."""
        return _notices(self.solver, self.memory.alternation)

    def failure(self, code: int) -> tuple[str, list[float]]:
        """Why a step was refused, and the residuals of its iterations."""
        stepping, memory = self.stepping, self.memory
        counts = memory.counts
        h = memory.values[TIME_STEP]
        log = memory.log[: int(counts[scheme.N_LOG])].tolist()
        system = stepping.system
        if code == TURNED_TOO_FAR:
            return turned_too_far(system, stepping.motion, h), log
        if code == ERROR_TOO_LARGE:
            return error_too_large(self.solver.tolerance or 0.0, h), log
        where = describe_row(system, int(counts[scheme.WORST_ROW]))
        return _residual_too_large(self.solver, where, log), log


class RunOnTree:
    """The same in the coordinates of a tree's joints."""

    name = "generalized_alpha"
    driver = staticmethod(tree_driver.march_on)

    def __init__(self, solver: AlphaSettings, stepping: Stepping) -> None:
        self.solver = solver
        values, options = _numbers(solver, stepping)
        self.run = AlphaOnTree(stepping, solver.cut, values, options)
        self.memory = self.run.memory
        self.start = self.run.start
        self.resume = self.run.resume
        self.first_pivots = self.run.first_pivots
        self.carried = self.run.carried

    @property
    def is_adaptive(self) -> bool:
        """Whether the step is chosen by its error."""
        return self.solver.tolerance is not None

    def notices(self) -> list[str]:
        """What the user should know at the end."""
        return _notices(self.solver, self.run.work.alternation)

    def failure(self, code: int) -> tuple[str, list[float]]:
        """Why a step was refused, and the residuals of its iterations."""
        counts, work = self.memory.counts, self.run.work
        log = work.log[: int(counts[scheme.N_LOG])].tolist()
        h = float(work.values[TIME_STEP])
        if code == TURNED_TOO_FAR:
            return self.run.tree.turned_too_far(h), log
        if code == ERROR_TOO_LARGE:
            return error_too_large(self.solver.tolerance or 0.0, h), log
        where = self.run.tree.describe(int(counts[scheme.WORST_ROW]))
        return _residual_too_large(self.solver, where, log), log


def _notices(solver: AlphaSettings, alternation: Array) -> list[str]:
    worst = alternation[1].max(initial=0.0)
    if solver.is_stabilized or worst < ALTERNATIONS:
        return []
    return [
        (
            "Constraint forces change sign from step to step: the index-3 form is "
            "unstable here; use is_stabilized=True or a smaller step."
        )
    ]


def _residual_too_large(solver: AlphaSettings, where: str, log: list[float]) -> str:
    size = f"{log[-1]:.3g}" if log else "unknown"
    advice = (
        "a smaller time step or a smaller spectral radius"
        if solver.is_stabilized
        else "is_stabilized=True (index 3 is unstable on long chains) or a smaller "
        "time step"
    )
    return (
        f"the residual of {size} (allowed {solver.residual_tolerance:g}) is largest at "
        f"{where}. Use {advice}."
    )


def _numbers(solver: AlphaSettings, stepping: Stepping) -> tuple[Array, IntArray]:
    """Values and options of a run."""
    rho = solver.spectral_radius
    alpha_m = (2.0 * rho - 1.0) / (rho + 1.0)
    alpha_f = rho / (rho + 1.0)
    gamma = 0.5 + alpha_f - alpha_m
    beta = 0.25 * (gamma + 0.5) ** 2
    values = np.array(
        [
            stepping.schedule.step,
            stepping.start_time,
            solver.residual_tolerance,
            alpha_m,
            alpha_f,
            beta,
            gamma,
            0.0 if solver.tolerance is None else solver.tolerance,
            math.inf if solver.tolerance is None else stepping.end_time,
            stepping.schedule.smallest_step,
            -1.0,
        ]
    )
    options = np.array(
        [
            stepping.schedule.output.every,
            solver.iteration_limit,
            int(solver.is_stabilized),
            int(solver.projects_velocities),
            scheme.LAST_ATTEMPT if rubbing_names(stepping.system.blocks) else 0,
        ]
    )
    return values, options


def _new_memory(solver: AlphaSettings, stepping: Stepping) -> driver.Memory:
    motion = stepping.motion
    n_rows = stepping.system.dofs.n_rows
    n_frames = motion.poses.shape[0]
    m = stepping.system.dofs.n_multipliers
    values, options = _numbers(solver, stepping)
    return driver.Memory(
        alpha=np.zeros((n_frames, 6)),
        speeds=np.zeros((n_frames, 6)),
        rates=np.zeros((n_frames, 6)),
        old_rates=np.zeros((n_frames, 6)),
        after=np.zeros((n_frames, 6)),
        old_poses=motion.poses.copy(),
        old_velocities=motion.velocities.copy(),
        old_accelerations=motion.accelerations.copy(),
        old_multipliers=motion.multipliers.copy(),
        before=np.zeros((n_frames, 6)),
        row=np.zeros(n_rows),
        rhs=np.zeros(n_rows),
        place=np.zeros(m),
        counts=np.zeros(5, dtype=np.int64),
        values=values,
        options=options,
        book=new_book(stepping.schedule.step),
        log=np.zeros(LOG_SIZE),
        alternation=np.zeros((2, m)),
    )
