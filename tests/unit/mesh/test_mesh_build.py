"""Meshes from arrays and curves, and meshes joined."""

from __future__ import annotations

import numpy as np
import pytest

from femlie.errors import MeshError
from femlie.mesh import join_meshes, mesh_from_arrays, mesh_from_curve, straight_line

TWO = [[0, 0, 0], [1, 0, 0]]


def parabola_arc(x):
    """Arc length of y = x^2 from 0 to x."""
    return 0.5 * x * np.sqrt(1 + 4 * x**2) + 0.25 * np.arcsinh(2 * x)


@pytest.mark.parametrize("n_elements", [1, 3, 20])
def test_elements_along_a_parabola_have_equal_arc_lengths(n_elements):
    mesh = mesh_from_curve(lambda t: (t, t**2, 0.0), n_elements=n_elements)
    x, y, _ = mesh.points.T
    np.testing.assert_allclose(y, x**2, atol=1e-15)
    arcs = np.diff(parabola_arc(x))
    np.testing.assert_allclose(arcs, parabola_arc(1.0) / n_elements, rtol=1e-6)


def test_speed_along_the_curve_does_not_matter():
    even = mesh_from_curve(lambda t: (t, t**2, 0.0), n_elements=7)
    uneven = mesh_from_curve(lambda t: (t**2, t**4, 0.0), n_elements=7)
    np.testing.assert_allclose(uneven.points, even.points, atol=1e-6)


def test_curve_may_return_a_row_of_a_matrix():
    def curve(t):
        t = np.atleast_1d(t)
        return np.column_stack([t, 0 * t, 0 * t])

    mesh = mesh_from_curve(curve, n_elements=4)
    np.testing.assert_allclose(mesh.points[:, 0], [0, 0.25, 0.5, 0.75, 1])


def test_open_curve_names_its_ends():
    mesh = mesh_from_curve(
        [[0, 0, 0], [3, 0, 0]], n_elements=3, name="rod", start="root", end="tip"
    )
    assert mesh.nodes("root").tolist() == [0]
    assert mesh.nodes("tip").tolist() == [3]
    assert mesh.lines_of("rod").tolist() == [0, 1, 2]


def test_closed_circle_has_as_many_nodes_as_elements():
    def circle(t):
        return np.cos(2 * np.pi * t), np.sin(2 * np.pi * t), 0.0

    mesh = mesh_from_curve(circle, n_elements=12, closed=True, end=None)
    assert len(mesh.points) == len(mesh.lines) == 12
    np.testing.assert_allclose(mesh.lengths, 2 * np.sin(np.pi / 12), rtol=1e-6)
    assert list(mesh.node_groups) == ["start"]


def test_polyline_is_resampled_by_its_length():
    corner = [[0, 0, 0], [1, 0, 0], [1, 3, 0]]
    mesh = mesh_from_curve(corner, n_elements=4)
    expected = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [1, 2, 0], [1, 3, 0]]
    np.testing.assert_allclose(mesh.points, expected, atol=1e-15)


def test_closed_polyline_returns_to_its_start():
    square = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]
    mesh = mesh_from_curve(square, n_elements=8, closed=True)
    assert mesh.total_length == pytest.approx(4.0)
    np.testing.assert_array_equal(np.bincount(mesh.lines.ravel()), 2)


def test_straight_line_is_divided_evenly():
    mesh = straight_line((0, 0, 1), (0, 0, 3), n_elements=4, end_name="tip")
    np.testing.assert_allclose(mesh.points[:, 2], [1, 1.5, 2, 2.5, 3])
    assert mesh.nodes("tip").tolist() == [4]


@pytest.mark.parametrize(
    ("curve", "options", "words"),
    [
        (TWO, {"n_elements": 0}, "at least 1"),
        (TWO, {"n_elements": 2.0}, "integer"),
        (TWO, {"n_elements": 2, "closed": True}, "at least 3"),
        ([[1, 1, 1], [1, 1, 1]], {"n_elements": 2}, "not all in one place"),
        ([[0, 0], [1, 0]], {"n_elements": 2}, "third coordinate"),
        (lambda t: (t, t), {"n_elements": 2}, "three coordinates"),
        (lambda t: (np.nan, t, t), {"n_elements": 2}, "finite"),
        (
            lambda t: (t, 0, 0),
            {"n_elements": 4, "closed": True},
            "its ends are 1 apart",
        ),
    ],
)
def test_curve_that_cannot_be_used_is_refused(curve, options, words):
    with pytest.raises(MeshError, match=words):
        mesh_from_curve(curve, **options)


