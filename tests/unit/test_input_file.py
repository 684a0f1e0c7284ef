"""Model files give the same models as scripts, and good sentences for bad words."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from femlie.elements.joint import JointKind
from femlie.errors import InputFileError, ModelError
from femlie.input_file import Analysis, read_model, words, write_model
from femlie.mesh import (
    MassProperties,
    box,
    combine,
    cylinder,
    join_meshes,
    mesh_from_arrays,
    mesh_from_curve,
    sphere,
    straight_line,
)
from femlie.model import Model
from femlie.parts import (
    Beam,
    Body,
    Bushing,
    Controller,
    EndRelease,
    Force,
    Gravity,
    InitialMotion,
    Joint,
    LineLoad,
    PointMass,
    RigidLink,
    SpringDamper,
    Support,
    UserElement,
)
from femlie.parts.connections import (
    JointCoordinate,
    JointSpring,
    Motor,
    Stop,
    SupportKind,
)
from femlie.parts.structure import Curve, RestShape
from femlie.parts.time import Interpolation, Table
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
from femlie.sensors import (
    EnergySensor,
    PointSensor,
    Quantity,
    SectionForce,
    SectionForceSensor,
    SectionPlace,
)

MESHES = Path(__file__).parents[2] / "meshes"
STEEL = Material(young=210e9, poisson=0.3, density=7850.0)
TUBE = TubeSection(outer_radius=0.05, inner_radius=0.045, material=STEEL)

BASE = """
material.steel = { young = 210e9, poisson = 0.3, density = 7850.0 }
section.tube = { shape = "tube", outer_radius = 0.05, inner_radius = 0.045, material = "steel" }
mesh.line = { start = [0, 0, 0], end = [1, 0, 0], n_elements = 4, name = "rod" }
beam.rod = { cells = "rod", section = "tube" }
support.root = { at = "start" }
"""


@dataclasses.dataclass(frozen=True)
class Solver:
    """Stands in for a solver."""

    spectral_radius: float = 0.9
    counts: int = 3

    def solve(
        self,
        system: Any,
        *,
        duration: float,
        time_step: float,
        output_every: int = 1,
        path: Any = None,
        progress: Any = None,
    ) -> Any:
        return system, duration, time_step, output_every, path, progress


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    def write(text: str, name: str = "model.toml") -> Path:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


@pytest.fixture(autouse=True)
def solver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(words, "solver_type", lambda _method: Solver)
    monkeypatch.setattr("femlie.input_file.reader.solver_type", lambda _method: Solver)


def part_of(write: Callable[..., Path], text: str, name: str) -> Any:
    model = read_model(write(BASE + text)).model
    return {**model.parts, **model.sensors}[name]


PARTS = [
    (
        """[beam.b]
cells = "rod"
section = "tube"
orientation = [0, 0, 1]
curve = "smooth"
rest_shape = "straight"
rest_strain = [1e-3, 0, 0, 0, 0, 0]
rest_strain_over_time = { times = [0, 1], values = [0, 1] }
mass_damping = 1
start_offset = [0, 0.1, 0]""",
        Beam(
            "b",
            cells="rod",
            section=TUBE,
            orientation=(0.0, 0.0, 1.0),
            curve=Curve.SMOOTH,
            rest_shape=RestShape.STRAIGHT,
            rest_strain=(1e-3, 0.0, 0.0, 0.0, 0.0, 0.0),
            rest_strain_over_time=Table(times=(0.0, 1.0), values=(0.0, 1.0)),
            mass_damping=1.0,
            start_offset=(0.0, 0.1, 0.0),
        ),
    ),
    (
        'body.b = { at = "end", mass = 2, inertia = [1, 1, 1], center = [0, 0, 1] }',
        Body("b", at="end", mass=2.0, inertia=(1.0, 1.0, 1.0), center=(0.0, 0.0, 1.0)),
    ),
    (
        ("body.b = { mass = 2, inertia = [[1, 0, 0], [0, 1, 0], [0, 0, 1]], "
        "position = [1, 2, 3] }"),
        Body(
            "b",
            mass=2.0,
            inertia=((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
            position=(1.0, 2.0, 3.0),
        ),
    ),
    (
        'point_mass.p = { at = "end", mass = 0.5 }',
        PointMass("p", at="end", mass=0.5),
    ),
    (
        'rigid_link.r = { at = ["start", "end"] }',
        RigidLink("r", at=("start", "end")),
    ),
    ('rigid_link.r = { at = "rod" }', RigidLink("r", at="rod")),
    (
        ('spring_damper.s = { first = "ground", second = "end", stiffness = 100, '
        "length = 0.5, first_point = [1, 0, 1] }"),
        SpringDamper(
            "s",
            first="ground",
            second="end",
            stiffness=100.0,
            length=0.5,
            first_point=(1.0, 0.0, 1.0),
        ),
    ),
    (
        'bushing.b = { first = "ground", second = "end", stiffness = [1, 2, 3, 4, 5, 6] }',
        Bushing(
            "b", first="ground", second="end", stiffness=(1.0, 2.0, 3.0, 4.0, 5.0, 6.0)
        ),
    ),
    (
        'initial_motion.i = { on = ["rod"], velocity = [1, 0, 0] }',
        InitialMotion("i", on=("rod",), velocity=(1.0, 0.0, 0.0)),
    ),
    (
        """[joint.j]
