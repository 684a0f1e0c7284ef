"""Flying flexible rod in the plane, Simo and Vu-Quoc (1986).

Reference: finite rods with explicit integration, extrapolated; see data/README.md.
"""

from __future__ import annotations

import functools

import numpy as np
import pytest

import femlie as fl
from tests.validation.dynamics import (
    flying_spaghetti,
    reference,
    richardson,
    run,
)


@functools.cache
def motion(n_elements: int, step: float = 0.01) -> fl.Results:
    return run(
        flying_spaghetti(n_elements),
        duration=12.0,
        time_step=step,
        every=round(0.1 / step),
    )


def ends(result: fl.Results) -> np.ndarray:
    """(n_times, 4) x and y of both ends."""
    return np.hstack([result.positions(name)[:, :2] for name in ("A", "B")])


def distance(found: np.ndarray, until: float) -> float:
    times, values = reference("spaghetti2d")
    rows = times < until + 1e-9
    return float(np.abs(found[rows] - values[rows]).max())


def test_twenty_elements_are_within_a_tenth_for_six_seconds() -> None:
    # a hundredth of the length: what the reference allows for 20 elements
    assert distance(ends(motion(20)), 6.0) < 0.1


def test_twenty_elements_are_within_a_tenth_to_the_end() -> None:
    assert distance(ends(motion(20)), 12.0) < 0.1


def test_forty_elements_are_within_a_tenth_to_the_end() -> None:
    assert distance(ends(motion(40)), 12.0) < 0.1


def test_limit_in_the_mesh_is_the_reference() -> None:
    limit = richardson(ends(motion(20)), ends(motion(40)))
    # both extrapolations leave some 1e-2 of what the sudden load excites
    assert distance(limit, 12.0) < 0.05


def test_mass_center_moves_as_the_force_says() -> None:
    result = motion(20)
    x = result.positions("rod")[:, :, 0]
    # equal elements: the trapezoidal rule is the exact center of straight chords
    center = (x[:, 1:] + x[:, :-1]).mean(axis=1) / 2.0
    t = result.times
    expected = np.where(t < 2.5, 3.0 + 0.4 * t**2, 5.5 + 2.0 * (t - 2.5))
    # the scheme keeps momentum to h^2 only: 1e-3 of the way
    np.testing.assert_allclose(center, expected, atol=1e-2)


def test_energy_is_that_of_the_reference_and_stays() -> None:
    result = motion(40)
    after = result.energy.total[result.times > 2.55]
    # waves turn within few steps: energy wavers by 1e-4 from one to the next
    np.testing.assert_allclose(after, after[0], rtol=3e-4)
    # 379.432 converged: the sudden load makes energy converge slowly in the mesh
    assert after[0] == pytest.approx(379.432, rel=3e-3)
