"""Functions of time that loads, motors and supports ride on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

TimeFunction = Callable[[float], float]


class Interpolation(Enum):
    """How a table is read between its points."""

    LINEAR = "linear"
    SMOOTH = "smooth"  # C2 cubic spline
    MONOTONE = "monotone"  # C1, within the values of neighboring points


LINEAR = Interpolation.LINEAR
MONOTONE = Interpolation.MONOTONE


@dataclass(frozen=True, kw_only=True)
class Table:
    """Values at given times; held at the first and last value outside.

    Attributes
    ----------
    times : tuple of float
        Increasing [s]; load factors in statics.
    values : tuple of float
        Factor on the part's amplitude.
    interpolation : Interpolation or None
        None: linear for loads, a C2 spline for motions. The spline swings beyond its
        values where they hardly change between others that do; ``MONOTONE`` stays
        within those of neighboring points, with accelerations that jump there.
    end_rates : (2,) tuple of float
        Change per time at the first and the last of the times [1/s]; of what is not
        linear. At rest by default.
    """

    times: tuple[float, ...]
    values: tuple[float, ...]
    interpolation: Interpolation | None = None
    end_rates: tuple[float, float] = (0.0, 0.0)


@dataclass(frozen=True, kw_only=True)
class Motion:
    """A Python function of time with its first two derivatives.

    Without derivatives they come from central differences, exact to about 1e-9 of the
    function's size over ``time_scale``.

    Attributes
    ----------
    value : callable
        ``f(time)``.
    rate, second_rate : callable or None
        Derivatives by time; building a model compares them with differences.
    time_scale : float
        Time over which the function changes [s]; sets the step of the differences.
    """

    value: TimeFunction
    rate: TimeFunction | None = None
    second_rate: TimeFunction | None = None
    time_scale: float = 1.0


OverTime = Table | Motion | TimeFunction | None
