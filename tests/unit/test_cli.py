"""The command line: exit codes, messages, what is written and what is not."""

from __future__ import annotations

import ast
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from femlie._jit import IS_COMPILED
from femlie.cli import main
from femlie.cli.report import number, table
from femlie.cli.run import finite
from femlie.cli.screen import ProgressBar
from femlie.errors import ConvergenceError, ModelError, ViewError
from femlie.input_file import Analysis
from femlie.results import load_results

ROOT = Path(__file__).parents[2]
MODEL = """
material.steel = { young = 210e9, poisson = 0.3, density = 7850.0 }
section.bar = { shape = "circle", radius = 0.01, material = "steel" }
mesh.line = { start = [0, 0, 0], end = [1, 0, 0], n_elements = 8, name = "rod" }
beam.rod = { cells = "rod", section = "bar" }
support.root = { at = "start" }
force.push = { at = "end", force = [0, 0, 10.0] }
sensor.tip = { kind = "point", at = "end", quantity = "displacement" }
[analysis]
method = "static"
"""
DYNAMIC = MODEL.replace(
    'method = "static"',
    'method = "generalized_alpha"\nduration = 1e-2\ntime_step = 1e-3',
)


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = Path("cantilever.toml")
    path.write_text(MODEL, encoding="utf-8")
    return path


@pytest.fixture
def solved(model: Path) -> Path:
    assert main(["run", str(model), "--quiet"]) == 0
    return Path("cantilever_results/results.h5")


def replace_solve(monkeypatch: pytest.MonkeyPatch, outcome: Any) -> None:
    """Let every analysis raise the outcome."""

    def solve(_self: Analysis, _system: Any, **_given: Any) -> Any:
        raise outcome

    monkeypatch.setattr(Analysis, "solve", solve)


def files() -> set[str]:
    return {str(path) for path in Path().rglob("*") if path.is_file()}


