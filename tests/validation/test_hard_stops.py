"""Hard stops of joints, in motion and in statics, against closed forms."""

from __future__ import annotations

from math import cos, pi, sin, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import femlie as fl
from femlie.lie import so3
from tests.validation import impact_models
from tests.validation import joint_models as models
from tests.validation.joint_models import GRAVITY, MASS

ALPHA = fl.GeneralizedAlpha()


@pytest.mark.parametrize("restitution", [0.0, 0.3, 1.0])
def test_pendulum_rebounds_with_its_restitution(restitution: float) -> None:
    """From 1 rad onto a stop at the bottom; speed by the energy of the fall."""
    start, arm = 1.0, 0.5
    stop = fl.Stop(lower=-start, restitution=restitution)
    system = models.pendulum(angle=start, arm=arm, stop=stop).build()
    found = ALPHA.solve(system, duration=1.0, time_step=1e-3)
    angle, rate = found.joint_coordinate("pivot"), found.joint_rate("pivot")
    force = found.joints.stop_force("pivot")
    hit = int(np.flatnonzero(force)[0])
    fall = sqrt(2.0 * GRAVITY / arm * (1.0 - cos(start)))
    assert rate[hit - 1] == pytest.approx(-fall, rel=1e-5)
    assert rate[hit] == pytest.approx(-restitution * rate[hit - 1], abs=1e-9)
    inertia = MASS * arm**2
    impulse = inertia * (rate[hit] - rate[hit - 1])
    assert force[hit] * 1e-3 == pytest.approx(impulse, rel=1e-4)
    assert angle.min() >= -start - 1e-9
    lost = 0.5 * inertia * fall**2 * (1.0 - restitution**2)
    assert found.energy.impact_loss[hit] == pytest.approx(lost, rel=1e-4, abs=1e-12)
    rises = found.times > found.times[hit]
    peak = 0.5 * inertia * (restitution * fall) ** 2 / (MASS * GRAVITY * arm)
    height = arm * (1.0 - np.cos(start + angle[rises]))
    assert height.max() / arm == pytest.approx(peak, rel=1e-3, abs=1e-9)
    missing = np.abs(found.energy.numerical_dissipation).max()
    assert missing < 1e-5 * MASS * GRAVITY * arm


def test_slider_between_two_stops_keeps_its_time_and_halves_its_speed() -> None:
    speed, way = 2.0, 0.3
    stop = fl.Stop(lower=-0.1, upper=0.2, restitution=1.0)
    system = models.slider(speed=speed, stop=stop).build()
    found = ALPHA.solve(system, duration=1.5, time_step=1e-3)
    force = found.joints.stop_force("rail")
    hits = np.flatnonzero(force)
    assert found.times[hits] == pytest.approx(
        0.2 / speed + way / speed * np.arange(hits.size), abs=1.1e-3 * hits.size
    )
    assert np.all(np.sign(force[hits]) == np.where(np.arange(hits.size) % 2, 1, -1))
    assert np.abs(found.joint_rate("rail")) == pytest.approx(
        np.full(found.times.size, speed), rel=1e-12
    )
    stop = fl.Stop(lower=-0.1, upper=0.2, restitution=0.5)
    system = models.slider(speed=speed, stop=stop).build()
    found = ALPHA.solve(system, duration=1.5, time_step=1e-3)
    rates = np.unique(np.round(np.abs(found.joint_rate("rail")), 9))[::-1]
    assert rates == pytest.approx(speed * 0.5 ** np.arange(rates.size), rel=1e-9)
    assert found.joints.stop_gap("rail").min() > -1e-12


def test_stop_counts_turns() -> None:
    """A flywheel is driven against a stop behind three and a quarter turns."""
    model = fl.Model()
    model.add(fl.Body("wheel", position=(0, 0, 0), mass=1.0, inertia=(0.1,) * 3))
    limit = 6.5 * pi
    model.add(
        fl.Joint(
            "axle",
            fl.REVOLUTE,
            parent=fl.GROUND,
            child="wheel",
            motor=fl.Motor(torque=2.0),
            stop=fl.Stop(lower=-1.0, upper=limit),
        )
    )
    found = ALPHA.solve(model.build(), duration=2.0, time_step=2e-3)
    angle = found.joint_coordinate("axle")
    assert angle.max() <= limit + 1e-12
    force = found.joints.stop_force("axle")
    hit = found.times[np.flatnonzero(force)[0]]
    assert hit == pytest.approx(sqrt(2.0 * limit * 0.1 / 2.0), abs=3e-3)
    late = found.times > hit + 0.01
    assert angle[late] == pytest.approx(np.full(late.sum(), limit), abs=1e-12)
    assert force[late] == pytest.approx(np.full(late.sum(), -2.0), rel=1e-9)


