"""Where a picture is looked at from, and how large a pixel is there."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..elements.base import Array
from .shapes import unit

ISOMETRIC = (1.0, -1.4, 0.9)
# share of the picture that the model and its glyphs may fill: left, right, bottom,
# top; the margins are for triad and notes, title, color bar and legend
FIELD = (0.04, 0.79, 0.15, 0.91)
FLATNESS = 1e-6  # of the model's size: below it, a model is plane


class View(NamedTuple):
    """A parallel projection."""

    direction: Array  # (3,) from the model to the camera
    up: Array  # (3,) across the direction
    center: Array  # (3,) in the middle of the picture
    half_height: float  # length that half the picture's height shows
    pixel: float  # length that a pixel shows


def look_at(
    points: Array,
    vectors: Array,
    size: tuple[int, int],
    direction: tuple[float, float, float] | None = None,
) -> View:
    """View that shows all points: face-on if plane, else from an upper corner.

    Parameters
    ----------
    points : (n, 3) array
        What must be seen.
    vectors : (m, 3) array
        Loads: one across a plane model makes the view isometric.
    size : (width, height)
        Pixels.
    direction : (3,) or None
        From the model to the camera, if it is given.
    """
    if direction is None:
        toward, up = _natural(points, vectors)
    else:
        toward = np.array(direction, dtype=float)
        up = np.eye(3)[2 if abs(unit(toward)[2]) < 0.99 else 1]
    return framed(np.asarray(toward), np.asarray(up), points, size)


def framed(
    toward: Array, up: Array, points: Array, size: tuple[int, int], pad: float = 0.0
) -> View:
    """View from a direction that shows all points with ``pad`` around each of them."""
    toward = unit(toward)
    right = unit(np.cross(up, toward))
    axes = np.column_stack((right, np.cross(toward, right), toward))
    seen = points @ axes
    low, high = seen.min(axis=0) - pad, seen.max(axis=0) + pad
    extent = high - low
    if not extent[:2].any():
        extent[:] = 1.0
    left, end, bottom, top = FIELD
    width, height = size
    pixel = max(
        extent[0] / ((end - left) * width), extent[1] / ((top - bottom) * height)
    )
    shift = np.array(
        [(0.5 - 0.5 * (left + end)) * width, (0.5 - 0.5 * (bottom + top)) * height, 0.0]
    )
    center = axes @ (0.5 * (low + high) + pixel * shift)
    return View(toward, axes[:, 1], center, 0.5 * height * pixel, pixel)


def _natural(points: Array, vectors: Array) -> tuple[Array, Array]:
    """Direction and up: of the plane in which everything lies, else isometric."""
    extent = np.ptp(points, axis=0)
    scale = extent.max()
    strength = np.abs(vectors).max(axis=0, initial=0.0)
    is_flat = (extent <= FLATNESS * scale) & (strength <= 1e-6 * strength.max())
    x, y, z = np.eye(3)
    if is_flat.sum() == 1:
        return ((x, z), (-y, z), (z, y))[int(np.argmax(is_flat))]
    return np.array(ISOMETRIC), z
