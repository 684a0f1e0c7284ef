"""Curves through the tables of prescribed motions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.interpolate import PPoly

import femlie as fl
from femlie.build.signals import SignalTable

DWELL = {"times": (0.0, 0.2, 0.8, 1.0), "values": (0.0, 1.0, 1.0, 0.0)}
# symmetric: continuous second derivatives at 0.2 ask for 20 m - 150 = -m / 0.3 of the
# slope m there, and in the middle the curve is 0.6 m / 4 above its ends
SWING = 0.25 * 0.6 * 150.0 / (20.0 + 1.0 / 0.3)


def curve_of(table: fl.Table) -> tuple[PPoly, list[str]]:
    signals = SignalTable()
    number = signals.number(table, part="press", is_motion=True)
    found = signals.finish()
    _, start, pieces = found.table[number]
    times = found.data[start : start + pieces + 1]
    data = found.data[start + pieces + 1 :].reshape(pieces, 4)
    return PPoly(data.T, times), signals.warnings


def test_spline_swings_between_equal_values_and_says_so() -> None:
    curve, warnings = curve_of(fl.Table(**DWELL))
    assert float(curve(0.5)) == pytest.approx(1.0 + SWING, rel=1e-12)
    (words,) = warnings
    for part in ("'press'", f"{100.0 * SWING:.0f} %", "0.2 and 0.8", "monotone"):
        assert part in words


def test_monotone_motion_keeps_what_stays() -> None:
    curve, warnings = curve_of(fl.Table(**DWELL, interpolation=fl.MONOTONE))
    assert not warnings
    np.testing.assert_allclose(curve(np.linspace(0.2, 0.8, 50)), 1.0, atol=1e-14)
    rise = curve(np.linspace(0.0, 0.2, 50))
    assert np.all(np.diff(rise) >= 0.0)
    assert rise.min() >= 0.0
    assert rise.max() <= 1.0 + 1e-14
    np.testing.assert_allclose(curve.derivative()([0.0, 1.0]), 0.0, atol=1e-12)


@pytest.mark.parametrize("kind", [None, fl.Interpolation.SMOOTH, fl.MONOTONE])
def test_end_rates_make_constant_speed(kind: fl.Interpolation | None) -> None:
    table = fl.Table(
        times=(0.0, 1.0, 3.0),
        values=(0.0, 2.0, 6.0),
        interpolation=kind,
        end_rates=(2.0, 2.0),
    )
    curve, warnings = curve_of(table)
    times = np.linspace(0.0, 3.0, 20)
    np.testing.assert_allclose(curve(times), 2.0 * times, atol=1e-14)
    assert not warnings


def test_points_along_a_sine_say_nothing() -> None:
    times = np.linspace(0.0, 1.0, 9)
    values = np.sin(2.0 * np.pi * (times - 0.0625))
    _, warnings = curve_of(fl.Table(times=tuple(times), values=tuple(values)))
    assert not warnings


def test_support_that_waits_stays_where_it_is(tmp_path: Path) -> None:
    """A rod pushed by a support to -0.01, held, and taken back, from a file."""
    path = tmp_path / "press.toml"
    path.write_text("""
mesh = { line = { start = [0, 0, 0], end = [1, 0, 0], n_elements = 2 } }
material.steel = { young = 2e11, poisson = 0.3, density = 7800 }
section.round = { shape = "circle", radius = 0.01, material = "steel" }
beam.rod = { cells = "line", section = "round" }
support.root = { at = "start" }
[support.head]
at = "end"
displacement = [0, 0, -0.01]
[support.head.over_time]
times = [0, 0.2, 0.8, 1]
values = [0, 1, 1, 0]
interpolation = "monotone"
[analysis]
method = "static"
load_steps = 20
""")
    file = fl.read_model(path)
    results: Any = file.analysis.solve(file.model.build())
    tip = results.displacements("end")[:, 2]
    waits = (results.times >= 0.2) & (results.times <= 0.8)
    assert waits.sum() > 5
    np.testing.assert_allclose(tip[waits], -0.01, rtol=1e-12)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"end_rates": (1.0,)}, ["end_rates", "'press'", "two numbers"]),
        ({"end_rates": (0.0, np.nan)}, ["end_rates", "'press'", "nan"]),
        ({"interpolation": fl.LINEAR}, ["'press'", "linear", "monotone"]),
    ],
)
def test_wrong_tables_are_refused(more: dict[str, Any], words: list[str]) -> None:
    with pytest.raises(fl.ModelError) as caught:
        curve_of(fl.Table(**DWELL, **more))
    for word in words:
        assert word in str(caught.value)


def test_rates_of_a_linear_load_are_refused() -> None:
    table = fl.Table(**DWELL, interpolation=fl.LINEAR, end_rates=(1.0, 0.0))
    with pytest.raises(fl.ModelError, match="'push' is linear and has end_rates"):
        SignalTable().number(table, part="push")
