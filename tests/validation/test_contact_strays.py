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
@pytest.mark.parametrize("height", [0.0, 0.05, 0.5, 1.5])
def test_only_what_fell_by_a_tenth_of_its_size_is_told(
    height: float, friction: float
) -> None:
    results = fallen((0.0, 0.0, 0.0), height, friction)
    assert results.positions("block")[-1] == pytest.approx((0.0, 0.0, 0.3), abs=1e-6)
    told = [words for words in results.warnings if "has come to rest" in words]
    assert len(told) == (height > 0.1 * max(SIZES))
    assert all(f"'block', 1 m long, has come to rest {height:.3g} m" in w for w in told)


@pytest.mark.parametrize("friction", [0.0, 0.3])
@pytest.mark.parametrize("tilt", [(0.2, 0.0, 0.0), (0.02, 0.01, 0.0), (0.1, 0.3, 0.0)])
def test_box_that_topples_is_told(tilt: Any, friction: float) -> None:
    """It may rest on another face than the lowest one."""
    results = fallen(tilt, 0.5, friction)
    up = np.array(results.last_state.frames[1, :3, :3])
    start = so3.exp(tilt)
    cosine = 0.5 * (np.trace(start.T @ up) - 1.0)
    has_toppled = cosine < np.cos(np.pi / 12.0)
    words = " ".join(results.warnings)
    assert ("turned by" in words) == has_toppled
    assert "It touched nothing at the start" in words


def leaning(slope: float, *, is_box: bool, friction: float) -> tuple[Any, float]:
    """A ladder of 2 m at a wall, its sharp edges on floor and wall; its mass."""
    length, half = 2.0, 0.02
    c, s = np.cos(slope), np.sin(slope)
    solid = fl.cylinder(half, length, density=2700.0)
    if is_box:
        solid = fl.box((2.0 * half, 2.0 * half, length), density=2700.0)
    model = fl.Model()
    turn = (0.0, 0.5 * np.pi - slope, 0.0)
    model.add(fl.Body("ladder", solid=solid, orientation=turn))
    down, aside = 0.5 * length * s + half * c, 0.5 * length * c + half * s
    model.add(fl.Shape("floor", fl.PLANE, position=(0.0, 0.0, -down)))
    wall = fl.Shape("wall", fl.PLANE, position=(aside, 0.0, 0.0), axis=(-1.0, 0.0, 0.0))
    model.add(wall)
    for name in ("floor", "wall"):
        between = ("ladder", name)
        model.add(fl.Contact(f"on {name}", between=between, friction=friction))
    model.add(fl.Gravity("gravity"))
    return model.build(), solid.mass_properties.mass


@pytest.mark.parametrize("is_box", [True, False])
@pytest.mark.parametrize("slope", [55.0, 75.0])
def test_ladder_on_sharp_edges_stays_where_it_leans(slope: float, is_box: bool) -> None:
    """Friction holds it by more than one state; all are in balance."""
    system, mass = leaning(np.radians(slope), is_box=is_box, friction=0.35)
    results = fl.Static().solve(system)
    assert not results.warnings
    assert results.positions("ladder")[-1] == pytest.approx((0.0, 0.0, 0.0), abs=1e-6)
    forces = [results.contact.total(f"on {name}")[-1] for name in ("floor", "wall")]
    assert sum(forces) == pytest.approx((0.0, 0.0, 9.81 * mass), abs=1e-6)
    assert forces[1][0] < -0.1 * 9.81 * mass / np.tan(np.radians(slope))
