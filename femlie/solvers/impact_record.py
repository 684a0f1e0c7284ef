"""Where a run with impacts puts down what contacts did, for the results."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..contact import _friction_layout
from ..contact import _layout as layout
from ..contact import _rows as kernels
from ..elements.base import Block, no_carry
from ..elements.hard_stop import record_block
from ..system import System


def with_record(system: System) -> System:
    """A system with blocks that hold what stops and contacts did, for the results."""
    if system.stops:
        system = _with_block(system, record_block(system.stops))
    model = system.contact
    if model is None:
        return system
    n = model.segments.n + len(model.names)
    columns = _friction_layout if model.has_friction else layout
    width = columns.N_OUTPUTS
    block = Block(
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
    return _with_block(system, block)


def _with_block(system: System, block: Block) -> System:
    history = system.state.history
    more = (*history, np.zeros((block.n_elements, 0))) if history else ()
    state = replace(system.state, history=more)
    return replace(system, blocks=(*system.blocks, block), state=state)
