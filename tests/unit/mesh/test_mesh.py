"""What a mesh tells about itself."""

from __future__ import annotations

import dataclasses
import subprocess
import sys

import numpy as np
import pytest

from femlie.errors import MeshError
from femlie.mesh import mesh_from_arrays


@pytest.fixture
def mesh():
    """A zigzag of three lines, its middle one named twice."""
    return mesh_from_arrays(
        [[0, 0, 0], [1, 0, 0], [1, 1, 0], [2, 1, 0], [5, 5, 5]],
        [[2, 3], [1, 2], [0, 1]],
        node_groups={"ends": [0, 3], "corners": [2, 1], "single": [1, 2]},
        line_groups={"all": [2, 0, 1], "corners": [1], "single": [0]},
        surface_groups={"plate": [[0, 1, 2]]},
    )


def test_nodes_of_lines_come_in_the_order_of_the_lines(mesh):
    assert mesh.nodes("all").tolist() == [0, 1, 2, 3]


def test_name_is_ambiguous_only_where_the_nodes_differ(mesh):
    assert not mesh.is_ambiguous("corners")
    assert mesh.is_ambiguous("single")
    assert not mesh.is_ambiguous("ends")


def test_orphan_nodes_are_those_of_no_line(mesh):
    assert mesh.used_nodes.tolist() == [0, 1, 2, 3]
    assert mesh.orphan_nodes.tolist() == [4]


def test_size_and_bounding_box_span_all_points(mesh):
    low, high = mesh.bounding_box
    assert (low.tolist(), high.tolist()) == ([0, 0, 0], [5, 5, 5])
    assert mesh.size == pytest.approx(5 * np.sqrt(3))


def test_length_of_a_bent_line_is_that_of_its_parabola():
    points = [[-1, 1, 0], [1, 1, 0], [0, 0, 0]]  # y = x^2
    mesh = mesh_from_arrays(points, [[0, 1, 2]])
    exact = np.sqrt(5.0) + 0.5 * np.arcsinh(2.0)
    # Gauss quadrature with eight points converges slowly on so strong a bend.
    assert mesh.total_length == pytest.approx(exact, rel=1e-4)


def test_length_of_a_slightly_bent_line_is_exact():
    points = [[-1, 0.1, 0], [1, 0.1, 0], [0, 0, 0]]  # y = x^2 / 10
    exact = np.sqrt(1.04) + 5.0 * np.arcsinh(0.2)
    mesh = mesh_from_arrays(points, [[0, 1, 2]])
    assert mesh.total_length == pytest.approx(exact, rel=1e-12)


@pytest.mark.parametrize("ask", ["nodes", "lines_of", "surface"])
def test_unknown_name_lists_the_names_that_exist(mesh, ask):
    with pytest.raises(MeshError, match=r"no group of .* 'al'.*Known groups"):
        getattr(mesh, ask)("al")


def test_unknown_name_offers_the_nearest(mesh):
    with pytest.raises(MeshError, match="Did you mean 'corners'"):
        mesh.nodes("corner")


def test_group_of_another_kind_is_named_as_such(mesh):
    with pytest.raises(MeshError, match=r"'ends' \(it is a group of nodes"):
        mesh.lines_of("ends")


def test_nothing_in_a_mesh_can_be_changed(mesh):
    for array in (mesh.points, mesh.lines, mesh.nodes("ends"), mesh.lines_of("all")):
        assert array.flags.c_contiguous
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    with pytest.raises(dataclasses.FrozenInstanceError):
        mesh.points = None


def test_mesh_does_not_share_the_arrays_it_was_made_of():
    points = np.array([[0.0, 0, 0], [1, 0, 0]])
    mesh = mesh_from_arrays(points, [[0, 1]])
    points[0] = 9.0
    np.testing.assert_array_equal(mesh.points[0], 0.0)


def test_mesh_is_shown_by_its_counts_and_names(mesh):
    assert "5 nodes, 3 lines" in repr(mesh)
    assert "'ends'" in repr(mesh)


def test_package_does_not_load_the_libraries_that_read_files():
    code = "import sys, femlie.mesh; print({'meshio', 'trimesh'} & set(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "set()"
