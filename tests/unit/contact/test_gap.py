"""Gap of two segments: exact tangent, invariance, balance, and what the walk keeps."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
import pytest

from femlie._jit import kernel
from femlie.contact import _layout as layout
from femlie.contact._segments import bow_coefficients
from femlie.elements import base
from tests.block_case import slopes
from tests.contact_pair import (
    N_ROWS,
    Pair,
    check_balance,
    check_brackets,
    check_rigid_motion,
    pair,
)

CASES = {
    "line": {"form": layout.LINE},
    "line in a round of penalty": {"form": layout.LINE, "stage": 2.0},
    "point": {"form": layout.POINT, "angle": 1.1},
    "point of nearly parallel rods": {"form": layout.POINT, "angle": 0.05},
    "point in a round of penalty": {
        "form": layout.POINT,
        "angle": 1.0,
        "stage": 1.0,
        "distance": 0.16,
    },
    "strongly bent": {"form": layout.POINT, "angle": 1.0, "bend": 0.4, "seed": 5},
    "cap at the end": {"form": layout.POINT, "shift": 0.72, "distance": 0.05},
    "sphere": {"form": layout.SPHERE},
}


@pytest.fixture(params=CASES, name="case")
def case_fixture(request: Any) -> Pair:
    return pair(**CASES[request.param])


def test_every_case_is_in_contact(case: Pair) -> None:
    assert np.abs(case.evaluate()[0][:24]).max() > 0.1


def test_tangent_is_the_derivative_of_the_residual(case: Pair) -> None:
    expected = slopes(lambda x: case.displaced(x).evaluate()[0], N_ROWS)
    given = case.evaluate(1.0)[1]
    np.testing.assert_allclose(given, expected, rtol=0, atol=1e-8 * abs(given).max())


def test_rigid_motion_of_the_whole_changes_nothing(case: Pair) -> None:
    check_rigid_motion(case)


def test_action_equals_reaction(case: Pair) -> None:
    check_balance(case)


def test_asymmetry_is_the_bracket_of_local_motions(case: Pair) -> None:
    assert check_brackets(case) > 1e-3


def test_open_contact_bears_no_force() -> None:
    far = pair(layout.LINE, distance=0.5)
    far.motion.multipliers[:] = 0.0
    assert np.all(far.evaluate()[0] == 0.0)


@kernel
def coefficients(square: float) -> Any:
    return bow_coefficients(square)


def test_coefficients_are_exact_across_the_switch() -> None:
    mpmath.mp.dps = 80  # quotients by x^6 leave 40 digits or more
    for square in [*np.linspace(1e-8, 6.0, 41), 1.0 - 1e-12, 1.0, 1.0 + 1e-12]:
        x = mpmath.sqrt(mpmath.mpf(float(square)))
        a = (1 - mpmath.cos(x)) / x**2
        b = (x - mpmath.sin(x)) / x**3
        a1 = (mpmath.sin(x) / x - 2 * a) / x**2
        b1 = (a - 3 * b) / x**2
        a2 = ((mpmath.cos(x) - mpmath.sin(x) / x) / x**2 - 4 * a1) / x**2
        b2 = (a1 - 5 * b1) / x**2
        exact_values = (a, b, a1, b1, a2, b2)
        # the last two, of the tangent only, lose three digits where the closed forms
        # begin
        allowed = (2e-14, 2e-14, 2e-14, 2e-14, 1e-12, 1e-12)
        for given, exact, tolerance in zip(
            coefficients(square), exact_values, allowed, strict=True
        ):
            assert abs(given - exact) < tolerance * abs(exact)


def test_dual_weights_are_orthogonal_to_the_other_hat() -> None:
    """``int phi_j N_k = delta_jk int N_j`` (Wohlmuth 2000), also where it is cut."""
    for shift in (0.0, 0.25):
        data = pair(layout.LINE, shift=shift, bend=0.01).data
        points = data.iterates[0, : layout.XI].reshape(layout.N_POINTS, -1)
        is_valid = points[:, layout.ROW] >= 0.0
        assert is_valid.all() == (shift == 0.0)
        size = data.iterates[0, layout.SIZE : layout.SIZE + 2]
        places = np.array([0.5 - 0.15**0.5, 0.5, 0.5 + 0.15**0.5])
        hats = np.stack([1.0 - places, places], axis=1)
        weights = points[:, layout.WEIGHT : layout.WEIGHT + 2] * size
        product = weights[is_valid].T @ hats[is_valid]
        np.testing.assert_allclose(product, np.diag(size), atol=1e-13)


def test_moving_on_changes_nothing_at_rest() -> None:
    one = pair(layout.POINT, angle=1.1)
    before = one.data.iterates.copy()
    one.carry(base.MOVE)
    np.testing.assert_allclose(one.data.iterates, before, rtol=0, atol=1e-13)
    one.carry(base.ACCEPT)
    np.testing.assert_allclose(one.data.iterates, before, rtol=0, atol=1e-13)
