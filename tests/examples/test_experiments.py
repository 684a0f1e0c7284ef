"""The experiments that the project started from run, and keep what they should."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from tests.property.integrators import run_interpreted
from tests.validation.dynamics import reference

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
    report = script.main(tmp_path, duration=0.1, links=(1, 4))
    # films of both chains and of four models with forces
    assert len(list(tmp_path.glob("*.gif"))) == 6
    # the same, angles of one and two links, table 3.2, figure 3.16, cost
    assert len(list(tmp_path.glob("*.png"))) == 6 + 2 + 2 + 1 + 1
    lengths = [value for _, what, value, _ in report.rows if what == "unit length"]
    assert max(lengths) < 5e-13
    rows = {(name, what): value for name, what, value, _ in report.rows}
    assert rows["4 links", "energy"] < 1e-13
    assert rows["symmetric top", "spin about the figure axis"] < 1e-13


@pytest.mark.parametrize(("n_links", "tolerance"), [(1, 1e-12), (2, 1e-12)])
def test_classical_pendulums_are_where_the_curve_says(
    n_links: int, tolerance: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(FOLDER))
    classical = load("classical_pendulums", monkeypatch)
    times = np.array([0.0, 1.0, 5.0, 10.0])
    found = classical.angles(n_links, 0.1, times)
    if n_links == 1:
        # 12 digits of 66.8333 d2t/dt2 = -490.5 sin(t), solved by itself
        assert found[-1, 0] == pytest.approx(-0.036205490167, abs=tolerance)
        return
    known, values = reference("thesis_double")
    rows = [int(np.argmin(np.abs(known - time))) for time in times]
    relative = np.column_stack([found[:, 0], found[:, 1] - found[:, 0]])
    np.testing.assert_allclose(relative, values[rows], rtol=0, atol=tolerance)
