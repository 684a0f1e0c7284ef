"""Each fault of a file is one sentence that says what is wrong and what to try."""

from __future__ import annotations

import re

import numpy as np
import pytest

from femlie.errors import MeshError
from femlie.mesh import read_mesh, read_surface


def assert_refused(path, *words, read=read_mesh):
    with pytest.raises(MeshError) as caught:
        read(path)
    message = str(caught.value)
    assert str(path) in message
    assert "\n" not in message
    for word in words:
        assert word in message


@pytest.mark.parametrize("read", [read_mesh, read_surface])
def test_missing_file(tmp_path, read):
    assert_refused(tmp_path / "gone.msh", "does not exist", read=read)


@pytest.mark.parametrize("name", ["a.msh", "a.vtk", "a.vtu"])
def test_empty_file(write, name):
    assert_refused(write(b"", name), "is empty")


def test_directory(tmp_path):
    folder = tmp_path / "folder.msh"
    folder.mkdir()
    assert_refused(folder, "is a directory")


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("a.xdmf", ".vtu"),
        ("a.inp", ".vtu"),
        ("a.geo", "mesh it first"),
        ("a.stl", "read_surface"),
        ("a", ".vtu"),
    ],
)
def test_other_formats_are_refused_by_name(write, name, advice):
    assert_refused(write("x", name), "are not supported", advice)


@pytest.mark.parametrize("name", ["a.msh", "a.vtk", "a.vtu"])
def test_binary_garbage(write, capfd, name):
    rng = np.random.default_rng(1)
    assert_refused(write(rng.bytes(1000), name))
    assert capfd.readouterr() == ("", "")


def test_every_truncation_of_a_gmsh_file(write, corner):
    """All of the file is needed but the line end after its last word."""
    for length in range(1, len(corner) - 1):
        assert_refused(write(corner[:length]))


def test_truncated_vtu_and_vtk(write, meshes, capfd):
    for name in ("lattice_10000.vtu", "sfepy_bridge.vtk"):
        content = (meshes / name).read_bytes()
        for part in (0.02, 0.3, 0.6):
            assert_refused(write(content[: int(part * len(content))], name))
    assert capfd.readouterr() == ("", "")


def test_vtk_that_ends_in_its_cell_types(write):
    """meshio itself reads such a file without a word, and lines are missing."""
    text = (
        "# vtk DataFile Version 4.2\ncut\nASCII\nDATASET UNSTRUCTURED_GRID\n"
        "POINTS 3 double\n0 0 0 1 0 0 2 0 0\nCELLS 2 6\n2 0 1\n2 1 2\nCELL_TYPES 2\n3\n"
    )
    assert_refused(write(text, "a.vtk"), "announces 2 cells")


def test_other_versions_of_gmsh_are_named_with_what_to_set(write, corner_41):
    for header, shown in (("4 0 8", "4.0"), ("4.0 0 8", "4.0"), ("3 0 8", "3")):
        path = write(corner_41.replace("4.1 0 8", header))
        assert_refused(path, f"format {shown},", "Mesh.MshFileVersion")


def test_format_of_the_first_gmsh_is_refused(write):
    path = write("$NOD\n1\n1 0 0 0\n$ENDNOD\n$ELM\n0\n$ENDELM\n")
    assert_refused(path, "not a Gmsh mesh", "Mesh.MshFileVersion")


def test_parametric_nodes_of_format_22(write, corner_22):
    path = write(corner_22.replace("Nodes", "ParametricNodes"))
    assert_refused(path, "Mesh.SaveParametric")


def test_partitioned_file(write, corner_41):
    section = "$PartitionedEntities\n0\n$EndPartitionedEntities\n$Nodes"
    assert_refused(write(corner_41.replace("$Nodes", section)), "Unpartition")


def test_geometry_without_mesh(write, corner):
    assert_refused(
        write(corner.partition("$Nodes")[0]), "no $Nodes", "mesh the geometry"
    )


def points_alone(corner_22):
    text = corner_22.replace('1 2 "both arms"\n', "").replace("2\n0 1", "1\n0 1")
    head = text.partition("2 1 2 2 1 5 700")[0].replace("\n3\n1 15", "\n1\n1 15")
    return head + "$EndElements\n"


def test_mesh_without_lines_and_names(write, corner_22):
    text = points_alone(corner_22).replace("1 15 2 1 1 5", "1 15 2 0 1 5")
    text = text.replace('$PhysicalNames\n1\n0 1 "foot"\n$EndPhysicalNames\n', "")
    assert_refused(write(text), "no lines")


