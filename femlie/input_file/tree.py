"""TOML files as nested dictionaries, and values of the command line put into them."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from ..errors import InputFileError, suggestion
from .place import Place


def read_tree(file: Path) -> dict[str, Any]:
    """Tables of a TOML file as nested dictionaries."""
    if not file.is_file():
        kind = "is a folder" if file.is_dir() else "does not exist"
        siblings: list[str] = []
        if file.parent.is_dir():
            siblings = [p.name for p in file.parent.glob("*.toml") if p.is_file()]
        near = suggestion(file.name, siblings, what=f"model files in '{file.parent}'")
        raise InputFileError(f"{file}: the model file {kind}. {near}")
    try:
        text = file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputFileError(
            f"{file}: byte {error.start + 1} is not text in UTF-8; save it so."
        ) from None
    except OSError as error:
        raise InputFileError(f"{file}: it cannot be read ({error.strerror}).") from None
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputFileError(f"{file}: {_syntax_words(str(error), text)}") from None
    except RecursionError:
        raise InputFileError(f"{file}: its lists are nested too deeply.") from None


def _syntax_words(message: str, text: str) -> str:
    """What the parser says, with the line that it means."""
    found = re.search(r"\(at line (\d+), column (\d+)\)", message)
    reason = message.split(" (at ", maxsplit=1)[0]
    again = ("Cannot overwrite", "Cannot declare", "Duplicate inline", "Cannot mutate")
    hint = " (texts need quotes, numbers a point and digits around it)"
    if reason.startswith(again):
        reason, hint = f"{reason}; the same key or table is given twice", ""
    lines = text.rstrip().split("\n")
    number = int(found[1]) if found else len(lines)
    column = f"column {found[2]}" if found else "the last,"
    line = "".join(lines[number - 1 : number]).strip()
    return (
        f"line {number}, {column} is not valid TOML: {reason}, in '{line[:80]}'{hint}."
    )


def apply_override(
    tree: dict[str, Any], override: str, file: Path, *, option: str = "--set"
) -> None:
    """Replace a value in the tables by what ``key=value`` says.

    Values are TOML; a single word needs no quotes. ``option`` is where it was given.

    Raises
    ------
    InputFileError
        No such key, or a value that is not TOML.
    """
    place = Place(str(file), "", f"{option} {override}")
    key, equals, text = override.partition("=")
    if not equals:
        raise place.error("has no value, expected key=value.")
    try:
        parsed = tomllib.loads(f"value = {text}")
    except tomllib.TOMLDecodeError:
        # shells take quotes away: a bare word is a text
        is_word = re.fullmatch(r"[A-Za-z][\w.-]*", text.strip()) is not None
        parsed = {"value": text.strip()} if is_word else {}
    if list(parsed) != ["value"]:
        raise place.error(
            f"has the value {text.strip()}, which is not TOML: texts of several words "
            f"need quotes, as in {option} '{key}=\"{text.strip()}\"'."
        )
    _put(tree, _key_path(key, place), parsed["value"], place)


def set_value(tree: dict[str, Any], key: str, value: Any, file: Path) -> None:
    """Replace a value in the tables at a dotted key; see `apply_override`."""
    place = Place(str(file), "", f"parameter {key}")
    _put(tree, _key_path(key, place), value, place)


def _put(tree: dict[str, Any], path: list[str], value: Any, place: Place) -> None:
    """Put a value where the path leads.

    A field that the file leaves out may be set, and is checked like the others when the
    tables become a model; a part or a table that is new may not.
    """
    if path[0] == "analysis":
        tree.setdefault("analysis", {})
    here: Any = tree
    for step, name in enumerate(path[:-1]):
        here = _entry(here, name, path[:step], place)
    last = path[-1]
    is_field = len(path) > 2 or path[0] == "analysis"
    if not (is_field and isinstance(here, dict)):
        _entry(here, last, path[:-1], place)
    here[int(last) - 1 if isinstance(here, list) else last] = value


def _key_path(key: str, place: Place) -> list[str]:
    try:
        nested: Any = tomllib.loads(f"{key.strip()} = 0")
    except tomllib.TOMLDecodeError:
        nested = {}
    path: list[str] = []
    while isinstance(nested, dict) and len(nested) == 1:
        ((name, nested),) = nested.items()
        path.append(name)
    if not path or nested != 0:
        raise place.error(
            f"has the key '{key}', expected a dotted key like section.tube.radius, "
            "with names that hold blanks in quotes."
        )
    return path


def _entry(table: Any, name: str, path: list[str], place: Place) -> Any:
    """What stands at one step of a dotted key; entries of lists count from 1."""
    where = f"'{'.'.join(path)}'" if path else "the file"
    if isinstance(table, list):
        if not name.isdigit() or not 1 <= int(name) <= len(table):
            raise place.error(
                f"asks for '{name}' in {where}, expected an entry from 1 to "
                f"{len(table)}."
            )
        return table[int(name) - 1]
    if not isinstance(table, dict):
        raise place.error(f"asks for '{name}' in {where}, which is no table.")
    if name in table:
        return table[name]
    near = suggestion(name, table, what=f"keys of {where}")
    raise place.error(f"asks for '{name}', which {where} does not have. {near}")
