"""Loads along beams, and where the elements that they act on stand in flat arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ._beam_geometry import N_OUTPUTS, N_PARAMETERS
from ._body_kernel import N_LOAD_PARAMETERS
from ._section_forces import N_SPREAD_CODES
from .base import Array, Block, IntArray


@dataclass(frozen=True)
class SpreadLoads:
    """Loads along beams, one row for each end of an element that one acts on.

    Their resultants are in blocks of loads too; these rows say which element brings
    them, so that its section forces can be told from those of its neighbors.

    Attributes
    ----------
    block : int
        The block of beams.
    ends : (n,) int array
        Twice the number of the element, plus 0 for its first end, 1 for its second.
    signals, kinds : (n,) int arrays
        As in the codes of loads.
    loads : (n, N_LOAD_PARAMETERS) array
        Force [N], moment [N m] and point [m] as in the parameters of loads.
    """

    block: int
    ends: IntArray
    signals: IntArray
    kinds: IntArray
    loads: Array


def flat_spread_loads(
    spread: SpreadLoads | None, blocks: Sequence[Block], starts: IntArray
) -> tuple[IntArray, Array]:
    """Arrays for `_section_forces.add_spread_loads`.

    Parameters
    ----------
    spread : SpreadLoads or None
    blocks : sequence of Block
    starts : (n_blocks, 2) int array
        Where each block begins among the outputs and the parameters of all.

    Returns
    -------
    (n, N_SPREAD_CODES) int array, (n, N_LOAD_PARAMETERS) array
    """
    if spread is None:
        return np.zeros((0, N_SPREAD_CODES), np.int64), np.zeros((0, N_LOAD_PARAMETERS))
    elements = spread.ends // 2
    outputs_at, parameters_at = starts[spread.block].tolist()
    columns = (
        outputs_at + N_OUTPUTS * elements,
        parameters_at + N_PARAMETERS * elements,
        blocks[spread.block].frames[elements],
        spread.ends % 2,
        spread.signals,
        spread.kinds,
    )
    codes = np.ascontiguousarray(np.column_stack(columns), dtype=np.int64)
    return codes, np.ascontiguousarray(spread.loads)
