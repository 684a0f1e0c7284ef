"""Subgroups of SE(3): which directions a support or a lower pair leaves free.

Directions are unit twists in the joint frame, translation first; the third axis is the
axis of the joint. The frames that move by free directions only stay a group exactly
when the bracket of two free directions is free again: then `exp` of free increments
never leaves it, and the held directions need no equations.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..errors import ModelError
from . import se3
from ._loops import Array

Direction = tuple[float, ...]
Mask = tuple[bool, ...]
NAMES = np.array(("x", "y", "z", "rotation x", "rotation y", "rotation z"))


def is_subgroup(mask: Sequence[bool]) -> bool:
    """Whether the free directions of a mask are closed under the bracket.

    Parameters
    ----------
    mask : (6,) sequence of bool
        True where free: three translations, then three rotations.

    Returns
    -------
    bool

    Notes
    -----
    With ``[r_x, r_y] = r_z``, ``[r_x, t_y] = t_z`` (cyclic) and ``[t_i, t_j] = 0``, 22
    of the 64 masks are closed: no rotation with any translations (8); one rotation with
    both or neither of the translations across its axis, and with or without the one
    along it (12); three rotations with all or no translations (2).
    """
    free = np.asarray(mask, dtype=bool)
    brackets = se3.ad(np.eye(6))[free][:, :, free]
    return not np.any(brackets[:, ~free])


def free_directions(mask: Sequence[bool]) -> Array:
    """Unit twists of the free directions.

    Parameters
    ----------
    mask : (6,) sequence of bool
        True where free: three translations, then three rotations.

    Returns
    -------
    (n_free, 6) array
    """
    return np.asarray(np.eye(6)[np.asarray(mask, dtype=bool)])


def held_directions(mask: Sequence[bool]) -> Array:
    """Unit wrenches of the held directions.

    Parameters
    ----------
    mask : (6,) sequence of bool
        True where free: three translations, then three rotations.

    Returns
    -------
    (6 - n_free, 6) array
    """
    return np.asarray(np.eye(6)[~np.asarray(mask, dtype=bool)])


@dataclass(frozen=True)
class Subgroup:
    """Relative motions that a lower pair allows, in the joint frame.

    Attributes
    ----------
    name : str
    free : tuple of 6-tuples
        Basis of the free twists, translation [m] then rotation [rad].
    held : tuple of 6-tuples
        Basis of the wrenches that do no work on them: ``held @ free.T = 0``.
    """

    name: str
    free: tuple[Direction, ...]
    held: tuple[Direction, ...]

    @property
    def dimension(self) -> int:
        """Number of free directions."""
        return len(self.free)

    @property
    def free_basis(self) -> Array:
        """Free twists, (dimension, 6)."""
        return np.array(self.free, dtype=np.float64).reshape(-1, 6)

    @property
    def held_basis(self) -> Array:
        """Held wrenches, (6 - dimension, 6)."""
        return np.array(self.held, dtype=np.float64).reshape(-1, 6)

    @property
    def mask(self) -> Mask | None:
        """True for each free unit direction; None where a direction mixes two."""
        if any(sorted(twist) != [0.0] * 5 + [1.0] for twist in self.free):
            return None
        return tuple(bool(x) for x in np.any(self.free_basis, axis=0))


def from_mask(name: str, mask: Sequence[bool]) -> Subgroup:
    """Subgroup of a mask.

    Parameters
    ----------
    name : str
    mask : (6,) sequence of bool
        True where free: three translations, then three rotations.

    Returns
    -------
    Subgroup

    Raises
    ------
    ModelError
        If the free directions are not closed under the bracket.
    """
    if not is_subgroup(mask):
        free = ", ".join(NAMES[np.asarray(mask, dtype=bool)])
        message = (
            f"The free directions of '{name}' ({free}) make no subgroup, since moving "
            "along two of them in turn leaves them; free a rotation together with both "
            "or none of the translations across its axis, and one or three rotations."
        )
        raise ModelError(message)
    return Subgroup(
        name,
        tuple(tuple(row) for row in free_directions(mask).tolist()),
        tuple(tuple(row) for row in held_directions(mask).tolist()),
    )


def screw(pitch: float) -> Subgroup:
    """Subgroup of a screw along the third axis.

    Parameters
    ----------
    pitch : float
        Advance in a full turn [m]; positive for a right-handed thread.

    Returns
    -------
    Subgroup
        One free twist, a turn of 1 rad with an advance of ``pitch / (2 pi)``.

    Notes
    -----
    One direction is always closed, since its bracket with itself is zero.
    """
    advance = pitch / (2.0 * math.pi)
    return Subgroup(
        "screw",
        ((0.0, 0.0, advance, 0.0, 0.0, 1.0),),
        (
            (1.0, 0.0, 0.0, 0.0, 0.0, 0.0),
            (0.0, 1.0, 0.0, 0.0, 0.0, 0.0),
            (0.0, 0.0, 1.0, 0.0, 0.0, -advance),
            (0.0, 0.0, 0.0, 1.0, 0.0, 0.0),
            (0.0, 0.0, 0.0, 0.0, 1.0, 0.0),
        ),
    )


FIXED = from_mask("fixed", (False, False, False, False, False, False))
REVOLUTE = from_mask("revolute", (False, False, False, False, False, True))
PRISMATIC = from_mask("prismatic", (False, False, True, False, False, False))
CYLINDRICAL = from_mask("cylindrical", (False, False, True, False, False, True))
PLANAR = from_mask("planar", (True, True, False, False, False, True))
SPHERICAL = from_mask("spherical", (False, False, False, True, True, True))
FREE = from_mask("free", (True, True, True, True, True, True))
