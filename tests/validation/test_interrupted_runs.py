"""Runs that are killed, interrupted and continued: nothing is lost, nothing differs.

A flexible rod is turned by a motor through several turns; a flail at its end strikes a
stop. The joints carry their counted angles, the method its accelerations and energies.
"""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import femlie as fl
from femlie.records import Records
from tests.validation.dynamics import section

N_STEPS, STEP, EVERY = 1000, 2e-3, 100
CHILD = """
import os, signal, sys
from tests.validation.test_interrupted_runs import run

def kill_behind_600(fraction, text):
    if fraction >= 0.6:
        os.kill(os.getpid(), signal.SIGKILL)

run(sys.argv[1], every=int(sys.argv[2]), progress=kill_behind_600)
"""


def flail() -> fl.Model:
    mesh = fl.straight_line(
        (0, 0, 0), (1, 0, 0), n_elements=4, name="line", start_name="root",
        end_name="tip",
    )  # fmt: skip
    model = fl.Model(mesh)
    stiffness = (1e5, 1e5, 1e5, 50.0, 50.0, 50.0)
    model.add(
        fl.Beam(
            "rod", cells="line", section=section(stiffness, 1.0, (2e-3, 1e-3, 1e-3))
        )
    )
    model.add(
        fl.Joint(
            "drive",
            fl.REVOLUTE,
            parent=fl.GROUND,
            child="root",
            motor=fl.Motor(torque=20.0),
        )
    )
    model.add(fl.Body("flail", position=(1.3, 0, 0), mass=0.5, inertia=(1e-2,) * 3))
    model.add(
        fl.Joint(
            "hinge",
            fl.REVOLUTE,
            parent="tip",
            child="flail",
            position="tip",
            stop=fl.Stop(lower=-0.3, upper=0.3, stiffness=500.0, damping=0.1),
        )
    )
    model.add(fl.Gravity("weight", acceleration=(0.0, -9.81, 0.0)))
    model.add(fl.JointSensor("turn", joint="drive"))
    return model


def run(
    path: str | Path | None, *, n_steps: int = N_STEPS, every: int = 1, **options
) -> fl.Results:
    return fl.GeneralizedAlpha().solve(
        flail().build(),
        duration=n_steps * STEP,
        time_step=STEP,
        output=fl.Output(every=every, path=path, checkpoint_every=EVERY),
        **options,
    )


def assert_same(found: Records, expected: Records) -> None:
    for name in Records._fields:
        one, other = getattr(found, name), getattr(expected, name)
        assert one.tobytes() == other.tobytes(), f"{name} differs"


@pytest.fixture(scope="module", params=[1, 7], ids=["every row", "every seventh row"])
def every(request: pytest.FixtureRequest) -> int:
    return request.param


@pytest.fixture(scope="module")
def whole(every: int, tmp_path_factory: pytest.TempPathFactory) -> fl.Results:
    path = tmp_path_factory.mktemp("whole") / "run.h5"
    return run(path, every=every)


