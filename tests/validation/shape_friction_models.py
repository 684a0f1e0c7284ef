"""Models of rods and bodies that rub on rigid shapes."""

from __future__ import annotations

from typing import Any

import numpy as np

import femlie as fl
from tests.validation.contact_models import (
    DRUM,
    RADIUS,
    joined,
    line,
    round_section,
    section,
    stiff_section,
)
from tests.validation.friction_models import MOVED, PRESSED

KIND = fl.ShapeKind
NO_INERTIA = (1.0, 1.0, 1.0)
WEIGHT = 1000.0
FLOOR = fl.Shape("floor", KIND.PLANE)


def wound(n: int, angle: float, way: float, free: float, n_free: int) -> Any:
    """A rope along an arc about z that ends at the first axis, with straight ends."""
    t = np.linspace(-angle, 0.0, n - 2 * n_free + 1)
    s = np.linspace(0.0, free, n_free + 1)[1:, None]
    arc = way * np.stack([np.cos(t), np.sin(t), 0.0 * t], axis=1)
    ends = []
    for k, sign in ((0, 1.0), (-1, -1.0)):
        along = sign * np.array([np.sin(t[k]), -np.cos(t[k]), 0.0])
        ends.append(arc[k] + s * along)
    return fl.mesh_from_arrays(
        np.vstack([ends[0][::-1], arc, ends[1]]),
        np.stack([np.arange(n), np.arange(1, n + 1)], axis=1),
        node_groups={"held": [0], "pulled": [n]},
        line_groups={"rope": np.arange(n)},
    )


