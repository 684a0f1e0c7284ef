"""Meshes written as VTU and VTK by meshio come back unchanged."""

from __future__ import annotations

import meshio
import numpy as np
import pytest

from femlie.errors import MeshError
from femlie.mesh import read_mesh

POINTS = np.array(
    [[0, 0, 0], [1, 0, 0], [2, 0.1, 0], [0.5, 0.2, 0], [1.5, 0.3, 0.1], [9, 9, 9.0]]
)
LINES = ("line", np.array([[0, 1], [1, 2]]))
CURVES = ("line3", np.array([[0, 1, 3], [1, 2, 4]]))
TRIANGLES = ("triangle", np.array([[0, 1, 3]]))
FORMATS = [("a.vtu", "vtu"), ("a.vtk", "vtk"), ("a.vtk", "vtk42")]


@pytest.fixture(params=FORMATS, ids=[kind for _, kind in FORMATS])
def save(request, tmp_path):
    name, kind = request.param

    def save(cells, **data):
        path = tmp_path / name
        meshio.Mesh(POINTS, cells, **data).write(path, file_format=kind)
        return path

    return save


def test_lines_come_back(save):
    mesh = read_mesh(save([LINES]))
    np.testing.assert_array_equal(mesh.points, POINTS)
    np.testing.assert_array_equal(mesh.lines, LINES[1])
    np.testing.assert_array_equal(mesh.mid_nodes, [-1, -1])
    assert mesh.node_numbers.tolist() == [1, 2, 3, 4, 5, 6]


def test_lines_of_order_two_come_back(save):
    mesh = read_mesh(save([CURVES]))
    np.testing.assert_array_equal(mesh.lines, CURVES[1][:, :2])
    np.testing.assert_array_equal(mesh.mid_nodes, CURVES[1][:, 2])
    assert mesh.orphan_nodes.tolist() == [5]


def test_mixed_cells_come_back_with_their_groups(save):
    values = {"mat_id": [np.array([1, 7]), np.array([7, 7]), np.array([3])]}
    cells = [("line", np.array([[0, 2], [2, 5]])), CURVES, TRIANGLES]
    mesh = read_mesh(save(cells, cell_data=values))
    np.testing.assert_array_equal(mesh.mid_nodes, [-1, -1, 3, 4])
    assert mesh.lines_of("mat_id 1").tolist() == [0]
    assert mesh.lines_of("mat_id 7").tolist() == [1, 2, 3]
    assert len(mesh.surface("mat_id 3")[1]) == 1


def test_integer_point_data_are_groups_of_nodes(save):
    side = np.array([0, 1, 1, 0, 0, -2])
    heat = np.linspace(0.0, 1.0, 6)
    mesh = read_mesh(save([LINES], point_data={"side": side, "heat": heat}))
    assert mesh.nodes("side 1").tolist() == [1, 2]
    assert sorted(mesh.node_groups) == ["side -2", "side 0", "side 1"]


def test_vertex_cells_are_groups_of_nodes(save):
    values = {"mark": [np.array([1, 1]), np.array([5])]}
    cells = [LINES, ("vertex", np.array([[2]]))]
    mesh = read_mesh(save(cells, cell_data=values))
    assert mesh.nodes("mark 5").tolist() == [2]


@pytest.mark.parametrize("name", ["GlobalNodeId", "node_numbers", "ids"])
def test_point_data_named_like_numbers_are_the_node_numbers(save, name):
    numbers = np.array([11, 12, 20, 21, 22, 99])
    mesh = read_mesh(save([LINES], point_data={name: numbers}))
    np.testing.assert_array_equal(mesh.node_numbers, numbers)
    assert not mesh.node_groups


def test_point_data_that_repeat_are_groups_whatever_their_name(save):
    mesh = read_mesh(save([LINES], point_data={"id": np.array([1, 1, 1, 2, 2, 2])}))
    assert mesh.nodes("id 2").tolist() == [3, 4, 5]


def test_element_numbers_make_no_groups(save):
    mesh = read_mesh(save([LINES], cell_data={"GlobalElementId": [np.array([4, 9])]}))
    assert list(mesh.line_groups) == [
        "lines"
    ]  # all of them, as no other group names any
    assert len(mesh.line_groups["lines"]) == len(mesh.lines)


def test_plane_points_get_a_third_coordinate(tmp_path):
    path = tmp_path / "plane.vtu"
    meshio.Mesh(POINTS[:, :2], [LINES]).write(path)
    np.testing.assert_array_equal(read_mesh(path).points[:, 2], 0.0)


def test_cells_on_points_that_are_not_there_are_refused(save):
    with pytest.raises(MeshError, match="6 nodes"):
        read_mesh(save([("line", np.array([[0, 1], [1, 6]]))]))


def test_reader_prints_nothing(save, capfd):
    read_mesh(save([LINES]))
    assert capfd.readouterr().out == ""
