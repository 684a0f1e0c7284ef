"""Derivatives that a motion gives are those of its value, or it is refused."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import femlie as fl


def driven(over_time: Any) -> fl.Model:
    model = fl.Model()
    model.add(fl.Body("wheel", mass=1.0, inertia=(1.0, 1.0, 1.0)))
    motor = fl.Motor(motion=1.0, over_time=over_time)
    model.add(
        fl.Joint(
            "axle", fl.REVOLUTE, parent=fl.GROUND, child="wheel", position=(0, 0, 0),
            motor=motor,
        )
    )  # fmt: skip
    return model


def pushed(over_time: Any) -> fl.Model:
    model = fl.Model()
    model.add(fl.Body("block", mass=1.0, inertia=(1.0, 1.0, 1.0)))
    model.add(fl.Force("push", "block", force=(1, 0, 0), over_time=over_time))
    return model


def square(time: float) -> float:
    return time * time


def twice(time: float) -> float:
    return 2.0 * time


WRONG = {
    "second rate": (
        fl.Motion(value=square, rate=twice, second_rate=lambda _t: 5.0),
        r"second rate of over_time of 'axle' is 5 at time .* rate give 2[:.]",
    ),
    "second rate without a rate": (
        fl.Motion(value=square, second_rate=lambda _t: -2.0),
        r"second rate of over_time of 'axle' is -2 at time .* value give 2[:.]",
    ),
    "rate": (
        fl.Motion(value=square, rate=square, second_rate=lambda _t: 2.0),
        r"The rate of over_time of 'axle' is .* value give",
    ),
    "rate in degrees": (
        fl.Motion(value=math.sin, rate=lambda t: math.cos(math.radians(t)) * 57.3),
        r"The rate of over_time of 'axle'",
    ),
    "a motion that is over soon": (
        fl.Motion(
            value=lambda t: min(t, 0.01) ** 2,
            rate=lambda t: 3.0 * t if t < 0.01 else 0.0,
        ),
        r"The rate of over_time of 'axle'",
    ),
    "a slow motion": (
        fl.Motion(
            value=lambda t: math.sin(1e-3 * t),
            rate=lambda t: 1.1e-3 * math.cos(1e-3 * t),
            time_scale=1e3,
        ),
        r"The rate of over_time of 'axle'",
    ),
}


@pytest.mark.parametrize(("motion", "words"), WRONG.values(), ids=WRONG)
def test_derivatives_of_another_function_are_refused(
    motion: fl.Motion, words: str
) -> None:
    with pytest.raises(fl.ModelError, match=words):
        driven(motion).build()


def test_rate_of_a_load_is_looked_at_and_its_second_rate_is_not() -> None:
    with pytest.raises(fl.ModelError, match="rate of over_time of 'push'"):
        pushed(fl.Motion(value=square, rate=lambda t: -2.0 * t)).build()
    pushed(fl.Motion(value=square, rate=twice, second_rate=math.sin)).build()


def wave(pace: float, size: float = 1.0) -> fl.Motion:
    return fl.Motion(
        value=lambda t: size + math.sin(pace * t),
        rate=lambda t: pace * math.cos(pace * t),
        second_rate=lambda t: -(pace**2) * math.sin(pace * t),
    )


def smooth_ramp(end: float) -> fl.Motion:
    """1 - cos up to a time, then still; its second rate jumps there."""
    pace = math.pi / end
    return fl.Motion(
        value=lambda t: 0.5 * (1.0 - math.cos(pace * min(t, end))),
        rate=lambda t: 0.5 * pace * math.sin(pace * min(t, end)),
        second_rate=lambda t: 0.5 * pace**2 * math.cos(pace * t) if t < end else 0.0,
    )


def limited(time: float) -> float:
    """Known for the first 10 ms only."""
    if not -1e-3 <= time <= 0.01:
        raise ValueError(time)
    return time * time


RIGHT = {
    "slow wave": wave(1e-2),
    "wave": wave(3.0),
    "fast wave": wave(1e3),
    "very fast wave": wave(3e4),
    "ultrasound": wave(2.5e5),
    "waves of two paces": fl.Motion(
        value=lambda t: math.sin(t) + 1e-6 * math.sin(1e6 * t),
        rate=lambda t: math.cos(t) + math.cos(1e6 * t),
    ),
    "fast wave on a long scale": fl.Motion(
        value=lambda t: math.sin(300.0 * t),
        rate=lambda t: 300.0 * math.cos(300.0 * t),
        time_scale=1e3,
    ),
    "wave on a large value": wave(5.0, size=1e6),
    "short ramp": smooth_ramp(0.02),
    "ramp": smooth_ramp(0.371),
    "constant": fl.Motion(
        value=lambda _t: 2.0, rate=lambda _t: 0.0, second_rate=lambda _t: 0.0
    ),
    "known for a while only": fl.Motion(value=limited, rate=twice),
    "numbers of numpy": fl.Motion(value=np.sin, rate=np.cos),
}


@pytest.mark.parametrize("motion", RIGHT.values(), ids=RIGHT)
def test_right_derivatives_are_taken(motion: fl.Motion) -> None:
    driven(motion).build()
