"""Methods side by side: errors, drifts, table and pictures."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import femlie as fl
from femlie.cli import main as command
from tests.property.integrators import run_interpreted
from tests.validation.dynamics import heavy_top

SPINNER = """
[body.plate]
mass = 1.0
inertia = [1.0, 2.0, 3.0]
position = [0.0, 0.0, 0.0]
[initial_motion.spin]
angular_velocity = [0.3, 1.0, 0.2]
velocity = [0.1, 0.0, 0.0]
[analysis]
method = "munthe_kaas"
duration = 1.0
time_step = 0.1
"""


@pytest.fixture(autouse=True)
def loops_are_python(monkeypatch: pytest.MonkeyPatch) -> None:
    run_interpreted(monkeypatch)


def test_rows_show_order_cost_and_drifts() -> None:
    system = heavy_top("joint", at_center=True).build()
    methods = {"RK4": fl.MuntheKaas(), "RATTLE": fl.Rattle()}
    rows = fl.compare(system, methods, (2e-3, 1e-3), duration=0.02)
    assert [(row.method, row.step) for row in rows] == [
        ("RK4", 2e-3), ("RK4", 1e-3), ("RATTLE", 2e-3), ("RATTLE", 1e-3),
    ]  # fmt: skip
    orders = [np.log2(rows[k].error / rows[k + 1].error) for k in (0, 2)]
    assert orders == pytest.approx([4.0, 2.0], abs=0.2)
    assert rows[0].steps == 10
    # four stages a step
    assert rows[0].evaluations == 40
    assert all(row.cpu_seconds > 0.0 for row in rows)
    assert rows[3].energy_drift < 1e-3
    assert max(row.place_drift for row in rows) < 1e-13
    assert max(row.velocity_drift for row in rows) < 1e-9


def test_momentum_of_a_free_body_is_what_formulas_say() -> None:
    model = fl.Model()
    model.add(fl.Body("body", position=(0, 1, 0), mass=2.0, inertia=(1.0, 2.0, 3.0)))
    model.add(
        fl.InitialMotion(
            "start", velocity=(3.0, 0, 0), angular_velocity=(0, 0, 1.0),
            about=(0.0, 1.0, 0.0),
        )
    )  # fmt: skip
    system = model.build()
    from femlie.assembly import Assembly
    from femlie.compare import momentum

    found = momentum(Assembly(system), system.state)
    # r x m v = (0, 1, 0) x (6, 0, 0) and J w
    assert found == pytest.approx([6.0, 0, 0, 0, 0, -6.0 + 3.0], abs=1e-14)


def test_method_that_fails_leaves_a_message_and_the_others_run() -> None:
    system = heavy_top("joint").build()
    rows = fl.compare(system, {"RK4": fl.MuntheKaas()}, (0.02, 1e-3), duration=0.02)
    assert "turn by more than" in rows[0].message
    assert np.isnan(rows[0].error)
    assert not rows[1].message


@pytest.mark.parametrize(
    ("methods", "steps"),
    [({}, (1e-3,)), ({"RK4": fl.MuntheKaas()}, ()), ({"RK4": None}, (2.0,))],
)
def test_nothing_to_compare_is_refused(methods: Any, steps: Any) -> None:
    with pytest.raises(fl.ModelError, match="expected"):
        fl.compare(heavy_top().build(), methods, steps, duration=1.0)


def test_command_writes_table_and_pictures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("spinner.toml").write_text(SPINNER, encoding="utf-8")
    methods = 'munthe_kaas:tableau="heun",gauss_legendre:stages=1'
    arguments = ["compare", "spinner.toml", "--methods", methods, "--steps", "0.1,0.05"]
    assert command([*arguments, "--quiet", "-o", "out"]) == 0
    with Path("out/comparison.csv").open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == 4
    assert rows[0]["method"] == 'munthe_kaas:tableau="heun"'
    errors = [float(row["error"]) for row in rows]
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.3)
    assert errors[2] / errors[3] == pytest.approx(4.0, rel=0.3)
    for name in ("convergence.png", "drifts.png"):
        assert Path("out", name).stat().st_size > 5000
    shown = capsys.readouterr().out
    assert "evaluations" in shown
    assert "comparison.csv" in shown


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (["--methods", "static", "--steps", "0.1"], "static"),
        (["--methods", "rattles", "--steps", "0.1"], "rattle"),
        (["--methods", "rattle", "--steps", "fast"], "numbers with commas"),
        (["--methods", "rattle:speed=1", "--steps", "0.1"], "speed"),
    ],
)
def test_command_refuses_what_it_does_not_know(
    changes: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("spinner.toml").write_text(SPINNER, encoding="utf-8")
    assert command(["compare", "spinner.toml", *changes]) == 2
    assert message in capsys.readouterr().err


def test_reference_by_another_method_and_one_that_fails(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "spinner.toml"
    path.write_text(SPINNER)
    options = "--methods rattle --steps 0.1 --duration 0.2 --quiet -o"
    arguments = ["compare", str(path), *options.split(), str(tmp_path / "out")]
    assert command([*arguments, "--reference", "munthe_kaas"]) == 0
    capsys.readouterr()
    few = "gauss_legendre:sweep_limit=1:stage_tolerance=1e-16"
    assert command([*arguments, "--reference", few]) == 1
    said = capsys.readouterr().err
    assert "The reference that all runs are compared with, GaussLegendre" in said
    assert "--reference METHOD" in said
