"""Time and memory of a static analysis of a lattice, in this process.

Run from anywhere: ``python benchmarks/lattice.py [NX NY NZ [STRAIN]]``. The default,
36 x 13 x 62 cells and a strain of 0.1, has 94 171 struts. Places of inner nodes are
changed by up to a twentieth of a cell, so that struts bend.
"""

from __future__ import annotations

import os
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"
REPOSITORY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY))
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


def main() -> None:
    """Build, solve, read results and draw, with a line each."""
    import dataclasses

    import numpy as np

    import femlie as fl

    cells = tuple(int(word) for word in sys.argv[1:4]) or (36, 13, 62)
    strain = float(sys.argv[4]) if len(sys.argv) > 4 else 0.1
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
