"""Values of a model file, converted to what the type hints of the parts ask for."""

from __future__ import annotations

import dataclasses
import math
import typing
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from ..errors import InputFileError, ModelError, suggestion
from ..fields import GREATEST_INTEGER, GREATEST_NUMBER, is_usable
from ..mesh import Solid
from ..sections import Material, Section, UniformSection
from ..sections.isotropic import Shape
from .hints import (
    ALTERNATIVES,
    Entries,
    Numbers,
    hint_of,
    is_needed,
    options_of,
    parameters_of,
)
from .place import Names, Place, toml_text
from .words import TABLES

SCRIPT = "a model file cannot hold one, so use a Python script"
# stands for the hint ``str | Path``
TEXT_OR_PATH = "text or path"


def check_keys(
    table: Mapping[str, Any], known: Mapping[str, Any], place: Place
) -> None:
    """Refuse keys that nothing would read."""
    for key in table:
        if key not in known:
            near = suggestion(key, known, what="keys")
            if key in TABLES and isinstance(table[key], dict):
                # in TOML what follows a heading belongs to it, dotted keys too
                near = (
                    f"Everything behind a heading belongs to its table: put this "
                    f"{key} above the first heading, or under one of its own, "
                    f"[{key}.NAME]."
                )
            raise place.error(f"has the unknown key '{key}'. {near}")


def arguments(
    target: Any,
    table: dict[str, Any],
    place: Place,
    names: Names,
    *,
    hidden: tuple[str, ...] = (),
) -> dict[str, Any]:
    """Arguments for a class or a function, from a table.

    Raises
    ------
    InputFileError
        An unknown key, a missing one, or a value of another type.
    """
    known = parameters_of(target, hidden=hidden)
    for name, parameter in known.items():
        if is_needed(parameter) and not is_sayable(hint_of(target, name)):
            raise place.error(f"needs a Python object for '{name}': {SCRIPT}.")
    check_keys(table, known, place)
    values = {}
    for name, parameter in known.items():
        hint = hint_of(target, name)
        if name in table:
            values[name] = convert(table[name], hint, place.at(name), names)
        elif is_needed(parameter):
            raise place.error(f"has no key '{name}', expected {words_for(hint)}.")
    return values


def make(
    target: Any,
    table: Any,
    place: Place,
    names: Names,
    *,
    given: Mapping[str, Any] | None = None,
) -> Any:
    """Call a class or a function with what a table says, and with what is given."""
    known = dict(given or {})
    if not isinstance(table, dict):
        raise place.wrong(table, f"a table with {_key_words(target)}")
    values = arguments(target, table, place, names, hidden=tuple(known))
    try:
        return target(**known, **values)
    except InputFileError:
        raise
    except ModelError as error:
        raise place.error(str(error)) from error


def is_sayable(hint: Any) -> bool:
    """Whether a file can hold such a value at all."""
    return any(_kind(option) is not FUNCTION for option in options_of(hint))


def words_for(hint: Any) -> str:
    """What is expected, in words."""
    known = [_kind(option).words(option) for option in options_of(hint)]
    return " or ".join(dict.fromkeys(words for words in known if words))


def convert(value: Any, hint: Any, place: Place, names: Names) -> Any:
    """A value of the file as the hint wants it, or InputFileError."""
    if not is_sayable(hint):
        raise place.error(f"stands for a Python object: {SCRIPT}.")
    options = options_of(hint)
    if {str, Path} <= set(options):
        others = [option for option in options if option not in (str, Path)]
        options = [TEXT_OR_PATH, *others]
    kinds = [(_kind(option), option) for option in options]
    fitting = [pair for pair in kinds if _is_one_of(value, pair[0].types)]
    if not fitting:
        has_function = any(kind is FUNCTION for kind, _ in kinds)
        more = (
            f"A Python function may stand here too: {SCRIPT}." if has_function else ""
        )
        raise place.wrong(value, words_for(hint), more)
    kind, option = fitting[0]
    if isinstance(value, dict) and len(fitting) > 1:
        kind, option = max(fitting, key=lambda pair: _n_common(value, pair[1]))
    return kind.convert(value, option, place, names)


def _n_common(table: dict[str, Any], target: Any) -> int:
    is_record = dataclasses.is_dataclass(target)
    return len(set(table) & set(parameters_of(target))) if is_record else 0


def _is_one_of(value: Any, wanted: tuple[type, ...]) -> bool:
    # to Python a bool is an integer, to a reader of the file it is none
    return bool in wanted if isinstance(value, bool) else isinstance(value, wanted)


