r"""A rubber rod with a bob swings down from the horizontal (dynamic).

The rod is 1 m long and 1 cm thick, and so soft that it bends as it falls: the bob lags
behind, and swings lower than a stiff rod would let it.

      o=================@  bob of 50 g
    hinge \      rod
            \
              ` .

Known answer: a chain of point masses, with springs between them as long and as soft as
the rod that bend where the masses are, computed apart from femlie
(tests/oracles/chain.py) and extrapolated in the number of masses. The 20 elements of
the mesh leave 1 mm; with 80 it is 0.03 mm. The energy is kept, but for a little that
the method takes from the fastest vibrations.

Next: 04_slider_crank for a mechanism, 06_heavy_top for fast rotation. The same model as
a file is 05_rubber_pendulum.toml.
"""

import sys
from pathlib import Path

import numpy as np

import femlie as fl

MESH = Path(__file__).parent / "../meshes/rod.msh"
SOLVER = fl.GeneralizedAlpha(spectral_radius=0.8)
RUN = {"duration": 1.0, "time_step": 1e-3}
LOWEST = -0.9763  # m, of the bob on a chain of masses


def make_model() -> fl.Model:
    """Rod, bob, hinge and gravity."""
    rubber = fl.Material(young=5e6, poisson=0.5, density=1100.0)
    section = fl.CircularSection(radius=5e-3, material=rubber)
    model = fl.Model(MESH)  # groups: rod, root, tip
    model.add(fl.Beam("rod", cells="rod", section=section))
    model.add(fl.Body("bob", at="tip", mass=0.05, inertia=(2e-6, 2e-6, 2e-6)))
    hinge = {"parent": fl.GROUND, "child": "root", "axis": (0.0, 1.0, 0.0)}
    model.add(fl.Joint("hinge", fl.REVOLUTE, **hinge))
    model.add(fl.Gravity("gravity", acceleration=(0.0, 0.0, -9.81)))
    return model


def main(*, draws: bool = True) -> fl.Results:
    """Run, compare, save and draw."""
    motion = SOLVER.solve(make_model().build(), **RUN)
    lowest = motion.positions("bob")[:, 2].min()
    print(f"lowest point of the bob {lowest:.4f} m; chain of masses {LOWEST:.4f} m")
    energy = motion.energy
    drift = np.ptp(energy.total) / energy.kinetic.max()
    print(f"the energy stays the same to {drift:.1e} of the largest kinetic energy")
    motion.save("rubber_pendulum.h5")
    if draws:
        fl.plot(motion.at(0.3), color="bending_moment").save("rubber_pendulum.png")
        fl.animate(motion, "rubber_pendulum.gif", color="bending_moment")
    return motion


if __name__ == "__main__":
    main(draws="--no-picture" not in sys.argv)
