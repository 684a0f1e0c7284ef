"""Checks of a part by itself: finite numbers, signs, lengths of vectors."""

from __future__ import annotations

import dataclasses
import math
import numbers
from enum import Enum
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import numpy as np

from ..errors import ModelError
from ..parts.connections import JointSpring, Motor, Stop
from ..parts.structure import Vector
from ..parts.time import Motion, Table

# records that stand in fields of parts
RECORDS = (JointSpring, Motion, Motor, Stop, Table)
# fields that must not be negative, vectors that must not be zero, positive fields
NOT_NEGATIVE = {"mass", "mass_damping", "drag", "added_mass", "density", "length"}
DIRECTIONS = {"axis", "first_axis", "second_axis"}
POSITIVE = {"time_scale"}


def check_part(part: Any) -> None:
    """Refuse numbers that are not finite, wrong lengths and impossible signs.

    Raises
    ------
    ModelError
    """
    kind = type(part).__name__
    user = f"{kind} '{part.name}'"
    _check_record(part, user)
    if kind == "Beam":
        _check_beam(part, user)
    elif kind == "ModalBody":
        _check_modal_body(part, user)
    elif kind == "Support" and part.first_axis is not None:
        _check_axes(part, user)


def _check_record(record: Any, user: str) -> None:
    """Fields of a part, and of the records within."""
    hints = get_type_hints(type(record))
    for field in dataclasses.fields(record):
        value = getattr(record, field.name)
        _check_finite(value, f"{field.name} of {user}")
        if value is None or callable(value):
            continue
        _check_plain(field.name, value, hints[field.name], user)
        _check_field(field.name, value, hints[field.name], user)
        if isinstance(value, str) and _takes_names(hints[field.name]):
            raise ModelError(
                f"{field.name} of {user} is '{value}': expected several names, such as "
                f"('{value}',)."
            )
        for item in value if isinstance(value, tuple) else (value,):
            if isinstance(item, RECORDS):
                _check_record(item, f"{type(item).__name__} in {user}")


def _check_plain(name: str, value: Any, hint: Any, user: str) -> None:
    """Texts, numbers and truths must be such, where nothing else may stand."""
    options = _options_of(hint)
    for kind, words, fits in (
        (str, "a text", isinstance(value, str)),
        (float, "a number", _is_number(value)),
        (bool, "True or False", isinstance(value, (bool, np.bool_))),
    ):
        if options == {kind} and not fits:
            raise ModelError(f"{name} of {user} is {value!r}: expected {words}.")


def _check_field(name: str, value: Any, hint: Any, user: str) -> None:
    options = _options_of(hint)
    is_name = str in options and isinstance(value, str)
    if Vector in options and not (is_name or _is_vector(value, 3)):
        raise ModelError(f"{name} of {user} is {value!r}: expected three numbers.")
    if name in DIRECTIONS and not any(value):
        raise ModelError(f"{name} of {user} is zero: expected a direction.")
    if name in NOT_NEGATIVE and _is_number(value) and value < 0.0:
        raise ModelError(f"{name} of {user} is {value:g}: expected zero or more.")
    if name in POSITIVE and not value > 0.0:
        raise ModelError(f"{name} of {user} is {value:g}: expected a positive number.")
    choice = _choice_of(hint)
    if choice is not None and not isinstance(value, choice):
        names = ", ".join(choice.__members__)
        raise ModelError(
            f"{name} of {user} is {value!r}: expected {choice.__name__} ({names})."
        )


def _options_of(hint: Any) -> set[Any]:
    """Types that a field takes, besides None."""
    is_union = get_origin(hint) in (Union, UnionType)
    return {o for o in (get_args(hint) if is_union else (hint,)) if o is not NoneType}


def _choice_of(hint: Any) -> Any:
    """The enum that a field takes, if it takes one."""
    for option in (hint, *get_args(hint)):
        if isinstance(option, type) and issubclass(option, Enum):
            return option
    return None


def _takes_names(hint: Any) -> bool:
    """Whether a field takes a tuple of names and no single one."""
    options = (hint, *get_args(hint))
    return str not in options and any(get_origin(o) is tuple for o in options)


def _check_axes(part: Any, user: str) -> None:
    """The first axis of a support must not lie along its axis."""
    axis = np.asarray(part.axis, dtype=float)
    first = np.asarray(part.first_axis, dtype=float)
    across = np.cross(axis / np.linalg.norm(axis), first / np.linalg.norm(first))
    if np.linalg.norm(across) < 1e-6:
        raise ModelError(
            f"first_axis {part.first_axis} of {user} is parallel to its axis "
            f"{part.axis}: give a direction across."
        )


def _check_beam(part: Any, user: str) -> None:
    if not hasattr(part.section, "matrices"):
        raise ModelError(
            f"section of {user} is {type(part.section).__name__}: expected a section "
            "such as TubeSection or GeneralSection."
        )
    if part.orientation is not None and not any(part.orientation):
        raise ModelError(f"orientation of {user} is zero: expected a direction.")
    if part.rest_strain is not None and not _is_vector(part.rest_strain, 6):
        raise ModelError(
            f"rest_strain of {user} is {part.rest_strain!r}: expected six numbers "
            "(stretch, two shears, twist, two curvatures)."
        )
    if part.rest_strain is None and part.rest_strain_over_time is not None:
        raise ModelError(
            f"{user} has rest_strain_over_time but no rest_strain that it could act on."
        )


def _check_modal_body(part: Any, user: str) -> None:
    n = part.n_modes
    if isinstance(n, bool) or not isinstance(n, numbers.Integral) or n < 0:
        raise ModelError(f"n_modes of {user} is {n!r}: expected zero or more modes.")


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
    elif isinstance(value, np.ndarray) and value.dtype.kind == "f":
        _check_finite(value.ravel().tolist(), what)
