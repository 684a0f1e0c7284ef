"""A run of a Runge-Kutta method on the tree of a model."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._jit import by_reference
from ..elements.base import Array
from ..linear import placeholder
from ..newton import LARGEST_TURN
from ..recursive.reduction import history_places
from . import _tree_driver as driver
from . import _tree_dynamics as dynamics
from ._munthe_kaas_driver import NOT_FINITE, TURNED_TOO_FAR
from ._tree_collocation import NO_CONVERGENCE
from ._tree_stages import START_TIME, STEP, TIME_STEP, Memory, Work
from .march import new_book
from .march import run as run_on
from .reports import describe_frame
from .start import accelerations
from .stepping import Stepping
from .tree_problem import new_problem, structure_of
from .tree_state import take_state


class StageTable(NamedTuple):
    """A Runge-Kutta method.

    Attributes
    ----------
    weights : (n_stages + 1, n_stages) array
        The last row gives the step.
    nodes : (n_stages + 1,) array
    extrapolation : (n_stages, n_stages) array
        Of collocation: values at the nodes of a step from those of the step before.
    """

    weights: Array
    nodes: Array
    extrapolation: Array


class TreeRun:
    """One run on a tree: what `Stepping.march` asks of a method.

    Parameters
    ----------
    stepping : Stepping
    table : StageTable
    cut : tuple of str
        Joints to cut where they lie on a loop.
    tolerance : float
        At which the stages of collocation count as solved.
    sweep_limit : int
        How often they are solved again; zero for explicit methods.
    """

    is_adaptive = False
    driver = staticmethod(driver.march_on)

    def __init__(
        self,
        stepping: Stepping,
        table: StageTable,
        *,
        cut: tuple[str, ...],
        tolerance: float = 0.0,
        sweep_limit: int = 0,
    ) -> None:
        self.stepping = stepping
        self.sweep_limit = sweep_limit
        assembly = stepping.assembly
        self.structure = structure_of(assembly, cut)
        self.history_places = history_places(assembly.system, self.structure)
        found = new_problem(assembly, self.structure, stepping.motion, with_steps=True)
        self.problem, compiled, self.reduced = found
        schedule = stepping.schedule
        k, n_stages = self.structure.n_coordinates, table.nodes.size - 1
        blocks = self.reduced.system.blocks
        work: Any = Work(
            equations=assembly.equations,
            reduced=self.reduced.equations,
            motion=stepping.motion,
            target=assembly.target,
            problem=self.problem,
            old_frames=self.problem.relative.frames.copy(),
            old_rates=np.zeros(k),
            old_second_rates=np.zeros(k),
            slopes=np.zeros((n_stages, k)),
            rates=np.zeros((n_stages, k)),
            weights=table.weights.copy(),
            nodes=table.nodes.copy(),
            extrapolation=table.extrapolation.copy(),
            last_rates=np.zeros((n_stages, k)),
            outputs=np.zeros(sum(b.n_all_outputs for b in blocks)),
            values=np.array([schedule.step, stepping.start_time, tolerance]),
            options=np.array([schedule.output.every, sweep_limit]),
            book=new_book(schedule.step),
        )
        self.work = work
        if assembly.is_compiled:
            work = by_reference(
                work._replace(
                    equations=by_reference(assembly.compiled_equations),
                    reduced=by_reference(self.reduced.compiled_equations),
                    problem=compiled,
                )
            )
        self.memory = Memory(np.zeros(2, dtype=np.int64), self.work.book, work)

    def start(self) -> None:
        """Relative coordinates, accelerations and multipliers of the start."""
        motion, assembly = self.stepping.motion, self.stepping.assembly
        problem, reduced = self.problem, self.reduced
        kept = self.history_places >= 0
        history = assembly.equations.history[self.history_places[kept]]
        reduced.equations.history[kept] = history
        take_state(problem, self.structure, reduced, motion.velocities)
        if not run_on(reduced, dynamics.accelerate, problem):
            accelerations(assembly, motion)  # says where mass is missing
        args = (motion, assembly.target, reduced.equations, problem)
        run_on(assembly, dynamics.recover, *args)
        self.work.last_rates[:] = problem.second_rates

    def resume(self, step: float) -> None:
        """Go on from a state that an event left, with another step."""
        self.start()
        values = self.work.values
        values[TIME_STEP] = step
        done = self.memory.counts[STEP] * step
        values[START_TIME] = self.stepping.motion.time[0] - done

    def first_pivots(self) -> None:
        """The tree needs no pivots."""
        self.stepping.factorization = placeholder()

    def carried(self) -> dict[str, Any]:
        """What a restart needs of the memory."""
        problem = self.problem
        return {
            "frames": problem.relative.frames,
            "rates": problem.relative.rates,
            "second_rates": problem.second_rates,
            "history": self.reduced.equations.history,
            "last_rates": self.work.last_rates,
        }

    def notices(self) -> list[str]:
        """What the user should know at the end."""
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
        if code == NO_CONVERGENCE:
            return (
                f"the stages did not settle in {self.sweep_limit} sweeps. Use a "
                "smaller time step; stiff parts need an implicit method with Newton "
                "iterations."
            ), []
        return (
            "the inertia along a coordinate vanishes. Look for parts without mass."
        ), []
