"""Named shapes: closed forms, outlines, offsets by direct integration."""

from __future__ import annotations

import math

import numpy as np
import pytest

from femlie.errors import ModelError
from femlie.sections import (
    CircularSection,
    ISection,
    Material,
    RectangularSection,
    TubeSection,
)

STEEL = Material(young=210e9, poisson=0.3, density=7850.0)
PLAIN = Material(young=2.0, poisson=0.0, density=3.0)

CIRCLE = CircularSection(radius=0.3, material=STEEL)
TUBE = TubeSection(outer_radius=0.3, inner_radius=0.2, material=STEEL)
RECTANGLE = RectangularSection(height=0.5, width=0.2, material=STEEL)
I_BEAM = ISection(
    height=0.4,
    width=0.2,
    web_thickness=0.01,
    flange_thickness=0.02,
    material=STEEL,
)
SHAPES = [CIRCLE, TUBE, RECTANGLE, I_BEAM]


def moments_of_loops(loops):
    """Area, first moments (y, z), integrals of z^2 and y^2 by Green's theorem."""
    total = np.zeros(5)
    for loop in loops:
        (y0, z0), (y1, z1) = loop[:-1].T, loop[1:].T
        cross = y0 * z1 - y1 * z0
        total += [
            (cross / 2).sum(),
            (cross * (y0 + y1) / 6).sum(),
            (cross * (z0 + z1) / 6).sum(),
            (cross * (z0**2 + z0 * z1 + z1**2) / 12).sum(),
            (cross * (y0**2 + y0 * y1 + y1**2) / 12).sum(),
        ]
    return total


def test_circle_has_its_closed_forms():
    area, second_moment = math.pi * 0.09, math.pi * 0.3**4 / 4
    shear = 6 * 1.3 / (7 + 6 * 0.3) * area * STEEL.shear_modulus
    expected = [
        210e9 * area,
        shear,
        shear,
        STEEL.shear_modulus * 2 * second_moment,
        210e9 * second_moment,
        210e9 * second_moment,
    ]
    np.testing.assert_allclose(CIRCLE.stiffness, np.diag(expected), rtol=1e-14)
    mass, inertia = 7850 * area, 7850 * second_moment
    np.testing.assert_allclose(
        CIRCLE.mass_matrix,
        np.diag([mass, mass, mass, 2 * inertia, inertia, inertia]),
        rtol=1e-14,
    )


def test_tube_is_the_difference_of_two_circles():
    hole = CircularSection(radius=0.2, material=STEEL)
    kept = [0, 3, 4, 5]
    difference = CIRCLE.stiffness - hole.stiffness
    np.testing.assert_allclose(
        TUBE.stiffness[kept, kept], difference[kept, kept], rtol=1e-13
    )
    np.testing.assert_allclose(
        TUBE.mass_matrix, CIRCLE.mass_matrix - hole.mass_matrix, rtol=1e-13
    )


def test_tube_without_a_hole_is_a_circle():
    tube = TubeSection(outer_radius=0.3, inner_radius=0.0, material=STEEL)
    np.testing.assert_array_equal(tube.stiffness, CIRCLE.stiffness)
    assert len(tube.outline) == 1


def test_rectangle_has_its_height_along_y():
    constants = RECTANGLE.constants
    assert constants.area == pytest.approx(0.1)
    assert constants.second_moment_y == pytest.approx(0.5 * 0.2**3 / 12)
    assert constants.second_moment_z == pytest.approx(0.2 * 0.5**3 / 12)
    assert constants.shear_factors == pytest.approx((13 / 15.3, 13 / 15.3))
    assert RECTANGLE.stiffness[5, 5] == pytest.approx(210e9 * 0.2 * 0.5**3 / 12)
    y, z = RECTANGLE.outline[0].T
    assert (np.ptp(y), np.ptp(z)) == (0.5, 0.2)


