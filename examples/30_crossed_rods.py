r"""Two rods are pressed crosswise (static, contact at a point).

Two equal rods are clamped at both ends, at right angles, and touch in the middle. The
supports of the upper one come down by 37 mm, nearly four radii. Nobody says where the
rods touch, nor that it is one point: femlie finds it.

            \   /    upper rod, its ends come down
        =====\=/=====
              X      one point of contact
        =====/ \=====
            /   \    lower rod, its ends stay

Known answer: by symmetry each rod bows by half the way, and is a beam with a force in
its middle. The exact beam equations of one half, solved by shooting, give a force of
50 N for this way; small deflections would give 27.9 N (96 EI/L^3), since they leave out
that the rods stretch.

Next: 31_twisted_ply for rods that touch along a line. The same model as a file is
30_crossed_rods.toml.
"""

import sys

import numpy as np

import femlie as fl

RADIUS, LENGTH = 0.01, 1.0
RUBBER = fl.Material(young=1e9, poisson=0.3, density=1000.0)
ROUND = fl.CircularSection(radius=RADIUS, material=RUBBER, shear_factors=(1.0, 1.0))
WAY, FORCE = 37.00081666e-3, 50.0  # of the exact equations [m, N]
SOLVER = fl.Static()
RUN = {"load_steps": 4}


def make_model() -> fl.Model:
    """Two rods, their supports, and that they may touch."""
    half = 0.5 * LENGTH
    ends = {
        "upper": ((-half, 0.0, 2.0 * RADIUS), (half, 0.0, 2.0 * RADIUS)),
        "lower": ((0.0, -half, 0.0), (0.0, half, 0.0)),
    }
    lines = [
        fl.straight_line(
            start,
            end,
            n_elements=20,
            name=f"{name} line",
            start_name=f"{name} start",
            end_name=f"{name} end",
        )
        for name, (start, end) in ends.items()
    ]
    model = fl.Model(fl.join_meshes(*lines))
    for name in ends:
        model.add(fl.Beam(name, cells=f"{name} line", section=ROUND))
    for side in ("start", "end"):
        down = (0.0, 0.0, -WAY)
        model.add(fl.Support(f"push {side}", at=f"upper {side}", displacement=down))
        model.add(fl.Support(f"hold {side}", at=f"lower {side}"))
    model.add(fl.Contact("crossing", between=("upper", "lower")))
    return model


def linear_force() -> float:
    """Force by the formula for small deflections [N]."""
    bending = RUBBER.young * np.pi * RADIUS**4 / 4.0
    return float(96.0 * bending * WAY / LENGTH**3)


def main(*, draws: bool = True) -> fl.Results:
    """Solve, compare, save and draw."""
    result = SOLVER.solve(make_model().build(), **RUN)
    force = result.contact.total("crossing")[-1, 2]
    print(f"force {force:.2f} N; exact {FORCE:.2f} N, linear {linear_force():.2f} N")
    result.save("crossed_rods.h5")
    if draws:
        fl.plot(result, color="bending_moment").save("crossed_rods.png")
    return result


if __name__ == "__main__":
    main(draws="--no-picture" not in sys.argv)
