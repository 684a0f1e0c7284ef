"""URDF files read by femlie and by Pinocchio give the same dynamics."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import femlie as fl
from femlie.lie import se3, so3

pin = pytest.importorskip("pinocchio")

ARM = Path(__file__).parents[2] / "meshes" / "robot_arm" / "robot_arm.urdf"
# of the largest entry
TOLERANCE = 1e-10

BRANCHED = """<robot name="branched">
<link name="world"/>
<link name="trunk">{inertia}</link>
<link name="left">{inertia}</link>
<link name="left hand">{inertia}</link>
<link name="right">{inertia}</link>
<link name="sensor"><inertial><mass value="0.3"/>
<inertia ixx="0.01" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="foot" type="fixed"><parent link="world"/><child link="trunk"/>
<origin xyz="0.1 0.2 0.3" rpy="0.3 -0.2 0.9"/></joint>
<joint name="lift" type="prismatic"><parent link="trunk"/><child link="left"/>
<origin xyz="0 0.2 0.5" rpy="1.1 0.4 -0.3"/><axis xyz="0 0.6 0.8"/>
<limit lower="-9" upper="9" effort="1" velocity="1"/></joint>
<joint name="wrist" type="continuous"><parent link="left"/><child link="left hand"/>
<origin xyz="0.4 0 0.1" rpy="0 0.7 0"/><axis xyz="0.36 0.48 0.8"/>
<dynamics damping="0.7"/></joint>
<joint name="shoulder" type="revolute"><parent link="trunk"/><child link="right"/>
<origin xyz="0 -0.2 0.5" rpy="-0.5 0 0.2"/><axis xyz="1 0 0"/>
<limit lower="-9" upper="9" effort="1" velocity="1"/></joint>
<joint name="screws" type="fixed"><parent link="right"/><child link="sensor"/>
<origin xyz="0.3 0.1 0.2" rpy="0.2 0.5 0.1"/></joint>
</robot>""".format(
    inertia='<inertial><origin xyz="0.1 -0.05 0.2" rpy="0.3 0.1 -0.8"/>'
    '<mass value="1.7"/><inertia ixx="0.05" iyy="0.06" izz="0.04" ixy="0.01" '
    'ixz="-0.004" iyz="0.007"/></inertial>'
)


PLACES = ("place_1", "place_2", "place_3", "turn_1", "turn_2", "turn_3")


@dataclass(frozen=True)
class Pair:
    """The same robot twice; ``map`` takes rates of Pinocchio to those of femlie."""

    model: Any
    data: Any
    tree: fl.Tree
    map: Any
    q: Any
    v: Any
    state: fl.TreeState


@pytest.fixture(scope="module", params=["arm", "branched", "floating"])
def robot(request: Any, tmp_path_factory: Any) -> Pair:
    rng = np.random.default_rng(11)
    path = ARM
    if request.param != "arm":
        path = tmp_path_factory.mktemp("urdf") / "robot.urdf"
        path.write_text(BRANCHED)
    is_free = request.param == "floating"
    free = (pin.JointModelFreeFlyer(),) if is_free else ()
    model = pin.buildModelFromUrdf(str(path), *free)
    read = fl.read_urdf(path, base_is_free=is_free)
    read.add(fl.Gravity("weight"))
    tree = fl.Tree(read.build())
    assert tree.n_coordinates == model.nv
    matrix = np.zeros((model.nv, model.nv))
    for row, name in enumerate(tree.coordinates):
        joint, _, direction = name.rpartition(".")
        if model.existJointName(joint):
            matrix[row, model.joints[model.getJointId(joint)].idx_v] = 1.0
        else:
            # the root is rigidly tied to the trunk, and moves in the trunk's frame
            matrix[row, :6] = into_trunk(read)[PLACES.index(direction)]
    step, v = rng.normal(size=model.nv), rng.normal(size=model.nv)
    q = pin.integrate(model, pin.neutral(model), step)
    state = tree.moved(tree.start, step=matrix @ step, rates=matrix @ v)
    return Pair(model, model.createData(), tree, matrix, q, v, state)


def into_trunk(read: fl.Model) -> Any:
    """Twists of the root in the frame of the trunk."""
    trunk = read.parts["trunk"]
    frame = np.eye(4)
    frame[:3, :3] = so3.exp(np.array(trunk.orientation))
    frame[:3, 3] = trunk.position
    return se3.adjoint(se3.inverse(frame))


def assert_same(given: Any, expected: Any) -> None:
    scale = float(np.abs(expected).max(initial=1e-300))
    np.testing.assert_allclose(given, expected, rtol=0, atol=TOLERANCE * scale)


def test_mass_matrix(robot: Pair) -> None:
    upper = np.triu(pin.crba(robot.model, robot.data, robot.q))
    found = robot.tree.matrices(robot.state).mass_matrix()
    assert_same(robot.map.T @ found @ robot.map, upper + np.triu(upper, 1).T)


def test_bias(robot: Pair) -> None:
    bias = pin.nonLinearEffects(robot.model, robot.data, robot.q, robot.v)
    # Pinocchio leaves damping to the user
    bias = bias + robot.model.damping * robot.v
    none = np.zeros(robot.tree.n_coordinates)
    found = robot.tree.inverse_dynamics(robot.state, none)
    assert_same(robot.map.T @ found.forces, bias)


def test_inverse_and_forward_dynamics(robot: Pair) -> None:
    rates = np.random.default_rng(4).normal(size=robot.model.nv)
    forces = pin.rnea(robot.model, robot.data, robot.q, robot.v, rates)
    forces = forces + robot.model.damping * robot.v
    rates = robot.map @ rates
    found = robot.tree.inverse_dynamics(robot.state, rates)
    assert_same(robot.map.T @ found.forces, forces)
    found = robot.tree.forward_dynamics(robot.state, forces=found.forces)
    assert_same(found.second_rates, rates)


def test_place_and_jacobian_of_the_last_link(robot: Pair) -> None:
    name = "tool" if robot.model.existFrame("tool") else "sensor"
    frame = robot.model.getFrameId(name)
    pin.forwardKinematics(robot.model, robot.data, robot.q)
    pin.updateFramePlacements(robot.model, robot.data)
    place = robot.tree.frame(robot.state, name)[:3, 3]
    assert_same(place, robot.data.oMf[frame].translation)
    expected = pin.computeFrameJacobian(
        robot.model, robot.data, robot.q, frame, pin.LOCAL_WORLD_ALIGNED
    )
    found = robot.tree.matrices(robot.state).jacobian(name)
    assert_same(found @ robot.map, expected)
