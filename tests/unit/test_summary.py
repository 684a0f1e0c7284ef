"""What a model says of itself: sets of parts, redundant equations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import femlie as fl
from femlie.elements.user import Local
from tests.unit.sample_parts import ROUND


@dataclass(frozen=True)
class Mean:
    """Holds the middle one of three frames at the mean place of the others."""

    n_multipliers: int = 3

    def residual(self, local: Local) -> Any:
        turns, places = local.frames[..., :3, :3], local.frames[..., :3, 3]
        rows = np.zeros((len(places), 21))
        for k, weight in enumerate((-0.5, 1.0, -0.5)):
            rows[:, 6 * k : 6 * k + 3] = weight * np.einsum(
                "nji,nj->ni", turns[:, k], local.multipliers
            )
            rows[:, 18:] += weight * places[:, k]
        return rows


def three_rods(*more: Any, supported: str = "ends") -> Any:
    """Three rods side by side, whose near ends a user's element holds in a row."""
    points = [[x, y, 0] for y in (0, 1, 2) for x in (0, 1)]
    mesh = fl.mesh_from_arrays(
        points,
        [[0, 1], [2, 3], [4, 5]],
        node_groups={"a": [0], "b": [2], "c": [4], "ends": [1, 3, 5], "one": [1]},
        line_groups={"rods": [0, 1, 2]},
    )
    model = fl.Model(mesh)
    model.add(fl.Beam("rods", cells="rods", section=ROUND))
    model.add(fl.UserElement("mean", at=("a", "b", "c"), element=Mean()))
    model.add(fl.Support("feet", at=supported))
    for part in more:
        model.add(part)
    return model.build()


def test_a_users_element_joins_all_of_its_frames() -> None:
    summary = three_rods(supported="one").summary
    assert summary["disconnected_parts"] == 1
    assert summary["floating_parts"] == 0


def test_equations_of_a_users_element_count_where_joints_say_the_same() -> None:
    held = [
        fl.Joint(f"to {name}", fl.SPHERICAL, parent=fl.GROUND, child=name)
        for name in "abc"
    ]
    assert three_rods(*held[:2]).summary["redundant_constraints"] == 0
    assert three_rods(*held).summary["redundant_constraints"] == 3
    assert three_rods(held[0], held[2]).summary["redundant_constraints"] == 0


@pytest.mark.parametrize("n", [1, 2])
def test_unused_nodes_and_lines_are_named(n: int) -> None:
    points = [[float(k), 0, 0] for k in range(2)] + [[k, 5.0, 0] for k in range(n)]
    points += [[0, 9.0, 0], [1, 9.0, 0]]
    mesh = fl.mesh_from_arrays(
        points,
        [[0, 1], [n + 2, n + 3]],
        line_groups={"rod": [0], "spare": [1]},
    )
    model = fl.Model(mesh)
    model.add(fl.Beam("beam", cells="rod", section=ROUND))
    system = model.build()
    assert system.summary["orphan_nodes"] == n + 2
    assert any("'spare'" in warning for warning in system.warnings)
