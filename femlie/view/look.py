"""How pictures are made, whatever they show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..units import Units


@dataclass(frozen=True, kw_only=True)
class Look:
    """How a picture is made, whatever it shows.

    Parameters
    ----------
    size : (width, height)
        Pixels.
    direction : (3,) or None
        From the model to the camera; by default face-on for plane models, else from an
        upper corner.
    section_scale : float or ``"auto"``
        Enlarges cross-sections. ``"auto"`` keeps their true size unless they would be
        thinner than 1.5 pixels; a note in the picture says by how much.
    shows_glyphs : bool
        Joints, supports, springs and loads, and a legend of them.
    units : Units or None
        Names of the units of the model, for the titles; none are named by default.
    """

    size: tuple[int, int] = (1280, 960)
    direction: tuple[float, float, float] | None = None
    section_scale: float | Literal["auto"] = "auto"
    shows_glyphs: bool = True
    units: Units | None = None
