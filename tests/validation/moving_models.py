"""Models of bodies and rods that fall on rigid shapes and on each other."""

from __future__ import annotations

from typing import Any

import numpy as np

import femlie as fl
from tests.validation import impact_models as impacts
from tests.validation.contact_models import line

KIND = fl.ShapeKind
RADIUS = 0.1
BOX = (1.0, 0.8, 0.6)


def weight(model: Any) -> Any:
    return impacts.weight(model)


def thing(
    solid: Any, position: Any, *shapes: Any, restitution: float = 0.3, **options: Any
) -> Any:
    """A free body above one or several shapes on the ground."""
    model = fl.Model()
    turn = options.get("orientation", (0.0, 0.0, 0.0))
    if options.get("has_facets", False):
        surface, density = solid.surface, 1.0
        body = fl.Body("thing", surface=surface, density=density, position=position,
                       orientation=turn)  # fmt: skip
    else:
        body = fl.Body("thing", solid=solid, position=position, orientation=turn)
    model.add(body)
    velocity = options.get("velocity", (0.0, 0.0, 0.0))
    model.add(fl.InitialMotion("start", on=("thing",), velocity=velocity))
    for shape in shapes:
        model.add(shape)
        name = f"on {shape.name}"
        pair = ("thing", shape.name)
        model.add(fl.Contact(name, between=pair, restitution=restitution))
    return weight(model)


def floor() -> Any:
    return fl.Shape("floor", KIND.PLANE)


def ball(restitution: float, height: float = 1.0) -> Any:
    """D5: a ball above a plane; the gap is given."""
    solid = fl.sphere(RADIUS, density=1000.0)
    place = (0.0, 0.0, RADIUS + height)
    return thing(solid, place, floor(), restitution=restitution)


def rigid_rod(restitution: float, *, angle: float, speed: float) -> Any:
    """A rod that flies down, tilted, whose lower end is a ball; no weight."""
    half, gap, radius = 0.5, 0.0123, 0.01
    tip = np.array([0.0, 0.0, radius + gap])
    middle = tip + half * np.array([np.cos(angle), 0.0, np.sin(angle)])
    model = fl.Model()
    thick = (0.05, 0.05, 0.05)
    model.add(fl.Body("rod", position=tuple(middle), mass=2.0, inertia=thick))
    model.add(
        fl.Shape("tip", KIND.SPHERE, on="rod", radius=radius, position=tuple(tip))
    )
    model.add(floor())
    model.add(fl.InitialMotion("fall", on=("rod",), velocity=(0.0, 0.0, -speed)))
    model.add(fl.Contact("touch", between=("tip", "floor"), restitution=restitution))
    return model


def bar(n: int, restitution: float, *, gap: float, who: str) -> Any:
    """A free elastic bar that flies end on against a plane."""
    bottom = impacts.RADIUS + gap
    model = fl.Model(line("bar", (0.0, 0.0, bottom), (0.0, 0.0, bottom + 1.0), n))
    section = impacts.round_section(young=1000.0 * impacts.WAVE**2)
    model.add(fl.Beam("bar", cells="bar", section=section))
    model.add(fl.InitialMotion("flight", on=("bar",), velocity=(0.0, 0.0, -1.0)))
    model.add(fl.Shape("wall", KIND.PLANE))
    model.add(fl.Contact("touch", between=(who, "wall"), restitution=restitution))
    return model


def two_bodies(one: Any, other: Any, *, turn: Any = (0.0, 0.0, 0.0)) -> Any:
    """Two bodies that fly at each other, not along one line; no weight.

    Velocities are kept in space, so that free flight keeps momentum to rounding.
    """
    model = fl.Model()
    model.add(fl.Body("one", solid=one, position=(0.0, 0.0, 0.0)))
    place = (1.5, 0.2, 0.15)
    model.add(fl.Body("other", solid=other, position=place, orientation=turn))
    model.add(fl.InitialMotion("fast", on=("one",), velocity=(3.0, 0.3, 0.0)))
    model.add(fl.InitialMotion("slow", on=("other",), velocity=(-1.0, 0.0, 0.0)))
    model.add(fl.Contact("hit", between=("one", "other"), restitution=0.5))
    model.add(fl.FrameGroup("frames", group=fl.SO3_R3))
    return model


def momenta(results: Any, bodies: dict[str, Any]) -> Any:
    """(n_times, 6) momentum and its moment about the origin, of bodies by name."""
    total = np.zeros((len(results.times), 6))
    for name, solid in bodies.items():
        own = solid.mass_properties
        velocities = results.velocities(name, frame="world")
        places, turns = results.positions(name), results.rotations(name)
        push = own.mass * velocities[:, :3]
        spin = turns @ own.inertia @ turns.transpose(0, 2, 1) @ velocities[:, 3:, None]
        total[:, :3] += push
        total[:, 3:] += np.cross(places, push) + spin[..., 0]
    return total


