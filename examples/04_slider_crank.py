r"""A slider-crank with a flexible rod turns 2 3/4 times (dynamic).

A balanced arm turns in two bearings of a housing, driven by a motor. The rod from its
pin to the slider is thin enough to bend under its own inertia. A spring-damper pulls
the slider back to the wall of the housing, and a rubber buffer stops it softly at the
far end of its way.

          ,o========rod========+-----+             |
        ,(=)'                  |  o  |/\/\/\/\/\/\/|  spring and wall
       ' /|\                   +-----+             |
    ____/_|_\_______________|/////////|____________|_
      crank in bearings   buffer, guide         housing

The second bearing holds nothing that the first one does not hold: its five rows are
redundant. The solver finds them and shares the force between both (least norm); only
the sum is mechanics. The housing is a closed surface from an STL file. It is clamped,
so that the reaction of its support is what the machine does to its foundation.

Known answers: with a rigid rod of length L and a crank of radius r, the slider stands
at r cos a + sqrt(L^2 - r^2 sin^2 a); what is left is the bow of the rod. The mass
center of the crank rests, so that bearings, pin and weight are in balance.

Next: give make_model more elements, move the stop; 06_heavy_top for explicit steps. The
same model as a file is 04_slider_crank.toml.
"""

import sys
from pathlib import Path

import numpy as np

import femlie as fl

HERE = Path(__file__).parent
CRANK, ROD = 0.15, 0.5  # lengths [m]
ALONG, HINGE = (1.0, 0.0, 0.0), (0.0, -1.0, 0.0)  # axes; the crank's pin goes up first
PIN, WRIST = (CRANK, 0.0, 0.0), (CRANK + ROD, 0.0, 0.0)  # places at the start
STEEL = fl.Material(young=210e9, poisson=0.3, density=7850.0)
FLAT = fl.RectangularSection(height=0.008, width=0.016, material=STEEL)
ARM = fl.box((0.36, 0.02, 0.06), density=7850.0)
BLOCK = fl.box((0.1, 0.06, 0.1), density=2700.0)
RUN_UP = fl.Table(times=(0, 0.15, 0.3, 0.45, 0.6), values=(0, 0.1035, 0.5, 0.8965, 1))
SOLVER = fl.GeneralizedAlpha(spectral_radius=0.8)
RUN = {"duration": 0.6, "time_step": 5e-4}


def make_model(n_elements: int = 8) -> fl.Model:
    """Housing, crank, rod of ``n_elements`` beams, slider, and what joins them."""
    names = {"name": "rod", "start_name": "crank pin", "end_name": "wrist pin"}
    model = fl.Model(fl.straight_line(PIN, WRIST, n_elements=n_elements, **names))
    model.add(fl.Beam("rod", cells="rod", section=FLAT))
    surface = "../meshes/crank_housing.stl"  # beside this file: see build in main
    model.add(fl.Body("housing", surface=surface, density=7200.0))
    model.add(fl.Body("crank", position=(0.0, 0.03, 0.0), solid=ARM))
    model.add(fl.Body("slider", position=WRIST, solid=BLOCK))
    model.add(fl.Support("foundation", at="housing", kind=fl.CLAMPED))

    motor = fl.Motor(motion=5.5 * np.pi, over_time=RUN_UP)  # from rest to rest
    hinge = {"kind": fl.REVOLUTE, "axis": HINGE}
    shaft = {"parent": "housing", "child": "crank", **hinge}
    model.add(fl.Joint("front bearing", position=(0, 0.075, 0), motor=motor, **shaft))
    model.add(fl.Joint("back bearing", position=(0, 0.165, 0), **shaft))
    model.add(fl.Joint("crank hinge", parent="crank", child="crank pin", **hinge))
    model.add(fl.Joint("slider hinge", parent="slider", child="wrist pin", **hinge))
    buffer = fl.Stop(lower=-0.28, stiffness=2e4, damping=0.5)
    slides = {"kind": fl.PRISMATIC, "axis": ALONG, "position": WRIST, "stop": buffer}
    model.add(fl.Joint("guide", parent="housing", child="slider", **slides))
    coil = {"stiffness": 300.0, "damping": 3.0, "length": 0.2}
    tied = {"first_point": (0.93, 0.0, 0.0), "second_point": (0.70, 0.0, 0.0)}
    model.add(fl.SpringDamper("return spring", "housing", "slider", **coil, **tied))
    model.add(fl.Gravity("gravity"))
    return model


def rigid_slider(angle: np.ndarray) -> np.ndarray:
    """Place of the slider along the guide if the rod were rigid [m]."""
    return CRANK * np.cos(angle) + np.sqrt(ROD**2 - (CRANK * np.sin(angle)) ** 2)


def bearing_force(motion: fl.Results) -> np.ndarray:
    """Force of both bearings on the crank (n_times, 3) [N]."""
    front, back = motion.reactions("front bearing"), motion.reactions("back bearing")
    return front[:, :3] + back[:, :3]


def main(*, draws: bool = True) -> fl.Results:
    """Run, compare, save and draw."""
    motion = SOLVER.solve(make_model().build(folder=HERE), **RUN)
    place = motion.positions("slider")[:, 0]
    bow = np.abs(place - rigid_slider(motion.joint_coordinate("front bearing"))).max()
    print(f"the slider is at most {bow * 1e6:.0f} um away from that of a rigid rod")
    weight = np.array([0.0, 0.0, -9.81 * ARM.mass_properties.mass])
    pin = motion.reactions("crank hinge", on="parent")[:, :3]
    left = np.abs(bearing_force(motion) + pin + weight).max()
    print(f"forces on the crank: pin {np.abs(pin).max():.0f} N, sum {left:.0e} N")
    motion.save("slider_crank.h5")
    if draws:
        fl.plot(motion.at(0.32), color="bending_moment").save("slider_crank.png")
        fl.animate(motion, "slider_crank.gif", color="bending_moment", length=4.0)
    return motion


if __name__ == "__main__":
    main(draws="--no-picture" not in sys.argv)
