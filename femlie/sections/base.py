"""What a beam asks of a section, and how section matrices move to another line.

Axes of a section: 1 along the beam, 2 (y) and 3 (z) in the section, right-handed.
Order of all 6x6 matrices: forces N, Vy, Vz, then moments T, My, Mz; strains alike:
stretch, shear y, shear z, twist, curvature about y, curvature about z.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from femlie.errors import ModelError

Array = NDArray[np.float64]


class Section(Protocol):
    """A section along a member; ``fraction`` runs from 0 at its start to 1 at its end.

    Whatever a beam takes as its section keeps to this: uniform, tapered or tabulated.
    """

    @property
    def is_uniform(self) -> bool:
        """Whether it is the same all along, so that fractions need not be known."""
        ...

    def at(self, fraction: float) -> UniformSection:
        """Section at one place of the member."""
        ...

    def matrices(self, fractions: Array) -> tuple[Array, Array]:
        """Stiffness (n, 6, 6) and mass per length (n, 6, 6) at (n,) places."""
        ...

    def damping_matrices(self, fractions: Array) -> Array:
        """Damping (n, 6, 6) at (n,) places."""
        ...


class UniformSection(Section, Protocol):
    """A section at one place: its matrices are about the mesh line."""

    @property
    def stiffness(self) -> Array:
        """(6, 6) stiffness: [N] forces, [N m] couplings, [N m^2] moments."""
        ...

    @property
    def mass_matrix(self) -> Array:
        """(6, 6) mass per length: [kg/m], [kg], [kg m]."""
        ...

    @property
    def damping_matrix(self) -> Array:
        """(6, 6) damping against strain rates: [N s], [N m s], [N m^2 s]."""
        ...

    @property
    def outline(self) -> tuple[Array, ...]:
        """Closed loops (k, 2) of (y, z) [m]: outer counterclockwise, then holes."""
        ...


def cross_matrix(vector: Array) -> Array:
    """Matrix (3, 3) of the cross product with a vector (3,)."""
    x, y, z = vector
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def about_mesh_line(matrix: Array, offset: tuple[Any, Any]) -> Array:
    """Section matrix about the mesh line, from the one about the centroid.

    Parameters
    ----------
    matrix : (..., 6, 6) array
        Stiffness or mass matrix about the centroid.
    offset : pair of floats or (...) arrays
        Position (y, z) of the centroid relative to the mesh line [m].

    Returns
    -------
    (..., 6, 6) array
        ``A.T @ matrix @ A`` with ``A = [[I, -c^], [0, I]]`` and ``c = (0, y, z)``.

    Notes
    -----
    A point that moves with the section at ``c`` has the strain ``e + k x c`` where the
    mesh line has stretch and shear ``e`` and curvature ``k``; velocities likewise, so
    one transformation serves both matrices. It is exact for a straight mesh line.
    """
    y, z = offset
    lever = np.zeros_like(matrix)
    lever[...] = np.eye(6)
    lever[..., 0, 4], lever[..., 0, 5] = z, -y
    lever[..., 1, 3], lever[..., 2, 3] = -z, y
    return np.swapaxes(lever, -1, -2) @ matrix @ lever


def checked_fractions(thing: str, fractions: Any) -> Array:
    """Fractions of a member's length as an array, refused outside [0, 1]."""
    values = np.asarray(fractions, dtype=float)
    outside = values[~((values >= -1e-9) & (values <= 1.0 + 1e-9))]
    if outside.size:
        raise ModelError(
            f"{thing}: a section was asked for at the fraction {outside[0]:g} of the "
            "member; expected a number from 0 (its start) to 1 (its end)."
        )
    inside: Array = np.clip(values, 0.0, 1.0)
    return inside


def repeated(matrix: Array, fractions: Array) -> Array:
    """The same (6, 6) matrix for each of (n,) places: (n, 6, 6)."""
    return np.tile(matrix, (len(fractions), 1, 1))
