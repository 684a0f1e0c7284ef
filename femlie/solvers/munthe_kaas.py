"""Munthe-Kaas Runge-Kutta of order 4: explicit, for bodies and joints."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np

from .._equations import evaluate_blocks
from ..errors import ModelError
from ..newton import LARGEST_TURN
from ..results import Results
from ..system import State, System
from . import _munthe_kaas_driver as driver
from .march import Progress, new_book, run
from .reports import describe_frame
from .schedule import Schedule, StopWhen
from .start import accelerations, check_start
from .stepping import Stepping

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


class Formulation(Enum):
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

    def solve(  # noqa: PLR0913  (each is a word of the user's)
        self,
        system: System,
        *,
        duration: float,
        time_step: float,
        output_every: int = 1,
        checkpoint_every: int = 1000,
        start: State | None = None,
        path: str | Path | None = None,
        restart: str | Path | None = None,
        stop: StopWhen | None = None,
        progress: Progress | None = None,
    ) -> Results:
        """Motion from the start to the end of a time span.

        Parameters, returns and errors are those of `GeneralizedAlpha.solve`.
        """
        schedule = Schedule(
            duration=duration,
            time_step=time_step,
            output_every=output_every,
            checkpoint_every=checkpoint_every,
            path=path,
            restart=restart,
            stop=stop,
            progress=progress,
        )
        analysis = {
            "method": "munthe_kaas",
            **dataclasses.asdict(self),
            "formulation": self.formulation.value,
            "duration": duration,
            "time_step": schedule.step,
        }
        stepping = Stepping(system, schedule, analysis=analysis, start=start)
        if self.formulation is Formulation.TREE:
            from .tree_munthe_kaas import TreeRun

            run_on_tree = TreeRun(Run(self, stepping), TABLEAU, NODES)
            return stepping.march(run_on_tree)
        return stepping.march(Run(self, stepping))


class Run:
    """One run: what `Stepping.march` asks of a method."""

    name = "munthe_kaas"
    is_adaptive = False
    driver = staticmethod(driver.march_on)

    def __init__(self, solver: MuntheKaas, stepping: Stepping) -> None:
        self.solver = solver
        self.stepping = stepping
        self.memory: Any = _new_memory(stepping)

    def start(self) -> None:
        """Consistent accelerations, or a checkpoint."""
        stepping, memory = self.stepping, self.memory
        if stepping.schedule.restart is not None:
            _, arrays = stepping.load_checkpoint()
            for name, array in self.carried().items():
                array[:] = arrays[name]
            stepping.begin()
            return
        stepping.begin()
        stepping.warnings += check_start(
            stepping.assembly, stepping.motion, projects=self.solver.projects_start
        )
        accelerations(stepping.assembly, stepping.motion)
        stepping.open_book(memory.book)

    def first_pivots(self) -> None:
        """Pivots of ``[[M, B^T], [B, 0]]`` here."""
        stepping = self.stepping
        run(
            stepping.assembly,
            evaluate_blocks,
            stepping.motion,
            stepping.assembly.target,
            2,
            1.0,
            0.0,
            0.0,
        )
        stepping.analyze()

    def carried(self) -> dict[str, Any]:
        """What a restart needs of the memory."""
        return {
            f"memory_{name}": getattr(self.memory, name) for name in ("counts", "book")
        }

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
        return (
            "mass and constraints give a singular matrix. Look for constraints that "
            "contradict each other, or for parts without mass."
        ), []


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
        options=np.array([stepping.schedule.output_every]),
        book=new_book(stepping.schedule.step),
    )
