"""Checks of a part or sensor by itself: kinds of values, finite numbers, signs."""

from __future__ import annotations

import dataclasses
import math
import numbers
from collections.abc import Callable, Sequence
from enum import Enum
from types import NoneType, UnionType
from typing import Any, NamedTuple, Union, get_args, get_origin, get_type_hints

import numpy as np

from ..elements.base import Array
from ..errors import ModelError
from ..parts.connections import JointSpring, Motor, Stop
from ..parts.time import Motion, Table

# records that stand in fields of parts
RECORDS = (JointSpring, Motion, Motor, Stop, Table)
# fields that must not be negative, that must be positive, and directions
NOT_NEGATIVE = {"mass", "mass_damping", "drag", "added_mass", "density", "length"}
POSITIVE = {"time_scale", "radius"}
DIRECTIONS = {"axis", "first_axis", "second_axis"}
# what a beam asks of its section
OF_SECTIONS = ("is_uniform", "at", "matrices", "damping_matrices")


def check_part(part: Any) -> None:
    """Refuse wrong kinds of values, numbers that are not finite, impossible signs.

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
        options = _options(hints[field.name])
        _check_kind(field.name, value, options, user)
        _check_size(field.name, value, user)
        for item in value if isinstance(value, tuple) else (value,):
            if isinstance(item, RECORDS):
                _check_record(item, f"{type(item).__name__} in {user}")


def _options(hint: Any) -> set[Any]:
    """The types that a hint allows, without None."""
    is_union = get_origin(hint) in (Union, UnionType)
    return set(get_args(hint) if is_union else (hint,)) - {NoneType}


def _check_kind(name: str, value: Any, options: set[Any], user: str) -> None:
    """Refuse what is none of the kinds that a field takes."""
    known = [kind for kind in _KINDS if kind.takes(options)]
    lists = [option for option in options if get_origin(option) is tuple]
    is_known = len(known) + len(lists) == len(options)
    if not is_known or any(kind.fits(value, options) for kind in known):
        return
    if any(_fits_list(value, option) for option in lists):
        return
    if isinstance(value, str) and any(get_args(o)[0] is str for o in lists):
        several = next(_list_words(o) for o in lists if get_args(o)[0] is str)
        example = (value,) if several == "several names" else (value, value)
        raise ModelError(
            f"{name} of {user} is '{value}': expected {several}, such as {example!r}."
        )
    words = [kind.words(options) for kind in known] + [_list_words(o) for o in lists]
    raise ModelError(f"{name} of {user} is {value!r}: expected {' or '.join(words)}.")


def _check_size(name: str, value: Any, user: str) -> None:
    """Refuse directions without one, and numbers of the wrong sign."""
    if name in ("at", "on") and isinstance(value, (tuple, list)) and not value:
        raise ModelError(f"{name} of {user} is empty: expected one or more names.")
    if name in DIRECTIONS and not any(value):
        raise ModelError(f"{name} of {user} is zero: expected a direction.")
    if name in NOT_NEGATIVE and _is_number(value) and value < 0.0:
        raise ModelError(f"{name} of {user} is {value:g}: expected zero or more.")
    if name in POSITIVE and _is_number(value) and value <= 0.0:
        raise ModelError(f"{name} of {user} is {value:g}: expected more than zero.")


class _Kind(NamedTuple):
    """Which options of a hint it is, which values fit, and how to call it."""

    takes: Callable[[set[Any]], bool]
    fits: Callable[[Any, set[Any]], bool]
    words: Callable[[set[Any]], str]


def _enum_of(options: set[Any]) -> Any:
    """The enum that a field takes, if it takes one."""
    for option in options:
        if isinstance(option, type) and issubclass(option, Enum):
            return option
    return None


def _enum_words(options: set[Any]) -> str:
    choice = _enum_of(options)
    return f"{choice.__name__} ({', '.join(choice.__members__)})"


_KINDS = (
    _Kind(
        lambda options: str in options,
        lambda value, _: isinstance(value, str),
        lambda _: "a text",
    ),
    _Kind(
        lambda options: float in options,
        lambda value, _: _is_number(value),
        lambda _: "a number",
    ),
    _Kind(
        lambda options: int in options,
        lambda value, _: _is_number(value) and isinstance(value, numbers.Integral),
        lambda _: "an integer",
    ),
    _Kind(
        lambda options: bool in options,
        lambda value, _: isinstance(value, (bool, np.bool_)),
        lambda _: "True or False",
    ),
    _Kind(
        lambda options: _enum_of(options) is not None,
        lambda value, options: isinstance(value, _enum_of(options)),
        _enum_words,
    ),
)


def _fits_list(value: Any, option: Any) -> bool:
    """Whether a value is a list of what a hint ``tuple[...]`` says."""
    entries = get_args(option)
    if isinstance(value, str) or not isinstance(value, (Sequence, np.ndarray)):
        return False
    items = list(value)
    if Ellipsis not in entries and len(items) != len(entries):
        return False
    if entries[0] is float:
        return all(_is_number(item) for item in items)
    if entries[0] is bool:
        return all(isinstance(x, (bool, np.bool_)) or x in (0, 1) for x in items)
    return all(isinstance(item, entries[0]) for item in items)


def _list_words(option: Any) -> str:
    entries = get_args(option)
    if entries[0] is str:
        return "several names" if Ellipsis in entries else "two names"
    if entries[0] is bool:
        return "a list of True and False"
    if entries[0] is not float:
        return f"several of {entries[0].__name__}"
    return "a list of numbers" if Ellipsis in entries else "three numbers"


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
    lacking = next((n for n in OF_SECTIONS if not hasattr(part.section, n)), None)
    if lacking is not None:
        raise ModelError(
            f"section of {user} is {type(part.section).__name__}, which has no "
            f"'{lacking}': expected a section such as TubeSection or GeneralSection."
        )
    if part.orientation is not None and not any(part.orientation):
        raise ModelError(
            f"orientation of {user} is {part.orientation!r}: expected three numbers "
            "that are not all zero."
        )
    if part.rest_strain is not None and len(part.rest_strain) != 6:
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


def array_of_numbers(given: Any, *, what: str, expected: str) -> Array:
    """Numbers of any shape, or an error that names what they are for."""
    try:
        return np.asarray(given, dtype=float)
    except (TypeError, ValueError) as error:
        raise ModelError(f"{what} is {given!r}: expected {expected}.") from error


def _check_finite(value: Any, what: str) -> None:
    if _is_number(value):
        if not math.isfinite(value):
            raise ModelError(f"{what} is {value}: expected a finite number.")
    elif isinstance(value, np.ndarray) and value.dtype.kind == "f":
        for item in value[~np.isfinite(value)]:
            _check_finite(float(item), what)
    elif isinstance(value, (tuple, list, np.ndarray)):
        for item in value:
            _check_finite(item, what)
