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


def test_logarithm_of_a_quaternion_passes_its_switch() -> None:
    # the half angle whose squared sine is 1/16, and its neighborhood
    switch = np.arcsin(0.25)
    for half in switch * (1.0 + np.array([-1e-3, -1e-9, -1e-15, 1e-15, 1e-9, 1e-3])):
        direction = np.array([0.48, -0.6, 0.64])
        for sign in (1.0, -1.0):
            q = sign * np.array([np.cos(half), *(np.sin(half) * direction)])
            turn = np.array(lie.quaternion_log(tuple(q)))
            assert np.linalg.norm(turn - 2.0 * half * direction) < 4e-16


@pytest.mark.parametrize("half", [0.0, 1e-300, 1e-160, 1e-8, 1e-3, 0.1, 0.2, 0.7, 1.5])
def test_logarithm_of_a_quaternion_has_all_digits(half: float) -> None:
    q = (np.cos(half), 0.0, np.sin(half), 0.0)
    turn = lie.quaternion_log(q)
    assert turn[1] == pytest.approx(2.0 * half, rel=4e-16)
