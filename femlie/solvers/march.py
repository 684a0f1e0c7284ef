"""Records rows while a run goes on, and hands them to results in pieces."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np

from .._equations import observe_blocks, wrenches_on_frames
from .._jit import kernel, shared
from ..assembly import Assembly
from ..elements.base import Array, IntArray, Motion
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


@shared
def record(equations, motion, target, buffer, ledger):
    """Add one row; ``ledger`` (8,) are the energies to write."""
    k = buffer.n[0]
    buffer.times[k] = motion.time[0]
    buffer.poses[k] = motion.poses
    buffer.velocities[k] = motion.velocities
    buffer.accelerations[k] = motion.accelerations
    buffer.multipliers[k] = motion.multipliers
    buffer.energies[k] = ledger
    wrenches_on_frames(equations, motion, target)
    pick_reactions(equations.reactions, buffer, k)
    buffer.n[0] = k + 1


@kernel
def pick_reactions(wrenches, buffer, k):
    for i in range(buffer.locked.shape[0]):
        first = 6 * buffer.locked[i]
        for j in range(6):
            buffer.reactions[k, i, j] = wrenches[first + j] * buffer.mask[i, j]


@shared
def observe(equations, motion, buffer, energies):
    """Energies and powers now; outputs into the next row of the buffer."""
    observe_blocks(equations, motion, buffer.outputs[buffer.n[0]], energies)


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

    @property
    def is_full(self) -> bool:
        """Whether the next row needs the piece to be handed over first."""
        return bool(self.buffer.n[0] >= self.buffer.times.shape[0])

    def take(self, motion: Motion, ledger: Array) -> None:
        """Record the present motion from Python."""
        assembly = self.assembly
        energies = np.zeros(6)
        run(assembly, observe, motion, self.buffer, energies)
        row = np.zeros(8)
        row[:3] = energies[:3]
        row[3:] = ledger[3:]
        run(assembly, record, motion, assembly.target, self.buffer, row)
        if self.is_full:
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
