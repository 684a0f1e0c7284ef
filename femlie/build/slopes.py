"""Whether the derivatives that a motion gives are those of its value."""

from __future__ import annotations

from collections.abc import Callable

from ..errors import FunctionError, ModelError, call_of_user
from ..parts.time import Motion
from .calls import one_number

Function = Callable[[float], float]

# where derivatives are looked at, in time scales, and steps of differences there, in
# these times: none goes back beyond the start
TIMES = (0.0043, 0.0137, 0.0431, 0.137, 0.371, 0.713)
STEPS = (1e-2, 1e-3, 1e-4, 1e-5)
# of functions that are faster still, whose differences rounding spoils for others
FINE_STEPS = (1e-6, 1e-7, 1e-8)
# a derivative may differ from every difference by this share of the largest one
ALLOWED = 0.05
# rounding of a value
ROUNDING = 1e-14


def check_derivatives(motion: Motion, *, part: str, is_motion: bool) -> None:
    """Compare the derivatives of a function of time with differences.

    Parameters
    ----------
    motion : Motion
    part : str
        Name of the part, for the message.
    is_motion : bool
        Whether the second rate counts: of loads nothing reads it.

    Raises
    ------
    ModelError
        With the time and both numbers.

    Notes
    -----
    A derivative passes where it agrees with a difference to one side or both, of any of
    several steps over six decades, so that neither fast functions nor kinks fail. Times
    at which the functions say nothing are passed over.
    """
    if motion.rate is not None:
        _compare(motion.value, motion.rate, 1, motion.time_scale, ("rate", part))
    if not is_motion or motion.second_rate is None:
        return
    names = ("second rate", part)
    if motion.rate is not None:
        _compare(motion.rate, motion.second_rate, 1, motion.time_scale, names)
    else:
        _compare(motion.value, motion.second_rate, 2, motion.time_scale, names)


def _compare(
    function: Function,
    derivative: Function,
    order: int,
    scale: float,
    names: tuple[str, str],
) -> None:
    """Refuse a derivative of first or second order that is another function's."""
    found = []
    for share in TIMES:
        time = share * scale
        try:
            found.append((time, *_looked_at(function, derivative, order, time)))
        except FunctionError:
            continue  # a run that gets there fails with the function's own words
    largest = max((max(abs(g), abs(d)) for _, g, d, _ in found), default=0.0)
    for time, given, difference, rounding in found:
        if abs(given - difference) > ALLOWED * largest + rounding:
            kind, part = names
            of = "rate" if order == 1 and kind == "second rate" else "value"
            raise ModelError(
                f"The {kind} of over_time of '{part}' is {given:.6g} at time {time:g}, "
                f"but differences of its {of} give {difference:.6g}: expected the "
                f"derivative of that function; leave it out, and differences are taken."
            )


def _looked_at(
    function: Function, derivative: Function, order: int, time: float
) -> tuple[float, float, float]:
    """Derivative as given, the difference next to it, and rounding in that."""

    def number(asked: Function, at: float) -> float:
        what = "A function of time"
        return one_number(
            call_of_user(asked, at, what=what, time=at), what=what, time=at
        )

    given = number(derivative, time)
    allowed = ALLOWED * abs(given)
    best = (given, float("inf"), 0.0)
    for share in (*STEPS, *FINE_STEPS):
        step = share * time
        values = [number(function, time + k * step) for k in range(-order, order + 1)]
        rounding = 4.0 * ROUNDING * max(map(abs, values)) / step**order
        for difference in _differences(values, order, step):
            miss = abs(given - difference) - rounding
            if share in FINE_STEPS and max(rounding, miss) > allowed:
                continue
            if miss < abs(given - best[1]) - best[2]:
                best = (given, difference, rounding)
    return best


def _differences(values: list[float], order: int, step: float) -> list[float]:
    """Differences about the middle value, behind it and before it."""
    if order == 1:
        low, middle, high = values
        both = (high - low) / (2.0 * step)
        return [both, (high - middle) / step, (middle - low) / step]
    threes = (values[1:4], values[2:5], values[0:3])
    return [(high - 2.0 * middle + low) / step**2 for low, middle, high in threes]
