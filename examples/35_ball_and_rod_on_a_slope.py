r"""A ball rolls and a rod slides down two rails (dynamic, friction).

Both lie in the groove between the rails. The ball sticks where it touches them, and
rolls; the rod, which cannot roll along its axis, slides behind it.

       rod        ball                        seen along the slope:
    ========      ( )  ->  x                         ___
    ----------------------------- rails             /   \  ball
      gravity points down and along x               \___/
                                                   o     o  rails

Forces of the rails stand at angles p and q to the plane through both. The ball turns
about the line between its two contacts, at r cos(p) below its center.

Known answers: a = g sin / (1 + 0.4/cos^2 p) of the ball, a = g (sin - mu cos / cos q)
of the rod; friction takes mu m g cos s / cos q over its way s, nothing from the ball.

Next: take friction away and see the ball slide; find the friction below which it
cannot roll. The same model as a file is 35_ball_and_rod_on_a_slope.toml.
"""

import sys

import numpy as np

import femlie as fl

RAIL, ROD, BALL, APART = 0.01, 0.01, 0.03, 0.012  # radii, half of the distance [m]
SLOPE, FRICTION, G = 0.3, 0.2, 9.81
COS_P, COS_Q = (np.sqrt(1.0 - (APART / (r + RAIL)) ** 2) for r in (BALL, ROD))
GRAVITY = (G * np.sin(SLOPE), 0.0, -G * np.cos(SLOPE))
WOOD = fl.Material(young=1e9, poisson=0.3, density=700.0)
HAIR = fl.Material(young=1e3, poisson=0.0, density=1e-6)
SOLVER = fl.GeneralizedAlpha(spectral_radius=0.8)
RUN = {"duration": 0.4, "time_step": 1e-3, "output": fl.Output(every=10)}


def make_model() -> fl.Model:
    """Rails, a ball whose radius a short tail lends it, a rod, weight on a slope."""
    place = np.array([0.5, 0.0, (BALL + RAIL) * COS_P])
    height = (ROD + RAIL) * COS_Q
    lines = [((0.0, y, 0.0), (0.9, y, 0.0), 4, "rails") for y in (-APART, APART)]
    lines.append((tuple(place), tuple(place + [0.0, 0.005, 0.0]), 1, "tail"))
    lines.append(((0.1, 0.0, height), (0.4, 0.0, height), 4, "rod"))
    names = {"rails": ("rail ends",) * 2, "tail": ("center", "tip")}
    names["rod"] = ("back", "head")
    model = fl.Model(
        fl.join_meshes(
            *(
                fl.straight_line(
                    start, end, n_elements=n, name=name,
                    start_name=names[name][0], end_name=names[name][1],
                )
                for start, end, n, name in lines
            )
        )
    )  # fmt: skip
    wood = fl.CircularSection(radius=ROD, material=WOOD)
    for name in ("rails", "rod"):
        model.add(fl.Beam(name, cells=name, section=wood))
    hair = fl.CircularSection(radius=BALL, material=HAIR)
    model.add(fl.Beam("tail", cells="tail", section=hair))
    model.add(fl.Support("held", at="rails"))
    model.add(fl.Body("ball", at="center", solid=fl.sphere(BALL, density=700.0)))
    model.add(fl.Gravity("weight", acceleration=GRAVITY))
    for name, first in {"rolls": "center", "slides": "rod"}.items():
        model.add(fl.Contact(name, between=(first, "rails"), friction=FRICTION))
    return model


def accelerations_by_hand() -> tuple[float, float]:
    """Of the ball and of the rod [m/s2]."""
    rolling = G * np.sin(SLOPE) / (1.0 + 0.4 / COS_P**2)
    return rolling, G * (np.sin(SLOPE) - FRICTION * np.cos(SLOPE) / COS_Q)


def main(*, draws: bool = True) -> fl.Results:
    """Run, compare, save and draw."""
    motion = SOLVER.solve(make_model().build(), **RUN)
    for name, by_hand in zip(("center", "head"), accelerations_by_hand(), strict=True):
        found = motion.velocities(name, frame="world")[-1, 0] / motion.times[-1]
        print(f"{name}: {found:.4f} m/s2, by hand {by_hand:.4f} m/s2")
    lost = motion.energy.friction_loss[-1]
    print(f"friction took {1e3 * lost:.2f} mJ")
    motion.save("ball_and_rod.h5")
    if draws:
        look = fl.Look(direction=(-0.3, 1.0, -0.5))
        fl.plot(motion, look=look).save("ball_and_rod.png")
    return motion


if __name__ == "__main__":
    main(draws="--no-picture" not in sys.argv)
