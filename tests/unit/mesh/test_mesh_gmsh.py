"""Gmsh files as people write them: odd numbers, names, groups and cells."""

from __future__ import annotations

import struct

import numpy as np
import pytest

from femlie.errors import MeshError
from femlie.mesh import mass_properties, read_mesh, read_surface


def corner_22_binary(order: str) -> bytes:
    """The corner of conftest.py in binary format 2.2, as the Gmsh manual has it."""
    nodes = [(5, 0.0, 0.0, 0.0), (700, 1.0, 0.0, 0.0), (12, 1.0, 2.0, 0.0)]
    return b"".join(
        [
            b"$MeshFormat\n2.2 1 8\n" + struct.pack(order + "i", 1),
            b"\n$EndMeshFormat\n",
            b'$PhysicalNames\n2\n0 1 "foot"\n1 2 "both arms"\n$EndPhysicalNames\n',
            b"$Nodes\n3\n",
            *(struct.pack(order + "iddd", *node) for node in nodes),
            b"\n$EndNodes\n$Elements\n3\n",
            struct.pack(order + "7i", 15, 1, 2, 1, 1, 1, 5),
            struct.pack(order + "13i", 1, 2, 2, 2, 2, 1, 5, 700, 3, 2, 2, 700, 12),
            b"\n$EndElements\n",
        ]
    )


def corner_41_binary(order: str) -> bytes:
    """The same in binary format 4.1."""

    def pack(kinds: str, *values: float) -> bytes:
        return struct.pack(order + kinds, *values)

    return b"".join(
        [
            b"$MeshFormat\n4.1 1 8\n" + pack("i", 1) + b"\n$EndMeshFormat\n",
            b'$PhysicalNames\n2\n0 1 "foot"\n1 2 "both arms"\n$EndPhysicalNames\n',
            b"$Entities\n" + pack("4Q", 1, 1, 0, 0),
            pack("i3dQi", 1, 0, 0, 0, 1, 1),
            pack("i6dQiQ", 1, 0, 0, 0, 1, 2, 0, 1, 2, 0),
            b"\n$EndEntities\n$Nodes\n" + pack("4Q", 1, 3, 5, 700),
            pack("3iQ3Q9d", 1, 1, 0, 3, 5, 700, 12, 0, 0, 0, 1, 0, 0, 1, 2, 0),
            b"\n$EndNodes\n$Elements\n" + pack("4Q", 2, 3, 1, 3),
            pack("3iQ2Q", 0, 1, 15, 1, 1, 5),
            pack("3iQ6Q", 1, 1, 1, 2, 2, 5, 700, 3, 700, 12),
            b"\n$EndElements\n",
        ]
    )


def assert_is_corner(mesh):
    np.testing.assert_array_equal(mesh.points, [[0, 0, 0], [1, 0, 0], [1, 2, 0]])
    np.testing.assert_array_equal(mesh.lines, [[0, 1], [1, 2]])
    np.testing.assert_array_equal(mesh.mid_nodes, [-1, -1])
    assert mesh.node_numbers.tolist() == [5, 700, 12]
    assert mesh.nodes("foot").tolist() == [0]
    assert mesh.lines_of("both arms").tolist() == [0, 1]


def test_sparse_unordered_node_numbers_are_kept(write, corner):
    mesh = read_mesh(write(corner))
    assert_is_corner(mesh)
    assert mesh.node_label(1) == "node 700 (1.0, 0.0, 0.0)"


@pytest.mark.parametrize("order", ["<", ">"], ids=["little endian", "big endian"])
@pytest.mark.parametrize("content", [corner_22_binary, corner_41_binary])
def test_binary_files_hold_the_same_as_text(write, content, order):
    assert_is_corner(read_mesh(write(content(order))))


def test_huge_node_numbers_cost_no_memory(write, corner_41):
    mesh = read_mesh(write(corner_41.replace("700", "7000000000000")))
    assert mesh.node_numbers.tolist() == [5, 7000000000000, 12]


