"""What `femlie check` and `femlie info` say of models, surfaces, results and modes."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import femlie as fl
from femlie.cli import main
from femlie.cli.report import file_report, model_report
from femlie.input_file import read_model

SPRING = """
body.box = { position = [0, 0, 0], solid = { shape = "box", size = [2.0, 2.0, 2.0], density = 0.25 } }
spring_damper.spring = { first = "ground", second = "box", first_point = [0, 0, 3], stiffness = 200.0 }
joint.guide = { kind = "prismatic", parent = "ground", child = "box" }
[analysis]
"""  # noqa: E501
IN_TIME = 'method = "generalized_alpha"\nduration = 0.02\ntime_step = 0.01\n'
FLYING = """
mesh.line = { start = [0, 0, 0], end = [1, 0, 0], n_elements = 2 }
material.steel = { young = 210e9, poisson = 0.3, density = 7850.0 }
section.bar = { shape = "circle", radius = 0.01, material = "steel" }
beam.rod = { cells = "line", section = "bar" }
end_release.pin = { beam = "rod", at = "end", kind = "spherical" }
point_mass.tip = { at = "end", mass = 1.0 }
body.bob = { position = [3, 0, 0], mass = 1.0, inertia = [1, 1, 1] }
[analysis]
"""


def checked(text: str, folder: Path) -> dict[str, str]:
    """Rows of the report of a model file by their labels."""
    path = folder / "model.toml"
    path.write_text(text, encoding="utf-8")
    file = read_model(path)
    return rows_of(model_report(file, file.build()))


def rows_of(report: str) -> dict[str, str]:
    return {line[:23].strip(): line[23:].strip() for line in report.splitlines()}


def test_nodes_are_counted_by_what_they_belong_to(tmp_path: Path) -> None:
    rows = checked(FLYING + 'method = "static"', tmp_path)
    assert rows["nodes"] == "5 (3 of the mesh, 1 of bodies, 1 of released ends)"


def test_the_bounding_box_holds_the_surfaces_of_bodies(tmp_path: Path) -> None:
    rows = checked(SPRING + IN_TIME, tmp_path)
    assert rows["bounding box"] == "(-1, -1, -1) to (1, 1, 1)"


@pytest.mark.parametrize(
    ("analysis", "words", "is_advised"),
    [
        ('method = "static"', "meets no resistance", True),
        (IN_TIME, "an analysis in time needs no support", False),
        ('method = "modal"', "frequencies are zero", False),
    ],
)
def test_a_support_is_advised_where_free_motions_are_a_fault(
    analysis: str, words: str, is_advised: bool, tmp_path: Path
) -> None:
    notice = checked(FLYING + analysis, tmp_path)["notice"]
    assert words in notice
    assert "free motions" in notice
    assert ("Add a support" in notice) is is_advised


def test_modes_have_frequencies_and_masses_with_names(tmp_path: Path) -> None:
    path = tmp_path / "model.toml"
    path.write_text(SPRING + 'method = "modal"\nn_modes = 1', encoding="utf-8")
    file = read_model(path)
    assert file.analysis is not None
    file.analysis.solve(file.build(), path=tmp_path / "results.h5")
    rows = rows_of(file_report(tmp_path / "results.h5"))
    assert rows["modes"] == "1 to 1"
    # a mass of 2 on a spring of 200: 10 rad/s
    frequency = f"{10.0 / (2.0 * np.pi):.6g} Hz"
    assert rows["mode 1"] == f"{frequency}, effective mass x 0, y 0, z 2"
    assert "times" not in rows


def test_the_balance_in_motion_says_why_it_has_no_error(tmp_path: Path) -> None:
    path = tmp_path / "model.toml"
    path.write_text(SPRING + IN_TIME, encoding="utf-8")
    file = read_model(path)
    assert file.analysis is not None
    file.analysis.solve(file.build(), path=tmp_path / "results.h5")
    rows = rows_of(file_report(tmp_path / "results.h5"))
    assert "inertia" in rows["error"]


def test_parts_have_the_same_words_in_models_and_results(tmp_path: Path) -> None:
    path = tmp_path / "model.toml"
    path.write_text(SPRING + IN_TIME, encoding="utf-8")
    file = read_model(path)
    assert file.analysis is not None
    file.analysis.solve(file.build(), path=tmp_path / "results.h5")
    model, results = (
        rows_of(file_report(tmp_path / name)) for name in ("model.toml", "results.h5")
    )
    for part in ("box", "spring", "guide"):
        assert model[part] == results[part] == model[part].lower()


def test_a_surface_has_a_box_and_a_volume(tmp_path: Path) -> None:
    path = tmp_path / "box.stl"
    box = fl.box(size=(1.0, 2.0, 3.0), density=1.0).surface
    facets = [
        "facet normal 0 0 0\nouter loop\n"
        + "".join(f"vertex {x} {y} {z}\n" for x, y, z in box.points[triangle])
        + "endloop\nendfacet\n"
        for triangle in box.triangles
    ]
    path.write_text(f"solid box\n{''.join(facets)}endsolid box\n")
    rows = rows_of(file_report(path))
    assert rows["triangles"] == "12"
    assert rows["bounding box"] == "(-0.5, -1, -1.5) to (0.5, 1, 1.5)"
    assert rows["volume"] == "6"


def test_an_open_surface_is_said_to_enclose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "open.stl"
    path.write_text(
        "solid open\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n"
        "vertex 0 1 0\nendloop\nendfacet\nendsolid open\n"
    )
    rows = rows_of(file_report(path))
    assert rows["triangles"] == "1"
    assert "volume" not in rows
    assert rows["notice"]


def test_an_interrupted_run_says_that_the_user_stopped_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("swing.toml").write_text(
        SPRING + IN_TIME.replace("0.02", "100.0"), encoding="utf-8"
    )

    def interrupt(*_unused: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("femlie.cli.screen.ProgressBar.__call__", interrupt)
    assert main(["run", "swing.toml"]) == 130
    assert "stopped by the user" in capsys.readouterr().err
    summary = Path("swing_results/summary.json")
    assert json.loads(summary.read_text())["message"] == "stopped by the user"
    results = Path("swing_results/results.h5")
    assert rows_of(file_report(results))["warning"] == "Interrupted by the user."
