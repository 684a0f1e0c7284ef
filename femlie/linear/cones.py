"""Coulomb's law for few contacts: impulses in cones, slip against friction.

With speeds ``u = A z + b``, along the normal ``0 <= u_N``, ``z_N >= 0``, one of them
zero; along the surface ``|z_T| <= mu z_N``, and where ``u_T`` is not zero ``z_T = -mu
z_N u_T / |u_T|``. The slip does not open the contact: this is not the dual cone of an
associated law.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..elements.base import Array, IntArray
from ._cones import sweep
from .complementarity import solve_complementarity

# share of the diagonal that is added in each round, and taken out by the next ones
SHIFTS = 1e-7, 1e-9
ROUNDS = 30
# violation of the law that is met, and the one that is taken where rounding stops
MET, TAKEN = 1e-12, 1e-9
# Newton's steps, and tries with sweeps between, which double and change less
STEPS, TRIES, SWEEPS, LESS = 30, 6, 8, 0.8
# ways round to a solution where it is not found at once: shares of the diagonal that
# are added, and of the coefficients, from small ones on
ROUND_ABOUT = (
    (1e-3, (1.0,)),
    (0.0, (0.2, 0.4, 0.6, 0.8)),
    (1e-2, (1.0,)),
    (1e-3, (0.1, 0.3, 0.5, 0.7, 0.9)),
    (1e-1, (0.3, 1.0)),
    (1e-5, (0.5, 1.0)),
)


def solve_friction(matrix: Array, vector: Array, coefficients: Array) -> Array | None:
    """Impulses of contacts with Coulomb friction.

    Parameters
    ----------
    matrix : (n + w m, n + w m) array
        A, symmetric without negative eigenvalues; may be singular. Normal rows first,
        then w tangential ones for each contact with a positive coefficient: two, or
        three with that of spin about the normal, of speeds ``R omega_N`` and moments
        over R. A tangential row of zeros stands for nothing.
    vector : (n + w m,) array
        b, speeds without impulses.
    coefficients : (n,) array
        mu.

    Returns
    -------
    (n + w m,) array or None
        None where no contact can be stopped, or no solution has been found.

    Notes
    -----
    The law is the zero of ``z - P(z - u)``, P onto the half line and onto the disc, or
    ball, of radius ``mu max(z_N - u_N, 0)`` (Alart and Curnier 1991), found by Newton's
    method with the matrix of Hueeber, Stadler and Wohlmuth 2008. Where that does not
    get nearer, sweeps of exact solutions of one contact after another are taken in
    between (Jean 1999). Contacts that say the same twice share their force: rounds with
    a small shift of the diagonal, as in `solve_complementarity`. A solution need not be
    the only one where coefficients are large.
    """
    n = coefficients.size
    start = solve_complementarity(matrix[:n, :n], vector[:n])
    if start is None or vector.size == n:
        return start
    places = np.full(n, -1, dtype=np.int64)
    rubs = np.flatnonzero(coefficients > 0.0)
    width = (vector.size - n) // rubs.size
    places[rubs] = n + width * np.arange(rubs.size)
    law = _Law(coefficients, rubs, width)
    # one scale for all rows of a contact, which leaves cones as they are
    sizes = np.diag(matrix)[:n].copy()
    sizes[rubs] = np.maximum(sizes[rubs], np.diag(matrix)[n:].reshape(-1, width).max(1))
    largest = sizes.max()
    if largest <= 0.0:
        return np.zeros(vector.size)
    scale = 1.0 / np.sqrt(np.maximum(sizes, 1e-14 * largest))
    scale = np.concatenate([scale, np.repeat(scale[rubs], width)])
    a = scale[:, None] * matrix * scale
    is_nothing = ~(np.any(a, axis=1) | (vector != 0.0))
    is_nothing[:n] = False
    a[is_nothing, is_nothing] = 1.0
    b = scale * vector
    size = np.abs(b).max()
    if size == 0.0:
        return np.zeros(vector.size)
    b /= size
    guess = np.zeros(b.size)
    guess[:n] = start / (scale[:n] * size)
    for shift in SHIFTS:
        z = _rounds(a, b, law, places, guess, shift)
        if law.is_met(a, b, z, TAKEN):
            return np.asarray(law.inside(z) * scale * size)
    return None


class _Law:
    """The law of all contacts, as rows that are zero where it is fulfilled."""

    def __init__(self, coefficients: Array, rubs: IntArray, width: int) -> None:
        self.n = coefficients.size
        self.width = width
        self.rubs = rubs
        self.mu = coefficients[rubs]

    def scaled(self, share: float) -> _Law:
        """The law with smaller coefficients."""
        coefficients = np.zeros(self.n)
        coefficients[self.rubs] = share * self.mu
        return _Law(coefficients, self.rubs, self.width)

    def violation(self, z: Array, u: Array) -> Array:
        """``z - P(z - u)``."""
        s = z - u
        found = z.copy()
        found[: self.n] -= np.maximum(s[: self.n], 0.0)
        t = s[self.n :].reshape(-1, self.width)
        limit = self.mu * np.maximum(s[self.rubs], 0.0)
        length = np.maximum(np.linalg.norm(t, axis=1), 1e-300)
        found[self.n :] -= (np.minimum(limit / length, 1.0)[:, None] * t).ravel()
        return found

    def error(self, a: Array, b: Array, z: Array) -> float:
        """Size of the violation."""
        return float(np.linalg.norm(self.violation(z, a @ z + b)))

    def is_met(self, a: Array, b: Array, z: Array, share: float) -> bool:
        """Whether the law holds, up to a share of what speeds are made of."""
        allowed = share * (1.0 + np.abs(a) @ np.abs(z) + np.abs(z))
        wrong = np.abs(self.violation(z, a @ z + b))
        # tangents belong to their contact
        allowed[self.n :] += np.repeat(allowed[self.rubs], self.width)
        return bool(np.all(wrong <= allowed))

    def inside(self, z: Array) -> Array:
        """Forces without the rounding that leaves the cones."""
        found = z.copy()
        found[: self.n] = np.maximum(found[: self.n], 0.0)
        t = found[self.n :].reshape(-1, self.width)
        length = np.maximum(np.linalg.norm(t, axis=1), 1e-300)
        limit = self.mu * found[self.rubs]
        found[self.n :] = (np.minimum(limit / length, 1.0)[:, None] * t).ravel()
        return found

    def slopes(self, z: Array, u: Array) -> tuple[Array, Array]:
        """Derivatives of the rows by z and by u."""
        n, size = self.n, z.size
        s = z - u
        by_z, by_u = np.zeros((size, size)), np.zeros((size, size))
        is_shut = s[:n] > 0.0
        normal = np.arange(n)
        by_z[normal, normal], by_u[normal, normal] = ~is_shut, is_shut
        width, unit = self.width, np.eye(self.width)
        t, own = s[n:].reshape(-1, width), z[n:].reshape(-1, width)
        for k, i in enumerate(self.rubs.tolist()):
            at = slice(n + width * k, n + width * (k + 1))
            limit, length = self.mu[k] * s[i], float(np.linalg.norm(t[k]))
            if limit <= 0.0:
                by_z[at, at] = unit
            elif length <= limit:
                by_u[at, at] = unit
            else:
                direction = t[k] / length
                change = _turning(own[k], direction, limit, length)
                by_z[at, at], by_u[at, at] = unit - change, change
                by_z[at, i], by_u[at, i] = (
                    -self.mu[k] * direction,
                    self.mu[k] * direction,
                )
        return by_z, by_u


def _turning(own: Array, direction: Array, limit: float, length: float) -> Any:
    """How a force on the cone follows ``z_T - u_T``; exact at the solution."""
    size = float(np.linalg.norm(own))
    damped = np.zeros(own.size)
    if size > 0.0:
        cosine = float(own @ direction) / size
        damped = own / max(limit, size)
        if cosine < 0.0:
            damped /= 1.0 - cosine * min(size / limit, 1.0)
    return limit / length * (np.eye(own.size) - np.outer(damped, direction))


def _rounds(
    a: Array, b: Array, law: _Law, places: IntArray, guess: Array, shift: float
) -> Array:
    """Rounds whose solutions converge to one of the whole."""
    z = np.zeros(b.size)
    shifted = a + shift * np.eye(b.size)
    for _ in range(ROUNDS):
        found = _solve(shifted, b - shift * z, law, places, guess)
        change = np.abs(found - z).max()
        guess, z = found.copy(), found
        if law.is_met(a, b, z, MET) or change <= MET * np.abs(z).max():
            break
    return z


def _solve(a: Array, b: Array, law: _Law, places: IntArray, guess: Array) -> Array:
    """Solution for a matrix with positive eigenvalues, or the best that was found."""
    best = _search(a, b, law, places, guess)
    for more, shares in ROUND_ABOUT:
        if law.is_met(a, b, best, TAKEN):
            break
        softer = a + more * np.eye(b.size)
        z = np.zeros(b.size)
        for share in shares:
            z = _search(softer, b, law.scaled(share), places, z)
        z = _search(a, b, law, places, z)
        if law.error(a, b, z) < law.error(a, b, best):
            best = z
    return best


def _search(a: Array, b: Array, law: _Law, places: IntArray, guess: Array) -> Array:
    """The best solution that is found from a guess, by Newton's method and sweeps."""
    coefficients = np.zeros(law.n)
    coefficients[law.rubs] = law.mu
    n_sweeps, share = SWEEPS, 1.0
    best = z = guess
    least = np.inf
    for _ in range(TRIES):
        z = _newton(a, b, law, z)
        wrong = law.error(a, b, z)
        if wrong < least:
            best, least = z, wrong
        if law.is_met(a, b, z, TAKEN):
            return z  # Newton's method has gone on as far as rounding lets it
        z = law.inside(best)
        sweep(a, b, coefficients, places, z, law.width, n_sweeps, share)
        n_sweeps, share = 2 * n_sweeps, LESS * share
    return best


def _newton(a: Array, b: Array, law: _Law, z: Array) -> Array:
    """The best place on the way of Newton's method, in whole steps."""
    best, least = z, law.error(a, b, z)
    for _ in range(STEPS):
        if law.is_met(a, b, z, MET):
            return z
        u = a @ z + b
        by_z, by_u = law.slopes(z, u)
        try:
            z = z - np.linalg.solve(by_z + by_u @ a, law.violation(z, u))
        except np.linalg.LinAlgError:
            break
        wrong = law.error(a, b, z)
        if wrong < least:
            best, least = z, wrong
    return best
