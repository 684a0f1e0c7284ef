"""Events and dense output, for every integrator."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import ellipj, ellipk

import femlie as fl
from tests.property.integrators import METHODS, run_interpreted

EACH = (
    "Munthe-Kaas runge_kutta_4",
    "Gauss-Legendre 2 exponential newton",
    "BLieDF 3",
    "generalized-alpha stabilized",
    "RATTLE",
)
each_method = pytest.mark.parametrize("name", EACH)
GRAVITY = 9.81


@pytest.fixture(autouse=True)
def loops_are_python(monkeypatch: pytest.MonkeyPatch) -> None:
    run_interpreted(monkeypatch)


def ball() -> fl.Model:
    model = fl.Model()
    model.add(
        fl.Body("ball", position=(0.0, 0.0, 1.0), mass=2.0, inertia=(0.1, 0.1, 0.1))
    )
    model.add(fl.Gravity("weight"))
    model.add(fl.PointSensor("height", at="ball"))
    model.add(fl.PointSensor("place", at="ball"))
    return model


def bounce(state: Any) -> Any:
    """Restitution 0.8; the ball does not turn."""
    velocities = state.velocities.copy()
    velocities[1, 2] *= -0.8
    return dataclasses.replace(state, velocities=velocities)


def vertical() -> fl.Model:
    """The ball falls along x."""
    model = fl.Model()
    model.add(
        fl.Body("ball", position=(1.0, 0.0, 0.0), mass=2.0, inertia=(0.1, 0.1, 0.1))
    )
    model.add(fl.Gravity("weight", acceleration=(-GRAVITY, 0.0, 0.0)))
    model.add(fl.PointSensor("height", at="ball"))
    return model


def bounce_along_x(state: Any) -> Any:
    velocities = state.velocities.copy()
    velocities[1, 0] *= -0.8
    return dataclasses.replace(state, velocities=velocities)


@each_method
def test_ball_bounces_when_and_as_high_as_it_should(name: str) -> None:
    solver, _ = METHODS[name]
    event = fl.Event(
        sensor="height",
        component="x",
        direction=fl.Direction.FALLING,
        action=bounce_along_x,
    )
    motion = solver.solve(vertical().build(), duration=2.0, time_step=0.01, stop=event)
    # falls 1 m, then flies 2 e^n v / g: Part D5 of any textbook
    fall = np.sqrt(2.0 / GRAVITY)
    hits = fall * (1.0 + 2.0 * np.cumsum([0.0, 0.8, 0.64, 0.512]))
    found = [event["time"] for event in motion.summary["events"]]
    expected = hits[hits < 2.0]
    assert found == pytest.approx(expected.tolist(), abs=1e-9)
    assert motion.times[-1] == pytest.approx(2.0, abs=1e-12)
    height = motion.positions("ball")[:, 0]
    assert height.min() > -1e-12
    between = (motion.times > hits[0]) & (motion.times < hits[1])
    assert height[between].max() == pytest.approx(0.64, abs=2e-4)


def pendulum() -> fl.Model:
    model = fl.Model()
    model.add(
        fl.Body("bob", position=(1.0, 0, 0), mass=1.0, inertia=(1e-3, 1e-3, 1e-3))
    )
    model.add(
        fl.Joint(
            "pin", fl.REVOLUTE, parent=fl.GROUND, child="bob", axis=(0, 1, 0),
            position=(0, 0, 0),
        )
    )  # fmt: skip
    model.add(fl.Gravity("weight"))
    model.add(fl.JointSensor("angle", joint="pin", coordinate="angle"))
    model.add(fl.PointSensor("across", at="bob"))
    return model


@each_method
def test_run_stops_where_the_pendulum_hangs(name: str) -> None:
    solver, order = METHODS[name]
    stop = fl.Event(sensor="across", component="x", stops=True)
    motion = solver.solve(pendulum().build(), duration=5.0, time_step=5e-3, stop=stop)
    # a quarter of the period from the horizontal: K(1/2) sqrt((1 + J) / g)
    quarter = ellipk(0.5) * np.sqrt((1.0 + 1e-3) / GRAVITY)
    assert motion.times[-1] == pytest.approx(quarter, abs=1e-4 if order < 4 else 1e-8)
    last = motion.positions("bob")[-1]
    assert abs(last[0]) < 1e-10
    assert last[2] == pytest.approx(-1.0, abs=1e-8)
    # the joint has counted its angle up to there
    assert abs(motion.joint_coordinate("pin")[-1]) == pytest.approx(
        0.5 * np.pi, abs=1e-7
    )
    assert motion.summary["events"][0]["sensor"] == "across"


def test_events_that_only_look_change_nothing() -> None:
    solver, _ = METHODS["Munthe-Kaas runge_kutta_4"]
    system = pendulum().build()
    looking = (
        fl.Event(sensor="angle", level=0.4),
        fl.Event(sensor="across", component="x", direction=fl.Direction.RISING),
        fl.Event(sensor="across", component="x", direction=fl.Direction.FALLING),
    )
    plain = solver.solve(system, duration=2.3, time_step=0.01)
    watched = solver.solve(system, duration=2.3, time_step=0.01, stop=looking)
    assert np.array_equal(plain.records.poses, watched.records.poses)
    found = watched.summary["events"]
    times = [event["time"] for event in found]
    assert times == sorted(times)
    # the angle passes 0.4 on the way down and on the way back
    assert sum(event["sensor"] == "angle" for event in found) == 2
    assert sum(event["sensor"] == "across" for event in found) == 2


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: fl.Event(sensor="height", component="x", level=np.nan), "finite"),
        (
            lambda: fl.Event(sensor="height", component="x", stops=True, action=bounce),
            "one of them",
        ),
    ],
)
def test_event_that_makes_no_sense_is_refused(make: Any, message: str) -> None:
    with pytest.raises(fl.ModelError, match=message):
        make()


def test_event_on_an_unknown_sensor_names_the_near_one() -> None:
    event = fl.Event(sensor="heigth")
    with pytest.raises(fl.ModelError, match="height"):
        fl.MuntheKaas().solve(
            vertical().build(), duration=0.1, time_step=0.01, stop=event
        )


def test_event_on_a_sensor_with_several_columns_asks_for_one() -> None:
    event = fl.Event(sensor="height")
    with pytest.raises(fl.ModelError, match="give one as component"):
        fl.MuntheKaas().solve(
            vertical().build(), duration=0.1, time_step=0.01, stop=event
        )


def test_run_with_events_is_not_gone_on_from(tmp_path: Path) -> None:
    kept = fl.Output(path=tmp_path / "ball.h5")
    event = fl.Event(sensor="height", component="x")
    system = vertical().build()
    solver = fl.MuntheKaas()
    solver.solve(system, duration=0.1, time_step=0.01, stop=event, output=kept)
    with pytest.raises(fl.ModelError, match="with events"):
        solver.solve(system, duration=0.2, time_step=0.01, start=kept.path)


def test_action_that_returns_no_state_is_refused() -> None:
    event = fl.Event(sensor="height", component="x", action=lambda _state: None)
    with pytest.raises(fl.ModelError, match="expected a State"):
        fl.MuntheKaas().solve(
            vertical().build(), duration=0.6, time_step=0.01, stop=event
        )


def exact_angle(time: float) -> float:
    """Angle below the horizontal after a release from it."""
    pace = np.sqrt(GRAVITY / 1.001)
    sine, _, _, _ = ellipj(ellipk(0.5) - pace * time, 0.5)
    return float(0.5 * np.pi - 2.0 * np.arcsin(np.sqrt(0.5) * sine))


def test_dense_output_lies_on_the_motion_with_order_six() -> None:
    solver, _ = METHODS["Gauss-Legendre 3 exponential newton"]
    system = pendulum().build()
    errors = []
    for step in (0.1, 0.05):
        motion = solver.solve(system, duration=1.0, time_step=step)
        times = np.linspace(0.0, 1.0, 41)
        dense = motion.between(times)
        angles = np.array([exact_angle(t) for t in times])
        place = np.stack([np.cos(angles), 0.0 * angles, -np.sin(angles)], axis=1)
        errors.append(np.abs(dense.positions("bob") - place).max())
        assert np.array_equal(dense.times, times)
        # its velocities are the rates of its places
        near = motion.between(times[1:-1] + 1e-5), motion.between(times[1:-1] - 1e-5)
        rate = (near[0].positions("bob") - near[1].positions("bob")) / 2e-5
        assert dense.velocities("bob")[1:-1, :3] == pytest.approx(rate, abs=1e-7)
    assert errors[1] < 1e-8
    assert np.log2(errors[0] / errors[1]) > 5.5


def test_dense_output_outside_the_run_is_refused() -> None:
    motion = fl.MuntheKaas().solve(pendulum().build(), duration=0.1, time_step=0.01)
    with pytest.raises(fl.ResultsError, match=r"go from 0 to 0\.1"):
        motion.between([0.2])


@pytest.mark.parametrize(
    "solver", [fl.GeneralizedAlpha(spectral_radius=1.0), fl.GaussLegendre()]
)
def test_event_on_a_reaction_is_dated_within_its_step(solver: Any) -> None:
    """A pendulum let go level: its pull is ``3 m g sin(angle)`` along the rod."""
    mass, length, step = 2.0, 1.0, 0.01
    model = fl.Model()
    model.add(fl.Body("bob", position=(length, 0, 0), mass=mass, inertia=(1e-6,) * 3))
    model.add(fl.Joint("pivot", fl.SPHERICAL, fl.GROUND, "bob", position=(0, 0, 0)))
    model.add(fl.Gravity("weight", acceleration=(0, 0, -GRAVITY)))
    model.add(fl.ReactionSensor("lift", part="pivot", direction=(0, 0, 1)))
    level = 3.0 * mass * GRAVITY * 0.5
    event = fl.Event(sensor="lift", level=level, stops=True)
    results = solver.solve(model.build(), duration=1.0, time_step=step, stop=event)
    # sin^2(angle) = 1/2; the speed follows from the height lost
    expected, _ = quad(
        lambda angle: np.sqrt(length / (2.0 * GRAVITY * np.sin(angle))), 0.0, np.pi / 4
    )
    assert results.summary["events"][0]["time"] == pytest.approx(expected, abs=2e-4)
    assert results.sensor("lift")[-1] == pytest.approx(level, rel=1e-3)


@pytest.mark.parametrize("energy", ["dissipated", "load_work", "relative_balance"])
def test_event_on_what_only_whole_steps_know_is_refused(energy: Any) -> None:
    model = ball()
    model.add(fl.EnergySensor("sum", energy=energy))
    event = fl.Event(sensor="sum", level=0.5, stops=True)
    with pytest.raises(fl.ModelError, match=f"'{energy}' is summed up"):
        fl.GeneralizedAlpha().solve(
            model.build(), duration=1.0, time_step=0.01, stop=event
        )
