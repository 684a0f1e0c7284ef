"""Pendulums of one and two prisms in the plane, by angles: nothing of femlie's.

Prisms of 2 m and 50 kg as in `source_models.chain`, by Lagrange's equations of the
second kind in the angles of the links from the vertical. The source takes J = m l^2/3
for one link here and a prism there, which cannot agree; here both are prisms.
"""

from __future__ import annotations

import numpy as np
from scipy.integrate import solve_ivp

LENGTH, WIDTH, MASS, GRAVITY = 2.0, 0.2, 50.0, 9.81
HALF = 0.5 * LENGTH
ABOUT_CENTER = MASS / 12.0 * (LENGTH**2 + WIDTH**2)
ABOUT_END = ABOUT_CENTER + MASS * HALF**2
TOLERANCE = 1e-13


def one_link(_time: float, state: np.ndarray) -> np.ndarray:
    """Rates of the angle and its rate."""
    angle, rate = state
    return np.array([rate, -MASS * GRAVITY * HALF * np.sin(angle) / ABOUT_END])


def two_links(_time: float, state: np.ndarray) -> np.ndarray:
    """Rates of both angles and of their rates."""
    angles, rates = state[:2], state[2:]
    between = angles[0] - angles[1]
    tie = MASS * LENGTH * HALF
    mass = np.array(
        [
            [ABOUT_END + MASS * LENGTH**2, tie * np.cos(between)],
            [tie * np.cos(between), ABOUT_END],
        ]
    )
    weight = MASS * GRAVITY * np.array([HALF + LENGTH, HALF]) * np.sin(angles)
    turning = tie * np.sin(between) * np.array([rates[1] ** 2, -(rates[0] ** 2)])
    return np.concatenate([rates, np.linalg.solve(mass, -weight - turning)])


def angles(n_links: int, start: float, times: np.ndarray) -> np.ndarray:
    """(n_times, n_links) angles from rest, all links at ``start`` [rad].

    Runge-Kutta of order 8 with tolerances of 1e-13 (the source: order 5).
    """
    rate = one_link if n_links == 1 else two_links
    solution = solve_ivp(
        rate,
        (times[0], times[-1]),
        np.concatenate([np.full(n_links, start), np.zeros(n_links)]),
        method="DOP853",
        t_eval=times,
        rtol=TOLERANCE,
        atol=TOLERANCE,
    )
    return solution.y[:n_links].T
