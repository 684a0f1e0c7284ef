"""Friction in joints against closed forms."""

from __future__ import annotations

from math import atan, cos, pi, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq

import femlie as fl
from tests.validation import joint_models as models
from tests.validation.joint_models import GRAVITY, MASS

TREE = fl.Formulation.TREE
FORMS = {
    "absolute": fl.GeneralizedAlpha(),
    "tree": fl.GeneralizedAlpha(formulation=TREE),
    "adaptive": fl.GeneralizedAlpha(tolerance=1e-7),
    "damped": fl.GeneralizedAlpha(spectral_radius=0.5),
    "index 3": fl.GeneralizedAlpha(is_stabilized=False),
}
every_form = pytest.mark.parametrize("solver", FORMS.values(), ids=FORMS)


def turns(values: Any) -> Any:
    """Values where a coordinate turns round."""
    inner = values[1:-1]
    return inner[(inner - values[:-2]) * (values[2:] - inner) < 0.0]


@every_form
def test_block_slides_to_rest_over_its_distance(solver: Any) -> None:
    """v0^2 m/(2 F); constant deceleration is exact for the method."""
    limit, speed, give = 3.0, 1.5, 1e-6
    system = models.slider(
        speed=speed, friction=fl.Friction(limit=limit, presliding=give)
    ).build()
    found = solver.solve(system, duration=2.0, time_step=2e-3)
    way = found.joint_coordinate("rail")
    # the error control finds the end of the way as well as its tolerance says
    allowed = 3.0 * give if solver.tolerance is None else 2e-3
    assert way[-1] == pytest.approx(MASS * speed**2 / (2.0 * limit), abs=allowed)
    rest = found.times > 1.1 * MASS * speed / limit
    assert np.ptp(way[rest]) < 3.0 * give
    start = 0.5 * MASS * speed**2
    assert found.energy.friction_loss[-1] == pytest.approx(start, rel=1e-4)
    assert np.abs(found.energy.relative_balance).max() < 1e-4


@pytest.mark.parametrize(
    "solver",
    [fl.MuntheKaas(), fl.MuntheKaas(formulation=TREE), fl.Rattle()],
    ids=["Munthe-Kaas", "Munthe-Kaas on the tree", "RATTLE"],
)
def test_explicit_methods_carry_friction_in_steps_that_resolve_sticking(
    solver: Any,
) -> None:
    limit, speed, give = 3.0, 1.5, 1e-4
    system = models.slider(
        speed=speed, friction=fl.Friction(limit=limit, presliding=give)
    ).build()
    found = solver.solve(system, duration=1.5, time_step=2e-3)
    way = found.joint_coordinate("rail")[-1]
    assert way == pytest.approx(MASS * speed**2 / (2.0 * limit), abs=3.0 * give)
    with pytest.raises(fl.ModelError, match=r"time step of 0\.1 s is too long"):
        solver.solve(system, duration=1.5, time_step=0.1)


@every_form
def test_pendulum_loses_a_constant_angle_each_half_swing(solver: Any) -> None:
    """m g l (cos b - cos a) = M (a + b); 2 M/(m g l) for small angles."""
    moment, arm, start = 0.05, 0.5, 0.2
    friction = fl.Friction(limit=moment, presliding=1e-6)
    system = models.pendulum(angle=start, arm=arm, friction=friction).build()
    found = solver.solve(system, duration=3.0, time_step=2e-3)
    angle = start + found.joint_coordinate("pivot")
    weight = MASS * GRAVITY * arm
    expected = [start]
    for _ in range(4):
        last = expected[-1]

        def excess(end: float, last: float = last) -> float:
            return weight * (cos(end) - cos(last)) - moment * (last + end)

        expected.append(brentq(excess, 0.0, last - 1e-9))
    peaks = np.abs(turns(angle))[:4]
    assert peaks == pytest.approx(expected[1:5], abs=5e-5)
    assert -np.diff(expected) == pytest.approx(2.0 * moment / weight, rel=0.01)


@every_form
def test_oscillator_loses_four_limits_a_period_and_sticks(solver: Any) -> None:
    """Decrement 4 F/k of each period; at last the spring is below the limit."""
    limit, stiffness, speed = 1.3, 200.0, 1.5
    system = models.slider(
        speed=speed,
        friction=fl.Friction(limit=limit, presliding=1e-7),
        spring=fl.JointSpring(stiffness=stiffness),
    ).build()
    found = solver.solve(system, duration=6.0, time_step=1e-3)
    way = found.joint_coordinate("rail")
    shift = limit / stiffness
    first = sqrt(MASS / stiffness * speed**2 + shift**2) - shift
    peaks = [first - 2.0 * shift * n for n in range(40) if first > 2.0 * shift * n]
    # the last one is where it sticks
    n = next(k for k, peak in enumerate(peaks) if peak <= shift)
    found_peaks = np.abs(turns(way))[:n]
    assert found_peaks == pytest.approx(peaks[:n], abs=2e-4 * first)
    assert abs(way[-1]) < shift
    assert np.ptp(way[-200:]) < 1e-6
    force = found.joints.friction("rail")[-1]
    assert force == pytest.approx(stiffness * way[-1], abs=0.1 * limit)


