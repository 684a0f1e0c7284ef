"""Coulomb's law: closed forms of one contact, all states, random problems."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from femlie.linear import solve_friction
from femlie.linear._cone_newton import N_KEPT, measure, newton
from femlie.linear._cones import sweep


def wrongs(a: Any, b: Any, mu: Any, z: Any) -> float:
    """Largest violation of the law, word by word; all contacts have friction."""
    n = mu.size
    u = a @ z + b
    width = z.size // n - 1
    normal, slip = u[:n], u[n:].reshape(-1, width)
    force, friction = z[:n], z[n:].reshape(-1, width)
    size, speed = np.linalg.norm(friction, axis=1), np.linalg.norm(slip, axis=1)
    found = [-normal, -force, np.abs(force * normal), size - mu * force]
    # friction takes as much power as the cone lets it
    found.append(np.abs((friction * slip).sum(axis=1) + mu * force * speed))
    return float(np.max(found))


def body(rng: Any, n: int, spin_radius: float = 0.0) -> tuple[Any, Any]:
    """Contacts at random points of one rigid body of unit inertia, all from below."""
    places = rng.normal(size=(n, 3))
    places[:, 2] = -1.0
    normals = np.array([0.0, 0.0, 1.0]) + 0.2 * rng.normal(size=(n, 3))
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    first = np.cross(normals, [1.0, 0.0, 0.0])
    first /= np.linalg.norm(first, axis=1)[:, None]
    axes = np.concatenate(
        [normals, np.stack([first, np.cross(normals, first)], 1).reshape(-1, 3)]
    )
    points = np.concatenate([places, np.repeat(places, 2, axis=0)])
    rows = np.hstack([axes, np.cross(points, axes)])
    if spin_radius > 0.0:
        spins = np.hstack([np.zeros((n, 3)), spin_radius * normals])
        three = np.concatenate([rows[n:].reshape(n, 2, 6), spins[:, None]], axis=1)
        rows = np.concatenate([rows[:n], three.reshape(-1, 6)])
    motion = rng.normal(size=6)
    motion[2] = -1.0
    return rows @ rows.T, rows @ motion


def test_one_contact_sticks_within_the_cone_and_slides_beyond() -> None:
    """A point mass of 2 kg: ``z_N = m v``, friction up to ``mu m v``."""
    a = np.eye(3) / 2.0
    for tangent, mu in ((0.3, 0.5), (3.0, 0.5), (3.0, 5.0)):
        b = np.array([-1.0, 0.6 * tangent, -0.8 * tangent])
        z = solve_friction(a, b, np.array([mu]))
        assert z is not None
        size = min(2.0 * tangent, 2.0 * mu)
        expected = [2.0, -0.6 * size, 0.8 * size]
        assert z == pytest.approx(expected, rel=1e-12)


def test_contact_that_opens_has_no_friction() -> None:
    z = solve_friction(np.eye(3), np.array([0.1, 5.0, 0.0]), np.array([0.7]))
    assert z is not None
    assert np.array_equal(z, np.zeros(3))


@pytest.mark.parametrize("mu", [0.1, 2.0 / 7.0 - 1e-6, 2.0 / 7.0 + 1e-6, 1.0])
def test_ball_that_lands_sliding_rolls_only_with_enough_friction(mu: float) -> None:
    """Unit mass and radius, 2/5 m r^2: the slip v is stopped by ``2/7 m v``."""
    a = np.diag([1.0, 3.5, 3.5])
    z = solve_friction(a, np.array([-1.0, 1.0, 0.0]), np.array([mu]))
    assert z is not None
    assert z[1] == pytest.approx(-min(mu, 2.0 / 7.0), rel=1e-12)


def test_rod_that_hits_with_its_tip_slides_by_the_laws_of_impact() -> None:
    """Planar rigid rod, lever (x, y): ``z_N = -b_N / (A_NN - mu s A_NT)``."""
    x, y, inertia = 0.4, 0.3, 0.1
    a = np.zeros((3, 3))
    a[0, 0], a[1, 1] = 1.0 + x * x / inertia, 1.0 + y * y / inertia
    a[0, 1] = a[1, 0] = -x * y / inertia
    a[2, 2] = 1.0
    b = np.array([-1.0, 2.0, 0.0])
    z = solve_friction(a, b, np.array([0.2]))
    assert z is not None
    normal = 1.0 / (a[0, 0] - 0.2 * a[0, 1])
    assert z == pytest.approx([normal, -0.2 * normal, 0.0], rel=1e-12)
    assert (a @ z + b)[1] > 0.0


def planar_solutions(a: Any, b: Any, mu: Any) -> list[Any]:
    """All solutions of a planar problem, by trying four states of each contact."""
    n = mu.size
    found = []
    for states in itertools.product("ospm", repeat=n):
        rows = np.zeros((2 * n, 2 * n))
        right = np.zeros(2 * n)
        for i, state in enumerate(states):
            t = n + i
            rows[i], right[i] = a[i], -b[i]
            rows[t], right[t] = a[t], -b[t]
            if state == "o":
                rows[i] = rows[t] = 0.0
                rows[i, i] = rows[t, t] = 1.0
                right[i] = right[t] = 0.0
            elif state in "pm":
                rows[t], right[t] = 0.0, 0.0
                rows[t, t], rows[t, i] = 1.0, mu[i] * (1.0 if state == "m" else -1.0)
        z = np.linalg.solve(rows, right)
        u = a @ z + b
        fits = True
        for i, state in enumerate(states):
            t = n + i
            fits &= {
                "o": u[i] >= 0.0,
                "s": z[i] >= 0.0 and abs(z[t]) <= mu[i] * z[i],
                "p": z[i] >= 0.0 and u[t] <= 0.0,
                "m": z[i] >= 0.0 and u[t] >= 0.0,
            }[state]
        if fits:
            found.append(z)
    return found


@pytest.mark.parametrize("seed", range(30))
def test_planar_problem_is_one_of_all_that_fulfill_the_law(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 4))
    root = rng.normal(size=(2 * n + 2, 2 * n))
    plane, vector = root.T @ root, rng.normal(size=2 * n)
    mu = rng.choice([0.2, 0.7, 3.0], size=n)
    # the second directions feel nothing
    a, b = np.eye(3 * n), np.zeros(3 * n)
    own = np.concatenate([np.arange(n), n + 2 * np.arange(n)])
    a[np.ix_(own, own)], b[own] = plane, vector
    z = solve_friction(a, b, mu)
    assert z is not None
    distances = [
        np.abs(z[own] - one).max() for one in planar_solutions(*(plane, vector), mu)
    ]
    assert min(distances) < 1e-9
    assert np.abs(np.delete(z, own)).max() < 1e-12


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("mu", [0.1, 0.5, 2.0, None])
def test_redundant_contacts_of_a_body_fulfill_the_law(seed: int, mu: Any) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 16))
    a, b = body(rng, n)
    frictions = rng.uniform(0.0, 3.0, n) if mu is None else np.full(n, mu)
    z = solve_friction(a, b, frictions)
    assert z is not None
    assert wrongs(a, b, frictions, z) < 1e-8 * np.abs(b).max() * (1.0 + z.max())


@pytest.mark.parametrize("seed", range(20))
def test_contacts_with_and_without_friction_mix(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = 6
    root = rng.normal(size=(3 * n + 1, 3 * n))
    a, b = root.T @ root, rng.normal(size=3 * n)
    mu = np.where(np.arange(n) % 2 == 0, 0.4, 0.0)
    rubs = np.flatnonzero(mu)
    own = np.concatenate([np.arange(n), *(n + 2 * i + np.arange(2) for i in rubs)])
    z = solve_friction(a[np.ix_(own, own)], b[own], mu)
    assert z is not None
    whole = np.zeros(3 * n)
    whole[own] = z
    assert wrongs(a, b, mu, whole) < 1e-9


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("spin_radius", [0.01, 0.3, 2.0])
def test_contacts_that_resist_spin_fulfill_the_law(
    seed: int, spin_radius: float
) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 8))
    a, b = body(rng, n, spin_radius)
    mu = rng.uniform(0.05, 1.5, n)
    z = solve_friction(a, b, mu)
    assert z is not None
    assert wrongs(a, b, mu, z) < 1e-8 * np.abs(b).max() * (1.0 + z.max())


@pytest.mark.parametrize("mu", [0.2, 5.0])
def test_sliding_and_spinning_share_the_limit(mu: float) -> None:
    """A point mass of 2 kg that spins: friction along what it resists."""
    a, b = np.eye(4) / 2.0, np.array([-1.0, 0.6, 0.0, -0.8])
    z = solve_friction(a, b, np.array([mu]))
    size = min(2.0, 2.0 * mu)
    assert z == pytest.approx([2.0, -0.6 * size, 0.0, 0.8 * size], rel=1e-12)


def test_sweeps_solve_one_contact_with_spin() -> None:
    """From nothing, in one sweep; by the law."""
    rng = np.random.default_rng(7)
    for mu in (0.1, 0.6):
        root = rng.normal(size=(6, 4))
        a, b = root.T @ root, np.array([-1.0, 3.0, -2.0, 4.0])
        z = np.zeros(4)
        sweep(a, b, np.array([mu]), np.array([1]), z, 3, 1, 1.0)
        assert wrongs(a, b, np.array([mu]), z) < 1e-10


@pytest.mark.parametrize("seed", range(10))
def test_rows_of_zeros_bear_nothing(seed: int) -> None:
    """Lines among points that resist spin."""
    rng = np.random.default_rng(seed)
    a, b = body(rng, 3)
    mu = rng.uniform(0.1, 1.0, 3)
    a += 0.1 * np.eye(9)
    wide, vector = np.zeros((12, 12)), np.zeros(12)
    own = np.concatenate([np.arange(3), *(3 + 3 * i + np.arange(2) for i in range(3))])
    wide[np.ix_(own, own)], vector[own] = a, b
    plain, found = solve_friction(a, b, mu), solve_friction(wide, vector, mu)
    assert plain is not None
    assert found is not None
    assert found[own] == pytest.approx(plain, abs=1e-9)
    assert np.all(np.delete(found, own) == 0.0)


def test_large_coefficient_is_a_joint() -> None:
    rng = np.random.default_rng(3)
    root = rng.normal(size=(12, 6))
    a = root.T @ root
    forces = np.array([1.0, 2.0, 0.3, -0.4, 0.5, 0.6])
    z = solve_friction(a, -a @ forces, np.array([1e8, 1e8]))
    assert z == pytest.approx(forces, rel=1e-9)


@pytest.mark.parametrize("unit", [1e-9, 1e9])
def test_units_do_not_matter(unit: float) -> None:
    rng = np.random.default_rng(5)
    a, b = body(rng, 3)
    a += 0.1 * np.eye(9)
    mu = np.full(3, 0.3)
    plain = solve_friction(a, b, mu)
    scaled = solve_friction(unit * a, unit**2 * b, mu)
    assert plain is not None
    assert scaled == pytest.approx(unit * plain, rel=1e-8)


def test_contacts_that_cannot_be_stopped_have_no_solution() -> None:
    """A wedge between two walls that come nearer."""
    a = np.zeros((6, 6))
    a[:2, :2] = [[1.0, -1.0], [-1.0, 1.0]]
    a[2:, 2:] = np.eye(4)
    b = np.array([-1.0, -1.0, 0.2, 0.0, 0.1, 0.0])
    assert solve_friction(a, b, np.full(2, 0.5)) is None


def rows_of(a: Any, b: Any, mu: Any, z: Any) -> Any:
    """``z - P(z - u)``, word by word; all contacts have friction."""
    n = mu.size
    width = z.size // n - 1
    pull = z - a @ z - b
    found = z.copy()
    for i in range(n):
        force = max(pull[i], 0.0)
        found[i] -= force
        at = slice(n + width * i, n + width * (i + 1))
        size = np.linalg.norm(pull[at])
        found[at] -= pull[at] * min(1.0, mu[i] * force / size)
    return found


@pytest.mark.parametrize("spin_radius", [0.0, 0.3])
def test_violation_is_that_of_the_equations(
    rng: np.random.Generator, spin_radius: float
) -> None:
    mu = np.array([0.3, 0.6])
    a, b = body(rng, 2, spin_radius)
    for _ in range(20):
        z = rng.normal(size=b.size)
        found, kept = np.empty(2), np.empty((N_KEPT, b.size))
        width = b.size // 2 - 1
        measure(a, b, mu, 2 + width * np.arange(2), width, z, kept, found)
        assert found[0] == pytest.approx(np.linalg.norm(rows_of(a, b, mu, z)))


@pytest.mark.parametrize("spin_radius", [0.0, 0.3])
@pytest.mark.parametrize("mu", [0.05, 5.0])
def test_newton_steps_square_the_error(
    rng: np.random.Generator, mu: float, spin_radius: float
) -> None:
    """Where contacts slide, for small coefficients, and where they stick."""
    a, b = body(rng, 2, spin_radius)
    a = a + 0.5 * np.eye(b.size)  # one solution, at which slopes are regular
    frictions = np.full(2, mu)
    z = solve_friction(a, b, frictions)
    assert z is not None
    width, direction = b.size // 2 - 1, rng.normal(size=b.size)
    kept, matrix = np.empty((N_KEPT, b.size)), np.empty((b.size, b.size + 1))
    for distance in (1e-3, 1e-5):
        begin, found = z + distance * direction, np.empty_like(z)
        given = a, b, frictions, 2 + width * np.arange(2), width
        newton(*given, 1, 0.0, begin, found, kept, matrix)
        assert np.abs(found - z).max() < 1e3 * distance**2 + 1e-12
