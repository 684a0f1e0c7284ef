"""Torsion constants and shear factors against series, fields and limits."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
import scipy.sparse
import scipy.sparse.linalg

from femlie.sections import (
    ISection,
    Material,
    RectangularSection,
    TubeSection,
)

STEEL = Material(young=210e9, poisson=0.3, density=7850.0)
PLAIN = Material(young=2.0, poisson=0.0, density=3.0)


def saint_venant(height, width):
    """Torsion constant of a rectangle from its series, in 30 digits."""
    with mpmath.workdps(30):
        a, b = mpmath.mpf(max(height, width)), mpmath.mpf(min(height, width))
        series = mpmath.nsum(
            lambda k: (
                mpmath.tanh((2 * k + 1) * mpmath.pi * a / (2 * b)) / (2 * k + 1) ** 5
            ),
            [0, mpmath.inf],
        )
        return float(
            a * b**3 * (mpmath.mpf(1) / 3 - 64 * b / a / mpmath.pi**5 * series)
        )


def prandtl_i_torsion_constant(height, width, web, flange, step):
    """Torsion constant of an I from five-point differences of Prandtl's equation.

    One quarter with symmetry; dimensions are even multiples of the step.
    """
    rows, columns = round(height / 2 / step), round(width / 2 / step)
    inside = np.zeros((rows + 1, columns + 1), dtype=bool)
    inside[:, : round(web / 2 / step)] = True
    inside[rows - round(flange / step) + 1 :, :columns] = True
    inside[rows] = False
    number = np.full(inside.shape, -1)
    number[inside] = np.arange(inside.sum())
    i, j = np.nonzero(inside)
    own = number[i, j]
    matrix = 4.0 * scipy.sparse.identity(len(own), format="csr")
    for di, dj in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        other = number[np.abs(i + di), np.abs(j + dj)]
        kept = other >= 0
        ones = np.ones(kept.sum())
        matrix -= scipy.sparse.csr_matrix(
            (ones, (own[kept], other[kept])), shape=matrix.shape
        )
    stress_function = scipy.sparse.linalg.spsolve(
        matrix.tocsc(), np.full(len(own), 2.0 * step**2)
    )
    weights = np.where(i == 0, 0.5, 1.0) * np.where(j == 0, 0.5, 1.0)
    return 8.0 * step**2 * (weights * stress_function).sum()


def test_thin_tube_has_the_limits_of_a_ring():
    radius, wall = 1.0, 1e-6
    tube = TubeSection(
        outer_radius=radius + wall / 2, inner_radius=radius - wall / 2, material=STEEL
    )
    constants = tube.constants
    assert constants.area == pytest.approx(2 * math.pi * wall, rel=1e-9)
    assert constants.second_moment_y == pytest.approx(math.pi * wall, rel=1e-9)
    assert constants.torsion_constant == pytest.approx(2 * math.pi * wall, rel=1e-9)
    # Cowper's thin-walled round tube, which has a line of its own.
    assert constants.shear_factors[0] == pytest.approx(
        2 * 1.3 / (4 + 3 * 0.3), rel=1e-9
    )


def test_shear_factor_of_a_rectangle_without_poisson_is_five_sixths():
    section = RectangularSection(height=1.0, width=1.0, material=PLAIN)
    assert section.constants.shear_factors == pytest.approx((5 / 6, 5 / 6))


def test_torsion_constant_of_a_square_is_the_published_one():
    section = RectangularSection(height=2.0, width=2.0, material=PLAIN)
    assert section.constants.torsion_constant / 16 == pytest.approx(
        0.1405770146, abs=2e-9
    )


@pytest.mark.parametrize(
    ("height", "width"),
    [(1, 1), (1, 1.0001), (1.5, 1), (1, 2), (10, 1), (1, 100), (1e4, 1), (3e-3, 1e-3)],
)
def test_torsion_constant_of_a_rectangle_is_saint_venants_series(height, width):
    section = RectangularSection(height=height, width=width, material=PLAIN)
    expected = saint_venant(height, width)
    assert section.constants.torsion_constant == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("web", [0.5, 0.75, 1.0, 1.5])
def test_i_torsion_constant_is_near_prandtls_equation(web):
    section = ISection(
        height=20.0, width=10.0, web_thickness=web, flange_thickness=1.0, material=PLAIN
    )
    coarse, fine = (
        prandtl_i_torsion_constant(20.0, 10.0, web, 1.0, 1 / n) for n in (8, 16)
    )
    # The corner makes the error fall with step^(4/3).
    expected = fine + (fine - coarse) / (2 ** (4 / 3) - 1)
    assert section.constants.torsion_constant == pytest.approx(expected, rel=0.01)


def test_i_web_shear_factor_is_that_of_the_shear_flow_energy():
    height, width, web, flange = 1.0, 0.6, 1e-4, 2e-4
    section = ISection(
        height=height + flange,
        width=width,
        web_thickness=web,
        flange_thickness=flange,
        material=PLAIN,
    )
    second_moment = web * height**3 / 12 + width * flange * height**2 / 2
    nodes, weights = np.polynomial.legendre.leggauss(8)
    y = nodes * height / 2
    web_flow = width * flange * height / 2 + web / 2 * (height**2 / 4 - y**2)
    along_flange = (nodes + 1) * width / 4
    flange_flow = flange * height / 2 * along_flange
    energy = height / 2 * (weights * web_flow**2).sum() / web
    energy += 4 * width / 4 * (weights * flange_flow**2).sum() / flange
    shear_area = second_moment**2 / energy
    expected = shear_area / (web * height + 2 * width * flange)
    # Walls are thin, not infinitely so: the area differs by the corners.
    assert section.constants.shear_factors[0] == pytest.approx(expected, rel=1e-3)


def test_i_web_shear_factor_without_flanges_is_that_of_a_rectangle():
    section = ISection(
        height=1.0,
        width=1.001e-3,
        web_thickness=1e-3,
        flange_thickness=1e-3,
        material=STEEL,
    )
    assert section.constants.shear_factors[0] == pytest.approx(13 / 15.3, rel=0.01)


def test_i_web_carries_the_shear_between_heavy_flanges():
    section = ISection(
        height=1.01,
        width=0.01,
        web_thickness=1e-6,
        flange_thickness=0.01,
        material=STEEL,
    )
    shear_area = section.constants.shear_factors[0] * section.area
    assert shear_area == pytest.approx(1.0 * 1e-6, rel=0.02)


def test_i_section_with_thin_flanges_shears_along_them_like_two_rectangles():
    section = ISection(
        height=0.4,
        width=0.2,
        web_thickness=0.01,
        flange_thickness=0.02,
        material=STEEL,
    )
    expected = 13 / 15.3 * 2 * 0.2 * 0.02 * STEEL.shear_modulus
    assert section.stiffness[2, 2] == pytest.approx(expected)
