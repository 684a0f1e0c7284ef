"""Own axes: of a body those of its orientation, of a node world axes at the start.

Users' elements, sensors, rotations and velocities mean the same ones.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import meshio
import numpy as np
import pytest

import femlie as fl
from femlie.lie import so3
from femlie.sensors import Quantity

FORCE = np.array([1.0, 2.0, 3.0])
QUARTER = 0.5 * np.pi
INERTIA = (1.0, 1.0, 1.0)


@dataclasses.dataclass
class DeadForce:
    """The same as ``fl.Force(force=FORCE)``, with the frame that was seen first."""

    n_multipliers: int = 0
    seen: Any = None

    def residual(self, local: Any) -> Any:
        if self.seen is None:
            self.seen = local.frames[0, 0].copy()
        wrenches = np.zeros((len(local.frames), 6))
        turns = local.frames[:, 0, :3, :3]
        wrenches[:, :3] = -np.einsum("nij,i->nj", turns, FORCE)
        return wrenches


class Brake:
    """Brakes along its first axis only; knows its tangent."""

    n_multipliers = 0

    def residual(self, local: Any) -> Any:
        return local.twists[:, 0] * np.eye(6)[0]

    def linearize(self, local: Any) -> Any:
        damping = np.zeros((len(local.twists), 6, 6))
        damping[:, 0, 0] = 1.0
        return fl.Contribution(self.residual(local), damping=damping)


def plain(model: fl.Model) -> None:
    """Nothing more than the rod."""


def tied(model: fl.Model) -> None:
    model.add(
        fl.Body("tip", at="b", position=(1.5, 0.2, 0.0), mass=1.0, inertia=INERTIA)
    )


def linked(model: fl.Model) -> None:
    model.add(fl.Body("tip", position=(1.5, 0.2, 0.0), mass=1.0, inertia=INERTIA))
    model.add(fl.RigidLink("link", ("b", "tip")))


def rod(end_offset: Any = (0.0, 0.0, 0.0)) -> fl.Model:
    mesh = fl.straight_line(
        (0, 0, 0), (1, 0, 0), n_elements=2, name="rod", start_name="a", end_name="b"
    )
    model = fl.Model(mesh)
    stuff = fl.Material(young=1e9, poisson=0.3, density=1000.0)
    section = fl.CircularSection(radius=0.02, material=stuff)
    model.add(fl.Beam("rod", cells="rod", section=section, end_offset=end_offset))
    model.add(fl.Support("foot", at="a"))
    return model


@pytest.mark.parametrize("end_offset", [(0.0, 0.0, 0.0), (0.0, 0.1, 0.2)])
@pytest.mark.parametrize("add", [plain, tied, linked])
def test_element_of_ones_own_acts_at_the_node_that_it_names(
    add: Any, end_offset: Any
) -> None:
    model = rod(end_offset)
    add(model)
    element = DeadForce()
    model.add(fl.UserElement("push", at=("b",), element=element))
    results = fl.Static().solve(model.build())
    np.testing.assert_allclose(element.seen[:3, 3], (1.0, 0.0, 0.0), atol=1e-14)
    np.testing.assert_allclose(element.seen[:3, :3], np.eye(3), atol=1e-14)
    # the ground holds the force where it acts in the end
    moment = -np.cross(results.positions("b")[-1], FORCE)
    held = results.reactions("foot")[-1]
    np.testing.assert_allclose(held, [*-FORCE, *moment], rtol=0, atol=1e-8)


@pytest.mark.parametrize("is_hinged", [False, True])
def test_element_of_ones_own_sees_the_axes_of_its_body(is_hinged: bool) -> None:
    turn = (0.3, -0.4, 0.5)
    model = fl.Model()
    model.add(
        fl.Body("q", position=(1, 2, 3), orientation=turn, mass=1.0, inertia=INERTIA)
    )
    if is_hinged:
        model.add(fl.Support("hinge", at="q", kind=fl.HINGED, axis=(1, 1, 0)))
    element = DeadForce()
    model.add(fl.UserElement("push", at=("q",), element=element))
    model.build()
    np.testing.assert_allclose(element.seen[:3, :3], so3.exp(turn), atol=1e-14)
    np.testing.assert_allclose(element.seen[:3, 3], (1.0, 2.0, 3.0), atol=1e-14)


@pytest.mark.parametrize("turn", [None, (0.0, 0.0, QUARTER)])
def test_twists_and_tangents_of_ones_own_element_are_those_of_its_body(
    turn: Any,
) -> None:
    model = fl.Model()
    model.add(fl.Body("q", orientation=turn, mass=2.0, inertia=INERTIA))
    # the frame has the axes of the support, not those of the body
    model.add(fl.Support("guide", at="q", kind=fl.GUIDED, axis=(0, 1, 1)))
    model.add(fl.UserElement("brake", at=("q",), element=Brake()))
    model.add(fl.InitialMotion("push", velocity=(3.0, 5.0, 7.0)))
    run = {"duration": 1.0, "time_step": 1e-2}
    motion = fl.GaussLegendre(stages=3).solve(model.build(), **run)
    speed = np.array([3.0, 5.0, 7.0])
    # m dv/dt = -v along the body's first axis, which is y where it is turned
    speed[0 if turn is None else 1] *= np.exp(-0.5)
    np.testing.assert_allclose(motion.velocities("q")[-1, :3], speed, atol=1e-9)
    # 2 (9 or 25) / 2 (1 - e^-1) was lost
    lost = (9.0 if turn is None else 25.0) * (1.0 - np.exp(-1.0))
    assert motion.energy.load_work[-1] == pytest.approx(-lost, rel=1e-4)


def turned_body(speed: float = 2.0) -> fl.Model:
    """A body that is a quarter turn about z, and spins about x."""
    model = fl.Model()
    model.add(
        fl.Body(
            "q", position=(1, 0, 0), orientation=(0, 0, QUARTER), mass=1.0,
            inertia=(0.1, 0.2, 0.3), center=(0.5, 0, 0),
        )
    )  # fmt: skip
    model.add(fl.Body("still", position=(3, 0, 0), mass=1.0, inertia=INERTIA))
    model.add(
        fl.InitialMotion(
            "start", on=("q",), velocity=(0, speed, 0), angular_velocity=(1, 0, 0)
        )
    )
    model.add(fl.PointSensor("center", at="q", point=(0.5, 0, 0)))
    spin = Quantity.ANGULAR_VELOCITY
    model.add(fl.PointSensor("spin", at="q", quantity=spin, frame="body"))
    model.add(fl.PointSensor("turn", at="q", quantity=Quantity.ROTATION))
    model.add(
        fl.RelativeSensor(
            "gap", first="q", second="still", quantity=Quantity.POSITION, frame="first",
            first_point=(0.5, 0, 0),
        )
    )  # fmt: skip
    return model


@pytest.mark.parametrize("is_held_skew", [False, True])
def test_sensors_and_results_mean_the_axes_of_the_body(is_held_skew: bool) -> None:
    speed = 0.0 if is_held_skew else 2.0
    model = turned_body(speed)
    if is_held_skew:
        # the frame that is solved for has the axes of the support
        model.add(fl.Support("hand", at="q", kind=fl.HINGED, axis=(1, 0, 0)))
    run = {"duration": 1e-3, "time_step": 1e-3}
    motion = fl.GeneralizedAlpha().solve(model.build(), **run)
    # body axes at the start: (0, 1, 0), (-1, 0, 0), (0, 0, 1)
    close = {"rtol": 0, "atol": 1e-14}
    np.testing.assert_allclose(motion.sensor("center")[0], (1.0, 0.5, 0.0), **close)
    np.testing.assert_allclose(motion.sensor("spin")[0], (0.0, -1.0, 0.0), **close)
    np.testing.assert_allclose(motion.sensor("turn")[0], (0, 0, QUARTER), **close)
    # from (1, 0.5, 0) to (3, 0, 0)
    np.testing.assert_allclose(motion.sensor("gap")[0], (-0.5, -2.0, 0.0), **close)
    turn = motion.rotations("q", as_vector=True)[0]
    np.testing.assert_allclose(turn, (0, 0, QUARTER), **close)
    seen = motion.velocities("q", frame="body")[0]
    np.testing.assert_allclose(seen, (speed, 0, 0, 0, -1.0, 0), **close)
    world = motion.velocities("q")[0]
    np.testing.assert_allclose(world, (0, speed, 0, 1.0, 0, 0), **close)
    # nothing has turned yet since the mesh
    table = motion.to_dataframe("displacements", "q")
    first = table[[f"rotation_{axis}" for axis in "xyz"]].iloc[0]
    np.testing.assert_allclose(first, np.zeros(3), **close)


def test_tables_and_vtu_files_count_rotations_from_the_mesh(tmp_path: Path) -> None:
    model = fl.Model()
    axes = (0.3, -0.5, 0.7)
    model.add(fl.Body("block", mass=1.0, inertia=INERTIA, orientation=axes))
    model.add(fl.InitialMotion("spin", angular_velocity=(0.0, 0.0, 2.0)))
    results = fl.MuntheKaas().solve(model.build(), duration=0.5, time_step=0.01)
    # a sphere turns steadily: half a second at two radians per second
    expected = [0.0, 0.0, 1.0]
    table = results.to_dataframe("displacements").iloc[-1]
    found = [table[f"rotation_{axis}"] for axis in "xyz"]
    np.testing.assert_allclose(found, expected, atol=1e-12)
    fl.export_vtu(results.at(0.5), tmp_path)
    rotation = meshio.read(tmp_path / "results_beams_0.vtu").point_data[
        "rotation_vector"
    ]
    np.testing.assert_allclose(rotation, [expected], atol=1e-12)


def test_tree_gives_frames_of_bodies_in_their_own_axes() -> None:
    model = turned_body()
    tree = fl.Tree(model.build())
    frame = tree.frame(tree.start, "q")
    np.testing.assert_allclose(frame[:3, :3], so3.exp((0, 0, QUARTER)), atol=1e-14)
    # so that inverse kinematics are asked for the body's own frame
    goal = frame.copy()
    goal[:3, :3] = so3.exp((0.0, 0.0, 0.2))
    found = fl.inverse_kinematics(tree, tree.start, {"q": goal})
    there = tree.frame(found, "q")
    np.testing.assert_allclose(there, goal, atol=1e-9)
