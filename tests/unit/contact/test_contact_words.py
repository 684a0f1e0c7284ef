"""Contacts and shapes that would do nothing, and names that nobody has, in words."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import femlie as fl
from femlie.solvers.contact import ContactRun
from femlie.solvers.contact_words import (
    instability_in_words,
    kinks_in_words,
    self_contact_in_words,
)
from femlie.solvers.static_run import StaticRun
from tests.validation import contact_models as rods


def yard(*parts: Any) -> fl.Model:
    """A clamped rod, a floor, a wall and a box."""
    model = fl.Model(rods.line("s", (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), 4))
    model.add(fl.Beam("rod", cells="s", section=rods.section()))
    model.add(fl.Support("held", at="s_0"))
    model.add(fl.Shape("floor", fl.PLANE, position=(0.0, 0.0, -1.0)))
    wall = {"position": (0.0, -1.0, 0.0), "axis": (0.0, 1.0, 0.0)}
    model.add(fl.Shape("wall", fl.PLANE, **wall))
    crate = fl.box(size=(0.1, 0.1, 0.1), density=1.0)
    model.add(fl.Body("crate", solid=crate, position=(0.0, 0.0, 3.0)))
    model.add(fl.Shape("lid", fl.SPHERE, radius=0.01, on="crate"))
    for part in parts:
        model.add(part)
    return model


def touch(first: str, second: str, name: str = "touch", **given: Any) -> fl.Contact:
    return fl.Contact(name, between=(first, second), **given)


IDLE: dict[str, tuple[list[fl.Contact], str]] = {
    "two shapes on the ground": (
        [touch("floor", "wall")],
        r"'touch' is between 'floor' and 'wall', which both stand on the ground",
    ),
    "a body and a shape on it": (
        [touch("crate", "lid")],
        r"'crate' and 'lid', which both stand on one body or node",
    ),
    "a radius of a body": (
        [touch("crate", "floor", radius=3.0)],
        r"'crate' and 'floor' and has the radius 3, but only surfaces of beams",
    ),
    "one pair twice": (
        [touch("rod", "crate", "one", friction=0.1), touch("crate", "rod", "other")],
        r"'other' is between 'crate' and 'rod', as contact 'one' is.*leave one",
    ),
    "a shape that nobody knows": (
        [touch("rod", "flor")],
        r"refers to 'flor', which is no beam, shape, body.*Did you mean 'floor'\?",
    ),
}


@pytest.mark.parametrize("name", IDLE)
def test_contact_that_could_do_nothing_is_refused(name: str) -> None:
    contacts, words = IDLE[name]
    with pytest.raises(fl.ModelError, match=words):
        yard(*contacts).build()


def test_shape_without_contact_is_said() -> None:
    warnings = " ".join(yard(touch("rod", "floor")).build().warnings)
    assert re.findall(r"Shape '(\w+)' is in no contact", warnings) == ["wall", "lid"]


def test_length_that_was_given_as_nothing_is_not_called_missing() -> None:
    with pytest.raises(fl.ModelError, match="length of Shape 'pill' is 0: expected"):
        yard(fl.Shape("pill", fl.CAPSULE, radius=1.0, length=0.0)).build()


def test_kind_of_a_shape_in_words_is_answered_by_its_names() -> None:
    with pytest.raises(fl.ModelError, match=r"'plane': expected fl\.PLANE, fl\.SPHERE"):
        yard(fl.Shape("ramp", "plane")).build()  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", list(fl.ShapeKind))
def test_each_kind_of_shape_has_a_short_name(kind: fl.ShapeKind) -> None:
    assert getattr(fl, kind.name) is kind


@pytest.mark.parametrize(("friction", "advice"), [(0.0, "Add friction,"), (0.1, "Add")])
def test_what_slides_down_a_slope_is_not_told_to_touch_first(
    friction: float, advice: str
) -> None:
    """A ball on a slope of 10 degrees touches it, and rolls or slides whatever is."""
    model = fl.Model()
    ball = fl.sphere(0.05, density=1000.0)
    model.add(fl.Body("ball", solid=ball, position=(0.0, 0.0, 0.05)))
    model.add(fl.Shape("slope", fl.PLANE))
    model.add(touch("ball", "slope", friction=friction))
    model.add(fl.Gravity("weight", acceleration=(1.70, 0.0, -9.66)))
    with pytest.raises(fl.ConvergenceError) as caught:
        fl.Static().solve(model.build())
    text = str(caught.value)
    assert "'ball' and 'slope' touch, which holds them only against each other" in text
    assert advice in text
    assert "apart" not in text
    assert "Without load" not in text


@pytest.mark.parametrize(("turns", "is_stable"), [(1.40, True), (1.46, False)])
def test_failure_behind_an_unstable_state_says_so(
    turns: float, is_stable: bool
) -> None:
    """A strut at a wall buckles as two clamped and pinned halves at 1.43 pi."""
    system = rods.strut_at_wall(40, turns * np.pi, 1e-3)
    solver = fl.Static(checks_stability=False)
    job = StaticRun(solver, system, fl.Output(), None)
    job.march(None, 0.1, largest=0.1)
    assert job.contact is not None
    words = instability_in_words(job.contact, job.assembly, job.motion)
    assert ("1 negative eigenvalue: there it buckles" in words) != is_stable


def test_failure_of_what_may_touch_itself_speaks_of_loops_and_knots() -> None:
    for name, is_own in (("rod", True), ("floor", False)):
        system = yard(touch("rod", name)).build()
        assert system.contact is not None
        found = ContactRun(system, system.contact)
        words = self_contact_in_words(found)
        assert ("dynamic analysis with damping" in words) == is_own


@pytest.mark.parametrize(("n", "is_at_node"), [(10, True), (11, False)])
def test_rods_that_cross_at_a_node_are_found(n: int, is_at_node: bool) -> None:
    job = StaticRun(fl.Static(), rods.crossing(n, 0.005), fl.Output(), None)
    job.march(None, 1.0)
    assert job.contact is not None
    words = kinks_in_words(job.contact, job.assembly, job.motion)
    assert ("'upper' and 'lower' touch at a node" in words) == is_at_node
