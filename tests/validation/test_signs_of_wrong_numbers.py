"""What a run says when its numbers mean little, and rest that is kept."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.linalg import eigh

import femlie as fl


def rod(n_elements: int) -> fl.Model:
    line = fl.straight_line((0, 0, 0), (1, 0, 0), n_elements=n_elements)
    material = fl.Material(young=1e9, poisson=0.3, density=1000.0)
    section = fl.CircularSection(radius=0.02, material=material)
    model = fl.Model(line)
    model.add(fl.Beam("rod", cells="line", section=section))
    model.add(fl.Support("foot", at="start"))
    return model


def said(results: fl.Results, words: str) -> bool:
    return any(words in warning for warning in results.warnings)


@pytest.mark.parametrize(("n_elements", "is_said"), [(1, True), (3, False)])
def test_element_that_turns_almost_by_pi_is_named(
    n_elements: int, *, is_said: bool
) -> None:
    model = rod(n_elements)
    model.add(fl.Support("turn", at="end", axis=(1, 0, 0), rotation=(3.0, 0, 0)))
    results = fl.Static().solve(model.build(), load_steps=6)
    assert said(results, "element of beam 'rod' turned by 3 rad") == is_said


def test_bushing_that_turns_past_pi_is_named() -> None:
    model = fl.Model()
    model.add(fl.Body("wheel", mass=1.0, inertia=(0.1, 0.2, 0.3)))
    stiffness = (100.0, 100.0, 100.0, 1.0, 1.0, 1.0)
    model.add(fl.Bushing("spring", fl.GROUND, "wheel", stiffness=stiffness))
    model.add(fl.InitialMotion("spin", angular_velocity=(0, 0, 10.0)))
    solver = fl.GeneralizedAlpha(spectral_radius=1.0)
    results = solver.solve(model.build(), duration=1.0, time_step=0.005)
    # the swing goes to 10 sqrt(0.3) = 5.5 rad
    assert said(results, "Bushing 'spring' turned by 3.1")


def dead_point() -> fl.System:
    """A slider at its dead point: the rod holds nothing to first order."""
    model = fl.Model()
    model.add(fl.Body("slider", position=(1, 0, 0), mass=1.0, inertia=(1, 1, 1)))
    model.add(fl.Joint("guide", fl.PRISMATIC, fl.GROUND, "slider", position=(1, 0, 0)))
    ends = {"position": (0.0, 0.0, 0.0), "child_position": (1.0, 0.0, 0.0)}
    model.add(fl.Joint("rod", fl.DISTANCE, fl.GROUND, "slider", **ends))
    model.add(fl.Force("push", at="slider", force=(0, 0, 1.0)))
    return model.build()


def test_motion_that_leaves_its_constraints_is_said() -> None:
    results = fl.MuntheKaas().solve(dead_point(), duration=1.0, time_step=0.01)
    assert results.summary["constraint_error"] > 1e-6
    assert said(results, "At the end constraints are violated by")


def test_run_that_stops_at_a_singular_start_says_so() -> None:
    solver = fl.GeneralizedAlpha()
    with pytest.raises(fl.ConvergenceError, match="slider at its dead point"):
        solver.solve(dead_point(), duration=1.0, time_step=0.01)


def test_distance_of_coincident_points_is_refused() -> None:
    model = fl.Model()
    model.add(fl.Body("ball", mass=1.0, inertia=(1, 1, 1)))
    ends = {"position": (0.0, 0.0, 0.0), "child_position": (0.0, 0.0, 0.0)}
    model.add(fl.Joint("rod", fl.DISTANCE, fl.GROUND, "ball", **ends))
    with pytest.raises(fl.ModelError, match=r"Joint 'rod' .* lie in one place"):
        model.build()


@pytest.mark.parametrize(
    "solver",
    [
        fl.GeneralizedAlpha(),
        fl.GaussLegendre(),
        fl.GaussLegendre(formulation=fl.TREE),
        fl.GaussLegendre(formulation=fl.TREE, iteration=fl.StageIteration.FIXED_POINT),
        fl.BLieDF(),
    ],
    ids=["alpha", "gauss", "gauss on tree", "fixed point", "bliedf"],
)
@pytest.mark.parametrize("step", [1e-2, 1e-5])
def test_static_equilibrium_stays_at_rest(solver: Any, step: float) -> None:
    iteration = getattr(solver, "iteration", None)
    if iteration is fl.StageIteration.FIXED_POINT and step > 1e-4:
        pytest.skip("a fixed point needs steps below the shortest period")
    model = rod(4)
    model.add(fl.Force("push", at="end", force=(0, 0, 50.0)))
    system = model.build()
    rest = fl.Static(tolerance=1e-12).solve(system).last_state
    results = solver.solve(system, duration=20 * step, time_step=step, start=rest)
    np.testing.assert_allclose(results.velocities("rod"), 0.0, atol=1e-8)


@pytest.mark.parametrize("unit", [1.0, 1e3, 1e-9, 1e9])
def test_modes_of_an_unstable_state_do_not_depend_on_the_unit_of_length(
    unit: float,
) -> None:
    """A column under more than its Euler load, stood on end by a free top."""
    line = fl.straight_line((0, 0, 0), (0, 0, unit), n_elements=12)
    material = fl.Material(young=1e9 / unit, poisson=0.3, density=1e3 / unit**3)
    section = fl.CircularSection(radius=0.02 * unit, material=material)
    model = fl.Model(line)
    model.add(fl.Beam("column", cells="line", section=section))
    model.add(fl.Support("foot", at="start"))
    euler = np.pi**2 / 4.0 * 1e9 * np.pi / 4.0 * 0.02**4 * unit
    model.add(fl.Force("weight", at="end", force=(0, 0, -1.5 * euler)))
    system = model.build()
    upright = fl.Static(checks_stability=False).solve(system).last_state
    modes = fl.Modal(n_modes=4, at_equilibrium=False).solve(system, start=upright)
    found = modes.frequencies
    # Euler and Bernoulli by Ritz with monomials; shear and the mesh take some percent
    mass = 1e3 * np.pi * 0.02**2
    bending = 1e9 * np.pi / 4.0 * 0.02**4
    powers = np.arange(2, 8)
    sums = powers[:, None] + powers
    product = powers[:, None] * powers
    slopes = product / (sums - 1.0)
    curvatures = product * (powers[:, None] - 1) * (powers - 1) / (sums - 3.0)
    force = 1.5 * np.pi**2 / 4.0 * bending
    stiffness = bending * curvatures - force * slopes
    expected = eigh(stiffness, mass / (sums + 1.0), eigvals_only=True)[:2]
    hertz = np.sign(expected) * np.sqrt(np.abs(expected)) / (2.0 * np.pi)
    np.testing.assert_allclose(found, np.repeat(hertz, 2), rtol=0.03)
