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
        Normal multipliers; two tangential ones for each stand behind them, then those
        of points that resist spin.
    """
    segments = model.segments
    n = len(codes)
    numbers = codes[:, plain.MULTIPLIER : plain.MULTIPLIER + plain.N_MULTIPLIERS]
    more = n_normal + 2 * numbers[:, :, None] + np.arange(2)
    more = np.where(numbers[:, :, None] < 0, -1, more).reshape(
        n, 2 * plain.N_MULTIPLIERS
    )
    part = codes[:, plain.TOTAL] - segments.n
    radii = np.array(model.spin_radii or (0.0,) * len(model.names))[part]
    spins = _spin_numbers(codes, radii, 3 * n_normal)
    wide = np.zeros((n, layout.N_PARAMETERS))
    wide[:, : plain.N_PARAMETERS] = parameters
    wide[:, layout.COEFFICIENT] = np.array(model.frictions)[part]
    wide[:, layout.SPIN_RADIUS] = radii
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
    return np.hstack([codes, more, spins]), wide


def _spin_numbers(codes: IntArray, radii: Array, first: int) -> IntArray:
    """(n, 1) numbers of the multipliers of spin, from the first one on; -1 without."""
    found = np.full((len(codes), 1), -1, dtype=np.int64)
    has_spin = (codes[:, plain.FORM] != plain.LINE) & (radii > 0.0)
    points = codes[has_spin, plain.MULTIPLIER]
    found[has_spin, 0] = first + np.unique(points, return_inverse=True)[1]
    return found


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
