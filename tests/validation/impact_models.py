"""Models of parts that hit each other."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

import femlie as fl
from tests.validation.contact_models import line

RADIUS = 0.01
GRAVITY = 9.81


def round_section(young: float = 1e9, density: float = 1000.0) -> Any:
    material = fl.Material(young=young, poisson=0.0, density=density)
    return fl.CircularSection(radius=RADIUS, material=material)


def hair() -> Any:
    """A section of almost no mass that lends its radius to the body at its end."""
    return round_section(young=1e3, density=1e-6)


def plastic_rod(start: Any, end: Any, n_elements: int, *, damping: float) -> Any:
    """A rod of plastic, damped as Kelvin and Voigt say, ``damping`` in seconds."""
    model = fl.Model(fl.straight_line(start, end, n_elements=n_elements, name="rod"))
    plastic = fl.Material(young=3e9, poisson=0.4, density=1400.0)
    section = fl.CircularSection(radius=RADIUS, material=plastic, damping_time=damping)
    model.add(fl.Beam("rod", cells="rod", section=section))
    return model


def floor(height: float = 0.0) -> Any:
    """A rod along y that the models clamp."""
    return line("floor", (0.0, -1.0, height), (0.0, 1.0, height), 2)


def with_floor(model: Any) -> Any:
    model.add(fl.Beam("floor", cells="floor", section=round_section()))
    model.add(fl.Support("fixed", at="floor"))
    return model


def weight(model: Any) -> Any:
    model.add(fl.Gravity("weight", acceleration=(0.0, 0.0, -GRAVITY)))
    return model


def ball(restitution: float, *, height: float = 1.0) -> Any:
    """D5: a ball of 1 kg above a rod; the gap is given."""
    z = height + 2.0 * RADIUS
    mesh = fl.join_meshes(
        line("tail", (0.0, 0.0, z), (0.0, 0.0, z + RADIUS), 1),
        floor(),
        tolerance_ratio=None,
    )
    model = with_floor(fl.Model(mesh))
    model.add(fl.Beam("tail", cells="tail", section=hair()))
    model.add(fl.Body("ball", at="tail_0", mass=1.0, inertia=(0.01, 0.01, 0.01)))
    model.add(fl.Contact("touch", between=("tail_0", "floor"), restitution=restitution))
    return weight(model)


def rigid_rod(restitution: float, *, angle: float, speed: float) -> Any:
    """A rigid rod that flies down, tilted, whose lower tip hits a rod; no weight."""
    half, gap = 0.5, 0.0123
    tip = np.array([0.0, 0.0, 2.0 * RADIUS + gap])
    along = np.array([np.cos(angle), 0.0, np.sin(angle)])
    center = tip + half * along
    mesh = fl.join_meshes(
        line("tail", tip, tip + [0.0, RADIUS, 0.0], 1),
        line("middle", center, center + [0.0, RADIUS, 0.0], 1),
        floor(),
        tolerance_ratio=None,
    )
    mesh = dataclasses.replace(
        mesh, node_groups={**mesh.node_groups, "held": np.array([0, 2])}
    )
    model = with_floor(fl.Model(mesh))
    for name in ("tail", "middle"):
        model.add(fl.Beam(name, cells=name, section=hair()))
    model.add(
        fl.Body(
            "rod",
            at="held",
            position=tuple(center),
            mass=2.0,
            inertia=(0.05, 0.05, 0.05),
        )
    )
    moving = ("rod", "tail", "middle")
    model.add(fl.InitialMotion("fall", on=moving, velocity=(0.0, 0.0, -speed)))
    model.add(fl.Contact("touch", between=("tail_0", "floor"), restitution=restitution))
    return model


# an elastic bar of unit length whose waves run at this speed
WAVE = 1000.0


def bar(n: int, restitution: float, *, gap: float, speed: float = 1.0) -> Any:
    """A free elastic bar that flies end on against a rod."""
    bottom = 2.0 * RADIUS + gap
    mesh = fl.join_meshes(
        line("bar", (0.0, 0.0, bottom), (0.0, 0.0, bottom + 1.0), n),
        floor(),
        tolerance_ratio=None,
    )
    model = with_floor(fl.Model(mesh))
    section = round_section(young=1000.0 * WAVE**2, density=1000.0)
    model.add(fl.Beam("bar", cells="bar", section=section))
    model.add(fl.InitialMotion("flight", on=("bar",), velocity=(0.0, 0.0, -speed)))
    model.add(fl.Contact("touch", between=("bar", "floor"), restitution=restitution))
    return model


def standing_bar(n: int) -> Any:
    """A bar of rubber that stands on a rod, guided upright, under its weight."""
    bottom = 2.0 * RADIUS
    mesh = fl.join_meshes(
        line("bar", (0.0, 0.0, bottom), (0.0, 0.0, bottom + 1.0), n),
        floor(),
        tolerance_ratio=None,
    )
    model = with_floor(fl.Model(mesh))
    model.add(fl.Beam("bar", cells="bar", section=round_section(young=1e7)))
    model.add(fl.Support("upright", at="bar", kind=fl.SLIDING, axis=(0.0, 0.0, 1.0)))
    model.add(fl.Contact("touch", between=("bar_0", "floor")))
    return weight(model)


def slider_crank(restitution: float) -> Any:
    """A crank with a constant torque whose slider, a ball, hits a rod."""
    crank, rod = 0.2, 0.5
    pin = np.array([0.0, 0.0, crank])
    slide = np.array([np.sqrt(rod**2 - crank**2), 0.0, 0.0])
    wall = slide[0] + 2.0 * RADIUS + 0.05
    mesh = fl.join_meshes(
        line("tail", slide, slide + [0.0, 0.0, RADIUS], 1),
        line("wall", (wall, -1.0, 0.0), (wall, 1.0, 0.0), 2),
        tolerance_ratio=None,
    )
    model = fl.Model(mesh)
    model.add(fl.Beam("wall", cells="wall", section=round_section()))
    model.add(fl.Support("fixed", at="wall"))
    model.add(fl.Beam("tail", cells="tail", section=hair()))
    thin = (0.01, 0.01, 0.01)
    model.add(fl.Body("crank", position=tuple(0.5 * pin), mass=1.0, inertia=thin))
    middle = tuple(0.5 * (pin + slide))
    model.add(fl.Body("link", position=middle, mass=0.8, inertia=thin))
    model.add(fl.Body("slider", at="tail_0", mass=0.5, inertia=thin))
    model.add(fl.Force("drive", at="crank", moment=(0.0, 1.0, 0.0)))
    y, x = (0.0, 1.0, 0.0), (1.0, 0.0, 0.0)
    joint = fl.Joint
    model.add(joint("shaft", fl.REVOLUTE, parent=fl.GROUND, child="crank", axis=y,
                    position=(0.0, 0.0, 0.0)))  # fmt: skip
    model.add(joint("pin", fl.REVOLUTE, parent="crank", child="link", axis=y,
                    position=tuple(pin)))  # fmt: skip
    model.add(joint("wrist", fl.SPHERICAL, parent="link", child="slider",
                    position=tuple(slide)))  # fmt: skip
    model.add(joint("guide", fl.PRISMATIC, parent=fl.GROUND, child="slider", axis=x,
                    position=tuple(slide)))  # fmt: skip
    model.add(fl.Contact("touch", between=("tail_0", "wall"), restitution=restitution))
    return model


def falling_rods(n: int = 6, restitution: float = 0.3, *, speed: float = 0.0) -> Any:
    """Two rods of rubber, one above the other, fall on three held ones."""
    c = np.cos(0.4), np.sin(0.4)
    mesh = fl.join_meshes(
        line("low", (-0.25, 0.02, 0.04), (0.25, 0.03, 0.04), n),
        line(
            "high",
            (-0.2 * c[0], -0.2 * c[1], 0.075),
            (0.2 * c[0], 0.2 * c[1], 0.085),
            n,
        ),
        *(
            line(f"bar{k}", (x, -0.3, 0.0), (x, 0.3, 0.0), 3)
            for k, x in enumerate((-0.15, 0.0, 0.13))
        ),
        tolerance_ratio=None,
    )
    model = fl.Model(mesh)
    rubber = round_section(young=1e7)
    for name in ("low", "high"):
        model.add(fl.Beam(name, cells=name, section=rubber))
    for k in range(3):
        model.add(fl.Beam(f"bar{k}", cells=f"bar{k}", section=rubber))
        model.add(fl.Support(f"held{k}", at=f"bar{k}"))
    pairs = [("low", "high")]
    pairs += [(name, f"bar{k}") for name in ("low", "high") for k in range(3)]
    for first, second in pairs:
        model.add(
            fl.Contact(
                f"{first} {second}", between=(first, second), restitution=restitution
            )
        )
    if speed:
        fall = (0.0, 0.0, -speed)
        model.add(fl.InitialMotion("fall", on=("low", "high"), velocity=fall))
    return weight(model)
