"""Ropes under their own weight: catenary, and a straight one without stress.

Closed forms. A rope of length S between points of equal height a span D apart hangs as
a catenary, D = 2 c asinh(S/(2 c)), sag = sqrt(c^2 + S^2/4) - c. A rope that stretches
(stiffness EA, weight q per unstressed length): D = H S/EA + (2 H/q) asinh(q S/(2 H)),
sag = (H/q)(sqrt(1 + (q S/(2 H))^2) - 1) + q S^2/(8 EA).
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq

import femlie as fl
from tests.validation.models import rod, section, solve


def hung(points: np.ndarray, stretch: float, bend: float, **options) -> fl.Model:
    """A rope of weight 1 per length, pinned at both ends."""
    model = rod(
        points,
        section(stretch, stretch, bend, bend),
        orientation=(0, 1, 0),
        **options,
    )
    model.add(fl.Support("left", at="root", kind=fl.PINNED))
    model.add(fl.Support("right", at="tip", kind=fl.PINNED))
    model.add(fl.LineLoad("weight", on="rod", force=(0, 0, -1.0)))
    return model


def arc_points(n_elements: int, length: float, span: float) -> np.ndarray:
    """Points on the circular arc of a length and span that hangs down."""
    half = brentq(lambda a: length * np.sin(a) / a - span, 1e-3, 3.1)
    radius = length / (2.0 * half)
    angle = np.linspace(-half, half, n_elements + 1)
    return np.column_stack(
        [radius * np.sin(angle), 0.0 * angle, radius * (np.cos(half) - np.cos(angle))]
    )


def sag(n_elements: int, bend: float) -> float:
    model = hung(arc_points(n_elements, 2.0, 1.0), 1e6, bend, curve=fl.SMOOTH)
    return -float(solve(model).positions("middle")[-1, 2])


def test_rope_hangs_as_a_catenary():
    # EI = 1e-7 q S^3 bends the middle up by about 1e-6; 80 elements by their square
    assert sag(80, 8e-7 / 8.0) == pytest.approx(0.7963883559, abs=5e-6)


def test_rope_without_slope_at_its_supports_needs_no_fine_mesh():
    assert sag(20, 1e-7) == pytest.approx(0.7963883559, abs=1e-3)


@pytest.mark.parametrize("stretch", [1e3, 1e5, 1e7])
def test_straight_rope_without_stress_finds_the_elastic_catenary(stretch):
    # fault F18: the start is singular across the rope but for its bending stiffness
    length = 10.0

    def gap(pull: float) -> float:
        half = length / (2.0 * pull)
        return pull * length / stretch + 2.0 * pull * np.arcsinh(half) - length

    pull = brentq(gap, 1e-6, 1e7)
    expected = pull * (np.sqrt(1.0 + (length / (2.0 * pull)) ** 2) - 1.0)
    expected += length**2 / (8.0 * stretch)
    points = np.linspace((-5, 0, 0), (5, 0, 0), 41)
    results = solve(hung(points, stretch, 1e-6))
    # half of a load stands on either end of each of 40 elements: 1/(4 n^2) = 1.6e-4
    found = -results.positions("middle")[-1, 2]
    assert found == pytest.approx(expected, rel=1e-3)


def test_rope_pinned_at_both_ends_is_said_to_spin_freely():
    results = solve(hung(np.linspace((-5, 0, 0), (5, 0, 0), 9), 1e3, 1e-2))
    assert any("turning about (1," in text for text in results.warnings)
