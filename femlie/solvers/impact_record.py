"""Where a run with impacts puts down what contacts did, for the results.

Two blocks: wrenches on frames, by which reactions know of contacts and which are zero
but while a row is taken; then what results say of contacts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ..assembly import eq_view
from ..contact import _layout as layout
from ..contact import _rows as kernels
from ..elements.base import Array, Block, no_carry
from ..system import System
from .contact_rows import ContactRows, Look
from .impacts import Impacts
from .stepping import Stepping


def with_record(system: System) -> System:
    """A system with two blocks that hold what contacts did, for the results."""
    model = system.contact
    assert model is not None
    n = model.segments.n + len(model.names)
    block = Block(
        kind="contact",
        kernels=(kernels.evaluate_nothing, no_carry, kernels.observe_recorded),
        frames=np.zeros((n, 1), dtype=np.int64),
        codes=np.zeros((n, 1), dtype=np.int64),
        parameters=np.zeros((n, layout.N_OUTPUTS)),
        names=(model.names[0],) * n,
        n_outputs=layout.N_OUTPUTS,
        does_work=False,
        n_output_rows=n,
    )
    frames = np.unique(model.segments.frames)
    m = frames.size
    wrenches = Block(
        kind="contact wrench",
        kernels=(kernels.evaluate_wrenches, no_carry, kernels.observe_no_wrenches),
        frames=frames[:, None],
        codes=np.zeros((m, 1), dtype=np.int64),
        parameters=np.zeros((m, 6)),
        names=(model.names[0],) * m,
        does_work=False,
    )
    history = system.state.history
    more = np.zeros((m, 0)), np.zeros((n, 0))
    state = replace(system.state, history=(*history, *more) if history else ())
    return replace(system, blocks=(*system.blocks, wrenches, block), state=state)


class ImpactRecord:
    """What impacts have done since the last row of results, of which rows have means.

    Accelerations and multipliers of the method leave impulses out: they are of the
    smooth forces at the end of a step. Rows have these and the mean of all impulses, so
    that forces, weights, reactions and contacts are in balance there.

    Parameters
    ----------
    stepping : Stepping
        Of a system with both blocks.
    rows : ContactRows
    impacts : Impacts
    """

    def __init__(self, stepping: Stepping, rows: ContactRows, impacts: Impacts) -> None:
        assembly, motion = stepping.assembly, stepping.motion
        self.motion, self.rows, self.impacts = motion, rows, impacts
        n = len(assembly.system.blocks)
        self.recorded = eq_view(assembly.equations, n - 1, "parameters")
        self.on_frames = eq_view(assembly.equations, n - 2, "parameters")
        self.frames = assembly.system.blocks[n - 2].frames[:, 0]
        self.impulses = np.zeros_like(self.recorded)
        self.wrenches = np.zeros_like(self.on_frames)
        self.held = np.zeros_like(motion.multipliers)
        self.jumps = np.zeros_like(motion.velocities)
        self.row_time = np.array([stepping.start_time])
        self.last = self.on_frames.copy()  # wrenches of the last row

    def carried(self) -> dict[str, Array]:
        """What a restart needs."""
        return {
            "impulses": self.impulses,
            "wrenches": self.wrenches,
            "held_impulses": self.held,
            "jumps": self.jumps,
            "row_time": self.row_time,
        }

    def begin(self, look: Look) -> None:
        """Gaps at the start."""
        self.rows.record(look, np.zeros(look.gaps.size), self.recorded)

    def add(self, look: Look, impulses: Array, *, is_due: bool) -> None:
        """Put down impulses (n_rows,) of one step [N s]."""
        has_impact = bool(np.any(impulses > 0.0))
        if is_due or has_impact:
            self.rows.record(look, impulses, self.impulses)
        if has_impact:
            self.wrenches += self.rows.wrenches(look, impulses)[self.frames]
            self.held += self.impacts.held
            self.jumps += self.impacts.jump

    def take(self, record: Callable[[], int]) -> None:
        """Let a row be recorded, with means since the last one."""
        motion = self.motion
        passed = max(float(motion.time[0] - self.row_time[0]), 1e-300)
        close = layout.CLOSENESS
        self.recorded[:, :close] = self.impulses[:, :close] / passed
        self.recorded[:, close] = self.impulses[:, close]
        smooth = motion.accelerations.copy(), motion.multipliers.copy()
        motion.accelerations[:] += self.jumps / passed
        motion.multipliers[:] += self.held / passed
        self.last = self.wrenches / passed
        self.on_frames[:] = self.last
        record()
        self.on_frames[:] = 0.0
        motion.accelerations[:], motion.multipliers[:] = smooth
        for array in (self.impulses, self.wrenches, self.held, self.jumps):
            array[:] = 0.0
        self.row_time[0] = motion.time[0]
