"""How far away the camera is, so that glyphs are in the picture too."""

from __future__ import annotations

import numpy as np

from ..elements.base import Array
from .camera import View, framed
from .look import Look
from .markers import Surroundings, marker_layers, outermost_of, surroundings
from .run import Run

GLYPH_PIXELS = 0.013  # size of a glyph, of the picture's height


def around(run: Run, thickness: Array, look: Look, view: View) -> Surroundings:
    """What glyphs look for around them, with the size that they have in a view."""
    glyph_size = GLYPH_PIXELS * look.size[1] * view.pixel
    return surroundings(run.catalog, run.start, thickness, glyph_size, view.up)


def with_glyphs(
    run: Run,
    shown: list[Array],
    points: Array,
    thickness: Array,
    seen: tuple[Look, View],
) -> View:
    """The view, so far away that glyphs and the thickness of beams are in it too.

    Glyphs have a size in pixels: from farther away they are larger.
    """
    look, view = seen
    glyphs = run.catalog.glyphs if look.shows_glyphs else ()
    outermost = [outermost_of(glyphs, poses, view) for poses in shown]
    pad = float(thickness.max(initial=0.0))
    for _ in range(2):
        near = around(run, thickness, look, view)
        outer = [
            layer.patch.points
            for poses, some in zip(shown, outermost, strict=True)
            for layer in marker_layers(some, poses, near)
        ]
        everything = np.concatenate([points, *outer])
        view = framed(view.direction, view.up, everything, look.size, pad)
    return view
