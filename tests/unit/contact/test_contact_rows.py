"""Gaps of contact rows and their gradients, for methods with impacts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from femlie.contact import _layout as layout
from femlie.contact import _rows as kernels
from femlie.contact._spots import SPOT_SHAPE
from femlie.elements.base import MOVE
from femlie.lie import se3
from tests.contact_pair import pair


def gaps_of(one: Any) -> tuple[Any, Any]:
    """Weighted gaps of both multipliers, and where the points are."""
    spots = np.zeros((1, *SPOT_SHAPE))
    gaps = np.zeros(2)
    kernels.find_gaps(one.motion, one.data, spots, gaps)
    return gaps, spots


def gradients_of(one: Any, wanted: Any) -> Any:
    places = np.full(2, -1, dtype=np.int64)
    places[list(wanted)] = np.arange(len(wanted))
    found = np.zeros((len(wanted), 25))
    columns = np.arange(24, dtype=np.int64).reshape(4, 6)
    kernels.find_gradients(
        one.motion, one.data, gaps_of(one)[1], columns, places, found
    )
    return found[:, :-1]


@pytest.mark.parametrize("form", [layout.LINE, layout.POINT, layout.SPHERE])
@pytest.mark.parametrize("seed", range(3))
def test_gradient_is_that_of_the_gap(form: int, seed: int) -> None:
    one = pair(form, seed=seed)
    wanted = (0, 1) if form == layout.LINE else (0,)
    expected = np.zeros((len(wanted), 24))
    step = 1e-6
    for k in range(24):
        x = np.zeros(26)
        x[k] = step
        ahead, behind = (gaps_of(one.displaced(s * x))[0] for s in (1.0, -1.0))
        expected[:, k] = (ahead - behind)[list(wanted)] / (2.0 * step)
    assert gradients_of(one, wanted) == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("form", [layout.LINE, layout.POINT])
def test_rigid_motion_changes_no_gradient(form: int) -> None:
    one = pair(form)
    moved = one.rigidly_moved(se3.exp([3.0, -1.0, 2.0, 0.5, 1.0, -2.0]))
    moved.carry(MOVE)
    assert gradients_of(moved, (0,)) == pytest.approx(
        gradients_of(one, (0,)), abs=1e-12
    )


def test_one_multiplier_alone_has_the_same_gradient() -> None:
    one = pair(layout.LINE)
    both = gradients_of(one, (0, 1))
    assert np.array_equal(gradients_of(one, (1,))[0], both[1])
