"""Right-angle cantilever with a pulse of force, Simo and Vu-Quoc (1988).

Reference: finite rods with explicit integration, extrapolated; see data/README.md.
"""

from __future__ import annotations

import functools
import itertools

import numpy as np
import pytest

import femlie as fl
from tests.validation.dynamics import (
    fitted_order,
    place_at,
    reference,
    reference_at,
    richardson,
    right_angle_cantilever,
    run,
)

MESHES = (5, 10, 20)
TIMES = (2.0, 5.0)


@functools.cache
def motion(n_elements: int, step: float, duration: float = 5.0) -> fl.Results:
    return run(
        right_angle_cantilever(n_elements),
        duration=duration,
        time_step=step,
        every=round(0.1 / step),
    )


def places(n_elements: int, step: float, time: float) -> np.ndarray:
    """(6,) elbow and tip."""
    result = motion(n_elements, step)
    return np.concatenate([place_at(result, name, time) for name in ("elbow", "tip")])


@pytest.mark.parametrize("time", TIMES)
def test_limit_in_mesh_and_step_is_the_reference(time: float) -> None:
    coarse, fine = (
        richardson(places(n, 0.01, time), places(n, 0.005, time)) for n in (10, 20)
    )
    # 1e-2 of legs of length 10: the reference itself is good to about 1e-3
    np.testing.assert_allclose(
        richardson(coarse, fine), reference_at("elbow", time), atol=1e-2
    )


def test_ten_elements_a_leg_stay_close_for_ten_seconds() -> None:
    result = motion(10, 0.01, 10.0)
    _, values = reference("elbow")
    rows = slice(len(result.times))
    # later on the motion amplifies mesh errors
    np.testing.assert_allclose(result.positions("elbow"), values[rows, :3], atol=0.1)
    np.testing.assert_allclose(result.positions("tip"), values[rows, 3:], atol=0.1)


@pytest.mark.parametrize("time", TIMES)
def test_mesh_converges_with_order_two(time: float) -> None:
    errors = [
        np.linalg.norm(places(n, 0.005, time) - reference_at("elbow", time))
        for n in MESHES
    ]
    # the reference's own error of 1e-3 bends the fit by a tenth
    assert fitted_order([1.0 / n for n in MESHES], errors) == pytest.approx(
        2.0, abs=0.2
    )


def test_step_converges_with_order_two() -> None:
    steps = (0.02, 0.01, 0.005)
    found = [places(10, h, 5.0) for h in steps]
    changes = [np.linalg.norm(b - a) for a, b in itertools.pairwise(found)]
    assert np.log2(changes[0] / changes[1]) == pytest.approx(2.0, abs=0.15)


def test_energy_stays_after_the_pulse() -> None:
    result = motion(10, 0.005)
    after = result.energy.total[result.times > 2.05]
    # numerical dissipation of waves that the pulse left: below 1e-4
    np.testing.assert_allclose(after, after[0], rtol=1e-4)
    # 114.8707 for the converged rod; meshes of 10 are within a third of a percent
    assert after[0] == pytest.approx(114.8707, rel=3e-3)
