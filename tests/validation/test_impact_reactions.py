"""Reactions and joint forces of steps with impacts: loads, reactions and momentum."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import femlie as fl
from tests.validation import impact_models as impacts
from tests.validation import moving_models as models

KIND = fl.ShapeKind
STEP = 1e-3
ROUND = fl.sphere(models.RADIUS, density=1000.0)
MASS = ROUND.mass_properties.mass


def run(model: Any, duration: float, **options: Any) -> Any:
    solver = fl.GeneralizedAlpha(spectral_radius=0.8)
    return solver.solve(model.build(), duration=duration, time_step=STEP, **options)


def struck(at: str, **held: Any) -> Any:
    """A ball falls on a table that something holds."""
    model = models.ball(0.5, height=0.05)
    del model.parts["on floor"], model.parts["floor"]
    flat = fl.box((1.0, 1.0, 0.2), density=100.0)
    model.add(fl.Body("table", solid=flat, position=(0.0, 0.0, -0.1)))
    if at == "support":
        model.add(fl.Support("hold", at="table", **held))
    else:
        model.add(fl.Joint("hold", fl.FIXED, parent=fl.GROUND, child="table"))
    model.add(fl.Contact("hit", between=("thing", "table"), restitution=0.5))
    return model


@pytest.mark.parametrize("at", ["support", "joint"])
@pytest.mark.parametrize("every", [1, 5])
def test_what_holds_a_table_bears_what_falls_on_it(at: str, every: int) -> None:
    """Locked directions and rows alike: contact and weight, in each row."""
    results = run(struck(at), 0.3, output=fl.Output(every=every))
    reaction = results.reactions("hold", frame="world")[1:]
    down = results.contact.total("hit")[1:, 2]
    if results.layout.contacts.between[0][0] == "table":
        down = -down
    table = 0.2 * 100.0 * impacts.GRAVITY
    assert down.max() > 100.0 * MASS
    np.testing.assert_allclose(reaction[:, 2], down + table, rtol=1e-9, atol=1e-6)
    np.testing.assert_allclose(reaction[:, :2], 0.0, atol=1e-6)


def test_summary_balances_at_rest() -> None:
    """A box at rest on the ground: the ground bears its weight."""
    solid = fl.box(models.BOX, density=1.0)
    model = models.thing(solid, (0.0, 0.0, 0.31), models.floor())
    results = run(model, 0.3)
    balance = results.summary["balance"]
    weight = 0.48 * impacts.GRAVITY
    np.testing.assert_allclose(balance["loads"][:3], [0.0, 0.0, -weight], atol=1e-9)
    np.testing.assert_allclose(balance["reactions"][:3], [0.0, 0.0, weight], atol=1e-6)


def test_each_step_of_a_pendulum_that_hits_a_wall_balances_its_momentum() -> None:
    """Hinge, weight and wall over a step: what the momentum changes by.

    Smooth forces count as at the end of a step, which is off by the order of the step;
    impulses are exact.
    """
    model = fl.Model()
    long = 0.5
    model.add(fl.Body("bob", solid=ROUND, position=(long, 0.0, 0.0)))
    hinge = {"parent": fl.GROUND, "child": "bob", "axis": (0.0, 1.0, 0.0)}
    model.add(fl.Joint("hinge", fl.REVOLUTE, position=(0.0, 0.0, 0.0), **hinge))
    wall = {"axis": (1.0, 0.0, 0.0), "position": (-models.RADIUS, 0.0, 0.0)}
    model.add(fl.Shape("wall", KIND.PLANE, **wall))
    model.add(fl.Contact("touch", between=("bob", "wall"), restitution=0.5))
    results = run(models.weight(model), 0.6)
    velocities = results.velocities("bob", frame="world")[:, :3]
    change = MASS * np.diff(velocities, axis=0)
    force = results.reactions("hinge", frame="world")[1:, :3]
    force = force + results.contact.total("touch")[1:]
    force = force + np.array([0.0, 0.0, -MASS * impacts.GRAVITY])
    hits = np.flatnonzero(results.contact.total("touch")[1:, 0])
    assert hits.size
    size = np.abs(change[hits]).max()
    missing = np.abs(STEP * force - change)
    assert missing[hits].max() < 5e-3 * size
    smooth = np.setdiff1d(np.arange(len(change)), hits)
    assert missing[smooth].max() < 5e-3 * size
