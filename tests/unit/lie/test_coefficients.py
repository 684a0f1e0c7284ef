"""Scalar coefficients of the series and closed forms, each relative to itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from femlie.lie import _kernels as lie
from tests.oracles import lie as oracle

PI = np.pi
TINY = [10.0**-k for k in range(1, 21)]
AROUND_ONE = [1.0 + sign * 10.0**-k for k in range(1, 17, 2) for sign in (-1, 1)]
AROUND_PI = [PI + sign * 10.0**-k for k in range(1, 17, 2) for sign in (-1, 1)]
BETWEEN = np.linspace(0.05, 3.1, 40).tolist()
SHORT = np.array([*TINY, *AROUND_ONE, *BETWEEN, *AROUND_PI]) ** 2
BEYOND = np.array([3.3, 4.0, 5.0, 5.7, 5.9, 7.0, 10.0]) ** 2


@pytest.fixture(scope="module")
def exact() -> Any:
    return {square: oracle.coefficients(square) for square in [*SHORT, *BEYOND]}


def error(given: Any, expected: Any) -> float:
    return float(max(abs(oracle.to_mp(given) / expected - 1)))


def test_exponential_coefficients_pass_their_switch_with_all_digits(exact: Any) -> None:
    for square in SHORT:
        given = lie.exp_coefficients(square)
        assert error(given, exact[square][:2]) < 2e-15, np.sqrt(square)


def test_their_derivatives_pass_their_switch(exact: Any) -> None:
    # just above the switch b - 3 g = -0.016 is the difference of two numbers near 0.5
    for square in SHORT:
        b, g = lie.exp_coefficients(square)
        given = lie.exp_coefficient_derivatives(square, b, g)
        assert error(given, exact[square][2:4]) < 5e-14, np.sqrt(square)


def test_inverse_coefficients_have_all_digits_up_to_half_a_turn(exact: Any) -> None:
    for square in SHORT:
        given = (
            *lie.inverse_coefficients(square),
            lie.second_inverse_coefficient(square),
        )
        assert error(given, exact[square][4:]) < 2e-15, np.sqrt(square)


def test_inverse_coefficients_pass_the_switch_at_half_a_turn(exact: Any) -> None:
    for square in SHORT:
        given = lie.inverse_coefficients_beyond(square)
        assert error(given, exact[square][4:]) < 1e-14, np.sqrt(square)


def test_inverse_coefficients_beyond_half_a_turn_have_thirteen_digits(
    exact: Any,
) -> None:
    for square in BEYOND:
        given = lie.inverse_coefficients_beyond(square)
        assert error(given, exact[square][4:]) < 1e-13, np.sqrt(square)
