"""A model survives its file, and a run survives an interruption."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import femlie as fl
from femlie._jit import IS_COMPILED
from femlie.assembly import Assembly
from tests.property.model_states import random_state
from tests.property.random_models import random_model

SEEDS = [6, 12, 13] if IS_COMPILED else [6]
MORE_SEEDS = [pytest.param(seed, marks=pytest.mark.slow) for seed in range(400, 440)]
every_seed = pytest.mark.parametrize("seed", [*SEEDS, *MORE_SEEDS])
DURATION, TIME_STEP = 0.02, 1e-3


@every_seed
def test_model_read_from_its_file_is_the_same(seed: int, tmp_path: Path) -> None:
    model = random_model(seed)
    path = tmp_path / "model.toml"
    fl.write_model(model, None, path)
    read = fl.read_model(path)
    assert read.model == model
    systems = (model.build(), read.build())
    state = random_state(systems[0], seed)
    given, expected = (Assembly(system).residual(state) for system in systems)
    np.testing.assert_array_equal(given, expected)


def run(system: Any, *, path: Path, **options: Any) -> Any:
    solver = fl.GeneralizedAlpha(projects_start=True)
    output = fl.Output(path=path, checkpoint_every=7)
    return solver.solve(
        system, duration=DURATION, time_step=TIME_STEP, output=output, **options
    )


class InterruptionError(Exception):
    """Ends a run from outside, as a kill would."""


@pytest.mark.parametrize("is_script", [False, True], ids=["file", "script"])
@every_seed
def test_restarted_run_is_bit_identical(
    seed: int, is_script: bool, tmp_path: Path
) -> None:
    system = random_model(seed, horizon=DURATION, is_script=is_script).build()
    whole = run(system, path=tmp_path / "whole.h5")
    path = tmp_path / "broken.h5"

    def interrupt(share: float, _text: str) -> None:
        if share > 0.69:
            raise InterruptionError

    with pytest.raises(InterruptionError):
        run(system, path=path, progress=interrupt)
    rest = run(system, path=path, start=path)
    for name in whole.records._fields:
        given, expected = getattr(rest.records, name), getattr(whole.records, name)
        np.testing.assert_array_equal(given, expected, err_msg=name)
    for name in system.catalog.sensors:
        np.testing.assert_array_equal(rest.sensor(name), whole.sensor(name))


def test_what_only_a_script_can_say_is_refused_by_files(tmp_path: Path) -> None:
    model = random_model(6, is_script=True)
    with pytest.raises(fl.ModelError, match="Python"):
        fl.write_model(model, None, tmp_path / "model.toml")
