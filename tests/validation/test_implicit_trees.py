"""Implicit methods, and error control, in the coordinates of a tree's joints."""

from __future__ import annotations

import dataclasses
import itertools
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.special import ellipk

import femlie as fl
from femlie._jit import IS_COMPILED
from femlie.linear._frozen_factors import frozen_factors
from femlie.solvers import alpha_run
from femlie.solvers.schedule import Schedule
from femlie.solvers.stepping import Stepping
from tests.property.tree_models import MODELS
from tests.validation import tree_cases as cases
from tests.validation.dynamics import fitted_order, reference
from tests.validation.test_integrator_faults import slider_crank

slow_without_compiling = pytest.mark.skipif(
    not IS_COMPILED, reason="takes minutes without compilation"
)
TREE_ALPHA = fl.GeneralizedAlpha(formulation=fl.TREE)
NEWTON = fl.StageIteration.NEWTON
FIXED_POINT = fl.StageIteration.FIXED_POINT


def stiff_tree() -> fl.Model:
    """Links on a beam, with stiff springs in and between joints, and a stop."""
    mesh = fl.straight_line(
        (0, 0, 0), (0.6, 0, 0), n_elements=3, name="rod", start_name="root",
        end_name="tip",
    )  # fmt: skip
    steel = fl.Material(young=210e9, poisson=0.3, density=7850.0)
    model = fl.Model(mesh)
    section = fl.CircularSection(radius=0.005, material=steel)
    model.add(fl.Beam("rod", cells="rod", section=section))
    for i, name in enumerate(("upper", "lower")):
        model.add(
            fl.Body(
                name, position=(0.6, 0.0, -0.1 - 0.2 * i), mass=0.3,
                inertia=(1e-3, 1e-3, 1e-4),
            )
        )  # fmt: skip
    model.add(
        fl.Joint(
            "shoulder", fl.REVOLUTE, parent=fl.GROUND, child="root", axis=(0, 1, 0),
            spring=fl.JointSpring(stiffness=100.0, damping=0.02),
        )
    )  # fmt: skip
    model.add(
        fl.Joint(
            "elbow", fl.UNIVERSAL, parent="tip", child="upper", axis=(0, 1, 0),
            second_axis=(1, 0, 0), position=(0.6, 0.0, 0.0),
        )
    )  # fmt: skip
    model.add(
        fl.Joint(
            "wrist", fl.REVOLUTE, parent="upper", child="lower", axis=(0, 1, 0),
            position=(0.6, 0.0, -0.2),
            spring=fl.JointSpring(stiffness=2e3, damping=0.05),
            stop=fl.Stop(lower=-0.01, upper=0.01, stiffness=1e4),
        )
    )  # fmt: skip
    model.add(
        fl.SpringDamper("tie", "root", "lower", stiffness=1e4, damping=2.0, length=0.6)
    )
    model.add(fl.Gravity("weight", acceleration=(0.0, 3.0, -9.81)))
    return model


def crank_with_a_stop() -> fl.Model:
    """Flexible slider-crank with a loop, a redundant hinge and a stop."""
    model = slider_crank()
    guide = model.parts["guide"]
    stop = fl.Stop(lower=-2e-3, stiffness=5e3, damping=0.1)
    model.parts["guide"] = dataclasses.replace(guide, stop=stop)
    return model


TREES = {**MODELS, "stiff_tree": stiff_tree, "crank_with_a_stop": crank_with_a_stop}


@slow_without_compiling
@pytest.mark.parametrize("name", TREES)
def test_refined_motions_agree_with_the_absolute_form(name: str) -> None:
    system = TREES[name]().build()
    # undamped stiff modes of the steel rod are never resolved
    is_stiff = name == "stiff_tree"
    for kind, step, options in (
        (fl.GeneralizedAlpha, 1e-5, {"residual_tolerance": 1e-11}),
        (fl.GaussLegendre, 1.25e-4 if is_stiff else 2.5e-4, {"stages": 3}),
    ):
        first, second = (
            kind(formulation=form, projects_start=True, **options).solve(
                system, duration=0.05, time_step=step, output=fl.Output(every=1000)
            )
            for form in fl.Formulation
        )
        assert second.summary["constraint_error"] < 1e-13
        places = [r.records.poses[-1, :, :3] for r in (first, second)]
        np.testing.assert_allclose(*places, rtol=0, atol=1e-8)
        if not is_stiff:
            speeds = [r.records.velocities[-1] for r in (first, second)]
            size = max(1.0, float(np.abs(speeds[0]).max()))
            np.testing.assert_allclose(*speeds, rtol=0, atol=3e-8 * size)


