"""Munthe-Kaas Runge-Kutta of order 4: explicit, for bodies and joints."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import ModelError
from ..newton import LARGEST_TURN
from ..results import Results
from ..system import State, System
from . import _munthe_kaas_driver as driver
from .march import Progress, new_book
from .reports import describe_frame
from .schedule import Output, Schedule, StopWhen
from .singular import culprits
from .start import accelerations
from .stepping import Stepping, integrate
from .tree_run import Tableau, TreeRun

# the classical method of order 4, and its weights as the last row
TABLEAU = np.array(
    [
        [0.0, 0.0, 0.0, 0.0],
        [0.5, 0.0, 0.0, 0.0],
        [0.0, 0.5, 0.0, 0.0],
        [0.0, 0.0, 1.0, 0.0],
        [1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0],
    ]
)
NODES = np.array([0.0, 0.5, 0.5, 1.0, 1.0])


class Formulation(StrEnum):
    """Unknowns of a motion: all frames, or the coordinates of joints along a tree."""

    ABSOLUTE = "absolute"
    TREE = "tree"


ABSOLUTE, TREE = Formulation.ABSOLUTE, Formulation.TREE


@dataclass(frozen=True, kw_only=True)
class MuntheKaas:
    """Explicit Runge-Kutta of order 4 on the Lie group, constraints as index 1.

    Positions drift off the constraints with the method's own error. Beams need steps
    below the period of their fastest mode.

    Attributes
    ----------
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
    Munthe-Kaas 1998; Mueller and Terze 2013.
    """

    projects_start: bool = False
    formulation: Formulation = Formulation.ABSOLUTE
    cut: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.cut and self.formulation is not Formulation.TREE:
            raise ModelError(
                f"cut is {self.cut}, which only formulation=fl.TREE uses: leave it out."
            )

    @property
    def loop(self) -> str:
        """Compiled loop that a run takes its steps in."""
        return "tree" if self.formulation is Formulation.TREE else "munthe_kaas"

    def solve(
        self,
        system: System,
        *,
        duration: float,
        time_step: float,
        start: State | str | Path | None = None,
        output: Output = Output(),
        stop: StopWhen | None = None,
        progress: Progress | None = None,
    ) -> Results:
        """Motion from the start to the end of a time span.

        Parameters, returns and errors are those of `GeneralizedAlpha.solve`.
        """
        schedule = Schedule(
            duration=duration,
            time_step=time_step,
            output=output,
            stop=stop,
            progress=progress,
        )
        if self.formulation is Formulation.TREE:
            return integrate(RunOnTree, self, system, schedule, start=start)
        return integrate(Run, self, system, schedule, start=start)


class Run:
    """One run: what `Stepping.march` asks of a method."""

    name = "munthe_kaas"
    is_adaptive = False
    driver = staticmethod(driver.march_on)

    def __init__(self, solver: MuntheKaas, stepping: Stepping) -> None:
        self.solver = solver
        self.stepping = stepping
        self.memory = _new_memory(stepping)

    def start(self) -> None:
        """Accelerations; more is not needed."""
        accelerations(self.stepping.assembly, self.stepping.motion)

    def first_pivots(self) -> None:
        """Pivots of ``[[M, B^T], [B, 0]]`` here."""
        self.stepping.evaluate(2, mass=1.0, damping=0.0, stiffness=0.0)
        self.stepping.analyze()

    def carried(self) -> dict[str, Any]:
        """Each step begins anew."""
        return {}

    def notices(self) -> list[str]:
        """What the user should know at the end."""
        return []

    def failure(self, code: int) -> tuple[str, list[float]]:
        """Why a step was refused."""
        stepping = self.stepping
        if code in (driver.TURNED_TOO_FAR, driver.NOT_FINITE):
            speeds = np.linalg.norm(stepping.motion.velocities[:, 3:], axis=1)
            where = describe_frame(stepping.system, int(np.argmax(speeds)))
            return (
                f"{where} would turn by more than {LARGEST_TURN:g} rad in one "
                "step. Use a smaller time step, or generalized-alpha for stiff beams."
            ), []
        stepping.evaluate(2, mass=1.0, damping=0.0, stiffness=0.0)
        assembly = stepping.assembly
        where = culprits(stepping.system, assembly.matrix(assembly.target.data))
        by = f", by {where}" if where else ""
        return (
            f"mass and constraints give a singular matrix{by}. Look there for "
            "constraints that repeat or contradict each other, or for parts without "
            "mass."
        ), []


class RunOnTree(TreeRun):
    """The same in the coordinates of a tree's joints."""

    name = "munthe_kaas"

    def __init__(self, solver: MuntheKaas, stepping: Stepping) -> None:
        n = NODES.size - 1
        tableau = Tableau(TABLEAU, NODES, np.zeros((n, n)))
        super().__init__(stepping, tableau, cut=solver.cut)


def _new_memory(stepping: Stepping) -> driver.Memory:
    motion = stepping.motion
    n_frames = motion.poses.shape[0]
    n_rows = stepping.system.dofs.n_rows
    n_stages = TABLEAU.shape[1]
    return driver.Memory(
        old_poses=motion.poses.copy(),
        old_velocities=motion.velocities.copy(),
        old_accelerations=motion.accelerations.copy(),
        old_multipliers=motion.multipliers.copy(),
        phi=np.zeros((n_frames, 6)),
        slopes=np.zeros((n_stages, n_frames, 6)),
        rates=np.zeros((n_stages, n_frames, 6)),
        row=np.zeros(n_rows),
        rhs=np.zeros(n_rows),
        weights=TABLEAU.copy(),
        nodes=NODES.copy(),
        counts=np.zeros(2, dtype=np.int64),
        values=np.array([stepping.schedule.step, stepping.start_time]),
        options=np.array([stepping.schedule.output.every]),
        book=new_book(stepping.schedule.step),
    )
