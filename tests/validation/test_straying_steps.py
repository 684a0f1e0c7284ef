"""Newton's iteration must not end at a solution that is far from the motion."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import femlie as fl


def kicked_pendulum(kick: float) -> Any:
    """Two stiff rods on hinges, whose end is hit: waves far shorter than a step."""
    lines = [
        fl.straight_line(start, end, n_elements=3, name=name,
                         start_name=f"{name} start", end_name=f"{name} end")
        for name, start, end in (("one", (0.0, 0.0, 0.0), (0.3, 0.0, 0.0)),
                                 ("two", (0.3, 0.0, 0.0), (0.6, 0.0, 0.0)))
    ]  # fmt: skip
    model = fl.Model(fl.join_meshes(*lines, tolerance_ratio=None))
    plastic = fl.Material(young=3e9, poisson=0.3, density=1400.0)
    section = fl.CircularSection(radius=0.01, material=plastic)
    for name in ("one", "two"):
        model.add(fl.Beam(name, cells=name, section=section))
    axis = {"axis": (0.0, 1.0, 0.0)}
    model.add(fl.Joint("top", fl.REVOLUTE, parent=fl.GROUND, child="one start", **axis))
    model.add(
        fl.Joint("knee", fl.REVOLUTE, parent="one end", child="two start", **axis)
    )
    model.add(fl.InitialMotion("kick", on=("two end",), velocity=(0.0, 0.0, kick)))
    model.add(fl.Gravity("weight", acceleration=(0.0, 0.0, -9.81)))
    return model


@pytest.mark.parametrize("rho", [0.8, 0.85, 0.9])
def test_stiff_rods_on_hinges_gain_no_energy(rho: float) -> None:
    """Waves of nine elements' length a step: energy of the kick at most."""
    solver = fl.GeneralizedAlpha(spectral_radius=rho)
    model = kicked_pendulum(2.0).build()
    results = solver.solve(model, duration=0.2, time_step=1e-3)
    total = results.energy.total
    assert total.max() < 1.01 * total[0]
    # most of the motion is left: the method damps no more than fast waves
    assert total[-1] > 0.8 * total[0]
    assert not results.warnings


def test_energy_that_nothing_gave_is_told() -> None:
    """A pendulum by an explicit method in steps that are too long for it."""
    model = fl.Model()
    model.add(fl.Body("bob", position=(0.0, 0.0, 0.0), mass=1.0, inertia=(1.0,) * 3))
    model.add(fl.Support("guide", at="bob", kind=fl.CUSTOM,
                         held=(False, True, True, True, True, True)))  # fmt: skip
    stiff = (100.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    model.add(fl.Bushing("spring", fl.GROUND, "bob", stiffness=stiff))
    start = {"on": ("bob",), "velocity": (1.0, 0.0, 0.0)}
    model.add(fl.InitialMotion("start", **start))
    solver = fl.MuntheKaas(tableau=fl.RungeKutta.EULER)
    results = solver.solve(model.build(), duration=1.0, time_step=2e-3)
    assert results.energy.total[-1] > 1.05 * results.energy.total[0]
    (words,) = results.warnings
    assert "gained" in words
    assert "smaller time step" in words
    small = solver.solve(model.build(), duration=0.1, time_step=1e-5)
    assert not np.any([("gained" in words) for words in small.warnings])