class Kind(NamedTuple):
    """How one kind of value is recognized, converted and called."""

    types: tuple[type, ...]
    convert: Callable[[Any, Any, Place, Names], Any]
    words: Callable[[Any], str]


def _number(value: Any, _option: Any, place: Place, _names: Names) -> float:
    if not is_usable(value):
        is_large = isinstance(value, int) or math.isfinite(value)
        size = f"a number below {GREATEST_NUMBER:g}" if is_large else "a finite number"
        raise place.wrong(value, size)
    return float(value)


def _integer(value: int, _option: Any, place: Place, _names: Names) -> int:
    if abs(value) >= GREATEST_INTEGER:
        raise place.wrong(value, f"an integer below {GREATEST_INTEGER:.2g}")
    return value


def _text(value: str, _option: Any, place: Place, _names: Names) -> str:
    if not value.strip():
        raise place.wrong(value, "a text that is not empty")
    return value


def _path(value: str, option: Any, place: Place, names: Names) -> str | Path:
    path = existing_file(value, place, names)
    # where text will do it stays as it is: `Model.build` knows the folder
    return value if option is TEXT_OR_PATH else path


def existing_file(value: str, place: Place, names: Names) -> Path:
    """A path relative to the model file, which must exist."""
    path = names.folder / _text(value, None, place, names)
    if path.is_file():
        return path
    siblings = []
    if path.parent.is_dir():
        files = [p for p in path.parent.iterdir() if p.is_file()]
        alike = [p.name for p in files if p.suffix == path.suffix]
        siblings = alike or [p.name for p in files]
    near = suggestion(path.name, siblings, what=f"files in '{path.parent}'")
    raise place.error(
        f"is {toml_text(value)}, but there is no file '{path}' (paths start at the "
        f"folder of the model file). {near}"
    )


def _choice(value: Any, option: Any, place: Place, _names: Names) -> Any:
    known = _choices(option)
    for text, member in known.items():
        if str(value).replace("_", " ") == text.replace("_", " "):
            return member
    near = suggestion(str(value), known, what="values")
    raise place.error(f"is {toml_text(value)}, which is not known. {near}")


def _choices(option: Any) -> dict[str, Any]:
    if typing.get_origin(option) is Literal:
        return {str(value): value for value in typing.get_args(option)}
    return {str(member.value): member for member in option}


def _choice_words(option: Any) -> str:
    return "one of " + ", ".join(f'"{text}"' for text in _choices(option))


def _list(value: list[Any], option: Any, place: Place, names: Names) -> tuple[Any, ...]:
    hints = _entry_hints(option, len(value))
    if len(hints) != len(value):
        raise place.wrong(value, _list_words(option), f"It has {len(value)} entries.")
    return tuple(
        convert(entry, hint, place.entry(number), names)
        for number, (entry, hint) in enumerate(zip(value, hints, strict=True), start=1)
    )


def _entry_hints(option: Any, n: int) -> tuple[Any, ...]:
    hints = typing.get_args(option)
    is_fixed = typing.get_origin(option) is tuple and Ellipsis not in hints
    return hints if is_fixed else hints[:1] * n


def _list_words(option: Any) -> str:
    hints = typing.get_args(option)
    if typing.get_origin(option) is not tuple or Ellipsis in hints:
        return f"a list with {words_for(hints[0])} for each entry"
    entries = {float: "numbers", int: "integers", bool: "entries, each true or false"}
    return f"{len(hints)} {entries.get(hints[0], 'entries')}"


def _numbers(value: list[Any], option: Any, place: Place, names: Names) -> Any:
    wanted = option if isinstance(option, Numbers) else Numbers()
    nested = _nested(value, int if wanted.are_integers else float, place, names)
    shape = _shape_of(nested)
    if shape is None:
        raise place.wrong(value, "rows of equal length")
    is_empty = shape == (0,) and any(known[0] == -1 for known in wanted.shapes)
    if (
        wanted.shapes
        and not is_empty
        and not any(_fits(shape, known) for known in wanted.shapes)
    ):
        given = " x ".join(str(n) for n in shape)
        raise place.wrong(value, _numbers_words(option), f"Its shape is {given}.")
    return nested


def _nested(value: Any, entry: type, place: Place, names: Names) -> Any:
    if isinstance(value, list):
        return tuple(
            _nested(item, entry, place.entry(number), names)
            for number, item in enumerate(value, start=1)
        )
    return convert(value, entry, place, names)


def _shape_of(nested: Any) -> tuple[int, ...] | None:
    """Shape of nested tuples, None where rows differ."""
    if not isinstance(nested, tuple):
        return ()
    inner = {_shape_of(row) for row in nested}
    if len(inner) > 1:
        return None
    rest = inner.pop() if inner else ()
    return None if rest is None else (len(nested), *rest)


