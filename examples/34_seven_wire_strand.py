r"""A strand of seven wires is pulled and bent to and fro (static, friction).

Six wires are wound round a straight core of a little more than their own diameter, as
in the strand that Utting and Jones tested: 3.94 and 3.73 mm, a lay of 115 mm, steel.
A load pulls one end by about 1 %, then a moment turns the other one to and fro. Wires
are pressed on the core by their tension, and rub there.

     turn ( [ ]~~~~~~~~~~~~~~~~~~~~~~~~~~[ ]--> pull

Known answers. Under tension each wire bears E A cos^3 b along the strand, where b is
the angle of lay; the core bears E A. Where wires do not slip the strand bends as one
bar, where all slip as seven: the moment at the turned end of a beam under tension is

    M = (EI / L) q (q cosh q - sinh q) / (2 - 2 cosh q + q sinh q) angle

with q^2 = T L^2 / EI and EI between these bounds. Friction makes a loop of the angle
over the moment, whose area is the work that it takes.

Next: the page on contact in docs/design.md. The same model as a file is
34_seven_wire_strand.toml.
"""

import sys
from pathlib import Path

import numpy as np

import femlie as fl

MESH = Path(__file__).parent.parent / "meshes" / "strand.msh"
CORE, WIRE, LAY, PULL, TURN = 1.97e-3, 1.865e-3, 0.115, 138e3, 200.0
STEEL = fl.Material(young=188e9, poisson=0.3, density=7850.0)
SOLVER = fl.Static()
RUN = {"load_steps": 40}
FIRST = fl.Table(times=(0.0, 0.2), values=(0.0, 1.0))
THEN = fl.Table(times=(0.2, 0.4, 0.7, 1.0), values=(0.0, 1.0, -1.0, 1.0))


def make_model() -> fl.Model:
    """Core and wires, a rigid body at either end, and that all may touch."""
    model = fl.Model(fl.read_mesh(MESH))
    for name, radius in (("core", CORE), ("wires", WIRE)):
        section = fl.CircularSection(radius=radius, material=STEEL)
        model.add(fl.Beam(name, cells=name, section=section, curve=fl.SMOOTH))
    body = {"mass": 0.1, "inertia": (1e-4, 1e-4, 1e-4)}
    model.add(fl.Body("foot", at="starts", position=(0.0, 0.0, 0.0), **body))
    model.add(fl.Body("head", at="ends", position=(LAY, 0.0, 0.0), **body))
    model.add(fl.Support("hinge", at="foot", kind=fl.HINGED, axis=(0.0, 1.0, 0.0)))
    model.add(fl.Support("slide", at="head", kind=fl.SLIDING, axis=(1.0, 0.0, 0.0)))
    model.add(fl.Force("pull", at="head", force=(PULL, 0.0, 0.0), over_time=FIRST))
    model.add(fl.Force("turn", at="foot", moment=(0.0, TURN, 0.0), over_time=THEN))
    model.add(fl.Contact("inner", between=("core", "wires"), friction=0.115))
    model.add(fl.Contact("outer", between=("wires", "wires"), friction=0.115))
    return model


def stretch_by_hand() -> float:
    """Stretch of thin wires that bear the pull."""
    lay_angle = np.arctan(2.0 * np.pi * (CORE + WIRE) / LAY)
    area = np.pi * (CORE**2 + 6.0 * WIRE**2 * np.cos(lay_angle) ** 3)
    return float(PULL / (STEEL.young * area))


def angle_by_hand(*, sticks: bool) -> float:
    """Angle [rad] of the turned end where all wires stick, or slip."""
    cosine = np.cos(np.arctan(2.0 * np.pi * (CORE + WIRE) / LAY))
    bending = CORE**4 + 6.0 * WIRE**4
    if sticks:
        bending += 12.0 * WIRE**2 * (CORE + WIRE) ** 2 * cosine**3
    stiffness = STEEL.young * np.pi / 4.0 * bending
    q = LAY * np.sqrt(PULL / stiffness)
    ratio = q * (q * np.cosh(q) - np.sinh(q)) / (2 - 2 * np.cosh(q) + q * np.sinh(q))
    return float(TURN * LAY / (stiffness * ratio))


def loop(result: fl.Results) -> tuple[np.ndarray, np.ndarray]:
    """Angle and moment of the turned end from one extreme to the other and back."""
    is_closed = result.times >= 0.4 - 1e-9
    moment = TURN * np.interp(result.times, THEN.times, THEN.values)
    angle = result.rotations("foot", as_vector=True)[:, 1]
    return angle[is_closed], moment[is_closed]


def main(*, draws: bool = True) -> fl.Results:
    """Solve, compare, save and draw."""
    result = SOLVER.solve(make_model().build(), **RUN)
    stretch = np.interp(0.2, result.times, result.displacements("head")[:, 0]) / LAY
    print(f"stretch {100 * stretch:.3f} %; thin wires {100 * stretch_by_hand():.3f} %")
    angle, moment = loop(result)
    low, high = angle_by_hand(sticks=True), angle_by_hand(sticks=False)
    print(f"angle {angle[0]:.4f} rad, between {low:.4f} and {high:.4f} rad")
    print(f"work of friction in a loop: {np.trapezoid(moment, angle):.3f} J")
    result.save("seven_wire_strand.h5")
    if draws:
        look = {"look": fl.Look(direction=(-0.5, -1.0, 0.4)), "deformation_scale": 1.0}
        fl.plot(result, color="axial_force", **look).save("seven_wire_strand.png")
    return result


if __name__ == "__main__":
    main(draws="--no-picture" not in sys.argv)
