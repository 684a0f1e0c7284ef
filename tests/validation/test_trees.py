"""Published mechanisms in relative coordinates, and the absolute form beside them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import femlie as fl
from femlie._jit import IS_COMPILED
from tests.property.tree_models import MODELS
from tests.validation import tree_cases as cases
from tests.validation.dynamics import fitted_order, reference

slow_without_compiling = pytest.mark.skipif(
    not IS_COMPILED, reason="takes minutes without compilation"
)
ON_TREE = fl.MuntheKaas(formulation=fl.TREE)


def test_squeezer_starts_with_the_published_accelerations() -> None:
    tree = fl.Tree(cases.squeezer().build())
    found = tree.forward_dynamics(tree.start)
    rates = dict(zip(tree.coordinates, found.second_rates, strict=True))
    assert rates["shaft.angle"] == pytest.approx(14222.4439199541, rel=1e-11)
    # the relative angle of the coupler on the crank is theta
    assert rates["pin.angle"] == pytest.approx(-10666.8329399655, rel=1e-11)


@slow_without_compiling
def test_squeezer_reaches_the_published_angles() -> None:
    # Hairer and Wanner II, table of section VII.7, to the digits printed there
    results = fl.MuntheKaas(formulation=fl.TREE, projects_start=True).solve(
        cases.squeezer().build(),
        duration=0.03,
        time_step=1e-5,
        output=fl.Output(every=500),
    )
    start, last = cases.START, {}
    for name, joint in (
        ("beta", "shaft"),
        ("theta", "pin"),
        ("gamma", "triangle foot"),
        ("delta", "upper foot"),
        ("epsilon", "lower foot"),
    ):
        last[name] = start[name] + float(results.joint_coordinate(joint)[-1])
    expected = {
        "beta": 15.8107711952,
        "theta": -15.7563710584,
        "gamma": 0.0408222401196,
        "delta": 0.5244099658799,
        "epsilon": 1.0480807410419,
    }
    assert last == pytest.approx(expected, abs=1e-8)
    assert results.summary["constraint_error"] < 1e-13


@slow_without_compiling
def test_squeezer_follows_the_reference_and_keeps_its_energy_balance() -> None:
    results = fl.MuntheKaas(formulation=fl.TREE, projects_start=True).solve(
        cases.squeezer().build(),
        duration=0.05,
        time_step=1e-5,
        output=fl.Output(every=100),
    )
    times, values = reference("andrews")
    rows = [results.index_at(t) for t in times]
    turn = cases.START["beta"] + results.joint_coordinate("shaft")[rows]
    np.testing.assert_allclose(turn, values[:, 0], rtol=0, atol=1e-7)
    assert np.abs(results.records.energies[:, 7]).max() < 1e-5


@slow_without_compiling
@pytest.mark.parametrize("n", [2, 5])
def test_windows_pass_the_position_where_they_may_fold(n: int) -> None:
    results = ON_TREE.solve(cases.windows(n).build(), duration=10.0, time_step=0.005)
    energies = results.records.energies
    total = energies[:, 0] + energies[:, 2]
    # the benchmark allows 0.1 J
    assert np.ptp(total) < 1e-5
    assert results.summary["constraint_error"] < 1e-13
    if n == 2:
        times, values = reference("A02_N2")
        rows = [results.index_at(t) for t in times]
        place = 2.0 * results.positions("post 0")[rows, :2]
        np.testing.assert_allclose(place, values, rtol=0, atol=1e-6)


def simple_pendulum() -> fl.Model:
    model = fl.Model()
    # the inertia of a point, but for a remainder that keeps all turns heavy
    model.add(
        fl.Body("bob", position=(-1.0, 0.0, 0.0), mass=1.0, inertia=(1e-9, 1e-9, 1e-9))
    )
    model.add(
        fl.Joint(
            "hinge", fl.REVOLUTE, parent=fl.GROUND, child="bob",
            position=(0.0, 0.0, 0.0),
        )
    )  # fmt: skip
    model.add(fl.Gravity("weight", acceleration=(0.0, -9.81, 0.0)))
    return model


def test_simple_pendulum_follows_the_reference() -> None:
    duration = 10.0 if IS_COMPILED else 1.0
    results = ON_TREE.solve(
        simple_pendulum().build(), duration=duration, time_step=0.005
    )
    times, values = reference("A01")
    chosen = times <= duration
    rows = [results.index_at(t) for t in times[chosen]]
    place = results.positions("bob")[rows, :2]
    # fourth order: about the 10 s times the angular speed's (w h)^4
    np.testing.assert_allclose(place, values[chosen], rtol=0, atol=3e-7)


@slow_without_compiling
def test_double_pendulum_converges_to_the_reference_with_order_four() -> None:
    system = cases.pendulum(2, 0.1).build()
    times, values = reference("thesis_double")
    steps, errors = (0.02, 0.01, 0.005), []
    for step in steps:
        results = ON_TREE.solve(system, duration=10.0, time_step=step)
        turn = results.rotations("link 0", as_vector=True)[:, 0]
        rows = [results.index_at(t) for t in times[::4]]
        errors.append(float(np.abs(turn[rows] - values[::4, 0]).max()))
    assert errors[-1] < 5e-9
    assert fitted_order(steps, errors) == pytest.approx(4.0, abs=0.2)


@slow_without_compiling
@pytest.mark.parametrize(("stages", "steps"), [(1, (0.02, 0.01)), (2, (0.04, 0.02))])
def test_gauss_legendre_has_its_order(stages: int, steps: tuple[float, ...]) -> None:
    system = cases.pendulum(2, 0.1).build()
    _, values = reference("thesis_double")
    errors = []
    for step in steps:
        results = fl.GaussLegendre(stages=stages, formulation=fl.TREE).solve(
            system, duration=10.0, time_step=step
        )
        turn = results.rotations("link 0", as_vector=True)[-1, 0]
        errors.append(abs(float(turn - values[-1, 0])))
    assert fitted_order(steps, errors) == pytest.approx(2 * stages, abs=0.1)


@slow_without_compiling
def test_gauss_legendre_meets_the_reference_to_its_digits() -> None:
    system = cases.pendulum(2, 0.1).build()
    _, values = reference("thesis_double")
    results = fl.GaussLegendre(stages=3, formulation=fl.TREE).solve(
        system, duration=10.0, time_step=0.01
    )
    turn = results.rotations("link 0", as_vector=True)[-1, 0]
    # twelve digits are printed
    assert turn == pytest.approx(values[-1, 0], abs=2e-12)


@slow_without_compiling
def test_chain_of_64_keeps_its_energy() -> None:
    n = 64
    results = fl.GaussLegendre(
        stages=3, formulation=fl.TREE, iteration=fl.StageIteration.FIXED_POINT
    ).solve(
        cases.pendulum(n, 0.1).build(),
        duration=10.0,
        time_step=0.01,
        output=fl.Output(every=10),
    )
    assert cases.energy_change(results) < 1e-10


@slow_without_compiling
@pytest.mark.parametrize("name", ["mixed_chain", "driven_joints", "spatial_four_bar"])
def test_gauss_legendre_and_munthe_kaas_agree(name: str) -> None:
    system = MODELS[name]().build()
    first = ON_TREE.solve(
        system, duration=0.2, time_step=2.5e-4, output=fl.Output(every=100)
    )
    second = fl.GaussLegendre(stages=3, formulation=fl.TREE).solve(
        system, duration=0.2, time_step=2e-3, output=fl.Output(every=100)
    )
    np.testing.assert_allclose(
        first.records.poses[-1, :, :3], second.records.poses[-1, :, :3], atol=1e-9
    )


def test_stages_that_do_not_settle_end_the_run() -> None:
    solver = fl.GaussLegendre(stages=3, sweep_limit=1, formulation=fl.TREE)
    with pytest.raises(fl.ConvergenceError, match="after 1 sweeps over the stages"):
        solver.solve(cases.pendulum(1, 0.5).build(), duration=0.1, time_step=0.05)
    with pytest.raises(fl.ModelError, match="stages is 4"):
        fl.GaussLegendre(stages=4, formulation=fl.TREE)


TRAJECTORIES = (
    "mixed_chain",
    "laws_in_joints",
    "driven_joints",
    "moving_base",
    "planar_four_bar",
    "spatial_four_bar",
    "driven_four_bar",
    "flexible_slider_crank",
    "propped_beam",
)


@slow_without_compiling
@pytest.mark.parametrize("name", TRAJECTORIES)
def test_refined_trajectories_agree_with_the_absolute_form(name: str) -> None:
    system = MODELS[name]().build()
    # beams need steps below their fastest period
    is_flexible = bool(system.catalog.beam_ranges)
    duration, step = (0.05, 2.5e-5) if is_flexible else (0.3, 2.5e-4)
    runs = [
        fl.MuntheKaas(formulation=form, projects_start=True).solve(
            system, duration=duration, time_step=step, output=fl.Output(every=100)
        )
        for form in fl.Formulation
    ]
    for what in ("poses", "velocities"):
        first, second = (getattr(r.records, what) for r in runs)
        if what == "poses":
            first, second = first[..., :3], second[..., :3]
        np.testing.assert_allclose(first, second, rtol=0, atol=1e-8)
    if name != "planar_four_bar":
        first, second = (r.records.outputs for r in runs)
        scale = float(np.abs(first).max())
        np.testing.assert_allclose(first, second, rtol=0, atol=1e-8 * scale)


@slow_without_compiling
def test_ledger_of_a_driven_mechanism_counts_the_work_of_its_motor() -> None:
    results = ON_TREE.solve(
        MODELS["driven_four_bar"]().build(), duration=1.0, time_step=1e-3
    )
    energies = results.records.energies
    work = float(np.abs(energies[:, 4]).max())
    assert work > 0.1
    # the work is summed by the trapezoidal rule, h^2
    assert np.abs(energies[:, 6]).max() < 1e-5 * work


def arrays_of(tree: fl.Tree) -> int:
    """Numbers that a tree keeps."""

    def count(value: Any) -> int:
        if isinstance(value, np.ndarray):
            return int(value.size)
        return sum(count(v) for v in value) if isinstance(value, tuple) else 0

    return count(tree.problem)


def test_memory_grows_in_proportion_to_the_bodies() -> None:
    sizes = [arrays_of(fl.Tree(cases.pendulum(n, 0.1).build())) for n in (8, 16, 32)]
    assert sizes[2] - sizes[1] == 2 * (sizes[1] - sizes[0])