def _fits(shape: tuple[int, ...], wanted: tuple[int, ...]) -> bool:
    return len(shape) == len(wanted) and all(
        n in (-1, given) for given, n in zip(shape, wanted, strict=True)
    )


def _numbers_words(option: Any) -> str:
    wanted = option if isinstance(option, Numbers) else Numbers()
    what = "integers" if wanted.are_integers else "numbers"
    known = [_shape_words(shape, what) for shape in wanted.shapes]
    return " or ".join(known) or f"a list of {what}"


def _shape_words(shape: tuple[int, ...], what: str) -> str:
    if len(shape) == 1:
        return f"a list of {what}" if shape[0] < 0 else f"{shape[0]} {what}"
    return f"{'rows' if shape[0] < 0 else f'{shape[0]} rows'} of {shape[1]} {what}"


def _record(value: dict[str, Any], option: Any, place: Place, names: Names) -> Any:
    key, maker = ALTERNATIVES.get(option, ("", None))
    is_other_way = maker is not None and key in value
    return make(maker if is_other_way else option, value, place.as_table(), names)


def _key_words(target: Any) -> str:
    known = list(parameters_of(target, hidden=("name",)))
    return ", ".join(known[:6]) + (", ..." if len(known) > 6 else "")


def _record_words(option: Any) -> str:
    key, _ = ALTERNATIVES.get(option, ("", None))
    return f"a table with {_key_words(option)}" + (f", or with {key}" if key else "")


def _entries(
    value: dict[str, Any], option: Any, place: Place, names: Names
) -> dict[str, Any]:
    hint = option.hint if isinstance(option, Entries) else typing.get_args(option)[1]
    inner = place.as_table()
    return {
        key: convert(entry, hint, inner.at(key), names) for key, entry in value.items()
    }


def _always(words: str) -> Callable[[Any], str]:
    return lambda _option: words


def _same(value: Any, *_unused: Any) -> Any:
    return value


def _by_name(kind: str) -> Callable[[Any, Any, Place, Names], Any]:
    return lambda value, _option, place, names: getattr(names, kind)(value, place)


NUMBER = Kind((int, float), _number, _always("a number"))
INTEGER = Kind((int,), _integer, _always("an integer"))
BOOLEAN = Kind((bool,), _same, _always("true or false"))
TEXT = Kind((str,), _text, _always("a text in quotes"))
PATH = Kind((str,), _path, _always("the path of a file"))
CHOICE = Kind((str,), _choice, _choice_words)
LIST = Kind((list,), _list, _list_words)
NUMBERS = Kind((list,), _numbers, _numbers_words)
RECORD = Kind((dict,), _record, _record_words)
ENTRIES = Kind((dict,), _entries, _always("a table"))
MATERIAL = Kind((str, dict), _by_name("material"), _always("the name of a material"))
SECTION = Kind((str, dict), _by_name("section"), _always("the name of a section"))
SOLID = Kind(
    (dict, list),
    _by_name("solid"),
    _always("a table with shape, density and dimensions, or a list of them"),
)
FUNCTION = Kind((), _same, _always(""))

_SIMPLE: dict[Any, Kind] = {
    float: NUMBER,
    int: INTEGER,
    bool: BOOLEAN,
    str: TEXT,
    Path: PATH,
    TEXT_OR_PATH: PATH,
    Material: MATERIAL,
    Section: SECTION,
    UniformSection: SECTION,
    Shape: SECTION,
    Solid: SOLID,
    Any: NUMBERS,
}
_BY_ORIGIN: dict[Any, Kind] = {
    np.ndarray: NUMBERS,
    Literal: CHOICE,
    dict: ENTRIES,
    Mapping: ENTRIES,
    tuple: LIST,
    list: LIST,
    Sequence: LIST,
}


def _kind(option: Any) -> Kind:
    """How values of a type are handled."""
    if isinstance(option, Numbers):
        return NUMBERS
    if isinstance(option, Entries):
        return ENTRIES
    origin = typing.get_origin(option)
    if origin is not None:
        return _BY_ORIGIN.get(origin, FUNCTION)
    if option in _SIMPLE:
        return _SIMPLE[option]
    if isinstance(option, type) and issubclass(option, Enum):
        return CHOICE
    if isinstance(option, type) and dataclasses.is_dataclass(option):
        needed = [n for n, p in parameters_of(option).items() if is_needed(p)]
        can_be_said = all(is_sayable(hint_of(option, name)) for name in needed)
        return RECORD if can_be_said else FUNCTION
    return FUNCTION
