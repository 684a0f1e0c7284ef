"""Light parts in a model with very heavy ones, by whose forces residuals count.

A ball is thrown, spinning, beside a disc of 1e9 kg on an axle; nothing joins the two.
It goes where it goes without the disc. There the error is that of the method.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import femlie as fl

SOLVERS = [
    fl.GeneralizedAlpha(),
    fl.GeneralizedAlpha(is_stabilized=False),
    fl.BLieDF(),
    fl.Rattle(),
    fl.GaussLegendre(),
]


def thrown(solver: Any, *, with_disc: bool) -> Any:
    model = fl.Model()
    if with_disc:
        model.add(
            fl.Body("disc", mass=1e9, inertia=(1e9, 1e9, 2e9), position=(0, 0, -1))
        )
        model.add(
            fl.Joint(
                "axle", fl.REVOLUTE, parent=fl.GROUND, child="disc", axis=(0, 0, 1)
            )
        )
    model.add(fl.Body("ball", mass=0.5, inertia=(2e-3, 2e-3, 2e-3), position=(3, 0, 0)))
    model.add(
        fl.InitialMotion(
            "throw",
            on=["ball"],
            velocity=(1.0, 0.0, 5.0),
            angular_velocity=(0.0, 0.0, 30.0),
            about=(3.0, 0.0, 0.0),
        )
    )
    model.add(fl.Gravity("weight", acceleration=(0.0, 0.0, -9.81)))
    return solver.solve(model.build(), duration=0.2, time_step=1e-3)


@pytest.mark.parametrize("solver", SOLVERS, ids=lambda one: type(one).__name__)
def test_ball_flies_the_same_way_beside_a_heavy_disc(solver: Any) -> None:
    found = thrown(solver, with_disc=True).positions("ball")
    alone = thrown(solver, with_disc=False).positions("ball")
    # what the first iteration of BLieDF leaves over adds up
    allowed = 1e-4 if isinstance(solver, fl.BLieDF) else 1e-12
    np.testing.assert_allclose(found, alone, atol=allowed)
    t = np.linspace(0.0, 0.2, len(found))
    parabola = np.column_stack([3.0 + t, 0.0 * t, (5.0 - 0.5 * 9.81 * t) * t])
    np.testing.assert_allclose(found, parabola, atol=1e-3)
