"""What is damped and pressed comes to rest where statics says, whatever the damping."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import femlie as fl
from femlie import ShapeKind
from tests.validation.impact_models import GRAVITY, RADIUS, plastic_rod, weight

STIFFNESS, DAMPING, LOW, HIGH = 2e3, 1000.0, 0.5, 1.5  # N/m, N s/m, kg
APART = 0.3
UNTURNED = Rotation.identity()


def rod_over_ball(damping: float, friction: float = 0.0) -> Any:
    """A clamped rod of plastic, pressed by its tip over a ball below its middle."""
    start, end = (0.0, 0.0, RADIUS), (0.4, 0.0, RADIUS)
    model = plastic_rod(start, end, 8, damping=damping)
    model.add(fl.Support("clamp", at="start"))
    model.add(fl.Force("press", at="end", force=(0.0, 0.0, -20.0)))
    model.add(fl.Shape("ball", ShapeKind.SPHERE, radius=0.05,
                       position=(0.2, 0.0, -0.05)))  # fmt: skip
    model.add(fl.Contact("touch", between=("rod", "ball"), friction=friction))
    return weight(model)


def run(model: Any, duration: float, rho: float = 0.8, **options: Any) -> Any:
    solver = fl.GeneralizedAlpha(spectral_radius=rho)
    return solver.solve(model.build(), duration=duration, time_step=1e-3, **options)


@pytest.mark.parametrize("rho", [0.0, 0.5, 0.8, 1.0])
@pytest.mark.parametrize("damping", [1e-4, 1e-3, 1e-2])
def test_rod_over_a_ball_has_the_deflection_of_statics(
    damping: float, rho: float
) -> None:
    """Gaps of motion are those of nodes: the same up to 3e-4 of the deflection."""
    still = fl.Static().solve(rod_over_ball(damping).build())
    wanted = still.positions("rod")[-1, :, 2]
    moved = run(rod_over_ball(damping), 1.0 + 300.0 * damping, rho)
    found = moved.positions("rod")[:, :, 2]
    if rho < 1.0:
        assert np.abs(found[-1] - found[-50]).max() < 3e-6
    assert np.abs(found[-1] - wanted).max() < 3e-4 * np.abs(wanted - RADIUS).max()
    force = moved.contact.total_size("touch")[-1]
    assert force == pytest.approx(still.contact.total_size("touch")[-1], rel=1e-3)


def weight_on_a_leg(guide: str) -> Any:
    """A body on a damped leg on a ball on the floor."""
    model = fl.Model()
    for name, mass, height in (("low", LOW, RADIUS), ("high", HIGH, RADIUS + APART)):
        place = (0.0, 0.0, height)
        model.add(fl.Body(name, position=place, mass=mass, inertia=(1.0, 1.0, 1.0)))
        if guide == "support":
            held = (True, True, False, True, True, True)
            model.add(fl.Support(f"guide {name}", at=name, kind=fl.CUSTOM, held=held))
        else:
            model.add(fl.Joint(f"guide {name}", fl.PRISMATIC, fl.GROUND, name))
    model.add(fl.Shape("ball", ShapeKind.SPHERE, on="low", radius=RADIUS,
                       position=(0.0, 0.0, RADIUS)))  # fmt: skip
    model.add(fl.Shape("floor", ShapeKind.PLANE))
    model.add(fl.SpringDamper("leg", "low", "high", stiffness=STIFFNESS,
                              damping=DAMPING, length=APART))  # fmt: skip
    model.add(fl.Contact("touch", between=("ball", "floor")))
    return weight(model)


@pytest.mark.parametrize("guide", ["support", "joint"])
@pytest.mark.parametrize("rho", [0.0, 0.8])
def test_weight_on_a_damped_leg_sinks_as_theory_says(guide: str, rho: float) -> None:
    """Creeps to ``m g / k`` with the rates of a damped oscillator of one mass."""
    results = run(weight_on_a_leg(guide), 6.0, rho)
    sunk = RADIUS + APART - results.positions("high")[:, 2]
    assert sunk[-1] == pytest.approx(HIGH * GRAVITY / STIFFNESS, rel=2e-5)
    assert np.abs(results.positions("low")[:, 2] - RADIUS).max() < 1e-12
    force = results.contact.total_size("touch")[-1]
    assert force == pytest.approx((LOW + HIGH) * GRAVITY, rel=2e-5)
    rates = np.roots([HIGH, DAMPING, STIFFNESS])
    shares = np.array([-rates[1], rates[0]]) / (rates[1] - rates[0])
    wanted = sum(
        c * np.exp(r * results.times) for c, r in zip(shares, rates, strict=True)
    )
    wanted = HIGH * GRAVITY / STIFFNESS * (1.0 + wanted)
    assert np.abs(sunk - wanted).max() < 2e-3 * wanted[-1]


def test_what_touches_nothing_moves_as_without_contact() -> None:
    """A damped oscillator far from a body that rests on the floor."""

    def model(*, is_alone: bool) -> Any:
        found = fl.Model() if is_alone else weight_on_a_leg("support")
        found.add(fl.Body("far", position=(5.0, 0.0, 0.0), mass=LOW,
                          inertia=(1.0, 1.0, 1.0)))  # fmt: skip
        found.add(fl.Body("wall", position=(6.0, 0.0, 0.0), mass=HIGH,
                          inertia=(1.0, 1.0, 1.0)))  # fmt: skip
        found.add(fl.Support("hold", at="wall"))
        found.add(fl.Force("draw", at="far", force=(30.0, 0.0, 0.0)))
        found.add(fl.SpringDamper("spring", "far", "wall", stiffness=STIFFNESS,
                                  damping=10.0, length=1.0))  # fmt: skip
        return weight(found) if is_alone else found

    alone = run(model(is_alone=True), 0.5).positions("far")
    beside = run(model(is_alone=False), 0.5).positions("far")
    assert np.ptp(alone[:, 0]) > 0.01
    np.testing.assert_allclose(beside, alone, atol=1e-9)


def test_restart_takes_the_same_way_to_the_last_digit(tmp_path: Path) -> None:
    def output(name: str) -> Any:
        return fl.Output(path=tmp_path / name, checkpoint_every=27, every=3)

    whole = run(rod_over_ball(1e-3), 0.12, output=output("whole.h5"))
    run(rod_over_ball(1e-3), 0.081, output=output("part.h5"))
    rest = run(rod_over_ball(1e-3), 0.12, start=tmp_path / "part.h5",
               output=output("rest.h5"))  # fmt: skip
    assert whole.contact.total_size("touch").max() > 0.0
    for name, array in whole.records._asdict().items():
        assert np.array_equal(getattr(rest.records, name), array), name


@pytest.mark.parametrize("step", [5e-4, 4e-3])
def test_pressed_rod_that_sticks_stays_where_it_lies(step: float) -> None:
    """With friction, in steps far longer than it takes for what is damped to move."""
    solver = fl.GeneralizedAlpha(spectral_radius=0.8)
    system = rod_over_ball(1e-3, friction=0.5).build()
    results = solver.solve(system, duration=2.0, time_step=step)
    places = results.positions("rod")
    assert np.abs(places[-1] - places[-20]).max() < 1e-9
    still = fl.Static().solve(rod_over_ball(1e-3, friction=0.5).build())
    wanted = still.positions("rod")[-1]
    assert np.abs(places[-1] - wanted).max() < 1e-2 * np.abs(wanted[:, 2]).max()


def rod_on_a_stop(damping: float, turn: Any = UNTURNED) -> Any:
    """A rod on a hinge whose hard stop it meets, pushed on by its tip."""
    end, axis, push = turn.apply([(0.4, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, -20.0)])
    model = plastic_rod((0.0, 0.0, 0.0), end, 6, damping=damping)
    model.add(fl.Joint("hinge", fl.REVOLUTE, fl.GROUND, "start", axis=tuple(axis),
                       stop=fl.Stop(lower=-0.5, upper=0.02),
                       spring=fl.JointSpring(stiffness=10.0)))  # fmt: skip
    model.add(fl.Force("push", at="end", force=tuple(push)))
    return model


@pytest.mark.parametrize("rho", [0.5, 0.9, 1.0])
@pytest.mark.parametrize(("damping", "step"), [(2e-5, 2e-3), (1e-4, 2e-3),
                                               (1e-4, 1e-3), (3e-4, 2e-3)])  # fmt: skip
def test_what_vibrates_on_a_stop_dies_away(
    damping: float, step: float, rho: float
) -> None:
    """Corrections never feed it."""
    solver = fl.GeneralizedAlpha(spectral_radius=rho)
    results = solver.solve(rod_on_a_stop(damping).build(), duration=1.5, time_step=step)
    tip, thirds = results.positions("rod")[:, -1, 2], results.times.size // 3
    travel = [np.ptp(tip[k * thirds : (k + 1) * thirds]) for k in range(3)]
    assert travel[1] < 0.4 * travel[0]
    assert travel[2] < 0.5 * travel[1]
    assert results.energy.correction_work[-1] <= 0.0
    assert not results.warnings


def test_dampers_that_let_go_bear_nothing() -> None:
    """A body is drawn off its stop, the only damper, while another one rests."""
    model = fl.Model()
    model.add(fl.Body("low", position=(0.0, 0.0, RADIUS), mass=LOW,
                      inertia=(1.0, 1.0, 1.0)))  # fmt: skip
    model.add(fl.Shape("ball", ShapeKind.SPHERE, on="low", radius=RADIUS,
                       position=(0.0, 0.0, RADIUS)))  # fmt: skip
    model.add(fl.Shape("floor", ShapeKind.PLANE))
    model.add(fl.Contact("touch", between=("ball", "floor")))
    model.add(fl.Body("high", position=(0.0, 0.0, 0.3), mass=HIGH,
                      inertia=(1.0, 1.0, 1.0)))  # fmt: skip
    stop = fl.Stop(lower=0.0, stiffness=STIFFNESS, damping=DAMPING)
    model.add(fl.Joint("slide", fl.PRISMATIC, "low", "high", stop=stop))
    pull = fl.Table(times=(0.0, 0.3, 0.301, 1.0), values=(0.0, 0.0, 37.5, 37.5))
    model.add(fl.Force("pull", at="high", force=(0.0, 0.0, 1.0), over_time=pull))
    solver = fl.GeneralizedAlpha(spectral_radius=0.8)
    results = solver.solve(weight(model).build(), duration=0.6, time_step=1e-3)
    flight = results.times > 0.45
    assert results.joint_coordinate("slide")[flight].min() > 0.01
    np.testing.assert_allclose(
        results.accelerations("high")[flight, 2], 37.5 / HIGH - GRAVITY, rtol=1e-9
    )
    energy = results.energy.correction_work[flight]
    assert np.ptp(energy) < 1e-9


def test_model_that_is_turned_moves_the_same() -> None:
    """A damped rod on a hinged stop."""
    turn = Rotation.from_rotvec([0.4, -1.1, 2.0])
    found = run(rod_on_a_stop(1e-3, turn), 0.2).positions("rod")[-1]
    wanted = run(rod_on_a_stop(1e-3), 0.2).positions("rod")[-1]
    np.testing.assert_allclose(turn.inv().apply(found), wanted, atol=1e-9)
