"""Models of points that spin about their normal."""

from __future__ import annotations

from typing import Any

import numpy as np

import femlie as fl
from tests.validation import impact_models as impacts
from tests.validation.contact_models import RADIUS, joined, line
from tests.validation.friction_models import MOVED, PRESSED

KIND = fl.ShapeKind
FRICTION = 0.3
# half of the crossing rod and length of the post [m], load [N], radius of contact [m]
HALF, LENGTH, LOAD, SPIN_RADIUS = 0.1, 0.3, 0.2, 0.008
# stiffness of rubber rods in bending and torsion [N m^2], in shear [N]
YOUNG, AREA = 1e6, np.pi * RADIUS**2
BENDING = YOUNG * np.pi * RADIUS**4 / 4.0
TORSION, SHEAR = BENDING / 1.3, YOUNG * AREA / 2.6


def section() -> Any:
    """A round one of soft material, shear stiffness G A."""
    rubber = fl.Material(young=YOUNG, poisson=0.3, density=1000.0)
    return fl.CircularSection(radius=RADIUS, material=rubber, shear_factors=(1.0, 1.0))


def post(turn: float, spin_radius: float = SPIN_RADIUS) -> Any:
    """A rod that stands on a plane with its tip, pressed, then turned at its head."""
    model = fl.Model(line("a", (0.0, 0.0, RADIUS), (0.0, 0.0, RADIUS + LENGTH), 4))
    model.add(fl.Beam("post", cells="a", section=section()))
    model.add(fl.Shape("floor", KIND.PLANE))
    model.add(
        fl.Support("head", at="a_1", kind=fl.CUSTOM, first_axis=(1.0, 0.0, 0.0),
                   held=(True, True, False, True, True, True),
                   rotation=(0.0, 0.0, turn), over_time=MOVED)
    )  # fmt: skip
    model.add(fl.Force("press", at="a_1", force=(0.0, 0.0, -LOAD), over_time=PRESSED))
    model.add(
        fl.Contact("touch", between=("a_0", "floor"), radius=RADIUS, friction=FRICTION,
                   spin_radius=spin_radius)
    )  # fmt: skip
    return model.build()


def crosswise(turn: float, spin_radius: float = SPIN_RADIUS, *, n: int = 15) -> Any:
    """A rod across a fixed one; a frame at its ends presses it, then turns about z."""
    height = 2.0 * RADIUS
    mesh = joined(
        line("a", (0.0, -HALF, height), (0.0, HALF, height), n),
        line("b", (-HALF, 0.0, 0.0), (HALF, 0.0, 0.0), n),
        ends=lambda points: abs(abs(points[:, 1]) - HALF) < 1e-9,
    )
    model = fl.Model(mesh)
    model.add(fl.Beam("upper", cells="a", section=section()))
    model.add(fl.Beam("lower", cells="b", section=section()))
    model.add(fl.Support("fixed", at="b"))
    model.add(fl.Body("frame", at="ends", position=(0.0, 0.0, height), mass=1.0,
                      inertia=(1.0, 1.0, 1.0)))  # fmt: skip
    model.add(
        fl.Support("turned", at="frame", kind=fl.CUSTOM, first_axis=(1.0, 0.0, 0.0),
                   held=(True, True, False, True, True, True),
                   rotation=(0.0, 0.0, turn), over_time=MOVED)
    )  # fmt: skip
    model.add(fl.Force("press", at="frame", force=(0.0, 0.0, -LOAD), over_time=PRESSED))
    model.add(
        fl.Contact("touch", between=("upper", "lower"), friction=FRICTION,
                   spin_radius=spin_radius)
    )  # fmt: skip
    return model.build()


def ball_on_rod(spin: float, spin_radius: float) -> Any:
    """A solid ball of 1 kg that turns about z on a fixed rod of its radius."""
    height = 2.0 * impacts.RADIUS
    mesh = fl.join_meshes(
        line("tail", (0.0, 0.0, height), (0.0, 0.0, height + impacts.RADIUS), 1),
        line("track", (-1.0, 0.0, 0.0), (1.0, 0.0, 0.0), 2),
        tolerance_ratio=None,
    )
    model = fl.Model(mesh)
    model.add(fl.Beam("track", cells="track", section=impacts.round_section()))
    model.add(fl.Support("held", at="track"))
    model.add(fl.Beam("tail", cells="tail", section=impacts.hair()))
    inertia = 0.4 * impacts.RADIUS**2
    model.add(fl.Body("ball", at="tail_0", mass=1.0, inertia=(inertia,) * 3))
    place = (0.0, 0.0, height)
    model.add(fl.InitialMotion("spin", on=("ball", "tail"), about=place,
                               angular_velocity=(0.0, 0.0, spin)))  # fmt: skip
    model.add(fl.Gravity("weight", acceleration=(0.0, 0.0, -impacts.GRAVITY)))
    model.add(
        fl.Contact("touch", between=("tail_0", "track"), friction=FRICTION,
                   spin_radius=spin_radius)
    )  # fmt: skip
    return model