kind = "point on line"
parent = "ground"
child = "end"
position = [1, 0, 0]
child_position = [0, 0, 1]""",
        Joint(
            "j",
            kind=JointKind.POINT_ON_LINE,
            parent="ground",
            child="end",
            position=(1.0, 0.0, 0.0),
            child_position=(0.0, 0.0, 1.0),
        ),
    ),
    (
        ('joint.j = { kind = "point_on_plane", parent = "ground", child = "end", '
        'position = "end" }'),
        Joint(
            "j",
            kind=JointKind.POINT_ON_PLANE,
            parent="ground",
            child="end",
            position="end",
        ),
    ),
    (
        """[joint.j]
kind = "revolute"
parent = "ground"
child = "end"
axis = [0, 1, 0]
motor = { motion = 6.28, over_time = { times = [0, 1], values = [0, 1], interpolation = "smooth" } }
spring = { stiffness = 3, damping = 0.1, coordinate = "angle" }
[[joint.j.stop]]
upper = 1
stiffness = 1e5
[[joint.j.stop]]
lower = -1
stiffness = 1e5""",
        Joint(
            "j",
            kind=JointKind.REVOLUTE,
            parent="ground",
            child="end",
            axis=(0.0, 1.0, 0.0),
            motor=Motor(
                motion=6.28,
                over_time=Table(
                    times=(0.0, 1.0),
                    values=(0.0, 1.0),
                    interpolation=Interpolation.SMOOTH,
                ),
            ),
            spring=JointSpring(
                stiffness=3.0, damping=0.1, coordinate=JointCoordinate.ANGLE
            ),
            stop=(Stop(upper=1.0, stiffness=1e5), Stop(lower=-1.0, stiffness=1e5)),
        ),
    ),
    (
        ('support.s = { at = "end", kind = "custom", '
        "held = [true, true, true, false, false, true], displacement = [0, 0, 0.1] }"),
        Support(
            "s",
            at="end",
            kind=SupportKind.CUSTOM,
            held=(True, True, True, False, False, True),
            displacement=(0.0, 0.0, 0.1),
        ),
    ),
    (
        'end_release.e = { beam = "rod", at = "end", kind = "revolute" }',
        EndRelease("e", beam="rod", at="end", kind=JointKind.REVOLUTE),
    ),
    (
        ('force.f = { at = "end", force = [1, 0, 0], moment = [0, 0, 2], follower = true, '
        "total = true }"),
        Force(
            "f",
            at="end",
            force=(1.0, 0.0, 0.0),
            moment=(0.0, 0.0, 2.0),
            follower=True,
            total=True,
        ),
    ),
    (
        'line_load.w = { on = "rod", force = [0, 3, 0], projected = true }',
        LineLoad("w", on="rod", force=(0.0, 3.0, 0.0), projected=True),
    ),
    (
        'gravity.g = { acceleration = [0, -9.81, 0], on = ["rod"] }',
        Gravity("g", acceleration=(0.0, -9.81, 0.0), on=("rod",)),
    ),
    ("[gravity.g]", Gravity("g")),
    (
        ('sensor.tip = { kind = "point", at = "end", quantity = "angular_velocity", '
        'frame = "body", direction = [0, 0, 1] }'),
        PointSensor(
            "tip",
            at="end",
            quantity=Quantity.ANGULAR_VELOCITY,
            frame="body",
            direction=(0.0, 0.0, 1.0),
        ),
    ),
    ('sensor.n = { kind = "point", at = 3 }', PointSensor("n", at=3)),
    (
        ('sensor.m = { kind = "section_force", beam = "rod", '
        'component = "bending_moment_y", at = 0.5 }'),
        SectionForceSensor(
            "m", beam="rod", component=SectionForce.BENDING_MOMENT_Y, at=0.5
        ),
    ),
    (
        ('sensor.m = { kind = "section_force", beam = "rod", '
        'component = "axial_force", at = "last" }'),
        SectionForceSensor(
            "m", beam="rod", component=SectionForce.AXIAL_FORCE, at=SectionPlace.LAST
        ),
    ),
    (
        'sensor.e = { kind = "energy", energy = "kinetic" }',
        EnergySensor("e", energy="kinetic"),
    ),
]


@pytest.mark.parametrize(("text", "expected"), PARTS)
def test_a_table_gives_the_part_that_a_script_would_make(
    write: Callable[..., Path], text: str, expected: Any
) -> None:
    part = part_of(write, text, expected.name)
    assert part == expected
    assert repr(part) == repr(expected)


@pytest.mark.parametrize(("text", "expected"), PARTS)
def test_a_part_written_and_read_again_is_equal(
    write: Callable[..., Path], tmp_path: Path, text: str, expected: Any
) -> None:
    file = read_model(write(BASE + text))
    write_model(file.model, None, tmp_path / "again.toml")
    again = read_model(tmp_path / "again.toml")
    assert again.model == file.model


SECTIONS = [
    ('shape = "circle", radius = 1', CircularSection(radius=1.0, material=STEEL)),
    (
        ('shape = "tube", outer_radius = 2, inner_radius = 1, offset = [0.1, 0], '
        "damping_time = 1e-3"),
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
        ('shape = "i", height = 0.2, width = 0.1, web_thickness = 0.006, '
        "flange_thickness = 0.009"),
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
    write: Callable[..., Path], text: str, expected: Any
) -> None:
    table = f'section.s = {{ {text}, material = "steel" }}\n'
    beam = part_of(write, table + 'beam.b = { cells = "rod", section = "s" }', "b")
    assert beam.section == expected


def test_a_general_section_takes_matrices_in_the_order_of_beamdyn(
    write: Callable[..., Path],
) -> None:
    stiffness = np.diag([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    mass = np.diag([2.0, 2.0, 2.0, 0.1, 0.2, 0.3])
    table = (
        f'section.g = {{ shape = "general", stiffness = {stiffness.tolist()}, '
        f'mass_matrix = {mass.tolist()}, order = "beamdyn", '
        "outline = [[0, 0], [1, 0], [1, 1]] }\n"
    )
    beam = part_of(write, table + 'beam.b = { cells = "rod", section = "g" }', "b")
    assert beam.section == GeneralSection(
        stiffness=stiffness,
        mass_matrix=mass,
        order=SectionOrder.BEAMDYN,
        outline=[[0, 0], [1, 0], [1, 1]],  # type: ignore[arg-type]
    )
    assert beam.section.stiffness[0, 0] == 3.0


def test_tapers_and_station_tables_refer_to_sections_further_down(
    write: Callable[..., Path], tmp_path: Path
) -> None:
    file = read_model(
        write(
            BASE
            + """
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
    write: Callable[..., Path],
) -> None:
    beam = part_of(
        write,
        "[beam.b]\ncells = 'rod'\n[beam.b.section]\nshape = 'circle'\nradius = 1\n"
        "material = { young = 1e9, shear_modulus = 4e8 }",
        "b",
    )
    assert beam.section.material == Material(young=1e9, shear_modulus=4e8)