def lifted_ball(speed: float, restitution: float, *, gap: float) -> Any:
    """A ball above a table that goes up at a given speed."""
    model = fl.Model()
    solid = fl.sphere(RADIUS, density=1000.0)
    model.add(fl.Body("ball", solid=solid, position=(0.0, 0.0, RADIUS + gap)))
    flat = fl.box((1.0, 1.0, 0.2), density=100.0)
    model.add(fl.Body("table", solid=flat, position=(0.0, 0.0, -0.1)))
    up = (0.0, 0.0, speed)
    model.add(
        fl.Support("lift", at="table", displacement=up, over_time=lambda time: time)
    )
    pair = ("ball", "table")
    model.add(fl.Contact("touch", between=pair, restitution=restitution))
    return model


def falling_rods(shape: Any, *, n: int = 6, speed: float = 0.0) -> Any:
    """Two rods of rubber, one above the other, fall on a shape named floor."""
    c = np.cos(0.4), np.sin(0.4)
    mesh = fl.join_meshes(
        line("low", (-0.25, 0.02, 0.04), (0.25, 0.03, 0.04), n),
        line("high", (-0.2 * c[0], -0.2 * c[1], 0.075),
             (0.2 * c[0], 0.2 * c[1], 0.085), n),
        tolerance_ratio=None,
    )  # fmt: skip
    model = fl.Model(mesh)
    for name in ("low", "high"):
        model.add(fl.Beam(name, cells=name, section=impacts.round_section(young=1e7)))
    model.add(shape)
    for first, second in (("low", "high"), ("low", "floor"), ("high", "floor")):
        pair = (first, second)
        model.add(fl.Contact(f"{first} {second}", between=pair, restitution=0.3))
    if speed:
        fall = (0.0, 0.0, -speed)
        model.add(fl.InitialMotion("fall", on=("low", "high"), velocity=fall))
    return weight(model)


def _rod_above(start: Any, end: Any, n: int, shape: Any) -> Any:
    """A rod of rubber that falls on a shape."""
    model = fl.Model(line("rod", start, end, n))
    section = impacts.round_section(young=1e7)
    model.add(fl.Beam("rod", cells="rod", section=section))
    model.add(shape)
    model.add(fl.Contact("touch", between=("rod", shape.name)))
    return weight(model)


def rod_above_a_bar(width: float, *, shift: float, rise: float) -> Any:
    """A rod along x above a box that is narrow there."""
    height = impacts.RADIUS + 0.01
    low, high = height - 0.25 * rise, height + 0.25 * rise
    bar = fl.Shape("bar", KIND.BOX, size=(width, 0.2, 0.2), position=(0, 0, -0.1))
    n = 4 if shift else 5
    return _rod_above((shift - 0.25, 0.0, low), (shift + 0.25, 0.0, high), n, bar)


def rod_across_a_corner(kind: str) -> Any:
    """A rod whose middle element lies above a corner, or a rim, at 45 degrees."""
    place = {"position": (-0.1, -0.1, -0.1)}
    if kind == "cylinder":
        radius = 0.1 * 2.0**0.5
        shape = fl.Shape("block", KIND.CYLINDER, radius=radius, length=0.2, **place)
    elif kind == "box":
        shape = fl.Shape("block", KIND.BOX, size=(0.2,) * 3, **place)
    else:
        surface = fl.box((0.2,) * 3, density=1.0).surface
        shape = fl.Shape("block", KIND.SURFACE, surface=surface, **place)
    # a little inside of the corner, on its diagonal
    middle = np.array([-0.004, -0.004, impacts.RADIUS + 0.005])
    way = 0.25 * np.array([1.0, -1.0, 0.0]) / 2.0**0.5
    return _rod_above(tuple(middle - way), tuple(middle + way), 5, shape)


def falling_chain(n_rods: int = 4) -> Any:
    """Elastic rods on ball joints, each higher than the last one, above a floor."""
    length, gap, radius, rise = 0.1, 0.004, impacts.RADIUS, 0.02
    pitch = length + gap
    lines = []
    for k in range(n_rods):
        low = radius + 0.05 + rise * k
        start, end = (k * pitch, 0.0, low), (k * pitch + length, 0.0, low + 0.75 * rise)
        lines.append(
            fl.straight_line(
                start,
                end,
                n_elements=1,
                name="rods",
                start_name=f"start {k}",
                end_name=f"end {k}",
            )
        )
    model = fl.Model(fl.join_meshes(*lines))
    section = impacts.round_section(young=1e8, density=1200.0)
    model.add(fl.Beam("chain", cells="rods", section=section))
    for k in range(n_rods - 1):
        high = radius + 0.05 + rise * (k + 0.875)
        place = ((k + 1) * pitch - 0.5 * gap, 0.0, high)
        ends = {"parent": f"end {k}", "child": f"start {k + 1}"}
        model.add(fl.Joint(f"ball {k}", fl.SPHERICAL, position=place, **ends))
    model.add(floor())
    pair = ("chain", "floor")
    model.add(fl.Contact("impact", between=pair, restitution=1.0 / 3.0))
    model.add(fl.FrameGroup("frames", group=fl.SO3_R3))
    return weight(model)
