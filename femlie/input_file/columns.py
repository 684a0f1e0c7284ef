"""Text files with two columns, time and value, for tables of time."""

from __future__ import annotations

import math
import re
from pathlib import Path

from ..errors import InputFileError

_BETWEEN = re.compile(r"\s*[,;]\s*|\s+")


def read_columns(file: Path) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Both columns of a file; numbers have decimal points, whatever the locale.

    Raises
    ------
    InputFileError
        A line that is not two finite numbers, or fewer than two lines of them.
    """
    try:
        text = file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise InputFileError(f"{file}: it is not a text file in UTF-8.") from None
    rows: list[tuple[float, float]] = []
    is_first = True
    for number, line in enumerate(text.splitlines(), start=1):
        words = _BETWEEN.split(line.strip())
        if words == [""] or line.lstrip().startswith("#"):
            continue
        values = _finite_numbers(words)
        if len(values) == 2 == len(words):
            rows.append((values[0], values[1]))
        elif not is_first or values:
            raise InputFileError(
                f"{file}: line {number} is '{line.strip()}', expected two finite "
                "numbers with decimal points, time and value."
            )
        is_first = False
    if not rows:
        raise InputFileError(
            f"{file}: no numbers in it, expected lines of time and value."
        )
    times, values_at = zip(*rows, strict=True)
    return times, values_at


def _finite_numbers(words: list[str]) -> list[float]:
    numbers = []
    for word in words:
        try:
            number = float(word)
        except ValueError:
            continue
        if math.isfinite(number) and "_" not in word:
            numbers.append(number)
    return numbers
