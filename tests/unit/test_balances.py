"""Loads and reactions balance, and the energy ledger closes, with parts of any kind."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import femlie as fl

Array = np.ndarray


class Push:
    """A force of one's own on a node: 3 N along y, 1 N m about z."""

    n_multipliers = 0

    def residual(self, local: Any) -> Array:
        turn = local.frames[:, 0, :3, :3]
        wrench = np.array([[0.0, 3.0, 0.0], [0.0, 0.0, 1.0]])
        own = np.einsum("nji,kj->nki", turn, wrench)
        return -own.reshape(len(turn), 6)


class Damper:
    """Force of 0.7 N s/m against the relative velocity of two frames' origins."""

    n_multipliers = 0

    def residual(self, local: Any) -> Array:
        turns = local.frames[..., :3, :3]
        speeds = np.einsum("nkij,nkj->nki", turns, local.twists[..., :3])
        force = 0.7 * (speeds[:, 1] - speeds[:, 0])
        found = np.zeros((len(force), 2, 6))
        found[:, 0, :3] = -np.einsum("nji,nj->ni", turns[:, 0], force)
        found[:, 1, :3] = np.einsum("nji,nj->ni", turns[:, 1], force)
        return found.reshape(len(force), 12)


def steady(_time: float, _readings: dict[str, Any]) -> tuple[float, ...]:
    return (0.0, 0.0, 2.0, 0.5, 0.0, 0.0)


# what holds a body at (1, 2, 3) to the ground besides a bushing, and what acts on it
PARTS: dict[str, list[Any]] = {
    "bushing alone": [],
    "force": [fl.Force("f", at="body", force=(3.0, 4.0, 5.0), moment=(1.0, 2.0, 3.0))],
    "spring": [
        fl.SpringDamper(
            "s", first="ground", second="body", first_point=(0.0, 0.0, 0.0),
            stiffness=100.0, length=3.0,
        )
    ],
    "joint": [
        fl.Joint("j", fl.CYLINDRICAL, parent="ground", child="body", axis=(0, 1, 0))
    ],
    "joint to the ground as child": [
        fl.Joint("j", fl.SPHERICAL, parent="body", child="ground")
    ],
    "moving support": [fl.Support("m", at="body", displacement=(0.01, 0.0, 0.0))],
    "element of one's own": [fl.UserElement("u", at=("body",), element=Push())],
    "controller": [
        fl.PointSensor("p", at="body"),
        fl.Controller("c", sensors=("p",), function=steady, at="body"),
    ],
}  # fmt: skip


def held_body(names: list[str]) -> fl.Model:
    model = fl.Model()
    model.add(fl.Body("body", position=(1, 2, 3), mass=1.5, inertia=(1, 1, 1)))
    model.add(fl.Gravity("weight"))
    model.add(fl.Bushing("mount", first="ground", second="body", stiffness=(1e4,) * 6))
    for name in names:
        for part in PARTS[name]:
            model.add(part)
    return model


@pytest.mark.parametrize("name", PARTS)
def test_reactions_balance_loads_with_every_kind_of_part(name: str) -> None:
    results = fl.Static().solve(held_body([name]).build())
    balance = results.summary["balance"]
    assert balance["error"] < 1e-11
    total = np.array(balance["loads"]) + balance["reactions"]
    assert np.abs(total).max() < 1e-9
    # weight, and what the parts say of themselves
    force = {
        "force": np.array([3.0, 4.0, 5.0]),
        "element of one's own": np.array([0.0, 3.0, 0.0]),
        "controller": np.array([0.0, 0.0, 2.0]),
    }.get(name, np.zeros(3))
    expected = force + np.array([0.0, 0.0, -9.81 * 1.5])
    assert balance["loads"][:3] == pytest.approx(expected, abs=1e-12)
    place = results.positions("body")[-1]
    moment = {
        "force": np.array([1.0, 2.0, 3.0]),
        "element of one's own": np.array([0.0, 0.0, 1.0]),
        "controller": np.array([0.5, 0.0, 0.0]),
    }.get(name, np.zeros(3))
    about = np.cross(place, expected) + moment
    assert balance["loads"][3:] == pytest.approx(about, abs=1e-12)


