"""What the links of a robot look like."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import MeshError
from ..mesh import Surface, box, cylinder, read_surface, sphere
from .file import Robot, pose_of

PACKAGE = "package://"


def surface_of(robot: Robot, link: Any, folder: Path | None) -> str | Surface | None:
    """Surface of a link in its frame, from all its visuals.

    Parameters
    ----------
    robot : Robot
    link : link of yourdfpy
    folder : Path or None
        Where relative paths start; None: paths are absolute.

    Returns
    -------
    str, Surface or None
        The path of a mesh that needs no moving.
    """
    if len(link.visuals) == 1:
        visual = link.visuals[0]
        mesh = visual.geometry.mesh
        is_in_place = np.array_equal(pose_of(visual), np.eye(4))
        if mesh is not None and is_in_place and np.all(_scale(mesh) == 1.0):
            file = find_mesh(robot, link.name, mesh.filename)
            if folder is not None:
                file = Path(os.path.relpath(file, folder.resolve()))
            return file.as_posix()
    parts = [_drawn(robot, link.name, visual) for visual in link.visuals]
    if not parts:
        return None
    firsts = np.cumsum([0, *(len(part.points) for part in parts[:-1])])
    return Surface(
        np.concatenate([part.points for part in parts]),
        np.concatenate([p.triangles + n for p, n in zip(parts, firsts, strict=True)]),
        link.name,
    )


def _scale(mesh: Any) -> Any:
    return np.ones(3) if mesh.scale is None else np.asarray(mesh.scale, dtype=float)


def _drawn(robot: Robot, link: str, visual: Any) -> Surface:
    """One visual in the frame of its link."""
    shape = visual.geometry
    if shape.mesh is not None:
        file = _read(robot, link, shape.mesh.filename)
        scale = np.broadcast_to(_scale(shape.mesh), 3)
        triangles = file.triangles
        if np.prod(scale) < 0.0:
            # a mirror turns the outside in
            triangles = triangles[:, ::-1]
        found = Surface(file.points * scale, triangles, file.source)
    elif shape.box is not None:
        found = box(tuple(shape.box.size.tolist()), density=1.0).surface
    elif shape.cylinder is not None:
        size = {"radius": shape.cylinder.radius, "length": shape.cylinder.length}
        found = cylinder(**size, axis=(0.0, 0.0, 1.0), density=1.0).surface
    else:
        found = sphere(shape.sphere.radius, density=1.0).surface
    return found.moved(pose_of(visual))


def _read(robot: Robot, link: str, name: str) -> Surface:
    try:
        return read_surface(find_mesh(robot, link, name))
    except MeshError as error:
        raise robot.error(
            f"link '{link}' cannot be drawn: {error} Or say "
            "leave_out=(fl.UrdfFeature.SURFACES,)."
        ) from error


def find_mesh(robot: Robot, link: str, name: str) -> Path:
    """The file that a URDF calls ``package://NAME/...``, or by a path.

    Packages are folders of that name above the URDF file, or beside one above it.

    Raises
    ------
    ModelError
        With the places that were tried.
    """
    tried = list(dict.fromkeys(_candidates(robot.path.resolve(), str(name))))
    for file in tried:
        if file.is_file():
            return file
    shown = ", ".join(f"'{file}'" for file in tried[:4])
    raise robot.error(
        f"link '{link}' is drawn by '{name}', which is not there (tried: {shown}): put "
        "it there, or say leave_out=(fl.UrdfFeature.SURFACES,)."
    )


def _candidates(urdf: Path, name: str) -> Iterator[Path]:
    folder = urdf.parent
    for scheme in ("file://", "model://"):
        name = name.removeprefix(scheme)
    if not name.startswith(PACKAGE):
        yield folder / name
        return
    package, _, rest = name.removeprefix(PACKAGE).partition("/")
    for above in (folder, *folder.parents):
        if above.name == package:
            yield above / rest
        yield above / package / rest
    yield folder / rest
