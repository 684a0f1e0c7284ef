"""Swinging rubber rod, as in Lang, Linn and Arnold (2011).

Reference: finite rods with explicit integration, extrapolated; see data/README.md.
"""

from __future__ import annotations

import functools

import numpy as np
import pytest

import femlie as fl
from tests.validation.dynamics import (
    fitted_order,
    reference,
    richardson,
    rubber_rod,
    run,
)

TIMES = (0.1, 0.2, 0.25, 0.3, 0.4, 0.5)


@functools.cache
def motion(n_elements: int, step: float = 1e-3, duration: float = 0.5) -> fl.Results:
    return run(
        rubber_rod(n_elements),
        duration=duration,
        time_step=step,
        every=round(0.01 / step),
    )


def error(tip: np.ndarray) -> np.ndarray:
    """(n_times,) distance from the reference."""
    _, values = reference("rubber_pendulum")
    return np.linalg.norm(tip - values[: len(tip)], axis=1)


def tip(n_elements: int, step: float = 1e-3) -> np.ndarray:
    return motion(n_elements, step).positions("tip")


def test_twenty_elements_are_within_five_millimeters() -> None:
    assert error(tip(20)).max() < 5e-3


def test_forty_elements_are_within_two_millimeters() -> None:
    # a quarter of the error of 20, of the order of the reference's own 1e-3
    assert error(tip(40)).max() < 2.5e-3


def test_limit_in_mesh_and_step_is_the_reference() -> None:
    coarse, fine = (richardson(tip(n, 2e-3), tip(n)) for n in (20, 40))
    # the reference's own error
    assert error(richardson(coarse, fine)).max() < 2e-3


def test_mesh_converges_with_order_two() -> None:
    meshes = (10, 20, 40)
    errors = [error(tip(n)).max() for n in meshes]
    # coarse meshes with curvature radii of two elements bend the fit
    assert fitted_order([1.0 / n for n in meshes], errors) == pytest.approx(
        2.0, abs=0.3
    )


def test_step_converges_with_order_two() -> None:
    steps = (4e-3, 2e-3, 1e-3)
    limit = tip(20, 2.5e-4)
    errors = [np.abs(tip(20, h)[::1] - limit)[:41].max() for h in steps if h < 4e-3]
    coarse = run(rubber_rod(20), duration=0.4, time_step=4e-3, every=5)
    errors.insert(0, np.abs(coarse.positions("tip") - limit[:41:2]).max())
    assert fitted_order(steps, errors) == pytest.approx(2.0, abs=0.3)


def test_hinge_stays_and_energy_is_balanced() -> None:
    result = motion(20)
    assert np.abs(result.positions("root")).max() < 1e-12
    assert np.abs(result.energy.relative_balance).max() < 1e-4
