"""What colors mean: the quantity, its name, its range."""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

import numpy as np

from ..elements.base import Array
from ..errors import ViewError, suggestion

Color = Literal[
    "part",
    "displacement",
    "speed",
    "axial_force",
    "shear_y",
    "shear_z",
    "shear_force",
    "torsion",
    "bending_y",
    "bending_z",
    "bending_moment",
    "contact_pressure",
]
# columns of the section forces; more than one: their root of squares
FORCE_COLUMNS = {
    "axial_force": (0,),
    "shear_y": (1,),
    "shear_z": (2,),
    "shear_force": (1, 2),
    "torsion": (3,),
    "bending_y": (4,),
    "bending_z": (5,),
    "bending_moment": (4, 5),
}
TITLES = {
    "displacement": "displacement",
    "speed": "speed",
    "axial_force": "axial force",
    "shear_y": "shear force y",
    "shear_z": "shear force z",
    "shear_force": "shear force",
    "torsion": "torsion moment",
    "bending_y": "bending moment y",
    "bending_z": "bending moment z",
    "bending_moment": "bending moment",
    "contact_pressure": "contact force per length",
}
# distinct in print and for most color-blind readers
PART_COLORS = (
    "#4477aa",
    "#ccbb44",
    "#66ccee",
    "#aa3377",
    "#228833",
    "#ee8866",
    "#77aadd",
    "#bbbbbb",
)


class Scale(NamedTuple):
    """Color bar: title, range and color map."""

    title: str
    low: float
    high: float
    map_name: str


def checked_color(color: str, *, has_beams: bool, has_contact: bool) -> Color:
    """The color, refused if it is not known or shows what the results do not have."""
    known = get_args(Color)
    if color not in known:
        raise ViewError(
            f"plot: color is '{color}'. {suggestion(color, known, what='colors')}"
        )
    if color in FORCE_COLUMNS and not has_beams:
        raise ViewError(
            f"plot: color is '{color}', a section force, but the model has no beam: "
            "take 'part', 'displacement' or 'speed'."
        )
    if color == "contact_pressure" and not has_contact:
        raise ViewError(
            "plot: color is 'contact_pressure', but the results hold no contact: add a "
            "Contact to the model, or take 'displacement'."
        )
    return color  # type: ignore[return-value]


def component(color: Color, forces: Array) -> Array:
    """The colored section force (...) of section forces (..., 6)."""
    columns = FORCE_COLUMNS[color]
    if len(columns) == 1:
        return forces[..., columns[0]]
    return np.asarray(np.linalg.norm(forces[..., columns], axis=-1))


def between(values: Array, stations: Array) -> Array:
    """Values (n, s) at stations from values (n, 3) at both ends and the middle."""
    x = 2.0 * stations
    first, middle, last = values[:, :1], values[:, 1:2], values[:, 2:]
    front = first + x * (middle - first)
    back = middle + (x - 1.0) * (last - middle)
    return np.where(x < 1.0, front, back)


def scale_of(color: Color, low: float, high: float) -> Scale:
    """Color bar over a range; about zero where a quantity has a sign."""
    is_signed = color in FORCE_COLUMNS and len(FORCE_COLUMNS[color]) == 1
    if is_signed:
        high = max(abs(low), abs(high))
        low = -high
    if not high > low:
        high = low + 1.0
    return Scale(TITLES[color], low, high, "coolwarm" if is_signed else "turbo")
