"""A shaft that is slowly turned at its end carries an arm along by the same angle.

Known fault of a structural program: in dynamics the arm turned five times too far.
"""

from __future__ import annotations

import functools

import numpy as np

import femlie as fl
from tests.validation.dynamics import run

ANGLE, RAMP = 0.01, 0.5


def model() -> fl.Model:
    """Shaft along x from (2, 0, 0) to the origin, arm to (0, 1, 0), 10 mm square."""
    points = np.array(
        [[2.0 - 0.1 * k, 0.0, 0.0] for k in range(21)]
        + [[0.0, 0.1 * k, 0.0] for k in range(1, 11)]
    )
    n = len(points)
    mesh = fl.mesh_from_arrays(
        points,
        np.column_stack([np.arange(n - 1), np.arange(1, n)]),
        node_groups={"driven": [0], "corner": [20], "arm end": [n - 1]},
        line_groups={"line": np.arange(n - 1)},
    )
    steel = fl.Material(young=2.1e11, poisson=0.3, density=7850.0)
    made = fl.Model(mesh)
    made.add(
        fl.Beam(
            "frame",
            cells="line",
            section=fl.RectangularSection(height=0.01, width=0.01, material=steel),
        )
    )
    made.add(
        fl.Support(
            "motor",
            at="driven",
            rotation=(ANGLE, 0.0, 0.0),
            over_time=fl.Table(times=(0.0, RAMP), values=(0.0, 1.0)),
        )
    )
    made.add(
        fl.Support(
            "bearing",
            at="corner",
            kind=fl.CUSTOM,
            held=(True, True, True, False, False, False),
        )
    )
    return made


@functools.cache
def motion() -> fl.Results:
    return run(model(), duration=1.5, time_step=1e-3)


def test_static_arm_turns_by_the_angle_of_the_shaft() -> None:
    result = fl.Static().solve(model().build())
    turn = result.rotations("corner", as_vector=True)[-1]
    np.testing.assert_allclose(turn, [ANGLE, 0.0, 0.0], atol=1e-9)
    np.testing.assert_allclose(
        result.positions("arm end")[-1], [0.0, np.cos(ANGLE), np.sin(ANGLE)], atol=1e-9
    )


def test_moving_arm_turns_by_the_angle_of_the_shaft() -> None:
    result = motion()
    turn = result.rotations("corner", as_vector=True)[:, 0]
    after = turn[result.times > RAMP]
    # the arm (0.26 kg m^2) swings on the shaft (57 N m/rad): at most rate / omega from
    # each kink of the ramp, 27 % of the angle together
    np.testing.assert_allclose(after, ANGLE, atol=0.28 * ANGLE)
    np.testing.assert_allclose(after.mean(), ANGLE, rtol=0.02)


def test_driven_end_follows_its_table() -> None:
    result = motion()
    turn = result.rotations("driven", as_vector=True)[:, 0]
    np.testing.assert_allclose(turn[result.times >= RAMP], ANGLE, atol=1e-10)
    assert abs(turn[result.index_at(RAMP / 2.0)] - ANGLE / 2.0) < 1e-10
