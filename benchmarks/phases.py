"""Parts of a time step, repeated in compiled loops so that a clock can see them.

Each function does one part of what `femlie.solvers` does in a step ``n`` times. What a
step moves is put back by `Problem.restore`.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from femlie import newton
from femlie._equations import EVALUATE as EVALUATE_ROLE
from femlie._equations import (
    accept_step,
    block_of,
    copy_rows,
    evaluate_blocks,
    move_frames,
    negate,
    observe_blocks,
    start_step,
    update_signals,
)
from femlie._groups import EXACT, body_rates, group_rates, increment_rate, local_rows
from femlie._jit import call, kernel, scratch
from femlie.elements._beam_geometry import N_SCRATCH, START
from femlie.elements._beam_kernel import scatter_wrenches
from femlie.elements._beam_tangent import scatter_matrix
from femlie.elements._lanes import LANES
from femlie.linear import refactor, solve
from femlie.solvers import _alpha_driver as alpha
from femlie.solvers import _munthe_kaas_driver as munthe_kaas
from femlie.solvers._step_state import keep_state
from femlie.solvers.march import BEFORE, NOW, add_to_book, record

# a window is this long: short enough to be seldom interrupted
WINDOW_SECONDS = 2e-3


class Problem(NamedTuple):
    """All that a step works on."""

    equations: Any
    motion: Any
    target: Any
    factorization: Any
    memory: Any
    buffer: Any
    n_windows: int = 200

    def saved(self) -> list[Any]:
        """Copies of what a step changes."""
        return [np.copy(array) for array in (*self.motion, *self.memory)]

    def restore(self, copies: list[Any]) -> None:
        """Put copies back."""
        for array, old in zip((*self.motion, *self.memory), copies, strict=True):
            array[...] = old


def seconds_of(phase: Callable[..., None], problem: Problem, *arguments: Any) -> float:
    """Least CPU seconds of one repetition, over many short windows."""
    copies = problem.saved()
    phase(problem, *arguments, 1)
    n, spent = 1, 0.0
    while spent < WINDOW_SECONDS and n < 10**7:
        n = max(2 * n, int(n * 1.2 * WINDOW_SECONDS / max(spent, 1e-5)))
        start = time.process_time()
        phase(problem, *arguments, n)
        spent = time.process_time() - start
        problem.restore(copies)
        if n > 1 and spent > WINDOW_SECONDS:
            break
    n = max(1, int(n * WINDOW_SECONDS / spent))
    least = spent / n
    for _ in range(problem.n_windows):
        start = time.process_time()
        phase(problem, *arguments, n)
        least = min(least, (time.process_time() - start) / n)
        problem.restore(copies)
    return least


@kernel
def evaluations(p, level, mass, damping, stiffness, n):
    """Residual, and tangent where a weight is not zero."""
    for _ in range(n):
        evaluate_blocks(
            p.equations, p.motion, p.target, level, mass, damping, stiffness
        )


@kernel
def block_evaluations(p, b, level, mass, damping, stiffness, n):
    """The kernel of one block alone, added to what is there."""
    block = block_of(p.equations, p.equations.rows, b)
    for _ in range(n):
        call(
            p.equations.functions, b, EVALUATE_ROLE,
            (p.motion, block, p.target, level, mass, damping, stiffness),
        )  # fmt: skip


@kernel
def zeroings(p, n):
    """What an evaluation with a tangent does first."""
    for _ in range(n):
        p.target.residual[:] = 0.0
        p.target.data[:] = 0.0


@kernel
def matrix_scatters(p, b, n):
    """Adding element matrices of beams to the sparse matrix, without computing them."""
    block = block_of(p.equations, p.equations.rows, b)
    s = scratch(N_SCRATCH * LANES)
    s[:] = 0.0
    n_elements = block.codes.shape[0]
    for _ in range(n):
        for first in range(0, n_elements, LANES):
            m = min(LANES, n_elements - first)
            scatter_matrix(s, p.target.data, block.slots, first, m)


@kernel
def wrench_scatters(p, b, n):
    """Adding wrenches of beams to the residual, without computing them."""
    block = block_of(p.equations, p.equations.rows, b)
    s = scratch(N_SCRATCH * LANES)
    s[:] = 0.0
    n_elements = block.codes.shape[0]
    for _ in range(n):
        for first in range(0, n_elements, LANES):
            m = min(LANES, n_elements - first)
            scatter_wrenches(s, START, block, p.target, first, m)


@kernel
def refactorizations(p, n):
    """Numerical factorization with the pivots that are known."""
    for _ in range(n):
        refactor(p.factorization, p.target.data)


@kernel
def solutions(p, n):
    """Forward and back substitution."""
    for _ in range(n):
        solve(p.factorization, p.target.data, p.memory.rhs, p.memory.row)


@kernel
def moves(p, n):
    """Retraction of all frames; the step is zero, the work is the same."""
    p.memory.row[:] = 0.0
    for _ in range(n):
        move_frames(p.equations, p.motion, p.memory.row, 1.0)


@kernel
def predictions(p, n):
    """What a generalized-alpha step begins with, besides the retraction."""
    m, motion, equations = p.memory, p.motion, p.equations
    numbers, n_rows = equations.numbers, equations.sizes[1]
    for _ in range(n):
        keep_state(m, motion)
        update_signals(equations, motion)
        group_rates(
            equations.groups, motion.poses, motion.velocities, motion.accelerations,
            m.speeds, m.rates,
        )  # fmt: skip
        copy_rows(m.old_rates, m.rates)
        alpha.predict(m.rates, m.speeds, m.alpha, m.after, m.values, numbers, n_rows, 0)
        local_rows(equations.groups, motion.bases, m.after, numbers, n_rows, m.row)


@kernel
def checks(p, n):
    """Relative residual on one level."""
    # what is not used would not be computed
    total = 0.0
    for _ in range(n):
        ratio, _row = newton.relative_residual(
            p.target.residual, p.equations.row_kinds, p.target.scales,
            p.equations.length[0],
        )  # fmt: skip
        p.target.residual[-1] += ratio
        total += ratio
    p.memory.row[0] = total


@kernel
def corrections(p, n):
    """What an iteration does with a solution besides the retraction."""
    m, motion, groups = p.memory, p.motion, p.equations.groups
    numbers, n_rows = p.equations.numbers, p.equations.sizes[1]
    length = p.equations.length[0]
    for _ in range(n):
        size = newton.largest_turn(motion.increments)
        negate(m.rhs, p.target.residual)
        size += newton.largest_move(m.row, numbers, n_rows, length)
        size += newton.rounding_move(motion.poses, length)
        p.target.residual[-1] += size
        alpha.correct(groups, motion, m.before, m.speeds, m.rates, 0.0, 0.0)


@kernel
def conversions(p, n):
    """What a retraction wants besides: places kept, velocities of frames and groups."""
    m, motion, groups = p.memory, p.motion, p.equations.groups
    for _ in range(n):
        alpha.keep_places(groups, motion.poses, motion.increments, m.before)
        body_rates(
            groups, motion.poses, m.speeds, m.rates, motion.velocities,
            motion.accelerations,
        )  # fmt: skip


@kernel
def second_sides(p, n):
    """Right-hand side of the second solve of the stabilized form."""
    m, f = p.memory, p.factorization
    for _ in range(n):
        alpha.second_rhs(
            m.rhs, m.place, m.row, p.target.data, f.indptr, f.indices,
            p.equations.sizes[0],
        )  # fmt: skip


@kernel
def acceptances(p, n):
    """History takes over, increments return to zero, iterates are set."""
    for _ in range(n):
        accept_step(p.equations, p.motion)


@kernel
def observations(p, n):
    """Powers of what does work, and the ledger, in a step that keeps no row."""
    for _ in range(n):
        book = p.memory.book
        output = p.buffer.outputs[p.buffer.n[0]]
        observe_blocks(
            p.equations, p.motion, output, book[NOW:BEFORE], everything=False
        )
        add_to_book(book, is_recorded=False)


@kernel
def rows_kept(p, n):
    """One row of results: section forces, coordinates of joints, energies."""
    for _ in range(n):
        p.buffer.n[0] = 0
        book, output = p.memory.book, p.buffer.outputs[p.buffer.n[0]]
        observe_blocks(p.equations, p.motion, output, book[NOW:BEFORE], everything=True)
        record(p.equations, p.motion, p.target, p.buffer, book)


@kernel
def stages(p, n):
    """What a Munthe-Kaas stage does besides the matrix and the retraction."""
    m, motion, groups = p.memory, p.motion, p.equations.groups
    numbers, n_rows = p.equations.numbers, p.equations.sizes[1]
    for _ in range(n):
        munthe_kaas.gather_stage(
            m.slopes, m.rates, m.weights[1], 0.0, m.phi, m.speeds, m.first_speeds,
            m.lost,
        )  # fmt: skip
        p.target.residual[-1] += newton.largest_turn(m.phi)
        copy_rows(motion.bases, m.old_poses)
        copy_rows(motion.poses, m.old_poses)
        local_rows(groups, motion.bases, m.phi, numbers, n_rows, m.row)
        body_rates(
            groups, motion.poses, m.speeds, m.rates[0], motion.velocities,
            motion.accelerations,
        )  # fmt: skip
        copy_rows(motion.bases, motion.poses)
        motion.increments[:] = 0.0
        motion.accelerations[:] = 0.0
        motion.multipliers[:] = 0.0
        update_signals(p.equations, motion)
        negate(m.rhs, p.target.residual)
        munthe_kaas.take_rates(
            m.row, numbers, n_rows, motion.accelerations, motion.multipliers,
            p.equations.sizes[0],
        )  # fmt: skip
        group_rates(
            groups, motion.poses, motion.velocities, motion.accelerations, m.speeds,
            m.rates[1],
        )  # fmt: skip
        increment_rate(groups, m.phi, m.speeds, EXACT, m.slopes[1])


@kernel
def copies(p, n):
    """The copies that a Munthe-Kaas step begins with."""
    for _ in range(n):
        keep_state(p.memory, p.motion)


@kernel
def starts(p, n):
    """A new step from here: iterates from the shape."""
    for _ in range(n):
        start_step(p.equations, p.motion)
