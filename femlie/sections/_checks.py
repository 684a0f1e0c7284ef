"""Checks of the numbers that a user gives for a material or a section."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from femlie.errors import ModelError
from femlie.fields import GREATEST_NUMBER, is_list, is_usable, shown
from femlie.sections.base import Array

RELATIVE_TOLERANCE = 1e-9
# fourth powers of larger or smaller numbers, times another, leave the range of doubles
GREATEST, SMALLEST = 1e50, 1e-50


def is_finite_number(value: Any) -> bool:
    """True for a real number that is neither NaN nor infinite (a bool is none)."""
    return is_usable(value, math.inf)


def check_number(thing: str, name: str, value: Any, *, zero: bool = False) -> None:
    """Refuse all but positive (``zero=True``: not negative) finite numbers."""
    expected = "a finite number that is not negative" if zero else "a positive number"
    if is_finite_number(value) and (value > 0 or (zero and value == 0)):
        if is_usable(value, GREATEST) and (zero or value > SMALLEST):
            return
        expected = f"a number between {SMALLEST:g} and {GREATEST:g}"
    raise ModelError(f"{thing}: {name} is {shown(value)}, expected {expected}.")


def checked_pair(
    thing: str, name: str, value: Any, *, positive: bool = False
) -> tuple[float, float]:
    """Pair (y, z) of finite, or of positive, numbers as a tuple."""
    pair = tuple(value) if is_list(value) else ()
    valid = len(pair) == 2 and all(is_usable(number, GREATEST) for number in pair)
    if not valid or (positive and min(pair) <= 0):
        kind = "two positive numbers" if positive else "two finite numbers"
        raise ModelError(f"{thing}: {name} is {value!r}, expected {kind} (y, z).")
    return float(pair[0]), float(pair[1])


def checked_matrix(thing: str, name: str, value: Any) -> Array:
    """Symmetric (6, 6) array of finite numbers, with rounding made symmetric."""
    try:
        matrix = np.array(value, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise ModelError(
            f"{thing}: {name} is {value!r}, expected 6 rows of 6 numbers."
        ) from None
    if matrix.shape != (6, 6):
        raise ModelError(
            f"{thing}: {name} has the shape {matrix.shape}, expected (6, 6)."
        )
    is_fit = np.abs(matrix) < GREATEST_NUMBER
    if not is_fit.all():
        i, j = np.argwhere(~is_fit)[0]
        raise ModelError(
            f"{thing}: {name} has {matrix[i, j]} in row {i + 1}, column {j + 1}; "
            f"expected finite numbers below {GREATEST_NUMBER:g}."
        )
    gap = np.abs(matrix - matrix.T) / scales(matrix)
    if gap.max() > RELATIVE_TOLERANCE:
        i, j = np.unravel_index(gap.argmax(), gap.shape)
        raise ModelError(
            f"{thing}: {name} is not symmetric, row {i + 1}, column {j + 1} is "
            f"{matrix[i, j]:g} and row {j + 1}, column {i + 1} is {matrix[j, i]:g}; "
            "expected equal numbers."
        )
    symmetric: Array = 0.5 * (matrix + matrix.T)
    return symmetric


def scales(matrix: Array) -> Array:
    """Size (6, 6) that each entry may have, from the diagonal: free of units."""
    root = np.sqrt(np.abs(np.diag(matrix)))
    root[root == 0.0] = 1.0
    return np.outer(root, root)


def check_definite(thing: str, name: str, matrix: Array, *, zero: bool = False) -> None:
    """Refuse what is not positive (``zero=True``: semi-) definite, free of units."""
    smallest = np.linalg.eigvalsh(matrix / scales(matrix))[0]
    if smallest >= (-RELATIVE_TOLERANCE if zero else RELATIVE_TOLERANCE):
        return
    kind = "positive semidefinite" if zero else "positive definite"
    raise ModelError(
        f"{thing}: {name} is not {kind}, its smallest eigenvalue (scaled to a unit "
        f"diagonal) is {smallest:.3g}; expected {'no less' if zero else 'more'} than 0."
    )


def checked_damping(thing: str, damping: Any, damping_time: Any) -> Array | None:
    """Damping matrix (6, 6) or None; refused next to a damping time."""
    check_number(thing, "damping_time", damping_time, zero=True)
    if damping is None:
        return None
    if damping_time:
        raise ModelError(
            f"{thing}: damping and damping_time = {damping_time:g} are both given, "
            "expected one of them."
        )
    matrix = checked_matrix(thing, "damping", damping)
    check_definite(thing, "damping", matrix, zero=True)
    return matrix
