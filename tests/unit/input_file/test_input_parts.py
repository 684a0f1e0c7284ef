"""A table gives the part that a script would make."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from femlie.elements.joint import JointKind
from femlie.input_file import read_model, words, write_model
from femlie.parts import (
    Beam,
    Body,
    Bushing,
    EndRelease,
    Force,
    FrameGroup,
    Gravity,
    InitialMotion,
    Joint,
    LineLoad,
    ModalBody,
    PointMass,
    RigidLink,
    SpringDamper,
    Support,
)
from femlie.parts.connections import (
    Friction,
    JointCoordinate,
    JointSpring,
    Motor,
    Stop,
    SupportKind,
)
from femlie.parts.structure import SO3_R3, Curve, RestShape
from femlie.parts.time import Interpolation, Table
from femlie.sections import (
    Material,
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
        (
            "body.b = { mass = 2, inertia = [[1, 0, 0], [0, 1, 0], [0, 0, 1]], "
            "position = [1, 2, 3] }"
        ),
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
        'modal_body.m = { beams = ["a"], interfaces = ["start", "end"], n_modes = 3 }',
        ModalBody("m", beams=("a",), interfaces=("start", "end"), n_modes=3),
    ),
    (
        'modal_body.m = { beams = ["a", "b"], interfaces = ["end"] }',
        ModalBody("m", beams=("a", "b"), interfaces=("end",)),
    ),
    (
        'rigid_link.r = { at = ["start", "end"] }',
        RigidLink("r", at=("start", "end")),
    ),
    ('rigid_link.r = { at = "rod" }', RigidLink("r", at="rod")),
    (
        (
            'spring_damper.s = { first = "ground", second = "end", stiffness = 100, '
            "length = 0.5, first_point = [1, 0, 1] }"
        ),
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
        (
            'bushing.b = { first = "ground", second = "end", stiffness = '
            "[1, 2, 3, 4, 5, 6] }"
        ),
        Bushing(
            "b", first="ground", second="end", stiffness=(1.0, 2.0, 3.0, 4.0, 5.0, 6.0)
        ),
    ),
    (
        'initial_motion.i = { on = ["rod"], velocity = [1, 0, 0] }',
        InitialMotion("i", on=("rod",), velocity=(1.0, 0.0, 0.0)),
    ),
    (
        'frame_group.g = { group = "so3_r3", on = ["rod"] }',
        FrameGroup("g", group=SO3_R3, on=("rod",)),
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
        (
            'joint.j = { kind = "point_on_plane", parent = "ground", child = "end", '
            'position = "end" }'
        ),
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
motor.motion = 6.28
motor.over_time.times = [0, 1]
motor.over_time.values = [0, 1]
motor.over_time.interpolation = "smooth"
spring = { stiffness = 3, damping = 0.1, coordinate = "angle" }
friction = { limit = 2, static_limit = 3, stribeck_speed = 0.1 }
[[joint.j.stop]]
upper = 1
stiffness = 1e5
[[joint.j.stop]]
lower = -1
restitution = 0.5""",
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
            stop=(Stop(upper=1.0, stiffness=1e5), Stop(lower=-1.0, restitution=0.5)),
            friction=Friction(limit=2.0, static_limit=3.0, stribeck_speed=0.1),
        ),
    ),
    (
        (
            'support.s = { at = "end", kind = "custom", '
            "held = [true, true, true, false, false, true], "
            "displacement = [0, 0, 0.1] }"
        ),
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
        (
            'force.f = { at = "end", force = [1, 0, 0], moment = [0, 0, 2], '
            "follower = true, total = true }"
        ),
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
        (
            'sensor.tip = { kind = "point", at = "end", quantity = "angular_velocity", '
            'frame = "body", direction = [0, 0, 1] }'
        ),
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
        (
            'sensor.m = { kind = "section_force", beam = "rod", '
            'component = "bending_moment_y", at = 0.5 }'
        ),
        SectionForceSensor(
            "m", beam="rod", component=SectionForce.BENDING_MOMENT_Y, at=0.5
        ),
    ),
    (
        (
            'sensor.m = { kind = "section_force", beam = "rod", '
            'component = "axial_force", at = "last" }'
        ),
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
    part_of: Callable[[str, str], Any], text: str, expected: Any
) -> None:
    part = part_of(text, expected.name)
    assert part == expected
    assert repr(part) == repr(expected)


@pytest.mark.parametrize("text", [text for text, _ in PARTS])
def test_a_part_written_and_read_again_is_equal(
    write_more: Callable[[str], Path], tmp_path: Path, text: str
) -> None:
    file = read_model(write_more(text))
    write_model(file.model, None, tmp_path / "again.toml")
    again = read_model(tmp_path / "again.toml")
    assert again.model == file.model


def test_every_kind_of_part_can_be_said_or_is_refused_with_advice() -> None:
    from femlie.parts import PART_KINDS

    assert set(words.PARTS.values()) == set(PART_KINDS)
    snake = {"line_load", "point_mass", "spring_damper", "end_release", "beam"}
    assert snake <= set(words.PARTS)
