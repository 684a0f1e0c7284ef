"""Orders, invariants and refusals of all integrators, on both groups."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

import femlie as fl
from femlie.lie import quaternion, so3
from tests.property.integrators import (
    GROUPS,
    METHODS,
    momenta,
    observed_order,
    run_interpreted,
    with_group,
)
from tests.validation.dynamics import free_rod, heavy_top, reference_at

# the spin turns the top by 0.15 rad a millisecond
STEPS = {
    1: (4e-4, 2e-4, 1e-4),
    2: (2e-3, 1e-3, 5e-4),
    8: (4e-3, 2e-3, 1e-3),
    "BLieDF": (1e-3, 5e-4, 2.5e-4),
}
DURATION = 0.04
# half of all: the others run with compiled loops
FAST = (
    "Munthe-Kaas heun",
    "Munthe-Kaas dormand_prince",
    "Gauss-Legendre 1 exponential newton",
    "Gauss-Legendre 2 ambient fixed_point",
    "BLieDF 2",
    "BLieDF 4",
    "generalized-alpha projected",
    "RATTLE",
)
CHOSEN = [
    name if name in FAST else pytest.param(name, marks=pytest.mark.slow)
    for name in METHODS
]
every_group = pytest.mark.parametrize("group", GROUPS, ids=lambda g: g.value)


@pytest.fixture(autouse=True)
def loops_are_python(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fast tests need no compiled loop."""
    if request.node.get_closest_marker("slow") is None:
        run_interpreted(monkeypatch)


def top(group: fl.MotionGroup, pivot: str = "joint") -> Any:
    at_center = pivot == "joint"
    return with_group(heavy_top(pivot, at_center=at_center), group).build()


@every_group
@pytest.mark.parametrize("name", CHOSEN)
def test_order_on_the_heavy_top(name: str, group: fl.MotionGroup) -> None:
    solver, order = METHODS[name]
    key: Any = 8 if order > 4 else min(order, 2)
    if order > 1 and name.startswith("BLieDF"):
        key = "BLieDF"
    system = top(group)
    ends = []
    for step in STEPS[key]:
        motion = solver.solve(system, duration=DURATION, time_step=step)
        ends.append(motion.records.poses[-1, 1, :3])
    below, above = 0.15, 0.15
    if order == 1:  # not in its limit at these steps
        below, above = 0.6, 1.2
    elif order > 4:  # gains on SO(3) x R^3
        above = 0.7
    assert order - below < observed_order(ends) < order + above
    expected = reference_at("heavytop", DURATION)[:3]
    away = np.linalg.norm(ends[2] - expected)
    assert away < 2.0 * np.linalg.norm(ends[2] - ends[1]) + 1e-9


@pytest.mark.parametrize("name", ["Munthe-Kaas runge_kutta_4", "BLieDF 3", "RATTLE"])
def test_support_in_place_of_the_joint_gives_the_same_motion(name: str) -> None:
    solver, order = METHODS[name]
    ends = []
    for system in (top(fl.SE3, "support"), top(fl.SE3)):
        motion = solver.solve(system, duration=0.01, time_step=2.5e-4)
        tip = np.array([0.0, 1.0, 0.0]) if system.dofs.n_multipliers == 0 else 0.0
        frame = motion.rotations("top")[-1]
        ends.append(motion.positions("top")[-1] + frame @ (tip * np.ones(3)))
    # constraints of index 3 hold the velocities of BLieDF to its own error only
    assert ends[0] == pytest.approx(ends[1], abs=1e-11 if order != 3 else 1e-5)


def tennis_racket(spin: Any = (0.01, 1.0, 0.01)) -> fl.Model:
    """Free body with moments of inertia 1, 2, 3; the triangle rule just holds."""
    model = fl.Model()
    model.add(fl.Body("body", mass=1.0, inertia=(1.0, 2.0, 3.0)))
    model.add(fl.InitialMotion("spin", angular_velocity=spin))
    return model


