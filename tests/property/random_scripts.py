"""What only a script can say: a user's elements, controllers, functions of time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import femlie as fl
from femlie.elements.user import Local
from femlie.sensors import Quantity
from tests.property.strategies import Builder


@dataclass(frozen=True)
class CubicTie:
    """A spring ``k |d|^2 d`` and a damper between the origins of two frames."""

    stiffness: float
    damping: float
    n_multipliers: int = 0

    def residual(self, local: Local) -> Any:
        turns, places = local.frames[..., :3, :3], local.frames[..., :3, 3]
        speeds = np.einsum("nkij,nkj->nki", turns, local.twists[..., :3])
        gap, rate = places[:, 1] - places[:, 0], speeds[:, 1] - speeds[:, 0]
        square = np.sum(gap**2, axis=1, keepdims=True)
        pull = self.stiffness * square * gap + self.damping * rate
        wrenches = np.zeros((len(gap), 2, 6))
        for k, sign in enumerate((-1.0, 1.0)):
            wrenches[:, k, :3] = sign * np.einsum("nji,nj->ni", turns[:, k], pull)
        return wrenches.reshape(len(gap), 12)


def hold_back(_time: float, readings: dict[str, Any]) -> Any:
    """Pull a point back and brake it."""
    force = -20.0 * readings["drift of it"] - 2.0 * readings["speed of it"]
    return np.concatenate([force, [0.1, 0.2, 0.3]])


def add_scripts(builder: Builder) -> None:
    """Python objects and functions on the first and last thing."""
    draw = builder.draw
    first, last = builder.things[0].names[-1], builder.things[-1].names[0]
    tie = CubicTie(draw.number(5.0, 20.0), draw.number(0.1, 0.5))
    pace = draw.number(2.0, 5.0) / builder.horizon
    builder.sensors += [
        fl.PointSensor("drift of it", at=last, quantity=Quantity.DISPLACEMENT),
        fl.PointSensor("speed of it", at=last, quantity=Quantity.VELOCITY),
    ]
    builder.parts += [
        fl.UserElement("tie", at=(first, last), element=tie),
        fl.Controller(
            "keeper",
            sensors=("drift of it", "speed of it"),
            function=hold_back,
            at=last,
        ),
        fl.Force(
            "shaker",
            at=first,
            force=draw.vector(5.0),
            over_time=lambda time: float(np.sin(pace * time)),
        ),
        fl.Force(
            "swayer",
            at=last,
            force=draw.vector(5.0),
            over_time=fl.Motion(value=lambda time: float(1.0 - np.cos(pace * time))),
        ),
        fl.InitialMotion(
            "stir", on=(first,), velocity=lambda points: 0.1 * np.cos(points)
        ),
    ]
