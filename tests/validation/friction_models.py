"""Models of rods that rub on each other."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

import femlie as fl
from tests.validation import contact_models as models
from tests.validation.contact_models import RADIUS, joined, line, round_section

# first pressed, then moved
PRESSED = fl.Motion(value=lambda time: min(time / 0.2, 1.0))
MOVED = fl.Motion(value=lambda time: max(time - 0.2, 0.0) / 0.8)


def with_friction(system: Any, coefficient: float) -> Any:
    """A system with one coefficient for all of its contacts."""
    frictions = (coefficient,) * len(system.contact.names)
    contact = dataclasses.replace(system.contact, frictions=frictions)
    return dataclasses.replace(system, contact=contact)


def loaded_tip(force: Any) -> Any:
    """The rod of `contact_models.plate_on_tip` under a force on its surface."""
    model = fl.Model(line("s", (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), 20))
    model.add(fl.Beam("strip", cells="s", section=models.stiff_section(1e6)))
    model.add(fl.Support("clamp", at="s_0"))
    # on the surface, above the axis
    moment = (0.0, 0.0, -RADIUS * force[0])
    model.add(fl.Force("tip", at="s_1", force=tuple(force), moment=moment))
    return model.build()


def rubbed(
    coefficient: float,
    pull: Any,
    *,
    n: Any = (9, 9),
    press: float = 10.0,
    between: Any = ("upper", "lower"),
) -> Any:
    """A rod along y on a clamped one along x: pressed by forces, pulled by its ends."""
    length, height = 0.1, 2.0 * RADIUS
    mesh = joined(
        line("a", (0.0, -length, height), (0.0, length, height), n[0]),
        line("b", (-length, 0.0, 0.0), (length, 0.0, 0.0), n[1]),
    )
    model = fl.Model(mesh)
    section = models.section()
    model.add(fl.Beam("upper", cells="a", section=section))
    model.add(fl.Beam("lower", cells="b", section=section))
    for end in "01":
        model.add(fl.Support(f"low {end}", at=f"b_{end}"))
        model.add(
            fl.Support(f"high {end}", at=f"a_{end}", kind=fl.CUSTOM,
                       first_axis=(1.0, 0.0, 0.0), displacement=(*pull, 0.0),
                       held=(True, True, False, True, True, True), over_time=MOVED)
        )  # fmt: skip
        down = (0.0, 0.0, -0.5 * press)
        model.add(fl.Force(f"press {end}", at=f"a_{end}", force=down,
                           over_time=PRESSED))  # fmt: skip
    model.add(fl.Contact("touch", between=between, friction=coefficient))
    return model.build()


def rollers(radii: Any, turn: float, coefficient: float = 0.3) -> Any:
    """Two parallel rods; the lower one is turned, the upper one may turn about x.

    A very thin wire holds the upper one before it is pressed.
    """
    height = radii[0] + radii[1]
    x = np.array([-0.1, *np.linspace(0.0, 0.2, 7)])
    upper = fl.mesh_from_arrays(
        np.stack([x, 0.0 * x, 0.0 * x + height], axis=1),
        np.stack([np.arange(7), np.arange(1, 8)], axis=1),
        node_groups={"far": [0], "a_0": [1], "a_1": [7]},
        line_groups={"weak": [0], "a": np.arange(1, 7)},
    )
    mesh = joined(
        upper,
        line("b", (0.0, 0.0, 0.0), (0.2, 0.0, 0.0), 6),
    )
    model = fl.Model(mesh)
    model.add(fl.Beam("upper", cells="a", section=round_section(radii[0])))
    model.add(fl.Beam("lower", cells="b", section=round_section(radii[1])))
    axis, down = (1.0, 0.0, 0.0), (0.0, 0.0, -1e-4)
    for end in "01":
        model.add(
            fl.Support(f"high {end}", at=f"a_{end}", kind=fl.HINGED, axis=axis,
                       displacement=down, over_time=PRESSED)
        )  # fmt: skip
        spin = (turn, 0.0, 0.0)
        model.add(fl.Support(f"low {end}", at=f"b_{end}", rotation=spin,
                             over_time=MOVED))  # fmt: skip
    model.add(fl.Beam("weak", cells="weak", section=round_section(2e-4)))
    model.add(fl.Support("far", at="far"))
    model.add(fl.Contact("touch", between=("upper", "lower"), friction=coefficient))
    return model.build()


def capstan(n: int, coefficient: float, pull: float) -> Any:
    """A thin rope on half a drum, held at one end; r/R is 0.02."""
    return models.rope_on_drum(
        n, pull, rope=0.002, free=0.02, n_free=n // 8, friction=coefficient
    )


def stacked(n: int, coefficient: float, load: float) -> Any:
    """Two equal cantilevers, one on the other, with a line load on the upper one."""
    return with_friction(models.stacked(n, n, load), coefficient)


def bent_strand(n: int, stretch: float, angle: float) -> Any:
    """A core and six wires of one lay, pulled, then turned at one end.

    As large as the strand of Utting and Jones (1987), friction as in Jiang, Yao and
    Walton (1999).
    """
    core, wire, lay = 1.97e-3, 1.865e-3, 0.115
    x = np.linspace(0.0, lay, n + 1)
    lines = np.stack([np.arange(n), np.arange(1, n + 1)], axis=1)
    meshes = []
    for k in range(7):
        turn = np.pi * k / 3.0 + 2.0 * np.pi * x / lay
        away = core + wire + 1e-6 if k < 6 else 0.0
        points = np.stack([x, away * np.cos(turn), away * np.sin(turn)], axis=1)
        meshes.append(
            fl.mesh_from_arrays(
                points,
                lines,
                node_groups={"starts": [0], "ends": [n]},
                line_groups={f"{k}": np.arange(n), "all": np.arange(n)},
            )
        )
    model = fl.Model(joined(*meshes))
    steel = fl.Material(young=188e9, poisson=0.3, density=7850.0)
    for k in range(7):
        round_wire = fl.CircularSection(radius=wire if k < 6 else core, material=steel)
        beam = fl.Beam(f"wire {k}", cells=f"{k}", section=round_wire, curve=fl.SMOOTH)
        model.add(beam)
    for name, at, place in (("foot", "starts", 0.0), ("head", "ends", lay)):
        position = (place, 0.0, 0.0)
        model.add(
            fl.Body(name, at=at, position=position, mass=0.1, inertia=(1e-4,) * 3)
        )
    pulled = fl.Motion(value=lambda time: min(2.0 * time, 1.0))
    turned = fl.Motion(value=lambda time: max(2.0 * time - 1.0, 0.0))
    model.add(fl.Support("turned", at="foot", rotation=(0.0, angle, 0.0),
                         over_time=turned))  # fmt: skip
    model.add(fl.Support("pulled", at="head", displacement=(stretch * lay, 0.0, 0.0),
                         over_time=pulled))  # fmt: skip
    model.add(fl.Contact("touch", between=("all", "all"), friction=0.115))
    return model.build()