def test_i_section_is_three_rectangles_by_parallel_axes():
    flange = RectangularSection(
        height=0.02, width=0.2, material=STEEL, offset=(0.19, 0)
    )
    other = RectangularSection(
        height=0.02, width=0.2, material=STEEL, offset=(-0.19, 0)
    )
    web = RectangularSection(height=0.36, width=0.01, material=STEEL)
    together = flange.stiffness + other.stiffness + web.stiffness
    bending = np.ix_([0, 4, 5], [0, 4, 5])
    np.testing.assert_allclose(
        I_BEAM.stiffness[bending], together[bending], rtol=1e-12, atol=1e-3
    )
    masses = flange.mass_matrix + other.mass_matrix + web.mass_matrix
    np.testing.assert_allclose(I_BEAM.mass_matrix, masses, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: type(shape).__name__)
def test_outline_encloses_the_section(shape):
    loops = shape.outline
    for loop in loops:
        np.testing.assert_array_equal(loop[0], loop[-1])
    area, first_y, first_z, second_y, second_z = moments_of_loops(loops)
    # A circle is drawn with 48 corners, so it lacks 0.3 % of its area.
    rounding = 1e-12 if shape in (RECTANGLE, I_BEAM) else 1e-2
    constants = shape.constants
    assert shape.area == constants.area
    assert area == pytest.approx(constants.area, rel=rounding)
    assert second_y == pytest.approx(constants.second_moment_y, rel=rounding)
    assert second_z == pytest.approx(constants.second_moment_z, rel=rounding)
    assert (first_y, first_z) == pytest.approx((0, 0), abs=1e-12)


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: type(shape).__name__)
def test_offset_moves_the_outline(shape):
    moved = with_offset(shape, (0.7, -0.2))
    for loop, start in zip(moved.outline, shape.outline, strict=True):
        np.testing.assert_allclose(loop - start, np.tile([0.7, -0.2], (len(loop), 1)))


def with_offset(shape, offset):
    names = {
        CircularSection: ["radius"],
        TubeSection: ["outer_radius", "inner_radius"],
        RectangularSection: ["height", "width"],
        ISection: ["height", "width", "web_thickness", "flange_thickness"],
    }[type(shape)]
    dimensions = {name: getattr(shape, name) for name in names}
    return type(shape)(**dimensions, material=shape.material, offset=offset)


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: type(shape).__name__)
def test_offset_stiffness_is_that_of_parallel_axes(shape):
    y, z = 0.7, -0.2
    stretch, shear_y, shear_z, twist, bend_y, bend_z = np.diag(shape.stiffness)
    expected = np.zeros((6, 6))
    expected[np.diag_indices(6)] = [
        stretch,
        shear_y,
        shear_z,
        twist + shear_y * z**2 + shear_z * y**2,
        bend_y + stretch * z**2,
        bend_z + stretch * y**2,
    ]
    expected[0, 4] = expected[4, 0] = stretch * z
    expected[0, 5] = expected[5, 0] = -stretch * y
    expected[1, 3] = expected[3, 1] = -shear_y * z
    expected[2, 3] = expected[3, 2] = shear_z * y
    expected[4, 5] = expected[5, 4] = -stretch * y * z
    actual = with_offset(shape, (y, z)).stiffness
    np.testing.assert_allclose(actual, expected, rtol=1e-13, atol=1e-13 * stretch)


def test_a_force_at_the_centroid_only_stretches():
    y, z = 0.7, -0.2
    section = with_offset(RECTANGLE, (y, z))
    # Moment about the mesh line of a unit axial force at (y, z).
    moment = np.cross([0, y, z], [1, 0, 0])
    strain = np.linalg.solve(section.stiffness, [1, 0, 0, *moment])
    np.testing.assert_allclose(
        strain, [1 / (210e9 * 0.1), 0, 0, 0, 0, 0], atol=1e-12 / (210e9 * 0.1)
    )


def test_offset_mass_matrix_is_the_integral_over_the_section():
    y, z = 0.7, -0.2
    nodes, weights = np.polynomial.legendre.leggauss(3)
    expected = np.zeros((6, 6))
    for a, weight_a in zip(nodes, weights, strict=True):
        for b, weight_b in zip(nodes, weights, strict=True):
            point = np.array([0, y + 0.25 * a, z + 0.1 * b])
            # Velocity of the point: v + w x point.
            to_velocity = np.hstack([np.eye(3), np.cross(np.eye(3), point).T])
            part = 7850.0 * 0.25 * 0.1 * weight_a * weight_b
            expected += part * to_velocity.T @ to_velocity
    actual = with_offset(RECTANGLE, (y, z)).mass_matrix
    np.testing.assert_allclose(actual, expected, rtol=1e-12, atol=1e-10)


