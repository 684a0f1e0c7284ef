"""Hard stops of joints in statics: a multiplier for each limit."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np

from .._equations import evaluate_blocks, start_step, update_signals
from ..assembly import Assembly, eq_view
from ..elements import _joint_rows as layout
from ..elements.base import FORCE_SUM, MOMENT_SUM, Motion
from ..elements.hard_stop import counted_angles, stop_blocks
from ..system import ANGLE_ROW, PLACE_ROW, State, System
from .march import run


@dataclass(frozen=True)
class StaticStops:
    """What a static run adds to a system with hard stops.

    Parameters
    ----------
    base : System
        Without multipliers of stops.
    """

    base: System

    def system(self) -> System:
        """The system with blocks and multipliers of its stops."""
        base = self.base
        m = base.dofs.n_multipliers
        angles = counted_angles(base.stops, base.state.history)
        blocks, order = stop_blocks(base.stops, angles, m)
        kinds = [ANGLE_ROW if base.stops[k].is_angle else PLACE_ROW for k in order]
        dofs = dataclasses.replace(
            base.dofs,
            n_multipliers=m + len(order),
            multiplier_kinds=np.append(
                base.dofs.multiplier_kinds, np.array(kinds, dtype=np.int64)
            ),
        )
        return dataclasses.replace(
            base,
            blocks=(*base.blocks, *blocks),
            dofs=dofs,
            state=self.with_room(base.state),
            # limits that are reached together may say the same
            n_redundant=base.n_redundant + int(len(order) > 1),
        )

    def with_room(self, state: State) -> State:
        """A state of the base with multipliers of stops, all zero."""
        base = self.base
        history = state.history or base.state.history
        angles = counted_angles(base.stops, history)
        blocks, order = stop_blocks(base.stops, angles, base.dofs.n_multipliers)
        more = tuple(np.array(block.initial_history) for block in blocks)
        return dataclasses.replace(
            state,
            multipliers=np.concatenate([state.multipliers, np.zeros(len(order))]),
            history=(*history, *more),
        )

    def without_room(self, state: State) -> State:
        """The state of the base."""
        base = self.base
        return dataclasses.replace(
            state,
            multipliers=state.multipliers[: base.dofs.n_multipliers],
            history=state.history[: len(base.blocks)],
        )

    def begin(self, assembly: Assembly, motion: Motion) -> None:
        """Set what forces of stops are measured by: the load at its full size."""
        time = float(motion.time[0])
        motion.time[0] = 1.0
        run(assembly, update_signals, motion)
        run(assembly, start_step, motion)
        target = assembly.target
        run(assembly, evaluate_blocks, motion, target, 0, 0.0, 0.0, 0.0)
        forces, moments = target.scales[FORCE_SUM], target.scales[MOMENT_SUM]
        size = self.base.size
        force = float(forces + moments / size) or 1.0
        motion.time[0] = time
        run(assembly, update_signals, motion)
        column = layout.ROW_PARAMETERS + layout.STIFFNESS
        for b, block in enumerate(assembly.system.blocks):
            if block.kind == "stop":
                is_angle = block.codes[0, layout.ROW_CODES + layout.KIND]
                per = size if is_angle == layout.ANGLE else 1.0 / size
                eq_view(assembly.equations, b, "parameters")[:, column] = force * per
