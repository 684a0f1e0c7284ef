"""Sections that change along a member: a taper, and a table of stations."""

from __future__ import annotations

import copy
import dataclasses
import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np

from femlie.errors import ModelError
from femlie.fields import is_list
from femlie.sections._checks import is_finite_number
from femlie.sections.base import Array, UniformSection, checked_fractions
from femlie.sections.general import GeneralSection
from femlie.sections.isotropic import Shape
from femlie.sections.shapes import (
    CircularSection,
    ISection,
    RectangularSection,
    TubeSection,
)

SHAPES = (CircularSection, ISection, RectangularSection, TubeSection)


@dataclass(frozen=True, kw_only=True)
class TaperedSection:
    """Shape whose numbers change linearly from the start to the end of a member.

    Parameters
    ----------
    start, end : CircularSection, TubeSection, RectangularSection or ISection
        Two of the same shape and material. Everything else may differ: dimensions,
        offset, damping, and factors and constants that both of them give.

    Raises
    ------
    ModelError
        Sections that have no taper between them.

    Notes
    -----
    Dimensions are linear, so a second moment is not: a cone has its true one at every
    place.
    """

    start: Shape
    end: Shape
    is_uniform = False

    def __post_init__(self) -> None:
        obstacle = _obstacle(self.start, self.end)
        if obstacle:
            raise ModelError(f"TaperedSection: {obstacle}")

    def at(self, fraction: float) -> UniformSection:
        """Section at one place of the member."""
        place = float(checked_fractions("TaperedSection", fraction))
        section: UniformSection = dataclasses.replace(
            self.start,  # type: ignore[type-var]
            **_numbers(self.start, self.end, place),
        )
        return section

    def matrices(self, fractions: Array) -> tuple[Array, Array]:
        """Stiffness and mass per length at (n,) places: (n, 6, 6) each."""
        sections = self._many(fractions)
        return sections.stiffness, sections.mass_matrix

    def damping_matrices(self, fractions: Array) -> Array:
        """Damping at (n,) places: (n, 6, 6)."""
        return self._many(fractions).damping_matrix

    def _many(self, fractions: Array) -> Shape:
        """One section whose numbers are (n,) arrays, so its matrices are (n, 6, 6)."""
        places = checked_fractions("TaperedSection", fractions)
        sections = copy.copy(self.start)
        # Numbers between those of two sections that were checked need no check.
        for name, value in _numbers(self.start, self.end, places).items():
            object.__setattr__(sections, name, value)
        return sections


@dataclass(frozen=True, kw_only=True)
class StationTable:
    """Sections at stations along a member, and what lies between them.

    Parameters
    ----------
    stations : sequence of n floats
        Fractions of the member's length, increasing from 0 to 1.
    sections : sequence of n sections
        Uniform ones of any kind.

    Raises
    ------
    ModelError
        Stations out of order, or not as many as sections.

    Notes
    -----
    Between neighbors of the same shape and material the dimensions change linearly, as
    in ``TaperedSection``. Between others the matrices do, and the outline is that of
    the nearer station, or changes linearly where both have as many points.
    """

    stations: tuple[float, ...]
    sections: tuple[UniformSection, ...]
    is_uniform = False

    def __post_init__(self) -> None:
        for name in ("stations", "sections"):
            object.__setattr__(self, name, _several(name, getattr(self, name)))
        _check_stations(self.stations, len(self.sections))
        for number, section in enumerate(self.sections, start=1):
            if not isinstance(section, (*SHAPES, GeneralSection)):
                raise ModelError(
                    f"StationTable: section {number} is a {type(section).__name__}, "
                    "expected a uniform section."
                )

    def at(self, fraction: float) -> UniformSection:
        """Section at one place of the member; at a station, the one given there."""
        place = checked_fractions("StationTable", fraction)
        if float(place) in self.stations:
            return self.sections[self.stations.index(float(place))]
        interval, local = self._locate(place)
        return self._span(int(interval)).at(float(local))

    def matrices(self, fractions: Array) -> tuple[Array, Array]:
        """Stiffness and mass per length at (n,) places: (n, 6, 6) each."""
        intervals, local = self._locate(checked_fractions("StationTable", fractions))
        stiffness, mass = np.empty((2, len(local), 6, 6))
        for interval in np.unique(intervals):
            here = intervals == interval
            span = self._span(interval)
            stiffness[here], mass[here] = span.matrices(local[here])
        return stiffness, mass

    def damping_matrices(self, fractions: Array) -> Array:
        """Damping at (n,) places: (n, 6, 6)."""
        intervals, local = self._locate(checked_fractions("StationTable", fractions))
        damping = np.empty((len(local), 6, 6))
        for interval in np.unique(intervals):
            here = intervals == interval
            damping[here] = self._span(interval).damping_matrices(local[here])
        return damping

    def _locate(self, places: Array) -> tuple[Any, Array]:
        """Interval of each place, and the fraction of it."""
        stations = np.array(self.stations)
        intervals = np.searchsorted(stations[1:-1], places, side="right")
        lengths = np.diff(stations)[intervals]
        return intervals, (places - stations[intervals]) / lengths

    def _span(self, interval: int) -> TaperedSection | _MatrixSpan:
        start, end = self.sections[interval], self.sections[interval + 1]
        if _obstacle(start, end):
            return _MatrixSpan(start, end)
        return TaperedSection(start=start, end=end)  # type: ignore[arg-type]


