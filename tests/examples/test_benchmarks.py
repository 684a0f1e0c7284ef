"""Every benchmark runs with its smallest models, so that none falls behind the code."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

from femlie._jit import IS_COMPILED

# copies of the tests beside an installed package come without the scripts
peers = pytest.importorskip("benchmarks.peers.case")
compare = pytest.importorskip("benchmarks.compare")

pytestmark = pytest.mark.skipif(
    not IS_COMPILED, reason="what is timed is compiled code"
)
SCRIPTS = ("lattice", "linear_solver", "scaling", "trees")
# one compiles a kernel for each part of a step, the other starts many processes
SLOW_SCRIPTS = ("contact", "micro", "latency")


def run_script(
    name: str, arguments: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Run ``main`` of a script as the command line does."""
    script = importlib.import_module(f"benchmarks.{name}")
    monkeypatch.setattr(sys, "argv", [f"{name}.py", *arguments])
    script.main()


@pytest.mark.parametrize(
    "name",
    [*SCRIPTS, *(pytest.param(name, marks=pytest.mark.slow) for name in SLOW_SCRIPTS)],
)
def test_a_benchmark_prints_and_keeps_its_tables(
    name: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    measuring = importlib.import_module("benchmarks.measuring")
    path = tmp_path / "kept.json"
    run_script(name, ["--smallest", "--json", str(path)], monkeypatch)
    report = measuring.load_report(path)
    assert report.name == name
    printed = capsys.readouterr().out
    for table in report.tables:
        assert table.rows
        assert measuring.markdown(table) in printed


@pytest.mark.parametrize("case", compare.CASES)
def test_femlie_solves_the_smallest_run_of_a_case(case: str) -> None:
    module = importlib.import_module(f"benchmarks.peers.{case}")
    run = module.RUNS[compare.smallest_of(module.RUNS)[0]]
    assert run.program == "femlie"
    record = module.RUNNERS["femlie"](run)
    assert record["cpu_seconds"] > 0.0
    for aim in module.AIMS:
        assert module.RUNS[aim.run].program == "femlie"


def test_a_case_is_compared_in_a_process_of_its_own(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / "kept.json"
    arguments = ["--smallest", "--cases", "bend_45", "--json", str(path)]
    run_script("compare", arguments, monkeypatch)
    records = importlib.import_module("benchmarks.measuring").load_report(path).records
    assert records[0]["program"] == "femlie"
    assert records[0].get("failure") is None
    assert "CPU ms" in capsys.readouterr().out
