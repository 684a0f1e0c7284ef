"""What a run keeps, when it stops early, and from where it may go on."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import femlie as fl

STEP = 0.01
SOLVERS = [fl.GeneralizedAlpha(), fl.MuntheKaas()]
each_solver = pytest.mark.parametrize("solver", SOLVERS, ids=lambda s: type(s).__name__)


def pendulum(
    *, mass: float = 1.0, gravity: float = 9.81, push: Any = None, **body: Any
) -> fl.Model:
    model = fl.Model()
    given = {"position": (1.0, 0.0, 0.0), "inertia": (0.1, 0.1, 0.1), **body}
    model.add(fl.Body("bob", mass=mass, **given))
    model.add(
        fl.Joint(
            "hinge",
            fl.REVOLUTE,
            parent=fl.GROUND,
            child="bob",
            axis=(0.0, 1.0, 0.0),
            position=(0.0, 0.0, 0.0),
        )
    )
    model.add(fl.Gravity("weight", acceleration=(0.0, 0.0, -gravity)))
    if push is not None:
        model.add(push)
    model.add(fl.PointSensor("place", at="bob"))
    model.add(fl.JointSensor("turn", joint="hinge"))
    return model


def swing(solver: Any, model: fl.Model | None = None, **options: Any) -> fl.Results:
    system = (pendulum() if model is None else model).build()
    return solver.solve(system, **{"duration": 0.2, "time_step": STEP, **options})


@pytest.mark.parametrize(
    ("output", "words"),
    [
        ({"every": 0}, "every .* 0"),
        ({"every": 1.5}, "whole number"),
        ({"checkpoint_every": -1}, "checkpoint_every"),
    ],
)
def test_an_output_that_means_nothing_is_refused(
    output: dict[str, Any], words: str
) -> None:
    with pytest.raises(fl.ModelError, match=words):
        fl.Output(**output)


@each_solver
def test_a_file_in_no_folder_is_refused_before_the_run(
    solver: Any, tmp_path: Path
) -> None:
    with pytest.raises(fl.ResultsError, match=r"no folder '.*nowhere'"):
        swing(solver, output=fl.Output(path=tmp_path / "nowhere" / "run.h5"))
    with pytest.raises(fl.ResultsError, match="it is a folder"):
        swing(solver, output=fl.Output(path=tmp_path))


@each_solver
def test_an_inconsistent_start_leaves_an_older_file_alone(
    solver: Any, tmp_path: Path
) -> None:
    path = tmp_path / "run.h5"
    before = swing(solver, output=fl.Output(path=path))
    astray = pendulum()
    astray.add(fl.InitialMotion("astray", velocity=(1.0, 0.0, 0.0)))
    with pytest.raises(fl.ModelError, match="hinge"):
        swing(solver, astray, output=fl.Output(path=path))
    assert fl.load_results(path).times.tolist() == before.times.tolist()


def test_statics_keep_the_last_load_step_and_know_no_checkpoints() -> None:
    mesh = fl.straight_line((0, 0, 0), (1, 0, 0), n_elements=2)
    rod = fl.CircularSection(radius=0.01, material=fl.Material(young=1e9, poisson=0.3))
    model = fl.Model(mesh)
    model.add(fl.Beam("rod", cells="line", section=rod))
    model.add(fl.Support("root", at="start"))
    model.add(fl.Force("load", at="end", force=(0.0, 0.0, -0.1)))
    system = model.build()
    result = fl.Static().solve(system, load_steps=5, output=fl.Output(every=2))
    np.testing.assert_allclose(result.times, [0.0, 0.4, 0.8, 1.0], rtol=1e-12)
    with pytest.raises(fl.ModelError, match="no checkpoints"):
        fl.Static().solve(system, output=fl.Output(checkpoint_every=5))
    with pytest.raises(fl.ResultsError, match="no folder"):
        fl.Static().solve(system, output=fl.Output(path="nowhere/run.h5"))


@each_solver
def test_a_run_ends_at_the_very_row_where_its_stop_condition_holds(solver: Any) -> None:
    every = fl.Output(every=3)
    whole = swing(solver, duration=1.0, output=every)
    heights = whole.positions("bob")[:, 2]
    first = int(np.argmax(heights < -0.2))
    stop = fl.StopWhen(sensor="place", component="z", below=-0.2)
    found = swing(solver, duration=1.0, output=every, stop=stop)
    assert found.times.tolist() == whole.times[: first + 1].tolist()
    assert found.last_state is not None
    assert found.last_state.time == found.times[-1]
    assert found.summary["stopped_early"]
    never = fl.StopWhen(sensor="place", component="z", below=-9.0)
    assert not swing(solver, stop=never).summary["stopped_early"]


def test_a_run_whose_start_meets_the_condition_has_one_row() -> None:
    stop = fl.StopWhen(sensor="place", component="x", above=0.5)
    assert swing(fl.MuntheKaas(), stop=stop).times.tolist() == [0.0]


@pytest.mark.parametrize(
    ("stop", "words"),
    [
        ({"sensor": "plase", "below": 0.0}, r"'plase'.*mean 'place'"),
        ({"sensor": "place", "below": 0.0}, r"\['x', 'y', 'z'\].*component"),
        ({"sensor": "place", "below": 0.0, "component": "w"}, "component 'w'"),
        ({"sensor": "turn", "below": 0.0, "component": "z"}, "component 'z'"),
    ],
)
def test_a_stop_that_does_not_say_what_counts_is_refused(
    stop: dict[str, Any], words: str
) -> None:
    with pytest.raises(fl.ModelError, match=words):
        swing(fl.GeneralizedAlpha(), stop=fl.StopWhen(**stop))


@each_solver
def test_a_run_that_goes_on_without_a_file_shows_the_whole_history(
    solver: Any, tmp_path: Path
) -> None:
    path = tmp_path / "run.h5"
    output = fl.Output(path=path, checkpoint_every=6)
    whole = swing(solver, duration=0.4, output=dataclasses.replace(output, path=None))
    swing(solver, duration=0.2, output=output)
    rest = swing(solver, duration=0.4, start=path)
    assert rest.times.tolist() == whole.times.tolist()
    np.testing.assert_allclose(
        rest.positions("bob"), whole.positions("bob"), rtol=0, atol=1e-10
    )


@each_solver
def test_a_restart_behind_its_end_is_refused(solver: Any, tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    swing(solver, output=fl.Output(path=path))
    with pytest.raises(fl.ModelError, match=r"reached time 0\.2 s.*at 0\.1 s"):
        swing(solver, start=path, duration=0.1)


def test_a_restart_behind_its_end_is_refused_under_error_control(
    tmp_path: Path,
) -> None:
    path, solver = tmp_path / "run.h5", fl.GeneralizedAlpha(tolerance=1e-4)
    swing(solver, output=fl.Output(path=path))
    with pytest.raises(fl.ModelError, match=r"reached time 0\.2 s"):
        swing(solver, start=path, duration=0.1)


def spin(model: fl.Model) -> fl.Model:
    model.add(fl.InitialMotion("spin", angular_velocity=(0.0, 1.0, 0.0)))
    return model


PUSH = fl.Force("push", at="bob", force=(0.0, 0.0, 1.0))
OTHERS: dict[str, tuple[Callable[[], fl.Model], str]] = {
    "another mass": (lambda: pendulum(mass=2.0), "'bob' differ"),
    "another place": (lambda: pendulum(center=(0.1, 0.0, 0.0)), "'bob' differ"),
    "another weight": (lambda: pendulum(gravity=1.6), "'weight' differ"),
    "one load more": (lambda: pendulum(push=PUSH), "'push' was not in that"),
    "another start": (lambda: spin(pendulum()), "'spin' was not in that"),
}


@pytest.mark.parametrize(("other", "words"), OTHERS.values(), ids=OTHERS)
def test_a_restart_with_another_model_names_what_differs(
    other: Callable[[], fl.Model], words: str, tmp_path: Path
) -> None:
    path = tmp_path / "run.h5"
    swing(fl.GeneralizedAlpha(), output=fl.Output(path=path))
    with pytest.raises(fl.ModelError, match=words):
        swing(fl.GeneralizedAlpha(), other(), start=path, duration=0.4)


def test_a_table_that_changes_is_another_model_and_equal_numbers_are_not(
    tmp_path: Path,
) -> None:
    path = tmp_path / "run.h5"

    def model(values: Any, force: Any = (0.0, 0.0, 1.0)) -> fl.Model:
        table = fl.Table(times=(0.0, 1.0), values=values)
        push = fl.Force("push", at="bob", force=force, over_time=table)
        return pendulum(push=push)

    swing(fl.GeneralizedAlpha(), model((0.0, 1.0)), output=fl.Output(path=path))
    with pytest.raises(fl.ModelError, match="'push' differ"):
        swing(fl.GeneralizedAlpha(), model((0.0, 2.0)), start=path, duration=0.4)
    same = model([0, 1], np.array([0, 0, 1]))
    same.add(fl.EnergySensor("a sensor changes nothing"))
    assert swing(fl.GeneralizedAlpha(), same, start=path, duration=0.4).times.size == 41


def test_parts_in_another_order_are_another_model(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    swing(fl.GeneralizedAlpha(), output=fl.Output(path=path))
    other = pendulum()
    other.parts = dict(reversed(other.parts.items()))
    with pytest.raises(fl.ModelError, match="another order"):
        swing(fl.GeneralizedAlpha(), other, start=path, duration=0.4)


@pytest.mark.parametrize(
    ("solver", "options", "words"),
    [
        (fl.MuntheKaas(), {}, "method generalized_alpha"),
        (fl.GeneralizedAlpha(spectral_radius=0.5), {}, "spectral_radius 0.9"),
        (fl.GeneralizedAlpha(), {"time_step": 0.005}, "time_step 0.01"),
        (fl.GeneralizedAlpha(tolerance=1e-3), {}, "tolerance None"),
    ],
)
def test_a_restart_with_other_settings_is_refused(
    solver: Any, options: dict[str, Any], words: str, tmp_path: Path
) -> None:
    path = tmp_path / "run.h5"
    swing(fl.GeneralizedAlpha(), output=fl.Output(path=path))
    with pytest.raises(fl.ModelError, match=words):
        swing(solver, start=path, duration=0.4, **options)


def test_a_restart_may_try_harder(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    swing(fl.GeneralizedAlpha(), output=fl.Output(path=path))
    harder = fl.GeneralizedAlpha(iteration_limit=50, residual_tolerance=1e-10)
    assert swing(harder, start=path, duration=0.4).times[-1] == pytest.approx(0.4)


def test_a_saved_file_cannot_be_gone_on_from_but_started_from(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    first = swing(fl.GeneralizedAlpha())
    first.save(path)
    with pytest.raises(fl.ModelError, match="last state"):
        swing(fl.GeneralizedAlpha(), start=path, duration=0.4)
    state = fl.load_results(path).last_state
    found = swing(fl.GeneralizedAlpha(), start=state)
    assert found.times[0] == pytest.approx(0.2)
    np.testing.assert_array_equal(found.positions("bob")[0], first.positions("bob")[-1])


def test_a_motion_starts_from_a_static_equilibrium() -> None:
    """A rod that hangs still under its weight goes on to hang still."""
    mesh = fl.straight_line((0, 0, 0), (1, 0, 0), n_elements=4)
    rubber = fl.Material(young=5e6, poisson=0.45, density=1100.0)
    model = fl.Model(mesh)
    model.add(
        fl.Beam(
            "rod",
            cells="line",
            section=fl.CircularSection(radius=0.02, material=rubber),
        )
    )
    model.add(fl.Support("root", at="start"))
    model.add(fl.Gravity("weight"))
    system = model.build()
    still = fl.Static().solve(system)
    solver = fl.GeneralizedAlpha()
    motion = solver.solve(system, duration=0.1, time_step=0.01, start=still.last_state)
    assert motion.times[0] == 0.0
    sag = np.abs(still.displacements("end")[-1]).max()
    drift = np.abs(motion.positions("end") - still.positions("end")[-1]).max()
    assert drift < 1e-6 * sag


@pytest.mark.parametrize(
    ("start", "words"), [(3.0, "start is a float"), ("other", "state of another model")]
)
def test_a_start_that_does_not_fit_is_refused(start: Any, words: str) -> None:
    if start == "other":
        model = pendulum()
        model.add(fl.Body("more", mass=1.0, inertia=(1.0, 1.0, 1.0)))
        start = model.build().state
    with pytest.raises(fl.ModelError, match=words):
        swing(fl.GeneralizedAlpha(), start=start)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"output": "run.h5"}, r"output is 'run\.h5': expected fl\.Output"),
        ({"stop": "tip"}, r"expected fl\.StopWhen"),
        ({"duration": "1 s"}, "duration is '1 s'"),
        ({"time_step": True}, "time_step is True"),
        ({"time_step": 0.0}, "time_step is 0.0"),
    ],
)
def test_arguments_of_another_kind_are_refused(
    options: dict[str, Any], words: str
) -> None:
    with pytest.raises(fl.ModelError, match=words):
        swing(fl.GeneralizedAlpha(), **options)


@pytest.mark.parametrize("solver", [*SOLVERS, fl.Static()])
def test_a_model_that_was_not_built_is_refused(solver: Any) -> None:
    options = {} if isinstance(solver, fl.Static) else {"duration": 1, "time_step": 0.1}
    with pytest.raises(fl.ModelError, match=r"given a Model.*model\.build\(\)"):
        solver.solve(pendulum(), **options)


def test_models_and_systems_are_shown_in_one_line() -> None:
    model = pendulum()
    assert repr(model) == "<Model: 3 parts, 2 sensors, without a mesh>"
    assert repr(model.build()) == "<System: 1 frames, 6 unknowns, 5 constraints>"


def test_a_misspelt_name_of_the_package_is_answered() -> None:
    with pytest.raises(AttributeError, match="Did you mean 'Static'"):
        fl.Statics  # noqa: B018
