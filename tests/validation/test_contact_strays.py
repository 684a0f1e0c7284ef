"""Statics from where nothing touches: what has gone far, or toppled, is told."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import femlie as fl
from femlie.lie import so3

SIZES = (1.0, 0.8, 0.6)


def fallen(tilt: Any, height: float, friction: float) -> fl.Results:
    """A box above a floor, turned by a rotation vector; its middle is 0.3 m higher."""
    model = fl.Model()
    solid = fl.box(SIZES, density=1000.0)
    place = (0.0, 0.0, 0.3 + height)
    model.add(fl.Body("block", solid=solid, position=place, orientation=tilt))
    model.add(fl.Shape("floor", fl.PLANE))
    model.add(fl.Contact("touch", between=("block", "floor"), friction=friction))
    model.add(fl.Gravity("gravity"))
    return fl.Static().solve(model.build())


@pytest.mark.parametrize("friction", [0.0, 0.3])
@pytest.mark.parametrize("height", [0.0, 0.5, 1.5])
def test_only_what_fell_by_more_than_its_size_is_told(
    height: float, friction: float
) -> None:
    results = fallen((0.0, 0.0, 0.0), height, friction)
    assert results.positions("block")[-1] == pytest.approx((0.0, 0.0, 0.3), abs=1e-6)
    told = [words for words in results.warnings if "has come to rest" in words]
    assert len(told) == (height > max(SIZES))
    assert all(f"'block', 1 m long, has come to rest {height:.3g} m" in w for w in told)


@pytest.mark.parametrize("friction", [0.0, 0.3])
@pytest.mark.parametrize("tilt", [(0.2, 0.0, 0.0), (0.02, 0.01, 0.0), (0.1, 0.3, 0.0)])
def test_box_that_topples_is_told(tilt: Any, friction: float) -> None:
    """It may rest on another face than below; the vertical axes at both ends say so."""
    results = fallen(tilt, 0.5, friction)
    up = np.array(results.last_state.frames[1, :3, :3])
    start = so3.exp(tilt)
    cosine = 0.5 * (np.trace(start.T @ up) - 1.0)
    has_toppled = cosine < np.cos(0.25 * np.pi)
    words = " ".join(results.warnings)
    assert ("turned by" in words) == has_toppled
    assert ("It touched nothing at the start" in words) == has_toppled
