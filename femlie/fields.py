"""Checks of the fields of records: kinds of values, finite numbers, signs."""

from __future__ import annotations

import dataclasses
import functools
import math
import numbers
import os
import sys
from collections.abc import Callable, Sequence
from enum import Enum
from pathlib import Path
from types import NoneType, UnionType
from typing import (
    Any,
    Literal,
    NamedTuple,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

import numpy as np

from .errors import ModelError

# fields that must not be negative, that must be positive, and directions
NOT_NEGATIVE = {
    "mass",
    "mass_damping",
    "drag",
    "added_mass",
    "density",
    "length",
    "friction",
    "spin_radius",
}
POSITIVE = {"time_scale", "radius"}
DIRECTIONS = {"axis", "first_axis", "second_axis"}
# where something is: names of parts and groups
PLACES = {"at", "parent", "child", "first", "second"}
# lists of names, and others, that do nothing without an entry
NAMES = {"at", "on"}
NOT_EMPTY = {*NAMES, "motor", "spring", "stop"}
# greater integers do not fit into compiled code, squares of greater numbers overflow
GREATEST_INTEGER = 2**62
GREATEST_NUMBER = 1e150
LONGEST_SHOWN = 30
# fields of solvers: shares of something, and how often something is done
SHARES = {
    "tolerance",
    "residual_tolerance",
    "stage_tolerance",
    "correction_tolerance",
}
# fields from zero to one, both included
PARTS = {"restitution"}
COUNTS = {"iteration_limit", "sweep_limit"}


def check_fields(record: Any, user: str, *, within: tuple[type, ...] = ()) -> None:
    """Refuse wrong kinds of values, numbers that are not finite, impossible signs.

    Parameters
    ----------
    record : dataclass
    user : str
        Words for it in messages.
    within : tuple of types
        Records that stand in its fields and are looked at likewise.

    Raises
    ------
    ModelError
    """
    kind: Any = type(record)
    hints = _hints(kind)
    for field in dataclasses.fields(record):
        value = getattr(record, field.name)
        _check_finite(value, f"{field.name} of {user}")
        hint = hints[field.name]
        takes_none = NoneType in get_args(hint) or hint is Any
        options = _options(hint)
        is_function = callable(value) and _takes_functions(options)
        if is_function or (value is None and takes_none):
            continue
        _check_kind(field.name, value, options, user)
        _check_size(field.name, value, user)
        for item in value if isinstance(value, (tuple, list)) else (value,):
            if isinstance(item, within):
                check_fields(item, f"{type(item).__name__} in {user}", within=within)


@functools.cache
def _hints(kind: Any) -> dict[str, Any]:
    """Kinds of the fields of a record."""
    return get_type_hints(kind)


def _options(hint: Any) -> set[Any]:
    """The types that a hint allows, without None."""
    is_union = get_origin(hint) in (Union, UnionType)
    return set(get_args(hint) if is_union else (hint,)) - {NoneType}


def _takes_functions(options: set[Any]) -> bool:
    """Whether a field may hold a function, or anything at all."""
    return Any in options or any(map(_is_function_hint, options))


def _is_function_hint(option: Any) -> bool:
    return option is Callable or get_origin(option) is Callable


def _check_kind(name: str, value: Any, options: set[Any], user: str) -> None:
    """Refuse what is none of the kinds that a field takes."""
    known = [kind for kind in _KINDS if kind.takes(options)]
    lists = [option for option in options if get_origin(option) is tuple]
    records = tuple(
        o for o in options if isinstance(o, type) and dataclasses.is_dataclass(o)
    )
    is_known = len(known) + len(lists) + len(records) == len(options)
    if not is_known:
        return
    if any(kind.fits(value, options) for kind in known):
        if float not in options and is_whole(value):
            check_integer(value, f"{name} of {user}")
        return
    if isinstance(value, records):
        return
    if any(_fits_list(value, option) for option in lists):
        return
    if isinstance(value, str) and any(get_args(o)[0] is str for o in lists):
        several = next(_list_words(o) for o in lists if get_args(o)[0] is str)
        example = (value,) if several == "several names" else (value, value)
        raise ModelError(
            f"{name} of {user} is '{value}': expected {several}, such as {example!r}."
        )
    if name in PLACES and is_whole(value) and str in options:
        raise ModelError(
            f"{name} of {user} is {value!r}: expected the name of a part or group; a "
            "node is named by a group that holds it alone."
        )
    words = [kind.words(options) for kind in known] + [_list_words(o) for o in lists]
    words += sorted(f"a {record.__name__}" for record in records)
    raise ModelError(f"{name} of {user} is {value!r}: expected {' or '.join(words)}.")


def _check_size(name: str, value: Any, user: str) -> None:
    """Refuse directions without one, and numbers of the wrong sign."""
    if name in NOT_EMPTY and is_list(value) and len(value) == 0:
        some = "names" if name in NAMES else f"of them, or no {name}"
        raise ModelError(f"{name} of {user} is empty: expected one or more {some}.")
    if name in NAMES and is_list(value):
        twice = next((item for item in value if list(value).count(item) > 1), None)
        if twice is not None:
            raise ModelError(f"{name} of {user} has '{twice}' twice: name each once.")
    if name in DIRECTIONS and not any(value):
        raise ModelError(f"{name} of {user} is zero: expected a direction.")
    if name in NOT_NEGATIVE and is_number(value) and value < 0.0:
        raise ModelError(f"{name} of {user} is {value:g}: expected zero or more.")
    if name in POSITIVE and is_number(value) and value <= 0.0:
        raise ModelError(f"{name} of {user} is {value:g}: expected more than zero.")
    if name in SHARES and not 0.0 < value < 1.0:
        raise ModelError(
            f"{name} of {user} is {value:g}: expected a number between 0 and 1."
        )
    if name in PARTS and is_number(value) and not 0.0 <= value <= 1.0:
        raise ModelError(f"{name} of {user} is {value:g}: expected zero to one.")
    if name in COUNTS and value < 1:
        raise ModelError(f"{name} of {user} is {value}: expected one or more.")


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
    """Members of the enum as one types them: ``fl.REVOLUTE``, ``fl.Quantity.SPEED``."""
    choice: Any = _enum_of(options)
    # the package itself, which loads public names when they are asked for
    public = sys.modules["femlie"]
    is_public = getattr(public, choice.__name__, None) is choice
    if not is_public:
        return f"{choice.__name__} ({', '.join(choice.__members__)})"
    words = [
        f"fl.{name}"
        if getattr(public, name, None) is member
        else f"fl.{choice.__name__}.{name}"
        for name, member in choice.__members__.items()
    ]
    return " or ".join([", ".join(words[:-1]), words[-1]] if words[1:] else words)


def _literals(options: set[Any]) -> tuple[Any, ...]:
    """Texts one of which a field takes, if it takes such."""
    found = (get_args(o) for o in options if get_origin(o) is Literal)
    return next(found, ())


_KINDS = (
    _Kind(
        lambda options: str in options,
        lambda value, _: isinstance(value, str),
        lambda _: "a text",
    ),
    _Kind(
        lambda options: float in options,
        lambda value, _: is_number(value),
        lambda _: "a number",
    ),
    _Kind(
        lambda options: int in options,
        lambda value, _: is_whole(value),
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
    _Kind(
        lambda options: Path in options,
        lambda value, _: isinstance(value, os.PathLike),
        lambda _: "a path",
    ),
    _Kind(
        lambda options: any(map(_is_function_hint, options)),
        lambda value, _: callable(value),
        lambda _: "a function",
    ),
    _Kind(
        lambda options: bool(_literals(options)),
        lambda value, options: isinstance(value, str) and value in _literals(options),
        lambda options: " or ".join(map(repr, _literals(options))),
    ),
)


def _fits_list(value: Any, option: Any) -> bool:
    """Whether a value is a list of what a hint ``tuple[...]`` says."""
    entries = get_args(option)
    if not is_list(value):
        return False
    items = list(value)
    if Ellipsis not in entries and len(items) != len(entries):
        return False
    if entries[0] is float:
        return all(is_number(item) for item in items)
    if entries[0] is bool:
        return all(isinstance(x, (bool, np.bool_)) or _is_bit(x) for x in items)
    if get_origin(entries[0]) is tuple:
        return all(_fits_list(item, entries[0]) for item in items)
    return all(isinstance(item, entries[0]) for item in items)


def _is_bit(value: Any) -> bool:
    return is_number(value) and value in (0, 1)


def _list_words(option: Any) -> str:
    entries = get_args(option)
    if entries[0] is str:
        return "several names" if Ellipsis in entries else "two names"
    if entries[0] is bool:
        return "a list of True and False"
    if get_origin(entries[0]) is tuple:
        return "several lists of numbers"
    if entries[0] is not float:
        return f"several of {entries[0].__name__}"
    return "a list of numbers" if Ellipsis in entries else "three numbers"


def is_list(value: Any) -> bool:
    """Whether it is a list, a tuple or an array with entries, and no text."""
    if isinstance(value, np.ndarray):
        return value.ndim > 0
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes))


