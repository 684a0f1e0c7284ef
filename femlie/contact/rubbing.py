"""What friction adds to the rows of a list of contacts, as arrays."""

from __future__ import annotations

import dataclasses

import numpy as np

from ..elements.base import Array, Block, IntArray
from . import _friction_kernel as kernel
from . import _friction_layout as layout
from . import _layout as plain
from .model import ContactModel


def with_friction(
    model: ContactModel, codes: IntArray, parameters: Array, n_normal: int
) -> tuple[IntArray, Array]:
    """Codes and parameters of rows that may rub.

    Parameters
    ----------
    model : ContactModel
    codes, parameters : arrays
        Those without friction.
    n_normal : int
        Normal multipliers; two tangential ones for each stand behind them.
    """
    segments = model.segments
    n = len(codes)
    numbers = codes[:, plain.MULTIPLIER : plain.MULTIPLIER + plain.N_MULTIPLIERS]
    more = n_normal + 2 * numbers[:, :, None] + np.arange(2)
    more = np.where(numbers[:, :, None] < 0, -1, more).reshape(
        n, 2 * plain.N_MULTIPLIERS
    )
    wide = np.zeros((n, layout.N_PARAMETERS))
    wide[:, : plain.N_PARAMETERS] = parameters
    part = codes[:, plain.TOTAL] - segments.n
    wide[:, layout.COEFFICIENT] = np.array(model.frictions)[part]
    slave, master = codes[:, plain.SLAVE], codes[:, plain.MASTER]
    wide[:, layout.OFFSET] = 0.5 * (segments.radii[master] - segments.radii[slave])
    turns, rings = segments.turns, segments.rings
    for one, arc, turn in (
        (slave, layout.SLAVE_ARC, layout.SLAVE_TURN),
        (master, layout.MASTER_ARC, layout.MASTER_TURN),
    ):
        arcs = segments.arcs[one]
        wide[:, arc + layout.ARC] = arcs[:, 0]
        wide[:, arc + layout.LENGTH] = arcs[:, 1] - arcs[:, 0]
        wide[:, arc + layout.RING] = rings[one]
        wide[:, turn : turn + 4] = turns[one]
    return np.hstack([codes, more]), wide


def rubbing(block: Block) -> Block:
    """The block of a list with friction from one without."""
    codes = block.codes
    numbers = codes[:, plain.MULTIPLIER : plain.MULTIPLIER + plain.N_MULTIPLIERS]
    return dataclasses.replace(
        block,
        kernels=(kernel.evaluate, kernel.carry, kernel.observe),
        n_multipliers=layout.N_MULTIPLIERS,
        n_iterates=layout.N_ITERATES,
        n_outputs=layout.N_OUTPUTS,
        multipliers=np.hstack([numbers, codes[:, layout.TANGENT :]]),
    )
