"""Options that would do nothing are refused before anything is done."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import femlie as fl
from femlie.cli import main
from femlie.view.coloring import FORCE_COLUMNS, checked_color

TOP = """
body.top = { mass = 1.0, inertia = [1.0, 1.0, 1.0] }
force.push = { at = "top", force = [1.0, 0, 0] }
bushing.pad = { first = "ground", second = "top", stiffness = [1, 1, 1, 1, 1, 1] }
[analysis]
method = "static"
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("top.toml").write_text(TOP, encoding="utf-8")
    return tmp_path


IDLE = [
    (["view", "r.h5", "--animate", "f.gif", "--time", "0.5"], ["--time", "--save"]),
    (["run", "top.toml", "--color", "speed"], ["--color", "--picture"]),
    (["export", "r.h5", "--vtu", "d", "--units", "mm,N,s"], ["--units", "--csv"]),
    (["view", "r.h5", "--deformation-scale", "nan"], ["--deformation-scale", "nan"]),
    (["view", "r.h5", "--deformation-scale", "big"], ["--deformation-scale", "big"]),
]


@pytest.mark.parametrize(("arguments", "words"), IDLE, ids=lambda a: a[0])
@pytest.mark.usefixtures("folder")
def test_an_option_that_would_do_nothing_is_refused(
    arguments: list[str], words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    message = capsys.readouterr().err
    assert all(word in message for word in words), message
    assert {path.name for path in Path().iterdir()} == {"top.toml"}


@pytest.mark.usefixtures("folder")
def test_colors_of_section_forces_need_a_beam(
    capsys: pytest.CaptureFixture[str],
) -> None:
    picture = ["--picture", "top.png", "--color", "bending_moment"]
    assert main(["run", "top.toml", *picture]) == 2
    message = capsys.readouterr().err
    assert "--color" in message
    assert "no beam" in message
    assert not Path("top_results").exists()
    assert main(["run", "top.toml", "--quiet"]) == 0
    results = "top_results/results.h5"
    assert main(["view", results, "--save", "a.png", "--color", "torsion"]) == 2
    with pytest.raises(fl.ViewError, match="no beam"):
        fl.plot(fl.load_results(results), color="axial_force")


@pytest.mark.usefixtures("folder")
def test_units_reach_the_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    given: dict[str, Any] = {}
    monkeypatch.setattr(
        "femlie.cli.look.draw", lambda _results, _path, **look: given.update(look)
    )
    assert main(["run", "top.toml", "--quiet"]) == 0
    view = ["view", "top_results/results.h5", "--save", "a.png"]
    assert main([*view, "--units", "mm,kN,ms"]) == 0
    assert given["units"] == fl.Units("mm", "kN", "ms")
    assert main(view) == 0
    assert given["units"] is None


@pytest.mark.parametrize("color", FORCE_COLUMNS)
def test_colors_of_section_forces_are_known(color: str) -> None:
    assert checked_color(color, has_beams=True, has_contact=True) == color
