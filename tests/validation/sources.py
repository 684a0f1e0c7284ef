"""Models that the project started from: Mueller and Terze 2013, and chains of prisms.

Where the source leaves a number out, the choice stands here.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import femlie as fl

ALUMINIUM = 2700.0
SIDES = (0.2, 0.1, 0.05)
BOX = fl.box(SIDES, density=ALUMINIUM)


def box_top(group: fl.MotionGroup = fl.SE3) -> fl.Model:
    """Section 5.1: frame at the mass center, pivot as rows; no gravity acts there."""
    model = fl.Model()
    model.add(
        fl.Body("top", position=(0.5, 0.0, 0.0), mass=21.6, inertia=(0.36, 0.306, 0.09))
    )
    model.add(
        fl.Joint(
            "pivot", fl.SPHERICAL, parent=fl.GROUND, child="top", position=(0, 0, 0)
        )
    )
    spin = (0.0, 20.0 * np.pi, 10.0 * np.pi)
    model.add(fl.InitialMotion("spin", angular_velocity=spin))
    model.add(fl.FrameGroup("group", group=group))
    return model


def links(
    places: Sequence[float],
    spins: Sequence[Sequence[float]],
    speeds: Sequence[Sequence[float]],
) -> fl.Model:
    """Boxes along x, tied by spherical joints half way between."""
    model = fl.Model()
    for k, (x, spin, speed) in enumerate(zip(places, spins, speeds, strict=True)):
        name = f"link {k + 1}"
        model.add(fl.Body(name, position=(x, 0.0, 0.0), solid=BOX))
        model.add(
            fl.InitialMotion(
                f"start of {name}",
                on=(name,),
                angular_velocity=tuple(spin),
                velocity=tuple(speed),
                about=(x, 0.0, 0.0),
            )
        )
    model.add(
        fl.Joint(
            "elbow",
            fl.SPHERICAL,
            parent="link 1",
            child="link 2",
            position=(0.5 * (places[0] + places[1]), 0.0, 0.0),
        )
    )
    return model


def double_pendulum(group: fl.MotionGroup = fl.SE3) -> fl.Model:
    """Section 5.2: mass of aluminium, g = 9.81; velocities made consistent."""
    spin = np.array([10.0 * np.pi, 10.0 * np.pi, 20.0 * np.pi])
    speed = np.cross(spin, [0.1, 0.0, 0.0])
    model = links((0.1, 0.3), ((10.0, 0.0, 0.0), spin), ((0.0, 0.0, 0.0), speed))
    model.add(
        fl.Joint(
            "shoulder",
            fl.SPHERICAL,
            parent=fl.GROUND,
            child="link 1",
            position=(0.0, 0.0, 0.0),
        )
    )
    model.add(fl.Gravity("weight"))
    model.add(fl.FrameGroup("group", group=group))
    return model


def floating_bodies(group: fl.MotionGroup = fl.SE3) -> fl.Model:
    """Section 5.3: as 5.2 without ground and gravity, no linear momentum."""
    spins = np.array([[0.0, 0.0, -10.0], [1.0, -1.0, 2.0 * np.pi]])
    # at the joint both velocities agree, and the masses are equal
    half = 0.5 * np.cross(spins[0] + spins[1], [0.1, 0.0, 0.0])
    model = links((0.1, 0.3), spins, (-half, half))
    model.add(fl.FrameGroup("group", group=group))
    return model


def three_bar(group: fl.MotionGroup = fl.SE3) -> fl.Model:
    """Section 5.4, which has no numbers: two boxes, held at 0, 0.2 and a far pivot.

    The far pivot stands at (0.3, 0.15, 0) so that the second link is bent off the
    first; the mechanism turns about the line between the pivots with 10 rad/s.
    """
    first, second = np.zeros(3), np.array([0.2, 0.0, 0.0])
    last = np.array([0.3, 0.15, 0.0])
    axis = last / np.linalg.norm(last)
    model = fl.Model()
    centers = (0.5 * (first + second), 0.5 * (second + last))
    turns = (0.0, float(np.arctan2(0.15, 0.1)))
    for k, (center, turn) in enumerate(zip(centers, turns, strict=True)):
        model.add(
            fl.Body(
                f"link {k + 1}",
                position=tuple(center),
                orientation=(0.0, 0.0, turn),
                solid=BOX,
            )
        )
    ends = ((fl.GROUND, "link 1"), ("link 1", "link 2"), (fl.GROUND, "link 2"))
    for k, ((parent, child), place) in enumerate(
        zip(ends, (first, second, last), strict=True)
    ):
        model.add(
            fl.Joint(
                f"joint {k + 1}",
                fl.SPHERICAL,
                parent=parent,
                child=child,
                position=tuple(place),
            )
        )
    model.add(fl.InitialMotion("spin", angular_velocity=tuple(10.0 * axis)))
    model.add(fl.FrameGroup("group", group=group))
    return model


def chain(n: int, angle: float = 0.1, *, relative: float = 0.0) -> fl.Model:
    """Hanging prisms of 2 m, 0.2 m wide, 50 kg, on spherical joints.

    The first one is turned by ``angle`` about x, each next one by ``relative`` more;
    frames sit at the mass centers, g = 9.81 (the source does not say).
    """
    across = 50.0 * (2.0**2 + 0.2**2) / 12.0
    along = 50.0 * 0.2**2 / 6.0
    model = fl.Model()
    joint = np.zeros(3)
    parent = fl.GROUND
    for k in range(n):
        turn = angle + k * relative
        down = np.array([0.0, np.sin(turn), -np.cos(turn)])
        name = f"link {k + 1}"
        model.add(
            fl.Body(
                name,
                position=tuple(joint + down),
                orientation=(turn, 0.0, 0.0),
                mass=50.0,
                inertia=(across, across, along),
            )
        )
        model.add(
            fl.Joint(
                f"joint {k + 1}",
                fl.SPHERICAL,
                parent=parent,
                child=name,
                position=tuple(joint),
            )
        )
        joint = joint + 2.0 * down
        parent = name
    model.add(fl.Gravity("weight"))
    return model