def spatial_spin(motion: fl.Results) -> Any:
    """(n, 3) angular momentum of the racket in space."""
    body = motion.records.velocities[:, 1, 3:] * np.array([1.0, 2.0, 3.0])
    return quaternion.rotate(motion.records.poses[:, 1, 3:], body)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        "RATTLE",
        "Gauss-Legendre 2 ambient newton",
        "Gauss-Legendre 3 exponential newton",
    ],
)
def test_tennis_racket_flips_and_keeps_energy_and_momentum_over_1e5_steps(
    name: str,
) -> None:
    solver, _ = METHODS[name]
    motion = solver.solve(
        tennis_racket().build(),
        duration=1000.0,
        time_step=0.01,
        output=fl.Output(every=50),
    )
    energy = motion.energy.kinetic
    # half of 1e-4, 2 and 3e-4; the root of 1e-4, 4 and 9e-4
    assert energy[0] == pytest.approx(1.0002, abs=1e-12)
    momentum = spatial_spin(motion)
    size = np.linalg.norm(momentum, axis=1)
    assert size[0] == pytest.approx(2.00025, abs=1e-6)
    if name == "RATTLE":
        assert np.abs(momentum - momentum[0]).max() < 1e-11
    half = len(energy) // 2
    swing = [np.ptp(energy[:half]), np.ptp(energy[half:])]
    assert max(swing) < 1e-4
    # no trend: the means of both halves differ by less than the swing itself
    drift = abs(energy[:half].mean() - energy[half:].mean())
    assert drift < 0.1 * max(swing) + 1e-12
    turn = motion.rotations("body")
    unit = np.abs(np.swapaxes(turn, -1, -2) @ turn - np.eye(3)).max()
    assert unit < 1e-12
    # the middle axis turns over, again and again
    middle = motion.records.velocities[:, 1, 4]
    assert middle.min() < -0.9
    assert middle.max() > 0.9


def test_quaternions_with_the_exponential_are_rotation_matrices_to_rounding() -> None:
    motion = fl.MuntheKaas().solve(
        tennis_racket((0.4, 1.0, -0.7)).build(), duration=2.0, time_step=0.02
    )
    inertia = np.array([1.0, 2.0, 3.0])

    def rate(w: Any) -> Any:
        return -np.cross(w, inertia * w) / inertia

    # the same method on rotation matrices, written from Munthe-Kaas 1998
    rotation, w, h = np.eye(3), np.array([0.4, 1.0, -0.7]), 0.02
    for _ in range(100):
        slopes, rates = [w], [rate(w)]
        for c in (0.5, 0.5, 1.0):
            phi, v = h * c * slopes[-1], w + h * c * rates[-1]
            slopes.append(so3.tangent_operator_inverse(phi) @ v)
            rates.append(rate(v))
        weights = np.array([1.0, 2.0, 2.0, 1.0]) / 6.0
        rotation = rotation @ so3.exp(h * (weights @ np.array(slopes)))
        w = w + h * (weights @ np.array(rates))
    assert motion.rotations("body")[-1] == pytest.approx(rotation, abs=2e-14)


def test_ambient_form_keeps_unit_length_without_normalization() -> None:
    solver = fl.GaussLegendre(stages=2, form=fl.RotationForm.AMBIENT)
    motion = solver.solve(
        tennis_racket((0.4, 1.0, -0.7)).build(), duration=5.0, time_step=0.05
    )
    lengths = np.linalg.norm(motion.records.poses[:, 1, 3:], axis=1)
    assert np.abs(lengths - 1.0).max() < 1e-14


@every_group
def test_rattle_keeps_the_momenta_of_a_flexible_beam(group: fl.MotionGroup) -> None:
    system = with_group(free_rod(3), group).build()
    motion = fl.Rattle().solve(system, duration=0.2, time_step=5e-3)
    first, last = (momenta(motion, system, row) for row in (0, -1))
    assert np.abs(last - first).max() < 1e-12 * np.abs(first).max()
    # the same at half the step and by another method: order 2
    ends = [motion.positions("B")[-1]]
    for step in (2.5e-3, 1.25e-3):
        finer = fl.Rattle().solve(system, duration=0.2, time_step=step)
        ends.append(finer.positions("B")[-1])
    assert observed_order(ends) == pytest.approx(2.0, abs=0.1)


