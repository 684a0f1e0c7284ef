"""A user's element acts where the names of its part say, and in those axes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import femlie as fl

FORCE = np.array([1.0, 2.0, 3.0])


class DeadForce:
    """What a force on a node does, by hand; remembers where it was."""

    n_multipliers = 0
    frames: Any = None

    def residual(self, local: Any) -> Any:
        self.frames = local.frames
        wrenches = np.zeros((len(local.frames), 6))
        turns = local.frames[:, 0, :3, :3]
        wrenches[:, :3] = -np.einsum("nij,i->nj", turns, FORCE)
        return wrenches


def rod(case: str) -> fl.Model:
    line = fl.straight_line((0, 0, 0), (0, 0, 1), n_elements=3)
    material = fl.Material(young=1e9, poisson=0.3, density=1e3)
    section = fl.CircularSection(radius=0.02, material=material)
    options: Any = {"end_offset": (0, 0.1, 0.2)} if case == "offset" else {}
    model = fl.Model(line)
    model.add(fl.Beam("rod", cells="line", section=section, **options))
    model.add(fl.Support("foot", at="start"))
    heavy: Any = {"position": (0.5, 0.2, 1.0), "mass": 1.0, "inertia": (1, 1, 1)}
    if case == "body":
        model.add(fl.Body("top", at="end", **heavy))
    if case == "link":
        model.add(fl.Body("top", **heavy))
        model.add(fl.RigidLink("link", ("end", "top")))
    return model


@pytest.mark.parametrize("case", ["plain", "offset", "body", "link"])
def test_element_at_a_node_does_what_a_force_there_does(case: str) -> None:
    found = []
    element = DeadForce()
    for part in (
        fl.Force("push", at="end", force=tuple(FORCE)),
        fl.UserElement("push", ("end",), element),
    ):
        model = rod(case)
        model.add(part)
        found.append(fl.Static().solve(model.build()))
    force, own = found
    np.testing.assert_allclose(
        own.reactions("foot"), force.reactions("foot"), atol=1e-8
    )
    moved = own.displacements("end")[-1]
    np.testing.assert_allclose(moved, force.displacements("end")[-1], atol=1e-12)
    # it sees the node at its place, in axes that were the world's
    frame = element.frames[0, 0]
    np.testing.assert_allclose(frame[:3, 3], (0, 0, 1) + moved.reshape(3), atol=1e-6)
    assert np.trace(frame[:3, :3]) > 2.99


def test_element_at_a_body_sees_its_own_axes_whatever_holds_it() -> None:
    turn = np.pi / 2
    for support in (None, fl.HINGED):
        model = fl.Model()
        where: Any = {"position": (1, 0, 0), "orientation": (0, 0, turn)}
        model.add(fl.Body("block", mass=1.0, inertia=(1, 1, 1), **where))
        if support is not None:
            model.add(fl.Support("pin", "block", kind=support, axis=(1, 1, 0)))
        element = DeadForce()
        model.add(fl.UserElement("push", ("block",), element))
        fl.GeneralizedAlpha().check(model.build(), duration=1.0, time_step=0.1)
        expected = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]
        np.testing.assert_allclose(element.frames[0, 0, :3, :3], expected, atol=1e-12)
