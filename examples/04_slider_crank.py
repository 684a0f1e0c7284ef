r"""A slider-crank with a flexible rod turns three times (dynamic).

A disc turns in two bearings of a housing, driven by a motor. The rod from its pin to the
slider is thin enough to bend under its own inertia. A spring-damper pulls the slider
back to the wall of the housing, and a rubber buffer stops it softly at the far end.

           _____
         /   o---\-------- rod ---------+-----+            |
        |  (=)    |                      |  o  |/\/\/\/\/\/| spring
         \       /                    -> +-----+            |
      _____|___|____________________________/////___________|
      crank in two bearings        buffer   slider on a guide, housing

The second bearing holds nothing that the first one does not hold: its five rows are
redundant. The solver finds them and shares the force between both (least norm); only
their sum is mechanics. The housing is a closed surface from an STL file; it is clamped,
so the reaction of its support is the force that the machine exerts on its foundation.

Known answers: the slider of a crank r with a rigid rod L stands at
r cos a + sqrt(L^2 - r^2 sin^2 a); the difference is the bow of the rod. The mass center
of the crank rests, so bearings, pin and weight are in balance.

Next: give make_model more elements; move the stop; 06_heavy_top for a rigid body that is
integrated explicitly. The same model as a file is 04_slider_crank.toml.
"""

import sys
from pathlib import Path

import numpy as np

import femlie as fl

HERE = Path(__file__).parent
CRANK, ROD = 0.15, 0.5  # lengths [m]
ACROSS = (0.0, -1.0, 0.0)  # axis of all hinges: the crank's pin goes up first
STEEL = fl.Material(young=210e9, poisson=0.3, density=7850.0)
SOLVER = fl.GeneralizedAlpha(spectral_radius=0.8)
RUN = {"duration": 0.6, "time_step": 5e-4}


def make_model(n_elements: int = 8) -> fl.Model:
    """Housing, crank, rod of ``n_elements`` beams, slider, and what joins them."""
    ends = {"start_name": "crank pin", "end_name": "wrist pin"}
    start, end = (CRANK, 0.0, 0.0), (CRANK + ROD, 0.0, 0.0)
    model = fl.Model(fl.straight_line(start, end, n_elements=n_elements, name="rod", **ends))
    flat = fl.RectangularSection(height=0.008, width=0.016, material=STEEL)
    model.add(fl.Beam("rod", cells="rod", section=flat))
    surface = "../meshes/crank_housing.stl"
    model.add(fl.Body("housing", surface=surface, density=7200.0))
    disc = fl.cylinder(0.18, 0.02, density=7850.0, axis=ACROSS)
    model.add(fl.Body("crank", position=(0.0, 0.03, 0.0), solid=disc))
    block = fl.box((0.1, 0.06, 0.1), density=2700.0)
    model.add(fl.Body("slider", position=end, solid=block))
    model.add(fl.Support("foundation", at="housing", kind=fl.CLAMPED))

    # a smooth run of three turns, from rest to rest
    run = fl.Table(times=(0.0, 0.15, 0.3, 0.45, 0.6), values=(0.0, 0.1035, 0.5, 0.8965, 1.0))
    motor = fl.Motor(motion=6.0 * np.pi, over_time=run)
    held = {"parent": "housing", "child": "crank", "axis": ACROSS}
    front, back = (0.0, 0.075, 0.0), (0.0, 0.165, 0.0)
    model.add(fl.Joint("front bearing", fl.REVOLUTE, position=front, motor=motor, **held))
    model.add(fl.Joint("back bearing", fl.REVOLUTE, position=back, **held))
    for body, pin in (("crank", "crank pin"), ("slider", "wrist pin")):
        hinge = {"parent": body, "child": pin, "axis": ACROSS}
        model.add(fl.Joint(f"{body} hinge", fl.REVOLUTE, **hinge))
    buffer = fl.Stop(lower=-0.28, stiffness=2e4, damping=0.5)
    held = {"parent": "housing", "child": "slider", "axis": (1.0, 0.0, 0.0)}
    model.add(fl.Joint("guide", fl.PRISMATIC, position=end, stop=buffer, **held))
    points = {"first_point": (0.93, 0.0, 0.0), "second_point": (0.70, 0.0, 0.0)}
    spring = {"stiffness": 300.0, "damping": 3.0, "length": 0.2, **points}
    model.add(fl.SpringDamper("return spring", "housing", "slider", **spring))
    model.add(fl.Gravity("gravity"))
    return model


def rigid_slider(angle: np.ndarray) -> np.ndarray:
    """Place of the slider along the guide if the rod were rigid [m]."""
    return CRANK * np.cos(angle) + np.sqrt(ROD**2 - (CRANK * np.sin(angle)) ** 2)


def crank_balance(motion: fl.Results) -> tuple[float, float]:
    """Largest sum of the forces on the crank, and largest force in its pin [N]."""
    pin = motion.reactions("crank hinge", on="parent")[:, :3]
    bearings = sum(motion.reactions(f"{end} bearing")[:, :3] for end in ("front", "back"))
    weight = np.array([0.0, 0.0, -9.81 * 7850.0 * np.pi * 0.18**2 * 0.02])
    sizes = [np.linalg.norm(f, axis=1).max() for f in (pin + bearings + weight, pin)]
    return float(sizes[0]), float(sizes[1])


def main(*, draws: bool = True) -> fl.Results:
    """Run, compare, save and draw."""
    motion = SOLVER.solve(make_model().build(folder=HERE), **RUN)
    place = motion.positions("slider")[:, 0]
    away = np.abs(place - rigid_slider(motion.joint_coordinate("front bearing"))).max()
    print(f"stroke {np.ptp(place):.4f} m; with a rigid rod {2 * CRANK:.4f} m")
    print(f"the rod's bow moves the slider by at most {away * 1e6:.0f} um")
    print("forces on the crank add up to {:.1e} N, {:.0f} N in its pin".format(*crank_balance(motion)))
    motion.save("slider_crank.h5")
    if draws:
        fl.plot(motion, time=420, color="bending_moment").save("slider_crank.png")
        fl.animate(motion, "slider_crank.gif", color="bending_moment", length=4.0)
    return motion


if __name__ == "__main__":
    main(draws="--no-picture" not in sys.argv)
