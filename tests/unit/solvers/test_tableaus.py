"""Runge-Kutta tables: known methods, and tables that are wrong."""

from __future__ import annotations

import numpy as np
import pytest

import femlie as fl
from femlie.solvers.tableaus import density, n_nodes, trees

KUTTA_3 = {"stages": ((), (0.5,), (-1.0, 2.0)), "weights": (1 / 6, 2 / 3, 1 / 6)}


def test_numbers_of_trees_are_those_of_the_books() -> None:
    # Butcher 2008, table 300(I)
    assert [len(trees(n)) for n in range(1, 9)] == [1, 1, 2, 4, 9, 20, 48, 115]
    assert all(n_nodes(tree) == 6 for tree in trees(6))


def test_densities_of_small_trees_are_those_of_the_books() -> None:
    assert density(()) == 1
    assert density(((),)) == 2
    assert sorted(density(tree) for tree in trees(4)) == [4, 8, 12, 24]


@pytest.mark.parametrize("method", fl.RungeKutta)
def test_known_methods_do_not_claim_less_than_they_have(
    method: fl.RungeKutta,
) -> None:
    known = method.tableau
    with pytest.raises(fl.ModelError, match=f"condition of order {known.order + 1}"):
        fl.Tableau(known.stages, known.weights, known.order + 1)


def test_method_of_order_three_is_taken() -> None:
    assert fl.Tableau(**KUTTA_3, order=3).order == 3


def test_broken_condition_is_named_with_its_numbers() -> None:
    with pytest.raises(fl.ModelError) as caught:
        fl.Tableau(((), (0.5,), (-1.0, 2.0)), (0.2, 0.6, 0.2), order=3)
    text = str(caught.value)
    assert "order 3" in text
    # sum b_i a_ij c_j of these weights is 0.2 * 2 * 0.5
    assert "is 0.2," in text
    assert "1/6" in text


def test_broken_embedded_weights_are_refused() -> None:
    with pytest.raises(fl.ModelError, match="embedded weights break a condition"):
        fl.Tableau(**KUTTA_3, order=3, embedded=(0.9, 0.2, 0.0), embedded_order=1)


@pytest.mark.parametrize(
    "change",
    [
        {"stages": ((), (0.5, 0.1), (-1.0, 2.0))},
        {"weights": (0.5, 0.5)},
        {"weights": (1 / 6, np.nan, 1 / 6)},
        {"order": 0},
        {"embedded": (1.0,), "embedded_order": 1},
    ],
)
def test_table_of_another_shape_is_refused(change: dict[str, object]) -> None:
    with pytest.raises(fl.ModelError, match=r"expected|not finite"):
        fl.Tableau(**{**KUTTA_3, "order": 3, **change})


@pytest.mark.parametrize("method", fl.RungeKutta)
def test_growth_is_the_exponential_up_to_the_order(method: fl.RungeKutta) -> None:
    tableau = method.tableau
    z = 0.05 * np.exp(0.7j)
    exact = abs(np.exp(z))
    assert abs(tableau.growth(z) - exact) < 2.0 * abs(z) ** (tableau.order + 1) + 1e-15


def test_classical_method_is_stable_on_the_imaginary_axis_up_to_2_83() -> None:
    # Hairer and Wanner 1996, section IV.2: 2 sqrt(2)
    tableau = fl.RungeKutta.RUNGE_KUTTA_4.tableau
    limit = 2.0 * np.sqrt(2.0)
    assert tableau.growth(0.999j * limit) < 1.0
    assert tableau.growth(1.001j * limit) > 1.0
