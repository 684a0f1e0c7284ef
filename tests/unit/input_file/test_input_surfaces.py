"""Surfaces that bodies name lie where the model file says, wherever that file is."""

from __future__ import annotations

from pathlib import Path

import pytest

import femlie as fl

MESHES = Path(__file__).parents[3] / "meshes"
BODY = 'body.b = { surface = "../shapes/part.stl", density = 2.0 }\n'


@pytest.fixture
def model_file(tmp_path: Path) -> Path:
    """A model in one folder with a surface in another."""
    for name in ("shapes", "models", "elsewhere/deep"):
        (tmp_path / name).mkdir(parents=True)
    surface = (MESHES / "stl_cylinder.stl").read_bytes()
    (tmp_path / "shapes" / "part.stl").write_bytes(surface)
    path = tmp_path / "models" / "model.toml"
    path.write_text(BODY, encoding="utf-8")
    return path


def test_a_written_model_finds_the_surface_from_its_own_folder(
    model_file: Path, tmp_path: Path
) -> None:
    file = fl.read_model(model_file)
    again = tmp_path / "elsewhere" / "deep" / "again.toml"
    fl.write_model(file.model, None, again)
    assert "../../shapes/part.stl" in again.read_text(encoding="utf-8")
    read = fl.read_model(again)
    assert read.model == file.model
    assert read.build().summary["mass"] == file.build().summary["mass"]


def test_a_model_knows_the_folder_of_its_file(model_file: Path) -> None:
    file = fl.read_model(model_file)
    assert file.model.build().summary["mass"] == file.build().summary["mass"]


def test_a_script_says_the_folder_or_gives_the_whole_path(
    model_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = fl.read_model(model_file).model
    whole = tmp_path / "shapes" / "part.stl"
    monkeypatch.chdir(tmp_path)
    cases = [
        (None, "shapes/part.stl"),
        (tmp_path / "models", "../shapes/part.stl"),
        (tmp_path / "models", whole),
    ]
    again = tmp_path / "elsewhere" / "again.toml"
    for folder, surface in cases:
        model = fl.Model(folder=folder)
        model.add(fl.Body("b", surface=surface, density=2.0))
        assert model == expected
        fl.write_model(model, None, again)
        assert fl.read_model(again).model == expected
    assert str(whole) in again.read_text(encoding="utf-8")


def test_a_surface_that_is_not_there_is_not_written(tmp_path: Path) -> None:
    model = fl.Model(folder=tmp_path)
    model.add(fl.Body("b", surface="part.stl", density=2.0))
    with pytest.raises(fl.ModelError, match=r"'b'.*part.stl.*folder="):
        fl.write_model(model, None, tmp_path / "model.toml")
    assert not (tmp_path / "model.toml").exists()


def test_models_with_other_surfaces_differ(tmp_path: Path) -> None:
    models = [fl.Model(folder=tmp_path / name) for name in ("one", "two")]
    for model in models:
        model.add(fl.Body("b", surface="part.stl", density=2.0))
    # the same words: what a script and a file beside it say
    assert models[0] == models[1]
    models[0].parts["b"] = fl.Body("b", surface="other.stl", density=2.0)
    assert models[0] != models[1]
