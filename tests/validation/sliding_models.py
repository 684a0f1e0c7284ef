"""Models of parts that slide and roll on rods in motion."""

from __future__ import annotations

from typing import Any

import numpy as np

import femlie as fl
from tests.validation import impact_models as models
from tests.validation.contact_models import joined, line
from tests.validation.impact_models import GRAVITY, RADIUS

# half of the distance between tracks, and between feet on one of them
TRACK, RUNNER = 0.1, 0.05


def slope(model: Any, angle: float) -> Any:
    """Gravity as on a slope that falls along x."""
    along, down = GRAVITY * np.sin(angle), -GRAVITY * np.cos(angle)
    model.add(fl.Gravity("weight", acceleration=(along, 0.0, down)))
    return model


def fixed(model: Any, name: str) -> None:
    model.add(fl.Beam(name, cells=name, section=models.round_section()))
    model.add(fl.Support(f"{name} held", at=name))


def sled(
    angle: float, coefficient: float, *, speed: Any = (0.0, 0.0, 0.0), drop: float = 0.0
) -> Any:
    """A rigid sled of 2 kg on four balls, on two tracks along x."""
    z = 2.0 * RADIUS + drop
    tracks = [line("tracks", (-1.0, y, 0.0), (2.0, y, 0.0), 4) for y in (-TRACK, TRACK)]
    corners = [(x, y, z) for x in (-RUNNER, RUNNER) for y in (-TRACK, TRACK)]
    tails = [line("tails", (x, y, z), (x, y, z + RADIUS), 1) for x, y, z in corners]
    mesh = joined(*tracks, *tails, feet=lambda points: np.abs(points[:, 2] - z) < 1e-9)
    model = fl.Model(mesh)
    fixed(model, "tracks")
    model.add(fl.Beam("tails", cells="tails", section=models.hair()))
    body = fl.Body("sled", at="feet", position=(0.0, 0.0, z), mass=2.0,
                   inertia=(0.01, 0.02, 0.02))  # fmt: skip
    model.add(body)
    if any(speed):
        moving = ("sled", "tails")
        model.add(fl.InitialMotion("start", on=moving, velocity=speed))
    model.add(fl.Contact("touch", between=("feet", "tracks"), friction=coefficient))
    return slope(model, angle)


def ball(
    angle: float,
    coefficient: float,
    *,
    speed: Any = (0.0, 0.0, 0.0),
    spin: Any = (0.0, 0.0, 0.0),
    drop: float = 0.0,
    restitution: float = 0.0,
) -> Any:
    """A solid ball of 1 kg on a rod along x, of the same radius."""
    z = 2.0 * RADIUS + drop
    mesh = fl.join_meshes(
        line("tail", (0.0, 0.0, z), (0.0, RADIUS, z), 1),
        line("track", (-1.0, 0.0, 0.0), (3.0, 0.0, 0.0), 8),
        tolerance_ratio=None,
    )
    model = fl.Model(mesh)
    fixed(model, "track")
    model.add(fl.Beam("tail", cells="tail", section=models.hair()))
    inertia = 0.4 * RADIUS**2
    model.add(fl.Body("ball", at="tail_0", mass=1.0, inertia=(inertia,) * 3))
    moving = ("ball", "tail")
    if any(spin):
        turn = {"angular_velocity": spin, "about": (0.0, 0.0, z)}
        model.add(fl.InitialMotion("spin", on=moving, velocity=speed, **turn))
    elif any(speed):
        model.add(fl.InitialMotion("start", on=moving, velocity=speed))
    model.add(fl.Contact("touch", between=("tail_0", "track"), friction=coefficient,
                         restitution=restitution))  # fmt: skip
    return slope(model, angle)


def rod_along(angle: float, coefficient: float, *, n: int = 8) -> Any:
    """A rod of rubber along x in the groove between two tracks that touch.

    Their forces stand at 30 degrees, so that friction has ``1/cos(30)`` of the weight.
    """
    z = np.sqrt(3.0) * RADIUS
    mesh = joined(
        *(line("tracks", (-1.0, y, 0.0), (2.0, y, 0.0), 4) for y in (-RADIUS, RADIUS)),
        line("rod", (0.1, 0.0, z), (0.5, 0.0, z), n),
    )
    model = fl.Model(mesh)
    fixed(model, "tracks")
    model.add(fl.Beam("rod", cells="rod", section=models.round_section(young=1e7)))
    model.add(fl.Contact("touch", between=("rod", "tracks"), friction=coefficient))
    return slope(model, angle)


def leaning_rod(angle: float, coefficient: float, *, speed: float) -> Any:
    """A rigid rod of 1 kg and length one that slides on its lower end, along x.

    Its end is a small ball; the rod leans towards positive x.
    """
    tip = np.array([0.0, 0.0, 2.0 * RADIUS])
    center = tip + 0.5 * np.array([np.cos(angle), 0.0, np.sin(angle)])
    mesh = joined(
        line("tail", tip, tip + [0.0, RADIUS, 0.0], 1),
        line("track", (-2.0, 0.0, 0.0), (2.0, 0.0, 0.0), 8),
    )
    model = fl.Model(mesh)
    fixed(model, "track")
    model.add(fl.Beam("tail", cells="tail", section=models.hair()))
    inertia = (1.0 / 12.0,) * 3
    model.add(fl.Body("rod", at="tail_0", position=tuple(center), mass=1.0,
                      inertia=inertia))  # fmt: skip
    moving = ("rod", "tail")
    model.add(fl.InitialMotion("start", on=moving, velocity=(speed, 0.0, 0.0)))
    model.add(fl.Contact("touch", between=("tail_0", "track"), friction=coefficient))
    return slope(model, 0.0)
