"""Records rows while a run goes on, and hands them to results in pieces."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np

from .._equations import (
    accept_step,
    copy,
    copy_rows,
    observe_blocks,
    wrenches_on_frames,
)
from .._jit import kernel, routine, shared
from ..assembly import Assembly
from ..elements.base import FRICTION_LOSS, N_ENERGIES, Array, IntArray, Motion
from ..records import Layout, Records, concatenate_records, layout_of

Progress = Callable[[float, str], None]


class Writer(Protocol):
    """Where pieces of results go while a run goes on."""

    def append(self, records: Records) -> None: ...


class Buffer(NamedTuple):
    """Rows to be handed over; ``n`` of them are filled."""

    n: IntArray  # (1,)
    times: Array
    poses: Array
    velocities: Array
    accelerations: Array
    multipliers: Array
    outputs: Array
    reactions: Array
    energies: Array
    locked: IntArray  # frames with locked directions
    mask: Array  # (n_locked, 6) one where locked


# the energy ledger, one flat array: eleven columns of `Records.energies`; energies,
# powers and the loss by friction in joints now, and the same at the last step, as
# `observe` gives them; total energy at the start, time step
NOW = 11
BEFORE = NOW + N_ENERGIES
START = BEFORE + N_ENERGIES
BOOK_STEP, BOOK_SIZE = START + 1, START + 2
# columns of the ledger behind the six that are energies or have a power
MISSING, BALANCE, IMPACT_LOSS, CORRECTION_WORK, LOST_IN_FRICTION = range(6, 11)


def new_book(time_step: float) -> Array:
    """An empty energy ledger."""
    book = np.zeros(BOOK_SIZE)
    book[BOOK_STEP] = time_step
    return book


def start_book(book: Array) -> None:
    """The present energies are those that the run starts with."""
    book[BEFORE:START] = book[NOW:BEFORE]
    book[:3] = book[NOW : NOW + 3]
    book[START] = book[:3].sum()


@routine
def add_to_book(book, is_recorded):
    """Work of loads, motors and dampers over one step, by the trapezoidal rule.

    Friction in joints says itself what it has taken.

    What start energy and work do not explain is the method's own dissipation. Energies
    are known where a row is recorded.
    """
    h = book[BOOK_STEP]
    for k in range(3):
        book[3 + k] += 0.5 * h * (book[NOW + 3 + k] + book[BEFORE + 3 + k])
    rubbed = book[NOW + FRICTION_LOSS] - book[BEFORE + FRICTION_LOSS]
    book[LOST_IN_FRICTION] += rubbed
    for k in range(N_ENERGIES):
        book[BEFORE + k] = book[NOW + k]
    if not is_recorded:
        return
    total = 0.0
    for k in range(3):
        book[k] = book[NOW + k]
        total += book[k]
    missing = book[START] + book[3] + book[4] - book[5] - total
    missing += book[CORRECTION_WORK] - book[IMPACT_LOSS]
    missing -= book[LOST_IN_FRICTION]
    book[MISSING] = missing
    scale = abs(book[0]) + abs(book[1]) + abs(book[2] - book[START])
    scale += abs(book[3]) + abs(book[4]) + abs(book[5])
    scale += abs(book[IMPACT_LOSS]) + abs(book[CORRECTION_WORK])
    scale += abs(book[LOST_IN_FRICTION])
    book[BALANCE] = missing / scale if scale > 0.0 else 0.0


@shared
def finish_step(equations, motion, target, buffer, book, is_recorded):
    """Accept a step, keep the ledger, and record a row where one is due."""
    accept_step(equations, motion)
    output = buffer.outputs[buffer.n[0]]
    observe_blocks(equations, motion, output, book[NOW:BEFORE], is_recorded)
    add_to_book(book, is_recorded)
    if is_recorded:
        record(equations, motion, target, buffer, book)


@shared
def record(equations, motion, target, buffer, ledger):
    """Add one row; the first of ``ledger`` are the energies to write."""
    k = buffer.n[0]
    buffer.times[k] = motion.time[0]
    copy_rows(buffer.poses[k], motion.poses)
    copy_rows(buffer.velocities[k], motion.velocities)
    copy_rows(buffer.accelerations[k], motion.accelerations)
    copy(buffer.multipliers[k], motion.multipliers)
    copy(buffer.energies[k], ledger)
    if buffer.locked.shape[0] > 0:
        wrenches_on_frames(equations, motion, target)
        pick_reactions(
            equations.reactions, buffer.reactions, buffer.locked, buffer.mask, k
        )
    buffer.n[0] = k + 1


@kernel
def pick_reactions(wrenches, reactions, locked, mask, k):
    """Row ``k`` of the reactions: wrenches on frames where directions are locked."""
    for i in range(locked.shape[0]):
        first = 6 * locked[i]
        for j in range(6):
            reactions[k, i, j] = wrenches[first + j] * mask[i, j]


@shared
def observe(equations, motion, buffer, energies):
    """Energies and powers now; outputs into the next row of the buffer."""
    output = buffer.outputs[buffer.n[0]]
    observe_blocks(equations, motion, output, energies, everything=True)


class Recorder:
    """Rows of a run, kept in memory or written as the run goes.

    Parameters
    ----------
    assembly : Assembly
    writer : Writer or None
        Gets each piece; without one all pieces are kept.
    capacity : int
        Rows of a piece.
    """

    def __init__(
        self, assembly: Assembly, *, writer: Writer | None = None, capacity: int = 64
    ) -> None:
        self.layout: Layout = layout_of(assembly.system)
        self.assembly = assembly
        self.writer = writer
        self.pieces: list[Records] = []
        self.buffer = new_buffer(assembly, self.layout, capacity)

    def take(self, motion: Motion, ledger: Array) -> None:
        """Record the present motion from Python."""
        assembly = self.assembly
        energies = np.zeros(N_ENERGIES)
        run(assembly, observe, motion, self.buffer, energies)
        row = np.zeros(NOW)
        row[:3] = energies[:3]
        row[3:] = ledger[3:]
        run(assembly, record, motion, assembly.target, self.buffer, row)
        if self.buffer.n[0] >= self.buffer.times.shape[0]:
            self.hand_over()

    def hand_over(self) -> None:
        """Write or keep the rows so far and empty the buffer."""
        n = int(self.buffer.n[0])
        if n == 0:
            return
        piece = Records(
            *(getattr(self.buffer, name)[:n].copy() for name in Records._fields)
        )
        self.buffer.n[0] = 0
        self.pieces.append(piece)
        if self.writer is not None:
            self.writer.append(piece)

    def finish(self) -> Records:
        """All rows of the run."""
        self.hand_over()
        return concatenate_records(self.pieces)


def new_buffer(assembly: Assembly, layout: Layout, capacity: int) -> Buffer:
    """An empty buffer for the rows of a model."""
    shapes = layout.shapes()
    arrays = {name: np.zeros((capacity, *shape)) for name, shape in shapes.items()}
    numbers = assembly.system.dofs.numbers
    return Buffer(
        n=np.zeros(1, dtype=np.int64),
        locked=layout.locked_frames.astype(np.int64),
        mask=(numbers[layout.locked_frames] < 0).astype(np.float64),
        **arrays,
    )


def run(assembly: Assembly, function: Any, *arguments: Any) -> Any:
    """Call a shared function on the equations from Python."""
    return function(assembly.equations, *arguments)