def test_block_on_a_belt_sticks_and_slips_with_its_period() -> None:
    """Slip begins at F_s/k with the belt's speed, ends at that speed again.

    Stick lasts 2 (F_s - F_k)/(k v), slip 2 (pi - atan((F_s - F_k) w/(k v)))/w.
    """
    limit, most, stiffness, speed = 2.0, 3.0, 100.0, 0.1
    friction = fl.Friction(
        limit=limit, static_limit=most, stribeck_speed=5e-4, presliding=1e-6
    )
    model = models.on_belt(friction, stiffness=stiffness, speed=speed)
    solver = fl.GeneralizedAlpha(spectral_radius=0.5)
    found = solver.solve(model.build(), duration=4.0, time_step=5e-4)
    stretch = found.positions("block")[:, 0]
    pace = sqrt(stiffness / MASS)
    sticks = 2.0 * (most - limit) / (stiffness * speed)
    slips = 2.0 / pace * (pi - atan((most - limit) * pace / (stiffness * speed)))
    peaks = found.times[1:-1][
        (stretch[1:-1] > stretch[:-2]) & (stretch[1:-1] >= stretch[2:])
    ]
    peaks = peaks[stretch[1:-1][np.isin(found.times[1:-1], peaks)] > 0.02]
    assert np.diff(peaks) == pytest.approx(sticks + slips, rel=0.02)
    shift = (most - limit) / stiffness
    size = sqrt(shift**2 + (speed / pace) ** 2)
    late = found.times > 1.0
    assert stretch[late].max() == pytest.approx(limit / stiffness + size, rel=0.015)
    assert np.all(np.diff(found.joints.friction_loss("surface")) >= 0.0)


def test_screw_jack_holds_its_load_and_lets_go_above_the_limit() -> None:
    """It holds as long as W p/(2 pi) is below the friction torque."""
    load, arm = 2000.0, 0.01 / (2.0 * pi)
    give = 1e-5
    holding = models.screw_jack(
        torque=0.0, friction=1.01 * load * arm, load=load, presliding=give
    )
    found = fl.GeneralizedAlpha().solve(holding.build(), duration=2.0, time_step=5e-3)
    assert np.abs(found.joint_coordinate("screw")).max() <= 3.0 * give
    late = found.joint_coordinate("screw")[found.times > 1.0]
    assert abs(late[-1] - late[0]) < 1e-2 * give
    falling = models.screw_jack(
        torque=0.0, friction=0.9 * load * arm, load=load, presliding=give
    )
    found = fl.GeneralizedAlpha().solve(falling.build(), duration=1.0, time_step=5e-3)
    inertia = 0.1 + MASS * arm**2
    angle = -0.5 * 0.1 * load * arm / inertia
    assert found.joint_coordinate("screw")[-1] == pytest.approx(angle, rel=1e-3)


def test_screw_jack_in_statics_needs_friction_and_load_to_be_raised() -> None:
    load, arm, friction = 2000.0, 0.01 / (2.0 * pi), 4.0
    most = load * arm + friction
    model = models.screw_jack(
        torque=0.99 * most, friction=friction, load=load, presliding=1e-5
    )
    found = fl.Static().solve(model.build())
    assert abs(found.joint_coordinate("screw")[-1]) < 1e-5
    assert found.joints.friction("screw")[-1] == pytest.approx(
        load * arm - 0.99 * most, rel=1e-9
    )
    model = models.screw_jack(
        torque=1.01 * most, friction=friction, load=load, presliding=1e-5
    )
    with pytest.raises(fl.ConvergenceError):
        fl.Static().solve(model.build())


def test_static_load_and_unload_leave_a_loop() -> None:
    """Out: x = (P - F)/k; back: (P + F)/k once P has fallen by 2 F."""
    limit, stiffness, most, give = 3.0, 100.0, 20.0, 1e-7
    model = models.slider(
        friction=fl.Friction(limit=limit, presliding=give),
        spring=fl.JointSpring(stiffness=stiffness),
    )
    model.add(
        fl.Force(
            "push",
            at="block",
            force=(most, 0.0, 0.0),
            over_time=fl.Table(times=(0.0, 0.5, 1.0), values=(0.0, 1.0, 0.0)),
        )
    )
    found = fl.Static().solve(model.build(), load_steps=40)
    push = most * np.interp(found.times, (0.0, 0.5, 1.0), (0.0, 1.0, 0.0))
    way = found.joint_coordinate("rail")
    out = found.times <= 0.5
    furthest = (most - limit) / stiffness
    expected = np.where(
        out,
        np.maximum(push - limit, 0.0) / stiffness,
        np.minimum(furthest, (push + limit) / stiffness),
    )
    assert way == pytest.approx(expected, abs=3.0 * give)
    loss = found.joints.friction_loss("rail")
    whole = limit * (2.0 * furthest - limit / stiffness)
    assert loss[-1] == pytest.approx(whole, rel=1e-4)


