"""Gauss-Legendre Runge-Kutta of 1 to 3 stages: implicit, order 2, 4 or 6."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np

from ..elements.base import Array
from ..errors import ModelError
from ..fields import check_fields
from . import _gauss_driver as driver
from ._step_state import LOG_SIZE, SINGULAR, TIME_STEP, TURNED_TOO_FAR
from ._tree_stages import AUTOMATIC, FIXED_POINT, NEWTON
from .formulation import Formulation, refuse_on_tree
from .march import new_book
from .method import MethodKind
from .reports import turned_too_far, unsolved_stages
from .start import accelerations
from .stepping import Stepping
from .time_stepper import TimeStepper
from .tree_run import Accuracy, StageTable, TreeRun

# shares of C and K in the matrix of each stage (see the driver)
DIAGONALS = {
    1: ((0.5,), (0.5,)),
    2: ((0.308467, 0.251714), (0.340365, 0.208983)),
    3: ((0.211591, 0.259961, 0.140613), (0.210575, 0.172607, 0.210603)),
}


class StageIteration(Enum):
    """How the stages of an implicit method are solved."""

    NEWTON = "newton"
    FIXED_POINT = "fixed_point"


class RotationForm(Enum):
    """How rotations are stepped: by the exponential map, or quaternions as vectors."""

    EXPONENTIAL = "exponential"
    AMBIENT = "ambient"


# of `StageIteration` on a tree
_WAYS = {
    None: AUTOMATIC,
    StageIteration.NEWTON: NEWTON,
    StageIteration.FIXED_POINT: FIXED_POINT,
}


@dataclass(frozen=True, kw_only=True)
class GaussLegendre(TimeStepper):
    """Gauss-Legendre Runge-Kutta, constraints as index 1.

    Attributes
    ----------
    stages : int
        1 (the implicit midpoint rule), 2 or 3; the order is twice that.
    iteration : StageIteration or None
        ``NEWTON`` for stiff parts such as beams; ``FIXED_POINT`` leaves stiffness and
        damping out of the matrix, and converges for steps well below the shortest
        period. None: ``NEWTON``; on a tree each step tries ``FIXED_POINT`` first, which
        is cheap there.
    form : RotationForm
        ``EXPONENTIAL``: increments on the Lie group. ``AMBIENT``: unit quaternions as
        vectors of R^4, whose length the method keeps by itself.
    stage_tolerance : float
        Change of the velocities and of their rates over one step, relative to the
        fastest frame, at which the stages count as solved.
    sweep_limit : int
        Times that all stages are solved again before a step counts as failed.
    projects_start : bool
        Whether places and velocities that violate constraints at the start are moved
        instead of refused.
    formulation : Formulation
        ``TREE``: the same equations in relative coordinates along the tree of the
        model, O(n) in time and memory; ``FIXED_POINT`` then takes no matrix. Joints
        of the tree hold exactly, loops are closed again at the end of each step.
    cut : tuple of str
        ``TREE``: joints that are cut where they lie on a loop; others where they hold
        least.

    References
    ----------
    Butcher 2008; Hairer, Lubich and Wanner 2006.
    """

    stages: int = 2
    iteration: StageIteration | None = None
    form: RotationForm = RotationForm.EXPONENTIAL
    stage_tolerance: float = 1e-14
    sweep_limit: int = 60
    projects_start: bool = False
    formulation: Formulation = Formulation.ABSOLUTE
    cut: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_fields(self, "GaussLegendre")
        refuse_on_tree(self, "form")
        if self.stages not in DIAGONALS:
            raise ModelError(f"stages is {self.stages}: expected 1, 2 or 3.")

    @property
    def loop(self) -> str:
        """Compiled loop that a run takes its steps in."""
        return "tree" if self.formulation is Formulation.TREE else "gauss_legendre"

    @property
    def is_newton(self) -> bool:
        """Whether stiffness and damping are in the matrix of the stages."""
        return self.iteration is not StageIteration.FIXED_POINT

    @property
    def kind(self) -> MethodKind:
        """Class of the runs that it makes."""
        return RunOnTree if self.formulation is Formulation.TREE else Run


class Run:
    """One run: what `Stepping.march` asks of a method."""

    name = "gauss_legendre"
    is_adaptive = False
    driver = staticmethod(driver.march_on)

    def __init__(self, solver: GaussLegendre, stepping: Stepping) -> None:
        self.solver = solver
        self.stepping = stepping
        self.memory = new_memory(solver, stepping)

    def start(self) -> None:
        """Accelerations; more is not needed."""
        accelerations(self.stepping.assembly, self.stepping.motion)

    def first_pivots(self) -> None:
        """Pivots of the matrix of a stage that starts here."""
        stepping = self.stepping
        damping = stiffness = 0.0
        if self.solver.is_newton:
            h = self.memory.values[TIME_STEP]
            shares = self.memory.diagonals[:, 0]
            damping, stiffness = h * shares[0], (h * shares[1]) ** 2
        stepping.evaluate(2, mass=1.0, damping=damping, stiffness=stiffness)
        stepping.analyze()

    def carried(self) -> dict[str, Any]:
        """What a restart needs of the memory."""
        return {"past": self.memory.past, "forces": self.memory.forces}

    def notices(self) -> list[str]:
        """What the user should know at the end."""
        return []

    def resume(self, step: float) -> None:
        """Go on from a state that an event left, with another step."""
        memory = self.memory
        self.stepping.restart_clock(memory.counts, memory.values, step)
        memory.counts[driver.HAS_PAST] = 0

    def failure(self, code: int) -> tuple[str, list[float]]:
        """Why a step was refused."""
        stepping, memory = self.stepping, self.memory
        h = memory.values[TIME_STEP]
        log = memory.log[: int(memory.counts[driver.N_LOG])].tolist()
        if code == SINGULAR:
            return stepping.why_singular(), log
        if code == TURNED_TOO_FAR:
            return turned_too_far(stepping.system, stepping.motion, h), log
        solver = self.solver
        words = unsolved_stages(
            log, solver.stage_tolerance, h, is_newton=solver.is_newton
        )
        return words, log


class RunOnTree(TreeRun):
    """The same in the coordinates of a tree's joints."""

    name = "gauss_legendre"

    def __init__(self, solver: GaussLegendre, stepping: Stepping) -> None:
        weights, nodes = gauss_tableau(solver.stages)
        super().__init__(
            stepping,
            StageTable(
                weights=weights,
                nodes=nodes,
                extrapolation=onward_weights(nodes[:-1]),
                error_weights=np.zeros(nodes.size),
                diagonals=np.array(DIAGONALS[solver.stages]),
            ),
            cut=solver.cut,
            accuracy=Accuracy(
                tolerance=solver.stage_tolerance,
                sweep_limit=solver.sweep_limit,
                iteration=_WAYS[solver.iteration],
            ),
        )


