"""Adds element contributions into one vector and one sparse matrix."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import scipy.sparse

from . import _equations as eq
from . import _jit
from ._groups import SO3_R3
from .elements.base import (
    N_ENERGIES,
    N_SCALES,
    Array,
    Block,
    BlockData,
    IntArray,
    Motion,
    Target,
)
from .elements.spread import flat_spread_loads
from .lie import se3
from .pattern import pattern_of
from .system import State, System

STATIC, DYNAMIC = 1.0, 0.0


class Assembly:
    """All that a solver may call: retract, residual, tangent.

    Parameters
    ----------
    system : System
    regime : float
        STATIC or DYNAMIC: what the methods take where they are not told otherwise.
        A static assembly answers static questions only.
    between : callable or None
        Called between the compilation of the two largest kernels and of the others:
        these may be on disk by then.

    Notes
    -----
    The pattern of the matrix and the place of each element entry in it are found once.
    Asking a question changes nothing: states go in and come out as values. The solvers
    themselves run on the same arrays in place (`equations`, `motion`, `target`).
    """

    def __init__(
        self,
        system: System,
        *,
        regime: float = DYNAMIC,
        between: Callable[[], None] | None = None,
    ) -> None:
        self.system = system
        self.regime = regime
        self._between = between
        self.is_compiled = (
            _jit.IS_COMPILED
            and all(block.is_compiled for block in system.blocks)
            and not system.signals.functions
        )
        rows, all_rows = _element_rows(system)
        pattern = pattern_of(system)
        self.indptr, self.indices = pattern.indptr, pattern.indices
        self.diagonal = pattern.diagonal
        # the same arrays twice: kernels as callables, and as addresses for the driver
        self.equations = self._flatten(rows, all_rows, pattern.slots)
        self.compiled_equations = (
            self._compile(self.equations) if self.is_compiled else self.equations
        )
        for block in system.blocks:
            if block.bind is not None:
                block.bind(self)
        self.target = Target(
            np.zeros(system.dofs.n_rows + 1),
            np.zeros(self.indices.size + 1),
            np.zeros(N_SCALES),
        )

    @functools.cached_property
    def frames_of_rows(self) -> tuple[IntArray, Array, IntArray]:
        """Frame of each frame row, numbered without gaps, places of these, and units.

        (n_frame_rows,) ints; (n, 3) places [m] of the model as built; (n_frame_rows,)
        ints that are equal for the translations of a frame, and for its rotations.
        """
        numbers = self.system.dofs.numbers
        frames, columns = np.nonzero(numbers >= 0)
        kept, groups = np.unique(frames, return_inverse=True)
        owners, units = np.empty((2, groups.size), dtype=np.int64)
        rows = numbers[frames, columns]
        owners[rows], units[rows] = groups, 2 * groups + (columns >= 3)
        return owners, self.system.state.poses[kept, :3], units

    def motion(self, state: State, *, regime: float | None = None) -> Motion:
        """Arrays of a state, for the solvers; history goes into `equations`."""
        regime = self.regime if regime is None else regime
        time = state.time
        if regime == STATIC and state.load_factor is not None:
            time = state.load_factor
        poses = np.array(state.poses, dtype=np.float64, order="C")
        motion = Motion(
            np.array([time, regime, 0.0]),
            np.zeros((self.equations.signal_table.shape[0], 3)),
            poses.copy(),
            poses,
            np.array(state.velocities, dtype=np.float64, order="C"),
            np.array(state.accelerations, dtype=np.float64, order="C"),
            np.array(state.increments, dtype=np.float64, order="C"),
            np.array(state.multipliers, dtype=np.float64, order="C"),
        )
        history = state.history or self.system.state.history
        self.equations.history[:] = _flat(history)
        if np.any(motion.increments):
            is_split = self.system.dofs.frame_groups == SO3_R3
            ways = motion.increments[is_split, :3].copy()
            motion.increments[is_split, :3] = 0.0
            step = se3.pose_from_frame(se3.exp(-motion.increments))
            motion.bases[:] = se3.compose_poses(poses, step)
            motion.bases[is_split, :3] -= ways
        self._run(eq.update_signals, motion)
        return motion

    def state(self, motion: Motion) -> State:
        """The state that the arrays stand for, as a value."""
        increments = motion.increments.copy()
        split = self.equations.groups == SO3_R3
        increments[split, :3] = (motion.poses - motion.bases)[split, :3]
        time = float(motion.time[0])
        return State(
            time=time,
            load_factor=time if motion.time[1] == STATIC else None,
            poses=motion.poses.copy(),
            velocities=motion.velocities.copy(),
            accelerations=motion.accelerations.copy(),
            multipliers=motion.multipliers.copy(),
            increments=increments,
            history=tuple(
                eq_view(self.equations, b, "history").copy()
                for b in range(len(self.system.blocks))
            ),
        )

    @contextlib.contextmanager
    def kept_history(self) -> Iterator[None]:
        """What a run has counted stays as it is while another state is looked at."""
        history = self.equations.history.copy()
        try:
            yield
        finally:
            self.equations.history[:] = history

    def retract(
        self,
        state: State,
        increment: Array,
        fraction: float = 1.0,
        *,
        regime: float | None = None,
    ) -> State:
        """State moved by ``fraction`` of a local increment of all unknowns."""
        with self.kept_history():
            motion = self.motion(state, regime=regime)
            self._run(eq.move_frames, motion, np.asarray(increment, float), fraction)
            return self.state(motion)

    def residual(
        self, state: State, level: int = 0, *, regime: float | None = None
    ) -> Array:
        """(n_rows,) inertia + internal - external + B^T lambda, then constraints.

        ``level`` is 0 for places, 1 for velocities, 2 for accelerations.
        """
        with self.kept_history():
            motion = self.motion(state, regime=regime)
            self._run(eq.evaluate_blocks, motion, self.target, level, 0.0, 0.0, 0.0)
        return self.target.residual[:-1].copy()

    def tangent(
        self,
        state: State,
        level: int = 0,
        *,
        mass: float = 0.0,
        damping: float = 0.0,
        stiffness: float = 1.0,
        regime: float | None = None,
    ) -> scipy.sparse.csc_matrix:
        """``mass M + damping C + stiffness K`` with multiplier rows and columns."""
        weights = (mass, damping, stiffness)
        with self.kept_history():
            motion = self.motion(state, regime=regime)
            if motion.time[1] == STATIC:
                self._run(eq.start_step, motion)
            self._run(eq.evaluate_blocks, motion, self.target, level, *weights)
        return self.matrix(self.target.data)

    def matrix(self, data: Array) -> scipy.sparse.csc_matrix:
        """The data of a target as a sparse matrix."""
        n = self.system.dofs.n_rows
        return scipy.sparse.csc_matrix(
            (data[: self.indices.size].copy(), self.indices, self.indptr), shape=(n, n)
        )

    def _run(self, function: Any, motion: Motion, *arguments: Any) -> None:
        """Call one of the functions of `_equations` (each kernel may be compiled)."""
        function(self.equations, motion, *arguments)

    def drive(self, driver: Any, *arguments: Any) -> Any:
        """Run the loop of a solver, as one compiled call if all blocks are compiled."""
        if self.is_compiled:
            return _jit.compiled(driver)(self.compiled_equations, *arguments)
        return driver(self.equations, *arguments)

    def _flatten(
        self, rows: list[IntArray], all_rows: list[IntArray], slots: list[Any]
    ) -> eq.Equations:
        system = self.system
        blocks = system.blocks
        n_rows = system.dofs.n_rows
        numbers = np.where(system.dofs.numbers < 0, n_rows, system.dofs.numbers)
        n_frames = numbers.shape[0]
        history = [
            np.zeros((b.n_elements, b.n_history))
            if b.initial_history is None
            else b.initial_history
            for b in blocks
        ]
        iterates = [np.zeros((b.n_elements, b.n_iterates)) for b in blocks]
        table = _table(blocks)
        starts = table[:, [eq.OUTPUTS_AT, eq.PARAMETERS_AT]]
        spread_codes, spread_loads = flat_spread_loads(system.spread, blocks, starts)
        equations = eq.Equations(
            functions=np.empty((len(blocks), 3), dtype=object),
            signal_functions=np.empty((len(system.signals.functions), 1), dtype=object),
            table=table,
            frames=_flat_int(b.frames for b in blocks),
            codes=_flat_int(b.codes for b in blocks),
            parameters=_flat(b.parameters for b in blocks),
            history=_flat(history),
            iterates=_flat(iterates),
            rows=_flat_int(rows),
            all_rows=_flat_int(all_rows),
            slots=np.concatenate([np.zeros(0, np.uint32), *map(np.ravel, slots)]),
            numbers=np.ascontiguousarray(numbers, dtype=np.int64),
            groups=system.dofs.frame_groups,
            row_kinds=system.row_kinds,
            sizes=np.array([system.dofs.n_frame_rows, n_rows, self.indices.size]),
            signal_table=np.ascontiguousarray(system.signals.table, dtype=np.int64),
            signal_data=np.array(system.signals.data, dtype=np.float64),
            spread_codes=spread_codes,
            spread_loads=spread_loads,
            moves=np.zeros((n_frames, 6)),
            reactions=np.zeros(6 * n_frames + system.dofs.n_multipliers + 1),
            length=np.array([system.size]),
        )
        self._put_functions(equations)
        return equations

    def _put_functions(self, equations: eq.Equations) -> None:
        """Kernels of the blocks, and functions of time."""
        for b, block in enumerate(self.system.blocks):
            evaluate, carry, observe = block.kernels
            if self.regime == STATIC and block.static_evaluate is not None:
                evaluate = block.static_evaluate
            equations.functions[b] = evaluate, carry, observe
        for k, function in enumerate(self.system.signals.functions):
            equations.signal_functions[k, 0] = _signal_writer(function)

    def _compile(self, equations: eq.Equations) -> eq.Equations:
        """Replace callables by addresses of kernels compiled for these types."""
        for role in (eq.EVALUATE, eq.CARRY):
            for function in equations.functions[:1, role]:
                _kernel_address(function, role)
        if self._between is not None:
            self._between()
        table = np.zeros((len(self.system.blocks), 3), np.uint64)
        for b, block_kernels in enumerate(equations.functions):
            for role, function in enumerate(block_kernels):
                table[b, role] = _kernel_address(function, role)
        return equations._replace(
            functions=table, signal_functions=np.zeros((0, 1), np.uint64)
        )


@functools.cache
def _kernel_address(function: Any, role: int) -> int:
    """Address of a kernel: the types of its arguments are the same in every model."""
    return _jit.address(function, kernel_arguments()[role])


def kernel_arguments() -> tuple[tuple[Any, ...], ...]:
    """Arguments of evaluate, carry and observe, for the types that they have."""
    none = np.zeros((0, 0))
    whole = np.zeros((0, 0), np.int64)
    block = BlockData(
        whole, whole, none, none, none, whole, np.zeros((0, 0), np.uint32)
    )
    motion = Motion(np.zeros(3), none, none, none, none, none, none, np.zeros(0))
    target = Target(np.zeros(0), np.zeros(0), np.zeros(N_SCALES))
    return (
        (motion, block, target, 0, 0.0, 0.0, 0.0),
        (motion, block, none, 0.0, 0),
        (motion, block, none, np.zeros(N_ENERGIES)),
    )


def eq_view(equations: eq.Equations, block: int, what: str) -> Array:
    """Rows of a flat array that belong to a block: ``history``, ``iterates``, ..."""
    column, start = {
        "history": (eq.N_HISTORY, eq.HISTORY_AT),
        "iterates": (eq.N_ITERATES, eq.ITERATES_AT),
        "parameters": (eq.N_PARAMETERS, eq.PARAMETERS_AT),
    }[what]
    row = equations.table[block]
    n, width = int(row[eq.N_ELEMENTS]), int(row[column])
    flat: Array = getattr(equations, what)
    return flat[row[start] : row[start] + n * width].reshape(n, width)


def _element_rows(system: System) -> tuple[list[IntArray], list[IntArray]]:
    """Unknowns of each element, ``n_rows`` where locked; and with nothing locked."""
    dofs = system.dofs
    numbers = np.where(dofs.numbers < 0, dofs.n_rows, dofs.numbers)
    n_frames = numbers.shape[0]
    everything = np.arange(6 * n_frames).reshape(n_frames, 6)
    rows: list[IntArray] = []
    all_rows: list[IntArray] = []
    first = 0
    for block in system.blocks:
        n, m = block.n_elements, block.n_multipliers
        own = np.arange(n * m).reshape(n, m)
        if block.multipliers is not None:
            own = block.multipliers
        for table, target, start in (
            (numbers, rows, dofs.n_frame_rows),
            (everything, all_rows, 6 * n_frames),
        ):
            wrench = table[block.frames].reshape(n, 6 * block.frames.shape[1])
            none = start + dofs.n_multipliers
            shared = np.where(own < 0, none, start + first + own)
            target.append(
                np.ascontiguousarray(np.hstack([wrench, shared]), dtype=np.int64)
            )
        first += block.n_all_multipliers
    return rows, all_rows


def _table(blocks: tuple[Block, ...]) -> IntArray:
    table = np.zeros((len(blocks), eq.N_COLUMNS), dtype=np.int64)
    at = np.zeros(8, dtype=np.int64)
    for b, block in enumerate(blocks):
        widths = np.array(
            [
                block.frames.shape[1],
                block.codes.shape[1],
                block.parameters.shape[1],
                block.n_history,
                block.n_iterates,
                block.n_rows,
                block.n_rows**2,
                block.n_outputs,
            ]
        )
        table[b, 0] = block.n_elements
        table[b, 1:7] = widths[:6]
        table[b, eq.N_OUTPUTS] = widths[7]
        table[b, eq.FRAMES_AT : eq.DOES_WORK] = at
        table[b, eq.DOES_WORK] = block.does_work
        rows = block.n_elements if block.n_output_rows is None else block.n_output_rows
        table[b, eq.OUTPUT_ROWS] = rows
        at[:-1] += block.n_elements * widths[:-1]
        at[-1] += block.n_all_outputs
    return table


def _flat(arrays: Any) -> Array:
    parts = [np.asarray(a, dtype=np.float64).reshape(-1) for a in arrays]
    return np.concatenate([np.zeros(0), *parts])


def _flat_int(arrays: Any) -> IntArray:
    parts = [np.asarray(a, dtype=np.int64).reshape(-1) for a in arrays]
    return np.concatenate([np.zeros(0, np.int64), *parts])


def _signal_writer(function: Any) -> Any:
    def write(time: float, row: Array) -> None:
        row[:] = function(time)

    return write