@pytest.mark.parametrize(
    ("points", "lines", "groups", "words"),
    [
        ([[0, 0], [1, 0]], [[0, 1]], {}, "third coordinate"),
        (TWO, [[0, 1, 2, 3]], {}, "shape"),
        (TWO, [[0.0, 1.0]], {}, "integer"),
        (TWO, [[0, 2]], {}, "index 2"),
        (TWO, [[-1, 1]], {}, "index -1"),
        (TWO, [[0, 1, -5]], {}, "index -5"),
        (TWO, [[0, 1], [1, 0]], {}, "more than once"),
        (TWO, [[0, 1]], {"node_groups": {"a": []}}, "'a'.*empty"),
        (TWO, [[0, 1]], {"line_groups": {"a": [1]}}, "'a'.*index 1"),
        (TWO, [[0, 1]], {"surface_groups": {"a": [0, 1, 1]}}, "'a'.*shape"),
        (TWO, [], {}, "no lines"),
        ([[0, 0, np.inf], [1, 0, 0]], [[0, 1]], {}, "not finite"),
        ([[0, 0, "a"]], [[0, 1]], {}, "numbers"),
    ],
)
def test_arrays_that_cannot_be_used_are_refused(points, lines, groups, words):
    with pytest.raises(MeshError, match=words):
        mesh_from_arrays(points, lines, **groups)


def test_two_arcs_between_the_same_nodes_are_two_lines():
    points = [[0, 0, 0], [2, 0, 0], [1, 1, 0], [1, -1, 0]]
    assert len(mesh_from_arrays(points, [[0, 1, 2], [0, 1, 3]]).lines) == 2


def test_joined_meshes_share_the_node_where_they_meet():
    column = straight_line((0, 0, 0), (0, 0, 3), n_elements=3, end_name="corner")
    beam = straight_line((0, 0, 3), (2, 0, 3), n_elements=2, start_name="corner")
    frame = join_meshes(column, beam)
    assert len(frame.points) == 6
    assert frame.nodes("corner").tolist() == [3]
    assert frame.lines_of("line").tolist() == [0, 1, 2, 3, 4]
    assert frame.total_length == pytest.approx(5.0)
    assert sorted(frame.points[frame.nodes("end")].tolist()) == [[2, 0, 3]]


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
def test_tolerance_of_joining_follows_the_size_of_the_model(scale):
    first = straight_line((0, 0, 0), (scale, 0, 0), n_elements=1)
    gap = scale * 1e-10
    near = straight_line((scale + gap, 0, 0), (2 * scale, 0, 0), n_elements=1)
    assert len(join_meshes(first, near).points) == 3
    assert len(join_meshes(first, near, tolerance_ratio=1e-12).points) == 4


def test_nodes_can_be_kept_apart_for_a_hinge():
    first = straight_line((0, 0, 0), (1, 0, 0), n_elements=1)
    second = straight_line((1, 0, 0), (2, 0, 0), n_elements=1)
    pair = join_meshes(first, second, tolerance_ratio=None)
    assert len(pair.points) == 4
    third = straight_line((2, 0, 0), (3, 0, 0), n_elements=1)
    assert len(join_meshes(pair, third).points) == 5


def test_middle_nodes_and_surfaces_survive_joining():
    arc = mesh_from_arrays([[0, 0, 0], [2, 0, 0], [1, 1, 0]], [[0, 1, 2]])
    plate = mesh_from_arrays(
        [[2, 0, 0], [3, 0, 0], [3, 1, 0]],
        [[0, 1]],
        surface_groups={"plate": [[0, 1, 2]]},
    )
    joined = join_meshes(arc, plate)
    assert joined.mid_nodes.tolist() == [2, -1]
    np.testing.assert_array_equal(
        joined.points[joined.surface_groups["plate"]][0], plate.points
    )


def test_line_that_two_meshes_hold_is_refused():
    line = straight_line((0, 0, 0), (1, 0, 0), n_elements=1)
    with pytest.raises(MeshError, match="more than once"):
        join_meshes(line, line)


def test_nothing_to_join_is_refused():
    with pytest.raises(MeshError, match="at least one"):
        join_meshes()
