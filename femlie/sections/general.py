"""Sections given by their 6x6 matrices, in the order of several programs."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Any

import numpy as np

from femlie.errors import ModelError
from femlie.fields import is_list
from femlie.sections._checks import (
    RELATIVE_TOLERANCE,
    check_definite,
    checked_damping,
    checked_matrix,
)
from femlie.sections.base import (
    Array,
    UniformSection,
    checked_fractions,
    cross_matrix,
    repeated,
)


class SectionOrder(enum.Enum):
    """Order of the rows and columns in which 6x6 matrices are given.

    ::

        BeamDyn                           femlie, GXBeam
                x (first)                         2 (y)
                |                                 |
                |                                 |
          y ----o z                         3 ----o 1
                                          (z)
        z and 1 lie along the beam and come out of the page; all right-handed

    ======= ==================================================================
    FEMLIE  N, Vy, Vz, T, My, Mz: along 1, 2, 3, then about 1, 2, 3
    BEAMDYN Vx, Vy, N, Mx, My, T: along x, y, z, then about x, y, z of BeamDyn, which
            are 2, 3, 1 here; so are mass centers and outlines (x, y) -> (y, z)
    GXBEAM  F1, F2, F3, M1, M2, M3 with axis 1 along the beam: the order of femlie
    ======= ==================================================================

    References
    ----------
    [BeamDyn], blade input file; [GXBeam], guide: compliance and mass matrix. GXBeam's
    ``compliance_matrix`` returns this order by default (``gxbeam_order=true``); its
    internal order, ``gxbeam_order=false``, is that of BEAMDYN.
    """

    FEMLIE = "femlie"
    BEAMDYN = "beamdyn"
    GXBEAM = "gxbeam"


# Row of the given matrix that holds N, Vy, Vz, T, My, Mz.
ROWS = {
    SectionOrder.FEMLIE: [0, 1, 2, 3, 4, 5],
    SectionOrder.BEAMDYN: [2, 0, 1, 5, 3, 4],
    SectionOrder.GXBEAM: [0, 1, 2, 3, 4, 5],
}


@dataclass(frozen=True, kw_only=True, eq=False)
class GeneralSection:
    """Any section, given by its matrices about the mesh line.

    Parameters
    ----------
    stiffness : (6, 6) array
        Symmetric and positive definite: [N], [N m], [N m^2].
    mass_matrix : (6, 6) array, optional
        Mass per length ``[[m I, -m c^], [m c^, J]]`` with the mass ``m`` [kg/m], the
        cross matrix ``c^`` of the mass center [m] and the inertia ``J`` about the mesh
        line [kg m]. Zero by default: for statics without weight.
    order : SectionOrder
        Order of all matrices given here.
    outline : (k, 2) array or sequence of them, optional
        Loops of (y, z) for pictures [m], the outer one first; closed if they are not.
    compliance : (6, 6) array, optional
        Inverse of the stiffness, in its place.
    damping_time : float
        Kelvin-Voigt damping: time [s] that the stiffness is multiplied by.
    damping : (6, 6) array, optional
        Symmetric damping matrix instead of ``damping_time``: [N s], [N m s], [N m^2 s].

    Raises
    ------
    ModelError
        A matrix that is not symmetric, not definite, or no mass of a rigid section.

    Notes
    -----
    Matrices are kept in the order of femlie, where ``order`` then says ``FEMLIE``; a
    compliance is kept as a stiffness. Definiteness is judged to 1e-9 after scaling to a
    unit diagonal, which does not depend on units.
    """

    stiffness: Array = None  # type: ignore[assignment]
    mass_matrix: Array = None  # type: ignore[assignment]
    order: SectionOrder = SectionOrder.FEMLIE
    outline: tuple[Array, ...] = ()
    compliance: Array | None = None
    damping_time: float = 0.0
    damping: Array | None = None
    is_uniform = True

    def __post_init__(self) -> None:
        if not isinstance(self.order, SectionOrder):
            known = ", ".join(f"SectionOrder.{order.name}" for order in SectionOrder)
            raise ModelError(
                f"GeneralSection: order is {self.order!r}, expected one of {known}."
            )
        order = np.ix_(ROWS[self.order], ROWS[self.order])
        damping = checked_damping("GeneralSection", self.damping, self.damping_time)
        self._keep("stiffness", self._checked_stiffness()[order])
        self._keep("mass_matrix", _checked_mass(self.mass_matrix)[order])
        self._keep("damping", None if damping is None else damping[order])
        self._keep("outline", closed_loops(self.outline))
        self._keep("compliance", None)
        self._keep("order", SectionOrder.FEMLIE)

    def _keep(self, name: str, value: Any) -> None:
        if isinstance(value, np.ndarray):
            value.setflags(write=False)
        object.__setattr__(self, name, value)

    def _checked_stiffness(self) -> Array:
        if (self.stiffness is None) == (self.compliance is None):
            given = "both given" if self.compliance is not None else "both missing"
            raise ModelError(
                f"GeneralSection: stiffness and compliance are {given}, expected one."
            )
        if self.compliance is None:
            stiffness = checked_matrix("GeneralSection", "stiffness", self.stiffness)
            check_definite("GeneralSection", "stiffness", stiffness)
            return stiffness
        compliance = checked_matrix("GeneralSection", "compliance", self.compliance)
        rigid = np.flatnonzero(~compliance.any(axis=1))
        if rigid.size:
            raise ModelError(
                f"GeneralSection: row {rigid[0] + 1} of compliance is zero, which some "
                "programs read as rigid; expected a small positive number."
            )
        check_definite("GeneralSection", "compliance", compliance)
        return _inverse(compliance)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, GeneralSection):
            return NotImplemented
        return self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[Any, ...]:
        arrays = (self.stiffness, self.mass_matrix, self.damping, *self.outline)
        # Adding zero makes equal numbers equal bytes: -0.0 + 0.0 is 0.0.
        parts = [None if part is None else (part + 0.0).tobytes() for part in arrays]
        return (self.damping_time, *parts)

    @property
    def damping_matrix(self) -> Array:
        """(6, 6) damping about the mesh line: [N s], [N m s], [N m^2 s]."""
        if self.damping is None:
            return self.damping_time * self.stiffness
        return self.damping

    @property
    def mass_center(self) -> Array:
        """Mass center (3,) in section axes [m]; zero for a section without mass."""
        mass = self.mass_matrix[0, 0]
        lever = self.mass_matrix[3:, :3]
        moment = np.array([lever[2, 1], lever[0, 2], lever[1, 0]])
        return moment / mass if mass else moment

    @property
    def inertia(self) -> Array:
        """Inertia (3, 3) per length about the mass center [kg m]."""
        lever = cross_matrix(self.mass_center)
        shift: Array = self.mass_matrix[0, 0] * lever @ lever
        return self.mass_matrix[3:, 3:] + shift

    def at(self, fraction: float) -> UniformSection:
        """The section itself: it is the same everywhere."""
        checked_fractions("GeneralSection", fraction)
        return self

    def matrices(self, fractions: Array) -> tuple[Array, Array]:
        """Stiffness and mass per length at (n,) places: (n, 6, 6) each."""
        places = checked_fractions("GeneralSection", fractions)
        return repeated(self.stiffness, places), repeated(self.mass_matrix, places)

    def damping_matrices(self, fractions: Array) -> Array:
        """Damping at (n,) places: (n, 6, 6)."""
        places = checked_fractions("GeneralSection", fractions)
        return repeated(self.damping_matrix, places)


def _inverse(matrix: Array) -> Array:
    """Inverse of a symmetric positive definite matrix, symmetric itself."""
    # Scaling to a unit diagonal keeps the digits of entries of unlike units.
    scale = 1.0 / np.sqrt(np.diag(matrix))
    inverse: Array = np.linalg.inv(scale[:, None] * matrix * scale) * np.outer(
        scale, scale
    )
    return 0.5 * (inverse + inverse.T)


def _checked_mass(value: Any) -> Array:
    """Mass matrix of a rigid section; zero where none is given."""
    if value is None:
        return np.zeros((6, 6))
    matrix = checked_matrix("GeneralSection", "mass_matrix", value)
    mass = matrix[0, 0]
    if not np.allclose(matrix[:3, :3], mass * np.eye(3), rtol=0, atol=abs(mass) * 1e-9):
        raise ModelError(
            "GeneralSection: the first three rows and columns of mass_matrix are "
            f"{matrix[:3, :3].tolist()}, expected the mass per length times the "
            "identity."
        )
    lever = matrix[3:, :3]
    size = np.sqrt(abs(mass * np.trace(matrix[3:, 3:])))
    if np.abs(lever + lever.T).max() > RELATIVE_TOLERANCE * size:
        raise ModelError(
            f"GeneralSection: the lower left block of mass_matrix is {lever.tolist()}, "
            "expected the mass per length times the cross matrix of the mass center, "
            "which is skew."
        )
    check_definite("GeneralSection", "mass_matrix", matrix, zero=True)
    return matrix


def _is_point(given: list[Any]) -> bool:
    """Whether a list begins with a point (y, z) and not with a loop of them."""
    first = given[0] if given else ()
    return len(given) > 0 and np.ndim(np.array(first, dtype=object)) == 1


def closed_loops(outline: Any) -> tuple[Array, ...]:
    """Loops (k, 2) that end where they start, from one loop or several, open or not."""
    if not is_list(outline):
        raise ModelError(
            f"GeneralSection: outline is {outline!r}, expected points (k, 2) or "
            "several such loops."
        )
    given = list(outline)
    loops = []
    for points in [given] if _is_point(given) else given:
        try:
            loop = np.array(points, dtype=float)
        except (TypeError, ValueError, OverflowError):
            raise ModelError(
                f"GeneralSection: a loop of outline is {points!r}, expected points "
                "(y, z)."
            ) from None
        if loop.ndim != 2 or loop.shape[1] != 2 or len(loop) < 3:
            raise ModelError(
                f"GeneralSection: a loop of outline has the shape {loop.shape}, "
                "expected (k, 2) with at least 3 points (y, z)."
            )
        if not np.isfinite(loop).all():
            raise ModelError(
                "GeneralSection: outline has a point that is not finite, expected "
                "numbers (y, z)."
            )
        if (loop[0] != loop[-1]).any():
            loop = np.vstack([loop, loop[:1]])
        loop.setflags(write=False)
        loops.append(loop)
    return tuple(loops)
