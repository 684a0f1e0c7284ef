"""General sections: orders of other programs, compliance, rigid mass, refusals."""

from __future__ import annotations

import math

import numpy as np
import pytest

from femlie.errors import ModelError
from femlie.sections import (
    GeneralSection,
    Material,
    RectangularSection,
    SectionOrder,
)

NAMES = {
    SectionOrder.FEMLIE: ["N", "Vy", "Vz", "T", "My", "Mz"],
    SectionOrder.GXBEAM: ["N", "Vy", "Vz", "T", "My", "Mz"],
    # BeamDyn: forces along x, y, z, moments about x, y, z with x = 2, y = 3, z = 1.
    SectionOrder.BEAMDYN: ["Vy", "Vz", "N", "My", "Mz", "T"],
}


def all_different():
    """Positive definite matrix with 21 different numbers."""
    matrix = np.diag(np.arange(100.0, 106.0))
    matrix[np.triu_indices(6, 1)] = np.arange(1.0, 16.0)
    return np.triu(matrix) + np.triu(matrix, 1).T


def beamdyn_mass(mass, x, y, about_x, about_y, product, polar):
    """Sectional mass matrix as BeamDyn's manual prints it."""
    return np.array(
        [
            [mass, 0, 0, 0, 0, -mass * y],
            [0, mass, 0, 0, 0, mass * x],
            [0, 0, mass, mass * y, -mass * x, 0],
            [0, 0, mass * y, about_x, -product, 0],
            [0, 0, -mass * x, -product, about_y, 0],
            [-mass * y, mass * x, 0, 0, 0, polar],
        ]
    )


def gxbeam_mass(mass, y, z, about_y, about_z, product):
    """Sectional mass matrix as GXBeam's guide prints it."""
    return np.array(
        [
            [mass, 0, 0, 0, mass * z, -mass * y],
            [0, mass, 0, -mass * z, 0, 0],
            [0, 0, mass, mass * y, 0, 0],
            [0, -mass * z, mass * y, about_y + about_z, 0, 0],
            [mass * z, 0, 0, 0, about_y, -product],
            [-mass * y, 0, 0, 0, -product, about_z],
        ]
    )


@pytest.mark.parametrize("order", SectionOrder)
def test_every_entry_is_found_under_its_name(order):
    given = all_different()
    section = GeneralSection(stiffness=given, order=order)
    for i, row in enumerate(NAMES[SectionOrder.FEMLIE]):
        for j, column in enumerate(NAMES[SectionOrder.FEMLIE]):
            there = NAMES[order].index(row), NAMES[order].index(column)
            assert section.stiffness[i, j] == given[there]
    assert section.order is SectionOrder.FEMLIE


