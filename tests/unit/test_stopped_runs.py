"""Runs that stop early, or look twice, lose nothing of what was computed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import femlie as fl
from femlie.solvers import _static_driver as driver
from femlie.solvers import static_run, stepping

STEEL = fl.Material(young=210e9, poisson=0.3, density=7850.0)


def body(*parts: Any) -> fl.Model:
    model = fl.Model()
    model.add(fl.Body("body", mass=1.0, inertia=(1.0, 1.0, 1.0)))
    model.add(fl.PointSensor("place", at="body"))
    for part in parts:
        model.add(part)
    return model


def late_fault(time: float, _readings: dict[str, Any]) -> tuple[float, ...]:
    if time > 0.05:
        raise ZeroDivisionError("the valve is shut")
    return (1.0, 0.0, 0.0, 0.0, 0.0, 0.0)


class Brittle:
    """An element that fails from a time on."""

    n_multipliers = 0

    def residual(self, local: Any) -> np.ndarray:
        if local.time > 0.05:
            return np.full((1, 6), np.nan)
        return np.zeros((1, 6))


FAULTS = {
    "controller": (
        fl.Controller("guard", sensors=("place",), function=late_fault, at="body"),
        r"controller 'guard' failed at time 0\.0\d+: ZeroDivisionError: the valve",
    ),
    "element": (
        fl.UserElement("rotten", at=("body",), element=Brittle()),
        r"element of 'rotten' returned a residual with numbers that are not finite",
    ),
    "load": (
        fl.Force("push", at="body", force=(1.0, 0, 0),
                 over_time=lambda t: [1.0][int(t > 0.05)]),
        r"over_time of 'push' failed at time 0\.0\d+: IndexError",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("part", "words"), FAULTS.values(), ids=FAULTS)
def test_a_function_that_fails_in_a_run_leaves_its_results(
    part: Any, words: str, tmp_path: Path
) -> None:
    file = tmp_path / "run.h5"
    with pytest.raises(fl.FunctionError, match=words) as caught:
        fl.GeneralizedAlpha().solve(
            body(part).build(), duration=1.0, time_step=0.01,
            output=fl.Output(path=file),
        )  # fmt: skip
    results = caught.value.results
    assert results.times[-1] == pytest.approx(0.05, abs=0.011)
    assert not results.summary["converged"]
    assert results.last_state is None
    kept = fl.load_results(file)
    assert np.array_equal(kept.times, results.times)
    assert any("failed" in w or "not finite" in w for w in kept.warnings)


def test_a_function_that_fails_in_a_static_run_leaves_its_results() -> None:
    model = body(
        fl.Bushing("mount", first="ground", second="body", stiffness=(1e3,) * 6),
        fl.Force("push", at="body", force=(1.0, 0, 0),
                 over_time=lambda t: [t][int(t > 0.55)]),
    )  # fmt: skip
    with pytest.raises(fl.FunctionError, match="'push' failed") as caught:
        fl.Static().solve(model.build(), load_steps=10)
    results = caught.value.results
    assert results.times == pytest.approx(np.arange(6) / 10.0)
    assert results.summary["cpu_seconds"] > 0.0


def column(load: float) -> fl.Model:
    """Slender cantilever column with a dead load on top."""
    mesh = fl.straight_line(
        (0, 0, 0), (0, 0, 1), n_elements=8, name="rod", start_name="foot",
        end_name="top",
    )  # fmt: skip
    model = fl.Model(mesh)
    section = fl.CircularSection(radius=0.01, material=STEEL)
    model.add(fl.Beam("rod", cells="rod", section=section))
    model.add(fl.Support("clamp", at="foot"))
    model.add(fl.Force("weight", at="top", force=(0.0, 0.0, -load)))
    return model


def euler_load() -> float:
    return float(np.pi**2 / 4.0 * 210e9 * np.pi / 4.0 * 0.01**4)


def test_an_unstable_equilibrium_is_kept_where_shorter_steps_fail(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    march = static_run.StaticRun.march
    runs = []

    def march_once(self: Any, *arguments: Any, **options: Any) -> None:
        runs.append(self)
        if len(runs) > 1:
            raise fl.ConvergenceError("no way")
        march(self, *arguments, **options)

    monkeypatch.setattr(static_run.StaticRun, "march", march_once)
    results = fl.Static().solve(column(1.5 * euler_load()).build())
    assert len(runs) == 2
    assert results.summary["converged"]
    assert any("unstable" in warning for warning in results.warnings)


def test_all_iterations_of_both_ways_count() -> None:
    system = column(1.5 * euler_load()).build()
    once = fl.Static(checks_stability=False).solve(system).summary["iterations"]
    twice = fl.Static().solve(system)
    assert any("unstable" in warning for warning in twice.warnings)
    assert twice.summary["iterations"] > once
    # a limit that one way needs nearly all of does not stop the other one
    limited = fl.Static(iteration_limit=once + 1).solve(system)
    assert limited.summary["converged"]


@pytest.mark.parametrize("n", [3, 7, 10])
def test_equal_load_steps_are_all_reached_where_some_are_cut(n: int) -> None:
    mesh = fl.straight_line((0, 0, 0), (1, 0, 0), n_elements=8, name="rod")
    model = fl.Model(mesh)
    section = fl.CircularSection(radius=0.01, material=STEEL)
    model.add(fl.Beam("rod", cells="rod", section=section))
    model.add(fl.Support("clamp", at="start"))
    model.add(fl.Force("push", at="end", force=(0.0, 0.0, 6e4)))
    system = model.build()

    results = fl.Static().solve(system, load_steps=n)
    for factor in np.arange(n + 1) / n:
        assert np.abs(results.times - factor).min() < 1e-12


def test_factors_return_to_the_marks_after_a_cut() -> None:
    values = np.zeros(6)
    settings = np.array([1e-10, 100.0, 0.2])
    values[driver.FACTOR], values[driver.LOAD_STEP] = 0.2, 0.05
    reached = []
    while values[driver.FACTOR] < 1.0:
        factor = driver.next_factor(values, settings)
        reached.append(float(factor))
        values[driver.FACTOR] = factor
        values[driver.LOAD_STEP] *= 2.0
    assert reached[-1] == 1.0
    for mark in (0.4, 0.6, 0.8):
        assert min(abs(x - mark) for x in reached) < 1e-15


def test_signals_are_those_of_the_state_where_a_step_was_refused() -> None:
    model = body(
        fl.Force("push", at="body", force=(1.0, 0, 0), over_time=lambda t: 3.0 * t),
        fl.InitialMotion("spin", angular_velocity=(0.0, 0.0, 1.0)),
        fl.Force("twist", at="body", moment=(0, 0, 1e4), over_time=lambda t: t**2),
    )
    seen = []
    fail = stepping.Stepping.fail

    def look(self: Any, method: Any, code: int) -> None:
        try:
            fail(self, method, code)
        finally:
            seen.append((self.motion.time[0], self.motion.signals[1, 0]))

    patch = pytest.MonkeyPatch()
    with patch.context() as context:
        context.setattr(stepping.Stepping, "fail", look)
        with pytest.raises(fl.ConvergenceError, match="would turn"):
            fl.GeneralizedAlpha().solve(model.build(), duration=10.0, time_step=0.1)
    time, signal = seen[0]
    assert signal == pytest.approx(3.0 * time)
