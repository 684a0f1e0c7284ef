"""A shaft at constant speed along an axis of the world: pivots vanish as it turns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import femlie as fl

SPEED = 2.0 * np.pi * 50.0
N_STEPS = 400


def shaft() -> fl.System:
    line = fl.straight_line((0, 0, 0), (1, 0, 0), n_elements=4)
    steel = fl.Material(young=210e9, poisson=0.3, density=7850.0)
    section = fl.CircularSection(radius=0.01, material=steel)
    model = fl.Model(line)
    model.add(fl.Beam("shaft", cells="line", section=section))
    model.add(
        fl.Joint(
            "bearing", fl.REVOLUTE, parent=fl.GROUND, child="start", axis=(1, 0, 0)
        )
    )
    model.add(fl.InitialMotion("spin", angular_velocity=(SPEED, 0, 0)))
    return model.build()


@pytest.mark.parametrize(
    "solver",
    [
        fl.GeneralizedAlpha(),
        fl.GeneralizedAlpha(is_stabilized=False),
        fl.BLieDF(),
        fl.GaussLegendre(stages=1),
    ],
    ids=["stabilized", "index 3", "bliedf", "gauss_legendre"],
)
def test_shaft_spins_on_through_many_quarter_turns(solver: Any) -> None:
    # 0.05 turns a step: 80 quarter turns between two checkpoints
    results = solver.solve(shaft(), duration=N_STEPS * 1e-3, time_step=1e-3)
    spin = results.velocities("shaft", frame="body")[-1, :, 3]
    np.testing.assert_allclose(spin, SPEED, rtol=1e-9)
    ends = results.displacements("shaft")[-1]
    np.testing.assert_allclose(ends, 0.0, atol=1e-9)
