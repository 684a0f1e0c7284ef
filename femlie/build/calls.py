"""Checks of what a user's Python functions take and give."""

from __future__ import annotations

import inspect
import math
import numbers
from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import FunctionError, ModelError


def check_call(function: Callable[..., Any], *arguments: Any, what: str) -> None:
    """Refuse a function that cannot be called with these arguments.

    Parameters
    ----------
    function : callable
    *arguments
        What it will be called with.
    what : str
        The function in words, with how it is called, for the message.

    Raises
    ------
    ModelError
    """
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return  # some functions of other languages do not say what they take
    try:
        signature.bind(*arguments)
    except TypeError as error:
        raise ModelError(
            f"{what} takes {signature}, which does not fit ({error})."
        ) from error


def one_number(given: Any, *, what: str, time: float) -> float:
    """What a function of time gave, as a float.

    Raises
    ------
    FunctionError
        None, arrays, texts, and numbers that are not finite.
    """
    is_scalar = isinstance(given, numbers.Real) or (
        np.ndim(given) == 0 and getattr(given, "dtype", np.dtype(object)).kind in "biuf"
    )
    if not is_scalar or not math.isfinite(given):
        raise FunctionError(
            f"{what} gave {given!r} at time {time:g}: expected one finite number."
        )
    return float(given)
