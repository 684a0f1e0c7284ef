"""Trees in millimeters and tonnes, and of a thousandth of a millimeter."""

from __future__ import annotations

import runpy
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import femlie as fl
from femlie._jit import IS_COMPILED
from tests.validation import tree_cases as cases

EXAMPLES = Path(__file__).parents[2] / "examples"
SOLVERS = {
    "order 4": fl.MuntheKaas(formulation=fl.TREE),
    "error control": fl.MuntheKaas(
        formulation=fl.TREE, tableau=fl.RungeKutta.DORMAND_PRINCE, tolerance=1e-6
    ),
    "stages by Newton": fl.GaussLegendre(formulation=fl.TREE),
    "stages by sweeps": fl.GaussLegendre(
        formulation=fl.TREE, iteration=fl.StageIteration.FIXED_POINT
    ),
    "generalized-alpha": fl.GeneralizedAlpha(formulation=fl.TREE),
    "generalized-alpha with error control": fl.GeneralizedAlpha(
        formulation=fl.TREE, tolerance=1e-4
    ),
}


def scaled(vector: Any, factor: float) -> Any:
    return None if vector is None else tuple(factor * x for x in vector)


def converted(model: fl.Model, length: float, mass: float) -> fl.Model:
    """The same bodies, joints and weight; units are smaller by these factors."""
    found = fl.Model()
    for part in model.parts.values():
        if isinstance(part, fl.Body):
            new: Any = replace(
                part,
                position=scaled(part.position, length),
                center=scaled(part.center, length),
                mass=mass * part.mass,
                inertia=scaled(part.inertia, mass * length**2),
                surface=None,
                surface_group=None,
            )
        elif isinstance(part, fl.Joint):
            new = replace(
                part,
                position=scaled(part.position, length),
                child_position=scaled(part.child_position, length),
            )
        elif isinstance(part, fl.InitialMotion):
            new = replace(
                part,
                velocity=scaled(part.velocity, length),
                about=scaled(part.about, length),
            )
        else:
            assert isinstance(part, fl.Gravity)
            new = replace(part, acceleration=scaled(part.acceleration, length))
        found.add(new)
    return found


def press() -> fl.Model:
    path = str(EXAMPLES / "20_six_bar_press.py")
    model: fl.Model = runpy.run_path(path)["make_model"]()
    model.add(fl.Gravity("weight", acceleration=(0.0, -9.81, 0.0)))
    return model


def two_windows() -> fl.Model:
    """Windows that fall over: upright, their accelerations are rounding."""
    model = cases.windows(2)
    model.parts["weight"] = fl.Gravity("weight", acceleration=(3.0, -9.81, 0.0))
    return model


@pytest.mark.skipif(not IS_COMPILED, reason="takes long without compilation")
@pytest.mark.parametrize("name", SOLVERS)
@pytest.mark.parametrize("mechanism", [press, two_windows])
def test_motion_is_the_same_in_millimeters_and_tonnes(
    name: str, mechanism: Callable[[], fl.Model]
) -> None:
    solver = replace(SOLVERS[name], projects_start=True)
    length, mass = 1e3, 1e-3
    first, second = (
        solver.solve(
            converted(mechanism(), *units).build(), duration=0.3, time_step=5e-3
        )
        for units in ((1.0, 1.0), (length, mass))
    )
    assert second.summary["steps"] == first.summary["steps"]
    ends = [results.whole_records.poses[-1] for results in (first, second)]
    places = ends[0][:, :3], ends[1][:, :3] / length
    np.testing.assert_allclose(*places, rtol=0, atol=1e-12)
    np.testing.assert_allclose(ends[0][:, 3:], ends[1][:, 3:], rtol=0, atol=1e-12)


def misfit(length: float) -> fl.Model:
    """A ball joint whose ends are apart by a millionth of the model."""
    model = converted(cases.pendulum(2, 0.3), length, length**3)
    joint = next(p for p in model.parts.values() if isinstance(p, fl.Joint))
    x, y, z = joint.position
    apart = (x + 1e-6 * length, y, z)
    model.parts[joint.name] = replace(joint, child_position=apart)
    return model


@pytest.mark.parametrize("length", [1.0, 1e-9, 1e6])
def test_parts_that_do_not_fit_are_told_at_any_size(length: float) -> None:
    tree = fl.Tree(misfit(length).build())
    (gap,) = tree.gaps.values()
    assert gap[0] == pytest.approx(1e-6 * length, rel=1e-6)


@pytest.mark.parametrize("length", [1.0, 1e-4, 1e4])
def test_contradicting_accelerations_are_refused_at_any_size(length: float) -> None:
    tree = fl.Tree(converted(cases.windows(1), length, length**3).build())
    names = tree.coordinates[:2]
    states = tree.moved(tree.start, step=np.zeros((2, tree.n_coordinates)))
    agreeing = tree.forward_dynamics(states).second_rates
    given = {name: agreeing[:, k].copy() for k, name in enumerate(names)}
    tree.mixed_dynamics(states, second_rates=given)
    # the first state alone contradicts
    given[names[0]][0] += 0.1
    with pytest.raises(fl.ModelError, match="contradict the loops"):
        tree.mixed_dynamics(states, second_rates=given)
