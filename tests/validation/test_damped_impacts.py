"""Impacts of what is damped: energy is never made, and bodies on dampers obey ODEs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import femlie as fl
from tests.validation.impact_models import GRAVITY, plastic_rod, weight

STIFFNESS, DAMPING, LOW, HIGH = 2e3, 30.0, 0.5, 1.5  # N/m, N s/m, kg, kg
RADIUS, DROP, APART = 0.05, 0.2, 0.3


def run(model: Any, duration: float, step: float, rho: float = 0.8) -> Any:
    solver = fl.GeneralizedAlpha(spectral_radius=rho)
    return solver.solve(model.build(), duration=duration, time_step=step)


def falling_rod(damping: float) -> Any:
    """A stiff rod, damped as Kelvin and Voigt say, falls on a floor with one end."""
    model = plastic_rod((-0.2, 0.0, 0.05), (0.2, 0.0, 0.06), 6, damping=damping)
    model.add(fl.Shape("floor", fl.ShapeKind.PLANE))
    model.add(fl.Contact("touch", between=("rod", "floor")))
    return weight(model)


@pytest.mark.parametrize("rho", [0.5, 0.9])
@pytest.mark.parametrize("damping", [1e-7, 1e-6, 1e-5])
def test_stiff_dampers_take_at_most_what_is_lost(damping: float, rho: float) -> None:
    """What impacts leave swinging from step to step hardly moves dampers."""
    energy = run(falling_rod(damping), 0.13, 1e-3, rho).energy
    assert np.all(energy.dissipated <= energy.total[0] - energy.total + 1e-12)
    assert energy.numerical_dissipation[-1] >= 0.0


def pressed_rod(damping: float) -> Any:
    """A rod on a floor, with a force on each of its nodes."""
    model = plastic_rod((-0.2, 0.0, 0.01), (0.2, 0.0, 0.01), 6, damping=damping)
    model.add(fl.Force("press", at="rod", force=(0.0, 0.0, -5.0)))
    model.add(fl.Shape("floor", fl.ShapeKind.PLANE))
    model.add(fl.Contact("touch", between=("rod", "floor")))
    return weight(model)


@pytest.mark.parametrize("damping", [0.0, 1e-4])
def test_nothing_is_booked_of_a_rod_pressed_at_rest(damping: float) -> None:
    """Neither dampers nor loads do work on what does not move."""
    results = run(pressed_rod(damping), 0.3, 1e-3)
    energy, pressed = results.energy, 35.0 * 1e-4
    for values in (energy.dissipated, energy.load_work, energy.correction_work):
        assert np.ptp(values[-100:]) < 1e-9 * pressed


def test_load_does_the_work_of_its_way_through_all_bounces() -> None:
    """A force alone presses a ball, which bounces and comes to rest."""
    force, drop = 3.0, 0.05
    model = fl.Model()
    model.add(fl.Body("ball", position=(0.0, 0.0, RADIUS + drop), mass=LOW,
                      inertia=(1.0, 1.0, 1.0)))  # fmt: skip
    model.add(fl.Shape("round", fl.ShapeKind.SPHERE, on="ball", radius=RADIUS,
                       position=(0.0, 0.0, RADIUS + drop)))  # fmt: skip
    model.add(fl.Shape("floor", fl.ShapeKind.PLANE))
    model.add(fl.Force("press", at="ball", force=(0.0, 0.0, -force)))
    model.add(fl.Contact("touch", between=("round", "floor"), restitution=0.5))
    results = run(model, 0.8, 1e-3)
    way = RADIUS + drop - results.positions("ball")[:, 2]
    np.testing.assert_allclose(results.energy.load_work, force * way, atol=1e-12)
    assert way[-1] == pytest.approx(drop, abs=1e-9)


@pytest.mark.parametrize("rho", [0.5, 0.9])
@pytest.mark.parametrize(("damping", "step"), [(1e-6, 1e-3), (1e-5, 1e-3),
                                               (1e-3, 1e-3), (1e-4, 1e-4)])  # fmt: skip
def test_damped_rod_gets_no_energy_from_its_impacts(
    damping: float, step: float, rho: float
) -> None:
    """Dampers that are far stiffer than a step is long take energy, and give none."""
    results = run(falling_rod(damping), 0.13, step, rho)
    total = results.energy.total
    assert total.max() < total[0] * (1.0 + 1e-6)
    assert total[-1] < 0.5 * total[0]
    assert results.contact.smallest_gap("touch").min() > -1e-11


def two_bodies() -> Any:
    """A ball with a weight above it on a spring and a damper."""
    model = fl.Model()
    model.add(fl.Body("low", position=(0.0, 0.0, RADIUS + DROP), mass=LOW,
                      inertia=(1.0, 1.0, 1.0)))  # fmt: skip
    high = RADIUS + DROP + APART
    model.add(fl.Body("high", position=(0.0, 0.0, high), mass=HIGH,
                      inertia=(1.0, 1.0, 1.0)))  # fmt: skip
    model.add(fl.Shape("ball", fl.ShapeKind.SPHERE, on="low", radius=RADIUS,
                       position=(0.0, 0.0, RADIUS + DROP)))  # fmt: skip
    model.add(fl.Shape("floor", fl.ShapeKind.PLANE))
    for name in ("low", "high"):
        model.add(fl.Support(f"guide {name}", at=name, kind=fl.CUSTOM,
                             held=(True, True, False, True, True, True)))  # fmt: skip
    model.add(fl.SpringDamper("leg", "low", "high", stiffness=STIFFNESS,
                              damping=DAMPING, length=APART))  # fmt: skip
    model.add(fl.Contact("touch", between=("ball", "floor")))
    return weight(model)


def bounce() -> tuple[float, float, float]:
    """When the lower body leaves the floor, how fast the upper one is then.

    And what the damper has taken.
    """
    speed = np.sqrt(2.0 * GRAVITY * DROP)

    def rates(_: float, y: Any) -> Any:
        pull = STIFFNESS * y[0] + DAMPING * y[1]
        return [y[1], -pull / HIGH - GRAVITY, DAMPING * y[1] ** 2]

    def lifts(_: float, y: Any) -> float:
        # the leg draws the lower body up
        return float(STIFFNESS * y[0] + DAMPING * y[1] - LOW * GRAVITY)

    lifts.terminal, lifts.direction = True, 1.0  # type: ignore[attr-defined]
    found = solve_ivp(rates, (0.0, 1.0), [0.0, -speed, 0.0], events=lifts, rtol=1e-10,
                      atol=1e-12)  # fmt: skip
    return speed / GRAVITY + found.t[-1], *found.y[1:, -1]


def test_ball_on_a_damped_leg_leaves_when_its_leg_draws_it_up() -> None:
    """To first order in the step."""
    leaves, speed, _ = bounce()
    errors = []
    for step in (1e-3, 2.5e-4):
        results = run(two_bodies(), leaves + 0.01, step)
        touches = results.times[results.contact.total_size("touch") > 0.0]
        assert touches[-1] == pytest.approx(leaves, abs=3.0 * step)
        found = np.interp(leaves, results.times, results.velocities("high")[:, 2])
        errors.append(abs(found - speed) / speed)
    assert errors[1] < 2e-3
    assert errors[1] < 0.5 * errors[0]


@pytest.mark.parametrize("step", [1e-3, 2.5e-4])
def test_damper_of_a_leg_takes_what_it_does_in_theory(step: float) -> None:
    """But for what it takes in one step at most, in which the impact is found."""
    leaves, _, taken = bounce()
    results = run(two_bodies(), leaves + 0.01, step)
    found = np.interp(leaves, results.times, results.energy.dissipated)
    most = DAMPING * 2.0 * GRAVITY * DROP * step
    assert found == pytest.approx(taken, abs=most)
