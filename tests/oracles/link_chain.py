"""Plane chain of equal rigid links in absolute angles, by explicit Runge-Kutta.

Lagrange's equations: ``sum_j c_ij (cos(t_i - t_j) t_j'' + sin(t_i - t_j) t_j'^2)
+ w_i sin(t_i) = 0`` with angles from the downward vertical.
"""

from __future__ import annotations

import numpy as np
from scipy.integrate import solve_ivp

Array = np.ndarray


def tip_of_chain(
    angles: Array,
    *,
    length: float,
    mass: float,
    inertia: float,
    gravity: float,
    duration: float,
) -> Array:
    """(2,) place of the tip after a start from rest; x is positive where angles are."""
    n = angles.size
    below = n - 1.0 - np.maximum.outer(np.arange(n), np.arange(n))
    # links below hang on the whole length, the link itself on half of it
    coupling = mass * length**2 * (below + 0.5)
    np.fill_diagonal(coupling, mass * length**2 * (np.diag(below) + 0.25) + inertia)
    weight = mass * gravity * length * (n - 0.5 - np.arange(n))

    def rate(_: float, state: Array) -> Array:
        angle, speed = state[:n], state[n:]
        difference = angle[:, None] - angle[None, :]
        force = -(coupling * np.sin(difference)) @ speed**2 - weight * np.sin(angle)
        return np.concatenate(
            [speed, np.linalg.solve(coupling * np.cos(difference), force)]
        )

    start = np.concatenate([angles, np.zeros(n)])
    found = solve_ivp(
        rate, (0.0, duration), start, method="DOP853", rtol=1e-10, atol=1e-12
    )
    angle = found.y[:n, -1]
    return length * np.array([np.sin(angle).sum(), -np.cos(angle).sum()])
