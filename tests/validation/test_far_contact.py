"""Contact far from the origin: places are rounded there, answers are the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import femlie as fl
from tests.validation import contact_models as rods

RADIUS = 0.01
DOWN = 0.005
WAY = np.array([1.0, -0.7, 0.4])


def moved(place: Any, far: float) -> Any:
    return tuple(np.asarray(place) + far * WAY)


def crossing(far: float, friction: float) -> Any:
    """Two rods, clamped at all ends, one pressed down on the other."""
    height = 2.0 * RADIUS
    model = rods.two_rods(
        rods.joined(
            rods.line(
                "a", moved((0, -0.5, height), far), moved((0, 0.5, height), far), 4
            ),
            rods.line("b", moved((-0.5, 0, 0), far), moved((0.5, 0, 0), far), 4),
        ),
        "a",
        "b",
        rods.section(),
        friction=friction,
    )
    for end in "01":
        model.add(fl.Support(f"low {end}", at=f"b_{end}"))
        way = (0.0, 0.0, -DOWN)
        model.add(fl.Support(f"high {end}", at=f"a_{end}", displacement=way))
    return model.build()


def lying(far: float, friction: float) -> Any:
    """A rod, a box and a ball on a floor."""
    a, b = moved((0.0, 0.0, RADIUS), far), moved((1.0, 0.0, RADIUS), far)
    model = fl.Model(rods.line("a", a, b, 4))
    model.add(fl.Beam("rod", cells="a", section=rods.section()))
    box, ball = fl.box((0.2, 0.1, 0.06), density=1000.0), fl.sphere(0.1, density=100.0)
    place = moved((0.0, 1.0, 0.03), far)
    model.add(fl.Body("box", solid=box, position=place))
    model.add(fl.Body("ball", solid=ball, position=moved((0.0, 2.0, 0.1), far)))
    model.add(fl.Shape("floor", fl.PLANE, position=moved((0.0, 0.0, 0.0), far)))
    for name in ("rod", "box", "ball"):
        between = (name, "floor")
        model.add(fl.Contact(f"of {name}", between=between, friction=friction))
    model.add(fl.Gravity("gravity"))
    return model.build()


@pytest.mark.parametrize("friction", [0.0, 0.3])
@pytest.mark.parametrize("far", [1e4, 1e5, 1e6])
def test_crossing_rods_press_as_near_the_origin(far: float, friction: float) -> None:
    """To what eight last digits of a place are of the way down."""
    near = fl.Static().solve(crossing(0.0, friction)).contact.total("touch")[-1, 2]
    there = fl.Static().solve(crossing(far, friction)).contact.total("touch")[-1, 2]
    allowed = 8.0 * np.spacing(far) / DOWN
    assert there == pytest.approx(near, rel=max(allowed, 1e-7))


@pytest.mark.parametrize("friction", [0.0, 0.3])
@pytest.mark.parametrize("far", [1e4, 1e5, 1e6])
def test_what_lies_on_a_floor_bears_its_weight(far: float, friction: float) -> None:
    contact = fl.Static().solve(lying(far, friction)).contact
    weights = {
        "rod": 1000.0 * np.pi * RADIUS**2,
        "box": 1000.0 * 0.2 * 0.1 * 0.06,
        "ball": 100.0 * np.pi * 0.1**3 * 4.0 / 3.0,
    }
    for name, mass in weights.items():
        force = contact.total(f"of {name}")[-1]
        assert force == pytest.approx((0.0, 0.0, 9.81 * mass), rel=1e-9, abs=1e-9)