@slow_without_compiling
@pytest.mark.parametrize(
    "solver",
    [
        fl.MuntheKaas(),
        fl.GaussLegendre(),
        fl.GeneralizedAlpha(residual_tolerance=1e-10),
    ],
    ids=lambda solver: type(solver).__name__,
)
def test_flexible_slider_crank_meets_its_stop_in_both_forms(solver: Any) -> None:
    system = crank_with_a_stop().build()
    assert system.n_redundant >= 5
    step = 2e-5 if isinstance(solver, fl.GeneralizedAlpha) else 5e-5
    runs = [
        dataclasses.replace(solver, formulation=form).solve(
            system, duration=0.12, time_step=step, output=fl.Output(every=40)
        )
        for form in fl.Formulation
    ]
    for run in runs:
        # well into the buffer, and no further
        place = run.joint_coordinate("guide")
        assert -9e-3 < place.min() < -7e-3
        assert place[-1] > place.min()
        assert run.summary["constraint_error"] < 1e-12
    first, second = (r.records.poses[..., :3] for r in runs)
    assert np.abs(first - second).max() < 1e-7
    # across the plane of motion the loop shares forces as it likes
    bearings = [
        (r.reactions("front bearing") + r.reactions("back bearing"))[:, [0, 2]]
        for r in runs
    ]
    size = float(np.abs(bearings[0]).max())
    np.testing.assert_allclose(*bearings, rtol=0, atol=1e-4 * size)


@cache
def exact(name: str) -> Any:
    """Places and velocities after 0.2 s, by another method in the absolute form."""
    results = fl.GaussLegendre(stages=3, projects_start=True).solve(
        MODELS[name]().build(), duration=0.2, time_step=1e-3
    )
    return results.records.poses[-1], results.records.velocities[-1]


@slow_without_compiling
@pytest.mark.parametrize("name", ["mixed_chain", "spatial_four_bar", "driven_joints"])
@pytest.mark.parametrize("radius", [0.6, 1.0])
def test_generalized_alpha_has_order_two(name: str, radius: float) -> None:
    system = MODELS[name]().build()
    steps, errors = (4e-3, 2e-3, 1e-3), []
    for step in steps:
        solver = dataclasses.replace(
            TREE_ALPHA, spectral_radius=radius, residual_tolerance=1e-12,
            projects_start=True,
        )  # fmt: skip
        results = solver.solve(system, duration=0.2, time_step=step)
        poses, velocities = exact(name)
        away = results.records.poses[-1, :, :3] - poses[:, :3]
        slip = results.records.velocities[-1] - velocities
        errors.append(float(np.abs(away).max() + np.abs(slip).max()))
    assert fitted_order(steps, errors) == pytest.approx(2.0, abs=0.1)


@slow_without_compiling
@pytest.mark.parametrize("name", ["mixed_chain", "spatial_four_bar"])
@pytest.mark.parametrize(
    ("stages", "steps"), [(1, (8e-3, 4e-3)), (2, (0.04, 0.02)), (3, (0.1, 0.05))]
)
def test_stages_by_newton_have_their_order(
    name: str, stages: int, steps: tuple[float, ...]
) -> None:
    system = MODELS[name]().build()
    errors = []
    for step in steps:
        results = fl.GaussLegendre(
            stages=stages, formulation=fl.TREE, projects_start=True
        ).solve(system, duration=0.2, time_step=step)
        away = results.records.poses[-1, :, :3] - exact(name)[0][:, :3]
        errors.append(float(np.abs(away).max()))
    assert fitted_order(steps, errors) == pytest.approx(2 * stages, abs=0.4)


def residuals(name: str, time_step: float, **options: Any) -> list[float]:
    """Relative residuals of all iterations of the fourth step."""
    solver = dataclasses.replace(
        TREE_ALPHA, residual_tolerance=1e-15, projects_start=True, **options
    )
    stepping = Stepping(
        TREES[name]().build(),
        Schedule(duration=1.0, time_step=time_step),
        name="generalized_alpha",
        settings=solver,
        compiles_ahead=False,
    )
    method = alpha_run.RunOnTree(solver, stepping)
    stepping.begin(method)
    stepping.advance(method, 4)
    count = int(method.memory.counts[alpha_run.driver.N_LOG])
    return [float(size) for size in method.run.work.log[:count]]


