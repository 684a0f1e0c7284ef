"""The experiments that the project started from run, and keep what they should."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests.property.integrators import run_interpreted

FOLDER = Path(__file__).parents[2] / "examples" / "experiments"


def load(name: str, patch: pytest.MonkeyPatch) -> ModuleType:
    """A script as a module; it imports the models beside it."""
    patch.syspath_prepend(str(FOLDER))
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    patch.setitem(sys.modules, name, module)
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
def test_figures_of_the_paper_are_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_interpreted(monkeypatch)
    script = load("mueller_terze_2013", monkeypatch)
    found = script.main(tmp_path, shortened=0.005)
    assert len(list(tmp_path.glob("*.png"))) == 12
    key = ("figures 2 and 3, Munthe-Kaas", "SE(3)", "pivot")
    assert found[key] < 1e-14
    assert (tmp_path / "mueller_terze_2013.csv").read_text().count("\n") == len(
        found
    ) + 1


@pytest.mark.slow
def test_chains_of_the_thesis_keep_length_and_energy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_interpreted(monkeypatch)
    script = load("prism_chains", monkeypatch)
    report = script.main(tmp_path, duration=0.2, links=(4,))
    assert len(list(tmp_path.glob("*.gif"))) == 4
    lengths = [value for _, what, value, _ in report.rows if what == "unit length"]
    assert max(lengths) < 5e-13
    rows = {(name, what): value for name, what, value, _ in report.rows}
    assert rows["4 links", "energy"] < 1e-13
    assert rows["symmetric top", "spin about the figure axis"] < 1e-13
