"""Parts of a factorization with frozen pivots, as compiled code sees them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._jit import part_of, shared

FloatArray = NDArray[np.float64]
Uint32Array = NDArray[np.uint32]
Uint64Array = NDArray[np.uint64]


class FrozenFactors(NamedTuple):
    """Pivot order, patterns, scaling, values and memory of ``L U = P R A C Q``.

    A tuple of contiguous arrays, so that compiled code takes it as one argument.

    Attributes
    ----------
    indptr, indices : (n + 1,), (n_entries,) arrays
        Pattern of the matrix, compressed by columns.
    targets : (n_entries,) array
        Row of each entry after the row permutation.
    entry_scale : (n_entries,) array
        Row factor times column factor of each entry.
    row_position : (n,) array
        Place of each row among the pivots.
    column_order : (n,) array
        Column of the matrix at each pivot.
    row_scale, column_scale : (n,) arrays
        Powers of two.
    regularization : (n_multipliers,) array
        Added to the diagonal of the multiplier rows: zero or negative.
    lower_starts, lower_rows, lower_values : arrays
        Strictly lower L by columns; its diagonal is 1.
    upper_starts, upper_rows, upper_values : arrays
        Strictly upper U by columns.
    inverse_pivots : (n,) array
        One over the diagonal of U.
    widths : (n,) array
        Number of columns of L from here on that have the same rows.
    panel_sizes : (n,) array
        Number of columns, up to 4, that are updated together from this one on; 0
        within such a panel.
    places : (n,) array
        Place of each column in its panel.
    n_sweeps : (1,) array
        Sweeps of iterative refinement in each solve.
    statistics : (3,) array
        Smallest pivot relative to its column, largest entry of U, column of the
        matrix where the last failed factorization stopped (else -1).
    limits : (3,) array
        Smallest pivot that needs no check for a singular matrix, largest allowed
        entry of U, smallest pivot relative to the entries below it.
    residual, direction, bound : (n,) arrays
        Memory of the kernels. After a check, ``direction`` is the vector that the
        matrix shortens most.
    work : (n,) array
        One column; zero between calls.
    panel : (4 n,) array
        One panel, row by row; zero between calls, empty if there are no panels.
    block, sums : arrays
        Memory of the panel update.
    """

    indptr: Uint64Array
    indices: Uint32Array
    targets: Uint32Array
    entry_scale: FloatArray
    row_position: Uint32Array
    column_order: Uint32Array
    row_scale: FloatArray
    column_scale: FloatArray
    regularization: FloatArray
    lower_starts: Uint64Array
    lower_rows: Uint32Array
    lower_values: FloatArray
    upper_starts: Uint64Array
    upper_rows: Uint32Array
    upper_values: FloatArray
    inverse_pivots: FloatArray
    widths: NDArray[np.int64]
    panel_sizes: NDArray[np.int64]
    places: Uint64Array
    n_sweeps: NDArray[np.int64]
    statistics: FloatArray
    limits: FloatArray
    work: FloatArray
    panel: FloatArray
    block: FloatArray
    sums: FloatArray
    residual: FloatArray
    direction: FloatArray
    bound: FloatArray

    @property
    def n_fill(self) -> int:
        """Number of entries of L and U, the diagonal counted once."""
        return self.lower_rows.size + self.upper_rows.size + self.inverse_pivots.size

    @property
    def n_flops(self) -> int:
        """Additions and multiplications of one numeric factorization."""
        lengths = np.diff(self.lower_starts.astype(np.int64))
        return int(2 * lengths[self.upper_rows].sum() + lengths.sum())


@shared
def frozen_factors(f: Any) -> Any:
    """Name the parts of a factorization, in their order."""
    return FrozenFactors(
        f.indptr,
        f.indices,
        part_of(f.shorts, f.bounds, 2),
        part_of(f.floats, f.bounds, 3),
        part_of(f.shorts, f.bounds, 4),
        part_of(f.shorts, f.bounds, 5),
        part_of(f.floats, f.bounds, 6),
        part_of(f.floats, f.bounds, 7),
        part_of(f.floats, f.bounds, 8),
        part_of(f.longs, f.bounds, 9),
        part_of(f.shorts, f.bounds, 10),
        part_of(f.floats, f.bounds, 11),
        part_of(f.longs, f.bounds, 12),
        part_of(f.shorts, f.bounds, 13),
        part_of(f.floats, f.bounds, 14),
        part_of(f.floats, f.bounds, 15),
        part_of(f.integers, f.bounds, 16),
        part_of(f.integers, f.bounds, 17),
        part_of(f.longs, f.bounds, 18),
        part_of(f.integers, f.bounds, 19),
        part_of(f.floats, f.bounds, 20),
        part_of(f.floats, f.bounds, 21),
        part_of(f.floats, f.bounds, 22),
        part_of(f.floats, f.bounds, 23),
        part_of(f.floats, f.bounds, 24),
        part_of(f.floats, f.bounds, 25),
        part_of(f.floats, f.bounds, 26),
        part_of(f.floats, f.bounds, 27),
        part_of(f.floats, f.bounds, 28),
    )
