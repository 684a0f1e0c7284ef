"""Trees: names, refusals, inverse kinematics and assembly."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import femlie as fl
from femlie._jit import IS_COMPILED
from femlie.lie import se3
from tests.property.tree_models import MODELS
from tests.validation import tree_cases as cases


def arm(n: int = 3) -> fl.Model:
    """Links of one meter along x, with hinges about z, y, y, ..."""
    model = fl.Model()
    before = fl.GROUND
    for i in range(n):
        name = f"link {i}"
        model.add(
            fl.Body(
                name, position=(i + 1.0, 0.0, 0.0), mass=1.0, inertia=(0.1, 0.1, 0.1)
            )
        )
        model.add(
            fl.Joint(
                f"joint {i}", fl.REVOLUTE, parent=before, child=name,
                axis=(0.0, 0.0, 1.0) if i == 0 else (0.0, 1.0, 0.0),
                position=(float(i), 0.0, 0.0),
            )
        )  # fmt: skip
        before = name
    model.add(fl.Gravity("weight"))
    return model


def misfit_four_bar(gap: float) -> fl.Model:
    """One window whose beam is too long by a gap."""
    model = fl.Model()
    for part in cases.windows(1).parts.values():
        if part.name == "top 1 of 1":
            x, y, z = part.position
            model.add(replace(part, child_position=(x + gap, y, z)))
        elif not isinstance(part, fl.InitialMotion):
            model.add(part)
    return model


def test_coordinates_are_named_after_joints_and_free_bodies() -> None:
    tree = fl.Tree(MODELS["floating_branches"]().build())
    assert set(tree.coordinates) >= {"hub.place_1", "hub.turn_3", "joint 0.angle"}
    assert {"joint 2.angle", "joint 2.angle_2"} <= set(tree.coordinates)
    assert len(set(tree.coordinates)) == tree.n_coordinates == 12


def test_driven_and_cut_joints_are_named() -> None:
    tree = fl.Tree(MODELS["driven_four_bar"]().build())
    assert tree.driven == ("joint 0",)
    assert tree.cut_joints == ("joint 2",)  # the ball holds least
    other = fl.Tree(MODELS["spatial_four_bar"]().build(), cut=("joint 3",))
    assert other.cut_joints == ("joint 3",)


def test_a_chain_of_many_names_is_refused_with_what_exists() -> None:
    tree = fl.Tree(arm().build())
    with pytest.raises(fl.ModelError, match=r"no coordinate 'joint 7'.*joint 0.angle"):
        tree.forward_dynamics(tree.start, forces={"joint 7": 1.0})
    with pytest.raises(fl.ModelError, match="expected 3 in the last axis"):
        tree.forward_dynamics(tree.start, forces=np.zeros(4))
    with pytest.raises(fl.ModelError, match="cut names 'shaft'"):
        fl.Tree(arm().build(), cut=("shaft",))
    with pytest.raises(fl.ModelError, match=r"only formulation=fl\.TREE uses"):
        fl.MuntheKaas(cut=("joint 0",))


def test_beams_in_a_ring_are_refused() -> None:
    corners = ((0, 0, 0), (1, 0, 0), (0, 1, 0))
    sides = [
        fl.straight_line(corners[i], corners[(i + 1) % 3], n_elements=2, name="ring")
        for i in range(3)
    ]
    model = fl.Model(fl.join_meshes(*sides))
    rubber = fl.Material(young=1e6, poisson=0.4, density=1000.0)
    section = fl.CircularSection(radius=0.02, material=rubber)
    model.add(fl.Beam("ring", cells="ring", section=section))
    with pytest.raises(fl.ModelError, match="ring that no joint interrupts"):
        fl.Tree(model.build())


def test_inverse_dynamics_of_loops_asks_where_forces_act() -> None:
    tree = fl.Tree(MODELS["spatial_four_bar"]().build())
    with pytest.raises(fl.ModelError, match="actuated"):
        tree.inverse_dynamics(tree.start, np.zeros(tree.n_coordinates))
    with pytest.raises(fl.ModelError, match="without loops"):
        tree.matrices(tree.start).inverse_dynamics_derivatives(
            np.zeros(tree.n_coordinates)
        )


def test_motor_torque_of_a_closed_chain_gives_the_wanted_acceleration() -> None:
    tree = fl.Tree(MODELS["spatial_four_bar"]().build())
    wanted = tree.forward_dynamics(tree.start, forces={"joint 0.angle": 2.5})
    found = tree.inverse_dynamics(
        tree.start, wanted.second_rates, actuated=("joint 0.angle",)
    )
    k = tree.coordinates.index("joint 0.angle")
    np.testing.assert_allclose(found.second_rates, wanted.second_rates, atol=1e-11)
    assert found.forces[k] == pytest.approx(2.5, abs=1e-10)
    np.testing.assert_allclose(np.delete(found.forces, k), 0.0, atol=1e-10)


def test_accelerations_that_contradict_a_loop_are_refused() -> None:
    tree = fl.Tree(MODELS["planar_four_bar"]().build())
    given = dict.fromkeys(tree.coordinates[:2], 1.0)
    with pytest.raises(fl.ModelError, match="contradict the loops"):
        tree.mixed_dynamics(tree.start, second_rates=given)


def test_mixed_dynamics_of_an_open_chain() -> None:
    tree = fl.Tree(arm().build())
    rng = np.random.default_rng(1)
    state = tree.moved(tree.start, step=rng.normal(size=3), rates=rng.normal(size=3))
    forces = rng.normal(size=3)
    whole = tree.forward_dynamics(state, forces=forces)
    mixed = tree.mixed_dynamics(
        state,
        second_rates={"joint 1.angle": whole.second_rates[1]},
        forces={"joint 0": forces[0], "joint 2": forces[2]},
    )
    np.testing.assert_allclose(mixed.second_rates, whole.second_rates, atol=1e-11)
    assert mixed.forces[1] == pytest.approx(forces[1], abs=1e-11)


def test_inverse_kinematics_reaches_a_place() -> None:
    tree = fl.Tree(arm().build())
    target = np.array([1.2, 0.8, 0.9])
    bent = tree.moved(tree.start, step={"joint 1": 0.3, "joint 2": -0.5})
    found = fl.inverse_kinematics(tree, bent, {"link 2": target})
    tree.place(found)
    frame = int(tree.problem.tree.frames[tree.point("link 2")[0]])
    np.testing.assert_allclose(
        tree.problem.motion.poses[frame, :3], target, rtol=0, atol=1e-10
    )


def test_inverse_kinematics_reaches_a_frame() -> None:
    tree = fl.Tree(arm(7).build())
    rng = np.random.default_rng(3)
    goal = tree.moved(tree.start, step=0.6 * rng.normal(size=7))
    tree.place(goal)
    frame = int(tree.problem.tree.frames[tree.point("link 6")[0]])
    wanted = se3.frame_from_pose(tree.problem.motion.poses[frame].copy())
    start = tree.moved(goal, step=0.3 * rng.normal(size=7))
    found = fl.inverse_kinematics(tree, start, {"link 6": wanted})
    tree.place(found)
    reached = se3.frame_from_pose(tree.problem.motion.poses[frame])
    np.testing.assert_allclose(reached, wanted, rtol=0, atol=1e-9)


def test_places_out_of_reach_are_named_with_what_is_missing() -> None:
    tree = fl.Tree(arm().build())
    bent = tree.moved(tree.start, step={"joint 1": 0.3, "joint 2": -0.5})
    with pytest.raises(fl.ConvergenceError, match="'link 2' is missed by 2"):
        fl.inverse_kinematics(tree, bent, {"link 2": (0.0, 5.0, 0.0)})
    with pytest.raises(fl.ModelError, match="expected a place"):
        fl.inverse_kinematics(tree, bent, {"link 2": (1.0, 2.0)})


def test_parts_that_do_not_quite_fit_are_assembled() -> None:
    gap = 0.01
    tree = fl.Tree(misfit_four_bar(gap).build())
    found = fl.assemble(tree)
    assert max(found.gaps.values()) == pytest.approx(gap, rel=1e-3)
    assert 0.0 < found.moved < 3.0 * gap
    assert not fl.assemble(tree, found.state).gaps.keys() - tree.gaps.keys()


@pytest.mark.skipif(not IS_COMPILED, reason="takes long without compilation")
def test_restart_is_the_unbroken_run(tmp_path: Path) -> None:
    system = MODELS["laws_in_joints"]().build()
    solver = fl.MuntheKaas(formulation=fl.TREE)

    def kept(name: str) -> fl.Output:
        return fl.Output(path=tmp_path / name, checkpoint_every=100)

    whole = solver.solve(system, duration=0.2, time_step=1e-3, output=kept("whole.h5"))
    solver.solve(system, duration=0.1, time_step=1e-3, output=kept("half.h5"))
    rest = solver.solve(
        system, duration=0.2, time_step=1e-3, output=kept("half.h5"),
        start=tmp_path / "half.h5",
    )  # fmt: skip
    for name in ("poses", "velocities", "outputs", "energies"):
        np.testing.assert_array_equal(
            getattr(rest.records, name)[-1], getattr(whole.records, name)[-1]
        )


def test_a_file_gives_the_same_as_a_script(tmp_path: Path) -> None:
    file = tmp_path / "bob.toml"
    file.write_text(
        """
