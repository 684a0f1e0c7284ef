"""Munthe-Kaas Runge-Kutta of order 4 on the tree of a model."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._jit import by_reference
from ..assembly import Assembly
from ..elements.base import Array, IntArray
from ..recursive.structure import Structure
from . import _tree_driver as driver
from . import _tree_dynamics as dynamics
from .march import new_book
from .start import accelerations, check_start
from .stepping import Stepping
from .tree_problem import held_joints, new_problem, structure_of
from .tree_state import take_state


class TreeRun:
    """One run on a tree: what `Stepping.march` asks of a method.

    Parameters
    ----------
    absolute : Method
        The run with all frames as unknowns, which knows the solver's options and the
        words for what goes wrong.
    weights : (n_stages + 1, n_stages) array
        Tableau of an explicit method; the last row gives the step.
    nodes : (n_stages + 1,) array
    """

    name = "munthe_kaas"
    is_adaptive = False
    driver = staticmethod(driver.march_on)

    def __init__(self, absolute: Any, weights: Array, nodes: Array) -> None:
        self.solver = solver = absolute.solver
        self.stepping = stepping = absolute.stepping
        self.failure = absolute.failure
        self.notices = absolute.notices
        assembly = stepping.assembly
        self.structure = structure_of(assembly, solver.cut)
        found = new_problem(assembly.system, self.structure, stepping.motion)
        self.problem, self.compiled, self.reduced, self.places = found
        self.is_compiled = assembly.is_compiled and self.reduced.is_compiled
        self.work = new_work(
            stepping, self.structure, self.reduced, self.problem, self.places
        )
        k, n_stages = self.structure.n_coordinates, weights.shape[1]
        self.work = self.work._replace(
            weights=weights.copy(),
            nodes=nodes.copy(),
            slopes=np.zeros((n_stages, k)),
            rates=np.zeros((n_stages, k)),
        )
        work: Any = self.work
        if self.is_compiled:
            work = by_reference(
                work._replace(
                    equations=by_reference(assembly.compiled_equations),
                    problem=self.compiled,
                )
            )
        self.memory: Any = driver.Memory(np.zeros(2, dtype=np.int64), work)

    def start(self) -> None:
        """Relative coordinates of the start, or a checkpoint."""
        stepping = self.stepping
        motion, assembly = stepping.motion, stepping.assembly
        if stepping.schedule.restart is not None:
            _, arrays = stepping.load_checkpoint()
            for name, array in self.carried().items():
                array[:] = arrays[name]
            stepping.begin()
            return
        stepping.begin()
        stepping.warnings += check_start(
            assembly, motion, projects=self.solver.projects_start
        )
        problem = self.problem
        take_state(problem, self.structure, self.reduced, motion.velocities)
        if not dynamics.accelerate(problem):
            accelerations(assembly, motion)  # says where mass is missing
        driver.recover(self.work)
        stepping.open_book(self.work.book)

    def first_pivots(self) -> None:
        """The tree needs no pivots."""
        self.stepping.factorization = ()

    def carried(self) -> dict[str, Any]:
        """What a restart needs of the memory."""
        problem = self.problem
        return {
            "memory_counts": self.memory.counts,
            "memory_book": self.work.book,
            "memory_frames": problem.relative.frames,
            "memory_rates": problem.relative.rates,
            "memory_second_rates": problem.second_rates,
            "memory_history": self.reduced.equations.history,
        }


def new_work(
    stepping: Stepping,
    structure: Structure,
    reduced: Assembly,
    problem: Any,
    places: IntArray,
) -> driver.Work:
    """Arrays of a run, but for those of the method's stages."""
    blocks = reduced.system.blocks
    k = structure.n_coordinates
    held, held_slots = held_joints(stepping.assembly, structure)
    return driver.Work(
        equations=stepping.assembly.equations,
        motion=stepping.motion,
        target=stepping.assembly.target,
        problem=problem,
        old_frames=problem.relative.frames.copy(),
        before=problem.relative.frames.copy(),
        old_rates=np.zeros(k),
        old_second_rates=np.zeros(k),
        phi=np.zeros(k),
        slopes=np.zeros((0, k)),
        rates=np.zeros((0, k)),
        weights=np.zeros((1, 0)),
        nodes=np.zeros(1),
        outputs=np.zeros(sum(b.n_elements * b.n_outputs for b in blocks)),
        held=held,
        held_slots=held_slots,
        places=places,
        twist=np.zeros((2, 6)),
        normal=np.zeros((6, 13)),
        values=np.array([stepping.schedule.step, stepping.start_time]),
        energies=np.zeros(6),
        options=np.array([stepping.schedule.output_every]),
        book=new_book(stepping.schedule.step),
    )
