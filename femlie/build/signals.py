"""Functions of time become signals; equal ones are shared."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import _equations as eq
from ..errors import ModelError, call_of_user
from ..parts.time import LINEAR, MONOTONE, Interpolation, Motion, Table
from ..system import CONSTANT_SIGNAL, Signals
from .calls import check_call, one_number
from .slopes import check_derivatives

SMOOTH = Interpolation.SMOOTH
# part of the range of a table by which a spline may leave the values of neighbors
SWING = 0.1


class SignalTable:
    """Collects the signals of a model; the first is the constant one."""

    def __init__(self) -> None:
        self._rows: list[tuple[int, int, int]] = [(eq.CONSTANT, 0, 0)]
        self._data: list[float] = []
        self._functions: list[Callable[[float], tuple[float, float, float]]] = []
        self._known: list[tuple[Any, bool, int]] = []
        self.users_of_functions: list[str] = []  # parts whose functions are Python
        self.warnings: list[str] = []

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

    def _warn_of_swings(
        self, times: Any, values: Any, coefficients: Any, part: str
    ) -> None:
        swings = _swings(times, values, coefficients) / max(np.ptp(values), 1e-300)
        k = int(np.argmax(swings))
        if swings[k] > SWING:
            self.warnings.append(
                f"The smooth motion of '{part}' swings beyond its table by "
                f"{100.0 * swings[k]:.0f} % of the range of its values, between the "
                f"times {times[k]:g} and {times[k + 1]:g}: give more points, or "
                "interpolation = 'monotone'."
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
        kind = table.interpolation or (SMOOTH if is_motion else LINEAR)
        if is_motion and kind is LINEAR:
            raise ModelError(
                f"The motion '{part}' was given a linear table: a motion needs "
                "velocities and accelerations; leave interpolation out, or take "
                "'monotone'."
            )
        rates = _end_rates(table, kind, part)
        curve = {LINEAR: _linear, SMOOTH: _spline, MONOTONE: _monotone}[kind]
        coefficients = curve(times, values, rates)
        if kind is SMOOTH:
            self._warn_of_swings(times, values, coefficients, part)
        start = len(self._data)
        self._data.extend(times.tolist())
        self._data.extend(coefficients.reshape(-1).tolist())
        return (eq.PIECEWISE, start, times.size - 1)


def _end_rates(table: Table, kind: Any, part: str) -> tuple[float, float]:
    """Rates at both ends, if they are two numbers that the curve can have."""
    rates = np.asarray(table.end_rates, dtype=float)
    if rates.shape != (2,) or not np.all(np.isfinite(rates)):
        raise ModelError(
            f"end_rates of the table over time of '{part}' are {table.end_rates!r}: "
            "expected two numbers, at the first and at the last time."
        )
    if kind is LINEAR and rates.any():
        raise ModelError(
            f"The table over time of '{part}' is linear and has end_rates: leave them "
            "out, or take another interpolation."
        )
    return float(rates[0]), float(rates[1])


def _spline(times: Any, values: Any, rates: tuple[float, float]) -> Any:
    """C2 cubic spline; (pieces, 4) coefficients, the highest power first."""
    from scipy.interpolate import CubicSpline

    ends = ((1, rates[0]), (1, rates[1]))
    return CubicSpline(times, values, bc_type=ends).c.T


def _monotone(times: Any, values: Any, rates: tuple[float, float]) -> Any:
    """C1 cubic curve within the values of neighboring points."""
    from scipy.interpolate import CubicHermiteSpline, PchipInterpolator

    slopes = PchipInterpolator(times, values).derivative()(times)
    slopes[[0, -1]] = rates
    return CubicHermiteSpline(times, values, slopes).c.T


def _linear(times: Any, values: Any, rates: tuple[float, float]) -> Any:  # noqa: ARG001
    slopes = np.diff(values) / np.diff(times)
    zeros = np.zeros_like(slopes)
    return np.column_stack([zeros, zeros, slopes, values[:-1]])


def _swings(times: Any, values: Any, coefficients: Any) -> Any:
    """(pieces,) by how much each piece leaves the values at its ends."""
    cubic, square, slope, _ = coefficients.T
    size = np.sqrt(np.maximum(square**2 - 3.0 * cubic * slope, 0.0))
    # roots of 3 a t^2 + 2 b t + c, in the form that bears a = 0
    sign = np.where(square >= 0.0, 1.0, -1.0)
    big = -(square + sign * size)
    with np.errstate(divide="ignore", invalid="ignore"):
        places = np.stack([big / (3.0 * cubic), slope / big])
    lengths = np.diff(times)
    is_inside = (places > 0.0) & (places < lengths)  # false for what is not finite
    t = np.where(is_inside, places, 0.0)
    found = ((cubic * t + square) * t + slope) * t + values[:-1]
    above = found - np.maximum(values[:-1], values[1:])
    below = np.minimum(values[:-1], values[1:]) - found
    return np.maximum(above, below).max(axis=0)


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
