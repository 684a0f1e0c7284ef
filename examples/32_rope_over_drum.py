r"""A rope is pulled over a drum on which it rubs (static, contact with a shape).

A rope lies straight on top of a drum, held at its left end. A load at its right end
draws it down, so that it lays itself round a quarter of the drum and slides there.

    hold >================o================
                        (   )             |  load
                       ( drum )           v
                        (   )

Known answer, of Euler and Eytelwein: the tension grows by exp(mu phi) over an arc phi
on which the rope slides. Friction acts at the surface, r nearer to the middle of the
drum than the axis of the rope, which takes the part r / (R + r) of it. The pressure is
T / (R + r) for each length of the axis.

Next: the drum is a rigid `fl.Shape` on the ground; give it `on=` a body and it moves
with that. Bodies with a solid or a surface are touched by their own names. The same
model as a file is 32_rope_over_drum.toml.
"""

import sys

import numpy as np

import femlie as fl

DRUM, ROPE, TENSION, N, FRICTION = 0.1, 0.002, 20.0, 80, 0.3
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
    model.add(fl.Contact("wrap", between=("rope", "drum"), friction=FRICTION))
    model.add(fl.Support("hold", at="left"))
    model.add(fl.Force("load", at="right", force=(0.0, 0.0, -TENSION)))
    return model


def exponent(result: fl.Results) -> float:
    """How the logarithm of the tension grows with the angle, inside of the arc."""
    tension = result.section_forces("rope", at="middle")[-1, :, 0]
    places = result.positions("rope")[-1]
    middles = 0.5 * (places[1:] + places[:-1])
    angles = np.arctan2(middles[:, 0], middles[:, 2])
    arc = (angles > 0.35) & (angles < 1.25)
    return float(np.polyfit(angles[arc], np.log(tension[arc]), 1)[0])


def main(*, draws: bool = True) -> fl.Results:
    """Solve, compare, save and draw."""
    result = SOLVER.solve(make_model().build(), **RUN)
    closed = FRICTION * DRUM / (DRUM + ROPE)
    print(f"growth of the tension {exponent(result):.4f}; mu R / (R + r) {closed:.4f}")
    hold = -result.reactions("hold")[-1, 0]
    print(f"load {TENSION:.3f} N, {hold:.3f} N held")
    print(f"force on the rope {result.contact.total('wrap')[-1].round(3)} N")
    result.save("rope_over_drum.h5")
    if draws:
        look = fl.Look(direction=(-0.3, -1.0, 0.4))
        picture = fl.plot(result, color="contact_pressure", look=look)
        picture.save("rope_over_drum.png")
    return result


if __name__ == "__main__":
    main(draws="--no-picture" not in sys.argv)
