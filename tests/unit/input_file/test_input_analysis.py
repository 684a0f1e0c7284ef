"""Solvers, values of the command line, and writing."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from femlie.errors import InputFileError, ModelError
from femlie.input_file import Analysis, read_model, words, write_model
from femlie.mesh import (
    straight_line,
)
from femlie.model import Model
from femlie.parts import (
    Body,
    Controller,
    Force,
    UserElement,
)
from femlie.sections import (
    Material,
    TubeSection,
)
from femlie.solvers.schedule import Output

MESHES = Path(__file__).parents[2] / "meshes"
STEEL = Material(young=210e9, poisson=0.3, density=7850.0)
TUBE = TubeSection(outer_radius=0.05, inner_radius=0.045, material=STEEL)


def test_the_analysis_holds_solver_fields_and_solve_arguments(
    write_more: Callable[[str], Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    solver_type: type,
) -> None:
    file = read_model(
        write_more(
            "[analysis]\nmethod = 'static'\nspectral_radius = 0.8\n"
            "duration = 1\ntime_step = 1e-3\noutput_every = 5"
        )
    )
    expected = {"duration": 1.0, "time_step": 1e-3, "output": Output(every=5)}
    assert file.analysis == Analysis(solver_type(spectral_radius=0.8), expected)
    monkeypatch.setitem(words.METHODS, "static", ("", "Solver"))
    write_model(file.model, file.analysis, tmp_path / "again.toml")
    again = read_model(tmp_path / "again.toml")
    assert again.analysis == file.analysis
    assert again.model == file.model
    answer = file.analysis.solve("system", progress=print, path=tmp_path / "r.h5")
    kept = Output(every=5, path=tmp_path / "r.h5")
    assert answer == ("system", 1.0, 1e-3, kept, print)


@pytest.mark.parametrize(
    ("override", "read", "value"),
    [
        ("section.tube.outer_radius=0.06", "beam", 0.06),
        ("section.tube.outer_radius = 6e-2", "beam", 0.06),
        ("beam.rod.drag=2", "drag", 2.0),
        ('beam.rod."drag"=2', "drag", 2.0),
        ("analysis.time_step=1e-4", "time_step", 1e-4),
        ("analysis.output_every=7", "every", 7),
        ("analysis.checkpoint_every=9", "checkpoint_every", 9),
    ],
)
def test_a_value_of_the_command_line_replaces_the_one_in_the_file(
    write_more: Callable[[str], Path], override: str, read: str, value: float
) -> None:
    text = "[analysis]\nmethod = 'static'\nduration = 1\ntime_step = 1e-3"
    file = read_model(write_more(text), overrides=[override])
    assert file.analysis is not None
    rod = file.model.parts["rod"]
    found = {
        **file.analysis.arguments,
        **dataclasses.asdict(file.analysis.arguments.get("output", Output())),
        "beam": rod.section.outer_radius,
        "drag": rod.drag,
    }
    assert found[read] == value


def test_an_analysis_may_come_from_the_command_line_alone(
    write_more: Callable[[str], Path],
) -> None:
    settings = ['method="static"', "duration=2", "time_step=0.1"]
    file = read_model(
        write_more(""), overrides=[f"analysis.{setting}" for setting in settings]
    )
    assert file.analysis is not None
    assert file.analysis.arguments == {"duration": 2.0, "time_step": 0.1}


def test_an_entry_of_a_list_is_set_by_its_number(
    write_more: Callable[[str], Path],
) -> None:
    text = (
        'joint.j = { kind = "revolute", parent = "ground", child = "end", '
        "stop = [{ upper = 1, stiffness = 1 }, { lower = -1, stiffness = 1 }] }"
    )
    overrides = ["joint.j.stop.2.lower=-3", "beam.rod.orientation=[0, 1, 0]"]
    parts = read_model(write_more(text), overrides=overrides).model.parts
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
    assert "rod" in read_model(write("\ufeffbody.rod = { mass = 1 }")).model.parts


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


def test_a_written_model_has_no_empty_tables_and_no_number_twice(
    write_more: Callable[[str], Path], tmp_path: Path
) -> None:
    path = tmp_path / "again.toml"
    write_model(read_model(write_more("")).model, None, path)
    assert "shear_modulus" not in path.read_text()
    changed = read_model(path, overrides=["material.material_1.young=1e9"])
    assert changed.model.parts["rod"].section.material.young == 1e9
    model = Model()
    model.add(Body("ball", mass=1.0, inertia=(1.0, 1.0, 1.0)))
    write_model(model, None, path)
    headings = [line for line in path.read_text().splitlines() if line[:1] == "["]
    assert headings == ["[body.ball]"]


def test_numbers_do_not_pass_through_the_locale(
    write_more: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # a comma locale, as far as Python lets itself be fooled: nothing may ask for it
    def refuse(*_: Any, **__: Any) -> Any:
        raise AssertionError("the locale was asked")

    for name in ("localeconv", "atof", "format_string", "str", "setlocale"):
        monkeypatch.setattr(f"locale.{name}", refuse)
    file = read_model(write_more(""))
    write_model(file.model, None, tmp_path / "again.toml")
    assert "outer_radius = 0.05\n" in (tmp_path / "again.toml").read_text()
    assert read_model(tmp_path / "again.toml").model == file.model


@pytest.mark.parametrize(
    ("override", "words"),
    [
        ("section.tube.outer_radius", ["has no value", "key=value"]),
        ("section.tub.outer_radius=1", ["'tub'", "Did you mean 'tube'?"]),
        ("sections.tube.outer_radius=1", ["'sections'", "Did you mean 'section'?"]),
        ("section.tube.radius=1", ["[section.tube]", "unknown key 'radius'"]),
        ("section.tube.outer_radius=wide", ['"wide"', "a number"]),
        ("section.tube.outer_radius=very wide", ["very wide", "quotes"]),
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
    write_more: Callable[[str], Path], override: str, words: list[str]
) -> None:
    with pytest.raises(InputFileError) as caught:
        read_model(write_more(""), overrides=[override])
    for word in words:
        assert word in str(caught.value)
