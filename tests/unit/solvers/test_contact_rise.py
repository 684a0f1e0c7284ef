"""Energies of two places under the same loads, which statics compares at its end."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import femlie as fl
from femlie.assembly import STATIC, Assembly
from femlie.lie import quaternion
from femlie.solvers.contact_rise import rise_in_words

MASS, WEIGHT, RISE, PUSH, WAY = 3.0, 9.81, 0.4, 20.0, 0.25
TURN = np.array([0.0, 0.6, 0.0])


def words_of(*more: Any, way: tuple[float, float, float]) -> list[str]:
    """A body of 3 kg that has moved and turned since the start."""
    model = fl.Model()
    model.add(
        fl.Body("crate", mass=MASS, inertia=(0.1, 0.1, 0.1), position=(0.5, 0.0, 1.0))
    )
    for part in (fl.Gravity("weight", acceleration=(0.0, 0.0, -WEIGHT)), *more):
        model.add(part)
    assembly = Assembly(model.build(), regime=STATIC)
    motion = assembly.motion(assembly.system.state)
    starts = motion.poses.copy()
    motion.time[0] = 1.0
    motion.poses[1, :3] += way
    motion.poses[1, 3:] = quaternion.multiply(motion.poses[1, 3:], quaternion.exp(TURN))
    return rise_in_words(assembly, motion, starts)


def push(**more: Any) -> fl.Force:
    return fl.Force("push", at="crate", force=(PUSH, 0.0, 0.0), **more)


def test_what_has_risen_has_the_energy_of_its_weight() -> None:
    (words,) = words_of(way=(0.1, 0.0, RISE))
    assert f"{MASS * WEIGHT * RISE:.3g} J" in words


def test_what_has_fallen_says_nothing() -> None:
    assert not words_of(way=(0.1, 0.0, -RISE))


def test_work_of_a_force_counts_for_what_it_has_pushed_up() -> None:
    (words,) = words_of(push(), way=(WAY, 0.0, RISE))
    assert f"{MASS * WEIGHT * RISE - PUSH * WAY:.3g} J" in words
    assert not words_of(push(), way=(2.0 * RISE, 0.0, RISE))


@pytest.mark.parametrize(
    "more",
    [
        push(follower=True),
        fl.Joint(
            "lift",
            fl.PRISMATIC,
            parent=fl.GROUND,
            child="crate",
            axis=(0, 0, 1),
            motor=fl.Motor(torque=1.0),
        ),
    ],
    ids=["turning force", "motor"],
)
def test_work_that_has_no_energy_is_left_alone(more: Any) -> None:
    assert not words_of(more, way=(WAY, 0.0, RISE))
