"""Mass properties against closed forms."""

from __future__ import annotations

import numpy as np
import pytest

from femlie.errors import MeshError, ModelError
from femlie.mesh import (
    MassProperties,
    Surface,
    box,
    combine,
    cylinder,
    mass_properties,
    read_surface,
    sphere,
)

EDGES = np.array([1.0, 2.0, 3.0])


def box_inertia(mass, edges):
    """Textbook formula m (b^2 + c^2) / 12 about each axis."""
    a, b, c = edges
    return mass / 12.0 * np.diag([b**2 + c**2, a**2 + c**2, a**2 + b**2])


def frame_of(rng, distance=1.0):
    rotation, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    frame = np.eye(4)
    frame[:3, :3] = rotation * np.linalg.det(rotation)
    frame[:3, 3] = distance * rng.normal(size=3)
    return frame


def assert_same(found, expected, tolerance=1e-12):
    scale = np.abs(expected.inertia).max()
    assert found.mass == pytest.approx(expected.mass, rel=tolerance)
    size = 1.0 + np.abs(expected.center).max()
    np.testing.assert_allclose(found.center, expected.center, atol=tolerance * size)
    np.testing.assert_allclose(found.inertia, expected.inertia, atol=tolerance * scale)


def test_box_has_the_textbook_inertia():
    body = box(EDGES, density=2.0).mass_properties
    assert body.mass == pytest.approx(12.0)
    np.testing.assert_allclose(body.inertia, box_inertia(12.0, EDGES))


def test_cylinder_has_the_textbook_inertia():
    body = cylinder(0.5, 2.0, density=3.0).mass_properties
    mass = 3.0 * np.pi * 0.25 * 2.0
    across = mass * (3 * 0.25 + 4.0) / 12.0
    np.testing.assert_allclose(body.inertia, np.diag([across, across, mass / 8.0]))


def test_cylinder_points_along_its_axis():
    body = cylinder(0.5, 2.0, density=3.0, axis=(1, 1, 0)).mass_properties
    direction = np.array([1, 1, 0]) / np.sqrt(2)
    np.testing.assert_allclose(body.inertia @ direction, body.mass / 8.0 * direction)


def test_sphere_has_the_textbook_inertia():
    body = sphere(0.5, density=3.0).mass_properties
    assert body.mass == pytest.approx(3.0 * np.pi / 6.0)
    np.testing.assert_allclose(body.inertia, 0.1 * body.mass * np.eye(3))


def test_surface_of_a_box_gives_its_exact_mass_properties():
    solid = box(EDGES, density=2.0)
    assert_same(mass_properties(solid.surface, 2.0), solid.mass_properties)


@pytest.mark.parametrize("shape", ["cylinder", "sphere"])
def test_facets_approach_the_round_shape_with_second_order(shape):
    def error(n_facets):
        if shape == "sphere":
            solid = sphere(0.5, density=1.0, n_facets=n_facets)
        else:
            solid = cylinder(0.5, 2.0, density=1.0, axis=(1, 2, 3), n_facets=n_facets)
        facets = mass_properties(solid.surface, 1.0)
        exact = solid.mass_properties
        assert facets.mass < exact.mass
        return np.abs(facets.inertia - exact.inertia).max() / exact.inertia.max()

    assert error(32) / error(64) == pytest.approx(4.0, rel=0.05)


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_moved_surface_gives_the_moved_mass_properties(scale):
    rng = np.random.default_rng(3)
    solid = box(scale * EDGES, density=2.0)
    frame = frame_of(rng, distance=10.0 * scale)
    found = mass_properties(solid.surface.moved(frame), 2.0)
    assert_same(found, solid.mass_properties.moved(frame))


def test_body_far_from_the_origin_loses_no_digits():
    frame = np.eye(4)
    frame[:3, 3] = 1e6
    solid = box(EDGES, density=2.0)
    found = mass_properties(solid.surface.moved(frame), 2.0)
    np.testing.assert_allclose(found.inertia, solid.mass_properties.inertia, atol=1e-7)