def double_pendulum(*, joined: bool = False) -> fl.Model:
    """Two arms that fall onto stops in both pivots, which bear them then."""
    model = models.pendulum(angle=1.2, stop=fl.Stop(lower=-0.3, restitution=0.2))
    model.add(fl.Body("tip", position=(0.9, 0.0, -0.1), mass=1.0, inertia=(0.01,) * 3))
    model.add(
        fl.Joint(
            "elbow",
            fl.REVOLUTE,
            parent="bob",
            child="tip",
            axis=(0, -1, 0),
            position=(0.5 * sin(1.2), 0.0, -0.5 * cos(1.2)),
            stop=fl.Stop(lower=-0.2, restitution=0.4),
            friction=fl.Friction(limit=0.2) if joined else None,
        )
    )
    return model


def weights_at_rest() -> tuple[float, float]:
    """Torques about both pivots where both stops are shut."""
    turn = so3.exp(np.array([0.0, 0.3, 0.0]))
    elbow = turn @ np.array([0.5 * sin(1.2), 0.0, -0.5 * cos(1.2)])
    arm = np.array([0.9 - 0.5 * sin(1.2), 0.0, -0.1 + 0.5 * cos(1.2)])
    tip = elbow + turn @ so3.exp(np.array([0.0, 0.2, 0.0])) @ arm
    outer = 1.0 * GRAVITY * (tip[0] - elbow[0])
    inner = MASS * GRAVITY * elbow[0] + 1.0 * GRAVITY * tip[0]
    return inner, outer


def test_two_stops_shut_at_once_bear_the_weights() -> None:
    found = ALPHA.solve(double_pendulum().build(), duration=2.5, time_step=2e-3)
    assert found.joint_coordinate("pivot")[-1] == pytest.approx(-0.3, abs=1e-9)
    assert found.joint_coordinate("elbow")[-1] == pytest.approx(-0.2, abs=1e-9)
    inner, outer = weights_at_rest()
    late = found.times > 2.3
    pivot = found.joints.stop_force("pivot")[late]
    elbow = found.joints.stop_force("elbow")[late]
    # weights act at the place of the smooth step, of second order beside the stop
    assert pivot == pytest.approx(np.full(late.sum(), inner), rel=1e-5)
    assert elbow == pytest.approx(np.full(late.sum(), outer), rel=1e-5)
    energy = found.energy
    assert np.all(np.diff(energy.impact_loss) >= -1e-12)
    assert np.abs(energy.relative_balance[1:]).max() < 1e-3


@pytest.mark.parametrize("times", [1, 2])
def test_static_force_is_that_of_equilibrium_and_stops_open_again(times: int) -> None:
    """Both ends; given twice, the two share the force."""
    stop = (fl.Stop(lower=-0.5, upper=0.2),) * times
    model = models.slider(stop=stop, spring=fl.JointSpring(stiffness=100.0))
    model.add(
        fl.Force(
            "push",
            at="block",
            force=(70.0, 0.0, 0.0),
            over_time=fl.Table(times=(0.0, 0.25, 0.75, 1.0), values=(0, 1, -1, 0)),
        )
    )
    found = fl.Static().solve(model.build(), load_steps=20)
    push = 70.0 * np.interp(found.times, (0.0, 0.25, 0.75, 1.0), (0, 1, -1, 0))
    way = np.clip(push / 100.0, -0.5, 0.2)
    assert found.joint_coordinate("rail") == pytest.approx(way, abs=1e-12)
    assert found.joints.stop_force("rail") == pytest.approx(
        100.0 * way - push, abs=1e-9
    )
    gap = np.minimum(way + 0.5, 0.2 - way)
    assert found.joints.stop_gap("rail") == pytest.approx(gap, abs=1e-12)


