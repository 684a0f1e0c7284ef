"""A guyed tower stands in wind: stays under pretension, static.

A tube of steel, 40 m tall and pinned at its base, is held at half height and at the
top by three stays each. The stays are beams like the mast, but thin: they carry
tension, hang through under their weight, and have their pretension from a rest strain
(a stay that wants to be 0.1 % shorter than it is meshed). Wind blows along x and
counts per height of what it meets (``projected``).

                  o         wind ->
               / /|\\
             /  / | \\ \\
           /   /  o  \\  \\
         /    / / | \\ \\   \\
       /    //    |   \\ \\   \\
      x   anchors ^        x

Known answer: each level of stays is a spring of 3/2 EA/L cos^2, softer by its sag
(Ernst), and the mast a beam on these two springs. The estimate leaves out that the
compressed mast bends a little more.

Next: 02_frame_from_gmsh for members in three directions, 05_rubber_pendulum for what
moves. The same model as a file: 01_guyed_tower.toml.
"""

import sys
from pathlib import Path

import numpy as np

import femlie as fl

MESH = Path(__file__).parent / "../meshes/guyed_tower.msh"
STEEL = fl.Material(young=210e9, poisson=0.3, density=7850.0)
STRAND = fl.Material(young=160e9, poisson=0.3, density=7850.0)
MAST = fl.TubeSection(outer_radius=0.20, inner_radius=0.19, material=STEEL)
STAY = fl.CircularSection(radius=0.01, material=STRAND)
PRETENSION = 1e-3  # strain
WIND_ON_MAST, WIND_ON_STAYS = 300.0, 25.0  # N per meter of height
SOLVER = fl.Static()
RUN: dict[str, float] = {}


def make_model() -> fl.Model:
    """Mast, stays, supports and loads."""
    model = fl.Model(MESH)  # groups: mast, cables, mast base, anchors, mast top
    model.add(fl.Beam("tower", cells="mast", section=MAST))
    shorter = (-PRETENSION, 0.0, 0.0, 0.0, 0.0, 0.0)
    model.add(fl.Beam("stays", cells="cables", section=STAY, rest_strain=shorter))
    model.add(fl.Support("foot", at="mast base", kind=fl.PINNED))
    model.add(fl.Support("blocks", at="anchors", kind=fl.PINNED))
    model.add(fl.Gravity("weight"))
    gust = (WIND_ON_MAST, 0.0, 0.0)
    model.add(fl.LineLoad("wind on mast", on="tower", force=gust, projected=True))
    gust = (WIND_ON_STAYS, 0.0, 0.0)
    model.add(fl.LineLoad("wind on stays", on="stays", force=gust, projected=True))
    return model


def top_by_hand() -> float:
    """Way of the mast's top: a beam on two springs [m]."""
    area, stretch = np.pi * STAY.radius**2, STRAND.young * np.pi * STAY.radius**2
    bend = STEEL.young * np.pi / 4 * (0.20**4 - 0.19**4)
    springs, pushes = [], []
    for height in (20.0, 40.0):
        length = np.hypot(20.0, height)
        hanging = 7850.0 * 9.81 * area * 20.0  # weight per length times span
        ernst = 1.0 + hanging**2 * stretch / (12.0 * (stretch * PRETENSION) ** 3)
        springs.append(1.5 * stretch / length / ernst * (20.0 / length) ** 2)
        across = height + 2.0 * np.hypot(height, 20.0 * np.sin(np.pi / 3))
        pushes.append(0.5 * WIND_ON_STAYS * across)  # half of it goes to the anchor
    q, span, (k1, k2), (p1, p2) = WIND_ON_MAST, 40.0, springs, pushes
    # moments about the base: f1 + 2 f2 = q span + p1 + 2 p2, f the forces of the springs
    # middle: f1/k1 = f2/(2 k2) + (5 q span^4 / 384 - (f1 - p1) span^3 / 48) / bend
    total, sag = q * span + p1 + 2.0 * p2, span**3 / (48.0 * bend)
    right = total / (4.0 * k2) + 5.0 * q * span**4 / (384.0 * bend) + p1 * sag
    f1 = right / (1.0 / k1 + 1.0 / (4.0 * k2) + sag)
    return float((total - f1) / (2.0 * k2))


def main(*, draws: bool = True) -> fl.Results:
    """Solve, compare, save and draw."""
    result = SOLVER.solve(make_model().build(), **RUN)
    moved = result.displacements("mast top")[-1, 0]
    print(f"mast top moves {moved * 1e3:.2f} mm; by hand {top_by_hand() * 1e3:.2f} mm")
    result.save("guyed_tower.h5")
    if draws:
        fl.plot(result, color="axial_force").save("guyed_tower.png")
    return result


if __name__ == "__main__":
    main(draws="--no-picture" not in sys.argv)
