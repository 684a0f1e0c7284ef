"""Every sample mesh holds what meshes/MANIFEST.md says."""

from __future__ import annotations

import meshio
import numpy as np
import pytest

from femlie.mesh import read_mesh

FRAME_GROUPS = {"columns": 48, "beams_x": 32, "beams_y": 24}
FRAMES = ["frame_msh22.msh", "frame_msh41.msh", "frame_msh41_bin.msh"]

# file: nodes, lines, length, digits that the manifest gives
COUNTS = {
    "frame_msh22.msh": (96, 104, 86.0, 1e-12),
    "frame_msh41.msh": (96, 104, 86.0, 1e-12),
    "frame_msh41_bin.msh": (96, 104, 86.0, 1e-12),
    "frame_order2_msh41.msh": (200, 104, 86.0, 1e-12),
    "helix_spring.msh": (161, 160, 0.629299, 5e-7),
    "ring.msh": (48, 48, 6.278700, 5e-7),
    "bridge_truss.msh": (24, 54, 282.852814, 5e-7),
    "lattice_1000.msh": (400, 1000, 10.0, 1e-12),
    "lattice_10000.vtu": (3626, 10003, 100.03, 1e-12),
    "guyed_tower.msh": (54, 56, 259.016892, 5e-7),
    "arc_with_centre_point.msh": (18, 16, 3.568274, 5e-7),
    "strand.msh": (175, 168, 0.819907068, 5e-10),
    "overhand_knot.msh": (121, 120, 1.72145104, 5e-9),
    "sfepy_bridge.vtk": (12, 21, 206.314221, 5e-7),
    "msh22_insulated.msh": (67, 21, 18.779326, 5e-7),
}


@pytest.mark.parametrize("name", COUNTS)
def test_sample_has_its_nodes_lines_and_length(meshes, name):
    n_nodes, n_lines, length, tolerance = COUNTS[name]
    mesh = read_mesh(meshes / name)
    assert (len(mesh.points), len(mesh.lines)) == (n_nodes, n_lines)
    assert mesh.total_length == pytest.approx(length, rel=1e-12, abs=tolerance)


@pytest.mark.parametrize("name", [*FRAMES, "frame_order2_msh41.msh"])
def test_frame_has_the_same_five_names_in_every_format(meshes, name):
    mesh = read_mesh(meshes / name)
    assert {key: len(rows) for key, rows in mesh.line_groups.items()} == FRAME_GROUPS
    assert {key: len(rows) for key, rows in mesh.node_groups.items()} == {
        "supports": 6,
        "load point": 1,
    }
    feet = mesh.points[mesh.nodes("supports")]
    expected = [(x, y, 0.0) for x in (0.0, 4.0, 8.0) for y in (0.0, 3.0)]
    assert sorted(map(tuple, feet)) == expected


@pytest.mark.parametrize("name", FRAMES[1:])
def test_frame_files_hold_the_same_lines(meshes, name):
    def end_points(mesh, group):
        ends = mesh.points[mesh.lines[mesh.lines_of(group)]].round(9)
        return sorted(map(tuple, ends.reshape(-1, 6).tolist()))

    first, other = read_mesh(meshes / FRAMES[0]), read_mesh(meshes / name)
    for group in FRAME_GROUPS:
        assert end_points(first, group) == end_points(other, group)


@pytest.mark.parametrize("name", [n for n in COUNTS if n.endswith(".msh")])
def test_gmsh_reader_agrees_with_meshio(meshes, name):
    """meshio reads the sample files too; it is an independent implementation."""
    mesh, other = read_mesh(meshes / name), meshio.read(meshes / name)
    np.testing.assert_array_equal(mesh.points, other.points)
    rows = [cell.data for cell in other.cells if cell.type in ("line", "line3")]
    lines = np.concatenate(rows)
    np.testing.assert_array_equal(mesh.lines, lines[:, :2])
    if lines.shape[1] == 3:
        np.testing.assert_array_equal(mesh.mid_nodes, lines[:, 2])


