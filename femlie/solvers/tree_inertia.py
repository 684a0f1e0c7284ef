"""Accelerations of a model at rest under wrenches, along its tree in O(n)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..assembly import Assembly
from ..elements.base import Array, Motion
from ..errors import ModelError
from ..recursive._problem import DYNAMICS, LOOPS, RESPOND, SOLVE_MOVED_LOOPS, do
from . import _tree_dynamics as dynamics
from .march import run
from .start import massless_message
from .tree_problem import new_problem, structure_of
from .tree_state import take_state


class TreeInertia:
    """``[[M, B^T], [B, 0]]`` of a model, solved without its matrix.

    Parameters
    ----------
    assembly : Assembly
        Of the whole model.
    motion : Motion
        Its place; velocities count as zero.
    cut : sequence of str
        Joints to cut where they lie on a loop.
    """

    def __init__(
        self, assembly: Assembly, motion: Motion, cut: Sequence[str] = ()
    ) -> None:
        structure = structure_of(assembly, cut)
        probe: Any = motion._replace(
            **{name: getattr(motion, name).copy() for name in motion._fields}
        )
        self.problem, _, reduced, _ = new_problem(assembly, structure, probe)
        take_state(self.problem, structure, reduced, np.zeros_like(motion.velocities))
        if not run(reduced, dynamics.factor_inertia, self.problem, 2):
            raise ModelError(massless_message(assembly))
        self.numbers = assembly.system.dofs.numbers[structure.tree.frames]

    def solve(self, rhs: Array) -> Array:
        """Accelerations of all frames under wrenches on them.

        Parameters
        ----------
        rhs : (n_rows,) array
            Wrench rows; constraint rows count as zero.

        Returns
        -------
        (n_rows,) array
            Constraint rows are zero.
        """
        problem, free = self.problem, self.numbers >= 0
        problem.wrenches[:] = 0.0
        problem.wrenches[free] = -rhs[self.numbers[free]]
        do(problem, DYNAMICS, RESPOND)
        found = problem.changes.copy()
        if problem.gaps.size:
            problem.target.residual[:] = 0.0
            do(problem, LOOPS, SOLVE_MOVED_LOOPS)
            do(problem, DYNAMICS, RESPOND)
            found += problem.changes
        solution = np.zeros(rhs.size)
        solution[self.numbers[free]] = found[free]
        return solution
