"""Solvers need no more of the elements than retract, residual and tangent."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.special import ellipj, ellipk

import femlie as fl
from tests.property.stand_in import (
    HardSpring,
    Pendulum,
    put_in_place,
    stand_in_system,
)

AMPLITUDE = 1.5
DURATION = 0.8


def exact_angle(pendulum: Pendulum, time: float) -> float:
    """Angle from the vertical after a release from rest: ``sin(t/2) = k cd(w t)``."""
    k = np.sin(0.5 * AMPLITUDE)
    pace = np.sqrt(pendulum.gravity / pendulum.length)
    sine, _, _, _ = ellipj(ellipk(k**2) - pace * time, k**2)
    return float(2.0 * np.arcsin(k * sine))


def place(angle: float) -> Any:
    return np.array([np.sin(angle), 0.0, -np.cos(angle)])


def swing(solver: Any, time_step: float) -> float:
    """Error of the place at the end."""
    pendulum = Pendulum()
    system = stand_in_system(pendulum, place(AMPLITUDE), np.zeros(3))
    motion = solver.solve(system, duration=DURATION, time_step=time_step)
    expected = place(exact_angle(pendulum, DURATION))
    return float(np.linalg.norm(motion.positions("bob")[-1] - expected))


@pytest.mark.parametrize(
    ("solver", "order"),
    [
        (fl.GeneralizedAlpha(residual_tolerance=1e-11), 2),
        (fl.GeneralizedAlpha(residual_tolerance=1e-11, is_stabilized=False), 2),
        (fl.MuntheKaas(), 4),
    ],
    ids=["index 2", "index 3", "Munthe-Kaas"],
)
def test_pendulum_written_by_hand_swings_as_it_should(
    solver: Any, order: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_in_place(monkeypatch, Pendulum())
    coarse, fine = swing(solver, 0.02), swing(solver, 0.01)
    assert fine < 2e-3
    assert np.log2(coarse / fine) == pytest.approx(order, abs=0.25)


def test_spring_written_by_hand_carries_its_load(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    spring = HardSpring()
    put_in_place(monkeypatch, spring)
    system = stand_in_system(spring, np.zeros(3), np.zeros(3))
    shape = fl.Static().solve(system)
    roots = np.roots([spring.hardening, 0.0, spring.stiffness, -spring.load])
    expected = roots[np.abs(roots.imag) < 1e-9].real
    assert shape.positions("bob")[-1] == pytest.approx([0.0, *expected, 0.0], abs=1e-10)


def test_stand_in_takes_the_place_of_all_elements() -> None:
    system = stand_in_system(Pendulum(), place(AMPLITUDE), np.zeros(3))
    with pytest.raises(AssertionError, match="element"):
        fl.GeneralizedAlpha().solve(system, duration=0.1, time_step=0.1)
