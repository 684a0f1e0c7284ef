"""What a run gains and loses is booked: the balance closes with the step squared."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

import femlie as fl
from femlie._jit import IS_COMPILED
from tests.property.random_models import random_model

SEEDS = [1, 2, 10, 11] if IS_COMPILED else []
MORE_SEEDS = [pytest.param(seed, marks=pytest.mark.slow) for seed in range(300, 340)]
DURATION = 0.02


def smoothed(record: Any) -> Any:
    """A part with its tables as splines: a kink costs an order where it falls."""
    changes: dict[str, Any] = {}
    for field in dataclasses.fields(record):
        value = getattr(record, field.name)
        if isinstance(value, fl.Table):
            smooth = dataclasses.replace(value, interpolation=fl.Interpolation.SMOOTH)
            changes[field.name] = smooth
        elif isinstance(value, fl.Motor):
            changes[field.name] = smoothed(value)
        elif isinstance(value, tuple) and value and isinstance(value[0], fl.Motor):
            changes[field.name] = tuple(map(smoothed, value))
    return dataclasses.replace(record, **changes)


def smooth_model(seed: int) -> fl.Model:
    model = random_model(seed, horizon=DURATION)
    smooth = fl.Model(model.mesh)
    for part in model.parts.values():
        smooth.add(smoothed(part))
    return smooth


@pytest.mark.parametrize("seed", [*SEEDS, *MORE_SEEDS])
def test_balance_closes_with_the_step_squared(seed: int) -> None:
    system = smooth_model(seed).build()
    solver = fl.GeneralizedAlpha(projects_start=True, residual_tolerance=1e-10)
    missing: list[float] = []
    # fast modes swing within the first steps: then the limit shows at finer ones
    for halvings in range(4):
        time_step = 2.5e-4 / 2**halvings
        motion = solver.solve(system, duration=DURATION, time_step=time_step)
        missing.append(abs(float(motion.energy.relative_balance[-1])))
        # what the iteration leaves of the residual does work too
        closes = missing[-1] < 3e-7 or observed_order(missing) > 1.8
        if halvings and closes:
            break
    assert missing[1] < 1e-3
    assert closes, missing


def observed_order(missing: list[float]) -> float:
    """Order from the first and the last of several steps, each half the one before."""
    halvings = max(1, len(missing) - 1)
    return float(np.log2(missing[0] / max(missing[-1], 1e-300)) / halvings)
