"""``femlie view``, and pictures of ``femlie run``."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any, Literal

from ..errors import InputFileError, ViewError, suggestion
from ..results import Results, load_results
from ..system import Catalog
from ..units import Units
from .screen import DONE, say, show

FILM_ENDINGS = (".gif", ".mp4")


def view(options: argparse.Namespace) -> int:
    """Show results in a window, or write a picture, a film or both.

    Where no picture can be drawn on this machine, a message says what is missing.
    """
    from ..view.picture import PICTURE_ENDINGS

    if options.save is not None:
        check_ending(options.save, PICTURE_ENDINGS, "--save")
    if options.animate is not None:
        check_ending(options.animate, FILM_ENDINGS, "--animate")
    results = load_results(options.results)
    if len(results.times) == 0:
        raise InputFileError(f"'{options.results}' holds no state to look at.")
    layout = results.layout
    check_color(options.color, layout.catalog, has_contact=layout.contacts is not None)
    if options.animate is not None and len(results.times) < 2:
        raise InputFileError(
            f"--animate: '{options.results}' holds one state, expected two or more."
        )
    try:
        _draw_all(results, options)
    except ViewError as error:
        say(str(error))
    return DONE


def _draw_all(results: Results, options: argparse.Namespace) -> None:
    units = None if options.units is None else Units(*options.units)
    look = {
        "color": options.color,
        "scale": options.deformation_scale,
        "units": units,
    }
    if options.animate is not None:
        from ..view import Look, animate
        from ..view.movie import MOVIE_SIZE

        animate(
            results,
            options.animate,
            color=options.color,
            deformation_scale=options.deformation_scale,
            look=Look(size=MOVIE_SIZE, units=units),
        )
        show(str(options.animate))
    if options.save is not None:
        draw(results, options.save, time=options.time, **look)
        show(str(options.save))
    if options.save is None and options.animate is None:
        draw(results, None, time=options.time, **look)


def draw(
    results: Results,
    path: Path | None,
    *,
    color: Any = "displacement",
    time: float | None = None,
    scale: float | Literal["auto"] = "auto",
    units: Units | None = None,
) -> None:
    """Picture of results at a time, to a file or, without one, in a window."""
    from ..view import Look, plot

    look = Look(units=units)
    picture = plot(results, color=color, time=time, deformation_scale=scale, look=look)
    if path is None:
        picture.show()
    else:
        picture.save(path)


def check_ending(path: Path, endings: tuple[str, ...], option: str) -> None:
    """Refuse a file of a kind that cannot be written, or in no folder."""
    if path.suffix.lower() not in endings:
        near = suggestion(path.suffix, endings, what="endings")
        raise InputFileError(f"{option}: '{path}' cannot be written. {near}")
    if not path.parent.is_dir():
        raise InputFileError(f"{option}: there is no folder '{path.parent}'.")


def check_color(color: Any, catalog: Catalog, *, has_contact: bool) -> None:
    """Refuse colors of section forces without beams, of pressures without contact."""
    from ..view.coloring import checked_color

    try:
        has_beams = bool(catalog.beam_ranges)
        checked_color(color, has_beams=has_beams, has_contact=has_contact)
    except ViewError as error:
        raise InputFileError(f"--color: {error}") from error


def check_picture_path(path: Path, folder: Path) -> None:
    """Refuse a picture that could not be written after the run into ``folder``."""
    from ..view.picture import PICTURE_ENDINGS

    here = path if path.parent != folder else Path(path.name)
    check_ending(here, PICTURE_ENDINGS, "--picture")
