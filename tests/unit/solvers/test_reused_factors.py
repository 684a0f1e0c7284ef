"""Factors of an earlier iteration: when they serve; they change no motion."""

from __future__ import annotations

import math

import numpy as np
import pytest

import femlie as fl
from femlie.solvers import _modified_newton as newton
from femlie.solvers.factors import cost_of_factors
from femlie.solvers.schedule import Schedule
from femlie.solvers.stepping import Stepping
from tests.validation.dynamics import rubber_rod, run

TOLERANCE = 1e-8


@pytest.mark.parametrize(
    ("ratio", "last", "is_wanted"),
    [
        (1.0, 0.0, True),  # nothing was measured yet
        (0.2, 1.0, True),  # no convergence to speak of
        (2.0, 1.0, True),
        (math.nan, 1.0, True),
        # 1e-4 with a contraction of 1e-4: below 3e-10 in 2 iterations; new factors
        # contract by 1e-8 and take 1, which costs 1 + 1.5
        (1e-4, 1.0, False),
        # 0.05: 7 iterations; new ones contract by 2.5e-3, then by 1.6e-7: 2 times 2.5
        (0.05, 1.0, True),
    ],
)
def test_old_factors_serve_while_they_are_predicted_to_cost_less(
    ratio: float, last: float, *, is_wanted: bool
) -> None:
    fresh = ratio / last**2 if last else 0.0
    found = newton.wants_factors(ratio, last, fresh, TOLERANCE, 1.5)
    assert bool(found) == is_wanted


def test_dear_factors_serve_longer_and_free_ones_never() -> None:
    arguments = (0.05, 1.0, 0.05, TOLERANCE)
    assert not newton.wants_factors(*arguments, 10.0)
    assert newton.wants_factors(1e-4, 1.0, 1e-4, TOLERANCE, -1.0)


@pytest.mark.parametrize("contraction", [0.5, 1e-2, 1e-5])
def test_iterations_are_counted_as_they_happen(contraction: float) -> None:
    ratio, n = 1e-3, 0
    while ratio > TOLERANCE:
        ratio *= contraction
        n += 1
    assert newton.iterations_with_old(1e-3, TOLERANCE, contraction) == n
    # Newton's iteration for x^2 = 4 from above: e is the residual over 4
    x, residuals = 3.0, [1.25]
    while residuals[-1] > TOLERANCE:
        x = 0.5 * (x + 4.0 / x)
        residuals.append((x * x - 4.0) / 4.0)
    first = residuals[1] / residuals[0]
    found = newton.iterations_with_new(residuals[0], TOLERANCE, first)
    assert abs(found - (len(residuals) - 1)) <= 1


@pytest.mark.parametrize("is_stabilized", [True, False])
def test_old_factors_lead_to_the_same_motion(*, is_stabilized: bool) -> None:
    def tip(*, reuses: bool) -> np.ndarray:
        result = run(
            rubber_rod(4),
            duration=0.2,
            time_step=0.005,
            spectral_radius=0.8,
            is_stabilized=is_stabilized,
            residual_tolerance=1e-12,
            reuses_factors=reuses,
        )
        return result.positions("tip")[-1]

    assert np.allclose(tip(reuses=True), tip(reuses=False), rtol=0.0, atol=1e-9)


def test_factors_of_a_dense_model_cost_more_iterations() -> None:
    """Fill grows the cost of factors, not that of an iteration."""
    row, cube = (predicted_cost(n_cells) for n_cells in ((40, 0, 0), (4, 4, 4)))
    assert cube > 1.5 * row > 0.0


def predicted_cost(n_cells: tuple[int, int, int]) -> float:
    material = fl.Material(young=1e9, poisson=0.3, density=1e3)
    section = fl.CircularSection(radius=0.02, material=material)
    model = fl.Model(fl.cubic_lattice(n_cells, cell_size=1.0))
    model.add(fl.Beam("struts", cells="struts", section=section))
    stepping = Stepping(
        model.build(),
        Schedule(duration=1.0, time_step=1e-3),
        name="generalized_alpha",
        settings=fl.GeneralizedAlpha(),
        compiles_ahead=False,
    )
    stepping.evaluate(0, mass=1e6, damping=1e3, stiffness=1.0)
    stepping.analyze()
    return cost_of_factors(stepping.assembly, stepping.factorization, n_levels=2)
