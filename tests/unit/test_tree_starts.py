"""Trees that start, go on, stop and are asked where joints have turned far."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import femlie as fl
from femlie._jit import IS_COMPILED

ABSOLUTE = fl.MuntheKaas()
ON_TREE = fl.MuntheKaas(formulation=fl.TREE)
COLLOCATION = fl.GaussLegendre(stages=3, formulation=fl.TREE)
# interpreted, a millisecond of motion takes as long
SHORT = 0.2 if IS_COMPILED else 0.005


def rotor(*, has_spring: bool = True) -> fl.Model:
    """A rotor with an arm, which spins against a weak spring."""
    spring = fl.JointSpring(stiffness=3.0, damping=0.05, rest=0.2)
    model = fl.Model()
    model.add(fl.Body("rotor", mass=1.0, inertia=(0.1, 0.1, 0.2)))
    model.add(
        fl.Body("arm", position=(1.0, 0.0, 0.0), mass=0.5, inertia=(0.01, 0.1, 0.1))
    )
    model.add(
        fl.Joint(
            "axle", fl.REVOLUTE, parent=fl.GROUND, child="rotor",
            spring=spring if has_spring else None,
        )
    )  # fmt: skip
    model.add(
        fl.Joint(
            "elbow", fl.REVOLUTE, parent="rotor", child="arm", axis=(0.0, 1.0, 0.0),
            position=(0.5, 0.0, 0.0), spring=fl.JointSpring(stiffness=1.0),
        )
    )  # fmt: skip
    model.add(fl.Gravity("weight"))
    spin = {"on": ("rotor", "arm"), "angular_velocity": (0.0, 0.0, 30.0)}
    model.add(fl.InitialMotion("spin", **spin))
    model.add(fl.JointSensor("angle", joint="axle"))
    return model


def wound_up(system: Any) -> fl.TreeState:
    """Turned by almost two turns, which the spring has counted."""
    tree = fl.Tree(system)
    return tree.moved(tree.start, step={"axle": 11.0, "elbow": 0.1})


@pytest.mark.parametrize("has_spring", [True, False])
@pytest.mark.parametrize("solver", [ON_TREE, COLLOCATION])
def test_a_run_from_a_wound_up_state_counts_on(solver: Any, has_spring: bool) -> None:
    system = rotor(has_spring=has_spring).build()
    tree = fl.Tree(system)
    state = wound_up(system)
    start = tree.state(state, tree.forward_dynamics(state))
    options = {"duration": SHORT, "time_step": 1e-3, "start": start}
    runs = [s.solve(system, **options) for s in (ABSOLUTE, solver)]
    angles = [run.joint_coordinate("axle") for run in runs]
    assert angles[1][0] == pytest.approx(11.0, abs=1e-12)
    np.testing.assert_allclose(angles[1], angles[0], rtol=0, atol=1e-7)
    np.testing.assert_allclose(
        runs[1].positions("arm"), runs[0].positions("arm"), rtol=0, atol=1e-7
    )


def test_springs_pull_by_the_angle_that_a_move_has_reached() -> None:
    system = rotor().build()
    tree = fl.Tree(system)
    state = wound_up(system)
    # moments: the spring's; at rest, nothing else acts along the vertical axle
    at_rest = replace(state, rates=np.zeros(2))
    found = tree.inverse_dynamics(at_rest, np.zeros(2))
    assert found.forces[0] == pytest.approx(3.0 * (11.0 - 0.2), rel=1e-12)
    results = tree.results(at_rest, found)
    assert results.joint_coordinate("axle")[0] == pytest.approx(11.0, abs=1e-12)


def test_the_tree_takes_the_turns_of_a_state() -> None:
    system = rotor().build()
    tree = fl.Tree(system)
    state = wound_up(system)
    whole = tree.state(state, tree.forward_dynamics(state))
    back = fl.Tree(system).state_at(whole)
    np.testing.assert_allclose(back.frames, state.frames, rtol=0, atol=1e-15)
    found = [fl.Tree(system).forward_dynamics(s).second_rates for s in (state, back)]
    np.testing.assert_allclose(found[1], found[0], rtol=1e-12)


def test_a_question_leaves_no_trace_in_the_next() -> None:
    system = rotor().build()
    tree = fl.Tree(system)
    first = tree.forward_dynamics(tree.start).second_rates
    tree.forward_dynamics(wound_up(system))
    plain = fl.TreeState(tree.start.frames, tree.start.rates)
    np.testing.assert_array_equal(tree.forward_dynamics(plain).second_rates, first)


@pytest.mark.skipif(not IS_COMPILED, reason="takes long without compilation")
@pytest.mark.parametrize("has_spring", [True, False])
def test_a_restart_keeps_the_turns(tmp_path: Path, has_spring: bool) -> None:
    system = rotor(has_spring=has_spring).build()

    def kept(name: str) -> fl.Output:
        return fl.Output(path=tmp_path / name, checkpoint_every=100)

    options: dict[str, Any] = {"time_step": 1e-3}
    whole = ON_TREE.solve(system, duration=0.6, output=kept("whole.h5"), **options)
    assert whole.joint_coordinate("axle").max() > 2.0 * np.pi
    ON_TREE.solve(system, duration=0.3, output=kept("half.h5"), **options)
    rest = ON_TREE.solve(
        system, duration=0.6, output=kept("half.h5"), start=tmp_path / "half.h5",
        **options,
    )  # fmt: skip
    for name in ("poses", "velocities", "outputs", "energies"):
        np.testing.assert_array_equal(
            getattr(rest.records, name)[-1], getattr(whole.records, name)[-1]
        )


@pytest.mark.skipif(not IS_COMPILED, reason="takes long without compilation")
@pytest.mark.parametrize("solver", [ON_TREE, COLLOCATION])
def test_events_beyond_a_turn_act_as_in_absolute_coordinates(solver: Any) -> None:
    system = rotor().build()

    def turned_back(state: Any) -> Any:
        return replace(state, velocities=-state.velocities)

    event = fl.Event(sensor="angle", level=8.0, action=turned_back)
    options = {"duration": 0.4, "time_step": 1e-3, "stop": event}
    runs = [s.solve(system, **options) for s in (ABSOLUTE, solver)]
    angles = [run.joint_coordinate("axle") for run in runs]
    assert angles[1].max() == pytest.approx(8.0, abs=1e-9)
    assert angles[1][-1] == pytest.approx(angles[0][-1], abs=1e-7)


@pytest.mark.skipif(not IS_COMPILED, reason="takes long without compilation")
def test_stops_and_controllers_act_as_in_absolute_coordinates() -> None:
    stop = fl.StopWhen(sensor="angle", above=4.0)
    system = rotor().build()
    ends = [
        s.solve(system, duration=1.0, time_step=1e-3, stop=stop)
        for s in (ABSOLUTE, ON_TREE)
    ]
    assert ends[0].times[-1] == ends[1].times[-1] < 0.2
    model = rotor(has_spring=False)

    def pull_back(_time: float, readings: dict[str, Any]) -> float:
        return -2.0 * float(readings["angle"])

    model.add(
        fl.Controller("pull", sensors=("angle",), function=pull_back, joint="axle")
    )
    system = model.build()
    options = {"duration": 0.01, "time_step": 1e-3}
    runs = [s.solve(system, **options) for s in (ABSOLUTE, ON_TREE)]
    angles = [run.joint_coordinate("axle")[-1] for run in runs]
    assert angles[1] == pytest.approx(angles[0], abs=1e-10)


def test_a_beam_in_static_balance_stays_there() -> None:
    mesh = fl.straight_line(
        (0, 0, 0),
        (1, 0, 0),
        n_elements=3,
        name="rod",
        start_name="root",
        end_name="tip",
    )
    rubber = fl.Material(young=5e6, poisson=0.5, density=1100.0)
    model = fl.Model(mesh)
    section = fl.CircularSection(radius=0.02, material=rubber)
    model.add(fl.Beam("rod", cells="rod", section=section))
    model.add(fl.Support("clamp", at="root"))
    model.add(fl.Gravity("weight"))
    system = model.build()
    balance = replace(fl.Static().solve(system).last_state, time=0.0)
    motion = ON_TREE.solve(system, duration=1e-3, time_step=1e-4, start=balance)
    sag = motion.positions("tip")[:, 2]
    assert sag[0] < -0.5
    assert np.ptp(sag) < 1e-9
    weight = 9.81 * system.summary["mass"]
    assert motion.reactions("clamp")[-1, 2] == pytest.approx(weight, rel=1e-6)


def test_check_refuses_what_the_tree_cannot_follow(tmp_path: Path) -> None:
    corners = ("[0, 0, 0]", "[1, 0, 0]", "[0, 1, 0]")
    sides = [
        f"{{ line = {{ start = {corners[i]}, end = {corners[(i + 1) % 3]}, "
        'n_elements = 2, name = "ring" } }'
        for i in range(3)
    ]
    text = f"""mesh = [{", ".join(sides)}]
material.rubber = {{ young = 1e6, poisson = 0.4, density = 1000.0 }}
section.round = {{ shape = "circle", radius = 0.02, material = "rubber" }}
beam.ring = {{ cells = "ring", section = "round" }}
[analysis]
method = "munthe_kaas"
formulation = "tree"
duration = 0.01
time_step = 1e-4
"""
    path = tmp_path / "ring.toml"
    for method in ("munthe_kaas", "gauss_legendre", "generalized_alpha"):
        path.write_text(text.replace("munthe_kaas", method))
        file = fl.read_model(path)
        with pytest.raises(fl.ModelError, match="ring that no joint interrupts"):
            file.check(file.build())
    path.write_text(text.replace('"tree"', '"absolute"'))
    file = fl.read_model(path)
    file.check(file.build())