body.bob = { position = [0.0, 0.0, -1.0], mass = 1.0, inertia = [0.1, 0.1, 0.1] }
joint.ball.kind = "spherical"
joint.ball.parent = "ground"
joint.ball.child = "bob"
joint.ball.position = [0, 0, 0]
gravity.weight = { acceleration = [1.0, 0.0, -9.81] }
[analysis]
method = "munthe_kaas"
formulation = "tree"
cut = ["ball"]
duration = 0.02
time_step = 0.01
"""
    )
    analysis = fl.read_model(file).analysis
    assert analysis is not None
    assert analysis.solver == fl.MuntheKaas(formulation=fl.TREE, cut=("ball",))


def test_a_step_that_turns_a_joint_too_far_is_refused() -> None:
    model = arm(1)
    model.add(fl.InitialMotion("spin", angular_velocity=(0.0, 0.0, 300.0)))
    with pytest.raises(fl.ConvergenceError, match="smaller time step"):
        fl.MuntheKaas(formulation=fl.TREE).solve(
            model.build(), duration=0.1, time_step=0.01
        )


def test_massless_links_are_named() -> None:
    mesh = fl.straight_line((0, 0, 0), (1, 0, 0), n_elements=1, name="rod")
    model = fl.Model(mesh)
    weightless = fl.Material(young=1e6, poisson=0.3)
    section = fl.CircularSection(radius=0.01, material=weightless)
    model.add(fl.Beam("rod", cells="rod", section=section))
    tree = fl.Tree(model.build())
    with pytest.raises(fl.ModelError, match="needs mass everywhere"):
        tree.forward_dynamics(tree.start)


@pytest.mark.parametrize("name", ["mixed_chain", "floating_branches", "driven_joints"])
def test_step_between_two_states_is_the_one_that_was_made(name: str) -> None:
    tree = fl.Tree(MODELS[name]().build())
    rng = np.random.default_rng(5)
    first = tree.moved(tree.start, step=0.4 * rng.normal(size=tree.n_coordinates))
    # rotations by less than half a turn
    steps = 0.4 * rng.normal(size=(4, tree.n_coordinates))
    many = tree.moved(first, step=steps, rates=steps)
    found = tree.step_between(first, many)
    np.testing.assert_allclose(found, steps, rtol=0, atol=1e-13)
    one = tree.moved(first, step=steps[2])
    np.testing.assert_array_equal(one.frames, many.frames[2])
    np.testing.assert_array_equal(many.rates, steps)


def test_step_of_a_screw_counts_its_turns() -> None:
    model = fl.Model()
    model.add(fl.Body("nut", mass=1.0, inertia=(0.1, 0.1, 0.1)))
    model.add(fl.Joint("thread", fl.SCREW, child="nut", parent=fl.GROUND, pitch=0.3))
    tree = fl.Tree(model.build())
    state = tree.start
    for _ in range(5):
        state = tree.moved(state, step=[1.5])
    assert tree.step_between(tree.start, state)[0] == pytest.approx(7.5, abs=1e-13)


def test_frames_of_many_states() -> None:
    tree = fl.Tree(arm().build())
    angles = np.array([[0.3, 0.0, 0.0], [0.0, 0.5, 0.0]])
    found = tree.frame(tree.moved(tree.start, step=angles), "link 1")
    # link 1 starts at (2, 0, 0), its hinge about y at (1, 0, 0)
    places = [
        (2.0 * np.cos(0.3), 2.0 * np.sin(0.3), 0.0),
        (1.0 + np.cos(0.5), 0.0, -np.sin(0.5)),
    ]
    np.testing.assert_allclose(found[:, :3, 3], places, rtol=0, atol=1e-15)
    np.testing.assert_allclose(found[0, :2, 0], (np.cos(0.3), np.sin(0.3)))
    # in world axes at the start, nodes and bodies have turned by nothing
    np.testing.assert_array_equal(tree.frame(tree.start, "link 1")[:3, :3], np.eye(3))
