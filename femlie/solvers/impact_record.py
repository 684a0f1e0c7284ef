"""Where a run with impacts puts down what contacts did, for the results."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..contact import _friction_layout
from ..contact import _layout as layout
from ..contact import _rows as kernels
from ..elements.base import Block, no_carry
from ..system import System


def with_record(system: System) -> System:
    """A system with a block that holds what contacts did, for the results."""
    model = system.contact
    assert model is not None
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
    history = system.state.history
    state = replace(
        system.state, history=(*history, np.zeros((n, 0))) if history else ()
    )
    return replace(system, blocks=(*system.blocks, block), state=state)
