"""Gauss-Legendre Runge-Kutta on the tree of a model, without any matrix."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .._jit import by_reference
from ..elements.base import Array, IntArray, Motion, Target
from ..errors import ModelError
from ..newton import LARGEST_TURN
from ..results import Results
from ..system import State, System
from . import _tree_gauss_driver as driver
from ._munthe_kaas_driver import NOT_FINITE, TURNED_TOO_FAR
from ._tree_driver import Memory
from ._tree_dynamics import Problem
from .march import Progress
from .reports import describe_frame
from .schedule import Schedule, StopWhen
from .stepping import Stepping
from .tree_munthe_kaas import TreeRun

MOST_STAGES = 3


class Work(NamedTuple):
    """Arrays of a run: those of every method on a tree, and the stages'."""

    equations: Any
    motion: Motion
    target: Target
    problem: Problem
    old_frames: Array
    before: Array
    old_rates: Array
    old_second_rates: Array
    phi: Array
    slopes: Array
    rates: Array
    weights: Array
    nodes: Array
    outputs: Array
    held: IntArray
    held_slots: IntArray
    places: IntArray
    twist: Array
    normal: Array
    values: Array  # (3,) time step, start, tolerance
    energies: Array
    options: IntArray  # (2,) output every, most sweeps
    book: Array
    extrapolation: Array  # (n_stages, n_stages)
    last_rates: Array  # (n_stages, n_coordinates) second rates of the last step


def tableau(n_stages: int) -> tuple[Array, Array, Array]:
    """Weights with the step's as the last row, nodes, and extrapolation to a step on.

    Parameters
    ----------
    n_stages : int

    Returns
    -------
    weights : (n_stages + 1, n_stages) array
    nodes : (n_stages + 1,) array
    extrapolation : (n_stages, n_stages) array
        Values at the nodes of a step from those of the step before.

    References
    ----------
    Hairer, Lubich and Wanner 2006, section II.1.2: collocation at the Gauss points.
    """
    points, _ = np.polynomial.legendre.leggauss(n_stages)
    nodes = 0.5 * (points + 1.0)
    powers = np.arange(n_stages)
    inverse = np.linalg.inv(nodes[:, None] ** powers)
    ends = np.append(nodes, 1.0)
    weights = (ends[:, None] ** (powers + 1) / (powers + 1)) @ inverse
    extrapolation = (1.0 + nodes[:, None]) ** powers @ inverse
    return weights, ends, extrapolation


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
            "method": "tree_gauss_legendre",
            **dataclasses.asdict(self),
            "formulation": "tree",
            "duration": duration,
            "time_step": schedule.step,
        }
        stepping = Stepping(system, schedule, analysis=analysis, start=start)
        return stepping.march(Run(self, stepping))


class _Words:
    """What `TreeRun` asks of the solver that it runs for."""

    def __init__(self, solver: TreeGaussLegendre, stepping: Stepping) -> None:
        self.solver = solver
        self.stepping = stepping

    def notices(self) -> list[str]:
        return []

    def failure(self, code: int) -> tuple[str, list[float]]:
        """Why a step was refused."""
        stepping = self.stepping
        if code in (TURNED_TOO_FAR, NOT_FINITE):
            speeds = np.linalg.norm(stepping.motion.velocities[:, 3:], axis=1)
            where = describe_frame(stepping.system, int(np.argmax(speeds)))
            return (
                f"a joint near {where} would turn by more than {LARGEST_TURN:g} rad in "
                "one step. Use a smaller time step."
            ), []
        if code == driver.NO_CONVERGENCE:
            return (
                f"the stages did not settle in {self.solver.sweep_limit} sweeps. Use a "
                "smaller time step; stiff parts need an implicit method with Newton "
                "iterations."
            ), []
        return (
            "the inertia along a coordinate vanishes. Look for parts without mass."
        ), []


class Run(TreeRun):
    """One run: what `Stepping.march` asks of a method."""

    name = "tree_gauss_legendre"
    driver = staticmethod(driver.march_on)

    def __init__(self, solver: TreeGaussLegendre, stepping: Stepping) -> None:
        weights, nodes, extrapolation = tableau(solver.stages)
        super().__init__(_Words(solver, stepping), weights, nodes)
        own = self.work._asdict()
        own["values"] = np.append(own["values"], solver.stage_tolerance)
        own["options"] = np.append(own["options"], solver.sweep_limit)
        self.last_rates = np.zeros((solver.stages, self.structure.n_coordinates))
        work = Work(**own, extrapolation=extrapolation, last_rates=self.last_rates)
        given: Any = work
        if self.is_compiled:
            given = by_reference(
                work._replace(
                    equations=by_reference(stepping.assembly.compiled_equations),
                    problem=self.compiled,
                )
            )
        self.memory = Memory(self.memory.counts, given)

    def carried(self) -> dict[str, Any]:
        """What a restart needs of the memory."""
        return {**super().carried(), "memory_last_rates": self.last_rates}
