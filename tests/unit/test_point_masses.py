"""Point masses turn where rigid links or inertia let them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import femlie as fl

PLACES = {"a": [0], "b": [1], "c": [2]}


def masses(*names: str, **options: Any) -> Any:
    """Point masses of 1 kg at corners of a triangle, tied rigidly."""
    mesh = fl.mesh_from_arrays([[0, 0, 0], [1, 0, 0], [0, 2, 0]], node_groups=PLACES)
    model = fl.Model(mesh)
    for name in names:
        given = {"mass": 1.0, "inertia": options.get(name)}
        model.add(fl.PointMass(f"mass {name}", at=name, **given))
    if len(names) > 1:
        model.add(fl.RigidLink("link", at=names))
    return model


def test_a_mass_alone_does_not_turn() -> None:
    assert masses("a").build().dofs.n_frame_rows == 3


def test_masses_tied_in_a_triangle_turn_as_a_body() -> None:
    model = masses("a", "b", "c")
    model.add(fl.Force("push", at="b", force=(0.0, 3.0, 0.0)))
    system = model.build()
    assert system.dofs.n_frame_rows == 6
    solver = fl.MuntheKaas()
    motion = solver.solve(system, duration=1e-3, time_step=1e-3)
    # about the mass center: 1 kg each at their squared distances
    points = np.array([[0, 0], [1, 0], [0, 2.0]])
    arms = points - points.mean(axis=0)
    spin = arms[1, 0] * 3.0 / np.sum(arms**2)
    found = motion.accelerations("a")[0]
    np.testing.assert_allclose(found[3:], [0, 0, spin], rtol=1e-9, atol=1e-12)


def test_masses_tied_in_a_line_are_refused_without_inertia() -> None:
    with pytest.raises(fl.ModelError, match=r"'mass a', 'mass b'.*line.*inertia"):
        masses("a", "b").build()
    given = masses("a", "b", a=(1e-3, 1e-3, 1e-3)).build()
    assert given.dofs.n_frame_rows == 6


def test_two_masses_in_one_place_turn_if_one_has_inertia() -> None:
    for order in (1, -1):
        model = masses()
        lumps = [
            fl.PointMass("plain", at="a", mass=1.0),
            fl.PointMass("wheel", at="a", mass=1.0, inertia=(1.0, 1.0, 1.0)),
        ]
        for lump in lumps[::order]:
            model.add(lump)
        assert model.build().dofs.n_frame_rows == 6
    model = masses()
    for name in ("one", "two"):
        model.add(fl.PointMass(name, at="b", mass=1.0))
    assert model.build().dofs.n_frame_rows == 3