def test_beamdyn_names_its_diagonal():
    # Diagonal of BeamDyn's example: shear flap, shear edge, EA, EI edge, EI flap, GJ.
    section = GeneralSection(
        stiffness=np.diag([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), order=SectionOrder.BEAMDYN
    )
    np.testing.assert_array_equal(np.diag(section.stiffness), [3, 1, 2, 6, 4, 5])


def test_an_axial_force_in_beamdyn_order_only_stretches():
    stiffness = np.diag([1e6, 2e6, 3e9, 4e3, 5e3, 6e3])
    section = GeneralSection(stiffness=stiffness, order=SectionOrder.BEAMDYN)
    strain = np.linalg.solve(section.stiffness, [1.0, 0, 0, 0, 0, 0])
    np.testing.assert_allclose(strain, [1 / 3e9, 0, 0, 0, 0, 0], rtol=1e-14)


def test_beamdyn_fibers_give_the_section_with_an_offset():
    """The strain energy of fibers in BeamDyn's axes is that of the named shape."""
    x, y = 0.3, -0.4
    material = Material(young=7e9, poisson=0.2)
    shape = RectangularSection(height=0.5, width=0.2, material=material, offset=(x, y))
    stretch, shear_x, shear_y, twist, _, _ = np.diag(
        RectangularSection(height=0.5, width=0.2, material=material).stiffness
    )
    nodes, weights = np.polynomial.legendre.leggauss(3)
    energy = np.zeros((6, 6))
    for a, weight_a in zip(nodes, weights, strict=True):
        for b, weight_b in zip(nodes, weights, strict=True):
            point_x, point_y = x + 0.25 * a, y + 0.1 * b
            # Stretch along z at the point: e_z + (k x r)_z.
            fiber = np.array([0, 0, 1, point_y, -point_x, 0])
            energy += stretch / 4 * weight_a * weight_b * np.outer(fiber, fiber)
    # Shear at the centroid, along x and y: e + (k x r), and twist.
    along_x, along_y = np.array([1, 0, 0, 0, 0, -y]), np.array([0, 1, 0, 0, 0, x])
    energy += shear_x * np.outer(along_x, along_x) + shear_y * np.outer(
        along_y, along_y
    )
    energy[5, 5] += twist
    section = GeneralSection(stiffness=energy, order=SectionOrder.BEAMDYN)
    np.testing.assert_allclose(
        section.stiffness, shape.stiffness, rtol=1e-12, atol=1e-12 * stretch
    )


def test_beamdyn_mass_center_and_inertia_land_on_the_right_axes():
    mass = beamdyn_mass(2.0, 0.3, -0.1, 5.0, 7.0, 0.4, 12.0)
    section = GeneralSection(
        stiffness=np.eye(6), mass_matrix=mass, order=SectionOrder.BEAMDYN
    )
    np.testing.assert_allclose(section.mass_center, [0, 0.3, -0.1], rtol=1e-14)
    # Inertia about the mesh line less that of the mass at (x, y) = (0.3, -0.1).
    expected = [
        [12.0 - 2.0 * (0.09 + 0.01), 0, 0],
        [0, 5.0 - 2.0 * 0.01, -0.4 + 2.0 * 0.3 * -0.1],
        [0, -0.4 + 2.0 * 0.3 * -0.1, 7.0 - 2.0 * 0.09],
    ]
    np.testing.assert_allclose(section.inertia, expected, rtol=1e-13, atol=1e-15)


def test_gxbeam_mass_matrix_is_taken_as_printed():
    mass = gxbeam_mass(2.0, 0.3, -0.1, 5.0, 7.0, 0.4)
    section = GeneralSection(
        stiffness=np.eye(6), mass_matrix=mass, order=SectionOrder.GXBEAM
    )
    np.testing.assert_array_equal(section.mass_matrix, mass)
    np.testing.assert_allclose(section.mass_center, [0, 0.3, -0.1], rtol=1e-14)


def test_a_named_shape_survives_as_a_general_section():
    material = Material(young=7e9, poisson=0.2, density=2000.0)
    shape = RectangularSection(
        height=0.05, width=0.02, material=material, offset=(0.3, 0.4)
    )
    section = GeneralSection(stiffness=shape.stiffness, mass_matrix=shape.mass_matrix)
    np.testing.assert_allclose(section.mass_center, [0, 0.3, 0.4], rtol=1e-13)
    inertia = 2000.0 * np.array([0.02 * 0.05**3 / 12, 0.05 * 0.02**3 / 12])
    np.testing.assert_allclose(
        section.inertia, np.diag([inertia.sum(), inertia[1], inertia[0]]), atol=1e-12
    )


@pytest.mark.parametrize("order", SectionOrder)
def test_a_compliance_is_the_inverse_of_the_stiffness(order):
    size = np.diag([1e9, 1e8, 1e8, 1e2, 1e1, 1e1])
    stiffness = np.sqrt(size) @ all_different() @ np.sqrt(size)
    section = GeneralSection(compliance=np.linalg.inv(stiffness), order=order)
    same = GeneralSection(stiffness=stiffness, order=order)
    np.testing.assert_allclose(section.stiffness, same.stiffness, rtol=1e-11)
    assert section.compliance is None


def test_without_a_mass_matrix_the_section_has_no_mass():
    section = GeneralSection(stiffness=np.eye(6))
    np.testing.assert_array_equal(section.mass_matrix, np.zeros((6, 6)))
    np.testing.assert_array_equal(section.mass_center, np.zeros(3))
    np.testing.assert_array_equal(section.inertia, np.zeros((3, 3)))


def test_damping_comes_as_a_time_or_as_a_matrix_in_the_given_order():
    stiffness = all_different()
    by_time = GeneralSection(
        stiffness=stiffness, damping_time=0.1, order=SectionOrder.BEAMDYN
    )
    np.testing.assert_allclose(by_time.damping_matrix, 0.1 * by_time.stiffness)
    by_matrix = GeneralSection(
        stiffness=stiffness,
        damping=np.diag([1.0, 2, 3, 4, 5, 6]),
        order=SectionOrder.BEAMDYN,
    )
    np.testing.assert_array_equal(np.diag(by_matrix.damping_matrix), [3, 1, 2, 6, 4, 5])
    np.testing.assert_array_equal(
        GeneralSection(stiffness=stiffness).damping_matrix, np.zeros((6, 6))
    )


def test_rounding_in_a_stiffness_is_made_symmetric():
    stiffness = all_different()
    stiffness[0, 1] *= 1 + 1e-11
    kept = GeneralSection(stiffness=stiffness).stiffness
    np.testing.assert_array_equal(kept, kept.T)


def test_definiteness_does_not_depend_on_units():
    units = np.diag([1e-6, 1e-6, 1e-6, 1e6, 1e6, 1e6])
    stiffness = units @ all_different() @ units
    section = GeneralSection(stiffness=stiffness)
    np.testing.assert_allclose(section.stiffness, stiffness)


def test_equal_matrices_make_equal_sections_that_cannot_be_changed():
    one = GeneralSection(stiffness=all_different(), outline=[(0, 0), (1, 0), (0, 1)])
    other = GeneralSection(
        stiffness=all_different().tolist(), outline=[[(0, 0), (1, 0), (0, 1), (0, 0)]]
    )
    assert one == other
    assert hash(one) == hash(other)
    assert one != GeneralSection(stiffness=all_different())
    assert one != "a section"
    with pytest.raises(ValueError, match="read-only"):
        one.stiffness[0, 0] = 1.0


def test_the_matrix_that_was_given_stays_free():
    given = all_different()
    section = GeneralSection(stiffness=given)
    given[0, 0] = 7.0
    assert section.stiffness[0, 0] == 100.0


def test_outline_loops_are_closed():
    hollow = GeneralSection(
        stiffness=np.eye(6),
        outline=[
            np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]),
            np.array([(0, 0), (0, 0.5), (0.5, 0), (0, 0)]),
        ],
    )
    assert [len(loop) for loop in hollow.outline] == [5, 4]
    assert GeneralSection(stiffness=np.eye(6)).outline == ()