def test_order_two_frame_has_its_middle_nodes_half_way(meshes):
    mesh = read_mesh(meshes / "frame_order2_msh41.msh")
    middle = mesh.points[mesh.lines].mean(axis=1)
    np.testing.assert_allclose(mesh.points[mesh.mid_nodes], middle, atol=1e-9)
    assert not len(mesh.orphan_nodes)
    rows = mesh.lines_of("columns")
    of_lines = np.concatenate([mesh.lines[rows].ravel(), mesh.mid_nodes[rows]])
    assert set(mesh.nodes("columns")) == set(of_lines)


def test_bridge_has_names_with_spaces(meshes):
    mesh = read_mesh(meshes / "bridge_truss.msh")
    assert {key: len(rows) for key, rows in mesh.line_groups.items()} == {
        "bottom_chord": 12,
        "top_chord": 8,
        "verticals": 10,
        "diagonals": 12,
        "cross_beams": 12,
    }
    for name in ("left supports", "right supports", "midspan"):
        assert len(mesh.nodes(name)) == 2


def test_ring_is_closed_with_east_and_west_a_diameter_apart(meshes):
    mesh = read_mesh(meshes / "ring.msh")
    np.testing.assert_array_equal(np.bincount(mesh.lines.ravel()), 2)
    east, west = (mesh.points[mesh.nodes(name)[0]] for name in ("east", "west"))
    assert np.linalg.norm(east - west) == pytest.approx(2.0)


def test_helix_rises_by_five_pitches(meshes):
    mesh = read_mesh(meshes / "helix_spring.msh")
    bottom, top = (mesh.points[mesh.nodes(name)[0]] for name in ("bottom", "top"))
    assert top[2] - bottom[2] == pytest.approx(0.05)
    assert len(mesh.lines_of("wire")) == 160


def test_small_lattice_has_its_struts_along_the_axes(meshes):
    mesh = read_mesh(meshes / "lattice_1000.msh")
    struts = np.diff(mesh.points[mesh.lines], axis=1)
    np.testing.assert_allclose(np.abs(struts).max(axis=2), 0.01)
    assert len(mesh.lines_of("struts")) == 1000
    heights = [mesh.points[mesh.nodes(name), 2] for name in ("bottom", "top")]
    assert np.ptp(heights[0]) == np.ptp(heights[1]) == 0.0


def test_lattice_of_vtu_has_its_sides_as_groups(meshes):
    mesh = read_mesh(meshes / "lattice_10000.vtu")
    bottom, top = mesh.nodes("side 1"), mesh.nodes("side 2")
    low, high = mesh.bounding_box
    assert {float(low[2])} == set(mesh.points[bottom, 2])
    assert {float(high[2])} == set(mesh.points[top, 2])


def test_tower_has_three_anchors_on_a_radius_of_twenty(meshes):
    mesh = read_mesh(meshes / "guyed_tower.msh")
    anchors = mesh.points[mesh.nodes("anchors")]
    np.testing.assert_allclose(np.linalg.norm(anchors[:, :2], axis=1), 20.0)
    assert (len(mesh.lines_of("mast")), len(mesh.lines_of("cables"))) == (20, 36)
    assert mesh.points[mesh.nodes("mast top")[0], 2] == 40.0


def test_centre_of_an_arc_is_an_orphan_node_that_can_be_named(meshes):
    mesh = read_mesh(meshes / "arc_with_centre_point.msh")
    assert mesh.orphan_nodes.tolist() == mesh.nodes("arc centre").tolist()
    assert mesh.node_label(mesh.orphan_nodes[0]) == "node 3 (2.0, 1.0, 0.0)"


def test_truss_of_vtk_spans_sixty(meshes):
    mesh = read_mesh(meshes / "sfepy_bridge.vtk")
    low, high = mesh.bounding_box
    assert high[0] - low[0] == 60.0
    assert len(mesh.lines_of("mat_id 1")) == 21


def test_mixed_file_has_lines_and_two_surfaces(meshes):
    mesh = read_mesh(meshes / "msh22_insulated.msh")
    assert len(mesh.lines_of("convection")) == 21
    n_triangles = sum(len(mesh.surface(name)[1]) for name in ("wire", "insulation"))
    assert n_triangles == 111
