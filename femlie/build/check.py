"""Checks of a part or sensor by itself."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np

from ..elements.base import Array
from ..errors import ModelError
from ..fields import check_fields
from ..parts.connections import Friction, JointSpring, Motor, Stop
from ..parts.structure import RestShape
from ..parts.time import Motion, Table
from .check_shape import check_shape

# records that stand in fields of parts
RECORDS = (Friction, JointSpring, Motion, Motor, Stop, Table)
# what a beam asks of its section
OF_SECTIONS = ("is_uniform", "at", "matrices", "damping_matrices")


def check_part(part: Any) -> None:
    """Refuse wrong kinds of values, numbers that are not finite, impossible signs.

    Raises
    ------
    ModelError
    """
    kind = type(part).__name__
    user = f"{kind} '{part.name}'"
    check_fields(part, user, within=RECORDS)
    if kind == "Beam":
        _check_beam(part, user)
    elif kind == "Shape":
        check_shape(part)
    elif kind == "ModalBody":
        _check_modal_body(part, user)
    elif kind == "Support" and part.first_axis is not None:
        _check_axes(part, user)


def _check_axes(part: Any, user: str) -> None:
    """The first axis of a support must not lie along its axis."""
    axis = np.asarray(part.axis, dtype=float)
    first = np.asarray(part.first_axis, dtype=float)
    across = np.cross(axis / np.linalg.norm(axis), first / np.linalg.norm(first))
    if np.linalg.norm(across) < 1e-6:
        raise ModelError(
            f"first_axis {part.first_axis} of {user} is parallel to its axis "
            f"{part.axis}: give a direction across."
        )


def _check_beam(part: Any, user: str) -> None:
    lacking = next((n for n in OF_SECTIONS if not hasattr(part.section, n)), None)
    if lacking is not None:
        raise ModelError(
            f"section of {user} is {type(part.section).__name__}, which has no "
            f"'{lacking}': expected a section such as TubeSection or GeneralSection."
        )
    if part.orientation is not None and not any(part.orientation):
        raise ModelError(
            f"orientation of {user} is {part.orientation!r}: expected three numbers "
            "that are not all zero."
        )
    if part.rest_strain is not None and len(part.rest_strain) != 6:
        raise ModelError(
            f"rest_strain of {user} is {part.rest_strain!r}: expected six numbers "
            "(stretch, two shears, twist, two curvatures)."
        )
    is_as_meshed = part.rest_shape is RestShape.AS_MESHED
    has_none = part.rest_strain is None and is_as_meshed
    if has_none and part.rest_strain_over_time is not None:
        raise ModelError(
            f"{user} has rest_strain_over_time but no rest_strain or straight "
            "rest_shape that it could act on."
        )


def _check_modal_body(part: Any, user: str) -> None:
    n = part.n_modes
    if isinstance(n, bool) or not isinstance(n, numbers.Integral) or n < 0:
        raise ModelError(f"n_modes of {user} is {n!r}: expected zero or more modes.")


def array_of_numbers(given: Any, *, what: str, expected: str) -> Array:
    """Numbers of any shape, or an error that names what they are for."""
    try:
        found = np.asarray(given, dtype=float)
    except (TypeError, ValueError) as error:
        raise ModelError(f"{what} is {given!r}: expected {expected}.") from error
    # to numpy nothing is not-a-number, and truth values are numbers
    entries = np.asarray(given, dtype=object).reshape(-1)
    if any(entry is None or isinstance(entry, (bool, np.bool_)) for entry in entries):
        raise ModelError(f"{what} is {given!r}: expected {expected}.")
    return found
