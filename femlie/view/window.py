"""The window that pictures are drawn in, on screen or off; knows VTK, no mechanics.

VTK ends the process when it renders without a graphics library, so `renderer` looks for
one first.
"""

from __future__ import annotations

import ctypes
import functools
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import ViewError
from .camera import View
from .coloring import Scale
from .layers import Layer

Image = npt.NDArray[np.uint8]
WINDOW_VARIABLE = "VTK_DEFAULT_OPENGL_WINDOW"
EGL_WINDOW, SOFTWARE_WINDOW = "vtkEGLRenderWindow", "vtkOSOpenGLRenderWindow"
SCREEN_WINDOWS = ("vtkXOpenGLRenderWindow", "vtkWaylandOpenGLRenderWindow")
MESA_LIBRARIES = ("libOSMesa.so.8", "libOSMesa.so.6", "libOSMesa.so")
TEXT_COLOR = "#202020"
FONT = "arial"
# shares of the picture: the legend below the color bar, and the triad
LEGEND_LEFT, LEGEND_HEIGHT = 0.815, 0.33
TRIAD = (0.0, 0.0, 0.1125, 0.15)


def pyvista() -> Any:
    """The pyvista package, with plotting; named in the error if it is missing."""
    try:
        import pyvista as package
    except ImportError as error:
        raise ViewError(
            f"Pictures need the package pyvista, which cannot be imported ({error}); "
            "install it with: pip install pyvista"
        ) from error
    return package


@functools.cache
def renderer() -> str | None:
    """Name of VTK's class of off-screen windows, None for its own choice.

    Raises
    ------
    ViewError
        If no graphics library can be loaded; it names the packages.
    """
    if not sys.platform.startswith("linux"):
        return None
    for wanted in (os.environ.get(WINDOW_VARIABLE) or EGL_WINDOW, None):
        name = _window_class(wanted)
        if name == wanted or (wanted is None and name != SOFTWARE_WINDOW):
            break
    if name != SOFTWARE_WINDOW or any(map(_can_load, MESA_LIBRARIES)):
        return name
    raise ViewError(
        "No picture can be drawn: VTK finds neither EGL nor OSMesa on this machine, "
        "one of which it needs to draw without a display. Install the system packages "
        "libegl1, libgl1 and libgl1-mesa-dri, for example with: "
        "apt-get install -y libegl1 libgl1 libgl1-mesa-dri; or instead libosmesa6."
    )


