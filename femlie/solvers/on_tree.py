"""What every run on the tree of a model has: its problem, its start, its matrix."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._jit import by_reference
from ..elements.base import Array, IntArray
from ..elements.joint_motion import rubbing_names
from ..linear import (
    Factorization,
    analyze_in_order,
    equilibrate,
    let_jump,
    regularize,
)
from ..recursive.reduction import history_places
from ..recursive.tangent import newton_scales
from ..system import FORCE_ROW, MOMENT_ROW
from . import _tree_dynamics as dynamics
from . import _tree_newton as newton
from .march import new_book
from .march import run as run_on
from .reports import describe_row, turned_too_far
from .start import accelerations
from .stepping import Stepping
from .tree_coordinates import coordinate_names
from .tree_problem import Uses, loop_kinds, new_problem, structure_of
from .tree_state import place_history, take_state


class OnTree:
    """The tree of a run.

    Parameters
    ----------
    stepping : Stepping
    cut : tuple of str
        Joints to cut where they lie on a loop.
    uses : Uses
        What its compiled loop does.
    """

    def __init__(self, stepping: Stepping, cut: tuple[str, ...], uses: Uses) -> None:
        self.stepping = stepping
        assembly = stepping.assembly
        self.structure = structure_of(assembly, cut)
        self.history_places = history_places(assembly.system, self.structure)
        found = new_problem(assembly, self.structure, stepping.motion, uses=uses)
        self.problem, self._compiled, self.reduced, self.pattern = found
        if uses is Uses.NEWTON:
            stepping.new_pivots = self.new_pivots

    def shared_arrays(self) -> dict[str, Any]:
        """What the work arrays of all loops on a tree have in common."""
        assembly, k = self.stepping.assembly, self.structure.n_coordinates
        blocks = self.reduced.system.blocks
        return {
            "equations": assembly.equations,
            "reduced": self.reduced.equations,
            "motion": self.stepping.motion,
            "target": assembly.target,
            "problem": self.problem,
            "old_frames": self.problem.relative.frames.copy(),
            "old_rates": np.zeros(k),
            "old_second_rates": np.zeros(k),
            "outputs": np.zeros(sum(b.n_all_outputs for b in blocks)),
            "book": new_book(self.stepping.schedule.step),
        }

    def for_loops(self, work: Any) -> Any:
        """Work arrays as the loop sees them: by reference where it is compiled."""
        assembly = self.stepping.assembly
        if not assembly.is_compiled:
            return work
        return by_reference(
            work._replace(
                equations=by_reference(assembly.compiled_equations),
                reduced=by_reference(self.reduced.compiled_equations),
                problem=self._compiled,
            )
        )

    def start(self) -> None:
        """Relative coordinates, accelerations and multipliers of the start."""
        motion, assembly = self.stepping.motion, self.stepping.assembly
        problem, reduced = self.problem, self.reduced
        place_history(reduced, self.history_places, [assembly.equations.history])
        take_state(problem, self.structure, reduced, motion.velocities)
        self.accelerate()
        args = (motion, assembly.target, reduced.equations, problem)
        run_on(assembly, dynamics.recover, *args)

    def accelerate(self) -> None:
        """Second rates of the present relative state."""
        if not run_on(self.reduced, dynamics.accelerate, self.problem):
            # says where mass is missing
            accelerations(self.stepping.assembly, self.stepping.motion)

    def carried(self) -> dict[str, Array]:
        """What a restart needs of any run on a tree."""
        problem = self.problem
        return {
            "frames": problem.relative.frames,
            "rates": problem.relative.rates,
            "second_rates": problem.second_rates,
            "history": self.reduced.equations.history,
            "loop_multipliers": problem.motion.multipliers,
        }

    def first_pivots(
        self, level: int, *, mass: float, damping: float, stiffness: float
    ) -> None:
        """Pivots for the matrix of a step that starts here."""
        problem, reduced = self.problem, self.reduced
        problem.steps[:] = 0.0
        gap = np.zeros(problem.gaps.size)
        run_on(reduced, newton.balance_coordinates, problem, level, gap)
        weights = (mass, damping, stiffness)
        run_on(reduced, newton.set_tangent, problem, level, *weights)
        self.stepping.analyze()

    def new_pivots(self) -> Factorization:
        """Factors in leaf order of the matrix that the problem holds."""
        pattern, problem = self.pattern, self.problem
        assert pattern is not None
        m = problem.gaps.size
        regularization = np.zeros(m)
        matrix = self.reduced.matrix(problem.target.data)
        own = equilibrate(matrix, n_multipliers=m)
        if m and self.stepping.system.n_redundant > 0:
            regularization = regularize(matrix, n_multipliers=m, scales=own)
        found = analyze_in_order(
            pattern.indptr,
            pattern.indices,
            problem.newton.data[:-1],
            positions=pattern.positions,
            scales=newton_scales(problem, pattern, own),
            regularization=regularization,
        )
        is_rubbing = rubbing_names(self.stepping.system.blocks)
        return let_jump(found) if is_rubbing else found

    def row_kinds(self) -> IntArray:
        """Kinds of the forces along the coordinates, then of the loops' constraints."""
        structure, places = self.structure, self.problem.whole.places
        kinds = [
            FORCE_ROW if i < 3 else MOMENT_ROW
            for edge in structure.edges
            for i in edge.directions[: edge.n_free]
        ]
        own = loop_kinds(self.stepping.system, structure, places)
        return np.append(np.array(kinds, dtype=np.int64), own)

    def describe(self, row: int) -> str:
        """Words for a coordinate, or for a constraint that closes a loop."""
        system, n = self.stepping.system, self.structure.n_coordinates
        if row < 0:
            return "no single place"
        if row < n:
            name = coordinate_names(system, self.structure)[row]
            return f"the joint coordinate '{name}'"
        place = int(self.problem.whole.places[row - n])
        if place < 0:
            return "a support that closes a loop"
        return describe_row(system, system.dofs.n_frame_rows + place)

    def turned_too_far(self, step: float) -> str:
        """Why a step is refused in which a joint turns by too much."""
        stepping = self.stepping
        return turned_too_far(
            stepping.system, stepping.motion, step, near="a joint near "
        )
