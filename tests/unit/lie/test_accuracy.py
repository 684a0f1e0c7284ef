"""Every function against 50-digit series, swept through all switching points."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from femlie.lie import quaternion, se3, so3
from tests.oracles import lie as oracle

PI = np.pi
TINY = [0.0, *(10.0**-k for k in range(1, 21))]
AROUND_ONE = [1.0 + sign * 10.0**-k for k in range(1, 17) for sign in (-1, 1)] + [1.0]
MODERATE = [0.3, 0.7, 1.5, 2.0, 2.5, 3.0]
BELOW_PI = [PI - 10.0**-k for k in range(1, 17)]
ABOVE_PI = [PI + 10.0**-k for k in range(1, 17, 3)]
LARGE = [1.2 * PI, 1.5 * PI, 1.8 * PI, 1.9 * PI, 7.0, 10.0, 20.0]
AROUND_TURN = [2.0 * PI - 1e-3, 2.0 * PI, 2.0 * PI + 1e-3]
SHORT = np.array(TINY + AROUND_ONE + MODERATE + BELOW_PI)
REGULAR = np.array([*SHORT, *ABOVE_PI, *LARGE])
TOLERANCE = 1e-13

REFERENCE = json.loads((Path(__file__).parent / "lie_reference.json").read_text())


def twists_of(angles: Any, *, seed: int) -> Any:
    """Random axes; translations of order one, every second one along the axis."""
    rng = np.random.default_rng(seed)
    axes = rng.normal(size=(len(angles), 3))
    axes /= np.linalg.norm(axes, axis=1)[:, None]
    translations = rng.uniform(-1.0, 1.0, size=(len(angles), 3))
    translations[::2] = 0.1 * translations[::2] + axes[::2]
    return np.concatenate((translations, axes * np.array(angles)[:, None]), axis=1)


def worst(given: Any, exact: Any) -> tuple[float, int]:
    errors = [oracle.relative_error(a, b) for a, b in zip(given, exact, strict=True)]
    return max(errors), int(np.argmax(errors))


@pytest.fixture(scope="module")
def twists() -> Any:
    return twists_of([*REGULAR, *AROUND_TURN], seed=1)


@pytest.fixture(scope="module")
def tangents(twists: Any) -> Any:
    return [oracle.tangent_operator(twist) for twist in twists]


@pytest.fixture(scope="module")
def tangent_inverses(tangents: Any) -> Any:
    return [oracle.inverse(exact) for exact in tangents[: len(REGULAR)]]


@pytest.fixture(scope="module")
def exponentials(twists: Any) -> Any:
    return [oracle.exp(twist) for twist in twists]


def test_exponential_has_thirteen_digits_at_every_angle(
    twists: Any, exponentials: Any
) -> None:
    error, index = worst(se3.exp(twists), exponentials)
    assert error < TOLERANCE, twists[index]


def test_rotation_exponential_is_exact_at_every_angle(
    twists: Any, exponentials: Any
) -> None:
    exact = [frame[:3, :3] for frame in exponentials]
    error, index = worst(so3.exp(twists[:, 3:]), exact)
    assert error < 1e-14, twists[index]


def test_exponential_keeps_the_digits_of_a_tiny_rotation() -> None:
    twists = twists_of(TINY[1:], seed=2)
    exact = [oracle.exp(twist)[:3, :3] - oracle.identity(3) for twist in twists]
    given = so3.exp(twists[:, 3:])
    off_diagonal = ~np.eye(3, dtype=bool)
    error, index = worst(given[:, off_diagonal], [x[off_diagonal] for x in exact])
    assert error < TOLERANCE, twists[index]


def test_tangent_operator_has_thirteen_digits_at_every_angle(
    twists: Any, tangents: Any
) -> None:
    error, index = worst(se3.tangent_operator(twists), tangents)
    assert error < TOLERANCE, twists[index]


def test_corner_of_the_tangent_operator_has_thirteen_digits_at_every_angle(
    twists: Any, tangents: Any
) -> None:
    given = se3.tangent_operator(twists)[:, :3, 3:]
    error, index = worst(given, [exact[:3, 3:] for exact in tangents])
    assert error < TOLERANCE, twists[index]


def test_inverse_tangent_operator_has_thirteen_digits_at_every_angle(
    twists: Any, tangent_inverses: Any
) -> None:
    given = se3.tangent_operator_inverse(twists[: len(REGULAR)])
    error, index = worst(given, tangent_inverses)
    assert error < TOLERANCE, twists[index]


def test_corner_of_the_inverse_tangent_operator_has_thirteen_digits(
    twists: Any, tangent_inverses: Any
) -> None:
    given = se3.tangent_operator_inverse(twists[: len(REGULAR)])[:, :3, 3:]
    error, index = worst(given, [exact[:3, 3:] for exact in tangent_inverses])
    assert error < TOLERANCE, twists[index]


def test_inverse_tangent_operator_loses_digits_only_by_its_pole() -> None:
    distances = 10.0 ** -np.arange(1, 8)
    twists = twists_of(2.0 * PI - distances, seed=3)
    given = se3.tangent_operator_inverse(twists)
    for distance, twist, operator in zip(distances, twists, given, strict=True):
        exact = oracle.tangent_operator_inverse(twist)
        assert oracle.relative_error(operator, exact) < 100 * 2.2e-16 * PI / distance


def test_rotation_operators_are_the_blocks_of_the_exact_ones(
    twists: Any, tangents: Any, tangent_inverses: Any
) -> None:
    given = so3.tangent_operator(twists[:, 3:])
    assert worst(given, [exact[3:, 3:] for exact in tangents])[0] < TOLERANCE
    given = so3.tangent_operator_inverse(twists[: len(REGULAR), 3:])
    assert worst(given, [exact[3:, 3:] for exact in tangent_inverses])[0] < TOLERANCE


def test_logarithm_of_the_rounded_exponential_returns_the_twist() -> None:
    angles = [angle for angle in SHORT if angle < PI - 1e-13]
    twists = twists_of(angles, seed=4)
    frames = np.array([oracle.exp(twist) for twist in twists]).astype(float)
    error, index = worst(se3.log(frames), oracle.to_mp(twists))
    assert error < TOLERANCE, twists[index]


def test_logarithm_keeps_the_digits_of_a_tiny_rotation() -> None:
    twists = twists_of(TINY[1:], seed=5)
    frames = np.array([oracle.exp(twist) for twist in twists]).astype(float)
    error, index = worst(se3.log(frames)[:, 3:], oracle.to_mp(twists[:, 3:]))
    assert error < TOLERANCE, twists[index]


@pytest.mark.parametrize("angle", BELOW_PI + ABOVE_PI)
def test_exponential_of_the_logarithm_is_the_rotation_around_half_a_turn(
    angle: float,
) -> None:
    vectors = twists_of(np.full(20, angle), seed=6)[:, 3:]
    rotations = so3.exp(vectors)
    logarithms = so3.log(rotations)
    assert np.all(np.linalg.norm(logarithms, axis=1) <= PI * (1 + 4e-16))
    np.testing.assert_allclose(so3.exp(logarithms), rotations, rtol=0, atol=1e-14)


@pytest.mark.parametrize("angle", [0.0, 1e-9, 0.5, 3.0, *BELOW_PI, *ABOVE_PI])
def test_exponential_of_the_logarithm_is_the_frame(angle: float) -> None:
    frames = se3.exp(twists_of(np.full(20, angle), seed=7))
    np.testing.assert_allclose(se3.exp(se3.log(frames)), frames, rtol=0, atol=1e-14)


@pytest.mark.parametrize("case", REFERENCE["cases"])
@pytest.mark.parametrize(
    ("function", "key"),
    [
        (se3.left_tangent_operator, "dexp"),
        (se3.tangent_operator, "dexp_minus"),
        (se3.left_tangent_operator_inverse, "dexp_inv"),
        (se3.tangent_operator_inverse, "dexp_minus_inv"),
    ],
)
def test_operator_agrees_with_the_published_table(
    case: Any, function: Any, key: str
) -> None:
    translation_first = [3, 4, 5, 0, 1, 2]
    twist = np.array(case["twist_wv"])[translation_first]
    exact = oracle.to_mp(case[key])[np.ix_(translation_first, translation_first)]
    assert oracle.relative_error(function(twist), exact) < TOLERANCE


@pytest.mark.parametrize("case", REFERENCE["cases"])
def test_exponential_agrees_with_the_published_table(case: Any) -> None:
    twist = np.array(case["twist_wv"])[[3, 4, 5, 0, 1, 2]]
    exact = oracle.to_mp(case["exp_4x4"])
    assert oracle.relative_error(se3.exp(twist), exact) < TOLERANCE


@pytest.mark.parametrize("case", REFERENCE["cases"])
def test_logarithm_inverts_the_published_table(case: Any) -> None:
    twist = np.array(case["twist_wv"])[[3, 4, 5, 0, 1, 2]]
    frame = np.array(case["exp_4x4"], dtype=float)
    error = np.abs(se3.log(frame) - twist).max()
    assert error < TOLERANCE * np.abs(twist).max()


def test_quaternion_exponential_and_logarithm_are_exact_at_every_angle() -> None:
    vectors = twists_of(SHORT, seed=8)[:, 3:]
    exact = oracle.to_mp(vectors)
    error, index = worst(quaternion.log(quaternion.exp(vectors))[1:], exact[1:])
    assert error < 1e-14, vectors[index + 1]