def test_moving_there_and_back_changes_nothing():
    frame = frame_of(np.random.default_rng(4))
    body = MassProperties(2.0, [1, 2, 3], np.diag([1.0, 2.0, 2.5]))
    assert_same(body.moved(frame).moved(np.linalg.inv(frame)), body)


def test_two_half_boxes_make_the_whole_box():
    half = box((0.5, 2.0, 3.0), density=2.0).mass_properties
    left, right = np.eye(4), np.eye(4)
    left[0, 3], right[0, 3] = -0.25, 0.25
    whole = box(EDGES, density=2.0).mass_properties
    assert_same(combine(half.moved(left), half.moved(right)), whole)


def test_surface_inside_out_is_turned_round():
    surface = box(EDGES, density=2.0).surface
    turned = Surface(surface.points, surface.triangles[:, ::-1])
    assert_same(mass_properties(turned, 2.0), mass_properties(surface, 2.0))


def test_hollow_box_is_the_outer_less_the_inner():
    outer, inner = box((2, 2, 2), density=1.0), box((1, 1, 1), density=1.0)
    hollow = Surface(
        np.concatenate([outer.surface.points, inner.surface.points]),
        np.concatenate([outer.surface.triangles, inner.surface.triangles[:, ::-1] + 8]),
    )
    body = mass_properties(hollow, 1.0)
    assert body.mass == pytest.approx(7.0)
    expected = box_inertia(8.0, (2, 2, 2)) - box_inertia(1.0, (1, 1, 1))
    np.testing.assert_allclose(body.inertia, expected, atol=1e-13)


def test_open_surface_is_refused_with_the_number_of_open_edges():
    surface = box(EDGES, density=1.0).surface
    opened = Surface(surface.points, surface.triangles[2:], source="lid off.stl")
    with pytest.raises(
        MeshError, match=r"'lid off.stl' is not closed \(4 open edges\)"
    ):
        mass_properties(opened, 1.0)


def test_surface_with_one_triangle_turned_is_refused():
    surface = box(EDGES, density=1.0).surface
    triangles = surface.triangles.copy()
    triangles[0] = triangles[0, ::-1]
    with pytest.raises(MeshError, match="3 edges"):
        mass_properties(Surface(surface.points, triangles), 1.0)


def test_flat_surface_is_refused():
    flat = Surface([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2], [0, 2, 1]])
    with pytest.raises(MeshError, match="no volume"):
        mass_properties(flat, 1.0)


def test_stl_cylinder_is_closed_with_the_stated_volume(meshes):
    """Radius 1, height 8 and the volume are stated in meshes/MANIFEST.md."""
    surface = read_surface(meshes / "stl_cylinder.stl")
    assert surface.points.shape == (210, 3)
    assert surface.triangles.shape == (416, 3)
    body = mass_properties(surface, 1.0)
    assert body.mass == pytest.approx(25.092388, abs=5e-7)
    exact = cylinder(1.0, 8.0, density=1.0).mass_properties
    principal = np.linalg.eigvalsh(body.inertia)
    np.testing.assert_allclose(principal, np.linalg.eigvalsh(exact.inertia), rtol=5e-3)


TETRAHEDRON = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"


def test_obj_tetrahedron_has_the_textbook_mass(write):
    body = mass_properties(read_surface(write(TETRAHEDRON, "a.obj")), 6.0)
    assert body.mass == pytest.approx(1.0)
    np.testing.assert_allclose(body.center, 0.25)
    # int x^2 = 1/60, int x y = 1/120 over the tetrahedron of volume 1/6
    second = 6.0 * (np.full((3, 3), 1 / 120) + np.eye(3) / 120) - 1 / 16
    expected = np.trace(second) * np.eye(3) - second
    np.testing.assert_allclose(body.inertia, expected, atol=1e-14)


