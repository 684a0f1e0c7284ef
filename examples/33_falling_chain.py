r"""A chain of rods falls over two round bars and on the floor (dynamic, impact).

    o---o---o---o---o---o---o---o      Twelve elastic rods on ball joints fall flat
          v               v            from 0.2 m onto two bars that are held, a little
         (O)             (O)           out of the middle, and hang over them down to the
    =================================  floor, a plane.

Rods rebound with a third of the speed at which they meet a bar. An approach slower than
what weight gives in ten steps has no rebound, so that rods come to rest. In each step
the rods move as if nothing touched; then they are moved out of bars and floor, and
their velocities jump.

Known answers: until the first impact the chain falls freely, for sqrt(2 h / g). No rod
is in a bar or the floor at the end of any step. The ledger of energies tells where all
of them go: to impacts, to moving rods out of others, and to the method; shorter steps
make the latter two smaller.

Next: restitution 1, or a chain twice as high. The same model as a file is
33_falling_chain.toml.
"""

import sys

import numpy as np

import femlie as fl

RODS, LENGTH, GAP, RADIUS, HEIGHT = 12, 0.1, 0.004, 0.01, 0.2
FLOOR = -0.12
PITCH = LENGTH + GAP
FALL = np.sqrt(2.0 * HEIGHT / 9.81)
PLASTIC = fl.Material(young=1e9, poisson=0.35, density=1200.0)
ROUND = fl.CircularSection(radius=RADIUS, material=PLASTIC)
SOLVER = fl.GeneralizedAlpha(spectral_radius=0.6, quiet_steps=10.0)
RUN = {"duration": 0.8, "time_step": 5e-4, "output": fl.Output(every=8)}


def make_model() -> fl.Model:
    """Rods on ball joints, two bars, a floor, weight, and that they may touch."""
    lines = [
        fl.straight_line(
            (-0.6 + k * PITCH, 0.0, HEIGHT + 2.0 * RADIUS),
            (-0.6 + k * PITCH + LENGTH, 0.0, HEIGHT + 2.0 * RADIUS),
            n_elements=2,
            name="rods",
            start_name=f"start {k}",
            end_name=f"end {k}",
        )
        for k in range(RODS)
    ]
    for x in (-0.25, 0.31):
        ends = {"start_name": "bar ends", "end_name": "bar ends"}
        line = fl.straight_line(
            (x, -0.2, 0.0), (x, 0.2, 0.0), n_elements=2, name="bars", **ends
        )
        lines.append(line)
    model = fl.Model(fl.join_meshes(*lines))
    model.add(fl.Beam("chain", cells="rods", section=ROUND))
    model.add(fl.Beam("bars", cells="bars", section=ROUND))
    model.add(fl.Support("held", at="bars"))
    for k in range(RODS - 1):
        place = (-0.6 + (k + 1) * PITCH - 0.5 * GAP, 0.0, HEIGHT + 2.0 * RADIUS)
        both = {"parent": f"end {k}", "child": f"start {k + 1}", "position": place}
        model.add(fl.Joint(f"ball {k}", fl.SPHERICAL, **both))
    model.add(fl.Gravity("weight"))
    model.add(fl.Contact("impact", between=("chain", "bars"), restitution=1.0 / 3.0))
    model.add(fl.Shape("floor", fl.ShapeKind.PLANE, position=(0.0, 0.0, FLOOR)))
    model.add(fl.Contact("landing", between=("chain", "floor"), restitution=1.0 / 3.0))
    return model


def first_impact(motion: fl.Results) -> float:
    """Time of the first row with a contact force [s]."""
    return float(motion.times[motion.contact.total_size("impact") > 0.0][0])


def main(*, draws: bool = True) -> fl.Results:
    """Run, print where the energy goes, save and draw."""
    motion = SOLVER.solve(make_model().build(), **RUN)
    energy = motion.energy
    lost = energy.total[0] - energy.total[-1]
    for name in ("impact", "landing"):
        gap = motion.contact.smallest_gap(name).min()
        print(f"smallest gap of {name} {gap:.1e} m")
    print(f"lost {lost:.3f} J, of which in impacts {energy.impact_loss[-1]:.3f} J")
    print(f"first impact at {first_impact(motion):.4f} s; by hand {FALL:.4f} s")
    motion.save("falling_chain.h5")
    if draws:
        look = fl.Look(direction=(-0.3, 1.0, 0.3))
        fl.plot(motion, color="bending_moment", look=look).save("falling_chain.png")
    return motion


if __name__ == "__main__":
    main(draws="--no-picture" not in sys.argv)