def capstan(n: int, friction: float, angle: float, pull: float) -> Any:
    """A thin rope wound on a cylinder, held at one end; r/R is 0.02."""
    rope = 0.002
    model = fl.Model(wound(n, angle, DRUM + rope, 0.02, n // 8))
    thin = round_section(rope)
    model.add(fl.Beam("rope", cells="rope", section=thin, curve=fl.SMOOTH))
    model.add(fl.Shape("drum", KIND.CYLINDER, radius=DRUM))
    model.add(fl.Support("hold", at="held"))
    model.add(fl.Force("pull", at="pulled", force=(0.0, pull, 0.0)))
    model.add(fl.Contact("touch", between=("rope", "drum"), friction=friction))
    return model.build()


def plate_on_tip(n: int, way: float, friction: float) -> Any:
    """D4a: a plane on a body that moves pushes the tip of a cantilever aside."""
    model = fl.Model(line("s", (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), n))
    model.add(fl.Beam("strip", cells="s", section=stiff_section(1e6)))
    model.add(fl.Support("clamp", at="s_0"))
    place = (0.5, RADIUS, 0.0)
    model.add(fl.Body("slide", position=place, mass=1.0, inertia=NO_INERTIA))
    model.add(fl.Support("move", at="slide", displacement=(0.0, -way, 0.0)))
    model.add(fl.Shape("plate", KIND.PLANE, on="slide", axis=(0.0, -1.0, 0.0)))
    model.add(
        fl.Contact("touch", between=("s_1", "plate"), radius=RADIUS, friction=friction)
    )
    return model.build()


def block(
    friction: float, force: Any, *, height: float = 0.3, floor: Any = FLOOR
) -> Any:
    """A box of 1.0 x 0.8 x 0.6 m on the floor, pushed at a height."""
    model = fl.Model()
    solid = fl.box((1.0, 0.8, 0.6), density=1000.0)
    model.add(fl.Body("block", solid=solid, position=(0.0, 0.0, 0.3)))
    model.add(floor)
    arm = height - 0.3
    moment = (-arm * force[1], arm * force[0], 0.0)
    model.add(fl.Force("push", at="block", force=force, moment=moment))
    model.add(fl.Contact("touch", between=("block", floor.name), friction=friction))
    return model.build()


def dragged(friction: float, way: float, stiffness: float) -> Any:
    """The same box drawn along by a spring, whose other end moves."""
    model = fl.Model()
    solid = fl.box((1.0, 0.8, 0.6), density=1000.0)
    model.add(fl.Body("block", solid=solid, position=(0.0, 0.0, 0.3)))
    model.add(FLOOR)
    model.add(fl.Body("hand", position=(0.0, 0.0, 0.3), mass=0.0))
    model.add(
        fl.Support("move", at="hand", displacement=(way, 0.0, 0.0), over_time=MOVED)
    )
    springs = (stiffness, 1.0, 1.0, 1.0, 1.0, 1.0)
    model.add(fl.Bushing("rope", "hand", "block", stiffness=springs))
    down = (0.0, 0.0, -WEIGHT)
    model.add(fl.Force("weight", at="block", force=down, over_time=PRESSED))
    model.add(fl.Contact("touch", between=("block", "floor"), friction=friction))
    return model.build()


def ladder(slope: float, frictions: Any, *, is_body: bool = False) -> Any:
    """A ladder of length one at a wall with its weight in the middle."""
    c, s = np.cos(slope), np.sin(slope)
    start, end = np.array([-c, 0.0, RADIUS]), np.array([0.0, 0.0, RADIUS + s])
    walls = {"floor": (0.0, 0.0, 0.0), "wall": (RADIUS, 0.0, 0.0)}
    if is_body:
        model = fl.Model()
        ends = {}
        model.add(fl.Body("ladder", position=tuple(0.5 * (start + end)), mass=1.0,
                          inertia=NO_INERTIA))  # fmt: skip
        model.add(
            fl.Shape("rod", KIND.CAPSULE, on="ladder", radius=RADIUS, length=1.0,
                     axis=tuple(end - start))
        )  # fmt: skip
        ends = {"floor": "rod", "wall": "rod"}
        middle = "ladder"
    else:
        mesh = joined(
            line("s", start, end, 8), middle=lambda x: abs(x[:, 0] + 0.5 * c) < 1e-9
        )
        model = fl.Model(mesh)
        model.add(fl.Beam("ladder", cells="s", section=section()))
        ends = {"floor": "s_0", "wall": "s_1"}
        middle = "middle"
    model.add(fl.Force("weight", at=middle, force=(0.0, 0.0, -1.0)))
    for (name, place), friction in zip(walls.items(), frictions, strict=True):
        axis = (0.0, 0.0, 1.0) if name == "floor" else (-1.0, 0.0, 0.0)
        model.add(fl.Shape(name, KIND.PLANE, position=place, axis=axis))
        model.add(
            fl.Contact(f"on {name}", between=(ends[name], name), friction=friction)
        )
    return model.build()


def least_slope(frictions: Any) -> float:
    """Angle of a ladder of length one that is about to slide at both ends.

    With forces at the surface of its round ends: ``(s + r (1 + mu_2) ) mu_1 =
    c (1 - mu_1 mu_2) / 2``.
    """
    first, second = frictions
    a, b = first, 0.5 * (1.0 - first * second)
    rest = -RADIUS * first * (1.0 + second)
    # a s - b c = rest
    return float(np.arcsin(rest / np.hypot(a, b)) + np.arctan2(b, a))


def ball_between_plates(way: float, friction: float) -> Any:
    """A ball on a table under a plate that moves along and presses."""
    model = fl.Model()
    model.add(fl.Body("ball", solid=fl.sphere(0.1, density=1.0), position=(0, 0, 0.1)))
    model.add(fl.Body("lid", position=(0.0, 0.0, 0.2), mass=1.0, inertia=NO_INERTIA))
    model.add(
        fl.Support("move", at="lid", kind=fl.CUSTOM, first_axis=(1.0, 0.0, 0.0),
                   displacement=(way, 0.0, 0.0), over_time=MOVED,
                   held=(True, True, False, True, True, True))
    )  # fmt: skip
    down = (0.0, 0.0, -10.0)
    model.add(fl.Force("press", at="lid", force=down, over_time=PRESSED))
    model.add(FLOOR)
    model.add(fl.Shape("plate", KIND.PLANE, on="lid", axis=(0.0, 0.0, -1.0)))
    for name in ("floor", "plate"):
        model.add(fl.Contact(f"on {name}", between=("ball", name), friction=friction))
    return model.build()


def ball_in_bowl(load: Any, friction: float) -> Any:
    """A ball that lies in a bowl and is drawn aside."""
    model = fl.Model()
    ball = fl.sphere(0.1, density=1.0)
    model.add(fl.Body("ball", solid=ball, position=(0.0, 0.0, -0.9)))
    model.add(fl.Shape("bowl", KIND.SPHERE, radius=1.0, inside=True))
    down, aside = (0.0, 0.0, load[2]), (load[0], load[1], 0.0)
    model.add(fl.Force("press", at="ball", force=down, over_time=PRESSED))
    model.add(fl.Force("pull", at="ball", force=aside, over_time=MOVED))
    model.add(fl.Contact("touch", between=("ball", "bowl"), friction=friction))
    return model.build()


def rod_on_rod_on_floor(friction: float, press: float = 10.0, n: int = 9) -> Any:
    """A rod along y, pressed and drawn along x, on one along x that lies on a floor.

    The friction is that of the floor, between the rods 0.3. A spring of 1000 N/m
    holds the lower one along.
    """
    length, height = 0.1, 3.0 * RADIUS
    mesh = joined(
        line("a", (0.0, -length, height), (0.0, length, height), n),
        line("b", (-length, 0.0, RADIUS), (length, 0.0, RADIUS), 8),
        middle=lambda x: np.linalg.norm(x - [0.0, 0.0, RADIUS], axis=1) < 1e-9,
    )
    model = fl.Model(mesh)
    model.add(fl.Beam("upper", cells="a", section=section()))
    model.add(fl.Beam("lower", cells="b", section=section()))
    for end in "01":
        model.add(
            fl.Support(f"high {end}", at=f"a_{end}", kind=fl.CUSTOM,
                       first_axis=(1.0, 0.0, 0.0), displacement=(4e-3, 0.0, 0.0),
                       held=(True, True, False, True, True, True), over_time=MOVED)
        )  # fmt: skip
        down = (0.0, 0.0, -0.5 * press)
        model.add(fl.Force(f"press {end}", at=f"a_{end}", force=down,
                           over_time=PRESSED))  # fmt: skip
    springs = (1000.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    model.add(fl.Bushing("spring", fl.GROUND, "b_0", stiffness=springs))
    model.add(FLOOR)
    model.add(fl.Contact("over", between=("upper", "lower"), friction=0.3))
    model.add(fl.Contact("under", between=("lower", "floor"), friction=friction))
    return model.build()


def drawn_over_edge(n: int, friction: float, way: float) -> Any:
    """A rope over the upright edge of a box, drawn at one end, held by a spring."""
    rope = 0.002
    slope = np.array([1.0, 0.0, -0.2])
    ends = [0.1 * slope * [-1.0, 1.0, 1.0], 0.1 * slope]
    t = np.linspace(-1.0, 1.0, n + 1)[:, None]
    places = np.where(t < 0.0, -t * ends[0], t * ends[1])
    mesh = fl.mesh_from_arrays(
        places,
        np.stack([np.arange(n), np.arange(1, n + 1)], axis=1),
        node_groups={"held": [0], "drawn": [n]},
        line_groups={"rope": np.arange(n)},
    )
    model = fl.Model(mesh)
    model.add(fl.Beam("rope", cells="rope", section=round_section(rope)))
    turn = (0.0, np.pi / 4, 0.0)
    place = (0.0, 0.0, -0.1 * 2.0**0.5 - rope)
    model.add(
        fl.Shape("block", KIND.BOX, size=(0.2, 0.3, 0.2), orientation=turn,
                 position=place)
    )  # fmt: skip
    back = tuple(0.2 * way * ends[0] / np.linalg.norm(ends[0]))
    model.add(fl.Support("hold", at="held", displacement=back, over_time=PRESSED))
    along = tuple(way * ends[1] / np.linalg.norm(ends[1]))
    model.add(fl.Support("draw", at="drawn", displacement=along, over_time=MOVED))
    model.add(fl.Contact("touch", between=("rope", "block"), friction=friction))
    return model.build()
