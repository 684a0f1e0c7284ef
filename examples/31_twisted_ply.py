r"""Two rods are twisted into a ply (static, contact along a line).

Two straight rods lie side by side, clamped at one end. A head at the other end holds
both, pulls, and turns them about each other twice, so that they become two helices that
press against each other all along. The head may slide along its axis.

       |=======================[ ]--> pull
       |=======================[ ]  ) two turns

Known answer: in the middle each rod is a helix of radius r about the common axis, of
curvature k and torsion t. Kirchhoff's equations of a rod with the tension T and the
torque M give the pressure

    p = T k - t k (M - EI t)

for each length of the rod. T, M and the rate of the helix come from the result, so that
this compares the contact with the rods that it presses on. With a fifth of the pull
the ply would be about to snarl, which femlie says: "The equilibrium is unstable".

Next: the page on contact in docs/design.md. The same model as a file is
31_twisted_ply.toml.
"""

import sys

import numpy as np

import femlie as fl

RADIUS, LENGTH, TURNS, N = 0.01, 1.0, 2.0, 40
NYLON = fl.Material(young=1e9, poisson=0.3, density=1100.0)
ROUND = fl.CircularSection(radius=RADIUS, material=NYLON, shear_factors=(1.0, 1.0))
SOLVER = fl.Static()
RUN = {"load_steps": 24}  # of 30 degrees


def make_model() -> fl.Model:
    """Two rods, a head that turns and pulls, and that the rods may touch."""
    lines = [
        fl.straight_line(
            (0.0, y, 0.0),
            (LENGTH, y, 0.0),
            n_elements=N,
            name=f"{name} line",
            start_name="starts",
            end_name="ends",
        )
        for name, y in (("first", RADIUS), ("second", -RADIUS))
    ]
    model = fl.Model(fl.join_meshes(*lines))
    for name in ("first", "second"):
        model.add(fl.Beam(name, cells=f"{name} line", section=ROUND))
    model.add(fl.Support("clamp", at="starts"))
    place, inertia = (LENGTH, 0.0, 0.0), (1e-4, 1e-4, 1e-4)
    model.add(fl.Body("head", at="ends", position=place, mass=0.1, inertia=inertia))
    angle = fl.JointCoordinate.ANGLE
    turn = fl.Motor(motion=2.0 * np.pi * TURNS, coordinate=angle)
    guide = {"axis": (1.0, 0.0, 0.0), "position": place, "motor": turn}
    kind = fl.JointKind.CYLINDRICAL
    model.add(fl.Joint("guide", kind, parent=fl.GROUND, child="head", **guide))
    steady = fl.Table(times=(0.0, 1.0), values=(1.0, 1.0))  # from the first step on
    model.add(fl.Force("pull", at="head", force=(200.0, 0.0, 0.0), over_time=steady))
    model.add(fl.Contact("ply", between=("first", "second")))
    return model


def pressure_by_hand(result: fl.Results) -> float:
    """Pressure of helices with the tension, torque and rate in the middle [N/m]."""
    middle = result.section_forces("first", at="middle")[-1, N // 2 - 1 : N // 2 + 1]
    tension, torque = middle[:, 0].mean(), middle[:, 3].mean()
    places = result.positions("first")[-1, N // 2 - 3 : N // 2 + 4]
    angle = np.unwrap(np.arctan2(places[:, 2], places[:, 1]))
    rate = (angle[-1] - angle[0]) / (places[-1, 0] - places[0, 0])
    square = 1.0 + (RADIUS * rate) ** 2
    bend, twist = RADIUS * rate**2 / square, rate / square
    stiffness = NYLON.young * np.pi * RADIUS**4 / 4.0
    return float(tension * bend - twist * bend * (torque - stiffness * twist))


def main(*, draws: bool = True) -> fl.Results:
    """Solve, compare, save and draw."""
    result = SOLVER.solve(make_model().build(), **RUN)
    pressure = result.contact.pressures("first")[-1, N // 2, 0]
    print(f"pressure {pressure:.1f} N/m; helix {pressure_by_hand(result):.1f} N/m")
    result.save("twisted_ply.h5")
    if draws:
        look = fl.Look(direction=(-0.5, -1.0, 0.4))
        picture = fl.plot(result, color="contact_pressure", look=look)
        picture.save("twisted_ply.png")
    return result


if __name__ == "__main__":
    main(draws="--no-picture" not in sys.argv)
