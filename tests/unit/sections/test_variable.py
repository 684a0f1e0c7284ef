"""Sections that change along a member."""

from __future__ import annotations

import math

import numpy as np
import pytest

from femlie.errors import ModelError
from femlie.sections import (
    CircularSection,
    GeneralSection,
    ISection,
    Material,
    RectangularSection,
    StationTable,
    TaperedSection,
    TubeSection,
)

STEEL = Material(young=210e9, poisson=0.3, density=7850.0)
RUBBER = Material(young=5e6, poisson=0.5, density=1100.0)
PLACES = np.array([0.0, 0.2, 0.5, 0.9, 1.0])

THICK = CircularSection(radius=0.3, material=STEEL)
THIN = CircularSection(radius=0.1, material=STEEL)
CONE = TaperedSection(start=THICK, end=THIN)

TAPERS = [
    CONE,
    TaperedSection(
        start=TubeSection(
            outer_radius=0.3, inner_radius=0.2, material=STEEL, damping_time=0.1
        ),
        end=TubeSection(outer_radius=0.2, inner_radius=0.0, material=STEEL),
    ),
    TaperedSection(
        start=RectangularSection(
            height=0.3, width=0.2, material=STEEL, offset=(0.1, -0.2)
        ),
        end=RectangularSection(height=0.1, width=0.4, material=STEEL),
    ),
    TaperedSection(
        start=ISection(
            height=0.4,
            width=0.2,
            web_thickness=0.01,
            flange_thickness=0.02,
            material=STEEL,
            torsion_constant=2e-6,
            shear_factors=(0.4, 0.5),
            damping=np.diag([1.0, 2, 3, 4, 5, 6]),
        ),
        end=ISection(
            height=0.2,
            width=0.2,
            web_thickness=0.03,
            flange_thickness=0.02,
            material=STEEL,
            torsion_constant=1e-6,
            shear_factors=(0.6, 0.5),
            damping=np.eye(6),
        ),
    ),
]


def shape_name(section):
    return type(section.start).__name__


def general(size):
    mass = np.diag([2.0, 2.0, 2.0, 3.0, 1.0, 2.0])
    return GeneralSection(stiffness=size * np.eye(6), mass_matrix=size * mass)


def test_a_cone_has_its_true_radius_everywhere():
    stiffness, mass = CONE.matrices(PLACES)
    radius = 0.3 - 0.2 * PLACES
    np.testing.assert_allclose(stiffness[:, 0, 0], 210e9 * math.pi * radius**2)
    np.testing.assert_allclose(stiffness[:, 4, 4], 210e9 * math.pi * radius**4 / 4)
    np.testing.assert_allclose(mass[:, 0, 0], 7850 * math.pi * radius**2)
    np.testing.assert_allclose(mass[:, 3, 3], 7850 * math.pi * radius**4 / 2)


def test_the_volume_of_a_cone_is_that_of_the_textbook():
    nodes, weights = np.polynomial.legendre.leggauss(3)
    _, mass = CONE.matrices((nodes + 1) / 2)
    volume = (weights / 2 * mass[:, 0, 0]).sum() / 7850
    assert volume == pytest.approx(math.pi / 3 * (0.09 + 0.03 + 0.01), rel=1e-14)


@pytest.mark.parametrize("taper", TAPERS, ids=shape_name)
def test_many_places_at_once_give_what_each_gives_alone(taper):
    stiffness, mass = taper.matrices(PLACES)
    damping = taper.damping_matrices(PLACES)
    for place, fraction in enumerate(PLACES):
        section = taper.at(fraction)
        np.testing.assert_allclose(stiffness[place], section.stiffness, rtol=1e-13)
        np.testing.assert_allclose(mass[place], section.mass_matrix, rtol=1e-13)
        np.testing.assert_allclose(damping[place], section.damping_matrix, rtol=1e-13)


@pytest.mark.parametrize("taper", TAPERS, ids=shape_name)
def test_a_taper_ends_in_the_sections_that_were_given(taper):
    assert taper.at(0.0) == taper.start
    assert taper.at(1.0) == taper.end


def test_dimensions_offset_and_damping_are_linear():
    middle = TAPERS[2].at(0.5)
    assert (middle.height, middle.width) == pytest.approx((0.2, 0.3))
    assert middle.offset == pytest.approx((0.05, -0.1))
    assert TAPERS[1].at(0.5).damping_time == pytest.approx(0.05)
    assert TAPERS[3].at(0.25).shear_factors == pytest.approx((0.45, 0.5))
    np.testing.assert_allclose(
        np.diag(TAPERS[3].at(0.5).damping_matrix), [1, 1.5, 2, 2.5, 3, 3.5]
    )


def test_a_table_of_one_shape_is_a_chain_of_tapers():
    middle = CircularSection(radius=0.2, material=STEEL)
    table = StationTable(stations=(0.0, 0.5, 1.0), sections=(THICK, middle, THIN))
    np.testing.assert_allclose(
        table.matrices(PLACES)[0], CONE.matrices(PLACES)[0], rtol=1e-13
    )
    assert table.at(0.25).radius == pytest.approx(0.25)
    assert table.at(0.5) is middle


