"""A run of generalized-alpha on the tree of a model."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._equations import copy, update_signals
from ..elements.base import Array
from ..recursive._problem import MOVE, STEPS, do
from . import _tree_alpha_driver as driver
from ._alpha_scheme import ALPHA_F, ALPHA_M, weights_of
from ._step_state import LOG_SIZE, TIME_STEP
from ._tree_newton import largest_size
from ._tree_stages import Memory
from .march import run as run_on
from .on_tree import OnTree
from .stepping import Stepping
from .tree_problem import Uses

# of the shift of the algorithmic second rates: a step along the motion for their rate
SMALL_SHARE = 1e-3
# a change beyond this multiple of the second rates says that stiff modes swing
LARGEST_CHANGE = 10.0


class AlphaOnTree:
    """Arrays and start of a run; what the method says about itself is not here.

    Parameters
    ----------
    stepping : Stepping
    cut : tuple of str
        Joints to cut where they lie on a loop.
    values, options : arrays
        Numbers of the method, as in `_alpha_scheme`.
    """

    def __init__(
        self, stepping: Stepping, cut: tuple[str, ...], values: Array, options: Any
    ) -> None:
        self.stepping = stepping
        self.tree = OnTree(stepping, cut, Uses.NEWTON)
        k, m = self.tree.structure.n_coordinates, self.tree.problem.gaps.size
        self.work = driver.Work(
            **self.tree.shared_arrays(),
            old_multipliers=np.zeros(m),
            alpha=np.zeros(k),
            residual=np.zeros(k + m),
            row_kinds=self.tree.row_kinds(),
            places=np.zeros(m),
            gap=np.zeros(m),
            values=values,
            options=options,
            log=np.zeros(LOG_SIZE),
            alternation=np.zeros((2, m)),
        )
        self.memory = Memory(
            np.zeros(5, dtype=np.int64), self.work.book, self.tree.for_loops(self.work)
        )

    def carried(self) -> dict[str, Array]:
        """What a restart needs of the memory.

        Of the values only the step: tolerances and the end are those of each run.
        """
        work = self.work
        return {
            **self.tree.carried(),
            "alpha": work.alpha,
            "step": work.values[TIME_STEP : TIME_STEP + 1],
            "alternation": work.alternation,
        }

    def start(self) -> None:
        """Relative coordinates, accelerations and algorithmic second rates."""
        self.tree.start()
        v = self.work.values
        self.work.alpha[:] = self._starting_alpha(
            float((v[ALPHA_M] - v[ALPHA_F]) * v[TIME_STEP])
        )

    def _starting_alpha(self, shift: float) -> Array:
        """Second rates at ``shift`` from the start, to second order.

        Their rate comes from a small step along the motion (Arnold et al. 2015).
        """
        tree, problem, reduced = self.tree, self.tree.problem, self.tree.reduced
        alpha = problem.second_rates.copy()
        small = SMALL_SHARE * abs(shift)
        if small == 0.0:
            return alpha
        kept = {
            name: array.copy()
            for name, array in (
                *problem.relative._asdict().items(),
                *problem.motion._asdict().items(),
            )
        }
        problem.bases[:] = problem.relative.frames
        problem.steps[:] = small * problem.relative.rates + 0.5 * small**2 * alpha
        problem.relative.rates[:] += small * alpha
        problem.motion.time[0] += small
        run_on(reduced, update_signals, problem.motion)
        do(problem, STEPS, MOVE)
        tree.accelerate()
        change = shift / small * (problem.second_rates - alpha)
        for record in (problem.relative, problem.motion):
            for name, array in record._asdict().items():
                array[:] = kept[name]
        copy(problem.second_rates, alpha)
        # where stiff modes swing within a step the Taylor series means nothing
        kinds, length = self.work.row_kinds, self.stepping.system.size
        largest = LARGEST_CHANGE * largest_size(alpha, kinds, length)
        if largest_size(change, kinds, length) > largest:
            return alpha
        return alpha + change

    def resume(self, step: float) -> None:
        """Go on from a state that an event left, with another step."""
        self.stepping.restart_clock(self.memory.counts, self.work.values, step)
        self.start()
        self.work.alternation[:] = 0.0

    def first_pivots(self) -> None:
        """Pivots for the matrix of a step that starts here."""
        to_rate, to_speed = weights_of(self.work.values)
        self.tree.first_pivots(0, mass=to_rate, damping=to_speed, stiffness=1.0)

    def where(self, row: int) -> str:
        """Words for a row of the residual."""
        return self.tree.describe(row)
