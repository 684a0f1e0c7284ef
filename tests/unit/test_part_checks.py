"""Every field of every part and sensor refuses what it cannot be."""

from __future__ import annotations

import dataclasses
import re
import typing
from collections.abc import Callable
from enum import Enum
from typing import Any

import numpy as np
import pytest

import femlie as fl
from femlie.build.check import check_part
from femlie.errors import ModelError
from femlie.parts import PART_KINDS
from femlie.sensors import Sensor
from tests.unit.sample_parts import NAN, ROUND, build, rod

SENSORS = typing.get_args(Sensor)
RECORDS = {fl.Motor: "motor", fl.JointSpring: "spring", fl.Stop: "stop"}
VECTOR = tuple[float, float, float]
DOCUMENTED = re.compile(r"^ *([\w, ]+) : \(3,\)", re.MULTILINE)
# fields whose hints say too little
GIVEN: dict[tuple[Any, str], Any] = {
    (fl.Beam, "section"): ROUND,
    (fl.UserElement, "element"): None,
    (fl.Controller, "function"): lambda _time, _readings: 0.0,
    (fl.Bushing, "stiffness"): (1.0,) * 6,
    (fl.UserElement, "at"): ("x",),
    (fl.Controller, "sensors"): ("x",),
    (fl.ModalBody, "beams"): ("x",),
    (fl.ModalBody, "interfaces"): ("x",),
    (fl.Contact, "between"): ("x", "x"),
}


def options_of(hint: Any) -> tuple[Any, ...]:
    return typing.get_args(hint) if not isinstance(hint, type) else (hint,)


def sample(kind: Any, name: str, hint: Any) -> Any:
    """Some value for a field that has to be given."""
    if (kind, name) in GIVEN:
        return GIVEN[kind, name]
    options = options_of(hint)
    for option in options:
        if isinstance(option, type) and issubclass(option, Enum):
            return next(iter(option))
    if str in options:
        return "x"
    return ("x",) if typing.get_origin(hint) is tuple else 1.0


def made(part: Any, /, **changes: Any) -> Any:
    hints = typing.get_type_hints(part)
    given = {
        field.name: sample(part, field.name, hints[field.name])
        for field in dataclasses.fields(part)
        if field.default is dataclasses.MISSING
    }
    return part(**{**given, **changes})


def check(kind: Any, name: str, value: Any) -> None:
    """Check a part, or one around a record, with a field of some value."""
    thing = made(kind, **{name: value})
    if kind in RECORDS:
        thing = made(fl.Joint, **{RECORDS[kind]: thing})
    check_part(thing)


def refused(kind: Any, name: str, value: Any) -> str:
    """The message for a field of some value."""
    with pytest.raises(ModelError) as caught:
        check(kind, name, value)
    return str(caught.value)


def fields(*kinds: Any) -> list[tuple[Any, str, Any]]:
    return [
        (kind, field.name, typing.get_type_hints(kind)[field.name])
        for kind in kinds
        for field in dataclasses.fields(kind)
        if field.name != "name"
    ]


EVERYTHING = fields(*PART_KINDS, *SENSORS, *RECORDS)
VECTORS = [(k, n) for k, n, h in EVERYTHING if VECTOR in (h, *options_of(h))]
NUMBERS = [(k, n) for k, n, h in EVERYTHING if float in (h, *options_of(h))]
ENUMS = [
    (k, n)
    for k, n, h in EVERYTHING
    if any(isinstance(o, type) and issubclass(o, Enum) for o in options_of(h))
]


def titles(cases: list[tuple[Any, str]]) -> list[str]:
    return [f"{kind.__name__}.{name}" for kind, name in cases]


@pytest.mark.parametrize("kind", [*PART_KINDS, *SENSORS], ids=lambda k: k.__name__)
def test_sample_values_are_accepted(kind: Any) -> None:
    check_part(made(kind))