def test_a_table_of_matrices_is_linear_between_stations():
    table = StationTable(
        stations=[0.0, 0.25, 1.0], sections=[general(1.0), general(3.0), general(9.0)]
    )
    stiffness, mass = table.matrices(np.array([0.0, 0.125, 0.25, 0.5, 1.0]))
    size = np.array([1.0, 2.0, 3.0, 5.0, 9.0])
    np.testing.assert_allclose(stiffness, size[:, None, None] * np.eye(6))
    np.testing.assert_allclose(mass[:, 3, 3], 3.0 * size)
    assert table.at(0.5).stiffness[0, 0] == pytest.approx(5.0)
    assert table.at(0.5).mass_matrix[0, 0] == pytest.approx(10.0)


def test_a_table_mixes_kinds_and_materials():
    rubber = CircularSection(radius=0.1, material=RUBBER, damping_time=0.01)
    table = StationTable(stations=(0, 0.5, 1), sections=(THIN, rubber, general(2.0)))
    stiffness, mass = table.matrices(np.array([0.25, 0.5, 0.75]))
    damping = table.damping_matrices(np.array([0.25, 0.5, 0.75]))
    halfway = (THIN.stiffness + rubber.stiffness) / 2
    np.testing.assert_allclose(stiffness[0], halfway)
    np.testing.assert_allclose(stiffness[1], rubber.stiffness)
    np.testing.assert_allclose(stiffness[2], (rubber.stiffness + 2 * np.eye(6)) / 2)
    np.testing.assert_allclose(mass[0], (THIN.mass_matrix + rubber.mass_matrix) / 2)
    np.testing.assert_allclose(damping[0], 0.005 * rubber.stiffness)
    np.testing.assert_allclose(table.at(0.25).stiffness, halfway)
    np.testing.assert_allclose(table.at(0.25).damping_matrix, damping[0])
    assert len(table.at(0.25).outline) == 1
    # The outline of the nearer station, where the two have nothing in common.
    assert len(table.at(0.6).outline) == 1
    assert table.at(0.9).outline == ()


def test_places_may_come_in_any_order_and_none_at_all():
    table = StationTable(stations=(0, 0.5, 1), sections=(THICK, THIN, THICK))
    forward, _ = table.matrices(PLACES)
    backward, _ = table.matrices(PLACES[::-1])
    np.testing.assert_array_equal(forward, backward[::-1])
    assert table.matrices(np.array([]))[0].shape == (0, 6, 6)


def test_equal_tables_and_tapers_compare_and_hash():
    assert TaperedSection(start=THICK, end=THIN) == CONE
    one = StationTable(stations=[0, 1], sections=[THICK, general(1.0)])
    other = StationTable(stations=(0, 1), sections=(THICK, general(1.0)))
    assert one == other
    assert len({one, other}) == 1


RECTANGLE = RectangularSection(height=0.1, width=0.2, material=STEEL)
GIVEN = CircularSection(radius=0.1, material=STEEL, torsion_constant=1e-4)


@pytest.mark.parametrize(
    ("start", "end", "words"),
    [
        (THICK, RECTANGLE, ("CircularSection", "RectangularSection", "StationTable")),
        (general(1.0), general(2.0), ("start is a GeneralSection", "StationTable")),
        (THICK, "thin", ("end a str",)),
        (
            THICK,
            CircularSection(radius=0.1, material=RUBBER),
            ("5000000", "one material"),
        ),
        (THICK, GIVEN, ("torsion_constant is given at the end only",)),
        (GIVEN, THICK, ("torsion_constant is given at the start only", "neither")),
    ],
)
def test_a_taper_between_unlike_sections_is_refused(start, end, words):
    with pytest.raises(ModelError) as refusal:
        TaperedSection(start=start, end=end)
    message = str(refusal.value)
    for word in ("TaperedSection", *words):
        assert word in message


@pytest.mark.parametrize(
    ("stations", "sections", "words"),
    [
        ((0, 1), (THICK,), ("2 stations and 1 sections", "as many")),
        ((0,), (THICK,), ("1 stations", "at least 2")),
        ((0.1, 1), (THICK, THIN), ("from 0.1 to 1", "from 0")),
        ((0, 0.9), (THICK, THIN), ("from 0 to 0.9", "to 1")),
        ((0, 0.5, 0.5, 1), (THICK,) * 4, ("0.5 follows 0.5", "increasing")),
        ((0, 0.7, 0.4, 1), (THICK,) * 4, ("0.4 follows 0.7", "increasing")),
        ((0, math.nan, 1), (THICK,) * 3, ("station is nan", "number")),
        ((0, "root", 1), (THICK,) * 3, ("station is 'root'", "number")),
        ((0, 1), (THICK, CONE), ("section 2 is a TaperedSection", "uniform")),
    ],
)
def test_a_table_that_makes_no_sense_is_refused(stations, sections, words):
    with pytest.raises(ModelError) as refusal:
        StationTable(stations=stations, sections=sections)
    message = str(refusal.value)
    for word in ("StationTable", *words):
        assert word in message


@pytest.mark.parametrize(
    "section", [CONE, StationTable(stations=(0, 1), sections=(THICK, THIN))]
)
def test_a_place_outside_the_member_is_refused(section):
    name = type(section).__name__
    for ask in (section.matrices, section.damping_matrices):
        with pytest.raises(ModelError, match=f"{name}.*fraction 1.5"):
            ask(np.array([0.5, 1.5]))
    with pytest.raises(ModelError, match=f"{name}.*fraction -1"):
        section.at(-1)
