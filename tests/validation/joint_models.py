"""Mechanisms with friction and hard stops in their joints."""

from __future__ import annotations

from math import cos, sin
from typing import Any

import femlie as fl

MASS, GRAVITY = 2.0, 9.81


def slider(*, speed: float = 0.0, **options: Any) -> fl.Model:
    """A block of 2 kg on a rail along x that starts with a speed; no weight."""
    model = fl.Model()
    model.add(fl.Body("block", position=(0, 0, 0), mass=MASS, inertia=(0.1,) * 3))
    model.add(
        fl.Joint(
            "rail",
            fl.PRISMATIC,
            parent=fl.GROUND,
            child="block",
            axis=(1, 0, 0),
            **options,
        )
    )
    if speed:
        model.add(fl.InitialMotion("go", velocity=(speed, 0, 0)))
    return model


def pendulum(*, angle: float, arm: float = 0.5, **options: Any) -> fl.Model:
    """A point of 2 kg on an arm that hangs down at the angle zero; from rest."""
    place = (arm * sin(angle), 0.0, -arm * cos(angle))
    model = fl.Model()
    model.add(fl.Body("bob", position=place, mass=MASS, inertia=(1e-9,) * 3))
    model.add(
        fl.Joint(
            "pivot",
            fl.REVOLUTE,
            parent=fl.GROUND,
            child="bob",
            axis=(0, -1, 0),
            position=(0.0, 0.0, 0.0),
            **options,
        )
    )
    model.add(fl.Gravity("weight", acceleration=(0.0, 0.0, -GRAVITY)))
    return model


def on_belt(friction: fl.Friction, *, stiffness: float, speed: float) -> fl.Model:
    """A block on a moving belt, held by a spring whose other end is fixed."""
    model = fl.Model()
    model.add(fl.Body("belt", position=(0, 0, 0), mass=1.0, inertia=(0.1,) * 3))
    model.add(fl.Body("block", position=(0, 0, 0), mass=MASS, inertia=(0.1,) * 3))
    model.add(
        fl.Joint(
            "drive",
            fl.PRISMATIC,
            parent=fl.GROUND,
            child="belt",
            axis=(1, 0, 0),
            motor=fl.Motor(
                motion=speed,
                over_time=fl.Motion(
                    value=lambda t: t, rate=lambda _: 1.0, second_rate=lambda _: 0.0
                ),
            ),
        )
    )
    model.add(
        fl.Joint(
            "surface",
            fl.PRISMATIC,
            parent="belt",
            child="block",
            axis=(1, 0, 0),
            friction=friction,
        )
    )
    model.add(
        fl.SpringDamper(
            "spring",
            fl.GROUND,
            "block",
            stiffness=stiffness,
            length=10.0,
            first_point=(-10.0, 0.0, 0.0),
        )
    )
    model.add(fl.InitialMotion("with it", velocity=(speed, 0, 0)))
    return model


def screw_jack(*, torque: float, friction: float, load: float, **options: Any) -> Any:
    """A nut of pitch 10 mm that bears a load, turned by a torque about the axis."""
    model = fl.Model()
    model.add(fl.Body("nut", position=(0, 0, 0), mass=MASS, inertia=(0.1,) * 3))
    model.add(
        fl.Joint(
            "screw",
            fl.SCREW,
            parent=fl.GROUND,
            child="nut",
            pitch=0.01,
            motor=fl.Motor(torque=torque),
            friction=fl.Friction(limit=friction, **options),
        )
    )
    model.add(fl.Force("load", at="nut", force=(0.0, 0.0, -load)))
    return model