def test_named_points_alone_are_a_mesh(write, corner_22):
    mesh = read_mesh(write(points_alone(corner_22)))
    assert mesh.lines.shape == (0, 2)
    assert mesh.nodes("foot").tolist() == [0]


def test_name_without_cells(write, corner):
    text = corner.replace('2\n0 1 "foot"', '3\n0 1 "foot"\n0 9 "tip"')
    assert_refused(write(text), "'tip'", "no cells")


def test_name_of_a_surface_that_was_not_meshed_does_no_harm(write, corner):
    text = corner.replace('2\n0 1 "foot"', '3\n0 1 "foot"\n2 9 "skin"')
    assert "skin" not in read_mesh(write(text)).group_names


def test_name_given_twice(write, corner):
    text = corner.replace('2\n0 1 "foot"', '3\n0 1 "foot"\n0 9 "foot"')
    assert_refused(write(text), "'foot'", "twice")


def test_number_without_name_that_is_the_name_of_another_group(write, corner_22):
    text = corner_22.replace("both arms", "7").replace("3 1 2 2 2", "3 1 2 7 2")
    assert_refused(write(text), "named '7'", "rename")


def test_names_that_are_not_unicode(write, corner):
    content = corner.replace("foot", "fuß").encode("latin-1")
    assert_refused(write(content), "UTF-8")


@pytest.mark.parametrize("value", ["nan", "inf", "-inf", "1e200"])
def test_coordinates_that_are_not_finite(write, corner, value):
    path = write(corner.replace("1 2 0\n$EndNodes", f"1 {value} 0\n$EndNodes"))
    assert_refused(path, "not finite", "node 12")


def test_line_of_no_length(write, corner):
    path = write(corner.replace("1 2 0\n$EndNodes", "1 0 0\n$EndNodes"))
    assert_refused(path, "no length", "node 700", "node 12")


def test_line_given_twice(write, corner_22):
    text = corner_22.replace("\n3\n1 15", "\n4\n1 15")
    text = text.replace("$EndElements", "4 1 2 2 2 12 700\n$EndElements")
    assert_refused(write(text), "more than once", "node 700", "node 12")


def test_node_number_given_twice(write, corner):
    text = re.sub(r"^12(?= 1 2 0$|$)", "5", corner, flags=re.MULTILINE)
    assert_refused(write(text.replace("700 12", "700 5")), "number 5")


def test_element_on_a_node_that_is_not_there(write, corner):
    assert_refused(write(corner.replace("700 12\n", "700 13\n")), "node 13")


def test_element_with_a_wrong_number_of_nodes(write, corner):
    assert_refused(write(corner.replace("700 12\n", "700\n")), "$Elements")


def test_wrong_counts(write, corner_22, corner_41):
    assert_refused(write(corner_22.replace("$Nodes\n3", "$Nodes\n2")), "more numbers")
    assert_refused(write(corner_22.replace("$Nodes\n3", "$Nodes\n9")), "ends before")
    assert_refused(write(corner_41.replace("1 3 5 700", "1 4 5 700")), "4 nodes")
    assert_refused(write(corner_41.replace("2 3 1 3", "2 4 1 3")), "4 elements")


def test_lines_of_order_three(write, corner_22):
    path = write(corner_22.replace("2 1 2 2 1 5 700", "2 26 2 2 1 5 700 12 12"))
    assert_refused(path, "order 3", "Mesh.ElementOrder")


def test_unknown_element_type(write, corner_22):
    path = write(corner_22.replace("2 1 2 2 1 5 700", "2 999 2 2 1 5 700"))
    assert_refused(path, "type 999")


def test_two_sections_of_nodes(write, corner):
    nodes = corner[corner.index("$Nodes") : corner.index("$Elements")]
    assert_refused(write(corner + nodes), "two sections $Nodes")


def test_poly_lines_of_vtk_are_not_dropped_in_silence(write):
    text = (
        "# vtk DataFile Version 4.2\npoly\nASCII\nDATASET UNSTRUCTURED_GRID\n"
        "POINTS 3 double\n0 0 0 1 0 0 2 0 0\nCELLS 1 4\n3 0 1 2\nCELL_TYPES 1\n4\n"
    )
    assert_refused(write(text, "a.vtk"), "poly-lines", "type 3")
