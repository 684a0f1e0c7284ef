"""Loads and reactions of a static run, whatever holds the model to the ground."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import femlie as fl
from femlie.assembly import STATIC, Assembly

PULL = np.array([300.0, -200.0, 100.0])
PLACE = np.array([1.0, 0.2, 0.3])


class Tether:
    """Holds a node to its place at the start by a spring in all directions."""

    n_multipliers = 0

    def residual(self, local: fl.Local) -> Any:
        frames = local.frames[:, 0]
        moved = frames[:, :3, 3] - PLACE
        force = 1e5 * np.einsum("nji,nj->ni", frames[:, :3, :3], moved)
        turned = frames[:, :3, :3] - np.swapaxes(frames[:, :3, :3], 1, 2)
        moment = 1e4 * np.stack(
            [turned[:, 2, 1], turned[:, 0, 2], turned[:, 1, 0]], axis=1
        )
        return np.hstack([force, moment])


class Held:
    """Holds the place of a node by three constraints, and its turns by springs."""

    n_multipliers = 3

    def residual(self, local: fl.Local) -> Any:
        frames = local.frames[:, 0]
        back = np.swapaxes(frames[:, :3, :3], 1, 2)
        force = np.einsum("nij,nj->ni", back, local.multipliers)
        moment = Tether().residual(local)[:, 3:]
        return np.hstack([force, moment, frames[:, :3, 3] - PLACE])


def hold_by_controller(_time: float, shown: dict[str, Any]) -> Any:
    """Six numbers that pull a node back to where it was."""
    return np.concatenate([-1e5 * (shown["place"] - PLACE), np.zeros(3)])


def block(*parts: Any, place: Any = PLACE) -> fl.Model:
    model = fl.Model()
    model.add(
        fl.Body("block", mass=2.0, inertia=(0.1, 0.2, 0.3), position=tuple(place))
    )
    model.add(fl.Gravity("weight", acceleration=(0.0, 0.0, -9.81)))
    model.add(fl.Force("pull", at="block", force=tuple(PULL), moment=(1.0, 2.0, 3.0)))
    model.add(fl.PointSensor("place", at="block"))
    for part in parts:
        model.add(part)
    return model


STIFF = (1e5, 2e5, 3e5, 1e4, 1e4, 1e4)
TURNING = fl.UserElement("turning", at=("block",), element=Tether())
HOLDERS: dict[str, tuple[Any, ...]] = {
    "bushing": (
        fl.Bushing("bushing", first=fl.GROUND, second="block", stiffness=STIFF),
    ),
    "bushing that has the ground as its second": (
        fl.Bushing("bushing", first="block", second=fl.GROUND, stiffness=STIFF,
                   position=(0.5, 0.0, 0.0)),
    ),
    "springs": (
        TURNING,
        fl.SpringDamper("spring", first=fl.GROUND, second="block", stiffness=1e4,
                        first_point=(0.0, 0.0, 0.0)),
    ),
    "joint": (
        fl.Joint("joint", fl.FIXED, parent=fl.GROUND, child="block",
                 position=(0.1, 0.0, 0.0)),
    ),
    "joint from the child": (
        fl.Joint("joint", fl.FIXED, parent="block", child=fl.GROUND,
                 position=(0.1, 0.0, 0.0)),
    ),
    "joint with a spring": (
        fl.Joint("joint", fl.REVOLUTE, parent=fl.GROUND, child="block",
                 position=(0.1, 0.0, 0.0), axis=(0, 1, 0),
                 spring=fl.JointSpring(stiffness=5e3)),
    ),
    "support": (fl.Support("support", at="block"),),
    "roller": (
        TURNING,
        fl.Support("support", at="block", kind=fl.ROLLER, axis=(0.3, 0.5, 0.8)),
    ),
    "element of the user's own": (TURNING,),
    "constraint of the user's own": (
        fl.UserElement("held", at=("block",), element=Held()),
    ),
    "controller": (
        TURNING,
        fl.Controller("hand", sensors=("place",), function=hold_by_controller,
                      at="block"),
    ),
    "controller on a joint to the ground": (
        fl.Joint("joint", fl.REVOLUTE, parent=fl.GROUND, child="block",
                 position=(0.1, 0.0, 0.0), axis=(0, 1, 0)),
        fl.JointSensor("turn", joint="joint"),
        fl.Controller("motor", sensors=("turn",), joint="joint",
                      function=lambda _, shown: -5e3 * shown["turn"]),
    ),
}  # fmt: skip


def assert_in_balance(model: fl.Model) -> fl.Results:
    solver = fl.Static(checks_stability=False, tolerance=1e-12)
    result = solver.solve(model.build())
    balance = result.summary["balance"]
    total = np.add(balance["loads"], balance["reactions"])
    size = np.abs(PULL).max()
    np.testing.assert_allclose(total, 0.0, atol=1e-9 * size)
    assert balance["error"] <= 1e-9
    return result


@pytest.mark.parametrize("parts", HOLDERS.values(), ids=HOLDERS)
def test_loads_and_reactions_are_in_balance(parts: tuple[Any, ...]) -> None:
    assert_in_balance(block(*parts))


def test_all_that_can_hold_a_model_is_in_balance_at_once() -> None:
    model = block(*HOLDERS["bushing"], *HOLDERS["springs"])
    model.add(fl.Body("other", mass=1.0, inertia=(1, 1, 1), position=(2.0, 0.0, 0.0)))
    model.add(
        fl.Joint("hinge", fl.REVOLUTE, parent=fl.GROUND, child="other",
                 position=(2.0, 1.0, 0.0), axis=(1, 0, 0))
    )  # fmt: skip
    model.add(
        fl.Bushing("between", first="block", second="other", stiffness=STIFF,
                   position=(1.5, 0.0, 0.0))
    )  # fmt: skip
    model.add(fl.Controller(
        "hand", sensors=("place",), function=hold_by_controller, at="other"
    ))  # fmt: skip
    assert_in_balance(model)


def test_reactions_are_those_of_the_loads_that_are_known() -> None:
    balance = assert_in_balance(block(*HOLDERS["bushing"])).summary["balance"]
    force = PULL + [0.0, 0.0, -2.0 * 9.81]
    np.testing.assert_allclose(balance["loads"][:3], force, rtol=1e-12)
    np.testing.assert_allclose(balance["reactions"][:3], -force, rtol=1e-9)


def test_a_model_that_is_held_completely_has_reactions() -> None:
    model = block(fl.Support("support", at="block"))
    force = -PULL + [0.0, 0.0, 2.0 * 9.81]
    for result in (
        fl.Static().solve(model.build()),
        fl.GeneralizedAlpha().solve(model.build(), duration=0.1, time_step=0.01),
    ):
        found = result.reactions("support")[-1, :3]
        np.testing.assert_allclose(found, force, rtol=1e-12)


def test_an_element_in_a_model_of_one_body_has_its_stiffness() -> None:
    system = block(TURNING).build()
    found = Assembly(system, regime=STATIC).tangent(system.state).diagonal()
    np.testing.assert_allclose(found, [1e5] * 3 + [2e4] * 3, rtol=1e-6)
