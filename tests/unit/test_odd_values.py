"""Arrays without entries or axes, integers without end and short floats."""

from __future__ import annotations

import dataclasses
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import femlie as fl

STEEL = fl.Material(young=2e11, poisson=0.3, density=7800.0)
ROUND = fl.CircularSection(radius=0.01, material=STEEL)
LONG = 10**400
ALONE = np.array(2.0)  # without an axis
EMPTY = np.array([])
SEVERAL = np.ones(3)


def built(*parts: Any) -> fl.System:
    model = fl.Model(fl.straight_line((0, 0, 0), (1, 0, 0), n_elements=2))
    model.add(fl.Beam("rod", cells="line", section=ROUND))
    model.add(fl.Support("clamp", at="start"))
    for part in parts:
        model.add(part)
    return model.build()


PARTS = {
    "force": fl.Force("push", at="end", force=(1, 0, 0)),
    "gravity": fl.Gravity("weight"),
    "motion": fl.InitialMotion("start", velocity=(0, 0, 1)),
    "support": fl.Support("other", at="end", kind=fl.CUSTOM, held=(True,) * 6),
    "joint": fl.Joint("hinge", fl.REVOLUTE, parent=fl.GROUND, child="end"),
    "table": fl.Force(
        "push", "end", force=(1, 0, 0), over_time=fl.Table(times=(0, 1), values=(0, 1))
    ),
}


@pytest.mark.parametrize(
    ("part", "field", "value"),
    [
        ("force", "force", ALONE),
        ("gravity", "acceleration", ALONE),
        ("gravity", "on", EMPTY),
        ("motion", "on", EMPTY),
        ("support", "held", (SEVERAL, 1, 2, 3, 4, 5)),
        ("support", "axis", ALONE),
        ("joint", "axis", ALONE),
        ("joint", "motor", EMPTY),
        ("joint", "spring", EMPTY),
        ("joint", "stop", ALONE),
        ("table", "over_time", fl.Table(times=b"01", values=(0, 1))),
        ("table", "over_time", fl.Table(times=ALONE, values=(0, 1))),
    ],
)
def test_fields_of_parts_refuse_them_by_name(part: str, field: str, value: Any) -> None:
    word = "times" if field == "over_time" else field
    with pytest.raises(fl.ModelError, match=f"^{word} of "):
        built(dataclasses.replace(PARTS[part], **{field: value}))


@pytest.mark.parametrize(
    "make",
    [
        lambda: fl.CircularSection(radius=0.1, material=STEEL, offset=ALONE),
        lambda: fl.CircularSection(radius=0.1, material=STEEL, damping=LONG),
        lambda: fl.GeneralSection(stiffness=LONG),
        lambda: fl.GeneralSection(stiffness=np.eye(6), outline=ALONE),
        lambda: fl.StationTable(stations=ALONE, sections=(ROUND, ROUND)),
        lambda: built(fl.PointSensor("at", at="end", quantity=SEVERAL)),
        lambda: built(fl.PointSensor("at", at="end", frame=SEVERAL)),
        lambda: built(
            fl.RelativeSensor("way", first="end", second="start", quantity=EMPTY)
        ),
        lambda: built(fl.ReactionSensor("hold", part="clamp", moment=SEVERAL)),
        lambda: fl.EnergySensor("work", energy=SEVERAL),
        lambda: fl.SectionForceSensor(
            "pull", beam="rod", component=fl.SectionForce.AXIAL_FORCE, at=LONG
        ),
        lambda: fl.GeneralizedAlpha(cut=ALONE),
        lambda: fl.straight_line(LONG, (1, 0, 0), n_elements=2),
        lambda: fl.mesh_from_arrays(LONG, [[0, 1]]),
        lambda: fl.mesh_from_curve(LONG, n_elements=2, name="arc"),
    ],
)
def test_other_things_refuse_them(make: Any) -> None:
    with pytest.raises(fl.FemlieError):
        make()


def test_an_empty_array_cuts_no_joint() -> None:
    assert len(fl.GeneralizedAlpha(cut=EMPTY).cut) == 0


@pytest.mark.parametrize("times", [LONG, [[0.0, 1.0], [1.0]], [[0.0, 0.0]]])
def test_times_of_results_refuse_them(times: Any) -> None:
    model = fl.Model()
    model.add(fl.Body("block", mass=1.0, inertia=(1.0, 1.0, 1.0)))
    results = fl.MuntheKaas().solve(model.build(), duration=1.0, time_step=0.5)
    with pytest.raises(fl.ResultsError):
        results.between(times)
    with pytest.raises(fl.ResultsError):
        results.at(times)


@pytest.mark.parametrize("kind", [np.float16, np.float32])
def test_short_floats_are_numbers_like_others(kind: Any) -> None:
    """Limits that do not fit into them give no warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        small = kind(0.125)
        material = fl.Material(young=kind(1e4), poisson=small, density=kind(100.0))
        fl.RectangularSection(height=small, width=small, material=material)
        fl.GeneralSection(stiffness=np.eye(6, dtype=kind))
        fl.box(np.ones(3, dtype=kind), density=small)
        built(
            fl.Force("push", at="end", force=np.ones(3, dtype=kind)),
            fl.Body("bob", at="end", mass=small, inertia=np.ones(3, dtype=kind)),
        )


def test_a_range_of_values_stands_in_a_model_file(tmp_path: Path) -> None:
    model = fl.Model(fl.straight_line((0, 0, 0), (1, 0, 0), n_elements=2))
    model.add(fl.Beam("rod", cells="line", section=ROUND))
    model.add(fl.Support("clamp", at="start"))
    ramp = fl.Table(times=np.linspace(0, 1, 3), values=range(3))
    model.add(fl.Force("push", at="end", force=(1, 0, 0), over_time=ramp))
    fl.write_model(model, None, tmp_path / "model.toml")
    text = (tmp_path / "model.toml").read_text()
    assert "times = [0.0, 0.5, 1.0], values = [0, 1, 2]" in text
