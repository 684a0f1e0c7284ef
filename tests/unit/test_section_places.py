"""Places along a beam, whatever the order of its elements in the mesh."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import femlie as fl

LINES = [[k, k + 1] for k in range(5)]
TURNED = [[0, 1], [2, 1], [2, 3], [4, 3], [4, 5]]


def cantilever(lines: Any, n_points: int = 6) -> fl.Model:
    points = [[0.2 * k, 0.0, 0.0] for k in range(6)] + [[0.4, 0.5, 0.0]]
    mesh = fl.mesh_from_arrays(
        points=points[:n_points],
        lines=lines,
        node_groups={"root": [0], "tip": [5]},
        line_groups={"rod": list(range(len(lines)))},
    )
    material = fl.Material(young=1e9, poisson=0.3, density=1e3)
    section = fl.CircularSection(radius=0.02, material=material)
    model = fl.Model(mesh)
    model.add(fl.Beam("rod", cells="rod", section=section))
    model.add(fl.Support("clamp", at="root"))
    model.add(fl.Force("push", at="tip", force=(0, 0, 1.0)))
    for name, at in (
        ("first", fl.SectionPlace.FIRST),
        ("last", fl.SectionPlace.LAST),
        ("third", 0.3),
    ):
        moment = fl.SectionForce.BENDING_MOMENT_Z
        model.add(fl.SectionForceSensor(name, beam="rod", component=moment, at=at))
    return model


@pytest.mark.parametrize("lines", [LINES, [LINES[k] for k in (0, 3, 1, 4, 2)], TURNED])
def test_moment_falls_from_the_root_to_the_tip(lines: Any) -> None:
    results = fl.Static().solve(cantilever(lines).build())
    found = [float(results.sensor(name)[-1]) for name in ("first", "third", "last")]
    # 1 N at 1 m, at 0.7 m and at the tip itself
    np.testing.assert_allclose(np.abs(found), (1.0, 0.7, 0.0), atol=1e-4)


def test_places_along_branches_are_refused() -> None:
    with pytest.raises(fl.ModelError, match=r"Sensor 'first' .* branch"):
        fl.Static().solve(cantilever([*LINES, [2, 6]], n_points=7).build())
