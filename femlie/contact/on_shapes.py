"""What lists of contacts know of rigid shapes: their numbers, and sharp edges."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..elements.base import Array, IntArray
from . import _layout as layout
from . import _shapes as kinds
from .model import ContactModel
from .shapes import RigidShape


def with_shapes(model: ContactModel, codes: IntArray, parameters: Array) -> Array:
    """Where shapes stand in the table, which is put behind all other columns."""
    if not model.shapes.items:
        return parameters
    shapes = model.segments.shapes[codes[:, layout.MASTER]]
    is_one = shapes >= 0
    if not is_one.any():
        return parameters
    codes[is_one, layout.SHAPE] = 1 + model.shapes.starts[shapes[is_one]]
    table = model.shapes.table
    width = -(-table.size // len(codes))
    behind = np.zeros(len(codes) * width)
    behind[: table.size] = table
    wide = np.zeros((len(codes), layout.TABLE + width))
    wide[:, : parameters.shape[1]] = parameters
    wide[:, layout.TABLE :] = behind.reshape(len(codes), width)
    return wide


def has_crests(shape: RigidShape) -> bool:
    """Whether a straight rod can touch it between two places that do not."""
    return shape.kind not in (kinds.PLANE, kinds.HOLLOW, kinds.BORE)


def is_on_edge(gaps: Array, is_sharp: Any, own: slice, least: float) -> bool:
    """Whether some places are closest to a sharp edge of a rigid shape.

    Those on smooth parts are farther away, by ``least``.
    """
    if not is_sharp[own].any():
        return False
    smooth = np.where(is_sharp[own], np.inf, gaps[own]).min()
    return bool(smooth > gaps[own].min() + least)
