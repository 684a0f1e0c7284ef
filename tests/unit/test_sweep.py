"""Sweeps: all combinations in order, in processes, with faults kept as rows."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import femlie as fl
from femlie.errors import ConvergenceError, InputFileError, ModelError

MODEL = """
material.steel = { young = 210e9, poisson = 0.3, density = 7850.0 }
section.bar = { shape = "circle", radius = 0.01, material = "steel" }
mesh.line = { start = [0, 0, 0], end = [1, 0, 0], n_elements = 2, name = "rod" }
beam.rod = { cells = "rod", section = "bar" }
support.root = { at = "start" }
force.push = { at = "end", force = [0, 0, 1.0] }
[analysis]
method = "static"
"""


def area(*, width: float, height: float) -> float:
    if width < 0.0:
        raise ConvergenceError(f"width is {width:g}.")
    return width * height


def side_and_process(*, side: float) -> dict[str, float]:
    return {"side": 2.0 * side, "process": float(os.getpid())}


def die(*, code: int) -> float:
    if code:
        os._exit(code)
    return 0.0


def threads(*, number: int) -> int:
    from threadpoolctl import threadpool_info

    _ = np.ones((number, 2)) @ np.ones((2, number))
    return max(library["num_threads"] for library in threadpool_info())


def root(value: float) -> float:
    return math.sqrt(value)


def tip(results: Any) -> float:
    return float(results.displacements("end")[-1, 2])


def tip_and_steps(results: Any) -> dict[str, float]:
    return {"tip": tip(results), "steps": results.summary["steps"]}


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "cantilever.toml"
    path.write_text(MODEL)
    return path


def test_all_combinations_run_in_order_the_last_name_fastest() -> None:
    table = fl.sweep(area, {"width": [1.0, 2.0], "height": (3.0, 5.0)}, processes=1)
    assert list(table.columns) == ["width", "height", "value", "error"]
    assert table["width"].tolist() == [1.0, 1.0, 2.0, 2.0]
    assert table["height"].tolist() == [3.0, 5.0, 3.0, 5.0]
    assert table["value"].tolist() == [3.0, 5.0, 6.0, 10.0]
    assert table["error"].tolist() == [""] * 4


def test_sets_may_be_given_one_by_one() -> None:
    sets = [{"width": 1.0, "height": 2.0}, {"height": 4.0, "width": 3.0}]
    assert fl.sweep(area, sets, processes=1)["value"].tolist() == [2.0, 12.0]


def test_faults_are_rows_with_their_text() -> None:
    table = fl.sweep(
        area, {"width": [1.0, -1.0], "height": [4.0]}, measure=root, processes=1
    )
    assert table["value"].tolist()[0] == 2.0
    assert math.isnan(table["value"].tolist()[1])
    assert table["error"].tolist() == ["", "width is -1."]
    table = fl.sweep(
        area, {"width": [1.0], "height": [-4.0]}, measure=root, processes=1
    )
    assert "value" not in table.columns
    assert "math domain" in table["error"][0] or "negative" in table["error"][0]


def test_faults_of_the_program_are_not_hidden() -> None:
    def wrong(*, side: float) -> float:
        return side + "x"  # type: ignore[operator]

    with pytest.raises(TypeError):
        fl.sweep(wrong, {"side": [1.0]}, processes=1)


@pytest.mark.slow
def test_several_processes_give_the_same_rows_in_order() -> None:
    told: list[float] = []

    def progress(fraction: float, _text: str) -> None:
        told.append(fraction)

    sides = [float(side) for side in range(6)]
    table = fl.sweep(side_and_process, {"side": sides}, processes=2, progress=progress)
    assert table["side"].tolist() == [2.0 * side for side in sides]
    assert os.getpid() not in set(table["process"])
    assert told == [pytest.approx(k / 6) for k in range(1, 7)]


@pytest.mark.slow
def test_each_process_has_one_thread_for_linear_algebra() -> None:
    table = fl.sweep(threads, {"number": [2, 3]}, processes=2)
    assert table["value"].tolist() == [1, 1]


@pytest.mark.slow
def test_a_process_that_dies_leaves_a_row_with_the_reason() -> None:
    table = fl.sweep(die, {"code": [3, 3]}, processes=2)
    assert all("process ended" in text for text in table["error"])


def test_a_model_file_is_changed_by_dotted_keys(model: Path) -> None:
    forces = [[0.0, 0.0, 1.0], np.array([0.0, 0.0, 2.0])]
    radii = np.array([0.01, 0.02])
    table = fl.sweep(
        model,
        {"force.push.force": forces, "section.bar.radius": radii},
        measure=tip_and_steps,
        processes=1,
    )
    tips = np.array(table["tip"]).reshape(2, 2)
    # small deflections: linear in the force, and with 1 / radius^4 but for shear
    np.testing.assert_allclose(tips[1] / tips[0], 2.0, rtol=1e-4)
    np.testing.assert_allclose(tips[:, 0] / tips[:, 1], 16.0, rtol=1e-2)
    assert model.read_text() == MODEL


def test_a_value_that_the_model_refuses_is_a_row(model: Path) -> None:
    table = fl.sweep(
        model, {"section.bar.radius": [0.01, -1.0]}, measure=tip, processes=1
    )
    assert table["error"][0] == ""
    assert "radius is -1" in table["error"][1]


def doubled(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda **values: 2.0 * function(**values)


def test_what_would_fail_in_every_run_is_refused_at_once(model: Path) -> None:
    with pytest.raises(InputFileError, match="Did you mean 'bar'"):
        fl.sweep(model, {"section.bra.radius": [1.0]}, measure=tip, processes=1)
    with pytest.raises(ModelError, match="needs measure"):
        fl.sweep(model, {"section.bar.radius": [1.0]}, processes=1)
    with pytest.raises(ModelError, match="Did you mean 'width'"):
        fl.sweep(area, {"widht": [1.0], "height": [1.0]}, processes=1)
    with pytest.raises(ModelError, match="processes is 0"):
        fl.sweep(area, {"width": [1.0], "height": [1.0]}, processes=0)
    with pytest.raises(ModelError, match="top level of a module"):
        fl.sweep(doubled(area), {"width": [1.0, 2.0], "height": [1.0]}, processes=2)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"width": 3.0}, "'width' is 3.0, expected several values"),
        ({"name": "text"}, "expected several values"),
        ({"width": []}, "no parameters"),
        ([], "no parameters"),
        ({}, "no parameters"),
        ([{"a": 1}, {"b": 1}], "Set 2"),
        ([{"error": 1}], "'value' and 'error'"),
    ],
)
def test_parameters_that_are_no_sets_are_refused(parameters: Any, words: str) -> None:
    with pytest.raises(ModelError, match=words):
        fl.sweep(area, parameters, processes=1)
