"""Motion between two output times, smooth and on the group."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..elements.base import Array
from ..errors import ResultsError
from ..fields import is_number, is_usable, is_whole, shown
from ..lie import se3
from ..records import Records

# a time is inside a run up to this share of its length
ROUNDING = 1e-6


class Moment(NamedTuple):
    """Motion of all frames at one time, or at several.

    Attributes
    ----------
    times : (...,) array
    poses : (..., n_frames, 7) array
    velocities, accelerations : (..., n_frames, 6) arrays
        Body-fixed.
    """

    times: Array
    poses: Array
    velocities: Array
    accelerations: Array


def motion_between(first: Moment, last: Moment, times: Array) -> Moment:
    """Motion at times between two moments.

    Parameters
    ----------
    first, last : Moment
        Arrays of either broadcast with ``times``.
    times : (...,) array

    Returns
    -------
    Moment
        Poses from the polynomial of degree 5 on the Lie algebra that meets place,
        velocity and acceleration at both ends; its error is of sixth order in the
        distance of the ends where these are exact.

    Notes
    -----
    With ``H = H_0 exp(x)``: ``dx/dt = T^-1(x) v``, and
    ``d2x/dt2 = T^-1(x) a + (d(T^-1(x) v)/dx) dx/dt``.
    """
    h = np.asarray(last.times - first.times)[..., None, None]
    s = (np.asarray(times) - first.times)[..., None, None] / h
    x = se3.relative_log(first.poses, last.poses)
    rate = _apply(se3.tangent_operator_inverse(x), last.velocities)
    slope = se3.tangent_operator_inverse_derivative(x, last.velocities)
    second = _apply(se3.tangent_operator_inverse(x), last.accelerations)
    second = second + _apply(slope, rate)
    ends = (
        h * first.velocities,
        h**2 * first.accelerations,
        x,
        h * rate,
        h**2 * second,
    )
    place, speed, change = _quintic(s, ends)
    speed, change = speed / h, change / h**2
    tangent = se3.tangent_operator(place)
    velocities = _apply(tangent, speed)
    turning = se3.tangent_operator_inverse_derivative(place, velocities)
    accelerations = _apply(tangent, change - _apply(turning, speed))
    step = se3.pose_from_frame(se3.exp(place))
    poses = se3.compose_poses(np.broadcast_to(first.poses, step.shape), step)
    return Moment(np.asarray(times), poses, velocities, accelerations)


def _apply(matrix: Array, vector: Array) -> Array:
    return np.asarray(np.einsum("...ij,...j->...i", matrix, vector))


def _quintic(s: Array, ends: tuple[Array, ...]) -> tuple[Array, Array, Array]:
    """Value, slope and curvature at s in 0 to 1, zero at s = 0."""
    v, a, x, w, b = ends
    third = 10.0 * x - 6.0 * v - 4.0 * w - 1.5 * a + 0.5 * b
    fourth = -15.0 * x + 8.0 * v + 7.0 * w + 1.5 * a - b
    fifth = 6.0 * x - 3.0 * v - 3.0 * w - 0.5 * a + 0.5 * b
    value = s * (v + s * (0.5 * a + s * (third + s * (fourth + s * fifth))))
    slope = v + s * (a + s * (3.0 * third + s * (4.0 * fourth + s * 5.0 * fifth)))
    curvature = a + s * (6.0 * third + s * (12.0 * fourth + s * 20.0 * fifth))
    return value, slope, curvature


def records_between(records: Records, given: ArrayLike) -> Records:
    """Rows at other times: motion as `motion_between`, all else on straight lines.

    Raises
    ------
    ResultsError
        A time outside the run, or no two rows.
    """
    known = records.times
    try:
        times = np.atleast_1d(np.asarray(given, dtype=float))
    except (TypeError, ValueError, OverflowError):
        raise ResultsError(f"times is {given!r}: expected numbers.") from None
    if times.ndim > 1:
        raise ResultsError(
            f"times has the shape {times.shape}: expected numbers in one row."
        )
    if known.size < 2 or times.size == 0:
        raise ResultsError(
            f"These results hold {known.size} times, {times.size} were asked for: "
            "expected at least two, and one."
        )
    if not (times.min() >= known[0] and times.max() <= known[-1]):
        raise ResultsError(
            f"Motion was asked for from {times.min():g} to {times.max():g} s: these "
            f"results go from {known[0]:g} to {known[-1]:g} s."
        )
    row = np.searchsorted(records.times, times, side="right") - 1
    row = np.clip(row, 0, len(records.times) - 2)
    names = ("times", "poses", "velocities", "accelerations")
    first, last = (
        Moment(*(getattr(records, name)[rows] for name in names))
        for rows in (row, row + 1)
    )
    moment = motion_between(first, last, times)
    share = (times - first.times) / (last.times - first.times)
    other = {}
    for name in ("multipliers", "outputs", "reactions", "energies"):
        array = getattr(records, name)
        weight = share.reshape(-1, *(1,) * (array.ndim - 1))
        other[name] = (1.0 - weight) * array[row] + weight * array[row + 1]
    return Records(**moment._asdict(), **other)


def row_at(times: Array, time: float, *, what: str, takes_nearest: bool) -> int:
    """Row of an output time.

    Parameters
    ----------
    times : (n,) array
    time : float
    what : str
        What the times are, in words.
    takes_nearest : bool
        Whether the nearest row counts for a time between two.

    Raises
    ------
    ResultsError
        A time outside the run, or between two rows where the nearest does not count.
    """
    is_huge = is_whole(time) and not is_usable(time)
    if not is_number(time) or is_huge:
        raise ResultsError(
            f"{shown(time)} was given for one of the {what}: give a number."
        )
    if times.size == 0:
        raise ResultsError("These results hold no time: the run never wrote one.")
    first, last = float(times[0]), float(times[-1])
    slack = ROUNDING * max(last - first, abs(first), abs(last))
    if not first - slack <= time <= last + slack:
        raise ResultsError(
            f"{time:g} lies outside these results, which hold the {what} {first:g} to "
            f"{last:g}."
        )
    row = int(np.argmin(np.abs(times - time)))
    if not takes_nearest and abs(times[row] - time) > slack:
        after = int(np.searchsorted(times, time))
        more = " or run with more load_steps" if what == "load factors" else ""
        raise ResultsError(
            f"{time:g} lies between the {what} {times[after - 1]:g} and "
            f"{times[after]:g} of these results, and nothing is known there: ask for "
            f"one of them{more}."
        )
    return row