def _can_load(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def _window_class(wanted: str | None) -> str:
    """Class of the window that VTK makes; a missing library is its fallback."""
    import vtkmodules.vtkRenderingOpenGL2  # noqa: F401  (registers the windows)
    from vtkmodules.vtkCommonCore import vtkLogger
    from vtkmodules.vtkRenderingCore import vtkRenderWindow

    level = vtkLogger.GetCurrentVerbosityCutoff()
    vtkLogger.SetStderrVerbosity(vtkLogger.VERBOSITY_OFF)
    try:
        with _preferred(wanted):
            return str(vtkRenderWindow().GetClassName())
    finally:
        vtkLogger.SetStderrVerbosity(level)


@contextmanager
def _preferred(window: str | None) -> Iterator[None]:
    """Have VTK make windows of one class meanwhile."""
    before = os.environ.get(WINDOW_VARIABLE)
    if window is not None:
        os.environ[WINDOW_VARIABLE] = window
    try:
        yield
    finally:
        if window is not None:
            os.environ.pop(WINDOW_VARIABLE)
            if before is not None:
                os.environ[WINDOW_VARIABLE] = before


def _format(scale: Scale) -> str:
    """Numbers of a color bar without an exponent where they stay short."""
    largest = max(abs(scale.low), abs(scale.high))
    return " %.6g" if 1e4 <= largest < 1e6 else " %.4g"


def _check_display() -> None:
    """Refuse a window on the screen where VTK would draw off it, or end the process."""
    if not sys.platform.startswith("linux"):
        return
    display = os.environ.get("DISPLAY")
    if not display:
        raise ViewError(
            "A window needs a display, and the variable DISPLAY is not set; write the "
            "picture to a file: --save FILE.png of femlie view, save(path) in Python."
        )
    if _window_class(None) not in SCREEN_WINDOWS:
        raise ViewError(
            f"No window can be opened on the display '{display}'; write the picture to "
            "a file: --save FILE.png of femlie view, save(path) in Python."
        )


class Canvas:
    """A window with one view of a model; closed at the end of its ``with`` block.

    Parameters
    ----------
    size : (width, height)
        Pixels.
    view : View
    is_visible : bool
        On screen; it needs a display.
    """

    def __init__(
        self, size: tuple[int, int], view: View, *, is_visible: bool = False
    ) -> None:
        package = pyvista()
        if is_visible:
            _check_display()
        window = None if is_visible else renderer()
        with _preferred(window):
            self._plotter = package.Plotter(off_screen=not is_visible, window_size=size)
        self._plotter.render_window.SetMultiSamples(4)
        self._plotter.set_background("white")
        self._size = size
        self._meshes: dict[str, Any] = {}
        self._set_camera(view)

    def __enter__(self) -> Canvas:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Give back the window and all that it holds."""
        self._meshes.clear()
        self._plotter.close()
        self._plotter.deep_clean()

    def _set_camera(self, view: View) -> None:
        camera = self._plotter.camera
        distance = 10.0 * view.half_height
        camera.position = view.center + distance * view.direction
        camera.focal_point = view.center
        camera.up = view.up
        camera.parallel_projection = True
        camera.parallel_scale = view.half_height
        self._plotter.camera_set = True

    def draw(self, layers: Sequence[Layer], scale: Scale | None) -> None:
        """Show layers in the place of those of the same names."""
        names = {layer.name for layer in layers}
        for name in set(self._meshes) - names:
            self._plotter.remove_actor(name, render=False)
            del self._meshes[name]
        for layer in layers:
            mesh = self._mesh(layer)
            if layer.name in self._meshes:
                self._meshes[layer.name].shallow_copy(mesh)
                continue
            self._meshes[layer.name] = mesh
            self._add(layer, mesh, scale)

    def _mesh(self, layer: Layer) -> Any:
        patch = layer.patch
        points = patch.points.astype(np.float32)
        mesh = pyvista().PolyData.from_regular_faces(points, patch.triangles)
        mesh.point_data.active_normals = patch.normals.astype(np.float32)
        if layer.values is not None:
            mesh.point_data.set_array(layer.values, "values")
        return mesh

    def _add(self, layer: Layer, mesh: Any, scale: Scale | None) -> None:
        is_colored = layer.values is not None and scale is not None
        actor = self._plotter.add_mesh(
            mesh,
            name=layer.name,
            color=None if is_colored else layer.color,
            scalars="values" if is_colored else None,
            cmap=scale.map_name if is_colored and scale else None,
            clim=(scale.low, scale.high) if is_colored and scale else None,
            opacity=layer.opacity,
            show_scalar_bar=False,
            reset_camera=False,
            render=False,
            copy_mesh=False,
            ambient=0.35,
            diffuse=0.75,
            specular=0.1,
        )
        actor.prop.interpolation = "Phong"
        if layer.opacity < 1.0:
            # one layer of a closed surface instead of two, in whatever order
            actor.prop.culling = "back"

    def annotate(self, layers: Sequence[Layer], scale: Scale | None) -> None:
        """Add what does not change: color bar, legend, triad."""
        plotter, (_, height) = self._plotter, self._size
        font = round(height / 48)
        mapper = self._colored_mapper(layers)
        if scale is not None and mapper is not None:
            plotter.add_scalar_bar(
                title=scale.title,
                mapper=mapper,
                vertical=True,
                n_labels=5,
                fmt=_format(scale),
                title_font_size=font,
                label_font_size=font,
                color=TEXT_COLOR,
                font_family=FONT,
                width=0.055,
                height=0.5,
                position_x=0.86,
                position_y=0.44,
                render=False,
            )
            bar = plotter.scalar_bars[scale.title]
            bar.SetVerticalTitleSeparation(font // 2)
        self._legend({layer.label: layer.color for layer in layers if layer.label})
        plotter.add_axes(line_width=3, color=TEXT_COLOR, viewport=TRIAD)

    def _legend(self, colors: dict[str, str]) -> None:
        """Squares and names at the lower right, the first one on top."""
        width, height = self._size
        step = min(0.034, LEGEND_HEIGHT / max(len(colors), 1)) * height
        side = 0.016 * height
        left, bottom = LEGEND_LEFT * width, 0.09 * height
        for row, (label, color) in enumerate(reversed(colors.items())):
            low = bottom + row * step
            self._text(f"legend {row}", label, (left + 1.6 * side, low), 0.75)
            self._square((left, low + 0.15 * side), side, color)

    def _square(self, place: tuple[float, float], side: float, color: str) -> None:
        from vtkmodules.vtkRenderingCore import vtkActor2D, vtkPolyDataMapper2D

        corners = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]) * side
        mapper = vtkPolyDataMapper2D()
        mapper.SetInputData(
            pyvista().PolyData.from_regular_faces(corners, [[0, 1, 2], [0, 2, 3]])
        )
        actor = vtkActor2D()
        actor.SetMapper(mapper)
        actor.SetPosition(*place)
        actor.GetProperty().SetColor(pyvista().Color(color).float_rgb)
        self._plotter.add_actor(actor, reset_camera=False, render=False)

    def _text(
        self, name: str, text: str, place: tuple[float, float], share: float = 1.0
    ) -> None:
        """Text whose lower left corner is at a pixel, ``share`` of the title's size."""
        self._plotter.add_text(
            text,
            name=name,
            position=place,
            font_size=share * self._size[1] / 70,
            color=TEXT_COLOR,
            font=FONT,
            render=False,
        )

    def _colored_mapper(self, layers: Sequence[Layer]) -> Any:
        for layer in layers:
            if layer.values is not None:
                return self._plotter.actors[layer.name].mapper
        return None

    def write(self, title: str, notes: Sequence[str]) -> None:
        """Title at the top, notes at the lower right; in the place of former ones."""
        width, height = self._size
        self._text("title", title, (0.03 * width, 0.945 * height))
        for row, note in enumerate(notes):
            place = (0.2 * width, (0.02 + 0.034 * row) * height)
            self._text(f"note {row}", note, place, 0.75)

    def image(self) -> Image:
        """(height, width, 3) array of what is drawn."""
        self._plotter.renderer.ResetCameraClippingRange()
        # a screenshot draws the first time only
        self._plotter.render()
        picture: Image = self._plotter.screenshot(return_img=True)
        return picture

    def open(self, title: str) -> None:
        """Show the window until the user closes it."""
        self._plotter.renderer.ResetCameraClippingRange()
        self._plotter.show(title=title, auto_close=False)
