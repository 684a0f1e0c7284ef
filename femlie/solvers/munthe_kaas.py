"""Munthe-Kaas Runge-Kutta of any explicit tableau, constraints as index 1."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._groups import EXACT, SERIES
from ..assembly import Assembly
from ..elements.base import Array, IntArray, Motion
from ..errors import ModelError
from ..fields import check_fields
from . import _munthe_kaas_driver as driver
from ._step_state import ERROR_TOO_LARGE, NOT_FINITE, TIME_STEP, TURNED_TOO_FAR
from .fastest import Inertia, check_step
from .formulation import Formulation, refuse_on_tree
from .march import new_book
from .method import MethodKind
from .reports import error_too_large, turned_too_far
from .schedule import Schedule
from .start import KktSolver, accelerations, has_moving_inertia
from .stepping import Stepping
from .tableaus import RungeKutta, Tableau
from .time_stepper import TimeStepper
from .tree_inertia import TreeInertia
from .tree_run import Accuracy, StageTable, TreeRun

# Baumgarte's poles, times the step, at which explicit methods are still stable
LARGEST_PULL = 1.0


@dataclass(frozen=True, kw_only=True)
class MuntheKaas(TimeStepper):
    """Explicit Runge-Kutta on the Lie group, constraints as index 1.

    Positions drift off the constraints with the method's own error, unless it is held.
    Beams need steps below the period of their fastest mode: a longer one is refused
    with the step that it takes.

    Attributes
    ----------
    tableau : RungeKutta or Tableau
        The method on increments: ``EULER``, ``HEUN``, ``RUNGE_KUTTA_4``,
        ``DORMAND_PRINCE`` (order 5, 4 for the error), ``FEHLBERG_8`` (8 and 7); or the
        numbers of another one, which are checked against their order.
    tolerance : float or None
        Error of one step, relative to the model's size, in radians and relative to the
        velocities, that the step is chosen for; ``time_step`` is then the first one.
        None: a fixed step. Needs a tableau with embedded weights.
    series_order : int or None
        Highest power of ``ad`` in the inverse tangent operator; order p needs p - 2.
        None: the closed form.
    baumgarte : float
        Rate at which violations of constraints decay [1/s]; 0: they drift.
    projects_drift : bool
        Whether places and velocities are moved onto the constraints after each step,
        as little as the mass matrix says.
    projects_start : bool
        Whether places and velocities that violate constraints at the start are moved
        instead of refused.
    formulation : Formulation
        ``TREE``: the same equations in relative coordinates along the tree of the
        model, O(n) in time and memory. Joints of the tree hold exactly, loops are
        closed again at the end of each step.
    cut : tuple of str
        ``TREE``: joints that are cut where they lie on a loop; others where they hold
        least.

    References
    ----------
    Munthe-Kaas 1998; Mueller and Terze 2013; Baumgarte 1972.
    """

    tableau: RungeKutta | Tableau = RungeKutta.RUNGE_KUTTA_4
    tolerance: float | None = None
    series_order: int | None = None
    baumgarte: float = 0.0
    projects_drift: bool = False
    projects_start: bool = False
    formulation: Formulation = Formulation.ABSOLUTE
    cut: tuple[str, ...] = ()

    @property
    def loop(self) -> str:
        """Compiled loop that a run takes its steps in."""
        return "tree" if self.formulation is Formulation.TREE else "munthe_kaas"

    def __post_init__(self) -> None:
        check_fields(self, "MuntheKaas")
        refuse_on_tree(self, "series_order", "baumgarte", "projects_drift")
        if self.tolerance is not None and self.numbers.embedded is None:
            raise ModelError(
                "tolerance needs a tableau with embedded weights: use "
                "DORMAND_PRINCE, FEHLBERG_8 or HEUN, or a fixed step."
            )
        highest = len(SERIES) - 1
        if self.series_order is not None and not 0 <= self.series_order <= highest:
            raise ModelError(
                f"series_order is {self.series_order}: expected 0 to {highest}, or "
                "None for the closed form."
            )
        if self.baumgarte < 0.0:
            raise ModelError(
                f"baumgarte is {self.baumgarte:g}: expected a rate in 1/s, or 0."
            )

    @property
    def numbers(self) -> Tableau:
        """The tableau itself."""
        if isinstance(self.tableau, RungeKutta):
            return self.tableau.tableau
        return self.tableau

    @property
    def kind(self) -> MethodKind:
        """Class of the runs that it makes."""
        return RunOnTree if self.formulation is Formulation.TREE else Run

    @property
    def may_rub(self) -> bool:
        """Whether its steps find out what sticks in joints with friction."""
        return True

    def check_step(
        self, assembly: Assembly, motion: Motion, schedule: Schedule
    ) -> None:
        """Refuse a fixed step with which the fastest mode, or a violation, grows."""
        if self.baumgarte * schedule.step > LARGEST_PULL:
            raise ModelError(
                f"baumgarte is {self.baumgarte:g} 1/s with a time step of "
                f"{schedule.step:g} s: expected at most "
                f"{LARGEST_PULL / schedule.step:g} 1/s, or the violations grow."
            )
        if self.tolerance is None:
            check_step(
                assembly,
                motion,
                self.numbers.growth,
                time_step=schedule.step,
                duration=schedule.duration,
                name=f"the tableau of order {self.numbers.order}",
                inertia_of=self._inertia_of,
            )

    def _inertia_of(self, assembly: Assembly, motion: Motion) -> Inertia:
        if self.formulation is Formulation.TREE:
            return TreeInertia(assembly, motion, self.cut)
        return KktSolver(assembly, motion)


class Run:
    """One run: what `Stepping.march` asks of a method."""

    name = "munthe_kaas"
    driver = staticmethod(driver.march_on)

    def __init__(self, solver: MuntheKaas, stepping: Stepping) -> None:
        self.solver = solver
        self.stepping = stepping
        self.memory = _new_memory(solver, stepping)
        # accelerations to the last digit keep joints to the ground in place
        stepping.n_sweeps = int(stepping.system.dofs.n_multipliers > 0)

    @property
    def is_adaptive(self) -> bool:
        """Whether the step is chosen by its error."""
        return self.solver.tolerance is not None

    def start(self) -> None:
        """Accelerations; more is not needed."""
        accelerations(self.stepping.assembly, self.stepping.motion)

    def first_pivots(self) -> None:
        """Pivots of ``[[M, B^T], [B, 0]]`` here, and whether this ever changes."""
        stepping = self.stepping
        options = self.memory.options
        if options[driver.MATRIX] == driver.UNKNOWN:
            is_free = stepping.system.dofs.n_multipliers == 0
            is_fixed = is_free and not has_moving_inertia(
                stepping.assembly, stepping.motion
            )
            options[driver.MATRIX] = driver.NEW if is_fixed else driver.MOVING
        elif options[driver.MATRIX] == driver.FACTORIZED:
            options[driver.MATRIX] = driver.NEW
        stepping.evaluate(2, mass=1.0, damping=0.0, stiffness=0.0)
        stepping.analyze()

    def carried(self) -> dict[str, Any]:
        """What a restart needs of the memory.

        Of the values only the step: tolerances and the end are those of each run.
        """
        memory = self.memory
        step = memory.values[TIME_STEP : TIME_STEP + 1]
        return {"step": step, "lost": memory.lost}

    def notices(self) -> list[str]:
        """What the user should know at the end."""
        return []

    def resume(self, step: float) -> None:
        """Go on from a state that an event left, with another step."""
        memory = self.memory
        self.stepping.restart_clock(memory.counts, memory.values, step)
        memory.lost[:] = 0.0

    def failure(self, code: int) -> tuple[str, list[float]]:
        """Why a step was refused."""
        stepping = self.stepping
        step = self.memory.values[TIME_STEP]
        if code == ERROR_TOO_LARGE:
            return error_too_large(self.solver.tolerance or 0.0, step), []
        if code in (TURNED_TOO_FAR, NOT_FINITE):
            other = ", or generalized-alpha for stiff beams"
            return turned_too_far(
                stepping.system, stepping.motion, step, other=other
            ), []
        return stepping.why_singular(), []


class RunOnTree(TreeRun):
    """The same in the coordinates of a tree's joints."""

    name = "munthe_kaas"

    def __init__(self, solver: MuntheKaas, stepping: Stepping) -> None:
        numbers = solver.numbers
        rows = numbers.rows
        n = rows.shape[1]
        table = StageTable(
            weights=rows,
            nodes=rows.sum(axis=1),
            extrapolation=np.zeros((n, n)),
            error_weights=numbers.error_weights,
            diagonals=np.zeros((2, n)),
        )
        accuracy = Accuracy(
            error_tolerance=solver.tolerance or 0.0, error_power=_error_power(numbers)
        )
        super().__init__(stepping, table, cut=solver.cut, accuracy=accuracy)