@pytest.fixture(scope="module")
def killed(every: int, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """File of a run whose process was killed behind step 600."""
    path = tmp_path_factory.mktemp("killed") / "run.h5"
    repository = Path(__file__).resolve().parents[2]
    done = subprocess.run(
        [sys.executable, "-c", CHILD, str(path), str(every)],
        cwd=repository,
        check=False,
    )
    assert done.returncode == -signal.SIGKILL
    return path


def test_model_turns_further_than_half_a_turn_and_strikes_its_stop(
    whole: fl.Results,
) -> None:
    assert np.abs(whole.joint_coordinate("drive")).max() > 2.0 * np.pi
    assert np.abs(whole.joint_coordinate("hinge")).max() > 0.3


def test_file_of_a_killed_run_holds_the_rows_up_to_the_last_flush(
    killed: Path, whole: fl.Results
) -> None:
    found = fl.load_results(killed)
    n = len(found.times)
    # a checkpoint is due at least every 100 steps, and the kill came behind step 600
    assert found.times[-1] >= 500 * STEP - 1e-9
    assert_same(found.records, Records(*(array[:n] for array in whole.records)))
    assert "did not end regularly" in " ".join(found.warnings)


def test_restart_of_a_killed_run_is_the_unbroken_run(
    killed: Path, whole: fl.Results, every: int
) -> None:
    result = run(killed, every=every, start=killed)
    assert_same(result.records, whole.records)
    assert_same(fl.load_results(killed).records, whole.records)


def test_run_without_a_file_is_the_same_run(whole: fl.Results, every: int) -> None:
    assert_same(run(None, every=every).records, whole.records)


def test_restart_of_a_finished_run_goes_on(
    whole: fl.Results, every: int, tmp_path: Path
) -> None:
    path = tmp_path / "run.h5"
    run(path, n_steps=500, every=every)
    result = run(path, every=every, start=path)
    assert_same(result.records, whole.records)


def test_restart_of_a_run_that_is_complete_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    first = run(path, n_steps=200)
    again = run(path, n_steps=200, start=path)
    assert_same(again.records, first.records)


def test_restart_of_a_complete_run_into_another_file_shows_what_was_there(
    tmp_path: Path,
) -> None:
    first = run(tmp_path / "first.h5", n_steps=200)
    again = run(tmp_path / "second.h5", n_steps=200, start=tmp_path / "first.h5")
    assert_same(again.records, first.records)


def test_restart_under_error_control_goes_on_to_the_new_end(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    system = flail().build()
    solver = fl.GeneralizedAlpha(tolerance=1e-5)
    output = fl.Output(checkpoint_every=20, path=path)
    options = {"time_step": STEP, "output": output}
    solver.solve(system, duration=0.2, **options)
    result = solver.solve(system, duration=0.3, start=path, **options)
    assert result.times[-1] == pytest.approx(0.3, abs=1e-12)
    assert np.all(np.diff(result.times) > 0.0)


def test_restart_into_another_file_or_none_holds_the_whole_history(
    tmp_path: Path,
) -> None:
    first, second = tmp_path / "first.h5", tmp_path / "second.h5"
    before = run(first, n_steps=200, every=7)
    unbroken = run(None, n_steps=300, every=7)
    result = run(second, n_steps=300, every=7, start=first)
    assert_same(result.records, unbroken.records)
    assert_same(fl.load_results(second).records, unbroken.records)
    assert_same(run(None, n_steps=300, every=7, start=first).records, unbroken.records)
    assert_same(fl.load_results(first).records, before.records)


def test_rows_come_as_often_as_asked_whatever_the_checkpoints(tmp_path: Path) -> None:
    found = run(tmp_path / "run.h5", n_steps=250, every=7)
    steps = [*range(0, 250, 7), 250]
    np.testing.assert_allclose(found.times, np.array(steps) * STEP, rtol=1e-12)


def test_interrupt_from_the_keyboard_saves_what_was_reached(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"

    def press(fraction: float, _: str) -> None:
        if fraction >= 0.6:
            signal.raise_signal(signal.SIGINT)

    # whoever runs the tests in the background may have told us to ignore the keyboard
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            run(path, progress=press)
    finally:
        signal.signal(signal.SIGINT, before)
    found = fl.load_results(path)
    assert found.times[-1] >= 600 * STEP - 1e-9
    assert "Interrupted by the user." in found.warnings
    assert not found.summary["converged"]


def test_restart_with_another_step_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    run(path, n_steps=200)
    with pytest.raises(fl.FemlieError, match="step"):
        fl.GeneralizedAlpha().solve(
            flail().build(),
            duration=1.0,
            time_step=STEP / 2.0,
            start=path,
        )


def test_restart_of_another_model_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    run(path, n_steps=200)
    other = flail()
    other.add(fl.PointMass("more", at="tip", mass=1.0))
    other.add(fl.Body("stranger", position=(5.0, 0, 0), mass=1.0, inertia=(1.0,) * 3))
    with pytest.raises(fl.FemlieError, match="another model"):
        fl.GeneralizedAlpha().solve(
            other.build(), duration=1.0, time_step=STEP, start=path
        )
