"""Bad words, numbers and names get one clear sentence each."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from femlie.errors import InputFileError
from femlie.input_file import read_model
from femlie.sections import (
    Material,
    TubeSection,
)

MESHES = Path(__file__).parents[2] / "meshes"
STEEL = Material(young=210e9, poisson=0.3, density=7850.0)
TUBE = TubeSection(outer_radius=0.05, inner_radius=0.045, material=STEEL)


BAD = [
    # TOML itself
    ("x = ", ["line 10", "not valid TOML", "x ="]),
    ("x = 0,05", ["line 10", "0,05", "not valid TOML"]),
    ("x = .5", ["line 10", "not valid TOML", ".5"]),
    ("x = steel", ["line 10", "texts need quotes"]),
    ("beam.rod = { cells = 'rod' }", ["given twice", "line 10"]),
    ("[support.root]\nat = 'end'", ["given twice"]),
    ("force.f = { at = 'end', at = 'end' }", ["given twice"]),
    ("[force.f", ["line 10", "not valid TOML"]),
    ("x = 'open", ["not valid TOML"]),
    ("x = " + "[" * 5000, ["nested too deeply"]),
    # tables
    ("beams.x = {}", ["'beams'", "no kind of table", "Did you mean 'beam'?"]),
    ("title = 'x'", ["'title'", "no kind of table", "'section'"]),
    ("force = { at = 'end' }", ["[force]", "says nothing about which", "[force.NAME]"]),
    ("force = 3", ["[force]", "says nothing about which"]),
    ("[[force]]\nat = 'end'", ["[force]", "says nothing about which"]),
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
        "[joint.j]\nkind = 'fixed'\nparent = 'ground'\nchild = 'end'\nmotor.speed = 1",
        ["[joint.j.motor]", "'speed'", "'motion'"],
    ),
    (
        (
            "[joint.j]\nkind = 'fixed'\nparent = 'ground'\nchild = 'end'\n"
            "friction = [{ presliding = 1 }]"
        ),
        ["[joint.j.friction (entry 1)]", "no key 'limit'"],
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
        ["force (entry 3)", "1e+150"],
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
        "[section.s]\nshape = 'stations'\nstations = [0, 1]\nsections = ['tube', 'x']",
        ["sections (entry 2)", '"x"', "'tube'"],
    ),
    (
        (
            "[section.s]\nshape = 'stations'\nstations = [0, 2]\n"
            "sections = ['tube', 'tube']"
        ),
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
    write_more: Callable[[str], Path], text: str, words: list[str]
) -> None:
    path = write_more(text)
    with pytest.raises(InputFileError) as caught:
        read_model(path)
    message = str(caught.value)
    assert message.startswith(f"{path}:")
    for word in words:
        assert word in message, message
    assert "\n" not in message
    assert "None" not in message
    assert len(message) < 900


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
    write_more: Callable[[str], Path], tmp_path: Path, content: str, words: list[str]
) -> None:
    (tmp_path / "wind.csv").write_text(content)
    text = "force.f = { at = 'end', over_time = { file = 'wind.csv' } }"
    with pytest.raises(InputFileError) as caught:
        read_model(write_more(text))
    for word in ["wind.csv", *words]:
        assert word in str(caught.value)


def test_a_missing_file_lists_the_models_that_are_there(
    write: Callable[..., Path], tmp_path: Path
) -> None:
    write("", "frame.toml")
    with pytest.raises(InputFileError, match=r"Did you mean 'frame\.toml'"):
        read_model(tmp_path / "fram.toml")
    with pytest.raises(InputFileError, match="is a folder"):
        read_model(tmp_path)


def test_a_file_in_another_encoding_is_refused_with_the_byte(tmp_path: Path) -> None:
    (tmp_path / "old.toml").write_bytes("name = 'Träger'".encode("latin-1"))
    with pytest.raises(InputFileError, match="byte 11 is not text in UTF-8"):
        read_model(tmp_path / "old.toml")


def test_a_part_behind_a_heading_is_said_to_belong_to_it(
    write_more: Callable[[str], Path],
) -> None:
    text = "[analysis]\nmethod = 'static'\nforce.push = { at = 'end' }"
    with pytest.raises(InputFileError, match=r"above the first heading.*\[force\.NAME"):
        read_model(write_more(text))
