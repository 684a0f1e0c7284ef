"""One picture of results."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from ..errors import ViewError
from ..results import Results
from .coloring import Color
from .run import Run, color_of, run_of
from .scene import Look, Scene, ghost_layers, layers_of, scene_of
from .window import Canvas, Image

SHOWN_DISPLACEMENT = 0.08  # of the model's size, where its scale is "auto"
PICTURE_ENDINGS = (".png", ".jpg", ".jpeg", ".bmp", ".tif", ".tiff")


@dataclass(frozen=True, eq=False)
class Picture:
    """A picture that is drawn when it is asked for; made by `plot`."""

    scene: Scene
    index: int
    shows_undeformed: bool

    def show(self) -> None:
        """Open a window to turn and zoom; returns when it is closed.

        Raises
        ------
        ViewError
            Without a display.
        """
        with self._canvas(is_visible=True) as canvas:
            canvas.open("femlie")

    def save(self, path: str | Path) -> Path:
        """Write the picture to a file; no display is needed.

        Parameters
        ----------
        path : str or Path
            Ends in .png, .jpg, .bmp or .tif.

        Raises
        ------
        ViewError
            Another ending, or no graphics library: the message names the package.
        """
        target = checked_path(path, PICTURE_ENDINGS)
        import imageio.v2 as imageio

        imageio.imwrite(target, self.image())
        return target

    def image(self) -> Image:
        """Pixels of the picture, (height, width, 3) array of bytes."""
        with self._canvas() as canvas:
            return canvas.image()

    def _canvas(self, *, is_visible: bool = False) -> Canvas:
        scene = self.scene
        canvas = Canvas(scene.look.size, scene.view, is_visible=is_visible)
        try:
            layers = layers_of(scene, self.index)
            if self.shows_undeformed:
                layers += ghost_layers(scene, self.index)
            canvas.draw(layers, scene.scale)
            canvas.annotate(layers, scene.scale)
            canvas.write(title_of(scene.run, self.index), scene.notes)
        except BaseException:
            canvas.close()
            raise
        return canvas


def plot(
    results: Results,
    *,
    color: Color = "displacement",
    time: float | None = None,
    deformation_scale: float | Literal["auto"] = 1.0,
    shows_undeformed: bool = True,
    look: Look | None = None,
) -> Picture:
    """Picture of a model at one of the times of its results.

    Parameters
    ----------
    results : Results
    color : str
        ``"part"``, ``"displacement"``, ``"speed"``, or a section force: see `Color`.
    time : float or None
        [s]; the load factor in statics. The nearest output time is drawn; default: the
        last one.
    deformation_scale : float or ``"auto"``
        Factor on displacements. ``"auto"`` draws the largest of the run as 8 % of the
        model's size if it is smaller. A note in the picture gives it.
    shows_undeformed : bool
        Also the model at the start, transparent.
    look : Look or None
        Size, direction of view, size of sections, glyphs.

    Returns
    -------
    Picture
        With ``show()``, ``save(path)`` and ``image()``.

    Raises
    ------
    ViewError
        A color that does not exist or needs beams, or no state to draw.
    ResultsError
        A time outside the run.
    """
    run = run_of(results)
    quantity = color_of(run, color)
    n_times = len(run.times)
    index = n_times - 1 if time is None else results.index_at(time)
    # what moves far at some time is not enlarged where it comes back
    factor = scale_of_deformation(run, list(range(n_times)), deformation_scale)
    scene = scene_of(run, [index], quantity, factor, look or Look())
    return Picture(scene, index, shows_undeformed)


def scale_of_deformation(
    run: Run, indices: list[int], scale: float | Literal["auto"]
) -> float:
    """Factor on displacements, rounded to two digits where it is automatic."""
    if scale != "auto":
        return float(scale)
    start = run.start[:, :3]
    size = float(np.linalg.norm(np.ptp(start, axis=0)))
    moved = max(float(np.abs(run.poses[i, :, :3] - start).max()) for i in indices)
    if moved <= 1e-12 * size or moved >= SHOWN_DISPLACEMENT * size:
        return 1.0
    return float(f"{SHOWN_DISPLACEMENT * size / moved:.2g}")


def title_of(run: Run, index: int) -> str:
    """Time, load factor in statics, or number of a mode."""
    return f"{run.time_name} {run.times[index]:.4g}"


def checked_path(path: str | Path, endings: tuple[str, ...]) -> Path:
    """The path, refused if its ending is not known or its folder does not exist."""
    target = Path(path)
    if target.suffix.lower() not in endings:
        known = ", ".join(endings)
        raise ViewError(
            f"The file '{target}' cannot be written: it must end in {known}."
        )
    if not target.parent.is_dir():
        raise ViewError(
            f"The file '{target}' cannot be written: there is no folder "
            f"'{target.parent}'."
        )
    return target
