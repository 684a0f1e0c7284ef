"""Impacts against closed forms: a ball, a rigid rod, an elastic bar, a mechanism."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import femlie as fl
from tests.validation import impact_models as models

FIRST, ACCUMULATION = 0.451523640986, 4.063712768872


def run(model: Any, duration: float, step: float, **settings: Any) -> Any:
    solver = fl.GeneralizedAlpha(**{"spectral_radius": 0.8, **settings})
    return solver.solve(model.build(), duration=duration, time_step=step)


def peaks(heights: Any) -> Any:
    inner = heights[1:-1]
    is_peak = (inner >= heights[:-2]) & (inner > heights[2:]) & (inner > 1e-3)
    return inner[is_peak]


@pytest.mark.parametrize(("step", "allowed"), [(1e-2, 0.02), (1e-3, 2.5e-3)])
def test_ball_rebounds_to_the_squares_of_the_restitution(
    step: float, allowed: float
) -> None:
    """D5: 0.64, 0.64^2, 0.64^3, to first order in the step."""
    results = run(models.ball(0.8), 1.5, step)
    heights = results.positions("ball")[:, 2] - 2.0 * models.RADIUS
    assert peaks(heights)[0] == pytest.approx(0.64, abs=allowed)
    assert heights.min() > -1e-12


def test_first_impact_is_at_its_time() -> None:
    results = run(models.ball(0.8), 0.6, 1e-3)
    hit = results.times[np.flatnonzero(results.contact.total("touch")[:, 2])[0]]
    assert FIRST <= hit <= FIRST + 1e-3


def test_ball_passes_the_accumulation_of_impacts_and_stays() -> None:
    results = run(models.ball(0.8), 4.5, 1e-3)
    heights = results.positions("ball")[:, 2] - 2.0 * models.RADIUS
    last = results.times[np.flatnonzero(np.abs(heights) > 1e-9)[-1]]
    assert last == pytest.approx(ACCUMULATION, rel=0.03)
    force = results.contact.total("touch")[results.times > ACCUMULATION, 2]
    assert force == pytest.approx(np.full(force.size, models.GRAVITY), rel=1e-6)


@pytest.mark.parametrize("restitution", [0.0, 0.3, 1.0])
def test_restitution_of_a_ball_is_exact(restitution: float) -> None:
    results = run(models.ball(restitution), 0.6, 1e-3)
    speeds = results.velocities("ball")[:, 2]
    hit = np.flatnonzero(results.contact.total("touch")[:, 2])[0]
    assert speeds[hit] == pytest.approx(-restitution * speeds[hit - 1], abs=1e-7)


def test_quiet_ball_rests_after_its_last_fast_impact() -> None:
    """Slow is below 10 g h: 0.0981 m/s here, reached after 17 rebounds of 0.8."""
    step = 1e-3
    results = run(models.ball(0.8), 4.2, step, quiet_steps=10.0)
    speeds = results.velocities("ball")[:, 2]
    hits = np.flatnonzero(results.contact.total("touch")[:, 2])
    rebounds = speeds[hits][speeds[hits] > 1e-9]
    assert rebounds.min() > 0.8 * 10.0 * models.GRAVITY * step
    first = np.sqrt(2.0 * models.GRAVITY)
    expected = np.log(10.0 * models.GRAVITY * step / first) / np.log(0.8)
    assert rebounds.size == pytest.approx(expected, abs=2)


def test_energy_of_a_bouncing_ball_is_booked() -> None:
    """Each impact takes (1 - e^2) m v^2/2; its place is found to within one step."""
    results = run(models.ball(0.8), 3.0, 1e-3)
    energy = results.energy
    assert np.abs(energy.relative_balance).max() < 1e-7
    assert np.all(np.diff(energy.impact_loss) >= 0.0)
    lost = models.GRAVITY * (1.0 - 0.64)
    first = np.flatnonzero(energy.impact_loss)[0]
    assert energy.impact_loss[first] == pytest.approx(lost, rel=5e-3)


@pytest.mark.parametrize("group", [fl.SE3, fl.SO3_R3])
@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
def test_tilted_rigid_rod_rebounds_as_the_laws_of_impact_say(
    restitution: float, group: Any
) -> None:
    """Impulse ``(1 + e) v / (1/m + x^2/I)`` at the lower tip, x its lever."""
    angle, speed, mass, inertia, half = 0.7, 1.0, 2.0, 0.05, 0.5
    lever = half * np.cos(angle)
    impulse = (1.0 + restitution) * speed / (1.0 / mass + lever**2 / inertia)
    step = 2e-5
    model = models.rigid_rod(restitution, angle=angle, speed=speed)
    model.add(fl.FrameGroup("frames", group=group))
    results = run(model, 0.0130, step)
    found = results.contact.total("touch")[:, 2].sum() * step
    assert found == pytest.approx(impulse, rel=2e-3)
    velocity = results.velocities("rod")[-1]
    assert velocity[2] == pytest.approx(-speed + impulse / mass, abs=2e-3)
    spin = results.velocities("rod")[-1, 4]
    assert abs(spin) == pytest.approx(impulse * lever / inertia, rel=3e-3)


@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("courant", [0.25, 1.0])
def test_elastic_bar_leaves_a_wall_after_two_wave_times(
    restitution: float, courant: float
) -> None:
    """Contact lasts 2 L/c, then the bar leaves as fast as it came, for every e."""
    n, gap = 100, 0.5e-3
    step = courant / n / models.WAVE
    model = models.bar(n, restitution, gap=gap)
    results = run(model, 3.0 / models.WAVE, step, spectral_radius=0.9)
    touches = results.times[results.contact.total("touch")[:, 2] > 0.0]
    assert touches[0] == pytest.approx(0.5 / models.WAVE, abs=2.0 * step)
    length = touches[-1] - touches[0]
    assert length == pytest.approx(2.0 / models.WAVE, rel=0.02)
    speeds = results.velocities("bar")[-1, :, 2]
    mean = 0.5 * (speeds[1:] + speeds[:-1]).mean()
    assert mean == pytest.approx(1.0, abs=0.02)


@pytest.mark.parametrize("courant", [1.0, 5.0, 25.0])
def test_no_step_gives_an_elastic_bar_energy(courant: float) -> None:
    """Also where a step is much longer than a wave takes through an element."""
    n = 50
    step = courant / n / models.WAVE
    model = models.bar(n, 1.0, gap=0.5e-3)
    results = run(model, 3.5 / models.WAVE, step, spectral_radius=0.9)
    total = results.energy.total
    assert total.max() <= total[0] * (1.0 + 1e-9)
    assert results.velocities("bar")[-1, :, 2].mean() > 0.7


@pytest.mark.parametrize("step", [1e-2, 1e-1])
def test_standing_bar_bears_its_weight_whatever_the_step(step: float) -> None:
    n = 20
    results = run(models.standing_bar(n), 500.0 * step, step, spectral_radius=0.5)
    weight = 1000.0 * models.GRAVITY * np.pi * models.RADIUS**2
    force = results.section_forces("bar")[-1, :, :, 0]
    middles = (np.arange(n) + 0.5) / n
    assert force.mean(axis=1) / weight == pytest.approx(middles - 1.0, abs=1e-4)
    assert results.contact.total("touch")[-1, 2] == pytest.approx(weight, rel=1e-4)
    assert np.abs(results.energy.impact_loss[-1]) < 1e-9


@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
def test_slider_of_a_crank_rebounds_with_all_joints_kept(restitution: float) -> None:
    results = run(models.weight(models.slider_crank(restitution)), 0.5, 1e-3)
    speeds = results.velocities("tail_0")[:, 0]
    hits = np.flatnonzero(results.contact.total("touch")[:, 0])
    assert hits.size > 0
    assert speeds[hits[0] - 1] > 0.1
    expected = -restitution * speeds[hits[0] - 1]
    assert speeds[hits[0]] == pytest.approx(expected, abs=1e-7)
    assert results.contact.smallest_gap("touch").min() > -1e-12
    assert results.summary["constraint_error"] < 1e-12
    assert np.abs(results.energy.relative_balance).max() < 1e-4


def test_motion_without_impact_is_that_of_a_model_without_contact() -> None:
    """Order two away from impacts: the very same digits."""
    free = models.weight(models.slider_crank(0.5))
    del free.parts["touch"]
    expected = run(free, 0.1, 1e-3)
    found = run(models.weight(models.slider_crank(0.5)), 0.1, 1e-3)
    assert np.array_equal(found.records.poses, expected.records.poses)


def test_impacts_are_of_first_order() -> None:
    """Errors of the height behind two impacts fall with the step."""
    time = 1.6
    fall = np.sqrt(2.0 / models.GRAVITY)
    begin = fall * (1.0 + 2.0 * 0.8)
    speed = 0.64 * models.GRAVITY * fall
    t = time - begin
    exact = speed * t - 0.5 * models.GRAVITY * t**2
    errors = []
    for step in (4e-3, 5e-4):
        results = run(models.ball(0.8), time, step)
        height = results.positions("ball")[-1, 2] - 2.0 * models.RADIUS
        errors.append(abs(height - exact))
    assert errors[1] < 0.4 * errors[0]
    assert errors[1] < 0.01


@pytest.mark.parametrize("ratio", [1e6, 1e7])
def test_heavy_ball_falls_on_a_light_one_that_bears_it(ratio: float) -> None:
    """In the end the floor bears both weights."""
    radius, model = 0.05, fl.Model()
    for name, height, mass in (("light", 0.06, 1.0 / ratio), ("heavy", 0.17, 1.0)):
        place = (0.0, 0.0, height)
        model.add(fl.Body(name, position=place, mass=mass, inertia=(mass,) * 3))
        model.add(fl.Shape(f"ball {name}", fl.ShapeKind.SPHERE, on=name, radius=radius,
                           position=place))  # fmt: skip
        model.add(fl.Support(f"guide {name}", at=name, kind=fl.CUSTOM,
                             held=(True, True, False, True, True, True)))  # fmt: skip
    model.add(fl.Shape("floor", fl.ShapeKind.PLANE))
    model.add(fl.Contact("low", between=("ball light", "floor")))
    model.add(fl.Contact("high", between=("ball light", "ball heavy")))
    results = run(models.weight(model), 0.2, 1e-3)
    weight = (1.0 + 1.0 / ratio) * models.GRAVITY
    assert results.contact.total("low")[-1, 2] == pytest.approx(weight, rel=1e-7)
    height = results.positions("heavy")[-1, 2]
    assert height == pytest.approx(3.0 * radius, abs=1e-9)
