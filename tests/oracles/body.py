"""A rigid body as a cloud of point masses, by d'Alembert's principle."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.oracles.joint import hat


@dataclass(frozen=True)
class Cloud:
    """Point masses (n,) [kg] at points (n, 3) in the axes of their frame [m]."""

    masses: Any
    points: Any

    @property
    def mass(self) -> float:
        return float(np.sum(self.masses))

    @property
    def first_moment(self) -> Any:
        return self.masses @ self.points

    @property
    def inertia(self) -> Any:
        """About the frame's origin."""
        total = np.zeros((3, 3))
        for mass, point in zip(self.masses, self.points, strict=True):
            total += mass * (point @ point * np.eye(3) - np.outer(point, point))
        return total


def wrench(cloud: Cloud, frame: Any, velocity: Any, acceleration: Any) -> Any:
    """Virtual work (6,) of the masses times their accelerations in space.

    On the path ``H exp(t v + t^2/2 a)`` a point has the acceleration
    ``H (hat(a) + hat(v)^2) x``.
    """
    total = np.zeros(6)
    second = hat(acceleration) + hat(velocity) @ hat(velocity)
    for mass, point in zip(cloud.masses, cloud.points, strict=True):
        place = np.array([*point, 1.0])
        force = mass * (frame @ second @ place)[:3]
        for k, unit in enumerate(np.eye(6)):
            total[k] += (frame @ hat(unit) @ place)[:3] @ force
    return total


def kinetic_energy(cloud: Cloud, frame: Any, velocity: Any) -> float:
    total = 0.0
    for mass, point in zip(cloud.masses, cloud.points, strict=True):
        speed = (frame @ hat(velocity) @ np.array([*point, 1.0]))[:3]
        total += 0.5 * mass * speed @ speed
    return float(total)
