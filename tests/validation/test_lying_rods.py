"""Free rods that lie on what bears them: statics gives their weight back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import femlie as fl
from tests.validation import contact_models as rods

RADIUS = 0.01
DENSITY = 7800.0
WEIGHT = DENSITY * np.pi * RADIUS**2 * 9.81  # of one meter [N]
RAILS = 0.6  # from one to the other [m]


def section(young: float) -> fl.CircularSection:
    material = fl.Material(young=young, poisson=0.3, density=DENSITY)
    return fl.CircularSection(radius=RADIUS, material=material)


def on_floor(n: int, friction: float) -> Any:
    """A rod of one meter on a plane, held by nothing else."""
    model = fl.Model(rods.line("a", (0.0, 0.0, RADIUS), (1.0, 0.0, RADIUS), n))
    model.add(fl.Beam("rod", cells="a", section=section(1e8)))
    model.add(fl.Gravity("gravity"))
    model.add(fl.Shape("floor", fl.PLANE))
    model.add(fl.Contact("touch", between=("rod", "floor"), friction=friction))
    return model.build()


def on_rails(n: int, aside: float, friction: float) -> Any:
    """A rod of one meter across two clamped rods, its middle ``aside`` of theirs."""
    height = 2.0 * RADIUS
    mesh = rods.joined(
        rods.line("a", (aside - 0.5, 0.0, height), (aside + 0.5, 0.0, height), n),
        rods.line("b", (-0.5 * RAILS, -0.2, 0.0), (-0.5 * RAILS, 0.2, 0.0), 5),
        rods.line("c", (0.5 * RAILS, -0.2, 0.0), (0.5 * RAILS, 0.2, 0.0), 5),
    )
    model = fl.Model(mesh)
    model.add(fl.Beam("rod", cells="a", section=section(2e11)))
    for rail in "bc":
        model.add(fl.Beam(f"rail {rail}", cells=rail, section=section(2e11)))
        for end in "01":
            model.add(fl.Support(f"hold {rail}{end}", at=f"{rail}_{end}"))
        between = ("rod", f"rail {rail}")
        model.add(fl.Contact(f"on {rail}", between=between, friction=friction))
    model.add(fl.Gravity("gravity"))
    return model.build()


@pytest.mark.parametrize("friction", [0.0, 0.3])
@pytest.mark.parametrize("n", [1, 2, 4, 6, 10, 30])
def test_rod_lies_on_a_floor_with_its_weight(n: int, friction: float) -> None:
    """Evenly spread along it, and it stays there; rounding moves it along freely."""
    system = on_floor(n, friction)
    results = fl.Static().solve(system)
    assert not results.warnings
    force = results.contact.total("touch")[-1]
    assert force == pytest.approx((0.0, 0.0, WEIGHT), rel=1e-9, abs=1e-9)
    assert results.contact.pressures("rod")[-1] == pytest.approx(WEIGHT, rel=1e-6)
    moved = np.abs(results.last_state.poses[:, :3] - system.state.poses[:, :3])
    assert moved[:, 2].max() < 1e-9
    assert moved.max() < 1e-3 * RADIUS


@pytest.mark.parametrize("aside", [0.0, 0.1])
@pytest.mark.parametrize("n", [1, 2, 4, 10, 40])
def test_rod_lies_on_two_rods_as_levers_say(n: int, aside: float) -> None:
    """Elements may be much longer than what they cross is wide."""
    results = fl.Static().solve(on_rails(n, aside, 0.3))
    for rail, arm in (("b", 0.5 * RAILS - aside), ("c", 0.5 * RAILS + aside)):
        force = results.contact.total(f"on {rail}")[-1, 2]
        assert force == pytest.approx(WEIGHT * arm / RAILS, rel=1e-5)


def test_what_no_contact_can_bear_is_refused() -> None:
    """A rod beside a floor that another one lies on; two rods on each other."""
    mesh = rods.joined(
        rods.line("a", (0.0, 0.0, RADIUS), (1.0, 0.0, RADIUS), 2),
        rods.line("b", (0.0, 0.0, 3.0 * RADIUS), (1.0, 0.0, 3.0 * RADIUS), 2),
    )
    for between in (("first", "floor"), ("first", "second")):
        model = fl.Model(mesh)
        model.add(fl.Beam("first", cells="a", section=section(1e8)))
        model.add(fl.Beam("second", cells="b", section=section(1e8)))
        model.add(fl.Gravity("gravity"))
        model.add(fl.Shape("floor", fl.PLANE))
        model.add(fl.Contact("touch", between=between))
        n = "1 part " if "floor" in between else "2 parts "
        with pytest.raises(fl.ModelError, match=f"{n}of the model can float away"):
            fl.Static().check(model.build())