@pytest.mark.parametrize(
    ("name", "step", "options"),
    [
        ("mixed_chain", 0.05, {}),
        ("laws_in_joints", 0.05, {}),
        ("floating_branches", 0.02, {}),
        ("stiff_tree", 1e-3, {}),
        ("spatial_four_bar", 0.05, {"is_stabilized": False}),
        ("propped_beam", 2e-3, {"is_stabilized": False}),
    ],
)
def test_newton_contracts_quadratically(
    name: str, step: float, options: dict[str, Any]
) -> None:
    sizes = [size for size in residuals(name, step, **options) if size > 1e-14]
    assert len(sizes) <= 4
    # near the solution each is at most a multiple of the square of the one before
    for before, after in itertools.pairwise(sizes[1:]):
        assert after < 100.0 * before**2


def entries(n: int) -> int:
    """Entries of the factors of a chain of ball joints."""
    solver = dataclasses.replace(TREE_ALPHA, residual_tolerance=1e-9)
    stepping = Stepping(
        cases.pendulum(n, 0.1).build(),
        Schedule(duration=1.0, time_step=0.01),
        name="generalized_alpha",
        settings=solver,
        compiles_ahead=False,
    )
    method = alpha_run.RunOnTree(solver, stepping)
    stepping.begin(method)
    method.first_pivots()
    factors = frozen_factors(stepping.factorization)
    return int(factors.lower_rows.size + factors.upper_rows.size)


def test_factors_grow_in_proportion_to_the_bodies() -> None:
    sizes = (16, 64, 256, 1024) if IS_COMPILED else (4, 8, 16)
    found = [entries(n) for n in sizes]
    first = (found[1] - found[0]) / (sizes[1] - sizes[0])
    last = (found[-1] - found[-2]) / (sizes[-1] - sizes[-2])
    assert last == first


@slow_without_compiling
def test_chain_of_64_keeps_its_energy_by_newton() -> None:
    # for 10 s, by the fixed-point form, in test_trees
    by_newton = fl.GaussLegendre(stages=3, formulation=fl.TREE, iteration=NEWTON)
    results = by_newton.solve(
        cases.pendulum(64, 0.1).build(),
        duration=1.0,
        time_step=0.01,
        output=fl.Output(every=10),
    )
    assert cases.energy_change(results) < 1e-10


@slow_without_compiling
def test_stages_of_a_soft_tree_do_without_newton() -> None:
    system = cases.pendulum(8, 0.1).build()
    settings = {"duration": 0.5, "time_step": 0.01}
    motions = [
        fl.GaussLegendre(formulation=fl.TREE, iteration=iteration).solve(
            system, **settings
        )
        for iteration in (None, FIXED_POINT, NEWTON)
    ]
    by_itself, by_sweeps, by_newton = (motion.records.poses for motion in motions)
    np.testing.assert_array_equal(by_itself, by_sweeps)
    np.testing.assert_allclose(by_itself, by_newton, rtol=0, atol=1e-13)


@slow_without_compiling
def test_stages_of_a_stiff_tree_need_newton() -> None:
    system = stiff_tree().build()
    settings = {"duration": 0.02, "time_step": 5e-4}
    motion = fl.GaussLegendre(formulation=fl.TREE).solve(system, **settings)
    by_newton = fl.GaussLegendre(formulation=fl.TREE, iteration=NEWTON)
    reference = by_newton.solve(system, **settings)
    # each step begins with sweeps that it gives up
    np.testing.assert_array_equal(motion.records.poses, reference.records.poses)
    assert motion.summary["iterations"] > reference.summary["iterations"]
    by_sweeps = fl.GaussLegendre(formulation=fl.TREE, iteration=FIXED_POINT)
    with pytest.raises(fl.ConvergenceError, match="Use a smaller time step"):
        by_sweeps.solve(system, **settings)


