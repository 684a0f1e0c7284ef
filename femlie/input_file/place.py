"""Where a value of a model file stands, and how messages show it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import InputFileError

LONGEST_SHOWN = 60
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


def toml_key(key: str) -> str:
    """A key as TOML wants it, in quotes where it needs them."""
    if _BARE_KEY.fullmatch(key):
        return key
    # JSON escapes what TOML does, but for one character
    return json.dumps(key, ensure_ascii=False).replace("\x7f", "\\u007f")


def toml_text(value: Any) -> str:
    """A value as the file says it, cut where it is long."""
    if isinstance(value, bool):
        text = "true" if value else "false"
    elif isinstance(value, str):
        text = f'"{value}"'
    elif isinstance(value, list):
        text = f"[{', '.join(toml_text(entry) for entry in value[:12])}]"
    elif isinstance(value, dict):
        text = "a table"
    else:
        text = str(value)
    if len(text) > LONGEST_SHOWN:
        text = f"{text[: LONGEST_SHOWN - 3]}..."
    return text


@dataclass(frozen=True)
class Place:
    """Where a value stands, for messages."""

    file: str
    table: str = ""
    key: str = ""

    def at(self, key: str) -> Place:
        """A key of the table."""
        return Place(self.file, self.table, key)

    def within(self, key: str) -> Place:
        """The table that stands at a key of the table."""
        return Place(self.file, f"{self.table}.{key}" if self.table else key)

    def entry(self, number: int) -> Place:
        """An entry of the list at the key, counted from 1."""
        return Place(self.file, self.table, f"{self.key} (entry {number})")

    def as_table(self) -> Place:
        """The value at the key as a table."""
        return self.within(self.key) if self.key else self

    def error(self, message: str) -> InputFileError:
        """Exception whose message starts with the place."""
        table = f"[{self.table}]" if self.table else ""
        words = (f"{self.file}:", table, self.key, message)
        return InputFileError(" ".join(word for word in words if word))

    def wrong(self, value: Any, expected: str, hint: str = "") -> InputFileError:
        """Exception for a value that is not what was expected."""
        message = f"is {toml_text(value)}, expected {expected}. {hint}"
        return self.error(message.rstrip())


@dataclass(frozen=True)
class Names:
    """What values may refer to.

    Attributes
    ----------
    folder : Path
        Folder of the model file, from which relative paths start.
    material, section, solid : callable
        ``f(value, place)`` that finds or makes what the value says.
    """

    folder: Path
    material: Callable[[Any, Place], Any]
    section: Callable[[Any, Place], Any]
    solid: Callable[[Any, Place], Any]
