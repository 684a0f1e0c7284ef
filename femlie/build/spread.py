"""Loads along beams, told by the ends of elements that they act on."""

from __future__ import annotations

import numpy as np

from ..elements import _body_kernel as kernels
from ..elements.spread import SpreadLoads
from ..parts.loads import Gravity
from .draft import Draft
from .loads import Wrenches, load_parameters


def weight_shares(part: Gravity, draft: Draft) -> list[Wrenches]:
    """What of a weight the ends of the elements of beams bring, none without frames."""
    shares = []
    signal = draft.signals.number(part.over_time, part=part.name)
    acceleration = np.asarray(part.acceleration, float)
    for name in draft.beams if part.on is None else part.on:
        if name not in draft.beams:
            continue
        frames, mass, first = draft.masses[name]
        has_mass = mass > 0.0
        safe = np.where(has_mass, mass, 1.0)
        forces = mass[:, None] * acceleration
        shares.append(
            Wrenches(
                part.name,
                frames,
                forces,
                np.zeros_like(forces),
                first / safe[:, None],
                signal,
                kernels.WEIGHT,
                draft.ends_of(name),
            )
        )
    return shares


def spread_loads(loads: list[Wrenches], block: int) -> SpreadLoads | None:
    """Those of loads that act along beams, whose block has the number ``block``."""
    along = [load for load in loads if load.ends is not None]
    if not along:
        return None
    sizes = [load.frames.size for load in along]
    return SpreadLoads(
        block=block,
        ends=np.concatenate([np.zeros(0, np.int64), *(load.ends for load in along)]),
        signals=np.repeat([load.signal for load in along], sizes),
        kinds=np.repeat([load.kind for load in along], sizes),
        loads=load_parameters(along),
    )