def gauss_tableau(n_stages: int) -> tuple[Array, Array]:
    """Weights (n + 1, n) with those of the step as the last row, and nodes (n + 1,).

    Collocation at the zeros of the Legendre polynomial: row i integrates the
    interpolation polynomial from 0 to ``c_i``.
    """
    zeros = np.polynomial.legendre.leggauss(n_stages)[0]
    nodes = np.append(0.5 * (zeros + 1.0), 1.0)
    powers = np.arange(1, n_stages + 1)
    integrals = nodes[:, None] ** powers / powers
    basis = np.linalg.inv(np.vander(nodes[:-1], n_stages, increasing=True))
    return np.asarray(integrals @ basis), nodes


def onward_weights(nodes: Array) -> Array:
    """Weights of the polynomial through the stages at the stages of the next step."""
    n = nodes.size
    basis = np.linalg.inv(np.vander(nodes, n, increasing=True))
    return np.asarray(np.vander(1.0 + nodes, n, increasing=True) @ basis)


def new_memory(solver: GaussLegendre, stepping: Stepping) -> driver.Memory:
    """Arrays of the driver for a run."""
    motion = stepping.motion
    n_frames, n = motion.poses.shape[0], solver.stages
    n_rows = stepping.system.dofs.n_rows
    weights, nodes = gauss_tableau(n)
    options = [
        stepping.schedule.output.every,
        solver.sweep_limit,
        int(solver.is_newton),
        int(solver.form is RotationForm.AMBIENT),
    ]
    values = [stepping.schedule.step, stepping.start_time, solver.stage_tolerance]
    work = {
        name: np.zeros((n_frames, 6))
        for name in ("first_speeds", "speeds", "now", "increments", "slope")
    }
    return driver.Memory(
        old_poses=motion.poses.copy(),
        old_velocities=motion.velocities.copy(),
        old_accelerations=motion.accelerations.copy(),
        old_multipliers=motion.multipliers.copy(),
        phi=np.zeros((n_frames, 7)),
        slopes=np.zeros((n, n_frames, 7)),
        phis=np.zeros((n, n_frames, 7)),
        rates=np.zeros((n, n_frames, 6)),
        past=np.zeros((n, n_frames, 6)),
        forces=np.zeros((n, stepping.system.dofs.n_multipliers)),
        row=np.zeros(n_rows),
        rhs=np.zeros(n_rows),
        weights=weights,
        nodes=nodes,
        onward=onward_weights(nodes[:-1]),
        diagonals=np.array(DIAGONALS[n]),
        counts=np.zeros(4, dtype=np.int64),
        values=np.array(values),
        options=np.array(options),
        book=new_book(stepping.schedule.step),
        log=np.zeros(LOG_SIZE),
        **work,
    )
