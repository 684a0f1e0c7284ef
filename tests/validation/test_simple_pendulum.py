"""Simple pendulum, benchmark A01 of the IFToMM multibody library.

Reference: the equation of the angle, Runge-Kutta of order 8 at 1e-13.
"""

from __future__ import annotations

import numpy as np
import pytest

import femlie as fl
from tests.validation.dynamics import fitted_order, reference_at, run

STEPS = (8e-3, 4e-3, 2e-3, 1e-3)


def point_on_a_string() -> fl.Model:
    mesh = fl.mesh_from_arrays(
        [[-1.0, 0, 0], [0, 0, 0]],
        [[0, 1]],
        node_groups={"bob": [0]},
        line_groups={"string": [0]},
    )
    model = fl.Model(mesh)
    model.add(fl.PointMass("mass", at="bob", mass=1.0))
    model.add(
        fl.Joint(
            "string holds",
            fl.DISTANCE,
            parent=fl.GROUND,
            child="bob",
            position=(0.0, 0.0, 0.0),
            child_position=(-1.0, 0.0, 0.0),
        )
    )
    return model


def body_on_a_hinge() -> fl.Model:
    model = fl.Model()
    # as good as a point: 1e-9 of m L^2
    model.add(fl.Body("bob", position=(-1.0, 0, 0), mass=1.0, inertia=(1e-9,) * 3))
    model.add(
        fl.Joint(
            "hinge",
            fl.REVOLUTE,
            parent=fl.GROUND,
            child="bob",
            position=(0.0, 0.0, 0.0),
        )
    )
    return model


@pytest.mark.parametrize("make", [point_on_a_string, body_on_a_hinge])
def test_pendulum_converges_with_order_two(make) -> None:
    model = make()
    model.add(fl.Gravity("weight", acceleration=(0.0, -9.81, 0.0)))
    system = model.build()
    errors = []
    for step in STEPS:
        place = run(system, duration=2.0, time_step=step).positions("bob")[-1, :2]
        errors.append(np.linalg.norm(place - reference_at("A01", 2.0)))
    assert fitted_order(STEPS, errors) == pytest.approx(2.0, abs=0.05)
    # what the benchmark asks of a step of 1 ms
    assert errors[-1] < 1e-4
