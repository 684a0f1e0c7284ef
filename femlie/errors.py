"""Exceptions: each message names the thing, what was given and what was expected."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable
from typing import Any


class FemlieError(Exception):
    """Base of everything that femlie raises on purpose."""


class ModelError(FemlieError, ValueError):
    """A part, a material, a section or an option that cannot be used as given."""


class MeshError(ModelError):
    """A mesh or surface file that cannot be read, or whose content is unusable."""


class InputFileError(ModelError):
    """A model file with an unknown word, a wrong value or a missing key."""


class ResultsError(FemlieError, ValueError):
    """A results file that cannot be read, or a name that it does not hold."""


class ViewError(FemlieError, RuntimeError):
    """A picture that cannot be made here, or that shows what does not exist."""


class ConvergenceError(FemlieError, RuntimeError):
    """An analysis that stopped early; what was reached is kept.

    Attributes
    ----------
    results : Results or None
        Everything up to the last accepted step.
    residuals : list of float
        Relative residual of each iteration of the step that failed.
    """

    def __init__(
        self,
        message: str,
        *,
        results: Any = None,
        residuals: Iterable[float] = (),
    ) -> None:
        super().__init__(message)
        self.results = results
        self.residuals = list(residuals)


class FunctionError(ModelError):
    """A Python function of the user that failed, or gave what cannot be used.

    Attributes
    ----------
    results : Results or None
        Where it happened in a run: everything up to the last row.
    """

    results: Any = None


def call_of_user(
    function: Callable[..., Any],
    *arguments: Any,
    what: str,
    time: float | None = None,
) -> Any:
    """What a user's function gives; a fault in it is named.

    Parameters
    ----------
    function : callable
    *arguments
    what : str
        The function in words.
    time : float or None
        At which it is called, if it is a function of time.

    Raises
    ------
    FunctionError
    """
    try:
        return function(*arguments)
    except FemlieError:
        raise
    except Exception as error:
        when = "" if time is None else f" at time {time:g}"
        raise FunctionError(
            f"{what} failed{when}: {type(error).__name__}: {error}"
        ) from error


def check_name(
    given: Any,
    known: Iterable[str],
    *,
    what: str,
    error: type[FemlieError] = ResultsError,
) -> None:
    """Refuse what is no text where a name is looked up.

    Parameters
    ----------
    given : object
    known : iterable of str
        Names that exist.
    what : str
        What has these names, in the plural.
    error : type
        What to raise.
    """
    if not isinstance(given, str):
        raise error(
            f"{given!r} was given where one of the names of {what} is expected, as a "
            f"text. {suggestion('', known, what=what)}"
        )


def suggestion(given: Any, known: Iterable[str], *, what: str = "names") -> str:
    """Sentence that lists what exists and the nearest known name to ``given``."""
    names = sorted(set(known))
    if not names:
        return f"There are no {what}."
    is_name = isinstance(given, str)
    near = difflib.get_close_matches(given, names, n=1) if is_name else []
    hint = f" Did you mean '{near[0]}'?" if near else ""
    shown = ", ".join(f"'{name}'" for name in names[:20])
    more = f" and {len(names) - 20} more" if len(names) > 20 else ""
    return f"Known {what}: {shown}{more}.{hint}"
