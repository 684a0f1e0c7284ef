"""Coulomb's law for few contacts: impulses in cones, slip against friction.

With speeds ``u = A z + b``, along the normal ``0 <= u_N``, ``z_N >= 0``, one of them
zero; along the surface ``|z_T| <= mu z_N``, and where ``u_T`` is not zero ``z_T = -mu
z_N u_T / |u_T|``. The slip does not open the contact: this is not the dual cone of an
associated law.
"""

from __future__ import annotations

import numpy as np

from ..elements.base import Array, IntArray
from ._cone_newton import N_KEPT, measure, newton
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
    law = _Law(coefficients, places, width)
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
        z = _rounds(a, b, law, guess, shift)
        if law.measure(a, b, z)[1] <= TAKEN:
            return np.asarray(law.inside(z) * scale * size)
    return None


class _Law:
    """The law of all contacts, as rows that are zero where it is fulfilled.

    Parameters
    ----------
    coefficients : (n,) array
    places : (n,) int array
        First tangential row of each contact, -1 without friction.
    width : int
        Tangential rows of one contact, 2 or 3.
    """

    def __init__(self, coefficients: Array, places: IntArray, width: int) -> None:
        self.coefficients = coefficients
        self.places = places
        self.width = width
        self.n = coefficients.size
        self.rubs = np.flatnonzero(places >= 0)

    def scaled(self, share: float) -> _Law:
        """The law with smaller coefficients."""
        return _Law(share * self.coefficients, self.places, self.width)

    def measure(self, a: Array, b: Array, z: Array) -> tuple[float, float]:
        """Size of the violation, and the largest over what speeds are made of."""
        found, kept = np.empty(2), np.empty((N_KEPT, b.size))
        measure(a, b, self.coefficients, self.places, self.width, z, kept, found)
        return float(found[0]), float(found[1])

    def newton(self, a: Array, b: Array, z: Array) -> Array:
        """The best place on the way of Newton's method, in whole steps."""
        own, best = z.copy(), np.empty_like(z)
        kept, matrix = np.empty((N_KEPT, b.size)), np.empty((b.size, b.size + 1))
        given = a, b, self.coefficients, self.places, self.width
        newton(*given, STEPS, MET, own, best, kept, matrix)
        return best

    def inside(self, z: Array) -> Array:
        """Forces without the rounding that leaves the cones."""
        found = z.copy()
        found[: self.n] = np.maximum(found[: self.n], 0.0)
        t = found[self.n :].reshape(-1, self.width)
        length = np.maximum(np.linalg.norm(t, axis=1), 1e-300)
        limit = (self.coefficients * found[: self.n])[self.rubs]
        found[self.n :] = (np.minimum(limit / length, 1.0)[:, None] * t).ravel()
        return found


def _rounds(a: Array, b: Array, law: _Law, guess: Array, shift: float) -> Array:
    """Rounds whose solutions converge to one of the whole."""
    z = np.zeros(b.size)
    shifted = a + shift * np.eye(b.size)
    for _ in range(ROUNDS):
        found = _solve(shifted, b - shift * z, law, guess)
        change = np.abs(found - z).max()
        guess, z = found.copy(), found
        is_settled = change <= MET * np.abs(z).max()
        if is_settled or law.measure(a, b, z)[1] <= MET:
            break
    return z


def _solve(a: Array, b: Array, law: _Law, guess: Array) -> Array:
    """Solution for a matrix with positive eigenvalues, or the best that was found."""
    best = _search(a, b, law, guess)
    for more, shares in ROUND_ABOUT:
        wrong, ratio = law.measure(a, b, best)
        if ratio <= TAKEN:
            break
        softer = a + more * np.eye(b.size)
        z = np.zeros(b.size)
        for share in shares:
            z = _search(softer, b, law.scaled(share), z)
        z = _search(a, b, law, z)
        if law.measure(a, b, z)[0] < wrong:
            best = z
    return best


def _search(a: Array, b: Array, law: _Law, guess: Array) -> Array:
    """The best solution that is found from a guess, by Newton's method and sweeps."""
    n_sweeps, share = SWEEPS, 1.0
    best = z = guess
    least = np.inf
    for _ in range(TRIES):
        z = law.newton(a, b, z)
        wrong, ratio = law.measure(a, b, z)
        if ratio <= TAKEN:
            return z  # Newton's method has gone on as far as rounding lets it
        if wrong < least:
            best, least = z, wrong
        z = law.inside(best)
        given = a, b, law.coefficients, law.places
        sweep(*given, z, law.width, n_sweeps, share)
        n_sweeps, share = 2 * n_sweeps, LESS * share
    return best
