"""A run of a Runge-Kutta method on the tree of a model."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..elements.base import Array
from ..linear import placeholder
from . import _tree_driver as driver
from ._step_state import (
    ERROR_TOO_LARGE,
    LOG_SIZE,
    NOT_CONVERGED,
    NOT_FINITE,
    TIME_STEP,
    TURNED_TOO_FAR,
)
from ._tree_stages import FIXED_POINT, N_LOG, NEWTON, Memory, Work
from .on_tree import OnTree
from .reports import error_too_large, unsolved_stages
from .stepping import Stepping
from .tree_problem import Uses


class StageTable(NamedTuple):
    """A Runge-Kutta method.

    Attributes
    ----------
    weights : (n_stages + 1, n_stages) array
        The last row gives the step.
    nodes : (n_stages + 1,) array
    extrapolation : (n_stages, n_stages) array
        Of collocation: values at the nodes of a step from those of the step before.
    error_weights : (n_stages + 1,) array
        Of an embedded method: difference of the two.
    diagonals : (2, n_stages) array
        Of collocation: shares of damping and stiffness in the matrix of each stage.
    """

    weights: Array
    nodes: Array
    extrapolation: Array
    error_weights: Array
    diagonals: Array


class Accuracy(NamedTuple):
    """When stages count as solved, and steps as accurate.

    Attributes
    ----------
    tolerance : float
        At which the stages of collocation count as solved.
    sweep_limit : int
        How often they are solved again; zero for explicit methods.
    iteration : int
        How stages of collocation are solved: `FIXED_POINT`, `NEWTON` or `AUTOMATIC` of
        `_tree_stages`.
    error_tolerance : float
        Error of a step; zero: a fixed step.
    error_power : float
        Power of the error that the step follows.
    """

    tolerance: float = 0.0
    sweep_limit: int = 0
    iteration: int = FIXED_POINT
    error_tolerance: float = 0.0
    error_power: float = 0.0


class TreeRun:
    """One run on a tree: what `Stepping.march` asks of a method.

    Parameters
    ----------
    stepping : Stepping
    table : StageTable
    cut : tuple of str
        Joints to cut where they lie on a loop.
    accuracy : Accuracy
    """

    driver = staticmethod(driver.march_on)

    def __init__(
        self,
        stepping: Stepping,
        table: StageTable,
        *,
        cut: tuple[str, ...],
        accuracy: Accuracy,
    ) -> None:
        self.stepping = stepping
        self.accuracy = accuracy
        uses = Uses.STEPS if accuracy.iteration == FIXED_POINT else Uses.NEWTON
        self.tree = OnTree(stepping, cut, uses)
        schedule = stepping.schedule
        k, m = self.tree.structure.n_coordinates, self.tree.problem.gaps.size
        n_stages = table.nodes.size - 1
        self.work = Work(
            **self.tree.shared_arrays(),
            slopes=np.zeros((n_stages + 1, k)),
            rates=np.zeros((n_stages + 1, k)),
            weights=table.weights.copy(),
            nodes=table.nodes.copy(),
            extrapolation=table.extrapolation.copy(),
            error_weights=table.error_weights.copy(),
            diagonals=table.diagonals.copy(),
            last_rates=np.zeros((n_stages, k)),
            forces=np.zeros((n_stages, m)),
            gap=np.zeros(m),
            row_kinds=self.tree.row_kinds(),
            values=self._values(),
            options=np.array(
                [schedule.output.every, accuracy.sweep_limit, accuracy.iteration]
            ),
            log=np.zeros(LOG_SIZE),
        )
        self.memory = Memory(
            np.zeros(4, dtype=np.int64), self.work.book, self.tree.for_loops(self.work)
        )

    def _values(self) -> Array:
        stepping, accuracy = self.stepping, self.accuracy
        return np.array(
            [
                stepping.schedule.step,
                stepping.start_time,
                accuracy.tolerance,
                accuracy.error_tolerance,
                accuracy.error_power,
                stepping.end_time if self.is_adaptive else math.inf,
                stepping.schedule.smallest_step,
            ]
        )

    @property
    def is_adaptive(self) -> bool:
        """Whether the step is chosen by its error."""
        return self.accuracy.error_tolerance > 0.0

    def start(self) -> None:
        """Relative coordinates, accelerations and multipliers of the start."""
        self.tree.start()
        problem = self.tree.problem
        self.work.last_rates[:] = problem.second_rates
        self.work.forces[:] = problem.motion.multipliers[: problem.gaps.size]

    def resume(self, step: float) -> None:
        """Go on from a state that an event left, with another step."""
        self.stepping.restart_clock(self.memory.counts, self.work.values, step)
        self.start()

    def first_pivots(self) -> None:
        """Those of the first stage; none before Newton's iteration needs them."""
        if self.accuracy.iteration != NEWTON:
            self.stepping.factorization = placeholder()
            return
        h, shares = self.work.values[TIME_STEP], self.work.diagonals[:, 0]
        self.tree.first_pivots(
            2, mass=1.0, damping=h * shares[0], stiffness=(h * shares[1]) ** 2
        )

    def carried(self) -> dict[str, Any]:
        """What a restart needs of the memory."""
        work = self.work
        return {
            **self.tree.carried(),
            "last_rates": work.last_rates,
            "forces": work.forces,
            "step": work.values[TIME_STEP : TIME_STEP + 1],
        }

    def notices(self) -> list[str]:
        """What the user should know at the end."""
        return []

    def failure(self, code: int) -> tuple[str, list[float]]:
        """Why a step was refused."""
        log = self.work.log[: int(self.memory.counts[N_LOG])].tolist()
        h, accuracy = self.work.values[TIME_STEP], self.accuracy
        if code == ERROR_TOO_LARGE:
            return error_too_large(accuracy.error_tolerance, h), log
        if code in (TURNED_TOO_FAR, NOT_FINITE):
            return self.tree.turned_too_far(h), log
        if code == NOT_CONVERGED:
            allowed = accuracy.tolerance
            is_newton = accuracy.iteration != FIXED_POINT
            return unsolved_stages(log, allowed, h, is_newton=is_newton), log
        return (
            "the inertia along a coordinate vanishes. Look for parts without mass."
        ), log
