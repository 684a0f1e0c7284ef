r"""A six-bar press, driven at constant speed, in joint coordinates (dynamic).

    A o------ 2 ------o C          A, O: pivots in the frame
                     /  \  3       crank 4 turns about O and drives plate 3 at D;
                 O==4==o D         plate 3 hangs on rocker 2 at C and moves link 5 at E;
                      \ /          link 5 pushes the slider in its guide
                     E o
                        \ 5
                       [slider]

Shao and Yuan give masses, mass centers and inertias, but no joints. They follow if
links 2, 4 and 5 have their mass centers in the middle: the pin of the slider is at its
mass center, which puts E at twice the center of link 5 less the pin; links 2 and 4 have
the length sqrt(12 J / m) of a rod and the angles of the table. The plate's center then
lies 44 degrees below C, where the table says 43. The crank turns by 1.47 rad/s about O,
to the left of its center; the four-bar linkage O D C A lets it turn fully, by 10 mm.
There is no weight.

The tree of the model starts at the ground; joints at D and at the slider's pin close
its two loops. Known answers: the work of the motor is the kinetic energy, since there
is no weight; plane geometry gives a stroke of 0.527 m. The paper says that torque and
forces peak with the acceleration of the slider. Here the joints C (2-3) and E (3-5) do,
and the torque comes 0.07 s before.

Next: add weight, or a force at the slider; the same model as a file is
20_six_bar_press.toml.
"""

import sys
from pathlib import Path

import numpy as np

import femlie as fl

HERE = Path(__file__).parent
BODIES = {  # mass [kg], inertia across [kg m^2], mass center [m]
    "link 2": (6.28, 0.53, (0.1811, 0.4527, 0.0)),
    "link 3": (9.19, 1.4, (1.1034, -0.1438, 0.0)),
    "crank": (1.69, 0.011, (1.28, 0.2516, 0.0)),
    "link 5": (5.997, 0.46, (1.2094, -1.2209, 0.0)),
    "slider": (62.41, 0.42, (1.4, -1.645, 0.0)),
}
MIDDLE = {name: np.array(body[2]) for name, body in BODIES.items()}
TURN = {"link 2": np.radians(340.9), "crank": 0.0}
# the crank starts from rest within a second, and turns by 1.47 rad/s from then on
TIMES = (*np.linspace(0.0, 1.0, 11).tolist(), *np.linspace(1.25, 6.0, 20).tolist())
ANGLES = tuple(t**3 - 0.5 * t**4 if t < 1.0 else t - 0.5 for t in TIMES)
SOLVER = fl.MuntheKaas(formulation=fl.TREE, cut=("D",))
RUN = {"duration": 5.5, "time_step": 2e-3}


def half(name: str) -> np.ndarray:
    """From the middle of a link, taken as a rod, to its end (3,) [m]."""
    length = np.sqrt(12.0 * BODIES[name][1] / BODIES[name][0])
    return 0.5 * length * np.array([np.cos(TURN[name]), np.sin(TURN[name]), 0.0])


def make_model() -> fl.Model:
    """Five bodies, seven joints and the motor."""
    model = fl.Model()
    for name, (mass, across, center) in BODIES.items():
        # surfaces without a density are for pictures
        drawn = {"surface": "../meshes/six_bar_press.msh", "surface_group": name}
        # the motion is plane: one of the three inertias counts
        body = {"mass": mass, "inertia": (across,) * 3, "position": center, **drawn}
        model.add(fl.Body(name, **body))
    pin, rocker, crank = MIDDLE["slider"], MIDDLE["link 2"], MIDDLE["crank"]
    motor = fl.Motor(motion=1.47, over_time=fl.Table(times=TIMES, values=ANGLES))
    for name, parent, child, place, drive in (
        ("A", fl.GROUND, "link 2", rocker - half("link 2"), None),
        ("C", "link 2", "link 3", rocker + half("link 2"), None),
        ("O", fl.GROUND, "crank", crank - half("crank"), motor),
        ("D", "crank", "link 3", crank + half("crank"), None),
        ("E", "link 3", "link 5", 2.0 * MIDDLE["link 5"] - pin, None),
        ("pin", "link 5", "slider", pin, None),
    ):
        hinge = {"kind": fl.REVOLUTE, "position": tuple(place.tolist()), "motor": drive}
        model.add(fl.Joint(name, parent=parent, child=child, **hinge))
    guide = {"kind": fl.PRISMATIC, "axis": (0, 1, 0), "position": BODIES["slider"][2]}
    model.add(fl.Joint("guide", parent=fl.GROUND, child="slider", **guide))
    return model


def main(*, draws: bool = True) -> fl.Results:
    """Run, tell what the paper's figures show, save and draw."""
    motion = SOLVER.solve(make_model().build(folder=HERE), **RUN)
    turning = motion.times > 1.0
    place = motion.positions("slider")[turning, 1]
    pushed = np.abs(motion.accelerations("slider")[turning, 1])
    torque = np.abs(motion.reactions("O")[turning, 5])
    print(f"stroke {np.ptp(place):.4f} m; by plane geometry 0.527 m")
    c, e = (np.linalg.norm(motion.reactions(pin)[:, :3], axis=1) for pin in "CE")
    print(f"C and E carry up to {c[turning].max():.1f} and {e[turning].max():.1f} N")
    late, early = motion.times[turning][[pushed.argmax(), torque.argmax()]]
    print(f"peaks: {pushed.max():.3f} m/s^2 at {late:.2f} s, torque at {early:.2f} s")
    motion.save("six_bar_press.h5")
    if draws:
        look = fl.Look(direction=(0.0, 0.0, 1.0))
        fl.plot(motion, color="speed", time=3.0, look=look).save("six_bar_press.png")
    return motion


if __name__ == "__main__":
    main(draws="--no-picture" not in sys.argv)
