"""Models of two sources: Mueller and Terze 2013, and chains of prisms.

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
    prism = fl.box((0.2, 0.2, 2.0), density=625.0)
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
                solid=prism,
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


def symmetric_top() -> fl.Model:
    """Disc (r 0.4 m, h 0.05 m) on a rod (r 0.05 m, h 0.4 m), 1000 kg/m^3.

    The source says neither the angle nor the spin: 0.3 rad and 60 rad/s here. The node
    is at the point, so that a support takes away all translations.
    """
    parts = []
    for radius, height, center in ((0.05, 0.4, 0.2), (0.4, 0.05, 0.425)):
        place = np.eye(4)
        place[2, 3] = center
        solid = fl.cylinder(radius, height, density=1000.0)
        parts.append(solid.mass_properties.moved(place))
    angle = 0.3
    model = fl.Model()
    model.add(
        fl.Body(
            "top",
            position=(0.0, 0.0, 0.0),
            orientation=(0.0, angle, 0.0),
            solid=fl.combine(*parts),
        )
    )
    model.add(
        fl.Joint(
            "point", fl.SPHERICAL, parent=fl.GROUND, child="top", position=(0, 0, 0)
        )
    )
    axis = 60.0 * np.array([np.sin(angle), 0.0, np.cos(angle)])
    model.add(fl.InitialMotion("spin", angular_velocity=tuple(axis)))
    model.add(fl.Gravity("weight"))
    return model


class EulerSprings:
    """Springs against the Euler angles 3-2-1 of a link in the one above it.

    The moments ``-k psi`` about axis 3 and ``-k phi`` about axis 1 act on the link in
    the axes of the one above, as the source writes them: they are not the derivative of
    an energy.
    """

    n_multipliers = 0

    def __init__(self, stiffness: Sequence[float]) -> None:
        self.stiffness = np.asarray(stiffness, dtype=float)

    def residual(self, local: fl.Local) -> np.ndarray:
        above = local.frames[:, 0, :3, :3]
        below = local.frames[:, 1, :3, :3]
        turn = np.swapaxes(above, 1, 2) @ below
        phi = np.arctan2(turn[:, 2, 1], turn[:, 2, 2])
        psi = np.arctan2(turn[:, 1, 0], turn[:, 0, 0])
        moment = np.zeros((len(turn), 3))
        moment[:, 0] = self.stiffness * phi
        moment[:, 2] = self.stiffness * psi
        forces = np.zeros((len(turn), 12))
        # what the residual holds is internal: the springs' resistance
        forces[:, 3:6] = -moment
        forces[:, 9:12] = np.einsum("nji,nj->ni", turn, moment)
        return forces


def sprung_chain(angle: float = 0.4) -> fl.Model:
    """Four prisms with springs of 4000 to 1000 N m/rad; a fixed hub above them.

    The source leaves the angle out: each joint is turned by 0.4 rad about x here.
    """
    model = chain(4, angle, relative=angle)
    hub = {"mass": 1.0, "inertia": (1.0, 1.0, 1.0)}
    model.add(fl.Body("hub", position=(0.0, 0.0, 0.0), **hub))
    model.add(fl.Support("wall", at="hub"))
    for k, stiffness in enumerate((4000.0, 3000.0, 2000.0, 1000.0)):
        above = f"link {k}" if k else "hub"
        springs = EulerSprings((stiffness,))
        model.add(
            fl.UserElement(
                f"springs {k + 1}", element=springs, at=(above, f"link {k + 1}")
            )
        )
    return model


def damped_chain(n: int, angle: float, *, damping: float = 70.0) -> fl.Model:
    """A chain with dampers of 70 N m s/rad at all joints."""
    model = chain(n, angle)
    for k in range(n):
        above = f"link {k}" if k else fl.GROUND
        model.add(
            fl.Bushing(
                f"damper {k + 1}",
                above,
                f"link {k + 1}",
                stiffness=(0.0,) * 6,
                damping=(0.0, 0.0, 0.0, damping, damping, damping),
                position=tuple(joint_place(k, angle)),
            )
        )
    return model


def joint_place(k: int, angle: float) -> np.ndarray:
    """Place of joint k of a straight chain."""
    return 2.0 * k * np.array([0.0, np.sin(angle), -np.cos(angle)])


def spring_loaded_chain() -> fl.Model:
    """16 prisms whose end hangs on a spring (800 N/m) and damper (50 N s/m).

    The source leaves out where the spring is tied and its free length: 8 m to the side
    of the vertical and 4 m above the end of the hanging chain, 4 m. First angle 0.5.
    """
    model = damped_chain(16, 0.5)
    end = joint_place(16, 0.5)
    model.add(
        fl.SpringDamper(
            "spring",
            fl.GROUND,
            "link 16",
            stiffness=800.0,
            damping=50.0,
            length=4.0,
            first_point=(0.0, 8.0, -28.0),
            second_point=tuple(end),
        )
    )
    return model


def falling_coil(n: int = 64, turns: float = 4.0) -> fl.Model:
    """Prisms coiled in the plane z = 0 that fall on release, dampers at all joints.

    The source does not say how the chain is coiled: here each link is turned about z by
    the same angle, so that it winds around in ``turns`` turns.
    """
    prism = fl.box((2.0, 0.2, 0.2), density=625.0)
    model = fl.Model()
    joint = np.zeros(3)
    parent = fl.GROUND
    for k in range(n):
        turn = 2.0 * np.pi * turns * k / n
        axis = np.array([np.cos(turn), np.sin(turn), 0.0])
        name = f"link {k + 1}"
        model.add(
            fl.Body(
                name,
                position=tuple(joint + axis),
                orientation=(0.0, 0.0, turn),
                solid=prism,
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
        model.add(
            fl.Bushing(
                f"damper {k + 1}",
                parent,
                name,
                stiffness=(0.0,) * 6,
                damping=(0.0, 0.0, 0.0, 70.0, 70.0, 70.0),
                position=tuple(joint),
            )
        )
        joint = joint + 2.0 * axis
        parent = name
    model.add(fl.Gravity("weight"))
    return model
