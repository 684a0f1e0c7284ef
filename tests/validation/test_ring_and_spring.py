"""A ring pulled by two forces and a coil spring, from mesh files.

Closed forms for slender curved rods and small loads. Ring of radius R: opens along the
forces by 0.148779 F R^3/EI, closes across by 0.136620 (pi/4 - 2/pi and 2/pi - 1/2).
Close-coiled spring of n coils: rate G r^4/(4 R^3 n).
"""

from __future__ import annotations

import numpy as np
import pytest

import femlie as fl
from tests.validation.models import section, solve

STEEL = fl.Material(young=210e9, poisson=0.3, density=7850.0)
ALONG = np.pi / 4.0 - 2.0 / np.pi
ACROSS = 0.5 - 2.0 / np.pi


def pulled(mesh: fl.Mesh, force: float) -> fl.Results:
    """A ring of radius 1 and EI = 1, held at west and pulled at east."""
    model = fl.Model(mesh)
    model.add(
        fl.Beam(
            "rod", cells="ring", section=section(1e8, 1e8, 1.0, 1.0), curve=fl.SMOOTH
        )
    )
    model.add(fl.Support("west end", at="west"))
    if force:
        model.add(fl.Force("pull", at="east", force=(force, 0, 0)))
    return solve(model)


def openings(mesh: fl.Mesh) -> np.ndarray:
    """Growth along and across a force of 1, from a small one."""
    force = 1e-6
    results = pulled(mesh, force)
    moved = results.displacements("rod")[-1]
    rows = mesh.nodes("ring")
    north, south = np.argmax(mesh.points[rows, 1]), np.argmin(mesh.points[rows, 1])
    along = results.displacements("east")[-1, 0]
    return np.array([along, moved[north, 1] - moved[south, 1]]) / force


