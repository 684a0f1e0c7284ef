"""Friction in motion against closed forms (D5), and what it must never do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import femlie as fl
from femlie.contact import _friction_layout as layout
from tests.validation import impact_models, sliding_models
from tests.validation.impact_models import GRAVITY, RADIUS

SLIDES, STICKS = int(layout.SLIDES), int(layout.STICKS)
SLOPE = 0.3


def run(model: Any, duration: float, step: float, **options: Any) -> Any:
    rho = options.pop("spectral_radius", 0.8)
    solver = fl.GeneralizedAlpha(spectral_radius=rho)
    return solver.solve(model.build(), duration=duration, time_step=step, **options)


@pytest.mark.parametrize("share", [0.5, 0.99])
def test_block_slides_down_a_slope_steeper_than_its_friction(share: float) -> None:
    """``a = g (sin - mu cos)``; forces, loss and slip as that says."""
    mu = share * np.tan(SLOPE)
    results = run(sliding_models.sled(SLOPE, mu), 0.05, 1e-3)
    expected = GRAVITY * (np.sin(SLOPE) - mu * np.cos(SLOPE))
    way = 0.5 * expected * results.times**2
    positions = results.positions("sled")[:, 0]
    assert positions == pytest.approx(way, abs=1e-5 * way[-1])
    contact = results.contact
    force = 2.0 * GRAVITY * np.cos(SLOPE)
    assert contact.total("touch")[1:, 2] == pytest.approx(np.full(50, force), rel=1e-6)
    friction = contact.total_friction("touch")[1:, 0]
    assert friction == pytest.approx(np.full(50, -mu * force), rel=1e-6)
    assert np.all(contact.states("tails")[1:] == SLIDES)
    slips = contact.largest_slip("touch")[1:]
    assert slips == pytest.approx(np.diff(way), rel=1e-4)
    lost = results.energy.friction_loss
    assert lost == pytest.approx(mu * force * way, abs=1e-5 * lost[-1])
    assert np.abs(results.energy.correction_work).max() < 1e-6 * lost[-1]


@pytest.mark.parametrize("step", [1e-3, 2e-2])
@pytest.mark.parametrize("share", [1.01, 3.0])
def test_block_sticks_on_a_slope_and_does_not_creep(share: float, step: float) -> None:
    mu = share * np.tan(SLOPE)
    results = run(sliding_models.sled(SLOPE, mu), 100.0 * step, step)
    assert (
        np.abs(results.positions("sled") - results.positions("sled")[0]).max() < 1e-10
    )
    friction = results.contact.total_friction("touch")[1:, 0]
    weight = 2.0 * GRAVITY * np.sin(SLOPE)
    assert friction == pytest.approx(np.full(100, -weight), rel=2e-4)
    assert results.contact.largest_slip("touch").max() < 1e-12
    assert results.energy.friction_loss[-1] < 1e-12


def test_launched_block_comes_to_rest_where_friction_has_used_its_energy() -> None:
    """Behind ``v^2/(2 mu g)``, and what is lost is all of ``m v^2/2``."""
    mu, speed = 0.3, 0.5
    model = sliding_models.sled(0.0, mu, speed=(speed, 0.0, 0.0))
    results = run(model, 0.2, 1e-3)
    way = speed**2 / (2.0 * mu * GRAVITY)
    assert results.positions("sled")[-1, 0] == pytest.approx(way, rel=1e-4)
    assert np.abs(results.velocities("sled")[-1]).max() < 1e-12
    energy = results.energy
    assert energy.friction_loss[-1] == pytest.approx(speed**2, rel=1e-6)
    assert np.all(np.diff(energy.friction_loss) >= 0.0)
    assert np.abs(energy.relative_balance).max() < 1e-9


@pytest.mark.parametrize("share", [0.5, 1.05, 4.0])
def test_ball_rolls_down_a_slope_with_enough_friction(share: float) -> None:
    """``a = 5/7 g sin`` from ``mu = 2/7 tan`` on, else ``g (sin - mu cos)``."""
    mu = share * 2.0 / 7.0 * np.tan(SLOPE)
    results = run(sliding_models.ball(SLOPE, mu), 0.1, 1e-3)
    rolls = share >= 1.0
    expected = GRAVITY * (
        5.0 / 7.0 * np.sin(SLOPE) if rolls else np.sin(SLOPE) - mu * np.cos(SLOPE)
    )
    velocity = results.velocities("ball", frame="world")[-1]
    assert velocity[0] == pytest.approx(0.1 * expected, rel=1e-3)
    assert results.positions("ball")[-1, 0] == pytest.approx(0.005 * expected, rel=1e-3)
    if rolls:
        assert velocity[4] * RADIUS == pytest.approx(velocity[0], rel=1e-9)
        assert results.energy.friction_loss[-1] < 1e-9
        assert np.all(results.contact.states("tail")[1:] == STICKS)


def test_launched_ball_ends_rolling_with_five_sevenths_of_its_speed() -> None:
    """After ``2 v/(7 mu g)``, to first order in the step."""
    mu, errors = 0.3, []
    turn = 2.0 / (7.0 * mu * GRAVITY)
    for step in (1e-3, 2.5e-4):
        model = sliding_models.ball(0.0, mu, speed=(1.0, 0.0, 0.0))
        results = run(model, 0.12, step)
        velocity = results.velocities("ball", frame="world")[:, 0]
        errors.append(abs(velocity[-1] - 5.0 / 7.0))
        states = results.contact.states("tail").max(axis=1)
        first = results.times[np.flatnonzero(states == STICKS)[0]]
        assert first == pytest.approx(turn, abs=4.0 * step)
    assert errors[1] < 1e-3 * 2.5
    assert errors[1] < 0.4 * errors[0]


def leaning(angle: float, mu: float, speed: float, duration: float) -> Any:
    """Place of the center and angle of a rod of unit mass and length, by its laws.

    On its end, a ball of this radius: normal force N, friction ``-mu s N``.
    """
    half, inertia = 0.5, 1.0 / 12.0

    def rates(_: float, y: Any) -> Any:
        x_rate, theta, spin = y[1:]
        c, s = np.cos(theta), np.sin(theta)
        slip = x_rate + half * s * spin + RADIUS * spin
        drag = -mu * np.sign(slip)
        # theta'' = (-half c + (half s + r) drag) N / I; center: half (c t'' - s t'^2)
        lever = -half * c + (half * s + RADIUS) * drag
        normal = (GRAVITY - half * s * spin**2) / (1.0 - half * c * lever / inertia)
        return [x_rate, drag * normal, spin, lever * normal / inertia]

    start = [half * np.cos(angle), speed, angle, 0.0]
    found = solve_ivp(rates, (0.0, duration), start, rtol=1e-10, atol=1e-12)
    return found.y[:, -1]


@pytest.mark.parametrize("speed", [2.0, -2.0])
def test_rod_that_slides_on_its_end_moves_by_the_laws_of_rigid_bodies(
    speed: float,
) -> None:
    """Painleve's rod below the critical coefficient 4/3, pushed and drawn."""
    angle, mu, duration = np.arctan(2.0), 0.8, 0.05
    model = sliding_models.leaning_rod(angle, mu, speed=speed)
    results = run(model, duration, 5e-4)
    x, x_rate, theta, _ = leaning(angle, mu, speed, duration)
    assert results.positions("rod")[-1, 0] == pytest.approx(x, rel=2e-3)
    turn = results.rotations("rod", as_vector=True)[-1, 1]
    assert -turn == pytest.approx(theta - angle, rel=5e-3)
    assert x_rate * speed > 0.0
    assert np.all(np.diff(results.energy.friction_loss) >= 0.0)


