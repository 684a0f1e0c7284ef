"""Time and memory of a static analysis of a lattice, in this process.

Run from anywhere: ``python benchmarks/lattice.py [NX NY NZ] [--strain STRAIN]``. The
default, 36 x 13 x 62 cells and a strain of 0.1, has 94 171 struts. Places of inner
nodes are changed by up to a twentieth of a cell, so that struts bend.
"""

from __future__ import annotations

import argparse
import os
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

# sets the number of threads before numpy is imported
import benchmarks.measuring  # noqa: F401

CELL = 0.01


@contextmanager
def stage(name: str) -> Iterator[None]:
    """Print CPU and wall time of a stage [s] and the most memory so far [GB]."""
    clocks = time.process_time(), time.perf_counter()
    yield
    cpu, wall = time.process_time() - clocks[0], time.perf_counter() - clocks[1]
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    load = os.getloadavg()[0]
    print(
        f"{name:12} {cpu:8.2f} s CPU {wall:8.2f} s {memory:6.2f} GB   load {load:.2f}"
    )


def arguments() -> tuple[tuple[int, int, int], float]:
    """Cells and strain from the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("cells", nargs="*", type=int, help="along x, y and z")
    parser.add_argument("--strain", type=float, default=0.1)
    options = parser.parse_args()
    cells = tuple(options.cells) or (36, 13, 62)
    if len(cells) != 3:
        parser.error(f"{len(cells)} numbers of cells: expected those along x, y and z")
    return (cells[0], cells[1], cells[2]), options.strain


def main() -> None:
    """Build, solve, read results and draw, with a line each."""
    import dataclasses

    import numpy as np

    import femlie as fl

    cells, strain = arguments()
    with stage("mesh"):
        mesh = fl.cubic_lattice(cells, cell_size=CELL)
        points = np.array(mesh.points)
        height = points[:, 2].max()
        inner = (points[:, 2] > 0.0) & (points[:, 2] < height)
        shape = (int(inner.sum()), 3)
        points[inner] += 0.05 * CELL * np.random.default_rng(0).uniform(-1, 1, shape)
        mesh = dataclasses.replace(mesh, points=points)
    with stage("build"):
        model = fl.Model(mesh)
        steel = fl.Material(young=210e9, poisson=0.3, density=7850.0)
        section = fl.CircularSection(radius=5e-4, material=steel)
        model.add(fl.Beam("struts of steel", cells="struts", section=section))
        model.add(fl.Support("floor", at="bottom"))
        pull = (0.0, 0.0, strain * height)
        model.add(fl.Support("grip", at="top", displacement=pull))
        system = model.build()
    print(f"{len(mesh.lines)} struts, {system.dofs.n_rows} unknowns")
    with stage("solve"):
        results = fl.Static().solve(system)
    with stage("read"):
        results.section_forces("struts of steel")
        results.reactions("floor")
        results.displacements("top")
    with tempfile.TemporaryDirectory() as folder:
        with stage("save"):
            results.save(Path(folder) / "lattice.h5")
        with stage("picture"):
            fl.plot(results, color="axial_force").save(Path(folder) / "lattice.png")
    summary = results.summary
    print({key: summary[key] for key in ("steps", "iterations", "linear_solver")})


if __name__ == "__main__":
    main()
