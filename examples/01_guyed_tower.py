r"""A guyed tower stands in the wind (static).

A tube of steel, 40 m tall and pinned at its base, is held at half height and at the top
by three stays each. The stays are beams like the mast, but thin: they carry tension,
sag under their weight, and have their pretension from a rest strain (a stay that wants
to be 0.1 % shorter than it is meshed). The wind counts per height (``projected``).

          /|\         ---> wind
         / | \
        / /|\ \
       / / | \ \
      /_/__|__\_\    three anchors, 20 m from the mast

Known answer: the mast is a beam on two springs, the levels of stays. A level has the
stiffness 3/2 EA/L cos^2, a little less because of the sag (Ernst). It is pushed by half
the wind on its stays, and pulled by those that sag most, for the bow is longer than its
chord. This leaves out how the compressed mast bends more; about 2 % remain.

Next: 02_frame_from_gmsh for members in three directions, 05_rubber_pendulum for what
moves. The same model as a file is 01_guyed_tower.toml.
"""

import sys
from pathlib import Path

import numpy as np

import femlie as fl

MESH = Path(__file__).parent / "../meshes/guyed_tower.msh"
STEEL = fl.Material(young=210e9, poisson=0.3, density=7850.0)
STRAND = fl.Material(young=160e9, poisson=0.3, density=7850.0)
TUBE = fl.TubeSection(outer_radius=0.20, inner_radius=0.19, material=STEEL)
CABLE = fl.CircularSection(radius=0.01, material=STRAND)
PRETENSION = 1e-3  # strain
WIND_ON_MAST, WIND_ON_STAYS = 300.0, 25.0  # N for each meter of height
SOLVER = fl.Static()
RUN: dict[str, float] = {}


def make_model() -> fl.Model:
    """Mast, stays, supports and loads."""
    model = fl.Model(MESH)  # groups: mast, cables, mast base, anchors, mast top
    model.add(fl.Beam("tower", cells="mast", section=TUBE))
    shorter = (-PRETENSION, 0.0, 0.0, 0.0, 0.0, 0.0)
    model.add(fl.Beam("stays", cells="cables", section=CABLE, rest_strain=shorter))
    model.add(fl.Support("foot", at="mast base", kind=fl.PINNED))
    model.add(fl.Support("blocks", at="anchors", kind=fl.PINNED))
    model.add(fl.Gravity("weight"))
    for on, force in (("tower", WIND_ON_MAST), ("stays", WIND_ON_STAYS)):
        wind = (force, 0.0, 0.0)
        model.add(fl.LineLoad(f"wind on {on}", on=on, force=wind, projected=True))
    return model


def top_by_hand() -> float:
    """Way of the top of the mast: a beam on two springs [m]."""
    area = np.pi * CABLE.radius**2
    stretch, weight = STRAND.young * area, 9.81 * STRAND.density * area
    bend = STEEL.young * np.pi / 4 * (TUBE.outer_radius**4 - TUBE.inner_radius**4)
    angles, tension = np.arange(3) * 2.0 * np.pi / 3, stretch * PRETENSION
    k, p = [], []  # stiffness and push of each level of stays
    for height in (20.0, 40.0):
        length = np.hypot(20.0, height)
        down = np.full(3, -height)
        stay = np.stack([20 * np.cos(angles), 20 * np.sin(angles), down], 1) / length
        wind = WIND_ON_STAYS * np.hypot(stay[:, 1], stay[:, 2])
        load = np.stack([wind, 0 * wind, np.full(3, -weight)], 1)
        bow = np.sum(np.cross(load, stay) ** 2, 1) * length**2 / (24 * tension**2)
        p.append(0.5 * length * wind.sum() + stretch * bow @ stay[:, 0])
        ernst = 1 + (20 * weight) ** 2 * stretch / (12 * tension**3)
        k.append(1.5 * stretch / length * (20 / length) ** 2 / ernst)
    # moments about the base give f1 + 2 f2, f the forces of the springs; the middle
    # moves by f1 / k1 = f2 / (2 k2) + bending, which is linear in f1
    total, flexible = WIND_ON_MAST * 40 + p[0] + 2 * p[1], 40.0**3 / (48 * bend)
    bent = 5 * WIND_ON_MAST * 40.0**4 / (384 * bend) + p[0] * flexible
    f1 = (total / (4 * k[1]) + bent) / (1 / k[0] + 1 / (4 * k[1]) + flexible)
    return float(total - f1) / (2 * k[1])


def main(*, draws: bool = True) -> fl.Results:
    """Solve, compare, save and draw."""
    result = SOLVER.solve(make_model().build(), **RUN)
    moved = result.displacements("mast top")[-1, 0]
    print(f"mast top moves {moved * 1e3:.2f} mm; by hand {top_by_hand() * 1e3:.2f} mm")
    result.save("guyed_tower.h5")
    if draws:
        fl.plot(result, color="axial_force", deformation_scale=1.0).save(
            "guyed_tower.png"
        )
    return result


if __name__ == "__main__":
    main(draws="--no-picture" not in sys.argv)
