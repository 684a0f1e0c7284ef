"""Loads, motions and sensors of random models, and the strategy itself."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

import femlie as fl
from femlie.sensors import SectionForce
from tests.property import random_connections as connect
from tests.property.random_scripts import add_scripts
from tests.property.random_sections import Draw
from tests.property.strategies import Builder, Thing


def add_loads(builder: Builder) -> None:
    """Forces, line loads, gravity."""
    draw = builder.draw
    for k in range(draw.pick((1, 2))):
        builder.parts.append(random_force(builder, k))
    for thing in builder.things:
        if thing.beam is not None and draw.chance(0.4):
            builder.parts.append(random_line_load(builder, thing))
    if draw.chance(0.7):
        heavy = [
            part.name
            for part in builder.parts
            if isinstance(part, (fl.Beam, fl.Body, fl.PointMass))
        ]
        on = None if draw.chance() else tuple(heavy[: draw.pick((1, len(heavy)))])
        time = connect.table(draw, builder.horizon) if draw.chance(0.3) else None
        builder.parts.append(
            fl.Gravity("gravity", acceleration=draw.vector(3.0), on=on, over_time=time)
        )


def random_force(builder: Builder, k: int) -> fl.Force:
    draw = builder.draw
    thing = draw.pick(builder.things)
    at = draw.pick(thing.names)
    options: dict[str, Any] = {}
    if thing.beam is not None and draw.chance():
        number = thing.names[0].split()[1].split(".")[0]
        at = draw.pick((f"nodes {number}", thing.beam))
        options["total"] = draw.chance()
    options["force"] = draw.vector(20.0)
    if draw.chance():
        options["moment"] = draw.vector(3.0)
    if draw.chance():
        options["point"] = draw.vector(0.1)
    options["follower"] = draw.chance()
    if draw.chance():
        options["over_time"] = connect.table(draw, builder.horizon)
    if is_particle(builder, at):
        options.pop("moment", None)
        options.pop("point", None)
    return fl.Force(f"force {k}", at=at, **options)


def is_particle(builder: Builder, at: str) -> bool:
    """Whether a name is that of a node that cannot turn."""
    return any(
        isinstance(part, fl.PointMass) and part.inertia is None and part.at == at
        for part in builder.parts
    )


def random_line_load(builder: Builder, thing: Thing) -> fl.LineLoad:
    draw = builder.draw
    on = str(thing.beam)
    if draw.chance():
        on = on.replace("beam", "lines")
    return fl.LineLoad(
        f"load on {thing.beam}",
        on=on,
        force=draw.vector(20.0),
        moment=draw.vector(2.0) if draw.chance() else (0.0, 0.0, 0.0),
        follower=draw.chance(),
        projected=draw.chance(),
        over_time=connect.table(draw, builder.horizon) if draw.chance(0.4) else None,
    )


def add_motion(builder: Builder) -> None:
    """A rigid motion of everything, then of some things."""
    draw = builder.draw
    if draw.chance(0.7):
        builder.parts.append(
            fl.InitialMotion(
                "drift",
                velocity=draw.vector(0.3),
                angular_velocity=draw.vector(0.5),
                about=draw.vector(0.5),
            )
        )
    if draw.chance(0.4):
        thing = draw.pick(builder.things)
        builder.parts.append(
            fl.InitialMotion(
                "kick",
                on=(thing.beam or thing.names[0],),
                velocity=draw.vector(0.3),
                angular_velocity=draw.vector(0.5),
            )
        )


def add_sensors(builder: Builder) -> None:
    """Sensors on points, joints, sections, reactions and energies."""
    draw = builder.draw
    first, last = builder.things[0], builder.things[-1]
    builder.sensors += [
        fl.PointSensor("place", at=first.names[-1], point=draw.vector(0.1)),
        fl.EnergySensor("energy", energy="kinetic"),
        fl.RelativeSensor("gap", first=first.names[0], second=last.names[0]),
    ]
    for part in builder.parts:
        if isinstance(part, fl.Beam):
            builder.sensors.append(
                fl.SectionForceSensor(
                    f"axial force in {part.name}",
                    beam=part.name,
                    component=SectionForce.AXIAL_FORCE,
                    at=0.3,
                )
            )
        elif isinstance(part, fl.Joint):
            builder.sensors.append(
                fl.ReactionSensor(
                    f"force in {part.name}", part=part.name, frame="child"
                )
            )
            if part.kind in (fl.REVOLUTE, fl.CYLINDRICAL):
                builder.sensors.append(
                    fl.JointSensor(
                        f"angle of {part.name}",
                        joint=part.name,
                        coordinate="angle",
                        rate=draw.chance(),
                    )
                )


def random_model(
    seed: int, *, horizon: float = 1.0, n_things: int = 3, is_script: bool = False
) -> fl.Model:
    """A model of ``n_things`` beams, bodies and masses, the same for each seed.

    ``is_script`` adds what a file cannot say, so that the model runs interpreted.
    """
    draw = Draw(seed)
    builder = Builder(draw, horizon)
    kinds = [builder.beam, builder.body, builder.mass]
    for n in range(n_things):
        weights = (1.0, 0.0, 0.0) if n == 0 else (0.5, 0.35, 0.15)
        make = kinds[int(draw.rng.choice(3, p=weights))]
        builder.things.append(make(n))
    for n in range(n_things):
        builder.attach(n)
    builder.hold()
    add_loads(builder)
    add_motion(builder)
    add_sensors(builder)
    if is_script:
        add_scripts(builder)
    mesh = fl.mesh_from_arrays(
        np.array(builder.points),
        np.array(builder.lines),
        node_groups=builder.node_groups,
        line_groups=builder.line_groups,
        surface_groups=builder.surface_groups,
    )
    model = fl.Model(mesh)
    for part in (*builder.parts, *builder.sensors):
        model.add(part)
    return model


def random_models(*, horizon: float = 1.0) -> st.SearchStrategy[fl.Model]:
    """Models by hypothesis; a failing one is named by its seed."""
    seeds = st.integers(min_value=0, max_value=2**32 - 1)
    return seeds.map(lambda seed: random_model(seed, horizon=horizon))
