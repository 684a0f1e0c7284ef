"""Reading meshes: the suffix of the file chooses the reader."""

from __future__ import annotations

import os
from pathlib import Path

from femlie.errors import MeshError
from femlie.mesh.cells import FileContent, mesh_of
from femlie.mesh.checks import check_mesh
from femlie.mesh.gmsh import read_gmsh
from femlie.mesh.mesh import Mesh
from femlie.mesh.vtk import read_vtk

_READERS = {".msh": read_gmsh, ".vtk": read_vtk, ".vtu": read_vtk}

# What to do instead with files that people try to read.
_INSTEAD = {
    ".geo": "mesh it first, e.g. 'gmsh -1 part.geo -o part.msh'",
    ".geo_unrolled": "mesh it first, e.g. 'gmsh -1 part.geo -o part.msh'",
    ".step": "mesh it first in Gmsh and save it as .msh",
    ".stp": "mesh it first in Gmsh and save it as .msh",
    ".stl": "it is a surface: use read_surface",
    ".obj": "it is a surface: use read_surface",
    ".vtp": "save the lines as an unstructured grid, .vtu",
    ".pvd": "read one of the .vtu files that it lists",
}


def read_mesh(path: str | os.PathLike[str]) -> Mesh:
    """Read a mesh file.

    Parameters
    ----------
    path : str or path
        A file of Gmsh (``.msh``, format 2.2 or 4.1, ASCII or binary), a legacy VTK
        file (``.vtk``) or a VTU file (``.vtu``).

    Returns
    -------
    Mesh
        Lines of order 1 and 2. Gmsh's physical groups keep their names (those without
        a name are called by their number, e.g. ``"7"``); in VTK and VTU each value of
        an integer cell or point array is a group, e.g. ``"mat_id 1"``, ``"side 2"``.

    Raises
    ------
    MeshError
        If the file cannot be read, or if its content is unusable; the message says
        what is wrong and what to try.
    """
    return check_mesh(mesh_of(read_content(path)))


def read_content(path: str | os.PathLike[str]) -> FileContent:
    """What a mesh file holds, not checked yet; see `read_mesh`."""
    file = Path(path)
    suffix = file.suffix.lower()
    if suffix not in _READERS:
        instead = _INSTEAD.get(
            suffix, "convert it to .vtu, or save it from Gmsh as .msh"
        )
        raise MeshError(
            f"'{file}' cannot be read: files of type '{suffix}' are not supported, "
            f"only .msh (Gmsh 2.2 and 4.1), .vtk and .vtu; {instead}."
        )
    check_file(file)
    return _READERS[suffix](file)


def check_file(file: Path) -> None:
    """Refuse a file that is missing, empty, a directory or not readable."""
    if file.is_dir():
        raise MeshError(f"'{file}' is a directory, not a mesh file.")
    if not file.exists():
        raise MeshError(
            f"The file '{file}' does not exist; relative paths start at '{Path.cwd()}'."
        )
    try:
        with file.open("rb") as stream:
            start = stream.read(1)
    except OSError as error:
        raise MeshError(f"'{file}' cannot be opened ({error.strerror}).") from error
    if not start:
        raise MeshError(f"'{file}' is empty: write or copy the file again.")