def _error_power(tableau: Tableau) -> float:
    """Power of the error that the step follows."""
    return 1.0 / (min(tableau.order, tableau.embedded_order) + 1.0)


def _numbers(solver: MuntheKaas, stepping: Stepping) -> tuple[Array, IntArray]:
    """Values and options of a run."""
    is_adaptive = solver.tolerance is not None
    values = [
        stepping.schedule.step,
        stepping.start_time,
        solver.tolerance or 0.0,
        _error_power(solver.numbers),
        stepping.end_time if is_adaptive else math.inf,
        stepping.schedule.smallest_step,
        solver.baumgarte,
    ]
    options = [
        stepping.schedule.output.every,
        EXACT if solver.series_order is None else solver.series_order,
        int(solver.projects_drift),
        driver.UNKNOWN,
    ]
    return np.array(values), np.array(options)


def _new_memory(solver: MuntheKaas, stepping: Stepping) -> driver.Memory:
    motion, tableau = stepping.motion, solver.numbers
    n_frames = motion.poses.shape[0]
    n_rows = stepping.system.dofs.n_rows
    n_stages = len(tableau.weights)
    rows = tableau.rows
    values, options = _numbers(solver, stepping)
    return driver.Memory(
        old_poses=motion.poses.copy(),
        old_velocities=motion.velocities.copy(),
        old_accelerations=motion.accelerations.copy(),
        old_multipliers=motion.multipliers.copy(),
        first_speeds=np.zeros((n_frames, 6)),
        speeds=np.zeros((n_frames, 6)),
        lost=np.zeros((2, n_frames, 6)),
        phi=np.zeros((n_frames, 6)),
        slopes=np.zeros((n_stages + 1, n_frames, 6)),
        rates=np.zeros((n_stages + 1, n_frames, 6)),
        row=np.zeros(n_rows),
        rhs=np.zeros(n_rows),
        gap=np.zeros(stepping.system.dofs.n_multipliers),
        weights=rows,
        nodes=rows.sum(axis=1),
        error_weights=tableau.error_weights,
        counts=np.zeros(3, dtype=np.int64),
        values=values,
        options=options,
        book=new_book(stepping.schedule.step),
    )
