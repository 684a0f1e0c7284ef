"""Sections of one isotropic material with a shape that has a name.

A shape says its dimensions, its constants and its outline; what follows from these is
the same for all shapes and stands in ``isotropic.py``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from femlie.errors import ModelError
from femlie.sections._checks import check_number
from femlie.sections.base import Array
from femlie.sections.constants import (
    SectionConstants,
    circle_loop,
    i_constants,
    rectangle_constants,
    tube_constants,
)
from femlie.sections.isotropic import (
    area_of,
    check_shape,
    damping_matrix_of,
    itself,
    mass_matrix_of,
    stiffness_of,
    uniform_damping_matrices,
    uniform_matrices,
    with_given_constants,
)
from femlie.sections.material import Material

# The fit for the torsion constant of an I goes astray for thicker webs.
THICKEST_WEB = 1.5


@dataclass(frozen=True, kw_only=True)
class CircularSection:
    """Full circle.

    Parameters
    ----------
    radius : float
        Radius [m].
    material : Material
    shear_factors : (float, float), optional
        Shear stiffness over shear modulus times area, along y and z [1]; by default
        Cowper's, which depend on Poisson's ratio.
    torsion_constant : float, optional
        In place of the shape's own [m^4].
    offset : (float, float)
        Position (y, z) of the centroid relative to the mesh line [m].
    damping_time : float
        Kelvin-Voigt damping: time [s] that the stiffness is multiplied by.
    damping : (6, 6) array, optional
        Damping matrix about the mesh line, instead of ``damping_time``.

    References
    ----------
    [Cowper1966].
    """

    radius: float
    material: Material
    shear_factors: tuple[float, float] | None = None
    torsion_constant: float | None = None
    offset: tuple[float, float] = (0.0, 0.0)
    damping_time: float = 0.0
    damping: Any = None

    area = property(area_of)
    stiffness = property(stiffness_of)
    mass_matrix = property(mass_matrix_of)
    damping_matrix = property(damping_matrix_of)
    is_uniform = True
    at = itself
    matrices = uniform_matrices
    damping_matrices = uniform_damping_matrices

    def __post_init__(self) -> None:
        check_shape(self, "radius")

    @property
    def constants(self) -> SectionConstants:
        """Geometry about the centroid."""
        return with_given_constants(
            self, tube_constants(self.radius, 0.0, self.material.poisson)
        )

    @property
    def outline(self) -> tuple[Array, ...]:
        """One closed loop (49, 2) of (y, z) [m]."""
        return (circle_loop(self.radius) + np.array(self.offset),)


@dataclass(frozen=True, kw_only=True)
class TubeSection:
    """Circular tube.

    Parameters
    ----------
    outer_radius, inner_radius : float
        Radii [m]; the inner may be 0.
    material, shear_factors, torsion_constant, offset, damping_time, damping
        As for ``CircularSection``.

    References
    ----------
    [Cowper1966].
    """

    outer_radius: float
    inner_radius: float
    material: Material
    shear_factors: tuple[float, float] | None = None
    torsion_constant: float | None = None
    offset: tuple[float, float] = (0.0, 0.0)
    damping_time: float = 0.0
    damping: Any = None

    area = property(area_of)
    stiffness = property(stiffness_of)
    mass_matrix = property(mass_matrix_of)
    damping_matrix = property(damping_matrix_of)
    is_uniform = True
    at = itself
    matrices = uniform_matrices
    damping_matrices = uniform_damping_matrices

    def __post_init__(self) -> None:
        check_shape(self, "outer_radius")
        check_number("TubeSection", "inner_radius", self.inner_radius, zero=True)
        if self.inner_radius >= self.outer_radius:
            raise ModelError(
                f"TubeSection: inner_radius is {self.inner_radius:g} and outer_radius "
                f"{self.outer_radius:g}, expected the inner to be smaller."
            )

    @property
    def constants(self) -> SectionConstants:
        """Geometry about the centroid."""
        return with_given_constants(
            self,
            tube_constants(self.outer_radius, self.inner_radius, self.material.poisson),
        )

    @property
    def outline(self) -> tuple[Array, ...]:
        """Outer loop and, for a hollow tube, inner loop (49, 2) of (y, z) [m]."""
        outer = circle_loop(self.outer_radius) + np.array(self.offset)
        if self.inner_radius == 0.0:
            return (outer,)
        inner = circle_loop(self.inner_radius, reverse=True) + np.array(self.offset)
        return outer, inner


@dataclass(frozen=True, kw_only=True)
class RectangularSection:
    """Full rectangle.

    Parameters
    ----------
    height, width : float
        Sides along section axis 2 (y) and along axis 3 (z) [m].
    material, shear_factors, torsion_constant, offset, damping_time, damping
        As for ``CircularSection``; the torsion constant is Saint-Venant's series.

    References
    ----------
    [Cowper1966].
    """

    height: float
    width: float
    material: Material
    shear_factors: tuple[float, float] | None = None
    torsion_constant: float | None = None
    offset: tuple[float, float] = (0.0, 0.0)
    damping_time: float = 0.0
    damping: Any = None

    area = property(area_of)
    stiffness = property(stiffness_of)
    mass_matrix = property(mass_matrix_of)
    damping_matrix = property(damping_matrix_of)
    is_uniform = True
    at = itself
    matrices = uniform_matrices
    damping_matrices = uniform_damping_matrices

    def __post_init__(self) -> None:
        check_shape(self, "height", "width")

    @property
    def constants(self) -> SectionConstants:
        """Geometry about the centroid."""
        return with_given_constants(
            self, rectangle_constants(self.height, self.width, self.material.poisson)
        )

    @property
    def outline(self) -> tuple[Array, ...]:
        """One closed loop (5, 2) of (y, z) [m]."""
        corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1], [-1, -1]])
        half = 0.5 * np.array([self.height, self.width])
        return (corners * half + np.array(self.offset),)


@dataclass(frozen=True, kw_only=True)
class ISection:
    """Doubly symmetric I without fillets.

    ::

             y (2)
          ___|___     flange_thickness
         |__   __|
            | |       web_thickness
      z ----| |       height: all of it, along y
          __| |__     width: of the flanges, along z
         |_______|

    Parameters
    ----------
    height, width, web_thickness, flange_thickness : float
        Dimensions as drawn [m].
    material, shear_factors, torsion_constant, offset, damping_time, damping
        As for ``CircularSection``. A web more than 1.5 times as thick as the flanges
        needs a given ``torsion_constant``. There is no warping stiffness.

    References
    ----------
    [Cowper1966]; [ElDarwishJohnston1965].
    """

    height: float
    width: float
    web_thickness: float
    flange_thickness: float
    material: Material
    shear_factors: tuple[float, float] | None = None
    torsion_constant: float | None = None
    offset: tuple[float, float] = (0.0, 0.0)
    damping_time: float = 0.0
    damping: Any = None

    area = property(area_of)
    stiffness = property(stiffness_of)
    mass_matrix = property(mass_matrix_of)
    damping_matrix = property(damping_matrix_of)
    is_uniform = True
    at = itself
    matrices = uniform_matrices
    damping_matrices = uniform_damping_matrices

    def __post_init__(self) -> None:
        check_shape(self, "height", "width", "web_thickness", "flange_thickness")
        if self.web_thickness >= self.width:
            raise ModelError(
                f"ISection: web_thickness is {self.web_thickness:g} and width "
                f"{self.width:g}, expected a web thinner than the flanges are wide."
            )
        if 2.0 * self.flange_thickness >= self.height:
            raise ModelError(
                f"ISection: flange_thickness is {self.flange_thickness:g} and height "
                f"{self.height:g}, expected two flanges to leave room for a web."
            )
        thickest = THICKEST_WEB * self.flange_thickness
        if self.torsion_constant is None and self.web_thickness > thickest * (1 + 1e-9):
            raise ModelError(
                f"ISection: web_thickness is {self.web_thickness:g} and "
                f"flange_thickness {self.flange_thickness:g}; the torsion constant is "
                f"known for webs up to {thickest:g} only, so give torsion_constant."
            )

    @property
    def constants(self) -> SectionConstants:
        """Geometry about the centroid."""
        dimensions = (
            self.height,
            self.width,
            self.web_thickness,
            self.flange_thickness,
        )
        return with_given_constants(
            self, i_constants(*dimensions, self.material.poisson)
        )

    @property
    def outline(self) -> tuple[Array, ...]:
        """One closed loop (13, 2) of (y, z) [m]."""
        y, z = 0.5 * self.height, 0.5 * self.width
        clear, web = y - self.flange_thickness, 0.5 * self.web_thickness
        side = [(-y, z), (-clear, z), (-clear, web), (clear, web), (clear, z), (y, z)]
        loop = [(a, -b) for a, b in side] + side[::-1] + [(-y, -z)]
        return (np.array(loop) + np.array(self.offset),)
