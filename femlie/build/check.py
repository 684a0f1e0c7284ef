"""Checks of a part by itself: finite numbers, signs, lengths of vectors."""

from __future__ import annotations

import dataclasses
import math
import numbers
from enum import Enum
from typing import Any

from ..errors import ModelError

# fields that must not be negative, and vectors that must not be zero
NOT_NEGATIVE = {"mass", "mass_damping", "drag", "added_mass", "density"}
DIRECTIONS = {"axis", "orientation_vector", "first_axis", "second_axis"}
VECTORS = {
    "force",
    "moment",
    "point",
    "acceleration",
    "axis",
    "first_axis",
    "second_axis",
    "displacement",
    "rotation",
    "start_offset",
    "end_offset",
    "about",
    "first_point",
    "second_point",
    "child_position",
    "center",
}


def check_part(part: Any) -> None:
    """Refuse numbers that are not finite, wrong lengths and impossible signs.

    Raises
    ------
    ModelError
    """
    kind = type(part).__name__
    user = f"{kind} '{part.name}'"
    for field in dataclasses.fields(part):
        value = getattr(part, field.name)
        _check_finite(value, f"{field.name} of {user}")
        if value is None or callable(value):
            continue
        if field.name in VECTORS and not _is_vector(value, 3):
            raise ModelError(
                f"{field.name} of {user} is {value!r}: expected three numbers."
            )
        if field.name in DIRECTIONS and not any(value):
            raise ModelError(f"{field.name} of {user} is zero: expected a direction.")
        if field.name in NOT_NEGATIVE and _is_number(value) and value < 0.0:
            raise ModelError(
                f"{field.name} of {user} is {value:g}: expected zero or more."
            )
        if isinstance(field.default, Enum) and not isinstance(
            value, type(field.default)
        ):
            names = ", ".join(type(field.default).__members__)
            raise ModelError(
                f"{field.name} of {user} is {value!r}: expected "
                f"{type(field.default).__name__} ({names})."
            )
    if kind == "Beam":
        _check_beam(part, user)


def _check_beam(part: Any, user: str) -> None:
    if not hasattr(part.section, "matrices"):
        raise ModelError(
            f"section of {user} is {type(part.section).__name__}: expected a section "
            "such as TubeSection or GeneralSection."
        )
    if part.orientation is not None and (
        not _is_vector(part.orientation, 3) or not any(part.orientation)
    ):
        raise ModelError(
            f"orientation of {user} is {part.orientation!r}: expected three numbers "
            "that are not all zero."
        )
    if part.rest_strain is not None and not _is_vector(part.rest_strain, 6):
        raise ModelError(
            f"rest_strain of {user} is {part.rest_strain!r}: expected six numbers "
            "(stretch, two shears, twist, two curvatures)."
        )
    if part.rest_strain is None and part.rest_strain_over_time is not None:
        raise ModelError(
            f"{user} has rest_strain_over_time but no rest_strain that it could act on."
        )


def _is_number(value: Any) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


def _is_vector(value: Any, n: int) -> bool:
    try:
        items = list(value)
    except TypeError:
        return False
    return len(items) == n and all(_is_number(x) for x in items)


def _check_finite(value: Any, what: str) -> None:
    if _is_number(value):
        if not math.isfinite(value):
            raise ModelError(f"{what} is {value}: expected a finite number.")
    elif isinstance(value, (tuple, list)):
        for item in value:
            _check_finite(item, what)
