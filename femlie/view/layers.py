"""What a picture is made of: surfaces with a color or with values."""

from __future__ import annotations

from dataclasses import dataclass

from ..elements.base import Array
from .shapes import Patch


@dataclass(frozen=True)
class Layer:
    """A surface of one color, or colored by values.

    Attributes
    ----------
    name : str
    patch : Patch
    color : str
        Color of the surface, and of the legend.
    values : (n,) array or None
        At the points; they take the place of the color.
    opacity : float
    label : str
        Text in the legend; none if empty.
    """

    name: str
    patch: Patch
    color: str
    values: Array | None = None
    opacity: float = 1.0
    label: str = ""
