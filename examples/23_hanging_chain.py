r"""A chain of 256 links swings in its lowest mode (dynamic).

     ---o---                     Links of 5 cm hang on ball joints, one below the other,
        |                        along the lowest mode of a hanging rope: a function of
         |                       Bessel of the way s from the free end,
          |                      x(s) = a J0(2.4048 sqrt(s / L)).
           \                     Let go, the chain swings through as one, with the
            o free end           period (4 pi / 2.4048) sqrt(L / g).

The chain has 768 coordinates of joints, and no matrix of that size is made: wrenches go
up the chain and accelerations come down, so that the work grows as the number of links.
Absolute coordinates would be 1536 with 768 multipliers.

Known answer: Daniel Bernoulli's period of a rope, 5.97 s, a quarter of which passes
until the free end is below the hook. The chain of rods is 0.01 % slower.

Next: 5.5201 instead of 2.4048 is the second mode; or an amplitude that is not small.
There is no file of this model, whose 512 parts a loop makes.
"""

import sys

import numpy as np
from scipy.special import j0

import femlie as fl

LINKS, LENGTH, AMPLITUDE = 256, 0.05, 0.05
WHOLE = LINKS * LENGTH
ROOT = 2.404825557695773  # first zero of J0
PERIOD = 4.0 * np.pi / ROOT * np.sqrt(WHOLE / 9.81)
SOLVER = fl.MuntheKaas(formulation=fl.TREE)
RUN = {"duration": 2.0, "time_step": 2e-3, "output": fl.Output(every=5)}


def make_model() -> fl.Model:
    """Links, their ball joints and weight."""
    model = fl.Model()
    below = WHOLE - LENGTH * np.arange(LINKS + 1)
    aside = AMPLITUDE * WHOLE * j0(ROOT * np.sqrt(below / WHOLE))
    turns = np.arcsin(np.diff(aside) / LENGTH)
    place, before = np.zeros(3), fl.GROUND
    for i, turn in enumerate(turns):
        name = f"link {i}"
        down = np.array([np.sin(turn), 0.0, -np.cos(turn)])
        rod = fl.cylinder(0.02, LENGTH, axis=(0.0, 0.0, 1.0), density=7850.0)
        center = tuple(place + 0.5 * LENGTH * down)
        model.add(fl.Body(name, solid=rod, position=center, orientation=(0, -turn, 0)))
        ball = {"parent": before, "child": name, "position": tuple(place)}
        model.add(fl.Joint(f"ball {i}", fl.SPHERICAL, **ball))
        place, before = place + LENGTH * down, name
    model.add(fl.Gravity("weight"))
    return model


def quarter(motion: fl.Results) -> float:
    """Time when the lowest link passes below the hook [s]."""
    aside = motion.positions(f"link {LINKS - 1}")[:, 0]
    k = int(np.argmax(aside < 0.0))
    part = aside[k - 1] / (aside[k - 1] - aside[k])
    return float(motion.times[k - 1] + part * (motion.times[k] - motion.times[k - 1]))


def main(*, draws: bool = True) -> fl.Results:
    """Run, tell the period beside Bernoulli's, save and draw."""
    motion = SOLVER.solve(make_model().build(), **RUN)
    print(f"period {4.0 * quarter(motion):.4f} s, of a rope {PERIOD:.4f} s")
    motion.save("hanging_chain.h5")
    if draws:
        look = fl.Look(direction=(0.0, -1.0, 0.0), shows_glyphs=False)
        fl.plot(motion, color="speed", time=1.5, look=look).save("hanging_chain.png")
    return motion


if __name__ == "__main__":
    main(draws="--no-picture" not in sys.argv)