def pair(friction: Any) -> fl.Model:
    """A double pendulum with friction in both pivots, one from rest to motion."""
    model = models.pendulum(angle=1.2, friction=friction[0])
    model.add(fl.Body("tip", position=(0.6, 0.0, 0.0), mass=1.0, inertia=(0.01,) * 3))
    model.add(
        fl.Joint(
            "elbow",
            fl.REVOLUTE,
            parent="bob",
            child="tip",
            axis=(0, -1, 0),
            friction=friction[1],
            spring=fl.JointSpring(damping=1e-3),
        )
    )
    return model


FRICTIONS = (
    fl.Friction(limit=0.5),
    fl.Friction(limit=0.3, static_limit=0.5, stribeck_speed=0.2),
)


def test_tree_and_absolute_form_rub_alike_and_book_alike() -> None:
    system = pair(FRICTIONS).build()
    found = {
        name: FORMS[name].solve(system, duration=1.5, time_step=1e-3)
        for name in ("absolute", "tree")
    }
    one, other = found.values()
    for joint in ("pivot", "elbow"):
        assert one.joint_coordinate(joint) == pytest.approx(
            other.joint_coordinate(joint), abs=5e-5
        )
        assert np.all(np.diff(one.joints.friction_loss(joint)) >= 0.0)
        assert one.joints.friction_loss(joint)[-1] == pytest.approx(
            other.joints.friction_loss(joint)[-1], rel=1e-4
        )
    assert one.energy.friction_loss == pytest.approx(
        other.energy.friction_loss, abs=1e-4
    )
    assert np.abs(one.energy.relative_balance).max() < 2e-3


def test_missing_energy_shrinks_with_the_step() -> None:
    system = pair(FRICTIONS).build()
    missing = [
        abs(
            fl.GeneralizedAlpha(spectral_radius=1.0)
            .solve(system, duration=0.6, time_step=step)
            .energy.numerical_dissipation[-1]
        )
        for step in (2e-3, 5e-4)
    ]
    assert missing[1] < 0.5 * missing[0]


def test_run_that_is_begun_again_keeps_its_digits(tmp_path: Path) -> None:
    system = pair(FRICTIONS).build()
    solver = FORMS["absolute"]

    def run(steps: int, path: Path, **options: Any) -> Any:
        output = fl.Output(path=path, checkpoint_every=50)
        return solver.solve(
            system, duration=steps * 2e-3, time_step=2e-3, output=output, **options
        )

    whole = run(200, tmp_path / "whole.h5")
    run(100, tmp_path / "part.h5")
    found = run(200, tmp_path / "part.h5", start=tmp_path / "part.h5")
    for name, array in whole.records._asdict().items():
        assert getattr(found.records, name).tobytes() == array.tobytes(), name
    loaded = fl.load_results(tmp_path / "part.h5")
    assert np.array_equal(
        loaded.joints.friction("elbow"), whole.joints.friction("elbow")
    )


@pytest.mark.parametrize("solver", [fl.BLieDF(), fl.GaussLegendre()])
def test_methods_that_cannot_tell_stick_from_slip_refuse_by_name(solver: Any) -> None:
    system = models.slider(friction=fl.Friction(limit=1.0)).build()
    with pytest.raises(fl.ModelError, match="Joint 'rail' has friction"):
        solver.solve(system, duration=1.0, time_step=1e-2)


def test_modes_refuse_friction_by_name() -> None:
    system = models.slider(friction=fl.Friction(limit=1.0)).build()
    with pytest.raises(fl.ModelError, match="Joint 'rail' has friction"):
        fl.Modal().solve(system)


def test_whole_turn_of_all_parts_together_leaves_friction_free_of_force() -> None:
    """What moves as one does not slide, whatever rounding says."""
    model = pair(FRICTIONS)
    model.add(fl.InitialMotion("spin", angular_velocity=(0.0, -3.0, 0.0)))
    system = model.build()
    anchors = {
        name: float(history[k, 1])
        for block, history in zip(system.blocks, system.state.history, strict=True)
        for k, name in enumerate(block.names)
        if name in ("pivot", "elbow")
    }
    assert anchors == {"pivot": pytest.approx(-1e-4), "elbow": 0.0}


@every_form
def test_friction_holds_what_it_can_bear_from_the_start(solver: Any) -> None:
    """Weights at rest on two joints at once, one of them near its limit."""
    # torques of the weights about the pivots at the start
    outer = 1.0 * GRAVITY * (0.6 - 0.5 * np.sin(1.2))
    inner = MASS * GRAVITY * 0.5 * np.sin(1.2) + 1.0 * GRAVITY * 0.6
    frictions = (fl.Friction(limit=1.01 * inner), fl.Friction(limit=1.5 * outer))
    system = pair(frictions).build()
    found = solver.solve(system, duration=1.0, time_step=5e-3)
    for joint, torque in (("pivot", inner), ("elbow", outer)):
        assert np.abs(found.joint_coordinate(joint)).max() < 2e-4
        assert np.ptp(found.joint_coordinate(joint)[-50:]) < 1e-8
        force = found.joints.friction(joint)
        assert force == pytest.approx(np.full(force.size, torque), rel=1e-3)
