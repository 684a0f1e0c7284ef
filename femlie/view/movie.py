"""Animations of results."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import numpy as np

from ..elements.base import Array
from ..errors import ViewError
from ..results import Results
from .coloring import Color
from .look import Look
from .picture import checked_path, scale_of_deformation, title_of
from .run import color_of, run_of
from .scene import layers_of, scene_of
from .window import Canvas

MOVIE_SIZE = (960, 720)  # video codecs want multiples of 16
SHORTEST, LONGEST = 2.0, 12.0  # of a film whose length is not given [s]


def animate(
    results: Results,
    path: str | Path,
    *,
    color: Color = "displacement",
    deformation_scale: float | Literal["auto"] = "auto",
    frames_per_second: int = 25,
    length: float | None = None,
    look: Look | None = None,
) -> Path:
    """Film of results, evenly in time, with one range of colors.

    Parameters
    ----------
    results : Results
        Two records or more.
    path : str or Path
        Ends in .gif or .mp4.
    color, deformation_scale, look
        As for `plot`.
    frames_per_second : int
    length : float or None
        Of the film [s]; by default the time of the run, but 2 to 12 s. Each frame
        shows the record nearest to its time.

    Returns
    -------
    Path
        Of the file.

    Raises
    ------
    ViewError
        Another ending, one record only, or no graphics library.
    """
    target = checked_path(path, (".gif", ".mp4"))
    run = run_of(results)
    quantity = color_of(run, color)
    if len(run.times) < 2 or run.times[-1] <= run.times[0]:
        raise ViewError(
            f"animate: the results hold {len(run.times)} record, expected two or more "
            "at different times; use plot for a picture of one."
        )
    if frames_per_second < 1 or (length is not None and length <= 0.0):
        raise ViewError(
            f"animate: frames_per_second is {frames_per_second} and length is "
            f"{length}, expected positive numbers."
        )
    indices = chosen_records(run.times, frames_per_second, length)
    factor = scale_of_deformation(run, indices, deformation_scale)
    look = look or Look(size=MOVIE_SIZE)
    scene = scene_of(run, sorted(set(indices)), quantity, factor, look)
    with (
        Canvas(look.size, scene.view) as canvas,
        _writer(target, frames_per_second) as film,
    ):
        for number, index in enumerate(indices):
            layers = layers_of(scene, index)
            canvas.draw(layers, scene.scale)
            if number == 0:
                canvas.annotate(layers, scene.scale)
            canvas.write(title_of(run, index, look.units), scene.notes)
            film.append_data(canvas.image())
    return target


def chosen_records(
    times: Array, frames_per_second: int, length: float | None
) -> list[int]:
    """Record nearest to each frame's time, frames evenly spaced over the run."""
    duration = float(times[-1] - times[0])
    if length is None:
        length = min(max(duration, SHORTEST), LONGEST)
    wanted = np.linspace(times[0], times[-1], max(round(length * frames_per_second), 2))
    after = np.clip(np.searchsorted(times, wanted), 1, len(times) - 1)
    is_before = wanted - times[after - 1] < times[after] - wanted
    return [int(i) for i in after - is_before]


def _writer(target: Path, frames_per_second: int) -> Any:
    """Writer of frames, to be used in a ``with`` block."""
    import imageio.v2 as imageio

    if target.suffix.lower() == ".gif":
        duration = 1000.0 / frames_per_second
        return imageio.get_writer(target, duration=duration, loop=0)
    return imageio.get_writer(
        target, fps=frames_per_second, codec="libx264", quality=8, macro_block_size=2
    )
