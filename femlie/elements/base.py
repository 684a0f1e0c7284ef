"""What kernels see, and blocks of like elements as arrays.

A block holds all elements of one kind. Its three kernels have one signature each:

``evaluate(motion, block, target, level, mass, damping, stiffness)``
    adds residual, sums of magnitudes and, when a weight is not zero, the tangent
``carry(motion, block, moves, fraction, mode)``
    sets (``RESET``), moves (``MOVE``) or accepts (``ACCEPT``) iterates and history
``observe(motion, block, output, energies)``
    writes what results want to know and adds energies and powers
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .._jit import kernel

Array = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

# NEXT_STAGE: a round of a law that is softened at first is done, see `Motion.time`
RESET, MOVE, ACCEPT, NEXT_STAGE = 0, 1, 2, 3
# rows of `energies` in observe: three energies [J], then powers [W], then what friction
# in joints has taken since the start [J]
KINETIC, STRAIN, POTENTIAL, LOAD_POWER, MOTOR_POWER, DISSIPATED_POWER = range(6)
FRICTION_LOSS, N_ENERGIES = 6, 7
# rows of `Target.scales`: sums of magnitudes, then rounding floors, then whether
# something has happened that no step may contain, then the rounding floor of gaps
FORCE_SUM, MOMENT_SUM, FORCE_FLOOR, MOMENT_FLOOR, EVENT, GAP_FLOOR = range(6)
N_SCALES = 6


class Motion(NamedTuple):
    """State as kernels see it: contiguous arrays, changed in place by the driver."""

    time: Array  # (3,) time or load factor; 1 in statics, else 0; stage of laws
    signals: Array  # (n_signals, 3) value, rate and second rate at `time`
    bases: Array  # (n_frames, 7) poses at the last accepted step
    poses: Array  # (n_frames, 7) place and unit quaternion, w first
    velocities: Array  # (n_frames, 6) body-fixed
    accelerations: Array  # (n_frames, 6) body-fixed
    increments: Array  # (n_frames, 6) pose = base exp(increment)
    multipliers: Array  # (n_multipliers,)


class BlockData(NamedTuple):
    """One block as kernels see it."""

    frames: IntArray  # (n_elements, k) rows of Motion.poses
    codes: IntArray  # (n_elements, n_codes) switches and signal numbers
    parameters: Array  # (n_elements, n_parameters)
    history: Array  # (n_elements, n_history), changes on acceptance only
    iterates: Array  # (n_elements, n_iterates), moves with the increments
    rows: IntArray  # (n_elements, 6k + m) unknowns; n_rows where locked
    slots: npt.NDArray[np.uint32]  # (n_elements, (6k + m)^2) places in the CSC data


class Target(NamedTuple):
    """Where kernels add their contributions; the last entry takes locked ones."""

    residual: Array  # (n_rows + 1,)
    data: Array  # (n_nonzeros + 1,)
    scales: Array  # (6,)


@dataclass(frozen=True)
class Block:
    """All elements of one kind, before unknowns are numbered.

    Attributes
    ----------
    kind : str
        Name of the kind, for messages.
    kernels : tuple of callables
        ``evaluate, carry, observe``.
    frames : (n_elements, k) int array
        Frames of each element.
    codes, parameters : (n_elements, n) arrays
        Switches and numbers; the kind's module says what they mean. The first code of
        kinds with multipliers is the number of the element's first one.
    n_multipliers : int
        Multipliers of one element, numbered behind the frame rows.
    n_history, n_iterates, n_outputs : int
        Columns of history, iterates and of what ``observe`` writes.
    names : tuple of str
        The part that each element came from, for messages and results.
    initial_history : (n_elements, n_history) array or None
        History at the start; zero if None.
    does_work : bool
        Whether loads, motors or dampers among the elements can have power: these are
        looked at after every step for the energy ledger, others for output rows only.
    is_compiled : bool
        False for a user's element written in plain Python.
    static_evaluate : callable or None
        Takes the place of ``evaluate`` in static analyses, for kinds whose inertia is a
        large part of the kernel: what is not used is not compiled.
    bind : callable or None
        Called once with the `Assembly`, by kinds that look at the whole model.
    multipliers : (n_elements, n_multipliers) int array or None
        Numbers of multipliers that elements share, from zero on, -1 where there is
        none; None: each element has its own.
    n_output_rows : int or None
        Rows of what ``observe`` writes; None: one an element.
    """

    kind: str
    kernels: tuple[Callable[..., None], Callable[..., None], Callable[..., None]]
    frames: IntArray
    codes: IntArray
    parameters: Array
    names: tuple[str, ...]
    n_multipliers: int = 0
    n_history: int = 0
    n_iterates: int = 0
    n_outputs: int = 0
    initial_history: Array | None = None
    does_work: bool = True
    is_compiled: bool = True
    static_evaluate: Callable[..., None] | None = None
    bind: Callable[[Any], None] | None = None
    multipliers: IntArray | None = None
    n_output_rows: int | None = None

    @property
    def n_elements(self) -> int:
        return int(self.frames.shape[0])

    @property
    def n_all_multipliers(self) -> int:
        """Multipliers of all elements."""
        if self.multipliers is None:
            return self.n_elements * self.n_multipliers
        return int(self.multipliers.max(initial=-1)) + 1

    @property
    def n_all_outputs(self) -> int:
        """Numbers that ``observe`` writes for all elements."""
        rows = self.n_elements if self.n_output_rows is None else self.n_output_rows
        return rows * self.n_outputs

    @property
    def n_rows(self) -> int:
        """Rows of one element: wrench rows, then multiplier rows."""
        return 6 * int(self.frames.shape[1]) + self.n_multipliers


@kernel
def no_carry(motion, block, moves, fraction, mode):  # type: ignore[no-untyped-def]
    """Carry of kinds without iterates or history."""