@dataclass(frozen=True)
class _MatrixSpan:
    """Between two sections of any kinds: matrices change linearly."""

    start: UniformSection
    end: UniformSection

    def at(self, fraction: float) -> UniformSection:
        stiffness, mass = self.matrices(np.array([fraction]))
        return GeneralSection(
            stiffness=stiffness[0],
            mass_matrix=mass[0],
            damping=self.damping_matrices(np.array([fraction]))[0],
            outline=self._outline(fraction),
        )

    def matrices(self, fractions: Array) -> tuple[Array, Array]:
        weight = fractions[:, None, None]
        return (
            _between(self.start.stiffness, self.end.stiffness, weight),
            _between(self.start.mass_matrix, self.end.mass_matrix, weight),
        )

    def damping_matrices(self, fractions: Array) -> Array:
        damping: Array = _between(
            self.start.damping_matrix, self.end.damping_matrix, fractions[:, None, None]
        )
        return damping

    def _outline(self, fraction: float) -> tuple[Array, ...]:
        start, end = self.start.outline, self.end.outline
        if [loop.shape for loop in start] == [loop.shape for loop in end]:
            pairs = zip(start, end, strict=True)
            return tuple(_between(one, other, fraction) for one, other in pairs)
        return start if fraction < 0.5 else end


def _obstacle(start: Any, end: Any) -> str:
    """What keeps two sections from having a taper between them; empty if nothing."""
    kinds = [type(section).__name__ for section in (start, end)]
    if not (isinstance(start, SHAPES) and type(start) is type(end)):
        return (
            f"start is a {kinds[0]} and end a {kinds[1]}, expected two of one shape; "
            "a StationTable takes any kinds."
        )
    if start.material != end.material:
        return (
            f"start has the material {start.material} and end {end.material}, expected "
            "one material; a StationTable takes several."
        )
    for name in ("shear_factors", "torsion_constant", "damping"):
        given = [getattr(section, name) is not None for section in (start, end)]
        if given[0] != given[1]:
            return (
                f"{name} is given at the {'start' if given[0] else 'end'} only, "
                "expected it at both ends or at neither."
            )
    return ""


def _numbers(start: Any, end: Any, fraction: Any) -> dict[str, Any]:
    """Fields of the section at a fraction (or (n,) of them) between two shapes."""
    names = [field.name for field in dataclasses.fields(start)]
    return {
        name: _between(getattr(start, name), getattr(end, name), fraction)
        for name in names
        if name != "material"
    }


def _between(start: Any, end: Any, fraction: Any) -> Any:
    """Linear between two numbers, arrays or nested tuples; exact at both ends."""
    if start is None:
        return None
    if isinstance(start, tuple):
        pairs = zip(start, end, strict=True)
        return tuple(_between(one, other, fraction) for one, other in pairs)
    return (1.0 - fraction) * start + fraction * end


def _several(name: str, given: Any) -> tuple[Any, ...]:
    """What was given as a list, as a tuple."""
    if not is_list(given):
        raise ModelError(f"StationTable: {name} is {given!r}, expected a list of them.")
    return tuple(given)


def _check_stations(stations: tuple[float, ...], n_sections: int) -> None:
    if len(stations) != n_sections or len(stations) < 2:
        raise ModelError(
            f"StationTable: {len(stations)} stations and {n_sections} sections are "
            "given, expected as many of each and at least 2."
        )
    for station in stations:
        if not is_finite_number(station):
            raise ModelError(
                f"StationTable: a station is {station!r}, expected a number, 0 to 1."
            )
    if stations[0] != 0 or stations[-1] != 1:
        raise ModelError(
            f"StationTable: stations run from {stations[0]:g} to {stations[-1]:g}, "
            "expected from 0 (start of the member) to 1 (its end)."
        )
    for before, after in itertools.pairwise(stations):
        if after <= before:
            raise ModelError(
                f"StationTable: station {after:g} follows {before:g}, expected "
                "increasing numbers."
            )