@pytest.mark.parametrize("step", [1e-3, 1e-2])
def test_elastic_rod_that_sticks_in_a_groove_settles_and_stays(step: float) -> None:
    """Friction is a force in long steps too: no chatter, no creep."""
    model = sliding_models.rod_along(SLOPE, 0.5, n=4)
    results = run(model, 60.0 * step, step, spectral_radius=0.5)
    positions = results.positions("rod")
    # shorter steps damp vibrations of some hundred nanometers less
    allowed = 5e-7 if step < 1e-2 else 1e-9
    assert np.abs(positions[-1] - positions[30]).max() < allowed
    weight = 1000.0 * np.pi * RADIUS**2 * 0.4 * GRAVITY
    friction = results.contact.total("touch")[-20:].mean(axis=0)
    expected = [-np.sin(SLOPE) * weight, 0.0, np.cos(SLOPE) * weight]
    assert friction == pytest.approx(expected, abs=0.01 * weight)


def test_elastic_rod_slides_down_a_groove() -> None:
    """Normal forces at 30 degrees to the plane through both: ``mu / cos(30)``."""
    mu = 0.2
    results = run(sliding_models.rod_along(SLOPE, mu, n=4), 0.05, 5e-4)
    expected = GRAVITY * (np.sin(SLOPE) - mu * np.cos(SLOPE) / np.cos(np.pi / 6.0))
    speed = results.velocities("rod")[-1, :, 0]
    # of the whole: nodes lift off and land for a while, which lets the rod vibrate
    mean = np.average(speed, weights=[0.5, 1.0, 1.0, 1.0, 0.5])
    assert mean == pytest.approx(0.05 * expected, rel=1e-2)


