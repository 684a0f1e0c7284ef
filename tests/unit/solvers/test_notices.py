"""Energies of a run from which a user should learn that numbers are wrong."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from femlie.records import ENERGY_NAMES
from femlie.solvers.notices import energy_from_nothing, has_moved


def records(**columns: list[float]) -> Any:
    """Rows of the ledger of which some columns are given."""
    n = len(next(iter(columns.values())))
    energies = np.zeros((n, len(ENERGY_NAMES)))
    for name, values in columns.items():
        energies[:, ENERGY_NAMES.index(name)] = values
    return SimpleNamespace(energies=energies, times=np.arange(float(n)))


@pytest.mark.parametrize(
    ("work", "is_told"),
    [
        ([0.0, 0.0, 3.0], True),
        ([0.0, 0.0, 0.1], False),
        # parts that overlap at the start are parted in the first step
        ([0.0, 3.0, 3.0], False),
        ([0.0, 0.0, -3.0], False),
    ],
)
def test_energy_that_corrections_gave_is_told(work: list[float], is_told: bool) -> None:
    kinetic = [10.0 + one for one in work]
    words = energy_from_nothing(records(kinetic=kinetic, correction_work=work))
    assert len(words) == is_told
    if is_told:
        assert "out of each other gave 3 J" in words[0]


def test_one_row_says_nothing() -> None:
    assert not energy_from_nothing(records(kinetic=[1.0], correction_work=[0.0]))


def test_energy_that_nothing_gave_is_told() -> None:
    (words,) = energy_from_nothing(records(kinetic=[1.0, 2.0, 4.0]))
    assert "gained 3 J" in words


@pytest.mark.parametrize("origin", [0.0, 1e6])
def test_what_stands_still_has_no_energies_to_compare(origin: float) -> None:
    poses = np.zeros((3, 2, 7))
    poses[..., 0] = origin
    poses[..., 3] = 1.0
    assert not has_moved(SimpleNamespace(poses=poses), 1.0)  # type: ignore[arg-type]
    poses[2, 1, 2] += 1e-12
    assert not has_moved(SimpleNamespace(poses=poses), 1.0)  # type: ignore[arg-type]
    for column, amount in ((2, 1e-4), (5, 1e-9)):
        moved = poses.copy()
        moved[2, 1, column] += amount
        assert has_moved(SimpleNamespace(poses=moved), 1.0)  # type: ignore[arg-type]