def circle(n_elements: int) -> fl.Mesh:
    angle = 2.0 * np.pi * np.arange(n_elements) / n_elements
    return fl.mesh_from_arrays(
        np.column_stack([np.cos(angle), np.sin(angle), 0.0 * angle]),
        np.column_stack([np.arange(n_elements), np.roll(np.arange(n_elements), -1)]),
        node_groups={"east": [0], "west": [n_elements // 2]},
        line_groups={"ring": np.arange(n_elements)},
    )


def test_ring_of_the_mesh_file_opens_and_closes_as_it_should(repository):
    mesh = fl.read_mesh(repository / "meshes" / "ring.msh")
    # 48 elements: the square of their length leaves 0.8 %
    np.testing.assert_allclose(openings(mesh), [ALONG, ACROSS], rtol=1e-2)


def test_openings_of_a_ring_converge_with_the_square_of_the_element_length():
    numbers = [24, 48, 96]
    found = np.array([openings(circle(n)) for n in numbers])
    errors = np.abs(found - [ALONG, ACROSS]).max(axis=1)
    slope = np.polyfit(np.log(numbers), np.log(errors), 1)[0]
    assert slope == pytest.approx(-2.0, abs=0.05)
    extrapolated = found[2] + (found[2] - found[1]) / 3.0
    np.testing.assert_allclose(extrapolated, [ALONG, ACROSS], rtol=1e-4)


@pytest.mark.parametrize(
    ("name", "group"), [("ring.msh", "ring"), ("helix_spring.msh", "wire")]
)
@pytest.mark.parametrize("curve", [fl.STRAIGHT, fl.SMOOTH])
def test_a_curved_mesh_is_free_of_stress(repository, name, group, curve):
    # fault F21: the shape of the mesh is the rest shape unless told otherwise
    mesh = fl.read_mesh(repository / "meshes" / name)
    model = fl.Model(mesh)
    model.add(
        fl.Beam("rod", cells=group, section=section(1e4, 1e4, 1.0, 1.0), curve=curve)
    )
    model.add(fl.Support("hold", at="west" if group == "ring" else "bottom"))
    results = solve(model)
    assert np.abs(results.displacements("rod")[-1]).max() < 1e-14
    assert results.energy.strain[-1] < 1e-20


def test_straight_rest_shape_puts_the_ring_under_uniform_bending(repository):
    # a strip of length 2 pi bent to a ring of radius 1 holds the moment EI/R all along;
    # were it round, the ring could turn inside out at no cost
    strip = fl.GeneralSection(stiffness=np.diag([1e8, 1e8, 1e8, 2.0, 1.0, 4.0]))
    mesh = fl.read_mesh(repository / "meshes" / "ring.msh")
    model = fl.Model(mesh)
    model.add(
        fl.Beam(
            "rod",
            cells="ring",
            section=strip,
            curve=fl.SMOOTH,
            rest_shape=fl.RestShape.STRAIGHT,
        )
    )
    model.add(fl.Support("hold", at="west"))
    results = solve(model)
    moments = results.section_forces("rod", at="middle")[-1, :, 4:]
    np.testing.assert_allclose(np.linalg.norm(moments, axis=1), 1.0, rtol=1e-5)
    assert results.energy.strain[-1] == pytest.approx(np.pi, rel=1e-5)


def test_a_straight_rest_shape_comes_with_the_load_factor(repository):
    # half of the way to a straight strip of length 2 pi leaves half the curvature
    strip = fl.GeneralSection(stiffness=np.diag([1e8, 1e8, 1e8, 2.0, 1.0, 4.0]))
    model = fl.Model(fl.read_mesh(repository / "meshes" / "ring.msh"))
    straight = {"curve": fl.SMOOTH, "rest_shape": fl.RestShape.STRAIGHT}
    model.add(fl.Beam("rod", cells="ring", section=strip, **straight))
    model.add(fl.Support("hold", at="west"))
    results = fl.Static().solve(model.build(), load_steps=2)
    moments = np.abs(results.section_forces("rod", at="middle")[:, :, 4:]).max(axis=2)
    np.testing.assert_allclose(moments[0], 0.0, atol=1e-9)
    np.testing.assert_allclose(moments[1], 0.5, rtol=1e-5)
    np.testing.assert_allclose(moments[2], 1.0, rtol=1e-5)


def spring_rate(mesh: fl.Mesh, radius: float) -> float:
    """Force over travel on the axis; the top is free to turn."""
    model = fl.Model(mesh)
    wire = fl.CircularSection(radius=1e-3, material=STEEL)
    model.add(fl.Beam("coil", cells="wire", section=wire, curve=fl.SMOOTH))
    model.add(fl.Support("foot", at="bottom"))
    force = 1e-3
    model.add(fl.Force("pull", at="top", force=(0, 0, force), point=(-radius, 0, 0)))
    results = solve(model)
    turn = results.rotations("top")[-1]
    arm = np.array([-radius, 0.0, 0.0])
    return force / float((results.displacements("top")[-1] + turn @ arm - arm)[2])


def test_coil_spring_of_the_mesh_file_has_its_rate(repository):
    mesh = fl.read_mesh(repository / "meshes" / "helix_spring.msh")
    expected = 210e9 / 2.6 * 1e-3**4 / (4.0 * 0.02**3 * 5.0)
    # pitch angle 4.5 degrees
    assert spring_rate(mesh, 0.02) == pytest.approx(expected, rel=1e-2)


def test_close_coiled_spring_has_its_rate():
    n, coils, radius, pitch = 32, 5, 0.02, 0.005
    angle = np.linspace(0.0, 2.0 * np.pi * coils, n * coils + 1)
    mesh = fl.mesh_from_arrays(
        np.column_stack(
            [
                radius * np.cos(angle),
                radius * np.sin(angle),
                pitch * angle / (2 * np.pi),
            ]
        ),
        np.column_stack([np.arange(n * coils), np.arange(1, n * coils + 1)]),
        node_groups={"bottom": [0], "top": [n * coils]},
        line_groups={"wire": np.arange(n * coils)},
    )
    expected = 210e9 / 2.6 * 1e-3**4 / (4.0 * radius**3 * coils)
    # pitch angle 2.3 degrees: bending and the pitch take 0.2 %
    assert spring_rate(mesh, radius) == pytest.approx(expected, rel=5e-3)