@slow_without_compiling
@pytest.mark.parametrize(
    ("solver", "name"),
    [
        (TREE_ALPHA, "flexible_slider_crank"),
        (dataclasses.replace(TREE_ALPHA, tolerance=1e-5), "laws_in_joints"),
        (fl.GaussLegendre(formulation=fl.TREE), "crank_with_a_stop"),
        (
            fl.GaussLegendre(stages=3, formulation=fl.TREE, iteration=FIXED_POINT),
            "floating_branches",
        ),
        (fl.MuntheKaas(formulation=fl.TREE), "modal_slider_crank"),
        (
            fl.MuntheKaas(
                formulation=fl.TREE,
                tolerance=1e-8,
                tableau=fl.RungeKutta.DORMAND_PRINCE,
            ),
            "spatial_four_bar",
        ),
    ],
)
def test_restart_goes_on_with_the_same_digits(
    solver: Any, name: str, tmp_path: Path
) -> None:
    system = TREES[name]().build()
    solver = dataclasses.replace(solver, projects_start=True)
    settings = {"time_step": 1e-3}

    def kept(file: str) -> fl.Output:
        return fl.Output(path=tmp_path / file, checkpoint_every=10)

    whole = solver.solve(system, duration=0.08, output=kept("whole.h5"), **settings)
    solver.solve(system, duration=0.04, output=kept("half.h5"), **settings)
    rest = solver.solve(
        system, duration=0.08, output=kept("half.h5"), start=tmp_path / "half.h5",
        **settings,
    )  # fmt: skip
    tolerance = getattr(solver, "tolerance", None)
    if tolerance is None:
        for what in ("poses", "velocities", "multipliers", "outputs", "energies"):
            np.testing.assert_array_equal(
                getattr(rest.records, what)[-1], getattr(whole.records, what)[-1]
            )
    else:
        # the last step of the first run was cut to end where it should
        ends = [r.records.poses[-1] for r in (rest, whole)]
        np.testing.assert_allclose(*ends, rtol=0, atol=100.0 * tolerance)


@slow_without_compiling
@pytest.mark.parametrize(
    "solver",
    [
        dataclasses.replace(TREE_ALPHA, residual_tolerance=1e-12),
        fl.GaussLegendre(formulation=fl.TREE),
        fl.MuntheKaas(
            formulation=fl.TREE, tolerance=1e-9, tableau=fl.RungeKutta.DORMAND_PRINCE
        ),
    ],
    ids=lambda solver: type(solver).__name__,
)
def test_run_goes_on_behind_an_event(solver: Any) -> None:
    def turn_back(state: Any) -> Any:
        return dataclasses.replace(state, velocities=-state.velocities)

    model = fl.Model()
    model.add(fl.Body("bob", position=(1.0, 0, 0), mass=1.0, inertia=(0.1, 0.1, 0.1)))
    model.add(
        fl.Joint(
            "pin", fl.REVOLUTE, parent=fl.GROUND, child="bob", axis=(0, 1, 0),
            position=(0, 0, 0),
        )
    )  # fmt: skip
    model.add(fl.Gravity("weight"))
    model.add(fl.PointSensor("across", at="bob"))
    event = fl.Event(
        sensor="across", component="x", direction=fl.Direction.FALLING,
        action=turn_back,
    )  # fmt: skip
    # a quarter of the period from the horizontal, there and back again
    quarter = ellipk(0.5) * np.sqrt((1.0 + 0.1) / 9.81)
    motion = solver.solve(
        model.build(), duration=2.0 * quarter, time_step=2e-3, stop=event
    )
    (found,) = motion.summary["events"]
    # the error of order two at this step
    assert found["time"] == pytest.approx(quarter, abs=1e-5)
    # what swings down and is turned back comes to rest where it started
    assert motion.positions("bob")[-1] == pytest.approx([1.0, 0.0, 0.0], abs=1e-4)


def test_failures_say_where_and_what_to_try() -> None:
    system = MODELS["laws_in_joints"]().build()
    once = dataclasses.replace(TREE_ALPHA, iteration_limit=1, residual_tolerance=1e-14)
    where = r"is largest at the joint coordinate '.*\..*'\. Use a smaller time step"
    with pytest.raises(fl.ConvergenceError, match=where) as found:
        once.solve(system, duration=0.1, time_step=0.05)
    assert found.value.residuals
    model = MODELS["laws_in_joints"]()
    model.add(fl.InitialMotion("spin", angular_velocity=(0.0, 0.0, 300.0)))
    system = model.build()
    solver = dataclasses.replace(TREE_ALPHA, projects_start=True)
    with pytest.raises(fl.ConvergenceError, match=r"would turn by more than 1\.55 rad"):
        solver.solve(system, duration=0.1, time_step=0.05)