def test_static_stops_hold_a_mechanism_that_nothing_else_holds() -> None:
    """A lever on its stop: no stiffness but that of the stop."""
    torque, arm = 3.0, 0.5
    model = models.pendulum(
        angle=pi / 2.0,
        arm=arm,
        stop=fl.Stop(upper=0.0),
        motor=fl.Motor(torque=torque + MASS * GRAVITY * arm),
    )
    found = fl.Static().solve(model.build())
    assert found.joint_coordinate("pivot")[-1] == pytest.approx(0.0, abs=1e-12)
    assert found.joints.stop_force("pivot")[-1] == pytest.approx(-torque, rel=1e-7)


def crank(*, stop: fl.Stop) -> fl.Model:
    """Slider-crank of 0.2 and 0.5 m, pressed by a torque, with a stop of the slider."""
    model = fl.Model()
    model.add(fl.Body("crank", position=(0, 0.1, 0), mass=1.0, inertia=(0.01,) * 3))
    reach = sqrt(0.5**2 - 0.2**2)
    model.add(
        fl.Body("rod", position=(reach / 2, 0.1, 0), mass=1.0, inertia=(0.02,) * 3)
    )
    model.add(fl.Body("slider", position=(reach, 0, 0), mass=2.0, inertia=(0.02,) * 3))
    hinge = fl.REVOLUTE
    torque = fl.Motor(torque=-5.0)
    model.add(
        fl.Joint(
            "drive", hinge, parent=fl.GROUND, child="crank", position=(0, 0, 0),
            motor=torque, spring=fl.JointSpring(damping=0.05),
        )
    )  # fmt: skip
    model.add(fl.Joint("pin", hinge, parent="crank", child="rod", position=(0, 0.2, 0)))
    model.add(
        fl.Joint("wrist", hinge, parent="rod", child="slider", position=(reach, 0, 0))
    )
    model.add(
        fl.Joint(
            "rail", fl.PRISMATIC, parent=fl.GROUND, child="slider", axis=(1, 0, 0),
            stop=stop,
        )
    )  # fmt: skip
    return model


def test_slider_crank_is_pressed_on_its_stop_in_motion_as_in_statics() -> None:
    system = crank(stop=fl.Stop(lower=-0.4, upper=0.1, restitution=0.3)).build()
    moved = fl.GeneralizedAlpha(quiet_steps=10.0).solve(
        system, duration=1.0, time_step=1e-3
    )
    force = moved.joints.stop_force("rail")[-1]
    assert moved.joint_coordinate("rail")[-1] == pytest.approx(0.1, abs=1e-9)
    static = fl.Static().solve(system, start=moved.last_state)
    assert static.joint_coordinate("rail")[-1] == pytest.approx(0.1, abs=1e-9)
    assert static.joints.stop_force("rail")[-1] == pytest.approx(force, rel=1e-6)
    # virtual work: torque times the turn of the crank for a way of the slider
    angle = pi / 2.0 + moved.joint_coordinate("drive")[-1]
    height = 0.2 * sin(angle)
    slope = -0.2 * sin(angle) * (1.0 + 0.2 * cos(angle) / sqrt(0.25 - height**2))
    assert force == pytest.approx(5.0 / slope, rel=1e-6)
    assert np.abs(moved.energy.relative_balance[1:]).max() < 1e-3


