"""A soft rod that swings in a plane, as a chain of point masses between springs.

Each of n equal pieces of the rod is a spring along its length; where two pieces meet,
a spring bends against their angle a, with the curvature ``2 tan(a/2) / h`` of the
discrete elastic rod (Bergou et al. 2008). Half of the mass of a piece is at each of its
ends. The first mass is the hinge; the last carries a bob that turns with its piece.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.integrate import solve_ivp


class Rod(NamedTuple):
    """Rod of a length along x, with a bob at its end."""

    length: float
    mass: float
    stretch: float  # E A
    bend: float  # E I
    bob_mass: float
    bob_inertia: float
    gravity: float  # along -z


def accelerations(rod: Rod, places: Any, velocities: Any) -> Any:
    """Accelerations (n + 1, 2) of masses at places (n + 1, 2), (x, z)."""
    n = len(places) - 1
    h = rod.length / n
    masses = np.full(n + 1, rod.mass / n)
    masses[[0, -1]] *= 0.5
    masses[-1] += rod.bob_mass
    pieces = np.diff(places, axis=0)
    lengths = np.linalg.norm(pieces, axis=1)
    along = pieces / lengths[:, None]
    # on the second end of each piece, from the first
    inner = (rod.stretch * (1.0 - lengths / h))[:, None] * along
    a, b = along[:-1], along[1:]
    angles = np.arctan2(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0], np.sum(a * b, axis=1))
    # d/da of bend/2 (2 tan(a/2) / h)^2 h
    moments = 2.0 * rod.bend / h * np.tan(0.5 * angles) / np.cos(0.5 * angles) ** 2
    turn = np.column_stack([-along[:, 1], along[:, 0]]) / lengths[:, None]
    inner[1:] -= moments[:, None] * turn[1:]
    inner[:-1] += moments[:, None] * turn[:-1]
    forces = np.zeros_like(places)
    forces[1:] += inner
    forces[:-1] -= inner
    forces[:, 1] -= rod.gravity * masses
    # the bob turns with the last piece: masses + inertia g g^T, a rank-one update
    g = np.array([-turn[-1], turn[-1]])
    apart = velocities[-1] - velocities[-2]
    spin = turn[-1] @ apart
    drift = -2.0 * spin * (along[-1] @ apart) / lengths[-1]
    forces[-2:] -= rod.bob_inertia * drift * g
    result = forces / masses[:, None]
    weighted = g / masses[-2:, None]
    share = rod.bob_inertia * np.sum(g * result[-2:])
    result[-2:] -= weighted * share / (1.0 + rod.bob_inertia * np.sum(g * weighted))
    result[0] = 0.0
    return result


def bob_path(rod: Rod, n: int, times: Any) -> Any:
    """Places (n_times, 2) of the bob, let go at rest along x."""
    start = np.zeros((2, n + 1, 2))
    start[0, :, 0] = np.linspace(0.0, rod.length, n + 1)

    def rates(_time: float, state: Any) -> Any:
        places, velocities = state.reshape(2, n + 1, 2)
        return np.concatenate(
            [velocities.reshape(-1), accelerations(rod, places, velocities).reshape(-1)]
        )

    span = (0.0, float(times[-1]))
    found = solve_ivp(
        rates, span, start.reshape(-1), "DOP853", times, rtol=1e-9, atol=1e-10
    )
    return found.y.T.reshape(len(times), 2, n + 1, 2)[:, 0, -1]