def test_reactions_balance_loads_with_everything_at_once() -> None:
    other_joints = ("joint to the ground as child", "moving support")
    names = [name for name in PARTS if name not in other_joints]
    results = fl.Static().solve(held_body(names).build())
    assert results.summary["balance"]["error"] < 1e-11


def test_parts_that_pull_against_each_other_do_not_look_out_of_balance() -> None:
    model = fl.Model()
    model.add(fl.Body("body", mass=1.0, inertia=(1, 1, 1)))
    for side in (-1.0, 1.0):
        model.add(
            fl.SpringDamper(
                f"spring {side:g}", first="ground", second="body",
                first_point=(side, 0, 0), stiffness=1e6, length=0.3,
            )
        )  # fmt: skip
    stiffness = (1.0, 1e3, 1e3, 1e3, 1e3, 1e3)
    model.add(fl.Bushing("guide", first="ground", second="body", stiffness=stiffness))
    results = fl.Static(checks_stability=False).solve(model.build())
    assert results.summary["balance"]["error"] < 1e-11


def driven_pair() -> fl.Model:
    """Two bodies on a hinge and a spring; a PD motor and a damper of one's own."""
    model = fl.Model()
    for name, x in (("arm", 0.5), ("bob", 1.5)):
        model.add(fl.Body(name, position=(x, 0, 0), mass=2.0, inertia=(0.1, 0.2, 0.2)))
    model.add(
        fl.Joint("hinge", fl.REVOLUTE, parent="ground", child="arm", axis=(0, 1, 0),
                 position=(0, 0, 0))
    )  # fmt: skip
    model.add(
        fl.SpringDamper("spring", first="arm", second="bob", stiffness=50.0, length=0.8)
    )
    model.add(fl.UserElement("damper", at=("arm", "bob"), element=Damper()))
    model.add(fl.JointSensor("angle", joint="hinge"))
    model.add(fl.JointSensor("rate", joint="hinge", rate=True))
    model.add(
        fl.Controller(
            "drive", sensors=("angle", "rate"), joint="hinge",
            function=lambda _t, now: -30.0 * (now["angle"] - 0.4) - 2.0 * now["rate"],
        )
    )  # fmt: skip
    model.add(fl.Gravity("weight"))
    return model


def test_energy_ledger_knows_controllers_and_elements_of_ones_own() -> None:
    system = driven_pair().build()
    missing = []
    for step in (4e-3, 2e-3):
        motion = fl.GeneralizedAlpha().solve(system, duration=0.2, time_step=step)
        missing.append(abs(motion.energy.relative_balance[-1]))
    assert missing[1] < 2e-5
    assert np.log2(missing[0] / missing[1]) == pytest.approx(2.0, abs=0.2)
    # the motor's work is the integral of its torque times the rate
    angle, rate = motion.sensor("angle"), motion.sensor("rate")
    torque = -30.0 * (angle - 0.4) - 2.0 * rate
    work = np.trapezoid(torque * rate, motion.times)
    assert motion.energy.motor_work[-1] == pytest.approx(work, rel=1e-9)
    # the damper takes energy
    assert motion.energy.load_work[-1] < -1e-3


def held_in(scale: float) -> tuple[Array, int]:
    """End of a body that a saturating controller pulls, lengths in 1/scale metres."""

    def hold(_time: float, now: dict[str, Any]) -> tuple[float, ...]:
        pull = np.tanh((now["place"] - 0.1 * scale) / (0.01 * scale))
        return (*(-50.0 * scale * pull), 0.0, 0.0, 0.0)

    model = fl.Model()
    model.add(fl.Body("body", mass=1.0, inertia=(scale**2,) * 3))
    model.add(fl.PointSensor("place", at="body"))
    model.add(fl.Controller("hold", sensors=("place",), function=hold, at="body"))
    motion = fl.GeneralizedAlpha().solve(model.build(), duration=0.2, time_step=2e-3)
    return motion.positions("body")[-1] / scale, motion.summary["iterations"]


