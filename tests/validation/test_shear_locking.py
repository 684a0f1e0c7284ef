"""Cantilever with a small tip load, from stout to very slender.

Closed form for n elements of constant curvature: the end of each element follows the
curvature at its middle, so that v = P L/GA + (1 - 1/(4 n^2)) P L^3/(3 EI), whatever the
slenderness. The load gives v/L = 1e-5: turning by 1.5e-5 changes v by 2e-10 of itself,
and places rounded to 2e-16 L leave 2e-11 of v, both under the 1e-8 asked for.
"""

from __future__ import annotations

import numpy as np
import pytest

from tests.validation.models import cantilever, end, line, push, section, solve

YOUNG, POISSON = 210e9, 0.3
SHEAR_FACTOR = 5.0 / 6.0


def deflection(slenderness: float, n_elements: int) -> tuple[float, float, float]:
    """Tip deflection, and its parts from bending and shear by beam theory."""
    height = 1.0 / slenderness
    area = height**2
    stretch, bend = YOUNG * area, YOUNG * area * height**2 / 12.0
    shear = SHEAR_FACTOR * area * YOUNG / (2.0 * (1.0 + POISSON))
    bending, shearing = 1.0 / (3.0 * bend), 1.0 / shear
    load = 1e-5 / (bending + shearing)
    rod = cantilever(
        line((0, 0, 0), (1, 0, 0), n_elements), section(stretch, shear, bend, bend)
    )
    results = solve(push(rod, force=(0, 0, -load)))
    return -float(end(results)[2]), load * bending, load * shearing


@pytest.mark.parametrize("slenderness", [1e1, 1e2, 1e3, 1e4])
@pytest.mark.parametrize("n_elements", [1, 2, 4, 16])
def test_deflection_lacks_one_part_in_four_n_squared_at_any_slenderness(
    slenderness, n_elements
):
    found, bending, shearing = deflection(slenderness, n_elements)
    ratio = (found - shearing) / bending
    assert ratio == pytest.approx(1.0 - 0.25 / n_elements**2, rel=1e-8)


def test_error_falls_with_the_square_of_the_element_length():
    numbers = np.array([1, 2, 4, 8])
    missing = []
    for n in numbers:
        found, bending, shearing = deflection(1e2, int(n))
        missing.append(1.0 - (found - shearing) / bending)
    slope = np.polyfit(np.log(numbers), np.log(missing), 1)[0]
    assert slope == pytest.approx(-2.0, abs=1e-6)