@pytest.mark.parametrize(("kind", "name"), VECTORS, ids=titles(VECTORS))
def test_vectors_have_three_finite_numbers(kind: Any, name: str) -> None:
    wrong = [(1.0, 0.0), (1.0, 0.0, 0.0, 0.0), (1.0, 0.0, "0"), 1.0]
    broken = [(1.0, 0.0, NAN), [1.0, 0.0, NAN], np.array([1.0, 0.0, NAN])]
    for value in (*wrong, *broken, np.array([[1.0, 0.0, NAN]])):
        assert name in refused(kind, name, value)


@pytest.mark.parametrize("kind", [*PART_KINDS, *SENSORS], ids=lambda k: k.__name__)
def test_vectors_of_the_docstring_are_vectors_of_the_hints(kind: Any) -> None:
    found = DOCUMENTED.findall(kind.__doc__ or "")
    documented = {name.strip() for line in found for name in line.split(",")}
    known = {name for other, name in VECTORS if other is kind}
    # a function may stand there too, so that the build asks it
    assert documented - known <= {"velocity", "angular_velocity", "inertia"}


@pytest.mark.parametrize(("kind", "name"), NUMBERS, ids=titles(NUMBERS))
def test_numbers_are_finite_numbers(kind: Any, name: str) -> None:
    for value in (NAN, "1", (1.0,), True, np.float64("nan")):
        assert refused(kind, name, value)


@pytest.mark.parametrize(("kind", "name"), ENUMS, ids=titles(ENUMS))
def test_choices_are_no_texts(kind: Any, name: str) -> None:
    assert "expected" in refused(kind, name, ["nothing known"])


def test_arrays_do_as_well_as_tuples() -> None:
    check_part(fl.Force("push", at="tip", force=np.array([1.0, 0.0, 0.0])))
    check_part(fl.Support("foot", at="tip", held=np.array([True] * 6)))


@pytest.mark.parametrize("scale", [0.0, -1.0, NAN])
def test_time_scale_of_a_motion_is_positive(scale: float) -> None:
    motion = fl.Motion(value=lambda time: time, time_scale=scale)
    message = refused(fl.Force, "over_time", motion)
    assert "time_scale" in message
    assert "'x'" in message


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (fl.Gravity, "on"),
        (fl.InitialMotion, "on"),
        (fl.RigidLink, "at"),
        (fl.UserElement, "at"),
    ],
)
def test_lists_of_names_are_not_empty(kind: Any, name: str) -> None:
    assert "empty" in refused(kind, name, ())


def test_names_in_a_list_are_texts() -> None:
    assert "several names" in refused(fl.Gravity, "on", (3,))


def test_a_section_without_what_a_beam_asks_is_refused() -> None:
    class Half:
        def matrices(self, fractions: Any) -> Any:
            return fractions

    message = refused(fl.Beam, "section", Half())
    assert "Half" in message
    assert "is_uniform" in message


@pytest.mark.parametrize(
    ("kind", "name"),
    [(fl.Body, "inertia"), (fl.PointMass, "inertia"), (fl.Bushing, "stiffness")],
)
@pytest.mark.parametrize("value", ["abc", (1.0, (2.0, 3.0), 1.0), (1.0, NAN, 1.0)])
def test_matrices_of_other_things_are_refused_by_name(
    kind: Any, name: str, value: Any
) -> None:
    given: dict[str, Any] = {"at": "tip", "mass": 1.0}
    if kind is fl.Bushing:
        given = {"first": "root", "second": "tip"}
    with pytest.raises(ModelError, match=name):
        build(rod(), kind("thing", **given, **{name: value}))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: fl.Force("push", "tip", (0, 0, 1), follower=len), "True or False"),
        (lambda: fl.Force("push", "tip", force=len), "three numbers"),
        (lambda: fl.FrameGroup("group", group=None), "fl.SE3"),
        (lambda: fl.PointMass("lump", "tip", None), "a number"),
        (lambda: fl.Controller("motor", None, len, at="tip"), "several names"),
    ],
)
def test_functions_and_nothing_fit_only_where_they_mean_something(
    make: Callable[[], Any], words: str
) -> None:
    with pytest.raises(fl.ModelError, match=f"expected.*{words}"):
        check_part(make())
