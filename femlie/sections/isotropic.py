"""What all sections of one isotropic material share: functions of their constants.

The shapes take these functions as their properties and methods.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from femlie.errors import ModelError
from femlie.sections._checks import check_number, checked_damping, checked_pair
from femlie.sections.base import (
    Array,
    UniformSection,
    about_mesh_line,
    checked_fractions,
    repeated,
)
from femlie.sections.constants import SectionConstants
from femlie.sections.material import Material


class Shape(UniformSection, Protocol):
    """What the functions below read from a section: its options and constants."""

    @property
    def material(self) -> Material:
        """Isotropic material."""
        ...

    @property
    def shear_factors(self) -> tuple[float, float] | None:
        """Given shear factors (y, z), or None."""
        ...

    @property
    def torsion_constant(self) -> float | None:
        """Given torsion constant [m^4], or None."""
        ...

    @property
    def offset(self) -> tuple[float, float]:
        """Centroid (y, z) relative to the mesh line [m]."""
        ...

    @property
    def damping_time(self) -> float:
        """Damping over stiffness [s]."""
        ...

    @property
    def damping(self) -> Any:
        """Given damping matrix as nested tuples, or None."""
        ...

    @property
    def constants(self) -> SectionConstants:
        """Geometry about the centroid, with what is given in its place."""
        ...


def stiffness_of(section: Shape) -> Array:
    """(6, 6) stiffness about the mesh line: [N], [N m], [N m^2]."""
    young, shear = section.material.young, section.material.shear_modulus
    constants = section.constants
    factor_y, factor_z = constants.shear_factors
    diagonal = (
        young * constants.area,
        factor_y * shear * constants.area,
        factor_z * shear * constants.area,
        shear * constants.torsion_constant,
        young * constants.second_moment_y,
        young * constants.second_moment_z,
    )
    return about_mesh_line(_diagonal(diagonal), section.offset)


def mass_matrix_of(section: Shape) -> Array:
    """(6, 6) mass per length about the mesh line: [kg/m], [kg], [kg m]."""
    density, constants = section.material.density, section.constants
    mass = density * constants.area
    inertia_y = density * constants.second_moment_y
    inertia_z = density * constants.second_moment_z
    diagonal = (mass, mass, mass, inertia_y + inertia_z, inertia_y, inertia_z)
    return about_mesh_line(_diagonal(diagonal), section.offset)


def damping_matrix_of(section: Shape) -> Array:
    """(6, 6) damping about the mesh line: [N s], [N m s], [N m^2 s]."""
    if section.damping is None:
        time = np.asarray(section.damping_time, dtype=float)
        return time[..., None, None] * section.stiffness
    damping = np.array(section.damping, dtype=float)
    return damping if damping.ndim == 2 else np.moveaxis(damping, -1, 0)


def area_of(section: Shape) -> float:
    """Area [m^2]."""
    return float(section.constants.area)


def _diagonal(entries: tuple[Any, ...]) -> Array:
    """Diagonal matrices (..., 6, 6) from six entries of equal or no shape."""
    stacked = np.stack(np.broadcast_arrays(*entries), axis=-1)
    return stacked[..., None] * np.eye(6)


def itself(section: Shape, fraction: float) -> UniformSection:
    """The section itself: it is the same everywhere."""
    checked_fractions(type(section).__name__, fraction)
    return section


def uniform_matrices(section: Shape, fractions: Array) -> tuple[Array, Array]:
    """Stiffness and mass per length at (n,) places: (n, 6, 6) each."""
    places = checked_fractions(type(section).__name__, fractions)
    return repeated(section.stiffness, places), repeated(section.mass_matrix, places)


def uniform_damping_matrices(section: Shape, fractions: Array) -> Array:
    """Damping at (n,) places: (n, 6, 6)."""
    places = checked_fractions(type(section).__name__, fractions)
    return repeated(section.damping_matrix, places)


def check_shape(section: Shape, *dimensions: str) -> None:
    """Check dimensions and options; lists become tuples, so that sections compare."""
    thing = type(section).__name__
    for name in dimensions:
        check_number(thing, name, getattr(section, name))
    if not isinstance(section.material, Material):
        raise ModelError(
            f"{thing}: material is {section.material!r}, expected a Material."
        )
    kept: dict[str, Any] = {"offset": checked_pair(thing, "offset", section.offset)}
    if section.shear_factors is not None:
        kept["shear_factors"] = checked_pair(
            thing, "shear_factors", section.shear_factors, positive=True
        )
    if section.torsion_constant is not None:
        check_number(thing, "torsion_constant", section.torsion_constant)
    damping = checked_damping(thing, section.damping, section.damping_time)
    if damping is not None:
        kept["damping"] = tuple(tuple(row) for row in damping.tolist())
    for name, value in kept.items():
        object.__setattr__(section, name, value)


def with_given_constants(
    section: Shape, constants: SectionConstants
) -> SectionConstants:
    """Constants of the shape, with those that the user gave in their place."""
    if section.torsion_constant is not None:
        constants = constants._replace(torsion_constant=section.torsion_constant)
    if section.shear_factors is not None:
        constants = constants._replace(shear_factors=section.shear_factors)
    return constants
