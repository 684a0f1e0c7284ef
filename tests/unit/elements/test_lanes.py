"""Rows of arrays and numbers side by side, there and back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from femlie._jit import kernel, scratch
from femlie.elements import _lanes as lanes
from femlie.elements._lanes import LANES

ROWS = np.random.default_rng(0).permutation(40)[:24].reshape(12, 2)


@kernel
def gathered(array: Any, frames: Any, start: Any, n: Any, found: Any) -> None:
    """Six numbers of the second frame and seven of the element, from column 1 on."""
    s = scratch(13 * LANES)
    for k in range(13 * LANES):
        s[k] = 0.0
    lanes.gather_frames(s, 0, array, frames, 1, start, n, 1, 6)
    lanes.gather_elements(s, 6, array, start, n, 1, 7)
    for k in range(13 * LANES):
        found[k] = s[k]


@kernel
def added(values: Any, slots: Any, start: Any, n: Any, total: Any) -> None:
    """Two columns of twelve rows to where their slots say."""
    s = scratch(24 * LANES)
    for k in range(24 * LANES):
        s[k] = values[k]
    lanes.add_sixes(s, 0, total, slots, start, n, 0, 2)
    lanes.add_sixes(s, 6, total, slots, start, n, 12, 2)
    lanes.add_sixes(s, 12, total, slots, start, n, 1, 2)
    lanes.add_sixes(s, 18, total, slots, start, n, 13, 2)


@pytest.mark.parametrize("n", sorted({1, LANES // 2, LANES - 1, LANES} - {0}))
def test_rows_stand_side_by_side(n: int) -> None:
    array = np.random.default_rng(1).normal(size=(40, 9))
    found = np.zeros(13 * LANES)
    gathered(array, ROWS, 3, n, found)
    side_by_side = found.reshape(13, LANES)[:, :n]
    np.testing.assert_array_equal(side_by_side[:6], array[ROWS[3 : 3 + n, 1], 1:7].T)
    np.testing.assert_array_equal(side_by_side[6:], array[3 : 3 + n, 1:8].T)


def slots_of(n: int, *, n_locked: int) -> Any:
    """Entries of two columns of twelve, runs of six; some are locked in some rows."""
    rng = np.random.default_rng(2)
    starts = rng.permutation(60)[: 4 * n].reshape(n, 2, 2) * 5
    slots = starts[..., None] + np.arange(6)
    slots[: n_locked and n // 3 + 1, :, :, :n_locked] = 400
    return np.ascontiguousarray(slots.transpose(0, 1, 3, 2).reshape(n, 24))


@pytest.mark.parametrize("kind", [np.uint32, np.int64])
@pytest.mark.parametrize("n_locked", [0, 2, 6])
@pytest.mark.parametrize("n", sorted({1, LANES // 2, LANES - 1, LANES} - {0}))
def test_columns_are_added_where_they_belong(n: int, n_locked: int, kind: Any) -> None:
    slots = slots_of(10, n_locked=n_locked).astype(kind)
    # whole numbers: sums are the same in any order
    values = np.random.default_rng(3).integers(-9, 9, size=24 * LANES).astype(float)
    total = np.zeros(401)
    added(values, slots, 2, n, total)
    expected = np.zeros(401)
    for k in range(n):
        own = values.reshape(2, 12, LANES)[:, :, k]
        for column in range(2):
            np.add.at(expected, slots[2 + k, column::2], own[column])
    np.testing.assert_array_equal(total[:-1], expected[:-1])