def test_stops_that_say_the_same_share_their_impulses() -> None:
    """A parallelogram whose two cranks reach their limits together."""
    model = fl.Model()
    for k, x in enumerate((0.0, 1.0)):
        model.add(
            fl.Body(f"arm {k}", position=(x, 0, 0.25), mass=1.0, inertia=(0.01,) * 3)
        )
    model.add(fl.Body("bar", position=(0.5, 0, 0.5), mass=2.0, inertia=(0.1,) * 3))
    stop = fl.Stop(upper=0.4, restitution=0.5)
    for k, x in enumerate((0.0, 1.0)):
        model.add(
            fl.Joint(
                f"foot {k}", fl.REVOLUTE, parent=fl.GROUND, child=f"arm {k}",
                axis=(0, 1, 0), position=(x, 0, 0), stop=stop,
            )
        )  # fmt: skip
        model.add(
            fl.Joint(
                f"head {k}", fl.REVOLUTE, parent=f"arm {k}", child="bar",
                axis=(0, 1, 0), position=(x, 0, 0.5),
            )
        )  # fmt: skip
    model.add(fl.Force("push", at="bar", force=(10.0, 0.0, 0.0)))
    found = fl.GeneralizedAlpha(quiet_steps=10.0).solve(
        model.build(), duration=3.0, time_step=2e-3
    )
    assert found.joint_coordinate("foot 1")[-1] == pytest.approx(0.4, abs=1e-9)
    forces = [found.joints.stop_force(f"foot {k}")[-1] for k in range(2)]
    assert sum(forces) == pytest.approx(-10.0 * 0.5 * cos(0.4), rel=1e-6)
    assert max(forces) <= 0.0
    rate = found.joint_rate("foot 0")
    hit = int(np.flatnonzero(found.joints.stop_force("foot 0"))[0])
    assert rate[hit] == pytest.approx(-0.5 * rate[hit - 1], rel=0.02)


def test_stops_and_rods_that_touch_are_solved_for_together() -> None:
    """Neither changes what the other does where nothing joins them."""
    ball = impact_models.ball(0.8)
    alone = ALPHA.solve(ball.build(), duration=1.0, time_step=1e-3)
    model = impact_models.ball(0.8)
    model.add(fl.Body("bob", position=(0.5, 3.0, 0.0), mass=MASS, inertia=(0.1,) * 3))
    model.add(
        fl.Joint(
            "pivot", fl.REVOLUTE, parent=fl.GROUND, child="bob", axis=(0, -1, 0),
            position=(0.0, 3.0, 0.0), stop=fl.Stop(lower=-0.3, restitution=0.6),
        )
    )  # fmt: skip
    both = ALPHA.solve(model.build(), duration=1.0, time_step=1e-3)
    assert both.positions("ball") == pytest.approx(alone.positions("ball"), abs=1e-9)
    rate = both.joint_rate("pivot")
    hit = int(np.flatnonzero(both.joints.stop_force("pivot"))[0])
    assert rate[hit] == pytest.approx(-0.6 * rate[hit - 1], abs=1e-9)
    assert both.contact.total("touch") == pytest.approx(
        alone.contact.total("touch"), rel=1e-6, abs=1e-6
    )


def test_run_that_is_begun_again_keeps_its_digits(tmp_path: Path) -> None:
    """Stops and friction together, with a row every seventh step."""
    system = double_pendulum(joined=True).build()

    def run(steps: int, path: Path, **options: Any) -> Any:
        output = fl.Output(path=path, checkpoint_every=70, every=7)
        return ALPHA.solve(
            system, duration=steps * 2e-3, time_step=2e-3, output=output, **options
        )

    whole = run(280, tmp_path / "whole.h5")
    assert np.count_nonzero(whole.joints.stop_force("pivot")) > 3
    run(140, tmp_path / "part.h5")
    found = run(280, tmp_path / "part.h5", start=tmp_path / "part.h5")
    for name, array in whole.records._asdict().items():
        assert getattr(found.records, name).tobytes() == array.tobytes(), name
    loaded = fl.load_results(tmp_path / "part.h5")
    assert np.array_equal(
        loaded.joints.stop_force("elbow"), whole.joints.stop_force("elbow")
    )


@pytest.mark.parametrize(
    "solver",
    [
        fl.GeneralizedAlpha(formulation=fl.Formulation.TREE),
        fl.MuntheKaas(),
        fl.GaussLegendre(),
        fl.Rattle(),
        fl.BLieDF(),
    ],
)
def test_methods_without_impacts_refuse_hard_stops_by_name(solver: Any) -> None:
    system = models.slider(stop=fl.Stop(lower=-1.0)).build()
    with pytest.raises(fl.ModelError, match="Joint 'rail' has a hard stop"):
        solver.solve(system, duration=1.0, time_step=1e-2)
    with pytest.raises(fl.ModelError, match="Joint 'rail' has a hard stop"):
        fl.Modal().solve(system)
