r"""A door with a closer, rubbing hinges and two hard stops (dynamic).

A push opens the door. It hits the stop at the wall, the spring of the closer draws it
back, and it falls into its frame, from which it rebounds less and less. Friction in the
lower hinge takes its share all the way, and holds the door in the end.

        wall stop, 80 degrees
           /
          /  door, 1.8 rad/s
         /  ,
        /  /    frame
       o----------|      seen from above: hinges o, spring between wall and door

The upper hinge holds nothing that the lower one does not hold: its five rows are
redundant, as in 04_slider_crank.

Known answers: energies. On the way out and back the spring takes and gives k (a + r)^2/2,
friction takes M a each way, each stop leaves e^2 of the kinetic energy. Shut, the
torques of frame and friction together balance that of the spring.

Next: give the friction a limit of 10 N m and see where the door stays open; take out
the stiffness of the stop in 04_slider_crank. The same model as a file is 38_door.toml.
"""

import sys
from pathlib import Path

import numpy as np

import femlie as fl

HERE = Path(__file__).parent
LEAF = fl.box((0.8, 0.04, 1.9), density=600.0)
POST = fl.box((0.06, 0.1, 2.0), density=600.0)
PUSH, OPEN = 1.8, np.radians(80.0)  # [rad/s], [rad]
STIFFNESS, WOUND = 4.0, 0.8  # of the closer [N m/rad], [rad]
FRICTION, WALL, FRAME = 0.6, 0.3, 0.2  # [N m], restitutions
SOLVER = fl.GeneralizedAlpha()
RUN = {"duration": 5.0, "time_step": 2e-3}


def make_model() -> fl.Model:
    """Door, posts of its frame, hinges with closer, friction and stops."""
    model = fl.Model()
    model.add(fl.Body("door", position=(0.4, 0.0, 0.95), solid=LEAF))
    for side, x in {"hinge": -0.05, "latch": 0.85}.items():
        model.add(fl.Body(f"{side} post", position=(x, 0.0, 1.0), solid=POST))
        model.add(fl.Support(f"{side} side", at=f"{side} post"))
    hinge = {"kind": fl.REVOLUTE, "parent": "hinge post", "child": "door"}
    closer = fl.JointSpring(stiffness=STIFFNESS, rest=-WOUND)
    stops = (
        fl.Stop(lower=0.0, restitution=FRAME),
        fl.Stop(upper=OPEN, restitution=WALL),
    )
    rubs = {"friction": fl.Friction(limit=FRICTION), "spring": closer, "stop": stops}
    model.add(fl.Joint("lower hinge", position=(0.0, 0.0, 0.2), **hinge, **rubs))
    model.add(fl.Joint("upper hinge", position=(0.0, 0.0, 1.7), **hinge))
    push = {"on": ("door",), "angular_velocity": (0.0, 0.0, PUSH)}
    model.add(fl.InitialMotion("push", **push))
    return model


def speeds_by_hand() -> tuple[float, float]:
    """Of the door where it meets the wall, and where it comes back to its frame."""
    inertia = LEAF.mass_properties.inertia[2, 2] + LEAF.mass_properties.mass * 0.4**2
    spring = 0.5 * STIFFNESS * ((OPEN + WOUND) ** 2 - WOUND**2)
    rubbed = FRICTION * OPEN
    at_wall = 0.5 * inertia * PUSH**2 - spring - rubbed
    at_frame = WALL**2 * at_wall + spring - rubbed
    return np.sqrt(2.0 * at_wall / inertia), np.sqrt(2.0 * at_frame / inertia)


def main(*, draws: bool = True) -> fl.Results:
    """Run, compare, save and draw."""
    motion = SOLVER.solve(make_model().build(), **RUN)
    rate, force = motion.joint_rate("lower hinge"), motion.joints.stop_force("lower hinge")
    for name, hits, speed in zip(
        ("wall", "frame"), (force < 0.0, force > 0.0), speeds_by_hand(), strict=True
    ):
        found = abs(rate[np.flatnonzero(hits)[0] - 1])
        print(f"at the {name} the door has {found:.4f} rad/s; by hand {speed:.4f}")
    held = force[-1] + motion.joints.friction("lower hinge")[-1]
    print(f"frame and friction hold {held:.3f} N m; spring {STIFFNESS * WOUND:.3f}")
    motion.save("door.h5")
    if draws:
        fl.plot(motion.at(1.0), color="speed").save("door.png")
        fl.animate(motion, "door.gif", color="speed", length=5.0)
    return motion


if __name__ == "__main__":
    main(draws="--no-picture" not in sys.argv)
