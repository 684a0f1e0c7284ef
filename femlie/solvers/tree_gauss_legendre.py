"""Gauss-Legendre Runge-Kutta on the tree of a model, without any matrix."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from ..errors import ModelError
from ..results import Results
from ..system import State, System
from .march import Progress
from .schedule import Output, Schedule, StopWhen
from .stepping import Stepping, integrate
from .tree_run import Tableau, TreeRun

MOST_STAGES = 3


def tableau(n_stages: int) -> Tableau:
    """Collocation at the Gauss points.

    Parameters
    ----------
    n_stages : int

    Returns
    -------
    Tableau

    References
    ----------
    Hairer, Lubich and Wanner 2006, section II.1.2.
    """
    points, _ = np.polynomial.legendre.leggauss(n_stages)
    nodes = 0.5 * (points + 1.0)
    powers = np.arange(n_stages)
    inverse = np.linalg.inv(nodes[:, None] ** powers)
    ends = np.append(nodes, 1.0)
    weights = (ends[:, None] ** (powers + 1) / (powers + 1)) @ inverse
    extrapolation = (1.0 + nodes[:, None]) ** powers @ inverse
    return Tableau(weights, ends, extrapolation)


@dataclass(frozen=True, kw_only=True)
class TreeGaussLegendre:
    """Gauss-Legendre Runge-Kutta in the joint coordinates of a model's tree.

    Symplectic for conservative models, so that energy does not drift. Stages are
    solved by fixed-point iteration: steps must be well below the shortest period, as
    with explicit methods. Loops are closed again at the end of each step.

    Attributes
    ----------
    stages : int
        1 (the implicit midpoint rule), 2 or 3; the order is twice that.
    stage_tolerance : float
        Change of the rates over a step that later sweeps would bring, relative to the
        largest rate, at which the stages count as solved.
    sweep_limit : int
        Times that all stages are solved again before a step counts as failed.
    projects_start : bool
        Whether places and velocities that violate constraints at the start are moved
        instead of refused.
    cut : tuple of str
        Joints that are cut where they lie on a loop; others where they hold least.

    References
    ----------
    Hairer, Lubich and Wanner 2006.
    """

    loop: ClassVar[str] = "tree"
    stages: int = 3
    stage_tolerance: float = 1e-14
    sweep_limit: int = 60
    projects_start: bool = False
    cut: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not 1 <= self.stages <= MOST_STAGES:
            raise ModelError(f"stages is {self.stages}: expected 1, 2 or 3.")
        if not 0.0 < self.stage_tolerance < 1.0:
            raise ModelError(
                f"stage_tolerance is {self.stage_tolerance:g}: expected a number "
                "between 0 and 1."
            )
        if self.sweep_limit < 1:
            raise ModelError(
                f"sweep_limit is {self.sweep_limit}: expected one or more."
            )

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
        return integrate(Run, self, system, schedule, start=start)


class Run(TreeRun):
    """One run: what `Stepping.march` asks of a method."""

    name = "tree_gauss_legendre"

    def __init__(self, solver: TreeGaussLegendre, stepping: Stepping) -> None:
        super().__init__(
            stepping,
            tableau(solver.stages),
            cut=solver.cut,
            tolerance=solver.stage_tolerance,
            sweep_limit=solver.sweep_limit,
        )
