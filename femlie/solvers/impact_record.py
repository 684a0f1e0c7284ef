"""Where a run with impacts puts down what contacts did, for the results.

Blocks of what results say of hard stops, if there are any; of wrenches on frames, by
which reactions know of impacts and which are zero but while a row is taken; then of
what results say of contacts, if there are any.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ..assembly import eq_view
from ..contact import _friction_layout
from ..contact import _layout as layout
from ..contact import _rows as kernels
from ..contact.model import ContactModel
from ..elements.base import Array, Block, no_carry
from ..elements.hard_stop import record_block
from ..system import System
from .contact_rows import Look, summed_columns
from .impacts import Impacts
from .stepping import Stepping
from .stop_rows import Rows


def with_record(system: System) -> System:
    """A system with blocks that hold what impacts did, for the results."""
    model = system.contact
    pairs = [stop.element for stop in system.stops]
    frames = [[pair.parent_frame, pair.child_frame] for pair in pairs]
    names = [stop.name for stop in system.stops]
    blocks = [record_block(system.stops)] if system.stops else []
    if model is not None:
        frames += model.segments.frames.tolist()
        names += model.names
    where = np.unique(np.array(frames, dtype=np.int64))
    wrenches = Block(
        kind="contact wrench",
        kernels=(kernels.evaluate_wrenches, no_carry, kernels.observe_no_wrenches),
        frames=where[:, None],
        codes=np.zeros((where.size, 1), dtype=np.int64),
        parameters=np.zeros((where.size, 6)),
        names=(names[0],) * where.size,
        does_work=False,
    )
    blocks.append(wrenches)
    if model is not None:
        blocks.append(_contact_block(model))
    history = system.state.history
    more = tuple(np.zeros((block.n_elements, 0)) for block in blocks)
    state = replace(system.state, history=(*history, *more) if history else ())
    return replace(system, blocks=(*system.blocks, *blocks), state=state)


def _contact_block(model: ContactModel) -> Block:
    n = model.segments.n + len(model.names)
    columns = _friction_layout if model.has_friction else layout
    width = columns.N_OUTPUTS
    return Block(
        kind="contact",
        kernels=(kernels.evaluate_nothing, no_carry, kernels.observe_recorded),
        frames=np.zeros((n, 1), dtype=np.int64),
        codes=np.zeros((n, 1), dtype=np.int64),
        parameters=np.zeros((n, width)),
        names=(model.names[0],) * n,
        n_outputs=width,
        does_work=False,
        n_output_rows=n,
    )


class ImpactRecord:
    """What impacts have done since the last row of results, of which rows have means.

    Accelerations and multipliers of the method leave impulses out: they are of the
    smooth forces at the end of a step. Rows have these and the mean of all impulses, so
    that forces, weights, reactions and contacts are in balance there.

    Parameters
    ----------
    stepping : Stepping
        Of a system with these blocks.
    rows : Rows
    impacts : Impacts
    """

    def __init__(self, stepping: Stepping, rows: Rows, impacts: Impacts) -> None:
        assembly, motion = stepping.assembly, stepping.motion
        self.motion, self.rows, self.stops = motion, rows.all, rows.stops
        self.impacts = impacts
        equations, at = assembly.equations, len(assembly.system.blocks) - 1
        self.recorded = np.zeros((0, layout.N_OUTPUTS))
        if rows.lists is not None:
            self.recorded = eq_view(equations, at, "parameters")
            at -= 1
        self.on_frames = eq_view(equations, at, "parameters")
        self.frames = assembly.system.blocks[at].frames[:, 0]
        self.recorded_stops = np.zeros((0, 0))
        if rows.stops is not None:
            self.recorded_stops = eq_view(equations, at - 1, "parameters")
        self.impulses = np.zeros_like(self.recorded)
        self.wrenches = np.zeros_like(self.on_frames)
        self.held = np.zeros_like(motion.multipliers)
        self.jumps = np.zeros_like(motion.velocities)
        self.row_time = np.array([stepping.start_time])
        self.last = self.on_frames.copy()  # wrenches of the last row

    def carried(self) -> dict[str, Array]:
        """What a restart needs."""
        more = {} if self.stops is None else {"stop_impulses": self.stops.kept}
        return {
            **more,
            "impulses": self.impulses,
            "wrenches": self.wrenches,
            "held_impulses": self.held,
            "jumps": self.jumps,
            "row_time": self.row_time,
        }

    def begin(self, look: Look) -> None:
        """Gaps at the start."""
        self.impacts.rubbing.begin(look)
        self._put_down(look, np.zeros(look.gaps.size), self.recorded)
        if self.stops is not None:
            self.stops.hand_over(self.recorded_stops, 1.0)

    def add(self, look: Look, impulses: Array, *, is_due: bool) -> None:
        """Put down impulses (n_rows,) of one step [N s]."""
        has_impact = bool(np.any(impulses > 0.0))
        if is_due or has_impact:
            self._put_down(look, impulses, self.impulses)
        if has_impact:
            friction = self.impacts.rubbing.found
            wrenches = self.rows.wrenches(look, impulses, friction)
            self.wrenches += wrenches[self.frames]
            self.held += self.impacts.held
            self.jumps += self.impacts.jump

    def _put_down(self, look: Look, impulses: Array, outputs: Array) -> None:
        self.rows.record(look, impulses, self.impacts.rubbing.found, outputs)

    def take(self, record: Callable[[], int]) -> None:
        """Let a row be recorded, with means since the last one."""
        motion = self.motion
        passed = max(float(motion.time[0] - self.row_time[0]), 1e-300)
        sums, _ = summed_columns(self.recorded.shape[1])
        self.recorded[:] = self.impulses
        self.recorded[:, sums] /= passed
        if self.recorded.shape[1] > layout.N_OUTPUTS:
            # ways, not means
            ways = [_friction_layout.SLIP, _friction_layout.SPIN_ANGLE]
            self.recorded[:, ways] *= passed
        if self.stops is not None:
            self.stops.hand_over(self.recorded_stops, passed)
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
