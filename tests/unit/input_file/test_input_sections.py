"""Sections, solids and files that parts refer to."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from femlie.input_file import read_model, write_model
from femlie.mesh import (
    MassProperties,
    box,
    combine,
    cylinder,
    sphere,
)
from femlie.parts.time import Table
from femlie.sections import (
    CircularSection,
    GeneralSection,
    ISection,
    Material,
    RectangularSection,
    SectionOrder,
    StationTable,
    TaperedSection,
    TubeSection,
)

MESHES = Path(__file__).parents[2] / "meshes"
STEEL = Material(young=210e9, poisson=0.3, density=7850.0)
TUBE = TubeSection(outer_radius=0.05, inner_radius=0.045, material=STEEL)


SECTIONS = [
    ('shape = "circle", radius = 1', CircularSection(radius=1.0, material=STEEL)),
    (
        (
            'shape = "tube", outer_radius = 2, inner_radius = 1, offset = [0.1, 0], '
            "damping_time = 1e-3"
        ),
        TubeSection(
            outer_radius=2.0,
            inner_radius=1.0,
            offset=(0.1, 0.0),
            damping_time=1e-3,
            material=STEEL,
        ),
    ),
    (
        'shape = "rectangle", height = 2, width = 1, shear_factors = [0.8, 0.9]',
        RectangularSection(
            height=2.0, width=1.0, shear_factors=(0.8, 0.9), material=STEEL
        ),
    ),
    (
        (
            'shape = "i", height = 0.2, width = 0.1, web_thickness = 0.006, '
            "flange_thickness = 0.009"
        ),
        ISection(
            height=0.2,
            width=0.1,
            web_thickness=0.006,
            flange_thickness=0.009,
            material=STEEL,
        ),
    ),
]


@pytest.mark.parametrize(("text", "expected"), SECTIONS)
def test_a_section_is_chosen_by_its_shape(
    part_of: Callable[[str, str], Any], text: str, expected: Any
) -> None:
    table = f'section.s = {{ {text}, material = "steel" }}\n'
    beam = part_of(table + 'beam.b = { cells = "rod", section = "s" }', "b")
    assert beam.section == expected


def test_a_general_section_takes_matrices_in_the_order_of_beamdyn(
    part_of: Callable[[str, str], Any],
) -> None:
    stiffness = np.diag([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    mass = np.diag([2.0, 2.0, 2.0, 0.1, 0.2, 0.3])
    table = (
        f'section.g = {{ shape = "general", stiffness = {stiffness.tolist()}, '
        f'mass_matrix = {mass.tolist()}, order = "beamdyn", '
        "outline = [[0, 0], [1, 0], [1, 1]] }\n"
    )
    beam = part_of(table + 'beam.b = { cells = "rod", section = "g" }', "b")
    assert beam.section == GeneralSection(
        stiffness=stiffness,
        mass_matrix=mass,
        order=SectionOrder.BEAMDYN,
        outline=[[0, 0], [1, 0], [1, 1]],  # type: ignore[arg-type]
    )
    assert beam.section.stiffness[0, 0] == 3.0


def test_tapers_and_station_tables_refer_to_sections_further_down(
    write_more: Callable[[str], Path], tmp_path: Path
) -> None:
    file = read_model(
        write_more(
            """
