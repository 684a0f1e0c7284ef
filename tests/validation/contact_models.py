"""Models of rods that touch: cases D1 to D6 of the reference list, and others."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import femlie as fl
from femlie.assembly import eq_view
from femlie.contact import _layout as layout
from femlie.solvers import contact as contact_run

RADIUS, YOUNG = 0.01, 1e9
BENDING = YOUNG * np.pi * RADIUS**4 / 4.0


@contextlib.contextmanager
def scaled_penalties(factor: float, patch: pytest.MonkeyPatch) -> Iterator[None]:
    """Automatic penalties of contacts times a factor."""
    set_penalties = contact_run.set_penalties

    def scaled(assembly: Any, motion: Any, middle: Any = None) -> Any:
        found = set_penalties(assembly, motion, middle)
        block = len(assembly.system.blocks) - 1
        parameters = eq_view(assembly.equations, block, "parameters")
        parameters[:, layout.PENALTY : layout.PENALTY + 2] *= factor
        return found

    with patch.context() as local:
        local.setattr(contact_run, "set_penalties", scaled)
        yield


def section() -> Any:
    """Circle of radius 0.01 m, E = 1e9 Pa, shear stiffness G A."""
    material = fl.Material(young=YOUNG, poisson=0.3, density=1000.0)
    return fl.CircularSection(
        radius=RADIUS, material=material, shear_factors=(1.0, 1.0)
    )


def stiff_section(axial: float) -> Any:
    """Bending and torsion stiffness 1, the others as given."""
    return fl.GeneralSection(stiffness=np.diag([axial, axial, axial, 1.0, 1.0, 1.0]))


def line(name: str, start: Any, end: Any, n: int) -> Any:
    return fl.straight_line(
        start,
        end,
        n_elements=n,
        name=name,
        start_name=f"{name}_0",
        end_name=f"{name}_1",
    )


def joined(*meshes: Any, **groups: Any) -> Any:
    """All meshes in one, nodes kept apart, with more groups of nodes."""
    mesh = fl.join_meshes(*meshes, tolerance_ratio=None)
    chosen = {name: np.flatnonzero(test(mesh.points)) for name, test in groups.items()}
    return dataclasses.replace(mesh, node_groups={**mesh.node_groups, **chosen})


def two_rods(
    mesh: Any, first: str, second: str, chosen: Any, *, friction: float = 0.0
) -> Any:
    model = fl.Model(mesh)
    model.add(fl.Beam("upper", cells=first, section=chosen))
    model.add(fl.Beam("lower", cells=second, section=chosen))
    model.add(fl.Contact("touch", between=("upper", "lower"), friction=friction))
    return model


def crossing(
    n: int, down: float, *, angle: float = 90.0, height: float = 2.0 * RADIUS
) -> Any:
    """D1: clamped rods that cross in the middle, one moved towards the other."""
    return crossing_model(n, down, angle=angle, height=height).build()


def cantilever(n: int) -> Any:
    """One rod that nothing touches."""
    model = fl.Model(line("a", (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), n))
    model.add(fl.Beam("rod", cells="a", section=section()))
    model.add(fl.Support("clamp", at="a_0"))
    model.add(fl.Force("load", at="a_1", force=(0.0, 0.0, -1e-3)))
    return model.build()


def crossing_model(
    n: int, down: float, *, angle: float = 90.0, height: float = 2.0 * RADIUS
) -> Any:
    """The same, before it is built."""
    c, s = np.cos(np.radians(angle)), np.sin(np.radians(angle))
    mesh = joined(
        line("a", (-0.5, 0.0, height), (0.5, 0.0, height), n),
        line("b", (-0.5 * c, -0.5 * s, 0.0), (0.5 * c, 0.5 * s, 0.0), n),
    )
    model = two_rods(mesh, "a", "b", section())
    for end in "01":
        model.add(fl.Support(f"low {end}", at=f"b_{end}"))
        way = (0.0, 0.0, -down) if down else None
        model.add(fl.Support(f"high {end}", at=f"a_{end}", displacement=way))
    return model


def two_cantilevers(n_upper: int, n_lower: int, length: float) -> fl.Model:
    """A cantilever of length one on another one, clamped on the same side."""
    mesh = joined(
        line("u", (0.0, 0.0, 2.0 * RADIUS), (1.0, 0.0, 2.0 * RADIUS), n_upper),
        line("l", (0.0, 0.0, 0.0), (length, 0.0, 0.0), n_lower),
    )
    model = two_rods(mesh, "u", "l", section())
    model.add(fl.Support("upper clamp", at="u_0"))
    model.add(fl.Support("lower clamp", at="l_0"))
    return model


def stacked_tips(n: int, *, share: float = 0.5, force: float = 1e-3) -> Any:
    """D2: a cantilever with a tip load on a shorter one."""
    model = two_cantilevers(n, round(share * n), share)
    model.add(fl.Force("load", at="u_1", force=(0.0, 0.0, -force)))
    return model.build()


def stacked(n_upper: int, n_lower: int, load: float) -> Any:
    """Two equal cantilevers, one on the other, with a line load."""
    model = two_cantilevers(n_upper, n_lower, 1.0)
    model.add(fl.LineLoad("load", on="upper", force=(0.0, 0.0, -load)))
    return model.build()


def heavy_beam(n: int, height: float, weight: float) -> Any:
    """D3: clamped above a floor, in the plane."""
    below = -2.0 * RADIUS - height
    mesh = joined(
        line("s", (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), n),
        line("w", (-0.1, below, 0.0), (1.1, below, 0.0), round(1.2 * n)),
        inner=lambda x: (x[:, 0] > 1e-6) & (x[:, 1] > -1e-6),
    )
    model = fl.Model(mesh)
    # the shear stiffness of a round rod of this bending stiffness
    chosen = stiff_section(1.5e4)
    model.add(fl.Beam("beam", cells="s", section=chosen))
    model.add(fl.Beam("floor", cells="w", section=chosen))
    model.add(fl.Support("fixed", at="w"))
    model.add(fl.Support("clamp", at="s_0"))
    planar = fl.SupportKind.PLANAR
    model.add(fl.Support("plane", at="inner", kind=planar, axis=(0.0, 0.0, 1.0)))
    model.add(fl.LineLoad("weight", on="beam", force=(0.0, -weight, 0.0)))
    model.add(fl.Contact("touch", between=("beam", "floor"), radius=RADIUS))
    return model.build()


def plate_on_tip(n: int, way: float) -> Any:
    """D4a: a plate pushes the tip of a cantilever aside; only the tip may touch."""
    mesh = joined(
        line("s", (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), n),
        line("w", (-0.2, 2.0 * RADIUS, 0.0), (1.2, 2.0 * RADIUS, 0.0), 14),
    )
    model = fl.Model(mesh)
    chosen = stiff_section(1e6)
    model.add(fl.Beam("strip", cells="s", section=chosen))
    model.add(fl.Beam("plate", cells="w", section=chosen))
    model.add(fl.Support("clamp", at="s_0"))
    model.add(fl.Support("move", at="w", displacement=(0.0, -way, 0.0)))
    model.add(fl.Contact("touch", between=("s_1", "plate"), radius=RADIUS))
    return model.build()


def strut_model(mesh: Any, phi: float) -> Any:
    """A buckled strut "s" in a plane; a push leads to a wall and is taken away."""
    model = fl.Model(mesh)
    model.add(fl.Beam("strut", cells="s", section=stiff_section(1e8)))
    model.add(fl.Support("clamp", at="s_0"))
    model.add(fl.Support("guide", at="s_1", kind=fl.SLIDING, axis=(1.0, 0.0, 0.0)))
    planar = fl.SupportKind.PLANAR
    model.add(fl.Support("plane", at="inner", kind=planar, axis=(0.0, 0.0, 1.0)))
    model.add(fl.Force("thrust", at="s_1", force=(-4.0 * phi**2, 0.0, 0.0)))
    fading = fl.Table(times=(0.0, 0.8, 1.0), values=(1.0, 1.0, 0.0))
    model.add(fl.Force("push", at="middle", force=(0.0, 0.5, 0.0), over_time=fading))
    return model


def strut_at_wall(n: int, phi: float, gap: float) -> Any:
    """D6: a buckled strut beside a wall; a push leads to it and is taken away."""
    mesh = joined(
        line("s", (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), n),
        line(
            "w",
            (-0.1, gap + 2.0 * RADIUS, 0.0),
            (1.1, gap + 2.0 * RADIUS, 0.0),
            round(1.1 * n),
        ),
        inner=lambda x: (x[:, 0] > 1e-6) & (x[:, 0] < 1 - 1e-6) & (x[:, 1] < RADIUS),
        middle=lambda x: (abs(x[:, 0] - 0.5) < 1e-6) & (x[:, 1] < RADIUS),
    )
    model = strut_model(mesh, phi)
    model.add(fl.Beam("wall", cells="w", section=stiff_section(1e8)))
    model.add(fl.Support("fixed", at="w"))
    model.add(fl.Contact("touch", between=("strut", "wall"), radius=RADIUS))
    return model.build()


def ply(n: int, turns: float) -> Any:
    """Two rods twisted about each other by a head that may slide, 20 N in each."""
    mesh = joined(
        line("a", (0.0, RADIUS, 0.0), (1.0, RADIUS, 0.0), n),
        line("b", (0.0, -RADIUS, 0.0), (1.0, -RADIUS, 0.0), n),
        ends=lambda x: x[:, 0] > 1.0 - 1e-9,
    )
    model = two_rods(mesh, "a", "b", section())
    model.add(fl.Support("first clamp", at="a_0"))
    model.add(fl.Support("second clamp", at="b_0"))
    model.add(fl.Body("head", at="ends", position=(1.0, 0.0, 0.0), mass=1.0,
                      inertia=(1.0, 1.0, 1.0)))  # fmt: skip
    motor = fl.Motor(motion=2.0 * np.pi * turns, coordinate=fl.JointCoordinate.ANGLE)
    model.add(
        fl.Joint(
            "turn",
            fl.JointKind.CYLINDRICAL,
            parent=fl.GROUND,
            child="head",
            axis=(1.0, 0.0, 0.0),
            position=(1.0, 0.0, 0.0),
            motor=motor,
        )
    )
    steady = fl.Table(times=(0.0, 1.0), values=(1.0, 1.0))
    model.add(fl.Force("pull", at="head", force=(40.0, 0.0, 0.0), over_time=steady))
    return model.build()


def hairpin(n: int, force: float, gap: float) -> Any:
    """One rod bent round, held at the bend; its two free legs are pressed together."""
    width = 2.0 * RADIUS + gap
    t = np.linspace(0.0, np.pi, 13)[1:-1]
    x = np.linspace(0.0, 1.0, n + 1)
    bow = [1.0 + 0.5 * width * np.sin(t), 0.5 * width * (1.0 - np.cos(t)), 0.0 * t]
    points = np.vstack(
        [
            np.stack([x, 0.0 * x, 0.0 * x], axis=1),
            np.stack(bow, axis=1),
            np.stack([x[::-1], 0.0 * x + width, 0.0 * x], axis=1),
        ]
    )
    last = len(points) - 1
    mesh = fl.mesh_from_arrays(
        points,
        np.stack([np.arange(last), np.arange(1, last + 1)], axis=1),
        node_groups={"first": [0], "second": [last], "top": [n + 6]},
        line_groups={"rod": np.arange(last)},
    )
    model = fl.Model(mesh)
    model.add(fl.Beam("rod", cells="rod", section=section()))
    model.add(fl.Support("clamp", at="top"))
    model.add(fl.Force("up", at="first", force=(0.0, force, 0.0)))
    model.add(fl.Force("down", at="second", force=(0.0, -force, 0.0)))
    model.add(fl.Contact("touch", between=("rod", "rod")))
    return model.build()


def tip_on_rod(n: int, force: float, aside: float) -> Any:
    """The tip of a guided rod presses on the side of a clamped one."""
    mesh = joined(
        line("a", (-0.5, 0.0, 0.0), (0.5, 0.0, 0.0), n),
        line("b", (aside, 0.0, 2.0 * RADIUS), (aside, 0.0, 0.5), n),
    )
    model = two_rods(mesh, "a", "b", section())
    model.add(fl.Support("left", at="a_0"))
    model.add(fl.Support("right", at="a_1"))
    along = (0.0, 0.0, 1.0)
    model.add(fl.Support("guide", at="b_1", kind=fl.SLIDING, axis=along))
    model.add(fl.Force("load", at="b_1", force=(0.0, 0.0, -force)))
    return model.build()


def tip_on_tip(force: float) -> Any:
    """Two rods in one line, pressed end to end."""
    gap = 2.0 * RADIUS
    mesh = joined(
        line("a", (0.0, 0.0, 0.0), (0.5, 0.0, 0.0), 5),
        line("b", (0.5 + gap, 0.0, 0.0), (1.0 + gap, 0.0, 0.0), 5),
    )
    model = two_rods(mesh, "a", "b", section())
    model.add(fl.Support("clamp", at="a_0"))
    along = (1.0, 0.0, 0.0)
    model.add(fl.Support("guide", at="b_1", kind=fl.SLIDING, axis=along))
    model.add(fl.Force("load", at="b_1", force=(-force, 0.0, 0.0)))
    return model.build()


DRUM, ROPE = 0.1, 0.005


def half_turn(n: int, way: float, free: float, n_free: int) -> Any:
    """A rope along half a circle about z, with straight ends of n_free elements."""
    t = np.linspace(0.0, np.pi, n - 2 * n_free + 1)
    s = np.linspace(free, 0.0, n_free + 1)[:-1]
    arc = np.stack([way * np.cos(t), way * np.sin(t), 0.0 * t], axis=1)
    held = np.stack([way + 0.0 * s, -s, 0.0 * s], axis=1)
    return fl.mesh_from_arrays(
        np.vstack([held, arc, (held * [-1.0, 1.0, 1.0])[::-1]]),
        np.stack([np.arange(n), np.arange(1, n + 1)], axis=1),
        node_groups={"held": [0], "pulled": [n]},
        line_groups={"rope": np.arange(n)},
    )


def round_section(radius: float) -> Any:
    material = fl.Material(young=YOUNG, poisson=0.3, density=1000.0)
    return fl.CircularSection(radius=radius, material=material)


def rope_on_drum(
    n: int,
    tension: float,
    *,
    rope: float = ROPE,
    free: float = 0.1,
    n_free: int | None = None,
    friction: float = 0.0,
) -> Any:
    """A rope round half a drum, held at one end and pulled at the other."""
    mesh = half_turn(n, DRUM + rope, free, n // 4 if n_free is None else n_free)
    mesh = joined(mesh, line("drum", (0.0, 0.0, -0.2), (0.0, 0.0, 0.2), 1))
    model = fl.Model(mesh)
    thin, thick = round_section(rope), round_section(DRUM)
    model.add(fl.Beam("rope", cells="rope", section=thin, curve=fl.SMOOTH))
    model.add(fl.Beam("drum", cells="drum", section=thick))
    for end in "01":
        model.add(fl.Support(f"axle {end}", at=f"drum_{end}"))
    model.add(fl.Support("hold", at="held"))
    model.add(fl.Force("pull", at="pulled", force=(0.0, -tension, 0.0)))
    model.add(fl.Contact("touch", between=("rope", "drum"), friction=friction))
    return model.build()


def sliding_along(n: int, way: float) -> Any:
    """A cantilever under a rod that comes down a little and moves along it."""
    height = 2.0 * RADIUS
    mesh = joined(
        line("a", (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), n),
        line("b", (0.5, -0.3, height), (0.5, 0.3, height), n),
    )
    model = two_rods(mesh, "a", "b", section())
    model.add(fl.Support("clamp", at="a_0"))
    for end in "01":
        move = (way, 0.0, -0.01)
        model.add(fl.Support(f"guide {end}", at=f"b_{end}", displacement=move))
    return model.build()


def strand(n: int, stretch: float) -> Any:
    """Seven wires of steel, six of them in helices of two turns, pulled by a head."""
    wire, length = 1e-3, 0.2
    x = np.linspace(0.0, length, n + 1)
    lines = np.stack([np.arange(n), np.arange(1, n + 1)], axis=1)
    meshes = []
    for k in range(7):
        angle = np.pi * k / 3.0 + 4.0 * np.pi * x / length
        away = 0.0 if k == 6 else 2.001 * wire
        points = np.stack([x, away * np.cos(angle), away * np.sin(angle)], axis=1)
        meshes.append(
            fl.mesh_from_arrays(
                points,
                lines,
                node_groups={"starts": [0], "ends": [n]},
                line_groups={f"{k}": np.arange(n), "wires": np.arange(n)},
            )
        )
    model = fl.Model(joined(*meshes))
    steel = fl.Material(young=2e11, poisson=0.3, density=7800.0)
    round_wire = fl.CircularSection(radius=wire, material=steel)
    for k in range(7):
        beam = fl.Beam(f"wire {k}", cells=f"{k}", section=round_wire, curve=fl.SMOOTH)
        model.add(beam)
    model.add(fl.Support("clamp", at="starts"))
    place = (length, 0.0, 0.0)
    model.add(fl.Body("head", at="ends", position=place, mass=0.1, inertia=(1e-4,) * 3))
    way = (stretch * length, 0.0, 0.0)
    model.add(fl.Support("pull", at="head", displacement=way))
    model.add(fl.Contact("touch", between=("wires", "wires")))
    return model.build()
