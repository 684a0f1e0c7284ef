"""A frame from a Gmsh file is pushed at a corner of its roof (static).

Two bays by one, two storeys; columns and beams are physical groups of the mesh, which
give each member its section by name. Feet are clamped. 1 kN along x pushes at one
corner, out of the middle, so that the frame turns too.

         o-----o-----o <- load point
        /|    /|    /|
       o-----o-----o |     z up, x to the right, y into the depth
       | o---|-o---|-o
       |/|   |/|   |/|
       o-----o-----o |     feet clamped
       | =   | =   | =
       =     =     =

Known answer: the linear stiffness method, which is exact for members of any length as
long as displacements are small. The beams of femlie bend as far as they like, but each
element has one curvature: with n elements for each half of a column in double curvature
it is too stiff by about 1/(4 n^2). Halving the elements (the same frame, cells of
order 2) quarters the error, and extrapolation removes nearly all of it.

Next: 01_guyed_tower for cables, line loads and weight; 04_slider_crank for joints. The
same model as a file is 02_frame_from_gmsh.toml.
"""

import sys
from pathlib import Path

import numpy as np

import femlie as fl

MESHES = Path(__file__).parent / "../meshes"
SWAY = 5.79509e-3  # m, linear stiffness method: tests/oracles/frame.py
SOLVER = fl.Static()
RUN: dict[str, float] = {}


def make_model(mesh: str = "frame_msh41.msh") -> fl.Model:
    """Columns, beams, feet and the push; ``mesh`` is a file of the frame."""
    steel = fl.Material(young=210e9, poisson=0.3, density=7850.0)
    tube = fl.TubeSection(outer_radius=0.05, inner_radius=0.045, material=steel)
    model = fl.Model(MESHES / mesh)
    model.add(fl.Beam("columns", cells="columns", section=tube))
    model.add(fl.Beam("beams_x", cells="beams_x", section=tube, orientation=(0, 0, 1)))
    model.add(fl.Beam("beams_y", cells="beams_y", section=tube))
    model.add(fl.Support("feet", at="supports", kind=fl.CLAMPED))
    model.add(fl.Force("push", at="load point", force=(1000.0, 0.0, 0.0)))
    return model


def sway_of(result: fl.Results) -> float:
    """Way of the load point along the push [m]."""
    return float(result.displacements("load point")[-1, 0])


def main(*, draws: bool = True) -> fl.Results:
    """Solve on two meshes, compare, save and draw."""
    result = SOLVER.solve(make_model().build(), **RUN)
    finer = SOLVER.solve(make_model("frame_order2_msh41.msh").build(), **RUN)
    coarse, fine = sway_of(result), sway_of(finer)
    best = fine + (fine - coarse) / 3.0
    print(
        f"sway {coarse * 1e3:.3f} mm, finer {fine * 1e3:.3f} mm, "
        f"extrapolated {best * 1e3:.3f} mm; linear theory {SWAY * 1e3:.3f} mm"
    )
    shear = np.sum(result.reactions("feet")[-1, :, 0])
    print(f"the feet push back with {shear:.6f} N, the load is 1000 N")
    result.save("frame_from_gmsh.h5")
    if draws:
        picture = fl.plot(result, color="bending_moment", deformation_scale="auto")
        picture.save("frame_from_gmsh.png")
    return result


if __name__ == "__main__":
    main(draws="--no-picture" not in sys.argv)
