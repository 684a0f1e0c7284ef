"""Heavy top of Bruels and Cardona (2010); Bruels, Cardona and Arnold (2012).

Reference: the equations of the body in index-1 form, Runge-Kutta of order 8 at 1e-13.
"""

from __future__ import annotations

import functools

import numpy as np
import pytest

import femlie as fl
from tests.validation.dynamics import (
    fitted_order,
    heavy_top,
    point_of,
    reference_at,
    run,
)

STEPS = (1e-3, 5e-4, 2.5e-4, 1.25e-4)
MASS, SPEED, WEIGHT = 15.0, (0.0, 150.0, -4.61538), 15.0 * 9.81
FORMS = {
    "rows": ("joint", False),
    "eliminated": ("support", False),
    "rows at the mass center": ("joint", True),
}
every_form = pytest.mark.parametrize("form", FORMS)


@functools.cache
def motion(form: str, step: float) -> fl.Results:
    pivot, at_center = FORMS[form]
    return run(heavy_top(pivot, at_center=at_center), duration=0.1, time_step=step)


def center(form: str, step: float) -> np.ndarray:
    arm = (0.0, 0.0, 0.0) if FORMS[form][1] else (0.0, 1.0, 0.0)
    return point_of(motion(form, step), "top", arm)[-1]


@every_form
def test_place_converges_with_order_two(form: str) -> None:
    errors = [
        np.linalg.norm(center(form, h) - reference_at("heavytop", 0.1)[:3])
        for h in STEPS
    ]
    # second order exactly: the last halving must divide the error by 4 within 10 %
    assert fitted_order(STEPS, errors) == pytest.approx(2.0, abs=0.05)
    assert errors[-2] / errors[-1] == pytest.approx(4.0, rel=0.1)
    # the spin turns the top by 0.15 rad a millisecond: 1e-4 m at 0.02 rad a step
    assert errors[-1] < 1.5e-4


@every_form
def test_angular_velocity_converges_with_order_two(form: str) -> None:
    expected = reference_at("heavytop", 0.1)[3:]
    errors = [
        np.linalg.norm(
            motion(form, h).velocities("top", frame="body")[-1, 3:] - expected
        )
        for h in STEPS
    ]
    assert fitted_order(STEPS, errors) == pytest.approx(2.0, abs=0.05)


@every_form
def test_energy_is_kept(form: str) -> None:
    total = motion(form, STEPS[-1]).energy.total
    # 1/2 omega J omega with J about the pivot; the mass center starts at height zero
    expected = 0.5 * (0.46875 * 150.0**2 + 15.234375 * SPEED[2] ** 2)
    assert total[0] == pytest.approx(expected, rel=1e-12)
    # numerical dissipation, third order in the step: 1e-7 here, with a margin of 4
    np.testing.assert_allclose(total, total[0], rtol=5e-7)


@every_form
def test_first_reaction_follows_from_the_equations_of_motion(form: str) -> None:
    # m (a - g): centripetal force along the axis, and m (dw/dt x r) - m g across it
    expected = (0.0, -MASS * SPEED[2] ** 2, -317.2624615)
    found = motion(form, STEPS[0]).reactions("pivot")[0, :3]
    np.testing.assert_allclose(found, expected, atol=1e-6)


def test_pivot_by_rows_and_by_elimination_is_the_same_motion() -> None:
    # the same discrete equations: only the residual tolerance of 1e-8 lies between them
    np.testing.assert_allclose(
        center("rows", STEPS[0]), center("eliminated", STEPS[0]), atol=1e-8
    )


def test_frame_at_the_mass_center_gives_the_same_motion() -> None:
    # left-invariant: the scheme does not see where the frame sits on the body
    np.testing.assert_allclose(
        center("rows at the mass center", STEPS[0]), center("rows", STEPS[0]), atol=1e-8
    )


def test_constraint_holds_to_rounding() -> None:
    for step in STEPS:
        result = motion("rows at the mass center", step)
        pivot = point_of(result, "top", (0.0, -1.0, 0.0))
        assert np.abs(pivot).max() < 1e-12
