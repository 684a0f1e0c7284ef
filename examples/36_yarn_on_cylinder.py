r"""A yarn is dropped on a cylinder and drapes over it (dynamic, impact, rigid shape).

    =======================      A soft rod falls flat, from 0.1 m above the top of a
               v                 cylinder, whose axis it crosses at a right angle. What
              ___                is beside the cylinder falls on and swings round it.
             (   )
              ---

The cylinder is a rigid shape on the ground, without friction and without rebound. The
yarn touches it with its nodes, and between them where it bends over. In each step it
moves as if nothing touched; then it is moved out of the cylinder, and velocities jump.

Known answers: the yarn falls freely for sqrt(2 h / g). The sum of all impulses of the
cylinder is the weight times the time that has passed, and the momentum that the yarn
has then.

Next: a cylinder that turns with friction (32_rope_over_drum.py shows a rope at rest),
or two yarns. The same model as a file is 36_yarn_on_cylinder.toml.
"""

import sys

import numpy as np

import femlie as fl

DRUM, RADIUS, LENGTH, HEIGHT = 0.08, 0.004, 0.8, 0.1
TOP = DRUM + RADIUS + HEIGHT
FALL = np.sqrt(2.0 * HEIGHT / 9.81)
RUBBER = fl.Material(young=2e6, poisson=0.5, density=1100.0)
ROUND = fl.CircularSection(radius=RADIUS, material=RUBBER)
SOLVER = fl.GeneralizedAlpha(spectral_radius=0.6)
RUN = {"duration": 0.28, "time_step": 4e-4, "output": fl.Output(every=8)}


def make_model() -> fl.Model:
    """A straight yarn above a cylinder, and weight."""
    ends = (-0.5 * LENGTH, 0.0, TOP), (0.5 * LENGTH, 0.0, TOP)
    model = fl.Model(fl.straight_line(*ends, n_elements=40, name="yarn"))
    model.add(fl.Beam("yarn", cells="yarn", section=ROUND))
    drum = {"radius": DRUM, "length": 0.2, "axis": (0.0, 1.0, 0.0)}
    model.add(fl.Shape("cylinder", fl.ShapeKind.CYLINDER, **drum))
    model.add(fl.Contact("drape", between=("yarn", "cylinder")))
    model.add(fl.Gravity("weight"))
    return model


def momentum(motion: fl.Results) -> float:
    """Vertical momentum of the yarn at the last row [N s]."""
    speeds = motion.velocities("yarn", frame="world")[-1, :, 2]
    mass = RUBBER.density * np.pi * RADIUS**2 * LENGTH
    return float(mass * (0.5 * (speeds[1:] + speeds[:-1])).mean())


def impulse(motion: fl.Results) -> float:
    """Sum of what the cylinder has done upwards [N s]."""
    forces = motion.contact.total("drape")[1:, 2]
    return float(np.sum(forces * np.diff(motion.times)))


def main(*, draws: bool = True) -> fl.Results:
    """Run, compare momenta, save and draw."""
    motion = SOLVER.solve(make_model().build(), **RUN)
    mass = RUBBER.density * np.pi * RADIUS**2 * LENGTH
    by_hand = momentum(motion) + 9.81 * mass * RUN["duration"]
    hit = motion.times[motion.contact.total_size("drape") > 0.0][0]
    print(f"first impact at {hit:.4f} s; by hand {FALL:.4f} s")
    print(f"impulses {impulse(motion):.5f} N s; by hand {by_hand:.5f} N s")
    print(f"smallest gap {motion.contact.smallest_gap('drape').min():.1e} m")
    motion.save("yarn_on_cylinder.h5")
    if draws:
        look = fl.Look(direction=(-0.4, 1.0, 0.4))
        picture = fl.plot(motion, color="contact_pressure", look=look)
        picture.save("yarn_on_cylinder.png")
    return motion


if __name__ == "__main__":
    main(draws="--no-picture" not in sys.argv)
