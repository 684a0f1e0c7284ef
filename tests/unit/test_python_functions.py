"""Functions that a user writes in Python are tried at the build."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import femlie as fl
from femlie._jit import IS_COMPILED

RUN = {"duration": 0.01, "time_step": 1e-3}


def rod(*parts: Any) -> fl.Model:
    model = fl.Model(fl.straight_line((0, 0, 0), (1, 0, 0), n_elements=1))
    round_rod = fl.CircularSection(
        radius=0.02, material=fl.Material(young=1e9, poisson=0.3, density=1000.0)
    )
    model.add(fl.Beam("rod", cells="line", section=round_rod))
    model.add(fl.Support("root", at="start"))
    model.add(fl.PointSensor("tip", at="end"))
    for part in parts:
        model.add(part)
    return model


def push(over_time: Any) -> fl.Force:
    return fl.Force("push", at="end", force=(0.0, 0.0, 1.0), over_time=over_time)


def controller(function: Any) -> fl.Controller:
    return fl.Controller("guard", sensors=("tip",), function=function, at="end")


def motion(function: Any) -> fl.InitialMotion:
    return fl.InitialMotion("fling", velocity=function)


BAD = {
    "two arguments": (push(lambda _t, _x: 1.0), ["'push'", "(_t, _x)"]),
    "no argument": (push(lambda: 1.0), ["'push'", "()"]),
    "nothing": (push(lambda _t: None), ["'push'", "gave None", "one finite number"]),
    "a vector": (push(lambda _t: np.zeros(3)), ["'push'", "array([0., 0., 0.])"]),
    "a text": (push(lambda _t: "1"), ["'push'", "'1'"]),
    "not a number": (push(lambda _t: math.nan), ["'push'", "gave nan at time 0"]),
    "a rate of nothing": (
        push(fl.Motion(value=lambda _t: 1.0, rate=lambda _t: None)),
        ["rate", "'push'", "None"],
    ),
    "a controller of one argument": (
        controller(lambda _t: [0] * 6),
        ["'guard'", "(_t)"],
    ),
    "a controller of nothing": (
        controller(lambda _t, _r: None),
        ["'guard'", "None", "six finite numbers"],
    ),
    "a controller of three numbers": (
        controller(lambda _t, _r: [1, 2, 3]),
        ["'guard'", "[1, 2, 3]", "six finite numbers"],
    ),
    "a controller of words": (controller(lambda _t, _r: "off"), ["'guard'", "'off'"]),
    "a field without points": (motion(lambda: (0, 0, 0)), ["'fling'", "()"]),
    "a field of nothing": (motion(lambda _p: None), ["'fling'", "None"]),
    "a field in the plane": (motion(lambda p: p[:, :2]), ["'fling'", "(2, 2)"]),
}


@pytest.mark.parametrize(("part", "words"), BAD.values(), ids=BAD)
def test_a_function_of_another_kind_is_refused_at_the_build(
    part: Any, words: list[str]
) -> None:
    with pytest.raises(fl.ModelError) as caught:
        rod(part).build()
    for word in words:
        assert word in str(caught.value)


def test_what_a_function_gives_later_is_looked_at_too() -> None:
    late = push(lambda t: math.inf if t > 5e-3 else 1.0)
    with pytest.raises(fl.ModelError, match=r"'push' gave inf at time 0\.00"):
        fl.GeneralizedAlpha().solve(rod(late).build(), **RUN)


@pytest.mark.parametrize("function", [math.sqrt, np.sqrt, lambda t: t > 0.005])
def test_a_load_is_never_asked_for_times_before_zero(function: Any) -> None:
    fl.GeneralizedAlpha().solve(rod(push(function)).build(), **RUN)


@pytest.mark.skipif(not IS_COMPILED, reason="nothing is compiled")
@pytest.mark.parametrize(
    ("part", "name"),
    [(push(lambda _t: 1.0), "'push'"), (controller(lambda _t, _r: [0] * 6), "'guard'")],
)
def test_what_keeps_the_loop_from_being_compiled_is_said_once(
    part: Any, name: str
) -> None:
    results = fl.GeneralizedAlpha().solve(rod(part).build(), **RUN)
    said = [text for text in results.warnings if "not compiled" in text]
    assert len(said) == 1
    assert name in said[0]
    assert results.summary["loop"] == "interpreted"


def test_a_table_over_time_is_compiled_and_says_nothing() -> None:
    table = fl.Table(times=(0.0, 1.0), values=(0.0, 1.0))
    assert rod(push(table)).build().warnings == ()
