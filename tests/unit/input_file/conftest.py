"""Models around a rod, and a stand-in for solvers."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from femlie.input_file import read_model, words
from femlie.solvers.schedule import Output

BASE = """
material.steel = { young = 210e9, poisson = 0.3, density = 7850.0 }
mesh.line = { start = [0, 0, 0], end = [1, 0, 0], n_elements = 4, name = "rod" }
beam.rod = { cells = "rod", section = "tube" }
support.root = { at = "start" }
section.tube.shape = "tube"
section.tube.outer_radius = 0.05
section.tube.inner_radius = 0.045
section.tube.material = "steel"
"""


@dataclasses.dataclass(frozen=True)
class Solver:
    """Stands in for a solver."""

    spectral_radius: float = 0.9
    counts: int = 3

    def solve(
        self,
        system: Any,
        *,
        duration: float,
        time_step: float,
        output: Output = Output(),
        progress: Any = None,
    ) -> Any:
        return system, duration, time_step, output, progress


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    def write(text: str, name: str = "model.toml") -> Path:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


@pytest.fixture(autouse=True)
def solver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(words, "solver_type", lambda _method: Solver)
    monkeypatch.setattr("femlie.input_file.reader.solver_type", lambda _method: Solver)


@pytest.fixture
def write_more(write: Callable[..., Path]) -> Callable[[str], Path]:
    """Write the rod with more tables behind it."""
    return lambda text: write(BASE + text)


@pytest.fixture
def part_of(write_more: Callable[[str], Path]) -> Callable[[str, str], Any]:
    """Part of a name in the rod's model with more tables."""

    def part_of(text: str, name: str) -> Any:
        model = read_model(write_more(text)).model
        return {**model.parts, **model.sensors}[name]

    return part_of


@pytest.fixture
def solver_type() -> type:
    return Solver