def test_a_general_section_is_the_same_everywhere():
    section = GeneralSection(stiffness=all_different(), damping_time=0.5)
    assert section.at(0.4) is section
    stiffness, mass = section.matrices(np.linspace(0, 1, 4))
    np.testing.assert_array_equal(stiffness, [section.stiffness] * 4)
    np.testing.assert_array_equal(mass, np.zeros((4, 6, 6)))
    np.testing.assert_array_equal(
        section.damping_matrices(np.linspace(0, 1, 4)), [0.5 * section.stiffness] * 4
    )


def changed(entries, start=None):
    matrix = np.eye(6) if start is None else start.copy()
    for place, value in entries.items():
        matrix[place] = value
    return matrix


MASS = np.diag([2.0, 2.0, 2.0, 3.0, 1.0, 2.0])


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, ("stiffness and compliance", "missing", "one")),
        (
            {"stiffness": np.eye(6), "compliance": np.eye(6)},
            ("stiffness and compliance", "both given"),
        ),
        ({"stiffness": np.eye(5)}, ("stiffness has the shape (5, 5)", "(6, 6)")),
        ({"stiffness": "stiff"}, ("stiffness is 'stiff'", "6 rows of 6 numbers")),
        (
            {"stiffness": changed({(2, 3): math.nan})},
            ("stiffness has nan in row 3, column 4", "finite"),
        ),
        (
            {"stiffness": changed({(0, 1): 0.25})},
            ("stiffness is not symmetric", "row 1, column 2 is 0.25", "is 0;"),
        ),
        (
            {"stiffness": changed({(0, 1): 1.5, (1, 0): 1.5})},
            ("stiffness is not positive definite", "smallest eigenvalue", "-0.5"),
        ),
        (
            {"stiffness": changed({(3, 3): 0.0})},
            ("stiffness is not positive definite", "smallest eigenvalue", "is 0;"),
        ),
        (
            {"stiffness": changed({(3, 3): -4.0})},
            ("stiffness is not positive definite", "is -1;"),
        ),
        (
            {"compliance": changed({(1, 1): 0.0})},
            ("row 2 of compliance is zero", "rigid", "small positive"),
        ),
        (
            {"compliance": changed({(4, 4): -1.0})},
            ("compliance is not positive definite", "-1"),
        ),
        (
            {"stiffness": np.eye(6), "order": "beamdyn"},
            ("order is 'beamdyn'", "SectionOrder.BEAMDYN", "SectionOrder.GXBEAM"),
        ),
        (
            {"stiffness": np.eye(6), "mass_matrix": changed({(1, 1): 2.5}, MASS)},
            ("mass_matrix", "2.5", "identity"),
        ),
        (
            {
                "stiffness": np.eye(6),
                "mass_matrix": changed({(0, 3): 0.75, (3, 0): 0.75}, MASS),
            },
            ("mass_matrix", "0.75", "skew"),
        ),
        (
            {
                "stiffness": np.eye(6),
                # Mass center at (0, 3, 0): more than the inertia has room for.
                "mass_matrix": changed(
                    {(0, 5): -6.0, (5, 0): -6.0, (2, 3): 6.0, (3, 2): 6.0}, MASS
                ),
            },
            ("mass_matrix is not positive semidefinite", "smallest eigenvalue"),
        ),
        (
            {"stiffness": np.eye(6), "mass_matrix": -MASS},
            ("mass_matrix is not positive semidefinite", "-1"),
        ),
        (
            {"stiffness": np.eye(6), "damping_time": -2.0},
            ("damping_time is -2.0", "not negative"),
        ),
        (
            {"stiffness": np.eye(6), "outline": [(0, 0), (1, 1)]},
            ("outline has the shape (2, 2)", "at least 3"),
        ),
        (
            {"stiffness": np.eye(6), "outline": [(0, 0), (1, math.inf), (0, 1)]},
            ("outline", "finite"),
        ),
    ],
)
def test_refusals_name_the_matrix_and_what_is_wrong(given, words):
    with pytest.raises(ModelError) as refusal:
        GeneralSection(**given)
    message = str(refusal.value)
    for word in ("GeneralSection", *words):
        assert word in message
