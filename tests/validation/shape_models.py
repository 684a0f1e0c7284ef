"""Models of rods and bodies on rigid shapes."""

from __future__ import annotations

from typing import Any

import numpy as np

import femlie as fl
from tests.validation.contact_models import (
    DRUM,
    RADIUS,
    ROPE,
    half_turn,
    joined,
    line,
    round_section,
    section,
    stiff_section,
    strut_model,
)

KIND = fl.ShapeKind
NO_INERTIA = (1.0, 1.0, 1.0)


def plate_on_tip(n: int, way: float) -> Any:
    """D4a: a plane on a body that moves pushes the tip of a cantilever aside."""
    model = fl.Model(line("s", (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), n))
    model.add(fl.Beam("strip", cells="s", section=stiff_section(1e6)))
    model.add(fl.Support("clamp", at="s_0"))
    place = (0.5, RADIUS, 0.0)
    model.add(fl.Body("slide", position=place, mass=1.0, inertia=NO_INERTIA))
    model.add(fl.Support("move", at="slide", displacement=(0.0, -way, 0.0)))
    model.add(fl.Shape("plate", KIND.PLANE, on="slide", axis=(0.0, -1.0, 0.0)))
    model.add(fl.Contact("touch", between=("s_1", "plate"), radius=RADIUS))
    return model.build()


def heavy_beam(n: int, height: float, weight: float) -> Any:
    """D3: clamped above a floor."""
    mesh = joined(
        line("s", (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), n),
        inner=lambda x: x[:, 0] > 1e-6,
    )
    model = fl.Model(mesh)
    model.add(fl.Beam("beam", cells="s", section=stiff_section(1.5e4)))
    model.add(fl.Support("clamp", at="s_0"))
    planar = fl.SupportKind.PLANAR
    model.add(fl.Support("plane", at="inner", kind=planar, axis=(0.0, 0.0, 1.0)))
    model.add(fl.LineLoad("weight", on="beam", force=(0.0, -weight, 0.0)))
    below = (0.0, -RADIUS - height, 0.0)
    model.add(fl.Shape("floor", KIND.PLANE, position=below, axis=(0.0, 1.0, 0.0)))
    model.add(fl.Contact("touch", between=("beam", "floor"), radius=RADIUS))
    return model.build()


def strut_at_wall(n: int, phi: float, gap: float) -> Any:
    """D6: a buckled strut beside a wall; a push leads to it and is taken away."""
    mesh = joined(
        line("s", (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), n),
        inner=lambda x: (x[:, 0] > 1e-6) & (x[:, 0] < 1 - 1e-6),
        middle=lambda x: abs(x[:, 0] - 0.5) < 1e-6,
    )
    model = strut_model(mesh, phi)
    beside = (0.0, gap + RADIUS, 0.0)
    model.add(fl.Shape("wall", KIND.PLANE, position=beside, axis=(0.0, -1.0, 0.0)))
    model.add(fl.Contact("touch", between=("strut", "wall"), radius=RADIUS))
    return model.build()


def rope_on_drum(n: int, tension: float, drum: Any = None) -> Any:
    """A rope round half a drum, held at one end and pulled at the other."""
    model = fl.Model(half_turn(n, DRUM + ROPE, 0.1, n // 4))
    thin = round_section(ROPE)
    model.add(fl.Beam("rope", cells="rope", section=thin, curve=fl.SMOOTH))
    model.add(drum or fl.Shape("drum", KIND.CYLINDER, radius=DRUM, length=0.4))
    model.add(fl.Support("hold", at="held"))
    model.add(fl.Force("pull", at="pulled", force=(0.0, -tension, 0.0)))
    model.add(fl.Contact("touch", between=("rope", "drum")))
    return model.build()


def beam_bent_over(n: int, radius: float, force: float) -> Any:
    """A cantilever clamped on top of a wide cylinder, with a load at its end."""
    model = fl.Model(line("s", (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), n))
    model.add(fl.Beam("beam", cells="s", section=section()))
    model.add(fl.Support("clamp", at="s_0"))
    model.add(fl.Force("load", at="s_1", force=(0.0, 0.0, -force)))
    below = (0.0, 0.0, -RADIUS - radius)
    drum = fl.Shape(
        "drum", KIND.CYLINDER, radius=radius, position=below, axis=(0.0, 1.0, 0.0)
    )
    model.add(drum)
    model.add(fl.Contact("touch", between=("beam", "drum")))
    return model.build()


def rod_over_edge(n: int, down: float) -> Any:
    """A rod clamped at both ends is drawn down over the upright edge of a box."""
    model = fl.Model(line("s", (-0.5, 0.0, 0.0), (0.5, 0.0, 0.0), n))
    model.add(fl.Beam("rod", cells="s", section=section()))
    for end in "01":
        way = (0.0, 0.0, -down)
        model.add(fl.Support(f"hold {end}", at=f"s_{end}", displacement=way))
    place = (0.0, 0.0, -0.1 * 2.0**0.5 - RADIUS)
    block = fl.Shape(
        "block",
        KIND.BOX,
        size=(0.2, 0.3, 0.2),
        orientation=(0.0, np.pi / 4, 0.0),
        position=place,
    )
    model.add(block)
    model.add(fl.Contact("touch", between=("rod", "block")))
    return model.build()


def rod_over_table(n: int, force: float) -> Any:
    """A thin rod on a table, clamped at its far end, with a load beyond the edge."""
    radius = 0.002
    model = fl.Model(line("s", (-0.25, 0.0, radius), (0.15, 0.0, radius), n))
    material = fl.Material(young=1e8, poisson=0.3, density=1000.0)
    thin = fl.CircularSection(radius=radius, material=material)
    model.add(fl.Beam("rod", cells="s", section=thin))
    place, size = (-0.3, 0.0, -0.05), (0.6, 0.3, 0.1)
    model.add(fl.Shape("table", KIND.BOX, size=size, position=place))
    model.add(fl.Support("hold", at="s_0"))
    model.add(fl.Force("load", at="s_1", force=(0.0, 0.0, -force)))
    model.add(fl.Contact("touch", between=("rod", "table")))
    return model.build()


def pressed_by(shape: Any, *, down: float, body: Any = None, n: int = 20) -> Any:
    """A rod clamped at both ends, and something above it that comes down."""
    model = fl.Model(line("s", (-0.5, 0.0, 0.0), (0.5, 0.0, 0.0), n))
    model.add(fl.Beam("rod", cells="s", section=section()))
    for end in "01":
        model.add(fl.Support(f"hold {end}", at=f"s_{end}"))
    model.add(body or fl.Body("ram", position=(0.0, 0.0, RADIUS), mass=0.0))
    way = (0.0, 0.0, -down)
    model.add(fl.Support("move", at="ram", displacement=way))
    if shape is not None:
        model.add(shape)
    other = "ram" if shape is None else shape.name
    model.add(fl.Contact("touch", between=("rod", other)))
    return model.build()


def standing(body: Any, *shapes: Any, load: Any, spin: Any = (0.0, 0.0, 1e3)) -> Any:
    """A body that shapes bear; weak springs hold it where nothing else does."""
    model = fl.Model()
    model.add(body)
    for shape in shapes:
        model.add(shape)
        name = f"on {shape.name}"
        model.add(fl.Contact(name, between=(body.name, shape.name)))
    model.add(fl.Force("load", at=body.name, force=load))
    stiffness = (1e3, 1e3, 0.0, *spin)
    model.add(fl.Bushing("springs", fl.GROUND, body.name, stiffness=stiffness))
    return model.build()
