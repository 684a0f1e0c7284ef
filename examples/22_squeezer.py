r"""Andrews' squeezer, seven bodies in three loops, runs up (dynamic).

       o C                       The crank O-F turns about O, the origin, and drives
        \ spring                 the hub H by the coupler. From H hang the triangle,
    B o--\--                     about B, and two links, whose knees levers hold about
       \  \/  H   F              A. A spring pulls the triangle to C. All joints are
        ----- o===o              hinges, the torque on the crank is constant, there is
    A o====== |    O             no weight.
       \======o

A benchmark of multibody codes and of solvers for differential-algebraic equations: the
links are light and short, and within 0.03 s the crank turns two and a half times while
accelerations of the links change by orders of magnitude. Three hinges are cut and
closed by constraints, of which those out of the plane are redundant.

Known answer: Hairer and Wanner, section VII.7, print all angles at 0.03 s; here, those
of the crank and of the coupler on it.

Next: fl.GaussLegendre(stages=2, formulation=fl.TREE), or formulation=fl.ABSOLUTE with
all else as it is; the same model as a file is 22_squeezer.toml.
"""

import sys
from pathlib import Path

import numpy as np

import femlie as fl

HERE = Path(__file__).parent
CRANK, COUPLER = 15.8107711952, -15.7563710584  # at 0.03 s [rad]
BETA, GAMMA, PHI = -0.0617138900142764, 0.455279819163070, 0.222668390165886
DELTA, EPSILON = 0.487364979543843, 1.230547444544982
FOURTH, SIXTH = PHI + DELTA, EPSILON - PHI
SOLVER = fl.MuntheKaas(formulation=fl.TREE, projects_start=True)
RUN = {"duration": 0.03, "time_step": 1e-5, "output": fl.Output(every=20)}


def vector(place: complex) -> tuple[float, float, float]:
    """A point of the plane in space."""
    return (place.real, place.imag, 0.0)


def make_model() -> fl.Model:
    """Bodies, hinges, motor and spring in their places at the start."""
    a, b = -0.06934 - 0.00227j, -0.03635 + 0.03273j
    angles = 1j * np.array((BETA, GAMMA, DELTA, EPSILON, FOURTH, SIXTH))
    crank, foot, above, under, fourth, sixth = np.exp(angles).tolist()
    pin, hub = 0.007 * crank, -0.021 * crank
    upper, lower, hook = a + 0.04 * above, a - 0.04j * under, b + (0.02 - 0.018j) * foot
    model = fl.Model()
    for name, mass, inertia, center, angle in (
        ("crank", 0.04325, 2.194e-6, 0.00092 * crank, BETA),
        ("coupler", 0.00365, 4.410e-7, -0.0045 * crank, BETA),
        ("triangle", 0.02373, 5.255e-6, b + (0.01043 - 0.01874j) * foot, GAMMA),
        ("upper link", 0.00706, 5.667e-7, upper - 0.00579j * fourth, FOURTH),
        ("upper lever", 0.07050, 1.169e-5, a + (0.02308 + 0.00916j) * above, DELTA),
        ("lower link", 0.00706, 5.667e-7, lower + 0.00579 * sixth, SIXTH),
        ("lower lever", 0.05498, 1.912e-5, a - (0.00449 + 0.01228j) * under, EPSILON),
    ):  # fmt: skip
        drawn = {"surface": "../meshes/squeezer.msh", "surface_group": name}
        body = {"mass": mass, "inertia": (inertia,) * 3, "orientation": (0, 0, angle)}
        model.add(fl.Body(name, position=vector(center), **body, **drawn))
    for name, *ends, at in (
        ("shaft", fl.GROUND, "crank", 0j),
        ("pin", "crank", "coupler", pin),
        ("hub 1", "coupler", "triangle", hub),
        ("hub 2", "coupler", "upper link", hub),
        ("hub 3", "coupler", "lower link", hub),
        ("triangle foot", fl.GROUND, "triangle", b),
        ("upper knee", "upper lever", "upper link", upper),
        ("lower knee", "lower lever", "lower link", lower),
        ("upper foot", fl.GROUND, "upper lever", a),
        ("lower foot", fl.GROUND, "lower lever", a),
    ):
        motor = fl.Motor(torque=0.033) if name == "shaft" else None
        model.add(fl.Joint(name, fl.REVOLUTE, *ends, position=vector(at), motor=motor))
    law = (4530.0, 0.0, 0.07785, vector(0.014 + 0.072j), vector(hook))
    model.add(fl.SpringDamper("spring", fl.GROUND, "triangle", *law))
    return model


def main(*, draws: bool = True) -> fl.Results:
    """Run, compare the angles at the end, save and draw."""
    motion = SOLVER.solve(make_model().build(folder=HERE), **RUN)
    for name, start, known in (("shaft", BETA, CRANK), ("pin", 0.0, COUPLER)):
        angle = start + motion.joint_coordinate(name)[-1]
        print(f"{name}: {angle:.10f} rad, known {known:.10f}")
    motion.save("squeezer.h5")
    if draws:
        fl.plot(motion, color="speed", time=0.015).save("squeezer.png")
    return motion


if __name__ == "__main__":
    main(draws="--no-picture" not in sys.argv)