def damped_pendulum() -> fl.Model:
    """Rod on a hinge with a damper that takes most of the swing."""
    model = fl.Model()
    model.add(fl.Body("rod", position=(0.5, 0, 0), mass=2.0, inertia=(0.01, 0.2, 0.2)))
    model.add(
        fl.Joint(
            "hinge", fl.REVOLUTE, parent=fl.GROUND, child="rod", axis=(0, 1, 0),
            position=(0, 0, 0), spring=fl.JointSpring(stiffness=0.0, damping=1.5),
        )
    )  # fmt: skip
    model.add(fl.Gravity("weight"))
    return model


def test_rattle_takes_dampers_with_order_two() -> None:
    ends = [
        fl.Rattle()
        .solve(damped_pendulum().build(), duration=0.4, time_step=step)
        .positions("rod")[-1]
        for step in (0.02, 0.01, 0.005)
    ]
    assert observed_order(ends) == pytest.approx(2.0, abs=0.1)
    exact = fl.MuntheKaas().solve(
        damped_pendulum().build(), duration=0.4, time_step=0.01
    )
    limit = ends[2] + (ends[2] - ends[1]) / 3.0
    assert limit == pytest.approx(exact.positions("rod")[-1], abs=1e-6)


def test_truncated_series_costs_the_order_that_theory_says() -> None:
    system = top(fl.SE3)
    exact = reference_at("heavytop", 0.04)[:3]
    errors: dict[int, list[float]] = {1: [], 2: []}
    for order, found in errors.items():
        for step in (1e-3, 5e-4):
            solver = fl.MuntheKaas(series_order=order)
            motion = solver.solve(system, duration=0.04, time_step=step)
            found.append(float(np.linalg.norm(motion.records.poses[-1, 1, :3] - exact)))
    # order 4 needs the series up to ad^2 (Munthe-Kaas 1999); up to ad, order 3 is left
    assert np.log2(errors[2][0] / errors[2][1]) == pytest.approx(4.0, abs=0.15)
    assert np.log2(errors[1][0] / errors[1][1]) < 3.6


def test_error_control_meets_what_is_asked() -> None:
    system = top(fl.SE3)
    errors = []
    for tolerance in (1e-6, 1e-8):
        solver = fl.MuntheKaas(
            tableau=fl.RungeKutta.DORMAND_PRINCE, tolerance=tolerance
        )
        motion = solver.solve(system, duration=0.04, time_step=1e-3)
        assert motion.times[-1] == pytest.approx(0.04, abs=1e-15)
        away = motion.records.poses[-1, 1, :3] - reference_at("heavytop", 0.04)[:3]
        errors.append(np.linalg.norm(away))
    assert errors[0] < 3e-5
    assert errors[1] < 3e-7


@pytest.mark.parametrize(
    "options", [{"projects_drift": True}, {"baumgarte": 200.0}], ids=str
)
def test_drift_of_hybrid_velocities_can_be_held(options: dict[str, Any]) -> None:
    system = top(fl.SO3_R3)
    free = fl.MuntheKaas().solve(system, duration=0.1, time_step=2e-3)
    held = fl.MuntheKaas(**options).solve(system, duration=0.1, time_step=2e-3)
    most = 1e-14 if "projects_drift" in options else 0.6
    assert free.summary["constraint_error"] > 1e-6
    share = held.summary["constraint_error"] / free.summary["constraint_error"]
    assert share < (most if most > 0.1 else 1e-8)


@pytest.mark.parametrize("solver", [fl.MuntheKaas(), fl.Rattle()], ids=["MK", "RATTLE"])
def test_step_too_long_for_a_beam_is_refused_with_the_one_it_takes(solver: Any) -> None:
    system = free_rod(3).build()
    with pytest.raises(fl.ModelError, match="too long for the fastest mode") as caught:
        solver.solve(system, duration=1.0, time_step=0.05)
    text = str(caught.value)
    allowed = float(text.rpartition("time step of ")[2].partition(" s or less")[0])
    assert 1e-3 < allowed < 0.05
    assert "rad/s" in text
    solver.solve(system, duration=allowed, time_step=allowed)
    # where the step resolves the mode too, the energy stays
    motion = solver.solve(system, duration=5 * allowed, time_step=0.25 * allowed)
    assert np.ptp(motion.energy.total) < 0.1 * motion.energy.total[0]