def test_line_ends_of_windows_are_read(write, corner):
    assert_is_corner(read_mesh(write(corner.replace("\n", "\r\n"))))


def test_byte_order_mark_and_comments_in_front_are_read(write, corner):
    text = "\ufeff$Comments\nmade by hand\n$EndComments\n" + corner
    assert_is_corner(read_mesh(write(text)))


def test_path_with_spaces_and_accents_is_read(write, corner):
    assert_is_corner(read_mesh(write(corner, "mon modèle 梁.msh")))


def test_path_may_be_text_and_suffix_upper_case(write, corner):
    assert_is_corner(read_mesh(str(write(corner, "PART.MSH"))))


@pytest.mark.parametrize(
    "name", ["Träger Süd", 'the "long" arm', "it's", "梁", "a\\b", "  padded ", "1 2 3"]
)
def test_names_are_verbatim(write, corner, name):
    mesh = read_mesh(write(corner.replace("both arms", name)))
    assert list(mesh.line_groups) == [name]


def test_group_without_name_is_called_by_its_number(write, corner):
    head, _, rest = corner.partition("$PhysicalNames")
    mesh = read_mesh(write(head + rest.partition("$EndPhysicalNames\n")[2]))
    assert list(mesh.node_groups) == ["1"]
    assert list(mesh.line_groups) == ["2"]


def test_cells_in_no_group_are_lines_all_the_same(write, corner_22):
    text = corner_22.replace("3 1 2 2 2 700 12", "3 1 2 0 2 700 12")
    mesh = read_mesh(write(text))
    assert len(mesh.lines) == 2
    assert mesh.lines_of("both arms").tolist() == [0]


def test_elements_without_tags_are_in_no_group(write, corner_22):
    text = corner_22.replace("3 1 2 2 2 700 12", "3 1 0 700 12")
    assert read_mesh(write(text)).lines_of("both arms").tolist() == [0]


def test_copies_that_format_22_writes_for_each_group_are_one_line(write, corner_22):
    text = corner_22.replace("2\n0 1", '3\n1 3 "upright"\n0 1')
    text = text.replace("\n3\n1 15", "\n4\n1 15")
    text = text.replace("$EndElements", "4 1 2 3 2 12 700\n$EndElements")
    mesh = read_mesh(write(text))
    np.testing.assert_array_equal(mesh.lines, [[0, 1], [1, 2]])
    assert mesh.lines_of("both arms").tolist() == [0, 1]
    assert mesh.lines_of("upright").tolist() == [1]


def test_curve_in_two_groups_of_format_41_is_in_both(write, corner_41):
    text = corner_41.replace('2\n0 1 "foot"', '3\n0 1 "foot"\n1 3 "arms again"')
    text = text.replace("1 0 0 0 1 2 0 1 2 0", "1 0 0 0 1 2 0 2 2 3 0")
    mesh = read_mesh(write(text))
    for name in ("both arms", "arms again"):
        assert mesh.lines_of(name).tolist() == [0, 1]


def test_negative_group_reverses_the_lines_of_format_41(write, corner_41):
    text = corner_41.replace("1 0 0 0 1 2 0 1 2 0", "1 0 0 0 1 2 0 1 -2 0")
    np.testing.assert_array_equal(read_mesh(write(text)).lines, [[1, 0], [2, 1]])


def test_one_name_for_nodes_and_lines_is_told_as_ambiguous(write, corner):
    mesh = read_mesh(write(corner.replace("foot", "both arms")))
    assert mesh.nodes("both arms").tolist() == [0]
    assert mesh.lines_of("both arms").tolist() == [0, 1]
    assert mesh.is_ambiguous("both arms")


def test_parametric_nodes_of_format_41_are_read(write, corner_41):
    text = corner_41.replace("1 1 0 3\n", "1 1 1 3\n")
    text = text.replace("0 0 0\n1 0 0\n1 2 0\n", "0 0 0 0\n1 0 0 0.5\n1 2 0 1\n")
    assert_is_corner(read_mesh(write(text)))