def test_options_that_a_tree_does_not_use_are_refused() -> None:
    with pytest.raises(fl.ModelError, match=r"only formulation=fl\.TREE uses"):
        fl.GeneralizedAlpha(cut=("hinge",))
    with pytest.raises(fl.ModelError, match="series_order is 2"):
        fl.MuntheKaas(formulation=fl.TREE, series_order=2)
    with pytest.raises(fl.ModelError, match="embedded weights"):
        fl.MuntheKaas(formulation=fl.TREE, tolerance=1e-6)


@slow_without_compiling
@pytest.mark.parametrize("tableau", [fl.RungeKutta.HEUN, fl.RungeKutta.DORMAND_PRINCE])
def test_embedded_error_control_meets_what_is_asked(tableau: Any) -> None:
    system = cases.pendulum(2, 0.1).build()
    times, values = reference("thesis_double")
    errors, steps = [], []
    for tolerance in (1e-5, 1e-7):
        solver = fl.MuntheKaas(
            formulation=fl.TREE, tableau=tableau, tolerance=tolerance
        )
        results = solver.solve(system, duration=10.0, time_step=0.1)
        assert results.times[-1] == times[-1]
        turn = results.rotations("link 0", as_vector=True)[-1, 0]
        errors.append(abs(float(turn - values[-1, 0])))
        steps.append(results.summary["steps"])
    # errors of single steps add up over the run
    assert errors[1] < 1e-7 * steps[1]
    assert errors[1] < 0.1 * errors[0]
    assert steps[1] > 1.5 * steps[0]


@slow_without_compiling
def test_step_of_generalized_alpha_follows_the_tolerance() -> None:
    system = MODELS["spatial_four_bar"]().build()
    errors = []
    for tolerance in (1e-6, 1e-8):
        results = dataclasses.replace(
            TREE_ALPHA, tolerance=tolerance, projects_start=True
        ).solve(system, duration=0.2, time_step=1e-3)
        away = results.records.poses[-1, :, :3] - exact("spatial_four_bar")[0][:, :3]
        errors.append(float(np.abs(away).max()))
    assert errors[1] < 0.1 * errors[0]
    # errors of velocities in single steps move places over the rest of the run
    assert errors[1] < 1e-6


@slow_without_compiling
@pytest.mark.parametrize("options", [{}, {"projects_velocities": True}])
def test_index_three_on_a_tree_follows_the_absolute_form(
    options: dict[str, Any],
) -> None:
    system = MODELS["spatial_four_bar"]().build()
    motions = [
        fl.GeneralizedAlpha(
            formulation=form, is_stabilized=False, projects_start=True, **options
        ).solve(system, duration=0.2, time_step=2e-4)
        for form in fl.Formulation
    ]
    first, second = (m.records.poses[-1, :, :3] for m in motions)
    np.testing.assert_allclose(first, second, rtol=0, atol=1e-6)


@slow_without_compiling
@pytest.mark.parametrize("formulation", [fl.TREE, fl.ABSOLUTE])
@pytest.mark.parametrize(
    "solver",
    [
        fl.GeneralizedAlpha(tolerance=1e-5),
        fl.MuntheKaas(tolerance=1e-7, tableau=fl.RungeKutta.DORMAND_PRINCE),
    ],
    ids=lambda solver: type(solver).__name__,
)
def test_no_step_but_the_last_is_taken_for_one_that_was_cut(
    solver: Any, formulation: fl.Formulation
) -> None:
    """Steps are differences of times, often shorter than wanted by a rounding."""
    solver = dataclasses.replace(solver, formulation=formulation)
    system = MODELS["floating_branches"]().build()
    results = solver.solve(system, duration=1.0, time_step=1e-3)
    steps = np.diff(results.times)
    assert steps.size > 20
    # the error decides by a power of itself, which never leaves a step as it is
    stayed = np.isclose(steps[2:-1], steps[1:-2], rtol=1e-9, atol=0.0)
    assert not stayed.any()