@pytest.mark.parametrize(
    "make",
    [
        lambda: fl.MuntheKaas(tolerance=1e-6),
        lambda: fl.MuntheKaas(series_order=99),
        lambda: fl.MuntheKaas(baumgarte=-1.0),
        lambda: fl.GaussLegendre(stages=4),
        lambda: fl.GaussLegendre(stage_tolerance=0.0),
        lambda: fl.GaussLegendre(sweep_limit=0),
        lambda: fl.Rattle(correction_tolerance=2.0),
        lambda: fl.Rattle(iteration_limit=0),
        lambda: fl.BLieDF(steps=5),
        lambda: fl.BLieDF(residual_tolerance=0.0),
        lambda: fl.BLieDF(iteration_limit=0),
        lambda: fl.GeneralizedAlpha(projects_velocities=True),
    ],
)
def test_options_out_of_range_are_refused(make: Any) -> None:
    with pytest.raises(fl.ModelError, match=r"expected|needs|belongs"):
        make()


@pytest.mark.parametrize(
    "solver", [fl.GaussLegendre(), fl.Rattle(), fl.BLieDF()], ids=["GL", "R", "BDF"]
)
def test_inconsistent_start_is_refused_or_projected(solver: Any) -> None:
    model = heavy_top("joint", at_center=True)
    model.add(fl.InitialMotion("wrong", velocity=(0.0, 0.3, 0.0)))
    with pytest.raises(fl.ModelError, match="violated by the velocities at the start"):
        solver.solve(model.build(), duration=0.01, time_step=1e-3)
    willing = type(solver)(projects_start=True)
    motion = willing.solve(model.build(), duration=2e-3, time_step=1e-3)
    assert any("changed to meet it" in warning for warning in motion.warnings)


@pytest.mark.parametrize(
    "solver", [fl.GaussLegendre(), fl.Rattle(), fl.BLieDF()], ids=["GL", "R", "BDF"]
)
def test_restart_goes_on_with_the_same_digits(solver: Any, tmp_path: Any) -> None:
    system = top(fl.SE3)
    file = tmp_path / "half.h5"
    output = fl.Output(checkpoint_every=10, every=2)
    kept = dataclasses.replace(output, path=file)
    whole = solver.solve(system, duration=0.02, time_step=1e-3, output=output)
    solver.solve(system, duration=0.01, time_step=1e-3, output=kept)
    rest = solver.solve(system, duration=0.02, time_step=1e-3, output=kept, start=file)
    for name, array in whole.records._asdict().items():
        assert np.array_equal(getattr(rest.records, name), array)


def test_restart_of_rattle_with_another_step_is_refused(tmp_path: Any) -> None:
    kept = fl.Output(path=tmp_path / "half.h5")
    system = top(fl.SE3)
    fl.Rattle().solve(system, duration=0.01, time_step=1e-3, output=kept)
    with pytest.raises(fl.ModelError, match="time_step"):
        fl.Rattle().solve(system, duration=0.02, time_step=5e-4, start=kept.path)


def test_frame_groups_follow_the_joints() -> None:
    model = heavy_top("joint", at_center=True)
    model.add(fl.Body("far", position=(0, 3, 0), mass=1.0, inertia=(1, 1, 1)))
    model.add(fl.Body("tied", position=(0, 5, 0), mass=1.0, inertia=(1, 1, 1)))
    model.add(
        fl.Joint("elbow", fl.SPHERICAL, parent="top", child="far", position=(0, 2, 0))
    )
    model.add(
        fl.Joint(
            "rope",
            fl.DISTANCE,
            parent=fl.GROUND,
            child="tied",
            position=(0, 6, 0),
            child_position=(0, 5, 0),
        )
    )
    assert model.build().dofs.frame_groups.tolist() == [0, 0, 0, 0]
    model.add(fl.FrameGroup("all"))
    assert model.build().dofs.frame_groups.tolist() == [0, 0, 1, 1]
    model.add(fl.FrameGroup("one", group=fl.SE3, on=("far",)))
    assert model.build().dofs.frame_groups.tolist() == [0, 0, 0, 1]
