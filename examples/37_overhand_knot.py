r"""An overhand knot is pulled tight (dynamic, a rope that touches itself).

The mesh shows a rope of rubber that is loosely tied: an oval, and two tails that are
wound round each other where they meet. Without stress the rope is straight, so that the
oval springs into a circle while that comes into force, in the first 0.3 s. Then a hand
pulls one end by 0.35 m; the other one is held.

              .-""-.
             (      )
    |=========`-~~-'==========[hand]-->

Known answer: a loose knot without friction is a circle of radius R that the tails only
touch. Its bending energy ``pi EI / R`` grows by ``dR`` of the length ``2 pi dR``, so
that the pull is

    T = EI / (2 R^2)

for a thin rope (Audoly, Clauvelin, Neukirch 2007). Here R is 22 radii of the rope, and
a quarter more is needed; at 45 radii a tenth. ``friction=0.1`` in the contact nearly
doubles the pull.

Next: the page on contact in docs/design.md. The same model as a file is
37_overhand_knot.toml.
"""

import sys
from pathlib import Path

import numpy as np

import femlie as fl

MESH = Path(__file__).parent.parent / "meshes" / "overhand_knot.msh"
RADIUS, PULL = 4e-3, 0.35
RUBBER = fl.Material(young=1e8, poisson=0.3, density=1100.0)
SOLVER = fl.GeneralizedAlpha(spectral_radius=0.5)
RUN = {"duration": 1.3, "time_step": 1e-3, "output": fl.Output(every=5)}
SETTLES = fl.Table(times=(0.0, 0.3, 1.3), values=(0.0, 1.0, 1.0))
PULLS = fl.Table(times=(0.0, 0.3, 1.0, 1.3), values=(0.0, 0.0, 1.0, 1.0))


def make_model() -> fl.Model:
    """Rope, support, a hand on a slide, and that the rope may touch itself."""
    model = fl.Model(fl.read_mesh(MESH))
    rope = {"curve": fl.SMOOTH, "rest_shape": fl.RestShape.STRAIGHT}
    section = fl.CircularSection(radius=RADIUS, material=RUBBER)
    model.add(
        fl.Beam(
            "rope",
            cells="rope",
            section=section,
            rest_strain_over_time=SETTLES,
            mass_damping=40.0,
            **rope,
        )
    )
    model.add(fl.Support("held", at="left"))
    place = (0.4, 0.0, 0.0)
    inertia = (1e-3, 1e-3, 1e-3)
    model.add(fl.Body("hand", at="right", position=place, mass=1.0, inertia=inertia))
    slide = {"axis": (1.0, 0.0, 0.0), "position": place}
    motor = fl.Motor(motion=PULL, over_time=PULLS)
    model.add(fl.Joint("slide", fl.PRISMATIC, fl.GROUND, "hand", motor=motor, **slide))
    model.add(fl.Contact("knot", between=("rope", "rope")))
    return model


def pull_and_circle(motion: fl.Results) -> tuple[float, float]:
    """Mean pull in both tails, and EI / (2 R^2), both [N], while the hand rests."""
    late = motion.times > 1.1
    forces = motion.section_forces("rope", at="middle")[late]
    middle = forces.shape[1] // 2
    moment = np.linalg.norm(forces[:, middle - 3 : middle + 3, 3:], axis=2).mean()
    stiffness = RUBBER.young * np.pi * RADIUS**4 / 4.0
    pull = 0.5 * (forces[:, :5, 0].mean() + forces[:, -5:, 0].mean())
    return float(pull), float(moment**2 / (2.0 * stiffness))


def main(*, draws: bool = True) -> fl.Results:
    """Solve, compare, save and draw."""
    motion = SOLVER.solve(make_model().build(), **RUN)
    pull, by_hand = pull_and_circle(motion)
    print(f"pull {pull:.2f} N; circle {by_hand:.2f} N")
    motion.save("overhand_knot.h5")
    if draws:
        look = fl.Look(direction=(-0.2, -1.0, 0.9))
        fl.plot(motion, color="contact_pressure", look=look).save("overhand_knot.png")
    return motion


if __name__ == "__main__":
    main(draws="--no-picture" not in sys.argv)