def test_lines_of_order_two_have_their_middle_node_apart(write, corner_22):
    text = corner_22.replace("2 1 2 2 1 5 700", "2 8 2 2 1 5 12 700")
    text = text.replace("3 1 2 2 2 700 12\n", "").replace("\n3\n1 15", "\n2\n1 15")
    mesh = read_mesh(write(text))
    np.testing.assert_array_equal(mesh.lines, [[0, 2]])
    assert mesh.mid_nodes.tolist() == [1]
    assert mesh.nodes("both arms").tolist() == [0, 1, 2]


def solid_file(cells: str, n_cells: int, points: list[tuple[float, ...]]) -> str:
    nodes = "\n".join(
        f"{index + 1} {x} {y} {z}" for index, (x, y, z) in enumerate(points)
    )
    return (
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
        '$PhysicalNames\n2\n2 1 "plate"\n3 2 "block"\n$EndPhysicalNames\n'
        f"$Nodes\n{len(points)}\n{nodes}\n$EndNodes\n"
        f"$Elements\n{n_cells}\n{cells}\n$EndElements\n"
    )


CUBE = [
    *((0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)),
    *((0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)),
]


@pytest.mark.parametrize(
    ("cells", "volume"),
    [
        (["1 5 2 2 1 1 2 3 4 5 6 7 8"], 1.0),
        (["1 6 2 2 1 1 2 3 5 6 7", "2 6 2 2 1 1 3 4 5 7 8"], 1.0),
        (["1 7 2 2 1 1 2 3 4 5"], 1 / 3),
        (["1 4 2 2 1 1 2 3 5"], 1 / 6),
        (["1 7 2 2 1 1 2 3 4 5", "2 4 2 2 1 5 6 2 3"], 1 / 3 + 1 / 6),
    ],
    ids=["hexahedron", "wedges", "pyramid", "tetrahedron", "mixed"],
)
def test_solid_group_gives_its_closed_boundary(write, cells, volume):
    text = solid_file("\n".join(cells), len(cells), CUBE)
    surface = read_surface(write(text), "block")
    corners = surface.points[surface.triangles]
    outward = np.linalg.det(corners).sum() / 6.0  # divergence theorem
    assert outward == pytest.approx(volume)
    assert mass_properties(surface, 2.0).mass == pytest.approx(2.0 * volume)


def test_curved_triangles_are_kept_by_their_corners(write):
    text = solid_file("1 9 2 1 1 1 2 3 4 5 6", 1, CUBE)
    points, triangles = read_mesh(write(text)).surface("plate")
    np.testing.assert_array_equal(points[triangles[0]], np.array(CUBE[:3]))


def test_quadrilaterals_become_two_triangles(write):
    mesh = read_mesh(write(solid_file("1 3 2 1 1 1 2 3 4", 1, CUBE)))
    points, triangles = mesh.surface("plate")
    a, b, c = points[triangles].transpose(1, 0, 2)
    areas = 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1)
    np.testing.assert_allclose(areas, [0.5, 0.5])


def test_surface_without_group_is_read_when_it_is_all_there_is(write):
    text = solid_file("1 2 2 0 1 1 2 3", 1, CUBE)
    path = write(text)
    assert len(read_surface(path).triangles) == 1
    with pytest.raises(MeshError, match="no lines and neither named"):
        read_mesh(path)


def test_choice_between_surface_groups_is_asked_for(write):
    path = write(solid_file("1 2 2 1 1 1 2 3\n2 4 2 2 1 1 2 3 5", 2, CUBE))
    with pytest.raises(MeshError, match=r"no group is chosen.*'block', 'plate'"):
        read_surface(path)
    with pytest.raises(MeshError, match=r"no group 'plat'.*mean 'plate'"):
        read_surface(path, "plat")
