"""Options of solvers, outputs and stop conditions: wrong ones are refused by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import femlie as fl

SOLVERS = (
    fl.BLieDF,
    fl.GaussLegendre,
    fl.GeneralizedAlpha,
    fl.Modal,
    fl.MuntheKaas,
    fl.Rattle,
    fl.Static,
)
WRONG: tuple[tuple[Any, str, Any, str], ...] = (
    (fl.GeneralizedAlpha, "formulation", "tree", "fl\\.ABSOLUTE or fl\\.TREE"),
    (fl.GeneralizedAlpha, "iteration_limit", 2.5, "an integer"),
    (fl.GeneralizedAlpha, "iteration_limit", True, "an integer"),
    (fl.GeneralizedAlpha, "spectral_radius", "0.9", "a number"),
    (fl.GeneralizedAlpha, "spectral_radius", np.nan, "a finite number"),
    (fl.GeneralizedAlpha, "is_stabilized", "yes", "True or False"),
    (fl.GeneralizedAlpha, "tolerance", 0.0, "between 0 and 1"),
    (fl.GeneralizedAlpha, "residual_tolerance", None, "a number"),
    (fl.GaussLegendre, "sweep_limit", 0, "one or more"),
    (fl.GaussLegendre, "stage_tolerance", 1.0, "between 0 and 1"),
    (fl.GaussLegendre, "form", "ambient", "RotationForm"),
    (fl.MuntheKaas, "baumgarte", -1.0, "a rate"),
    (fl.MuntheKaas, "baumgarte", np.inf, "a finite number"),
    (fl.MuntheKaas, "tableau", "rk4", "RungeKutta"),
    (fl.Rattle, "correction_tolerance", -1e-9, "between 0 and 1"),
    (fl.Rattle, "iteration_limit", 0, "one or more"),
    (fl.BLieDF, "steps", 5, "1, 2, 3 or 4"),
    (fl.BLieDF, "residual_tolerance", 2, "between 0 and 1"),
    (fl.Static, "tolerance", np.inf, "a finite number"),
    (fl.Static, "checks_stability", 1, "True or False"),
    (fl.Modal, "n_modes", 0, "one or more"),
    (fl.Modal, "n_modes", 3.0, "an integer"),
)


@pytest.mark.parametrize(("kind", "name", "value", "words"), WRONG)
def test_wrong_options_are_refused(
    kind: Callable[..., Any], name: str, value: Any, words: str
) -> None:
    with pytest.raises(fl.ModelError, match=f"(?s){name}.*expected.*{words}"):
        kind(**{name: value})


@pytest.mark.parametrize("kind", SOLVERS)
def test_defaults_and_numbers_of_numpy_are_taken(kind: Callable[..., Any]) -> None:
    solver = kind()
    for name, value in vars(solver).items():
        if isinstance(value, bool):
            kind(**{name: np.bool_(value)})
        elif isinstance(value, (int, float)):
            kind(**{name: np.array([value])[0]})


@pytest.mark.parametrize("value", [np.nan, np.inf, "1", True])
@pytest.mark.parametrize("name", ["above", "below"])
def test_stop_refuses_a_bound_that_means_nothing(name: str, value: Any) -> None:
    with pytest.raises(fl.ModelError, match=f"{name} of the stop on sensor 'height'"):
        fl.StopWhen(sensor="height", **{name: value})


@pytest.mark.parametrize("name", ["level", "direction", "stops"])
def test_events_refuse_values_of_another_kind(name: str) -> None:
    with pytest.raises(fl.ModelError, match=f"{name} of the event on sensor 'height'"):
        fl.Event(sensor="height", **{name: "up"})


@pytest.mark.parametrize("value", [np.nan, 1.5, 2.0, "2", True, None, 0])
def test_output_refuses_what_is_no_number_of_steps(value: Any) -> None:
    with pytest.raises(fl.ModelError, match=r"every .* expected a whole number"):
        fl.Output(every=value)


@pytest.mark.parametrize("value", [0, 1.5, True, np.nan, "2"])
def test_numbers_of_load_steps_are_whole(value: Any) -> None:
    model = fl.Model()
    model.add(fl.Body("block", mass=1.0, inertia=(1.0, 1.0, 1.0)))
    with pytest.raises(fl.ModelError, match=r"load_steps .* expected a whole"):
        fl.Static().solve(model.build(), load_steps=value)
