"""Functions of time become signals; equal ones are shared."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import _equations as eq
from ..errors import ModelError, call_of_user
from ..parts.time import LINEAR, Interpolation, Motion, Table
from ..system import CONSTANT_SIGNAL, Signals
from .calls import check_call, one_number
from .slopes import check_derivatives


class SignalTable:
    """Collects the signals of a model; the first is the constant one."""

    def __init__(self) -> None:
        self._rows: list[tuple[int, int, int]] = [(eq.CONSTANT, 0, 0)]
        self._data: list[float] = []
        self._functions: list[Callable[[float], tuple[float, float, float]]] = []
        self._known: list[tuple[Any, bool, int]] = []
        self.users_of_functions: list[str] = []  # parts whose functions are Python

    def number(self, over_time: Any, *, part: str, is_motion: bool = False) -> int:
        """Number of the signal of a part's ``over_time``."""
        if over_time is None:
            return CONSTANT_SIGNAL
        for known, known_motion, number in self._known:
            if known is over_time and known_motion == is_motion:
                return number
        if isinstance(over_time, Table):
            row = self._table(over_time, part=part, is_motion=is_motion)
        elif isinstance(over_time, Motion) or callable(over_time):
            motion = (
                over_time if isinstance(over_time, Motion) else Motion(value=over_time)
            )
            row = (eq.FUNCTION, len(self._functions), 0)
            function = _derivatives(motion, part=part, is_motion=is_motion)
            function(0.0)
            check_derivatives(motion, part=part, is_motion=is_motion)
            self._functions.append(function)
            self.users_of_functions.append(part)
        else:
            raise ModelError(
                f"over_time of '{part}' is {over_time!r}: expected a Table, a Motion "
                "or a function of time."
            )
        self._rows.append(row)
        number = len(self._rows) - 1
        self._known.append((over_time, is_motion, number))
        return number

    def finish(self) -> Signals:
        """All signals as arrays."""
        return Signals(
            table=np.array(self._rows, dtype=np.int64),
            data=np.array(self._data, dtype=np.float64),
            functions=tuple(self._functions),
        )

    def _table(
        self, table: Table, *, part: str, is_motion: bool
    ) -> tuple[int, int, int]:
        times = np.asarray(table.times, dtype=float)
        values = np.asarray(table.values, dtype=float)
        if times.ndim != 1 or times.shape != values.shape or times.size < 2:
            n, k = times.size, values.size
            raise ModelError(
                f"The table over time of '{part}' has {n} time{'s' * (n != 1)} and {k} "
                f"value{'s' * (k != 1)}: expected equally many, two or more."
            )
        if not (np.all(np.isfinite(times)) and np.all(np.isfinite(values))):
            raise ModelError(
                f"The table over time of '{part}' has a number that is not finite."
            )
        if np.any(np.diff(times) <= 0.0):
            at = int(np.argmax(np.diff(times) <= 0.0))
            raise ModelError(
                f"The times of '{part}' must increase: {times[at]:g} is followed by "
                f"{times[at + 1]:g}."
            )
        smooth = (
            is_motion
            if table.interpolation is None
            else (table.interpolation is Interpolation.SMOOTH)
        )
        if is_motion and table.interpolation is LINEAR:
            raise ModelError(
                f"The motion '{part}' was given a linear table: a motion needs "
                "velocities and accelerations; leave interpolation out."
            )
        coefficients = _spline(times, values) if smooth else _linear(times, values)
        start = len(self._data)
        self._data.extend(times.tolist())
        self._data.extend(coefficients.reshape(-1).tolist())
        return (eq.PIECEWISE, start, times.size - 1)


def _spline(times: Any, values: Any) -> Any:
    """C2 cubic spline that starts and ends at rest; (pieces, 4)."""
    from scipy.interpolate import CubicSpline

    return CubicSpline(times, values, bc_type="clamped").c.T


def _linear(times: Any, values: Any) -> Any:
    slopes = np.diff(values) / np.diff(times)
    zeros = np.zeros_like(slopes)
    return np.column_stack([zeros, zeros, slopes, values[:-1]])


def _derivatives(
    motion: Motion, *, part: str, is_motion: bool
) -> Callable[[float], tuple[float, float, float]]:
    """Value, rate and second rate of a function; differences where not given.

    Of loads only energies read the rate, and nothing the second one; they are never
    asked for times before zero.
    """
    step = 1e-3 * motion.time_scale
    value = _checked(motion.value, f"over_time of '{part}'")
    rate = _checked(motion.rate, f"The rate of over_time of '{part}'")
    second_rate = _checked(
        motion.second_rate, f"The second rate of over_time of '{part}'"
    )

    def difference(function: Callable[[float], float], time: float) -> float:
        # sixth-order central difference
        total = 0.0
        for weight, k in ((45.0, 1), (-9.0, 2), (1.0, 3)):
            total += weight * (function(time + k * step) - function(time - k * step))
        return total / (60.0 * step)

    def second_difference(time: float, middle: float) -> float:
        total = 0.0
        for weight, k in ((270.0, 1), (-27.0, 2), (2.0, 3)):
            total += weight * (
                value(time + k * step) - 2.0 * middle + value(time - k * step)
            )
        return total / (180.0 * step * step)

    def evaluate(time: float) -> tuple[float, float, float]:
        middle = value(time)
        at = time if is_motion else max(time, 3.0 * step)
        speed = difference(value, at) if motion.rate is None else rate(time)
        if not is_motion:
            return middle, speed, 0.0
        if motion.second_rate is not None:
            return middle, speed, second_rate(time)
        if motion.rate is not None:
            return middle, speed, difference(rate, time)
        return middle, speed, second_difference(time, middle)

    return evaluate


def _checked(
    function: Callable[[float], Any] | None, what: str
) -> Callable[[float], float]:
    """The function, which then gives one finite number or says that it does not."""
    if function is None:
        return lambda _time: math.nan
    if not callable(function):
        raise ModelError(f"{what} is {function!r}: expected a function of time.")
    check_call(function, 0.0, what=f"{what}, called with the time,")
    known = function

    def call(time: float) -> float:
        given = call_of_user(known, time, what=what, time=time)
        return one_number(given, what=what, time=time)

    return call
