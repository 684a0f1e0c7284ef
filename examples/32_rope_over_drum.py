r"""A rope is pulled round a drum on which it rubs: a capstan (static, friction).

A rope lies round half a drum, held at one end. A load at the other end stretches it, so
that it slides, everywhere but at the hold.

              ( drum )
             (        )
            |          |
        load v        hold

Known answer, of Euler and Eytelwein: the tension grows by exp(mu phi) over an arc phi
on which the rope slides. Friction acts at the surface, r nearer to the middle of the
drum than the axis of the rope, which takes the part r / (R + r) of it.

Next: the drum is a rigid `fl.Shape` on the ground; give it `on=` a body and it moves
with that. Bodies with a solid or a surface are touched by their own names. The same
model as a file is 32_rope_over_drum.toml.
"""

import sys

import numpy as np

import femlie as fl

DRUM, ROPE, TENSION, N, FRICTION = 0.1, 0.002, 20.0, 36, 0.3
WAY, END = 0.10204, -0.0320422  # just outside; three times a chord of six degrees
ARC = [(round(WAY * np.cos(t), 7), 0.0, round(WAY * np.sin(t), 7))
       for t in np.linspace(0.0, np.pi, 31)]  # fmt: skip
NYLON = fl.Material(young=1e8, poisson=0.3, density=1100.0)
ROUND = fl.CircularSection(radius=ROPE, material=NYLON)
SOLVER = fl.Static(checks_stability=False)
RUN = {"load_steps": 10}


def make_model() -> fl.Model:
    """A rope, a drum, and that they rub."""
    curve = [(WAY, 0.0, END), *ARC, (-WAY, 0.0, END)]
    mesh = fl.mesh_from_curve(
        curve, n_elements=N, name="rope", start="held", end="pulled"
    )
    model = fl.Model(mesh)
    model.add(fl.Beam("rope", cells="rope", section=ROUND, curve=fl.SMOOTH))
    kind = fl.ShapeKind.CYLINDER
    model.add(fl.Shape("drum", kind, radius=DRUM, length=0.04, axis=(0.0, 1.0, 0.0)))
    model.add(fl.Contact("wrap", between=("rope", "drum"), friction=FRICTION))
    model.add(fl.Support("hold", at="held"))
    model.add(fl.Force("load", at="pulled", force=(0.0, 0.0, -TENSION)))
    return model


def exponent(result: fl.Results) -> float:
    """How the logarithm of the tension grows with the angle, inside of the arc."""
    tension = result.section_forces("rope", at="middle")[-1, :, 0]
    places = result.positions("rope")[-1]
    middles = 0.5 * (places[1:] + places[:-1])
    angles = np.arctan2(middles[:, 2], middles[:, 0])
    arc = (angles > 0.5) & (angles < np.pi - 0.5)
    return float(np.polyfit(angles[arc], np.log(tension[arc]), 1)[0])


def main(*, draws: bool = True) -> fl.Results:
    """Solve, compare, save and draw."""
    result = SOLVER.solve(make_model().build(), **RUN)
    closed = FRICTION * DRUM / (DRUM + ROPE)
    print(f"growth of the tension {exponent(result):.4f}; mu R / (R + r) {closed:.4f}")
    tension = result.section_forces("rope", at="middle")[-1, :, 0]
    print(f"tension {tension[0]:.2f} to {tension[-1]:.2f} N; "
          f"by hand a ratio of {np.exp(closed * np.pi):.3f}")  # fmt: skip
    result.save("rope_over_drum.h5")
    if draws:
        look = fl.Look(direction=(-0.3, -1.0, 0.4))
        picture = fl.plot(
            result, color="contact_pressure", look=look, deformation_scale=1.0
        )
        picture.save("rope_over_drum.png")
    return result


if __name__ == "__main__":
    main(draws="--no-picture" not in sys.argv)