def test_run_writes_results_and_a_summary_and_prints_where(
    model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", str(model)]) == 0
    captured = capsys.readouterr()
    folder = Path("cantilever_results")
    assert captured.out.split() == [
        str(folder / "results.h5"),
        str(folder / "summary.json"),
    ]
    summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    needed = {
        "analysis", "converged", "steps", "iterations", "cpu_seconds", "wall_seconds",
        "model", "balance", "energy", "loop", "linear_solver", "warnings",
    }  # fmt: skip
    assert needed <= set(summary)
    assert summary["converged"] is True
    assert summary["analysis"] == "static"
    assert {"nodes", "length", "mass"} <= set(summary["model"])
    loads, reactions = summary["balance"]["loads"], summary["balance"]["reactions"]
    assert loads[2] == pytest.approx(10.0, rel=1e-12)
    np.testing.assert_allclose(loads, np.negative(reactions), atol=1e-7)
    # F L^3 / 3 E I; shear and mesh make less than the tolerance
    deflection = 10.0 / (3.0 * 210e9 * np.pi * 0.01**4 / 4.0)
    tip = load_results(folder / "results.h5").displacements("end")[-1, 2]
    assert tip == pytest.approx(deflection, rel=1e-2)


def test_a_value_on_the_command_line_changes_the_answer(model: Path) -> None:
    assert main(["run", str(model), "-o", "one", "--quiet"]) == 0
    arguments = ["--set", "force.push.force=[0, 0, 20.0]", "-o", "two", "--quiet"]
    assert main(["run", str(model), *arguments]) == 0
    one, two = (
        load_results(Path(name) / "results.h5").displacements("end")[-1, 2]
        for name in ("one", "two")
    )
    assert two == pytest.approx(2.0 * one, rel=1e-2)


def test_a_second_run_replaces_the_first(solved: Path, model: Path) -> None:
    before = solved.read_bytes()
    assert main(["run", str(model), "--set", "beam.rod.drag=1", "--quiet"]) == 0
    assert load_results(solved).summary["converged"]
    assert solved.read_bytes() != before or solved.stat().st_size > 0
    assert {path.name for path in solved.parent.iterdir()} == {
        "results.h5",
        "summary.json",
    }


def test_a_folder_with_other_files_is_not_touched(
    model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("thesis").mkdir()
    Path("thesis/results.h5").write_text("mine")
    before = files()
    assert main(["run", str(model), "-o", "thesis"]) == 2
    assert "something else than results of femlie" in capsys.readouterr().err
    assert main(["run", str(model), "-o", str(model)]) == 2
    assert "is a file" in capsys.readouterr().err
    assert files() == before
    assert Path("thesis/results.h5").read_text() == "mine"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["check", "none.toml"], ["none.toml", "does not exist", "cantilever.toml"]),
        (["run", "none.toml"], ["none.toml", "does not exist"]),
        (["run", "cantilever.toml", "--set", "beam.rd.drag=1"], ["'rd'", "'rod'"]),
        (["run", "cantilever.toml", "--set", "analysis.tolerance=2"], ["tolerance"]),
        (["run", "cantilever.toml", "--set", "analysis.duration=2"], ["'duration'"]),
        (["run", "cantilever.toml", "--set", 'support.root.at="no"'], ["'no'", "end"]),
        (["run", "cantilever.toml", "--picture", "x.doc"], ["--picture", ".png"]),
        (["run", "cantilever.toml", "--picture", "no/x.png"], ["no folder 'no'"]),
        (["run", "cantilever.toml", "--restart", "r.h5"], ["--restart", "'static'"]),
        (["info", "cantilever.doc"], [".doc", "unknown kind"]),
        (["info", "none.msh"], ["none.msh"]),
        (["view", "none.h5"], ["none.h5"]),
        (["view", "cantilever.toml"], ["cantilever.toml", "HDF5"]),
        (["view", "none.h5", "--save", "x.doc"], ["--save", "'.png'"]),
        (["export", "none.h5", "--csv", "tables"], ["none.h5"]),
    ],
)
def test_bad_input_ends_with_2_one_sentence_and_nothing_written(
    model: Path,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    words: list[str],
) -> None:
    assert model.exists()
    before = files()
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    last = captured.err.splitlines()[-1]
    assert last.startswith("femlie: ")
    for word in words:
        assert word in last, captured.err
    assert "Traceback" not in captured.err
    assert files() == before
    assert not Path("cantilever_results").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["fly"],
        ["run"],
        ["run", "x.toml", "--output"],
        ["view", "x", "--color", "red"],
        ["view", "x", "--time", "soon"],
        ["export", "x.h5"],
    ],
)
def test_a_wrong_command_ends_with_2(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert "usage: femlie" in capsys.readouterr().err


def test_bad_input_found_by_the_solver_leaves_earlier_results_alone(
    solved: Path,
    model: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    before = solved.read_bytes()
    replace_solve(monkeypatch, ModelError("the start is inconsistent."))
    assert main(["run", str(model)]) == 2
    assert "cantilever.toml: the start is inconsistent." in capsys.readouterr().err
    assert solved.read_bytes() == before
    assert main(["run", str(model), "-o", "fresh"]) == 2
    assert not Path("fresh").exists()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (DYNAMIC + 'stop = { sensor = "tap", above = 1.0 }', ["'tap'", "'tip'"]),
        (DYNAMIC + 'stop = { sensor = "tip", above = 1.0 }', ["component"]),
        (DYNAMIC.replace("1e-2", "1e-4"), ["time_step", "duration"]),
        (DYNAMIC.replace(", density = 7850.0", ""), ["mass", "node"]),
        (
            DYNAMIC + '[joint.pin]\nkind = "spherical"\nparent = "ground"\n'
            'child = "end"\n[initial_motion.fling]\nvelocity = [1.0, 0, 0]',
            ["joint 'pin'", "violated by the velocities"],
        ),
        (MODEL.replace('support.root = { at = "start" }', ""), ["float away"]),
        (MODEL + "load_steps = 0", ["load_steps"]),
        (MODEL + "checkpoint_every = 5", ["no checkpoints"]),
    ],
)
def test_check_refuses_what_run_would_refuse(
    model: Path, capsys: pytest.CaptureFixture[str], text: str, words: list[str]
) -> None:
    model.write_text(text)
    messages = []
    for command in (["check", str(model)], ["run", str(model), "--quiet"]):
        assert main(command) == 2
        messages.append(capsys.readouterr().err.splitlines()[-1])
    assert messages[0] == messages[1]
    for word in words:
        assert word in messages[0]


