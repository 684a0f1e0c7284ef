"""Meshes of model files: files, tables, lines and curves."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from femlie.errors import InputFileError, MeshError
from femlie.input_file import read_model, write_model
from femlie.mesh import (
    cubic_lattice,
    join_meshes,
    mesh_from_arrays,
    mesh_from_curve,
    straight_line,
)
from femlie.model import Model
from femlie.sections import (
    Material,
    TubeSection,
)

MESHES = Path(__file__).parents[3] / "meshes"
STEEL = Material(young=210e9, poisson=0.3, density=7850.0)
TUBE = TubeSection(outer_radius=0.05, inner_radius=0.045, material=STEEL)


def mesh_of(write: Callable[..., Path], text: str) -> Any:
    return read_model(write(text)).model.mesh


def assert_same_mesh(one: Any, other: Any) -> None:
    assert Model(one) == Model(other)


def test_a_mesh_is_a_file_beside_the_model(
    write: Callable[..., Path], tmp_path: Path
) -> None:
    (tmp_path / "ring.msh").write_bytes((MESHES / "ring.msh").read_bytes())
    file = read_model(write('mesh = "ring.msh"'))
    assert file.mesh_path == tmp_path / "ring.msh"
    assert len(file.model.mesh.lines) == 48  # type: ignore[union-attr]
    write_model(file.model, None, tmp_path / "again.toml")
    assert 'mesh = "ring.msh"' in (tmp_path / "again.toml").read_text()
    assert read_model(tmp_path / "again.toml").model == file.model


def test_a_mesh_may_be_given_by_points_lines_and_groups(
    write: Callable[..., Path], tmp_path: Path
) -> None:
    mesh = mesh_of(
        write,
        """
[mesh]
points = [[0, 0, 0], [1, 0, 0], [1, 1, 0]]
lines = [[0, 1], [1, 2]]
node_groups = { foot = [0], "load point" = [2] }
line_groups = { arms = [0, 1] }
surface_groups = { plate = [[0, 1, 2]] }
""",
    )
    expected = mesh_from_arrays(
        [[0, 0, 0], [1, 0, 0], [1, 1, 0]],
        [[0, 1], [1, 2]],
        node_groups={"foot": [0], "load point": [2]},
        line_groups={"arms": [0, 1]},
        surface_groups={"plate": [[0, 1, 2]]},
    )
    assert_same_mesh(mesh, expected)
    write_model(Model(mesh), None, tmp_path / "again.toml")
    assert_same_mesh(read_model(tmp_path / "again.toml").model.mesh, mesh)


def test_meshes_along_lines_and_curves_are_joined(write: Callable[..., Path]) -> None:
    mesh = mesh_of(
        write,
        """
[[mesh]]
line.start = [0, 0, 0]
line.end = [1, 0, 0]
line.n_elements = 2
line.name = "rod"
line.end_name = "tip"
[[mesh]]
curve = { curve = [[1, 0, 0], [1, 1, 0], [2, 1, 0]], n_elements = 4, name = "hook" }
""",
    )
    expected = join_meshes(
        straight_line((0, 0, 0), (1, 0, 0), n_elements=2, name="rod", end_name="tip"),
        mesh_from_curve([[1, 0, 0], [1, 1, 0], [2, 1, 0]], n_elements=4, name="hook"),
    )
    assert_same_mesh(mesh, expected)


def test_middle_nodes_survive_writing(tmp_path: Path) -> None:
    mesh = mesh_from_arrays([[0, 0, 0], [2, 0, 0], [1, 1, 0]], [[0, 1, 2]])
    write_model(Model(mesh), None, tmp_path / "again.toml")
    assert_same_mesh(read_model(tmp_path / "again.toml").model.mesh, mesh)


def test_numbers_of_nodes_survive_writing(tmp_path: Path) -> None:
    points = [[0, 0, 0], [2, 0, 0]]
    mesh = mesh_from_arrays(points, [[0, 1]], node_numbers=[7, 3])
    write_model(Model(mesh), None, tmp_path / "again.toml")
    assert_same_mesh(read_model(tmp_path / "again.toml").model.mesh, mesh)
    for numbers in ([1, 1], [1]):
        with pytest.raises(MeshError, match="node number"):
            mesh_from_arrays(points, [[0, 1]], node_numbers=numbers)


BAD_MESHES = [
    ("mesh = 'no.msh'", ["mesh is", '"no.msh"', "no file", "model.toml"]),
    ("mesh = 'model.toml'", ["mesh", "'.toml' are not supported"]),
    ("mesh = 3", ["mesh is 3", "path of a mesh file"]),
    ("mesh = []", ["mesh", "at least one mesh"]),
    (
        "[mesh]\npoints = [[0, 0], [1, 0]]\nlines = [[0, 1]]",
        ["[mesh] points", "rows of 3 numbers"],
    ),
    (
        "[mesh]\npoints = [[0, 0, 0], [1, 0, 0]]\nlines = [[0, 1.5]]",
        ["lines (entry 1) (entry 2) is 1.5", "an integer"],
    ),
    ("[mesh]\npoints = [[0, 0, 0], [1, 0, 0]]\nlines = [[0, 2]]", ["[mesh]", "2"]),
    ("[mesh]\npoints = [[0, 0, 0], [1, 0, 0]]", ["[mesh]", "holds no lines"]),
    ("[mesh]\npoint = [[0, 0, 0]]", ["[mesh]", "'point'", "Did you mean 'points'?"]),
    (
        (
            "[mesh]\npoints = [[0, 0, 0], [1, 0, 0]]\nlines = [[0, 1]]\n"
            "node_groups = { a = 0 }"
        ),
        ["[mesh.node_groups] a is 0"],
    ),
    (
        "mesh.line = { start = [0, 0, 0], end = [1, 0, 0] }",
        ["[mesh.line]", "no key 'n_elements'"],
    ),
    (
        "mesh.line = { start = [0, 0, 0], end = [1, 0, 0], n_elements = 0 }",
        ["[mesh.line]", "at least 1"],
    ),
    (
        "mesh.line = { start = [0, 0, 0], end = [0, 0, 0], n_elements = 1 }",
        ["[mesh.line]", "length"],
    ),
    (
        "mesh = { line = { start = [0, 0, 0] }, curve = {} }",
        ["[mesh]", "unknown key 'curve'"],
    ),
]


@pytest.mark.parametrize(("text", "words"), BAD_MESHES)
def test_a_bad_mesh_gets_one_clear_sentence(
    write: Callable[..., Path], text: str, words: list[str]
) -> None:
    path = write(text)
    with pytest.raises(InputFileError) as caught:
        read_model(path)
    message = str(caught.value)
    assert message.startswith(f"{path}:")
    for word in words:
        assert word in message, message


def test_a_lattice_is_generated(tmp_path):
    path = tmp_path / "lattice.toml"
    path.write_text("mesh.lattice = { n_cells = [2, 1, 3], cell_size = 0.1 }\n")
    mesh = read_model(path).model.mesh
    assert mesh.lines.tolist() == cubic_lattice((2, 1, 3), cell_size=0.1).lines.tolist()