def test_solids_are_shapes_with_a_density_alone_or_joined(
    write: Callable[..., Path], tmp_path: Path
) -> None:
    text = """
body.brick = { solid = { shape = "box", size = [1, 2, 3], density = 1000 } }
body.ball = { solid = { shape = "sphere", radius = 1, density = 2 } }
body.given = { solid = { mass = 2, center = [0, 0, 1], inertia = [[1, 0, 0], [0, 1, 0], [0, 0, 1]] } }
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
    file = read_model(write(BASE + text))
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
    write: Callable[..., Path], tmp_path: Path
) -> None:
    (tmp_path / "part.stl").write_text("solid\nendsolid\n")
    body = part_of(write, 'body.b = { surface = "part.stl", density = 1 }', "b")
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
    write: Callable[..., Path], tmp_path: Path, content: str
) -> None:
    (tmp_path / "wind.csv").write_text(content)
    force = part_of(
        write,
        'force.f = { at = "end", force = [1, 0, 0], over_time = { file = "wind.csv" } }',
        "f",
    )
    assert force.over_time == Table(times=(0.0, 1.0), values=(0.0, 2.5))


def mesh_of(write: Callable[..., Path], text: str) -> Any:
    return read_model(write(text)).model.mesh


def assert_same_mesh(one: Any, other: Any) -> None:
    assert Model(one) == Model(other)


def test_a_mesh_is_a_file_beside_the_model(
    write: Callable[..., Path], tmp_path: Path
) -> None:
    (tmp_path / "ring.msh").write_bytes((MESHES / "ring.msh").read_bytes())
    file = read_model(write('mesh = "ring.msh"'))
    assert file.mesh_path == tmp_path / "ring.msh"
    assert len(file.model.mesh.lines) == 48  # type: ignore[union-attr]
    write_model(file.model, None, tmp_path / "again.toml")
    assert 'mesh = "ring.msh"' in (tmp_path / "again.toml").read_text()
    assert read_model(tmp_path / "again.toml").model == file.model


def test_a_mesh_may_be_given_by_points_lines_and_groups(
    write: Callable[..., Path], tmp_path: Path
) -> None:
    mesh = mesh_of(
        write,
        """
[mesh]
points = [[0, 0, 0], [1, 0, 0], [1, 1, 0]]
lines = [[0, 1], [1, 2]]
node_groups = { foot = [0], "load point" = [2] }
line_groups = { arms = [0, 1] }
surface_groups = { plate = [[0, 1, 2]] }
""",
    )
    expected = mesh_from_arrays(
        [[0, 0, 0], [1, 0, 0], [1, 1, 0]],
        [[0, 1], [1, 2]],
        node_groups={"foot": [0], "load point": [2]},
        line_groups={"arms": [0, 1]},
        surface_groups={"plate": [[0, 1, 2]]},
    )
    assert_same_mesh(mesh, expected)
    write_model(Model(mesh), None, tmp_path / "again.toml")
    assert_same_mesh(read_model(tmp_path / "again.toml").model.mesh, mesh)


def test_meshes_along_lines_and_curves_are_joined(write: Callable[..., Path]) -> None:
    mesh = mesh_of(
        write,
        """