def test_no_table_shows_what_there_is_not(
    model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model.write_text(DYNAMIC)
    assert main(["run", str(model), "--quiet"]) == 0
    capsys.readouterr()
    assert main(["info", "cantilever_results/results.h5"]) == 0
    assert "None" not in capsys.readouterr().out


def test_a_time_outside_the_run_is_refused_with_its_range(
    solved: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["view", str(solved), "--save", "x.png", "--time", "7"]) == 2
    assert "7 lies outside" in capsys.readouterr().err
    assert not Path("x.png").exists()


def test_a_restart_with_another_model_is_refused_and_nothing_lost(
    model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model.write_text(DYNAMIC)
    assert main(["run", str(model), "-o", "first", "--quiet"]) == 0
    before = Path("first/results.h5").read_bytes()
    again = ["run", str(model), "--restart", "first/results.h5", "-o", "first"]
    heavier = ["--set", "force.push.force=[0, 0, 20.0]"]
    assert main([*again, *heavier]) == 2
    assert "'push' differ" in capsys.readouterr().err
    shorter = ["--set", "analysis.duration=5e-3"]
    assert main([*again, *shorter]) == 2
    assert "reached time 0.01 s" in capsys.readouterr().err
    assert Path("first/results.h5").read_bytes() == before


def test_a_motion_starts_at_a_static_equilibrium(model: Path, solved: Path) -> None:
    motion = Path("motion.toml")
    motion.write_text(DYNAMIC)
    run = ["run", str(motion), "--quiet", "-o"]
    assert main([*run, "still", "--start", str(solved)]) == 0
    assert main([*run, "shaken"]) == 0
    still, shaken = (
        np.ptp(load_results(f"{name}/results.h5").positions("end")[:, 2])
        for name in ("still", "shaken")
    )
    assert still < 1e-6 * shaken
    assert model.exists()


@pytest.mark.parametrize(
    ("option", "words"),
    [("--start", "no results file"), ("--restart", "there is no file")],
)
def test_a_start_from_no_file_is_refused(
    model: Path, capsys: pytest.CaptureFixture[str], option: str, words: str
) -> None:
    model.write_text(DYNAMIC)
    assert main(["run", str(model), option, "none.h5"]) == 2
    assert words in capsys.readouterr().err


def test_tables_name_the_units_that_they_are_given(solved: Path) -> None:
    units = ["--units", "mm,kN,ms"]
    assert main(["export", str(solved), "--csv", "tables", *units]) == 0
    assert "[mm]" in Path("tables/displacements.csv").read_text()
    with pytest.raises(SystemExit):
        main(["export", str(solved), "--csv", "tables", "--units", "mm"])


def test_a_model_without_an_analysis_cannot_run_but_can_be_checked(
    model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model.write_text(MODEL.split("[analysis]", maxsplit=1)[0])
    assert main(["run", str(model)]) == 2
    assert "no table [analysis]" in capsys.readouterr().err
    assert main(["check", str(model)]) == 0


def test_no_convergence_ends_with_1_and_keeps_what_was_reached(
    model: Path,
    solved: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    reached = load_results(solved)
    replace_solve(
        monkeypatch, ConvergenceError("It stopped at node 7.", results=reached)
    )
    assert main(["run", str(model), "-o", "stopped"]) == 1
    captured = capsys.readouterr()
    assert "femlie: It stopped at node 7." in captured.err
    assert "Traceback" not in captured.err
    summary = json.loads(Path("stopped/summary.json").read_text())
    assert summary["converged"] is False
    assert summary["message"] == "It stopped at node 7."
    np.testing.assert_array_equal(
        load_results("stopped/results.h5").positions("end"), reached.positions("end")
    )


def test_too_few_iterations_are_never_taken_for_a_solution(
    model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # the moment that rolls the rod up into a full circle
    moment = 2.0 * np.pi * 210e9 * np.pi * 0.01**4 / 4.0
    changes = [
        f"force.push.moment=[0, {moment}, 0]",
        "force.push.force=[0, 0, 1e9]",
        "analysis.iteration_limit=2",
    ]
    arguments = [word for change in changes for word in ("--set", change)]
    assert main(["run", str(model), "--quiet", *arguments]) == 1
    assert "load factor" in capsys.readouterr().err
    summary = json.loads(Path("cantilever_results/summary.json").read_text())
    assert summary["converged"] is False


def test_no_convergence_before_the_first_state_leaves_a_summary(
    model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace_solve(monkeypatch, ConvergenceError("It never began."))
    assert main(["run", str(model)]) == 1
    summary = json.loads(Path("cantilever_results/summary.json").read_text())
    assert summary == {
        "analysis": "static",
        "steps": 0,
        "converged": False,
        "message": "It never began.",
    }
    monkeypatch.undo()


def test_ctrl_c_ends_with_130_and_a_summary(
    model: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    replace_solve(monkeypatch, KeyboardInterrupt())
    assert main(["run", str(model)]) == 130
    assert "stopped" in capsys.readouterr().err
    summary = json.loads(Path("cantilever_results/summary.json").read_text())
    assert summary["converged"] is False


def test_a_picture_that_cannot_be_drawn_does_not_spoil_the_run(
    model: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(*_arguments: Any, **_options: Any) -> None:
        raise ViewError("No picture can be drawn: install libegl1.")

    monkeypatch.setattr("femlie.cli.run.draw", refuse)
    assert main(["run", str(model), "--picture", "tip.png"]) == 0
    captured = capsys.readouterr()
    assert "femlie: No picture can be drawn: install libegl1." in captured.err
    assert "tip.png" not in captured.out
    assert Path("cantilever_results/results.h5").exists()
    monkeypatch.setattr("femlie.cli.look.draw", refuse)
    assert main(["view", "cantilever_results/results.h5", "--save", "x.png"]) == 0


def test_check_prints_the_summary_and_stops(
    model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", str(model)]) == 0
    lines = capsys.readouterr().out.splitlines()
    words = {line[:23].strip(): line[23:].strip() for line in lines}
    assert words["nodes"] == "9"
    assert words["length"] == "1"
    assert words["mass"] == f"{7850.0 * np.pi * 0.01**2:.6g}"
    assert words["bounding box"] == "(0, 0, 0) to (1, 0, 0)"
    assert words["redundant constraints"] == "0"
    assert words["rod"].startswith("beam, 8 elements")
    assert words["analysis"] == "static"
    assert files() == {"cantilever.toml"}


def test_info_tells_what_is_in_models_meshes_and_results(
    solved: Path, model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    assert main(["info", str(model)]) == 0
    assert "  tip                   point sensor" in capsys.readouterr().out
    assert main(["info", str(ROOT / "meshes" / "frame_msh41.msh")]) == 0
    out = capsys.readouterr().out
    assert "96" in out
    assert "load point" in out
    assert main(["info", str(solved)]) == 0
    out = capsys.readouterr().out
    assert "0 to 1" in out
    assert "point sensor" in out


def test_export_writes_tables_and_series(
    solved: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    assert main(["export", str(solved), "--csv", "tables", "--vtu", "series"]) == 0
    named = capsys.readouterr().out.splitlines()
    assert all(Path(name).is_file() for name in named)
    assert any(name.endswith(".pvd") for name in named)
    assert any(name.endswith(".csv") for name in named)


def test_a_dynamic_run_goes_on_from_its_own_checkpoint(model: Path) -> None:
    model.write_text(DYNAMIC + "checkpoint_every = 5\n")
    assert main(["run", str(model), "-o", "whole", "--quiet"]) == 0
    half = ["--set", "analysis.duration=5e-3"]
    assert main(["run", str(model), "-o", "half", "--quiet", *half]) == 0
    restart = ["--restart", "half/results.h5", "-o", "half"]
    assert main(["run", str(model), "--quiet", *restart]) == 0
    whole, again = (load_results(f"{name}/results.h5") for name in ("whole", "half"))
    np.testing.assert_array_equal(whole.times, again.times)
    np.testing.assert_array_equal(whole.positions("end"), again.positions("end"))


def test_progress_is_plain_lines_without_a_terminal(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with ProgressBar() as progress:
        for step in range(1, 101):
            progress(step / 100, f"step {step}")
    lines = capsys.readouterr().err.splitlines()
    assert 9 <= len(lines) <= 11
    assert lines[0].startswith("femlie:  10 % (step 10), about ")
    assert lines[-1].startswith("femlie: 100 %")
    with ProgressBar(is_quiet=True) as progress:
        progress(1.0, "done")
    assert capsys.readouterr().err == ""


def test_progress_is_a_bar_on_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    with ProgressBar() as progress:
        progress(0.25, "step [1] of 4")
        progress(1.0, "step 4 of 4")
    captured = capsys.readouterr()
    assert "step 4 of 4" in captured.err
    assert captured.out == ""


def test_a_summary_holds_finite_plain_numbers_only() -> None:
    given = {"a": np.float64(0.5), "b": [np.inf, (1, np.nan)], "c": np.arange(2)}
    assert finite(given) == {"a": 0.5, "b": [None, [1, None]], "c": [0, 1]}


def test_tables_have_two_columns_and_six_digits() -> None:
    assert number([1.0, 2.5]) == "(1, 2.5)"
    assert number(1 / 3) == "0.333333"
    assert number(True) == "yes"
    assert table([("mass", 2.0), ("box", {"x_low": 1.0})]).splitlines() == [
        f"{'mass':<24}2",
        "box",
        f"{'  x low':<24}1",
    ]


def test_names_that_the_terminal_cannot_show_do_not_stop_a_command(
    model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import io

    model.write_text(MODEL.replace("beam.rod", 'beam."Träger 梁"'), encoding="utf-8")
    buffer = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(buffer, encoding="ascii"))
    assert main(["check", str(model)]) == 0
    assert b"Tr\\xe4ger \\u6881" in buffer.getvalue()


@pytest.mark.skipif(not IS_COMPILED, reason="takes long without compilation")
def test_the_models_of_warmup_run(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("femlie.solvers.munthe_kaas")
    from femlie.cli.warmup import ask, models

    for file in models():
        assert file.analysis is not None
        results = file.analysis.solve(file.build())
        assert results.summary["converged"]
        ask(results)
    if os.environ.get("NUMBA_DISABLE_JIT") == "1":
        assert main(["warmup"]) == 0
        assert "switched off" in capsys.readouterr().out


def test_every_built_in_part_runs_in_the_compiled_loop() -> None:
    from femlie._jit import IS_COMPILED
    from femlie.cli.warmup import CONTACT_MODEL, MODEL, analyses, contact_models
    from femlie.input_file.reader import model_of_tree
    from femlie.input_file.words import PARTS

    in_python = {"user_element", "controller"}
    assert set(PARTS) - in_python <= {*MODEL, *CONTACT_MODEL}
    trees = [{**MODEL, "analysis": analysis} for analysis in analyses()]
    for tree in (*trees, *contact_models()):
        if tree["analysis"]["method"] != "modal":
            file = model_of_tree(tree, Path("every part"))
            summary = file.analysis.solve(file.build()).summary
            expected = "compiled" if IS_COMPILED else "interpreted"
            assert summary["loop"] == expected, tree["analysis"]["method"]


def test_the_command_imports_nothing_heavy_before_it_must() -> None:
    heavy = {"numpy", "scipy", "numba", "rich", "pandas", "pyvista", "h5py"}
    light = {"command", "screen", "errors"}
    for name in ("__init__", "command", "screen"):
        source = (ROOT / "femlie" / "cli" / f"{name}.py").read_text()
        for node in ast.parse(source).body:
            if isinstance(node, ast.Import):
                assert not {a.name.split(".")[0] for a in node.names} & heavy
            elif isinstance(node, ast.ImportFrom):
                module = node.module or ""
                assert module.split(".")[0] not in heavy
                if node.level:
                    assert module in light


def test_the_colors_offered_are_those_that_pictures_know() -> None:
    from typing import get_args

    from femlie.cli.command import COLORS
    from femlie.view import Color

    assert set(COLORS) == set(get_args(Color))


def femlie(*arguments: str, cwd: Path, **environment: str) -> Any:
    inherited = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    return subprocess.run(
        [sys.executable, "-m", "femlie", *arguments],
        cwd=cwd,
        env=inherited,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


@pytest.mark.slow
def test_the_process_ends_with_the_exit_code(model: Path, tmp_path: Path) -> None:
    plain = {"NUMBA_DISABLE_JIT": "1"}
    good = femlie("check", str(model), cwd=tmp_path, **plain)
    assert (good.returncode, good.stderr) == (0, "")
    bad = femlie("check", str(model), "--set", "x=1", cwd=tmp_path, **plain)
    assert bad.returncode == 2
    assert bad.stderr.startswith("femlie: ")
    assert "Traceback" not in bad.stderr
    version = femlie("--version", cwd=tmp_path)
    assert version.returncode == 0
    assert version.stdout.startswith("femlie ")


def comma_locales() -> list[str]:
    """Locales of this machine that write numbers with a comma."""
    try:
        listed = subprocess.run(
            ["locale", "-a"], capture_output=True, text=True, check=True
        ).stdout.split()
    except (OSError, subprocess.CalledProcessError):
        return []
    return [name for name in listed if name.lower().startswith(("de_", "tr_"))]


@pytest.mark.slow
def test_the_digits_are_the_same_under_a_comma_locale(
    model: Path, tmp_path: Path
) -> None:
    plain = {"NUMBA_DISABLE_JIT": "1"}
    expected = femlie("check", str(model), cwd=tmp_path, LC_ALL="C.UTF-8", **plain)
    assert expected.returncode == 0
    for name in [*comma_locales(), "de_DE.UTF-8", "tr_TR.UTF-8"]:
        found = femlie("check", str(model), cwd=tmp_path, LC_ALL=name, **plain)
        assert found.stdout == expected.stdout


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals differ there")
def test_ctrl_c_in_a_long_run_keeps_what_was_reached(
    model: Path, tmp_path: Path
) -> None:
    long = DYNAMIC.replace("duration = 1e-2", "duration = 100.0\noutput_every = 10")
    model.write_text(long)
    with subprocess.Popen(
        [sys.executable, "-m", "femlie", "run", str(model)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "NUMBA_DISABLE_JIT": "1"},
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        path = tmp_path / "cantilever_results" / "results.h5"
        while not path.exists() and process.poll() is None:
            pass
        process.send_signal(signal.SIGINT)
        _, messages = process.communicate(timeout=120)
    assert process.returncode == 130, messages
    assert "Traceback" not in messages
    summary = json.loads(path.with_name("summary.json").read_text())
    assert summary["converged"] is False
    load_results(path)
