"""Rods that fall on rods: nothing passes, runs go on, energy is booked."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import femlie as fl
from femlie.lie import se3
from femlie.solvers import contact_rows, impacts
from tests.validation import impact_models as models

SOLVER = fl.GeneralizedAlpha(spectral_radius=0.8)
STEP = 1e-3


def run(speed: float, duration: float, **options: Any) -> Any:
    system = models.falling_rods(speed=speed).build()
    return SOLVER.solve(system, duration=duration, time_step=STEP, **options)


def smallest_gap(results: Any) -> float:
    contacts = results.layout.contacts.names
    return float(min(results.contact.smallest_gap(name).min() for name in contacts))


@pytest.fixture(scope="module")
def fallen() -> Any:
    return run(0.0, 0.4)


def test_falling_rods_touch_and_never_overlap(fallen: Any) -> None:
    assert smallest_gap(fallen) > -1e-9 * models.RADIUS
    assert fallen.contact.total_size("low high").max() > 0.0


def test_energy_of_falling_rods_never_grows(fallen: Any) -> None:
    energy = fallen.energy
    total = energy.total + energy.impact_loss - energy.correction_work
    assert total.max() <= total[0] + 1e-6 * abs(total[0])
    assert np.all(np.diff(energy.impact_loss) >= -1e-9 * total[0])


def test_momentum_changes_by_weight_and_impulses_only(fallen: Any) -> None:
    """The mean of all forces since the last row is what results hold."""
    mass = np.pi * models.RADIUS**2 * 1000.0
    impulse = np.zeros(3)
    for name in fallen.layout.contacts.names:
        if name != "low high":
            impulse += fallen.contact.total(name).sum(axis=0) * STEP
    momentum = np.zeros(3)
    for name, length in (("low", 0.5), ("high", 0.4)):
        momentum += mass * length * mean_velocity(fallen, name)
    momentum[2] += mass * 0.9 * models.GRAVITY * 0.4
    assert impulse == pytest.approx(momentum, abs=2e-3 * abs(impulse[2]))


def mean_velocity(results: Any, name: str) -> Any:
    """Of all points of the axis of a rod in the last row, by differences."""
    frames = np.tile(np.eye(4), (results.positions(name).shape[1], 1, 1))
    frames[:, :3, :3] = results.rotations(name)[-1]
    frames[:, :3, 3] = results.positions(name)[-1]
    velocities = results.velocities(name, frame="body")[-1]
    places, weights = np.polynomial.legendre.leggauss(5)
    step, means = 1e-6, []
    for sign in (1.0, -1.0):
        moved = frames @ se3.exp(sign * step * velocities)
        ways = se3.log(se3.inverse(moved[:-1]) @ moved[1:])
        found = np.zeros(3)
        for x, weight in zip(0.5 + 0.5 * places, 0.5 * weights, strict=True):
            found += weight * (moved[:-1] @ se3.exp(x * ways))[:, :3, 3].mean(axis=0)
        means.append(found)
    return (means[0] - means[1]) / (2.0 * step)


@pytest.mark.parametrize("speed", [3.0, 30.0])
def test_fast_rods_are_stopped_where_a_step_is_longer_than_they_are_thick(
    speed: float,
) -> None:
    """30 m/s moves a rod by one and a half of its diameters in a step."""
    results = run(speed, 0.01)
    # behind 10 ms of free flight they would be far below
    heights = results.positions("low")[-1, :, 2]
    assert heights.mean() > -0.1
    assert smallest_gap(results) > -1e-9
    middle = results.positions("low")[:, 3, 2]
    assert middle.min() > 0.0
    is_halved = any("in halves" in words for words in results.warnings)
    assert is_halved == (speed > 10.0)


def test_restart_takes_the_same_way_to_the_last_digit(tmp_path: Path) -> None:
    output = fl.Output(path=tmp_path / "whole.h5", checkpoint_every=40, every=3)
    whole = run(0.0, 0.2, output=output)
    output = fl.Output(path=tmp_path / "part.h5", checkpoint_every=40, every=3)
    run(0.0, 0.12, output=output)
    output = fl.Output(path=tmp_path / "rest.h5", checkpoint_every=40, every=3)
    rest = run(0.0, 0.2, start=tmp_path / "part.h5", output=output)
    assert whole.contact.total_size("low high").max() > 0.0
    for name, array in whole.records._asdict().items():
        assert np.array_equal(getattr(rest.records, name), array), name


def test_run_from_a_last_state_follows_the_whole_one() -> None:
    """To the order of the step, in the midst of impacts.

    A state has no memory of the method: accelerations are found anew.
    """
    system = models.falling_rods().build()
    errors = []
    for step in (1e-3, 2.5e-4):
        whole = SOLVER.solve(system, duration=0.13, time_step=step)
        first = SOLVER.solve(system, duration=0.12, time_step=step)
        start = first.last_state
        rest = SOLVER.solve(system, duration=0.01, time_step=step, start=start)
        places = whole.records.poses[-1, :, :3] - rest.records.poses[-1, :, :3]
        errors.append(np.abs(places).max())
    assert errors[0] < 1e-3 * models.RADIUS
    assert errors[1] < 0.5 * errors[0]


def test_rows_less_often_hold_the_mean_force() -> None:
    every = run(0.0, 0.2)
    seldom = run(0.0, 0.2, output=fl.Output(every=10))
    name = "low bar1"
    expected = every.contact.total(name)[1:].reshape(-1, 10, 3).mean(axis=1)
    assert np.abs(expected).max() > 0.0
    assert seldom.contact.total(name)[1:] == pytest.approx(expected, rel=1e-9)


def test_run_that_is_broken_off_keeps_a_whole_state() -> None:
    system = models.falling_rods().build()

    def stop(done: float, text: str) -> None:  # noqa: ARG001
        if done > 0.4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as caught:
        SOLVER.solve(system, duration=0.2, time_step=STEP, progress=stop)
    results = caught.value.results  # type: ignore[attr-defined]
    assert results.times[-1] >= 0.04
    assert smallest_gap(results) > -1e-10


def test_stop_condition_ends_a_run_with_contact() -> None:
    model = models.falling_rods()
    model.add(fl.PointSensor("height", at="low_0", direction=(0.0, 0.0, 1.0)))
    stop = fl.StopWhen(sensor="height", below=0.03)
    results = SOLVER.solve(model.build(), duration=0.4, time_step=STEP, stop=stop)
    assert results.summary["stopped_early"]
    assert results.sensor("height")[-1] < 0.03


def test_error_control_with_contact_meets_its_end() -> None:
    system = models.falling_rods().build()
    solver = fl.GeneralizedAlpha(spectral_radius=0.8, tolerance=1e-4)
    results = solver.solve(system, duration=0.15, time_step=1e-3)
    assert results.times[-1] == pytest.approx(0.15, rel=1e-12)
    assert smallest_gap(results) > -1e-9


def test_search_that_looks_far_ahead_changes_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ends = []
    for skin in (0.0, 30.0):
        lists = functools.partial(contact_rows.ContactRun, skin=skin)
        with monkeypatch.context() as patch:
            patch.setattr(contact_rows, "ContactRun", lists)
            ends.append(run(0.0, 0.15).positions("high")[-1])
    assert ends[0] == pytest.approx(ends[1], abs=1e-10)


def test_run_that_is_broken_off_within_a_step_keeps_its_last_row(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls = []
    solve = impacts.solve_friction

    def breaks(*arguments: Any) -> Any:
        calls.append(1)
        if len(calls) == 20:
            raise KeyboardInterrupt
        return solve(*arguments)

    monkeypatch.setattr(impacts, "solve_friction", breaks)
    with pytest.raises(KeyboardInterrupt) as caught:
        run(0.0, 0.2)
    results = caught.value.results  # type: ignore[attr-defined]
    last = results.last_state
    if last is not None:  # compiled
        assert np.array_equal(last.poses, results.records.poses[-1])
        assert np.array_equal(last.velocities, results.records.velocities[-1])
        assert last.time == results.times[-1]


def test_overlap_at_the_start_is_said_and_undone_without_a_push() -> None:
    """A ball that begins a tenth of its radius inside a rod is at rest on it."""
    system = models.ball(0.8, height=-0.1 * models.RADIUS).build()
    results = SOLVER.solve(system, duration=0.05, time_step=STEP)
    assert any("'touch'" in words and "overlap" in words for words in results.warnings)
    heights = results.positions("ball")[1:, 2]
    assert heights == pytest.approx(np.full(heights.size, 2.0 * models.RADIUS))
    assert np.abs(results.velocities("ball")[1:, 2]).max() < 1e-9


@pytest.mark.parametrize("value", [-0.1, 1.5, float("nan")])
def test_restitution_out_of_range_is_refused_by_name(value: float) -> None:
    with pytest.raises(fl.ModelError, match=r"restitution of Contact 'touch'"):
        models.ball(value).build()


def test_quiet_steps_below_zero_are_refused() -> None:
    with pytest.raises(fl.ModelError, match="quiet_steps is -1"):
        fl.GeneralizedAlpha(quiet_steps=-1.0)


def test_ball_in_a_gap_that_is_too_narrow_gets_words() -> None:
    """Two held rods, a ball between them that is thicker than their distance."""
    model = models.ball(0.5, height=0.0)
    wedge = models.line("lid", (0.0, -1.0, 3.9 * models.RADIUS),
                        (0.0, 1.0, 3.9 * models.RADIUS), 2)  # fmt: skip
    model.mesh = fl.join_meshes(model.mesh, wedge, tolerance_ratio=None)
    model.add(fl.Beam("lid", cells="lid", section=models.round_section()))
    model.add(fl.Support("shut", at="lid"))
    model.add(fl.Contact("above", between=("tail_0", "lid")))
    with pytest.raises(fl.ConvergenceError, match=r"cannot be opened|without overlap"):
        SOLVER.solve(model.build(), duration=0.01, time_step=STEP)
