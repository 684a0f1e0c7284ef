"""Cantilever with a dead load across its tip: the elastica.

Values by elliptic integrals for a rod that neither stretches nor shears; here EA and GA
are 1e8 EI/L^2, which changes the tip by less than 1e-6.
"""

from __future__ import annotations

import numpy as np
import pytest

from tests.validation.models import cantilever, end, line, push, section, solve

# P L^2/EI: tip angle, v/L, u/L
TABLE = {
    0.25: (0.1242924421136, 0.0827459153544, 0.0041178184100),
    1.0: (0.4613519497119, 0.3017207737998, 0.0564332362834),
    2.0: (0.7817498315565, 0.4934574803967, 0.1606417208252),
    5.0: (1.2153681176120, 0.7137915236119, 0.3876283607244),
    10.0: (1.4302855388040, 0.8106090248803, 0.5549955977538),
    100.0: (1.5706458846600, 0.9414213508620, 0.8585786445629),
}


def tip(load: float, n_elements: int) -> np.ndarray:
    """Tip angle, v and u."""
    rod = cantilever(
        line((0, 0, 0), (1, 0, 0), n_elements), section(1e8, 1e8, 1.0, 1.0)
    )
    results = solve(push(rod, force=(0, load, 0)))
    x, y, _ = end(results)
    return np.array([results.rotations("tip", as_vector=True)[-1, 2], y, 1.0 - x])


@pytest.mark.parametrize("load", TABLE)
def test_forty_elements_are_within_a_thousandth_of_the_length(load):
    np.testing.assert_allclose(tip(load, 40), TABLE[load], rtol=0.0, atol=1e-3)


@pytest.mark.parametrize("load", [0.25, 1.0, 2.0, 5.0])
def test_extrapolated_tip_is_right_to_a_millionth(load):
    coarse, fine = tip(load, 40), tip(load, 80)
    extrapolated = fine + (fine - coarse) / 3.0
    np.testing.assert_allclose(extrapolated, TABLE[load], rtol=0.0, atol=1e-6)
