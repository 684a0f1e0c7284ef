"""Linear complementarity: small problems against all choices of sides."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from femlie.linear import solve_complementarity


def by_enumeration(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The solution with the free set found by trying all of them."""
    n = b.size
    for free in itertools.product((False, True), repeat=n):
        chosen = np.array(free)
        z = np.zeros(n)
        if chosen.any():
            z[chosen] = np.linalg.solve(a[np.ix_(chosen, chosen)], -b[chosen])
        if np.all(z >= 0.0) and np.all(a @ z + b >= -1e-12):
            return z
    raise AssertionError


def is_solution(a: np.ndarray, b: np.ndarray, z: np.ndarray) -> bool:
    left = a @ z + b
    size = np.abs(b).max()
    return bool(
        np.all(z >= 0.0)
        and np.all(left > -1e-10 * size)
        and abs(z @ left) < 1e-10 * size * max(z.max(initial=0.0), 1.0)
    )


@pytest.mark.parametrize("seed", range(20))
def test_small_problem_equals_the_one_found_by_trying_all_sides(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 8))
    root = rng.normal(size=(n + 2, n))
    a, b = root.T @ root, rng.normal(size=n)
    found = solve_complementarity(a, b)
    assert found == pytest.approx(by_enumeration(a, b), rel=1e-9, abs=1e-11)


@pytest.mark.parametrize("seed", range(20))
def test_redundant_contacts_share_a_force(seed: int) -> None:
    """Gradients of rank 3: twelve contacts on one body that moves in three ways."""
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(3, 12))
    root[2] = np.abs(root[2])  # some motion opens all
    a, b = root.T @ root, rng.normal(size=12)
    found = solve_complementarity(a, b)
    assert found is not None
    assert is_solution(a, b, found)
    # the motion itself is unique: the one nearest to none that opens all
    motion = root @ found
    again = solve_complementarity(a[::-1, ::-1], b[::-1])
    assert again is not None
    assert root @ again[::-1] == pytest.approx(motion, rel=1e-7, abs=1e-9)


def test_the_same_contact_named_many_times_bears_one_force() -> None:
    found = solve_complementarity(np.full((5, 5), 2.0), np.full(5, -3.0))
    assert found is not None
    assert found.sum() == pytest.approx(1.5, rel=1e-10)


@pytest.mark.parametrize("unit", [1e-12, 1.0, 1e12])
def test_units_do_not_matter(unit: float) -> None:
    rng = np.random.default_rng(7)
    root = rng.normal(size=(6, 4))
    a, b = root.T @ root, rng.normal(size=4)
    plain = solve_complementarity(a, b)
    scaled = solve_complementarity(unit * a, unit**2 * b)
    assert plain is not None
    assert scaled is not None
    assert scaled == pytest.approx(unit * plain, rel=1e-9)


def test_rows_of_very_different_size_are_met_alike() -> None:
    rng = np.random.default_rng(3)
    root = rng.normal(size=(8, 5)) * 10.0 ** rng.integers(-5, 5, size=5)
    a, b = root.T @ root, rng.normal(size=5) * np.sqrt(np.diag(root.T @ root))
    found = solve_complementarity(a, b)
    assert found is not None
    left = (a @ found + b) / np.sqrt(np.diag(a))
    assert np.all(left > -1e-10)


def test_what_cannot_be_met_has_no_solution() -> None:
    """A body between two walls that are closer than it is thick."""
    a = np.array([[1.0, -1.0], [-1.0, 1.0]])
    assert solve_complementarity(a, np.array([-1.0, -1.0])) is None
    assert solve_complementarity(np.zeros((1, 1)), np.array([-1.0])) is None


def test_large_problem_is_solved() -> None:
    """A chain on an obstacle of many hills."""
    n = 200
    a = np.linalg.inv(2.0 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1))
    x = np.linspace(-1.0, 1.0, n)
    b = 0.3 - a @ np.full(n, 1e-3) - 0.1 * np.cos(9.0 * x)
    found = solve_complementarity(a, b)
    assert found is not None
    assert is_solution(a, b, found)
    assert 20 < np.count_nonzero(found) < 180


@pytest.mark.parametrize("ratio", [1e4, 1e6, 1e8, 1e9])
def test_heavy_mass_is_stopped_through_a_light_one_on_the_ground(ratio: float) -> None:
    """Both fall with unit speed: impulses ``M + m`` on the ground, ``M`` between."""
    light = 1.0 / ratio
    a = np.array([[1.0 / light, -1.0 / light], [-1.0 / light, 1.0 / light + 1.0]])
    z = solve_complementarity(a, np.array([-1.0, 0.0]))
    assert z is not None
    assert z == pytest.approx([1.0 + light, 1.0], rel=1e-5)
