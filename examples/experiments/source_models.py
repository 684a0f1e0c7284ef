"""Models of two sources: Mueller and Terze 2013, and chains of prisms.

Where the source leaves a number out, the choice stands here.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import femlie as fl
from femlie.lie import so3

ALUMINIUM = 2700.0
SIDES = (0.2, 0.1, 0.05)
BOX = fl.box(SIDES, density=ALUMINIUM)
PRISM = fl.box((0.2, 0.2, 2.0), density=625.0)


def add_ball(
    model: fl.Model, name: str, parent: str, child: str, place: Sequence[float]
) -> None:
    """Add a spherical joint."""
    model.add(
        fl.Joint(name, fl.SPHERICAL, parent=parent, child=child, position=tuple(place))
    )


def box_top(group: fl.MotionGroup = fl.SE3) -> fl.Model:
    """Section 5.1: frame at the mass center, pivot as rows; no gravity acts there."""
    model = fl.Model()
    model.add(
        fl.Body("top", position=(0.5, 0.0, 0.0), mass=21.6, inertia=(0.36, 0.306, 0.09))
    )
    add_ball(model, "pivot", fl.GROUND, "top", (0, 0, 0))
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
    add_ball(
        model, "elbow", "link 1", "link 2", (0.5 * (places[0] + places[1]), 0.0, 0.0)
    )
    return model


def double_pendulum(group: fl.MotionGroup = fl.SE3) -> fl.Model:
    """Section 5.2: mass of aluminium, g = 9.81; velocities made consistent."""
    spin = np.array([10.0 * np.pi, 10.0 * np.pi, 20.0 * np.pi])
    speed = np.cross(spin, [0.1, 0.0, 0.0])
    model = links((0.1, 0.3), ((10.0, 0.0, 0.0), spin), ((0.0, 0.0, 0.0), speed))
    add_ball(model, "shoulder", fl.GROUND, "link 1", (0.0, 0.0, 0.0))
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


def three_bar(group: fl.MotionGroup = fl.SE3, *, spin: float = 0.0) -> fl.Model:
    """Section 5.4, which has no numbers: two boxes, held at 0, 0.2 and a far pivot.

    The far pivot stands at (0.3, 0.15, 0) so that the second link is bent off the
    first; the mechanism turns about the line between the pivots with 10 rad/s, and each
    link about its own line with ``spin`` [rad/s] besides.
    """
    first, second = np.zeros(3), np.array([0.2, 0.0, 0.0])
    last = np.array([0.3, 0.15, 0.0])
    axis = last / np.linalg.norm(last)
    model = fl.Model()
    turns = (0.0, float(np.arctan2(0.15, 0.1)))
    for k, (pivot, turn) in enumerate(zip((first, last), turns, strict=True)):
        name = f"link {k + 1}"
        model.add(
            fl.Body(
                name,
                position=tuple(0.5 * (pivot + second)),
                orientation=(0.0, 0.0, turn),
                solid=BOX,
            )
        )
        along = np.array([np.cos(turn), np.sin(turn), 0.0])
        model.add(
            fl.InitialMotion(
                f"start of {name}",
                on=(name,),
                angular_velocity=tuple(10.0 * axis + spin * along),
                about=tuple(pivot),
            )
        )
    ends = ((fl.GROUND, "link 1"), ("link 1", "link 2"), (fl.GROUND, "link 2"))
    for k, ((parent, child), place) in enumerate(
        zip(ends, (first, second, last), strict=True)
    ):
        add_ball(model, f"joint {k + 1}", parent, child, place)
    model.add(fl.FrameGroup("group", group=group))
    return model


def above(number: int) -> str:
    """What the link of a number, from one, hangs on."""
    return f"link {number - 1}" if number > 1 else fl.GROUND


def add_link(
    model: fl.Model,
    number: int,
    joint: np.ndarray,
    half: np.ndarray,
    *,
    turn: Sequence[float],
    solid: fl.Solid,
) -> None:
    """Add a prism, which hangs on a spherical joint, to the end of a chain.

    ``half`` (3,) leads from the joint to the mass center, ``turn`` is the rotation
    vector of the prism.
    """
    name = f"link {number}"
    model.add(
        fl.Body(
            name,
            position=tuple(joint + half),
            orientation=tuple(turn),
            solid=solid,
        )
    )
    add_ball(model, f"joint {number}", above(number), name, joint)


def add_damper(model: fl.Model, number: int, place: np.ndarray) -> None:
    """Add a damper of 70 N m s/rad about all axes at the joint above a link."""
    damping = (0.0, 0.0, 0.0, 70.0, 70.0, 70.0)
    model.add(
        fl.Bushing(
            f"damper {number}",
            above(number),
            f"link {number}",
            stiffness=(0.0,) * 6,
            damping=damping,
            position=tuple(place),
        )
    )


def chain(n: int, angle: float = 0.1, *, relative: float = 0.0) -> fl.Model:
    """Hanging prisms of 2 m, 0.2 m wide, 50 kg, on spherical joints.

    The first one is turned by ``angle`` about x, each next one by ``relative`` more;
    frames sit at the mass centers, g = 9.81 (the source does not say).
    """
    model = fl.Model()
    joint = np.zeros(3)
    for k in range(n):
        turn = angle + k * relative
        down = np.array([0.0, np.sin(turn), -np.cos(turn)])
        add_link(model, k + 1, joint, down, turn=(turn, 0.0, 0.0), solid=PRISM)
        joint = joint + 2.0 * down
    model.add(fl.Gravity("weight"))
    return model


def symmetric_top() -> fl.Model:
    """Disc (r 0.4 m, h 0.05 m) on a rod (r 0.05 m, h 0.4 m), 1000 kg/m^3.

    The source says neither the angle nor the spin: 0.3 rad and 60 rad/s here. The
    body's frame is at the point.
    """
    parts = []
    for radius, height, center in ((0.05, 0.4, 0.2), (0.4, 0.05, 0.425)):
        place = np.eye(4)
        place[2, 3] = center
        solid = fl.cylinder(radius, height, density=1000.0)
        parts.append(solid.moved(place))
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
    add_ball(model, "point", fl.GROUND, "top", (0, 0, 0))
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


def sprung_chain(angle: float = 0.2) -> fl.Model:
    """Four prisms with springs of 4000 to 1000 N m/rad; a fixed hub above them.

    Each is turned in the one above by ``angle`` about axis 1, then by the same about
    axis 2. The source leaves the angle out: 0.2 rad here, which keeps Euler's angles
    regular for 15 s; with 0.4 rad the stages fail to converge at 12 s.
    """
    model = fl.Model()
    relative = so3.exp([angle, 0.0, 0.0]) @ so3.exp([0.0, angle, 0.0])
    rotation, joint = np.eye(3), np.zeros(3)
    for k in range(4):
        rotation = rotation @ relative
        down = -rotation[:, 2]
        add_link(model, k + 1, joint, down, turn=so3.log(rotation), solid=PRISM)
        joint = joint + 2.0 * down
    model.add(fl.Gravity("weight"))
    hub = {"mass": 1.0, "inertia": (1.0, 1.0, 1.0)}
    model.add(fl.Body("hub", position=(0.0, 0.0, 0.0), **hub))
    model.add(fl.Support("wall", at="hub"))
    for k, stiffness in enumerate((4000.0, 3000.0, 2000.0, 1000.0)):
        parent = f"link {k}" if k else "hub"
        springs = EulerSprings((stiffness,))
        model.add(
            fl.UserElement(
                f"springs {k + 1}", element=springs, at=(parent, f"link {k + 1}")
            )
        )
    return model


def joint_place(k: int, angle: float) -> np.ndarray:
    """Place of joint k of a straight chain."""
    return 2.0 * k * np.array([0.0, np.sin(angle), -np.cos(angle)])


def spring_loaded_chain(angle: float = 0.5) -> fl.Model:
    """16 prisms, dampers at all joints, the end on a spring (800 N/m, 50 N s/m).

    The source leaves out where the spring is tied and its free length: 8 m to the side
    of the vertical and 4 m above the end of the hanging chain, 4 m. First angle 0.5.
    """
    model = chain(16, angle)
    for k in range(16):
        add_damper(model, k + 1, joint_place(k, angle))
    model.add(
        fl.SpringDamper(
            "spring",
            fl.GROUND,
            "link 16",
            stiffness=800.0,
            damping=50.0,
            length=4.0,
            first_point=(0.0, 8.0, -28.0),
            second_point=tuple(joint_place(16, angle)),
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
    for k in range(n):
        turn = 2.0 * np.pi * turns * k / n
        axis = np.array([np.cos(turn), np.sin(turn), 0.0])
        add_link(model, k + 1, joint, axis, turn=(0.0, 0.0, turn), solid=prism)
        add_damper(model, k + 1, joint)
        joint = joint + 2.0 * axis
    model.add(fl.Gravity("weight"))
    return model
