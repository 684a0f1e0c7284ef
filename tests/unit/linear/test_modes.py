"""Lowest modes: what is nothing but rounding is zero, what is small is kept."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csc_matrix, diags

from femlie.linear import lowest_modes


def chain(n: int, *, ground: float = 0.0) -> csc_matrix:
    """Equal masses on a line with unit springs between them, the first one held."""
    main = np.r_[1.0 + ground, np.full(n - 2, 2.0), 1.0]
    return csc_matrix(diags([main, -np.ones(n - 1), -np.ones(n - 1)], [0, 1, -1]))


@pytest.mark.parametrize("n", [20, 500])
def test_a_rigid_motion_has_the_eigenvalue_zero(n: int) -> None:
    scale = 1e11
    values, _ = lowest_modes(scale * chain(n), None, n_multipliers=0, n_modes=3)
    assert values[0] == 0.0
    expected = scale * (2.0 - 2.0 * np.cos(np.pi * np.arange(1, 3) / n))
    np.testing.assert_allclose(values[1:], expected, rtol=1e-6)


@pytest.mark.parametrize("n", [20, 500])
def test_a_soft_spring_to_the_ground_is_not_taken_for_rounding(n: int) -> None:
    soft = 1e-9
    values, _ = lowest_modes(chain(n, ground=soft), None, n_multipliers=0, n_modes=2)
    # the whole chain, n masses, on the soft spring
    np.testing.assert_allclose(values[0], soft / n, rtol=1e-3)
