"""The matrix of a Newton step along a tree is the derivative of its residual."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy.sparse import csc_matrix

from femlie._equations import update_signals
from femlie.assembly import Assembly
from femlie.recursive._problem import MOVE, STEPS, TURN_BACK, do
from femlie.solvers import _tree_newton as newton
from femlie.solvers.march import run
from femlie.solvers.tree_problem import NewProblem, Uses, new_problem, structure_of
from femlie.solvers.tree_state import take_state
from tests.property.tree_models import MODELS
from tests.validation import tree_cases as cases

# shares of inertia and damping as of a step, and as of a stage of collocation
WEIGHTS = ((90.0, 7.0, 1.0), (1.0, 0.3, 0.2))


class Sample(NamedTuple):
    """Steps from the bases, rates and second rates, of order one."""

    steps: Any
    rates: Any
    second_rates: Any


def tree_problem(name: str) -> tuple[NewProblem, Sample]:
    system = MODELS[name]().build()
    assembly = Assembly(system)
    structure = structure_of(assembly)
    motion = assembly.motion(system.state)
    found = new_problem(assembly, structure, motion, uses=Uses.NEWTON)
    problem, reduced = found.problem, found.reduced
    take_state(problem, structure, reduced, system.state.velocities)
    motion.time[0] = 0.3
    run(reduced, update_signals, problem.motion)
    problem.bases[:] = problem.relative.frames
    rng = np.random.default_rng(1)
    k, m = structure.n_coordinates, problem.gaps.size
    size = 0.03 if system.catalog.beam_ranges else 0.4
    sample = Sample(size * rng.normal(size=k), rng.normal(size=k), rng.normal(size=k))
    problem.motion.multipliers[:m] = rng.normal(size=m)
    return found, sample


def residual(found: NewProblem, sample: Sample) -> Any:
    """Forces missing along the coordinates, then constraints of loops."""
    problem = found.problem
    problem.steps[:] = sample.steps
    do(problem, STEPS, MOVE)
    problem.relative.rates[:] = sample.rates
    problem.second_rates[:] = sample.second_rates
    gap = np.zeros(problem.gaps.size)
    run(found.reduced, newton.balance_coordinates, problem, 0, gap)
    return np.concatenate([problem.joint_forces, gap])


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("name", MODELS)
def test_matrix_is_the_derivative_of_the_residual(
    name: str, weights: tuple[float, float, float]
) -> None:
    found, sample = tree_problem(name)
    problem, pattern = found.problem, found.pattern
    assert pattern is not None
    mass, damping, stiffness = weights
    residual(found, sample)
    run(found.reduced, newton.set_tangent, problem, 0, *weights)
    n = pattern.indptr.size - 1
    data = problem.newton.data[:-1]
    matrix = csc_matrix((data, pattern.indices, pattern.indptr), shape=(n, n)).toarray()
    # all but coordinates and multipliers eliminated
    k = problem.steps.size
    first = n - k - problem.gaps.size
    inner = np.linalg.solve(matrix[:first, :first], matrix[:first, first:])
    expected = matrix[first:, first:] - matrix[first:, :first] @ inner
    h = 1e-4
    for j in range(k):
        problem.steps[:] = sample.steps
        problem.extra[:] = np.eye(k)[j]
        do(problem, STEPS, TURN_BACK)
        step = h * problem.slopes

        def moved(factor: float, step: Any = step) -> Any:
            return residual(
                found,
                Sample(
                    sample.steps + factor * stiffness * step,
                    sample.rates + factor * damping * step,
                    sample.second_rates + factor * mass * step,
                ),
            )

        slope = (8.0 * (moved(1) - moved(-1)) - (moved(2) - moved(-2))) / (12.0 * h)
        scale = float(np.abs(expected).max())
        np.testing.assert_allclose(slope, expected[:, j], rtol=0, atol=1e-9 * scale)


def test_pattern_grows_in_proportion_to_the_bodies() -> None:
    sizes = []
    for n in (8, 16, 32):
        system = cases.pendulum(n, 0.1).build()
        assembly = Assembly(system)
        structure = structure_of(assembly)
        found = new_problem(
            assembly, structure, assembly.motion(system.state), uses=Uses.NEWTON
        )
        assert found.pattern is not None
        sizes.append(found.pattern.indices.size)
    assert sizes[2] - sizes[1] == 2 * (sizes[1] - sizes[0])