def is_whole(value: Any) -> bool:
    """Whether it is an integer, and not a truth value."""
    return is_number(value) and isinstance(value, numbers.Integral)


def is_number(value: Any) -> bool:
    """Whether it is a real number, and not a truth value."""
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


def is_usable(value: Any, greatest: float = GREATEST_NUMBER) -> bool:
    """Whether it is a finite number, and small enough to compute with."""
    if isinstance(value, np.floating):
        value = float(value)  # limits do not fit into short ones
    # integers of any length can be compared, but not converted
    return is_number(value) and bool(abs(value) < greatest)


def shown(value: Any) -> str:
    """A value for a message, whatever its length."""
    if isinstance(value, int) and abs(value) >= 10**LONGEST_SHOWN:
        return f"an integer of {value.bit_length()} bits"
    text = str(value) if is_number(value) else repr(value)
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}..."


def check_integer(value: Any, what: str) -> None:
    """Refuse integers that do not fit into compiled code.

    Raises
    ------
    ModelError
    """
    if abs(int(value)) >= GREATEST_INTEGER:
        raise ModelError(
            f"{what} is {shown(value)}: expected an integer below "
            f"{GREATEST_INTEGER:.2g}."
        )


def _check_finite(value: Any, what: str) -> None:
    if is_number(value):
        if not is_usable(value):
            limit = f" below {GREATEST_NUMBER:g}" * is_usable(value, math.inf)
            raise ModelError(
                f"{what} is {shown(value)}: expected a finite number{limit}."
            )
    elif isinstance(value, np.ndarray) and value.dtype.kind == "f":
        for item in value[~(np.abs(value.astype(float)) < GREATEST_NUMBER)]:
            _check_finite(float(item), what)
    elif isinstance(value, (tuple, list, np.ndarray)):
        for item in np.atleast_1d(value) if isinstance(value, np.ndarray) else value:
            _check_finite(item, what)