@pytest.mark.parametrize("restitution", [0.0, 0.6])
def test_ball_that_lands_with_spin_bounces_by_the_laws_of_impact(
    restitution: float,
) -> None:
    """Friction of the impact is ``mu (1 + e) m v`` along, and turns the ball."""
    mu, spin = 0.1, 100.0
    model = sliding_models.ball(
        0.0, mu, spin=(0.0, spin, 0.0), drop=0.02, restitution=restitution
    )
    step = 1e-4
    results = run(model, 0.066, step)
    speeds = results.velocities("ball", frame="world")
    hit = np.flatnonzero(results.contact.total("touch")[:, 2])[0]
    impulse = (1.0 + restitution) * -speeds[hit - 1, 2]
    assert speeds[hit, 0] == pytest.approx(mu * impulse, rel=5e-3)
    lost = mu * impulse * RADIUS / (0.4 * RADIUS**2)
    assert speeds[hit, 4] == pytest.approx(spin - lost, rel=1e-3)


def falling(friction: float) -> Any:
    model = impact_models.falling_rods()
    for name, part in list(model.parts.items()):
        if isinstance(part, fl.Contact):
            del model.parts[name]
            model.add(
                fl.Contact(name, between=part.between, restitution=0.3,
                           friction=friction)
            )  # fmt: skip
    return model


def test_energy_of_falling_rods_with_friction_never_grows() -> None:
    results = run(falling(0.4), 0.3, 1e-3)
    energy = results.energy
    total = energy.total + energy.impact_loss + energy.friction_loss
    total -= energy.correction_work
    assert total.max() <= total[0] + 1e-6 * abs(total[0])
    assert np.all(np.diff(energy.friction_loss) >= 0.0)
    assert energy.friction_loss[-1] > 0.0
    contacts = results.layout.contacts.names
    for name in contacts:
        sizes = results.contact.total_friction_size(name)
        limit = 0.4 * results.contact.total_size(name)
        assert np.all(sizes <= limit * (1.0 + 1e-9) + 1e-12)
        assert results.contact.smallest_gap(name).min() > -1e-9 * RADIUS


def test_restart_with_friction_takes_the_same_way_to_the_last_digit(
    tmp_path: Path,
) -> None:
    output = fl.Output(path=tmp_path / "whole.h5", checkpoint_every=40, every=3)
    whole = run(falling(0.4), 0.2, 1e-3, output=output)
    output = fl.Output(path=tmp_path / "part.h5", checkpoint_every=40, every=3)
    run(falling(0.4), 0.12, 1e-3, output=output)
    output = fl.Output(path=tmp_path / "rest.h5", checkpoint_every=40, every=3)
    rest = run(falling(0.4), 0.2, 1e-3, start=tmp_path / "part.h5", output=output)
    for name, array in whole.records._asdict().items():
        assert np.array_equal(getattr(rest.records, name), array), name