@pytest.mark.parametrize("scale", [1e-9, 1.0])
def test_facets_of_text_stl_are_joined_at_any_size(write, scale):
    corners = box(scale * EDGES, density=1.0).surface
    text = "solid a\n"
    for triangle in corners.points[corners.triangles]:
        vertices = "".join(f"vertex {x:.9e} {y:.9e} {z:.9e}\n" for x, y, z in triangle)
        text += f"facet normal 0 0 0\nouter loop\n{vertices}endloop\nendfacet\n"
    surface = read_surface(write(text + "endsolid a\n", "a.stl"))
    assert len(surface.points) == 8
    assert mass_properties(surface, 1.0).mass == pytest.approx(6.0 * scale**3)


@pytest.mark.parametrize("name", ["a.stl", "a.obj"])
def test_damaged_surface_file_is_refused(write, capfd, name):
    with pytest.raises(MeshError, match=name):
        read_surface(write(np.random.default_rng(2).bytes(500), name))
    assert capfd.readouterr() == ("", "")


def test_cut_stl_is_refused(write, meshes):
    content = (meshes / "stl_cylinder.stl").read_bytes()
    with pytest.raises(MeshError, match="no triangles"):
        read_surface(write(content[:9000], "a.stl"))


def test_group_of_an_stl_file_is_refused(meshes):
    with pytest.raises(MeshError, match="no named groups"):
        read_surface(meshes / "stl_cylinder.stl", "side")


def test_surface_group_of_a_gmsh_file_is_read_by_name(meshes):
    surface = read_surface(meshes / "msh22_insulated.msh", "wire")
    with pytest.raises(MeshError, match=r"insulated\.msh: wire' is not closed"):
        mass_properties(surface, 1.0)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: box((1, 2), density=1.0), r"size of a box.*shape \(3,\)"),
        (lambda: box((1, 2, -3), density=1.0), "positive"),
        (lambda: sphere(1.0, density=0.0), "density"),
        (lambda: sphere(1.0, density=1.0, n_facets=2), "at least 3"),
        (lambda: cylinder(1.0, np.nan, density=1.0), "length"),
        (lambda: cylinder(1.0, 1.0, density=1.0, axis=(0, 0, 0)), "direction"),
        (lambda: MassProperties(0.0, np.zeros(3), np.eye(3)), "mass"),
        (lambda: MassProperties(1.0, np.zeros(2), np.eye(3)), "center"),
        (lambda: MassProperties(1.0, np.zeros(3), np.triu(np.ones((3, 3)))), "symm"),
        (lambda: sphere(1.0, density=1.0).moved(np.eye(3)), "shape"),
        (lambda: sphere(1.0, density=1.0).moved(2 * np.eye(4)), "rotation"),
        (combine, "at least one"),
        (lambda: combine(box((1, 1, 1), density=1.0), 3.0), "float"),
        (lambda: Surface(np.zeros((3, 3)), [[0, 1, 3]]), "do not exist"),
        (lambda: Surface(np.full((3, 3), np.nan), [[0, 1, 2]]), "finite"),
    ],
)
def test_values_that_make_no_body_are_refused(make, words):
    with pytest.raises(ModelError, match=words):
        make()


def test_solids_combine_to_a_solid_with_all_their_surfaces():
    frame = np.eye(4)
    frame[:3, 3] = (2.0, 0.0, 0.0)
    left = box((1.0, 1.0, 1.0), density=3.0)
    right = sphere(0.5, density=2.0).moved(frame)
    both = combine(left, right)
    assert_same(
        both.mass_properties, combine(left.mass_properties, right.mass_properties)
    )
    n = len(left.surface.points)
    np.testing.assert_array_equal(both.surface.points[:n], left.surface.points)
    np.testing.assert_array_equal(
        both.surface.points[both.surface.triangles[len(left.surface.triangles) :]],
        right.surface.points[right.surface.triangles],
    )
    assert isinstance(combine(left, right.mass_properties), MassProperties)
