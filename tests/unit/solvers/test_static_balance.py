"""Parts that are too light beside the rest for the tolerance of a static run."""

from __future__ import annotations

from typing import Any

import pytest

import femlie as fl


def rod_beside(mass: float, **solver: Any) -> fl.Results:
    """A cantilever of a third of a newton, and a block of a mass that is held."""
    line = fl.straight_line(
        (0, 0, 0), (1, 0, 0), n_elements=4, name="l", start_name="a", end_name="b"
    )
    aluminium = fl.Material(young=7e10, poisson=0.3, density=2700.0)
    section = fl.CircularSection(radius=2e-3, material=aluminium)
    model = fl.Model(line)
    model.add(fl.Beam("rod", cells="l", section=section))
    model.add(fl.Support("clamp", at="a"))
    model.add(fl.Body("block", mass=mass, inertia=(1.0, 1.0, 1.0), position=(0, 0, -1)))
    model.add(fl.Joint("hold", fl.FIXED, parent=fl.GROUND, child="block"))
    model.add(fl.Gravity("weight"))
    return fl.Static(**solver).solve(model.build())


def test_light_part_out_of_balance_is_told() -> None:
    (words,) = rod_beside(1e9).warnings
    for part in ("'rod'", "out of balance", "smaller tolerance"):
        assert part in words


@pytest.mark.parametrize(("mass", "tolerance"), [(1e3, 1e-10), (1e9, 1e-15)])
def test_parts_in_balance_say_nothing(mass: float, tolerance: float) -> None:
    results = rod_beside(mass, tolerance=tolerance)
    assert not results.warnings
    alone = rod_beside(1.0).displacements("b")[-1]
    assert results.displacements("b")[-1] == pytest.approx(alone, rel=1e-9, abs=1e-15)
