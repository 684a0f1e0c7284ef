"""Velocities at the start."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..elements.base import Array
from ..errors import ModelError
from ..parts.structure import InitialMotion
from .calls import check_call
from .places import Places


def initial_velocities(parts: list[InitialMotion], places: Places) -> Array:
    """(n_frames, 6) body-fixed velocities; later parts overwrite earlier ones."""
    n = len(places.frames)
    velocities = np.zeros((n, 6))
    for part in parts:
        user = f"Initial motion '{part.name}'"
        is_still = not (callable(part.velocity) or callable(part.angular_velocity))
        is_still = is_still and not np.any([part.velocity, part.angular_velocity])
        if part.on is None and is_still:
            raise ModelError(
                f"{user} has neither velocity nor angular_velocity: give one of them."
            )
        chosen = np.arange(1, n)
        if part.on is not None:
            nodes = np.concatenate([places.moving(m, user=user) for m in part.on])
            chosen = np.unique(places.node_frames[nodes])
        points = places.frames[chosen, :3, 3]
        spin = _field(part.angular_velocity, points, user=user, what="angular_velocity")
        speed = _field(part.velocity, points, user=user, what="velocity")
        if not callable(part.velocity):
            speed = speed + np.cross(spin, points - np.asarray(part.about, float))
        back = np.swapaxes(places.frames[chosen, :3, :3], 1, 2)
        velocities[chosen, :3] = np.einsum("nij,nj->ni", back, speed)
        velocities[chosen, 3:] = np.einsum("nij,nj->ni", back, spin)
    return velocities


def _field(given: Any, points: Array, *, user: str, what: str) -> Array:
    answer = given
    if callable(given):
        check_call(given, points, what=f"{what} of {user}, called with points (n, 3),")
        answer = given(points)
    try:
        values = np.asarray(answer, dtype=float)
    except (TypeError, ValueError):
        values = np.zeros(0)
    if values.shape not in ((3,), points.shape) or not np.all(np.isfinite(values)):
        is_short = np.ndim(answer) < 2 and np.size(answer) <= 6
        shown = repr(answer) if is_short else f"an array {np.shape(answer)}"
        raise ModelError(
            f"{what} of {user} is {shown}: expected three finite numbers, or (n, 3) of "
            f"them for n points (here {len(points)})."
        )
    return np.broadcast_to(values, points.shape).copy()
