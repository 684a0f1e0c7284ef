"""Statics and modes of a large lattice, in this process: CPU time and memory by stage.

``python benchmarks/lattice.py [NX NY NZ]``. The default, 36 x 13 x 62 cells, has 94 171
struts. Places of inner nodes are changed by up to a twentieth of a cell, so that struts
bend; the lattice stands on its lowest nodes, the highest ones are moved along it.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

# sets the number of threads before numpy is imported
from benchmarks.measuring import Goal, Report, Table, finish, script_parser

CELLS, SMALLEST = (36, 13, 62), (2, 2, 2)
CELL = 0.01
TENSION, COMPRESSION = 0.1, -0.005
N_MODES = 20
SECONDS, GIGABYTES = 90.0, 8.0


@dataclass
class Clock:
    """Stages: name, CPU and wall time [s], most memory so far [GB], how solved."""

    rows: list[list[Any]] = field(default_factory=list)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Add what is done within to the table, and say so at once."""
        start = time.process_time(), time.perf_counter()
        yield
        cpu, wall = time.process_time() - start[0], time.perf_counter() - start[1]
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        self.rows.append([name, cpu, wall, memory, None, None])
        print(f"{name}: {cpu:.2f} s CPU, {wall:.2f} s, {memory:.2f} GB", flush=True)

    def say(self, summary: dict[str, Any]) -> None:
        """Add how the last stage was solved."""
        self.rows[-1][4:] = [summary.get("iterations"), summary.get("linear_solver")]


def make_mesh(cells: tuple[int, ...]) -> Any:
    """Lattice with its inner nodes moved about."""
    import dataclasses

    import numpy as np

    import femlie as fl

    mesh = fl.cubic_lattice(cells, cell_size=CELL)
    points = np.array(mesh.points)
    inner = (points[:, 2] > 0.0) & (points[:, 2] < points[:, 2].max())
    shape = (int(inner.sum()), 3)
    points[inner] += 0.05 * CELL * np.random.default_rng(0).uniform(-1, 1, shape)
    return dataclasses.replace(mesh, points=points)


def make_system(mesh: Any, strain: float) -> Any:
    """Struts of steel, 1 mm thick, pulled or pressed along z."""
    import femlie as fl

    model = fl.Model(mesh)
    steel = fl.Material(young=210e9, poisson=0.3, density=7850.0)
    section = fl.CircularSection(radius=5e-4, material=steel)
    model.add(fl.Beam("struts of steel", cells="struts", section=section))
    model.add(fl.Support("floor", at="bottom"))
    way = (0.0, 0.0, strain * float(mesh.points[:, 2].max()))
    model.add(fl.Support("grip", at="top", displacement=way))
    return model.build()


def measure(clock: Clock, cells: tuple[int, ...]) -> tuple[int, int]:
    """Fill the table; numbers of struts and unknowns."""
    import femlie as fl

    with clock.stage("mesh"):
        mesh = make_mesh(cells)
    with clock.stage("build"):
        system = make_system(mesh, TENSION)
    with clock.stage(f"tension to {TENSION:.0%}"):
        results = fl.Static().solve(system)
    clock.say(results.summary)
    with clock.stage("section forces, reactions, displacements"):
        results.section_forces("struts of steel")
        results.reactions("floor")
        results.displacements("top")
    with tempfile.TemporaryDirectory() as folder:
        with clock.stage("results file"):
            results.save(Path(folder) / "lattice.h5")
        with clock.stage("picture"):
            fl.plot(results, color="axial_force").save(Path(folder) / "lattice.png")
    del results
    pressed = make_system(mesh, COMPRESSION)
    with clock.stage(f"compression to {-COMPRESSION:.1%}"):
        results = fl.Static().solve(pressed)
    clock.say(results.summary)
    del results, pressed
    with clock.stage(f"first {N_MODES} modes"):
        modes = fl.Modal(n_modes=N_MODES).solve(system)
    clock.say(modes.summary)
    return len(mesh.lines), system.dofs.n_rows


def main() -> None:
    """Measure and keep."""
    parser = script_parser(__doc__, "lattice")
    parser.add_argument("cells", nargs="*", type=int, help="along x, y and z")
    options = parser.parse_args()
    cells = tuple(options.cells) or (SMALLEST if options.smallest else CELLS)
    if len(cells) != 3:
        parser.error(f"{len(cells)} numbers of cells: expected those along x, y and z")
    clock = Clock()
    n_struts, n_unknowns = measure(clock, cells)
    size = " x ".join(map(str, cells))
    columns = ["stage", "CPU s", "wall s", "most memory so far, GB"]
    table = Table(
        f"{size} cells: {n_struts} struts, {n_unknowns} unknowns",
        [*columns, "iterations", "linear solver"],
        clock.rows,
        "One process from the mesh on. Modes are those of the lattice as built.",
    )
    solve = next(row for row in clock.rows if row[0].startswith("tension"))
    goals = [
        Goal(f"lattice of {n_struts} beams, tension", SECONDS, solve[1], "s"),
        Goal("the same: memory", GIGABYTES, clock.rows[-1][3], "GB"),
    ]
    finish(Report("lattice", [table], goals), options)


if __name__ == "__main__":
    main()
