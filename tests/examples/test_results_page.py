"""docs/results.md: its snippets run, one after another, and it knows every method."""

from __future__ import annotations

import inspect
import re
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import femlie as fl
from femlie.cli import main

PAGE = (Path(__file__).parents[2] / "docs" / "results.md").read_text("utf-8")
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the snippets leave behind, run in a folder of their own."""
    space: dict[str, Any] = {"__name__": "page"}
    folder = tmp_path_factory.mktemp("page")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for language, code in FENCE.findall(PAGE):
            if language == "python":
                exec(compile(code, "docs/results.md", "exec"), space)
    space["folder"] = folder
    return space


def test_shapes_are_those_of_the_tables(names: dict[str, Any]) -> None:
    n = len(names["motion"].times)
    assert names["whole_rod"].shape == (n, 9, 3)
    assert names["node"].shape == names["pull"].shape == (n, 3)
    assert names["moment"].shape == (8,)
    assert names["early"].shape == (1, 3)
    assert names["fine"].shape == (2, 6)
    assert names["angle"].shape == names["rate"].shape == names["height"].shape == (n,)


def test_snippets_give_what_they_say(names: dict[str, Any]) -> None:
    np.testing.assert_array_equal(
        names["height"], names["motion"].positions("end")[:, 2]
    )
    assert names["curve"]["arc_length"].tolist() == [(k + 0.5) / 8 for k in range(8)]
    np.testing.assert_array_equal(names["curve"]["bending_moment_y"], names["moment"])
    assert {path.name for path in names["paths"]} == {
        "comparison.csv", "convergence.png", "drifts.png"
    }  # fmt: skip
    assert names["again"].times.tolist() == names["motion"].times.tolist()
    # the hinge gives a rigid motion, the others are elastic
    assert names["modes"].frequencies[0] == 0.0
    assert np.all(names["modes"].frequencies[1:] > 0.0)
    assert np.isfinite([row.error for row in names["rows"]]).all()
    assert not any(names["table"]["error"])
    # about the shoulder 2 g at 0.5 m and g at 1.5 m, about the elbow g at 0.5 m;
    # a positive angle about y turns x down
    torques = dict(zip(names["tree"].coordinates, names["torques"], strict=True))
    assert list(torques.values()) == pytest.approx([-2.5 * 9.81, -0.5 * 9.81])


def test_commands_run(names: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(names["folder"])
    commands = [code for language, code in FENCE.findall(PAGE) if language == "bash"]
    assert commands
    for line in commands:
        program, *arguments = shlex.split(line)
        assert program == "femlie"
        assert main([*arguments, "--quiet"]) == 0


def test_the_page_knows_every_public_method_of_results() -> None:
    members = [name for name, _ in inspect.getmembers(fl.Results) if name[0] != "_"]
    fields = ["summary", "warnings", "last_state"]
    # for other modules: arrays as they are recorded
    inner = {"whole_records", "is_static", "is_modal", "row_name"}
    unknown = {"layout", "records", "analysis"}
    missing = [
        name
        for name in {*members, *fields} - inner - unknown
        if not re.search(rf"\b{name}\b", PAGE)
    ]
    assert not missing