[[mesh]]
line = { start = [0, 0, 0], end = [1, 0, 0], n_elements = 2, name = "rod", end_name = "tip" }
[[mesh]]
curve = { curve = [[1, 0, 0], [1, 1, 0], [2, 1, 0]], n_elements = 4, name = "hook" }
""",
    )
    expected = join_meshes(
        straight_line((0, 0, 0), (1, 0, 0), n_elements=2, name="rod", end_name="tip"),
        mesh_from_curve([[1, 0, 0], [1, 1, 0], [2, 1, 0]], n_elements=4, name="hook"),
    )
    assert_same_mesh(mesh, expected)


def test_middle_nodes_survive_writing(tmp_path: Path) -> None:
    mesh = mesh_from_arrays([[0, 0, 0], [2, 0, 0], [1, 1, 0]], [[0, 1, 2]])
    write_model(Model(mesh), None, tmp_path / "again.toml")
    assert_same_mesh(read_model(tmp_path / "again.toml").model.mesh, mesh)


def test_the_analysis_holds_solver_fields_and_solve_arguments(
    write: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = read_model(
        write(
            BASE + "[analysis]\nmethod = 'static'\nspectral_radius = 0.8\n"
            "duration = 1\ntime_step = 1e-3"
        )
    )
    expected = {"duration": 1.0, "time_step": 1e-3}
    assert file.analysis == Analysis(Solver(spectral_radius=0.8), expected)
    monkeypatch.setitem(words.METHODS, "static", ("", "Solver"))
    write_model(file.model, file.analysis, tmp_path / "again.toml")
    again = read_model(tmp_path / "again.toml")
    assert again.analysis == file.analysis
    assert again.model == file.model
    answer = file.analysis.solve("system", progress=print)
    assert answer == ("system", 1.0, 1e-3, 1, None, print)


@pytest.mark.parametrize(
    ("override", "read", "value"),
    [
        ("section.tube.outer_radius=0.06", "beam", 0.06),
        ("section.tube.outer_radius = 6e-2", "beam", 0.06),
        ("beam.rod.drag=2", "drag", 2.0),
        ('beam.rod."drag"=2', "drag", 2.0),
        ("analysis.time_step=1e-4", "time_step", 1e-4),
        ("analysis.output_every=7", "output_every", 7),
    ],
)
def test_a_value_of_the_command_line_replaces_the_one_in_the_file(
    write: Callable[..., Path], override: str, read: str, value: float
) -> None:
    text = BASE + "[analysis]\nmethod = 'static'\nduration = 1\ntime_step = 1e-3"
    file = read_model(write(text), overrides=[override])
    assert file.analysis is not None
    rod = file.model.parts["rod"]
    found = {
        **file.analysis.arguments,
        "beam": rod.section.outer_radius,
        "drag": rod.drag,
    }
    assert found[read] == value


def test_an_analysis_may_come_from_the_command_line_alone(
    write: Callable[..., Path],
) -> None:
    settings = ['method="static"', "duration=2", "time_step=0.1"]
    file = read_model(
        write(BASE), overrides=[f"analysis.{setting}" for setting in settings]
    )
    assert file.analysis is not None
    assert file.analysis.arguments == {"duration": 2.0, "time_step": 0.1}


def test_an_entry_of_a_list_is_set_by_its_number(write: Callable[..., Path]) -> None:
    text = BASE + (
        'joint.j = { kind = "revolute", parent = "ground", child = "end", '
        "stop = [{ upper = 1, stiffness = 1 }, { lower = -1, stiffness = 1 }] }"
    )
    overrides = ["joint.j.stop.2.lower=-3", "beam.rod.orientation=[0, 1, 0]"]
    parts = read_model(write(text), overrides=overrides).model.parts
    assert parts["j"].stop[1].lower == -3.0
    assert parts["rod"].orientation == (0.0, 1.0, 0.0)


def test_names_in_any_letters_and_numbers_to_the_last_digit_survive_writing(
    tmp_path: Path,
) -> None:
    names = [
        "Träger 1",
        'say "so"',
        "back\\slash",
        "İstanbul",
        "梁",
        "tab\there",
        "a.b",
    ]
    model = Model(straight_line((0, 0, 0), (1, 0, 0), n_elements=1))
    for name in names:
        model.add(Force(name, at="end", force=(0.1 + 0.2, 1 / 3, -5e-324)))
    write_model(model, None, tmp_path / "model.toml")
    assert read_model(tmp_path / "model.toml").model == model


def test_a_file_with_a_byte_order_mark_is_read(write: Callable[..., Path]) -> None:
    assert "rod" in read_model(write("\ufeff" + BASE)).model.parts


def test_a_model_with_python_objects_is_not_written(tmp_path: Path) -> None:
    model = Model()
    model.add(Force("push", at="ball", over_time=math.sin))
    with pytest.raises(ModelError, match=r"Force 'push', over_time.*Python script"):
        write_model(model, None, tmp_path / "model.toml")
    model = Model()
    model.add(Controller("pd", sensors=("s",), function=print, joint="hinge"))
    with pytest.raises(ModelError, match=r"Controller 'pd', function"):
        write_model(model, None, tmp_path / "model.toml")
    model = Model()
    model.add(UserElement("own", at=("a",), element=object()))
    with pytest.raises(ModelError, match=r"UserElement 'own', element"):
        write_model(model, None, tmp_path / "model.toml")
    assert not list(tmp_path.iterdir())


def test_numbers_do_not_pass_through_the_locale(
    write: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # a comma locale, as far as Python lets itself be fooled: nothing may ask for it
    def refuse(*_: Any, **__: Any) -> Any:
        raise AssertionError("the locale was asked")

    for name in ("localeconv", "atof", "format_string", "str", "setlocale"):
        monkeypatch.setattr(f"locale.{name}", refuse)
    file = read_model(write(BASE))
    write_model(file.model, None, tmp_path / "again.toml")
    assert "outer_radius = 0.05\n" in (tmp_path / "again.toml").read_text()
    assert read_model(tmp_path / "again.toml").model == file.model


ROD = "beam.rod.section="
BAD = [
    # TOML itself
    ("x = ", ["line 7", "not valid TOML", "x ="]),
    ("x = 0,05", ["line 7", "0,05", "not valid TOML"]),
    ("x = .5", ["line 7", "not valid TOML", ".5"]),
    ("x = steel", ["line 7", "texts need quotes"]),
    ("beam.rod = { cells = 'rod' }", ["given twice", "line 7"]),
    ("[support.root]\nat = 'end'", ["given twice"]),
    ("force.f = { at = 'end', at = 'end' }", ["given twice"]),
    ("[force.f", ["line 7", "not valid TOML"]),
    ("x = 'open", ["not valid TOML"]),
    ("x = " + "[" * 5000, ["nested too deeply"]),
    # tables
    ("beams.x = {}", ["'beams'", "no kind of table", "Did you mean 'beam'?"]),
    ("title = 'x'", ["'title'", "no kind of table", "'support'"]),
    ("force = { at = 'end' }", ["[force]", "needs a name", "[force.NAME]"]),
    ("force = 3", ["[force]", "needs a name"]),
    ("[[force]]\nat = 'end'", ["[force]", "needs a name"]),
    ('force."" = { at = "end" }', ['[force.""]', "empty name"]),
    ('force."  " = { at = "end" }', ["empty name"]),
    ("body.rod = { mass = 1 }", ["[body.rod]", "has the name of [beam.rod]"]),
    ("sensor.rod = { kind = 'energy' }", ["[sensor.rod]", "[beam.rod]"]),
    ("force.ground = { at = 'end' }", ["[force.ground]", "'ground'"]),
    # keys
    (
        "force.f = { at = 'end', forse = [1, 0, 0] }",
        ["[force.f]", "'forse'", "Did you mean 'force'?"],
    ),
    ("force.f = { at = 'end', name = 'g' }", ["[force.f]", "unknown key 'name'"]),
    ("force.f = { force = [1, 0, 0] }", ["[force.f]", "no key 'at'", "text"]),
    (
        "beam.b = { cells = 'rod' }",
        ["[beam.b]", "no key 'section'", "name of a section"],
    ),
    (
        "joint.j = { kind = 'fixed', parent = 'ground', child = 'end', motor = { speed = 1 } }",
        ["[joint.j.motor]", "'speed'", "'motion'"],
    ),
    (
        "joint.j = { kind = 'fixed', parent = 'ground', child = 'end', stop = [{ lower = 1 }] }",
        ["[joint.j.stop (entry 1)]", "no key 'stiffness'"],
    ),
    # numbers
    (
        "force.f = { at = 'end', force = [1, 0] }",
        ["[force.f] force is [1, 0]", "3 numbers", "2 entries"],
    ),
    ("force.f = { at = 'end', force = 5 }", ["force is 5", "3 numbers"]),
    (
        "force.f = { at = 'end', force = [1, 0, 'z'] }",
        ["force (entry 3)", '"z"', "a number"],
    ),
    (
        "force.f = { at = 'end', force = [1, 0, true] }",
        ["force (entry 3)", "true", "a number"],
    ),
    (
        "force.f = { at = 'end', force = [1, 0, nan] }",
        ["force (entry 3)", "nan", "finite"],
    ),
    (
        "force.f = { at = 'end', force = [1, 0, -inf] }",
        ["force (entry 3)", "-inf", "finite"],
    ),
    (
        "force.f = { at = 'end', force = [1, 0, 1e999] }",
        ["force (entry 3)", "inf", "finite"],
    ),
    (
        "force.f = { at = 'end', force = [1, 0, 1" + "0" * 400 + "] }",
        ["force (entry 3)", "1.8e308"],
    ),
    (
        "force.f = { at = 'end', force = [1, 0, 2024-01-01] }",
        ["force (entry 3)", "2024-01-01"],
    ),
    ("force.f = { at = 'end', follower = 1 }", ["follower is 1", "true or false"]),
    (
        "force.f = { at = 'end', follower = 'yes' }",
        ['follower is "yes"', "true or false"],
    ),
    ("force.f = { at = 3 }", ["[force.f] at is 3", "text"]),
    ("force.f = { at = '' }", ["[force.f] at", "not empty"]),
    (
        "point_mass.p = { at = 'end', mass = '1' }",
        ["[point_mass.p] mass", '"1"', "a number"],
    ),
    (
        "point_mass.p = { at = 'end', mass = -1 }",
        ["[point_mass.p]", "mass", "-1", "zero or more"],
    ),
    (
        "support.s = { at = 'end', held = [true, false] }",
        ["[support.s] held", "6 entries"],
    ),
    (
        "support.s = { at = 'end', held = [1, 0, 0, 0, 0, 0] }",
        ["held (entry 1) is 1", "true or false"],
    ),
    (
        "body.b = { mass = 1, inertia = [1, 2] }",
        [
            "[body.b] inertia",
            "3 numbers or 6 numbers or 3 rows of 3 numbers",
            "Its shape is 2",
        ],
    ),
    (
        "body.b = { mass = 1, inertia = [[1, 0], [0]] }",
        ["[body.b] inertia", "rows of equal length"],
    ),
    (
        "bushing.b = { first = 'ground', second = 'end', stiffness = 5 }",
        ["[bushing.b] stiffness is 5", "6 numbers or 6 rows of 6 numbers"],
    ),
    ("rigid_link.r = { at = ['start', 3] }", ["at (entry 2) is 3", "text"]),
    # words
    (
        "joint.j = { kind = 'hinge', parent = 'ground', child = 'end' }",
        ['kind is "hinge"', "not known", "'revolute'"],
    ),
    (
        "joint.j = { kind = 'revolut', parent = 'ground', child = 'end' }",
        ["Did you mean 'revolute'?"],
    ),
    (
        "joint.j = { kind = 3, parent = 'ground', child = 'end' }",
        ["kind is 3", 'one of "fixed"'],
    ),
    (
        "support.s = { at = 'end', kind = 'clamp' }",
        ["[support.s] kind", "Did you mean 'clamped'?"],
    ),
    (
        "beam.b = { cells = 'rod', section = 'tube', curve = 'round' }",
        ["curve", "'smooth'", "'straight'"],
    ),
    (
        "sensor.s = { kind = 'points', at = 'end' }",
        ["[sensor.s] kind", "Did you mean 'point'?"],
    ),
    ("sensor.s = { at = 'end' }", ["[sensor.s]", "no key 'kind'", '"point"']),
    (
        "sensor.s = { kind = 'point', at = 'end', quantity = 'speed' }",
        ["[sensor.s] quantity", "'velocity'"],
    ),
    (
        "sensor.s = { kind = 'point', at = 'end', frame = 'first' }",
        ["[sensor.s] frame", "'world'"],
    ),
    (
        "sensor.s = { kind = 'point', at = 'end', quantity = 'distance' }",
        ["[sensor.s]", "relative sensor"],
    ),
    ("sensor.s = { kind = 'point', at = true }", ["[sensor.s] at is true"]),
    # materials and sections
    (
        "beam.b = { cells = 'rod', section = 'tub' }",
        ['[beam.b] section is "tub"', "Known sections: 'tube'", "Did you mean 'tube'?"],
    ),
    (
        "beam.b = { cells = 'rod', section = 3 }",
        ["[beam.b] section is 3", "name of a section"],
    ),
    (
        "section.s = { shape = 'circle', radius = 1, material = 'stel' }",
        ['[section.s] material is "stel"', "Did you mean 'steel'?"],
    ),
    (
        "section.s = { shape = 'circle', radius = -1, material = 'steel' }",
        ["[section.s]", "radius is -1", "positive"],
    ),
    (
        "section.s = { shape = 'circle', material = 'steel' }",
        ["[section.s]", "no key 'radius'", "a number"],
    ),
    (
        "section.s = { shape = 'circel', radius = 1 }",
        ["[section.s] shape", "Did you mean 'circle'?"],
    ),
    ("section.s = { radius = 1 }", ["[section.s]", "no key 'shape'", '"tube"']),
    ("section.s = { shape = 7 }", ["[section.s] shape is 7"]),
    (
        "section.s = { shape = 'circle', radius = 1, width = 2, material = 'steel' }",
        ["unknown key 'width'"],
    ),
    (
        "section.s = { shape = 'general', stiffness = [[1, 2], [3, 4]] }",
        ["[section.s]", "stiffness", "(6, 6)"],
    ),
    (
        "section.s = { shape = 'general', stiffness = [[1, 2], [3]] }",
        ["[section.s] stiffness", "rows of equal length"],
    ),
    (
        "section.s = { shape = 'general', stiffness = 4, order = 'ansys' }",
        ["stiffness is 4"],
    ),
    (
        "section.s = { shape = 'general', stiffness = [[1]], order = 'ansys' }",
        ["[section.s] order", "'beamdyn'"],
    ),
    (
        "section.s = { shape = 'tapered', start = 's', end = 'tube' }",
        ["[section.s] start", "refers back to itself"],
    ),
    (
        "section.s = { shape = 'stations', stations = [0, 1], sections = ['tube', 'x'] }",
        ["sections (entry 2)", '"x"', "'tube'"],
    ),
    (
        "section.s = { shape = 'stations', stations = [0, 2], sections = ['tube', 'tube'] }",
        ["[section.s]", "stations run from 0 to 2"],
    ),
    (
        "material.m = { young = 1e9, poisson = 0.7 }",
        ["[material.m]", "poisson is 0.7", "up to 0.5"],
    ),
    ("material.m = { young = 1e9 }", ["[material.m]", "poisson or shear_modulus"]),
    ("material.m = { E = 1e9 }", ["[material.m]", "unknown key 'E'", "'young'"]),
    ('material."my steel" = { young = -1 }', ['[material."my steel"]', "young is -1"]),
    # solids, files, functions of time
    (
        "body.b = { solid = { shape = 'cube', density = 1 } }",
        ['[body.b.solid] shape is "cube"', "'box'"],
    ),
    (
        "body.b = { solid = { shape = 'box', density = 1 } }",
        ["[body.b.solid]", "no key 'size'", "3 numbers"],
    ),
    (
        "body.b = { solid = { shape = 'box', size = [1, 1, 0], density = 1 } }",
        ["[body.b.solid]", "positive number"],
    ),
    ("body.b = { solid = { size = [1, 1, 0] } }", ["[body.b.solid]", "no key 'shape'"]),
    ("body.b = { solid = 'box' }", ['solid is "box"', "a table with shape"]),
    ("body.b = { solid = [] }", ["solid is []", "one or more tables"]),
    (
        "body.b = { surface = 'no.stl', density = 1 }",
        ['surface is "no.stl"', "no file", "'model.toml'"],
    ),
    (
        "force.f = { at = 'end', over_time = 'sin(t)' }",
        ["[force.f] over_time", "times, values", "Python script"],
    ),
    (
        "force.f = { at = 'end', over_time = { times = [0, 1] } }",
        ["[force.f.over_time]", "no key 'values'"],
    ),
    (
        "force.f = { at = 'end', over_time = { value = 1 } }",
        ["[force.f.over_time]", "'value'", "Did you mean 'values'?"],
    ),
    (
        "force.f = { at = 'end', over_time = { file = 'no.csv' } }",
        ["[force.f.over_time] file", "no.csv"],
    ),
    (
        "controller.c = { sensors = ['s'], function = 'f' }",
        ["[controller.c]", "'function'", "Python script"],
    ),
    (
        "user_element.u = { at = ['end'], element = 'x' }",
        ["[user_element.u]", "'element'", "Python script"],
    ),
    (
        "initial_motion.i = { velocity = 'f(x)' }",
        ["[initial_motion.i] velocity", "3 numbers", "Python script"],
    ),
    # analysis
    (
        "[analysis]\nmethod = 'dynamic'",
        ["[analysis] method", '"dynamic"', "'generalized_alpha'"],
    ),
    ("[analysis]\nduration = 1", ["[analysis]", "no key 'method'", '"static"']),
    ("analysis = 'static'", ["[analysis]", "a table with method"]),
    (
        "[analysis]\nmethod = 'static'\nduration = 1",
        ["[analysis]", "no key 'time_step'", "a number"],
    ),
    (
        "[analysis]\nmethod = 'static'\nduration = 1\ntimestep = 1",
        ["[analysis]", "'timestep'", "Did you mean 'time_step'?"],
    ),
    (
        "[analysis]\nmethod = 'static'\nduration = 1\ntime_step = 1\nprogress = 1",
        ["unknown key 'progress'"],
    ),
    (
        "[analysis]\nmethod = 'static'\nduration = 1\ntime_step = 1\ncounts = 1.5",
        ["counts is 1.5", "an integer"],
    ),
    (
        "[analysis]\nmethod = 'static'\nduration = '1 s'\ntime_step = 1",
        ["[analysis] duration", '"1 s"', "a number"],
    ),
]


@pytest.mark.parametrize(("text", "words"), BAD, ids=[text[:60] for text, _ in BAD])
def test_a_wrong_word_gets_one_clear_sentence(
    write: Callable[..., Path], text: str, words: list[str]
) -> None:
    path = write(BASE + text)
    with pytest.raises(InputFileError) as caught:
        read_model(path)
    message = str(caught.value)
    assert message.startswith(f"{path}:")
    for word in words:
        assert word in message, message
    assert "\n" not in message
    assert "None" not in message
    assert len(message) < 900


BAD_MESHES = [
    ("mesh = 'no.msh'", ["mesh is", '"no.msh"', "no file", "model.toml"]),
    ("mesh = 'model.toml'", ["mesh", "'.toml' are not supported"]),
    ("mesh = 3", ["mesh is 3", "path of a mesh file"]),
    ("mesh = []", ["mesh", "at least one mesh"]),
    (
        "[mesh]\npoints = [[0, 0], [1, 0]]\nlines = [[0, 1]]",
        ["[mesh] points", "rows of 3 numbers"],
    ),
    (
        "[mesh]\npoints = [[0, 0, 0], [1, 0, 0]]\nlines = [[0, 1.5]]",
        ["lines (entry 1) (entry 2) is 1.5", "an integer"],
    ),
    ("[mesh]\npoints = [[0, 0, 0], [1, 0, 0]]\nlines = [[0, 2]]", ["[mesh]", "2"]),
    ("[mesh]\npoints = [[0, 0, 0], [1, 0, 0]]", ["[mesh]", "no key 'lines'"]),
    ("[mesh]\npoint = [[0, 0, 0]]", ["[mesh]", "'point'", "Did you mean 'points'?"]),
    (
        "[mesh]\npoints = [[0, 0, 0], [1, 0, 0]]\nlines = [[0, 1]]\nnode_groups = { a = 0 }",
        ["[mesh.node_groups] a is 0"],
    ),
    (
        "mesh.line = { start = [0, 0, 0], end = [1, 0, 0] }",
        ["[mesh.line]", "no key 'n_elements'"],
    ),
    (
        "mesh.line = { start = [0, 0, 0], end = [1, 0, 0], n_elements = 0 }",
        ["[mesh.line]", "at least 1"],
    ),
    (
        "mesh.line = { start = [0, 0, 0], end = [0, 0, 0], n_elements = 1 }",
        ["[mesh.line]", "length"],
    ),
    (
        "mesh = { line = { start = [0, 0, 0] }, curve = {} }",
        ["[mesh]", "unknown key 'curve'"],
    ),
]


@pytest.mark.parametrize(("text", "words"), BAD_MESHES)
def test_a_bad_mesh_gets_one_clear_sentence(
    write: Callable[..., Path], text: str, words: list[str]
) -> None:
    path = write(text)
    with pytest.raises(InputFileError) as caught:
        read_model(path)
    message = str(caught.value)
    assert message.startswith(f"{path}:")
    for word in words:
        assert word in message, message


@pytest.mark.parametrize(
    ("override", "words"),
    [
        ("section.tube.outer_radius", ["has no value", "key=value"]),
        ("section.tub.outer_radius=1", ["'tub'", "Did you mean 'tube'?"]),
        ("sections.tube.outer_radius=1", ["'sections'", "Did you mean 'section'?"]),
        ("section.tube.radius=1", ["[section.tube]", "unknown key 'radius'"]),
        ("section.tube.outer_radius=wide", ["wide", "quotes"]),
        ("section.tube.outer_radius=0,06", ["0,06", "not TOML"]),
        ('section.tube.outer_radius="0.06"', ["outer_radius", "a number"]),
        ("section.tube.outer_radius=-1", ["[section.tube]", "-1", "positive"]),
        ("beam.new={}", ["'new'", "'rod'"]),
        ("beam.rod.cells.x=1", ["'x'", "is no table"]),
        ("mess=1", ["'mess'", "Did you mean 'mesh'?"]),
        ("=1", ["has the key ''"]),
        ("a b=1", ["has the key 'a b'"]),
        ("beam.rod.drag=1\nx=2", ["not TOML"]),
        ("analysis.x=1", ["[analysis]", "no key 'method'"]),
    ],
)
def test_a_wrong_value_of_the_command_line_is_refused(
    write: Callable[..., Path], override: str, words: list[str]
) -> None:
    with pytest.raises(InputFileError) as caught:
        read_model(write(BASE), overrides=[override])
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("0,0\n1,x\n", ["line 2", "'1,x'", "two finite numbers"]),
        ("0,0,0\n", ["line 1", "two finite numbers"]),
        ("0;0,5\n1;1,5\n", ["line 1", "decimal points"]),
        ("0 nan\n", ["line 1", "finite"]),
        ("time,value\n", ["no numbers"]),
        ("a,b\nc,d\n", ["line 2", "'c,d'"]),
    ],
)
def test_a_bad_file_of_columns_is_refused_with_its_line(
    write: Callable[..., Path], tmp_path: Path, content: str, words: list[str]
) -> None:
    (tmp_path / "wind.csv").write_text(content)
    text = "force.f = { at = 'end', over_time = { file = 'wind.csv' } }"
    with pytest.raises(InputFileError) as caught:
        read_model(write(BASE + text))
    for word in ["wind.csv", *words]:
        assert word in str(caught.value)


def test_a_missing_file_lists_the_models_that_are_there(
    write: Callable[..., Path], tmp_path: Path
) -> None:
    write(BASE, "frame.toml")
    with pytest.raises(InputFileError, match=r"Did you mean 'frame\.toml'"):
        read_model(tmp_path / "fram.toml")
    with pytest.raises(InputFileError, match="is a folder"):
        read_model(tmp_path)


def test_a_file_in_another_encoding_is_refused_with_the_byte(tmp_path: Path) -> None:
    (tmp_path / "old.toml").write_bytes("name = 'Träger'".encode("latin-1"))
    with pytest.raises(InputFileError, match="byte 11 is not text in UTF-8"):
        read_model(tmp_path / "old.toml")


def test_every_kind_of_part_can_be_said_or_is_refused_with_advice() -> None:
    from femlie.parts import PART_KINDS

    assert set(words.PARTS.values()) == set(PART_KINDS)
    snake = {"line_load", "point_mass", "spring_damper", "end_release", "beam"}
    assert snake <= set(words.PARTS)