[section.horn]
shape = "tapered"
start = "thick"
end = "thin"
[section.blade]
shape = "stations"
stations = [0, 0.5, 1]
sections = ["thick", "tube", "thin"]
[section.thick]
shape = "circle"
radius = 0.2
material = "steel"
[section.thin]
shape = "circle"
radius = 0.1
material = "steel"
[beam.b]
cells = "rod"
section = "horn"
[beam.c]
cells = "rod"
section = "blade"
"""
        )
    )
    thick = CircularSection(radius=0.2, material=STEEL)
    thin = CircularSection(radius=0.1, material=STEEL)
    parts = file.model.parts
    assert parts["b"].section == TaperedSection(start=thick, end=thin)
    assert parts["c"].section == StationTable(
        stations=(0.0, 0.5, 1.0), sections=(thick, TUBE, thin)
    )
    write_model(file.model, None, tmp_path / "again.toml")
    assert read_model(tmp_path / "again.toml").model == file.model


def test_a_section_and_its_material_may_be_said_in_place(
    part_of: Callable[[str, str], Any],
) -> None:
    beam = part_of(
        "[beam.b]\ncells = 'rod'\n[beam.b.section]\nshape = 'circle'\nradius = 1\n"
        "material = { young = 1e9, shear_modulus = 4e8 }",
        "b",
    )
    assert beam.section.material == Material(young=1e9, shear_modulus=4e8)


def test_solids_are_shapes_with_a_density_alone_or_joined(
    write_more: Callable[[str], Path], tmp_path: Path
) -> None:
    text = """
body.brick = { solid = { shape = "box", size = [1, 2, 3], density = 1000 } }
body.ball = { solid = { shape = "sphere", radius = 1, density = 2 } }
[body.given.solid]
mass = 2
center = [0, 0, 1]
inertia = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
[body.dumbbell]
[[body.dumbbell.solid]]
shape = "cylinder"
radius = 0.1
length = 1
density = 7850
axis = [1, 0, 0]
[[body.dumbbell.solid]]
shape = "box"
size = [1, 1, 1]
density = 100
position = [0, 0, 2]
orientation = [0, 0, 1.5707963267948966]
"""
    file = read_model(write_more(text))
    parts = file.model.parts

    def assert_same(one: MassProperties, other: MassProperties) -> None:
        assert one.mass == pytest.approx(other.mass, rel=1e-14)
        np.testing.assert_allclose(one.center, other.center, atol=1e-14)
        np.testing.assert_allclose(one.inertia, other.inertia, rtol=1e-12, atol=1e-12)

    brick = box((1, 2, 3), density=1000)
    assert_same(parts["brick"].solid.mass_properties, brick.mass_properties)
    ball = sphere(1, density=2)
    assert_same(parts["ball"].solid.mass_properties, ball.mass_properties)
    assert_same(parts["given"].solid, MassProperties(2.0, [0, 0, 1], np.eye(3)))
    moved = np.eye(4)
    moved[2, 3] = 2.0
    dumbbell = combine(
        cylinder(0.1, 1, density=7850, axis=(1, 0, 0)).mass_properties,
        box((1, 1, 1), density=100).mass_properties.moved(moved),
    )
    assert_same(parts["dumbbell"].solid.mass_properties, dumbbell)
    n_points = 8 + len(cylinder(0.1, 1, density=1).surface.points)
    assert len(parts["dumbbell"].solid.surface.points) == n_points
    write_model(file.model, None, tmp_path / "again.toml")
    assert read_model(tmp_path / "again.toml").model == file.model


def test_a_surface_stays_as_it_is_said_and_must_exist(
    part_of: Callable[[str, str], Any], tmp_path: Path
) -> None:
    (tmp_path / "part.stl").write_text("solid\nendsolid\n")
    body = part_of('body.b = { surface = "part.stl", density = 1 }', "b")
    assert body.surface == "part.stl"


@pytest.mark.parametrize(
    "content",
    [
        "time,value\n0,0\n1,2.5\n",
        "0;0\n1;2.5\n",
        "# wind\n 0 0\n\n 1\t2.5\n",
        "t, v\r\n0, 0\r\n1, 2.5e0\r\n",
    ],
)
def test_a_table_of_time_may_stand_in_a_file_of_two_columns(
    part_of: Callable[[str, str], Any], tmp_path: Path, content: str
) -> None:
    (tmp_path / "wind.csv").write_text(content)
    force = part_of(
        'force.f = { at = "end", over_time = { file = "wind.csv" } }',
        "f",
    )
    assert force.over_time == Table(times=(0.0, 1.0), values=(0.0, 2.5))