def test_a_quarter_turn_of_section_and_offset_turns_the_matrices():
    start = with_offset(RECTANGLE, (0.7, -0.2))
    # A quarter turn about axis 1 takes y to z and z to -y.
    turned = RectangularSection(
        height=0.2, width=0.5, material=STEEL, offset=(0.2, 0.7)
    )
    turn = np.array([[1, 0, 0], [0, 0, -1], [0, 1, 0]])
    both = np.kron(np.eye(2), turn)
    np.testing.assert_allclose(
        turned.stiffness, both @ start.stiffness @ both.T, rtol=1e-13, atol=1e-3
    )
    np.testing.assert_allclose(
        turned.mass_matrix, both @ start.mass_matrix @ both.T, rtol=1e-13, atol=1e-10
    )


def test_given_factors_and_torsion_constant_stand_in_for_the_own_ones():
    section = RectangularSection(
        height=0.5,
        width=0.2,
        material=STEEL,
        shear_factors=(0.9, 0.4),
        torsion_constant=0.01,
    )
    shear = STEEL.shear_modulus
    assert np.diag(section.stiffness)[1:4] == pytest.approx(
        [0.9 * shear * 0.1, 0.4 * shear * 0.1, shear * 0.01]
    )


def test_a_thick_web_needs_and_takes_a_given_torsion_constant():
    section = ISection(
        height=1.0,
        width=1.0,
        web_thickness=0.5,
        flange_thickness=0.1,
        material=PLAIN,
        torsion_constant=0.02,
    )
    assert section.constants.torsion_constant == 0.02


def test_damping_time_multiplies_the_stiffness_with_its_offset():
    section = CircularSection(
        radius=0.3, material=STEEL, offset=(0.1, 0.2), damping_time=1e-3
    )
    np.testing.assert_allclose(section.damping_matrix, 1e-3 * section.stiffness)
    np.testing.assert_array_equal(CIRCLE.damping_matrix, np.zeros((6, 6)))


def test_a_given_damping_matrix_is_kept_and_compares():
    damping = np.diag([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    section = CircularSection(radius=0.3, material=STEEL, damping=damping)
    np.testing.assert_array_equal(section.damping_matrix, damping)
    same = CircularSection(radius=0.3, material=STEEL, damping=damping.tolist())
    assert section == same
    assert hash(section) == hash(same)
    assert section != CIRCLE


def test_lists_and_tuples_make_equal_sections():
    listed = CircularSection(
        radius=0.3, material=STEEL, offset=[0.1, 0.0], shear_factors=[0.9, 0.8]
    )
    assert listed == CircularSection(
        radius=0.3, material=STEEL, offset=(0.1, 0.0), shear_factors=(0.9, 0.8)
    )


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: type(shape).__name__)
def test_a_uniform_section_is_the_same_everywhere(shape):
    assert shape.at(0.0) is shape
    assert shape.at(0.7) is shape
    stiffness, mass = shape.matrices(np.array([0.0, 0.3, 1.0]))
    damping = shape.damping_matrices(np.array([0.0, 0.3, 1.0]))
    assert stiffness.shape == mass.shape == damping.shape == (3, 6, 6)
    for place in range(3):
        np.testing.assert_array_equal(stiffness[place], shape.stiffness)
        np.testing.assert_array_equal(mass[place], shape.mass_matrix)
        np.testing.assert_array_equal(damping[place], shape.damping_matrix)


@pytest.mark.parametrize("fraction", [-0.1, 1.5, math.nan])
def test_a_place_outside_the_member_is_refused(fraction):
    with pytest.raises(ModelError, match=f"CircularSection.*fraction {fraction:g}"):
        CIRCLE.at(fraction)
