"""A bob on a link that is much lighter: joints hold at any ratio of masses.

Known fault of multibody programs: with iterative contact-like solvers the joint
stretches when a light link carries a heavy bob.
"""

from __future__ import annotations

import functools

import numpy as np
import pytest

import femlie as fl
from tests.validation.dynamics import GRAVITY, run

SWING, STEP = 1e-3, 1e-3
masses = pytest.mark.parametrize("link_mass", [1e-4, 1e-8])


@functools.cache
def motion(link_mass: float) -> fl.Results:
    model = fl.Model()
    along = np.array([np.sin(SWING), 0.0, -np.cos(SWING)])
    slender = (link_mass / 12.0, link_mass / 12.0, link_mass * 1e-6)
    turn = (0.0, -SWING, 0.0)
    model.add(
        fl.Body(
            "link",
            position=tuple(0.5 * along),
            orientation=turn,
            mass=link_mass,
            inertia=slender,
        )
    )
    model.add(fl.Body("bob", position=tuple(along), mass=1.0, inertia=(1e-9,) * 3))
    model.add(
        fl.Joint(
            "hinge",
            fl.REVOLUTE,
            parent=fl.GROUND,
            child="link",
            axis=(0.0, 1.0, 0.0),
            position=(0.0, 0.0, 0.0),
        )
    )
    model.add(
        fl.Joint("eye", fl.SPHERICAL, parent="link", child="bob", position=tuple(along))
    )
    model.add(fl.Gravity("weight"))
    return run(model, duration=10.0, time_step=STEP)


@masses
def test_period_is_that_of_a_simple_pendulum(link_mass: float) -> None:
    x = motion(link_mass).positions("bob")[:, 0]
    down = np.flatnonzero((x[:-1] > 0.0) & (x[1:] <= 0.0))
    crossings = STEP * (down + x[down] / (x[down] - x[down + 1]))
    # 2 pi sqrt(L/g); the scheme lengthens it by (omega h)^2 / 12, below 1e-6
    expected = 2.0 * np.pi / np.sqrt(GRAVITY)
    np.testing.assert_allclose(np.diff(crossings), expected, rtol=1e-5 + link_mass)


@masses
def test_joints_do_not_open(link_mass: float) -> None:
    result = motion(link_mass)
    turns = result.rotations("link")
    along = np.array([0.0, 0.0, -1.0])
    upper = result.positions("link") - turns @ (0.5 * along)
    lower = result.positions("link") + turns @ (0.5 * along)
    assert np.abs(upper).max() < 1e-8
    assert np.abs(lower - result.positions("bob")).max() < 1e-8
