"""Velocities at the start."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..elements.base import Array
from ..errors import ModelError, call_of_user
from ..fields import GREATEST_NUMBER
from ..parts.structure import InitialMotion
from .calls import check_call
from .places import Places


def initial_velocities(parts: list[InitialMotion], places: Places) -> Array:
    """(n_frames, 6) body-fixed velocities; later parts overwrite earlier ones."""
    n = len(places.frames)
    velocities = np.zeros((n, 6))
    for part in parts:
        user = f"Initial motion '{part.name}'"
        is_still = _is_zero(part.velocity) and _is_zero(part.angular_velocity)
        if part.on is None and is_still:
            raise ModelError(
                f"{user} has neither velocity nor angular_velocity: give one of them."
            )
        _check_about(part, user)
        chosen = np.arange(1, n)
        if part.on is not None:
            nodes = np.concatenate([places.moving_with(m, user=user) for m in part.on])
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


def _check_about(part: InitialMotion, user: str) -> None:
    """Refuse a point that would not matter."""
    if not np.any(part.about):
        return
    if callable(part.velocity):
        raise ModelError(
            f"{user} has about, on which a velocity that is a function of place does "
            "not depend: leave it out."
        )
    if _is_zero(part.angular_velocity):
        raise ModelError(
            f"{user} has about but no angular_velocity, so it would do nothing: leave "
            "it out."
        )


def _is_zero(given: Any) -> bool:
    """Whether it is numbers that are all zero; `_field` refuses other things."""
    values = _numbers(given)
    return values is not None and not np.any(values)


def _numbers(given: Any) -> Array | None:
    """An array of floats, None for what is none."""
    if callable(given):
        return None
    try:
        return np.asarray(given, dtype=float)
    except (TypeError, ValueError):
        return None


def _field(given: Any, points: Array, *, user: str, what: str) -> Array:
    answer = given
    if callable(given):
        check_call(given, points, what=f"{what} of {user}, called with points (n, 3),")
        answer = call_of_user(given, points, what=f"{what} of {user}")
    found = _numbers(answer)
    values = np.zeros(0) if found is None else found
    # squares of larger ones overflow
    is_usable = np.all(np.abs(values) < GREATEST_NUMBER)
    if values.shape not in ((3,), points.shape) or not is_usable:
        is_short = found is None or (np.ndim(answer) < 2 and np.size(answer) <= 6)
        shown = repr(answer) if is_short else f"an array {np.shape(answer)}"
        raise ModelError(
            f"{what} of {user} is {shown}: expected three finite numbers, or (n, 3) of "
            f"them for n points (here {len(points)})."
        )
    return np.broadcast_to(values, points.shape).copy()
