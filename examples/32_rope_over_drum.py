r"""A rope is pulled over a drum without friction (static, contact with a shape).

A rope lies straight on top of a drum, held at its left end. A load at its right end
draws it down, so that it lays itself round a quarter of the drum.

    hold >================o================
                        (   )             |  load
                       ( drum )           v
                        (   )

Known answer: without friction the tension is that of the load all along the rope, the
pressure is T / (R + r) for each length of its axis, and the drum is pressed by T to the
left and by T downwards. Where the rope leaves the drum its bending stiffness counts: it
takes a way wider by about sqrt(EI / T).

Next: the drum is a rigid `fl.Shape` on the ground; give it `on=` a body and it moves
with that. Bodies with a solid or a surface are touched by their own names. The same
model as a file is 32_rope_over_drum.toml.
"""

import sys

import numpy as np

import femlie as fl

DRUM, ROPE, TENSION, N = 0.1, 0.002, 20.0, 80
TOP = 0.102  # of the axis of the rope, on the drum
NYLON = fl.Material(young=1e8, poisson=0.3, density=1100.0)
ROUND = fl.CircularSection(radius=ROPE, material=NYLON)
SOLVER = fl.Static()
RUN = {"load_steps": 10}


def make_model() -> fl.Model:
    """A rope, a drum, and that they may touch."""
    mesh = fl.straight_line(
        (-0.1, 0.0, TOP),
        (0.3, 0.0, TOP),
        n_elements=N,
        name="rope",
        start_name="left",
        end_name="right",
    )
    model = fl.Model(mesh)
    model.add(fl.Beam("rope", cells="rope", section=ROUND))
    axis = (0.0, 1.0, 0.0)
    kind = fl.ShapeKind.CYLINDER
    model.add(fl.Shape("drum", kind, radius=DRUM, length=0.04, axis=axis))
    model.add(fl.Contact("wrap", between=("rope", "drum")))
    model.add(fl.Support("hold", at="left"))
    model.add(fl.Force("load", at="right", force=(0.0, 0.0, -TENSION)))
    return model


def main(*, draws: bool = True) -> fl.Results:
    """Solve, compare, save and draw."""
    result = SOLVER.solve(make_model().build(), **RUN)
    pressures = result.contact.pressures("rope")[-1].mean(axis=1)
    tension = result.section_forces("rope", at="middle")[-1, :, 0]
    places = result.positions("rope")[-1]
    angles = np.arctan2(places[:-1, 0], places[:-1, 2])
    middle = (angles > 0.6) & (angles < 1.0)  # of the arc, away from its ends
    closed = TENSION / TOP
    print(f"tension {tension[middle].mean():.3f} N; load {TENSION:.3f} N")
    print(f"pressure {pressures[middle].mean():.1f} N/m; T / (R + r) {closed:.1f} N/m")
    print(f"force on the rope {result.contact.total('wrap')[-1].round(3)} N")
    result.save("rope_over_drum.h5")
    if draws:
        look = fl.Look(direction=(-0.3, -1.0, 0.4))
        picture = fl.plot(result, color="contact_pressure", look=look)
        picture.save("rope_over_drum.png")
    return result


if __name__ == "__main__":
    main(draws="--no-picture" not in sys.argv)
