"""A weight bounces on a coil spring (dynamic).

The wire of the spring is a chain of smooth curved beams along a helix. Its top is
clamped; at its bottom hangs a steel disc, whose middle is on the axis of the helix and
which is guided along it. It is let go where the spring has no force, so it sinks to
twice its static deflection and comes back.

        =======
          (_
           _)
          (_       5 coils, diameter D = 40 mm
           _)      of wire, diameter d = 2 mm
          (_
           _)
        [=====]    weight

Known answer: the stiffness G d^4 / (8 D^3 n) of a close coil spring, with the weight
and a third of the spring's own mass, gives the period 2 pi sqrt(m / k). The wire is
wound with a slope of 4.5 degrees, and stretched to more: about 1 % remains.

Next: 05_rubber_pendulum for large rotations, 04_slider_crank for a mechanism. The same
model as a file is 03_helix_spring.toml.
"""

import sys
from pathlib import Path

import numpy as np

import femlie as fl

MESH = Path(__file__).parent / "../meshes/helix_spring.msh"
STEEL = fl.Material(young=206e9, poisson=0.3, density=7850.0)
WIRE = fl.CircularSection(radius=1e-3, material=STEEL)
COIL_DIAMETER, COILS = 0.04, 5
SOLVER = fl.GeneralizedAlpha(spectral_radius=0.8)
RUN = {"duration": 0.9, "time_step": 2e-3}


def make_model() -> fl.Model:
    """Spring, weight, guide and gravity."""
    model = fl.Model(MESH)  # groups: wire, bottom, top
    model.add(fl.Beam("spring", cells="wire", section=WIRE, curve=fl.SMOOTH))
    model.add(fl.Support("ceiling", at="top", kind=fl.CLAMPED))
    place = np.eye(4)  # from the end of the wire to the axis, and below
    place[:3, 3] = (-0.02, 0.0, -0.0125)
    disc = fl.cylinder(0.03, 0.0225, density=7850.0).moved(place)
    model.add(fl.Body("weight", at="bottom", solid=disc))
    slides = {"axis": (0.0, 0.0, 1.0), "position": (0.0, 0.0, -0.0125)}
    guide = {"parent": fl.GROUND, "child": "weight", **slides}
    model.add(fl.Joint("guide", fl.PRISMATIC, **guide))
    model.add(fl.Gravity("gravity"))
    return model


def period_by_hand() -> float:
    """Period of a mass on a spring that has a little mass itself [s]."""
    wire, length = 2.0 * WIRE.radius, 0.6293
    stiffness = STEEL.shear_modulus * wire**4 / (8.0 * COIL_DIAMETER**3 * COILS)
    weight = 7850.0 * np.pi * 0.03**2 * 0.0225
    spring = STEEL.density * np.pi * WIRE.radius**2 * length
    return float(2.0 * np.pi * np.sqrt((weight + spring / 3.0) / stiffness))


def period_of(motion: fl.Results) -> float:
    """Mean time from one passage downward through the middle to the next [s]."""
    travel = motion.joint_coordinate("guide")
    above = travel - 0.5 * (travel.max() + travel.min())
    k = np.flatnonzero((above[:-1] > 0.0) & (above[1:] <= 0.0))
    step = motion.times[1] - motion.times[0]
    crossings = motion.times[k] + step * above[k] / (above[k] - above[k + 1])
    return float(np.mean(np.diff(crossings)))


def main(*, draws: bool = True) -> fl.Results:
    """Run, compare, save and draw."""
    motion = SOLVER.solve(make_model().build(), **RUN)
    print(f"period {period_of(motion):.4f} s; by hand {period_by_hand():.4f} s")
    motion.save("helix_spring.h5")
    if draws:
        fl.plot(motion, color="torsion").save("helix_spring.png")
        fl.animate(motion, "helix_spring.gif", color="torsion")
    return motion


if __name__ == "__main__":
    main(draws="--no-picture" not in sys.argv)
