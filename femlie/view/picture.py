"""One picture of results."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from ..errors import ViewError
from ..lie import quaternion
from ..results import Results
from ..units import SI, Units
from .coloring import Color
from .look import Look
from .run import Run, color_of, run_of
from .scene import Scene, ghost_layers, layers_of, scene_of
from .window import Canvas, Image

SHOWN_DISPLACEMENT = 0.08  # of the model's size, where its scale is "auto"
LEAST_FACTOR = 2.0  # less is not worth a picture that is not true
SHOWN_TURN = 1.0  # largest enlarged rotation [rad]
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
            canvas.write(title_of(scene.run, self.index, scene.look.units), scene.notes)
        except BaseException:
            canvas.close()
            raise
        return canvas


def plot(
    results: Results,
    *,
    color: Color = "displacement",
    time: float | None = None,
    deformation_scale: float | Literal["auto"] = "auto",
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
        [s], of which the nearest output time is drawn; a load factor in statics, or
        the number of a mode. Default: the last one.
    deformation_scale : float or ``"auto"``
        Factor on displacements. ``"auto"`` draws the largest of the run as 8 % of the
        model's size if that takes a factor of 2 or more, and nothing may touch; 1
        draws them as they are. A note in the picture gives a factor other than 1.
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
    if run.contacts is not None:
        # what touches would be drawn in each other
        return 1.0
    start = run.start
    size = float(np.linalg.norm(np.ptp(start[:, :3], axis=0)))
    moved = max(
        float(np.abs(run.poses[i, :, :3] - start[:, :3]).max()) for i in indices
    )
    if moved <= 1e-12 * size or moved >= SHOWN_DISPLACEMENT * size:
        return 1.0
    back = quaternion.conjugate(start[:, 3:])
    turned = max(
        float(np.abs(quaternion.log(quaternion.multiply(back, poses[:, 3:]))).max())
        for poses in run.poses[indices]
    )
    # rotations are enlarged too: what has turned far would go round several times
    factor = min(SHOWN_DISPLACEMENT * size / moved, SHOWN_TURN / max(turned, 1e-300))
    return float(f"{factor:.2g}") if factor >= LEAST_FACTOR else 1.0


def title_of(run: Run, index: int, units: Units | None) -> str:
    """Time, load factor in statics, or number and frequency of a mode."""
    value = run.times[index]
    if run.time_name == "mode":
        mode = round(value)
        if mode == 0:
            return "without vibration"
        unit = (units or SI).of("frequency")
        return f"mode {mode}, {run.frequencies[mode - 1]:.4g} {unit}"
    unit = f" {units.time}" if units is not None and run.time_name == "time" else ""
    return f"{run.time_name} {value:.4g}{unit}"


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