def test_controllers_do_the_same_in_other_units() -> None:
    metres, iterations = held_in(1.0)
    millimetres, again = held_in(1e3)
    assert millimetres == pytest.approx(metres, rel=1e-9)
    assert again == iterations


STEEL = fl.Material(young=210e9, poisson=0.3, density=7850.0)


def tensioned_rod(over_time: fl.Table | None = None) -> fl.System:
    """Rod between clamps that a rest strain of -1e-3 pulls."""
    mesh = fl.straight_line(
        (0, 0, 0), (1, 0, 0), n_elements=16, name="rod", start_name="a", end_name="b"
    )
    model = fl.Model(mesh)
    section = fl.CircularSection(radius=0.005, material=STEEL)
    model.add(
        fl.Beam(
            "rod", cells="rod", section=section,
            rest_strain=(-1e-3, 0, 0, 0, 0, 0), rest_strain_over_time=over_time,
        )
    )  # fmt: skip
    for end in ("a", "b"):
        model.add(fl.Support(f"clamp {end}", at=end))
    return model.build()


def test_modes_about_a_static_state_are_those_under_its_loads(tmp_path: Path) -> None:
    system = tensioned_rod()
    loose = fl.Modal().solve(system).frequencies[0]
    tight = fl.Modal(at_equilibrium=True).solve(system).frequencies[0]
    assert tight > 1.5 * loose
    static = fl.Static().solve(system)
    static.save(tmp_path / "static.h5")
    moving = fl.GeneralizedAlpha().solve(system, duration=1e-3, time_step=1e-4)
    starts = (
        static.last_state,
        fl.load_results(tmp_path / "static.h5").last_state,
        moving.last_state,
    )
    for start in starts:
        found = fl.Modal().solve(system, start=start).frequencies[0]
        assert found == pytest.approx(tight, rel=1e-9)


def test_modes_about_a_state_in_motion_are_those_under_the_loads_of_its_time() -> None:
    table = fl.Table(times=(0.0, 1.0, 2.0), values=(0.0, 1.0, 0.5))
    system = tensioned_rod(table)
    found = [
        fl.Modal()
        .solve(system, start=dataclasses.replace(system.state, time=time))
        .frequencies[0]
        for time in (0.0, 1.0, 2.0)
    ]
    loose = fl.Modal().solve(tensioned_rod()).frequencies[0]
    tight = fl.Modal(at_equilibrium=True).solve(tensioned_rod()).frequencies[0]
    assert found[0] == pytest.approx(loose, rel=1e-9)
    assert found[1] == pytest.approx(tight, rel=1e-9)
    # the square of the frequency is linear in the tension, nearly
    middle = np.sqrt(0.5 * (loose**2 + tight**2))
    assert found[2] == pytest.approx(middle, rel=1e-2)


def test_section_colors_of_a_model_with_a_bushing(tmp_path: Path) -> None:
    mesh = fl.straight_line(
        (0, 0, 0), (1, 0, 0), n_elements=2, name="rod", start_name="a", end_name="b"
    )
    model = fl.Model(mesh)
    section = fl.CircularSection(radius=0.01, material=STEEL)
    model.add(fl.Beam("rod", cells="rod", section=section))
    model.add(fl.Support("clamp", at="a"))
    model.add(fl.Bushing("soil", first="ground", second="b", stiffness=(1e4,) * 6))
    model.add(fl.Force("push", at="b", force=(0, 0, 10.0)))
    results = fl.Static().solve(model.build())
    picture = tmp_path / "rod.png"
    try:
        fl.plot(results, color="bending_moment").save(picture)
    except fl.ViewError as error:
        pytest.skip(str(error))
    assert picture.stat().st_size > 1000
