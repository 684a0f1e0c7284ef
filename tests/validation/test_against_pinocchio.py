"""Trees against Pinocchio: its sample robots, and random trees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import femlie as fl
from femlie._jit import IS_COMPILED

pin = pytest.importorskip("pinocchio")
from tests.validation import pinocchio_models as models  # noqa: E402

# of the largest entry: both sides round about as often as there are bodies
TOLERANCE = 1e-10
MANY = 30 if IS_COMPILED else 6


@dataclass(frozen=True)
class Case:
    """The same robot twice, with coordinates that correspond by ``map``."""

    model: Any
    data: Any
    tree: fl.Tree
    map: Any
    q: Any
    v: Any
    state: Any
    body: str


def case(name: str) -> Case:
    rng = np.random.default_rng(7)
    if name == "manipulator":
        model = pin.buildSampleModelManipulator()
    elif name == "humanoid":
        model = pin.buildSampleModelHumanoid()
    else:
        model = models.random_tree(int(name), rng)
    tree = fl.Tree(models.femlie_model(model).build())
    matrix = models.coordinate_map(tree, model)
    step, v = rng.normal(size=model.nv), rng.normal(size=model.nv)
    q = pin.integrate(model, pin.neutral(model), step)
    state = tree.moved(tree.start, step=matrix @ step, rates=matrix @ v)
    last = model.names[model.njoints - 1]
    return Case(model, model.createData(), tree, matrix, q, v, state, last)


NAMES = ("manipulator", "humanoid", "12", str(MANY))


@pytest.fixture(scope="module", params=NAMES)
def robot(request: Any) -> Case:
    return case(request.param)


def assert_same(given: Any, expected: Any) -> None:
    scale = float(np.abs(expected).max(initial=1e-300))
    np.testing.assert_allclose(given, expected, rtol=0, atol=TOLERANCE * scale)


def test_forward_dynamics(robot: Case) -> None:
    forces = np.random.default_rng(3).normal(size=robot.model.nv)
    expected = pin.aba(robot.model, robot.data, robot.q, robot.v, forces)
    # forces along the coordinates do the same work
    own = np.linalg.inv(robot.map).T @ forces
    found = robot.tree.forward_dynamics(robot.state, forces=own)
    assert_same(found.second_rates, robot.map @ expected)


def test_inverse_dynamics(robot: Case) -> None:
    rates = np.random.default_rng(4).normal(size=robot.model.nv)
    expected = pin.rnea(robot.model, robot.data, robot.q, robot.v, rates)
    found = robot.tree.inverse_dynamics(robot.state, robot.map @ rates)
    assert_same(robot.map.T @ found.forces, expected)


def test_mass_matrix(robot: Case) -> None:
    expected = np.triu(pin.crba(robot.model, robot.data, robot.q))
    expected = expected + np.triu(expected, 1).T
    found = robot.tree.matrices(robot.state).mass_matrix()
    assert_same(robot.map.T @ found @ robot.map, expected)


def test_jacobian_of_the_last_body(robot: Case) -> None:
    pin.computeJointJacobians(robot.model, robot.data, robot.q)
    pin.updateFramePlacements(robot.model, robot.data)
    expected = pin.getJointJacobian(
        robot.model,
        robot.data,
        robot.model.getJointId(robot.body),
        pin.LOCAL_WORLD_ALIGNED,
    )
    found = robot.tree.matrices(robot.state).jacobian(robot.body)
    assert_same(found @ robot.map, expected)


def test_operational_inertia_of_the_last_body(robot: Case) -> None:
    matrices = robot.tree.matrices(robot.state)
    mass = pin.crba(robot.model, robot.data, robot.q)
    mass = np.triu(mass) + np.triu(mass, 1).T
    pin.computeJointJacobians(robot.model, robot.data, robot.q)
    jacobian = pin.getJointJacobian(
        robot.model,
        robot.data,
        robot.model.getJointId(robot.body),
        pin.LOCAL_WORLD_ALIGNED,
    )
    mobility = jacobian @ np.linalg.solve(mass, jacobian.T)
    found = matrices.operational_inertia(robot.body)
    # mobility and inertia are inverse where the body can move, and zero elsewhere
    assert_same(mobility @ found @ mobility, mobility)


def test_centroidal_momentum(robot: Case) -> None:
    pin.ccrba(robot.model, robot.data, robot.q, robot.v)
    matrices = robot.tree.matrices(robot.state)
    assert_same(matrices.centroidal_matrix() @ robot.map, robot.data.Ag)
    assert_same(matrices.centroidal_momentum(), robot.data.hg.vector)


def test_derivatives_of_dynamics(robot: Case) -> None:
    rates = np.random.default_rng(5).normal(size=robot.model.nv)
    by_place, by_rate, _ = pin.computeRNEADerivatives(
        robot.model, robot.data, robot.q, robot.v, rates
    )
    matrices = robot.tree.matrices(robot.state)
    found = matrices.inverse_dynamics_derivatives(robot.map @ rates)
    assert_same(robot.map.T @ found.by_coordinates @ robot.map, by_place)
    assert_same(robot.map.T @ found.by_rates @ robot.map, by_rate)
    forces = pin.rnea(robot.model, robot.data, robot.q, robot.v, rates)
    by_place, by_rate, _ = pin.computeABADerivatives(
        robot.model, robot.data, robot.q, robot.v, forces
    )
    found = matrices.forward_dynamics_derivatives(robot.map @ rates)
    back = np.linalg.inv(robot.map)
    assert_same(back @ found.by_coordinates @ robot.map, by_place)
    assert_same(back @ found.by_rates @ robot.map, by_rate)


def test_wrench_at_a_body(robot: Case) -> None:
    wrench = np.array([1.0, -2.0, 3.0, 0.5, 0.2, -0.4])
    pin.computeJointJacobians(robot.model, robot.data, robot.q)
    jacobian = pin.getJointJacobian(
        robot.model,
        robot.data,
        robot.model.getJointId(robot.body),
        pin.LOCAL_WORLD_ALIGNED,
    )
    expected = pin.aba(robot.model, robot.data, robot.q, robot.v, jacobian.T @ wrench)
    found = robot.tree.forward_dynamics(
        robot.state, wrenches={robot.body: tuple(wrench)}
    )
    assert_same(found.second_rates, robot.map @ expected)
