"""Ten models that trees and the absolute form must agree on."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import femlie as fl
from tests.sample_elements import forked_body

RUBBER = fl.Material(young=2e6, poisson=0.4, density=1100.0)


def _body(name: str, place: tuple[float, ...], seed: int, mass: float = 1.5) -> fl.Body:
    rng = np.random.default_rng(seed)
    return fl.Body(
        name,
        position=place,
        orientation=tuple(rng.normal(size=3)),
        mass=mass,
        inertia=(0.4, 0.5, 0.6),
        center=tuple(0.2 * rng.normal(size=3)),
    )


def mixed_chain() -> fl.Model:
    """All lower pairs, a universal joint, parents and children in either order."""
    model = fl.Model()
    kinds = (
        fl.REVOLUTE,
        fl.UNIVERSAL,
        fl.PLANAR,
        fl.SCREW,
        fl.SPHERICAL,
        fl.CYLINDRICAL,
        fl.PRISMATIC,
        fl.FIXED,
        fl.POINT_ON_LINE,
    )
    rng = np.random.default_rng(11)
    before = fl.GROUND
    for i, kind in enumerate(kinds):
        name = f"link {i}"
        model.add(_body(name, (0.5 * (i + 1), 0.1 * i, 0.0), i))
        ends = (before, name) if i % 2 == 0 else (name, before)
        model.add(
            fl.Joint(
                f"joint {i}",
                kind,
                parent=ends[0],
                child=ends[1],
                axis=tuple(rng.normal(size=3)),
                position=(0.5 * i + 0.2, 0.0, 0.1),
                pitch=0.3 if kind is fl.SCREW else None,
            )
        )
        before = name
    model.add(fl.Gravity("weight"))
    return model


def floating_branches() -> fl.Model:
    """A free body with three arms, springs between them, a load and a bushing."""
    model = fl.Model()
    model.add(_body("hub", (0.0, 0.0, 0.0), 3, mass=4.0))
    for i in range(3):
        angle = 2.0 * np.pi * i / 3.0
        place = (float(np.cos(angle)), float(np.sin(angle)), 0.2)
        model.add(_body(f"arm {i}", place, 20 + i))
        model.add(
            fl.Joint(
                f"joint {i}",
                (fl.REVOLUTE, fl.SPHERICAL, fl.UNIVERSAL)[i],
                parent="hub",
                child=f"arm {i}",
                axis=(place[0], place[1], 0.4),
                position=tuple(0.5 * np.array(place)),
            )
        )
    for i in range(3):
        model.add(
            fl.SpringDamper(
                f"spring {i}",
                f"arm {i}",
                f"arm {(i + 1) % 3}",
                stiffness=40.0,
                damping=2.0,
                length=1.0,
            )
        )
    model.add(fl.Force("push", at="hub", force=(1.0, 2.0, 3.0), follower=True))
    model.add(fl.Gravity("weight"))
    return model


def laws_in_joints() -> fl.Model:
    """Springs, dampers, stops and motor torques on joint coordinates."""
    model = fl.Model()
    model.add(_body("first", (0.5, 0.0, 0.0), 5))
    model.add(_body("second", (1.2, 0.3, 0.0), 6))
    model.add(_body("third", (1.5, 0.6, 0.3), 7))
    model.add(
        fl.Joint(
            "hinge",
            fl.REVOLUTE,
            parent=fl.GROUND,
            child="first",
            axis=(0.0, 1.0, 0.2),
            position=(0.0, 0.0, 0.0),
            spring=fl.JointSpring(stiffness=30.0, damping=1.5, rest=0.2),
            stop=fl.Stop(lower=-0.1, upper=0.3, stiffness=500.0, damping=0.1),
        )
    )
    model.add(
        fl.Joint(
            "rail",
            fl.CYLINDRICAL,
            parent="second",
            child="first",
            axis=(1.0, 0.5, 0.0),
            position=(0.9, 0.0, 0.0),
            spring=(
                fl.JointSpring(
                    stiffness=80.0, damping=2.0, coordinate=fl.JointCoordinate.ALONG
                ),
                fl.JointSpring(
                    stiffness=5.0, damping=0.5, coordinate=fl.JointCoordinate.ANGLE
                ),
            ),
        )
    )
    model.add(
        fl.Joint(
            "motor",
            fl.REVOLUTE,
            parent="second",
            child="third",
            axis=(0.3, 0.1, 1.0),
            position=(1.3, 0.4, 0.1),
            motor=fl.Motor(
                torque=2.0, over_time=fl.Table(times=(0.0, 1.0), values=(1.0, 3.0))
            ),
        )
    )
    model.add(fl.Gravity("weight"))
    return model


def driven_joints() -> fl.Model:
    """Motions prescribed on a hinge, a screw, a universal and a planar joint."""
    swing = fl.Table(times=(0.0, 0.5, 1.0, 2.0), values=(0.0, 0.6, -0.2, 1.0))
    model = fl.Model()
    specs = (
        (fl.REVOLUTE, {}),
        (fl.SCREW, {"pitch": 0.4}),
        (fl.UNIVERSAL, {}),
        (fl.PLANAR, {}),
        (fl.CYLINDRICAL, {}),
    )
    before = fl.GROUND
    for i, (kind, options) in enumerate(specs):
        name = f"link {i}"
        model.add(_body(name, (0.6 * (i + 1), 0.0, 0.1 * i), 30 + i))
        along = (fl.PLANAR, fl.CYLINDRICAL)
        coordinate = fl.JointCoordinate.ANGLE
        if kind in along:
            across = (fl.JointCoordinate.ACROSS_1, fl.JointCoordinate.ALONG)
            coordinate = across[along.index(kind)]
        model.add(
            fl.Joint(
                f"joint {i}",
                kind,
                parent=before if i != 2 else name,
                child=name if i != 2 else before,
                axis=(0.2 * i, 1.0, 0.3),
                position=(0.6 * i + 0.3, 0.0, 0.0),
                motor=fl.Motor(motion=0.4, over_time=swing, coordinate=coordinate),
                **options,
            )
        )
        before = name
    model.add(fl.Gravity("weight"))
    return model


def moving_base() -> fl.Model:
    """A base that a support moves and turns, with two links on it."""
    model = fl.Model()
    model.add(_body("base", (0.0, 0.0, 0.0), 40))
    model.add(_body("link", (0.5, 0.0, 0.5), 41))
    model.add(_body("bob", (0.9, 0.1, 0.2), 42))
    sway = fl.Table(times=(0.0, 0.4, 1.0), values=(0.0, 1.0, 0.3))
    model.add(
        fl.Support(
            "shaker",
            at="base",
            displacement=(0.3, 0.1, -0.2),
            rotation=(0.0, 0.2, 0.5),
            over_time=sway,
        )
    )
    model.add(
        fl.Joint(
            "hinge", fl.REVOLUTE, parent="base", child="link", axis=(0.0, 1.0, 0.0),
            position=(0.2, 0.0, 0.2),
        )
    )  # fmt: skip
    model.add(
        fl.Joint(
            "ball", fl.SPHERICAL, parent="link", child="bob", position=(0.8, 0.0, 0.4)
        )
    )
    model.add(fl.Gravity("weight"))
    return model


def _four_bar(kinds: tuple[fl.JointKind, ...], motor: fl.Motor | None) -> fl.Model:
    places = np.array([(0, 0, 0), (0.1, 1, 0), (2, 1.5, 0), (2, 0, 0)], dtype=float)
    names = ("crank", "coupler", "rocker")
    model = fl.Model()
    for i, name in enumerate(names):
        middle = 0.5 * (places[i] + places[i + 1])
        model.add(
            fl.Body(name, position=tuple(middle), mass=1.0 + i, inertia=(0.3, 0.4, 0.5))
        )
    ends = (fl.GROUND, *names, fl.GROUND)
    for i, kind in enumerate(kinds):
        model.add(
            fl.Joint(
                f"joint {i}",
                kind,
                parent=ends[i],
                child=ends[i + 1],
                position=tuple(places[i]),
                motor=motor if i == 0 else None,
            )
        )
    model.add(fl.SpringDamper("spring", "crank", "rocker", stiffness=20.0, damping=1.0))
    model.add(fl.Gravity("weight", acceleration=(0.5, -9.81, 0.3)))
    return model


def planar_four_bar() -> fl.Model:
    """Four parallel hinges: three redundant rows."""
    return _four_bar((fl.REVOLUTE,) * 4, None)


def spatial_four_bar() -> fl.Model:
    """Hinge, universal, spherical joint and hinge, with a motor."""
    kinds = (fl.REVOLUTE, fl.UNIVERSAL, fl.SPHERICAL, fl.REVOLUTE)
    return _four_bar(kinds, fl.Motor(torque=3.0))


def driven_four_bar() -> fl.Model:
    """The same with a motion prescribed on the crank."""
    kinds = (fl.REVOLUTE, fl.UNIVERSAL, fl.SPHERICAL, fl.REVOLUTE)
    swing = fl.Table(times=(0.0, 1.0, 2.0), values=(0.0, 0.5, 0.1))
    return _four_bar(kinds, fl.Motor(motion=0.4, over_time=swing))


def flexible_slider_crank() -> fl.Model:
    """A beam between crank and slider: a loop, a spring and a distance besides."""
    mesh = fl.straight_line(
        (0.3, 0.4, 0.0), (1.5, 0.0, 0.0), n_elements=4, name="rod",
        start_name="crank pin", end_name="slider pin",
    )  # fmt: skip
    model = fl.Model(mesh)
    section = fl.RectangularSection(width=0.02, height=0.03, material=RUBBER)
    model.add(fl.Beam("rod", cells="rod", section=section))
    model.add(fl.Body("crank", position=(0.15, 0.2, 0), mass=1.0, inertia=(0.1,) * 3))
    model.add(fl.Body("slider", position=(1.5, 0, 0), mass=2.0, inertia=(0.1,) * 3))
    model.add(
        fl.Joint(
            "shaft", fl.REVOLUTE, parent=fl.GROUND, child="crank", position=(0, 0, 0)
        )
    )
    model.add(
        fl.Joint("crank pin joint", fl.REVOLUTE, parent="crank", child="crank pin")
    )
    model.add(
        fl.Joint("slider pin joint", fl.REVOLUTE, parent="slider", child="slider pin")
    )
    model.add(
        fl.Joint(
            "rail", fl.POINT_ON_LINE, parent=fl.GROUND, child="slider",
            axis=(1.0, 0.0, 0.0), position=(1.5, 0.0, 0.0),
        )
    )  # fmt: skip
    model.add(fl.Gravity("weight", acceleration=(0.0, -9.81, 0.0)))
    return model


def propped_beam() -> fl.Model:
    """A beam on two hinged supports, one of which must close a loop, and a bob."""
    mesh = fl.straight_line(
        (0, 0, 0), (1, 0, 0), n_elements=3, name="rod", start_name="left",
        end_name="right",
    )  # fmt: skip
    model = fl.Model(mesh)
    section = fl.CircularSection(radius=0.02, material=RUBBER)
    model.add(fl.Beam("rod", cells="rod", section=section))
    model.add(fl.Support("left hinge", at="left", kind=fl.HINGED, axis=(0, 1, 0)))
    model.add(fl.Support("right hinge", at="right", kind=fl.HINGED, axis=(0, 1, 0)))
    model.add(_body("bob", (0.5, 0.0, -0.3), 50, mass=0.1))
    model.add(
        fl.Joint("ball", fl.SPHERICAL, parent="right", child="bob", position=(1, 0, 0))
    )
    model.add(fl.Gravity("weight"))
    return model


def modal_robot() -> fl.Model:
    """A modal fork on a hinge, a bob on each prong, the last one on a modal rod."""
    model = forked_body()
    mesh = fl.join_meshes(
        model.mesh,
        fl.straight_line(
            (2.4, 0.8, 0.2), (3.0, 0.9, 0.2), n_elements=3, name="rod",
            start_name="near", end_name="far",
        ),
    )  # fmt: skip
    whole = fl.Model(mesh)
    for part in model.parts.values():
        whole.add(part)
    section = fl.CircularSection(radius=0.02, material=RUBBER)
    whole.add(fl.Beam("rod", cells="rod", section=section))
    whole.add(fl.ModalBody("arm", ("rod",), ("far", "near"), n_modes=5))
    whole.add(_body("first", (2.2, 0.9, 0.2), 60, mass=0.5))
    whole.add(_body("second", (1.9, -1.0, 1.0), 61, mass=0.4))
    whole.add(_body("third", (3.2, 1.0, 0.3), 62, mass=0.2))
    for name, kind, parent, child in (
        ("base", fl.REVOLUTE, fl.GROUND, "stem"),
        ("left wrist", fl.UNIVERSAL, "left", "first"),
        ("right wrist", fl.SPHERICAL, "second", "right"),
        ("elbow", fl.REVOLUTE, "first", "near"),
        ("finger", fl.CYLINDRICAL, "far", "third"),
    ):
        joint = fl.Joint(name, kind, parent=parent, child=child, axis=(0.3, 1.0, 0.2))
        whole.add(joint)
    whole.add(fl.SpringDamper("spring", "second", "third", stiffness=5.0, damping=0.3))
    whole.add(fl.Gravity("weight"))
    return whole


def modal_slider_crank() -> fl.Model:
    """The flexible slider-crank with a modal rod in its loop."""
    model = flexible_slider_crank()
    ports = ("slider pin", "crank pin")
    model.add(fl.ModalBody("link", beams=("rod",), interfaces=ports, n_modes=4))
    return model


def held_modal_body() -> fl.Model:
    """Prongs that a clamp and a hinge hold, and a free modal body besides."""
    model = forked_body()
    model.add(fl.Support("clamp", at="stem"))
    model.add(fl.Support("hinge", at="left", kind=fl.HINGED, axis=(0.0, 1.0, 0.0)))
    model.add(_body("bob", (1.9, -1.0, 1.0), 63, mass=0.3))
    model.add(fl.Joint("ball", fl.SPHERICAL, parent="right", child="bob"))
    model.add(fl.Gravity("weight"))
    return model


def floating_modal_body() -> fl.Model:
    """A free fork with two hinged bodies, without weight."""
    model = forked_body()
    for name, at in (("first", "left"), ("second", "right")):
        place = model.mesh.points[model.mesh.nodes(at)[0]] + [0.2, 0.1, 0.1]
        model.add(_body(name, tuple(place), 64, mass=0.4))
        axis = (1.0, 0.5, 0.2)
        model.add(fl.Joint(f"{name} hinge", fl.REVOLUTE, at, name, axis=axis))
    return model


MODELS: dict[str, Callable[[], fl.Model]] = {
    f.__name__: f
    for f in (
        mixed_chain,
        floating_branches,
        laws_in_joints,
        driven_joints,
        moving_base,
        planar_four_bar,
        spatial_four_bar,
        driven_four_bar,
        flexible_slider_crank,
        propped_beam,
        modal_robot,
        modal_slider_crank,
        held_modal_body,
        floating_modal_body,
    )
}
