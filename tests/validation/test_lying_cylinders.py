"""Cylinders that lie on the ground: rolling is neutral, a heavy top is unstable."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import femlie as fl

RADIUS, LENGTH = 0.05, 0.2
UNSTABLE = "equilibrium is unstable"


def lying(height: float, ground: Any) -> fl.Results:
    """A cylinder along the second axis; its weight acts above its axis."""
    model = fl.Model()
    solid = fl.cylinder(RADIUS, LENGTH, density=1000.0)
    turn = (0.5 * np.pi, 0.0, 0.0)
    place = (0.0, 0.0, RADIUS)
    model.add(fl.Body("log", solid=solid, position=place, orientation=turn))
    model.add(ground)
    model.add(fl.Contact("touch", between=("log", "bed")))
    model.add(fl.Gravity("gravity"))
    if height:
        weight = (0.0, 0.0, RADIUS + height)
        model.add(fl.Body("weight", mass=0.2, inertia=(1e-6,) * 3, position=weight))
        model.add(fl.Joint("tie", fl.FIXED, parent="log", child="weight"))
    return fl.Static().solve(model.build())


@pytest.mark.parametrize("name", ["plane", "wide cylinder", "trough"])
def test_log_that_may_roll_is_not_called_unstable(name: str) -> None:
    """In a trough it is stable, on the top of a cylinder it is not."""
    along = (0.0, 1.0, 0.0)
    grounds = {
        "plane": fl.Shape("bed", fl.PLANE),
        "wide cylinder": fl.Shape(
            "bed", fl.CYLINDER, radius=2.0, axis=along, position=(0.0, 0.0, -2.0)
        ),
        "trough": fl.Shape(
            "bed",
            fl.CYLINDER,
            radius=2.0,
            axis=along,
            position=(0.0, 0.0, 2.0),
            inside=True,
        ),
    }
    warnings = " ".join(lying(0.0, grounds[name]).warnings)
    assert (UNSTABLE in warnings) == (name == "wide cylinder")


@pytest.mark.parametrize(("height", "is_unstable"), [(0.02, True), (-0.02, False)])
def test_log_with_a_weight_on_top_is_unstable(height: float, is_unstable: bool) -> None:
    ground = fl.Shape("bed", fl.PLANE)
    warnings = " ".join(lying(height, ground).warnings)
    assert (UNSTABLE in warnings) == is_unstable


@pytest.mark.parametrize("friction", [0.0, 0.3])
@pytest.mark.parametrize("is_lying", [True, False])
@pytest.mark.parametrize("sizes", [(0.05, 0.2), (0.2, 0.05), (1.0, 0.05), (0.1, 0.1)])
def test_cylinder_stays_where_it_lies_or_stands(
    sizes: tuple[float, float], is_lying: bool, friction: float
) -> None:
    """A wheel on its rim may roll; its width keeps it from falling."""
    radius, length = sizes
    model = fl.Model()
    height = radius if is_lying else 0.5 * length
    solid = fl.cylinder(radius, length, density=1000.0)
    turn = (0.5 * np.pi * is_lying, 0.0, 0.0)
    model.add(
        fl.Body("log", solid=solid, position=(0.0, 0.0, height), orientation=turn)
    )
    model.add(fl.Shape("bed", fl.PLANE))
    model.add(fl.Contact("touch", between=("log", "bed"), friction=friction))
    model.add(fl.Gravity("gravity"))
    results = fl.Static().solve(model.build())
    assert not results.warnings
    weight = 9.81 * solid.mass_properties.mass
    force = results.contact.total("touch")[-1]
    assert force == pytest.approx((0.0, 0.0, weight), rel=1e-9, abs=1e-9 * weight)
    place = results.positions("log")[-1]
    assert place == pytest.approx((0.0, 0.0, height), abs=1e-9)
